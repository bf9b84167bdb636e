//! Small work on words: names found as whole words, short quotes, and texts without what differs from case to case.

pub(super) use lokid_model::words::head;

/// Is `name` said in `text`, and not as a part of another word? Letters of either case.
pub(crate) fn is_said(text: &str, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// The first line, not longer than so many characters.
pub(crate) fn quote(text: &str, most: usize) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

/// An error as it is asked about: the first lines without numbers, addresses and the way to a file.
pub(super) fn asked_error(text: &str) -> String {
    const LINES: usize = 6;
    const BYTES: usize = 300;
    let lines = head(text, 8 * BYTES).lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES);
    let mut asked = String::new();
    for word in lines.flat_map(str::split_whitespace) {
        let word = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_number = !bare.chars().any(char::is_alphabetic);
        let is_address =
            bare.starts_with("0x") || (bare.len() >= 8 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if is_number || is_address {
            continue;
        }
        if asked.len() + word.len() > BYTES {
            break;
        }
        if !asked.is_empty() {
            asked.push(' ');
        }
        asked.push_str(word);
    }
    asked
}

/// What a branch is called after, in words: `feature/AUTH-12-rate_limit` speaks of auth and a rate limit.
pub(super) fn branch_words(name: &str) -> String {
    const FORMS: &[&str] = &[
        "feature", "feat", "features", "fix", "fixes", "bugfix", "hotfix", "bug", "chore", "task", "wip", "refactor",
        "users", "user", "topic", "issue", "release", "dev", "patch", "work",
    ];
    let words = head(name, 200).split(|c: char| !c.is_alphanumeric());
    let telling = words.filter(|word| {
        let is_form = FORMS.iter().any(|form| form.eq_ignore_ascii_case(word));
        word.len() > 1 && !is_form && word.chars().any(char::is_alphabetic)
    });
    telling.collect::<Vec<_>>().join(" ")
}

/// The same, for a branch that says anything.
pub fn branch_topic(name: &str) -> Option<String> {
    Some(branch_words(name)).filter(|words| !words.is_empty() && !is_common_branch(name))
}

/// Branches that everything happens on say nothing.
pub fn is_common_branch(name: &str) -> bool {
    const COMMON: &[&str] = &["main", "master", "trunk", "develop", "dev", "development", "head", "default", "next"];
    let is_commit = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.is_empty() || is_commit || COMMON.iter().any(|common| common.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_whole_word() {
        assert!(is_said("Ana prefers tabs", "ana"));
        assert!(is_said("ask (ana).", "Ana"));
        assert!(!is_said("banana and analysis", "ana"));
        assert!(!is_said("anything", ""));
        assert!(is_said("İ straße ana", "ana"), "letters that grow when they become small");
    }

    #[test]
    fn an_error_is_asked_about_without_what_differs_every_time() {
        assert_eq!(
            asked_error("TypeError: bad operand at 0x7ffee4\n  File \"/home/x/src/cart.py\", line 31\n"),
            "TypeError: bad operand at File cart.py\", line"
        );
        assert!(asked_error(&"x".repeat(10 << 20)).len() <= 300);
        assert_eq!(asked_error("\0\n\n"), "");
    }

    #[test]
    fn a_branch_speaks_of_what_it_is_called_after() {
        assert_eq!(branch_words("feature/AUTH-12-rate_limit"), "AUTH rate limit");
        assert_eq!(branch_words("fix/123"), "");
        assert!(is_common_branch("Main") && is_common_branch("0a1b2c3d4e5f") && !is_common_branch("auth"));
    }

    #[test]
    fn a_quote_is_one_line_cut_between_letters() {
        assert_eq!(quote("  ünder\nmore", 3), "ünd…");
        assert_eq!(quote("", 3), "");
    }
}
