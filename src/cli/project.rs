//! `lokid project`: which projects the daemon watches.

use std::path::{Path, PathBuf};

use super::args::ProjectCommand;
use super::ask::{self, Ask, list as list_of};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::reading::{self, Past, Reading};
use super::screen::{self, Screen, Ticker};
use super::settings::{Settings, absolute};
use super::words;
use lokid_sys::{Clock, env};

pub(super) fn run(command: &ProjectCommand, settings: &Settings, screen: &mut Screen) -> Done {
    match command {
        ProjectCommand::Add { path, no_wait } => add(&chosen(path.as_deref(), settings)?, !no_wait, settings, screen),
        ProjectCommand::Remove { path } => {
            let path = chosen(path.as_deref(), settings)?;
            let ask = Ask::delete("/projects").query("path", &path.display().to_string());
            let Some(answer) = Reach::daemon(settings)?.about(path).told(&ask, settings, screen)? else {
                return Ok(());
            };
            let root = words::field(&answer, "path");
            screen.line(format!("no longer watching {root}; its memories stay where they are"))
        }
        ProjectCommand::List => list(settings, screen),
    }
}

fn add(path: &Path, wait: bool, settings: &Settings, screen: &mut Screen) -> Done {
    if !path.exists() {
        return Err(Failure::usage(format!("there is no {}", path.display())));
    }
    let since = Clock::system().monotonic();
    let reach = Reach::daemon(settings)?;
    let answer = reach.ask(&Ask::post("/projects").field("path", path.display().to_string()))?;
    if settings.json {
        return screen.text(&answer.text());
    }
    let is_new = answer.status == 201;
    let root = words::field(&ask::json(&answer)?, "path");
    screen.line(format!("watching {root}"))?;
    screen.flush()?;
    if !wait || !is_new || screen.quiet() {
        return Ok(());
    }
    let status = Ask::get("/status").query("project", &root);
    let look = |ask: &Ask| {
        Ok::<Past, Failure>(Past::told(ask::list(&reach.learn(ask)?, "projects").first().unwrap_or_default()))
    };
    let mut reading = Reading::new(Ticker::Err, env::stderr_is_terminal() && screen::colour_is_wanted());
    reading.follow(reading::THERE, || look(&status).map(Some))?;
    // Everything that was read before this is answered with it.
    let learnt = look(&status.query("fresh", "true"))?;
    let took = Clock::system().monotonic().saturating_duration_since(since);
    if let Some(summary) = learnt.summary(&Past::default(), took) {
        screen.note(summary);
    }
    Ok(())
}

fn chosen(path: Option<&Path>, settings: &Settings) -> Result<PathBuf, Failure> {
    path.map_or_else(|| Ok(settings.project.clone()), absolute)
}

fn list(settings: &Settings, screen: &mut Screen) -> Done {
    let Some(answer) = Reach::saved(settings, screen)?.told(&Ask::get("/projects"), settings, screen)? else {
        return Ok(());
    };
    let projects = list_of(&answer, "projects");
    if projects.is_empty() {
        screen.note("no project is watched; `lokid project add` begins with the one you stand in");
    }
    for project in projects {
        screen.line(words::field(project, "path"))?;
    }
    Ok(())
}
