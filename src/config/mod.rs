//! What was typed becomes what is valid: the settings of the daemon, each with its type and range.
//!
//! The embedded `config.example.toml` is the default; a user's file overrides it key by key. This room takes text and
//! gives settings or an error that names key, line and what is allowed. It opens no file and reads no environment.

mod raw;
mod units;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::{Spanned, Value};

use crate::model::TaskType;

use raw::RawConfig;
use units::{DURATION_FORMS, SIZE_FORMS, parse_duration, parse_size, show_duration, show_size};

/// The file that is the default, with a comment above every key.
pub const EXAMPLE: &str = raw::EXAMPLE;

#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub server: ServerConfig,
    pub project: ProjectConfig,
    pub store: StoreConfig,
    pub layers: LayersConfig,
    pub recall: RecallConfig,
    pub context: ContextConfig,
    pub profiles: Profiles,
    pub embed: EmbedConfig,
    pub watch: WatchConfig,
    pub bootstrap: BootstrapConfig,
    pub redact: RedactConfig,
    pub log: LogConfig,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// `None` means the default place, which `sys::Dirs` knows.
    pub socket: Option<PathBuf>,
    pub request_timeout: Duration,
    pub idle_timeout: Duration,
    pub max_body: u64,
    /// Never more than `max_body`.
    pub max_record: u64,
    pub inbox: usize,
    pub max_connections: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectConfig {
    pub worktrees: Worktrees,
}

/// Whether the working trees of one repository remember together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worktrees {
    Shared,
    Isolated,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreConfig {
    pub lock_timeout: Duration,
    pub max_document: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayersConfig {
    pub topics: usize,
    pub actions: usize,
    pub decisions: usize,
}

/// What each part of a score weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecallConfig {
    pub semantic: f64,
    pub keyword: f64,
    pub recency: f64,
    pub usage: f64,
}

/// How a context is put together.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextConfig {
    pub budget: usize,
    pub session_budget: usize,
    pub prompt_budget: usize,
    pub min_score: f64,
    pub window: Duration,
    pub prefetch: bool,
}

/// How a context is shared out, by activity: four shares that add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Profiles {
    pub default: [f64; 4],
    /// In the order of [`TaskType::ALL`].
    by_activity: [[f64; 4]; TaskType::ALL.len()],
}

impl Profiles {
    pub fn of(&self, activity: Option<TaskType>) -> [f64; 4] {
        activity.map_or(self.default, |activity| self.by_activity[activity as usize])
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedConfig {
    /// `None` is the model inside the binary.
    pub model: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchConfig {
    pub enabled: bool,
    /// In the language of `.gitignore`.
    pub ignore: Vec<String>,
    /// Globs, relative to the working tree.
    pub error_logs: Vec<String>,
    pub max_watches: usize,
}

/// How much of a repository's past is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapConfig {
    pub enabled: bool,
    pub max_commits: usize,
    pub max_files: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactConfig {
    /// The names and patterns of further secrets.
    pub rules: Vec<(String, String)>,
    pub allow: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    pub level: LogLevel,
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Auto,
    Human,
    Json,
    Journald,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("not valid TOML (line {line}): {message}")]
    Syntax { line: usize, message: String },
    #[error("unknown key \"{key}\" (line {line}){}", suggestion(nearest.as_deref()))]
    UnknownKey { key: String, line: usize, nearest: Option<String> },
    #[error("\"{key}\" (line {line}) cannot be {found}: allowed is {allowed}")]
    Invalid { key: String, line: usize, found: String, allowed: String },
    #[error("{}: {source}", path.display())]
    InFile { path: PathBuf, source: Box<ConfigError> },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!(": did you mean \"{nearest}\"?"))
}

impl Default for Config {
    fn default() -> Config {
        Config::parse("").expect("the embedded example is valid, which a test proves")
    }
}

impl Config {
    /// Like [`Config::parse`]; errors name the file that the text was read from.
    pub fn load(path: Option<&Path>, text: &str) -> Result<Config, ConfigError> {
        Config::parse(text).map_err(|error| match path {
            Some(path) => ConfigError::InFile { path: path.to_owned(), source: Box::new(error) },
            None => error,
        })
    }

    /// The default, overridden by the keys that `text` has.
    pub fn parse(text: &str) -> Result<Config, ConfigError> {
        let raw = RawConfig::over_example(text)?;
        let RawConfig {
            server,
            project,
            store,
            layers,
            recall,
            context,
            profiles,
            embed,
            watch,
            bootstrap,
            redact,
            log,
        } = raw;
        let typed = |key, value| Typed { key, value, text };
        let max_body = typed("server.max_body", server.max_body).size(1 << 10..=1 << 30)?;
        Ok(Config {
            server: ServerConfig {
                socket: typed("server.socket", server.socket).path()?,
                request_timeout: typed("server.request_timeout", server.request_timeout)
                    .duration(Duration::from_millis(10)..=Duration::from_hours(1))?,
                idle_timeout: typed("server.idle_timeout", server.idle_timeout)
                    .duration(Duration::from_secs(1)..=Duration::from_hours(24))?,
                max_body,
                max_record: typed("server.max_record", server.max_record).size(1 << 10..=64 << 20)?.min(max_body),
                inbox: typed("server.inbox", server.inbox).count(1..=1_000_000)?,
                max_connections: typed("server.max_connections", server.max_connections).count(1..=65_536)?,
            },
            project: ProjectConfig {
                worktrees: typed("project.worktrees", project.worktrees)
                    .choice(&[("shared", Worktrees::Shared), ("isolated", Worktrees::Isolated)])?,
            },
            store: StoreConfig {
                lock_timeout: typed("store.lock_timeout", store.lock_timeout)
                    .duration(Duration::from_millis(1)..=Duration::from_mins(10))?,
                max_document: typed("store.max_document", store.max_document).size(64 << 10..=4 << 30)?,
            },
            layers: LayersConfig {
                topics: typed("layers.topics", layers.topics).count(1..=12)?,
                actions: typed("layers.actions", layers.actions).count(0..=100)?,
                decisions: typed("layers.decisions", layers.decisions).count(0..=50)?,
            },
            recall: RecallConfig {
                semantic: typed("recall.semantic", recall.semantic).share()?,
                keyword: typed("recall.keyword", recall.keyword).share()?,
                recency: typed("recall.recency", recall.recency).share()?,
                usage: typed("recall.usage", recall.usage).share()?,
            },
            context: ContextConfig {
                budget: typed("context.budget", context.budget).count(1..=1_000_000)?,
                session_budget: typed("context.session_budget", context.session_budget).count(0..=10_000)?,
                prompt_budget: typed("context.prompt_budget", context.prompt_budget).count(0..=10_000)?,
                min_score: typed("context.min_score", context.min_score).share()?,
                window: typed("context.window", context.window)
                    .duration(Duration::from_hours(24)..=Duration::from_hours(24 * 10_000))?,
                prefetch: typed("context.prefetch", context.prefetch).flag()?,
            },
            profiles: Profiles {
                default: typed("profiles.default", profiles.default).four_shares()?,
                by_activity: [
                    typed("profiles.exploration", profiles.exploration).four_shares()?,
                    typed("profiles.implementation", profiles.implementation).four_shares()?,
                    typed("profiles.debugging", profiles.debugging).four_shares()?,
                    typed("profiles.review", profiles.review).four_shares()?,
                    typed("profiles.refactoring", profiles.refactoring).four_shares()?,
                ],
            },
            embed: EmbedConfig { model: typed("embed.model", embed.model).path()? },
            watch: WatchConfig {
                enabled: typed("watch.enabled", watch.enabled).flag()?,
                ignore: typed("watch.ignore", watch.ignore).strings()?,
                error_logs: typed("watch.error_logs", watch.error_logs).strings()?,
                max_watches: typed("watch.max_watches", watch.max_watches).count(0..=10_000_000)?,
            },
            bootstrap: BootstrapConfig {
                enabled: typed("bootstrap.enabled", bootstrap.enabled).flag()?,
                max_commits: typed("bootstrap.max_commits", bootstrap.max_commits).count(0..=1_000_000)?,
                max_files: typed("bootstrap.max_files", bootstrap.max_files).count(0..=1_000_000)?,
            },
            redact: RedactConfig {
                rules: typed("redact.rules", redact.rules).named_patterns()?,
                allow: typed("redact.allow", redact.allow).strings()?,
            },
            log: LogConfig {
                level: typed("log.level", log.level).choice(&LogLevel::NAMES)?,
                format: typed("log.format", log.format).choice(&LogFormat::NAMES)?,
            },
        })
    }
}

impl LogLevel {
    const NAMES: [(&str, LogLevel); 6] = [
        ("off", LogLevel::Off),
        ("error", LogLevel::Error),
        ("warn", LogLevel::Warn),
        ("info", LogLevel::Info),
        ("debug", LogLevel::Debug),
        ("trace", LogLevel::Trace),
    ];

    pub fn as_str(self) -> &'static str {
        LogLevel::NAMES.iter().find(|(_, level)| *level == self).map_or("info", |(name, _)| name)
    }
}

impl LogFormat {
    const NAMES: [(&str, LogFormat); 4] = [
        ("auto", LogFormat::Auto),
        ("human", LogFormat::Human),
        ("json", LogFormat::Json),
        ("journald", LogFormat::Journald),
    ];
}

/// One value on its way to its type, with what an error about it has to name.
struct Typed<'a> {
    key: &'static str,
    value: Spanned<Value>,
    text: &'a str,
}

impl Typed<'_> {
    fn path(self) -> Result<Option<PathBuf>, ConfigError> {
        match self.value.get_ref() {
            Value::String(text) if text.is_empty() => Ok(None),
            Value::String(text) if text.starts_with('/') => Ok(Some(PathBuf::from(text))),
            _ => Err(self.refuse("an absolute path, or \"\" for the usual place".to_owned())),
        }
    }

    fn duration(self, allowed: RangeInclusive<Duration>) -> Result<Duration, ConfigError> {
        let duration = self.value.get_ref().as_str().and_then(parse_duration);
        duration.filter(|duration| allowed.contains(duration)).ok_or_else(|| {
            let (least, most) = (show_duration(*allowed.start()), show_duration(*allowed.end()));
            self.refuse(format!("{DURATION_FORMS}, from {least} to {most}"))
        })
    }

    fn size(self, allowed: RangeInclusive<u64>) -> Result<u64, ConfigError> {
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

    fn count<N: TryFrom<i64>>(self, allowed: RangeInclusive<i64>) -> Result<N, ConfigError> {
        let count = self.value.get_ref().as_integer().filter(|count| allowed.contains(count));
        count
            .and_then(|count| N::try_from(count).ok())
            .ok_or_else(|| self.refuse(format!("a whole number from {} to {}", allowed.start(), allowed.end())))
    }

    fn four_shares(self) -> Result<[f64; 4], ConfigError> {
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

    fn share(self) -> Result<f64, ConfigError> {
        let share = number(self.value.get_ref()).filter(|share| (0.0..=1.0).contains(share));
        share.ok_or_else(|| self.refuse("a number from 0 to 1".to_owned()))
    }

    fn flag(self) -> Result<bool, ConfigError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.refuse("true or false".to_owned()))
    }

    fn strings(self) -> Result<Vec<String>, ConfigError> {
        let list = self.value.get_ref().as_array();
        let texts = list.and_then(|list| list.iter().map(|one| one.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| self.refuse("a list of texts, such as [\"one\", \"two\"]".to_owned()))
    }

    fn named_patterns(self) -> Result<Vec<(String, String)>, ConfigError> {
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

    fn choice<T: Copy>(self, choices: &[(&str, T)]) -> Result<T, ConfigError> {
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

#[cfg(test)]
mod tests;
