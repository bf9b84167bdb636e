//! Working memory as agents write it: what `CONTINUITY.md` says, and what a new version of it says that the last one
//! did not. Text in, values out; it never reads the file, and it forgets nothing because a rewrite left it out.

mod drafts;
mod item;
mod learning;
mod lines;
mod news;
mod reader;
mod reference;
mod section;
mod statement;
#[cfg(test)]
mod tests;

pub use drafts::{drafts, signals};
pub use news::{News, what_is_new};
pub use reader::read;
pub use reference::{Reference, ReferenceKind};

/// What one version of the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Continuity {
    pub phase: Option<String>,
    /// What is being worked on now.
    pub focus: Option<String>,
    pub decisions: Vec<Statement>,
    pub blockers: Vec<String>,
    /// Is there a section of blockers at all? Where there is none, no blocker was taken away.
    pub names_blockers: bool,
    /// Blockers that the file itself calls resolved.
    pub resolved: Vec<String>,
    pub learnings: Vec<Learning>,
    pub completed: Vec<String>,
    /// Subjects of commits that Loki Mode copied in; git tells them too.
    pub commits: Vec<String>,
    pub next_up: Vec<String>,
    pub references: Vec<Reference>,
}

/// Something decided, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    pub text: String,
    pub rationale: Option<String>,
    /// What it said before somebody edited it.
    pub revised: Option<Box<Statement>>,
}

/// Something learnt. `text` is all of it in words; the rest is filled as far as the writer told it apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learning {
    pub text: String,
    pub error: String,
    pub cause: String,
    pub fix: String,
    /// What it said before somebody edited it.
    pub revised: Option<Box<Learning>>,
}

/// Does the text look like a file written to its end? The file is rewritten in place, so a reader may come upon the
/// middle of it. `false` means: look again. A text that stays as it is has been written in full after all.
pub fn looks_complete(text: &str, previous: Option<&str>) -> bool {
    let previous = previous.unwrap_or_default();
    let ends_midway = !text.ends_with('\n') && (previous.is_empty() || previous.ends_with('\n'));
    let lost_its_heading = lines::opens_with_heading(previous) && !lines::opens_with_heading(text);
    let is_a_beginning = text.len() < previous.len() && previous.starts_with(text);
    let open_comment = text.rfind("<!--").is_some_and(|start| !text[start..].contains("-->"));
    !(text.trim().is_empty()
        || text.contains('\0')
        || ends_midway
        || lost_its_heading
        || is_a_beginning
        || open_comment)
}
