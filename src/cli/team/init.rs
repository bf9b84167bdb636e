//! `lokid team init`: makes a team in a database, or changes who is in it. It shows what it would do, asks, and does all of it
//! or nothing. A daemon has no part in it.

use std::io::{self, IsTerminal};

use serde_json::json;

use crate::cli::args::TeamInit;
use crate::cli::failure::{Done, Failure};
use crate::cli::screen::Screen;
use crate::cli::settings::Settings;
use lokid_sys::postgres::Parameters;
use lokid_sys::{process, stdin};
use lokid_team::relay::RelayError;
use lokid_team::relay::admin::{Admin, NewRole, Setup, Step};

/// Passwords, a line each.
const MOST_INPUT: usize = 64 << 10;
/// 160 bits, in hex.
const PASSWORD_BYTES: usize = 20;

pub(in crate::cli) fn run(asked: &TeamInit, settings: &Settings, screen: &mut Screen) -> Done {
    if Parameters::text_holds_password(&asked.database) {
        let message = "whoever lists the processes of this machine reads the password in the address";
        return Err(Failure::usage(message).hint("put it into ~/.pgpass, a service file or $PGPASSWORD"));
    }
    let parameters = Parameters::read(&asked.database).map_err(Failure::usage)?;
    let setup = setup(asked, settings)?;
    if parameters.is_far_and_unverified() {
        screen.warn("the connection is not verified: anybody on the way may read and change what is sent");
    }
    let mut admin = Admin::open(&parameters).map_err(failure)?;
    let steps = admin.plan(&setup).map_err(failure)?;
    if !settings.json {
        show(&parameters, &steps, screen)?;
    }
    if !steps.is_empty() {
        if !asked.yes && !agreed(screen)? {
            return Ok(());
        }
        admin.apply(&setup).map_err(failure)?;
    }
    let told = |role: &&NewRole| !asked.password_stdin && steps.contains(&Step::CreateRole(role.name.clone()));
    let made: Vec<&NewRole> = setup.created.iter().filter(told).collect();
    if settings.json {
        let steps: Vec<String> = steps.iter().map(Step::to_string).collect();
        let passwords: Vec<_> = made.iter().map(|role| json!({"role": role.name, "password": role.password})).collect();
        let report =
            json!({"database": parameters.to_string(), "name": setup.project, "done": steps, "passwords": passwords});
        return screen.line(report.to_string());
    }
    for role in &made {
        screen.line(format!("password of {}, told this once: {}", role.name, role.password))?;
    }
    if steps.iter().any(|step| matches!(step, Step::Admit { .. })) {
        screen.note("members now run `lokid team join` in their clones");
    }
    Ok(())
}

fn setup(asked: &TeamInit, settings: &Settings) -> Result<Setup, Failure> {
    let named = settings.project_named.then(|| settings.project.file_name()?.to_str().map(str::to_owned)).flatten();
    let no_name = || Failure::usage("what is the project called there?").hint("add `--project NAME`");
    let project = asked.name.clone().or(named).ok_or_else(no_name)?;
    let roles = &asked.create_role;
    let mut given = if asked.password_stdin { passwords(roles.len())? } else { Vec::new() }.into_iter();
    let mut password = || given.next().unwrap_or_else(|| process::random_hex(PASSWORD_BYTES));
    let created = roles.iter().map(|name| NewRole { name: name.clone(), password: password() }).collect();
    let (promoters, org_promoters) = (asked.promoter.clone(), asked.org_promoter.clone());
    let mut members = asked.member.clone();
    let plain = |name: &&String| !promoters.contains(name) && !org_promoters.contains(name);
    members.extend(roles.iter().filter(plain).cloned());
    let (removed, restored) = (asked.remove_member.clone(), asked.restored);
    Ok(Setup { project, members, promoters, org_promoters, removed, restored, created })
}

fn passwords(count: usize) -> Result<Vec<String>, Failure> {
    let input = stdin::all(MOST_INPUT).map_err(Failure::new)?.unwrap_or_default();
    let text = String::from_utf8(input).map_err(|_| Failure::usage("a password is no UTF-8"))?;
    let lines: Vec<String> = text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect();
    if lines.len() != count {
        return Err(Failure::usage(format!("{} passwords on the standard input for {count} roles", lines.len())));
    }
    Ok(lines)
}

fn show(parameters: &Parameters, steps: &[Step], screen: &mut Screen) -> Done {
    if steps.is_empty() {
        return screen.line(format!("{parameters}: everything is as it shall be"));
    }
    screen.line(format!("in {parameters}:"))?;
    steps.iter().try_for_each(|step| screen.line(format!("  {step}")))
}

fn agreed(screen: &mut Screen) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage("it changes the database, and nobody is here to be asked").hint("add `--yes`"));
    }
    let agreed = screen.confirm("do this?");
    if !agreed {
        screen.note("nothing was changed");
    }
    Ok(agreed)
}

fn failure(error: RelayError) -> Failure {
    let failure = Failure::new(&error);
    match error {
        RelayError::Refused(why) if why.contains("42501") => failure
            .hint("it takes a role that may create a schema in this database, and roles where some are to be made"),
        _ => failure,
    }
}
