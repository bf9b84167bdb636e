//! What is typed to keep memory in order: the night, contradictions, vouching for a memory, and muting one.

use std::path::PathBuf;

use clap::ValueHint;
use clap::builder::PossibleValuesParser;

use crate::cli::examples;
use lokid_manage::plan::Phase;
use lokid_model::{ContradictionStatus, Resolution};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Consolidate {
    /// Only show what would be done
    #[arg(short = 'n', long)]
    pub(in crate::cli) dry_run: bool,
    /// Do this part only; may be given again
    #[arg(long, value_name = "PART", value_parser = PossibleValuesParser::new(Phase::WORDS))]
    pub(in crate::cli) phase: Vec<String>,
    /// Do it as if it were this time
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) now: Option<String>,
    /// Show what the last night did, and when the next one is
    #[arg(long, conflicts_with_all = ["dry_run", "phase", "now", "pause", "resume"])]
    pub(in crate::cli) last: bool,
    /// Hold nights off until `--resume`, and end one that runs
    #[arg(long, conflicts_with_all = ["dry_run", "phase", "now", "resume"])]
    pub(in crate::cli) pause: bool,
    /// Let nights come again
    #[arg(long, conflicts_with_all = ["dry_run", "phase", "now"])]
    pub(in crate::cli) resume: bool,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Confirm {
    pub(in crate::cli) id: String,
    /// Give it this tier [else one step more binding than it is]
    #[arg(long, value_parser = PossibleValuesParser::new(["mandate", "guardrail", "reference"]))]
    pub(in crate::cli) tier: Option<String>,
    /// Look in this namespace
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Trust {
    /// Let these be what their files ask to be [else show who asks]
    #[arg(value_name = "ID")]
    pub(in crate::cli) ids: Vec<String>,
    /// Let everything be that stands there now under this name; may be given again
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ids", "all", "revoke"])]
    pub(in crate::cli) author: Vec<String>,
    /// Let all of them be
    #[arg(long, conflicts_with_all = ["ids", "revoke"])]
    pub(in crate::cli) all: bool,
    /// Take back what was confirmed
    #[arg(long, requires = "ids")]
    pub(in crate::cli) revoke: bool,
    /// Look in this namespace
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Mute {
    /// The memory that is not to be told unasked any more; who asks for it still finds it
    #[arg(required_unless_present = "list")]
    pub(in crate::cli) id: Option<String>,
    /// Only where this file is at hand, or one below this folder [else everywhere in the project]
    #[arg(long, value_name = "PATH", requires = "id", value_hint = ValueHint::AnyPath)]
    pub(in crate::cli) file: Option<PathBuf>,
    /// Let it be told again
    #[arg(long, requires = "id")]
    pub(in crate::cli) undo: bool,
    /// List what is muted
    #[arg(long, conflicts_with = "id")]
    pub(in crate::cli) list: bool,
    /// Look in this namespace
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Contradictions {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<ContradictionsCommand>,
    /// Show those of this status; may be given again [else the open ones]
    #[arg(long, value_parser = PossibleValuesParser::new(ContradictionStatus::WORDS))]
    pub(in crate::cli) status: Vec<String>,
    /// Look in this namespace
    #[arg(long, global = true)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum ContradictionsCommand {
    /// Settle one
    #[command(after_help = examples::CONTRADICTIONS_RESOLVE)]
    Resolve {
        id: String,
        /// Which of the two holds, that both do, or that they are one
        #[arg(value_parser = PossibleValuesParser::new(Resolution::WORDS))]
        resolution: String,
        /// Say why; with `merged`, the words that hold from now on
        #[arg(long)]
        note: Option<String>,
    },
    /// Hold two statements against each other, or one against the memory
    #[command(after_help = examples::CONTRADICTIONS_CHECK)]
    Check {
        /// The earlier statement, or the only one
        a: String,
        /// The later one
        b: Option<String>,
    },
}
