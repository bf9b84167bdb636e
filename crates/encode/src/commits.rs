//! What a commit teaches: a fix that explains itself is a learning, a revert with its reason an anti-pattern, a choice
//! with its reason a decision.
//!
//! Most commits teach nothing unasked, and give nothing: every one of them can be searched for. Pure: a commit in, drafts
//! out; the same commit gives the same drafts on every machine.

mod apparatus;
mod explain;
mod kind;
mod marks;
mod noise;
mod prose;
mod subject;
mod told;
mod undone;

pub use explain::{
    about, cause, explains, is_about, is_revert, is_sweep, is_trouble, mended, mends, names, reason, tells,
};
pub use kind::{CommitKind, kind_of};
pub use told::as_memory;
pub use undone::{landed_again, stands_today};

use std::collections::BTreeSet;

use lokid_model::{AntiPattern, Body, Commit, Draft, Kind, Learning, MemoryId, Source, Timestamp, render};
use marks::Spaced;
use prose::Prose;
use subject::Subject;

/// A commit that touches more is a sweep: what it says of one file is little.
const MOST_FILES: usize = 60;
const MOST_ANCHORS: usize = 12;
const MOST_TITLE_CHARS: usize = 120;
/// Of each part of a memory: cause, fix, reason.
const MOST_PART_CHARS: usize = 420;
/// Fewer words explain nothing.
const EXPLAINING_WORDS: usize = 12;
/// So many of them must not stand in the subject already.
const NEW_WORDS: usize = 6;

/// A sentence, and its words as they are looked for.
type Told<'a> = (&'a str, Spaced);

/// Was it made by a program?
pub fn is_by_program(commit: &Commit) -> bool {
    noise::by_program(commit)
}

/// At most one draft, with an id made from the commit's.
pub fn learn(commit: &Commit) -> Vec<Draft> {
    learnt(commit).into_iter().collect()
}

fn learnt(commit: &Commit) -> Option<Draft> {
    if commit.is_merge() || commit.id.len() < 12 || commit.files.len() > MOST_FILES || noise::by_program(commit) {
        return None;
    }
    let subject = Subject::parse(&commit.subject);
    if noise::says_nothing(&subject) || only_aside(commit) {
        return None;
    }
    let prose = Prose::parse(&commit.body);
    let told: Vec<Vec<Told<'_>>> = prose
        .paragraphs
        .iter()
        .map(|paragraph| paragraph.iter().map(|text| (text.as_str(), Spaced::new(text))).collect())
        .collect();
    match kind::classify(commit, &subject) {
        CommitKind::Revert => revert(commit, &told),
        CommitKind::Fix => fix(commit, &subject, &told),
        CommitKind::Feature | CommitKind::Refactor | CommitKind::Chore | CommitKind::Other => {
            decision(commit, &subject, &told)
        }
        CommitKind::Merge | CommitKind::Docs | CommitKind::Test => None,
    }
}

/// Error, cause and fix, where the message states the cause.
fn fix(commit: &Commit, subject: &Subject<'_>, told: &[Vec<Told<'_>>]) -> Option<Draft> {
    if noise::is_trivial_fix(subject) || noise::is_about_tests(subject) {
        return None;
    }
    let (cause, remedy) = (0..told.len()).find_map(|at| cause_and_remedy(&Spaced::new(subject.text), told, at))?;
    let body = Learning { error: title(subject), cause, fix: remedy, fingerprint: String::new() };
    Some(draft(commit, subject, Kind::Learning, Body::Learning(Box::new(body)), 0.45))
}

/// Of one paragraph, in the order of its author. What was done may stand behind the trouble, or fill the next paragraph
/// if that refers back.
fn cause_and_remedy(subject: &Spaced, told: &[Vec<Told<'_>>], at: usize) -> Option<(String, String)> {
    let paragraph = &told[at];
    let is_cause = |spaced: &Spaced| marks::tells_cause(spaced) && !marks::tells_remedy(spaced);
    let cause = paragraph.iter().position(|(_, spaced)| is_cause(spaced))?;
    // It may lean on a sentence that was left out.
    let leans = paragraph.first().is_some_and(|(_, first)| marks::leans(first) || (at > 0 && first.has("also")));
    if leans || paragraph.iter().any(|(_, spaced)| marks::hedges(spaced)) {
        return None;
    }
    let remedy = paragraph.iter().rposition(|(_, spaced)| !marks::tells_remedy(spaced)).map_or(0, |last| last + 1);
    let next = || told.get(at + 1).filter(|next| next.first().is_some_and(|(_, said)| marks::refers_back(said)));
    let (cause, remedy) = if remedy > cause && remedy < paragraph.len() {
        (&paragraph[..remedy], join(&paragraph[remedy..]))
    } else {
        (&paragraph[..], next().map(|next| join(next)).unwrap_or_default())
    };
    let news: BTreeSet<&str> =
        cause.iter().flat_map(|(_, said)| said.words()).filter(|word| !subject.has(word)).collect();
    // "This commit fixes that." says nothing.
    let remedy = if remedy.split_whitespace().count() < NEW_WORDS { String::new() } else { remedy };
    let words: usize = cause.iter().map(|(_, said)| said.words().count()).sum();
    (news.len() >= NEW_WORDS && words >= EXPLAINING_WORDS).then(|| (join(cause), remedy))
}

/// What was tried and taken back, and why. Taking back a revert is no news, and without a reason it is none either.
fn revert(commit: &Commit, told: &[Vec<Told<'_>>]) -> Option<Draft> {
    let inner = Subject::parse(subject::reverted(&commit.subject)?);
    let versions = Spaced::new(inner.text).starts_with_any("upgrade, downgrade, update, pin, unpin");
    let slight =
        noise::says_nothing(&inner) || noise::is_trivial_fix(&inner) || noise::is_about_tests(&inner) || versions;
    if slight || subject::reverted(inner.text).is_some() || inner.text.split_whitespace().count() < 3 {
        return None;
    }
    let is_reason = |said: &Spaced| marks::reasons(said) || marks::tells_cause(said) || marks::is_troubled(said);
    let stated = told.iter().find(|paragraph| paragraph.iter().any(|(_, said)| is_reason(said)));
    let words = |paragraph: &[Told<'_>]| paragraph.iter().map(|(_, said)| said.words().count()).sum::<usize>();
    // Whoever writes more than the form asks for says why.
    let reason = stated.or_else(|| told.iter().find(|paragraph| words(paragraph) >= EXPLAINING_WORDS))?;
    if words(reason) < NEW_WORDS || reason.iter().any(|(_, said)| marks::postpones(said)) {
        return None;
    }
    let reason = join(reason);
    let reverted = prose::reverted_commit(&commit.body);
    let tried = reverted.map_or_else(String::new, |id| format!(" in {}", &id[..id.len().min(9)]));
    let what = title(&inner).trim_end_matches(['.', ':']).to_owned();
    let opens = if marks::commands(&what) {
        format!("Do not {}: it was tried{tried}", lower_first(&what))
    } else {
        format!("\u{201c}{what}\u{201d} was tried{tried}")
    };
    let text = format!("{opens} and reverted in {}. Why: {reason}", &commit.id[..9]);
    let body = AntiPattern {
        what_fails: what,
        why: reason,
        prevention: String::new(),
        learnt_from: format!("commit {}", &commit.id[..12]),
    };
    let mut learnt = draft(commit, &inner, Kind::AntiPattern, Body::AntiPattern(Box::new(body)), 0.55);
    learnt.title = shorten(&format!("Reverted: {}", title(&inner)), MOST_TITLE_CHARS);
    learnt.text = text;
    learnt.commits.extend(reverted.map(str::to_owned));
    Some(learnt)
}

/// A paragraph that says it chooses and says why, or that says why of what the subject chooses. One without the other is
/// no decision anybody could use.
fn decision(commit: &Commit, subject: &Subject<'_>, told: &[Vec<Told<'_>>]) -> Option<Draft> {
    if noise::is_about_tests(subject) {
        return None;
    }
    let broken = prose::breaking_change(&commit.body);
    let spaced = Spaced::new(subject.text);
    let chosen = broken.is_some() || marks::chooses(&spaced);
    let why = told.iter().find_map(|paragraph| {
        let reason = paragraph.iter().position(|(_, said)| marks::reasons(said))?;
        let choice = paragraph.iter().position(|(_, said)| marks::decides(said));
        let by_subject = || (chosen && marks::share_words(&spaced, &paragraph[reason].1)).then_some(reason);
        let choice = choice.or_else(by_subject)?;
        let first = choice.min(reason);
        let first = if first > 0 && marks::leans(&paragraph[first].1) { first - 1 } else { first };
        let run = &paragraph[first..=choice.max(reason)];
        let sure = !run.iter().any(|(_, said)| marks::hedges(said)) && !marks::leans(&run[0].1);
        sure.then(|| join(run))
    })?;
    if why.split_whitespace().count() < EXPLAINING_WORDS {
        return None;
    }
    let mut learnt = draft(commit, subject, Kind::Decision, Body::None, if broken.is_some() { 0.6 } else { 0.5 });
    let mut lines = vec![title(subject)];
    if let Some(broken) = broken {
        lines.push(format!("Breaking change: {}", shorten(&broken, MOST_PART_CHARS)));
        learnt.tags.push("breaking".to_owned());
    }
    lines.push(format!("why: {why}"));
    learnt.text = lines.join("\n");
    Some(learnt)
}

fn draft(commit: &Commit, subject: &Subject<'_>, kind: Kind, body: Body, importance: f64) -> Draft {
    let at = Timestamp::from_micros(commit.time.saturating_mul(lokid_model::time::SECOND));
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
    paths.sort_by_key(|path| (noise::is_aside(path), *path));
    paths.into_iter().take(MOST_ANCHORS).map(str::to_owned).collect()
}

/// Nothing of the program itself changed.
fn only_aside(commit: &Commit) -> bool {
    !commit.files.is_empty() && commit.files.iter().all(|file| noise::is_aside(&file.path))
}

fn title(subject: &Subject<'_>) -> String {
    shorten(subject.text, MOST_TITLE_CHARS)
}

/// Whole sentences, as many as fit, and a mark where some did not.
fn join(sentences: &[Told<'_>]) -> String {
    let mut text = String::new();
    for (sentence, _) in sentences {
        if text.is_empty() {
            text = shorten(sentence, MOST_PART_CHARS);
        } else if text.len() + sentence.len() < MOST_PART_CHARS {
            text.push(' ');
            text.push_str(sentence);
        } else {
            text.push_str(" …");
            break;
        }
    }
    text
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_lowercase().collect::<String>()).unwrap_or_default();
    first + characters.as_str()
}

fn shorten(text: &str, most: usize) -> String {
    let Some((limit, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let head = &text[..limit];
    let end = head.rfind(char::is_whitespace).filter(|at| at * 2 > limit).unwrap_or(limit);
    format!("{}…", head[..end].trim_end())
}

#[cfg(test)]
mod tests;
