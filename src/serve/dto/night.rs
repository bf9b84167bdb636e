//! What is asked of the night and of contradictions, and what is answered.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::values::{NamespaceName, Time, Word, Words};
use lokid_engine::night::{NightReport, NightState, ToldDeed};
use lokid_manage::plan::Phase;
use lokid_model::{MemoryId, Resolution, Tier, Timestamp};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Nights {
    pub(in crate::serve) project: Option<PathBuf>,
    /// Also list the last so many, 1 to 30, each with what can still be taken back.
    #[schemars(range(min = 1, max = 30))]
    pub(in crate::serve) limit: Option<usize>,
}

/// Tidy the memory now.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct ConsolidateRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    /// Only tell what would be done.
    pub(in crate::serve) dry_run: bool,
    /// Only these parts; all of them unless told.
    pub(in crate::serve) phases: Vec<Word<Phase>>,
    /// As if it were this time.
    pub(in crate::serve) now: Option<Time>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct PauseRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    /// Hold nights off; `false` lets them come again.
    pub(in crate::serve) paused: Option<bool>,
}

/// What a night did, or would do.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ConsolidateAnswer {
    /// Numbers by what was done: `deduped`, `compressed`, `summarized`, `forgotten`, `archived`, `promoted`, `demoted`,
    /// `stale`, `patterns_created`, `patterns_updated`, `anti_patterns`, `learnings`, `skills`, `links_added`,
    /// `links_removed`, `contradictions_found`, `superseded`.
    #[serde(flatten)]
    counts: Map<String, Value>,
    took_ms: u64,
    /// `nightly`, `missed`, `idle`, `task`, `phase`, `asked` or `signal`.
    cause: &'static str,
    dry_run: bool,
    started_at: String,
    /// Ended before everything was done; the next night goes on.
    interrupted: bool,
    failed: bool,
    /// Not done because a memory had changed meanwhile.
    dropped: usize,
    /// What would be done, one by one; with `dry_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Vec<Deed>>,
    /// What was done, one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<Vec<Deed>>,
    /// Further deeds that are not listed.
    more: usize,
    /// How the weighing of answers was shifted by what helped, with `[learn]` switched on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    learnt: Vec<String>,
    /// Records that could not be read and took no part.
    problems: Vec<Unread>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Deed {
    phase: &'static str,
    act: &'static str,
    namespace: String,
    ids: Vec<String>,
    why: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Unread {
    path: String,
    reason: String,
}

impl ConsolidateAnswer {
    pub(in crate::serve) fn of(report: &NightReport) -> ConsolidateAnswer {
        let deeds: Vec<Deed> = report.told.iter().map(Deed::of).collect();
        let (plan, done) = if report.dry_run { (Some(deeds), None) } else { (None, Some(deeds)) };
        let unread = |one: &lokid_model::Problem| Unread { path: one.path.clone(), reason: one.reason.clone() };
        ConsolidateAnswer {
            counts: report.counts(),
            took_ms: report.took.as_millis() as u64,
            cause: report.cause.as_str(),
            dry_run: report.dry_run,
            started_at: report.started_at.to_string(),
            interrupted: report.interrupted,
            failed: report.failed,
            dropped: report.dropped,
            plan,
            done,
            more: report.untold,
            learnt: report.steps.clone(),
            problems: report.problems.iter().map(unread).collect(),
        }
    }
}

impl Deed {
    fn of(told: &ToldDeed) -> Deed {
        Deed {
            phase: told.phase.as_str(),
            act: told.act.as_str(),
            namespace: told.namespace.to_string(),
            ids: told.about.iter().map(MemoryId::to_string).collect(),
            why: told.why.clone(),
        }
    }
}

/// The nights of a project: the last one, the next one, and the one that runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct NightAnswer {
    /// `null` before the first.
    last: Option<ConsolidateAnswer>,
    /// When the last whole night began.
    finished: Option<String>,
    next: Option<String>,
    /// Why the next one waits.
    waits: Option<&'static str>,
    paused: bool,
    running: Option<RunningNight>,
    /// The last so many, the newest first; with `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    nights: Option<Vec<KeptNight>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct KeptNight {
    #[serde(flatten)]
    night: ConsolidateAnswer,
    /// How many of its deeds can still be taken back.
    undoable: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct RunningNight {
    cause: &'static str,
    since: String,
    phase: &'static str,
    done: usize,
}

impl NightAnswer {
    pub(in crate::serve) fn of(known: &NightState) -> NightAnswer {
        NightAnswer {
            last: known.last().map(ConsolidateAnswer::of),
            finished: known.finished.map(|at| at.to_string()),
            next: known.next.map(|at| at.to_string()),
            waits: known.waits,
            paused: known.paused,
            running: running(known),
            nights: None,
        }
    }

    pub(in crate::serve) fn list(&mut self, nights: &[Arc<NightReport>], undoable: &HashMap<Timestamp, usize>) {
        let kept = |night: &Arc<NightReport>| {
            let undoable = undoable.get(&night.started_at).copied().unwrap_or(0);
            KeptNight { night: ConsolidateAnswer::of(night), undoable }
        };
        self.nights = Some(nights.iter().map(kept).collect());
    }
}

fn running(known: &NightState) -> Option<RunningNight> {
    known.running.as_ref().map(|now| RunningNight {
        cause: now.cause.as_str(),
        since: now.since.to_string(),
        phase: now.phase.as_str(),
        done: now.done,
    })
}

/// The same in short, for the status.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(in crate::serve) struct ConsolidationStatus {
    /// When the last one began; `null` before the first.
    last: Option<String>,
    next: Option<String>,
    waits: Option<&'static str>,
    paused: bool,
    running: Option<RunningNight>,
    /// What the last one did, by number; what it did not do is left out.
    did: Map<String, Value>,
}

impl ConsolidationStatus {
    pub(in crate::serve) fn of(known: &NightState) -> ConsolidationStatus {
        let counts = known.last().map(NightReport::counts).unwrap_or_default();
        ConsolidationStatus {
            last: known.last().map(|report| report.started_at.to_string()),
            next: known.next.map(|at| at.to_string()),
            waits: known.waits,
            paused: known.paused,
            running: running(known),
            did: counts.into_iter().filter(|(_, count)| count.as_u64() != Some(0)).collect(),
        }
    }
}

/// Which contradictions.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Disputed {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// `open`, `superseded` or `resolved`; all of them unless told. What settled itself counts as resolved too.
    pub(in crate::serve) status: Words<lokid_model::ContradictionStatus>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct ResolveRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) resolution: Word<Resolution>,
    /// Why; with `merged`, the words that hold from now on.
    #[serde(default)]
    pub(in crate::serve) note: Option<String>,
}

/// Two statements, or one against what is known.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct CheckRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// The earlier statement.
    pub(in crate::serve) a: Option<String>,
    /// The later one.
    pub(in crate::serve) b: Option<String>,
    /// Held against the memory instead.
    pub(in crate::serve) text: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct CheckAnswer {
    /// `contradicts`, `duplicate`, `compatible` or `unrelated`; of a text against the memory, the gravest found.
    pub(in crate::serve) verdict: &'static str,
    /// How sure that is, from 0 to 1.
    pub(in crate::serve) score: f64,
    pub(in crate::serve) why: String,
    /// What a text was held against and is related to, the gravest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) with: Option<Vec<Compared>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Compared {
    pub(in crate::serve) id: String,
    pub(in crate::serve) title: String,
    pub(in crate::serve) verdict: &'static str,
    pub(in crate::serve) score: f64,
    pub(in crate::serve) why: String,
}

/// A person vouches for a memory.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct ConfirmRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// The tier it is to have; one step more binding unless told.
    pub(in crate::serve) tier: Option<Word<Tier>>,
}
