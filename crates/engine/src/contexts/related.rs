//! Which files will be needed: by the file at hand, the goal or the branch, the errors, and whoever is asked about.
//!
//! What was told outright comes from here as it was told; the focus only fills in what nobody spoke of.

use std::collections::BTreeMap;

use super::cache::Need;
use super::named;
use super::written::bare;
use crate::contexts::Contexts;
use crate::focus::{Branch, SeenError};
use crate::ground::CodeGround;
use crate::past::{CodeMap, PastKnown};
use lokid_context::predict::goal::without_head;
use lokid_context::predict::memories::{PredictedMemory, branch_topic, is_common_branch};
use lokid_context::predict::terrain::Terrain;
use lokid_context::predict::{PredictedFile, episodes, files, goal, join};
use lokid_context::situation;
use lokid_encode::errors::repo_file;
use lokid_index::analyze;
use lokid_index::cochange::folder_of;
use lokid_model::Commit;
use lokid_retrieve::query;

/// A branch is a goal that nobody put into words.
const BY_BRANCH: f64 = 0.6;
/// How likely a file that the branch has changed is needed again.
const ON_THE_BRANCH: f64 = 0.4;
/// How likely a file is meant that is called so; shorter names are chance.
const CALLED_SO: f64 = 0.45;
const THINKABLE: f64 = 0.05;
const SHORTEST_NAME: usize = 3;
const SHORTEST_RARE: usize = 5;
const SHORTEST_JOINED: usize = 7;
/// Scopes that say what sort of work it is.
const NO_PLACES: [&str; 12] =
    ["tests", "test", "docs", "deps", "lint", "lints", "build", "types", "typing", "typo", "typos", "release"];
const MOST_WORDS: usize = 3;
/// Of more files of one name none is meant.
const MOST_NAMESAKES: usize = 3;
/// Commits of one scope that are looked through, how many tell, and how many of them touch a file that the scope is called after.
const MOST_OF_SCOPE: usize = 40;
const FEWEST_OF_SCOPE: usize = 5;
const ONE_OF_SCOPE: usize = 5;
const AHEAD_OF_NAMESAKES: f64 = 1.5;
/// How much less each earlier commit of an author counts.
const FADING: f64 = 0.9;
/// An author of fewer commits is not known well enough to be sure.
const DOUBT: f64 = 1.5;

impl Contexts {
    /// The likeliest, best first.
    pub(crate) fn related_files(&self, need: &Need, k: usize) -> Vec<PredictedFile> {
        self.files_ahead(need, None, k)
    }

    /// The same, and what `author` works on.
    pub(super) fn files_ahead(&self, need: &Need, author: Option<&str>, k: usize) -> Vec<PredictedFile> {
        let past = self.repository.known();
        let named: Vec<PredictedFile> = need.errors.iter().flat_map(|error| self.named_by(error, &past)).collect();
        // Where an error is, one works: what goes with that file is needed, too.
        let place = named.iter().find(|file| file.score >= named::AT_THE_PLACE).map(|file| file.path.clone());
        let at = Need { file: need.file.clone().or(place), ..need.clone() };
        let mut found = by_file_and_goal(&past, &at, k);
        found.extend(named);
        let code = self.repository.code();
        let definitions = |path: &str, tell: &mut dyn FnMut(&str, u32)| define(&code, path, tell);
        let is_alone = need.file.is_none();
        found.extend(need.goal.iter().flat_map(|goal| named::defining(goal, is_alone, &past.ground, &definitions)));
        found.extend(author.into_iter().flat_map(|author| by_author(&past, author)));
        found.extend(need.branch.iter().filter(|branch| !is_common_branch(&branch.name)).flat_map(|branch| {
            let share = ON_THE_BRANCH / (1.0 + 0.1 * branch.files.len() as f64);
            let why = || "changed on this branch".to_owned();
            branch.files.iter().map(move |path| PredictedFile { path: path.clone(), score: share, why: why() })
        }));
        let mut best: BTreeMap<String, PredictedFile> = BTreeMap::new();
        for file in found.into_iter().filter(|file| need.file.as_ref() != Some(&file.path)) {
            let known = best.entry(file.path.clone()).or_insert_with(|| file.clone());
            if known.score < file.score {
                *known = file;
            }
        }
        // A name alone may be chance: something else has to speak for it, and more than for its namesakes.
        // A folder and a file in it are called as two words of it are: `math max` means `math/max.rs`.
        // Who holds what is named says more than any name.
        if best.values().any(named::is_member) {
        } else if let Some((name, path)) = in_folder_called_so(&past, need) {
            let why = format!("its path is \"{name}\"");
            let known = best.entry(path.to_owned());
            let known =
                known.or_insert_with(|| PredictedFile { path: path.to_owned(), score: 0.0, why: String::new() });
            (known.score, known.why) = (known.score.max(CALLED_SO), why);
        } else if let Some((name, path)) = called_by_several(&past, &code, need, &best) {
            let known = best.get_mut(&path).map(|known| (&mut known.score, &mut known.why));
            if let Some((score, why)) = known {
                (*score, *why) = (score.max(CALLED_SO), format!("its name is \"{name}\""));
            }
        } else if let Some((name, path)) = the_one_called_so(&past, need, &best) {
            let known = best.entry(path.to_owned());
            let known =
                known.or_insert_with(|| PredictedFile { path: path.to_owned(), score: 0.0, why: String::new() });
            (known.score, known.why) = (known.score.max(CALLED_SO), format!("its name is \"{name}\""));
        }
        let mut found: Vec<PredictedFile> = best.into_values().collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.path.cmp(&other.path)));
        found.truncate(k);
        found
    }

    /// The same with what earlier work of this sort touched, as far as it is still there.
    pub(crate) fn with_experience(
        &self,
        found: Vec<PredictedFile>,
        episodes: &[PredictedMemory],
        need: &Need,
    ) -> Vec<PredictedFile> {
        let ground = self.repository.known().ground;
        let root = self.env.root.to_string_lossy();
        let places = |path: &str| {
            let known = if ground.is_empty() {
                Some(self.repository.inside(path))
            } else {
                repo_file(path, &root, &|path| ground.stamp(path).is_some())
            };
            known.filter(|path| need.file.as_ref() != Some(path))
        };
        episodes::join(found, episodes::files(episodes, &places))
    }

    /// What an error happened in: the functions that its tool names, and those that stand around the line here.
    pub(super) fn around(&self, need: &Need, ground: &CodeGround) -> Vec<String> {
        let (code, root) = (self.repository.code(), self.env.root.to_string_lossy());
        let places = need.errors.iter().flat_map(|error| named::places(&error.text, &root, ground));
        let around = places.flat_map(|place| {
            let symbols = code.get(&place.file).map(|file| file.symbols.as_slice()).unwrap_or_default();
            let before = symbols.iter().filter(|symbol| place.line.is_some_and(|line| symbol.line <= line));
            let nearest = before.max_by_key(|symbol| symbol.line).map(|symbol| symbol.name.clone());
            place.function.into_iter().chain(nearest)
        });
        around.collect()
    }

    /// The files an error speaks of, likeliest first.
    pub(super) fn named_by(&self, error: &SeenError, past: &PastKnown) -> Vec<PredictedFile> {
        let code = self.repository.code();
        let root = self.env.root.to_string_lossy();
        let mut found = named::named_in(&error.text, &root, &past.ground, &|path, tell| define(&code, path, tell));
        let seen_at = error.file.as_ref().filter(|file| found.iter().all(|known| known.path != **file));
        found.extend(seen_at.map(|file| PredictedFile {
            path: file.clone(),
            score: named::AT_THE_PLACE,
            why: "the error was seen there".to_owned(),
        }));
        found
    }
}

/// What a file defines, each with its line.
fn define(code: &CodeMap, path: &str, tell: &mut dyn FnMut(&str, u32)) {
    let symbols = code.get(path).map(|file| file.symbols.as_slice()).unwrap_or_default();
    symbols.iter().for_each(|symbol| tell(&symbol.name, symbol.line));
}

fn by_file_and_goal(past: &PastKnown, need: &Need, k: usize) -> Vec<PredictedFile> {
    let now = need.hour.as_micros() / 1_000_000;
    let by_file = |k: usize| match &need.file {
        Some(path) => {
            let recent: Vec<&str> = need.recent.iter().map(String::as_str).collect();
            let opened = files::Opened { path, author: past.author.as_deref(), now, recent: &recent };
            files::predict(&past.cochange, &*past.ground, &past.weights, &opened, k)
        }
        None => Vec::new(),
    };
    let by_goal = |text: &str, k: usize| {
        // An address elsewhere says nothing of the files here.
        let words: Vec<&str> = text.split(' ').filter(|word| !word.contains("://")).collect();
        goal::predict(&past.subjects, &past.cochange, &*past.ground, &words.join(" "), now, k)
    };
    match (&need.goal, &need.file) {
        (Some(goal), Some(_)) => join::join(by_file(join::LOOKED_AT), by_goal(goal, join::LOOKED_AT), k + 1),
        (Some(goal), None) => by_goal(goal, k),
        (None, _) => {
            let about = need.branch.as_ref().and_then(goal_of);
            let by_branch = about.map(|about| by_goal(&about, k)).unwrap_or_default();
            let weaken = |found: PredictedFile| PredictedFile { score: found.score * BY_BRANCH, ..found };
            by_file(k).into_iter().chain(by_branch.into_iter().map(weaken)).collect()
        }
    }
}

/// The file that is called what the branch or the scope of the goal names: the first that anything else speaks for, or the one
/// that a name means which is hardly chance.
fn the_one_called_so<'a>(
    past: &'a PastKnown,
    need: &Need,
    thought_of: &BTreeMap<String, PredictedFile>,
) -> Option<(String, &'a str)> {
    let score = |path: &str| thought_of.get(path).map_or(0.0, |known| known.score);
    let (words, scope) = (words_meant(need), need.goal.as_deref().map(goal::scope).unwrap_or_default());
    // Two words of a goal that are one name are hardly chance: `array methods` means `arrayMethods.ts`.
    let is_name = |name: &String| {
        let is_one_word =
            [name.clone(), format!("{name}s")].iter().any(|name| words.contains(name) || scope.contains(name));
        !is_one_word || (name.len() >= SHORTEST_RARE && !lokid_text::is_everyday(name))
    };
    let mut called = called_so(past, need);
    called.iter_mut().for_each(|(name, paths)| paths.retain(|path| !is_scope_of_others(past, name, path)));
    called.retain(|(_, paths)| !paths.is_empty());
    let first = called.first().and_then(|(name, paths)| {
        let mut paths = paths.clone();
        paths.sort_by(|one, other| score(other).total_cmp(&score(one)));
        let second = paths.get(1).map_or(0.0, |path| score(path));
        let is_thought_of = score(paths[0]) >= (AHEAD_OF_NAMESAKES * second).max(THINKABLE);
        is_thought_of.then(|| (name.clone(), paths[0]))
    });
    let is_code = |path: &str| goal::is_program(path) && path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let is_sure = |(name, paths): &&(String, Vec<&str>)| paths.len() == 1 && is_name(name) && is_code(paths[0]);
    let sure = || called.iter().find(is_sure).map(|(name, paths)| (name.clone(), paths[0]));
    first.or_else(sure).or_else(|| called_joined(past, need).filter(|(name, _)| is_name(name)))
}

/// Nobody means a benchmark who does not say so.
fn is_aside(need: &Need, path: &str) -> bool {
    let scope = need.goal.as_deref().map(goal::scope).unwrap_or_default();
    let is_said = |folder: &str| words_meant(need).iter().chain(&scope).any(|word| folder.starts_with(word.as_str()));
    path.split('/').any(|part| named::ASIDE.contains(&part) && !is_said(part))
}

/// Is it what earlier commits call a scope, and did nearly all of these touch other files? `fix(http1): …` is about `proto/h1`.
fn is_scope_of_others(past: &PastKnown, name: &str, path: &str) -> bool {
    let found = past.commits.iter().flat_map(|commits| commits.search(&query::wanted(name), MOST_OF_SCOPE));
    let mut of_scope: Vec<Commit> = found.map(|found| found.commit).collect();
    of_scope.retain(|commit| goal::scope(&commit.subject).iter().any(|scope| scope == name));
    let names = past.cochange.all_names(path);
    let touches = |commit: &&Commit| commit.files.iter().any(|file| names.contains(&file.path.as_str()));
    of_scope.len() >= FEWEST_OF_SCOPE && of_scope.iter().filter(touches).count() * ONE_OF_SCOPE < of_scope.len()
}

/// The few files that are called what the branch or the scope of the goal names: `path.go` on `fix-path`, of `fix(path): …`.
fn called_so<'a>(past: &'a PastKnown, need: &Need) -> Vec<(String, Vec<&'a str>)> {
    let cochange = &past.cochange;
    let few = |name: String| {
        let places = cochange.namesakes(&name).filter(|place| !cochange.is_gone(*place));
        let paths = places.map(|place| cochange.path(place));
        let is_meant = |path: &&str| !files::is_test(path) && past.ground.is_there(path) && !is_aside(need, path);
        let paths: Vec<&str> = paths.filter(is_meant).collect();
        let programs: Vec<&str> = paths.iter().copied().filter(|path| goal::is_program(path)).collect();
        let few = if paths.len() == 1 { paths } else { programs };
        (1..=MOST_NAMESAKES).contains(&few.len()).then_some((name, few))
    };
    names_meant(need).into_iter().filter_map(few).collect()
}

/// The one program whose name is a word of what is said, joints aside: `atomic_cell.rs` of `atomiccell/less-code`.
fn called_joined<'a>(past: &'a PastKnown, need: &Need) -> Option<(String, &'a str)> {
    let mut words = names_meant(need);
    words.retain(|word| word.len() >= SHORTEST_JOINED && word.bytes().all(|sign| sign.is_ascii_alphanumeric()));
    let name = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.split('.').next().unwrap_or(name).to_owned()
    };
    let called = |path: &str| {
        let name = name(path);
        let is_joined = name.contains(['_', '-']);
        let word = words.iter().find(|word| is_joined && name.len() > word.len() && bare(&name) == **word)?;
        (goal::is_program(path) && !files::is_test(path)).then(|| word.clone())
    };
    let paths = past.ground.paths().filter(|_| !words.is_empty());
    let mut found = paths.filter_map(|path| Some((called(path)?, path)));
    found.next().filter(|_| found.next().is_none())
}

/// The one program of those thought of whose name has several words, all of which are said: `sources_checksum.go` where the
/// checksums of a source are spoken of.
fn called_by_several(
    past: &PastKnown,
    code: &CodeMap,
    need: &Need,
    thought_of: &BTreeMap<String, PredictedFile>,
) -> Option<(String, String)> {
    let said: Vec<String> = analyze::distinct(&words_meant(need).join(" "), situation::MOST_WORDS);
    let name = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.split('.').next().unwrap_or(name).to_owned()
    };
    let is_said = |path: &&String| {
        let words = analyze::distinct(&name(path).replace(['-', '_'], " "), situation::MOST_WORDS);
        let is_program = || code.get(path).is_some() && !files::is_test(path) && past.ground.is_there(path);
        words.len() > 1 && words.iter().all(|word| said.contains(word)) && is_program() && !is_aside(need, path)
    };
    let mut meant = thought_of.keys().filter(is_said);
    let only = meant.next().filter(|_| meant.next().is_none())?;
    Some((name(only), only.clone()))
}

/// The one program that is called one word, in a folder that is called the word before.
fn in_folder_called_so<'a>(past: &'a PastKnown, need: &Need) -> Option<(String, &'a str)> {
    let cochange = &past.cochange;
    let (scope, words) = (need.goal.as_deref().map(goal::scope).unwrap_or_default(), words_meant(need));
    // `org.junit.jupiter.engine.execution` names a package.
    let said = need.goal.as_deref().unwrap_or_default().to_lowercase();
    let is_apart = |two: &&[String]| !said.contains(&two.join(".")) && two.iter().all(|word| is_telling(word));
    scope.windows(2).chain(words.windows(2)).filter(is_apart).find_map(|two| {
        let places = cochange.namesakes(&two[1]).filter(|place| !cochange.is_gone(*place));
        let is_meant = |path: &&str| {
            let folder = folder_of(path).rsplit('/').next().unwrap_or_default();
            let is_there = || goal::is_program(path) && !files::is_test(path) && past.ground.is_there(path);
            folder.rsplit(['-', '_']).next() == Some(two[0].as_str()) && is_there()
        };
        let mut paths = places.map(|place| cochange.path(place)).filter(is_meant);
        let only = paths.next().filter(|_| paths.next().is_none())?;
        Some((two.join("/"), only))
    })
}

/// What a file or a folder may be called that the branch or the goal means. The more words it has in common, the surer it is
/// meant; one word is a name only where a branch begins, and in the scope of a goal.
fn names_meant(need: &Need) -> Vec<String> {
    let (words, scope) = (words_meant(need), need.goal.as_deref().map(goal::scope));
    let scope: Vec<String> = scope.into_iter().flatten().collect();
    let of_scope = (2..=MOST_WORDS).rev().flat_map(|most| scope.windows(most));
    let of_text = (2..=MOST_WORDS).rev().flat_map(|most| words.windows(most));
    // A word that is nobody's everyday one is a name wherever it stands.
    let is_rare = |word: &&String| !lokid_text::is_everyday(word);
    let single: Vec<&String> = match need.goal {
        Some(_) => words.iter().filter(is_rare).collect(),
        None => words.iter().collect(),
    };
    let join = |words: &[String]| ["_", "-", ""].map(|sign| words.join(sign));
    // `fix(links)` is about `link.go`.
    let one_of = |name: &&String| name.strip_suffix('s').filter(|one| one.len() > SHORTEST_NAME).map(str::to_owned);
    let one_of: Vec<String> = scope.iter().chain(single.iter().copied()).filter_map(|name| one_of(&name)).collect();
    // A scope says where before any words do.
    let of_scope = of_scope.flat_map(join).chain(scope.iter().cloned());
    let names = of_scope.chain(of_text.flat_map(join)).chain(single.into_iter().cloned()).chain(one_of);
    let is_of_scope = |name: &String| scope.contains(name) || scope.contains(&format!("{name}s"));
    names.filter(|name| is_telling(name) || (is_of_scope(name) && is_place(name))).collect()
}

/// A scope says where, even in a word that elsewhere says what is done: `refactor(files)` is about `actix-files`.
pub(super) fn is_place(scope: &str) -> bool {
    scope.len() > SHORTEST_NAME && !NO_PLACES.contains(&scope)
}

/// The words of the goal, or else of the branch.
pub(super) fn words_meant(need: &Need) -> Vec<String> {
    let branch = || need.branch.as_ref().and_then(|branch| branch_topic(&branch.name));
    let text = need.goal.as_deref().map(without_head).map(str::to_owned).or_else(branch).unwrap_or_default();
    let words = text.split(|sign: char| !sign.is_alphanumeric() && sign != '_').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).take(situation::MOST_WORDS).collect()
}

pub(super) fn is_telling(name: &str) -> bool {
    name.len() >= SHORTEST_NAME && !situation::is_doing(name)
}

/// What a branch is about: the subjects of its commits, or else the words of its name. One that everything happens on is about
/// nothing.
fn goal_of(branch: &Branch) -> Option<String> {
    if is_common_branch(&branch.name) {
        return None;
    }
    if !branch.subjects.is_empty() {
        return Some(branch.subjects.join("\n"));
    }
    branch_topic(&branch.name)
}

/// What an author works on these days: how large a part of their latest commits touched it.
fn by_author(past: &PastKnown, author: &str) -> Vec<PredictedFile> {
    let cochange = &past.cochange;
    let Some(known) = cochange.find_author(author) else { return Vec::new() };
    let mut shares: BTreeMap<u32, (f64, usize)> = BTreeMap::new();
    let (mut own, mut all) = (1.0, DOUBT);
    for (_, entry) in cochange.commits_by(known) {
        for place in entry.files.iter().map(|place| cochange.today(*place)) {
            let share = shares.entry(place).or_default();
            *share = (share.0 + own, share.1 + 1);
        }
        all += own;
        own *= FADING;
    }
    let mut found: Vec<PredictedFile> = shares
        .into_iter()
        .filter(|(place, _)| !cochange.is_gone(*place))
        .map(|(place, (share, times))| PredictedFile {
            path: cochange.path(place).to_owned(),
            score: share / all,
            why: match times {
                1 => format!("{author} changed it lately"),
                times => format!("{author} changed it {times} times lately"),
            },
        })
        .collect();
    found.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.path.cmp(&other.path)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_about_its_commits_or_else_about_the_words_of_its_name() {
        let branch = |name: &str, subjects: &[&str]| {
            let subjects = subjects.iter().map(|subject| (*subject).to_owned()).collect();
            goal_of(&Branch { name: name.to_owned(), subjects, files: Vec::new() })
        };
        assert_eq!(branch("fix/AUTH-12-rate-limit", &[]).as_deref(), Some("AUTH rate limit"));
        assert_eq!(branch("x", &["Limit the rate"]).as_deref(), Some("Limit the rate"));
        for name in ["release/1.2", "fix/12", ""] {
            assert_eq!(branch(name, &[]), None, "{name}");
        }
        assert_eq!(branch("main", &["Limit the rate"]), None);
    }
}
