//! The mirror in Anthropic's memory stores: six flags that need each other, and where the stores are.
//!
//! Flags come from the environment or from `[managed]`; the environment wins. A flag that is on while the one it needs is
//! off is refused, never passed over: whoever believes that something is mirrored has to know that it is not.

use std::path::PathBuf;

use super::ConfigError;
use super::raw::RawManaged;
use super::typed::Typed;

/// The mirror as it is wanted. Everything off is the default, and then nothing else here is ever looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Managed {
    /// In the order of [`Flag::ALL`].
    on: [bool; Flag::ALL.len()],
    /// Without a slash at its end.
    pub base_url: String,
    /// Episodes go there and come from there.
    pub user_store: Option<String>,
    /// Read and never written, but by a promotion with a key of its own.
    pub org_store: Option<String>,
    /// Where the environment holds no key.
    pub key_file: Option<PathBuf>,
    pub org_key_file: Option<PathBuf>,
    /// Certificates to trust besides those of the platform.
    pub ca_file: Option<PathBuf>,
    /// How many memories of this project the user's store holds at the most.
    pub max_memories: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    Agents,
    Memory,
    Hydrate,
    Experimental,
    Review,
    Council,
}

impl Flag {
    pub const ALL: [Flag; 6] =
        [Flag::Agents, Flag::Memory, Flag::Hydrate, Flag::Experimental, Flag::Review, Flag::Council];

    /// The variable that Loki Mode knows it by.
    pub fn variable(self) -> &'static str {
        match self {
            Flag::Agents => "LOKI_MANAGED_AGENTS",
            Flag::Memory => "LOKI_MANAGED_MEMORY",
            Flag::Hydrate => "LOKI_MANAGED_MEMORY_HYDRATE",
            Flag::Experimental => "LOKI_EXPERIMENTAL_MANAGED_AGENTS",
            Flag::Review => "LOKI_EXPERIMENTAL_MANAGED_REVIEW",
            Flag::Council => "LOKI_EXPERIMENTAL_MANAGED_COUNCIL",
        }
    }

    /// Its key in the file.
    pub fn key(self) -> &'static str {
        match self {
            Flag::Agents => "managed.agents",
            Flag::Memory => "managed.memory",
            Flag::Hydrate => "managed.hydrate",
            Flag::Experimental => "managed.experimental",
            Flag::Review => "managed.review",
            Flag::Council => "managed.council",
        }
    }

    /// What must be on for this one to be.
    pub fn parent(self) -> Option<Flag> {
        match self {
            Flag::Agents => None,
            Flag::Memory | Flag::Experimental => Some(Flag::Agents),
            Flag::Hydrate => Some(Flag::Memory),
            Flag::Review | Flag::Council => Some(Flag::Experimental),
        }
    }
}

impl Managed {
    pub(super) fn of(raw: RawManaged, text: &str) -> Result<Managed, ConfigError> {
        let typed = |key, value| Typed { key, value, text };
        let flag = |flag: Flag, value| typed(flag.key(), value).flag();
        let on = [
            flag(Flag::Agents, raw.agents)?,
            flag(Flag::Memory, raw.memory)?,
            flag(Flag::Hydrate, raw.hydrate)?,
            flag(Flag::Experimental, raw.experimental)?,
            flag(Flag::Review, raw.review)?,
            flag(Flag::Council, raw.council)?,
        ];
        typed("managed.org_store_access", raw.org_store_access).read_only()?;
        let user_store = typed("managed.user_store", raw.user_store).store_id()?;
        let org_store = typed("managed.org_store", raw.org_store).store_id()?;
        if org_store.is_some() && org_store == user_store {
            return Err(ConfigError::SharedStore);
        }
        Ok(Managed {
            on,
            base_url: typed("managed.base_url", raw.base_url).base_url()?,
            user_store,
            org_store,
            key_file: typed("managed.key_file", raw.key_file).path()?,
            org_key_file: typed("managed.org_key_file", raw.org_key_file).path()?,
            ca_file: typed("managed.ca_file", raw.ca_file).path()?,
            max_memories: typed("managed.max_memories", raw.max_memories).count(1..=1_000_000)?,
        })
    }

    pub fn is_on(&self, flag: Flag) -> bool {
        self.on[flag as usize]
    }

    /// Does anything reach for the network?
    pub fn uses_network(&self) -> bool {
        self.is_on(Flag::Memory)
    }

    /// With the flags of the environment, which `variable` reads, laid over those of the file; refused when one stands
    /// without the one it needs.
    pub fn under(mut self, variable: impl Fn(&str) -> Option<String>) -> Result<Managed, ConfigError> {
        for flag in Flag::ALL {
            let Some(value) = variable(flag.variable()) else { continue };
            self.on[flag as usize] = match value.trim().to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => true,
                "" | "false" | "0" | "no" | "off" => false,
                _ => return Err(ConfigError::FlagValue { flag: flag.variable(), value }),
            };
        }
        for flag in Flag::ALL {
            if let Some(parent) = flag.parent().filter(|parent| self.is_on(flag) && !self.is_on(*parent)) {
                return Err(ConfigError::Orphan { child: flag, parent });
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn managed(text: &str) -> Managed {
        Config::parse(text).unwrap().managed
    }

    #[test]
    fn everything_is_off_unless_somebody_says_so() {
        let managed = managed("").under(|_| None).unwrap();
        assert!(Flag::ALL.into_iter().all(|flag| !managed.is_on(flag)) && !managed.uses_network());
        assert_eq!((managed.user_store, managed.org_store, managed.max_memories), (None, None, 2_000));
        assert_eq!(managed.base_url, "https://api.anthropic.com");
    }

    #[test]
    fn the_environment_wins_over_the_file_and_says_yes_in_many_ways() {
        let file = "[managed]\nagents = true\nmemory = true";
        let off = |name: &str| (name == "LOKI_MANAGED_MEMORY").then(|| " False ".to_owned());
        assert!(!managed(file).under(off).unwrap().is_on(Flag::Memory));
        for yes in ["true", "TRUE", "1", "yes", "on"] {
            let on = managed("").under(|name| (name == "LOKI_MANAGED_AGENTS").then(|| yes.to_owned())).unwrap();
            assert!(on.is_on(Flag::Agents) && !on.uses_network(), "{yes}");
        }
        let said = managed("").under(|_| Some("perhaps".to_owned())).unwrap_err().to_string();
        assert_eq!(said, "LOKI_MANAGED_AGENTS cannot be \"perhaps\": allowed is true or false");
    }

    #[test]
    fn a_shared_store_that_can_be_written_is_refused() {
        let refusal = |text: &str| Config::parse(text).unwrap_err().to_string();
        let said = refusal("[managed]\norg_store_access = \"read_write\"");
        assert!(said.starts_with("\"managed.org_store_access\" (line 2) cannot be \"read_write\": "), "{said}");
        let said = refusal("[managed]\nuser_store = \"memstore_a\"\norg_store = \"memstore_a\"");
        assert!(said.contains("managed.user_store and managed.org_store"), "{said}");
        for wrong in ["\"a/b\"", "\"a?b\"", "3", "\"../x\""] {
            assert!(refusal(&format!("[managed]\nuser_store = {wrong}")).contains("the id of a store"), "{wrong}");
        }
    }

    #[test]
    fn a_base_address_is_encrypted_or_on_this_machine() {
        let base = |url: &str| Config::parse(&format!("[managed]\nbase_url = \"{url}\"")).map(|c| c.managed.base_url);
        assert_eq!(base("https://gateway.example/anthropic/").unwrap(), "https://gateway.example/anthropic");
        for here in ["http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:9"] {
            assert_eq!(base(here).unwrap(), here);
        }
        for wrong in ["", "http://gateway.example", "ftp://x", "https://", "https://u:p@x", "http://localhost.evil"] {
            assert!(base(wrong).is_err(), "{wrong}");
        }
    }
}
