//! The command line that agents are given: written so that a shell reads it back, and recognised whoever wrote it.

use super::agent::Agent;

/// The same as `lokid hook`, and quicker to start.
pub(super) const SMALL: &str = "lokid-hook";

/// `'/opt/my tools/lokid' hook --agent codex Stop`, or `lokid-hook --agent codex Stop`. The default agent is not named, so
/// that programs which read Claude Code's settings as well as their own see the same words twice and run them once.
pub(super) fn line(program: &str, agent: Agent, event: &str) -> String {
    let hook = if name(program) == SMALL { "" } else { " hook" };
    let program = quote(program);
    match agent {
        Agent::Claude => format!("{program}{hook} {event}"),
        _ => format!("{program}{hook} --agent {} {event}", agent.as_str()),
    }
}

/// The program of a line that is `lokid hook …` or `lokid-hook …`; `None` for every other.
pub(super) fn program(line: &str) -> Option<String> {
    let mut words = words(line)?.into_iter();
    let program = words.next().filter(|program| is_lokid(program))?;
    (words.next()? == "hook" || name(&program) == SMALL).then_some(program)
}

pub(super) fn is_lokid(program: &str) -> bool {
    ["lokid", SMALL].contains(&name(program))
}

fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// One word of a line that a shell reads.
pub(in crate::cli) fn quote(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_./@%+=:,-".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// As a shell splits a simple command. `None` when it is more than that: pipes, variables, several commands.
pub(in crate::cli) fn words(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            ' ' | '\t' => words.extend(open.take()),
            '\'' => {
                let word = open.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        inside => word.push(inside),
                    }
                }
            }
            '"' => {
                let word = open.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '\\' => word.push(rest.next()?),
                        '$' | '`' => return None,
                        inside => word.push(inside),
                    }
                }
            }
            '\\' => open.get_or_insert_default().push(rest.next()?),
            ';' | '|' | '&' | '<' | '>' | '(' | ')' | '$' | '`' | '\n' => return None,
            _ => open.get_or_insert_default().push(character),
        }
    }
    words.extend(open);
    Some(words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_plain_path_stays_plain_and_others_are_quoted() {
        assert_eq!(line("/usr/bin/lokid", Agent::Claude, "Stop"), "/usr/bin/lokid hook Stop");
        assert_eq!(line("/a b/lokid", Agent::Codex, "Stop"), "'/a b/lokid' hook --agent codex Stop");
        assert_eq!(line("/a b/lokid-hook", Agent::Codex, "Stop"), "'/a b/lokid-hook' --agent codex Stop");
        assert_eq!(line("/it's/lokid", Agent::Claude, "Stop"), r"'/it'\''s/lokid' hook Stop");
    }

    #[test]
    fn only_a_lokid_hook_is_recognised() {
        for (text, expected) in [
            ("lokid hook Stop", Some("lokid")),
            ("/usr/bin/lokid hook --agent codex Stop", Some("/usr/bin/lokid")),
            ("\"/a b/lokid\"  hook Stop", Some("/a b/lokid")),
            (r"/a\ b/lokid hook Stop", Some("/a b/lokid")),
            ("/usr/bin/lokid-hook --agent codex Stop", Some("/usr/bin/lokid-hook")),
            ("lokid-hook", None),
            ("lokid recall x", None),
            ("lokid", None),
            ("mylokid hook Stop", None),
            ("echo lokid hook Stop", None),
            ("lokid hook Stop; rm -rf x", None),
            ("lokid hook Stop && mine", None),
            ("'lokid hook", None),
            ("", None),
        ] {
            assert_eq!(program(text).as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(folder in "[^\\x00/\n]{0,20}", name in "lokid(-hook)?") {
            let path = format!("/{folder}/{name}");
            prop_assert_eq!(program(&line(&path, Agent::Gemini, "AfterTool")), Some(path));
        }

        #[test]
        fn any_line_is_looked_at_without_a_panic(text in "\\PC{0,60}") {
            let _ = program(&text);
        }
    }
}
