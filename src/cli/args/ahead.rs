//! What is typed to look ahead, and back: contexts, predictions, reasons, their price, and the replay that measures.

use clap::ValueHint;
use clap::builder::PossibleValuesParser;

use lokid_model::TaskType;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Context {
    /// The file at hand [else the one that was opened last]
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) file: Option<String>,
    /// What is to be done
    #[arg(short, long)]
    pub(in crate::cli) goal: Option<String>,
    /// An error at hand; may be given again
    #[arg(short, long)]
    pub(in crate::cli) error: Vec<String>,
    /// What is being done [else found out from the goal and the errors]
    #[arg(long, value_parser = PossibleValuesParser::new(TaskType::WORDS))]
    pub(in crate::cli) activity: Option<String>,
    /// The branch it is done on [else the one checked out last]
    #[arg(long)]
    pub(in crate::cli) branch: Option<String>,
    /// Take at most so many tokens [else as configured, 8000; 1000 when nothing is named]
    #[arg(short, long, value_name = "TOKENS")]
    pub(in crate::cli) budget: Option<u32>,
    /// What was known and held true then
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) as_of: Option<String>,
    /// Speak for this session: from its focus, and noted as given to it
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) session: Option<String>,
    /// Show the block that stands at the start of the session instead
    #[arg(long, requires = "session", conflicts_with_all = ["task", "relevant"])]
    pub(in crate::cli) block: bool,
    /// Show patterns, mistakes to avoid and skills for this task instead
    #[arg(long, value_name = "GOAL", conflicts_with = "relevant")]
    pub(in crate::cli) task: Option<String>,
    /// Show the index, the timeline and the topics about this instead, until that is enough
    #[arg(long, value_name = "WORDS")]
    pub(in crate::cli) relevant: Option<String>,
    /// Show why each memory is there
    #[arg(long)]
    pub(in crate::cli) explain: bool,
    /// Look in this namespace
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["file", "branch", "error", "author", "goal"]))]
pub(in crate::cli) struct Predict {
    /// This file is opened
    #[arg(value_hint = ValueHint::FilePath)]
    pub(in crate::cli) file: Option<String>,
    /// This branch is checked out
    #[arg(long)]
    pub(in crate::cli) branch: Option<String>,
    /// This error comes up
    #[arg(long)]
    pub(in crate::cli) error: Option<String>,
    /// This person joins
    #[arg(long)]
    pub(in crate::cli) author: Option<String>,
    /// This is to be done
    #[arg(long)]
    pub(in crate::cli) goal: Option<String>,
    /// How many of each at the most
    #[arg(short, long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(in crate::cli) k: u8,
    /// Look in this namespace
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Why {
    /// FILE, FILE:LINE, FILE:FIRST-LAST, FILE:SYMBOL, or a commit
    #[arg(value_name = "FILE[:LINE|:SYMBOL]", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) target: String,
    /// How many of each at the most [else 3 who wrote it, 5 of the others]
    #[arg(short, long, value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(in crate::cli) k: Option<u8>,
    /// Look for memories in this namespace
    #[arg(long)]
    pub(in crate::cli) namespace: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Economics {
    /// Of this session alone
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) session: Option<String>,
    /// Say what each number of the ledger means instead
    #[arg(long, conflicts_with = "session")]
    pub(in crate::cli) explain: bool,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Replay {
    /// Learn the weights of this repository and keep them
    #[arg(long)]
    pub(in crate::cli) fit: bool,
    /// Replay at most so many commits, the newest
    #[arg(long, value_name = "COMMITS", default_value_t = 20_000)]
    pub(in crate::cli) most: usize,
    /// Look at names and history alone, not at what stands in the files
    #[arg(long)]
    pub(in crate::cli) no_content: bool,
}
