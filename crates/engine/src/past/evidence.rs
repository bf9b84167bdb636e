//! What the past tells whoever looks ahead: which files change together, which are alike, what commits said, and how much
//! each of that counts in this repository.

use std::path::Path;
use std::sync::Arc;

use super::cache::Folder;
use super::{PastHandle, PastWorker};
use crate::ground::CodeGround;
use lokid_config::RedactConfig;
use lokid_context::predict::files::Weights;
use lokid_index::cochange::Cochange;
use lokid_index::commits::CommitIndex;
use lokid_index::subjects::Subjects;
use lokid_sys::plain;

/// Beside the state of the project: what `lokid replay --fit` learnt.
pub const WEIGHTS: &str = "weights.txt";
const LARGEST: u64 = 1 << 20;

/// All of it at one moment.
#[derive(Clone, Default)]
pub struct PastKnown {
    pub cochange: Arc<Cochange>,
    pub ground: Arc<CodeGround>,
    pub subjects: Arc<Subjects>,
    pub commits: Option<Arc<CommitIndex>>,
    pub weights: Arc<Weights>,
    /// Who works here, as commits name them.
    pub author: Option<Arc<str>>,
}

impl PastHandle {
    pub fn known(&self) -> PastKnown {
        PastKnown {
            cochange: self.cochange.load_full(),
            ground: self.ground.load_full(),
            subjects: self.subjects.load_full(),
            commits: self.commits.load_full(),
            weights: self.weights.load_full(),
            author: self.author.load().as_ref().clone(),
        }
    }
}

/// What earlier runs kept, for a project that nobody watches.
pub(crate) fn kept_evidence(cache: &Path, state: &Path, redact: &RedactConfig) -> PastKnown {
    let folder = Folder::new(cache, redact);
    let (cochange, subjects) = folder.history().map(|(cochange, subjects, _)| (cochange, subjects)).unwrap_or_default();
    PastKnown {
        cochange: Arc::new(cochange),
        ground: Arc::new(folder.ground()),
        subjects: Arc::new(subjects),
        commits: folder.commits(false).map(Arc::new),
        weights: Arc::new(weights(state)),
        author: None,
    }
}

/// The weights of this repository, or those that suit most.
pub fn weights(state: &Path) -> Weights {
    let Ok(Some(text)) = plain::read_text(&state.join(WEIGHTS), LARGEST) else { return Weights::default() };
    Weights::from_text(&text).unwrap_or_else(|reason| {
        tracing::warn!(%reason, "the weights of this repository cannot be read; the usual ones are used");
        Weights::default()
    })
}

impl PastWorker {
    /// Somebody may have fitted the weights anew, or another person may be at the keyboard.
    pub(super) fn look_at_weights(&self) {
        self.published.publish(&self.published.weights, weights(&self.env.state));
        let author = lokid_sys::git::authors::own_name(&self.env.root);
        let author = author.map(|name| self.env.redaction.text(&name).into());
        self.published.publish(&self.published.author, author);
    }
}
