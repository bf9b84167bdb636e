//! Why something is as it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::queries::namespace;
use crate::serve::dto::why::{BlamedCommit, KnownMemory, ToldCommit, WhyAnswer, WhyRequest};
use crate::serve::problem::Problem;
use lokid_encode::compress::at_level;
use lokid_engine::why::{Question, Why, WhyCommit};
use lokid_model::{Level, Memory};

const MOST: usize = 50;

pub(in crate::serve) async fn why(app: App, call: Call) -> Answer {
    let started = app.monotonic();
    let most = app.config().server.max_body;
    let request: WhyRequest = call.json(&app, most).await?;
    let asked = question(&request)?;
    let project = app.project(request.project.as_deref()).await?;
    let gone = Gone::default();
    let is_gone = Arc::clone(&gone.0);
    let found = aside(move || project.recall.why(&asked, &|| is_gone.load(Ordering::Relaxed))).await??;
    let mut answer = show(found);
    answer.took_us = app.monotonic().saturating_duration_since(started).as_micros() as u64;
    ok(&answer)
}

/// Nobody waits for the answer any more once this is dropped: what was started for it ends.
#[derive(Default)]
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn question(request: &WhyRequest) -> Result<Question, Problem> {
    if request.file.trim().is_empty() {
        return Err(Problem::field("file", "is required"));
    }
    if request.symbol.is_some() && (request.line.is_some() || request.end_line.is_some()) {
        return Err(Problem::field("symbol", "lines and a symbol cannot both be asked for"));
    }
    if request.end_line.is_some() && request.line.is_none() {
        return Err(Problem::field("line", "is required with `end_line`"));
    }
    if let Some(k) = request.k.filter(|k| !(1..=MOST).contains(k)) {
        return Err(Problem::field("k", format_args!("{k} is not between 1 and {MOST}")));
    }
    Ok(Question {
        file: request.file.trim().to_owned(),
        lines: request.line.map(|line| (line, request.end_line.unwrap_or(line))),
        symbol: request.symbol.clone(),
        namespace: namespace(request.namespace.clone()),
        k: request.k,
    })
}

fn show(why: Why) -> WhyAnswer {
    let blame = why.blame.into_iter().map(|blamed| BlamedCommit {
        lines: blamed.lines.into_iter().map(<[u32; 2]>::from).collect(),
        path: blamed.path,
        commit: commit(blamed.commit),
    });
    WhyAnswer {
        file: why.file,
        earlier_names: why.earlier_names,
        symbol: why.symbol,
        lines: why.lines.map(<[u32; 2]>::from),
        blame: blame.collect(),
        explained_by: why.explained_by.into_iter().map(commit).collect(),
        broke_before: why.broke_before.into_iter().map(commit).collect(),
        memories: why.memories.iter().map(|known| memory(known)).collect(),
        note: why.note,
        took_us: 0,
    }
}

fn commit(told: WhyCommit) -> ToldCommit {
    ToldCommit {
        id: told.id.to_string(),
        date: told.at.day(),
        author: told.author,
        kind: told.kind,
        subject: told.subject,
        reason: told.reason,
        files: told.files,
        why: told.why,
    }
}

pub(super) fn memory(known: &Memory) -> KnownMemory {
    KnownMemory {
        id: known.id.to_string(),
        kind: known.kind.as_str(),
        tier: known.tier.as_str(),
        title: known.headline().to_owned(),
        summary: at_level(known, Level::Summary).into_owned(),
        files: known.anchors.files.clone(),
        created_at: known.times.created_at.record_style(),
    }
}
