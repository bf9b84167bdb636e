//! `lokid socket`: where the daemon listens, whether or not it runs.

use serde_json::json;

use super::failure::Done;
use super::screen::Screen;
use super::settings::Settings;

pub(super) fn run(settings: &Settings, screen: &mut Screen) -> Done {
    if settings.json {
        return screen.line(json!({"socket": settings.socket.display().to_string()}).to_string());
    }
    screen.line(settings.socket.display().to_string())
}
