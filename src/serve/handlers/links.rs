//! What stands around a memory, and new ties.

use std::collections::BTreeMap;

use axum::http::StatusCode;

use crate::serve::app::App;
use crate::serve::call::{Answer, Call, json, ok};
use crate::serve::dto::answers::{Graph, Node};
use crate::serve::dto::queries::{Neighbourhood, namespace};
use crate::serve::dto::requests::LinkRequest;
use crate::serve::dto::values::Include;
use crate::serve::problem::Problem;
use lokid_index::Snapshot;
use lokid_model::{Key, Memory, MemoryId, Status};
use lokid_store::schema::lists::view_link;

const DEEPEST: usize = 3;

pub(in crate::serve) async fn around(app: App, call: Call) -> Answer {
    let id = call.id()?;
    let query: Neighbourhood = call.query()?;
    let depth = query.depth.unwrap_or(1);
    if !(1..=DEEPEST).contains(&depth) {
        return Err(Problem::field("depth", format_args!("{depth} is not between 1 and {DEEPEST}")));
    }
    let snapshot = app.project(query.project.as_deref()).await?.writer.snapshot();
    let start = Key { namespace: namespace(query.namespace.clone()), id };
    if snapshot.get(&start).is_none() {
        return Err(Problem::not_found(format!("no memory {start}")));
    }
    ok(&graph(&snapshot, &start, depth, &query))
}

/// Breadth first, so that every node has its shortest distance. A tie to what may not be shown is not shown either.
fn graph(snapshot: &Snapshot, start: &Key, depth: usize, query: &Neighbourhood) -> Graph {
    let mut distance: BTreeMap<MemoryId, usize> = BTreeMap::from([(start.id.clone(), 0)]);
    let mut edges = BTreeMap::new();
    let mut frontier = vec![start.id.clone()];
    for step in 1..=depth {
        let mut next = Vec::new();
        for id in frontier {
            for link in snapshot.links_of(&Key::new(&start.namespace, &id)) {
                let other = if link.from == id { &link.to } else { &link.from };
                let shown = snapshot
                    .get(&Key::new(&start.namespace, other))
                    .is_some_and(|memory| *other == start.id || is_shown(memory, query));
                if !query.relation.allow(link.relation) || !shown {
                    continue;
                }
                edges.insert((link.from.clone(), link.relation, link.to.clone()), view_link(link));
                if !distance.contains_key(other) {
                    distance.insert(other.clone(), step);
                    next.push(other.clone());
                }
            }
        }
        frontier = next;
    }
    let mut nodes: Vec<Node> = distance
        .iter()
        .filter_map(|(id, depth)| Some(node(snapshot.get(&Key::new(&start.namespace, id))?, *depth)))
        .collect();
    nodes.sort_by(|one, other| (one.depth, &one.id).cmp(&(other.depth, &other.id)));
    Graph { nodes, edges: edges.into_values().collect() }
}

fn is_shown(memory: &Memory, query: &Neighbourhood) -> bool {
    (!memory.restricted || query.include.has(Include::Restricted))
        && (memory.status == Status::Asserted || query.include.has(Include::Unverified))
}

fn node(memory: &Memory, depth: usize) -> Node {
    Node {
        id: memory.id.to_string(),
        kind: memory.kind.as_str(),
        tier: memory.tier.as_str(),
        title: memory.headline().to_owned(),
        depth,
    }
}

pub(in crate::serve) async fn tie(app: App, call: Call) -> Answer {
    let by = call.by();
    let most = app.config().server.max_record;
    let request: LinkRequest = call.json(&app, most).await?;
    let project = app.project(request.project.as_deref()).await?;
    let (from, to, relation) = (request.from.0, request.to.0, request.relation.0);
    let asked = project.writer.by(by).link(namespace(request.namespace), from, to, relation);
    json(StatusCode::CREATED, &view_link(&app.settle(asked).await?))
}
