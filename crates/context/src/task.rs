//! What an orchestrator is told before a task: what has worked, what to keep away from, and how such things are done.
//! Pure: who is found, and how well it fits, comes in as arguments.

use std::collections::HashSet;
use std::sync::Arc;

use super::assemble::{Lengths, clean, digest, inline, words_of};
use lokid_model::{Key, Kind, Level, Memory, TaskType, Tier, token};
use lokid_retrieve::task::{Collection, Weights, store_of};

/// The four lists. A memory stands in one of the first, second and fourth; the third repeats what is most pressing of
/// the second, since whoever debugs may read that alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskContext {
    pub relevant_patterns: Vec<TaskItem>,
    pub avoid_these: Vec<TaskItem>,
    /// Only when something is being debugged.
    pub critical_avoid: Vec<TaskItem>,
    pub applicable_skills: Vec<TaskItem>,
    /// Of all titles and texts that are handed out.
    pub token_count: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TaskItem {
    pub key: Key,
    pub title: String,
    pub text: String,
    pub kind: Kind,
    pub score: f64,
    pub files: Vec<String>,
}

const LONGEST_TITLE: usize = 120;
const MOST_FILES: usize = 5;
/// What fits at least half as well as the best is as pressing.
const PRESSING: f64 = 0.5;

impl TaskContext {
    /// Every memory in it, those that stand in two lists twice.
    pub fn items(&self) -> impl Iterator<Item = &TaskItem> {
        let lists = [&self.relevant_patterns, &self.avoid_these, &self.critical_avoid, &self.applicable_skills];
        lists.into_iter().flatten()
    }
}

/// What was found for the goal (`hits`), what is known to fail at such tasks (`avoid`) and the skills for them, each
/// with how well it fits. At most `k` in each list, best first, ties by key. Anti-patterns and skills among the hits
/// go where they belong.
#[expect(clippy::too_many_arguments, reason = "three findings and what they are judged by")]
pub fn task_context(
    goal: &str,
    task: TaskType,
    weights: Weights,
    hits: &[(Arc<Memory>, f64)],
    avoid: &[(Arc<Memory>, f64)],
    skills: &[(Arc<Memory>, f64)],
    k: usize,
    lengths: Lengths<'_>,
) -> TaskContext {
    let of = |collection: Collection| hits.iter().filter(move |(memory, _)| list_of(memory.kind) == collection);
    let mut seen = SeenTexts::new(goal);
    let mut list = |found: Vec<&(Arc<Memory>, f64)>| -> Vec<TaskItem> {
        let found = best_first(found).into_iter().filter(|(memory, _)| seen.is_new(memory)).take(k);
        found.map(|(memory, score)| item(memory, score, weights, lengths)).collect()
    };
    // A warning that is also found for the goal stays a warning.
    let avoid_these = list(avoid.iter().chain(of(Collection::AntiPatterns)).collect());
    let applicable_skills = list(skills.iter().chain(of(Collection::Skills)).collect());
    let relevant_patterns = list(of(Collection::Semantic).collect());
    let critical_avoid = if task == TaskType::Debugging { pressing(&avoid_these, avoid, hits) } else { Vec::new() };
    let lists = [&relevant_patterns, &avoid_these, &critical_avoid, &applicable_skills];
    let token_count =
        lists.into_iter().flatten().map(|item| token::estimate(&item.title) + token::estimate(&item.text));
    let token_count = token_count.sum();
    TaskContext { relevant_patterns, avoid_these, critical_avoid, applicable_skills, token_count }
}

/// What happened and what is known are told together.
fn list_of(kind: Kind) -> Collection {
    match store_of(kind) {
        Collection::Episodic => Collection::Semantic,
        other => other,
    }
}

/// What is no number fits worst, what was borrowed stands last. Of a memory that is given twice, the better comes first.
fn best_first(found: Vec<&(Arc<Memory>, f64)>) -> Vec<(&Memory, f64)> {
    let even = |score: f64| if score.is_nan() { f64::NEG_INFINITY } else { score + 0.0 };
    let mut found: Vec<(Key, &Memory, f64)> =
        found.into_iter().map(|(memory, score)| (memory.key(), memory.as_ref(), even(*score))).collect();
    found.sort_by(|a, b| {
        let borrowed = a.1.is_borrowed().cmp(&b.1.is_borrowed());
        borrowed.then_with(|| b.2.total_cmp(&a.2)).then_with(|| a.0.cmp(&b.0))
    });
    found.into_iter().map(|(_, memory, score)| (memory, score)).collect()
}

/// What has been said already; the goal itself is.
struct SeenTexts {
    keys: HashSet<Key>,
    words: HashSet<[u8; 32]>,
}

impl SeenTexts {
    fn new(goal: &str) -> SeenTexts {
        SeenTexts { keys: HashSet::new(), words: HashSet::from([digest(goal)]) }
    }

    fn is_new(&mut self, memory: &Memory) -> bool {
        // Asked in this order, a memory with words of another does not even take its key.
        !self.keys.contains(&memory.key()) && self.words.insert(words_of(memory)) && self.keys.insert(memory.key())
    }
}

/// What counts for the task is told at more length than what does not.
fn item(memory: &Memory, score: f64, weights: Weights, lengths: Lengths<'_>) -> TaskItem {
    let level = if weights.of(memory.kind) > 0.0 || memory.kind == Kind::AntiPattern {
        Level::Summary
    } else {
        Level::Compressed
    };
    TaskItem {
        key: memory.key(),
        title: inline(memory.headline(), LONGEST_TITLE),
        text: clean(&lengths(memory, level)).into_owned(),
        kind: memory.kind,
        score,
        files: memory.anchors.files.iter().take(MOST_FILES).cloned().collect(),
    }
}

/// The warnings that bind, and those that fit about as well as the best.
fn pressing(warnings: &[TaskItem], avoid: &[(Arc<Memory>, f64)], hits: &[(Arc<Memory>, f64)]) -> Vec<TaskItem> {
    let given = || avoid.iter().chain(hits).map(|(memory, _)| memory);
    let binds = |memory: &Arc<Memory>| matches!(memory.tier, Tier::Mandate | Tier::Guardrail);
    let binding: HashSet<Key> = given().filter(|memory| binds(memory)).map(|memory| memory.key()).collect();
    let best = warnings.first().map_or(0.0, |warning| warning.score);
    let presses = |warning: &&TaskItem| {
        let near = if best > 0.0 { warning.score >= best * PRESSING } else { warning.score >= best };
        near || binding.contains(&warning.key)
    };
    warnings.iter().filter(presses).cloned().collect()
}

#[cfg(test)]
mod tests;
