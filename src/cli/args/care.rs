//! What is typed to look after the daemon, to be rid of it and of memories, and to let others have them.

use std::time::Duration;

use clap::builder::PossibleValuesParser;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Status {
    /// Keep watching: draw a page, ask again every so many seconds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "2")]
    #[arg(value_parser = seconds)]
    pub(in crate::cli) watch: Option<Duration>,
    /// End after so many looks
    #[arg(long, value_name = "N", requires = "watch")]
    pub(in crate::cli) times: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Purge {
    /// Remove everything lokid keeps, of all projects
    #[arg(long)]
    pub(in crate::cli) everything: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
}

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["id", "query", "key", "undo"]))]
pub(in crate::cli) struct Forget {
    pub(in crate::cli) id: Option<String>,
    /// Forget every memory with these words
    #[arg(long, value_name = "WORDS")]
    pub(in crate::cli) query: Option<String>,
    /// Forget the facts with this key
    #[arg(long)]
    pub(in crate::cli) key: Option<String>,
    /// Bring a forgotten memory back
    #[arg(long, value_name = "ID", conflicts_with_all = ["purge", "reason"])]
    pub(in crate::cli) undo: Option<String>,
    /// Erase it from every file for good
    #[arg(long)]
    pub(in crate::cli) purge: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
    /// Say why
    #[arg(long)]
    pub(in crate::cli) reason: Option<String>,
    /// Look in this namespace
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Redact {
    /// Make unreadable what this regular expression matches
    #[arg(short, long, value_name = "REGEX")]
    pub(in crate::cli) pattern: String,
    /// Where: on this machine, in the versions of the memory stores, or both
    #[arg(long, default_value = "local", value_parser = PossibleValuesParser::new(["local", "managed", "all"]))]
    pub(in crate::cli) scope: String,
    /// Look only into this namespace
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) namespace: Option<String>,
    /// Say why; it is kept in the place of what is gone
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) reason: Option<String>,
    /// Do it; without this only tell what matches
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Promote {
    /// The memory; for a memory store a pattern, anti-pattern or skill
    pub(in crate::cli) id: String,
    /// Whom to tell
    #[arg(long, required = true, value_parser = PossibleValuesParser::new(["team", "org"]))]
    pub(in crate::cli) to: String,
    /// Do not ask
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
    /// Look in this namespace
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) namespace: Option<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds, as 2 or 0.5".to_owned())?;
    if (0.1..=86_400.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("from 0.1 to 86400 seconds".to_owned())
    }
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Ui {
    /// Print the address and open nothing
    #[arg(long)]
    pub(in crate::cli) no_browser: bool,
    /// Listen at this port of 127.0.0.1 [else a free one]
    #[arg(long, value_name = "PORT")]
    pub(in crate::cli) port: Option<u16>,
}
