//! `lokid man`: the manual, made from the help of every command.

use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;
use serde_json::json;

use super::args::Args;
use super::failure::{Done, Failure};
use super::screen::Screen;
use super::settings::absolute;
use lokid_sys::plain;

pub(super) fn run(directory: Option<&Path>, as_json: bool, screen: &mut Screen) -> Done {
    let mut program = Args::command();
    program.build();
    let Some(directory) = directory else {
        return screen.text(&String::from_utf8_lossy(&page(&program)?));
    };
    let directory = absolute(directory)?;
    let mut written = Vec::new();
    for (name, page) in pages(&program, "lokid")? {
        let path = directory.join(format!("{name}.1"));
        plain::replace(&path, &page).with_context(|| format!("cannot write {}", path.display()))?;
        // Whoever may read the manual may read all of it.
        plain::make_readable(&path).with_context(|| format!("cannot open {} to others", path.display()))?;
        written.push(path.display().to_string());
    }
    if as_json {
        return screen.line(json!({"written": written}).to_string());
    }
    screen.line(format!("wrote {} pages into {}", written.len(), directory.display()))
}

/// A command's own page and those of the commands in it: `lokid-hooks-install`.
fn pages(command: &clap::Command, name: &str) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut all = vec![(name.to_owned(), page(&command.clone().display_name(name.to_owned()))?)];
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help") {
        all.extend(pages(inner, &format!("{name}-{}", inner.get_name()))?);
    }
    Ok(all)
}

fn page(command: &clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).context("cannot make the page")?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_example() {
        let mut program = Args::command();
        program.build();
        let all = pages(&program, "lokid").unwrap();
        for name in ["lokid", "lokid-run", "lokid-hooks-install", "lokid-service-status"] {
            let (_, page) = all.iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("no {name}"));
            let page = String::from_utf8_lossy(page);
            assert!(page.contains(".TH") && page.contains("Example"), "{name}: {page}");
        }
    }
}
