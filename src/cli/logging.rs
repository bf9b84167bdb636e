//! What the daemon tells about its own work, and in which form: for a person, for a collector or for the journal.
//!
//! It sets the stage once; what is said is decided where it happens, and the text of memories is never part of it.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format;
use tracing_subscriber::layer::{Layer, Layered, SubscriberExt};
use tracing_subscriber::{Registry, reload};

use super::screen;
use lokid_config::{LogConfig, LogFormat, LogLevel};
use lokid_model::unseen;
use lokid_sys::{env, stderr};

type Filter = reload::Layer<Targets, Registry>;
type Filtered = Layered<Filter, Registry>;

/// Lets a reload change how much is told. The form stays until the next start.
pub(super) struct Logging {
    filter: reload::Handle<Targets, Registry>,
    verbose: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Human,
    Json,
    Journald,
}

impl Logging {
    /// Fails only when somebody else in the process was first.
    pub(super) fn start(config: &LogConfig, verbose: u8) -> anyhow::Result<Logging> {
        let (filter, handle) = reload::Layer::new(filter(config.level, verbose));
        let form = form(config.format, env::stderr_is_journal(), env::stderr_is_terminal());
        let subscriber = tracing_subscriber::registry().with(filter).with(output(form));
        tracing::subscriber::set_global_default(subscriber)?;
        Ok(Logging { filter: handle, verbose })
    }

    pub(super) fn reconfigure(&self, config: &LogConfig) {
        // Fails only when the subscriber is gone, and then nobody listens.
        let _ = self.filter.reload(filter(config.level, self.verbose));
    }
}

fn form(format: LogFormat, in_journal: bool, on_terminal: bool) -> Form {
    match format {
        LogFormat::Human => Form::Human,
        LogFormat::Json => Form::Json,
        LogFormat::Journald => Form::Journald,
        LogFormat::Auto if in_journal => Form::Journald,
        LogFormat::Auto if on_terminal => Form::Human,
        LogFormat::Auto => Form::Json,
    }
}

fn output(form: Form) -> Box<dyn Layer<Filtered> + Send + Sync> {
    match form {
        Form::Human => {
            // What stands in a message is spelt out before colours are put around it.
            let fields = format::debug_fn(|writer, field, value| {
                let value = format!("{value:?}");
                match (field.name(), unseen::shown_line(&value)) {
                    ("message", value) => write!(writer, "{value}"),
                    (name, value) => write!(writer, "{name}={value}"),
                }
            });
            let human = tracing_subscriber::fmt::layer().with_target(false).fmt_fields(fields.delimited(" "));
            match screen::colour_is_wanted() && env::stderr_is_terminal() {
                true => human.with_writer(stderr::coloured_log).with_ansi(true).boxed(),
                false => human.with_writer(stderr::log).with_ansi(false).boxed(),
            }
        }
        Form::Json => tracing_subscriber::fmt::layer().json().with_writer(stderr::log).flatten_event(true).boxed(),
        Form::Journald => match tracing_journald::layer() {
            Ok(layer) => layer.with_syslog_identifier("lokid".to_owned()).boxed(),
            Err(_) => output(Form::Json),
        },
    }
}

/// The chosen level for lokid itself; of the libraries it stands on, warnings and worse.
fn filter(level: LogLevel, verbose: u8) -> Targets {
    let level = match verbose {
        0 => level,
        1 => level.max(LogLevel::Debug),
        _ => LogLevel::Trace,
    };
    let own = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    Targets::new().with_default(own.min(LevelFilter::WARN)).with_target("lokid", own)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn auto_is_the_journal_under_systemd_human_on_a_terminal_and_json_elsewhere() {
        assert_eq!(form(LogFormat::Auto, true, true), Form::Journald);
        assert_eq!(form(LogFormat::Auto, false, true), Form::Human);
        assert_eq!(form(LogFormat::Auto, false, false), Form::Json);
        assert_eq!(form(LogFormat::Human, true, false), Form::Human);
    }

    #[test]
    fn verbosity_raises_the_level_of_lokid_alone() {
        let check = |level, verbose, target: &str, told: Level, expected| {
            assert_eq!(filter(level, verbose).would_enable(target, &told), expected, "{target} {told}");
        };
        check(LogLevel::Info, 0, "lokid::serve", Level::DEBUG, false);
        check(LogLevel::Info, 1, "lokid::serve", Level::DEBUG, true);
        check(LogLevel::Info, 2, "lokid::serve", Level::TRACE, true);
        check(LogLevel::Info, 2, "hyper::proto", Level::INFO, false);
        check(LogLevel::Off, 0, "hyper::proto", Level::ERROR, false);
    }
}
