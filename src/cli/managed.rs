//! `lokid managed status`: is there a mirror, what stands in it, and what hinders it.

use serde_json::Value;

use super::ask::Ask;
use super::failure::Done;
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use super::words;

pub(super) fn status(settings: &Settings, screen: &mut Screen) -> Done {
    let Some(told) =
        Reach::reader(settings, screen)?.told(&Ask::get("/managed/status").project(settings), settings, screen)?
    else {
        return Ok(());
    };
    if told["enabled"] != Value::Bool(true) {
        screen.line("the mirror is off: nothing leaves this machine")?;
        screen.note("`[managed]` in `lokid config` tells how it is switched on");
        return Ok(());
    }
    screen.line(format!("the mirror is on: {}", words::field(&told, "base_url")))?;
    for (name, field, none) in [
        ("your store", "user_store", "none, so nothing is mirrored"),
        ("the organisation's store", "org_store", "none, so nothing is read from one"),
    ] {
        let id = Some(words::field(&told, field)).filter(|id| !id.is_empty());
        screen.line(format!("{name}: {}", id.unwrap_or_else(|| none.to_owned())))?;
    }
    if let Some(borrowed) = told["retrieve"]["borrowed"].as_u64().filter(|count| *count > 0) {
        screen.line(format!("{} read from the stores", words::count(borrowed, "memory", "memories")))?;
    }
    let Some(sent) = told.get("shadow_write") else { return Ok(()) };
    let count = |name: &str| sent[name].as_u64().unwrap_or(0);
    let (mirrored, waiting) = (words::count(count("mirrored"), "episode", "episodes"), count("waiting"));
    screen.line(format!("{mirrored} mirrored, {waiting} waiting"))?;
    for (name, says) in [("refused", "refused by the store or given up"), ("left_out", "left out: too old or too long")]
    {
        if count(name) > 0 {
            screen.line(format!("{} {says}", count(name)))?;
        }
    }
    if let Some(failure) = sent.get("last_failure").filter(|failure| failure.is_object()) {
        let (at, detail) = (words::field(failure, "at"), words::field(failure, "detail"));
        screen.line(format!("last failure, {at}: {detail}"))?;
    }
    match sent["paused_until"].as_str() {
        Some(until) => screen.line(format!("tried again at {until}")),
        None => Ok(()),
    }
}
