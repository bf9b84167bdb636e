//! `lokid team git`: tell git to merge the memory with lokid, take that back, and tell how it stands; and
//! `lokid merge-driver`, which git then calls.
//!
//! `.gitattributes` is the user's own file, and so is git's configuration: both are written only by these commands, after
//! showing what.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;

use super::super::args::{GitCommand, MergeDriver};
use super::super::failure::{Done, Failure};
use super::super::hooks;
use super::super::keep::agreed;
use super::super::screen::Screen;
use super::super::settings::Settings;
use lokid_sys::{env, git, plain};
use lokid_team::git::attributes::{self, Attributes};
use lokid_team::git::merge_file;

const SECTION: &str = "merge.lokid";
const NAMES: [&str; 2] = ["name", "driver"];
const TITLE: &str = "lokid: record by record";
/// Larger than any file the store writes.
const MOST: u64 = 1 << 30;

pub(in crate::cli) fn run(asked: &GitCommand, settings: &Settings, screen: &mut Screen) -> Done {
    let root = root(settings)?;
    match asked {
        GitCommand::Install { yes } => install(&root, *yes, settings, screen),
        GitCommand::Uninstall { yes } => uninstall(&root, *yes, settings, screen),
        GitCommand::Status => status(&root, settings, screen),
    }
}

/// The working tree one stands in, linked or not: `.gitattributes` belongs to its branch.
fn root(settings: &Settings) -> Result<PathBuf, Failure> {
    let checkout = git::discover(&settings.project);
    let none = || Failure::usage(format!("{} is in no git repository", settings.project.display()));
    checkout.map(|checkout| checkout.worktree).ok_or_else(none)
}

/// How a clone merges.
pub(in crate::cli) struct Merging {
    pub(in crate::cli) attributes: Attributes,
    /// What git would run.
    pub(in crate::cli) driver: Option<String>,
    /// The program in it, and whether it is there.
    pub(in crate::cli) program: Option<(String, bool)>,
}

impl Merging {
    pub(in crate::cli) fn look(root: &Path) -> Merging {
        let private = git::head::common_dir(root).map(|git| git.join("info/attributes"));
        let looked = |path: &Path| attributes::look(plain::read(path, 1 << 20).ok().flatten().as_deref());
        let attributes = match (looked(&root.join(".gitattributes")), private) {
            (Attributes::Missing, Some(private)) => looked(&private),
            (found, _) => found,
        };
        let driver = git::setting(root, "merge.lokid.driver").filter(|driver| !driver.trim().is_empty());
        let program = driver.as_deref().map(|driver| {
            let words = hooks::words(driver).unwrap_or_default();
            let program = words.into_iter().next().unwrap_or_default().replace("%%", "%");
            let is_there = env::program(&program).is_some();
            (program, is_there)
        });
        Merging { attributes, driver, program }
    }

    fn works(&self) -> bool {
        self.attributes != Attributes::Missing && self.program.as_ref().is_some_and(|(_, is_there)| *is_there)
    }
}

/// As git wants it: run by a shell, with a percent sign of its own.
fn driver() -> Result<String, Failure> {
    let program = hooks::own_program()?.into_os_string().into_string();
    let program = program.map_err(|path| Failure::usage(format!("{} is not UTF-8", path.display())))?;
    Ok(format!("{} merge-driver %O %A %B %P", hooks::quote(&program).replace('%', "%%")))
}

fn install(root: &Path, yes: bool, settings: &Settings, screen: &mut Screen) -> Done {
    let (path, driver) = (root.join(".gitattributes"), driver()?);
    let old = read(&path)?;
    let new = attributes::install(old.as_deref());
    let is_told = git::setting(root, "merge.lokid.driver").as_deref() == Some(&*driver);
    let is_asked = old.as_deref() == Some(&*new);
    if is_told && is_asked {
        return answer("already installed", false, root, settings, screen);
    }
    if !settings.json {
        if !is_asked {
            screen.line(format!("{}:", path.display()))?;
            screen.text(&indented(&attributes::shown()))?;
        }
        if !is_told {
            screen.line("this clone's git configuration:")?;
            screen.text(&indented(&format!("merge.lokid.name = {TITLE}\nmerge.lokid.driver = {driver}\n")))?;
        }
    }
    if !agreed("let git merge the memory with lokid?", yes, screen)? {
        return answer("nothing was written", false, root, settings, screen);
    }
    if !is_told {
        git::configure::set_setting(root, "merge.lokid.name", TITLE)
            .and_then(|()| git::configure::set_setting(root, "merge.lokid.driver", &driver))
            .context("cannot write git's configuration")?;
    }
    if !is_asked {
        plain::replace(&path, &new).with_context(|| format!("cannot write {}", path.display()))?;
    }
    answer("installed", true, root, settings, screen)?;
    screen.note("commit .gitattributes; every other clone runs `lokid team git install` once");
    Ok(())
}

fn uninstall(root: &Path, yes: bool, settings: &Settings, screen: &mut Screen) -> Done {
    let path = root.join(".gitattributes");
    let left = read(&path)?.as_deref().and_then(attributes::uninstall);
    let is_told = git::setting(root, "merge.lokid.driver").is_some();
    if left.is_none() && !is_told {
        return answer("not installed", false, root, settings, screen);
    }
    if !settings.json && left.is_some() {
        screen.line(format!("our lines leave {}", path.display()))?;
    }
    if !settings.json && is_told {
        screen.line("merge.lokid leaves this clone's git configuration")?;
    }
    if !agreed("let git merge the memory as text again?", yes, screen)? {
        return answer("nothing was written", false, root, settings, screen);
    }
    git::configure::drop_section(root, SECTION, &NAMES).context("cannot write git's configuration")?;
    match left {
        Some(Some(text)) => plain::replace(&path, &text).with_context(|| format!("cannot write {}", path.display()))?,
        Some(None) => plain::remove(&path).with_context(|| format!("cannot remove {}", path.display()))?,
        None => {}
    }
    answer("uninstalled", true, root, settings, screen)
}

fn status(root: &Path, settings: &Settings, screen: &mut Screen) -> Done {
    let found = Merging::look(root);
    let said = if found.works() { "git merges the memory with lokid" } else { "git merges the memory as text" };
    answer(said, false, root, settings, screen)
}

fn answer(said: &str, changed: bool, root: &Path, settings: &Settings, screen: &mut Screen) -> Done {
    let found = Merging::look(root);
    if settings.json {
        let attributes = match found.attributes {
            Attributes::Ours => "ours",
            Attributes::Old => "old",
            Attributes::Others => "others",
            Attributes::Missing => "missing",
        };
        let answer = json!({
            "said": said, "changed": changed, "works": found.works(), "attributes": attributes, "driver": found.driver,
            "root": root.display().to_string(),
        });
        return screen.line(answer.to_string());
    }
    screen.line(said)
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    Ok(plain::read(path, 1 << 20).with_context(|| format!("cannot read {}", path.display()))?)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// Git takes the second file for the result, and a failure for a conflict that is left to a person.
pub(in crate::cli) fn merge_driver(asked: &MergeDriver) -> Done {
    let file = |path: &Path| -> Result<Vec<u8>, Failure> {
        let bytes = plain::read(path, MOST).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(bytes.unwrap_or_default())
    };
    let (base, ours, theirs) = (file(&asked.base)?, file(&asked.ours)?, file(&asked.theirs)?);
    // What both sides added has no base, which git tells as an empty one.
    let base = (!base.is_empty()).then_some(base);
    let merged = merge_file(&asked.path, base.as_deref(), &ours, &theirs)
        .map_err(|error| Failure::new(format!("{}: {error}", asked.path.display())))?;
    if merged != ours {
        plain::replace(&asked.ours, &merged).with_context(|| format!("cannot write {}", asked.ours.display()))?;
    }
    Ok(())
}
