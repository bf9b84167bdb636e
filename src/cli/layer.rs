//! `lokid index` and `lokid timeline`: the short layers at the top of a memory.

use super::args::Layer;
use super::ask::Ask;
use super::failure::Done;
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;

pub(super) fn run(name: &str, topic: Option<&str>, layer: &Layer, settings: &Settings, screen: &mut Screen) -> Done {
    let format = if settings.json { "json" } else { "text" };
    let ask = Ask::get(&format!("/{name}"))
        .project(settings)
        .query("format", format)
        .query("counted", "false")
        .maybe("topic", topic)
        .maybe("namespace", layer.namespace.as_deref());
    let answer = Reach::reader(settings, screen)?.ask(&ask)?;
    screen.text(&answer.text())
}
