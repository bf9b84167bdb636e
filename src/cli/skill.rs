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
use super::{remember, words};
use crate::model::Skill;
use crate::store::schema::skill_text;
use crate::sys::plain;

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
    let answer = Reach::reader(settings, screen)?.ask(&Ask::get("/skills").project(settings))?;
    if settings.json {
        return screen.text(&answer.text());
    }
    let answer = ask::json(&answer)?;
    let skills = skills(&answer);
    if skills.is_empty() {
        screen.note("there is no skill yet; `lokid skill add FILE.md` adds one");
    }
    let rows: Vec<Vec<String>> = skills.iter().map(|skill| vec![name_of(skill), brief(skill)]).collect();
    for line in words::table(&rows) {
        screen.line(line)?;
    }
    Ok(())
}

fn show(name: &str, settings: &Settings, screen: &mut Screen) -> Done {
    let answer = Reach::reader(settings, screen)?.learn(&Ask::get("/skills").project(settings))?;
    let wanted = skill_text::slug(name);
    let matches = |skill: &&Value| words::field(skill, "id") == name || skill_text::slug(&name_of(skill)) == wanted;
    let Some(skill) = skills(&answer).into_iter().find(matches) else {
        return Err(Failure::new(format!("there is no skill {name}")).hint("`lokid skill list` lists them"));
    };
    if settings.json {
        return screen.line(skill.to_string());
    }
    screen.text(&skill_text::write(&skill_of(skill)))
}

fn add(file: &Path, settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    let text = read(file)?;
    if skill_text::parse(&text).is_none() {
        let message = format!("{} is no skill document", file.display());
        return Err(Failure::usage(message).hint("it begins with `# Skill: Name`; `## Steps` and others follow"));
    }
    let answer = daemon.ask(&Ask::post("/skills").project(settings).field("text", text))?;
    if settings.json {
        return screen.text(&answer.text());
    }
    for line in remember::tell(&ask::json(&answer)?) {
        screen.line(line)?;
    }
    Ok(())
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

fn skills(answer: &Value) -> Vec<&Value> {
    answer.get("items").and_then(Value::as_array).into_iter().flatten().collect()
}

fn name_of(skill: &Value) -> String {
    let named = skill.get("skill").map(|body| words::field(body, "name")).unwrap_or_default();
    if named.is_empty() { words::field(skill, "title") } else { named }
}

fn brief(skill: &Value) -> String {
    let said = skill.get("skill").map(|body| words::field(body, "description")).unwrap_or_default();
    words::brief(&said, 80)
}

fn skill_of(record: &Value) -> Skill {
    let body = record.get("skill").unwrap_or(record);
    let list = |key: &str| -> Vec<String> {
        body.get(key).and_then(Value::as_array).into_iter().flatten().map(words::plain).collect()
    };
    let errors = body.get("common_errors").and_then(Value::as_array).into_iter().flatten();
    Skill {
        name: name_of(record),
        description: words::field(body, "description"),
        prerequisites: list("prerequisites"),
        steps: list("steps"),
        common_errors: errors
            .map(|error| crate::model::CommonError {
                error: words::field(error, "error"),
                fix: words::field(error, "fix"),
            })
            .collect(),
        exit_criteria: list("exit_criteria"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_reads_as_the_document_it_was() {
        let record = json!({"id": "skill-release", "skill": {"name": "Release", "description": "Cut one.",
            "steps": ["Tag", "Push"], "common_errors": [{"error": "dirty", "fix": "commit"}]}});
        let skill = skill_of(&record);
        assert_eq!(skill_text::parse(&skill_text::write(&skill)), Some(skill));
    }
}
