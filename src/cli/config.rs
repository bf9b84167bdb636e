//! `lokid config`: every setting with its default, which file is read, and whether that file is good.

use serde_json::json;

use super::args::Global;
use super::failure::{Done, Failure};
use super::screen::Screen;
use super::settings;
use lokid_config::EXAMPLE;
use lokid_engine::redaction::redactor;
use lokid_sys::Dirs;

pub(super) fn run(check: bool, global: &Global, screen: &mut Screen) -> Done {
    let dirs = Dirs::from_env().map_err(Failure::usage)?;
    let path = settings::config_path(global, &dirs)?;
    if check {
        let config = settings::load(&path, global.config.is_some())?;
        redactor(&config.redact).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        return match (global.json, path.exists()) {
            (true, exists) => {
                screen.line(json!({"path": path.display().to_string(), "exists": exists, "valid": true}).to_string())
            }
            (false, true) => screen.line(format!("{} is good", path.display())),
            (false, false) => screen.line(format!("there is no {}: the defaults hold", path.display())),
        };
    }
    if global.json {
        return screen.line(
            json!({"path": path.display().to_string(), "exists": path.exists(), "example": EXAMPLE}).to_string(),
        );
    }
    let state = if path.exists() { "your file" } else { "not there yet: the defaults hold" };
    screen.text(EXAMPLE)?;
    screen.note(format!("read from {} ({state})", path.display()));
    Ok(())
}
