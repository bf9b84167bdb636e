//! `lokid project`: which projects the daemon watches.

use std::path::{Path, PathBuf};

use super::args::ProjectCommand;
use super::ask::{self, Ask, list as list_of};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::Screen;
use super::settings::{Settings, absolute};
use super::words;

pub(super) fn run(command: &ProjectCommand, settings: &Settings, screen: &mut Screen) -> Done {
    match command {
        ProjectCommand::Add { path } => {
            let path = chosen(path.as_deref(), settings)?;
            if !path.exists() {
                return Err(Failure::usage(format!("there is no {}", path.display())));
            }
            let shown = path.display().to_string();
            let answer = Reach::daemon(settings)?.ask(&Ask::post("/projects").field("path", shown))?;
            if settings.json {
                return screen.text(&answer.text());
            }
            let root = words::field(&ask::json(&answer)?, "path");
            screen.line(format!("watching {root}"))
        }
        ProjectCommand::Remove { path } => {
            let path = chosen(path.as_deref(), settings)?;
            let ask = Ask::delete("/projects").query("path", &path.display().to_string());
            let answer = Reach::daemon(settings)?.about(path).ask(&ask)?;
            if settings.json {
                return screen.text(&answer.text());
            }
            let root = words::field(&ask::json(&answer)?, "path");
            screen.line(format!("no longer watching {root}; its memories stay where they are"))
        }
        ProjectCommand::List => list(settings, screen),
    }
}

fn chosen(path: Option<&Path>, settings: &Settings) -> Result<PathBuf, Failure> {
    path.map_or_else(|| Ok(settings.project.clone()), absolute)
}

fn list(settings: &Settings, screen: &mut Screen) -> Done {
    let answer = Reach::saved(settings, screen)?.ask(&Ask::get("/projects"))?;
    if settings.json {
        return screen.text(&answer.text());
    }
    let answer = ask::json(&answer)?;
    let projects = list_of(&answer, "projects");
    if projects.is_empty() {
        screen.note("no project is watched; `lokid project add` begins with the one you stand in");
    }
    for project in projects {
        screen.line(words::field(project, "path"))?;
    }
    Ok(())
}
