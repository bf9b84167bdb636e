//! Text as it has to be written so that a service manager reads it as it is. Every rule is the manager's own: what is
//! split into words, what only fills in names, and what is XML each have theirs.

/// A line of words for `ExecStart=`. Where a dollar sign stands in it, variables are not filled in at all: in the name of
/// the program a doubled one would stay two. A program with a quote or a backslash in its name, which systemd refuses
/// however it is written, is started by a shell that makes way for it.
pub(super) fn command(words: &[String]) -> String {
    let refused = words.first().is_some_and(|program| program.contains(['"', '\'', '\\']));
    let shell = ["/bin/sh", "-c", r#"exec "$0" "$@""#].into_iter().filter(|_| refused);
    let words: Vec<String> = shell.map(str::to_owned).chain(words.iter().cloned()).collect();
    let as_they_are = if words.iter().any(|word| word.contains('$')) { ":" } else { "" };
    let words: Vec<String> = words.iter().map(|text| word(text)).collect();
    format!("{as_they_are}{}", words.join(" "))
}

/// One word of a setting that systemd splits.
pub(super) fn word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_./@+=:,-".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("\"{}\"", whole(&text.replace('\\', r"\\").replace('"', "\\\"")))
}

/// A setting that systemd takes whole and only fills names into, as a path.
pub(super) fn whole(text: &str) -> String {
    text.replace('%', "%%")
}

/// May it be taken whole? Space at an end would be cut off, and a backslash there joins the next line to it.
pub(super) fn can_be_whole(text: &str) -> bool {
    text.trim() == text && !text.ends_with('\\')
}

/// A path as the name of an instance, as `systemd-escape --path` writes it; `%f` is the path again.
pub(super) fn instance(path: &str) -> String {
    let inner = path.trim_matches('/');
    if inner.is_empty() {
        return "-".to_owned();
    }
    let mut name = String::with_capacity(inner.len());
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'/' => name.push('-'),
            b'.' if at == 0 => name.push_str(r"\x2e"),
            b':' | b'_' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => name.push(char::from(byte)),
            _ => name.push_str(&format!(r"\x{byte:02x}")),
        }
    }
    name
}

pub(super) fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_they_have_to_be() {
        for (text, expected) in [
            ("/usr/bin/lokid", "/usr/bin/lokid"),
            ("/home/a b/lokid", r#""/home/a b/lokid""#),
            ("100%", r#""100%%""#),
            (r#"a"b\c"#, r#""a\"b\\c""#),
            ("/home/zoë/lokid", r#""/home/zoë/lokid""#),
            ("it's", r#""it's""#),
            ("", r#""""#),
        ] {
            assert_eq!(word(text), expected, "{text}");
        }
    }

    #[test]
    fn a_dollar_sign_is_never_filled_in() {
        let words = |words: &[&str]| command(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&["/usr/bin/lokid", "run"]), "/usr/bin/lokid run");
        assert_eq!(words(&["/home/$me/lokid", "run"]), r#":"/home/$me/lokid" run"#);
        let shell = r#":/bin/sh -c "exec \"$0\" \"$@\"" "/home/a\\b/lokid" run"#;
        assert_eq!(words(&[r"/home/a\b/lokid", "run"]), shell);
    }

    #[test]
    fn what_cannot_be_taken_whole_is_known() {
        assert!(can_be_whole("/a b/x.sock") && can_be_whole(r"/a\b"));
        assert!(!can_be_whole("/a ") && !can_be_whole(r"/a\"));
        assert_eq!(whole("/a b/100%"), "/a b/100%%");
    }

    #[test]
    fn an_instance_is_named_as_systemd_names_it() {
        for (path, expected) in [
            ("/home/ada/code/app", "home-ada-code-app"),
            ("/home/ada/my-app", r"home-ada-my\x2dapp"),
            ("/.hidden/x", r"\x2ehidden-x"),
            ("/a b/é&%", r"a\x20b-\xc3\xa9\x26\x25"),
            ("/", "-"),
        ] {
            assert_eq!(instance(path), expected, "{path}");
        }
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(xml("a & b <c>"), "a &amp; b &lt;c&gt;");
    }
}
