//! One typed value after the other becomes what it has to be, or is refused with its line and what is allowed.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use toml::{Spanned, Value};

use super::units::{DURATION_FORMS, SIZE_FORMS, parse_duration, parse_size, show_duration, show_size};
use super::{ConfigError, raw};

/// One value on its way to its type, with what an error about it has to name.
pub(super) struct Typed<'a> {
    pub(super) key: &'static str,
    pub(super) value: Spanned<Value>,
    pub(super) text: &'a str,
}

impl Typed<'_> {
    pub(super) fn path(self) -> Result<Option<PathBuf>, ConfigError> {
        match self.value.get_ref() {
            Value::String(text) if text.is_empty() => Ok(None),
            Value::String(text) if text.starts_with('/') => Ok(Some(PathBuf::from(text))),
            _ => Err(self.refuse("an absolute path, or \"\" for the usual place".to_owned())),
        }
    }

    pub(super) fn duration(self, allowed: RangeInclusive<Duration>) -> Result<Duration, ConfigError> {
        let duration = self.value.get_ref().as_str().and_then(parse_duration);
        duration.filter(|duration| allowed.contains(duration)).ok_or_else(|| {
            let (least, most) = (show_duration(*allowed.start()), show_duration(*allowed.end()));
            self.refuse(format!("{DURATION_FORMS}, from {least} to {most}"))
        })
    }

    pub(super) fn size(self, allowed: RangeInclusive<u64>) -> Result<u64, ConfigError> {
        let size = match self.value.get_ref() {
            Value::String(text) => parse_size(text),
            Value::Integer(bytes) => u64::try_from(*bytes).ok(),
            _ => None,
        };
        size.filter(|size| allowed.contains(size)).ok_or_else(|| {
            let (least, most) = (show_size(*allowed.start()), show_size(*allowed.end()));
            self.refuse(format!("{SIZE_FORMS}, from {least} to {most}"))
        })
    }

    pub(super) fn count<N: TryFrom<i64>>(self, allowed: RangeInclusive<i64>) -> Result<N, ConfigError> {
        let count = self.value.get_ref().as_integer().filter(|count| allowed.contains(count));
        count
            .and_then(|count| N::try_from(count).ok())
            .ok_or_else(|| self.refuse(format!("a whole number from {} to {}", allowed.start(), allowed.end())))
    }

    pub(super) fn four_shares(self) -> Result<[f64; 4], ConfigError> {
        let percents = self.value.get_ref().as_array().map(|list| list.iter().map(number).collect::<Vec<_>>());
        let percents = percents.and_then(|list| <[Option<f64>; 4]>::try_from(list).ok()).unwrap_or_default();
        let percents = percents.map(|percent| percent.filter(|percent| (0.0..=100.0).contains(percent)));
        let [Some(a), Some(b), Some(c), Some(d)] = percents else { return Err(self.refuse_shares()) };
        if (a + b + c + d - 100.0).abs() > 1e-6 {
            return Err(self.refuse_shares());
        }
        Ok([a, b, c, d].map(|percent| percent / 100.0))
    }

    fn refuse_shares(&self) -> ConfigError {
        self.refuse("four percentages that add up to 100, such as [25, 37.5, 25, 12.5]".to_owned())
    }

    pub(super) fn share(self) -> Result<f64, ConfigError> {
        let share = number(self.value.get_ref()).filter(|share| (0.0..=1.0).contains(share));
        share.ok_or_else(|| self.refuse("a number from 0 to 1".to_owned()))
    }

    pub(super) fn number(self, allowed: RangeInclusive<f64>) -> Result<f64, ConfigError> {
        let found = number(self.value.get_ref()).filter(|found| allowed.contains(found));
        found.ok_or_else(|| self.refuse(format!("a number from {} to {}", allowed.start(), allowed.end())))
    }

    /// `03:30` as minutes after midnight.
    pub(super) fn time_of_day(self) -> Result<u32, ConfigError> {
        let text = self.value.get_ref().as_str().unwrap_or_default();
        let part = |text: &str, below: u32| {
            let plain = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|number| plain && *number < below)
        };
        let time = text.split_once(':').and_then(|(hour, minute)| Some(part(hour, 24)? * 60 + part(minute, 60)?));
        time.ok_or_else(|| self.refuse("a time of day, such as \"03:30\"".to_owned()))
    }

    pub(super) fn text(self) -> Result<String, ConfigError> {
        self.value.get_ref().as_str().map(str::to_owned).ok_or_else(|| self.refuse("a text".to_owned()))
    }

    pub(super) fn local_url(self) -> Result<Option<String>, ConfigError> {
        match self.value.get_ref().as_str() {
            Some("") => Ok(None),
            Some(url) if url.strip_prefix("http://").is_some_and(|rest| !rest.is_empty()) => Ok(Some(url.to_owned())),
            _ => Err(self.refuse(
                "an address that begins with http://, or \"\"; for anything else use `judge.command`".to_owned(),
            )),
        }
    }

    /// Of a server that is spoken to in secret, or that stands on this machine.
    pub(super) fn base_url(self) -> Result<String, ConfigError> {
        let url = self.value.get_ref().as_str().unwrap_or_default().trim_end_matches('/');
        let host = |rest: &str| rest.split('/').next().unwrap_or_default().to_owned();
        let near = |rest: &str| {
            let host = host(rest);
            ["127.0.0.1", "localhost", "[::1]"].contains(
                &host.rsplit_once(':').map_or(&*host, |(name, port)| if port.ends_with(']') { &*host } else { name }),
            )
        };
        let plain = !url.contains(['@', '?', '#', ' ']);
        let secret = url.strip_prefix("https://").is_some_and(|rest| !host(rest).is_empty());
        let here = url.strip_prefix("http://").is_some_and(near);
        if plain && (secret || here) {
            return Ok(url.to_owned());
        }
        Err(self.refuse("an address that begins with https://, or with http:// on this machine".to_owned()))
    }

    pub(super) fn store_id(self) -> Result<Option<String>, ConfigError> {
        let id = self.value.get_ref().as_str();
        let plain =
            |id: &str| id.len() <= 128 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        match id {
            Some("") => Ok(None),
            Some(id) if plain(id) => Ok(Some(id.to_owned())),
            _ => Err(self.refuse("the id of a store, such as \"memstore_01AbC\", or \"\" for none".to_owned())),
        }
    }

    /// There is no other way: text planted in what everybody reads would be in every later session.
    pub(super) fn read_only(self) -> Result<(), ConfigError> {
        match self.value.get_ref().as_str() {
            Some("read_only") => Ok(()),
            _ => {
                Err(self
                    .refuse("\"read_only\": text planted in a shared store would reach every later session".to_owned()))
            }
        }
    }

    pub(super) fn flag(self) -> Result<bool, ConfigError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.refuse("true or false".to_owned()))
    }

    pub(super) fn strings(self) -> Result<Vec<String>, ConfigError> {
        let list = self.value.get_ref().as_array();
        let texts = list.and_then(|list| list.iter().map(|one| one.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| self.refuse("a list of texts, such as [\"one\", \"two\"]".to_owned()))
    }

    pub(super) fn named_patterns(self) -> Result<Vec<(String, String)>, ConfigError> {
        let pattern = |one: &Value| {
            let text = |name: &str| one.get(name).and_then(Value::as_str).map(str::to_owned);
            let only_these = one.as_table().is_some_and(|table| table.len() == 2);
            text("name").zip(text("pattern")).filter(|_| only_these)
        };
        let patterns = self.value.get_ref().as_array().and_then(|list| list.iter().map(pattern).collect());
        patterns.ok_or_else(|| {
            self.refuse("a list such as [{ name = \"badge\", pattern = \"BADGE-[0-9]{6}\" }]".to_owned())
        })
    }

    pub(super) fn choice<T: Copy>(self, choices: &[(&str, T)]) -> Result<T, ConfigError> {
        let typed = self.value.get_ref().as_str();
        let chosen = choices.iter().find(|(name, _)| Some(*name) == typed).map(|(_, choice)| *choice);
        chosen.ok_or_else(|| {
            let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            self.refuse(names.join(", "))
        })
    }

    fn refuse(&self, allowed: String) -> ConfigError {
        let line = raw::line_of(self.text, self.value.span());
        ConfigError::Invalid { key: self.key.to_owned(), line, found: self.value.get_ref().to_string(), allowed }
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    }
}
