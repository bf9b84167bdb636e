//! The daemon about itself: health and status.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::serve::app::App;
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::{
    FileProblem, FocusStatus, Health, HookStatus, IndexStatus, MemoryStatus, PastStatus, PrefetchStatus, ProjectStatus,
    ReadyContext, StatusAnswer, WatchStatus,
};
use crate::serve::dto::night::ConsolidationStatus;
use crate::serve::dto::queries::Status;
use lokid_engine::Project;
use lokid_engine::contexts::cache::Prepared;
use lokid_engine::eyes::Eyes;
use lokid_engine::focus::Owner;
use lokid_index::Snapshot;
use lokid_model::{Kind, SignalKind, Timestamp};
use lokid_sys::process;
use lokid_watch::WatchMode;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Contexts that are told one by one.
const MOST_CONTEXTS: usize = 8;
const LONGEST_GOAL: usize = 300;

/// Touches no project: this is how others find out whether the daemon lives.
pub(in crate::serve) async fn health(app: App, _call: Call) -> Answer {
    ok(&Health { status: "ok", version: VERSION, pid: process::pid(), uptime_s: app.uptime().as_secs() })
}

pub(in crate::serve) async fn status(app: App, call: Call) -> Answer {
    let Status { project, fresh } = call.query()?;
    let projects = match project {
        Some(path) => vec![app.project(Some(&path)).await?],
        None => app.projects(),
    };
    if fresh {
        for project in &projects {
            project.writer.rescan()?.answer().await?;
        }
    }
    let care = app.registry().memory_care();
    let (state, limit_bytes, sheds) = (care.look().as_str(), care.limit(), care.sheds());
    ok(&StatusAnswer {
        version: VERSION,
        pid: process::pid(),
        uptime_s: app.uptime().as_secs(),
        rss_bytes: process::rss_bytes(),
        memory: MemoryStatus { state, limit_bytes, sheds },
        socket: app.socket().display().to_string(),
        hooks: app.last_heard().all().into_iter().map(hook_status).collect(),
        projects: projects.iter().map(|project| status_of(project)).collect(),
    })
}

fn hook_status((agent, at): (&'static str, Timestamp)) -> (&'static str, HookStatus) {
    (agent, HookStatus { last_event_at: at.to_string() })
}

fn status_of(project: &Project) -> ProjectStatus {
    let snapshot = project.writer.snapshot();
    let problem = |found: &lokid_model::Problem| FileProblem { path: found.path.clone(), reason: found.reason.clone() };
    ProjectStatus {
        id: project.env.id.to_owned(),
        path: project.env.root.display().to_string(),
        memory_dir: project.env.memory_dir.display().to_string(),
        memories: snapshot.len(),
        counts: Kind::ALL.iter().map(|kind| (kind.as_str(), snapshot.count(*kind))).collect(),
        archived: snapshot.all_archived().count(),
        links: snapshot.link_count(),
        tokens: snapshot.tokens(),
        namespaces: snapshot.namespaces().iter().map(ToString::to_string).collect(),
        watch: watch_status(project),
        past: past_status(project, &snapshot),
        index: index_status(project, snapshot.version()),
        focus: focus_status(project),
        prefetch: prefetch_status(project),
        consolidation: ConsolidationStatus::of(&project.night.known()),
        open_contradictions: snapshot.open_contradictions(),
        unconfirmed: snapshot.memories().filter(|memory| memory.claim.is_some()).count(),
        kept_outside: project.writer.counters().kept_outside.load(Ordering::Relaxed),
        capture: project.env.captures,
        problems: snapshot.problems().iter().map(problem).collect(),
    }
}

fn watch_status(project: &Project) -> WatchStatus {
    let watches = project.eyes().map(Eyes::watches).unwrap_or_default();
    let states = || watches.iter().map(|(_, state)| state);
    let state = match watches.iter().find(|(tree, _)| *tree == project.env.root).map(|(_, state)| state.mode) {
        None => "on-demand",
        Some(WatchMode::Native) => "native",
        Some(WatchMode::Partial) => "partial",
        Some(WatchMode::Polling) => "polling",
        Some(WatchMode::Absent) => "absent",
    };
    WatchStatus {
        state,
        trees: watches.iter().map(|(tree, _)| tree.display().to_string()).collect(),
        files: states().map(|state| state.files).sum(),
        folders_watched: states().map(|state| state.watched_dirs).sum(),
        folders_polled: states().map(|state| state.polled_dirs).sum(),
        reason: states().find_map(|state| state.reason.clone()),
        warnings: states().flat_map(|state| state.warnings.clone()).collect(),
        backlog: project.writer.backlog() + states().map(|state| state.backlog).sum::<usize>(),
        signals: SignalKind::ALL.iter().map(|kind| (kind.as_str(), project.signals.seen(*kind))).collect(),
    }
}

fn focus_status(project: &Project) -> FocusStatus {
    let (owner, focus) = project.contexts.focus();
    let now = project.env.clock.now();
    FocusStatus {
        activity: focus.activity(now).map(|task| task.as_str()),
        errors: focus.errors(now).len(),
        at: focus.heard().map(|at| at.to_string()),
        goal: focus.goal.as_deref().map(shortened),
        branch: focus.branch.map(|branch| branch.name),
        files: focus.file.into_iter().chain(focus.recent).collect(),
        tree: match owner {
            Owner::Tree(tree) => Some(tree),
            _ => None,
        },
    }
}

/// As much of a goal as says what it is.
fn shortened(goal: &str) -> String {
    goal.trim().chars().take(LONGEST_GOAL).collect()
}

fn ready_context((prepared, asked): (Arc<Prepared>, bool)) -> ReadyContext {
    let need = &prepared.need;
    ReadyContext {
        path: need.file.clone(),
        branch: need.branch.as_ref().map(|branch| branch.name.clone()),
        goal: need.goal.as_deref().map(shortened),
        agent: Some(need.agent.clone()).filter(|agent| !agent.is_empty()),
        memories: prepared.assembled.items.len(),
        tokens: prepared.assembled.tokens,
        asked,
    }
}

fn prefetch_status(project: &Project) -> PrefetchStatus {
    let looking = project.prefetch.is_on();
    let (focuses, ready, tally) = project.contexts.cached();
    PrefetchStatus {
        state: if looking { "on" } else { "off" },
        focuses,
        ready,
        prepared: tally.prepared,
        hits: tally.hits,
        misses: tally.misses,
        wasted: tally.wasted,
        wasted_tokens: tally.wasted_tokens,
        contexts: project.contexts.standing_ready(MOST_CONTEXTS).into_iter().map(ready_context).collect(),
    }
}

fn past_status(project: &Project, snapshot: &Snapshot) -> PastStatus {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for memory in snapshot.derived() {
        *counts.entry(memory.kind.as_str()).or_default() += 1;
    }
    let mut status = PastStatus {
        state: "off",
        done: 0,
        total: 0,
        memories: snapshot.derived_count(),
        counts,
        commits: 0,
        documents: 0,
        code_files: 0,
        symbols: 0,
        imports: 0,
    };
    let Some(past) = project.eyes().map(Eyes::past) else { return status };
    let (progress, code) = (past.progress(), past.code());
    (status.done, status.total) = progress.done();
    (status.commits, status.documents) = (progress.commits(), progress.documents());
    (status.code_files, status.symbols, status.imports) = (code.len(), code.symbols(), code.imports());
    status.state = match progress.reading() {
        Some(chapter) => chapter.as_str(),
        None if progress.is_complete() => "ready",
        None => "starting",
    };
    status
}

/// Asking does not start the indexes.
fn index_status(project: &Project, version: u64) -> IndexStatus {
    let Some(search) = project.search.if_started() else {
        return IndexStatus { state: "off", version, indexed: 0, waiting: 0, passages: 0, model: None };
    };
    let (ready, waiting) = (search.ready(), search.waiting());
    let state = match ready.as_ref() {
        None => "opening",
        Some(_) if waiting > 0 => "indexing",
        Some(_) => "ready",
    };
    let model = ready.as_ref().as_ref().map(|ready| ready.embedder.id().to_owned());
    IndexStatus { state, version, indexed: search.indexed(), waiting, passages: search.passages(), model }
}
