//! Where a key comes from: the environment, or a file that nobody else can read. Never from the configuration, and never
//! into a text.

use std::path::PathBuf;

use lokid_config::Managed;
use lokid_sys::https::Secret;
use lokid_sys::{env, plain};

/// A key is shorter than that.
const MOST_KEY: u64 = 4 << 10;

/// Whose key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    User,
    /// It may write what everybody reads.
    Organisation,
}

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("there is no key: neither ${variable} nor {setting} names one")]
    Missing { variable: &'static str, setting: &'static str },
    #[error("{} can be read by others", .0.display())]
    TooOpen(PathBuf),
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{0} holds no key")]
    NoKey(String),
}

impl KeyError {
    /// What whoever reads it can do.
    pub fn fix(&self) -> String {
        match self {
            KeyError::Missing { variable, setting } => {
                format!("set ${variable}, or write the key into a file of mode 600 and name it in {setting}")
            }
            KeyError::TooOpen(path) => format!("chmod 600 {}", path.display()),
            KeyError::Unreadable { path, .. } => format!("look at {}", path.display()),
            KeyError::NoKey(_) => "a key is one line of letters, digits and dashes".to_owned(),
        }
    }
}

impl KeyKind {
    fn variable(self) -> &'static str {
        match self {
            KeyKind::User => "ANTHROPIC_API_KEY",
            KeyKind::Organisation => "LOKI_MANAGED_ORG_API_KEY",
        }
    }

    fn setting(self) -> &'static str {
        match self {
            KeyKind::User => "managed.key_file",
            KeyKind::Organisation => "managed.org_key_file",
        }
    }

    /// Reads the environment and, where that says nothing, the file.
    pub fn read(self, managed: &Managed) -> Result<Secret, KeyError> {
        let (variable, setting) = (self.variable(), self.setting());
        if let Some(text) = env::var(variable).filter(|text| !text.trim().is_empty()) {
            return Secret::new(&text).ok_or_else(|| KeyError::NoKey(format!("${variable}")));
        }
        let file = match self {
            KeyKind::User => &managed.key_file,
            KeyKind::Organisation => &managed.org_key_file,
        };
        let path = file.clone().ok_or(KeyError::Missing { variable, setting })?;
        let unreadable = |source| KeyError::Unreadable { path: path.clone(), source };
        if !plain::is_private(&path).map_err(unreadable)? {
            return Err(KeyError::TooOpen(path));
        }
        let text = plain::read_text(&path, MOST_KEY).map_err(unreadable)?.unwrap_or_default();
        Secret::new(&text).ok_or_else(|| KeyError::NoKey(path.display().to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_that_others_can_read_is_refused() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("key");
        let mut managed = lokid_config::Config::default().managed;
        let read = |managed: &Managed| KeyKind::Organisation.read(managed);
        assert!(matches!(read(&managed), Err(KeyError::Missing { .. })));
        managed.org_key_file = Some(path.clone());
        assert!(matches!(read(&managed), Err(KeyError::Unreadable { .. })));
        plain::replace(&path, b"sk-ant-x\n").unwrap();
        plain::make_readable(&path).unwrap();
        let refusal = read(&managed).unwrap_err();
        assert!(matches!(refusal, KeyError::TooOpen(_)) && refusal.fix().starts_with("chmod 600 "), "{refusal}");
        plain::make_private(&path).unwrap();
        assert!(read(&managed).is_ok());
        plain::replace(&path, b"two words\n").unwrap();
        plain::make_private(&path).unwrap();
        assert!(matches!(read(&managed), Err(KeyError::NoKey(_))));
    }
}
