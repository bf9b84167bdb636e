//! `lokid replay`: how often the files of a commit would have been foretold, beside four plain methods in the same run.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Map, Value, json};
use signal_hook::consts::SIGINT;

use super::args::Replay;
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::{Screen, Style, Ticker};
use super::settings::Settings;
use super::words;
use lokid_context::replay::text::{Compared, Figures};
use lokid_context::replay::{Report, Score};
use lokid_engine::past::{WEIGHTS, weights};
use lokid_engine::replay::{Plan, ReplayError, Replayed, Stage, replay};
use lokid_sys::{Clock, env, plain};

/// What takes less time needs no progress.
const QUICK: Duration = Duration::from_millis(700);
/// So much of the past tells enough for a look at the page.
const SHORT: usize = 2_000;
const PAINT_EVERY: Duration = Duration::from_millis(100);

pub(super) fn run(asked: &Replay, settings: &Settings, screen: &mut Screen) -> Done {
    let place = Reach::place(settings)?;
    let known = weights(&place.state);
    let plan = Plan { most: asked.most, content: !asked.no_content, fit: asked.fit };
    let mut progress = ReplayProgress::start(screen.quiet() || settings.json)?;
    let replayed = replay(&place.root, &known, plan, &mut |stage, done, all| progress.show(stage, done, all));
    progress.clear();
    let replayed = replayed.map_err(|error| match error {
        ReplayError::Stopped => Failure::new("interrupted; nothing was changed"),
        error => {
            Failure::new(error.to_string()).hint("go to a repository with some history, or name it with `--project`")
        }
    })?;
    if let Some(fitted) = replayed.fitted.as_ref().filter(|fitted| fitted.helps()) {
        keep(&place.state, &fitted.weights.to_text())?;
    }
    if settings.json {
        return screen.line(document(&replayed).to_string());
    }
    show(&replayed, screen)
}

/// What `--json` prints, of a history that is not too long to wait for.
pub(super) fn briefly(settings: &Settings) -> Result<Value, Failure> {
    let place = Reach::place(settings)?;
    let plan = Plan { most: SHORT, content: false, fit: false };
    let replayed = replay(&place.root, &weights(&place.state), plan, &mut |_, _, _| ControlFlow::Continue(()));
    replayed.map(|replayed| document(&replayed)).map_err(|error| Failure::new(error.to_string()))
}

fn keep(state: &Path, text: &str) -> Done {
    let kept = plain::make_folder(state).and_then(|()| plain::replace(&state.join(WEIGHTS), text.as_bytes()));
    Ok(kept.with_context(|| format!("cannot keep the weights in {}", state.display()))?)
}

fn show(replayed: &Replayed, screen: &mut Screen) -> Done {
    let report = &replayed.history;
    let commits = words::count(report.commits as u64, "commit", "commits");
    screen.line(format!(
        "{commits} foretold out of {}: each file of a commit is opened in turn, the others are to be named",
        words::number(replayed.commits as u64)
    ))?;
    screen.line("")?;
    let mut rows = vec![vec![String::new(), "hit@3".to_owned(), "hit@10".to_owned(), "recall@10".to_owned()]];
    if let Some(content) = &replayed.content {
        rows.push(row("lokid", ours(content)));
        rows.push(row("lokid, history alone", ours(report)));
    } else {
        rows.push(row("lokid", ours(report)));
    }
    rows.extend(report.methods.iter().skip(1).map(|(method, score)| row(method.in_words(), *score)));
    let text = &replayed.goals.any;
    rows.push(vec![String::new()]);
    rows.push(figures("from the subject alone: lokid", &text.lokid));
    rows.push(figures("from the subject alone: BM25", &text.bm25));
    for (at, line) in words::table(&rows).into_iter().enumerate() {
        screen.line(if at == 0 { screen.paint(Style::Dim, &line) } else { line })?;
    }
    screen.line("")?;
    let best = replayed.content.as_ref().unwrap_or(report);
    screen.line(format!(
        "{:.0} % of the files were already foretold at the author's previous commit of the same day, {} ahead in the median",
        100.0 * best.lead.foreseen,
        words::span(best.lead.median_seconds.max(0) as u64)
    ))?;
    screen.line(format!(
        "{:.0} tokens of a prediction are in vain ({:.0} %)",
        best.waste.tokens_per_prediction,
        100.0 * best.waste.share
    ))?;
    if let Some(fitted) = &replayed.fitted {
        let upshot =
            if fitted.helps() { "kept for this repository" } else { "no gain, so the weights stay as they are" };
        let (before, after) = (fitted.before.recall10, fitted.after.recall10);
        screen.note(format!("fitted on the older part: recall@10 {before:.3} → {after:.3} there; {upshot}"));
    }
    Ok(())
}

fn ours(report: &Report) -> Score {
    report.methods.first().map(|(_, score)| *score).unwrap_or_default()
}

fn row(name: &str, score: Score) -> Vec<String> {
    let number = |share: f64| format!("{share:.3}");
    vec![name.to_owned(), number(score.hit3), number(score.hit10), number(score.recall10)]
}

fn figures(name: &str, found: &Figures) -> Vec<String> {
    row(name, Score { hit3: found.hit_at_3, hit10: found.hit_at_10, recall10: found.recall_at_10 })
}

fn document(replayed: &Replayed) -> Value {
    let best = replayed.content.as_ref().unwrap_or(&replayed.history);
    let mut methods = Map::new();
    for (method, score) in &best.methods {
        methods.insert(method.as_str().to_owned(), score_value(*score));
    }
    if replayed.content.is_some() {
        methods.insert("lokid_history".to_owned(), score_value(ours(&replayed.history)));
    }
    let text = |compared: &Compared| {
        let value = |found: &Figures| json!({"hit@3": found.hit_at_3, "hit@10": found.hit_at_10, "recall@10": found.recall_at_10});
        json!({"commits": compared.commits, "methods": {"lokid": value(&compared.lokid), "bm25": value(&compared.bm25)}})
    };
    json!({
        "protocol": "each",
        "commits": best.commits,
        "questions": best.questions,
        "history": replayed.commits,
        "content": replayed.content.is_some(),
        "methods": methods,
        "text_to_files": {"files_1_to_30": text(&replayed.goals.any), "files_2_to_30": text(&replayed.goals.several)},
        "lead": {"foreseen": best.lead.foreseen, "median_seconds": best.lead.median_seconds},
        "wasted_tokens": {"per_prediction": best.waste.tokens_per_prediction, "share": best.waste.share},
        "fitted": replayed.fitted.as_ref().map(|fitted| {
            json!({"before": score_value(fitted.before), "after": score_value(fitted.after), "kept": fitted.helps()})
        }),
    })
}

fn score_value(score: Score) -> Value {
    json!({"hit@3": score.hit3, "hit@10": score.hit10, "recall@10": score.recall10})
}

/// A line that says how far it is, and an ear for Ctrl-C.
struct ReplayProgress {
    interrupted: Arc<AtomicBool>,
    clock: Clock,
    started: Instant,
    painted: Option<Instant>,
    shown: bool,
}

impl ReplayProgress {
    fn start(quiet: bool) -> Result<ReplayProgress, Failure> {
        let interrupted = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(SIGINT, Arc::clone(&interrupted)).context("cannot listen for Ctrl-C")?;
        let clock = Clock::system();
        let started = clock.monotonic();
        Ok(ReplayProgress { interrupted, clock, started, painted: None, shown: !quiet && env::stderr_is_terminal() })
    }

    fn show(&mut self, stage: Stage, done: usize, all: usize) -> ControlFlow<()> {
        if self.interrupted.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let now = self.clock.monotonic();
        let is_due = self.painted.is_none_or(|at| now - at >= PAINT_EVERY);
        if self.shown && is_due && now - self.started > QUICK {
            self.painted = Some(now);
            let what = match stage {
                Stage::Reading => "reading commits",
                Stage::Fitting => "fitting weights",
                Stage::Replaying => "replaying",
                Stage::ReadingFiles => "reading files as they were",
                Stage::ReplayingWithFiles => "replaying with files",
                Stage::Goals => "asking by subject",
            };
            let filled = (20 * done).checked_div(all).unwrap_or(0).min(20);
            let bar = format!("{}{}", "█".repeat(filled), "░".repeat(20 - filled));
            Ticker::Err.over(&format!("{bar} {what}, {}", words::number(done as u64)));
        }
        ControlFlow::Continue(())
    }

    fn clear(&self) {
        if self.painted.is_some() {
            Ticker::Err.over("");
        }
    }
}
