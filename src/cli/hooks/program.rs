//! Which program the hooks call: this one, by a path that stays good.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::super::failure::Failure;
use super::command;
use lokid_sys::{env, plain};

/// This program, under the name by which `PATH` finds it, for package managers keep that when they replace what is behind
/// it, else by its own.
pub(in crate::cli) fn own() -> Result<PathBuf, Failure> {
    let own = env::current_program().context("cannot tell where this program is")?;
    Ok(on_path(&env::var("PATH").unwrap_or_default(), &own).unwrap_or(own))
}

/// What was asked for, else this program, or the small one beside it that starts quicker.
pub(super) fn choose(asked: Option<&str>) -> Result<String, Failure> {
    if let Some(asked) = asked {
        if !command::is_lokid(asked) {
            let message = format!("`{asked}` is no lokid: hooks are known again by that name");
            return Err(Failure::usage(message));
        }
        return Ok(asked.to_owned());
    }
    let own = own()?;
    let small = own.with_file_name(command::SMALL);
    let program = if plain::is_file(&small) { small } else { own };
    let program = program.into_os_string().into_string();
    let program = program.map_err(|path| Failure::usage(format!("{} is not UTF-8", path.display())))?;
    if !command::is_lokid(&program) {
        let message = format!("{program} is not called lokid: hooks are known again by that name");
        return Err(Failure::usage(message).hint("rename it, or name another with `--command`"));
    }
    Ok(program)
}

/// Can it be called? A bare name is looked for as a shell does.
pub(super) fn exists(program: &str) -> bool {
    if program.contains('/') {
        return plain::is_file(Path::new(program));
    }
    let path = env::var("PATH").unwrap_or_default();
    path.split(':').any(|folder| plain::is_file(&Path::new(folder).join(program)))
}

fn on_path(path: &str, own: &Path) -> Option<PathBuf> {
    let folders = path.split(':').map(Path::new).filter(|folder| folder.is_absolute());
    let mut programs = folders.map(|folder| folder.join("lokid"));
    programs.find(|program| plain::canonical(program).is_ok_and(|real| real == own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_on_the_path_is_preferred_when_it_leads_here() {
        let lab = tempfile::tempdir().unwrap();
        let root = lab.path().canonicalize().unwrap();
        for folder in ["cellar", "bin", "other"] {
            std::fs::create_dir(root.join(folder)).unwrap();
        }
        plain::replace(&root.join("cellar/lokid"), b"").unwrap();
        plain::replace(&root.join("other/lokid"), b"").unwrap();
        std::os::unix::fs::symlink(root.join("cellar/lokid"), root.join("bin/lokid")).unwrap();
        let path = format!("relative:{0}/nowhere:{0}/other:{0}/bin", root.display());
        assert_eq!(on_path(&path, &root.join("cellar/lokid")), Some(root.join("bin/lokid")));
        assert_eq!(on_path("", &root.join("cellar/lokid")), None);
    }

    #[test]
    fn only_a_lokid_can_be_asked_for() {
        assert_eq!(choose(Some("lokid")).unwrap(), "lokid");
        assert_eq!(choose(Some("/opt/lokid")).unwrap(), "/opt/lokid");
        assert_eq!(choose(Some("/opt/other")).unwrap_err().code, 2);
    }

    #[test]
    fn a_missing_program_is_noticed() {
        assert!(exists("/bin/sh") && exists("sh"));
        assert!(!exists("/nowhere/lokid") && !exists("lokid-that-is-nowhere"));
    }
}
