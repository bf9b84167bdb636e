//! What every memory has besides its body: tier, times, provenance, usage and the rest, by the names of the API.

use serde_json::json;

use super::fields::{
    Fields, Object, put, put_text, put_texts, take_count, take_flag, take_object, take_share, take_text, take_texts,
    take_time, take_word,
};
use lokid_model::{Memory, Outcome, Scope, Source, Status, Tier, Timestamp, Usage, render};

/// How much to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// For files: nothing that a reader would assume anyway, and what the file says of its own authority, as it says it.
    Lean,
    /// For answers: every field, so that a client need not know the defaults.
    Whole,
}

pub(super) fn take(object: &mut impl Fields, memory: &mut Memory) {
    if let Some(title) = take_text(object, "title") {
        memory.title = title;
    }
    if let Some(text) = take_text(object, "text") {
        memory.text = text;
    }
    take_shorter(object, memory);
    if let Some(tier) = take_word(object, "tier", Tier::parse) {
        memory.tier = tier;
    }
    for (name, list) in [
        ("tags", &mut memory.tags),
        ("files", &mut memory.anchors.files),
        ("symbols", &mut memory.anchors.symbols),
        ("commits", &mut memory.anchors.commits),
        ("sources", &mut memory.sources),
    ] {
        if let Some(texts) = take_texts(object, name) {
            *list = texts;
        }
    }
    if let Some(share) = take_share(object, "importance") {
        memory.importance = share;
    }
    if let Some(share) = take_share(object, "confidence") {
        memory.confidence = share;
    }
    take_times(object, memory);
    if let Some(source) = take_word(object, "source", Source::parse) {
        memory.source = source;
    }
    if let Some(actor) = take_text(object, "actor") {
        memory.actor = Some(actor);
    }
    if let Some(status) = take_word(object, "status", Status::parse) {
        memory.status = status;
    }
    if let Some(restricted) = take_flag(object, "restricted") {
        memory.restricted = restricted;
    }
    if let Some(scope) = take_word(object, "scope", Scope::parse) {
        memory.scope = scope;
    }
    if let Some(outcome) = take_word(object, "outcome", Outcome::parse) {
        memory.outcome = Some(outcome);
    }
    if let Some(usage) = take_object(object, "usage") {
        memory.usage = usage_of(usage).into();
    }
}

fn take_shorter(object: &mut impl Fields, memory: &mut Memory) {
    let mut shorter = std::mem::take(&mut memory.shorter).into_inner();
    for (name, text) in
        [("summary", &mut shorter.summary), ("compressed", &mut shorter.compressed), ("index", &mut shorter.index)]
    {
        if let Some(found) = take_text(object, name) {
            *text = Some(found);
        }
    }
    memory.shorter = shorter.into();
}

fn take_times(object: &mut impl Fields, memory: &mut Memory) {
    let times = &mut memory.times;
    if let Some(time) = take_time(object, "created_at") {
        times.created_at = time;
        times.updated_at = time;
        times.valid_at = time;
    }
    if let Some(time) = take_time(object, "updated_at") {
        times.updated_at = time;
    }
    if let Some(time) = take_time(object, "valid_at") {
        times.valid_at = time;
    }
    for (name, time) in [
        ("invalid_at", &mut times.invalid_at),
        ("expired_at", &mut times.expired_at),
        ("stale_after", &mut times.stale_after),
    ] {
        if let Some(found) = take_time(object, name) {
            *time = Some(found);
        }
    }
}

fn usage_of(mut object: Object) -> Usage {
    let mut count = |name| take_count(&mut object, name).unwrap_or(0);
    let (loaded, referenced, success, ignored) =
        (count("loaded"), count("referenced"), count("success"), count("ignored"));
    let (last_used, last_accessed) = (take_time(&mut object, "last_used"), take_time(&mut object, "last_accessed"));
    Usage { loaded, referenced, success, ignored, last_used, last_accessed, ..Usage::default() }
}

pub(super) fn put_all(memory: &Memory, detail: Detail) -> Object {
    let whole = detail == Detail::Whole;
    let mut out = Object::new();
    if whole || (!memory.title.is_empty() && memory.title != render::title_of(&memory.body)) {
        put_text(&mut out, "title", memory.headline());
    }
    if whole || memory.text != render::text_of(&memory.body) {
        put_text(&mut out, "text", &memory.text);
    }
    let shorter = &memory.shorter;
    for (name, text) in [("summary", &shorter.summary), ("compressed", &shorter.compressed), ("index", &shorter.index)]
    {
        if let Some(text) = text {
            put_text(&mut out, name, text);
        }
    }
    let tier = if whole { memory.tier } else { memory.claimed().tier };
    if whole || tier != Tier::Reference {
        put_text(&mut out, "tier", tier.as_str());
    }
    for (name, list) in [
        ("tags", &memory.tags),
        ("files", &memory.anchors.files),
        ("symbols", &memory.anchors.symbols),
        ("commits", &memory.anchors.commits),
    ] {
        if whole || !list.is_empty() {
            put_texts(&mut out, name, list);
        }
    }
    if whole || memory.importance != Memory::DEFAULT_IMPORTANCE {
        put(&mut out, "importance", memory.importance);
    }
    if whole || memory.confidence != Memory::DEFAULT_CONFIDENCE {
        put(&mut out, "confidence", memory.confidence);
    }
    put_times(memory, whole, &mut out);
    put_provenance(memory, whole, &mut out);
    if let Some(outcome) = memory.outcome {
        put_text(&mut out, "outcome", outcome.as_str());
    }
    if whole || *memory.usage != Usage::default() {
        put(&mut out, "usage", usage_object(&memory.usage, whole));
    }
    out
}

fn put_times(memory: &Memory, whole: bool, out: &mut Object) {
    let times = &memory.times;
    put_text(out, "created_at", &times.created_at.record_style());
    if whole || times.updated_at != times.created_at {
        put_text(out, "updated_at", &times.updated_at.record_style());
    }
    if whole || times.valid_at != times.created_at {
        put_text(out, "valid_at", &times.valid_at.record_style());
    }
    for (name, time) in
        [("invalid_at", times.invalid_at), ("expired_at", times.expired_at), ("stale_after", times.stale_after)]
    {
        if whole || time.is_some() {
            put(out, name, time.map(Timestamp::record_style));
        }
    }
}

fn put_provenance(memory: &Memory, whole: bool, out: &mut Object) {
    let source = if whole { memory.source } else { memory.claimed().source };
    if whole || source != Source::Agent {
        put_text(out, "source", source.as_str());
    }
    if let Some(claim) = memory.claim.filter(|_| whole) {
        put(out, "claims", json!({"tier": claim.tier.as_str(), "source": claim.source.as_str()}));
    }
    if let Some(actor) = &memory.actor {
        put_text(out, "actor", actor);
    }
    if whole || !memory.sources.is_empty() {
        put_texts(out, "sources", &memory.sources);
    }
    if whole || memory.status != Status::Asserted {
        put_text(out, "status", memory.status.as_str());
    }
    if whole || memory.restricted {
        put(out, "restricted", memory.restricted);
    }
    if whole || memory.scope != Scope::ProjectShared {
        put_text(out, "scope", memory.scope.as_str());
    }
}

pub fn usage_object(usage: &Usage, whole: bool) -> Object {
    let mut out = Object::new();
    for (name, count) in [
        ("loaded", usage.loaded),
        ("referenced", usage.referenced),
        ("success", usage.success),
        ("ignored", usage.ignored),
    ] {
        if whole || count > 0 {
            put(&mut out, name, count);
        }
    }
    for (name, time) in [("last_used", usage.last_used), ("last_accessed", usage.last_accessed)] {
        if let Some(time) = time {
            put_text(&mut out, name, &time.record_style());
        }
    }
    out
}
