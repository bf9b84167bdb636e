//! What one event asks for: decided on the draft of a batch, carried out and answered with it.

use crate::bundle::Bundle;
use crate::decide::{self, Decision, Twins};
use crate::error::EngineError;
use crate::event::{Event, Reply};
use crate::logged::{LeftAsItIs, LoggedChange};
use crate::{import, redact, tidy, undo};
use lokid_index::Snapshot;
use lokid_model::{By, Change, Source, Timestamp};

/// Decided but not yet durable.
pub(super) struct Turn {
    pub(super) bundles: Vec<Bundle>,
    /// Somebody told it, one by one: it is held against what is known as soon as it is answered.
    pub(super) told: bool,
    /// Called with what became of it.
    pub(super) reply: Box<dyn FnOnce(Result<(), EngineError>) + Send>,
}

impl Turn {
    pub(super) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.bundles.iter().flat_map(|bundle| &bundle.changes)
    }

    /// Of what is applied to the draft already.
    pub(super) fn of<T: Send + 'static>(bundles: Vec<Bundle>, answer: T, reply: Reply<T>) -> Turn {
        let reply = Box::new(move |result: Result<(), EngineError>| drop(reply.send(result.map(|()| answer))));
        Turn { bundles, told: false, reply }
    }
}

pub(super) fn decide_event(draft: &mut Snapshot, now: Timestamp, event: Event, twins: Twins<'_>) -> Option<Turn> {
    match event {
        Event::Remember { draft: asked, reply } => {
            let by = asked.source.unwrap_or(Source::Agent).into();
            let turn = decided(draft, decide::remember(draft, now, *asked, twins), (by, ""), reply);
            turn.map(|turn| Turn { told: true, ..turn })
        }
        Event::Patch { key, patch, if_match, by, reply } => {
            let decision = decide::patch(draft, now, &key, *patch, if_match.as_deref());
            decided(draft, decision, (by, ""), reply).map(|turn| Turn { told: true, ..turn })
        }
        Event::Forget { keys, reason, purge, by, reply } => {
            let (changes, gone) = decide::forget(draft, now, &keys, &reason, purge);
            // Whoever archives several may want one of them back; what is purged leaves with all that it changes.
            let together = if purge { vec![changes] } else { changes.into_iter().map(|change| vec![change]).collect() };
            let bundles = together.into_iter().map(|changes| Bundle::by(by, &reason, changes)).collect();
            Some(applied(draft, bundles, gone, reply))
        }
        Event::Redact { keys, pattern, reason, reply } => {
            decided(draft, Ok(redact::redact(draft, now, &keys, &pattern, &reason)), (By::User, &reason), reply)
        }
        Event::Restore { key, by, reply } => decided(draft, decide::restore(draft, now, &key), (by, ""), reply),
        Event::Link { namespace, from, to, relation, by, reply } => {
            decided(draft, decide::link(draft, now, &namespace, &from, &to, relation), (by, ""), reply)
        }
        Event::Tidy { proposals, night, reply } => {
            let (bundles, tidied) = tidy::tidy(draft, &proposals, night);
            Some(applied(draft, bundles, tidied, reply))
        }
        Event::Resolve { namespace, id, resolution, note, by, reply } => {
            let decision = tidy::resolve(draft, now, (&namespace, &id), resolution, &note);
            decided(draft, decision, (by, &note), reply)
        }
        Event::Undo { groups, by, reply } => {
            let (bundles, answer) = undone(draft, now, &groups, by);
            Some(Turn::of(bundles, answer, reply))
        }
        Event::Confirm { key, tier, by, reply } => {
            decided(draft, tidy::confirm(draft, now, &key, tier), (by, "confirmed"), reply)
        }
        Event::Write { document, reply } => {
            decided(draft, Ok((vec![Change::Write(*document)], ())), (By::User, ""), reply)
        }
        Event::Import { records, trust, reply } => {
            let (bundles, report) = import::import(draft, now, records, trust);
            Some(Turn::of(bundles, report, reply))
        }
        Event::Focus(_)
        | Event::Economics(_)
        | Event::Derived { .. }
        | Event::Rescan { .. }
        | Event::Team { .. }
        | Event::Trust { .. }
        | Event::History { .. }
        | Event::Shorten { .. }
        | Event::Beat
        | Event::Stop => None,
    }
}

/// A refusal is answered at once.
fn decided<T: Send + 'static>(
    draft: &mut Snapshot,
    decision: Decision<T>,
    (by, why): (By, &str),
    reply: Reply<T>,
) -> Option<Turn> {
    match decision {
        Ok((changes, answer)) => Some(applied(draft, vec![Bundle::by(by, why, changes)], answer, reply)),
        Err(error) => {
            let _ = reply.send(Err(error));
            None
        }
    }
}

/// Applies a decision to the draft, so that the next event of the batch is decided on top of it.
pub(super) fn applied<T: Send + 'static>(
    draft: &mut Snapshot,
    bundles: Vec<Bundle>,
    answer: T,
    reply: Reply<T>,
) -> Turn {
    bundles.iter().flat_map(|bundle| &bundle.changes).for_each(|change| draft.apply(change));
    Turn::of(bundles, answer, reply)
}

/// Each group on top of what the one before it left.
fn undone(
    draft: &mut Snapshot,
    now: Timestamp,
    groups: &[Vec<LoggedChange>],
    by: By,
) -> (Vec<Bundle>, Vec<Result<LeftAsItIs, String>>) {
    let (mut bundles, mut answers) = (Vec::new(), Vec::new());
    for group in groups {
        answers.push(undo::plan(draft, now, group).map(|(changes, left)| {
            changes.iter().for_each(|change| draft.apply(change));
            let undoes = group.first().map(|change| change.group.clone());
            let why = undoes.as_deref().map(|id| format!("undo of {id}")).unwrap_or_default();
            bundles.push(Bundle { undoes, ..Bundle::by(by, why, changes) });
            left
        }));
    }
    (bundles, answers)
}
