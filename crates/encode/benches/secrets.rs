//! How many secrets of public collections are taken out, how much of ordinary code is altered, and how fast.
//!
//! `cargo bench -p lokid-encode --bench secrets -- gitleaks DIR kingfisher DIR credsweeper DIR code DIR`, each a checkout
//! of that project or, for `code`, a folder of ordinary repositories; `show` in front prints what was missed and altered.
//! The cases of each collection fall into two halves by their digest: rules are made with the first in sight, the
//! second is held out and never printed.

#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lokid_encode::redact::Redactor;
use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};
use saphyr_parser::{Event, Parser};

/// A text and the secret in it.
struct Case {
    rule: String,
    text: String,
    secret: String,
}

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench").peekable();
    let show = words.next_if(|word| word == "show").is_some();
    let redactor = Redactor::built_in();
    while let (Some(kind), Some(place)) = (words.next(), words.next()) {
        let place = PathBuf::from(place);
        match kind.as_str() {
            "gitleaks" => {
                let config = fs::read_to_string(place.join("config/gitleaks.toml"))?;
                let rules = gitleaks_rules(&config)?;
                recall(&redactor, "gitleaks, its own texts", &gitleaks_written(&place, &rules)?, show);
                recall(&redactor, "gitleaks, assigned", &gitleaks_drawn(&rules, true), show);
                recall(&redactor, "gitleaks, bare", &gitleaks_drawn(&rules, false), show);
            }
            "kingfisher" => recall(&redactor, "kingfisher", &kingfisher(&place)?, show),
            "credsweeper" => recall(&redactor, "credsweeper", &credsweeper(&place)?, show),
            "code" => false_alarms(&redactor, &place, show),
            other => return Err(format!("no such collection: {other}").into()),
        }
    }
    Ok(())
}

/// Whether enough of a secret is left to be worth something: eight characters in a row, or all of a short one. What
/// stands in the rest of the text as well tells nothing.
fn leaks(redacted: &str, case: &Case) -> bool {
    let rest = case.text.replacen(&case.secret, "", 1);
    let characters: Vec<char> = case.secret.chars().collect();
    let size = characters.len().clamp(1, 8);
    let unnamed = redacted.split("[redacted:").map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    let redacted = unnamed.collect::<Vec<_>>().join("\0");
    let told = |part: &String| redacted.matches(part.as_str()).count() > rest.matches(part.as_str()).count();
    characters.windows(size).any(|window| told(&window.iter().collect()))
}

fn recall(redactor: &Redactor, name: &str, cases: &[Case], show: bool) {
    let (mut all, mut found) = ([0; 2], [0; 2]);
    let mut rules: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for case in cases {
        let half = usize::from(digest(&case.text) & 1 == 1);
        let caught = !leaks(&redactor.redact(&case.text).text, case);
        all[half] += 1;
        found[half] += usize::from(caught);
        let rule = rules.entry(&case.rule).or_default();
        rule[0] += 1;
        rule[1] += usize::from(caught);
        if show && half == 0 && !caught {
            println!("missed {}: {:?} in {:?}", case.rule, case.secret, clip(&case.text));
        }
    }
    let share = |half: usize| found[half] as f64 / f64::from(all[half].max(1) as u32);
    let both = (found[0] + found[1]) as f64 / (all[0] + all[1]).max(1) as f64;
    let whole = rules.values().filter(|rule| rule[0] == rule[1]).count();
    println!(
        "{name}: {:.3} of {} caught; seen half {:.3} of {}, held-out half {:.3} of {}; {whole} of {} rules whole",
        both,
        all[0] + all[1],
        share(0),
        all[0],
        share(1),
        all[1],
        rules.len()
    );
}

fn clip(text: &str) -> String {
    text.chars().take(300).collect()
}

/// FNV-1a: the halves must be the same on every machine.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) >> 7
}

struct Pattern {
    id: String,
    source: String,
    compiled: Regex,
    entropy: f64,
    keyword: String,
    group: usize,
}

fn gitleaks_rules(config: &str) -> Result<Vec<Pattern>, Failure> {
    let config: toml::Table = config.parse()?;
    let rules = config.get("rules").and_then(toml::Value::as_array).ok_or("no rules")?;
    let text = |rule: &toml::Value, key: &str| rule.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let read = |rule: &toml::Value| {
        let source = text(rule, "regex")?;
        let entropy = rule
            .get("entropy")
            .map_or(0.0, |bits| bits.as_float().unwrap_or_else(|| bits.as_integer().unwrap_or_default() as f64));
        let keyword = rule.get("keywords")?.as_array()?.first()?.as_str()?.to_owned();
        let group = rule.get("secretGroup").and_then(toml::Value::as_integer).unwrap_or(0) as usize;
        let compiled = Regex::new(&source).ok()?;
        Some(Pattern { id: text(rule, "id")?, compiled, source, entropy, keyword, group })
    };
    Ok(rules.iter().filter_map(read).collect())
}

/// What the pattern calls the secret: the group it names, else the first that matched (the last, where a rule reads a
/// user and then a password), else all of it. Of an address it is the password or the end of the path: the
/// rest may stay.
fn secret_of(pattern: &Regex, group: usize, text: &str, last: bool) -> Option<String> {
    let found = pattern.captures(text)?;
    let named = found.name("TOKEN").or_else(|| if group > 0 { found.get(group) } else { None });
    let mut groups = (1..found.len()).filter_map(|group| found.get(group).filter(|secret| secret.len() > 3));
    let one = if last { groups.next_back() } else { groups.next() };
    Some(password_of(named.or(one).or_else(|| found.get(0))?.as_str()).to_owned())
}

fn password_of(secret: &str) -> &str {
    let authority = secret.split_once("://").and_then(|(_, rest)| rest.rsplit_once('@')).map(|(user, _)| user);
    let path = secret.strip_prefix("https://").and_then(|_| secret.rsplit('/').next());
    let password = authority.and_then(|user| user.split_once(':')).map(|(_, password)| password);
    password.or(path.filter(|path| !path.is_empty())).unwrap_or(secret)
}

const ENDS: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;
const BEGINS: &str = r#"[\x60'"\s=]{0,5}"#;
/// Patterns over whole lines and files: drawn from, they give noise.
const NOT_DRAWN: &[&str] = &[
    "curl-auth-header",
    "curl-auth-user",
    "kubernetes-secret-yaml",
    "private-key",
    "jwt-base64",
    "generic-api-key",
    "nuget-config-password",
];

/// Secrets drawn from the rules' own patterns: behind a name as gitleaks' generator puts them, or alone where the
/// pattern wants no name.
fn gitleaks_drawn(rules: &[Pattern], assigned: bool) -> Vec<Case> {
    const PLACES: &[&str] = &[
        "{i}_api_token = \"{s}\"",
        "{i}Token={s}",
        "{\n    \"{i}_token\": \"{s}\"\n}",
        "<{i}Token>\n    {s}\n</{i}Token>",
        "{i}_token: {s}",
        "{i}Token := `{s}`",
        "System.setProperty(\"{I}_TOKEN\", \"{s}\")",
        "  \"{i}Token\" => \"{s}\"",
        "{i}_TOKEN ::= \"{s}\"",
    ];
    const ALONE: &[&str] = &["it said {s} before it stopped", "{\"args\":[\"-x\",\"{s}\"]}", "{s}"];
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut cases = Vec::new();
    for rule in rules.iter().filter(|rule| !NOT_DRAWN.contains(&rule.id.as_str())) {
        let named = rule.source.contains(BEGINS);
        let wanted = rule.source.rsplit(BEGINS).next().unwrap_or_default().replace(ENDS, "");
        // In capitals or not, the classes are drawn from as they are written; dots stand for themselves.
        let wanted = wanted.replace("(?i)", "").replace("(?i:", "(?:").replace("hooks.slack.com", r"hooks\.slack\.com");
        let Ok(pattern) = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(&wanted) else {
            println!("cannot draw {}: {wanted}", rule.id);
            continue;
        };
        if named && !assigned {
            continue;
        }
        for place in if assigned { PLACES } else { ALONE } {
            let secret = (0..200).find_map(|_| {
                let mut secret = String::new();
                dice.draw(&pattern, &mut secret);
                let secret = secret.trim_matches(|c: char| c.is_whitespace() || "\"'`>=:(,)<".contains(c)).to_owned();
                (entropy(&secret) >= rule.entropy).then_some(secret)
            });
            let Some(secret) = secret else { continue };
            let text = place.replace("{i}", &rule.keyword).replace("{I}", &rule.keyword.to_uppercase());
            let text = text.replace("{s}", &secret);
            let secret = unpaired(&rule.id, password_of(&secret));
            cases.push(Case { rule: rule.id.clone(), text, secret });
        }
    }
    cases
}

/// Deterministic, so that a figure can be seen again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % most.max(1)
    }

    /// A text the pattern matches, every character of a class as likely as another.
    fn draw(&mut self, pattern: &Hir, drawn: &mut String) {
        match pattern.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => drawn.push_str(&String::from_utf8_lossy(&literal.0)),
            HirKind::Class(Class::Bytes(class)) => {
                let visible = |byte: &u8| class.iter().any(|range| (range.start()..=range.end()).contains(byte));
                let bytes: Vec<u8> = (b' '..=b'~').filter(visible).collect();
                drawn.extend(bytes.get(self.below(bytes.len())).map(|byte| char::from(*byte)));
            }
            HirKind::Class(Class::Unicode(_)) => {}
            HirKind::Repetition(again) => {
                let most = again.max.unwrap_or(again.min + 8).max(again.min);
                let times = again.min as usize + self.below((most - again.min) as usize + 1);
                (0..times).for_each(|_| self.draw(&again.sub, drawn));
            }
            HirKind::Capture(group) => self.draw(&group.sub, drawn),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.draw(part, drawn)),
            HirKind::Alternation(ways) => {
                let way = self.below(ways.len());
                self.draw(&ways[way], drawn);
            }
        }
    }
}

fn entropy(value: &str) -> f64 {
    let mut counts: HashMap<char, usize> = HashMap::new();
    value.chars().for_each(|character| *counts.entry(character).or_default() += 1);
    let total = value.chars().count() as f64;
    counts.values().map(|count| *count as f64 / total).map(|share| -share * share.log2()).sum()
}

/// The true examples gitleaks writes out in its rules' sources, as far as they are plain literals.
fn gitleaks_written(place: &Path, rules: &[Pattern]) -> Result<Vec<Case>, Failure> {
    let rule_id = Regex::new(r#"RuleID:\s*"([^"]+)""#)?;
    let literal = Regex::new(r#"(?m)^\s*(?:`([^`]+)`|"((?:[^"\\\n]|\\.)+)"),\s*(?://.*)?$"#)?;
    let mut cases = Vec::new();
    for path in files(&place.join("cmd/generate/config/rules")) {
        let source = fs::read_to_string(&path)?;
        let starts: Vec<_> = rule_id
            .captures_iter(&source)
            .filter_map(|found| Some((found.get(0)?.start(), found.get(1)?.as_str())))
            .collect();
        for (at, (start, id)) in starts.iter().enumerate() {
            let until = starts.get(at + 1).map_or(source.len(), |next| next.0);
            let function = &source[*start..until];
            let Some(first) = function.find("tps := []string{") else { continue };
            let block = &function[first..];
            let block = &block[..block.find("\n\t}").unwrap_or(block.len())];
            let Some(rule) = rules.iter().find(|rule| rule.id == *id) else { continue };
            for found in literal.captures_iter(block) {
                let text = match (found.get(1), found.get(2)) {
                    (Some(raw), _) => raw.as_str().to_owned(),
                    (_, Some(quoted)) => unescaped(quoted.as_str()),
                    _ => continue,
                };
                let Some(secret) = secret_of(&rule.compiled, rule.group, &text, false) else { continue };
                let secret = unpaired(id, &secret);
                cases.push(Case { rule: rule.id.clone(), text, secret });
            }
        }
    }
    Ok(cases)
}

/// `user:password`, where the rule takes both.
fn unpaired(rule: &str, secret: &str) -> String {
    let pair = matches!(rule, "curl-auth-user" | "sidekiq-sensitive-url" | "sidekiq-secret");
    let password = secret.rsplit_once(':').map_or(secret, |(_, password)| password);
    if pair { password.trim_matches(['"', '\'']).to_owned() } else { secret.to_owned() }
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\")
}

/// The examples beside each of kingfisher's rules; the rule's pattern says which part of them is the secret.
fn kingfisher(place: &Path) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    for path in files(&place.join("data/rules")) {
        for rule in yaml_rules(&fs::read_to_string(&path)?) {
            let field =
                |name: &'static str| rule.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str());
            let hidden = field("visible").any(|value| value == "false");
            let compiled = field("pattern").next().and_then(|pattern| Regex::new(pattern).ok());
            let (Some(pattern), Some(id), false) = (compiled, field("id").next(), hidden) else { continue };
            let least = field("min_entropy").next().and_then(|bits| bits.parse().ok()).unwrap_or(0.0);
            for text in field("examples") {
                // An example below the rule's own measure is one kingfisher itself would not report.
                let Some(secret) = secret_of(&pattern, 0, text, true).filter(|secret| entropy(secret) >= least) else {
                    continue;
                };
                cases.push(Case { rule: id.to_owned(), text: text.to_owned(), secret });
            }
        }
    }
    Ok(cases)
}

/// Every entry of a rule file as its fields; lists give a field each.
fn yaml_rules(text: &str) -> Vec<Vec<(String, String)>> {
    let (mut rules, mut keys, mut depth) = (Vec::new(), vec![None::<String>; 64], 0_usize);
    const RULE: usize = 3;
    let mut lists = [false; 64];
    for (event, _) in Parser::new_from_str(text).map_while(Result::ok) {
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                depth += 1;
                (keys[depth], lists[depth]) = (None, matches!(event, Event::SequenceStart(..)));
                if depth == RULE {
                    rules.push(Vec::new());
                }
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth -= 1;
                keys[depth] = None;
            }
            Event::Scalar(value, ..) if !lists[depth] && keys[depth].is_none() => {
                keys[depth] = Some(value.into_owned())
            }
            Event::Scalar(value, ..) => {
                let key = if lists[depth] { keys[depth.saturating_sub(1)].clone() } else { keys[depth].take() };
                if let (Some(rule), Some(key), true) =
                    (rules.last_mut(), key, depth == RULE || depth == RULE + 1 && lists[depth])
                {
                    rule.push((key, value.into_owned()));
                }
            }
            _ => {}
        }
    }
    rules
}

/// What CredSweeper's own tests expect it to find: a line with the one before it, a key from its first line to its last.
fn credsweeper(place: &Path) -> Result<Vec<Case>, Failure> {
    let found: serde_json::Value = serde_json::from_str(&fs::read_to_string(place.join("tests/data/output.json"))?)?;
    let mut cases = Vec::new();
    for entry in found.as_array().into_iter().flatten() {
        let parts = entry["line_data_list"].as_array().map_or(&[][..], Vec::as_slice);
        let number = |part: &serde_json::Value| Some(part["line_num"].as_u64()?.checked_sub(1)? as usize);
        let (Some(first), Some(last)) = (parts.first().and_then(number), parts.last().and_then(number)) else {
            continue;
        };
        let told = &parts[parts.len() / 2];
        let (Some(secret), Some(path)) = (told["value"].as_str(), told["path"].as_str()) else { continue };
        let Ok(source) = fs::read_to_string(place.join(path)) else { continue };
        let lines: Vec<&str> = source.lines().collect();
        let text = lines.get(first.saturating_sub(1)..=last).unwrap_or_default().join("\n");
        let rule = entry["rule"].as_str().unwrap_or_default();
        // What was found inside an archive or an encoding is no matter of rules.
        if matches!(entry["severity"].as_str(), Some("high" | "medium")) && text.contains(secret) && secret.len() > 3 {
            cases.push(Case { rule: format!("{rule}@{path}"), text, secret: secret.to_owned() });
        }
    }
    Ok(cases)
}

fn files(place: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The lines of ordinary code in which something was taken for a secret; addresses of people are no secrets here.
fn false_alarms(redactor: &Redactor, place: &Path, show: bool) {
    let (mut lines, mut altered, mut bytes, mut seconds) = (0, 0, 0, 0.0);
    for path in files(place) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let began = Instant::now();
        let redacted = redactor.redact(&text);
        seconds += began.elapsed().as_secs_f64();
        bytes += text.len();
        lines += text.lines().count();
        for (now, before) in changed(&redacted.text, &text) {
            altered += 1;
            if show {
                println!("altered {}: {:?}\n     -> {:?}", path.display(), clip(before), clip(now));
            }
        }
    }
    let share = altered as f64 / f64::from(lines.max(1) as u32) * 100.0;
    let rate = bytes as f64 / 1e6 / seconds.max(1e-9);
    println!("code: {altered} of {lines} lines altered ({share:.3} %), {:.0} MB at {rate:.0} MB/s", bytes as f64 / 1e6);
}

/// Lines with a secret's replacement, and what seems to have stood there.
fn changed<'a>(now: &'a str, before: &'a str) -> Vec<(&'a str, &'a str)> {
    let personal = ["email", "card", "iban"];
    let told =
        |line: &str| line.split("[redacted:").skip(1).any(|rest| !personal.iter().any(|rule| rest.starts_with(rule)));
    let mut old = before.lines();
    let mut found = Vec::new();
    for line in now.lines().filter(|line| told(line)) {
        let begin = &line[..line.find("[redacted:").unwrap_or(0)];
        let Some(same) = old.by_ref().find(|old| old.starts_with(begin)) else { continue };
        if same != line {
            found.push((line, same));
        }
    }
    found
}
