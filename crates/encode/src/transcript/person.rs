//! What a person says to an agent: a new goal, a nod, thanks, a complaint or something to add. And which part of a
//! message is the person's at all, because the agent's own machinery speaks in the same place.

use crate::excerpt::plain_words;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Goal,
    /// "Yes", "continue": the work goes on as it was.
    Nod,
    Thanks,
    Complaint,
    /// "Also …", "but …": more about the work at hand.
    Addition,
}

/// Wrappers that the agents' programs put around their own words.
const MACHINERY: &[&str] = &[
    "system-reminder",
    "task-notification",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "user-prompt-submit-hook",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "command-message",
    "environment_context",
    "user_instructions",
    "turn_aborted",
    "ide_opened_file",
    "ide_selection",
    "system_warning",
];

/// Slash commands that ask for no work.
const STEERING: &[&str] = &[
    "add-dir",
    "agents",
    "bug",
    "clear",
    "compact",
    "config",
    "context",
    "cost",
    "doctor",
    "effort",
    "exit",
    "export",
    "fast",
    "help",
    "hooks",
    "ide",
    "login",
    "logout",
    "mcp",
    "memory",
    "model",
    "output-style",
    "permissions",
    "plugin",
    "quit",
    "release-notes",
    "rename",
    "resume",
    "rewind",
    "skills",
    "status",
    "statusline",
    "tasks",
    "terminal-setup",
    "theme",
    "todos",
    "usage",
    "vim",
];

/// The person's own words in a message; empty when there are none.
pub(super) fn own_words(text: &str) -> String {
    let mut text = text.replace('\r', "");
    for tag in MACHINERY {
        text = without_element(&text, tag);
    }
    // A slash command is a request in the person's words, unless it only steers the program.
    if text.contains("<command-name>") {
        let name = element(&text, "command-name").trim();
        let request = format!("{name} {}", element(&text, "command-args").trim());
        let steers = STEERING.contains(&name.trim_start_matches('/'));
        return if steers { String::new() } else { request.trim().to_owned() };
    }
    if let Some((_, request)) = text.split_once("## My request for Codex:") {
        return request.trim().to_owned();
    }
    let text = text.trim();
    let machine = text.starts_with("# AGENTS.md instructions")
        || text.starts_with("This session is being continued from a previous conversation")
        || text.starts_with("Caveat: The messages below were generated")
        || is_wrapped(text);
    if machine { String::new() } else { text.to_owned() }
}

/// A whole message inside one element with a compound name: no person writes so.
fn is_wrapped(text: &str) -> bool {
    let Some(name) = text.strip_prefix('<').and_then(|rest| rest.split(['>', ' ']).next()) else { return false };
    let compound = name.contains(['-', '_']) || name == "INSTRUCTIONS" || name == "permissions";
    compound && text.ends_with('>') && text.rfind("</").is_some_and(|at| text[at + 2..].starts_with(name))
}

fn element<'t>(text: &'t str, tag: &str) -> &'t str {
    let inside = text.split_once(&format!("<{tag}>")).map(|(_, rest)| rest);
    inside.and_then(|rest| rest.split_once(&format!("</{tag}>"))).map_or("", |(inside, _)| inside)
}

fn without_element(text: &str, tag: &str) -> String {
    let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(&open) {
        kept.push_str(&rest[..start]);
        // What is never closed was cut off: it goes to the end.
        rest = rest[start..].split_once(&close).map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// The sentences of a message, each with its end.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().take(200);
    let parts =
        lines.flat_map(|line| line.split_inclusive(['!', '?', ';']).flat_map(|part| part.split_inclusive(". ")));
    parts
        .map(|sentence| sentence.trim().trim_start_matches(['-', '*', '>', ' ']))
        .filter(|sentence| !sentence.is_empty())
}

/// Does the message say that the agent was stopped?
pub(super) fn is_interruption(text: &str) -> bool {
    text.trim_start().starts_with("[Request interrupted by user")
}

/// What a message of a person means for the work before it.
pub(super) fn said(text: &str) -> Said {
    let words = plain_words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let any = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let follows = |one: &str, other: &str| words.windows(2).any(|pair| pair[0] == one && pair[1] == other);
    let first = words.first().copied().unwrap_or_default();
    let denied = any(&["not", "doesn", "don", "didn", "isn", "still", "no", "nothing", "never", "but"]);
    let nods = [
        "yes", "y", "yep", "yeah", "ok", "okay", "sure", "continue", "go", "proceed", "please", "do", "it", "sounds",
        "good", "fine", "correct", "right", "exactly", "agreed", "next", "keep", "going", "ahead", "on", "approved",
        "retry", "resume", "that", "this", "the", "first", "second", "one", "option", "with", "a", "b", "c", "1", "2",
        "3", "no", "nope", "again", "try",
    ];
    if words.len() <= 5 && words.iter().all(|word| nods.contains(word)) {
        return if first == "try" || any(&["again"]) { Said::Complaint } else { Said::Nod };
    }
    let broken = (any(&["doesn", "didn", "not", "isn", "won"])
        && any(&["work", "working", "works", "right", "correct"]))
        || (any(&["still"])
            && any(&[
                "fail", "fails", "failing", "broken", "error", "errors", "wrong", "same", "crashes", "not", "get",
                "getting", "see", "seeing",
            ]))
        || follows("you", "forgot")
        || follows("you", "broke")
        || follows("not", "what")
        || follows("same", "error")
        || (words.len() <= 10 && any(&["wrong", "broken", "worse"]))
        || (words.len() <= 6 && ["revert", "undo"].contains(&first));
    if broken && words.len() <= 60 {
        return Said::Complaint;
    }
    if !denied && after_thanks(text).is_some_and(|rest| plain_words(rest).len() <= 1) {
        return Said::Thanks;
    }
    let adds = [
        "also",
        "and",
        "but",
        "instead",
        "actually",
        "wait",
        "plus",
        "oh",
        "additionally",
        "or",
        "then",
        "no",
        "hmm",
        "sorry",
        "yes",
        "ok",
        "okay",
    ];
    let asks_back = ["why", "what", "how", "did", "are", "is", "can", "should"].contains(&first)
        && any(&["you", "that", "this", "it", "your"]);
    if (words.len() <= 25 && adds.contains(&first)) || (words.len() <= 12 && asks_back) {
        return Said::Addition;
    }
    Said::Goal
}

/// What follows the thanks with which a message opens: nothing, or another matter. `None` when it opens otherwise.
pub(super) fn after_thanks(text: &str) -> Option<&str> {
    let glad =
        ["thanks", "thank", "thx", "perfect", "awesome", "lgtm", "excellent", "great", "nice", "works", "wonderful"];
    let polite = [
        "you",
        "that",
        "it",
        "this",
        "now",
        "very",
        "much",
        "so",
        "is",
        "s",
        "looks",
        "good",
        "all",
        "job",
        "work",
        "for",
        "a",
        "lot",
        "the",
        "again",
        "fine",
        "well",
        "done",
        "ok",
        "yes",
        "really",
        "just",
        "right",
        "cool",
        "everything",
    ];
    let mut rest = text.trim();
    let mut thanked = false;
    loop {
        let end = rest.find(['.', '!', ',', ';', '\n', '—']).map_or(rest.len(), |end| end);
        let words = plain_words(&rest[..end]);
        let is_glad = words.iter().any(|word| glad.contains(&word.as_str()));
        let is_polite = words.iter().all(|word| glad.contains(&word.as_str()) || polite.contains(&word.as_str()));
        if words.is_empty() || !is_polite || (!is_glad && !thanked) {
            return thanked.then_some(rest);
        }
        thanked = true;
        let stop = rest[end..].chars().next().map_or(0, char::len_utf8);
        rest = rest[end + stop..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_say_is_told_apart() {
        for (text, expect) in [
            ("The tests fail. Fix the sum in add.sh", Said::Goal),
            ("Add a dark mode to the settings page", Said::Goal),
            ("Now write the documentation for the login", Said::Goal),
            ("yes", Said::Nod),
            ("ok, go ahead", Said::Nod),
            ("continue", Said::Nod),
            ("1", Said::Nod),
            ("thanks, that works", Said::Thanks),
            ("Perfect!", Said::Thanks),
            ("Great, that works now.", Said::Thanks),
            ("Thank you so much!", Said::Thanks),
            ("Thanks! Now document the deployment", Said::Goal),
            ("Great, now add a dark mode to the page", Said::Goal),
            ("that doesn't work", Said::Complaint),
            ("it still fails with the same error", Said::Complaint),
            ("you forgot the tests", Said::Complaint),
            ("try again", Said::Complaint),
            ("also update the readme", Said::Addition),
            ("why did you change that file?", Said::Addition),
            ("great but it does not work on mobile", Said::Complaint),
        ] {
            assert_eq!(said(text), expect, "{text}");
        }
    }

    #[test]
    fn thanks_are_cut_off_in_front_of_another_matter() {
        assert_eq!(after_thanks("Thanks! Now document it."), Some("Now document it."));
        assert_eq!(after_thanks("Perfect, thank you."), Some(""));
        assert_eq!(after_thanks("Document it. Thanks"), None);
    }

    #[test]
    fn only_the_persons_own_words_are_kept() {
        for (text, expect) in [
            ("Fix it\n<system-reminder>\nbe brief\n</system-reminder>", "Fix it"),
            (
                "<command-name>/fix</command-name>\n<command-message>fix</command-message>\n<command-args>the login</command-args>",
                "/fix the login",
            ),
            ("<command-message>init</command-message>\n<command-name>/init</command-name>", "/init"),
            ("<command-name>/compact</command-name>\n<command-args></command-args>", ""),
            ("<local-command-stdout>Compacted</local-command-stdout>", ""),
            ("<environment_context>\n <cwd>/x</cwd>\n</environment_context>", ""),
            ("<permissions instructions>\nx\n</permissions instructions>", ""),
            ("# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>x</INSTRUCTIONS>", ""),
            (
                "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nfix a.rs\n",
                "fix a.rs",
            ),
            ("<system-reminder>cut off", ""),
            ("Why is <b>bold</b> not bold?", "Why is <b>bold</b> not bold?"),
        ] {
            assert_eq!(own_words(text), expect, "{text}");
        }
    }
}
