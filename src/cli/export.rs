//! `lokid export`: all memories, a record a line, to a file or down a pipe.

use anyhow::Context;

use super::args::Export;
use super::ask::Ask;
use super::failure::Done;
use super::reach::Reach;
use super::screen::Screen;
use super::settings::{Settings, absolute};
use super::words;
use lokid_sys::plain;

pub(super) fn run(export: &Export, settings: &Settings, screen: &mut Screen) -> Done {
    let reach = Reach::reader(settings, screen)?;
    let ask = Ask::get("/memories/export")
        .project(settings)
        .header("accept", "application/x-ndjson")
        .maybe("derived", export.derived.then_some("true"))
        .maybe("namespace", export.namespace.as_deref());
    let Some(file) = &export.output else {
        return reach.follow(&ask, |line| screen.line(line));
    };
    let mut text = String::new();
    let mut many = 0;
    reach.follow(&ask, |line| {
        text.push_str(line);
        text.push('\n');
        many += 1;
        Ok(())
    })?;
    plain::replace(&absolute(file)?, text.as_bytes()).context("cannot write the export")?;
    screen.note(format!("wrote {} to {}", words::count(many, "memory", "memories"), file.display()));
    Ok(())
}
