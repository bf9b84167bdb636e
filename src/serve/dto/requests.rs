//! The bodies of requests that are no records.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::bodies::{Object, Wrong};
use super::trust::MemoryName;
use super::values::{Include, KnownId, NamespaceName, Time, Word};
use lokid_model::{
    Body, CommonError, Draft, Kind, Learning, Level, Outcome, Relation, Signal, SignalKind, Skill, Source, TaskType,
    Tier, Timestamp,
};
use lokid_store::schema::skill_text;

/// A repository to watch, or to stop watching.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct ProjectRequest {
    /// Absolute: any path inside the repository.
    pub(in crate::serve) path: PathBuf,
}

/// Something that happened.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct SignalRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    r#type: Word<SignalKind>,
    path: Option<String>,
    branch: Option<String>,
    text: Option<String>,
    goal: Option<String>,
    session_id: Option<String>,
    agent: Option<String>,
    author: Option<String>,
    outcome: Option<Word<Outcome>>,
}

impl SignalRequest {
    pub(in crate::serve) fn into_signal(self, at: Timestamp) -> Signal {
        let mut signal = Signal::new(at, self.r#type.0);
        signal.path = self.path;
        signal.branch = self.branch;
        signal.text = self.text;
        signal.goal = self.goal;
        signal.session = self.session_id;
        signal.agent = self.agent;
        signal.author = self.author;
        signal.outcome = self.outcome.map(|outcome| outcome.0);
        signal
    }
}

/// What is to be forgotten: memories that hold every word of `query`, and facts of this `key`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct ForgetRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) query: Option<String>,
    pub(in crate::serve) key: Option<String>,
    pub(in crate::serve) reason: Option<String>,
    /// Only tell what would be forgotten; true unless told otherwise.
    pub(in crate::serve) dry_run: Option<bool>,
    pub(in crate::serve) purge: bool,
}

/// Where a project's team has its database.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct TeamJoin {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    /// As psql takes it, without a password: `postgres://ana@db.example/team`, or `service=team`.
    pub(in crate::serve) database: String,
    /// What the project is called there.
    pub(in crate::serve) team: String,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct TeamPass {
    pub(in crate::serve) project: Option<PathBuf>,
    /// How long to wait; 10 unless told, 60 at the most.
    pub(in crate::serve) seconds: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::serve) enum TeamTarget {
    Team,
    Org,
}

impl TeamTarget {
    pub(in crate::serve) fn is_org(self) -> bool {
        matches!(self, TeamTarget::Org)
    }
}

/// A memory that a team, or all teams of the organisation, shall be bound by or no longer be.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct TeamPromotion {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    #[schemars(with = "String")]
    pub(in crate::serve) id: MemoryName,
    pub(in crate::serve) to: TeamTarget,
    /// As it was shown without: only these very words are promoted.
    #[serde(default)]
    pub(in crate::serve) print: Option<String>,
}

/// Words to be made unreadable wherever memory holds them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct RedactRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    /// Only there; everywhere unless told.
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    /// A regular expression without look-around and back-references.
    pub(in crate::serve) pattern: String,
    #[serde(default)]
    pub(in crate::serve) reason: Option<String>,
    /// Only tell what matches; true unless told otherwise.
    #[serde(default)]
    pub(in crate::serve) dry_run: Option<bool>,
}

/// Words to be made unreadable in a page of the versions of a memory store.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct VersionsRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    /// `user` or `org`.
    pub(in crate::serve) store: String,
    /// A regular expression without look-around and back-references.
    pub(in crate::serve) pattern: String,
    /// Only tell what matches; true unless told otherwise.
    #[serde(default)]
    pub(in crate::serve) dry_run: Option<bool>,
    /// The `next_page` of the answer before; the first unless told.
    #[serde(default)]
    pub(in crate::serve) page: Option<String>,
}

/// A question. Its text is data: no character in it is syntax.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct RecallRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) query: String,
    /// How many memories at the most; 5 unless told.
    #[schemars(range(min = 1, max = 1000))]
    pub(in crate::serve) k: Option<usize>,
    /// What is about to be done; found out from the words, the action and the phase unless told.
    pub(in crate::serve) task_type: Option<Word<TaskType>>,
    #[serde(default)]
    pub(in crate::serve) kinds: Vec<Word<Kind>>,
    #[serde(default)]
    pub(in crate::serve) tiers: Vec<Word<Tier>>,
    /// Memories at home in these come first.
    #[serde(default)]
    pub(in crate::serve) files: Vec<String>,
    pub(in crate::serve) phase: Option<String>,
    pub(in crate::serve) action_type: Option<String>,
    /// What was known and held true then; date words in the question are counted from there.
    pub(in crate::serve) as_of: Option<Time>,
    pub(in crate::serve) min_score: Option<f64>,
    /// How much of each text; the summary unless told.
    pub(in crate::serve) level: Option<Word<Level>>,
    /// What is left out otherwise.
    #[serde(default)]
    pub(in crate::serve) include: Vec<Word<Include>>,
    /// Tell every factor of each score.
    #[serde(default)]
    pub(in crate::serve) explain: bool,
    /// Wait until everything that is known can be found.
    #[serde(default)]
    pub(in crate::serve) fresh: bool,
    pub(in crate::serve) session_id: Option<String>,
    /// Does the answer go to an agent, and count as loaded? Yes unless told.
    #[serde(default = "yes")]
    pub(in crate::serve) counted: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::serve) struct LinkRequest {
    #[serde(default)]
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(default)]
    pub(in crate::serve) namespace: Option<NamespaceName>,
    pub(in crate::serve) from: KnownId,
    pub(in crate::serve) to: KnownId,
    pub(in crate::serve) relation: Word<Relation>,
}

/// One of Loki Mode's documents, kept whole. A ledger has an `agent_id`, a handoff may have an `id`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct DocumentRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    #[serde(flatten)]
    pub(in crate::serve) body: Object,
}

/// What was learnt from an error.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct LearningRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    title: String,
    error: String,
    cause: String,
    fix: String,
    fingerprint: String,
    tags: Vec<String>,
    files: Vec<String>,
}

impl LearningRequest {
    pub(in crate::serve) fn into_draft(self) -> Result<Draft, Wrong> {
        if self.error.trim().is_empty() {
            return Err(Wrong::new("error", "is required"));
        }
        let mut draft = Draft::new(Kind::Learning, "");
        draft.title = self.title;
        draft.namespace = super::queries::namespace(self.namespace);
        draft.tags = self.tags;
        draft.files = self.files;
        draft.source = Some(Source::Agent);
        draft.body = Body::Learning(Box::new(Learning {
            error: self.error,
            cause: self.cause,
            fix: self.fix,
            fingerprint: self.fingerprint,
        }));
        Ok(draft)
    }
}

/// A skill by its fields, or as the Markdown document a person reads.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::serve) struct SkillRequest {
    pub(in crate::serve) project: Option<PathBuf>,
    pub(in crate::serve) namespace: Option<NamespaceName>,
    text: Option<String>,
    name: String,
    description: String,
    prerequisites: Vec<String>,
    steps: Vec<String>,
    common_errors: Vec<CommonErrorFields>,
    exit_criteria: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CommonErrorFields {
    error: String,
    #[serde(default)]
    fix: String,
}

impl SkillRequest {
    pub(in crate::serve) fn into_skill(self) -> Result<Skill, Wrong> {
        if let Some(text) = self.text {
            return skill_text::parse(&text).ok_or_else(|| Wrong::new("text", "does not begin with `# Skill: <name>`"));
        }
        if self.name.trim().is_empty() {
            return Err(Wrong::new("name", "is required"));
        }
        let errors = self.common_errors.into_iter().map(|known| CommonError { error: known.error, fix: known.fix });
        Ok(Skill {
            name: self.name,
            description: self.description,
            prerequisites: self.prerequisites,
            steps: self.steps,
            common_errors: errors.collect(),
            exit_criteria: self.exit_criteria,
        })
    }
}
