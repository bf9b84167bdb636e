//! `lokid team join` and `lokid team leave`: whether the memory of a project is shared over a database.

use std::path::PathBuf;

use serde_json::Value;

use crate::cli::args::Join;
use crate::cli::ask::Ask;
use crate::cli::failure::{Done, Failure};
use crate::cli::reach::Reach;
use crate::cli::screen::Screen;
use crate::cli::settings::Settings;
use crate::cli::words;
use lokid_sys::postgres::Parameters;
use lokid_sys::{env, plain};

pub(in crate::cli) fn join(asked: &Join, settings: &Settings, screen: &mut Screen) -> Done {
    if Parameters::text_holds_password(&asked.database) {
        let message = "a password in an address is seen by everybody who lists processes, and would be kept in a file";
        return Err(Failure::usage(message)
            .hint("put it into ~/.pgpass: `host:port:database:user:password`, readable by you alone"));
    }
    let (project, team) = which(asked, settings)?;
    let ask = Ask::post("/team/join").field("database", asked.database.clone()).field("team", team.clone());
    let Some(told) =
        Reach::daemon(settings)?.told(&ask.field("project", project.display().to_string()), settings, screen)?
    else {
        return Ok(());
    };
    let member = words::field(&told, "member");
    screen.line(format!("in the team {team}, as {member}"))?;
    if told["may_promote"] == Value::Bool(true) {
        screen.line("you may promote: what you promote binds the others")?;
    }
    screen.note("shared memories of this project go there from now on, private ones never; `lokid team status` tells how far it is");
    Ok(())
}

/// Which project, and what it is called in the team. `--project` is a path everywhere else: one that does not lead
/// anywhere is a name here, and the project the one you stand in.
fn which(asked: &Join, settings: &Settings) -> Result<(PathBuf, String), Failure> {
    let is_name = settings.project_named && plain::folder_identity(&settings.project).is_err();
    let here =
        || env::current_dir().map_err(|error| Failure::new(format!("cannot tell which directory this is: {error}")));
    let project = if is_name { here()? } else { settings.project.clone() };
    let folder = settings.project.file_name().map(|name| name.to_string_lossy().into_owned());
    let missing = || Failure::usage("what is the project called in the team?").hint("add `--name NAME`");
    let team = asked.name.clone().or(folder).ok_or_else(missing)?;
    Ok((project, team))
}

pub(in crate::cli) fn leave(settings: &Settings, screen: &mut Screen) -> Done {
    let Some(told) = Reach::daemon(settings)?.told(&Ask::post("/team/leave").project(settings), settings, screen)?
    else {
        return Ok(());
    };
    match told["left"].as_str() {
        Some(team) => {
            screen.line(format!("no longer in the team {team}"))?;
            screen.note("what stands here stays here, and what stands in the database stays there");
        }
        None => screen.note("the project is in no team"),
    }
    Ok(())
}
