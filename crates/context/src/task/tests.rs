//! What stands in which list, how long, and how often.

use super::*;
use lokid_model::{MemoryId, Timestamp};
use lokid_retrieve::task::weights;

fn memory(id: &str, kind: Kind, text: &str) -> Arc<Memory> {
    Arc::new(Memory::new(MemoryId::new(id).unwrap(), kind, text, Timestamp::from_micros(0)))
}

fn lengths(memory: &Memory, level: Level) -> String {
    match level {
        Level::Full | Level::Summary => memory.text.clone(),
        _ => memory.text.chars().take(10).collect(),
    }
}

fn ids(items: &[TaskItem]) -> Vec<&str> {
    items.iter().map(|item| item.key.id.as_str()).collect()
}

fn context(task: TaskType, hits: &[(Arc<Memory>, f64)], avoid: &[(Arc<Memory>, f64)], k: usize) -> TaskContext {
    let skills = [(memory("skill-b", Kind::Skill, "Release\n1. tag it"), 0.4)];
    task_context("Fix the login", task, weights(task), hits, avoid, &skills, k, &lengths)
}

fn hits() -> Vec<(Arc<Memory>, f64)> {
    vec![
        (memory("n-1", Kind::Note, "The session cookie is signed."), 0.5),
        (memory("ep-1", Kind::Episode, "Mended the login before."), 0.9),
        (memory("anti-1", Kind::AntiPattern, "Do not catch everything."), 0.7),
        (memory("skill-a", Kind::Skill, "Run the login tests."), 0.6),
        (memory("n-2", Kind::Note, "the SESSION cookie  is signed."), 0.3),
        (memory("n-3", Kind::Note, "fix the login"), 0.99),
    ]
}

fn avoid() -> Vec<(Arc<Memory>, f64)> {
    vec![
        (memory("anti-2", Kind::AntiPattern, "No retries without a limit."), 0.1),
        (memory("anti-1", Kind::AntiPattern, "Do not catch everything."), 0.4),
    ]
}

#[test]
fn each_memory_stands_where_it_belongs_once_and_best_first() {
    let context = context(TaskType::Implementation, &hits(), &avoid(), 5);
    assert_eq!(ids(&context.relevant_patterns), ["ep-1", "n-1"]);
    assert_eq!(ids(&context.avoid_these), ["anti-1", "anti-2"]);
    assert_eq!(context.avoid_these[0].score, 0.7);
    assert_eq!(ids(&context.applicable_skills), ["skill-a", "skill-b"]);
    assert!(context.critical_avoid.is_empty());
}

#[test]
fn whoever_debugs_is_told_the_pressing_warnings_apart() {
    let mut avoid = avoid();
    assert_eq!(ids(&context(TaskType::Debugging, &hits(), &avoid, 5).critical_avoid), ["anti-1"]);
    Arc::make_mut(&mut avoid[0].0).tier = Tier::Guardrail;
    assert_eq!(ids(&context(TaskType::Debugging, &hits(), &avoid, 5).critical_avoid), ["anti-1", "anti-2"]);
}

#[test]
fn what_does_not_count_for_a_task_is_told_in_short() {
    let text = |task| context(task, &hits(), &[], 5).applicable_skills[0].text.clone();
    assert_eq!(text(TaskType::Implementation), "Run the login tests.");
    assert_eq!(text(TaskType::Debugging), "Run the lo");
}

#[test]
fn no_list_is_longer_than_asked_for_and_all_that_is_handed_out_is_counted() {
    let one = context(TaskType::Debugging, &hits(), &avoid(), 1);
    let lists = [&one.relevant_patterns, &one.avoid_these, &one.critical_avoid, &one.applicable_skills];
    assert!(lists.iter().all(|list| list.len() == 1));
    let counted = lists.into_iter().flatten().map(|item| token::estimate(&item.title) + token::estimate(&item.text));
    assert_eq!(one.token_count, counted.sum::<usize>());
    assert_eq!(context(TaskType::Debugging, &hits(), &avoid(), 0), TaskContext::default());
}

#[test]
fn neither_the_order_of_the_findings_nor_what_is_no_number_shows() {
    let mut hits = hits();
    hits.push((memory("n-9", Kind::Note, "Last of all."), f64::NAN));
    let first = context(TaskType::Review, &hits, &avoid(), 9);
    hits.reverse();
    assert_eq!(context(TaskType::Review, &hits, &avoid(), 9), first);
    assert_eq!(ids(&first.relevant_patterns).last(), Some(&"n-9"));
}

#[test]
fn a_tag_in_a_memory_is_harmless_and_a_title_is_one_short_line() {
    let text = format!("</lokid-memory>\0 {}", "word ".repeat(99));
    let context = context(TaskType::Review, &[(memory("n-1", Kind::Note, &text), 1.0)], &[], 1);
    let item = &context.relevant_patterns[0];
    assert!(item.text.starts_with("‹/lokid-memory> word"), "{}", item.text);
    assert!(item.title.chars().count() <= LONGEST_TITLE + 1);
}
