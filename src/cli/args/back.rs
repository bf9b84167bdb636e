//! What is typed to look back: one memory as it is and was, what changed, and taking it back.

use clap::builder::PossibleValuesParser;

use lokid_model::{By, ChangeOp, Level};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Show {
    pub(in crate::cli) id: String,
    /// Show it at this length
    #[arg(long, value_parser = PossibleValuesParser::new(Level::WORDS))]
    pub(in crate::cli) level: Option<String>,
    /// Show it as it was known at that time
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) as_of: Option<String>,
    /// Show what it was before, by whom and why
    #[arg(long, conflicts_with_all = ["level", "as_of"])]
    pub(in crate::cli) history: bool,
    /// Look in this namespace
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Changes {
    /// Show this change with its words before and after, or those of this memory
    pub(in crate::cli) id: Option<String>,
    /// From then on: as 3d, 2026-11-13 or a full time
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) since: Option<String>,
    /// Only what nobody has accepted, undone or made by hand
    #[arg(long)]
    pub(in crate::cli) open: bool,
    /// By this hand; may be given again
    #[arg(long, value_parser = PossibleValuesParser::new(By::WORDS))]
    pub(in crate::cli) by: Vec<String>,
    /// Of this sort; may be given again
    #[arg(long, value_parser = PossibleValuesParser::new(ChangeOp::WORDS))]
    pub(in crate::cli) op: Vec<String>,
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
pub(in crate::cli) struct Undo {
    /// The change, as `lokid changes` names it
    #[arg(required_unless_present = "night")]
    pub(in crate::cli) change: Option<String>,
    /// Take back what is left of the night that began then
    #[arg(long, value_name = "STARTED_AT", conflicts_with = "change")]
    pub(in crate::cli) night: Option<String>,
}
