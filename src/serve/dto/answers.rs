//! What is answered. Records themselves are written by the store, so that an answer, an export and a file agree.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::bodies::Object;

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Health {
    pub(in crate::serve) status: &'static str,
    pub(in crate::serve) version: &'static str,
    pub(in crate::serve) pid: u32,
    pub(in crate::serve) uptime_s: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct StatusAnswer {
    pub(in crate::serve) version: &'static str,
    pub(in crate::serve) pid: u32,
    pub(in crate::serve) uptime_s: u64,
    pub(in crate::serve) rss_bytes: Option<u64>,
    pub(in crate::serve) memory: MemoryStatus,
    pub(in crate::serve) socket: String,
    /// By agent, those whose hooks were ever heard.
    pub(in crate::serve) hooks: BTreeMap<&'static str, HookStatus>,
    pub(in crate::serve) projects: Vec<ProjectStatus>,
}

/// How close the process is to the memory it may hold.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct MemoryStatus {
    /// `calm`, `tight` once it has let go of what can be made again, `scarce` while nothing is made ready in advance.
    pub(in crate::serve) state: &'static str,
    /// `service.memory_limit`.
    pub(in crate::serve) limit_bytes: u64,
    /// How often something was let go of.
    pub(in crate::serve) sheds: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct HookStatus {
    pub(in crate::serve) last_event_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ProjectStatus {
    pub(in crate::serve) id: String,
    pub(in crate::serve) path: String,
    pub(in crate::serve) memory_dir: String,
    pub(in crate::serve) memories: usize,
    pub(in crate::serve) counts: BTreeMap<&'static str, usize>,
    pub(in crate::serve) archived: usize,
    pub(in crate::serve) links: usize,
    /// Of all memories at full length.
    pub(in crate::serve) tokens: u64,
    pub(in crate::serve) namespaces: Vec<String>,
    pub(in crate::serve) watch: WatchStatus,
    pub(in crate::serve) past: PastStatus,
    pub(in crate::serve) index: IndexStatus,
    pub(in crate::serve) focus: FocusStatus,
    pub(in crate::serve) prefetch: PrefetchStatus,
    pub(in crate::serve) consolidation: super::night::ConsolidationStatus,
    pub(in crate::serve) open_contradictions: usize,
    /// Memories whose files ask for more authority than anybody here confirmed.
    pub(in crate::serve) unconfirmed: usize,
    /// Changes that are safe in the state directory and wait for the repository to become writable.
    pub(in crate::serve) kept_outside: u64,
    /// May what happens become memory by itself?
    pub(in crate::serve) capture: bool,
    pub(in crate::serve) problems: Vec<FileProblem>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct WatchStatus {
    /// `native` while the system tells of changes, `partial` or `polling` where folders have to be looked at from time
    /// to time, `absent` while the working tree is not there, `on-demand` when files are looked at only for a question.
    pub(in crate::serve) state: &'static str,
    /// Working trees that are watched.
    pub(in crate::serve) trees: Vec<String>,
    pub(in crate::serve) files: usize,
    pub(in crate::serve) folders_watched: usize,
    pub(in crate::serve) folders_polled: usize,
    /// Why folders are looked at from time to time, while they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) reason: Option<String>,
    /// What a person should know, each once.
    pub(in crate::serve) warnings: Vec<String>,
    /// Events waiting for the writer.
    pub(in crate::serve) backlog: usize,
    pub(in crate::serve) signals: BTreeMap<&'static str, u64>,
}

/// What the repository taught by itself.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct PastStatus {
    /// `off`, `ready`, or the chapter being read: `history`, `documents`, `code`, `facts`, `habits`.
    pub(in crate::serve) state: &'static str,
    /// Steps of that chapter; commits or files.
    pub(in crate::serve) done: usize,
    pub(in crate::serve) total: usize,
    /// Memories that are in no file of the memory.
    pub(in crate::serve) memories: usize,
    /// The same by kind; those of which there are none are left out.
    pub(in crate::serve) counts: BTreeMap<&'static str, usize>,
    pub(in crate::serve) commits: u64,
    pub(in crate::serve) documents: usize,
    /// Source files, what they define, and how many files of the repository they import.
    pub(in crate::serve) code_files: usize,
    pub(in crate::serve) symbols: usize,
    pub(in crate::serve) imports: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct IndexStatus {
    /// `ready`, `indexing` while memories wait to be found, or `opening`.
    pub(in crate::serve) state: &'static str,
    pub(in crate::serve) version: u64,
    /// Memories that can be found.
    pub(in crate::serve) indexed: usize,
    /// Memories that cannot be found yet.
    pub(in crate::serve) waiting: usize,
    /// Stretches of text compared by meaning.
    pub(in crate::serve) passages: usize,
    /// The model that compares them.
    pub(in crate::serve) model: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct RecallAnswer {
    pub(in crate::serve) task_type: &'static str,
    pub(in crate::serve) weights: TaskWeights,
    pub(in crate::serve) results: Vec<Found>,
    /// Memories that are known but could not be found yet: the index is being made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) waiting: Option<usize>,
    pub(in crate::serve) took_us: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct TaskWeights {
    pub(in crate::serve) episodic: f64,
    pub(in crate::serve) semantic: f64,
    pub(in crate::serve) skills: f64,
    pub(in crate::serve) anti_patterns: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Found {
    pub(in crate::serve) id: String,
    pub(in crate::serve) kind: &'static str,
    pub(in crate::serve) tier: &'static str,
    pub(in crate::serve) title: String,
    /// `mirror` for what was read from a memory store: quoted, never binding. Left out for what is known here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) source: Option<&'static str>,
    /// The member of the team it comes from; left out in no team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) author: Option<String>,
    /// The text, under the name of the level that was asked for.
    #[serde(flatten)]
    pub(in crate::serve) shown: Object,
    pub(in crate::serve) score: f64,
    pub(in crate::serve) tokens: usize,
    pub(in crate::serve) files: Vec<String>,
    /// With `explain`: how often it was handed out, named, of help and passed over so far, and when it was last named
    /// and handed out. Without, the same question has the same answer, though asking is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) usage: Option<Object>,
    pub(in crate::serve) created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) invalid_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) parts: Option<Explanation>,
}

/// score = (relevance + fit × (recency and usage by their weights)) × (1 + fit × (tier − 1)) × (0.5 + importance) × task
/// × outcome × speaker
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Explanation {
    /// How close the best passage is in meaning, -1 to 1.
    pub(in crate::serve) semantic: f64,
    /// The share of the question's words it answers, 0 to 1.
    pub(in crate::serve) keyword: f64,
    /// What neighbours of the same occasion add or take away.
    pub(in crate::serve) occasion: f64,
    /// What arrived over links.
    pub(in crate::serve) linked: f64,
    /// At home in a file that was asked about.
    pub(in crate::serve) place: f64,
    /// Of the time the question speaks of.
    pub(in crate::serve) time: f64,
    /// All of the above by their weights.
    pub(in crate::serve) relevance: f64,
    /// The share of the best match's relevance: as far as a memory fits do its other merits count.
    pub(in crate::serve) fit: f64,
    pub(in crate::serve) recency: f64,
    pub(in crate::serve) usage: f64,
    pub(in crate::serve) tier: f64,
    pub(in crate::serve) importance: f64,
    pub(in crate::serve) task: f64,
    pub(in crate::serve) outcome: f64,
    pub(in crate::serve) speaker: f64,
    /// The words that matched, as they are indexed.
    pub(in crate::serve) words: Vec<String>,
    /// The last link on the way here, and where it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) link: Option<String>,
    /// What matched, and was replaced by this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) instead_of: Option<String>,
}

/// What is being worked on, as far as signals tell; of several working trees, in the one heard of last.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct FocusStatus {
    pub(in crate::serve) goal: Option<String>,
    pub(in crate::serve) branch: Option<String>,
    /// The one at hand first, then those before it.
    pub(in crate::serve) files: Vec<String>,
    /// The kind of task, where words or errors tell.
    pub(in crate::serve) activity: Option<&'static str>,
    /// Errors of the last day.
    pub(in crate::serve) errors: usize,
    /// When something was last heard.
    pub(in crate::serve) at: Option<String>,
    /// The linked working tree it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) tree: Option<String>,
}

/// What is put together before anybody asks.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct PrefetchStatus {
    /// `on`, or `off` where the configuration says so or the project is not watched.
    pub(in crate::serve) state: &'static str,
    /// Sessions and working trees whose focus is known.
    pub(in crate::serve) focuses: usize,
    /// Contexts that stand ready.
    pub(in crate::serve) ready: usize,
    pub(in crate::serve) prepared: u64,
    /// Asked for and ready, asked for and not ready, ready and never asked for.
    pub(in crate::serve) hits: u64,
    pub(in crate::serve) misses: u64,
    pub(in crate::serve) wasted: u64,
    pub(in crate::serve) wasted_tokens: u64,
    /// Those that would be handed out as they are, the latest first; eight at the most.
    pub(in crate::serve) contexts: Vec<ReadyContext>,
}

/// A context that stands ready: what for, and how much it is.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ReadyContext {
    pub(in crate::serve) path: Option<String>,
    pub(in crate::serve) branch: Option<String>,
    pub(in crate::serve) goal: Option<String>,
    /// The agent of the session it is for, where one has said so.
    pub(in crate::serve) agent: Option<String>,
    pub(in crate::serve) memories: usize,
    pub(in crate::serve) tokens: usize,
    /// Was it handed out before?
    pub(in crate::serve) asked: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct FileProblem {
    pub(in crate::serve) path: String,
    pub(in crate::serve) reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct WatchedProject {
    pub(in crate::serve) id: String,
    pub(in crate::serve) path: String,
    pub(in crate::serve) memory_dir: String,
    pub(in crate::serve) memories: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct ReleasedProject {
    pub(in crate::serve) path: String,
    pub(in crate::serve) watched: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Projects {
    pub(in crate::serve) projects: Vec<WatchedProject>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Accepted {
    pub(in crate::serve) accepted: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct RememberedAnswer {
    pub(in crate::serve) id: String,
    pub(in crate::serve) created: bool,
    pub(in crate::serve) merged_into: Option<String>,
    pub(in crate::serve) contradictions: Vec<Value>,
}

/// A whole record, as an export holds it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(in crate::serve) struct RecordAnswer(pub(in crate::serve) Object);

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Listing {
    pub(in crate::serve) items: Vec<Object>,
    /// `null` behind the last item.
    pub(in crate::serve) next_cursor: Option<String>,
    /// With `facets`: how many there are on all pages, and of what sort.
    #[serde(flatten)]
    pub(in crate::serve) counted: Option<super::files::CountedFacets>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Items {
    pub(in crate::serve) items: Vec<Object>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Forgotten {
    pub(in crate::serve) dry_run: bool,
    pub(in crate::serve) purge: bool,
    pub(in crate::serve) forgotten: Vec<Mention>,
    pub(in crate::serve) count: usize,
}

/// How much matches, place by place.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct RedactionAnswer {
    pub(in crate::serve) dry_run: bool,
    pub(in crate::serve) memories: usize,
    pub(in crate::serve) archived: usize,
    /// Of what the repository itself teaches; erased here, unchanged there.
    pub(in crate::serve) derived: usize,
    /// Ledgers and handoffs.
    pub(in crate::serve) documents: usize,
    /// Earlier wordings in files of lines.
    pub(in crate::serve) history: usize,
    /// Lines of the log of changes.
    pub(in crate::serve) changes: usize,
    /// All places in memories and documents.
    pub(in crate::serve) places: usize,
    pub(in crate::serve) redacted: Vec<RedactedMention>,
    /// What stands in the place of what matched.
    pub(in crate::serve) instead: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct RedactedMention {
    /// Without what matches, and so is the title.
    pub(in crate::serve) id: String,
    pub(in crate::serve) kind: &'static str,
    pub(in crate::serve) title: String,
    pub(in crate::serve) places: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) replaced_by: Option<String>,
}

/// A page of the versions of a memory store.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct VersionsAnswer {
    pub(in crate::serve) dry_run: bool,
    pub(in crate::serve) versions: usize,
    pub(in crate::serve) matched: usize,
    /// They say nothing any more.
    pub(in crate::serve) redacted: usize,
    /// Current contents that a clean one took the place of.
    pub(in crate::serve) replaced: usize,
    /// Memories whose path matches; it stays.
    pub(in crate::serve) named: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::serve) next_page: Option<String>,
}

/// What would leave for the organisation's store.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Promotion {
    pub(in crate::serve) id: String,
    pub(in crate::serve) path: String,
    /// Where it goes when somebody else's memory has that path.
    pub(in crate::serve) beside: String,
    /// To the byte.
    pub(in crate::serve) content: String,
    pub(in crate::serve) sha256: String,
    /// What whoever may write there types.
    pub(in crate::serve) call: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Mention {
    pub(in crate::serve) id: String,
    pub(in crate::serve) kind: &'static str,
    pub(in crate::serve) title: String,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(in crate::serve) struct ImportAnswer {
    pub(in crate::serve) imported: u64,
    pub(in crate::serve) updated: u64,
    pub(in crate::serve) skipped: u64,
    /// The first thousand.
    pub(in crate::serve) errors: Vec<LineError>,
    pub(in crate::serve) errors_total: u64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct LineError {
    pub(in crate::serve) line: u64,
    pub(in crate::serve) code: &'static str,
    pub(in crate::serve) detail: String,
}

/// A line of an import's progress: everything up to line `acknowledged` is durable.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Progress {
    pub(in crate::serve) acknowledged: u64,
    pub(in crate::serve) imported: u64,
    pub(in crate::serve) updated: u64,
    pub(in crate::serve) skipped: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Graph {
    pub(in crate::serve) nodes: Vec<Node>,
    pub(in crate::serve) edges: Vec<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Node {
    pub(in crate::serve) id: String,
    pub(in crate::serve) kind: &'static str,
    pub(in crate::serve) tier: &'static str,
    pub(in crate::serve) title: String,
    /// Steps from where the question began.
    pub(in crate::serve) depth: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Erased {
    /// The name of the document that is gone.
    pub(in crate::serve) erased: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct Written {
    pub(in crate::serve) id: String,
    pub(in crate::serve) created: bool,
}
