//! What is asked about what agents were told unasked, and what is answered; and what is not to be told any more.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::trust::MemoryName;
use super::values::NamespaceName;
use lokid_engine::said::{SaidMemory, Saying};
use lokid_engine::sessions::SessionSummary;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct SaidList {
    pub(in crate::serve) project: Option<PathBuf>,
    /// To this session alone.
    pub(in crate::serve) session_id: Option<String>,
    /// Only where this memory was said.
    #[schemars(with = "Option<String>")]
    pub(in crate::serve) memory: Option<MemoryName>,
    /// Of `memory`.
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// `true`: only where something was said, `false`: only where nothing was; both unless told.
    pub(in crate::serve) spoken: Option<bool>,
    /// 1 to 500; 50 unless told.
    #[schemars(range(min = 1, max = 500))]
    pub(in crate::serve) limit: Option<usize>,
    /// The `next_cursor` of the answer before.
    pub(in crate::serve) cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct SaidAnswer {
    pub(in crate::serve) items: Vec<SaidEntry>,
    /// `null` behind the last item.
    pub(in crate::serve) next_cursor: Option<String>,
}

/// One occasion on which something could be said.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct SaidEntry {
    pub(in crate::serve) id: String,
    pub(in crate::serve) at: String,
    pub(in crate::serve) session_id: String,
    pub(in crate::serve) agent: String,
    /// `session_start`, `prompt`, `before_tool`, `after_tool` or `failed`.
    pub(in crate::serve) event: String,
    /// The beginning of the prompt or the goal, the command or the file.
    pub(in crate::serve) asked: String,
    pub(in crate::serve) files: Vec<String>,
    /// What the agent was given, to the byte; empty where nothing was said.
    pub(in crate::serve) text: String,
    pub(in crate::serve) tokens: usize,
    pub(in crate::serve) took_us: u64,
    /// The session had left the topic it began with.
    pub(in crate::serve) topic_moved: bool,
    pub(in crate::serve) items: Vec<SaidItem>,
}

/// A memory that was said. Of one that was archived since, only what it was called by is left.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct SaidItem {
    pub(in crate::serve) id: String,
    pub(in crate::serve) namespace: String,
    /// As it is cited: `M:1a2b3c4d`.
    pub(in crate::serve) cite: String,
    pub(in crate::serve) kind: String,
    pub(in crate::serve) tier: String,
    pub(in crate::serve) title: String,
    /// As it was said.
    pub(in crate::serve) line: String,
    pub(in crate::serve) tokens: usize,
    pub(in crate::serve) score: f64,
    /// Why it was said then.
    pub(in crate::serve) why: String,
    /// What decided: the parts of recall's score, what each sign of the gate added, or the evidence. Empty for what is
    /// always said.
    pub(in crate::serve) parts: BTreeMap<String, f64>,
    /// `null` while no answer came, and where the session is no longer known.
    pub(in crate::serve) cited: Option<bool>,
}

impl From<Saying> for SaidEntry {
    fn from(saying: Saying) -> SaidEntry {
        let Saying { id, at, session_id, agent, event, asked, files, text, tokens, took_us, topic_moved, items } =
            saying;
        let items = items.into_iter().map(SaidItem::from).collect();
        SaidEntry { id, at, session_id, agent, event, asked, files, text, tokens, took_us, topic_moved, items }
    }
}

impl From<SaidMemory> for SaidItem {
    fn from(said: SaidMemory) -> SaidItem {
        let SaidMemory { id, namespace, cite, kind, tier, title, line, tokens, score, why, parts, cited } = said;
        SaidItem { id, namespace, cite, kind, tier, title, line, tokens, score, why, parts, cited }
    }
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct Page {
    pub(in crate::serve) project: Option<PathBuf>,
    /// 1 to 500; 50 unless told.
    #[schemars(range(min = 1, max = 500))]
    pub(in crate::serve) limit: Option<usize>,
    /// The `next_cursor` of the answer before.
    pub(in crate::serve) cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct SessionsAnswer {
    pub(in crate::serve) items: Vec<SessionInShort>,
    /// `null` behind the last item.
    pub(in crate::serve) next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct SessionInShort {
    pub(in crate::serve) session_id: String,
    pub(in crate::serve) agent: String,
    pub(in crate::serve) goal: String,
    pub(in crate::serve) started_at: String,
    pub(in crate::serve) last_at: String,
    pub(in crate::serve) ended_at: Option<String>,
    pub(in crate::serve) outcome: Option<&'static str>,
    /// How often something could have been said, and how often it was.
    pub(in crate::serve) asked: u64,
    pub(in crate::serve) spoken: u64,
    /// Of everything it was handed unasked.
    pub(in crate::serve) tokens: u64,
    /// Memories it was handed unasked.
    pub(in crate::serve) given: usize,
    pub(in crate::serve) cited: usize,
    /// Given and not cited; 0 while no answer came.
    pub(in crate::serve) ignored: usize,
}

impl From<&SessionSummary> for SessionInShort {
    fn from(session: &SessionSummary) -> SessionInShort {
        SessionInShort {
            session_id: session.id.clone(),
            agent: session.agent.clone(),
            goal: session.goal.clone(),
            started_at: session.started.record_style(),
            last_at: session.seen.record_style(),
            ended_at: session.ended.map(|at| at.record_style()),
            outcome: session.outcome.map(|outcome| outcome.as_str()),
            asked: session.asked,
            spoken: session.spoken,
            tokens: session.tokens,
            given: session.given,
            cited: session.cited,
            ignored: session.ignored,
        }
    }
}

/// A memory that is not to be told unasked any more.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct MuteRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    #[schemars(with = "String")]
    pub(in crate::serve) memory_id: MemoryName,
    /// Only where this file, or one below this folder, is at hand; absolute, or relative to the working tree. Everywhere in
    /// the project unless told.
    pub(in crate::serve) file: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct MuteItem {
    pub(in crate::serve) memory_id: String,
    pub(in crate::serve) namespace: String,
    /// `null`: everywhere.
    pub(in crate::serve) file: Option<String>,
    pub(in crate::serve) at: String,
    /// Of the memory, where it is known.
    pub(in crate::serve) title: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct MutesAnswer {
    pub(in crate::serve) items: Vec<MuteItem>,
    /// `null` behind the last item.
    pub(in crate::serve) next_cursor: Option<String>,
}
