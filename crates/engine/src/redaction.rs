//! Secrets leave a text before anything else happens to it: whatever enters a project goes through here, on the thread
//! of the one who brings it, and only then to the writer, the journal and the disk.

use std::sync::Arc;

use arc_swap::ArcSwap;

use lokid_config::RedactConfig;
use lokid_encode::redact::{RedactError, Redactor, Rule};
use lokid_model::texts::Texts;

/// The rules that hold now. Cheap to clone; a new configuration reaches every clone.
#[derive(Clone)]
pub struct Redaction(Arc<ArcSwap<Redactor>>);

impl Redaction {
    /// A rule that cannot be used is told, and the others hold.
    pub(super) fn new(config: &RedactConfig) -> Redaction {
        let redactor = redactor(&usable(config)).unwrap_or_else(|error| {
            tracing::error!(reason = %error, "[redact] cannot be used; the rules inside lokid hold");
            Redactor::built_in()
        });
        Redaction(Arc::new(ArcSwap::from_pointee(redactor)))
    }

    pub(super) fn reconfigured(&self, config: &RedactConfig) {
        match redactor(config) {
            Ok(redactor) => self.0.store(Arc::new(redactor)),
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

    pub fn text(&self, text: &str) -> String {
        self.0.load().redact(text).text.into_owned()
    }
}

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
