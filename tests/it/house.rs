//! The rules of the house, checked on the text of the sources: who may name whom, what stands behind which door, and
//! how files open and how long they grow. It reads `src` and `crates` and must not depend on what the program does.

use std::path::{Path, PathBuf};

/// Reading order: each room with the rooms it may name besides itself.
const ROOMS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("config", &["model"]),
    ("sys", &["model", "config"]),
    ("watch", &["model", "config", "sys"]),
    ("encode", &["model", "config"]),
    ("store", &["model", "config", "sys"]),
    ("index", &["model", "config", "sys"]),
    ("retrieve", &["model", "config", "index"]),
    ("context", &["model", "config", "index", "retrieve"]),
    ("manage", &["model", "config", "index", "retrieve"]),
    ("mirror", &["model", "config", "sys", "store"]),
    ("engine", EVERYTHING_ABOVE),
    ("serve", EVERYTHING_ABOVE),
    ("cli", EVERYTHING_ABOVE),
];
const EVERYTHING_ABOVE: &[&str] = &["*"];

/// Paths that only `sys` may name: the start of a path, and what to do instead.
const DOORS: &[(&[&str], &str)] = &[
    (&["std", "fs"], "files go through sys::disk"),
    (&["tokio", "fs"], "files go through sys::disk"),
    (&["cap_std"], "files go through sys::disk"),
    (&["rustix"], "system calls stand in sys"),
    (&["git2"], "git is asked through sys::git"),
    (&["std", "thread", "spawn"], "threads are started by sys::thread"),
    (&["std", "thread", "Builder"], "threads are started by sys::thread"),
    (&["std", "thread", "scope"], "threads are started by sys::thread"),
];

const MOST_LINES: usize = 500;
const MEDIAN_LINES: usize = 200;
const MOST_LINES_OF_MAIN: usize = 40;

#[test]
fn rooms_name_only_the_rooms_they_may() {
    report(sources().iter().flat_map(layering).collect());
}

#[test]
fn the_world_is_reached_through_one_door() {
    report(sources().iter().flat_map(doors).collect());
}

#[test]
fn serde_stays_at_the_borders() {
    report(sources().iter().flat_map(derives).collect());
}

#[test]
fn every_file_opens_with_what_it_owns() {
    report(sources().iter().flat_map(opening).collect());
}

#[test]
fn files_stay_short() {
    let sources = sources();
    report(sources.iter().flat_map(length).collect());
    let mut lengths: Vec<usize> = sources.iter().map(|source| source.text.lines().count()).collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    assert!(median <= MEDIAN_LINES, "the median file has {median} lines, more than {MEDIAN_LINES}");
}

#[test]
fn only_the_command_line_prints() {
    report(sources().iter().flat_map(printing).collect());
}

#[test]
fn only_the_heap_may_be_unsafe() {
    let says_so = |source: &&Source| source.code.contains("unsafe_code");
    let places: Vec<String> = sources().iter().filter(says_so).map(|source| source.path.clone()).collect();
    assert_eq!(places, ["src/sys/heap.rs"]);
}

struct Source {
    /// Relative to the package, with `/`: `src/store/layout.rs`.
    path: String,
    text: String,
    /// The same text with comments and the insides of strings blanked, line by line.
    code: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned(), code: blank_comments_and_strings(text) }
    }

    /// `store` for `src/store/layout.rs`, `config` for `src/config.rs`, `main` for `src/main.rs`.
    fn room(&self) -> &str {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs")
    }

    /// How many modules stand above the items of this file, counting its own: 1 for `src/store/mod.rs`.
    fn depth(&self) -> usize {
        let inside = self.path.trim_start_matches("src/");
        let names = inside.split('/').count();
        if inside.ends_with("/mod.rs") { names - 1 } else { names }
    }

    /// The code without the test module at the end; nothing of a file that is a test module.
    fn code_without_tests(&self) -> &str {
        if self.path.ends_with("/tests.rs") || self.path.contains("/tests/") {
            return "";
        }
        let end = self.code.match_indices("#[cfg(test)]").find_map(|(at, attribute)| {
            let mut next = self.code[at + attribute.len()..].trim_start();
            while let Some((_, after)) = next.strip_prefix("#[").and_then(|next| next.split_once(']')) {
                next = after.trim_start();
            }
            let has_body = next.find('{').is_some_and(|body| !next[..body].contains(';'));
            (next.starts_with("mod ") && has_body).then_some(at)
        });
        &self.code[..end.unwrap_or(self.code.len())]
    }

    fn complain(&self, line: usize, rule: impl std::fmt::Display) -> String {
        format!("{}:{line}: {rule}", self.path)
    }
}

fn sources() -> Vec<Source> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut waiting = vec![package.join("src"), package.join("crates")];
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(package).unwrap().to_str().unwrap().replace('\\', "/");
                found.push(Source::new(&name, &std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    assert!(!found.is_empty(), "there are no sources to check");
    found
}

fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

fn layering(source: &Source) -> Vec<String> {
    let room = source.room();
    let mut complaints = Vec::new();
    for Named { line, segments, inline_modules } in paths(&source.code) {
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        let hops = names.iter().take_while(|name| **name == "super").count();
        if hops > 0 && hops >= source.depth() + inline_modules {
            complaints.push(source.complain(line, "super:: leaves the room; name the room with crate::"));
        }
        match names.as_slice() {
            ["lokid", named, ..] if room == "main" && *named != "cli" => {
                complaints.push(source.complain(line, format!("main.rs names only cli, not {named}")));
            }
            ["lokid", ..] if room != "main" && names.len() > 1 => {
                complaints.push(source.complain(line, "the library calls itself crate::, not lokid::"));
            }
            ["crate", named, ..] if room != "lib" && !may_name(room, named) => {
                complaints.push(source.complain(line, format!("{room} may not name crate::{named}")));
            }
            _ => {}
        }
    }
    if room == "main" && source.text.lines().count() > MOST_LINES_OF_MAIN {
        complaints
            .push(source.complain(MOST_LINES_OF_MAIN + 1, format!("main.rs has at most {MOST_LINES_OF_MAIN} lines")));
    }
    complaints
}

fn may_name(room: &str, named: &str) -> bool {
    let place = |wanted: &str| ROOMS.iter().position(|(name, _)| *name == wanted);
    let (Some(from), Some(to)) = (place(room), place(named)) else { return false };
    let allowed = ROOMS[from].1;
    from == to || if allowed == EVERYTHING_ABOVE { to < from } else { allowed.contains(&named) }
}

fn doors(source: &Source) -> Vec<String> {
    let room = source.room();
    if room == "sys" {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    for Named { line, segments, .. } in paths(source.code_without_tests()) {
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        let mut rules: Vec<&str> =
            DOORS.iter().filter(|(door, _)| names.starts_with(door)).map(|(_, rule)| *rule).collect();
        rules.extend(match names.as_slice() {
            [.., "SystemTime" | "Instant", "now"] => Some("the time comes from an argument or sys::Clock"),
            ["std", "thread"] | ["std", "thread", "*" | "self"] => {
                Some("import the item of std::thread, not the module")
            }
            ["std", "env", "consts", ..] => None,
            ["std", "env", "args" | "args_os", ..] if ["cli", "main"].contains(&room) => None,
            ["std", "env", ..] => Some("the environment is asked through sys::env, arguments by cli"),
            ["tokio", "sync", ..] if room == "engine" => None,
            ["tokio", ..] if !["serve", "mirror", "cli"].contains(&room) => {
                Some("tokio lives in serve, mirror and cli, and tokio::sync in engine")
            }
            _ => None,
        });
        let shown = names.join("::");
        complaints.extend(rules.iter().map(|rule| source.complain(line, format!("{shown}: {rule}"))));
    }
    complaints
}

fn derives(source: &Source) -> Vec<String> {
    if ["store", "serve", "config"].contains(&source.room()) {
        return Vec::new();
    }
    let code = source.code_without_tests();
    let mut complaints = Vec::new();
    for (at, _) in code.match_indices("derive(") {
        let list = code[at..].split(')').next().unwrap_or("");
        if list.contains("Serialize") || list.contains("Deserialize") {
            complaints.push(source.complain(line_at(code, at), "serde is derived only in store, serve and config"));
        }
    }
    complaints
}

fn opening(source: &Source) -> Vec<String> {
    let opens = source.text.starts_with("//! ");
    (!opens)
        .then(|| source.complain(1, "a file opens with `//!`: what it owns, what it must not do"))
        .into_iter()
        .collect()
}

fn length(source: &Source) -> Vec<String> {
    let lines = source.text.lines().count();
    let rule = format!("{lines} lines, more than {MOST_LINES}");
    (lines > MOST_LINES).then(|| source.complain(lines, rule)).into_iter().collect()
}

fn printing(source: &Source) -> Vec<String> {
    if source.room() == "cli" {
        return Vec::new();
    }
    let code = source.code_without_tests();
    let mut complaints = Vec::new();
    for (at, _) in code.match_indices('!') {
        let before = &code[..at];
        let name = before.rsplit(|character: char| !is_word(character)).next().unwrap_or("");
        if ["print", "println", "eprint", "eprintln", "dbg"].contains(&name) {
            complaints.push(source.complain(line_at(code, at), format!("{name}! belongs to cli")));
        }
    }
    complaints
}

fn line_at(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// A path of at least two segments, or a whole `use` of one, with groups spelled out: `use a::{b, c::d}` is two paths.
struct Named {
    line: usize,
    segments: Vec<String>,
    /// How many `mod name { … }` of this file it stands in.
    inline_modules: usize,
}

fn paths(code: &str) -> Vec<Named> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    let mut braces: Vec<bool> = Vec::new();
    let mut at = 0;
    while let Some((_, token)) = tokens.get(at) {
        let is = |offset: usize, text: &str| tokens.get(at + offset).is_some_and(|(_, token)| *token == text);
        let begins = token.starts_with(is_word) && (at == 0 || tokens[at - 1].1 != "::" || !follows_name(&tokens, at));
        if begins && is(1, "::") {
            let inline_modules = braces.iter().filter(|is_module| **is_module).count();
            let mut expanded = Vec::new();
            at = expand(&tokens, at, &[], &mut expanded);
            found.extend(expanded.into_iter().map(|(line, segments)| Named { line, segments, inline_modules }));
            continue;
        }
        match *token {
            "{" => braces.push(at >= 2 && tokens[at - 2].1 == "mod"),
            "}" => drop(braces.pop()),
            _ => {}
        }
        at += 1;
    }
    found
}

/// Whether the `::` before this token continues a name, as in `a::b`; in `::b` it does not.
fn follows_name(tokens: &[(usize, &str)], at: usize) -> bool {
    at >= 2 && tokens[at - 2].1.starts_with(is_word)
}

/// Reads one path from `at` on, groups included, and tells where it ended.
fn expand(tokens: &[(usize, &str)], mut at: usize, before: &[String], found: &mut Vec<(usize, Vec<String>)>) -> usize {
    let mut segments = before.to_vec();
    let start = tokens.get(at).map_or(0, |(line, _)| *line);
    while let Some((_, token)) = tokens.get(at) {
        if *token == "{" {
            at += 1;
            while tokens.get(at).is_some_and(|(_, token)| *token != "}") {
                let next = expand(tokens, at, &segments, found);
                at = if next > at { next } else { at + 1 };
            }
            return at + 1;
        }
        if !(token.starts_with(is_word) || *token == "*") {
            break;
        }
        segments.push((*token).to_owned());
        at += 1;
        let goes_on =
            tokens.get(at + 1).is_some_and(|(_, next)| next.starts_with(is_word) || ["{", "*"].contains(next));
        if tokens.get(at).is_some_and(|(_, token)| *token == "::") && goes_on {
            at += 1;
        } else {
            break;
        }
    }
    if segments.len() > before.len() {
        found.push((start, segments));
    }
    at
}

/// Words, `::`, and every other visible character by itself, each with its line.
fn tokens(code: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = code[at..].chars().next() {
        let rest = &code[at..];
        let length = if is_word(first) {
            rest.find(|character| !is_word(character)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if first == '\n' {
            line += 1;
        }
        if !first.is_whitespace() {
            tokens.push((line, &rest[..length]));
        }
        at += length;
    }
    tokens
}

fn blank_comments_and_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after_word = code.chars().next_back().is_some_and(is_word);
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => quoted(rest, 0),
            'r' | 'b' | 'c' if !after_word => string_with_prefix(rest),
            '\'' => character_literal(rest),
            _ => 0,
        };
        if length == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.extend(rest[..length].chars().map(|character| if character == '\n' { '\n' } else { ' ' }));
            rest = &rest[length..];
        }
    }
    code
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let step = if text[at..].starts_with("/*") {
            depth += 1;
            2
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            2
        } else {
            text[at..].chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of a string that opens at `open`, backslashes obeyed.
fn quoted(text: &str, open: usize) -> usize {
    let mut escaped = false;
    for (at, character) in text[open + 1..].char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return open + 1 + at + 1,
            _ => {}
        }
    }
    text.len()
}

/// `r"…"`, `r#"…"#`, `b"…"`, `br#"…"#`, `c"…"`; 0 when the letters begin a word.
fn string_with_prefix(text: &str) -> usize {
    let letters = text.find(|character| !matches!(character, 'r' | 'b' | 'c')).unwrap_or(text.len());
    let hashes = text[letters..].chars().take_while(|character| *character == '#').count();
    let raw = text[..letters].contains('r');
    if letters > 2 || !text[letters + hashes..].starts_with('"') || (hashes > 0 && !raw) {
        return 0;
    }
    if !raw {
        return quoted(text, letters);
    }
    let open = letters + hashes + 1;
    let close = format!("\"{}", "#".repeat(hashes));
    text[open..].find(&close).map_or(text.len(), |at| open + at + close.len())
}

/// `'a'` and `'\n'` have a length; the tick of a lifetime has none.
fn character_literal(text: &str) -> usize {
    let mut inside = text.char_indices().skip(1);
    match inside.next() {
        Some((_, '\\')) => {
            let escaped = inside.next().map_or(2, |(at, character)| at + character.len_utf8());
            text[escaped..].find('\'').map_or(0, |at| escaped + at + 1)
        }
        Some((at, character)) if text[at + character.len_utf8()..].starts_with('\'') => at + character.len_utf8() + 1,
        _ => 0,
    }
}

mod checker;
