//! What is typed by agents and for them.

use clap::builder::PossibleValuesParser;

use crate::cli::hooks::Agent;

/// An event of an agent, its JSON on the standard input.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct Hook {
    /// The agent that runs this [default: codex if the event looks like its own, else claude]
    #[arg(long, value_name = "AGENT", value_parser = PossibleValuesParser::new(Agent::WORDS))]
    pub(in crate::cli) agent: Option<String>,
    /// The event, as the agent calls it
    pub(in crate::cli) event: Option<String>,
}
