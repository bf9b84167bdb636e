//! A skill as the Markdown a person reads and writes.
//!
//! The layout is Loki Mode's. A document somebody wrote by hand is changed section by section: headings and prose
//! that are not part of a skill stay as they are.

use lokid_model::{CommonError, Skill};

pub use lokid_model::words::slug;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Prerequisites,
    Steps,
    Errors,
    Exit,
}

impl Section {
    const ALL: [Section; 4] = [Section::Prerequisites, Section::Steps, Section::Errors, Section::Exit];

    fn of_heading(line: &str) -> Option<Section> {
        let words = line.trim_start_matches('#').trim().to_lowercase().replace('&', "and");
        Some(match words.as_str() {
            "prerequisites" => Section::Prerequisites,
            "steps" => Section::Steps,
            "common errors and fixes" | "common errors" => Section::Errors,
            "exit criteria" => Section::Exit,
            _ => return None,
        })
    }

    fn heading(self) -> &'static str {
        match self {
            Section::Prerequisites => "## Prerequisites",
            Section::Steps => "## Steps",
            Section::Errors => "## Common Errors and Fixes",
            Section::Exit => "## Exit Criteria",
        }
    }

    fn lines(self, skill: &Skill) -> Vec<String> {
        let bullets = |items: &[String]| items.iter().map(|item| format!("- {}", flat(item))).collect();
        match self {
            Section::Prerequisites => bullets(&skill.prerequisites),
            Section::Steps => {
                skill.steps.iter().enumerate().map(|(at, step)| format!("{}. {}", at + 1, flat(step))).collect()
            }
            Section::Errors => skill
                .common_errors
                .iter()
                .map(|error| format!("- {}: {}", flat(&error.error), flat(&error.fix)))
                .collect(),
            Section::Exit => bullets(&skill.exit_criteria),
        }
    }
}

/// One item is one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a skill document says, or nothing when it does not begin as one.
pub fn parse(text: &str) -> Option<Skill> {
    let mut skill = Skill::default();
    let mut section = None;
    let mut description = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            if skill.name.is_empty() {
                skill.name = name.strip_prefix("Skill:").unwrap_or(name).trim().to_owned();
            }
        } else if line.starts_with("##") {
            section = Some(Section::of_heading(line));
        } else if let Some(Some(section)) = section {
            take_item(&mut skill, section, line);
        } else if section.is_none() && !skill.name.is_empty() {
            description.push(line);
        }
    }
    skill.description = description.join("\n").trim().to_owned();
    (!skill.name.is_empty()).then_some(skill)
}

fn take_item(skill: &mut Skill, section: Section, line: &str) {
    let line = line.trim();
    let item = match section {
        Section::Steps => numbered(line).or_else(|| bulleted(line)),
        _ => bulleted(line).or_else(|| numbered(line)),
    };
    let Some(item) = item else { return };
    match section {
        Section::Prerequisites => skill.prerequisites.push(item.to_owned()),
        Section::Steps => skill.steps.push(item.to_owned()),
        Section::Exit => skill.exit_criteria.push(item.to_owned()),
        Section::Errors => {
            let (error, fix) = item.split_once(": ").unwrap_or((item, ""));
            let bare = |text: &str| text.trim_matches(['*', '`']).trim().to_owned();
            skill.common_errors.push(CommonError { error: bare(error), fix: fix.trim().to_owned() });
        }
    }
}

fn bulleted(line: &str) -> Option<&str> {
    let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?;
    Some(item.strip_prefix("[ ] ").or_else(|| item.strip_prefix("[x] ")).unwrap_or(item).trim())
}

fn numbered(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(['.', ')'])?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| rest.trim())
}

/// A new document, as Loki Mode writes it.
pub fn write(skill: &Skill) -> String {
    let mut lines = vec![format!("# Skill: {}", flat(&skill.name)), String::new()];
    if !skill.description.is_empty() {
        lines.extend([skill.description.clone(), String::new()]);
    }
    for section in Section::ALL {
        let items = section.lines(skill);
        if !items.is_empty() {
            lines.push(section.heading().to_owned());
            lines.extend(items);
            lines.push(String::new());
        }
    }
    lines.join("\n")
}

/// Carries what changed between two skills over to a document, leaving everything else in it alone.
pub fn patch(text: &str, before: &Skill, after: &Skill) -> String {
    if text == write(before) || parse(text).is_none() {
        return write(after);
    }
    let mut out: Vec<String> = text.lines().map(str::to_owned).collect();
    if before.name != after.name
        && let Some(line) = out.iter_mut().find(|line| line.starts_with("# "))
    {
        *line = format!("# Skill: {}", flat(&after.name));
    }
    if before.description != after.description {
        replace_description(&mut out, &after.description);
    }
    for section in Section::ALL {
        if section.lines(before) != section.lines(after) {
            replace_section(&mut out, section, section.lines(after));
        }
    }
    let mut text = out.join("\n");
    text.push('\n');
    text
}

fn replace_description(lines: &mut Vec<String>, description: &str) {
    let start = lines.iter().position(|line| line.starts_with("# ")).map_or(0, |at| at + 1);
    let end = lines.iter().position(|line| line.starts_with("##")).unwrap_or(lines.len()).max(start);
    lines.splice(start..end, [String::new(), description.to_owned(), String::new()]);
}

fn replace_section(lines: &mut Vec<String>, section: Section, items: Vec<String>) {
    let Some(heading) =
        lines.iter().position(|line| line.starts_with("##") && Section::of_heading(line) == Some(section))
    else {
        lines.extend([String::new(), section.heading().to_owned()]);
        lines.extend(items);
        return;
    };
    let start = heading + 1;
    let end = lines[start..].iter().position(|line| line.starts_with('#')).map_or(lines.len(), |at| start + at);
    let last_blank = (end < lines.len()).then(String::new);
    lines.splice(start..end, items.into_iter().chain(last_blank));
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# Skill: API Client Retry\n\nWrap HTTP calls in retry.\n\n## Prerequisites\n- tests run\n\n## Steps\n1. Write test\n2. Add backoff helper\n\n## Common Errors and Fixes\n- Timeout: Raise limit\n\n## Exit Criteria\n- tests pass\n";

    #[test]
    fn a_document_of_loki_mode_reads_and_writes_to_the_same_bytes() {
        let skill = parse(DOCUMENT).unwrap();
        assert_eq!(skill.name, "API Client Retry");
        assert_eq!(skill.description, "Wrap HTTP calls in retry.");
        assert_eq!(skill.steps, ["Write test", "Add backoff helper"]);
        assert_eq!(skill.common_errors, [CommonError { error: "Timeout".into(), fix: "Raise limit".into() }]);
        assert_eq!(write(&skill), DOCUMENT);
    }

    #[test]
    fn a_hand_written_document_keeps_its_own_prose_when_one_section_changes() {
        let text = "# Skill: Deploy\n\nCareful.\n\n## Steps\n1) build\n2) ship\n\n## Why\nBecause.\n\n## Common Errors & Fixes\n- **E1**: retry\n";
        let before = parse(text).unwrap();
        assert_eq!(before.steps, ["build", "ship"]);
        assert_eq!(before.common_errors[0].error, "E1");
        let after = Skill { steps: vec!["test".into(), "build".into()], ..before.clone() };
        let expect = "# Skill: Deploy\n\nCareful.\n\n## Steps\n1. test\n2. build\n\n## Why\nBecause.\n\n## Common Errors & Fixes\n- **E1**: retry\n";
        assert_eq!(patch(text, &before, &after), expect);
    }

    #[test]
    fn two_spellings_of_a_name_have_one_slug() {
        assert_eq!(slug("API_Client Retry"), "api-client-retry");
        assert_eq!(slug("api-client-retry"), "api-client-retry");
        assert_eq!(slug("../../x"), "x");
        assert_eq!(slug("日本"), "skill");
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_parser_and_what_it_reads_can_be_written(text in "(?s).{0,200}") {
            if let Some(skill) = parse(&text) {
                let _ = patch(&text, &skill, &Skill { name: "x".into(), ..skill.clone() });
            }
        }

        #[test]
        fn a_written_skill_reads_back(name in "[a-z]{1,9}( [a-z]{1,9}){0,2}", steps in proptest::collection::vec("[a-z]{1,9}( [a-z]{1,9}){0,2}", 0..4)) {
            let skill = Skill { name, steps, ..Skill::default() };
            proptest::prop_assert_eq!(parse(&write(&skill)), Some(skill));
        }
    }
}
