//! Every place of a record where somebody's words stand, so that a rule about words is applied to all of them.
//!
//! Ids, names of namespaces and times are no words.

use serde_json::{Map, Value};

use super::memory::{Anchors, Shorter};
use super::{Body, Document, Draft, Memory, Patch, Signal, Skill};

/// Something that holds words.
pub trait Texts {
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String));
}

impl Texts for Draft {
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        visit(&mut self.title);
        visit(&mut self.text);
        self.summary.iter_mut().for_each(&mut *visit);
        self.actor.iter_mut().for_each(&mut *visit);
        for list in [&mut self.tags, &mut self.files, &mut self.symbols, &mut self.commits, &mut self.sources] {
            list.iter_mut().for_each(&mut *visit);
        }
        self.body.each_text(visit);
        if let Some(extra) = &mut self.extra {
            each_in_object(extra, visit);
        }
    }
}

impl Texts for Memory {
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        visit(&mut self.title);
        visit(&mut self.text);
        if let Some(Shorter { summary, compressed, index }) = self.shorter.if_there() {
            [summary, compressed, index].into_iter().flatten().for_each(&mut *visit);
        }
        self.actor.iter_mut().for_each(&mut *visit);
        let Anchors { files, symbols, commits } = &mut self.anchors;
        [&mut self.tags, files, symbols, commits, &mut self.sources].into_iter().flatten().for_each(&mut *visit);
        self.body.each_text(visit);
        if let Some(extra) = &mut self.extra {
            each_in_object(extra, visit);
        }
    }
}

impl Texts for Patch {
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        for text in [&mut self.title, &mut self.text, &mut self.summary] {
            text.iter_mut().for_each(&mut *visit);
        }
        for list in [&mut self.tags, &mut self.files, &mut self.symbols, &mut self.commits] {
            list.iter_mut().flatten().for_each(&mut *visit);
        }
        if let Some(body) = &mut self.body {
            body.each_text(visit);
        }
    }
}

impl Texts for Document {
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        each_in_object(&mut self.body, visit);
    }
}

impl Texts for Signal {
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        for text in [&mut self.path, &mut self.branch, &mut self.text, &mut self.goal, &mut self.author] {
            text.iter_mut().for_each(&mut *visit);
        }
    }
}

impl Texts for Body {
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        match self {
            Body::None => {}
            Body::Fact(fact) => [&mut fact.key, &mut fact.value, &mut fact.scope].into_iter().for_each(visit),
            Body::Episode(episode) => {
                visit(&mut episode.agent);
                visit(&mut episode.phase);
                visit(&mut episode.goal);
                visit(&mut episode.conclusion);
                for action in &mut episode.action_log {
                    let parts = [&mut action.action, &mut action.target, &mut action.result, &mut action.error];
                    parts.into_iter().for_each(&mut *visit);
                }
                for error in &mut episode.errors {
                    [&mut error.kind, &mut error.message, &mut error.resolution].into_iter().for_each(&mut *visit);
                }
                let lists = [
                    &mut episode.constraints,
                    &mut episode.artifacts,
                    &mut episode.files_read,
                    &mut episode.files_modified,
                    &mut episode.changes,
                ];
                lists.into_iter().flatten().for_each(visit);
            }
            Body::Pattern(pattern) => {
                let texts = [
                    &mut pattern.pattern,
                    &mut pattern.category,
                    &mut pattern.correct_approach,
                    &mut pattern.incorrect_approach,
                ];
                texts.into_iter().chain(&mut pattern.conditions).for_each(visit);
            }
            Body::AntiPattern(pattern) => {
                let texts =
                    [&mut pattern.what_fails, &mut pattern.why, &mut pattern.prevention, &mut pattern.learnt_from];
                texts.into_iter().for_each(visit);
            }
            Body::Skill(skill) => skill.each_text(visit),
            Body::Learning(learning) => {
                [&mut learning.error, &mut learning.cause, &mut learning.fix].into_iter().for_each(visit);
            }
        }
    }
}

impl Texts for Skill {
    fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        [&mut self.name, &mut self.description].into_iter().for_each(&mut *visit);
        let lists = [&mut self.prerequisites, &mut self.steps, &mut self.exit_criteria];
        lists.into_iter().flatten().for_each(&mut *visit);
        self.common_errors.iter_mut().flat_map(|one| [&mut one.error, &mut one.fix]).for_each(visit);
    }
}

fn each_in(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(list) => list.iter_mut().for_each(|value| each_in(value, visit)),
        Value::Object(object) => each_in_object(object, visit),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Names of fields that nobody here knows are words, too.
fn each_in_object(object: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut String)) {
    for (mut name, mut value) in std::mem::take(object) {
        visit(&mut name);
        each_in(&mut value, visit);
        object.insert(name, value);
    }
}
