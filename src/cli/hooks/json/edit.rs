//! The three edits: put something at the end of an object or list, take an entry out, write another text in a value's
//! place. Each leaves every other byte where it was, and taking out what was put in gives the old bytes back.

use serde_json::Value;

use super::Step;
use super::scan::{Allowed, Entry, Kind, Node, after_comments, parse};
use super::style::{JsonStyle, indentation, line_indentation, member, render};

/// Behind the last entry of the container at `path`: a member where `key` is given, else an element.
///
/// `None` when there is no such container.
pub(in crate::cli::hooks) fn insert(text: &str, path: &[Step<'_>], key: Option<&str>, value: &Value) -> Option<String> {
    let root = parse(text, Allowed::ALL).ok()?;
    let container = root.find(path).filter(|node| matches!(node.kind, Kind::Object(_) | Kind::Array(_)))?;
    let style = JsonStyle::of(text, &root);
    let close = container.end - 1;
    match container.entries().last() {
        Some(last) => Some(append(text, container, last, close, key, value, &style)),
        None => Some(fill(text, container, close, key, value, &style)),
    }
}

fn append(
    text: &str,
    container: &Node,
    last: &Entry,
    close: usize,
    key: Option<&str>,
    value: &Value,
    style: &JsonStyle,
) -> String {
    let first = container.entries().first().map_or(close, |first| first.start);
    let from = last.comma.map_or(last.value.end, |comma| comma + 1);
    let (at, line_comment) = after_comments(text, from, close);
    let own_line = text[container.start..first].contains('\n');
    let (before, entry) = if own_line || line_comment {
        let own = indentation(text, last.start).map(str::to_owned);
        let indent = own.unwrap_or_else(|| format!("{}{}", line_indentation(text, container.start), style.unit));
        let style = JsonStyle { inline: style.inline || !own_line, ..style.clone() };
        (format!("{}{indent}", style.newline), entry(key, value, &style, &indent))
    } else {
        let style = JsonStyle { inline: true, ..style.clone() };
        (style.space.to_owned(), entry(key, value, &style, ""))
    };
    // A list that ends in a comma shall end in one again; else the comma goes right behind the last value.
    match last.comma {
        Some(_) => [&text[..at], &before, &entry, ",", &text[at..]].concat(),
        None => [&text[..last.value.end], ",", &text[last.value.end..at], &before, &entry, &text[at..]].concat(),
    }
}

fn fill(text: &str, container: &Node, close: usize, key: Option<&str>, value: &Value, style: &JsonStyle) -> String {
    let (at, line_comment) = after_comments(text, container.start + 1, close);
    if style.inline && !line_comment {
        return [&text[..at], &entry(key, value, style, ""), &text[at..]].concat();
    }
    let outer = line_indentation(text, container.start);
    let indent = format!("{outer}{}", style.unit);
    let entry = entry(key, value, style, &indent);
    [&text[..at], style.newline, &indent, &entry, style.newline, outer, &text[close..]].concat()
}

fn entry(key: Option<&str>, value: &Value, style: &JsonStyle, indent: &str) -> String {
    let key = key.map(|key| member(key, style)).unwrap_or_default();
    format!("{key}{}", render(value, style, indent))
}

/// Without the entry at `path`: of members with the same name, the last. What was said about it in comments stays.
pub(in crate::cli::hooks) fn remove(text: &str, path: &[Step<'_>]) -> Option<String> {
    let root = parse(text, Allowed::ALL).ok()?;
    let (last, above) = path.split_last()?;
    let container = root.find(above)?;
    let entries = container.entries();
    let place = match last {
        Step::Key(key) => entries.iter().rposition(|entry| entry.key == *key)?,
        Step::At(place) => *place,
    };
    let entry = entries.get(place)?;
    let before = place.checked_sub(1).and_then(|place| entries.get(place));
    let from = before.and_then(|before| before.comma).map_or(container.start + 1, |comma| comma + 1);
    let (start, line_comment) = after_comments(text, from, entry.start);
    if entries.len() == 1 && entry.comma.is_none() && start == from {
        let close = container.end - 1;
        let (_, comment) = after_comments(text, entry.value.end, close);
        if !comment && text[entry.value.end..close].trim().is_empty() {
            return Some([&text[..from], &text[close..]].concat());
        }
    }
    let (kept, end) = match entry.comma {
        Some(comma) => {
            let between = &text[entry.value.end..comma];
            (if between.trim().is_empty() { "" } else { between }, comma + 1)
        }
        None => ("", entry.value.end),
    };
    let after = &text[end..];
    // What follows must not slide into the comment of the line above.
    let next_line = after.trim_start_matches([' ', '\t', '\r']);
    let guard = if line_comment && !next_line.starts_with('\n') { JsonStyle::of(text, &root).newline } else { "" };
    let head = match before.and_then(|before| before.comma) {
        Some(comma) if entry.comma.is_none() => [&text[..comma], &text[comma + 1..start]].concat(),
        _ => text[..start].to_owned(),
    };
    Some([&head, guard, kept, after].concat())
}

/// Another text in place of the value at `path`.
pub(in crate::cli::hooks) fn put_text(text: &str, path: &[Step<'_>], new: &str) -> Option<String> {
    let root = parse(text, Allowed::ALL).ok()?;
    let node = root.find(path)?;
    Some([&text[..node.start], &Value::from(new).to_string(), &text[node.end..]].concat())
}
