//! The definitions of a program as the pieces of words they say, and which of them a commit changed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::{ControlFlow, Range};

use lokid_context::predict::files::is_test;
use lokid_context::situation::is_doing;
use lokid_encode::code::{Definition, DefinitionKind, Language, Parser};
use lokid_index::analyze;
use lokid_index::passages::{FilePassages, Passage};
use lokid_index::subjects::definition;
use lokid_model::{Commit, FileStatus};
use lokid_sys::git::blobs::Blobs;
use lokid_text::Embedder;

use super::LARGEST_CODE;

/// Of one file.
const MOST: usize = 400;
/// What many types have says nothing without its type.
const EVERYWHERE: [&str; 8] = ["__init__", "__call__", "new", "constructor", "default", "from", "fmt", "drop"];
/// Of a definition; what comes later says little new.
const LONGEST: usize = 3_000;
const MOST_PIECES: usize = 80;
const MOST_OF_A_NAME: usize = 14;
const MOST_OF_A_GOAL: usize = 24;
/// A commit of more programs is a sweep.
const MOST_PROGRAMS: usize = 8;

/// The pieces of what somebody wants, and those of words that tell what it is about; tickets, addresses and what sort of work it is
/// aside.
pub fn pieces_of_goal(goal: &str) -> [Vec<u16>; 2] {
    let goal = match goal.split_once(": ").filter(|(head, _)| !head.contains(char::is_whitespace)) {
        Some((head, text)) => {
            let scope = head.split_once('(').map_or("", |(_, scope)| scope);
            let is_sort =
                head.split(['(', '!']).next().is_some_and(|sort| SORTS.contains(&sort.to_lowercase().as_str()));
            if is_sort { format!("{scope} {text}") } else { goal.to_owned() }
        }
        None => goal.to_owned(),
    };
    let is_told = |word: &&str| !word.trim_start_matches('(').starts_with('#') && !word.contains("://");
    let said: Vec<&str> = goal.split_whitespace().filter(is_told).collect();
    let is_telling = |word: &&&str| !is_doing(word) && !IDLE.contains(&word.to_lowercase().as_str());
    let telling: Vec<&str> = said.iter().filter(is_telling).copied().collect();
    [said, telling].map(|words| Embedder::built_in().pieces(&each_once(&[&words.join(" ")]), MOST_OF_A_GOAL))
}

/// What stands in any sentence.
const IDLE: [&str; 34] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "for", "from", "if", "in", "into", "is", "it", "its",
    "more", "no", "not", "of", "on", "only", "or", "so", "than", "that", "the", "this", "to", "when", "where", "with",
];

const SORTS: [&str; 16] = [
    "feat", "fix", "chore", "docs", "doc", "test", "tests", "refactor", "perf", "style", "ci", "build", "revert",
    "feature", "bugfix", "add",
];

/// Of a program that tests nothing.
pub(super) fn of(path: &str, text: &str, definitions: &[Definition]) -> FilePassages {
    if is_test(path) || definitions.is_empty() {
        return FilePassages::default();
    }
    let lines: Vec<&str> = text.lines().collect();
    let extents = extents(&lines, definitions);
    let pieces = |text: &[&str], most| -> Box<[u16]> { Embedder::built_in().pieces(&each_once(text), most).into() };
    let passage = |extent: &Extent<'_>| {
        let Definition { name, kind, container, .. } = extent.definition;
        let holder = container.as_ref().filter(|_| EVERYWHERE.contains(&name.as_str()));
        Passage {
            name: holder.map_or_else(|| name.as_str().into(), |holder| format!("{holder}.{name}").into()),
            line: extent.line as u32,
            lines: (extent.end + 1 - extent.line) as u32,
            sort: sort_of(*kind),
            own: own(extent.definition),
            named: pieces(&[name, container.as_deref().unwrap_or_default()], MOST_OF_A_NAME),
            said: pieces(&lines[extent.begin - 1..extent.end], MOST_PIECES),
        }
    };
    let name = path.rsplit_once('.').map_or(path, |(name, _)| name);
    FilePassages { path: pieces(&[name], MOST_OF_A_NAME), passages: extents.iter().take(MOST).map(passage).collect() }
}

fn sort_of(kind: DefinitionKind) -> u8 {
    match kind {
        DefinitionKind::Function => 0,
        DefinitionKind::Method => 1,
        DefinitionKind::Type => 2,
        DefinitionKind::Interface => 3,
        DefinitionKind::Constant => 4,
        DefinitionKind::Module => 5,
        DefinitionKind::Macro => 6,
        DefinitionKind::Test => 7,
    }
}

fn own(definition: &Definition) -> u32 {
    let holder = definition.container.as_deref().unwrap_or_default();
    analyze::hash(&format!("{holder} {}", definition.name)) as u32
}

/// Where a definition begins and ends, from 1, and which line names it.
struct Extent<'a> {
    definition: &'a Definition,
    begin: usize,
    line: usize,
    end: usize,
}

fn extents<'a>(lines: &[&str], definitions: &'a [Definition]) -> Vec<Extent<'a>> {
    let is_above = |line: &&&str| {
        let line = line.trim_start();
        ["//", "#", "*", "/*", "\"\"\"", "--", "@"].iter().any(|start| line.starts_with(start))
    };
    let is_there = |definition: &&Definition| (1..=lines.len()).contains(&(definition.line as usize));
    let extent = |definition: &'a Definition| {
        let line = definition.line as usize;
        let begin = line - lines[..line - 1].iter().rev().take_while(is_above).count();
        Extent { definition, begin, line, end: (definition.end_line as usize).clamp(line, lines.len()) }
    };
    let mut found: Vec<Extent<'_>> = definitions.iter().filter(is_there).map(extent).collect();
    found.sort_by_key(|extent| (extent.line, std::cmp::Reverse(extent.end)));
    let holds = |kind| matches!(kind, DefinitionKind::Type | DefinitionKind::Interface | DefinitionKind::Module);
    for at in 0..found.len().saturating_sub(1) {
        let (line, end, next) = (found[at].line, found[at].end, &found[at + 1]);
        if holds(found[at].definition.kind) && next.line > line && next.line <= end {
            found[at].end = (next.begin.max(line + 1) - 1).max(line);
        }
    }
    let is_told =
        |extent: &Extent<'_>| extent.definition.kind != DefinitionKind::Test && extent.definition.name != "tests";
    found.retain(is_told);
    found
}

/// The words of a text, each once.
fn each_once(lines: &[&str]) -> String {
    let (mut known, mut said, mut read) = (HashSet::new(), String::new(), 0);
    for line in lines.iter().take_while(|line| {
        read += line.len() + 1;
        read <= LONGEST + line.len()
    }) {
        for word in line.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if known.len() < MOST_PIECES && known.insert(word) {
                said.push_str(word);
                said.push(' ');
            }
        }
    }
    said
}

/// Looks into commits: which definitions of programs each of them changed.
pub struct Changes {
    blobs: Blobs,
    parser: Parser,
}

impl Changes {
    /// `None` without a repository.
    pub fn open(repository: &std::path::Path) -> Option<Changes> {
        Some(Changes { blobs: Blobs::open(repository)?, parser: Parser::default() })
    }

    /// As they were called then.
    pub fn of(&mut self, commit: &Commit) -> Vec<u64> {
        let is_program = |path: &str| Language::of(path).is_some() && !is_test(path);
        let programs =
            || commit.files.iter().filter(|file| file.status == FileStatus::Modified && is_program(&file.path));
        if commit.is_merge() || programs().count() > MOST_PROGRAMS {
            return Vec::new();
        }
        let Some(parent) = self.blobs.parent(&commit.id) else { return Vec::new() };
        let mut changed = BTreeSet::new();
        for file in programs() {
            let versions = self.blobs.find(&parent, &file.path).zip(self.blobs.find(&commit.id, &file.path));
            let Some((before, after)) = versions else { continue };
            let Some(text) = self.blobs.text(before, LARGEST_CODE) else { continue };
            let Some(language) = Language::of_file(&file.path, &text) else { continue };
            let outline = self.parser.outline(language, &text);
            let lines: Vec<&str> = text.lines().collect();
            let extents = extents(&lines, &outline.definitions);
            for lines in self.blobs.changed_lines(before, after) {
                let around = innermost(&extents, &lines);
                changed.extend(around.map(|extent| definition(&file.path, own(extent.definition))));
            }
        }
        changed.into_iter().collect()
    }

    /// Of many commits, by their ids, until it is told to stop.
    pub fn of_all(
        &mut self,
        commits: &[&Commit],
        step: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> HashMap<String, Vec<u64>> {
        let mut all = HashMap::new();
        for commit in commits {
            if step().is_break() {
                break;
            }
            all.insert(commit.id.clone(), self.of(commit));
        }
        all
    }
}

/// The definitions that hold the lines, none of them held by another that does.
fn innermost<'a>(extents: &'a [Extent<'a>], lines: &Range<u32>) -> impl Iterator<Item = &'a Extent<'a>> {
    let (first, end) = (lines.start as usize, lines.end as usize);
    // What was added stands between the line above it and the next one.
    let holds = move |extent: &&Extent<'_>| match first == end {
        true => extent.line < first && first <= extent.end,
        false => extent.begin < end && first <= extent.end,
    };
    let is_inner = move |extent: &&Extent<'_>| {
        let is_held = |other: &Extent<'_>| other.line > extent.line && other.end <= extent.end;
        let held: Vec<&Extent<'_>> = extents.iter().filter(|other| is_held(other)).collect();
        match first == end {
            true => !held.iter().any(|other| other.begin < first && first <= other.end),
            // A line that none of those it holds has.
            false => (first..end).any(|line| {
                (extent.begin..=extent.end).contains(&line)
                    && !held.iter().any(|other| (other.begin..=other.end).contains(&line))
            }),
        }
    };
    extents.iter().filter(holds).filter(is_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_testing::git::GitLab;

    const LAMP: &str = "// Holds it.\nstruct Lamp {\n    at: u8,\n}\n\nimpl Lamp {\n    // Lights it.\n    fn light(&self) {\n        let a = 1;\n        on(a);\n    }\n\n    fn put_out(&self) {\n        off();\n        off();\n    }\n}\n";

    fn passages(path: &str) -> FilePassages {
        of(path, LAMP, &Parser::default().outline(Language::of(path).unwrap(), LAMP).definitions)
    }

    #[test]
    fn a_definition_says_its_comments_and_a_test_is_none() {
        let found = passages("src/lamp.rs");
        let names: Vec<(&str, u32, u32)> = found.passages.iter().map(|one| (&*one.name, one.line, one.lines)).collect();
        assert_eq!(names, [("Lamp", 2, 3), ("light", 8, 4), ("put_out", 13, 4)]);
        let lights = Embedder::built_in().pieces("Lights", 1);
        assert!(found.passages[1].said.contains(&lights[0]) && !found.passages[2].said.contains(&lights[0]));
        assert!(passages("tests/lamp.rs").passages.is_empty());
    }

    #[test]
    fn what_sort_of_work_it_is_and_tickets_say_nothing() {
        assert_eq!(pieces_of_goal("fix(lamp): Keep the light on (#12)"), pieces_of_goal("lamp keep the light on"));
        assert_eq!(pieces_of_goal("see https://example.org/a #3"), pieces_of_goal("see"));
    }

    #[test]
    fn a_commit_changes_the_definitions_its_lines_stand_in() {
        let Some(mut lab) = GitLab::new() else { return };
        let commit = |id: String, path: &str| Commit {
            id,
            parents: 1,
            author_name: "a".into(),
            author_email: "a@example.org".into(),
            time: 0,
            subject: String::new(),
            body: String::new(),
            files: vec![lokid_model::FileChange { path: path.into(), status: FileStatus::Modified }],
        };
        lab.commit("one", &[("src/lamp.rs", LAMP)]);
        let inside = lab.commit("two", &[("src/lamp.rs", &LAMP.replace("on(a);\n", "on(a);\n        on(a);\n"))]);
        let mut changes = Changes::open(&lab.main()).unwrap();
        let found = passages("src/lamp.rs");
        let key = |at: usize| definition("src/lamp.rs", found.passages[at].own);
        assert_eq!(changes.of(&commit(inside, "src/lamp.rs")), [key(1)]);
        let comment = lab.commit("three", &[("src/lamp.rs", &LAMP.replace("Holds", "Keeps"))]);
        let changed = changes.of(&commit(comment, "src/lamp.rs"));
        assert!(changed.contains(&key(0)) && changed.contains(&key(1)), "{changed:?}");
    }
}
