//! What a headline is about, when neither files nor tags say so: one of the concerns every project has, or the word
//! that stands out. A fixed list and a fixed rule, so that the same headline always has the same topic.

use std::sync::LazyLock;

use crate::analyze;

/// Each concern with the words that speak of it. Words that mean several things are left out; an `s` at the end is
/// looked through.
const CONCERNS: &[(&str, &str)] = &[
    ("api", "api endpoint graphql grpc openapi webhook"),
    ("auth", "auth authentication authorization credential jwt login logout oauth password permission signin sso"),
    ("build", "build bundler cmake compilation gradle linker makefile maven webpack"),
    ("cache", "cache caching memoization ttl"),
    ("ci", "ci pipeline"),
    ("concurrency", "async concurrency deadlock mutex semaphore thread threading"),
    ("config", "config configuration dotenv setting"),
    ("database", "database db migration mongodb mysql orm postgres postgresql sql sqlite"),
    ("dependencies", "dependencies dependency lockfile vendoring"),
    ("deploy", "container deploy deployment docker helm kubernetes production rollback rollout staging terraform"),
    ("docs", "changelog docstring documentation readme"),
    ("email", "email mailer smtp"),
    ("git", "branch commit git gitignore merge rebase"),
    ("i18n", "i18n internationalization locale localization translation"),
    ("logging", "alerting log logger logging metric monitoring observability telemetry tracing"),
    ("network", "dns firewall http https network proxy socket tcp timeout tls websocket"),
    ("payments", "billing checkout invoice payment stripe subscription"),
    ("performance", "benchmark latency optimization performance profiling slow throughput"),
    ("release", "publish release semver versioning"),
    ("security", "csrf encryption sandbox sanitization secret security vulnerabilities vulnerability xss"),
    ("storage", "backup bucket s3 storage upload"),
    ("style", "clippy eslint formatter formatting indentation lint linter prettier rustfmt tab"),
    ("tests", "coverage fixture flaky jest mock pytest test testing vitest"),
    ("ui", "accessibility button css frontend modal navbar stylesheet tailwind ui ux"),
];

/// Words of five letters and more that say little about what a text is about.
const IDLE: &str = "about above added adding after again allow allowed always anything avoid because become before \
    behind being below better between broken called calling cannot cause change changed check choose chose correct \
    could create decided default during either ensure error errors every everything exactly except existing failed \
    failing fails false first fixed follow forget found handle handled handling having inside instead issue itself \
    keeps learned learnt makes making might missing moved needed needs never nothing other outside prefer problem \
    project properly rather really remember remove removed replace replaced return returned returns right should \
    since something still support their there these thing things think those through until update updated using \
    value values wants where whether which while within without works would write wrong";

/// What a known word tells.
#[derive(Clone, Copy)]
enum Told {
    Concern(&'static str),
    Nothing,
}

/// By the hash of the word, in order: every memory without files and tags is looked up word by word.
static KNOWN: LazyLock<Vec<(u64, Told)>> = LazyLock::new(|| {
    let concerns = CONCERNS.iter().flat_map(|(name, words)| {
        words.split_ascii_whitespace().map(|word| (analyze::hash(word), Told::Concern(name)))
    });
    let idle = IDLE.split_ascii_whitespace().map(|word| (analyze::hash(word), Told::Nothing));
    let mut known: Vec<(u64, Told)> = concerns.chain(idle).collect();
    known.sort_by_key(|(hash, _)| *hash);
    known
});

/// What comes later in a headline is detail.
const MOST_WORDS: usize = 16;
const SHORTEST: usize = 5;
/// Longer is data, not a word.
const LONGEST: usize = 24;

/// What a headline is about.
#[derive(Debug, PartialEq)]
pub(super) enum Subject {
    /// The concern that is spoken of first.
    Concern(&'static str),
    /// A name inside the sentence, else the longest word, the first of several.
    Word(String),
    Unknown,
}

pub(super) fn of(headline: &str) -> Subject {
    let (mut name, mut longest): (Option<String>, Option<(usize, String)>) = (None, None);
    let mut lower = String::new();
    let is_inside = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words = headline.split(|letter| !is_inside(letter)).filter(|word| !word.is_empty());
    for (at, word) in words.take(MOST_WORDS).enumerate() {
        // In bytes: four make a letter at most.
        if !(2..=4 * LONGEST).contains(&word.len()) {
            continue;
        }
        lower.clear();
        if word.is_ascii() {
            lower.push_str(word);
            lower.make_ascii_lowercase();
        } else {
            lower.extend(word.chars().flat_map(char::to_lowercase));
        }
        match known(&lower) {
            Some(Told::Concern(concern)) => return Subject::Concern(concern),
            Some(Told::Nothing) => continue,
            None => {}
        }
        let length = word.chars().count();
        let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
        if name.is_some() || !(SHORTEST..=LONGEST).contains(&length) || letters * 2 <= length {
            continue;
        }
        if at > 0 && (word.contains('_') || word.chars().any(char::is_uppercase)) {
            name = Some(singular(&lower).to_owned());
        } else if longest.as_ref().is_none_or(|(known, _)| length > *known) {
            longest = Some((length, singular(&lower).to_owned()));
        }
    }
    name.or(longest.map(|(_, word)| word)).map_or(Subject::Unknown, Subject::Word)
}

fn known(word: &str) -> Option<Told> {
    let look_up = |word: &str| {
        let found = KNOWN.binary_search_by_key(&analyze::hash(word), |(hash, _)| *hash);
        found.ok().map(|at| KNOWN[at].1)
    };
    let single = singular(word);
    look_up(word).or_else(|| if single.len() < word.len() { look_up(single) } else { None })
}

/// `migrations` and `migration` are one topic; `class` and `status` stay.
fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(rest) if rest.len() > 2 && !rest.ends_with(['s', 'u', 'i']) => rest,
        _ => word,
    }
}
