//! What is asked of the memory before somebody works, and what it hands out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answers::TaskWeights;
use super::values::{NamespaceName, Time, Word};
use lokid_model::{Outcome, TaskType};

/// What is going on. What is left out is taken from the signals of the session or of the working tree.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Signals {
    /// Absolute, or relative to the working tree.
    pub(in crate::serve) current_file: Option<String>,
    pub(in crate::serve) recent_errors: Vec<String>,
    pub(in crate::serve) activity: Option<Word<TaskType>>,
    pub(in crate::serve) goal: Option<String>,
    pub(in crate::serve) branch: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::serve) enum ContextFormat {
    #[default]
    Markdown,
}

/// A context in four tiers within a budget of tokens.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct AssembleRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// The most tokens it may take; 8,000 unless told or configured.
    #[schemars(range(max = 1_000_000))]
    pub(in crate::serve) budget: Option<usize>,
    pub(in crate::serve) signals: Signals,
    /// What was known and held true then.
    pub(in crate::serve) as_of: Option<Time>,
    pub(in crate::serve) session_id: Option<String>,
    #[serde(rename = "format")]
    pub(in crate::serve) _format: ContextFormat,
    /// Does it go to an agent, and count as loaded? Yes unless told.
    pub(in crate::serve) counted: Option<bool>,
    /// Tell also what was weighed, and what spoke for and against it.
    pub(in crate::serve) explain: bool,
}

/// Something that was learnt from the repository and might have been said.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct WeighedItem {
    pub(in crate::serve) id: String,
    pub(in crate::serve) title: String,
    /// How likely it is of use here; below one half nothing is said.
    pub(in crate::serve) chance: f64,
    /// Each sign, from 0 to 1, and what it added.
    pub(in crate::serve) signs: BTreeMap<&'static str, (f64, f64)>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ContextAnswer {
    pub(in crate::serve) context: String,
    /// Never more than the budget.
    pub(in crate::serve) token_count: usize,
    pub(in crate::serve) tiers: TierTokens,
    pub(in crate::serve) items: Vec<ContextItem>,
    /// Did it stand ready?
    pub(in crate::serve) prefetched: bool,
    /// With `explain`: what was weighed, likeliest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::serve) weighed: Vec<WeighedItem>,
    pub(in crate::serve) took_us: u64,
}

/// Tokens of each tier: critical, relevant, background, what can be asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct TierTokens {
    pub(in crate::serve) tier1: usize,
    pub(in crate::serve) tier2: usize,
    pub(in crate::serve) tier3: usize,
    pub(in crate::serve) tier4: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ContextItem {
    pub(in crate::serve) id: String,
    /// 1 to 4.
    pub(in crate::serve) tier: usize,
    pub(in crate::serve) tokens: usize,
    pub(in crate::serve) level: &'static str,
    pub(in crate::serve) why: String,
}

/// What will be needed when this happens; one of the first five at least.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct PredictRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) file_opened: Option<String>,
    pub(in crate::serve) branch: Option<String>,
    pub(in crate::serve) error: Option<String>,
    pub(in crate::serve) author: Option<String>,
    pub(in crate::serve) goal: Option<String>,
    pub(in crate::serve) session_id: Option<String>,
    /// 1 to 100; 10 unless told.
    #[schemars(range(min = 1, max = 100))]
    pub(in crate::serve) k: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct PredictAnswer {
    pub(in crate::serve) predicted_memories: Vec<ForeseenMemory>,
    pub(in crate::serve) predicted_files: Vec<ForeseenFile>,
    /// How sure the best of both is, 0 to 1.
    pub(in crate::serve) confidence: f64,
    /// Does a context for this stand ready?
    pub(in crate::serve) prefetched: bool,
    pub(in crate::serve) took_us: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ForeseenMemory {
    pub(in crate::serve) id: String,
    pub(in crate::serve) kind: &'static str,
    pub(in crate::serve) title: String,
    pub(in crate::serve) score: f64,
    pub(in crate::serve) why: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ForeseenFile {
    pub(in crate::serve) path: String,
    pub(in crate::serve) score: f64,
    pub(in crate::serve) why: String,
}

/// What an orchestrator injects before a task.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct TaskRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) goal: String,
    pub(in crate::serve) phase: Option<String>,
    pub(in crate::serve) action_type: Option<String>,
    pub(in crate::serve) files: Vec<String>,
    pub(in crate::serve) session_id: Option<String>,
    /// 1 to 50 of each; 5 unless told.
    #[schemars(range(min = 1, max = 50))]
    pub(in crate::serve) k: Option<usize>,
    /// Does it go to an agent, and count as loaded? Yes unless told.
    pub(in crate::serve) counted: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct TaskAnswer {
    pub(in crate::serve) detected_task_type: &'static str,
    pub(in crate::serve) weights: TaskWeights,
    pub(in crate::serve) relevant_patterns: Vec<TaskMemory>,
    pub(in crate::serve) avoid_these: Vec<TaskMemory>,
    /// What must not happen again; for debugging.
    pub(in crate::serve) critical_avoid: Vec<TaskMemory>,
    pub(in crate::serve) applicable_skills: Vec<TaskMemory>,
    /// Of everything above.
    pub(in crate::serve) token_count: usize,
    pub(in crate::serve) took_us: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct TaskMemory {
    pub(in crate::serve) id: String,
    pub(in crate::serve) kind: &'static str,
    pub(in crate::serve) title: String,
    pub(in crate::serve) text: String,
    pub(in crate::serve) score: f64,
    pub(in crate::serve) files: Vec<String>,
}

/// The block at the start of a session.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct SessionRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) session_id: String,
    pub(in crate::serve) agent: Option<String>,
    pub(in crate::serve) goal: Option<String>,
    /// 400 unless told or configured. It counts at the first call of a session only.
    #[schemars(range(max = 10_000))]
    pub(in crate::serve) budget: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct SessionAnswer {
    /// The same bytes on every call of the session.
    pub(in crate::serve) context: String,
    pub(in crate::serve) token_count: usize,
    pub(in crate::serve) items: Vec<SessionEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct SessionEntry {
    pub(in crate::serve) id: String,
    /// As it is to be cited: `M:1a2b3c4d`.
    pub(in crate::serve) cite: String,
    pub(in crate::serve) tier: &'static str,
}

/// What a later prompt of a session calls for and has not been given yet.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct PromptRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) session_id: String,
    pub(in crate::serve) prompt: String,
    #[serde(default)]
    pub(in crate::serve) files: Vec<String>,
    /// How much of the agent's context window is used, 0 to 1.
    pub(in crate::serve) context_use: Option<f64>,
    /// 300 unless told or configured; less once the agent's window is half full.
    #[schemars(range(max = 10_000))]
    pub(in crate::serve) budget: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct PromptAnswer {
    pub(in crate::serve) context: String,
    pub(in crate::serve) token_count: usize,
    pub(in crate::serve) items: Vec<SessionEntry>,
    /// The session has left the topic it began with: said once, with more context than usual.
    pub(in crate::serve) topic_moved: bool,
    pub(in crate::serve) took_us: u64,
}

/// Index, timeline, and at most two topics in full, until that is enough.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct RelevantRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) query: String,
    pub(in crate::serve) session_id: Option<String>,
    /// 2,000 unless told.
    #[schemars(range(max = 1_000_000))]
    pub(in crate::serve) budget: Option<usize>,
    /// Does it go to an agent, and count as loaded? Yes unless told.
    pub(in crate::serve) counted: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct RelevantAnswer {
    pub(in crate::serve) context: String,
    pub(in crate::serve) token_count: usize,
    /// Tokens of the index, the timeline and the memories.
    pub(in crate::serve) layers: [usize; 3],
    pub(in crate::serve) topics: Vec<String>,
    pub(in crate::serve) items: Vec<LayerItem>,
    /// Was everything relevant said?
    pub(in crate::serve) enough: bool,
    pub(in crate::serve) why: String,
    pub(in crate::serve) took_us: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct LayerItem {
    pub(in crate::serve) id: String,
    pub(in crate::serve) level: &'static str,
    pub(in crate::serve) tokens: usize,
}

/// What became of memories that were handed out.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct UsageRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) session_id: Option<String>,
    pub(in crate::serve) loaded: Vec<String>,
    /// Ids, or citations such as `M:1a2b3c4d`.
    pub(in crate::serve) cited: Vec<String>,
    pub(in crate::serve) ignored: Vec<String>,
    /// An answer of the agent, to be read for citations: `Applied: [M:1a2b3c4d]`.
    pub(in crate::serve) text: Option<String>,
    /// How much of the agent's context window is used, 0 to 1.
    pub(in crate::serve) context_use: Option<f64>,
    /// How the session ended. What was given in it and never cited counts as ignored from then on.
    pub(in crate::serve) outcome: Option<Word<Outcome>>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Economics {
    pub(in crate::serve) project: Option<PathBuf>,
    /// Of this session alone.
    pub(in crate::serve) session_id: Option<String>,
    /// Also the account of all sessions day by day, of so many days; 1 to 400.
    #[schemars(range(min = 1, max = 400))]
    pub(in crate::serve) days: Option<u32>,
}

/// The token ledger.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(in crate::serve) struct EconomicsAnswer(pub(in crate::serve) serde_json::Map<String, Value>);
