//! Memories newest first, a page at a time, and all of them at once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;

use super::facets::{self, author_of, folded};
use super::{paging, view};
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok, with_type};
use crate::serve::dto::answers::{Items, Listing};
use crate::serve::dto::queries::{self, List, Within, namespace};
use crate::serve::dto::values::Include;
use crate::serve::problem::Problem;
use lokid_engine::{Project, Repository, staging};
use lokid_index::Snapshot;
use lokid_index::places::plain_path;
use lokid_model::{Key, Kind, Level, Memory, MemoryId, Namespace, Status, Timestamp};

/// How much of an export is written at once.
const PIECE: usize = 64 << 10;

pub(in crate::serve) async fn list(app: App, call: Call) -> Answer {
    let query: List = call.query()?;
    let limit = paging::limit(query.limit)?;
    let project = app.project(query.project.as_deref()).await?;
    // Whoever has to walk every memory, or look at the disk, does so beside the connections.
    let listing = match query.facets || query.stale_anchor {
        true => aside(move || page(&app, &project, &query, limit)).await??,
        false => page(&app, &project, &query, limit)?,
    };
    ok(&listing)
}

fn page(app: &App, project: &Project, query: &List, limit: usize) -> Result<Listing, Problem> {
    let snapshot = project.writer.snapshot();
    let place = namespace(query.namespace.clone());
    let after = query.cursor.as_deref().map(|cursor| read_cursor(cursor, &place)).transpose()?;
    let at = query.as_of.as_ref().map_or_else(|| app.now(), |time| time.0);
    let staged = query.project.as_deref().and_then(|path| staging::waits_for(&app.config(), path));
    let waits_here = |memory: &Memory| {
        staged.is_some() && memory.staged().map(|own| own.branch) == staged.as_ref().map(|here| here.branch.clone())
    };
    let stands = Standing { repository: &project.repository, looked: RefCell::default() };
    let is_young = |memory: &Memory| query.since.as_ref().is_none_or(|since| memory.times.created_at >= since.0);
    let passes = |memory: &Arc<Memory>| {
        memory.namespace == place
            && is_wanted(memory, query, at, waits_here(memory))
            && query.derived.is_none_or(|derived| snapshot.is_derived(&memory.key()) == derived)
            && (!query.stale_anchor || memory.anchors.files.iter().any(|file| !stands.is_there(file)))
    };
    let all = || snapshot.memories().filter(|memory| is_young(memory) && passes(memory)).map(Arc::as_ref);
    let counted = query.facets.then(|| facets::count(all()));
    // Where all are counted, nobody looks for more than there are.
    let total = counted.as_ref().map_or(usize::MAX, |counted| counted.total);
    let mut found = snapshot.newest(after).take_while(|memory| is_young(memory)).filter(|memory| passes(memory));
    let page: Vec<&Arc<Memory>> = found.by_ref().take(limit.min(total)).collect();
    let last = page.last().filter(|_| page.len() < total && found.next().is_some());
    let next_cursor = last.map(|last| paging::cursor(last.times.created_at, last.id.as_str()));
    let item = |memory: &Arc<Memory>| {
        let mut item = view::brief(memory, Level::Summary);
        item.insert("derived".to_owned(), snapshot.is_derived(&memory.key()).into());
        item
    };
    let items = page.into_iter().map(item).collect();
    Ok(Listing { items, next_cursor, counted })
}

/// Which files are in the working tree; each is looked for once.
struct Standing<'a> {
    repository: &'a Repository,
    looked: RefCell<HashMap<String, bool>>,
}

impl Standing<'_> {
    fn is_there(&self, file: &str) -> bool {
        let file = plain_path(file);
        if let Some(known) = self.looked.borrow().get(file) {
            return *known;
        }
        let is_there = self.repository.stands(file);
        self.looked.borrow_mut().insert(file.to_owned(), is_there);
        is_there
    }
}

fn is_wanted(memory: &Memory, query: &List, at: Timestamp, waits_here: bool) -> bool {
    let holds = if query.as_of.is_none() { memory.holds_now(at) } else { memory.holds_at(at) };
    let (tag, file) = (query.tag.as_deref(), query.file.as_deref().map(plain_path));
    query.kind.allow(memory.kind)
        && query.tier.allow(memory.tier)
        && query.source.allow(memory.source)
        && tag.is_none_or(|tag| memory.tags.iter().any(|known| folded(known) == folded(tag)))
        && query
            .author
            .as_deref()
            .is_none_or(|name| author_of(memory).is_some_and(|known| folded(known) == folded(name)))
        && file.is_none_or(|file| memory.anchors.files.iter().any(|known| is_at(plain_path(known), file)))
        && query.until.as_ref().is_none_or(|until| memory.times.created_at < until.0)
        && (query.as_of.is_none() || memory.known_at(at))
        && (holds || query.include.has(Include::Invalid))
        && (!memory.restricted || waits_here || query.include.has(Include::Restricted))
        && (memory.status == Status::Asserted || query.include.has(Include::Unverified))
}

/// The file itself, or one below a folder.
fn is_at(file: &str, place: &str) -> bool {
    file.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn read_cursor(text: &str, namespace: &Namespace) -> Result<(Timestamp, Key), Problem> {
    let (at, id) = paging::read_cursor(text)?;
    let id = MemoryId::foreign(&id).ok_or_else(paging::not_ours)?;
    Ok((at, Key::new(namespace, &id)))
}

/// All memories of one kind in a namespace, newest first.
pub(in crate::serve) fn of_kind<'s>(
    snapshot: &'s Snapshot,
    kind: Kind,
    namespace: &Namespace,
) -> impl Iterator<Item = &'s Arc<Memory>> {
    snapshot.newest(None).filter(move |memory| memory.kind == kind && memory.namespace == *namespace)
}

pub(in crate::serve) async fn learnings(app: App, call: Call) -> Answer {
    let query: Within = call.query()?;
    let snapshot = app.project(query.project.as_deref()).await?.writer.snapshot();
    let place = namespace(query.namespace);
    let items = of_kind(&snapshot, Kind::Learning, &place).filter(|memory| !memory.restricted);
    ok(&Items { items: items.map(|memory| view::whole(memory)).collect() })
}

/// Every record in the order of their keys, a line each, of one moment.
pub(in crate::serve) async fn export(app: App, call: Call) -> Answer {
    let query: queries::Export = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let export = ExportStream::new(&project, query.namespace.map(|name| name.0), query.derived);
    let pieces = futures_util::stream::unfold(export, |mut export| async move {
        let piece = export.next_piece()?;
        Some((Ok::<Bytes, std::convert::Infallible>(piece), export))
    });
    Ok(with_type(StatusCode::OK, "application/x-ndjson", Body::from_stream(pieces)))
}

struct ExportStream {
    snapshot: Arc<Snapshot>,
    memories: std::vec::IntoIter<Arc<Memory>>,
}

impl ExportStream {
    fn new(project: &Project, namespace: Option<Namespace>, with_derived: bool) -> ExportStream {
        let snapshot = project.writer.snapshot();
        // What the repository teaches by itself, it teaches wherever it goes.
        let own = |memory: &&Arc<Memory>| with_derived || !snapshot.is_derived(&memory.key());
        let wanted = |memory: &&Arc<Memory>| namespace.as_ref().is_none_or(|name| memory.namespace == *name);
        let memories: Vec<Arc<Memory>> = snapshot.memories().filter(wanted).filter(own).cloned().collect();
        ExportStream { snapshot, memories: memories.into_iter() }
    }

    fn next_piece(&mut self) -> Option<Bytes> {
        let mut piece = Vec::new();
        while piece.len() < PIECE
            && let Some(memory) = self.memories.next()
        {
            let line = serde_json::to_vec(&view::exported(&memory, &self.snapshot)).ok()?;
            piece.extend_from_slice(&line);
            piece.push(b'\n');
        }
        (!piece.is_empty()).then(|| Bytes::from(piece))
    }
}
