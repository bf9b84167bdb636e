//! What becomes of the news: decisions, learnings and blockers are remembered, tasks become episodes when they tell
//! something and signals in any case. It asks for nothing above the reference tier, because the file is anybody's.

use super::news::News;
use super::{Learning, Statement};
use crate::excerpt::plain_words;
use lokid_model::{Body, Draft, Episode, Kind, MemoryId, Outcome, Signal, SignalKind, Source, Tier, Timestamp};

const FILE: &str = "CONTINUITY.md";
const TAG: &str = "continuity";
/// Fewer words than these tell that something was done, not what.
const SUBSTANCE: usize = 6;
const MOST_FILES: usize = 20;

/// The memories that news asks for. The same news gives the same drafts; only episodes carry an id and a time, and an
/// episode whose id is taken has been told before.
pub fn drafts(news: &News, now: Timestamp) -> Vec<Draft> {
    let mut drafts = Vec::new();
    drafts.extend(news.decisions.iter().map(decision));
    drafts.extend(news.learnings.iter().map(learning));
    drafts.extend(
        news.blockers_raised
            .iter()
            .map(|text| Draft { tags: vec![TAG.to_owned(), "blocker".to_owned()], ..draft(Kind::Note, text.clone()) }),
    );
    drafts.extend(news.completed.iter().filter(|text| tells_something(text)).map(|text| episode(text, now)));
    drafts
}

/// The hints that news gives about the work at hand.
pub fn signals(news: &News, now: Timestamp) -> Vec<Signal> {
    let mut signals = Vec::new();
    if let (Some(_), Some(phase)) = (&news.phase_was, &news.phase) {
        signals.push(Signal { text: Some(phase.clone()), ..Signal::new(now, SignalKind::PhaseChange) });
    }
    signals.extend(news.completed.iter().chain(&news.commits).map(|task| Signal {
        goal: Some(task.clone()),
        outcome: Some(Outcome::Success),
        ..Signal::new(now, SignalKind::TaskComplete)
    }));
    // Behind what was completed, which ends the goal before.
    if let Some(focus) = news.focus.as_ref().filter(|_| news.focus_is_new) {
        signals.push(Signal { goal: Some(focus.clone()), ..Signal::new(now, SignalKind::TaskStart) });
    }
    signals
}

impl News {
    /// Text before and after of every memory that an edit revised, as [`drafts`] writes them: the first of each pair
    /// is superseded by the second.
    pub fn revised(&self) -> Vec<(String, String)> {
        let decisions = self.decisions.iter().filter_map(|new| Some((new.revised.as_deref()?, new)));
        let learnings = self.learnings.iter().filter_map(|new| Some((new.revised.as_deref()?, new)));
        decisions
            .map(|(old, new)| (decision(old).text, decision(new).text))
            .chain(learnings.map(|(old, new)| (learning(old).text, learning(new).text)))
            .collect()
    }
}

fn draft(kind: Kind, text: String) -> Draft {
    Draft {
        tier: Some(Tier::Reference),
        tags: vec![TAG.to_owned()],
        files: files_in(&text),
        source: Some(Source::Agent),
        sources: vec![FILE.to_owned()],
        ..Draft::new(kind, text)
    }
}

fn decision(statement: &Statement) -> Draft {
    let text = match &statement.rationale {
        Some(rationale) => format!("{}\nrationale: {rationale}", statement.text),
        None => statement.text.clone(),
    };
    draft(Kind::Decision, text)
}

fn learning(learning: &Learning) -> Draft {
    let body = lokid_model::Learning {
        error: learning.error.clone(),
        cause: learning.cause.clone(),
        fix: learning.fix.clone(),
        fingerprint: String::new(),
    };
    Draft { body: Body::Learning(Box::new(body)), ..draft(Kind::Learning, learning.text.clone()) }
}

/// A task tells something when it says what was done, and where: a file or a commit.
fn tells_something(text: &str) -> bool {
    plain_words(text).len() >= SUBSTANCE && (!files_in(text).is_empty() || commit_in(text).is_some())
}

fn episode(text: &str, now: Timestamp) -> Draft {
    let files = files_in(text);
    let commit = commit_in(text);
    let name = blake3::hash(format!("{TAG}\n{}", plain_words(text).join(" ")).as_bytes()).to_hex();
    let body =
        Episode { goal: text.to_owned(), files_modified: files, git_commit: commit.clone(), ..Episode::default() };
    Draft {
        id: MemoryId::new(&format!("ep-{}", &name[..12])),
        commits: commit.into_iter().collect(),
        timestamp: Some(now),
        outcome: Some(Outcome::Success),
        body: Body::Episode(Box::new(body)),
        ..draft(Kind::Episode, text.to_owned())
    }
}

/// Words that look like files of the repository: a path, or a name with an extension.
fn files_in(text: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || "`'\"()[]<>,;|*".contains(c)) {
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        // A line number after a path is not part of it.
        let path = word.split(':').next().unwrap_or(word);
        let Some((stem, extension)) = path.rsplit_once('.') else { continue };
        let is_extension = (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.starts_with(|c: char| c.is_ascii_lowercase());
        let is_stem = !stem.is_empty()
            && stem.chars().all(|c| c.is_alphanumeric() || "._-/@+".contains(c))
            && stem.chars().any(char::is_alphabetic);
        let is_abbreviation = stem.len() == 1 && extension.len() == 1;
        let outside = word.contains("://") || path.starts_with('/') || path.contains("..");
        if is_extension && is_stem && !outside && !is_abbreviation && !files.iter().any(|file| file == path) {
            files.push(path.to_owned());
        }
        if files.len() == MOST_FILES {
            break;
        }
    }
    files
}

/// The hash behind the word "commit".
fn commit_in(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (_, after) = lower.split_once("commit")?;
    let word = after.split_whitespace().next().map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
    let first = word.filter(|word| !word.is_empty());
    let word = first.or_else(|| after.split_whitespace().nth(1))?.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_hash = (7..=40).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_commits_are_found_in_words() {
        let files = files_in(
            "Fixed `src/auth/login.ts:42` and config.toml (see https://a.b/c.html, e.g. v1.2.3, /etc/hosts.conf).",
        );
        assert_eq!(files, ["src/auth/login.ts", "config.toml"]);
        assert_eq!(commit_in("Task t-1 completed (commit: 0a1b2c3d)").as_deref(), Some("0a1b2c3d"));
        assert_eq!(commit_in("commit early"), None);
    }
}
