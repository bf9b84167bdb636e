//! `lokid run --oneshot`: reads what the repository teaches, tells what was learnt, and leaves. No socket, no watching
//! afterwards; the next command without a daemon knows what was read.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::ask::{self, Ask};
use super::consolidate;
use super::failure::{Done, Failure};
use super::logging::Logging;
use super::reach::Reach;
use super::reading::{self, Past, Reading};
use super::screen::{self, Screen, Style, Ticker};
use super::settings::Settings;
use super::words;
use lokid_engine::eyes::Eyes;
use lokid_engine::{Project, ProjectError};
use lokid_model::Kind;
use lokid_sys::{Clock, env};

/// Logs and pages that go on being written are not waited for any longer.
const UNREST: Duration = Duration::from_secs(30);
/// Whatever is not indexed by then is indexed by the next who asks.
const INDEXING: Duration = Duration::from_secs(600);

pub(super) fn run(place: &Path, with_night: bool, mut settings: Settings, screen: &mut Screen) -> Done {
    // Remarks stand on the standard error; what the engine says of itself only for those who ask.
    let _logging =
        (settings.verbose > 0).then(|| Logging::start(&settings.config.log, settings.verbose)).transpose()?;
    let since = Clock::system().monotonic();
    settings.project = place.to_owned();
    let registry = Arc::new(Reach::empty(&settings));
    let project = registry.add_alone(place).map_err(unusable)?;
    let reach = Reach::over(Arc::clone(&registry), &settings)?;
    let before = held(&project);
    registry.awaken(&project);
    match project.eyes() {
        Some(eyes) => read(&project, eyes, screen)?,
        None if !project.env.captures => screen.note("an opt-out is in force: nothing is read by itself"),
        None => screen.note("[watch] is off: nothing is read by itself"),
    }
    // Everything that was handed to the writer before this is published with it.
    project
        .writer
        .rescan()
        .and_then(|looked| looked.wait())
        .map_err(|error| Failure::from(anyhow::Error::new(error)))?;
    screen.note("indexing");
    if !project.search.handle().wait(INDEXING) {
        screen.note("the index is not complete; the next question goes on with it");
    }
    let learnt = learnt(&before, &held(&project));
    let night = if with_night {
        registry.grant_nights(&project).map_err(unusable)?;
        screen.note("tidying");
        Some(reach.learn(&Ask::post("/consolidate").project(&settings))?)
    } else {
        None
    };
    let status = reach.learn(&Ask::get("/status").project(&settings))?;
    let status = status.pointer("/projects/0").cloned().unwrap_or(Value::Null);
    drop(reach);
    let took = Clock::system().monotonic().saturating_duration_since(since);
    if settings.json {
        let counts: Map<String, Value> = learnt.iter().map(|(kind, many)| (kind.clone(), (*many).into())).collect();
        let memories: u64 = learnt.iter().map(|(_, many)| many).sum();
        let took_ms = took.as_millis() as u64;
        let learnt = json!({"memories": memories, "counts": counts});
        screen.line(
            json!({"learnt": learnt, "project": status, "consolidation": night, "took_ms": took_ms}).to_string(),
        )?;
    } else {
        tell(&status, &learnt, took, screen)?;
        if let Some(night) = &night {
            return consolidate::tell(night, screen);
        }
    }
    let failed = night.is_some_and(|night| night.get("failed") == Some(&Value::Bool(true)));
    if failed { Err(Failure::new("the night failed; `-v` tells more")) } else { Ok(()) }
}

/// Comes back when history, documents, code, logs and the page of continuity were read to their ends.
fn read(project: &Project, eyes: &Eyes, screen: &mut Screen) -> Done {
    if screen.quiet() {
        Reading::new(Ticker::Nowhere, false).follow(reading::HERE, || Ok(Some(Past::of(project))))?;
    } else {
        let moves = env::stderr_is_terminal() && screen::colour_is_wanted();
        Reading::new(Ticker::Err, moves).follow(reading::HERE, || Ok(Some(Past::of(project))))?;
    }
    screen.note("reading logs and traces");
    if !eyes.rest(UNREST) {
        screen.note("something is still being written; it is left as it stands");
    }
    Ok(())
}

fn held(project: &Project) -> Vec<(String, u64)> {
    let snapshot = project.writer.snapshot();
    Kind::ALL.iter().map(|kind| (kind.as_str().to_owned(), snapshot.count(*kind) as u64)).collect()
}

fn learnt(before: &[(String, u64)], after: &[(String, u64)]) -> Vec<(String, u64)> {
    let more = before.iter().zip(after).map(|((kind, old), (_, new))| (kind.clone(), new.saturating_sub(*old)));
    more.filter(|(_, many)| *many > 0).collect()
}

fn tell(status: &Value, learnt: &[(String, u64)], took: Duration, screen: &mut Screen) -> Done {
    let number = |at: &str| status.pointer(at).and_then(Value::as_u64).unwrap_or(0);
    let read = format!(
        "{}, {} and {} in {:.1} s",
        words::count(number("/past/commits"), "commit", "commits"),
        words::count(number("/past/documents"), "document", "documents"),
        words::count(number("/past/code_files"), "source file", "source files"),
        took.as_secs_f64()
    );
    let learnt = if learnt.is_empty() { "nothing new".to_owned() } else { words::holdings(learnt) };
    let memories = words::count(number("/memories"), "memory", "memories");
    let row = |name: &str, value: String| vec![format!("  {name}"), value];
    let mut rows = vec![row("read", read), row("learnt", learnt), row("holds", memories)];
    let problems = ask::list(status, "problems").len() as u64;
    if problems > 0 {
        let told =
            format!("{} to look at; `lokid doctor` names them and says why", words::count(problems, "file", "files"));
        rows.push(row("problems", told));
    }
    screen.line(screen.paint(Style::Bold, &words::field(status, "path")))?;
    screen.table(&rows)
}

fn unusable(error: ProjectError) -> Failure {
    let held = matches!(error, ProjectError::InUse { .. });
    let hint = if held {
        "the daemon that watches it reads it anyway; `lokid status` tells how far it is"
    } else {
        "`lokid doctor` looks closer"
    };
    Failure::from(anyhow::Error::new(error)).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_not_there_before_is_learnt() {
        let counts = |facts, notes| vec![("fact".to_owned(), facts), ("note".to_owned(), notes)];
        assert_eq!(learnt(&counts(2, 1), &counts(5, 1)), [("fact".to_owned(), 3)]);
        assert_eq!(learnt(&counts(2, 4), &counts(2, 1)), []);
    }
}
