//! How likely is this of use here? One number for everything that may be handed out unasked, and the threshold below which
//! nothing is said.
//!
//! A situation is its words, each weighed by how rare it is in this repository, and its place: the file at hand and the
//! files foreseen. What nobody told lokid (mined memories, commits) is shown only if it speaks of the situation.

use std::collections::{BTreeMap, HashSet};

use crate::context::predict::memories::Clues;
use crate::index::analyze;
use crate::index::places::plain_path;
use crate::model::{Key, Kind, Memory, Timestamp};

/// Below this nothing is said.
pub const LEAST_CHANCE: f64 = 0.5;
/// Words of a situation that are looked at.
pub const MOST_WORDS: usize = 64;
/// Of a candidate's text.
const MOST_TEXT: usize = 2_000;

/// Words of doing rather than of what it is done to.
const DOING: &str = "add added adding allow avoid bug bugs change changes clean cleanup code correct doc docs document \
    documentation drop enable ensure error errors example fail fails failing file files fix fixed fixes fixing handle \
    implement improve issue lint make minor missing move new option options refactor remove removed rename replace \
    return revert rework set simplify small support test tests tweak typo typos typing update updates use using value \
    values version warning wip work";

/// What a situation is about, as far as its words tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situation {
    /// With how much each says.
    words: BTreeMap<String, f64>,
    total: f64,
}

impl Situation {
    /// `rarity` of a word is large for one that few commits say, and small for one that most say.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>, rarity: &dyn Fn(&str) -> f64) -> Situation {
        let doing: HashSet<String> = analyze::distinct(DOING, usize::MAX).into_iter().collect();
        let mut words = BTreeMap::new();
        for text in texts {
            for word in analyze::distinct(text, MOST_WORDS) {
                let weight = rarity(&word) * if doing.contains(&word) { 0.3 } else { 1.0 };
                words.entry(word).or_insert(weight);
            }
        }
        let total = words.values().sum();
        Situation { words, total }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Has it a word of this text?
    pub fn names(&self, text: &str) -> bool {
        analyze::distinct(text, MOST_WORDS).iter().any(|word| self.words.get(word).is_some_and(|weight| *weight > 2.0))
    }

    /// What of it a text says.
    fn said_in<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Said {
        let mut seen: HashSet<String> = HashSet::new();
        let mut said = Said::default();
        for part in parts {
            analyze::terms(part, |term| {
                if let Some(weight) = self.words.get(term).filter(|_| !seen.contains(term)) {
                    seen.insert(term.to_owned());
                    said.weight += weight;
                    said.rarest = said.rarest.max(*weight);
                    said.telling += usize::from(*weight >= TELLING);
                }
            });
        }
        said.share = if self.total > 0.0 { said.weight / self.total } else { 0.0 };
        said
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Said {
    weight: f64,
    share: f64,
    rarest: f64,
    /// Words that say something.
    telling: usize,
}

/// From this weight on a word tells what something is about.
const TELLING: f64 = 3.0;

macro_rules! signs {
    ($($(#[$doc:meta])* $name:ident $weight:literal,)*) => {
        /// What speaks for a candidate, as plain numbers between 0 and 1.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Signs { $($(#[$doc])* pub $name: f64,)* }

        impl Signs {
            /// By name, each with what it adds for or against.
            pub fn parts(&self) -> Vec<(&'static str, f64, f64)> {
                vec![$((stringify!($name), self.$name, self.$name * $weight),)*]
            }

            fn sum(&self) -> f64 {
                0.0 $(+ self.$name * $weight)*
            }
        }
    };
}

signs! {
    /// The share of the situation's words that it says.
    said 2.5,
    /// The same of its title alone.
    titled 0.7,
    /// How much those words weigh.
    rare 1.6,
    /// The rarest of them.
    rarest 0.6,
    /// How many of them tell something.
    telling 0.0,
    /// It is at home in the file at hand.
    here 0.9,
    /// It is at home in a file that is foreseen, with how likely that is.
    foreseen 1.1,
    /// It is about few files.
    narrow 0.5,
    /// It tells of the error at hand.
    error 3.0,
    /// It says more than its title.
    reason 0.5,
    /// A commit, and how long ago.
    commit 0.0,
    age 0.0,
    /// A lesson: a learning, an anti-pattern or a decision.
    lesson 0.0,
    /// Something to be followed.
    rule -0.3,
    /// How code looks or work is done here.
    habit -0.3,
    /// There is a goal or an error to speak of.
    asked -1.2,
}

/// What stands against every candidate.
const AGAINST: f64 = -2.4;
const YEAR: f64 = 365.25 * 86_400e6;

impl Signs {
    pub fn of(memory: &Memory, clues: &Clues, is_the_error: bool, now: Timestamp) -> Signs {
        let situation = &clues.situation;
        let text = &memory.text[..memory.text.floor_char_boundary(MOST_TEXT)];
        let tags = memory.tags.iter().map(String::as_str);
        let said = situation.said_in([memory.title.as_str(), text].into_iter().chain(tags));
        let files: Vec<&str> = memory.anchors.files.iter().map(|file| plain_path(file)).collect();
        let here = clues.file.as_deref().is_some_and(|file| files.contains(&plain_path(file)));
        let foreseen = clues.related.iter().filter(|related| files.contains(&related.path.as_str()));
        let age = (now.as_micros() - memory.times.created_at.as_micros()) as f64 / YEAR;
        let is = |truth: bool| f64::from(u8::from(truth));
        let is_commit = memory.is_commit();
        Signs {
            said: said.share,
            titled: situation.said_in([memory.title.as_str()]).share,
            rare: (said.weight / 16.0).min(1.0),
            rarest: (said.rarest / 9.0).min(1.0),
            telling: (said.telling as f64 / 4.0).min(1.0),
            here: is(here),
            foreseen: foreseen.map(|related| related.score).fold(0.0, f64::max),
            narrow: 1.0 / (files.len().max(1) as f64).sqrt(),
            error: is(is_the_error),
            reason: is(memory.text.len() > memory.title.len() + 60),
            commit: is(is_commit),
            age: if is_commit { (age / 10.0).clamp(0.0, 1.0) } else { 0.0 },
            lesson: is(matches!(memory.kind, Kind::Learning | Kind::AntiPattern | Kind::Decision)),
            rule: is(memory.kind == Kind::Note && !is_commit),
            habit: is(matches!(memory.kind, Kind::CodePattern | Kind::Workflow | Kind::Pattern)),
            asked: is(!situation.is_empty()),
        }
    }

    /// Between 0 and 1.
    pub fn chance(&self) -> f64 {
        1.0 / (1.0 + (-(AGAINST + self.sum())).exp())
    }
}

/// A candidate that was weighed, shown or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    pub key: Key,
    pub title: String,
    pub chance: f64,
    pub signs: Signs,
}

/// Files that agents read by themselves when a session begins, by a word of the agent's name.
const OWN_FILES: [(&str, &[&str]); 7] = [
    ("claude", &["CLAUDE.md", ".claude/"]),
    ("codex", &["AGENTS.md"]),
    ("gemini", &["GEMINI.md"]),
    ("cursor", &["AGENTS.md", ".cursorrules", ".cursor/"]),
    ("copilot", &["AGENTS.md", "copilot-instructions.md", ".github/instructions/"]),
    ("windsurf", &[".windsurfrules", ".windsurf/"]),
    ("cline", &[".clinerules"]),
];

/// Was it learnt from nothing but files that this agent loads by itself?
pub fn is_loaded_by(agent: &str, memory: &Memory) -> bool {
    let agent = agent.to_lowercase();
    let own = OWN_FILES.iter().filter(|(name, _)| agent.contains(name)).flat_map(|(_, files)| files.iter());
    let own: Vec<&str> = own.copied().collect();
    let is_own = |source: &String| {
        own.iter().any(|file| match file.strip_suffix('/') {
            Some(folder) => source.split('/').any(|part| part == folder) || source.starts_with(file),
            None => source.rsplit('/').next() == Some(*file),
        })
    };
    !memory.sources.is_empty() && memory.sources.iter().all(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MemoryId;

    fn note(text: &str) -> Memory {
        Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, text, Timestamp::from_micros(0))
    }

    #[test]
    fn rare_words_of_the_situation_count_and_words_of_doing_hardly() {
        let rarity = |word: &str| if word == "redirect" || word == "proxi" { 7.0 } else { 3.0 };
        let goal = "fix the proxy handling on redirect";
        let clues = Clues { situation: Situation::new([goal], &rarity), ..Clues::default() };
        let chance = |text: &str| Signs::of(&note(text), &clues, false, Timestamp::from_micros(0)).chance();
        assert!(chance("a proxy is asked again after a redirect") > LEAST_CHANCE);
        assert!(chance("fix the handling of fonts") < 0.2);
        assert!(chance("fix the handling of fonts") < chance("redirect loops are counted"));
        assert!(clues.situation.names("redirects") && !clues.situation.names("fix"));
    }

    #[test]
    fn what_an_agent_loads_by_itself_is_known_by_its_source() {
        let from = |path: &str| Memory { sources: vec![path.to_owned()], ..note("x") };
        assert!(is_loaded_by("claude-code", &from("CLAUDE.md")));
        assert!(is_loaded_by("claude-code", &from("web/CLAUDE.md")));
        assert!(is_loaded_by("Claude", &from(".claude/rules/style.md")));
        assert!(is_loaded_by("codex", &from("AGENTS.md")));
        assert!(!is_loaded_by("claude-code", &from("AGENTS.md")));
        assert!(!is_loaded_by("codex", &from("CONTRIBUTING.md")));
        assert!(!is_loaded_by("", &from("CLAUDE.md")) && !is_loaded_by("codex", &note("told")));
    }
}
