//! What was typed becomes what is valid: the settings of the daemon, each with its type and range.
//!
//! The embedded `config.example.toml` is the default; a user's file overrides it key by key. This room takes text and
//! gives settings or an error that names key, line and what is allowed. It opens no file and reads no environment.

mod managed;
mod raw;
mod typed;
mod units;

pub use units::parse_duration;

use std::path::{Path, PathBuf};
use std::time::Duration;

use lokid_model::TaskType;

pub use managed::{Flag, Managed};
use raw::RawConfig;
use typed::Typed;

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
    pub night: NightConfig,
    pub judge: JudgeConfig,
    pub learn: LearnConfig,
    pub hook: HookConfig,
    pub redact: RedactConfig,
    pub managed: Managed,
    pub service: ServiceConfig,
    pub log: LogConfig,
}

/// How the daemon cares for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceConfig {
    /// In bytes.
    pub memory_limit: u64,
    /// May an installed service reach a team's database on another machine?
    pub network: bool,
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
    /// Together, and what a linked one tells waits until its branch is merged.
    Staged,
    Isolated,
}

impl Worktrees {
    /// Have all of them the memory of the main one?
    pub fn share(self) -> bool {
        self != Worktrees::Isolated
    }
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
    pub decay: Decay,
}

impl RecallConfig {
    /// The formula lokid was designed with.
    pub const DESIGN: RecallConfig =
        RecallConfig { semantic: 0.22, keyword: 0.38, recency: 0.2, usage: 0.2, decay: Decay::Weekly };
}

/// How quickly a memory stops being recent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    /// What happened within weeks, how things are done within half a year.
    ByKind,
    /// Half every week, for a mandate every month.
    Weekly,
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

/// When memories are tidied.
#[derive(Clone, Debug, PartialEq)]
pub struct NightConfig {
    pub enabled: bool,
    /// Minutes after local midnight.
    pub at: u32,
    pub jitter: Duration,
    /// Zero for never.
    pub idle: Duration,
    pub after_tasks: bool,
    pub on_battery: bool,
    pub max_load: f64,
}

/// Who is asked about unclear contradictions; nobody, unless one of the first two is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeConfig {
    pub command: Vec<String>,
    pub url: Option<String>,
    pub model: String,
    pub max_per_day: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnConfig {
    pub enabled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookConfig {
    /// How long an agent may be kept waiting.
    pub deadline: Duration,
    /// Sessions that hooks tell of become episodes.
    pub episodes: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    #[error("{flag} cannot be \"{value}\": allowed is true or false")]
    FlagValue { flag: &'static str, value: String },
    #[error(
        "{} ({}) is on while {} ({}), which it needs, is off",
        child.variable(), child.key(), parent.variable(), parent.key()
    )]
    Orphan { child: Flag, parent: Flag },
    #[error("managed.user_store and managed.org_store are the same store: what everybody reads may not be written")]
    SharedStore,
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
            night,
            judge,
            learn,
            hook,
            redact,
            managed,
            service,
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
                worktrees: typed("project.worktrees", project.worktrees).choice(&[
                    ("shared", Worktrees::Shared),
                    ("staged", Worktrees::Staged),
                    ("isolated", Worktrees::Isolated),
                ])?,
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
            recall: match typed("recall.profile", recall.profile).choice(&[("relevant", false), ("design", true)])? {
                true => RecallConfig::DESIGN,
                false => RecallConfig {
                    semantic: typed("recall.semantic", recall.semantic).share()?,
                    keyword: typed("recall.keyword", recall.keyword).share()?,
                    recency: typed("recall.recency", recall.recency).share()?,
                    usage: typed("recall.usage", recall.usage).share()?,
                    decay: Decay::ByKind,
                },
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
            night: NightConfig {
                enabled: typed("night.enabled", night.enabled).flag()?,
                at: typed("night.at", night.at).time_of_day()?,
                jitter: typed("night.jitter", night.jitter).duration(Duration::ZERO..=Duration::from_hours(12))?,
                idle: typed("night.idle", night.idle).duration(Duration::ZERO..=Duration::from_hours(24))?,
                after_tasks: typed("night.after_tasks", night.after_tasks).flag()?,
                on_battery: typed("night.on_battery", night.on_battery).flag()?,
                max_load: typed("night.max_load", night.max_load).number(0.0..=1000.0)?,
            },
            judge: JudgeConfig {
                command: typed("judge.command", judge.command).strings()?,
                url: typed("judge.url", judge.url).local_url()?,
                model: typed("judge.model", judge.model).text()?,
                max_per_day: typed("judge.max_per_day", judge.max_per_day).count(0..=10_000)?,
            },
            learn: LearnConfig { enabled: typed("learn.enabled", learn.enabled).flag()? },
            hook: HookConfig {
                episodes: typed("hook.episodes", hook.episodes).flag()?,
                deadline: typed("hook.deadline", hook.deadline)
                    .duration(Duration::from_millis(1)..=Duration::from_mins(1))?,
            },
            redact: RedactConfig {
                rules: typed("redact.rules", redact.rules).named_patterns()?,
                allow: typed("redact.allow", redact.allow).strings()?,
            },
            managed: Managed::of(managed, text)?,
            service: ServiceConfig {
                memory_limit: typed("service.memory_limit", service.memory_limit).size(16 << 20..=1 << 40)?,
                network: typed("service.network", service.network).flag()?,
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

#[cfg(test)]
mod tests;
