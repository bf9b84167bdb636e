//! How a text is laid out, and new values laid out likewise.

use serde_json::Value;

use super::scan::{Kind, Node};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli::hooks) struct JsonStyle {
    pub(super) newline: &'static str,
    /// One step of indentation.
    pub(super) unit: String,
    /// Behind colons, and behind commas within a line.
    pub(super) space: &'static str,
    /// Everything on one line.
    pub(super) inline: bool,
}

impl Default for JsonStyle {
    fn default() -> JsonStyle {
        JsonStyle { newline: "\n", unit: "  ".to_owned(), space: " ", inline: false }
    }
}

impl JsonStyle {
    pub(super) fn of(text: &str, root: &Node) -> JsonStyle {
        let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
        let mut style = JsonStyle { newline: if crlf { "\r\n" } else { "\n" }, ..JsonStyle::default() };
        if let Some(first) = root.entries().first() {
            match indentation(text, first.start) {
                Some(indent) => style.unit = indent.to_owned(),
                None => style.inline = !text[root.start..first.start].contains('\n'),
            }
            let tight = matches!(&root.kind, Kind::Object(_)) && text[..first.value.start].ends_with(':');
            style.space = if tight { "" } else { " " };
        }
        style
    }
}

/// The blanks before a place, when nothing else stands on its line before it.
pub(super) fn indentation(text: &str, at: usize) -> Option<&str> {
    let line = text[..at].rfind('\n')? + 1;
    Some(&text[line..at]).filter(|before| before.chars().all(|character| matches!(character, ' ' | '\t')))
}

/// The blanks with which the line of a place begins.
pub(super) fn line_indentation(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[line..at];
    let end = line.find(|character| !matches!(character, ' ' | '\t')).unwrap_or(line.len());
    &line[..end]
}

/// A value whose first line begins at `indent`.
pub(in crate::cli::hooks) fn render(value: &Value, style: &JsonStyle, indent: &str) -> String {
    let mut out = String::new();
    write(value, style, indent, &mut out);
    out
}

fn write(value: &Value, style: &JsonStyle, indent: &str, out: &mut String) {
    let (open, close, entries): (_, _, Vec<(Option<&String>, &Value)>) = match value {
        Value::Object(members) if !members.is_empty() => {
            ('{', '}', members.iter().map(|(key, value)| (Some(key), value)).collect())
        }
        Value::Array(items) if !items.is_empty() => ('[', ']', items.iter().map(|item| (None, item)).collect()),
        other => return out.push_str(&other.to_string()),
    };
    let inner = format!("{indent}{}", style.unit);
    out.push(open);
    for (place, (key, value)) in entries.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        if style.inline {
            out.push_str(if place > 0 { style.space } else { "" });
        } else {
            out.push_str(style.newline);
            out.push_str(&inner);
        }
        if let Some(key) = key {
            out.push_str(&member(key, style));
        }
        write(value, style, &inner, out);
    }
    if !style.inline {
        out.push_str(style.newline);
        out.push_str(indent);
    }
    out.push(close);
}

/// A key with its colon.
pub(super) fn member(key: &str, style: &JsonStyle) -> String {
    format!("{}:{}", Value::from(key), style.space)
}
