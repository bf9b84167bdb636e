//! What a commit teaches: a fix that explains itself is a learning, a revert an anti-pattern, a choice with its reason
//! a decision.
//!
//! Most commits teach nothing that the history does not tell better, and give nothing. Pure: a commit in, drafts out;
//! the same commit gives the same drafts on every machine.

mod apparatus;
mod explain;
mod kind;
mod marks;
mod noise;
mod prose;
mod subject;
mod told;

pub use explain::{about, cause, explains, is_aside, is_revert, is_sweep, is_trouble, names, reason, tells};
pub use kind::{CommitKind, kind_of};
pub use told::as_memory;

use crate::model::{AntiPattern, Body, Commit, Draft, Kind, Learning, MemoryId, Source, Timestamp, render};
use marks::Spaced;
use prose::Prose;
use subject::Subject;

/// A commit that touches more is a sweep: what it says of one file is little.
const MOST_FILES: usize = 100;
const MOST_ANCHORS: usize = 12;
const MOST_TITLE_CHARS: usize = 120;
/// Of each part of a memory: cause, fix, reason.
const MOST_PART_CHARS: usize = 600;
/// A body of fewer words explains no fix.
const EXPLAINING_WORDS: usize = 12;

/// Was it made by a program?
pub fn is_by_program(commit: &Commit) -> bool {
    noise::by_program(commit)
}

/// At most one draft of each kind, with ids made from the commit's.
pub fn learn(commit: &Commit) -> Vec<Draft> {
    if commit.is_merge() || commit.files.len() > MOST_FILES || noise::by_program(commit) {
        return Vec::new();
    }
    let subject = Subject::parse(&commit.subject);
    if noise::says_nothing(&subject) || commit.id.len() < 12 {
        return Vec::new();
    }
    let prose = Prose::parse(&commit.body);
    let learnt = match kind::classify(commit, &subject) {
        CommitKind::Revert => [revert(commit, &subject, &prose), None],
        CommitKind::Fix => [fix(commit, &subject, &prose), breaking(commit, &subject, &prose)],
        CommitKind::Merge | CommitKind::Docs => [breaking(commit, &subject, &prose), None],
        CommitKind::Test => [None, None],
        CommitKind::Feature | CommitKind::Refactor | CommitKind::Chore | CommitKind::Other => {
            [decision(commit, &subject, &prose), None]
        }
    };
    learnt.into_iter().flatten().collect()
}

/// Error, cause and fix. Without an explanation the subject has to name the trouble by itself.
fn fix(commit: &Commit, subject: &Subject<'_>, prose: &Prose) -> Option<Draft> {
    if noise::is_trivial_fix(subject) || only_documents(commit) {
        return None;
    }
    let told: Vec<(&str, Spaced)> = prose.sentences().map(|text| (text, Spaced::new(text))).collect();
    let explained = prose.words() >= EXPLAINING_WORDS
        && (marks::is_troubled(&Spaced::new(subject.text)) || told.iter().any(|(_, spaced)| marks::explains(spaced)));
    if !explained && (noise::is_about_tests(subject) || !marks::names_trouble(&Spaced::new(subject.text))) {
        return None;
    }
    let (cause, remedy) = cause_and_remedy(&told);
    let body = Learning { error: title(subject), cause, fix: remedy, fingerprint: String::new() };
    let importance = if explained { 0.45 } else { 0.3 };
    Some(draft(commit, subject, Kind::Learning, Body::Learning(Box::new(body)), importance))
}

/// People tell the trouble first and what they did about it behind, or the other way round; the order of the sentences
/// is theirs either way.
fn cause_and_remedy(told: &[(&str, Spaced)]) -> (String, String) {
    let texts = |part: &[(&str, Spaced)]| join(part.iter().take(4).map(|(text, _)| *text));
    let remedy = told.iter().position(|(_, spaced)| marks::tells_remedy(spaced));
    let cause = told.iter().position(|(_, spaced)| marks::tells_cause(spaced));
    match (cause, remedy) {
        (_, Some(at)) if at > 0 => (texts(&told[..at]), texts(&told[at..])),
        (Some(at), Some(_)) if at > 0 => (texts(&told[at..]), texts(&told[..at])),
        (Some(_), None) => (texts(told), String::new()),
        _ => (String::new(), texts(told)),
    }
}

/// What was tried and taken back. Taking back a revert is no news.
fn revert(commit: &Commit, subject: &Subject<'_>, prose: &Prose) -> Option<Draft> {
    let reverted = subject::reverted(&commit.subject).unwrap_or(subject.text);
    let inner = Subject::parse(reverted);
    if subject::reverted(reverted).is_some() || noise::says_nothing(&inner) || noise::is_trivial_fix(&inner) {
        return None;
    }
    let reason = prose.sentences().filter(|sentence| !sentence.starts_with("This reverts"));
    let reason = join(reason.take(4));
    let is_slight = inner.text.split_whitespace().count() < 4 || noise::is_about_tests(&inner) || only_aside(commit);
    if reason.is_empty() && is_slight {
        return None;
    }
    let (why, importance) =
        if reason.is_empty() { ("it was reverted, and nobody wrote why".to_owned(), 0.25) } else { (reason, 0.55) };
    let body = AntiPattern {
        what_fails: title(&inner),
        why,
        prevention: String::new(),
        learnt_from: format!("commit {}", &commit.id[..12]),
    };
    let mut learnt = draft(commit, subject, Kind::AntiPattern, Body::AntiPattern(Box::new(body)), importance);
    learnt.title = shorten(&format!("Reverted: {}", title(&inner)), MOST_TITLE_CHARS);
    learnt.commits.extend(prose::reverted_commit(&commit.body).map(str::to_owned));
    learnt.commits.dedup();
    Some(learnt)
}

/// The sentences that choose, and those that say why. One without the other is no decision anybody could use.
fn decision(commit: &Commit, subject: &Subject<'_>, prose: &Prose) -> Option<Draft> {
    if let Some(broken) = breaking(commit, subject, prose) {
        return Some(broken);
    }
    if !prose.explains() || only_aside(commit) {
        return None;
    }
    let told: Vec<(&str, Spaced)> = prose.sentences().map(|text| (text, Spaced::new(text))).collect();
    let choices = places(&told, marks::chooses);
    let reasons = places(&told, marks::reasons);
    let decided = told.iter().any(|(_, spaced)| marks::decides(spaced));
    let chosen = !choices.is_empty() || marks::chooses(&Spaced::new(subject.text));
    if !(decided || (chosen && !reasons.is_empty())) {
        return None;
    }
    let choices = with_context(&told, &choices, &[]);
    let reasons = with_context(&told, &reasons, &choices);
    let texts = |places: &[usize]| join(places.iter().map(|at| told[*at].0));
    Some(decided_draft(commit, subject, &texts(&choices), &texts(&reasons), 0.5))
}

fn places(told: &[(&str, Spaced)], is_wanted: impl Fn(&Spaced) -> bool) -> Vec<usize> {
    (0..told.len()).filter(|at| is_wanted(&told[*at].1)).collect()
}

/// The first few, each with the sentence before it where it leans on that one, without those already told.
fn with_context(told: &[(&str, Spaced)], places: &[usize], told_already: &[usize]) -> Vec<usize> {
    let mut wanted = Vec::new();
    for at in places.iter().filter(|at| !told_already.contains(at)).take(3) {
        if *at > 0 && marks::leans(&told[*at].1) {
            wanted.push(at - 1);
        }
        wanted.push(*at);
    }
    wanted.retain(|at| !told_already.contains(at));
    wanted.dedup();
    wanted
}

/// What the author declared to break its users.
fn breaking(commit: &Commit, subject: &Subject<'_>, prose: &Prose) -> Option<Draft> {
    let declared = prose::breaking_change(&commit.body);
    if declared.is_none() && !(subject.breaking && prose.explains()) {
        return None;
    }
    let declared = declared.map(|text| join(prose::sentences_of(&text).iter().map(String::as_str).take(4)));
    let why = join(prose.sentences().filter(|text| marks::reasons(&Spaced::new(text))).take(2));
    let text = match declared {
        Some(declared) => format!("Breaking change: {declared}"),
        None => join(prose.sentences().take(2)),
    };
    let why = if text.contains(&why) { String::new() } else { why };
    let mut learnt = decided_draft(commit, subject, &text, &why, 0.6);
    learnt.tags.push("breaking".to_owned());
    Some(learnt)
}

fn decided_draft(commit: &Commit, subject: &Subject<'_>, text: &str, rationale: &str, importance: f64) -> Draft {
    let mut learnt = draft(commit, subject, Kind::Decision, Body::None, importance);
    let mut lines = vec![title(subject)];
    lines.extend((!text.is_empty()).then(|| text.to_owned()));
    lines.extend((!rationale.is_empty()).then(|| format!("why: {rationale}")));
    learnt.text = lines.join("\n");
    learnt
}

fn draft(commit: &Commit, subject: &Subject<'_>, kind: Kind, body: Body, importance: f64) -> Draft {
    let at = Timestamp::from_micros(commit.time.saturating_mul(crate::model::time::SECOND));
    let scope = subject.scope.map(str::to_lowercase).filter(|scope| scope != "git");
    Draft {
        id: MemoryId::new(&format!("{}-git-{}", kind.id_prefix(), &commit.id[..12])),
        title: title(subject),
        tags: ["git".to_owned()].into_iter().chain(scope).collect(),
        files: anchors(commit),
        commits: vec![commit.id.clone()],
        importance: Some(importance),
        confidence: Some(0.7),
        timestamp: Some(at),
        // Mined again, or on another machine, it is the same record; what a person changed since is newer.
        updated_at: Some(at),
        source: Some(Source::Git),
        actor: Some(commit.author_name.clone()).filter(|name| !name.is_empty()),
        text: render::text_of(&body),
        body,
        ..Draft::new(kind, "")
    }
}

/// Where the work was done first; what every change touches says nothing, and tests follow what they test.
fn anchors(commit: &Commit) -> Vec<String> {
    let mut paths: Vec<&str> =
        commit.files.iter().map(|file| file.path.as_str()).filter(|path| !noise::is_bookkeeping(path)).collect();
    paths.sort_by_key(|path| (noise::is_test(path) || noise::is_document(path), *path));
    paths.into_iter().take(MOST_ANCHORS).map(str::to_owned).collect()
}

fn only_documents(commit: &Commit) -> bool {
    !commit.files.is_empty() && commit.files.iter().all(|file| noise::is_document(&file.path))
}

/// Nothing of the program itself changed.
fn only_aside(commit: &Commit) -> bool {
    let is_aside = |path: &str| noise::is_test(path) || noise::is_document(path) || path.starts_with("examples/");
    !commit.files.is_empty() && commit.files.iter().all(|file| is_aside(&file.path))
}

fn title(subject: &Subject<'_>) -> String {
    shorten(subject.text, MOST_TITLE_CHARS)
}

/// Whole sentences, as many as fit; a first one that alone is too long is cut.
fn join<'a>(sentences: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if text.is_empty() {
            text = shorten(sentence, MOST_PART_CHARS);
        } else if text.len() + sentence.len() < MOST_PART_CHARS {
            // Items of a list seldom end with anything.
            text.push_str(if text.ends_with(|c: char| c.is_alphanumeric() || c == '`') { "; " } else { " " });
            text.push_str(sentence);
        } else {
            break;
        }
    }
    text
}

fn shorten(text: &str, most: usize) -> String {
    let Some((limit, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let head = &text[..limit];
    let end = head.rfind(char::is_whitespace).filter(|at| at * 2 > limit).unwrap_or(limit);
    format!("{}…", head[..end].trim_end())
}

#[cfg(test)]
mod tests;
