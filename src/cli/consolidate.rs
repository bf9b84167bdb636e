//! `lokid consolidate`: tidy the memory now, see what that would do, what the last night did, or hold nights off.

use serde_json::Value;

use super::args::Consolidate;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;

/// Deeds of one sort that are shown one by one.
const SHOWN: usize = 10;

pub(super) fn run(consolidate: &Consolidate, settings: &Settings, screen: &mut Screen) -> Done {
    if consolidate.last {
        return last(settings, screen);
    }
    let daemon = Reach::daemon(settings)?;
    if consolidate.pause || consolidate.resume {
        let ask = Ask::post("/consolidate/pause").project(settings).field("paused", consolidate.pause);
        let answer = daemon.ask(&ask)?;
        if settings.json {
            return screen.text(&answer.text());
        }
        let said =
            if consolidate.pause { "no night comes until `lokid consolidate --resume`" } else { "nights come again" };
        return screen.line(said);
    }
    let ask = Ask::post("/consolidate")
        .project(settings)
        .field("dry_run", consolidate.dry_run)
        .field("phases", consolidate.phase.clone())
        .maybe_field("now", consolidate.now.as_deref())
        .header("accept", "application/x-ndjson");
    let mut answer = Value::Null;
    let mut phase = String::new();
    daemon.follow(&ask, |line| {
        let told: Value = serde_json::from_str(line).unwrap_or_default();
        let now = words::field(&told, "phase");
        if !now.is_empty() && told.get("took_ms").is_none() && now != phase {
            screen.note(format!(
                "{now}, {} so far",
                words::count(told["done"].as_u64().unwrap_or(0), "change", "changes")
            ));
            phase = now;
        }
        answer = told;
        Ok(())
    })?;
    if let Some(problem) = answer.get("problem") {
        return Err(Failure::new(words::field(problem, "detail")));
    }
    if settings.json {
        return screen.line(answer.to_string());
    }
    tell(&answer, screen)
}

fn last(settings: &Settings, screen: &mut Screen) -> Done {
    let Some(known) =
        Reach::reader(settings, screen)?.told(&Ask::get("/consolidate").project(settings), settings, screen)?
    else {
        return Ok(());
    };
    match known.get("last").filter(|last| !last.is_null()) {
        Some(night) => {
            let when = words::moment(&words::field(night, "started_at"));
            screen.line(screen.paint(Style::Bold, &format!("{when} ({})", words::field(night, "cause"))))?;
            tell(night, screen)?;
            if !ask::list(night, "done").is_empty() {
                screen.note(format!("`lokid undo --night {}` takes it back", words::field(night, "started_at")));
            }
        }
        None => screen.note("there was no night yet"),
    }
    let next = words::field(&known, "next");
    let waits = words::field(&known, "waits");
    match (next.as_str(), waits.as_str()) {
        ("", "") => {}
        ("", why) => screen.note(format!("no next night: {why}")),
        (next, "") => screen.note(format!("the next one is at {}", words::moment(next))),
        (_, why) => screen.note(format!("the next one waits: {why}")),
    }
    Ok(())
}

pub(super) fn tell(night: &Value, screen: &mut Screen) -> Done {
    let plan = night.get("dry_run").and_then(Value::as_bool) == Some(true);
    let told = words::deeds(night);
    let seconds = night.get("took_ms").and_then(Value::as_f64).unwrap_or(0.0) / 1000.0;
    let head = match (told.is_empty(), plan) {
        (true, true) => format!("nothing to do, found out in {seconds:.1} s"),
        (true, false) => format!("nothing was to be done, {seconds:.1} s"),
        (false, true) => format!("would be done: {}", told.join(", ")),
        (false, false) => format!("{} in {seconds:.1} s", told.join(", ")),
    };
    screen.line(head)?;
    deeds(ask::list(night, if plan { "plan" } else { "done" }), plan, screen)?;
    for step in ask::list(night, "learnt") {
        screen.line(step.as_str().unwrap_or_default())?;
    }
    let problems = ask::list(night, "problems");
    for problem in problems.iter().take(SHOWN) {
        screen.warn(format!("{}: {}", words::field(problem, "path"), words::field(problem, "reason")));
    }
    if problems.len() > SHOWN {
        screen.warn(format!("and {} more; `lokid doctor` names them", problems.len() - SHOWN));
    }
    if night.get("interrupted").and_then(Value::as_bool) == Some(true) {
        screen.note("it was ended early; the next night goes on");
    }
    if night.get("failed").and_then(Value::as_bool) == Some(true) {
        return Err(Failure::new("the night failed; its message stands in the daemon's log"));
    }
    Ok(())
}

/// Each sort of deed under its name, with the reasons. All of a plan, the first few of what is done.
fn deeds(deeds: &[Value], plan: bool, screen: &mut Screen) -> Done {
    let mut sorts: Vec<String> = Vec::new();
    for deed in deeds {
        let act = words::field(deed, "act");
        if !sorts.contains(&act) {
            sorts.push(act);
        }
    }
    for sort in sorts {
        screen.line("")?;
        screen.line(screen.paint(Style::Bold, &sort.replace('_', " ")))?;
        let own: Vec<&Value> = deeds.iter().filter(|deed| words::field(deed, "act") == sort).collect();
        let most = if plan { own.len() } else { SHOWN };
        for deed in own.iter().take(most) {
            let ids = ask::list(deed, "ids");
            let first = ids.first().and_then(Value::as_str).unwrap_or_default();
            let others = if ids.len() > 1 { format!(" +{}", ids.len() - 1) } else { String::new() };
            screen.line(format!("  {first}{others}  {}", screen.paint(Style::Dim, &words::field(deed, "why"))))?;
        }
        if own.len() > most {
            screen.line(format!("  and {} more", own.len() - most))?;
        }
    }
    Ok(())
}
