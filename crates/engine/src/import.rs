//! Bringing in many records at once: each line stands alone, a bad one never stops the rest, and the same file brought
//! in twice changes nothing the second time.

use std::sync::Arc;

use super::bundle::Bundle;
use super::decide;
use super::event::{ImportError, Imported, Trust};
use lokid_index::Snapshot;
use lokid_model::{By, Change, Draft, Key, Link, Memory, Scope, Source, Tier, Timestamp, render};
use lokid_store::schema::record;

/// Decides a whole batch, each record on top of the ones before it. `state` ends as it will be.
pub(super) fn import(
    state: &mut Snapshot,
    now: Timestamp,
    records: Vec<(u64, Draft)>,
    trust: Trust,
) -> (Vec<Bundle>, Imported) {
    let mut all = Vec::with_capacity(records.len());
    let mut report = Imported::default();
    for (line, draft) in records {
        let draft = if trust == Trust::File { distrust(draft) } else { draft };
        let source = draft.source.unwrap_or(Source::Agent);
        let by = if trust == Trust::Seen { source.into() } else { By::Import };
        match one(state, now, draft, trust) {
            Ok((changes, outcome)) => {
                for change in &changes {
                    state.apply(change);
                }
                all.push(Bundle::by(by, "", changes));
                match outcome {
                    Outcome::Imported => report.imported += 1,
                    Outcome::Updated => report.updated += 1,
                    Outcome::Skipped => report.skipped += 1,
                }
            }
            Err(detail) => report.errors.push(ImportError { line, code: "bad_request", detail }),
        }
    }
    (all, report)
}

enum Outcome {
    Imported,
    Updated,
    Skipped,
}

/// A file may claim that a person said it, or that it is for all projects. Unless the user vouches for the file, it is
/// only an import, and into this one.
fn distrust(mut draft: Draft) -> Draft {
    if draft.scope == Scope::System {
        draft.scope = Scope::default();
    }
    let claimed = draft.source.unwrap_or(Source::Import);
    draft.source = Some(if claimed.may_mandate() { Source::Import } else { claimed });
    draft
}

fn one(state: &Snapshot, now: Timestamp, draft: Draft, trust: Trust) -> Result<(Vec<Change>, Outcome), String> {
    let mut draft = draft;
    // Links of a file often point forwards, to a line that is yet to come.
    let links = std::mem::take(&mut draft.links);
    let asked = draft.id.clone().map(|id| Key::new(&draft.namespace, &id));
    if let Some(key) = &asked {
        let told = draft.clone().into_memory(key.id.clone(), now);
        if state.tombstone(key).is_some() || state.is_buried(&told.fingerprint()) {
            return Ok((Vec::new(), Outcome::Skipped));
        }
        if let Some(known) = state.get(key) {
            // Whoever put other words there meant them.
            let is_anothers = render::first_line(&known.text) != render::first_line(&told.text);
            if trust == Trust::Seen && is_anothers {
                return Ok((Vec::new(), Outcome::Skipped));
            }
            return Ok(update(known, told, draft.updated_at, trust != Trust::File));
        }
        if let Some(entry) = state.archived(key) {
            if trust == Trust::Seen {
                return Ok((Vec::new(), Outcome::Skipped));
            }
            // It was forgotten, not purged: whoever brings it again wants it again, from now on.
            let mut told = told;
            told.times.updated_at = told.times.updated_at.max(entry.at.plus_micros(1));
            let back = Change::Put { before: None, after: Arc::new(told) };
            return Ok((vec![back], Outcome::Imported));
        }
    }
    let (mut changes, answer) =
        decide::remember(state, now, draft, &|_| Vec::new()).map_err(|error| error.to_string())?;
    if changes.is_empty() || (!answer.created && asked.is_none()) {
        return Ok((changes, Outcome::Skipped));
    }
    if let Some(Change::Put { after, .. }) = changes.first() {
        if state.is_buried(&after.fingerprint()) {
            return Ok((Vec::new(), Outcome::Skipped));
        }
        let (namespace, from) = (after.namespace.clone(), after.id.clone());
        changes.extend(
            links
                .into_iter()
                .map(|(to, relation)| Change::Link(Link::new(namespace.clone(), from.clone(), relation, to, now))),
        );
    }
    Ok((changes, if answer.created { Outcome::Imported } else { Outcome::Updated }))
}

/// The newer version wins; where the line does not say how new it is, what it says is taken.
fn update(known: &Arc<Memory>, mut told: Memory, told_at: Option<Timestamp>, trusted: bool) -> (Vec<Change>, Outcome) {
    if told_at.is_some_and(|at| at < known.times.updated_at) {
        return (Vec::new(), Outcome::Skipped);
    }
    // A line without a time of its own does not move the memory in time.
    if told.times.created_at > known.times.created_at {
        let valid_too = told.times.valid_at == told.times.created_at;
        told.times.created_at = known.times.created_at;
        if valid_too {
            told.times.valid_at = known.times.valid_at;
        }
    }
    if told.extra.is_none() {
        told.extra = known.extra.clone();
    }
    // A file that only repeats what is known takes nothing from it, not even who said it.
    let mut repeated = told.clone();
    if !trusted {
        (repeated.source, repeated.claim) = (known.source, known.claim);
        repeated.tier = if known.tier == Tier::Mandate { known.tier } else { told.tier };
    }
    if record::content(known) == record::content(&repeated) {
        return (Vec::new(), Outcome::Skipped);
    }
    told.times.updated_at = told.times.updated_at.max(known.times.updated_at.plus_micros(1));
    (vec![Change::Put { before: Some(Arc::clone(known)), after: Arc::new(told) }], Outcome::Updated)
}
