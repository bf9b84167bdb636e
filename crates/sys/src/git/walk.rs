//! Commits read with libgit2, in this process: slower than the program for many, quicker for few, and always there.

use std::ops::ControlFlow;

use git2::{Oid, Repository, Revwalk};

use super::compare;
use super::history::{MOST_FILES, MOST_MESSAGE_BYTES, Mined, Raw};
use lokid_model::{Commit, FileChange};

pub(super) fn log(
    repository: &Repository,
    head: Oid,
    hide: Option<Oid>,
    most: usize,
    each: &mut dyn FnMut(Commit) -> ControlFlow<()>,
) -> Mined {
    let mut mined = Mined { commits: 0, broken: false };
    let Ok(walk) = walk(repository, head, hide) else { return Mined { broken: true, ..mined } };
    for id in walk.take(most) {
        let Some(commit) = id.ok().and_then(|id| commit(repository, id)) else {
            return Mined { broken: true, ..mined };
        };
        mined.commits += 1;
        if each(commit).is_break() {
            break;
        }
    }
    mined
}

/// Newest first.
pub(super) fn ids(repository: &Repository, head: Oid, hide: Option<Oid>, most: usize) -> Vec<Oid> {
    walk(repository, head, hide).map(|walk| walk.take(most).map_while(Result::ok).collect()).unwrap_or_default()
}

/// Newest first is the order of an unsorted walk; asking for it by name makes libgit2 read the whole history before.
fn walk(repository: &Repository, head: Oid, hide: Option<Oid>) -> Result<Revwalk<'_>, git2::Error> {
    let mut walk = repository.revwalk()?;
    walk.push(head)?;
    if let Some(hide) = hide {
        walk.hide(hide)?;
    }
    Ok(walk)
}

pub(super) fn commit(repository: &Repository, id: Oid) -> Option<Commit> {
    let commit = repository.find_commit(id).ok()?;
    let files = if commit.parent_count() > 1 { Vec::new() } else { files(repository, &commit).ok()? };
    let message = message(&commit);
    let author = commit.author();
    let raw = Raw {
        id: id.to_string(),
        parents: commit.parent_count(),
        author_name: author.name_bytes(),
        author_email: author.email_bytes(),
        time: commit.time().seconds(),
        message: &message[..message.len().min(MOST_MESSAGE_BYTES)],
    };
    Some(raw.with_files(files))
}

/// The program translates messages to UTF-8; of the old encodings this one is still met.
fn message(commit: &git2::Commit<'_>) -> Vec<u8> {
    let bytes = commit.message_bytes();
    let is_latin = |name: &str| ["iso-8859-1", "iso8859-1", "latin1", "latin-1"].contains(&&*name.to_ascii_lowercase());
    match commit.message_encoding() {
        Ok(Some(name)) if is_latin(name) => bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes(),
        _ => bytes.to_vec(),
    }
}

fn files(repository: &Repository, commit: &git2::Commit<'_>) -> Result<Vec<FileChange>, git2::Error> {
    let before = if commit.parent_count() > 0 { Some(commit.parent(0)?.tree()?) } else { None };
    compare::files(repository, before.as_ref(), &commit.tree()?, MOST_FILES)
}
