//! What hooks tell of a session whose transcript nobody can read: the same words and deeds, one by one.

use super::session::{Answer, Call, Deed, Session};
use lokid_model::Timestamp;

/// One thing that happened in a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// The person said this; `id` tells it from the same words another time.
    Asked {
        words: String,
        id: String,
    },
    Read(String),
    Edited(String),
    Ran {
        command: String,
        output: String,
        failed: bool,
    },
    Answered(String),
    Ended,
}

pub(super) fn take(what: &Happened, at: Timestamp, session: &mut Session<'_>) {
    let at = Some(at);
    let mut did = |verb: &str, target: &str, deed: Deed, output: &str, failed: bool| {
        session.call("now", Call { verb: verb.to_owned(), target: target.to_owned(), deed, is_side: false }, at);
        session.answered("now", Answer { output, failed, refused: false }, at);
    };
    match what {
        Happened::Asked { words, id } => session.person(words, Some(id), at),
        Happened::Read(path) => did("read", path, Deed::Read(vec![path.clone()]), "", false),
        Happened::Edited(path) => {
            let deed = Deed::Edit { files: vec![(path.clone(), false)], change: String::new() };
            did("edit", path, deed, "", false);
        }
        Happened::Ran { command, output, failed } => did("run", command, Deed::Run(command.clone()), output, *failed),
        Happened::Answered(words) => session.spoke(words, true, at),
        Happened::Ended => {}
    }
}
