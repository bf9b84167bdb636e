//! The closed vocabularies: kinds, tiers, scopes, sources and the rest, each with its one spelling.

/// Declares an enum whose variants each have one written form, with the list of all and a parser that also accepts
/// `-` for `_`, since Loki Mode's own files spell `anti-pattern`.
#[macro_export]
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            pub fn parse(word: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|candidate| $crate::words::same_word(candidate.as_str(), word))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub use crate::vocabulary;

/// At most `most` bytes from the beginning, whole characters only.
pub fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The file name of a skill, and what makes two spellings of a name the same skill.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.truncate(80);
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "skill".to_owned() } else { slug.to_owned() }
}

pub fn same_word(ours: &str, theirs: &str) -> bool {
    let fold = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    ours.len() == theirs.len() && ours.bytes().map(fold).eq(theirs.bytes().map(fold))
}

vocabulary!(
    /// What sort of thing is remembered.
    #[derive(Default)]
    Kind {
        Episode = "episode",
        Pattern = "pattern",
        AntiPattern = "anti_pattern",
        Fact = "fact",
        Decision = "decision",
        Skill = "skill",
        Workflow = "workflow",
        CodePattern = "code_pattern",
        Learning = "learning",
        #[default]
        Note = "note",
    }
);

vocabulary!(
    /// How binding a memory is, strongest first.
    Tier { Mandate = "mandate", Guardrail = "guardrail", Reference = "reference", Archive = "archive" }
);

vocabulary!(
    /// Who may see a memory. `user-private` and `system` never go below `.loki/`: the one is the user's own in this
    /// project, the other their own in all of their projects.
    #[derive(Default)]
    Scope { UserPrivate = "user-private", #[default] ProjectShared = "project-shared", System = "system" }
);

vocabulary!(
    /// Who said it.
    Source {
        User = "user",
        Agent = "agent",
        Tool = "tool",
        Log = "log",
        Git = "git",
        Import = "import",
        Mirror = "mirror",
    }
);

vocabulary!(
    /// Whether it is held to be true or only heard.
    #[derive(Default)]
    Status { #[default] Asserted = "asserted", Unverified = "unverified" }
);

vocabulary!(
    /// How an episode ended.
    Outcome { Success = "success", Failure = "failure", Partial = "partial" }
);

vocabulary!(
    /// The four lengths of every memory.
    Level { Full = "full", Summary = "summary", Compressed = "compressed", Index = "index" }
);

vocabulary!(
    /// How one memory stands to another. `supports` is met in Loki Mode's files besides the seven.
    Relation {
        DerivedFrom = "derived_from",
        RelatedTo = "related_to",
        Contradicts = "contradicts",
        Elaborates = "elaborates",
        ExampleOf = "example_of",
        Supersedes = "supersedes",
        SupersededBy = "superseded_by",
        Supports = "supports",
    }
);

vocabulary!(
    /// What somebody is about to do, and so which memories help. A tie goes to the one named first.
    TaskType {
        Exploration = "exploration",
        Implementation = "implementation",
        Debugging = "debugging",
        Review = "review",
        Refactoring = "refactoring",
    }
);

impl Source {
    /// A person or an agent spoke, or the text comes from a place a person curates. What tools print and logs hold
    /// is only ever hearsay: it cannot overrule the others.
    pub fn is_hearsay(self) -> bool {
        matches!(self, Source::Tool | Source::Log)
    }

    /// May a record from this source be a mandate without a person confirming it?
    pub fn may_mandate(self) -> bool {
        matches!(self, Source::User | Source::Agent)
    }
}

impl Scope {
    /// Stands in the repository, where everybody sees it who works on it. All else is the user's own.
    pub fn is_shared(self) -> bool {
        self == Scope::ProjectShared
    }
}

impl Kind {
    /// The start of ids minted for this kind.
    pub fn id_prefix(self) -> &'static str {
        match self {
            Kind::Episode => "ep",
            Kind::Pattern => "sem",
            Kind::AntiPattern => "anti",
            Kind::Fact => "fact",
            Kind::Decision => "dec",
            Kind::Skill => "skill",
            Kind::Workflow => "wf",
            Kind::CodePattern => "code",
            Kind::Learning => "learn",
            Kind::Note => "note",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_parses_to_itself_and_a_hyphen_counts_as_an_underscore() {
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.as_str()), Some(*kind));
        }
        assert_eq!(Kind::parse("anti-pattern"), Some(Kind::AntiPattern));
        assert_eq!(Scope::parse("user_private"), Some(Scope::UserPrivate));
        assert_eq!(Kind::parse("episodes"), None);
        assert_eq!(Kind::WORDS.len(), Kind::ALL.len());
    }
}
