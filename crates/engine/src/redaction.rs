//! Secrets leave a text before anything else happens to it: whatever enters a project goes through here, on the thread
//! of the one who brings it, and only then to the writer, the journal and the disk.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;

use super::error::EngineError;
use lokid_config::RedactConfig;
use lokid_encode::redact::{RedactError, Redactor, Rule};
use lokid_model::texts::Texts;
use lokid_model::{Cleaned, Cleaner, Draft, MemoryId, Namespace, clean};
use lokid_sys::plain;

/// The rules that hold now. Cheap to clone; a new configuration reaches every clone.
#[derive(Clone)]
pub struct Redaction(Arc<ArcSwap<Redactor>>, Arc<AtomicU64>);

impl Redaction {
    /// A rule that cannot be used is told, and the others hold.
    pub(super) fn new(config: &RedactConfig) -> Redaction {
        let redactor = redactor(&usable(config)).unwrap_or_else(|error| {
            tracing::error!(reason = %error, "[redact] cannot be used; the rules inside lokid hold");
            Redactor::built_in()
        });
        Redaction(Arc::new(ArcSwap::from_pointee(redactor)), Arc::new(rules(config).into()))
    }

    pub(super) fn reconfigured(&self, config: &RedactConfig) {
        match redactor(config) {
            Ok(redactor) => {
                self.0.store(Arc::new(redactor));
                self.1.store(rules(config), Ordering::Release);
            }
            Err(error) => tracing::error!(reason = %error, "[redact] cannot be used; the rules before it hold"),
        }
    }

    /// Takes secrets out of every text.
    pub fn clean(&self, record: &mut impl Texts) {
        let redactor = self.0.load();
        record.each_text(&mut |text| {
            let clean = match redactor.redact(text).text {
                std::borrow::Cow::Borrowed(_) => return,
                std::borrow::Cow::Owned(clean) => clean,
            };
            *text = clean;
        });
    }

    /// The same for what somebody asks to be remembered. An id becomes the name of a file: one that may not be kept is
    /// nobody's, and another is found.
    pub(super) fn clean_draft(&self, draft: &mut Draft) {
        self.clean(draft);
        let is_clean = |id: &MemoryId| self.is_clean(id.as_str());
        draft.id.take_if(|id| !is_clean(id));
        draft.supersedes.retain(is_clean);
        draft.links.retain(|(id, _)| is_clean(id));
        if !self.is_clean(draft.namespace.as_str()) {
            draft.namespace = Namespace::default();
        }
    }

    /// What becomes the name of a file or a folder may not be a secret.
    pub(super) fn may_name(&self, field: &'static str, name: &str) -> Result<(), EngineError> {
        match Cleaner::clean(self, name) {
            None => Ok(()),
            Some(_) => Err(EngineError::Invalid { field, reason: "looks like a secret; give it another".to_owned() }),
        }
    }

    pub fn text(&self, text: &str) -> String {
        self.0.load().redact(text).text.into_owned()
    }

    /// Says this nothing that must not be kept? For names, which say something else when they are changed.
    pub fn is_clean(&self, text: &str) -> bool {
        self.0.load().redact(text).found.is_empty()
    }

    /// Keeps a text of JSON, whole or line by line, in a file of lokid's own. Whatever the daemon keeps beside a store is
    /// written here, so that nothing is kept that no rule has seen.
    pub(super) fn keep(&self, path: &Path, json: &str) -> io::Result<()> {
        let cleaned = clean::json(json, self);
        plain::replace(path, cleaned.as_ref().map_or(json, |cleaned| &cleaned.text).as_bytes())
    }

    /// The same behind what stands there, for lines that may be lost.
    pub(super) fn append(&self, path: &Path, json: &str) -> io::Result<()> {
        let cleaned = clean::json(json, self);
        plain::append_or_begin(path, cleaned.as_ref().map_or(json, |cleaned| &cleaned.text).as_bytes())
    }
}

impl Cleaner for Redaction {
    fn clean(&self, text: &str) -> Option<Cleaned> {
        let redactor = self.0.load();
        let redacted = redactor.redact(text);
        if redacted.found.is_empty() {
            return None;
        }
        let found = redacted.found.iter().map(|found| found.rule.to_owned()).collect();
        Some(Cleaned { text: redacted.text.into_owned(), found })
    }

    fn rules(&self) -> u64 {
        self.1.load(Ordering::Acquire)
    }
}

/// Other rules have another number: those of another version, and those of another configuration.
fn rules(config: &RedactConfig) -> u64 {
    let hash = blake3::hash(format!("{} {RULES} {config:?}", env!("CARGO_PKG_VERSION")).as_bytes());
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has more than eight bytes"))
}

/// Rises with the rules that need no configuration.
const RULES: u32 = 3;

/// Without the rules that cannot be used, each of which is told.
fn usable(config: &RedactConfig) -> RedactConfig {
    let works = |config: RedactConfig| match redactor(&config) {
        Ok(_) => true,
        Err(error) => {
            tracing::error!(reason = %error, "a rule of [redact] cannot be used; the others hold");
            false
        }
    };
    let mut usable = config.clone();
    if redactor(config).is_err() {
        usable.rules.retain(|rule| works(RedactConfig { rules: vec![rule.clone()], allow: Vec::new() }));
        usable.allow.retain(|allow| works(RedactConfig { rules: Vec::new(), allow: vec![allow.clone()] }));
    }
    usable
}

/// What the configuration asks for, or why it cannot be had.
pub fn redactor(config: &RedactConfig) -> Result<Redactor, RedactError> {
    let rule = |(name, pattern): &(String, String)| Rule { name: name.clone(), pattern: pattern.clone() };
    Redactor::new(&config.rules.iter().map(rule).collect::<Vec<_>>(), &config.allow)
}
