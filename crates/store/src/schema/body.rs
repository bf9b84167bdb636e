//! The structured parts of a record, in the shapes Loki Mode gives them.

use serde_json::Value;

use super::Shape;
use super::fields::{
    self, Object, put, put_text, put_texts, take_any, take_count, take_number, take_object, take_objects, take_text,
    take_texts,
};
use lokid_model::{Action, AntiPattern, Body, CommonError, Episode, EpisodeError, Fact, Learning, Pattern, Skill};

/// The field of a record a body stands under.
pub(super) fn field(body: &Body) -> Option<&'static str> {
    Some(match body {
        Body::None => return None,
        Body::Fact(_) => "fact",
        Body::Episode(_) => "episode",
        Body::Pattern(_) => "pattern",
        Body::AntiPattern(_) => "anti_pattern",
        Body::Skill(_) => "skill",
        Body::Learning(_) => "learning",
    })
}

pub(super) const FIELDS: &[&str] = &["fact", "episode", "pattern", "anti_pattern", "skill", "learning"];

pub(super) fn take(field: &str, object: &mut Object) -> Body {
    match field {
        "fact" => Body::Fact(Box::new(take_fact(object))),
        "episode" => Body::Episode(Box::new(take_episode(object))),
        "pattern" => Body::Pattern(Box::new(take_pattern(object))),
        "anti_pattern" => Body::AntiPattern(Box::new(take_anti_pattern(object))),
        "skill" => Body::Skill(Box::new(take_skill(object))),
        "learning" => Body::Learning(Box::new(take_learning(object))),
        _ => Body::None,
    }
}

pub(super) fn put_body(body: &Body) -> Object {
    let mut out = Object::new();
    match body {
        Body::None => {}
        Body::Fact(fact) => put_fact(fact, &mut out),
        Body::Episode(episode) => put_episode(episode, None, &mut out),
        Body::Pattern(pattern) => put_pattern(pattern, &mut out),
        Body::AntiPattern(anti) => put_anti_pattern(anti, &mut out),
        Body::Skill(skill) => put_skill(skill, &mut out),
        Body::Learning(learning) => put_learning(learning, &mut out),
    }
    out
}

pub(super) fn take_fact(object: &mut Object) -> Fact {
    Fact {
        key: take_text(object, "key").unwrap_or_default(),
        value: take_text(object, "value").unwrap_or_default(),
        scope: take_text(object, "scope").unwrap_or_default(),
    }
}

pub(super) fn put_fact(fact: &Fact, out: &mut Object) {
    put_text(out, "key", &fact.key);
    put_text(out, "value", &fact.value);
    put_text(out, "scope", &fact.scope);
}

/// The files of an episode's context, which are the memory's anchors.
pub(super) fn take_files_involved(object: &mut Object) -> Option<Vec<String>> {
    take_texts(object.get_mut("context")?.as_object_mut()?, "files_involved")
}

/// `phase`, `goal` and the like stand in `context`, but some writers leave them at the top.
pub(super) fn take_episode(object: &mut Object) -> Episode {
    let mut context = take_object(object, "context").unwrap_or_default();
    let mut episode = Episode {
        task_id: take_text(object, "task_id").unwrap_or_default(),
        duration_seconds: take_number(object, "duration_seconds"),
        agent: take_text(object, "agent").unwrap_or_default(),
        phase: take_any(&mut context, &["phase"]),
        goal: take_any(&mut context, &["goal"]),
        constraints: take_texts(&mut context, "constraints").unwrap_or_default(),
        action_log: take_objects(object, "action_log").unwrap_or_default().into_iter().map(action_of).collect(),
        errors: take_objects(object, "errors_encountered").unwrap_or_default().into_iter().map(error_of).collect(),
        artifacts: take_texts(object, "artifacts_produced").unwrap_or_default(),
        git_commit: take_text(object, "git_commit"),
        tokens_used: take_count(object, "tokens_used"),
        files_read: take_texts(object, "files_read").unwrap_or_default(),
        files_modified: take_texts(object, "files_modified").unwrap_or_default(),
        conclusion: take_text(object, "conclusion").unwrap_or_default(),
        changes: take_texts(object, "changes").unwrap_or_default(),
    };
    if episode.goal.is_empty() {
        episode.goal = take_any(object, &["goal"]);
    }
    if episode.phase.is_empty() {
        episode.phase = take_any(object, &["phase"]);
    }
    if !context.is_empty() {
        object.insert("context".to_owned(), Value::Object(context));
    }
    episode
}

/// In a file of its own an episode's context names the files; in a record they stand under `files`.
pub(super) fn put_episode(episode: &Episode, files_involved: Option<&[String]>, out: &mut Object) {
    put_text(out, "task_id", &episode.task_id);
    put(out, "duration_seconds", number(episode.duration_seconds.unwrap_or(0.0)));
    put_text(out, "agent", &episode.agent);
    let mut context = Object::new();
    put_text(&mut context, "phase", &episode.phase);
    put_text(&mut context, "goal", &episode.goal);
    if let Some(files) = files_involved {
        put_texts(&mut context, "files_involved", files);
    }
    if !episode.constraints.is_empty() {
        put_texts(&mut context, "constraints", &episode.constraints);
    }
    put(out, "context", context);
    put(out, "action_log", episode.action_log.iter().map(action_object).collect::<Vec<_>>());
    put(out, "errors_encountered", episode.errors.iter().map(error_object).collect::<Vec<_>>());
    put_texts(out, "artifacts_produced", &episode.artifacts);
    put(out, "git_commit", episode.git_commit.clone());
    put(out, "tokens_used", episode.tokens_used.unwrap_or(0));
    // Loki Mode takes `files_involved` for what was read only where nothing else is said.
    if files_involved.is_none() || !episode.files_read.is_empty() {
        put_texts(out, "files_read", &episode.files_read);
    }
    put_texts(out, "files_modified", &episode.files_modified);
    if !episode.conclusion.is_empty() {
        put_text(out, "conclusion", &episode.conclusion);
    }
    if !episode.changes.is_empty() {
        put_texts(out, "changes", &episode.changes);
    }
}

/// Whole numbers are written as Python writes an `int`.
pub(super) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { Value::from(value as i64) } else { Value::from(value) }
}

fn action_of(mut object: Object) -> Action {
    Action {
        t: take_number(&mut object, "t").or_else(|| take_number(&mut object, "timestamp")),
        action: take_any(&mut object, &["action", "tool"]),
        target: take_any(&mut object, &["target", "input"]),
        result: take_any(&mut object, &["result", "output"]),
        error: take_any(&mut object, &["error"]),
    }
}

fn action_object(action: &Action) -> Value {
    let mut out = Object::new();
    put(&mut out, "t", number(action.t.unwrap_or(0.0)));
    put_text(&mut out, "action", &action.action);
    put_text(&mut out, "target", &action.target);
    put_text(&mut out, "result", &action.result);
    if !action.error.is_empty() {
        put_text(&mut out, "error", &action.error);
    }
    Value::Object(out)
}

fn error_of(mut object: Object) -> EpisodeError {
    EpisodeError {
        kind: take_any(&mut object, &["type", "error_type"]),
        message: take_any(&mut object, &["message"]),
        resolution: take_any(&mut object, &["resolution"]),
    }
}

fn error_object(error: &EpisodeError) -> Value {
    let mut out = Object::new();
    put_text(&mut out, "type", &error.kind);
    put_text(&mut out, "message", &error.message);
    put_text(&mut out, "resolution", &error.resolution);
    Value::Object(out)
}

pub(super) fn take_pattern(object: &mut Object) -> Pattern {
    Pattern {
        pattern: take_any(object, &["pattern"]),
        category: take_any(object, &["category"]),
        conditions: take_texts(object, "conditions").unwrap_or_default(),
        correct_approach: take_any(object, &["correct_approach"]),
        incorrect_approach: take_any(object, &["incorrect_approach"]),
        source_episodes: take_texts(object, "source_episodes").unwrap_or_default(),
    }
}

pub(super) fn put_pattern(pattern: &Pattern, out: &mut Object) {
    put_text(out, "pattern", &pattern.pattern);
    put_text(out, "category", &pattern.category);
    put_texts(out, "conditions", &pattern.conditions);
    put_text(out, "correct_approach", &pattern.correct_approach);
    put_text(out, "incorrect_approach", &pattern.incorrect_approach);
    put_texts(out, "source_episodes", &pattern.source_episodes);
}

pub(super) fn take_anti_pattern(object: &mut Object) -> AntiPattern {
    AntiPattern {
        what_fails: take_any(object, &["what_fails"]),
        why: take_any(object, &["why"]),
        prevention: take_any(object, &["prevention"]),
        learnt_from: take_any(object, &["source"]),
    }
}

pub(super) fn put_anti_pattern(anti: &AntiPattern, out: &mut Object) {
    put_text(out, "what_fails", &anti.what_fails);
    put_text(out, "why", &anti.why);
    put_text(out, "prevention", &anti.prevention);
    put_text(out, "source", &anti.learnt_from);
}

pub(super) fn take_skill(object: &mut Object) -> Skill {
    let fix = |mut error: Object| CommonError {
        error: take_any(&mut error, &["error"]),
        fix: take_any(&mut error, &["fix"]),
    };
    Skill {
        name: take_any(object, &["name"]),
        description: take_any(object, &["description"]),
        prerequisites: take_texts(object, "prerequisites").unwrap_or_default(),
        steps: take_texts(object, "steps").unwrap_or_default(),
        common_errors: take_objects(object, "common_errors").unwrap_or_default().into_iter().map(fix).collect(),
        exit_criteria: take_texts(object, "exit_criteria").unwrap_or_default(),
    }
}

/// What a skill is for, when nobody said: Loki Mode takes none without a description.
pub(super) fn described(skill: &Skill) -> String {
    const MOST_CHARS: usize = 200;
    let steps = skill.steps.iter().map(|step| step.trim()).collect::<Vec<_>>().join("; ");
    if steps.is_empty() { skill.name.clone() } else { steps.chars().take(MOST_CHARS).collect() }
}

pub(super) fn put_skill(skill: &Skill, out: &mut Object) {
    put_text(out, "name", &skill.name);
    put_text(out, "description", &skill.description);
    put_texts(out, "prerequisites", &skill.prerequisites);
    put_texts(out, "steps", &skill.steps);
    let errors = skill.common_errors.iter().map(|error| serde_json::json!({"error": error.error, "fix": error.fix}));
    put(out, "common_errors", errors.collect::<Vec<_>>());
    put_texts(out, "exit_criteria", &skill.exit_criteria);
}

/// In words, where a learning has neither an error nor a text of its own.
pub(super) fn take_lesson(object: &mut Object) -> String {
    take_any(object, &LEARNING_WORDS[5..])
}

pub(super) fn take_learning(object: &mut Object) -> Learning {
    Learning {
        error: take_any(object, &["error"]),
        cause: take_any(object, &["cause"]),
        fix: take_any(object, &["fix", "resolution"]),
        fingerprint: take_any(object, &["fingerprint"]),
    }
}

/// The words an entry without an id is known by; nothing where it says nothing.
pub(super) fn identity(shape: Shape, object: &Object) -> Option<(&'static str, String)> {
    let (prefix, names): (_, &[&str]) = match shape {
        Shape::AntiPatterns => ("anti", &["what_fails"]),
        Shape::Patterns => ("sem", &["pattern"]),
        Shape::Facts => ("fact", &["key", "value", "scope", "text"]),
        Shape::Learnings => ("learn", LEARNING_WORDS),
        Shape::Episode | Shape::Skill | Shape::Notes => return None,
    };
    let words: Vec<String> = names.iter().filter_map(|name| fields::peek_text(object, name)).collect();
    (!words.is_empty()).then(|| (prefix, words.join("\n")))
}

/// What other programs call what they learnt.
const LEARNING_WORDS: &[&str] =
    &["error", "cause", "fix", "resolution", "text", "learning", "lesson", "description", "message"];

pub(super) fn put_learning(learning: &Learning, out: &mut Object) {
    put_text(out, "error", &learning.error);
    put_text(out, "cause", &learning.cause);
    put_text(out, "fix", &learning.fix);
    put_text(out, "fingerprint", &learning.fingerprint);
}
