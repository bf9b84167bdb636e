//! What a night did and why, for people and for programs, and the file in which the last ones are kept.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{NightState, Wish};
use lokid_manage::plan::{Act, Phase, Proposal};
use lokid_manage::schedule::Cause;
use lokid_model::{Change, Key, MemoryId, Namespace, Problem, Timestamp};
use lokid_sys::plain;

/// So many things are told one by one; of the rest the number.
const TOLD: usize = 400;
/// A plan that was asked for is told in full, within reason.
const PLANNED: usize = 10_000;
/// So many nights are kept,
pub const MOST_NIGHTS: usize = 30;
/// or fewer where they have more to tell.
const LARGEST: u64 = 4 << 20;

#[derive(Clone, Debug)]
pub struct NightReport {
    pub cause: Cause,
    pub dry_run: bool,
    pub started_at: Timestamp,
    pub took: Duration,
    counts: [usize; Act::ALL.len()],
    pub told: Vec<ToldDeed>,
    /// Done, and too many to tell.
    pub untold: usize,
    /// Not done, because the memory had changed meanwhile or the disk refused.
    pub dropped: usize,
    pub interrupted: bool,
    pub failed: bool,
    /// How the weighing of answers was shifted by what helped.
    pub steps: Vec<String>,
    /// Files and records that could not be read, and so took no part.
    pub problems: Vec<Problem>,
}

/// One thing a night did.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldDeed {
    pub phase: Phase,
    pub act: Act,
    pub namespace: Namespace,
    pub about: Vec<MemoryId>,
    pub why: String,
}

impl NightReport {
    pub(super) fn begin(wish: &Wish, started_at: Timestamp) -> NightReport {
        NightReport {
            cause: wish.cause,
            dry_run: wish.dry_run,
            started_at,
            took: Duration::ZERO,
            counts: [0; Act::ALL.len()],
            told: Vec::new(),
            untold: 0,
            dropped: 0,
            interrupted: false,
            failed: false,
            steps: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, namespace: &Namespace, proposals: &[Proposal], done: &[bool]) {
        let most = if self.dry_run { PLANNED } else { TOLD };
        for (proposal, done) in proposals.iter().zip(done) {
            if !done {
                self.dropped += 1;
                continue;
            }
            self.count_in(proposal);
            if self.told.len() < most {
                self.told.push(ToldDeed {
                    phase: proposal.phase,
                    act: proposal.act,
                    namespace: namespace.clone(),
                    about: proposal.about.clone(),
                    why: proposal.why.clone(),
                });
            } else {
                self.untold += 1;
            }
        }
    }

    /// Every memory it tells of.
    pub(super) fn named(&self) -> impl Iterator<Item = Key> {
        self.told.iter().flat_map(|told| told.about.iter().map(|id| Key::new(&told.namespace, id)))
    }

    /// Leaves out what tells of these; it still counts. Answers whether anything did.
    pub(super) fn strike_out(&mut self, gone: impl Fn(&Key) -> bool) -> bool {
        let before = self.told.len();
        self.told.retain(|told| !told.about.iter().any(|id| gone(&Key::new(&told.namespace, id))));
        self.untold += before - self.told.len();
        before != self.told.len()
    }

    /// Links come in bundles, and each of them counts.
    fn count_in(&mut self, proposal: &Proposal) {
        if !matches!(proposal.act, Act::Linked | Act::Unlinked) {
            self.counts[proposal.act as usize] += 1;
            return;
        }
        for change in &proposal.changes {
            match change {
                Change::Unlink(_) => self.counts[Act::Unlinked as usize] += 1,
                _ => self.counts[Act::Linked as usize] += 1,
            }
        }
    }

    pub fn count(&self, act: Act) -> usize {
        self.counts[act as usize]
    }

    /// Everything that was done.
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The numbers under the names that programs rely on.
    pub fn counts(&self) -> Map<String, Value> {
        let count = |act| self.count(act);
        let counts = json!({
            "deduped": count(Act::Deduped),
            "compressed": count(Act::Compressed),
            "summarized": count(Act::Summarized),
            "forgotten": count(Act::Forgotten),
            "archived": count(Act::Archived) + count(Act::Forgotten),
            "promoted": count(Act::Promoted),
            "demoted": count(Act::Demoted),
            "stale": count(Act::Staled),
            "patterns_created": count(Act::PatternCreated),
            "patterns_updated": count(Act::PatternUpdated),
            "anti_patterns": count(Act::AntiPattern),
            "learnings": count(Act::Learning),
            "skills": count(Act::Skill),
            "links_added": count(Act::Linked),
            "links_removed": count(Act::Unlinked),
            "contradictions_found": count(Act::ContradictionFound),
            "superseded": count(Act::Superseded),
        });
        match counts {
            Value::Object(counts) => counts,
            _ => Map::new(),
        }
    }
}

/// Broken or of another time: as if there had been no night yet.
pub(super) fn read(file: &Path) -> NightState {
    let text = plain::read_text(file, LARGEST).ok().flatten();
    let Some(Value::Object(kept)) = text.and_then(|text| serde_json::from_str(&text).ok()) else {
        return NightState::default();
    };
    let time = |value: Option<&Value>| value.and_then(Value::as_str).and_then(Timestamp::parse);
    // There was a time when only one was kept.
    let listed = kept.get("nights").and_then(Value::as_array);
    let nights = listed.into_iter().flatten().chain(kept.get("last"));
    NightState {
        nights: nights.filter_map(report_from).map(Arc::new).collect(),
        finished: time(kept.get("finished")),
        met: time(kept.get("met")),
        paused: kept.get("paused").and_then(Value::as_bool).unwrap_or(false),
        ..NightState::default()
    }
}

pub(super) fn write(file: &Path, known: &NightState) -> std::io::Result<()> {
    let mut room = LARGEST as usize / 2;
    let fits = |night: &Value| {
        let length = night.to_string().len();
        let fits = length <= room;
        room = room.saturating_sub(length);
        fits
    };
    let nights: Vec<Value> = known.nights.iter().map(|night| report_to(night)).take_while(fits).collect();
    let kept = json!({
        "finished": known.finished.map(|at| at.to_string()),
        "met": known.met.map(|at| at.to_string()),
        "paused": known.paused,
        "nights": nights,
    });
    plain::replace(file, kept.to_string().as_bytes())
}

fn report_to(report: &NightReport) -> Value {
    let told = |told: &ToldDeed| {
        let about: Vec<&str> = told.about.iter().map(MemoryId::as_str).collect();
        json!([told.phase.as_str(), told.act.as_str(), told.namespace.as_str(), about, told.why])
    };
    let counts: Map<String, Value> =
        Act::ALL.iter().map(|act| (act.as_str().to_owned(), json!(report.count(*act)))).collect();
    json!({
        "cause": report.cause.as_str(),
        "started_at": report.started_at.to_string(),
        "took_ms": report.took.as_millis() as u64,
        "counts": counts,
        "told": report.told.iter().map(told).collect::<Vec<_>>(),
        "untold": report.untold,
        "dropped": report.dropped,
        "interrupted": report.interrupted,
        "failed": report.failed,
        "steps": report.steps,
        "problems": report.problems.iter().map(|one| json!([one.path, one.reason])).collect::<Vec<_>>(),
    })
}

fn report_from(kept: &Value) -> Option<NightReport> {
    let text = |name: &str| kept.get(name).and_then(Value::as_str);
    let number = |name: &str| kept.get(name).and_then(Value::as_u64).unwrap_or(0) as usize;
    let flag = |name: &str| kept.get(name).and_then(Value::as_bool).unwrap_or(false);
    let list = |name: &str| kept.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut counts = [0; Act::ALL.len()];
    for act in Act::ALL {
        let count = kept.pointer(&format!("/counts/{act}")).and_then(Value::as_u64).unwrap_or(0);
        counts[*act as usize] = count as usize;
    }
    let problem = |one: &Value| {
        Some(Problem { path: one.get(0)?.as_str()?.to_owned(), reason: one.get(1)?.as_str()?.to_owned() })
    };
    Some(NightReport {
        cause: Cause::parse(text("cause")?)?,
        dry_run: false,
        started_at: Timestamp::parse(text("started_at")?)?,
        took: Duration::from_millis(number("took_ms") as u64),
        counts,
        told: list("told").iter().filter_map(told_from).collect(),
        untold: number("untold"),
        dropped: number("dropped"),
        interrupted: flag("interrupted"),
        failed: flag("failed"),
        steps: list("steps").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        problems: list("problems").iter().filter_map(problem).collect(),
    })
}

fn told_from(kept: &Value) -> Option<ToldDeed> {
    let text = |at: usize| kept.get(at).and_then(Value::as_str);
    let ids = kept.get(3)?.as_array()?.iter().filter_map(Value::as_str).filter_map(MemoryId::foreign);
    Some(ToldDeed {
        phase: Phase::parse(text(0)?)?,
        act: Act::parse(text(1)?)?,
        namespace: Namespace::new(text(2)?)?,
        about: ids.collect(),
        why: text(4)?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_comes_back_from_its_file_as_it_was() {
        let lab = tempfile::tempdir().unwrap();
        let file = lab.path().join("night.json");
        let mut report = NightReport::begin(&Wish::of(Cause::Asked), Timestamp::from_micros(5_000_000));
        report.told.push(ToldDeed {
            phase: Phase::Dedupe,
            act: Act::Deduped,
            namespace: Namespace::default(),
            about: vec![MemoryId::new("n-1").unwrap(), MemoryId::new("n-2").unwrap()],
            why: "they say the same".to_owned(),
        });
        report.counts[Act::Deduped as usize] = 1;
        report.interrupted = true;
        let known = NightState {
            nights: vec![Arc::new(report.clone())],
            finished: Some(report.started_at),
            ..NightState::default()
        };
        write(&file, &known).unwrap();
        let back = read(&file);
        assert_eq!((back.finished, back.paused), (known.finished, false));
        let last = back.last().unwrap();
        assert_eq!((&last.told, last.count(Act::Deduped), last.interrupted), (&report.told, 1, true));
    }

    #[test]
    fn a_file_from_when_one_night_was_kept_is_read_and_nights_without_end_fit() {
        let lab = tempfile::tempdir().unwrap();
        let file = lab.path().join("night.json");
        let mut report = NightReport::begin(&Wish::of(Cause::Asked), Timestamp::from_micros(5_000_000));
        plain::replace(&file, json!({"last": report_to(&report)}).to_string().as_bytes()).unwrap();
        assert_eq!(read(&file).last().unwrap().started_at, report.started_at);
        report.steps = vec!["x".repeat(400_000)];
        let report = Arc::new(report);
        let known = NightState { nights: vec![report; MOST_NIGHTS], paused: true, ..NightState::default() };
        write(&file, &known).unwrap();
        let back = read(&file);
        assert!(back.paused && (1..MOST_NIGHTS).contains(&back.nights.len()), "{}", back.nights.len());
    }

    #[test]
    fn a_broken_file_is_as_if_there_had_been_no_night() {
        let lab = tempfile::tempdir().unwrap();
        let file = lab.path().join("night.json");
        plain::replace(&file, b"{\"last\": [1,").unwrap();
        assert!(read(&file).nights.is_empty());
    }
}
