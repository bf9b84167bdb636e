//! What was typed: the user's file laid over the example file, with every key known and every value still unread.
//!
//! It knows names and lines, not meanings; `mod.rs` gives values their types and ranges.

use std::ops::Range;

use serde::Deserialize;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use super::ConfigError;

/// The default is a file that people can read.
pub(super) const EXAMPLE: &str = include_str!("../../../config.example.toml");

/// From here on two keys count as the same word with typing errors; 1.0 is the same key.
const LIKENESS: f64 = 0.75;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawConfig {
    pub(super) server: RawServer,
    pub(super) project: RawProject,
    pub(super) store: RawStore,
    pub(super) layers: RawLayers,
    pub(super) recall: RawRecall,
    pub(super) context: RawContext,
    pub(super) profiles: RawProfiles,
    pub(super) embed: RawEmbed,
    pub(super) watch: RawWatch,
    pub(super) bootstrap: RawBootstrap,
    pub(super) night: RawNight,
    pub(super) judge: RawJudge,
    pub(super) learn: RawLearn,
    pub(super) hook: RawHook,
    pub(super) redact: RawRedact,
    pub(super) managed: RawManaged,
    pub(super) service: RawService,
    pub(super) log: RawLog,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawService {
    pub(super) memory_limit: Spanned<Value>,
    pub(super) network: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawServer {
    pub(super) socket: Spanned<Value>,
    pub(super) request_timeout: Spanned<Value>,
    pub(super) idle_timeout: Spanned<Value>,
    pub(super) max_body: Spanned<Value>,
    pub(super) max_record: Spanned<Value>,
    pub(super) inbox: Spanned<Value>,
    pub(super) max_connections: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProject {
    pub(super) worktrees: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStore {
    pub(super) lock_timeout: Spanned<Value>,
    pub(super) max_document: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLayers {
    pub(super) topics: Spanned<Value>,
    pub(super) actions: Spanned<Value>,
    pub(super) decisions: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRecall {
    pub(super) profile: Spanned<Value>,
    pub(super) semantic: Spanned<Value>,
    pub(super) keyword: Spanned<Value>,
    pub(super) recency: Spanned<Value>,
    pub(super) usage: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawContext {
    pub(super) budget: Spanned<Value>,
    pub(super) session_budget: Spanned<Value>,
    pub(super) prompt_budget: Spanned<Value>,
    pub(super) min_score: Spanned<Value>,
    pub(super) window: Spanned<Value>,
    pub(super) prefetch: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProfiles {
    pub(super) default: Spanned<Value>,
    pub(super) exploration: Spanned<Value>,
    pub(super) implementation: Spanned<Value>,
    pub(super) debugging: Spanned<Value>,
    pub(super) review: Spanned<Value>,
    pub(super) refactoring: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawEmbed {
    pub(super) model: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawWatch {
    pub(super) enabled: Spanned<Value>,
    pub(super) ignore: Spanned<Value>,
    pub(super) error_logs: Spanned<Value>,
    pub(super) max_watches: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawHook {
    pub(super) deadline: Spanned<Value>,
    pub(super) episodes: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBootstrap {
    pub(super) enabled: Spanned<Value>,
    pub(super) max_commits: Spanned<Value>,
    pub(super) max_files: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawNight {
    pub(super) enabled: Spanned<Value>,
    pub(super) at: Spanned<Value>,
    pub(super) jitter: Spanned<Value>,
    pub(super) idle: Spanned<Value>,
    pub(super) after_tasks: Spanned<Value>,
    pub(super) on_battery: Spanned<Value>,
    pub(super) max_load: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawJudge {
    pub(super) command: Spanned<Value>,
    pub(super) url: Spanned<Value>,
    pub(super) model: Spanned<Value>,
    pub(super) max_per_day: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLearn {
    pub(super) enabled: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRedact {
    pub(super) rules: Spanned<Value>,
    pub(super) allow: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawManaged {
    pub(super) agents: Spanned<Value>,
    pub(super) memory: Spanned<Value>,
    pub(super) hydrate: Spanned<Value>,
    pub(super) experimental: Spanned<Value>,
    pub(super) review: Spanned<Value>,
    pub(super) council: Spanned<Value>,
    pub(super) base_url: Spanned<Value>,
    pub(super) user_store: Spanned<Value>,
    pub(super) org_store: Spanned<Value>,
    pub(super) org_store_access: Spanned<Value>,
    pub(super) key_file: Spanned<Value>,
    pub(super) org_key_file: Spanned<Value>,
    pub(super) ca_file: Spanned<Value>,
    pub(super) max_memories: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLog {
    pub(super) level: Spanned<Value>,
    pub(super) format: Spanned<Value>,
}

impl RawConfig {
    /// The spans of values point into `text`, except those of values that the example gave: these are never wrong.
    pub(super) fn over_example(text: &str) -> Result<RawConfig, ConfigError> {
        let typed = DeTable::parse(text).map_err(|error| syntax(text, &error))?;
        let mut whole = DeTable::parse(EXAMPLE).map_err(|error| syntax(EXAMPLE, &error))?;
        overlay(whole.get_mut(), typed.into_inner(), "", text)?;
        RawConfig::deserialize(toml::Deserializer::from(whole)).map_err(|error| syntax(text, &error))
    }
}

fn overlay<'a>(known: &mut DeTable<'a>, typed: DeTable<'a>, prefix: &str, text: &str) -> Result<(), ConfigError> {
    for (key, value) in typed {
        let line = line_of(text, key.span());
        let full = format!("{prefix}{}", key.get_ref());
        let Some(place) = known.get_mut(key.get_ref().as_ref()) else {
            return Err(ConfigError::UnknownKey { nearest: nearest(&full), key: full, line });
        };
        match (place.get_mut(), value) {
            (DeValue::Table(below), value) if value.get_ref().is_table() => {
                if let DeValue::Table(typed) = value.into_inner() {
                    overlay(below, typed, &format!("{full}."), text)?;
                }
            }
            (DeValue::Table(_), value) => {
                let found = format!("the {} given here", value.get_ref().type_str());
                return Err(ConfigError::Invalid { key: full, line, found, allowed: "a table of keys".to_owned() });
            }
            (_, value) => *place = value,
        }
    }
    Ok(())
}

/// The known key whose name is most like the unknown one; between equals, the one in the likest section.
fn nearest(unknown: &str) -> Option<String> {
    let (unknown_section, unknown_name) = split(unknown);
    let mut best: Option<(f64, String)> = None;
    for known in known_keys() {
        let (section, name) = split(&known);
        let alike =
            0.9 * strsim::jaro_winkler(unknown_name, name) + 0.1 * strsim::jaro_winkler(unknown_section, section);
        if alike >= LIKENESS && best.as_ref().is_none_or(|(best, _)| alike > *best) {
            best = Some((alike, known));
        }
    }
    best.map(|(_, key)| key)
}

fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}

/// Sections and keys of the example, in its order of sections.
pub(super) fn known_keys() -> Vec<String> {
    let mut keys = Vec::new();
    let Ok(example) = DeTable::parse(EXAMPLE) else { return keys };
    for (section, value) in example.get_ref() {
        keys.push(section.get_ref().to_string());
        if let Some(table) = value.get_ref().as_table() {
            keys.extend(table.keys().map(|key| format!("{}.{}", section.get_ref(), key.get_ref())));
        }
    }
    keys
}

fn syntax(text: &str, error: &toml::de::Error) -> ConfigError {
    let line = error.span().map_or(1, |span| line_of(text, span));
    ConfigError::Syntax { line, message: error.message().to_owned() }
}

pub(super) fn line_of(text: &str, span: Range<usize>) -> usize {
    let before = text.as_bytes().get(..span.start).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_raw_structs_is_in_the_example_and_no_other() {
        // No raw field is optional and none may be unknown, so the example alone must fit exactly.
        let example = toml::Deserializer::from(DeTable::parse(EXAMPLE).unwrap());
        RawConfig::deserialize(example).unwrap();
        assert_eq!(known_keys().len(), 18 + 72);
    }

    #[test]
    fn every_key_and_section_of_the_example_has_a_comment_above_it() {
        let lines: Vec<&str> = EXAMPLE.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            assert!(number > 0 && lines[number - 1].starts_with("# "), "line {}: {line}", number + 1);
        }
    }

    #[test]
    fn the_nearest_key_is_found_with_a_wrong_letter_or_in_a_wrong_section() {
        let check = |unknown, expected: Option<&str>| assert_eq!(nearest(unknown).as_deref(), expected, "{unknown}");
        check("server.sokcet", Some("server.socket"));
        check("serve.socket", Some("server.socket"));
        check("log.inbox", Some("server.inbox"));
        check("socket", Some("server.socket"));
        check("servr", Some("server"));
        check("layers.topic", Some("layers.topics"));
        check("zzz", None);
    }

    #[test]
    fn lines_count_from_one() {
        assert_eq!((line_of("a\nb", 0..1), line_of("a\nb", 2..3), line_of("", 9..9)), (1, 2, 1));
    }
}
