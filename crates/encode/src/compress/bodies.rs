//! Short forms of what has parts: what an episode was for and how it ended, what to do and what not, an error with its
//! cause and fix, a skill with its steps. For texts that say no more than the parts do.

use super::plain::{clipped, joined, one_line, terse};
use lokid_model::{AntiPattern, Body, Episode, Learning, Memory, Outcome, Pattern, Skill, render};

/// So many of a list are looked at.
const MOST_ITEMS: usize = 24;

/// In at most `most` characters; nothing for a body that has no form of its own.
pub(super) fn line(memory: &Memory, most: usize) -> Option<String> {
    // A long form is written out; a short one is as terse as it can be.
    let say = |text: &str, share: usize| {
        let text = super::plain::one_line(text.get(..text.floor_char_boundary(4 * most)).unwrap_or(text));
        let text = if most > 200 { text.trim_end_matches('.').to_owned() } else { terse(&text) };
        clipped(&text, (most * share / 100).max(8))
    };
    let made = match &memory.body {
        Body::None | Body::Fact(_) => return None,
        Body::Episode(episode) => of_episode(episode, memory.outcome, &say),
        Body::Pattern(pattern) => of_pattern(pattern, &say),
        Body::AntiPattern(anti) => of_anti_pattern(anti, &say),
        Body::Learning(learning) => of_learning(learning, &say),
        Body::Skill(skill) => of_skill(skill, most, &say),
    };
    let made = clipped(&one_line(&made), most);
    (!made.is_empty()).then_some(made)
}

type Say<'a> = &'a dyn Fn(&str, usize) -> String;

fn of_episode(episode: &Episode, outcome: Option<Outcome>, say: Say<'_>) -> String {
    // Cause and fix in the agent's own words go before what a machine made of the errors, and before the whole question.
    let told: Vec<String> = episode.conclusion.lines().take(2).map(|line| say(line, 32)).collect();
    let is_told = !told.is_empty();
    let goal = if is_told { say(render::first_line(&episode.goal), 30) } else { say(&episode.goal, 45) };
    let end = outcome.map_or(String::new(), |outcome| format!(" → {outcome}"));
    let mut parts = vec![format!("{goal}{end}")];
    parts.extend(Some(joined(&told, " → ")).filter(|told| !told.is_empty()));
    // What was fixed tells more than what stayed broken.
    let (fixed, open): (Vec<_>, Vec<_>) =
        episode.errors.iter().take(MOST_ITEMS).partition(|error| !error.resolution.trim().is_empty());
    for error in fixed.into_iter().chain(open).take(if is_told { 1 } else { 3 }) {
        let what = if error.message.trim().is_empty() { &error.kind } else { &error.message };
        let mut part = format!("✗ {}", say(what, 20));
        if !error.resolution.trim().is_empty() {
            part.push_str(" → ");
            part.push_str(&say(&error.resolution, 30));
        }
        parts.push(part);
    }
    if episode.errors.is_empty() && !is_told {
        let acts = episode.action_log.iter().rev().find(|action| !action.result.trim().is_empty());
        parts.extend(acts.map(|action| say(&format!("{} {} → {}", action.action, action.target, action.result), 30)));
    }
    // That a test came with it is the difference between mended and mended for good.
    let is_test = |path: &String| path.to_lowercase().contains("test");
    let tested = !episode.errors.is_empty() && episode.files_modified.iter().take(MOST_ITEMS).any(is_test);
    joined(&parts, "; ") + if tested { ", +test" } else { "" }
}

fn of_pattern(pattern: &Pattern, say: Say<'_>) -> String {
    let conditions: Vec<String> = pattern.conditions.iter().take(MOST_ITEMS).cloned().collect();
    let when = say(&joined(&conditions, ", "), 20);
    let (right, wrong) = (say(&pattern.correct_approach, 40), say(&pattern.incorrect_approach, 25));
    let lead =
        if when.is_empty() { say(&pattern.pattern, 40) } else { format!("{} [{when}]", say(&pattern.pattern, 30)) };
    let not = if wrong.is_empty() { String::new() } else { format!("not {wrong}") };
    let advice = joined(&[right, not], ", ");
    joined(&[lead, advice], ": ")
}

fn of_anti_pattern(anti: &AntiPattern, say: Say<'_>) -> String {
    let why = say(&anti.why, 28);
    let what = say(&anti.what_fails, 36);
    let fails = if why.is_empty() { format!("✗ {what}") } else { format!("✗ {what} ({why})") };
    joined(&[fails, say(&anti.prevention, 34)], " → ")
}

fn of_learning(learning: &Learning, say: Say<'_>) -> String {
    let cause = say(&learning.cause, 28);
    let error = say(&learning.error, 36);
    let known = if cause.is_empty() { error } else { format!("{error} ← {cause}") };
    joined(&[known, say(&learning.fix, 34)], " → ")
}

fn of_skill(skill: &Skill, most: usize, say: Say<'_>) -> String {
    let steps = skill.steps.len().clamp(1, MOST_ITEMS);
    let name = say(if skill.name.trim().is_empty() { &skill.description } else { &skill.name }, 30);
    let each = (65 / steps).max(if most > 200 { 8 } else { 16 });
    let steps: Vec<String> = skill.steps.iter().take(MOST_ITEMS).map(|step| say(step, each)).collect();
    joined(&[name, joined(&steps, " → ")], ": ")
}
