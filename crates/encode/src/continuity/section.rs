//! What a heading of working memory announces, whatever its level, number, emoji or closing remark.

use crate::excerpt::plain_words;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    State,
    Decisions,
    Blockers,
    Resolved,
    Learnings,
    Completed,
    NextUp,
    /// Text that memory itself gave: reading it as news would learn it again.
    Recalled,
    /// Part of a template.
    Example,
    Other,
}

impl Section {
    /// What is below these stays what it is, whatever it is called.
    pub(super) fn holds_its_children(self) -> bool {
        matches!(self, Section::Recalled | Section::Example)
    }

    /// `None` for a name that says nothing of what follows.
    pub(super) fn of(heading: &str) -> Option<Section> {
        let words = plain_words(heading);
        let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
        let first = words.iter().map(String::as_str).find(|word| word.parse::<u32>().is_err()).unwrap_or_default();
        let recalled = has(&["retrieved", "recalled"])
            || (has(&["relevant", "related"]) && has(&["memory", "memories", "context"]))
            || (has(&["mistakes", "avoid"]) && heading.to_lowercase().contains("from learnings"));
        // The order matters: "Blockers resolved" is no blocker, "Last completed task" no task at hand.
        let found = if recalled {
            Section::Recalled
        } else if ["example", "examples", "template", "format"].contains(&first) {
            Section::Example
        } else if has(&["learning", "learnings", "learned", "learnt", "lesson", "lessons"])
            || has(&["mistake", "mistakes", "gotcha", "gotchas", "pitfalls", "insights", "challenges"])
        {
            Section::Learnings
        } else if has(&["blocker", "blockers", "blocked", "blocking", "impediments"]) {
            let over = has(&["resolved", "cleared", "former", "past", "previous", "unblocked"]);
            if over && !has(&["unresolved"]) { Section::Resolved } else { Section::Blockers }
        } else if has(&["decision", "decisions", "decided"]) {
            Section::Decisions
        } else if has(&["completed", "done", "finished", "achievements", "accomplished", "accomplishments"])
            || (first == "session" && has(&["summary"]))
        {
            Section::Completed
        } else if has(&["next", "upcoming", "todo", "todos", "pending", "backlog", "remaining"]) {
            Section::NextUp
        } else if has(&["goal", "focus", "state", "status", "objective"])
            || (has(&["current", "active"]) && has(&["task", "work", "step", "phase", "context"]))
            || (has(&["in"]) && has(&["progress"]))
            || (has(&["working"]) && has(&["on"]))
        {
            Section::State
        } else {
            return None;
        };
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_known_by_their_words() {
        for (heading, expect) in [
            ("Current State", Some(Section::State)),
            ("🎯 Active Goal", Some(Section::State)),
            ("Current Task", Some(Section::State)),
            ("Last Completed Task", Some(Section::Completed)),
            ("Just Completed", Some(Section::Completed)),
            ("Session 3 Summary", Some(Section::Completed)),
            ("3. Active Blockers:", Some(Section::Blockers)),
            ("Resolved Blockers", Some(Section::Resolved)),
            ("Next Up", Some(Section::NextUp)),
            ("Next Actions (Priority Order)", Some(Section::NextUp)),
            ("Key Decisions This Session", Some(Section::Decisions)),
            ("Architecture Decisions", Some(Section::Decisions)),
            ("Mistakes & Learnings (Self-Updating)", Some(Section::Learnings)),
            ("Challenges Encountered", Some(Section::Learnings)),
            ("Mistakes to Avoid", Some(Section::Learnings)),
            ("Mistakes to Avoid (From Learnings)", Some(Section::Recalled)),
            ("Relevant Memories (Auto-Retrieved)", Some(Section::Recalled)),
            ("Example:", Some(Section::Example)),
            ("Files Currently Being Modified", None),
            ("Working Context", None),
            ("", None),
        ] {
            assert_eq!(Section::of(heading), expect, "{heading}");
        }
    }
}
