//! The file an agent reads: where it really is, what stands in it, and how it is changed. It decides nothing about
//! hooks.
//!
//! Links are followed and stay links; a repository's own files may not lead out of it. What is replaced is replaced as a
//! whole, with its permissions, and only if it still holds what was shown.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::super::failure::Failure;
use super::super::keep::ledger::Ledger;
use super::super::settings::Settings;
use super::agent::{Agent, Scope};
use lokid_sys::{env, git, plain};

/// Settings that long are something else.
pub(super) const MOST: u64 = 16 << 20;

pub(super) struct Target {
    pub(super) agent: Agent,
    pub(super) scope: Scope,
    /// As the agent knows it.
    pub(super) path: PathBuf,
    /// `None` when there is no file.
    pub(super) text: Option<String>,
}

impl Target {
    pub(super) fn look(agent: Agent, scope: Scope, settings: &Settings) -> Result<Target, Failure> {
        let path = place(agent, scope, settings)?;
        if scope == Scope::Project {
            stays_inside(&path, &root(settings)?)?;
        }
        // Also a link that leads nowhere ends here.
        plain::leads_to(&path).map_err(|error| Failure::new(error).hint("mend the link, or remove it"))?;
        let text = plain::read_text(&path, MOST).map_err(Failure::new)?;
        Ok(Target { agent, scope, path, text })
    }

    pub(super) fn ledger(&self, settings: &Settings) -> Ledger {
        Ledger::of(settings.dirs.state.join("hooks"), self.agent.as_str(), &self.path)
    }

    /// `None` removes the file.
    pub(super) fn write(&self, new: Option<&str>) -> Result<(), Failure> {
        if plain::read_text(&self.path, MOST).map_err(Failure::new)? != self.text {
            let message = format!("{} changed while you were asked; nothing was written", self.path.display());
            return Err(Failure::new(message).hint("try again"));
        }
        let shown = self.path.display();
        match new {
            Some(new) => plain::replace(&self.path, new.as_bytes()).with_context(|| format!("cannot write {shown}"))?,
            None => plain::remove(&self.path).with_context(|| format!("cannot remove {shown}"))?,
        }
        Ok(())
    }
}

pub(super) fn place(agent: Agent, scope: Scope, settings: &Settings) -> Result<PathBuf, Failure> {
    match scope {
        Scope::Project => Ok(agent.project_file(&root(settings)?)),
        Scope::User => {
            let home = env::home_dir().ok_or_else(|| Failure::usage("$HOME is not set to an absolute path"))?;
            let absolute = |name: &str| env::var_path(name).filter(|path| path.is_absolute());
            Ok(agent.user_file(&home, absolute))
        }
    }
}

/// The working tree you stand in: its files are what its agents read.
pub(super) fn root(settings: &Settings) -> Result<PathBuf, Failure> {
    git::discover(&settings.project).map(|checkout| checkout.worktree).ok_or_else(|| {
        let message = format!("{} is in no git repository", settings.project.display());
        Failure::usage(message).hint("go to one, name one with `--project PATH`, or leave out `--scope project`")
    })
}

/// What somebody committed must not make us write elsewhere.
fn stays_inside(path: &Path, root: &Path) -> Result<(), Failure> {
    let living = path.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(root);
    let real = plain::canonical(living).map_err(Failure::new)?;
    if real.starts_with(root) {
        return Ok(());
    }
    let message = format!("{} leads out of the repository, to {}", path.display(), real.display());
    Err(Failure::new(message).hint("use `--scope user`, or change that file yourself with what `--print` shows"))
}
