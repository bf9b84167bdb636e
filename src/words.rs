//! Numbers, sizes, times and lists in the words a person reads. Pure: nothing here prints or asks the clock.

use serde_json::Value;

use lokid_model::Timestamp;

/// `1,204`
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 memory`, `1,204 memories`
pub(crate) fn count(many: u64, one: &str, more: &str) -> String {
    format!("{} {}", number(many), if many == 1 { one } else { more })
}

/// The plural of a kind as people say it: `anti-patterns`, `memories`.
pub(crate) fn plural(kind: &str) -> String {
    let spoken = kind.replace('_', "-");
    match spoken.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{spoken}s"),
    }
}

/// `800 notes, 404 facts`, the most frequent kind first.
pub(crate) fn kinds(by_kind: &[(String, u64)]) -> String {
    let mut kinds: Vec<&(String, u64)> = by_kind.iter().filter(|(_, many)| *many > 0).collect();
    kinds.sort_by(|(one, few), (other, many)| many.cmp(few).then_with(|| one.cmp(other)));
    let named = kinds.iter().map(|(kind, many)| count(*many, &kind.replace('_', "-"), &plural(kind)));
    named.collect::<Vec<_>>().join(", ")
}

/// `1,204 memories: 800 notes, 404 facts`
pub(crate) fn holdings(by_kind: &[(String, u64)]) -> String {
    let total = count(by_kind.iter().map(|(_, many)| many).sum(), "memory", "memories");
    let kinds = kinds(by_kind);
    if kinds.is_empty() { total } else { format!("{total}: {kinds}") }
}

/// What the numbers of a night are called, in the order they are told.
const DEEDS: [(&str, &str, &str); 17] = [
    ("patterns_created", "pattern learnt", "patterns learnt"),
    ("patterns_updated", "pattern with more evidence", "patterns with more evidence"),
    ("anti_patterns", "anti-pattern", "anti-patterns"),
    ("learnings", "learning", "learnings"),
    ("skills", "skill", "skills"),
    ("deduped", "duplicate merged", "duplicates merged"),
    ("contradictions_found", "contradiction found", "contradictions found"),
    ("superseded", "statement replaced by a newer one", "statements replaced by newer ones"),
    ("summarized", "summary", "summaries"),
    ("compressed", "compressed", "compressed"),
    ("promoted", "promoted", "promoted"),
    ("demoted", "demoted", "demoted"),
    ("stale", "marked as out of date", "marked as out of date"),
    ("forgotten", "forgotten", "forgotten"),
    ("archived", "archived for want of use", "archived for want of use"),
    ("links_added", "link", "links"),
    ("links_removed", "link removed", "links removed"),
];

/// What a night did, by number: `2 patterns learnt`, `1 duplicate merged`. What it did not do is left out.
pub(crate) fn deeds(night: &Value) -> Vec<String> {
    let number = |name: &str| night.get(name).and_then(Value::as_u64).unwrap_or(0);
    let many = |name: &str| match name {
        // What was forgotten counts as archived, too; here each is told once.
        "archived" => number("archived").saturating_sub(number("forgotten")),
        name => number(name),
    };
    let told = DEEDS.iter().filter(|(name, _, _)| many(name) > 0);
    told.map(|(name, one, more)| count(many(name), one, more)).collect()
}

/// `512 B`, `1.5 MiB`
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

/// `45 s`, `12 min`, `3 h 20 min`, `9 d 4 h`
pub(crate) fn span(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |large: u64, unit: &str, small: u64, part: &str| {
        if small == 0 { format!("{large} {unit}") } else { format!("{large} {unit} {small} {part}") }
    };
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min"),
        3600..86_400 => two(hours, "h", minutes % 60, "min"),
        _ => two(days, "d", hours % 24, "h"),
    }
}

/// `2026-11-13 04:59 UTC` from what the API says, or that itself when it is no time.
pub(crate) fn moment(text: &str) -> String {
    match Timestamp::parse(text) {
        Some(time) => {
            let written = time.record_style();
            format!("{} {} UTC", &written[..10], &written[11..16])
        }
        None => text.to_owned(),
    }
}

/// The first line, at most `most` characters wide.
pub(crate) fn brief(text: &str, most: usize) -> String {
    let line = text.trim().lines().next().unwrap_or("");
    if line.chars().count() <= most {
        return line.to_owned();
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// A value of the API in a line of text: strings bare, lists with commas, nothing for null; of an object what is
/// neither empty nor zero.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let shown = fields.iter().map(|(key, value)| (key, plain(value)));
            let says = shown.filter(|(_, value)| !value.is_empty() && value != "0");
            says.map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// `key` of an answer as text; empty when it is missing or null.
pub(crate) fn field(value: &Value, key: &str) -> String {
    value.get(key).map(plain).unwrap_or_default()
}

/// The widest a column of a table is made for what stands beside it.
const WIDEST: usize = 60;

/// Rows with their columns aligned; the last column is not padded.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        // One long cell does not push the others off the screen.
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).min(WIDEST)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}", width = *width)).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_counts_agree_with_their_noun() {
        for (given, expected) in [(0, "0"), (999, "999"), (1_204, "1,204"), (1_000_000, "1,000,000")] {
            assert_eq!(number(given), expected);
        }
        assert_eq!(count(1, "memory", "memories"), "1 memory");
        assert_eq!(count(1_204, "memory", "memories"), "1,204 memories");
    }

    #[test]
    fn holdings_name_the_most_frequent_kind_first_and_leave_out_the_absent() {
        let held =
            [("fact".to_owned(), 2), ("anti_pattern".to_owned(), 1), ("note".to_owned(), 1_201), ("x".into(), 0)];
        assert_eq!(holdings(&held), "1,204 memories: 1,201 notes, 2 facts, 1 anti-pattern");
        assert_eq!(holdings(&[]), "0 memories");
    }

    #[test]
    fn a_night_tells_each_deed_once_and_nothing_it_did_not_do() {
        let night = serde_json::json!({"deduped": 1, "archived": 5, "forgotten": 2, "skills": 0, "promoted": null});
        assert_eq!(deeds(&night), ["1 duplicate merged", "2 forgotten", "3 archived for want of use"]);
        assert!(deeds(&Value::Null).is_empty());
    }

    #[test]
    fn sizes_and_spans_are_short() {
        assert_eq!((size(512), size(1536), size(3 << 30)), ("512 B".into(), "1.5 KiB".into(), "3.0 GiB".into()));
        for (seconds, expected) in
            [(45, "45 s"), (130, "2 min"), (7_200, "2 h"), (12_000, "3 h 20 min"), (100_000, "1 d 3 h")]
        {
            assert_eq!(span(seconds), expected);
        }
    }

    #[test]
    fn moments_are_readable_and_what_is_none_stays() {
        assert_eq!(moment("2026-11-13T04:59:53.622638Z"), "2026-11-13 04:59 UTC");
        assert_eq!(moment("soon"), "soon");
    }

    #[test]
    fn a_brief_text_is_one_line_and_cut_with_an_ellipsis() {
        assert_eq!(brief("\n one\ntwo", 10), "one");
        assert_eq!(brief("abcdefgh", 5), "abcd…");
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["bcd".to_owned(), "22".to_owned()]];
        assert_eq!(table(&rows), ["a    1", "bcd  22"]);
    }
}
