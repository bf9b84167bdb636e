//! The Markdown of a skill: its sections three-way, as its JSON is merged, and prose of its own kept.

use serde_json::Value;

use super::super::schema::{self, skill_text};
use super::three_way;
use lokid_model::{Body, Skill};

/// Nothing where one side is no skill.
pub(super) fn merge(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let text = |bytes| std::str::from_utf8(bytes).ok();
    let (base, ours, theirs) = (base.and_then(text), text(ours)?, text(theirs)?);
    let read = |text: &str| skill_text::parse(text);
    let (our_skill, their_skill, base_skill) = (read(ours)?, read(theirs)?, base.and_then(read));
    let value = |skill: &Skill| schema::body_value(&Body::Skill(Box::new(skill.clone())));
    let merged =
        three_way::merge(base_skill.as_ref().map(value).as_ref(), &value(&our_skill), &value(&their_skill)).value;
    let Value::Object(mut merged) = merged else { return None };
    let Body::Skill(merged) = schema::take_body("skill", &mut merged) else { return None };
    // With the same sections everywhere, what still differs is prose.
    let ours = skill_text::patch(ours, &our_skill, &merged);
    let theirs = skill_text::patch(theirs, &their_skill, &merged);
    let base = base.zip(base_skill).map(|(text, skill)| skill_text::patch(text, &skill, &merged));
    if ours == theirs || base.as_ref() == Some(&theirs) {
        return Some(ours.into_bytes());
    }
    if base.as_ref() == Some(&ours) {
        return Some(theirs.into_bytes());
    }
    let (mut one, other) = if ours >= theirs { (ours, theirs) } else { (theirs, ours) };
    let missing = |line: &&str| !one.lines().any(|known| known == *line);
    let more: Vec<String> = other.lines().filter(missing).map(str::to_owned).collect();
    if !more.is_empty() {
        if !one.ends_with('\n') {
            one.push('\n');
        }
        one.push_str(&more.join("\n"));
        one.push('\n');
    }
    Some(one.into_bytes())
}
