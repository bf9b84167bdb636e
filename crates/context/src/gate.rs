//! How likely is this of use here? One number for everything that may be handed out unasked, and the threshold below which
//! nothing is said.
//!
//! A situation is its words, each weighed by how rare it is in this repository, and its place: the file at hand and the
//! files foreseen. What nobody told lokid (mined memories, commits) is shown only if it speaks of the situation.

use crate::predict::memories::{Clues, is_said};
use crate::situation::{Hearing, Situation};
use lokid_index::places::plain_path;
use lokid_model::{Key, Kind, Memory, Timestamp};

/// Below this nothing is said. Of 1,145 lines that stood before the gate in 120 situations of ten repositories, each judged by
/// a reader, 16 % were useful and 53 % noise. With weights fitted on the other nine repositories:
///
/// | from | useful | noise | lines a situation |
/// |---|---|---|---|
/// | .25 | .40 | .21 | 1.9 |
/// | .30 | .45 | .19 | 1.4 |
/// | .40 | .55 | .20 | .8 |
/// | .50 | .69 | .15 | .45 |
pub const LEAST_CHANCE: f64 = 0.5;
/// For a commit that speaks of the very function, which the signs do not know.
pub const LEAST_CHANCE_OF_COMMIT: f64 = 0.35;
/// Of a candidate's text.
const MOST_TEXT: usize = 2_000;

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
    /// The share of the situation's words that its title says.
    titled 0.39,
    /// The rarest of the words that it says, and how much all of them weigh.
    rarest 1.25,
    rare 0.16,
    /// It is at home in the file at hand, and says so much of the situation's words.
    here 0.37,
    spoken_here 0.69,
    /// It is at home in a file that is foreseen, with how likely that is.
    foreseen 0.06,
    /// It is about few files: precedents that show what changes together help more.
    narrow -1.41,
    /// A commit, and how long ago.
    age -1.06,
    /// How code looks or work is done here.
    habit -1.62,
    /// What it says beyond the words of the situation.
    news 0.19,
    /// How close its title is in meaning, and the same where the words are rare.
    meaning 2.28,
    meaning_of_rare 2.45,
    /// A warning or something removed, right here, and as much of it as speaks of the situation; where nobody said what they
    /// do, and nothing failed, also a hotspot. Not fitted: there was nothing to fit it on.
    local 2.2,
    /// It tells of the error at hand. Not fitted either.
    error 4.0,
}

/// What stands against every candidate.
const AGAINST: f64 = -2.86;
/// Without a goal or an error to speak of, only what is known of exactly this file counts.
const UNASKED: f64 = 1.8;
const YEAR: f64 = 365.25 * 86_400e6;
/// Tags of what somebody who changes a file wants to know of it; the last one if they do not say what they are up to and nothing failed.
const LOCAL: [&str; 3] = ["warning", "removed", "hotspot"];
/// What says this share of a situation speaks of it.
const SPEAKS: f64 = 0.3;

impl Signs {
    /// Without the meaning, which takes longer to find out.
    pub fn of(memory: &Memory, clues: &Clues, is_the_error: bool, now: Timestamp) -> Signs {
        let situation = &clues.situation;
        let text = &memory.text[..memory.text.floor_char_boundary(MOST_TEXT)];
        let mut hearing = Hearing::of(situation);
        hearing.hear(memory.headline());
        let titled = hearing.said().share;
        hearing.hear(text);
        let news = hearing.news();
        memory.tags.iter().for_each(|tag| hearing.hear(tag));
        let said = hearing.said();
        let files: Vec<&str> = memory.anchors.files.iter().map(|file| plain_path(file)).collect();
        let here = clues.places().any(|file| files.contains(&plain_path(file)));
        let foreseen = clues.related.iter().filter(|related| files.contains(&related.path.as_str()));
        let age = (now.as_micros() - memory.times.created_at.as_micros()) as f64 / YEAR;
        let is = |truth: bool| f64::from(u8::from(truth));
        let speaks = if situation.is_empty() { 1.0 } else { (said.share / SPEAKS).min(1.0) };
        let is_unasked = situation.is_empty() && clues.errors.is_empty();
        let local = if is_unasked { &LOCAL[..] } else { &LOCAL[..2] };
        let is_local = |memory: &Memory| memory.tags.iter().any(|tag| local.contains(&tag.as_str()));
        Signs {
            titled,
            rarest: (said.rarest / 9.0).min(1.0),
            rare: (said.weight / 16.0).min(1.0),
            here: is(here),
            spoken_here: if here { said.share } else { 0.0 },
            foreseen: foreseen.map(|related| related.score).fold(0.0, f64::max),
            narrow: 1.0 / (files.len().max(1) as f64).sqrt(),
            age: if memory.is_commit() { (age / 10.0).clamp(0.0, 1.0) } else { 0.0 },
            habit: is(matches!(memory.kind, Kind::CodePattern | Kind::Workflow | Kind::Pattern)),
            news,
            meaning: 0.0,
            meaning_of_rare: 0.0,
            local: is(here && is_local(memory) && !is_elsewhere(memory, clues)) * speaks,
            error: is(is_the_error),
        }
    }

    /// With how close its title is in meaning to the situation, from 0 to 1.
    pub fn meaning(self, meaning: f64) -> Signs {
        let meaning = meaning.clamp(0.0, 1.0);
        Signs { meaning, meaning_of_rare: meaning * self.rarest, ..self }
    }

    /// Between 0 and 1.
    pub fn chance(&self, situation: &Situation) -> f64 {
        let unasked = if situation.is_empty() { UNASKED * self.here - self.habit } else { 0.0 };
        1.0 / (1.0 + (-(AGAINST + unasked + self.sum())).exp())
    }
}

/// An error happened in one function: what is noted of another is not about it.
fn is_elsewhere(memory: &Memory, clues: &Clues) -> bool {
    let names = || memory.anchors.symbols.iter().map(|symbol| symbol.rsplit([':', '.']).next().unwrap_or(symbol));
    let is_named = |name: &str| clues.errors.iter().any(|error| is_said(&error.text, name));
    clues.goal.is_none() && !clues.errors.is_empty() && names().next().is_some() && !names().any(is_named)
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
    use lokid_model::MemoryId;

    fn note(text: &str) -> Memory {
        Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, text, Timestamp::from_micros(0))
    }

    #[test]
    fn rare_words_of_the_situation_count_and_words_of_doing_hardly() {
        let rarity = |word: &str| if word == "redirect" || word == "proxi" { 7.0 } else { 3.0 };
        let goal = "fix the proxy handling on redirect";
        let clues = Clues { situation: Situation::new([goal], &rarity), ..Clues::default() };
        let signs = |text: &str| Signs::of(&note(text), &clues, false, Timestamp::from_micros(0));
        let chance = |text: &str, meaning: f64| signs(text).meaning(meaning).chance(&clues.situation);
        assert!(chance("a proxy is asked again after a redirect", 0.7) > LEAST_CHANCE);
        assert!(chance("fix the handling of fonts", 0.3) < 0.2);
        assert!(chance("fix the handling of fonts", 0.3) < chance("redirect loops are counted", 0.3));
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
