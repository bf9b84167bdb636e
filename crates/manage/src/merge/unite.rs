//! What the one that stays takes over from one that goes. Taken over one by one and in order, so that a night that
//! was interrupted ends where an undisturbed one does.

use std::collections::BTreeSet;

use crate::words::are_the_same;
use lokid_model::draft::allowed_tier;
use lokid_model::{Body, Memory, Status, Usage};

const MOST_SOURCES: usize = 50;
const MOST_ANCHORS: usize = 50;
const MOST_TAGS: usize = 30;
const MOST_WORDINGS: usize = 8;
/// Evidence of its own brings a memory this much closer to
const STEP: f64 = 0.2;
/// as sure as evidence alone can make it.
const SUREST: f64 = 0.95;

/// `used` is what the file of the one that goes says and what was counted since: the counts of the one that stays go on
/// in their own place and are not added here.
pub(super) fn take_over(kept: &mut Memory, gone: &Memory, used: &Usage) {
    let independent = is_independent(kept, gone);
    add(&mut kept.tags, &gone.tags, MOST_TAGS);
    add(&mut kept.anchors.files, &gone.anchors.files, MOST_ANCHORS);
    add(&mut kept.anchors.symbols, &gone.anchors.symbols, MOST_ANCHORS);
    add(&mut kept.anchors.commits, &gone.anchors.commits, MOST_ANCHORS);
    add(&mut kept.sources, &[gone.id.to_string()], MOST_SOURCES);
    add(&mut kept.sources, &gone.sources, MOST_SOURCES);
    take_wordings(kept, gone);
    if let (Body::Pattern(kept), Body::Pattern(gone)) = (&mut kept.body, &gone.body) {
        add(&mut kept.source_episodes, &gone.source_episodes, MOST_SOURCES);
    }
    let usage = &mut kept.usage;
    usage.loaded = usage.loaded.saturating_add(used.loaded);
    usage.referenced = usage.referenced.saturating_add(used.referenced);
    usage.success = usage.success.saturating_add(used.success);
    usage.ignored = usage.ignored.saturating_add(used.ignored);
    usage.last_used = usage.last_used.max(used.last_used);
    usage.last_accessed = usage.last_accessed.max(used.last_accessed);
    // It held since the first of them said so.
    kept.times.valid_at = kept.times.valid_at.min(gone.times.valid_at);
    // What is only heard does not get truer by being heard twice.
    if kept.status == Status::Asserted {
        kept.tier = allowed_tier(kept.tier.min(gone.tier), kept.source);
        kept.importance = higher(kept.importance, gone.importance);
        kept.confidence = higher(kept.confidence, gone.confidence);
        if independent && kept.confidence < SUREST {
            kept.confidence += (SUREST - kept.confidence) * STEP;
        }
    }
}

/// Whoever looks for it in the other's words finds it.
fn take_wordings(kept: &mut Memory, gone: &Memory) {
    let mut wordings: Vec<String> = kept.also().map(str::to_owned).collect();
    for wording in std::iter::once(gone.text.as_str()).chain(gone.also()) {
        let known = wordings.iter().map(String::as_str).chain([kept.text.as_str()]);
        let is_new = known.into_iter().all(|known| !are_the_same(known, wording));
        if is_new && wordings.len() < MOST_WORDINGS {
            wordings.push(wording.to_owned());
        }
    }
    kept.set_also(wordings);
}

/// Does it come from elsewhere, so that it is a second witness and no echo?
fn is_independent(kept: &Memory, gone: &Memory) -> bool {
    let named: BTreeSet<&String> = kept.sources.iter().collect();
    let elsewhere = !gone.sources.is_empty() && gone.sources.iter().all(|source| !named.contains(source));
    elsewhere && !gone.source.is_hearsay()
}

fn higher(ours: f64, theirs: f64) -> f64 {
    if theirs.is_finite() && (theirs > ours || !ours.is_finite()) { theirs.clamp(0.0, 1.0) } else { ours }
}

/// Nothing that was there is lost, even where there was too much.
fn add(known: &mut Vec<String>, told: &[String], most: usize) {
    if known.len() >= most {
        return;
    }
    let mut have: BTreeSet<String> = known.iter().cloned().collect();
    for item in told {
        if known.len() >= most {
            return;
        }
        if have.insert(item.clone()) {
            known.push(item.clone());
        }
    }
}
