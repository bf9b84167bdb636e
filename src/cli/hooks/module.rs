//! OpenCode has no settings for hooks: it loads plugins, and ours is a file of its own, written and removed as a whole.

use serde_json::Value;

use super::json::Problem;

const TEXT: &str = include_str!("opencode.js");
/// The program's name in [`TEXT`], which is replaced.
const PROGRAM: &str = "const PROGRAM = ";

pub(super) fn fresh(program: &str) -> String {
    // JSON's texts are JavaScript's.
    TEXT.replacen(&format!("{PROGRAM}\"lokid\""), &format!("{PROGRAM}{}", Value::from(program)), 1)
}

/// What the file shall hold. Somebody else's plugin of that name is not overwritten.
pub(super) fn install(text: &str, program: &str) -> Result<String, Problem> {
    if text.trim().is_empty() || is_ours(text) {
        return Ok(fresh(program));
    }
    Err(Problem::at(text, 0, "this plugin was not written by lokid"))
}

/// By its first words; a later version may say more.
pub(super) fn is_ours(text: &str) -> bool {
    text.starts_with("// lokid for OpenCode")
}

/// Which program it calls.
pub(super) fn program(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(PROGRAM))?;
    serde_json::from_str(line.trim_end_matches(';')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_names_its_program_and_is_known_again() {
        for path in ["/usr/bin/lokid", "/a \"b\"/lokid"] {
            let text = fresh(path);
            assert!(is_ours(&text));
            assert_eq!(program(&text).as_deref(), Some(path));
            assert_eq!(install(&text, "/new/lokid").unwrap(), fresh("/new/lokid"));
        }
    }

    #[test]
    fn another_plugin_of_that_name_stays() {
        assert!(install("export const Mine = 1\n", "/usr/bin/lokid").is_err());
        assert_eq!(install("\n", "lokid").unwrap(), TEXT);
    }
}
