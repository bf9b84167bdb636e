//! `lokid import`: records from a file or a pipe, a line each. What the daemon has acknowledged is safely in, whatever
//! happens afterwards.

use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::{Handle, Signals};

use super::args::Import;
use super::ask::{Ask, list};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::{self, Screen, Ticker};
use super::settings::Settings;
use super::{transcripts, words};
use lokid_sys::{Clock, env, plain, thread};

/// The file is held in memory while it is sent; a longer one is piped in.
const MOST_FILE: u64 = 4 << 30;
/// An import that takes longer shows how far it is.
const QUICK: Duration = Duration::from_secs(1);
const SHOWN_ERRORS: usize = 50;

pub(super) fn run(import: &Import, settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    let mut cited = Vec::new();
    let source = match &import.file {
        Some(file) => open(file)?,
        None => {
            let told = transcripts::read_all(import, screen)?;
            cited = told.cited;
            Box::new(Cursor::new(told.lines))
        }
    };
    let project = settings.project.display().to_string();
    let ask = Ask::bare_post("/memories/import")
        .query("project", &project)
        .maybe("trust", import.trust.then_some("true"))
        .header("content-type", "application/x-ndjson")
        .header("accept", "application/x-ndjson");
    let progress = ImportProgress::start(screen.quiet())?;
    let mut last = None;
    let answer = daemon.upload(&ask, source, |line| {
        if let Ok(told) = serde_json::from_str::<Value>(line) {
            progress.heard(&told);
            last = Some(told);
        }
    });
    let acknowledged = progress.end();
    answer.map_err(|failure| match acknowledged {
        0 => failure,
        _ => failure.hint(format!("{} are safely in; importing again is harmless", lines(acknowledged))),
    })?;
    // What a session said it applied counts once, however often its transcript is read.
    for (session, names) in cited {
        let ask = Ask::post("/usage").project(settings).field("session_id", session).field("cited", names);
        daemon.ask(&ask)?;
    }
    match last.as_ref().and_then(|told| told.get("done")).and_then(Value::as_bool) {
        Some(done) => tell(&last.unwrap_or_default(), done, settings, screen),
        None => Err(Failure::new(format!("the daemon broke off; {} are safely in", lines(acknowledged)))),
    }
}

fn open(file: &Path) -> Result<Box<dyn Read>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let bytes = plain::read(file, MOST_FILE)
        .map_err(|error| Failure::usage(error).hint("what is no plain file is piped in: `lokid import - < FILE`"))?;
    match bytes {
        Some(bytes) => Ok(Box::new(Cursor::new(bytes))),
        None => Err(Failure::usage(format!("there is no {}", file.display()))),
    }
}

fn tell(summary: &Value, done: bool, settings: &Settings, screen: &mut Screen) -> Done {
    let errors = list(summary, "errors");
    let failed = summary.get("errors_total").and_then(Value::as_u64).unwrap_or(errors.len() as u64);
    if settings.json {
        screen.line(summary.to_string())?;
    } else {
        let many = |key: &str| words::number(summary.get(key).and_then(Value::as_u64).unwrap_or(0));
        let (new, changed, known) = (many("imported"), many("updated"), many("skipped"));
        screen
            .line(format!("{new} new, {changed} updated, {known} known already, {} failed", words::number(failed)))?;
        for error in errors.iter().take(SHOWN_ERRORS) {
            screen.warn(format!("line {}: {}", words::field(error, "line"), words::field(error, "detail")));
        }
        let more = failed.saturating_sub(SHOWN_ERRORS as u64);
        if more > 0 {
            screen.warn(format!("and {} more; --json lists them", words::number(more)));
        }
    }
    if !done {
        let why = summary.get("problem").map(|problem| words::field(problem, "detail")).unwrap_or_default();
        return Err(Failure::new(format!("the import stopped early: {why}")).hint("importing again is harmless"));
    }
    if failed == 0 { Ok(()) } else { Err(Failure::told()) }
}

fn lines(many: u64) -> String {
    words::count(many, "line", "lines")
}

/// How far the daemon is, for the person who waits and for the one who loses patience.
struct ImportProgress {
    acknowledged: Arc<AtomicU64>,
    clock: Clock,
    started: Instant,
    shown: bool,
    handle: Handle,
    listener: JoinHandle<()>,
}

impl ImportProgress {
    fn start(quiet: bool) -> Result<ImportProgress, Failure> {
        let acknowledged = Arc::new(AtomicU64::new(0));
        let mut signals = Signals::new([SIGINT]).context("cannot listen for Ctrl-C")?;
        let handle = signals.handle();
        let count = Arc::clone(&acknowledged);
        let listener = thread::spawn("interrupt", move || {
            if signals.forever().next().is_some() {
                let safe = lines(count.load(Ordering::SeqCst));
                screen::remark(&format!("\nlokid: interrupted; {safe} are safely in, and importing again is harmless"));
                std::process::exit(128 + SIGINT);
            }
        });
        let listener = listener.context("cannot start a thread")?;
        let clock = Clock::system();
        let started = clock.monotonic();
        Ok(ImportProgress {
            acknowledged,
            clock,
            started,
            shown: !quiet && env::stderr_is_terminal(),
            handle,
            listener,
        })
    }

    fn heard(&self, told: &Value) {
        let Some(many) = told.get("acknowledged").and_then(Value::as_u64) else { return };
        self.acknowledged.store(many, Ordering::SeqCst);
        if self.shown && self.clock.monotonic() - self.started > QUICK {
            Ticker::Err.over(&format!("{} in", lines(many)));
        }
    }

    /// Takes the line away and tells how many are in.
    fn end(self) -> u64 {
        if self.shown && self.clock.monotonic() - self.started > QUICK {
            Ticker::Err.over("");
        }
        self.handle.close();
        // Its only way to panic would be to be out of memory.
        let _ = self.listener.join();
        self.acknowledged.load(Ordering::SeqCst)
    }
}
