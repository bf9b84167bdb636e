//! What the commands do to a text, and how it is shown: line numbers, one replacement, one insertion, a listing. Text
//! in, text out.

use std::collections::BTreeMap;

/// Lines around a change that are shown.
const AROUND: usize = 4;

/// Six columns for the number, then a tab. The range counts from 1, both ends included; an end of -1 is the last line.
pub(super) fn numbered(text: &str, range: Option<(i64, i64)>) -> Result<String, String> {
    let lines: Vec<&str> = lines(text);
    let all = lines.len() as i64;
    let (first, last) = match range {
        None => (1, all),
        Some((first, last)) => {
            let last = if last == -1 { all } else { last };
            if first < 1 || first > all.max(1) || last < first {
                return Err(format!("give [first, last] within [1, {all}]; -1 stands for the last line"));
            }
            (first, last.min(all))
        }
    };
    Ok(with_numbers(&lines, first as usize, last as usize))
}

fn with_numbers(lines: &[&str], first: usize, last: usize) -> String {
    let shown = lines.iter().enumerate().take(last).skip(first.saturating_sub(1));
    shown.map(|(at, line)| format!("{:>6}\t{line}", at + 1)).collect::<Vec<_>>().join("\n")
}

/// A line end at the very end begins no line.
fn lines(text: &str) -> Vec<&str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() { Vec::new() } else { body.split('\n').collect() }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoReplacement {
    Empty,
    Absent,
    /// The lines it stands in.
    Several(String),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: String,
    /// The lines around the change.
    pub(super) snippet: String,
}

/// Replaces what stands there exactly once.
pub(super) fn replaced(text: &str, old: &str, new: &str) -> Result<Edited, NoReplacement> {
    if old.is_empty() {
        return Err(NoReplacement::Empty);
    }
    let places: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
    let [place] = places[..] else {
        let line = |at: &usize| (text[..*at].matches('\n').count() + 1).to_string();
        let lines: Vec<String> = places.iter().take(64).map(line).collect();
        return Err(if lines.is_empty() { NoReplacement::Absent } else { NoReplacement::Several(lines.join(", ")) });
    };
    let edited = format!("{}{new}{}", &text[..place], &text[place + old.len()..]);
    let line = text[..place].matches('\n').count() + 1;
    let last = line + new.matches('\n').count() + AROUND;
    let snippet = with_numbers(&lines(&edited), line.saturating_sub(AROUND).max(1), last);
    Ok(Edited { text: edited, snippet })
}

/// Puts whole lines behind a line; 0 is the beginning. Refused with the number of lines there are.
pub(super) fn inserted(text: &str, line: i64, new: &str) -> Result<String, usize> {
    let mut all = lines(text);
    let at = usize::try_from(line).ok().filter(|at| *at <= all.len()).ok_or(all.len())?;
    let added = new.strip_suffix('\n').unwrap_or(new).split('\n');
    all.splice(at..at, added);
    let mut out = all.join("\n");
    if text.ends_with('\n') || text.is_empty() || new.ends_with('\n') {
        out.push('\n');
    }
    Ok(out)
}

/// Sizes and paths of everything up to two levels deep, in the order of the paths.
pub(super) fn listing<'a>(folder: &str, files: impl Iterator<Item = (&'a str, usize)>, most: usize) -> String {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::from([(folder.to_owned(), 0)]);
    for (path, size) in files {
        let Some(inside) = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else { continue };
        let names: Vec<&str> = inside.split('/').collect();
        if names.iter().any(|name| name.starts_with('.') || *name == "node_modules") {
            continue;
        }
        *sizes.entry(folder.to_owned()).or_default() += size;
        for depth in 1..=names.len().min(2) {
            *sizes.entry(format!("{folder}/{}", names[..depth].join("/"))).or_default() += size;
        }
    }
    let hidden = sizes.len().saturating_sub(most);
    let mut shown: Vec<String> =
        sizes.iter().take(most).map(|(path, size)| format!("{}\t{path}", human(*size))).collect();
    if hidden > 0 {
        shown.push(format!("[{hidden} more are not shown: view a directory below]"));
    }
    shown.join("\n")
}

fn human(bytes: usize) -> String {
    let mut size = bytes as f64;
    for unit in ["", "K", "M"] {
        if size < 1024.0 {
            return if unit.is_empty() { bytes.to_string() } else { format!("{size:.1}{unit}") };
        }
        size /= 1024.0;
    }
    format!("{size:.1}G")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_in_six_columns() {
        assert_eq!(numbered("a\nb\n", None).unwrap(), "     1\ta\n     2\tb");
        assert_eq!(numbered("a\n\nc", Some((2, -1))).unwrap(), "     2\t\n     3\tc");
        assert_eq!(numbered("a\nb\nc", Some((2, 99))).unwrap(), "     2\tb\n     3\tc");
        assert_eq!(numbered("", None).unwrap(), "");
        for bad in [(0, 1), (4, 5), (3, 2), (-1, -1), (i64::MIN, i64::MAX)] {
            assert!(numbered("a\nb\nc", Some(bad)).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn only_what_stands_there_once_is_replaced() {
        let edited = replaced("one\ntwo\nthree\n", "two", "2\n2½").unwrap();
        assert_eq!(edited.text, "one\n2\n2½\nthree\n");
        assert!(edited.snippet.contains("     2\t2\n     3\t2½"), "{}", edited.snippet);
        assert_eq!(replaced("a b a\na", "a", "x"), Err(NoReplacement::Several("1, 1, 2".to_owned())));
        assert_eq!(replaced("a", "b", "x"), Err(NoReplacement::Absent));
        assert_eq!(replaced("a", "", "x"), Err(NoReplacement::Empty));
    }

    #[test]
    fn lines_are_inserted_behind_a_line() {
        assert_eq!(inserted("a\nb\n", 1, "x\n").unwrap(), "a\nx\nb\n");
        assert_eq!(inserted("a\nb", 0, "x").unwrap(), "x\na\nb");
        assert_eq!(inserted("a\nb", 2, "x\ny\n").unwrap(), "a\nb\nx\ny\n");
        assert_eq!(inserted("", 0, "x").unwrap(), "x\n");
        assert_eq!(inserted("a\n", 2, "x"), Err(1));
        assert_eq!(inserted("a\n", -1, "x"), Err(1));
    }

    #[test]
    fn a_listing_is_two_levels_deep_and_hides_what_is_hidden() {
        let files = [
            ("/memories/b.md", 2048),
            ("/memories/a/x/deep.md", 10),
            ("/memories/a/y.md", 5),
            ("/memories/.secret", 9),
        ];
        let expect = "2.0K\t/memories\n15\t/memories/a\n10\t/memories/a/x\n5\t/memories/a/y.md\n2.0K\t/memories/b.md";
        assert_eq!(listing("/memories", files.into_iter(), 100), expect);
        assert_eq!(listing("/memories", [].into_iter(), 100), "0\t/memories");
        assert!(listing("/memories", files.into_iter(), 2).ends_with("[3 more are not shown: view a directory below]"));
    }

    proptest::proptest! {
        #[test]
        fn any_edit_is_survived(text in "(?s)[a\n\u{e9}]{0,40}", old in "(?s)[a\n\u{e9}]{0,3}", new in "(?s).{0,9}", line in -2i64..50) {
            let _ = replaced(&text, &old, &new);
            let _ = inserted(&text, line, &new);
            let _ = numbered(&text, Some((line, line)));
        }
    }
}
