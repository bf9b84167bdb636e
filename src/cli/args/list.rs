//! What is typed to see the memories themselves: some of them, or all.

use std::path::PathBuf;

use clap::ValueHint;
use clap::builder::PossibleValuesParser;

use lokid_model::{Kind, Source, Tier};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct List {
    /// Of this kind; may be given again
    #[arg(short, long, value_parser = PossibleValuesParser::new(Kind::WORDS))]
    pub(in crate::cli) kind: Vec<String>,
    /// Of this tier; may be given again
    #[arg(long, value_parser = PossibleValuesParser::new(Tier::WORDS))]
    pub(in crate::cli) tier: Vec<String>,
    /// Tagged so
    #[arg(long)]
    pub(in crate::cli) tag: Option<String>,
    /// At home in this file or folder, named from the top of the repository
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(in crate::cli) file: Option<String>,
    /// Said by this source; may be given again
    #[arg(long, value_parser = PossibleValuesParser::new(Source::WORDS))]
    pub(in crate::cli) source: Vec<String>,
    /// Only what the repository taught by itself: its history, documents and code
    #[arg(long, conflicts_with = "told")]
    pub(in crate::cli) derived: bool,
    /// Only what people, agents and imports told
    #[arg(long)]
    pub(in crate::cli) told: bool,
    /// From then on, as 2026-11-13 or a full time
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) since: Option<String>,
    /// Before then
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) until: Option<String>,
    /// Also list what is `unverified`, `restricted` or `invalid`; may be given again
    #[arg(long, value_parser = PossibleValuesParser::new(["unverified", "restricted", "invalid"]))]
    pub(in crate::cli) include: Vec<String>,
    /// How many at the most
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=500))]
    pub(in crate::cli) limit: u16,
    /// Go on where a list before ended
    #[arg(long)]
    pub(in crate::cli) cursor: Option<String>,
    /// Look in this namespace
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Export {
    /// Write to this file, whole or not at all [else the standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Also what the repository taught by itself, and teaches again wherever it goes
    #[arg(long)]
    pub(in crate::cli) derived: bool,
    /// Hand out this namespace only
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}
