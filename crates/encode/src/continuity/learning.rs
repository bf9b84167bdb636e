//! What was learnt, put together from the several shapes agents write it in: one bullet, a bullet with others below
//! it, a run of labelled bullets, a row of a table, or a heading with labelled lines.

use super::Learning;
use super::item::{bare, is_placeholder};
use super::lines::Item;
use super::statement::labelled;
use crate::excerpt::plain_words;

const MOST_TEXT: usize = 2_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LearningRole {
    Error,
    Cause,
    Fix,
    /// When, who, how bad: nothing to learn from.
    Aside,
}

/// What a label promises, if it is one of those that learnings are told with.
fn role(label: &str) -> Option<LearningRole> {
    let words = plain_words(label);
    let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    if words.is_empty() || words.len() > 5 {
        return None;
    }
    // "Why it failed" is a cause although it speaks of failing.
    if has(&["why", "cause", "causes", "reason", "because"]) {
        Some(LearningRole::Cause)
    } else if has(&["prevent", "prevention", "fix", "fixed", "solution", "resolution", "lesson", "learning", "learned"])
        || has(&["learnt", "instead", "workaround", "avoid", "remedy", "takeaway", "approach", "action", "rule"])
    {
        Some(LearningRole::Fix)
    } else if has(&["error", "failed", "failure", "mistake", "problem", "issue", "symptom", "challenge", "happened"]) {
        Some(LearningRole::Error)
    } else if has(&[
        "timestamp",
        "time",
        "date",
        "agent",
        "task",
        "severity",
        "when",
        "by",
        "id",
        "status",
        "iteration",
    ]) {
        Some(LearningRole::Aside)
    } else {
        None
    }
}

/// Is this the label of a part of a learning, and not the name of a section?
pub(super) fn is_part(label: &str) -> bool {
    role(label).is_some()
}

#[derive(Default)]
pub(super) struct Learnings {
    done: Vec<Learning>,
    open: Learning,
    title: String,
    label: Option<LearningRole>,
    /// Do the points that follow belong to the open learning?
    attach: bool,
}

impl Learnings {
    /// A heading inside the section: a learning of its own, or only a date or a category.
    pub(super) fn heading(&mut self, text: &str) {
        self.close();
        self.attach = false;
        let text = bare(text);
        let telling = plain_words(&text).len() >= 3 && !text.contains("->") && !text.contains('→');
        self.title = if telling { text } else { String::new() };
    }

    /// A bold label on a line of its own; what it labels comes next.
    pub(super) fn label(&mut self, text: &str) {
        self.label = role(text);
        // "Key insights", "Impact": more about a learning that is being told in labelled parts.
        let in_parts = self.attach || (self.open.text.is_empty() && self.open != Learning::default());
        self.attach = self.label.is_none() && in_parts;
    }

    pub(super) fn item(&mut self, item: &Item) {
        // Guidance for the writer stands in paragraphs and speaks of the section itself.
        if !item.listed && item.text.contains("this section") {
            return;
        }
        if self.attach {
            self.more(&item.text);
            return item.details.iter().for_each(|detail| self.more(detail));
        }
        if let Some(role) = self.label.take() {
            self.part(role, &item.text);
        } else if !item.cells.is_empty() {
            self.row(item);
        } else if let Some((role, rest)) = part(&item.text) {
            self.part(role, rest);
        } else {
            self.close();
            self.plain(&item.text);
        }
        for detail in &item.details {
            match part(detail) {
                Some((role, rest)) => self.part(role, rest),
                None => self.more(detail),
            }
        }
        // What has its parts below it is whole; labelled bullets in a run are not.
        if !item.details.is_empty() {
            self.close();
        }
    }

    fn plain(&mut self, text: &str) {
        let text = bare(text);
        if is_placeholder(&text) {
            return;
        }
        let parts: Vec<&str> = arrows(&text);
        match parts.as_slice() {
            [error, fix] => (self.open.error, self.open.fix) = ((*error).to_owned(), (*fix).to_owned()),
            [error, cause, fix] => {
                self.open.error = (*error).to_owned();
                self.open.cause = (*cause).to_owned();
                self.open.fix = (*fix).to_owned();
            }
            _ if is_advice(&text) => self.open.fix = text.clone(),
            _ => self.open.error = text.clone(),
        }
        self.open.text = text;
    }

    fn part(&mut self, role: LearningRole, text: &str) {
        let text = bare(text);
        if is_placeholder(&text) {
            return;
        }
        let place = match role {
            LearningRole::Error => &self.open.error,
            LearningRole::Cause => &self.open.cause,
            LearningRole::Fix => &self.open.fix,
            LearningRole::Aside => return,
        };
        let is_next = !place.is_empty() || (role == LearningRole::Error && self.open != Learning::default());
        if is_next && !self.open.text.is_empty() && role != LearningRole::Error {
            return self.more(&text);
        }
        if is_next {
            self.close();
        }
        match role {
            LearningRole::Error => self.open.error = text,
            LearningRole::Cause => self.open.cause = text,
            LearningRole::Fix | LearningRole::Aside => self.open.fix = text,
        }
    }

    fn row(&mut self, item: &Item) {
        self.close();
        for (column, cell) in &item.cells {
            match role(column) {
                Some(role) => self.part(role, cell),
                None if self.open.error.is_empty() && plain_words(cell).len() > 1 => {
                    self.part(LearningRole::Error, cell)
                }
                None => self.more(cell),
            }
        }
        self.close();
    }

    fn more(&mut self, text: &str) {
        let text = bare(text);
        if is_placeholder(&text) || self.open == Learning::default() {
            return;
        }
        if self.open.text.is_empty() {
            self.open.text = joined(&self.open);
        }
        if self.open.text.len() + text.len() < MOST_TEXT {
            self.open.text.push('\n');
            self.open.text.push_str(&text);
        }
    }

    fn close(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        if open == Learning::default() {
            return;
        }
        if open.error.is_empty() && open.text.is_empty() {
            open.error = std::mem::take(&mut self.title);
        }
        let told = joined(&open);
        if open.text.is_empty() {
            open.text = told;
        } else if (!open.cause.is_empty() && !open.text.contains(&open.cause))
            || (!open.fix.is_empty() && !open.text.contains(&open.fix))
        {
            let more: Vec<&str> = told.lines().filter(|line| !open.text.contains(*line)).collect();
            open.text = format!("{}\n{}", open.text, more.join("\n"));
        }
        self.done.push(open);
    }

    pub(super) fn finish(mut self) -> Vec<Learning> {
        self.close();
        self.done
    }
}

fn part(text: &str) -> Option<(LearningRole, &str)> {
    let (label, rest) = labelled(text)?;
    Some((role(label)?, rest))
}

fn joined(learning: &Learning) -> String {
    let mut lines = Vec::new();
    for (label, part) in [("", &learning.error), ("cause: ", &learning.cause), ("fix: ", &learning.fix)] {
        if !part.is_empty() {
            lines.push(format!("{label}{part}"));
        }
    }
    lines.join("\n")
}

/// "error -> fix" or "error -> cause -> fix".
fn arrows(text: &str) -> Vec<&str> {
    let even = ["->", "→", "=>"].into_iter().find(|arrow| text.contains(&format!(" {arrow} ")));
    let parts: Vec<&str> = even.map(|arrow| text.split(arrow).map(str::trim).collect()).unwrap_or_default();
    if parts.len() <= 3 && parts.iter().all(|part| plain_words(part).len() >= 2) { parts } else { Vec::new() }
}

/// Told as what to do rather than as what went wrong.
fn is_advice(text: &str) -> bool {
    let words = plain_words(text);
    let openers = [
        "always", "never", "use", "run", "don", "do", "avoid", "remember", "make", "ensure", "check", "prefer", "keep",
        "set", "add", "call", "pass", "install", "restart", "wait", "must", "only", "first",
    ];
    words.first().is_some_and(|word| openers.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::continuity::lines::{LABEL_LEVEL, LineBlock, blocks, visible};

    fn learnt(text: &str) -> Vec<(String, String, String)> {
        let mut learnings = Learnings::default();
        for block in blocks(&visible(text)) {
            match block {
                LineBlock::Heading { level: LABEL_LEVEL, text } => learnings.label(&text),
                LineBlock::Heading { text, .. } => learnings.heading(&text),
                LineBlock::Item(item) => learnings.item(&item),
            }
        }
        learnings.finish().into_iter().map(|learning| (learning.error, learning.cause, learning.fix)).collect()
    }

    fn check(text: &str, expect: &[(&str, &str, &str)]) {
        let owned = |(a, b, c): &(&str, &str, &str)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned());
        assert_eq!(learnt(text), expect.iter().map(owned).collect::<Vec<_>>(), "{text}");
    }

    #[test]
    fn a_run_of_labelled_bullets_is_one_learning() {
        check(
            "### Pattern: Error -> Learning -> Prevention\n\
             - **What Failed:** the build\n- **Why It Failed:** no lock file\n- **How to Prevent:** commit it\n\
             - **Timestamp:** 2026-01-04T00:16:00Z\n- **Agent:** eng-001\n\
             - **What Failed:** the deploy\n- **Why It Failed:** [Root cause analysis]\n",
            &[("the build", "no lock file", "commit it"), ("the deploy", "", "")],
        );
    }

    #[test]
    fn the_other_shapes_are_read_too() {
        check(
            "- Redis drops idle connections -> send a ping every minute",
            &[("Redis drops idle connections", "", "send a ping every minute")],
        );
        check("- Always run the migrations first", &[("", "", "Always run the migrations first")]);
        check(
            "- The login test hangs\n  - Cause: no clock\n  - Fix: inject one",
            &[("The login test hangs", "no clock", "inject one")],
        );
        check(
            "| Mistake | Root cause | Prevention |\n|--|--|--|\n| lost rows | no lock | take it |",
            &[("lost rows", "no lock", "take it")],
        );
        check(
            "### Login hangs on slow networks\n**Why:** no timeout\n\n**Fix:** set one",
            &[("Login hangs on slow networks", "no timeout", "set one")],
        );
        check("**CRITICAL:** When errors occur, agents MUST update this section.\n- None yet", &[]);
    }

    #[test]
    fn what_is_said_under_other_labels_hangs_on_the_learning() {
        let text = "### Learning 6: caching for background jobs\n**Issue:** policies are read every minute\n\
            **Solution:** cache them\n**Key Insights:**\n- they change rarely\n**Impact:**\n- jobs run faster\n\n\
            ### Learning 7: logging of migrations\n**Issue:** no context\n**Before:** `print(x)`\n";
        check(text, &[("policies are read every minute", "", "cache them"), ("no context", "", "")]);
    }

    #[test]
    fn the_words_of_a_learning_hold_all_its_parts() {
        let mut learnings = Learnings::default();
        let details = vec!["Cause: no clock".to_owned(), "seen twice this week".to_owned()];
        learnings.item(&Item { text: "The test hangs".into(), details, listed: true, ..Item::default() });
        assert_eq!(learnings.finish()[0].text, "The test hangs\nseen twice this week\ncause: no clock");
    }
}
