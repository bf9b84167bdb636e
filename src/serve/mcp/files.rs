//! The memory tool of Anthropic's models: files below `/memories`, each of them a note. Six commands, answered in the
//! words those models know. What a path may be stands in `path`, what an edit does in `text`, which note is which file
//! in `shelf`.

mod path;
mod shelf;
mod text;

use serde_json::{Value, json};

use self::path::FilePath;
use self::shelf::{File, McpFiles};
use super::fields::{Arguments, brief};
use super::quote;
use super::session::{McpAnswer, Refusal, Session};

pub(super) const COMMANDS: &[&str] = &["view", "create", "str_replace", "insert", "delete", "rename"];

/// Bytes of one file: a record holds no more, and needs some for itself.
const LONGEST_FILE: usize = 200 << 10;
/// Tokens of one view; the rest is asked for with `view_range`.
const LONGEST_VIEW: usize = 8_000;
const MOST_LISTED: usize = 200;

pub(super) fn memory(session: &Session, asked: &Arguments) -> McpAnswer {
    let shelf = McpFiles::new(session);
    let command = asked.text("command").unwrap_or_default();
    if command == "rename" {
        for unwanted in ["path", "file_text", "old_str", "new_str", "insert_line", "insert_text", "view_range"] {
            if asked.get(unwanted).is_some() {
                return Err(Refusal::argument(unwanted, "does not go with rename: give `old_path` and `new_path`"));
            }
        }
        return rename(&shelf, &path_of(asked, "old_path")?, &path_of(asked, "new_path")?).map(done);
    }
    let path = path_of(asked, "path")?;
    match command {
        "view" => view(&shelf, &path, asked),
        "create" => create(&shelf, &path, content(asked, "file_text")?).map(done),
        "str_replace" => {
            let new = asked.text("new_str").unwrap_or_default();
            replace(&shelf, &path, asked.text("old_str").ok_or_else(|| missing("old_str"))?, new)
        }
        "insert" => {
            let line = asked.whole("insert_line").ok_or_else(|| missing("insert_line"))?;
            insert(&shelf, &path, line, content(asked, "insert_text")?).map(done)
        }
        _ => delete(&shelf, &path).map(done),
    }
}

fn path_of(asked: &Arguments, name: &str) -> Result<FilePath, Refusal> {
    let given = asked.text(name).ok_or_else(|| missing(name))?;
    FilePath::new(given).map_err(|reason| Refusal::argument(name, reason))
}

fn content<'a>(asked: &'a Arguments, name: &str) -> Result<&'a str, Refusal> {
    asked.text(name).ok_or_else(|| missing(name))
}

fn missing(name: &str) -> Refusal {
    Refusal::argument(name, "is required by this command")
}

fn done(result: String) -> Value {
    json!({"result": result})
}

/// A result that shows what stands in a file.
fn shown(result: String) -> Value {
    quote::recalled(json!({"result": result}))
}

fn view(shelf: &McpFiles, path: &FilePath, asked: &Arguments) -> McpAnswer {
    if !path.is_root()
        && let Some(file) = shelf.find(path)?
    {
        let range = asked.get("view_range").and_then(Value::as_array).map(|pair| {
            let line = |at: usize| pair.get(at).and_then(Value::as_i64).unwrap_or(0);
            (line(0), line(1))
        });
        let lines = text::numbered(&file.text, range).map_err(|reason| Refusal::argument("view_range", reason))?;
        let piece = quote::Piece::of(&lines, 0, LONGEST_VIEW);
        let mut result = format!("Here's the content of {path} with line numbers:\n{}", piece.text);
        if piece.next.is_some() {
            result.push_str("\n[cut here: ask for the rest with `view_range`]");
        }
        return Ok(shown(result));
    }
    let inside = shelf.below(path)?;
    if inside.is_empty() && !path.is_root() {
        return Err(absent(path));
    }
    if asked.get("view_range").is_some() {
        return Err(Refusal::argument("view_range", "does not go with a directory"));
    }
    let listed =
        text::listing(path.as_str(), inside.iter().map(|file| (file.path.as_str(), file.text.len())), MOST_LISTED);
    let head = format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
    );
    Ok(shown(format!("{head}\n{listed}")))
}

fn create(shelf: &McpFiles, path: &FilePath, text: &str) -> Result<String, Refusal> {
    if path.is_root() {
        return Err(Refusal::argument("path", "names the directory itself: name a file below it"));
    }
    fits(text, "file_text")?;
    if shelf.find(path)?.is_some() || !shelf.below(path)?.is_empty() {
        return Err(Refusal::no(format!("Error: File {path} already exists")));
    }
    if let Some(file) = shelf.file_above(path)? {
        return Err(Refusal::argument("path", format!("{} is a file, not a directory", file.as_str())));
    }
    shelf.create(path, text)?;
    Ok(format!("File created successfully at: {path}"))
}

fn replace(shelf: &McpFiles, path: &FilePath, old: &str, new: &str) -> McpAnswer {
    let file = shelf.find(path)?.ok_or_else(|| absent_error(path, ". Please provide a valid path."))?;
    let edited = text::replaced(&file.text, old, new).map_err(|why| match why {
        text::NoReplacement::Empty => Refusal::argument("old_str", "must not be empty"),
        text::NoReplacement::Absent => {
            Refusal::no(format!("No replacement was performed, old_str `{}` did not appear verbatim in {path}.", brief(old)))
        }
        text::NoReplacement::Several(lines) => Refusal::no(format!(
            "No replacement was performed. Multiple occurrences of old_str `{}` in lines: {lines}. Please ensure it is unique",
            brief(old)
        )),
    })?;
    fits(&edited.text, "new_str")?;
    shelf.write(&file, &edited.text)?;
    Ok(shown(format!("The memory file has been edited.\n{}", edited.snippet)))
}

fn insert(shelf: &McpFiles, path: &FilePath, line: i64, new: &str) -> Result<String, Refusal> {
    let file = shelf.find(path)?.ok_or_else(|| absent_error(path, ""))?;
    let text = text::inserted(&file.text, line, new).map_err(|lines| {
        Refusal::no(format!(
            "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {lines}]"
        ))
    })?;
    fits(&text, "insert_text")?;
    shelf.write(&file, &text)?;
    Ok(format!("The file {path} has been edited."))
}

fn delete(shelf: &McpFiles, path: &FilePath) -> Result<String, Refusal> {
    if path.is_root() {
        return Err(Refusal::argument("path", "the /memories directory itself cannot be deleted"));
    }
    let files = match shelf.find(path)? {
        Some(file) => vec![file],
        None => shelf.below(path)?,
    };
    if files.is_empty() {
        return Err(absent_error(path, ""));
    }
    for file in &files {
        shelf.remove(file)?;
    }
    Ok(format!("Successfully deleted {path}"))
}

fn rename(shelf: &McpFiles, old: &FilePath, new: &FilePath) -> Result<String, Refusal> {
    for (name, path) in [("old_path", old), ("new_path", new)] {
        if path.is_root() {
            return Err(Refusal::argument(name, "the /memories directory itself cannot be renamed"));
        }
    }
    let files: Vec<File> = match shelf.find(old)? {
        Some(file) => vec![file],
        None => shelf.below(old)?,
    };
    if files.is_empty() {
        return Err(absent_error(old, ""));
    }
    // Also where both are the same: nothing is moved onto itself.
    if shelf.find(new)?.is_some() || !shelf.below(new)?.is_empty() {
        return Err(Refusal::no(format!("Error: The destination {new} already exists")));
    }
    if new.is_below(old) {
        return Err(Refusal::argument("new_path", format!("lies within {old}")));
    }
    if let Some(file) = shelf.file_above(new)? {
        return Err(Refusal::argument("new_path", format!("{} is a file, not a directory", file.as_str())));
    }
    let moved: Vec<(&File, FilePath)> = files
        .iter()
        .map(|file| Ok((file, file.path.moved(old, new).map_err(|reason| Refusal::argument("new_path", reason))?)))
        .collect::<Result<_, Refusal>>()?;
    for (file, path) in &moved {
        shelf.rename(file, path)?;
    }
    Ok(format!("Successfully renamed {old} to {new}"))
}

fn absent(path: &FilePath) -> Refusal {
    Refusal::no(format!("The path {path} does not exist. Please provide a valid path."))
}

fn absent_error(path: &FilePath, more: &str) -> Refusal {
    Refusal::no(format!("Error: The path {path} does not exist{more}"))
}

fn fits(text: &str, field: &str) -> Result<(), Refusal> {
    if text.len() > LONGEST_FILE {
        let reason = format!("the file would have {} bytes; {LONGEST_FILE} are the most", text.len());
        return Err(Refusal::argument(field, reason));
    }
    Ok(())
}
