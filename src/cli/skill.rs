//! `lokid skill`: how things are done here, as Markdown a person writes.

use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use serde_json::Value;

use super::args::SkillCommand;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use super::words;
use lokid_store::schema::skill_text;
use lokid_sys::plain;

/// More than any record may have; the daemon draws the exact line.
const MOST_TEXT: u64 = 64 << 20;

pub(super) fn run(command: Option<&SkillCommand>, settings: &Settings, screen: &mut Screen) -> Done {
    match command {
        None | Some(SkillCommand::List) => list(settings, screen),
        Some(SkillCommand::Show { name }) => show(name, settings, screen),
        Some(SkillCommand::Add { file }) => add(file, settings, screen),
    }
}

fn list(settings: &Settings, screen: &mut Screen) -> Done {
    let Some(answer) =
        Reach::reader(settings, screen)?.told(&Ask::get("/skills").project(settings), settings, screen)?
    else {
        return Ok(());
    };
    let skills = ask::list(&answer, "items");
    if skills.is_empty() {
        screen.note("there is no skill yet; `lokid skill add FILE.md` adds one");
    }
    let rows: Vec<Vec<String>> = skills.iter().map(|skill| vec![words::field(skill, "name"), brief(skill)]).collect();
    screen.table(&rows)
}

fn show(name: &str, settings: &Settings, screen: &mut Screen) -> Done {
    let answer = Reach::reader(settings, screen)?.learn(&Ask::get("/skills").project(settings))?;
    let wanted = skill_text::slug(name);
    let matches =
        |skill: &&Value| words::field(skill, "id") == name || skill_text::slug(&words::field(skill, "name")) == wanted;
    let Some(skill) = ask::list(&answer, "items").iter().find(matches) else {
        return Err(Failure::new(format!("there is no skill {name}")).hint("`lokid skill list` lists them"));
    };
    if settings.json {
        return screen.line(skill.to_string());
    }
    screen.text(&words::field(skill, "text"))
}

fn add(file: &Path, settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    let text = read(file)?;
    if skill_text::parse(&text).is_none() {
        let message = format!("{} is no skill document", file.display());
        return Err(Failure::usage(message).hint("it begins with `# Skill: Name`; `## Steps` and others follow"));
    }
    let Some(answer) = daemon.told(&Ask::post("/skills").project(settings).field("text", text), settings, screen)?
    else {
        return Ok(());
    };
    let verb = if answer.get("created") == Some(&Value::Bool(true)) { "added" } else { "changed" };
    screen.line(format!("{verb} {}", words::field(&answer, "id")))
}

fn read(file: &Path) -> Result<String, Failure> {
    if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().take(MOST_TEXT).read_to_string(&mut text).context("cannot read the standard input")?;
        return Ok(text);
    }
    let text = plain::read_text(file, MOST_TEXT).context("cannot read the document")?;
    text.ok_or_else(|| Failure::usage(format!("there is no {}", file.display())))
}

/// What it is for, in a line.
fn brief(skill: &Value) -> String {
    let said = skill.get("skill").map(|body| words::field(body, "description")).unwrap_or_default();
    words::brief(&said, 80)
}
