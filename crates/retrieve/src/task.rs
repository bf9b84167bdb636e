//! What kind of task a question belongs to, and how much each collection of memories counts for it.

use std::collections::HashMap;
use std::sync::LazyLock;

use lokid_index::analyze;
use lokid_model::words::{same_word, vocabulary};
use lokid_model::{Kind, TaskType};

const KEYWORD: u32 = 2;
const ACTION: u32 = 3;
const PHASE: u32 = 4;

/// A goal says early what it is about; the rest of a pasted log does not.
const FIRST_BYTES: usize = 64 << 10;
const FIRST_WORDS: usize = 4096;

/// What was decided, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    pub task_type: TaskType,
    /// Everything that was found, as `keyword fix`, `action run_test` or `phase qa`.
    pub signals: Vec<String>,
    /// In the order of [`TaskType::ALL`].
    pub scores: [u32; TaskType::ALL.len()],
}

/// The highest sum of signals wins, the type listed first among equals; without any signal something is being built.
pub fn detect(query: &str, action: Option<&str>, phase: Option<&str>) -> Detection {
    let beginning = super::beginning(query, FIRST_BYTES);
    let words = beginning.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let words: Vec<(String, String)> =
        words.take(FIRST_WORDS).map(|word| (word.to_lowercase(), analyze::stem(word))).collect();

    let mut found = Detection { task_type: TaskType::Implementation, signals: Vec::new(), scores: Default::default() };
    let mut best = 0;
    for task_type in TaskType::ALL.iter().copied() {
        let signs = signs(task_type);
        let score = &mut found.scores[task_type as usize];
        for keyword in signs.keywords.iter().filter(|keyword| is_said(keyword, &words)) {
            found.signals.push(format!("keyword {keyword}"));
            *score += KEYWORD;
        }
        for (sort, given, known, points) in
            [("action", action, signs.actions, ACTION), ("phase", phase, signs.phases, PHASE)]
        {
            let given = given.unwrap_or_default().trim();
            if let Some(word) = known.iter().find(|word| same_word(word, given)) {
                found.signals.push(format!("{sort} {word}"));
                *score += points;
            }
        }
        if *score > best {
            best = *score;
            found.task_type = task_type;
        }
    }
    found
}

/// A keyword counts in every inflection, as whole words standing together: `fixing` is a `fix`, `prefix` is none.
fn is_said(keyword: &str, words: &[(String, String)]) -> bool {
    let parts = &ROOTS[keyword];
    words
        .windows(parts.len())
        .any(|said| said.iter().zip(parts).all(|((word, stem), (part, root))| is_form(word, stem, part, root)))
}

fn is_form(word: &str, stem: &str, part: &str, root: &str) -> bool {
    word == part || IRREGULAR.contains(&(word, part)) || (stem == root && !STRANGERS.contains(&word))
}

/// The words of each keyword, with what their inflections have in common.
static ROOTS: LazyLock<HashMap<&str, Vec<(&str, String)>>> = LazyLock::new(|| {
    let parts = |keyword: &&'static str| keyword.split(' ').map(|part| (part, analyze::stem(part))).collect();
    let keywords = TaskType::ALL.iter().flat_map(|task_type| signs(*task_type).keywords);
    keywords.map(|keyword| (*keyword, parts(keyword))).collect()
});

/// Forms that a stemmer does not bring together, and other spellings.
#[rustfmt::skip]
const IRREGULAR: &[(&str, &str)] = &[
    ("added", "add"), ("adding", "add"), ("analysis", "analyze"), ("analyse", "analyze"), ("analysed", "analyze"),
    ("analysing", "analyze"), ("break", "broken"), ("breaks", "broken"), ("broke", "broken"), ("bugfix", "fix"),
    ("built", "build"), ("crashes", "crash"), ("did", "does"), ("do", "does"), ("failure", "failing"),
    ("found", "find"), ("made", "make"), ("reorganise", "reorganize"), ("reorganised", "reorganize"),
    ("reorganising", "reorganize"), ("understood", "understand"), ("was", "is"), ("were", "is"), ("are", "is"),
    ("written", "write"), ("wrote", "write"),
];
/// Words of their own that only look like an inflection.
const STRANGERS: &[&str] = &["except", "excepted", "excepting", "addition", "additional", "additionally"];

struct Signs {
    keywords: &'static [&'static str],
    actions: &'static [&'static str],
    phases: &'static [&'static str],
}

#[rustfmt::skip]
fn signs(task_type: TaskType) -> Signs {
    match task_type {
        TaskType::Exploration => Signs {
            keywords: &[
                "explore", "understand", "research", "investigate", "analyze", "discover", "find", "what is",
                "how does", "architecture", "structure", "overview",
            ],
            actions: &["read_file", "search", "list_files"],
            phases: &["planning", "discovery", "research"],
        },
        TaskType::Implementation => Signs {
            keywords: &[
                "implement", "create", "build", "add", "write", "develop", "make", "construct", "new feature",
            ],
            actions: &["write_file", "create_file", "edit_file"],
            phases: &["development", "implementation", "coding"],
        },
        TaskType::Debugging => Signs {
            keywords: &[
                "fix", "debug", "error", "bug", "issue", "broken", "failing", "crash", "exception",
                "investigate error",
            ],
            actions: &["run_test", "check_logs", "trace"],
            phases: &["debugging", "troubleshooting", "fixing"],
        },
        TaskType::Review => Signs {
            keywords: &[
                "review", "check", "validate", "verify", "audit", "inspect", "quality", "standards", "lint",
            ],
            actions: &["diff", "review_pr", "check_style"],
            phases: &["review", "qa", "validation"],
        },
        TaskType::Refactoring => Signs {
            keywords: &[
                "refactor", "restructure", "reorganize", "clean up", "improve structure", "extract", "rename", "move",
            ],
            actions: &["rename", "move_file", "extract_function"],
            phases: &["refactoring", "cleanup", "optimization"],
        },
    }
}

vocabulary!(
    /// Where memories are kept apart, as far as a task weighs them.
    Collection { Episodic = "episodic", Semantic = "semantic", Skills = "skills", AntiPatterns = "anti_patterns" }
);

pub fn store_of(kind: Kind) -> Collection {
    match kind {
        Kind::Episode => Collection::Episodic,
        Kind::Pattern | Kind::Fact | Kind::Decision | Kind::Learning | Kind::Note | Kind::CodePattern => {
            Collection::Semantic
        }
        Kind::Skill | Kind::Workflow => Collection::Skills,
        Kind::AntiPattern => Collection::AntiPatterns,
    }
}

/// How much each collection counts. They add up to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    pub episodic: f64,
    pub semantic: f64,
    pub skills: f64,
    pub anti_patterns: f64,
}

impl Weights {
    pub fn of(&self, kind: Kind) -> f64 {
        match store_of(kind) {
            Collection::Episodic => self.episodic,
            Collection::Semantic => self.semantic,
            Collection::Skills => self.skills,
            Collection::AntiPatterns => self.anti_patterns,
        }
    }
}

pub fn weights(task_type: TaskType) -> Weights {
    let [episodic, semantic, skills, anti_patterns] = match task_type {
        TaskType::Exploration => [0.6, 0.3, 0.1, 0.0],
        TaskType::Implementation => [0.15, 0.5, 0.35, 0.0],
        TaskType::Debugging => [0.4, 0.2, 0.0, 0.4],
        TaskType::Review => [0.3, 0.5, 0.0, 0.2],
        TaskType::Refactoring => [0.25, 0.45, 0.3, 0.0],
    };
    Weights { episodic, semantic, skills, anti_patterns }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, action: &str, phase: &str, expected: TaskType, signals: &[&str]) {
        let found = detect(query, Some(action).filter(|it| !it.is_empty()), Some(phase).filter(|it| !it.is_empty()));
        assert_eq!(found.task_type, expected, "{query} {action} {phase}");
        assert_eq!(found.signals, signals, "{query} {action} {phase}");
    }

    fn asked(query: &str, expected: TaskType, signals: &[&str]) {
        check(query, "", "", expected, signals);
    }

    #[test]
    fn each_type_is_known_by_its_keywords() {
        asked("Understand the architecture", TaskType::Exploration, &["keyword understand", "keyword architecture"]);
        asked("what is a tombstone?", TaskType::Exploration, &["keyword what is"]);
        asked("Add a new feature", TaskType::Implementation, &["keyword add", "keyword new feature"]);
        asked("FIX: the login crash", TaskType::Debugging, &["keyword fix", "keyword crash"]);
        asked("audit code quality", TaskType::Review, &["keyword audit", "keyword quality"]);
        asked("clean-up of the parser", TaskType::Refactoring, &["keyword clean up"]);
    }

    #[test]
    fn a_keyword_is_a_whole_word_in_any_inflection() {
        for query in ["", "prefix", "fixture", "fix_it", "up clean", "what the thing is", "all except one", "ｆｉｘ"]
        {
            asked(query, TaskType::Implementation, &[]);
        }
        asked("fixing errors", TaskType::Debugging, &["keyword fix", "keyword error"]);
        asked("Fixes the crashes", TaskType::Debugging, &["keyword fix", "keyword crash"]);
        asked("why it failed and broke", TaskType::Debugging, &["keyword broken", "keyword failing"]);
        asked("reviewing the PR", TaskType::Review, &["keyword review"]);
        asked("verified and checked", TaskType::Review, &["keyword check", "keyword verify"]);
        asked("investigating", TaskType::Exploration, &["keyword investigate"]);
        asked("how did it work, analysing it", TaskType::Exploration, &["keyword analyze", "keyword how does"]);
        asked(
            "refactored, renamed and moved",
            TaskType::Refactoring,
            &["keyword refactor", "keyword rename", "keyword move"],
        );
        asked("cleaning up", TaskType::Refactoring, &["keyword clean up"]);
        asked("adding the words she wrote", TaskType::Implementation, &["keyword add", "keyword write"]);
        asked("a bug-fix (urgent)", TaskType::Debugging, &["keyword fix", "keyword bug"]);
    }

    #[test]
    fn a_keyword_counts_once_however_often_it_is_said() {
        assert_eq!(detect("fix fix fix, add, write", None, None).scores, [0, 4, 2, 0, 0]);
    }

    #[test]
    fn a_phase_counts_more_than_an_action_and_an_action_more_than_a_keyword() {
        check("add", "diff", "fixing", TaskType::Debugging, &["keyword add", "phase fixing", "action diff"]);
        assert_eq!(detect("add", Some("diff"), Some("fixing")).scores, [0, 2, 4, 3, 0]);
        check("add", "diff", "", TaskType::Review, &["keyword add", "action diff"]);
        check("", "Read-File", " QA ", TaskType::Review, &["action read_file", "phase qa"]);
        check("", "juggle", "siesta", TaskType::Implementation, &[]);
    }

    #[test]
    fn a_tie_goes_to_the_type_listed_first() {
        asked(
            "investigate error",
            TaskType::Debugging,
            &["keyword investigate", "keyword error", "keyword investigate error"],
        );
        asked("fix it, then review", TaskType::Debugging, &["keyword fix", "keyword review"]);
        asked("find and fix", TaskType::Exploration, &["keyword find", "keyword fix"]);
        asked("build a lint", TaskType::Implementation, &["keyword build", "keyword lint"]);
        check("", "rename", "review", TaskType::Review, &["phase review", "action rename"]);
    }

    #[test]
    fn a_huge_question_is_read_from_its_beginning() {
        asked(&format!("fix {}", "word ".repeat(2 << 20)), TaskType::Debugging, &["keyword fix"]);
        asked(&format!("{} fix", "word ".repeat(2 << 20)), TaskType::Implementation, &[]);
        asked(&"fix".repeat(3 << 20), TaskType::Implementation, &[]);
    }

    #[test]
    fn the_weights_of_every_task_add_up_to_one() {
        for task_type in TaskType::ALL {
            let Weights { episodic, semantic, skills, anti_patterns } = weights(*task_type);
            assert!((episodic + semantic + skills + anti_patterns - 1.0).abs() < 1e-9, "{task_type}");
        }
    }

    #[test]
    fn every_kind_is_weighed_with_its_collection() {
        let debugging = weights(TaskType::Debugging);
        for (kind, expected) in [
            (Kind::Episode, 0.4),
            (Kind::Pattern, 0.2),
            (Kind::Fact, 0.2),
            (Kind::Decision, 0.2),
            (Kind::Learning, 0.2),
            (Kind::Note, 0.2),
            (Kind::CodePattern, 0.2),
            (Kind::Skill, 0.0),
            (Kind::Workflow, 0.0),
            (Kind::AntiPattern, 0.4),
        ] {
            assert_eq!(debugging.of(kind), expected, "{kind}");
        }
    }
}
