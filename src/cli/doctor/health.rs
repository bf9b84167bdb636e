//! What the status tells of a watched project: how it is watched, what is indexed, what was read, how the nights go.

use serde_json::Value;

use super::super::ask::Ask;
use super::super::reach::Reach;
use super::super::settings::Settings;
use super::super::words;
use super::Check;
use lokid_config::Config;
use lokid_model::Timestamp;
use lokid_model::time::DAY;
use lokid_sys::{Clock, plain};
use lokid_text::Embedder;

/// A memory that was not tidied for so long is not tidied.
const LONG_AWAKE: i64 = 8 * DAY;
const LIMIT: &str = "/proc/sys/fs/inotify/max_user_watches";

fn number(project: &Value, at: &str) -> u64 {
    project.pointer(at).and_then(Value::as_u64).unwrap_or(0)
}

fn text<'a>(project: &'a Value, at: &str) -> &'a str {
    project.pointer(at).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn watches(project: &Value, config: &Config, checks: &mut Vec<Check>) {
    let (watched, polled) = (number(project, "/watch/folders_watched"), number(project, "/watch/folders_polled"));
    let limit = limit();
    let allowed = limit.map(|limit| format!(", the system allows {}", words::number(limit))).unwrap_or_default();
    let folders = words::count(watched + polled, "folder", "folders");
    let reason = text(project, "/watch/reason");
    let raise = format!("sudo sysctl fs.inotify.max_user_watches={}", room_for(watched + polled));
    checks.push(match text(project, "/watch/state") {
        "native" if limit.is_some_and(|limit| watched + watched / 10 > limit) => {
            Check::doubtful("watches", format!("{folders} are watched, close to the limit{allowed}"), raise)
        }
        "native" => Check::good("watches", format!("{folders} are watched{allowed}")),
        "partial" if polled > 0 && watched + polled > config.watch.max_watches as u64 => {
            let found = format!("{} of {folders} are looked at every few seconds instead of watched", words::number(polled));
            Check::doubtful("watches", found, "raise `[watch] max_watches`, or name folders to pass over in `ignore`")
        }
        "partial" => {
            let found = format!("{} of {folders} are looked at every few seconds instead of watched{allowed}", words::number(polled));
            Check::doubtful("watches", found, raise)
        }
        "polling" => {
            let fix = "on a network or shared file system nothing better is to be had; else raise fs.inotify.max_user_instances";
            let why = if reason.is_empty() { "the system tells of no change" } else { reason };
            Check::doubtful("watches", format!("{folders} are looked at every few seconds: {why}"), fix)
        }
        "absent" => {
            let fix = "bring it back, or `lokid project remove` it";
            Check::broken("watches", "the working tree is not there", fix)
        }
        _ if !config.watch.enabled => {
            let fix = "`enabled = true` in [watch] of the configuration, then start the daemon again";
            Check::doubtful("watches", "switched off by the configuration: nothing is noticed by itself", fix)
        }
        _ => Check::doubtful("watches", "files are looked at only when somebody asks", "remove the opt-out, or look into the daemon's log"),
    });
    let warnings = project.pointer("/watch/warnings").and_then(Value::as_array).into_iter().flatten();
    for warning in warnings.filter(|warning| warning.as_str() != Some(reason)) {
        let fix = "see `[watch]` in `lokid config`";
        checks.push(Check::doubtful("watches", warning.as_str().unwrap_or_default(), fix));
    }
}

/// Twice what is there, and no less than what systems have by default.
fn room_for(folders: u64) -> u64 {
    (folders * 2).max(65_536).next_power_of_two()
}

fn limit() -> Option<u64> {
    plain::read_text(LIMIT.as_ref(), 64).ok().flatten()?.trim().parse().ok()
}

/// Worth a line while it goes on.
pub(super) fn past(project: &Value) -> Option<Check> {
    match text(project, "/past/state") {
        "ready" | "off" | "" => None,
        chapter => {
            let (done, total) = (number(project, "/past/done"), number(project, "/past/total"));
            Some(Check::good("past", format!("reading {chapter}, {done} of {total}")))
        }
    }
}

pub(super) fn index(project: &Value, config: &Config) -> Check {
    let (indexed, waiting) = (number(project, "/index/indexed"), number(project, "/index/waiting"));
    let model = text(project, "/index/model");
    if let Some(wanted) = &config.embed.model
        && model == Embedder::built_in().id()
    {
        let found = format!("the model {} cannot be used, the one inside lokid answers", wanted.display());
        return Check::doubtful("index", found, "mend `[embed] model`; the daemon's log says what is missing");
    }
    let indexed = words::count(indexed, "memory", "memories");
    match text(project, "/index/state") {
        "ready" => Check::good("index", format!("{indexed} can be found")),
        "indexing" => Check::good("index", format!("{indexed} can be found, {} wait", words::number(waiting))),
        "opening" => Check::good("index", "being opened"),
        other => {
            let fix = "`lokid stop`, then `lokid run`; the cache directory may be removed, it is made anew";
            Check::doubtful("index", format!("not running ({other})"), fix)
        }
    }
}

/// Did nights come, and did the last one end well?
pub(super) fn night(reach: &Reach, settings: &Settings, project: &Value) -> Option<Check> {
    let night = project.get("consolidation").filter(|night| night.is_object())?;
    let known = reach.learn(&Ask::get("/consolidate").project(settings)).unwrap_or(Value::Null);
    if known.pointer("/last/failed") == Some(&Value::Bool(true)) {
        let fix = "`lokid consolidate` tries again; the daemon's log says why";
        return Some(Check::broken("night", "the last one failed", fix));
    }
    if night.get("paused") == Some(&Value::Bool(true)) {
        return Some(Check::doubtful("night", "paused: memory is not tidied", "`lokid consolidate --resume`"));
    }
    if !settings.config.night.enabled {
        let fix = "`enabled = true` in [night] of the configuration, or `lokid consolidate` from time to time";
        return Some(Check::doubtful("night", "switched off by the configuration", fix));
    }
    let last = words::field(night, "last");
    let Some(at) = Timestamp::parse(&last) else {
        return Some(Check::good("night", "none yet"));
    };
    let when = words::moment(&last);
    Some(if Clock::system().now().as_micros() - at.as_micros() > LONG_AWAKE {
        let waits = Some(words::field(night, "waits")).filter(|why| !why.is_empty());
        let why = waits.map(|why| format!(", it waits: {why}")).unwrap_or_default();
        Check::doubtful("night", format!("the last one was {when}{why}"), "`lokid consolidate` does it now")
    } else {
        Check::good("night", format!("last {when}"))
    })
}
