//! The files of the repository that an error names: paths as tools print them, modules, and what few files define. Of a goal
//! only what it writes as code counts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ground::CodeGround;
use lokid_context::predict::goal::without_head;
use lokid_context::predict::{PredictedFile, files, goal};
use lokid_context::situation;
use lokid_encode::errors::{ErrorReader, Frame, is_application, repo_file};
use lokid_index::cochange::stem_of;

/// So much of an error is read, and so many of its words.
const LONGEST: usize = 32_000;
const MOST_WORDS: usize = 4_000;
const MOST_NAMES: usize = 64;
const MOST_PLACES: usize = 3;
/// Shorter ones (`str`, `map`, `set`) are everybody's.
const SHORTEST_NAME: usize = 4;
/// A name that more files define leads to none of them.
const MOST_DEFINING: usize = 4;

/// How likely such a file is needed; the place of the failure, then the others in the order they are named.
pub(super) const AT_THE_PLACE: f64 = 0.75;
/// How the reason begins where the error itself names a file.
pub(super) const BY_ERROR: &str = "named in the error";
const NAMED: f64 = 0.5;
const LATER: f64 = 0.85;
const MODULE: f64 = 0.45;
const DEFINING: f64 = 0.4;
const MEMBER: f64 = 0.65;
const SHORTEST_MEMBER: usize = 3;
/// What stands behind a dot in the name of a file or a place elsewhere.
const ENDINGS: [&str; 16] = [
    "com", "org", "net", "dev", "json", "toml", "yaml", "yml", "html", "txt", "lock", "mjs", "cjs", "tsx", "jsx",
    "java",
];

/// Names that tools and languages say whatever went wrong.
pub(super) const OF_LANGUAGES: [&str; 32] = [
    "Option",
    "Result",
    "unwrap",
    "expect",
    "None",
    "Some",
    "String",
    "Box",
    "Error",
    "TypeError",
    "ValueError",
    "KeyError",
    "IndexError",
    "AttributeError",
    "RuntimeError",
    "ReferenceError",
    "RangeError",
    "SyntaxError",
    "Object",
    "Array",
    "Promise",
    "undefined",
    "null",
    "runtime",
    "goroutine",
    "panic",
    "Exception",
    "assert",
    "Node",
    "Python",
    "Windows",
    "Linux",
];
/// What JavaScript says before the name of a property that was read of nothing.
pub(super) const READING: &str = "reading";
/// Folders whose definitions nobody else uses.
pub(super) const ASIDE: [&str; 10] =
    ["example", "examples", "doc", "docs", "fixtures", "testdata", "bench", "benches", "benchmark", "benchmarks"];
/// How files end that are no module of any language.
const DATA: [&str; 6] = [".xml", ".xsd", ".svg", ".csv", ".html", ".json"];
/// How the reason begins where a file defines what is named.
pub(super) const DEFINES: &str = "defines ";

/// Told of a file, names what it defines and in which line.
pub(super) type Definitions<'a> = &'a dyn Fn(&str, &mut dyn FnMut(&str, u32));

/// The files that define what a goal names, likeliest first. Where nothing is at hand (`is_alone`), a word with a capital inside the
/// sentence that is a name of the code is meant, too: of 64 later commits 46 touched the file.
pub(super) fn defining(
    goal: &str,
    is_alone: bool,
    ground: &CodeGround,
    definitions: Definitions<'_>,
) -> Vec<PredictedFile> {
    let text = without_head(goal);
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let mut names = BTreeSet::new();
    for (end, word) in words(text).take(MOST_WORDS).filter(|(_, word)| !word.contains(['/', '\\'])) {
        // Of several words between two marks none is a name by itself: `gist list`.
        let is_whole = || text[..end - word.len()].ends_with('`') || !is_everyday(word);
        let is_called = text[end..].starts_with('(') || (text[end..].starts_with('`') && is_whole());
        let is_proper = |part: &str| is_alone && end > word.len() && is_capitalised(part);
        let parts = word.split(['.', ':', '#']).filter(|part| is_name(part));
        let parts = parts.filter(|part| is_called || is_written_like_code(part) || is_proper(part));
        names.extend(parts.take(MOST_NAMES - names.len()));
    }
    let mut naming = Naming { root: "", ground, stems: None, found: BTreeMap::new() };
    let members = words(text).take(MOST_WORDS).filter(|_| is_alone).filter_map(|(_, word)| member_in(word));
    members.take(MOST_NAMES).for_each(|(holder, member)| naming.member(holder, member, definitions));
    naming.definitions(&names, definitions, "");
    naming.likeliest()
}

/// Is a file told for what the goal calls by who holds it?
pub(super) fn is_member(file: &PredictedFile) -> bool {
    let defined = file.why.strip_prefix(DEFINES).and_then(|why| why.split(' ').next());
    defined.is_some_and(|name| name.contains('.'))
}

/// Where an error says that it happened, each with the path it has here.
pub(super) fn places(text: &str, root: &str, ground: &CodeGround) -> Vec<Frame> {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    Naming { root, ground, stems: None, found: BTreeMap::new() }.places(text)
}

/// Likeliest first.
pub(super) fn named_in(
    text: &str,
    root: &str,
    ground: &CodeGround,
    definitions: Definitions<'_>,
) -> Vec<PredictedFile> {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let mut naming = Naming { root, ground, stems: None, found: BTreeMap::new() };
    let mut names = BTreeSet::new();
    for (end, word) in words(text).take(MOST_WORDS).filter(|(_, word)| !word.contains("://")) {
        let (path, line) = without_line(word);
        if naming.path(path, line.or_else(|| line_after(&text[end..]))) || path.contains(['/', '\\']) {
            continue;
        }
        let parts: Vec<&str> = path.split(['.', ':', '#']).filter(|part| !part.is_empty()).collect();
        if parts.len() > 1 {
            naming.module(path, &parts);
        }
        let is_called = text[end..].starts_with(['(', '`', '\'', '"']);
        // What the failed line does not call is a variable of its own.
        let before = &text[..end - word.len()];
        let is_own =
            || before.ends_with(&format!("({READING} '")) || !text[end..].starts_with('(') && is_quoted_code(before);
        let is_code = parts.len() > 1 || is_called || is_written_like_code(path);
        if names.len() < MOST_NAMES && is_code && !is_own() {
            let is_marked = before.ends_with('`');
            names.extend(parts.into_iter().filter(|part| is_name(part) && (is_marked || !is_everyday(part))));
        }
    }
    for place in naming.places(text) {
        let at = place.line.map(|line| format!(", line {line}")).unwrap_or_default();
        naming.add(&place.file, AT_THE_PLACE, format!("{BY_ERROR}{at}"));
    }
    naming.definitions(&names, definitions, ", which the error names");
    naming.likeliest()
}

/// Where an error says that it happened.
pub(super) fn place_of(files: &[PredictedFile]) -> Option<&str> {
    let is_place = |file: &&PredictedFile| is_named(file) && file.score >= AT_THE_PLACE;
    files.iter().find(is_place).map(|file| file.path.as_str())
}

/// Whoever has the error has the path.
pub(super) fn is_named(file: &PredictedFile) -> bool {
    file.why.starts_with(BY_ERROR)
}

struct Naming<'a> {
    root: &'a str,
    ground: &'a CodeGround,
    /// By what a file is called without its ending, filled when it is first asked for.
    stems: Option<HashMap<String, Vec<&'a str>>>,
    found: BTreeMap<String, PredictedFile>,
}

impl<'a> Naming<'a> {
    fn likeliest(self) -> Vec<PredictedFile> {
        let mut found: Vec<PredictedFile> = self.found.into_values().collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.path.cmp(&other.path)));
        found
    }

    fn add(&mut self, path: &str, score: f64, why: String) {
        let new = PredictedFile { path: path.to_owned(), score, why };
        let known = self.found.entry(path.to_owned()).or_insert_with(|| new.clone());
        if known.score < score {
            *known = new;
        }
    }

    fn stems(&mut self) -> &HashMap<String, Vec<&'a str>> {
        let ground = self.ground;
        self.stems.get_or_insert_with(|| {
            let mut stems: HashMap<String, Vec<&str>> = HashMap::new();
            ground.paths().for_each(|path| stems.entry(stem_of(path)).or_default().push(path));
            stems
        })
    }

    /// Whether the word is a path, here or elsewhere.
    fn path(&mut self, word: &str, line: Option<u32>) -> bool {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        if ending.is_empty() || ending.len() > 5 || !ending.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return false;
        }
        let Some(path) = self.find(word, name) else { return false };
        let earlier = self.found.values().filter(|found| found.score <= NAMED).count();
        let at = line.map(|line| format!(", line {line}")).unwrap_or_default();
        self.add(&path, NAMED * LATER.powi(earlier.min(8) as i32), format!("{BY_ERROR}{at}"));
        true
    }

    fn find(&mut self, printed: &str, name: &str) -> Option<String> {
        if !is_application(&Frame { file: printed.to_owned(), line: None, function: None }) {
            return None;
        }
        let ground = self.ground;
        if let Some(path) = repo_file(printed, self.root, &|path| ground.stamp(path).is_some()) {
            return Some(path);
        }
        // A tool that speaks of its own folder: the one file of that name.
        let called_so = |path: &&&str| path.rsplit('/').next() == Some(name);
        let alike = self.stems().get(&stem_of(name)).map(Vec::as_slice).unwrap_or_default();
        let mut alike = alike.iter().filter(called_so);
        alike.next().filter(|_| alike.next().is_none()).map(|path| (*path).to_owned())
    }

    /// `requests.adapters`, `crate::runtime::task`: a file in a folder of the name before.
    fn module(&mut self, word: &str, parts: &[&str]) {
        for pair in parts.windows(2) {
            let folder = pair[0].to_lowercase();
            let is_in = |path: &&str| path.to_lowercase().split('/').rev().skip(1).any(|part| part == folder);
            // `com.google.inject` is no `Inject.java`.
            let is_written_so = |path: &&str| {
                let is_class = path.rsplit('/').next().is_some_and(|name| name.starts_with(char::is_uppercase));
                !is_class || pair[1].starts_with(char::is_uppercase)
            };
            let known = self.stems().get(&pair[1].to_lowercase()).map(Vec::as_slice).unwrap_or_default();
            let is_data = |path: &str| DATA.iter().any(|end| path.ends_with(end));
            let is_meant = |path: &&str| !is_data(path) && is_in(path) && is_written_so(path);
            let meant = known.iter().copied().filter(is_meant);
            let meant: Vec<&str> = meant.take(MOST_DEFINING + 1).collect();
            if meant.len() <= MOST_DEFINING {
                let score = MODULE / (meant.len() as f64).max(1.0).sqrt();
                meant.into_iter().for_each(|path| self.add(path, score, format!("the error names {}", shown(word))));
            }
        }
    }

    /// Where the tool that printed it says the failure is.
    fn places(&mut self, text: &str) -> Vec<Frame> {
        let mut reader = ErrorReader::new();
        let mut failures: Vec<_> = text.lines().flat_map(|line| reader.line(line)).collect();
        failures.extend(reader.flush());
        let here = failures.into_iter().filter_map(|failure| {
            // Classes are told with their package; one of a library is at home in the library's own repository.
            let ours =
                failure.frames.iter().find_map(|frame| Some(Frame { file: self.of_class(frame)?, ..frame.clone() }));
            if ours.is_some() {
                return ours;
            }
            let place = failure.place?;
            let name = place.file.rsplit(['/', '\\']).next().unwrap_or(&place.file);
            let mut frames = failure.frames.into_iter();
            let frame = frames.find(|frame| frame.file == place.file && frame.line == place.line);
            let file = self.find(&place.file, name)?;
            Some(Frame { file, line: place.line, function: frame.and_then(|frame| frame.function) })
        });
        here.take(MOST_PLACES).collect()
    }

    /// `src/main/kotlin/org/shop/Cart.kt` of `org.shop.Cart.total(Cart.kt:3)`.
    fn of_class(&mut self, frame: &Frame) -> Option<String> {
        let name = Some(frame.file.as_str()).filter(|file| file.ends_with(".java") || file.ends_with(".kt"))?;
        let class = frame.function.as_deref()?.rsplit('/').next()?.rsplit_once('.')?.0;
        let (package, _) = class.rsplit_once('.')?;
        let end = format!("/{}/{name}", package.replace('.', "/"));
        let alike = self.stems().get(&stem_of(name)).map(Vec::as_slice).unwrap_or_default();
        let mut alike = alike.iter().filter(|path| format!("/{path}").ends_with(&end));
        alike.next().filter(|_| alike.next().is_none()).map(|path| (*path).to_owned())
    }

    /// `Consumer.on_close` is where both are defined, or the second in the one program of that name.
    fn member(&mut self, holder: &str, member: &str, definitions: Definitions<'_>) {
        let is_work = |path: &&str| {
            let is_aside = path.split('/').any(|part| ASIDE.contains(&part));
            goal::is_program(path) && !files::is_test(path) && !is_aside
        };
        let stem = holder.to_lowercase();
        let held_in = |path: &'a str| {
            let (mut held, mut at): (Option<u32>, Option<u32>) = (None, None);
            definitions(path, &mut |name, line| match name {
                name if name == holder => held = held.or(Some(line)),
                name if name == member && at.is_none_or(|at| held.is_some_and(|held| at < held)) => at = Some(line),
                _ => {}
            });
            at.filter(|_| held.is_some() || stem_of(path) == stem).map(|line| (path, line))
        };
        let mut found = self.ground.paths().filter(is_work).filter_map(held_in);
        if let (Some((path, line)), None) = (found.next(), found.next()) {
            self.add(path, MEMBER, format!("{DEFINES}{}.{} (line {line})", shown(holder), shown(member)));
        }
    }

    fn definitions(&mut self, names: &BTreeSet<&str>, definitions: Definitions<'_>, by_whom: &str) {
        if names.is_empty() {
            return;
        }
        let is_aside = |path: &str| path.split('/').any(|part| ASIDE.contains(&part));
        let mut defining: BTreeMap<&str, Vec<(&str, u32)>> = BTreeMap::new();
        for path in self.ground.paths().filter(|path| !is_aside(path)) {
            let is_test = files::is_test(path);
            definitions(path, &mut |name, line| {
                // What tests define is meant where a test is.
                let Some(name) = names.get(name).filter(|name| !is_test || is_of_tests(name)) else { return };
                let places = defining.entry(name).or_default();
                if places.last().is_none_or(|(last, _)| *last != path) {
                    places.push((path, line));
                }
            });
        }
        let mut sum: BTreeMap<&str, (f64, &str, u32)> = BTreeMap::new();
        for (name, places) in defining.into_iter().filter(|(_, places)| places.len() <= MOST_DEFINING) {
            let share = 1.0 / places.len() as f64;
            for (path, line) in places {
                let known = sum.entry(path).or_insert((0.0, name, line));
                known.0 += share;
            }
        }
        for (path, (share, name, line)) in sum {
            let score = DEFINING * share.min(1.5);
            self.add(path, score, format!("{DEFINES}{} (line {line}){by_whom}", shown(name)));
        }
    }
}

/// What stands between blanks, quotes and brackets, each with where it ends.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_apart = |sign: char| sign.is_whitespace() || "\"'`()[]{}<>,;=|".contains(sign);
    text.split(is_apart).filter_map(move |word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        (!word.is_empty()).then_some((start + word.len(), word))
    })
}

/// `Consumer` and `on_close` of `Consumer.on_close`; neither an address nor a file.
fn member_in(word: &str) -> Option<(&str, &str)> {
    let (before, member) = word.rsplit_once(['.', '#', ':'])?;
    let holder = before.trim_end_matches(':').rsplit(['.', '#', ':']).next()?;
    let is_known = member.len() >= SHORTEST_MEMBER && !ENDINGS.contains(&member) && !word.contains(['/', '\\', '@']);
    let is_one = |part: &str| part.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
    let is_word = |part: &str| part.starts_with(|sign: char| sign.is_alphabetic() || sign == '_') && is_one(part);
    (is_known && is_name(holder) && is_word(member)).then_some((holder, member))
}

/// `src/a.rs` and 3 of `src/a.rs:3:4`.
fn without_line(word: &str) -> (&str, Option<u32>) {
    let (mut rest, mut line) = (word, None);
    for _ in 0..2 {
        let Some((before, number)) = rest.rsplit_once(':') else { break };
        let Ok(number) = number.parse() else { break };
        (rest, line) = (before, Some(number));
    }
    (rest, line)
}

/// 31 of `", line 31, in send` and of `(31,5)`.
fn line_after(text: &str) -> Option<u32> {
    let text = text.trim_start_matches(['"', '\'']);
    let number =
        text.strip_prefix(", line ").or_else(|| text.strip_prefix('(')).or_else(|| text.strip_prefix(" line "))?;
    let end = number.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok()
}

/// Does a text end within the line that Python quotes below a place?
fn is_quoted_code(text: &str) -> bool {
    let mut lines = text.rsplit('\n');
    lines.next();
    lines.next().is_some_and(|above| above.trim_start().starts_with("File \""))
}

fn is_name(word: &str) -> bool {
    word.len() >= SHORTEST_NAME
        && word != "main"
        && !OF_LANGUAGES.contains(&word)
        && word.starts_with(|sign: char| sign.is_alphabetic() || sign == '_')
        && word.chars().all(|sign| sign.is_alphanumeric() || sign == '_')
}

pub(super) fn is_of_tests(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("test"))
}

/// `snake_case` and `camelCase` are names of something.
fn is_written_like_code(word: &str) -> bool {
    let letters: Vec<char> = word.chars().take(64).collect();
    word.trim_matches('_').contains('_') || letters.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase())
}

/// `Context`, unless it tells what is done.
fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase) && !situation::is_doing(word)
}

/// `body` and `path` are in every error, and defined somewhere.
fn is_everyday(word: &str) -> bool {
    word.bytes().all(|sign| sign.is_ascii_lowercase()) && lokid_text::is_everyday(word)
}

fn shown(word: &str) -> &str {
    &word[..word.floor_char_boundary(60)]
}

#[cfg(test)]
mod tests;
