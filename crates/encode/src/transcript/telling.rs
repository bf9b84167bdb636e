//! What of a session's prose tells it from others: the goal without the frame it came in, cause and fix out of the
//! agent's last words, and texts without places that only this machine has.

use crate::excerpt::{cut, head, one_line};

const MOST_GOAL: usize = 2_000;
const MOST_TITLE: usize = 120;
/// Of the cause, of the fix, and of what is neither.
const MOST_PART: usize = 600;
/// Of a message; nobody's summary is longer.
const MOST_MESSAGE: usize = 32 << 10;
/// Lines of code that a cause or a fix may quote, each time.
const MOST_CODE: usize = 8;

/// The goal as the person put it, without a first line that only introduces it and the fields of a form before it.
pub(super) fn goal(words: &str) -> String {
    let mut lines: Vec<&str> = words.lines().collect();
    let is_blank = |line: &&str| line.trim().is_empty();
    lines.drain(..lines.iter().take_while(|line| is_blank(line)).count());
    let introduces = lines.first().is_some_and(|line| line.trim_end().ends_with(':')) && lines.len() > 1;
    let mut rest = &lines[usize::from(introduces)..];
    while let [first, more @ ..] = rest
        && !more.is_empty()
        && (is_blank(first) || field(first).is_some_and(|(_, value)| !value.contains(' ')))
    {
        rest = more;
    }
    let mut told = rest.join("\n");
    if introduces
        && let Some((name, value)) = rest.first().and_then(|line| field(line))
        && name.len() <= 24
        && !value.is_empty()
    {
        told = std::iter::once(value).chain(rest[1..].iter().copied()).collect::<Vec<_>>().join("\n");
    }
    // A frame around nothing is all there is.
    let told = if told.split_whitespace().count() < 3 { words } else { &told };
    cut(told, MOST_GOAL)
}

/// `name: value`, the name being one plain word.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().split_once(": ").or_else(|| line.trim().split_once(':'))?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '-');
    is_name.then_some((name, value.trim()))
}

/// The line of a goal that names it.
pub(super) fn title(goal: &str) -> String {
    let plain = |line: &str| line.trim().trim_start_matches(['#', '>', '*', '-', ' ']).trim().to_owned();
    let says = |line: &String| line.split_whitespace().count() > 1 && !line.ends_with(':') && !line.starts_with("<!--");
    let first = goal.lines().map(plain).find(says);
    one_line(&first.unwrap_or_else(|| goal.to_owned()), MOST_TITLE)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Cause,
    Fix,
    /// How it was tried, where it was put, what comes next: nothing to know another time.
    Aside,
    Else,
}

fn about(label: &str) -> About {
    let label = label.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| label.contains(word));
    if says(&["cause", "problem", "issue", "bug", "why", "analysis", "diagnos", "what went wrong", "background"]) {
        About::Cause
    } else if says(&[
        "test", "verif", "output", "patch", "files", "example", "next", "note", "result", "impact", "benefit",
        "compat", "usage", "clean", "before", "after", "deliver",
    ]) {
        About::Aside
    } else if says(&["fix", "solution", "change", "resolution", "implement", "what i did", "approach"]) {
        About::Fix
    } else {
        About::Else
    }
}

/// Cause and fix, as the agent told them when it was done; its own words where it did not tell them apart.
pub(super) fn conclusion(message: &str) -> String {
    let mut told = [String::new(), String::new(), String::new()];
    let (mut section, mut code) = (About::Else, None);
    for line in head(message, MOST_MESSAGE).lines() {
        let line = line.trim();
        if line.starts_with("```") {
            code = if code.is_none() { Some(0_usize) } else { None };
            continue;
        }
        if let Some(shown) = &mut code {
            *shown += usize::from(!line.is_empty());
            let place = [About::Cause, About::Fix].iter().position(|told| *told == section);
            if let Some(place) = place.filter(|_| *shown <= MOST_CODE) {
                push(&mut told[place], line);
            }
            continue;
        }
        let (label, rest) = labelled(line);
        if let Some(label) = label {
            section = about(label);
        }
        let rest = plain(rest);
        let place = match section {
            About::Cause => 0,
            About::Fix => 1,
            About::Else => 2,
            About::Aside => continue,
        };
        if !is_report(&rest) {
            push(&mut told[place], &rest);
        }
    }
    let [cause, fix, other] = told.map(|text| cut(text.trim().trim_end_matches(':'), MOST_PART));
    match (cause.is_empty(), fix.is_empty()) {
        (false, false) => format!("Cause: {cause}\nFix: {fix}"),
        (true, false) if other.is_empty() => format!("Fix: {fix}"),
        (true, false) => format!("{other}\nFix: {fix}"),
        (false, true) if other.is_empty() => format!("Cause: {cause}"),
        (false, true) => format!("Cause: {cause}\n{other}"),
        (true, true) => other,
    }
}

/// The two parts that [`conclusion`] told apart, empty where it did not.
pub(super) fn cause_and_fix(conclusion: &str) -> (&str, &str) {
    let part = |label: &str| conclusion.lines().find_map(|line| line.strip_prefix(label)).unwrap_or_default().trim();
    (part("Cause:"), part("Fix:"))
}

fn push(text: &mut String, line: &str) {
    if !line.is_empty() && text.len() < 2 * MOST_PART {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line);
    }
}

/// A heading, or `**Label**: text`; what follows it stands apart.
fn labelled(line: &str) -> (Option<&str>, &str) {
    if let Some(heading) = line.strip_prefix('#') {
        return (Some(heading.trim_start_matches('#').trim()), "");
    }
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | ' '));
    if let Some((label, rest)) = unnumbered.strip_prefix("**").and_then(|rest| rest.split_once("**"))
        && (label.ends_with(':') || rest.starts_with(':') || rest.is_empty())
        && label.split_whitespace().count() <= 4
    {
        return (Some(label), rest.trim_start_matches(':').trim());
    }
    (None, line)
}

fn plain(line: &str) -> String {
    let mut rest = line.trim_start_matches(['-', '*', '•', '✓', '✅', '→', ' ']);
    let (mut told, mut is_code) = (String::with_capacity(rest.len()), false);
    // What makes words bold goes; a power and what stands in code stay.
    while let Some((before, after)) = rest.split_once("**") {
        told.push_str(before);
        is_code ^= before.matches('`').count() % 2 == 1;
        let raises = |c: char| c.is_alphanumeric() || matches!(c, ')' | ']');
        let is_raised = |c: char| c.is_alphanumeric() || matches!(c, '(' | '-');
        if is_code || (told.ends_with(raises) && after.starts_with(is_raised)) {
            told.push_str("**");
        }
        rest = after;
    }
    told + rest
}

/// The agent speaks of its own doing.
fn is_report(line: &str) -> bool {
    let lower = line.to_lowercase();
    let opens = ["perfect", "great", "excellent", "done", "let me", "now let", "i'll", "all set", "summary"];
    let says = ["successfully", "summary of", "here's what", "here is what", "has been saved", "let me "];
    lower.is_empty() || opens.iter().any(|word| lower.starts_with(word)) || says.iter().any(|word| lower.contains(word))
}

/// Places below the project are told from its root, the home of whoever works here is `~`, and of a tool installed
/// somewhere only the file is told.
pub(super) fn masked(text: &str, root: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    let ends = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;|".contains(c);
    while let Some(at) = rest.find('/') {
        let begin = rest[..at].rfind(ends).map_or(0, |end| end + rest[end..].chars().next().map_or(1, char::len_utf8));
        let until = rest[at..].find(ends).map_or(rest.len(), |end| at + end);
        let word = &rest[begin..until];
        let is_absolute = begin == at || (root.starts_with("./") && word.starts_with(root));
        told.push_str(&rest[..begin]);
        told.push_str(&if is_absolute { place(word, root) } else { word.to_owned() });
        rest = &rest[until..];
    }
    told.push_str(rest);
    told
}

fn place(path: &str, root: &str) -> String {
    if root.len() > 1
        && let Some(inside) = path.strip_prefix(root).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    {
        return Some(inside.trim_start_matches('/')).filter(|rest| !rest.is_empty()).unwrap_or(".").to_owned();
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["home" | "Users", _, inside @ ..] if !inside.is_empty() && inside.len() < 4 => {
            format!("~/{}", inside.join("/"))
        }
        [top, .., last]
            if parts.len() > 3
                && ["home", "Users", "opt", "usr", "private", "var", "tmp", "nix", "Library"].contains(top) =>
        {
            format!("…/{last}")
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_around_a_goal_is_left_out() {
        let framed = "Fix this bug as the manual says:\n  id: app-12\n  repo: ada/app\n  statement: Ports above 9999 are refused\nThe parser reads four digits.";
        assert_eq!(goal(framed), "Ports above 9999 are refused\nThe parser reads four digits.");
        assert_eq!(title(&goal(framed)), "Ports above 9999 are refused");
        for plain in ["Fix the login", "note: the tests fail since monday", "Do it:\nnow", "fix: ports"] {
            assert_eq!(goal(plain), plain);
        }
        assert_eq!(title("## Bug\nThe port is refused"), "The port is refused");
    }

    #[test]
    fn cause_and_fix_are_read_out_of_the_last_words() {
        let message = "Perfect! I've successfully fixed it. Here's what I did:\n\n## Root cause\nThe parser reads four digits.\n\n### The fix\nChanged `port.rs` from:\n```rust\nlet width = 4;\n```\nto five digits.\n\n## Testing\n- All 12 tests pass";
        assert_eq!(
            conclusion(message),
            "Cause: The parser reads four digits.\nFix: Changed `port.rs` from: let width = 4; to five digits."
        );
        let bold =
            "**Bug**: dashes were kept.\n\n**Solution**: strip them in `slugify()`.\n\n**Patch**: saved to out.json";
        assert_eq!(conclusion(bold), "Cause: dashes were kept.\nFix: strip them in `slugify()`.");
        assert_eq!(
            conclusion("The cache was stale, so I key it by branch."),
            "The cache was stale, so I key it by branch."
        );
        assert_eq!(conclusion("Perfect!"), "");
    }

    #[test]
    fn bold_words_are_plain_and_powers_stay() {
        for (line, expect) in [
            ("- **Bold** words, **x**", "Bold words, x"),
            ("`Mod(x**2, x)` of **all** `**kwargs`", "`Mod(x**2, x)` of all `**kwargs`"),
            ("0**-oo and cos(x)**I", "0**-oo and cos(x)**I"),
        ] {
            assert_eq!(plain(line), expect);
        }
    }

    #[test]
    fn places_of_one_machine_are_masked() {
        let check = |text: &str, expect: &str| assert_eq!(masked(text, "/home/ada/app"), expect);
        check("File \"/home/ada/app/src/a.py\", line 3", "File \"src/a.py\", line 3");
        check("in /opt/anaconda3/lib/python3.8/site-packages/x.py:1", "in …/x.py:1");
        check("open /Users/bob/.ssh/config", "open ~/.ssh/config");
        check("see https://ada.example/a/b/c/d and a/b/c/d/e", "see https://ada.example/a/b/c/d and a/b/c/d/e");
        check("GET /v1/memories/1/2/3", "GET /v1/memories/1/2/3");
        check("/home/ada/app", ".");
    }
}
