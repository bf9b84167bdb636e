//! Who calls the function that an error happened in, where hardly anybody does.

use super::Contexts;
use super::cache::Need;
use super::named;
use super::written::{COMMENTS, bare, quotes};
use crate::ground::LARGEST_TEXT;
use lokid_context::predict::{files, goal};
use regex::Regex;

/// Of more calls none is to blame.
const MOST_CALLS: usize = 2;
const MOST_FILES: usize = 4;
const SHORTEST_NAME: usize = 4;
/// Who stands so near in the same file is seen.
const NEARBY: usize = 100;

impl Contexts {
    /// All calls of the function that an error happened in, behind its name, if they are few; tests aside.
    pub(super) fn callers(&self, need: &Need) -> Option<(String, String)> {
        let (ground, code) = (self.repository.known().ground, self.repository.code());
        let name = self.around(need, &ground).into_iter().next()?;
        let name = name.rsplit(['.', ':', '#']).next().filter(|name| name.len() >= SHORTEST_NAME)?;
        let folded = bare(name);
        // A name that several things have is called for any of them.
        let defining = code.defining(name).take(2).count();
        if defining != 1 {
            return None;
        }
        let escaped = regex::escape(name);
        let call = Regex::new(&format!(r"\b{escaped}\s*(\(|::<)")).ok()?;
        let definition = Regex::new(&format!(r"\b(def|fn|func|function|fun|sub)\b[^=]*\b{escaped}\s*[(<]")).ok()?;
        // A method of Go is called on something; where nothing stands before its name, an interface declares it.
        let method = Regex::new(&format!(r"(?m)^func \([^)]*\) {escaped}\b")).ok()?;
        let home = code.defining(name).next().filter(|path| path.ends_with(".go"));
        let home = home.and_then(|path| self.repository.text_of(path, LARGEST_TEXT));
        let on_something = home.filter(|text| method.is_match(text)).map(|_| format!(".{name}"));
        let declares = |line: &str| on_something.as_ref().is_some_and(|called| !line.contains(called.as_str()));
        let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let defined_in = code.defining(name).next().and_then(ending);
        let paths = ground
            .may_say(&folded)
            .filter(|path| goal::is_program(path) && !files::is_test(path) && ending(path) == defined_in);
        let paths: Vec<&str> = paths.take(MOST_FILES + 1).collect();
        let root = self.env.root.to_string_lossy();
        let place = need.errors.iter().flat_map(|error| named::places(&error.text, &root, &ground)).next()?;
        let number = place.line? as usize;
        let mut calls: Vec<(&str, usize)> = Vec::new();
        for path in paths.iter().filter(|_| paths.len() <= MOST_FILES) {
            let text = self.repository.text_of(path, LARGEST_TEXT)?;
            let symbols = code.get(path).map(|file| file.symbols.as_slice()).unwrap_or_default();
            let is_definition =
                |at: usize| symbols.iter().any(|symbol| symbol.name == name && symbol.line as usize == at);
            let mut is_quoted = false;
            for (at, line) in text.lines().enumerate() {
                let is_comment = is_quoted || COMMENTS.iter().any(|start| line.trim_start().starts_with(start));
                is_quoted ^= quotes(line) % 2 == 1;
                if is_comment
                    || !call.is_match(line)
                    || declares(line)
                    || is_definition(at + 1)
                    || definition.is_match(line)
                {
                    continue;
                }
                // Whose stack it is knows who called.
                if need.errors.iter().any(|error| says_line(&error.text, at + 1)) {
                    return None;
                }
                calls.push((path, at + 1));
            }
        }
        let shown = Some(self.shown(name)).filter(|shown| !shown.is_empty())?;
        let is_few = (1..=MOST_CALLS).contains(&calls.len());
        let is_near = |(path, line): &(&str, usize)| *path == place.file && line.abs_diff(number) < NEARBY;
        let told: Vec<String> = calls.iter().map(|(path, line)| format!("{path}:{line}")).collect();
        let is_told = is_few && !calls.iter().all(is_near);
        is_told.then(|| (shown, format!("is called in {} and nowhere else but in tests", told.join(" and "))))
    }
}

fn says_line(text: &str, line: usize) -> bool {
    let number = line.to_string();
    let is_whole = |rest: &str| !rest.starts_with(|sign: char| sign.is_ascii_digit());
    [":", "line "].iter().any(|before| {
        let said = format!("{before}{number}");
        text.match_indices(&said).any(|(at, said)| is_whole(&text[at + said.len()..]))
    })
}
