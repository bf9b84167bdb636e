//! Our lines in `.gitattributes`: put in and taken out so that every other byte of the file stays.

/// Paths are those beside the file.
const LINES: [&str; 3] = [
    "/.loki/memory/**/*.json merge=lokid",
    "/.loki/memory/**/*.ndjson merge=lokid",
    "/.loki/memory/**/skills/*.md merge=lokid",
];
const BEGIN: &str = "# lokid begin: files of the memory are merged record by record (lokid team git uninstall)";
const END: &str = "# lokid end";
/// What stood there before, where the lines alone do not tell.
const NEW_FILE: &str = " (new file)";
const OPEN_LINE: &str = " (after a line without an end)";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attributes {
    /// As this lokid writes them.
    Ours,
    /// Ours, and not as this lokid writes them.
    Old,
    /// Somebody asks for the driver in lines of their own.
    Others,
    Missing,
}

pub fn look(file: Option<&[u8]>) -> Attributes {
    let text = file.unwrap_or_default();
    if let Some(found) = find(text) {
        let ours = block(found.mark, found.crlf);
        return if text[found.start..found.end] == *ours.as_bytes() { Attributes::Ours } else { Attributes::Old };
    }
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let asks = lines.into_iter().any(|line| line.split_whitespace().skip(1).any(|word| word == "merge=lokid"));
    if asks { Attributes::Others } else { Attributes::Missing }
}

/// The file with our lines in it, in place of those that an older lokid wrote.
pub fn install(file: Option<&[u8]>) -> Vec<u8> {
    let Some(text) = file else { return block(NEW_FILE, false).into_bytes() };
    if let Some(found) = find(text) {
        let ours = block(found.mark, found.crlf);
        return [&text[..found.start], ours.as_bytes(), &text[found.end..]].concat();
    }
    let crlf = text.windows(2).any(|pair| pair == b"\r\n");
    let is_open = !text.is_empty() && !text.ends_with(b"\n");
    let mark = if is_open { OPEN_LINE } else { "" };
    let line_end: &[u8] = if crlf { b"\r\n" } else { b"\n" };
    let between = if is_open { line_end } else { b"" };
    [text, between, block(mark, crlf).as_bytes()].concat()
}

/// The file as it was before our lines, or nothing for one that was not there. The outer nothing: they are not in it.
pub fn uninstall(file: &[u8]) -> Option<Option<Vec<u8>>> {
    let found = find(file)?;
    let mut before = &file[..found.start];
    let after = &file[found.end..];
    if found.mark == OPEN_LINE && after.is_empty() {
        before = before.strip_suffix(b"\n").map_or(before, |before| before.strip_suffix(b"\r").unwrap_or(before));
    }
    let left = [before, after].concat();
    Some((!(left.is_empty() && found.mark == NEW_FILE)).then_some(left))
}

/// The lines that are written, for a person to see.
pub fn shown() -> String {
    block("", false)
}

fn block(mark: &str, crlf: bool) -> String {
    let line_end = if crlf { "\r\n" } else { "\n" };
    let begin = format!("{BEGIN}{mark}");
    let lines = [begin.as_str()].into_iter().chain(LINES).chain([END]);
    lines.flat_map(|line| [line, line_end]).collect()
}

struct Found {
    start: usize,
    end: usize,
    mark: &'static str,
    crlf: bool,
}

fn find(text: &[u8]) -> Option<Found> {
    let (mut at, mut begun) = (0, None);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let word = line.trim_ascii_end();
        if word.starts_with(b"# lokid begin") {
            let mark = [NEW_FILE, OPEN_LINE].into_iter().find(|mark| word.ends_with(mark.as_bytes())).unwrap_or("");
            begun = Some((start, mark, line.ends_with(b"\r\n")));
        } else if word == END.as_bytes()
            && let Some((start, mark, crlf)) = begun
        {
            return Some(Found { start, end: at, mark, crlf });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_taken_out_to_the_byte() {
        for before in [
            None,
            Some(""),
            Some("*.rs diff=rust\n"),
            Some("*.rs diff=rust"),
            Some("a b\r\nc d\r\n"),
            Some("a b\r\nc d"),
            Some("\n\n"),
        ] {
            let before = before.map(str::as_bytes);
            let with = install(before);
            assert_eq!(look(Some(&with)), Attributes::Ours, "{before:?}");
            assert_eq!(install(Some(&with)), with, "twice is once");
            assert_eq!(uninstall(&with), Some(before.map(<[u8]>::to_vec)), "{before:?}");
        }
    }

    #[test]
    fn what_others_write_around_it_stays() {
        let mut with = install(Some(b"*.rs diff=rust"));
        with.extend_from_slice(b"*.md diff=markdown\n");
        assert_eq!(uninstall(&with), Some(Some(b"*.rs diff=rust\n*.md diff=markdown\n".to_vec())));
        assert_eq!(uninstall(b"*.rs diff=rust\n"), None);
    }

    #[test]
    fn lines_of_another_version_are_replaced_and_lines_of_somebody_else_are_theirs() {
        let old = b"x y\n# lokid begin: as it was\n*.json merge=lokid\n# lokid end\nz w\n";
        assert_eq!(look(Some(old)), Attributes::Old);
        let new = install(Some(old));
        assert_eq!(look(Some(&new)), Attributes::Ours);
        assert!(new.starts_with(b"x y\n# lokid begin") && new.ends_with(b"# lokid end\nz w\n"));
        assert_eq!(look(Some(b".loki/memory/** merge=lokid\n")), Attributes::Others);
        assert_eq!(look(Some(b"# merge=lokid\n")), Attributes::Missing);
        assert_eq!(look(None), Attributes::Missing);
    }
}
