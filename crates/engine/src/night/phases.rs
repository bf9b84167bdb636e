//! One phase of a night after the other: what the planners see of the house, and which planner does which phase.

use std::sync::Arc;
use std::time::Duration;

use super::Tools;
use super::around::Surroundings;
use super::familiar::Passed;
use crate::company::PairReader;
use crate::past::steps_of;
use lokid_encode::workflows::recurring;
use lokid_index::Snapshot;
use lokid_manage::plan::{Phase, Proposal, Scene};
use lokid_manage::schedule::Cause;
use lokid_manage::{age, connect, contradict, errors, forget, learn, merge, promote, skills, stale, undone};
use lokid_model::{Memory, Namespace, Timestamp};

/// So many tokens of statements are read together, some thirty a pair and five thousand a second: few where somebody may be
/// waiting, more when a night comes by itself. What is left is read the night after.
const READ_WHEN_ASKED: usize = 4_500;
const READ_BY_ITSELF: usize = 150_000;
/// The newest episodes say what is usual here.
const MOST_SEQUENCES: usize = 20_000;
/// Longer than this a night does not wait for the index; what is not in it yet is compared the night after.
const INDEXED: Duration = Duration::from_secs(60);
const GLANCE: Duration = Duration::from_millis(200);

/// What stays the same over one night.
pub(super) struct Planner<'a> {
    tools: &'a Tools,
    pub(super) now: Timestamp,
    pub(super) passed: Passed,
    reader: PairReader,
}

impl<'a> Planner<'a> {
    pub(super) fn new(tools: &'a Tools, now: Timestamp, cause: Cause) -> Planner<'a> {
        let by_itself = matches!(cause, Cause::Nightly | Cause::Missed | Cause::Idle);
        let most = if by_itself { READ_BY_ITSELF } else { READ_WHEN_ASKED };
        Planner { tools, now, passed: Passed::since(tools.night.file.as_deref()), reader: PairReader::of(most) }
    }

    /// What is to be done, and the memories it was planned from.
    pub(super) fn plan(
        &self,
        phase: Phase,
        snapshot: &Snapshot,
        namespace: &Namespace,
    ) -> (Vec<Proposal>, Vec<Arc<Memory>>) {
        let own = |memory: &&Arc<Memory>| memory.namespace == *namespace && !snapshot.is_derived(&memory.key());
        let memories: Vec<Arc<Memory>> = snapshot.memories().filter(own).cloned().collect();
        let links: Vec<_> = snapshot.links().filter(|link| link.namespace == *namespace).cloned().collect();
        let found = snapshot.contradictions().filter(|found| found.namespace == *namespace);
        let contradictions: Vec<_> = found.cloned().collect();
        let archived = snapshot.all_archived().filter(|entry| entry.memory.namespace == *namespace);
        let archived: Vec<_> = archived.cloned().collect();
        let ready = self.tools.search.handle().ready();
        let familiar = self.passed.by(phase, namespace);
        let around = Surroundings::new(self.tools, snapshot, namespace, self.now, familiar, &ready, &self.reader);
        let scene = Scene {
            now: self.now,
            memories: &memories,
            links: &links,
            contradictions: &contradictions,
            archived: &archived,
            around: &around,
        };
        let mut proposals = match phase {
            Phase::Learn => learn::plan(&scene, &learn::Limits::default()),
            Phase::Errors => errors::plan(&scene, &errors::Limits::default()),
            Phase::Skills => skills::plan(&scene, &repeated(&memories), &skills::Limits::default()),
            Phase::Dedupe => merge::plan(&scene, &|pairs| around.same(pairs)),
            Phase::Contradict => contradict::plan(&scene, &|pairs| around.ruled(pairs)),
            Phase::Compress => age::plan(&scene),
            Phase::Promote => promote::plan(&scene),
            // How much of a file is another is not kept; that it is gone, or a name in it, is known.
            Phase::Stale => stale::plan(&scene, &stale::StaleLimits::default(), &|_, _| None),
            Phase::Forget => {
                let watched_since = self.tools.night.known().met;
                forget::plan(&scene, &forget::ForgetLimits { watched_since, ..forget::ForgetLimits::default() })
            }
            Phase::Connect => connect::plan(&scene),
        };
        // What somebody took back stays so.
        let stays = |proposal: &Proposal| {
            let about = proposal.about.first().and_then(|id| scene.get(id));
            !about.is_some_and(|memory| undone::is_left_alone(memory, phase))
        };
        proposals.retain(stays);
        (proposals, memories)
    }

    /// What came of a phase was done. Whoever could not be held against all it should have been is fresh the night after.
    pub(super) fn note(&mut self, phase: Phase, namespace: &Namespace, seen: &[Arc<Memory>]) {
        self.passed.note(phase, namespace, seen, |memory| self.reader.is_done_with(memory));
    }
}

/// Sequences of steps that episodes show again and again.
fn repeated(memories: &[Arc<Memory>]) -> Vec<skills::Found> {
    let mut sequences: Vec<_> = memories.iter().filter_map(|memory| steps_of(memory)).collect();
    sequences.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.id.cmp(&other.id)));
    sequences.truncate(MOST_SEQUENCES);
    let found = recurring(&sequences).into_iter();
    found
        .map(|way| skills::Found { name: way.name, steps: way.steps, support: way.support, sources: way.sources })
        .collect()
}

/// Waits until what is known can be found, but not for ever and not when the night is over. Answers whether it can.
pub(super) fn catch_up(tools: &Tools) -> bool {
    let search = tools.search.handle();
    let until = tools.env.clock.monotonic() + INDEXED;
    let has_time = || !tools.night.is_over() && tools.env.clock.monotonic() < until;
    while !search.opened(GLANCE) && has_time() {}
    while search.waiting() > 0 && has_time() {
        if search.wait(GLANCE) {
            break;
        }
    }
    search.ready().is_some() && search.waiting() == 0
}
