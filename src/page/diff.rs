//! What differs between two wordings, word by word, and between two records, field by field.

use maud::{Markup, html};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::parts::text;
use lokid_model::unseen;

/// Longer texts are set beside each other instead of being woven together.
const LONGEST: usize = 20_000;
/// What a version differs in without anybody having changed it.
const KEPT_BY_ITSELF: &[&str] = &["updated_at", "usage", "id", "namespace"];

/// Of the words of both, what is gone, what came, and what stayed.
pub(super) fn texts(old: &str, new: &str) -> Markup {
    if old.len() + new.len() > LONGEST {
        return html! { div.beside { div { p.prose { (unseen::shown(old)) } } div { p.prose { (unseen::shown(new)) } } } };
    }
    let diff = TextDiff::from_words(old, new);
    html! {
        p.prose.diff dir="auto" {
            @for change in diff.iter_all_changes() {
                @let piece = unseen::shown(change.value());
                @match change.tag() {
                    ChangeTag::Delete => del { (piece) },
                    ChangeTag::Insert => ins { (piece) },
                    ChangeTag::Equal => (piece),
                }
            }
        }
    }
}

/// The text first, then every other field that differs.
pub(super) fn records(before: &Value, after: &Value) -> Markup {
    let others = fields(before, after);
    html! {
        @if text(before, "text") == text(after, "text") { (super::parts::prose(text(after, "text"))) } @else { (texts(text(before, "text"), text(after, "text"))) }
        @if !others.is_empty() {
            dl.facts.diff {
                @for (name, old, new) in others {
                    dt { (name.replace('_', " ")) }
                    dd { @if !old.is_empty() { del { (unseen::shown_line(&old)) } " " } @if !new.is_empty() { ins { (unseen::shown_line(&new)) } } }
                }
            }
        }
    }
}

fn fields(before: &Value, after: &Value) -> Vec<(String, String, String)> {
    let empty = serde_json::Map::new();
    let (old, new) = (before.as_object().unwrap_or(&empty), after.as_object().unwrap_or(&empty));
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    // A title that is only the text's beginning changes with it.
    let untitled = [before, after].iter().all(|one| text(one, "text").starts_with(text(one, "title")));
    let differs = |name: &&&String| {
        let is_told = KEPT_BY_ITSELF.contains(&name.as_str())
            || name.as_str() == "text"
            || (untitled && name.as_str() == "title");
        !is_told && old.get(**name) != new.get(**name)
    };
    let shown = |value: Option<&Value>| value.map(crate::words::plain).unwrap_or_default();
    names.iter().filter(differs).map(|name| ((*name).clone(), shown(old.get(*name)), shown(new.get(*name)))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_that_went_and_came_are_marked_and_nothing_is_markup() {
        let made = texts("tests need redis 5", "tests need <b>redis</b> 6").into_string();
        assert!(made.contains("<del>") && made.contains("<ins>") && made.contains("tests need"), "{made}");
        assert!(made.contains("&lt;b&gt;") && !made.contains("<b>"), "{made}");
    }

    #[test]
    fn only_fields_that_somebody_changed_are_told() {
        let before = json!({"text": "a", "tier": "reference", "updated_at": "1", "tags": ["x"]});
        let after = json!({"text": "a", "tier": "guardrail", "updated_at": "2", "tags": ["x"]});
        let told = fields(&before, &after);
        assert_eq!(told, [("tier".to_owned(), "reference".to_owned(), "guardrail".to_owned())]);
    }
}
