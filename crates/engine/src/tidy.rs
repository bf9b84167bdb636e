//! What becomes of proposals of the night, of contradictions that somebody settles and of memories that somebody
//! confirms: pure decisions on a snapshot, like those of `decide`.

use std::sync::Arc;

use super::bundle::Bundle;
use super::decide::{self, Decision};
use super::error::EngineError;
use super::event::Tidied;
use lokid_index::Snapshot;
use lokid_manage::plan::Proposal;
use lokid_manage::{promote, stale};
use lokid_model::{
    Body, Change, Contradiction, ContradictionStatus, Key, Link, Memory, MemoryId, Namespace, Relation, Resolution,
    Scope, Settled, Source, Status, Tier, Timestamp,
};

/// Carries out what still fits: a memory that was changed since a proposal was made keeps the proposal from happening,
/// and the next night makes another.
pub(super) fn tidy(snapshot: &Snapshot, proposals: &[Proposal], night: Option<Timestamp>) -> (Vec<Bundle>, Tidied) {
    let mut state = snapshot.clone();
    let mut bundles = Vec::new();
    let mut done = Vec::with_capacity(proposals.len());
    for proposal in proposals {
        let mut next = state.clone();
        // What stands in a record of another program is theirs to take back.
        let theirs = |change: &&Change| matches!(change, Change::Unlink(link) if link.inline);
        let own: Vec<Change> = proposal.changes.iter().filter(|change| !theirs(change)).cloned().collect();
        let own: Vec<Change> = own.into_iter().map(|change| no_truer_than_its_sources(&state, change)).collect();
        let fits = own.iter().all(|change| {
            let fits = fits(&next, change);
            if fits {
                next.apply(change);
            }
            fits
        });
        if fits {
            state = next;
            bundles.push(Bundle::of(proposal, night, own));
        }
        done.push(fits);
    }
    (bundles, Tidied { done })
}

/// What is made of the word of another member of the team is hearsay here as well.
fn no_truer_than_its_sources(snapshot: &Snapshot, change: Change) -> Change {
    let Change::Put { before: None, mut after } = change else { return change };
    let episodes = match &after.body {
        Body::Pattern(pattern) => pattern.source_episodes.as_slice(),
        _ => &[],
    };
    let is_of_another = |id: &String| {
        let source = MemoryId::foreign(id).and_then(|id| snapshot.get(&Key::new(&after.namespace, &id)));
        source.is_some_and(|source| source.author().is_some() && source.source == Source::Import)
    };
    if after.sources.iter().chain(episodes).any(is_of_another) {
        let after = Arc::make_mut(&mut after);
        (after.source, after.tier) = (Source::Import, Tier::Reference);
    }
    Change::Put { before: None, after }
}

/// Is what a change was made from still so?
fn fits(snapshot: &Snapshot, change: &Change) -> bool {
    let lives = |namespace: &Namespace, id| snapshot.get(&Key::new(namespace, id)).is_some();
    match change {
        // What all projects know, no single one has seen enough of to change by itself.
        change if change.memory().is_some_and(|memory| memory.scope == Scope::System) => false,
        Change::Put { before: Some(before), after } => {
            before.key() == after.key() && stands(snapshot, before) && !snapshot.is_derived(&before.key())
        }
        Change::Put { before: None, after } => {
            decide::is_free(snapshot, &after.key()) && !snapshot.is_buried(&after.fingerprint())
        }
        Change::Archive(entry) => stands(snapshot, &entry.memory) && !snapshot.is_derived(&entry.memory.key()),
        Change::Link(link) => {
            link.from != link.to && lives(&link.namespace, &link.from) && lives(&link.namespace, &link.to)
        }
        Change::Unlink(link) => snapshot.link(&link.key()).is_some(),
        Change::Contradict(found) => lives(&found.namespace, &found.a) && lives(&found.namespace, &found.b),
        Change::Restore(_) | Change::Purge(_) | Change::Write(_) | Change::Vanished(_) => false,
    }
}

fn stands(snapshot: &Snapshot, memory: &Arc<Memory>) -> bool {
    snapshot.get(&memory.key()).is_some_and(|now| Arc::ptr_eq(now, memory) || now == memory)
}

/// Ends a contradiction as somebody wishes.
pub(super) fn resolve(
    snapshot: &Snapshot,
    now: Timestamp,
    (namespace, id): (&Namespace, &str),
    resolution: Resolution,
    note: &str,
) -> Decision<Contradiction> {
    let found = snapshot
        .contradictions()
        .find(|known| known.namespace == *namespace && known.id == id)
        .ok_or_else(|| EngineError::NoContradiction(id.to_owned()))?;
    let repeated = |settled: &Settled| settled.resolution == resolution && settled.note == note;
    if found.settled.as_ref().is_some_and(repeated) {
        return Ok((Vec::new(), found.as_ref().clone()));
    }
    let end = |id| snapshot.get(&Key::new(namespace, id)).cloned();
    let gone = |id| EngineError::Invalid { field: "resolution", reason: format!("{id} is no longer there") };
    let (a, b) = (end(&found.a), end(&found.b));
    if a.is_none() && b.is_none() {
        return Err(gone(&found.a));
    }
    let mut changes = Vec::new();
    match resolution {
        Resolution::AWins | Resolution::BWins => {
            let won = if resolution == Resolution::AWins { (a, b, &found.a) } else { (b, a, &found.b) };
            let (winner, loser) = (won.0.ok_or_else(|| gone(won.2))?, won.1);
            take_back(snapshot, &winner, loser.as_ref(), now, &mut changes);
            // One that has left has lost already.
            if let Some(loser) = loser.filter(|loser| loser.times.expired_at.is_none()) {
                decide::supersede(&loser, &winner, now, &mut changes);
            }
        }
        Resolution::Merged => {
            let (a, b) = (a.ok_or_else(|| gone(&found.a))?, b.ok_or_else(|| gone(&found.b))?);
            if note.is_empty() && a.scope != b.scope {
                let reason = "what is private and what is not are not put together; say the words yourself".to_owned();
                return Err(EngineError::Invalid { field: "note", reason });
            }
            let mut one = b.as_ref().clone();
            decide::take_over(&mut one, &a);
            one.restricted |= a.restricted;
            if !note.is_empty() {
                one.text = note.to_owned();
            } else if !format!("\n{}\n", one.text).contains(&format!("\n{}\n", a.text.trim_end())) {
                one.text = format!("{}\n{}", a.text.trim_end(), one.text);
            }
            one.shorter = Default::default();
            (one.times.expired_at, one.times.invalid_at) = (None, None);
            one.times.updated_at = now.max(b.times.updated_at.plus_micros(1));
            let one = Arc::new(one);
            changes.push(Change::Put { before: Some(Arc::clone(&b)), after: Arc::clone(&one) });
            changes.extend(said_to_replace(snapshot, &a, &b).map(Change::Unlink));
            if a.times.expired_at.is_none() {
                decide::supersede(&a, &one, now, &mut changes);
            }
        }
        Resolution::BothValid => {
            for (one, other) in [(&a, &b), (&b, &a)] {
                if let Some(one) = one {
                    take_back(snapshot, one, other.as_ref(), now, &mut changes);
                }
            }
        }
    }
    let settled = Settled { resolution, note: note.to_owned(), at: now };
    let ended =
        Contradiction { status: ContradictionStatus::Resolved, settled: Some(settled), ..found.as_ref().clone() };
    changes.push(Change::Contradict(ended.clone()));
    Ok((changes, ended))
}

/// A memory that was taken to be over because of another one is not, and nothing says any more that it was replaced.
fn take_back(
    snapshot: &Snapshot,
    memory: &Arc<Memory>,
    other: Option<&Arc<Memory>>,
    now: Timestamp,
    changes: &mut Vec<Change>,
) {
    let said: Vec<_> = other.into_iter().flat_map(|other| said_to_replace(snapshot, other, memory)).collect();
    if memory.times.expired_at.is_none() || said.is_empty() {
        return;
    }
    let mut back = memory.as_ref().clone();
    (back.times.expired_at, back.times.invalid_at) = (None, None);
    back.times.updated_at = now.max(memory.times.updated_at.plus_micros(1));
    changes.push(Change::Put { before: Some(Arc::clone(memory)), after: Arc::new(back) });
    changes.extend(said.into_iter().map(Change::Unlink));
}

/// The links that say that `new` took the place of `old`.
fn said_to_replace(snapshot: &Snapshot, new: &Memory, old: &Memory) -> impl Iterator<Item = Link> {
    let (place, new, old) = (&old.namespace, &new.id, &old.id);
    let said = [
        (place.clone(), new.clone(), Relation::Supersedes, old.clone()),
        (place.clone(), old.clone(), Relation::SupersededBy, new.clone()),
    ];
    said.into_iter().filter_map(|key| snapshot.link(&key).map(|link| link.as_ref().clone()))
}

/// A person vouches for a memory: it is no longer hearsay or out of date, and it binds one step more, or as much as
/// they say.
pub(super) fn confirm(snapshot: &Snapshot, now: Timestamp, key: &Key, tier: Option<Tier>) -> Decision<Arc<Memory>> {
    let old = snapshot.get(key).ok_or_else(|| EngineError::NotFound(key.clone()))?;
    if old.times.expired_at.is_some() {
        let reason = "it no longer holds; remember what holds now instead".to_owned();
        return Err(EngineError::Invalid { field: "id", reason });
    }
    let mut new = old.as_ref().clone();
    let step = match old.tier {
        Tier::Archive => Tier::Reference,
        Tier::Reference => Tier::Guardrail,
        Tier::Guardrail | Tier::Mandate => Tier::Mandate,
    };
    // What its file asks for is what was read and vouched for.
    new.tier = tier.unwrap_or(step.min(old.claimed().tier));
    new.claim = None;
    new.status = Status::Asserted;
    if new.source != Source::User {
        new.sources.push(format!("confirmed by a person, from {}", old.source));
        new.source = Source::User;
    }
    new.confidence = 1.0;
    stale::clear(&mut new);
    promote::note_move(&mut new, now);
    promote::note_confirmed(&mut new, now);
    if new == **old {
        return Ok((Vec::new(), Arc::clone(old)));
    }
    new.times.updated_at = now.max(old.times.updated_at.plus_micros(1));
    let new = Arc::new(new);
    Ok((vec![Change::Put { before: Some(Arc::clone(old)), after: Arc::clone(&new) }], new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_manage::plan::{Act, Phase, archive, create, revise, tie};
    use lokid_model::{Archived, Kind};

    fn now() -> Timestamp {
        Timestamp::from_micros(1_000_000_000)
    }

    fn note(id: &str, text: &str) -> Memory {
        Memory::new(MemoryId::new(id).unwrap(), Kind::Note, text, Timestamp::from_micros(5))
    }

    fn with(memories: &[Memory]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for memory in memories {
            snapshot.apply(&create(memory.clone()));
        }
        snapshot
    }

    fn key(id: &str) -> Key {
        Key::new(&Namespace::default(), &MemoryId::new(id).unwrap())
    }

    fn proposal(about: &Memory, changes: Vec<Change>) -> Proposal {
        Proposal::new(Phase::Dedupe, Act::Deduped, about, "because", changes)
    }

    #[test]
    fn what_is_made_of_the_word_of_another_is_hearsay_as_well() {
        let mut theirs = Memory { source: Source::Import, ..note("theirs", "one") };
        theirs.set_author("ada");
        let snapshot = with(&[theirs, note("own", "two")]);
        for (sources, source, tier) in
            [(&["own"][..], Source::Agent, Tier::Guardrail), (&["own", "theirs"][..], Source::Import, Tier::Reference)]
        {
            let sources = sources.iter().map(|id| (*id).to_owned()).collect();
            let made = Memory { sources, tier: Tier::Guardrail, ..note("made", "three") };
            let (bundles, _) = tidy(&snapshot, &[proposal(&made, vec![create(made.clone())])], None);
            let made = bundles[0].changes[0].memory().unwrap();
            assert_eq!((made.source, made.tier), (source, tier));
        }
    }

    #[test]
    fn a_proposal_made_from_an_older_version_does_not_happen_and_the_others_do() {
        let (a, b) = (note("a", "one"), note("b", "two"));
        let snapshot = with(&[a.clone(), b.clone()]);
        let old = Arc::new(note("a", "an earlier text"));
        let stale = proposal(&a, vec![revise(&old, now(), |memory| memory.title = "x".into()).unwrap()]);
        let fits = proposal(&b, vec![archive(snapshot.get(&key("b")).unwrap(), now(), "unused")]);
        let (bundles, tidied) = tidy(&snapshot, &[stale, fits], None);
        assert_eq!((tidied.done, bundles.len()), (vec![false, true], 1));
        let changes = bundles[0].changes.as_slice();
        assert!(matches!(changes, [Change::Archive(entry)] if entry.memory.id.as_str() == "b"));
    }

    #[test]
    fn a_proposal_happens_as_a_whole_or_not_at_all() {
        let a = note("a", "one");
        let snapshot = with(std::slice::from_ref(&a));
        let nobody = MemoryId::new("nobody").unwrap();
        let half = proposal(&a, vec![create(note("c", "new")), tie(&a, Relation::RelatedTo, &nobody, 0.5, now())]);
        let (bundles, tidied) = tidy(&snapshot, &[half], None);
        assert_eq!((bundles.len(), tidied.done), (0, vec![false]));
    }

    #[test]
    fn what_was_purged_is_not_made_again() {
        let a = note("a", "one");
        let mut snapshot = with(std::slice::from_ref(&a));
        let (changes, _) = decide::forget(&snapshot, now(), &[key("a")], "asked to", true);
        changes.iter().for_each(|change| snapshot.apply(change));
        let again = proposal(&a, vec![create(note("another-id", "one"))]);
        assert_eq!(tidy(&snapshot, &[again], None).1.done, [false]);
    }

    fn disputed() -> (Snapshot, String) {
        let (a, b) = (note("a", "deploy on Fridays"), note("b", "never deploy on Fridays"));
        let mut snapshot = with(&[a.clone(), b.clone()]);
        let found = lokid_manage::contradict::found(&a, &b, ContradictionStatus::Open, "never", now());
        snapshot.apply(&Change::Contradict(found.clone()));
        (snapshot, found.id)
    }

    fn settle(resolution: Resolution, note: &str) -> Snapshot {
        let (mut snapshot, id) = disputed();
        let place = Namespace::default();
        let (changes, ended) = resolve(&snapshot, now(), (&place, &id), resolution, note).unwrap();
        assert_eq!(ended.settled.as_ref().map(|settled| settled.resolution), Some(resolution));
        changes.iter().for_each(|change| snapshot.apply(change));
        assert_eq!(snapshot.open_contradictions(), 0);
        snapshot
    }

    #[test]
    fn whoever_wins_holds_and_the_other_is_over() {
        let holds = |snapshot: &Snapshot, id| snapshot.get(&key(id)).unwrap().times.expired_at.is_none();
        let a_won = settle(Resolution::AWins, "");
        assert!(holds(&a_won, "a") && !holds(&a_won, "b"));
        let b_won = settle(Resolution::BWins, "");
        assert!(!holds(&b_won, "a") && holds(&b_won, "b"));
        let both = settle(Resolution::BothValid, "other teams");
        assert!(holds(&both, "a") && holds(&both, "b"));
    }

    #[test]
    fn merged_words_are_those_given_or_both() {
        let both = settle(Resolution::Merged, "");
        assert_eq!(both.get(&key("b")).unwrap().text, "deploy on Fridays\nnever deploy on Fridays");
        let given = settle(Resolution::Merged, "no deploys on Fridays but hotfixes");
        assert_eq!(given.get(&key("b")).unwrap().text, "no deploys on Fridays but hotfixes");
        assert!(given.get(&key("a")).unwrap().times.expired_at.is_some());
    }

    /// What holds of the two after they were settled so and so, one after the other.
    fn settled_as(turns: &[Resolution]) -> (Snapshot, [bool; 2]) {
        let (mut snapshot, id) = disputed();
        for turn in turns {
            let (changes, _) = resolve(&snapshot, now(), (&Namespace::default(), &id), *turn, "").unwrap();
            changes.iter().for_each(|change| snapshot.apply(change));
        }
        let holds = |id| snapshot.get(&key(id)).unwrap().times.expired_at.is_none();
        let both = [holds("a"), holds("b")];
        (snapshot, both)
    }

    #[test]
    fn whoever_thinks_again_is_heard_and_whoever_repeats_it_changes_nothing() {
        use Resolution::{AWins, BWins, BothValid, Merged};
        for (turns, expected) in [
            (&[AWins, BWins] as &[_], [false, true]),
            (&[AWins, BothValid], [true, true]),
            (&[BWins, AWins], [true, false]),
            (&[AWins, Merged], [false, true]),
        ] {
            let (snapshot, holds) = settled_as(turns);
            assert_eq!(holds, expected, "{turns:?}");
            let replaced = snapshot.links().filter(|link| link.relation == Relation::SupersededBy).count();
            assert_eq!(replaced, holds.iter().filter(|holds| !**holds).count(), "{turns:?}");
        }
        for turn in [AWins, BWins, BothValid, Merged] {
            let (snapshot, _) = settled_as(&[turn]);
            let id = snapshot.contradictions().next().unwrap().id.clone();
            let again = resolve(&snapshot, now().plus_micros(9), (&Namespace::default(), &id), turn, "").unwrap();
            assert!(again.0.is_empty(), "{turn}");
        }
    }

    #[test]
    fn what_left_has_lost_and_cannot_win() {
        let (mut snapshot, id) = disputed();
        let place = Namespace::default();
        let leave = |snapshot: &mut Snapshot, id| {
            let memory = Arc::clone(snapshot.get(&key(id)).unwrap());
            snapshot.apply(&Change::Archive(Arc::new(Archived { memory, at: now(), reason: String::new() })));
        };
        leave(&mut snapshot, "a");
        assert!(resolve(&snapshot, now(), (&place, &id), Resolution::AWins, "").is_err());
        assert!(resolve(&snapshot, now(), (&place, &id), Resolution::Merged, "").is_err());
        let (changes, _) = resolve(&snapshot, now(), (&place, &id), Resolution::BWins, "").unwrap();
        assert!(matches!(changes.as_slice(), [Change::Contradict(_)]));
        leave(&mut snapshot, "b");
        assert!(resolve(&snapshot, now(), (&place, &id), Resolution::BothValid, "").is_err());
    }

    #[test]
    fn private_words_are_not_put_into_what_is_shared() {
        let (mut snapshot, id) = disputed();
        let mut a = snapshot.get(&key("a")).unwrap().as_ref().clone();
        (a.scope, a.restricted) = (Scope::UserPrivate, true);
        snapshot.apply(&Change::Put { before: None, after: Arc::new(a) });
        let place = Namespace::default();
        let refused = resolve(&snapshot, now(), (&place, &id), Resolution::Merged, "");
        assert!(matches!(refused, Err(EngineError::Invalid { field: "note", .. })));
        let (changes, _) =
            resolve(&snapshot, now(), (&place, &id), Resolution::Merged, "in words of one's own").unwrap();
        assert!(matches!(&changes[0], Change::Put { after, .. } if after.restricted && after.text.ends_with("own")));
    }

    #[test]
    fn words_that_became_part_of_others_are_purged_there_too() {
        let mut snapshot = settle(Resolution::Merged, "");
        let (changes, gone) = decide::forget(&snapshot, now(), &[key("a")], "asked to", true);
        changes.iter().for_each(|change| snapshot.apply(change));
        assert_eq!(gone, [key("a")]);
        assert_eq!(snapshot.get(&key("b")).unwrap().text, "never deploy on Fridays");
    }

    #[test]
    fn whoever_purges_one_of_several_copies_means_the_words() {
        let (a, b, other) = (note("a", "a word"), note("b", "a word"), note("c", "another word"));
        let mut snapshot = with(&[a, b, other]);
        for (winner, loser) in [("a", "b"), ("c", "a")] {
            let (winner, loser) = (snapshot.get(&key(winner)).unwrap(), snapshot.get(&key(loser)).unwrap());
            let mut changes = Vec::new();
            decide::supersede(loser, winner, now(), &mut changes);
            changes.iter().for_each(|change| snapshot.apply(change));
        }
        assert_eq!(decide::forget(&snapshot, now(), &[key("b")], "asked to", true).1, [key("b"), key("a")]);
        assert_eq!(decide::forget(&snapshot, now(), &[key("b")], "no use", false).1, [key("b")]);
    }

    #[test]
    fn a_contradiction_that_is_not_there_is_named() {
        let (snapshot, _) = disputed();
        let refused = resolve(&snapshot, now(), (&Namespace::default(), "con-0"), Resolution::AWins, "");
        assert!(matches!(refused, Err(EngineError::NoContradiction(id)) if id == "con-0"));
    }

    #[test]
    fn a_person_makes_hearsay_binding_step_by_step() {
        let mut heard = note("a", "from a log");
        (heard.source, heard.status) = (Source::Log, Status::Unverified);
        let mut snapshot = with(&[heard]);
        for expected in [Tier::Guardrail, Tier::Mandate, Tier::Mandate] {
            let (changes, confirmed) = confirm(&snapshot, now(), &key("a"), None).unwrap();
            changes.iter().for_each(|change| snapshot.apply(change));
            assert_eq!(confirmed.tier, expected);
            assert_eq!((confirmed.source, confirmed.status), (Source::User, Status::Asserted));
        }
        assert_eq!(snapshot.get(&key("a")).unwrap().sources.len(), 1, "that it was confirmed is told once");
    }

    #[test]
    fn what_is_over_is_not_confirmed() {
        let mut over = note("a", "old");
        over.times.expired_at = Some(now());
        assert!(matches!(
            confirm(&with(&[over]), now(), &key("a"), None),
            Err(EngineError::Invalid { field: "id", .. })
        ));
    }
}
