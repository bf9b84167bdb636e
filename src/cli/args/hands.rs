//! What is typed by agents and for them.

/// An event of an agent, its JSON on the standard input.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct Hook {
    /// The agent that runs this
    #[arg(long, value_name = "AGENT", default_value = "claude")]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(["claude", "codex", "gemini", "cursor", "copilot"]))]
    pub(in crate::cli) agent: String,
    /// The event, as the agent calls it
    pub(in crate::cli) event: Option<String>,
}
