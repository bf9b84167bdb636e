//! A commit as it is shown to somebody who asks: title, reason, date, author and files, in the form of a memory that is
//! stored nowhere.

use super::{anchors, reason, shorten};
use lokid_model::{Commit, Kind, Memory, MemoryId, Source, Timestamp};

const MOST_TITLE: usize = 160;

/// Nothing for what has no id of its own.
pub fn as_memory(commit: &Commit) -> Option<Memory> {
    let id = MemoryId::of_commit(&commit.id)?;
    let at = Timestamp::from_micros(commit.time.saturating_mul(lokid_model::time::SECOND));
    let body = commit.body.trim();
    let text = if body.is_empty() { commit.subject.clone() } else { format!("{}\n\n{body}", commit.subject) };
    let mut memory = Memory::new(id, Kind::Note, text, at);
    memory.title = shorten(&commit.subject, MOST_TITLE);
    let reason = reason(commit);
    let told = if reason.is_empty() { memory.title.clone() } else { format!("{}: {reason}", memory.title) };
    memory.shorter.compressed = Some(shorten(&told, MOST_TITLE));
    memory.shorter.index = Some(memory.title.clone());
    memory.shorter.summary = Some(told);
    memory.tags = vec!["commit".to_owned()];
    memory.anchors.files = anchors(commit);
    memory.anchors.commits = vec![commit.id.clone()];
    memory.source = Source::Git;
    memory.actor = Some(commit.author_name.clone()).filter(|name| !name.is_empty());
    Some(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_told_with_its_reason_date_and_author() {
        let commit = Commit {
            id: "0123456789abcdef0123456789abcdef01234567".to_owned(),
            author_name: "Ada".to_owned(),
            time: 86_400,
            subject: "Strip credentials on redirect (#12)".to_owned(),
            body: "Hosts may differ in nothing but the port. That leaked passwords.\n\nSigned-off-by: Ada <a@b>"
                .to_owned(),
            ..Commit::default()
        };
        let told = as_memory(&commit).unwrap();
        assert_eq!(told.id.as_str(), "commit-0123456789ab");
        assert!(told.is_commit());
        assert_eq!(
            told.shorter.summary.as_deref(),
            Some(
                "Strip credentials on redirect (#12): Hosts may differ in nothing but the port. That leaked passwords."
            )
        );
        assert_eq!((told.times.created_at.day(), told.actor.as_deref()), ("1970-01-02".to_owned(), Some("Ada")));
        assert!(as_memory(&Commit::default()).is_none());
    }
}
