//! `lokid remember`: one memory from the command line or the standard input.

use std::io::{self, IsTerminal, Read};
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use serde_json::{Map, Value, json};

use super::args::Remember;
use super::ask::Ask;
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::Screen;
use super::settings::{Settings, absolute};
use super::words;
use lokid_model::{Kind, Scope, Source, Status, Timestamp};
use lokid_sys::git;

/// More than any record may have; the daemon draws the exact line.
const MOST_TEXT: u64 = 64 << 20;

pub(super) fn run(mut remember: Remember, settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    let root = project_root(&settings.project);
    let files: Vec<PathBuf> = std::mem::take(&mut remember.files);
    let files = files.iter().map(|file| within(&root, &absolute(file)?)).collect::<Result<Vec<String>, Failure>>()?;
    let text = text_of(&remember, screen)?;
    let record = record(remember, text, files)?;
    let Some(answer) = daemon.told(&Ask::with("/memories", record).project(settings), settings, screen)? else {
        return Ok(());
    };
    for line in tell(&answer) {
        screen.line(line)?;
    }
    Ok(())
}

/// What became of it, a line each.
fn tell(answer: &Value) -> Vec<String> {
    let id = words::field(answer, "id");
    let merged = words::field(answer, "merged_into");
    let created = answer.get("created").and_then(Value::as_bool).unwrap_or(true);
    let mut lines = vec![match (created, merged.is_empty()) {
        (true, _) => format!("remembered {id}"),
        (false, false) => format!("already known: {merged}"),
        (false, true) => format!("already known: {id}"),
    }];
    for found in answer.get("contradictions").and_then(Value::as_array).into_iter().flatten() {
        let earlier = words::field(found, "a");
        lines.push(match words::field(found, "status").as_str() {
            "superseded" => format!("supersedes {earlier}"),
            _ => format!("contradicts {earlier}: both are kept until one is chosen ({})", words::field(found, "id")),
        });
    }
    lines
}

fn text_of(remember: &Remember, screen: &mut Screen) -> Result<Option<String>, Failure> {
    let stdin = match remember.text.as_slice() {
        [only] => only == "-",
        [] => remember.value.is_none(),
        _ => false,
    };
    if !stdin {
        let text = remember.text.join(" ");
        if text.trim().is_empty() && remember.value.is_none() {
            return Err(Failure::usage("there is nothing to remember"));
        }
        return Ok((!text.trim().is_empty()).then_some(text));
    }
    if io::stdin().is_terminal() {
        screen.note("type what to remember, then end with Ctrl-D");
    }
    let mut text = String::new();
    io::stdin().take(MOST_TEXT).read_to_string(&mut text).context("cannot read the standard input")?;
    let text = text.trim_end().to_owned();
    if text.is_empty() { Err(Failure::usage("there is nothing to remember")) } else { Ok(Some(text)) }
}

/// The record as the API takes it; what was not typed is left to the daemon.
fn record(remember: Remember, text: Option<String>, files: Vec<String>) -> Result<Map<String, Value>, Failure> {
    let kind = match (remember.kind, &remember.key) {
        (Some(kind), Some(_)) if kind != Kind::Fact.as_str() => {
            return Err(Failure::usage(format!("only a fact has a key, not a {kind}")));
        }
        (Some(kind), _) => kind,
        (None, Some(_)) => Kind::Fact.as_str().to_owned(),
        (None, None) => Kind::Note.as_str().to_owned(),
    };
    let fact = remember.key.map(|key| {
        let value = remember.value.or_else(|| text.clone()).unwrap_or_default();
        json!({"key": key, "value": value, "scope": remember.fact_scope.unwrap_or_default()})
    });
    let told = json!({
        "kind": kind,
        "fact": fact,
        "text": text,
        "title": remember.title,
        "tags": remember.tags,
        "files": files,
        "tier": remember.tier,
        "importance": remember.importance,
        "confidence": remember.confidence,
        "valid_at": time("--valid-at", remember.valid_at.as_deref())?,
        "invalid_at": time("--expires", remember.expires.as_deref())?,
        "scope": remember.scope.or_else(|| remember.private.then(|| Scope::UserPrivate.to_string())),
        "status": remember.unverified.then(|| Status::Unverified.as_str()),
        "restricted": remember.restricted.then_some(true),
        "namespace": remember.namespace,
        "supersedes": remember.supersedes,
        "source": Source::User.as_str(),
    });
    let given = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    let told = told.as_object().into_iter().flatten().filter(|(_, value)| given(value));
    Ok(told.map(|(name, value)| (name.clone(), value.clone())).collect())
}

pub(super) fn time(option: &str, typed: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(typed) = typed else { return Ok(None) };
    match Timestamp::parse(typed) {
        Some(time) => Ok(Some(time.record_style())),
        None => {
            Err(Failure::usage(format!("{option}: {typed:?} is no time; write 2026-11-13 or 2026-11-13T04:59:53Z")))
        }
    }
}

/// The top of the working tree, or the directory itself.
pub(super) fn project_root(project: &Path) -> PathBuf {
    git::discover(project)
        .map(|checkout| checkout.worktree)
        .unwrap_or_else(|| project.canonicalize().unwrap_or_else(|_| project.to_owned()))
}

/// A file as the project names it: relative to its root, with `/`. The file need not exist.
pub(super) fn within(root: &Path, file: &Path) -> Result<String, Failure> {
    let mut clean = PathBuf::new();
    for component in file.components() {
        match component {
            Component::ParentDir => drop(clean.pop()),
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    // The root is canonical; a file below a link is found by its real parent.
    let real = match (clean.parent().and_then(|parent| parent.canonicalize().ok()), clean.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => clean.clone(),
    };
    let inside = clean.strip_prefix(root).or_else(|_| real.strip_prefix(root));
    match inside.ok().and_then(Path::to_str).filter(|inside| !inside.is_empty()) {
        Some(inside) => Ok(inside.to_owned()),
        None => Err(Failure::usage(format!("{} is no file of the project {}", file.display(), root.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_root_of_the_project() {
        let root = Path::new("/code/app");
        assert_eq!(within(root, Path::new("/code/app/src/../src/./db.rs")).unwrap(), "src/db.rs");
        for outside in ["/code/other/x", "/code/app", "/code/app/../x"] {
            assert_eq!(within(root, Path::new(outside)).unwrap_err().code, 2, "{outside}");
        }
    }

    #[test]
    fn a_key_makes_a_fact_whose_value_is_the_text_unless_given() {
        let remember = Remember { key: Some("build.tool".into()), ..Remember::default() };
        let record = record(remember, Some("just".into()), Vec::new()).unwrap();
        assert_eq!(record["kind"], "fact");
        assert_eq!(record["fact"], json!({"key": "build.tool", "value": "just", "scope": ""}));
        let remember = Remember { key: Some("k".into()), kind: Some("note".into()), ..Remember::default() };
        assert_eq!(super::record(remember, None, Vec::new()).unwrap_err().code, 2);
    }

    #[test]
    fn what_was_not_typed_is_not_sent() {
        let record = record(Remember::default(), Some("x".into()), Vec::new()).unwrap();
        assert_eq!(Value::from(record), json!({"kind": "note", "text": "x", "source": "user"}));
    }

    #[test]
    fn times_are_checked_before_they_are_sent() {
        assert_eq!(time("--expires", Some("2026-11-13")).unwrap(), Some("2026-11-13T00:00:00Z".into()));
        assert!(time("--expires", Some("soon")).unwrap_err().message().unwrap().contains("--expires"));
    }

    #[test]
    fn the_answer_is_told_with_what_it_replaced() {
        let answer = json!({"id": "fact-2", "created": true, "merged_into": null, "contradictions": [
            {"id": "con-1", "a": "fact-1", "b": "fact-2", "verdict": "contradicts", "status": "superseded"},
            {"id": "con-2", "a": "note-1", "b": "fact-2", "verdict": "contradicts", "status": "open"}]});
        let told = tell(&answer);
        assert_eq!(told[..2], ["remembered fact-2", "supersedes fact-1"]);
        assert!(told[2].starts_with("contradicts note-1"));
        assert_eq!(tell(&json!({"id": "n", "created": false, "merged_into": "n-1"})), ["already known: n-1"]);
    }
}
