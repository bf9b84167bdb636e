//! lokid's own directories: whose they are, who else may look into them, whether they can be written, and the room left.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::super::reach::Reach;
use super::super::settings::Settings;
use super::super::words;
use super::Check;
use lokid_sys::{Disk, process};

/// Below this, writing is about to fail.
const TOO_LITTLE: u64 = 16 << 20;
const LITTLE: u64 = 512 << 20;
/// Written and removed again.
const PROBE: &str = ".tmp_lokid_doctor";

pub(super) fn look(settings: &Settings, checks: &mut Vec<Check>) {
    let dirs = &settings.dirs;
    let own = [("state directory", &dirs.state), ("data directory", &dirs.data), ("cache directory", &dirs.cache)];
    checks.extend(own.into_iter().map(|(name, path)| directory(name, path)));
    checks.extend(configuration(&settings.config_path));
    checks.extend(projects(settings));
}

/// Folders that nobody would look into any more.
fn projects(settings: &Settings) -> Vec<Check> {
    let orphans = match Reach::empty(settings).orphans() {
        Ok(orphans) => orphans,
        Err(error) => return vec![Check::broken("projects", error.to_string(), "`lokid status` tells more")],
    };
    let told = |path: PathBuf| {
        let shown = path.display();
        match path.is_dir() {
            true => {
                let found =
                    format!("{shown} belongs to no project that is known; what is private in it is shown nowhere");
                Check::doubtful(
                    "projects",
                    found,
                    format!("save what you miss from {shown}/private, then remove {shown}"),
                )
            }
            false => {
                let found = format!("the list of projects was damaged and made anew; the damaged one is {shown}");
                Check::doubtful(
                    "projects",
                    found,
                    format!("`lokid project list`; when none is missing, remove {shown}"),
                )
            }
        }
    };
    orphans.into_iter().map(told).collect()
}

/// What is kept here is nobody else's business.
fn directory(name: &'static str, path: &Path) -> Check {
    let shown = path.display();
    let found = match path.metadata() {
        Ok(found) => found,
        Err(_) if path.symlink_metadata().is_ok() => {
            return Check::broken(name, format!("{shown} is a link to nowhere"), format!("remove {shown}"));
        }
        Err(_) => return parent(name, path),
    };
    if !found.is_dir() {
        return Check::broken(name, format!("{shown} is no directory"), format!("move {shown} away"));
    }
    if found.uid() != process::uid() {
        let fix = format!("sudo chown -R \"$USER\" {shown}");
        return Check::broken(name, format!("{shown} belongs to somebody else"), fix);
    }
    if found.mode() & 0o077 != 0 {
        return Check::broken(name, format!("others may look into {shown}"), format!("chmod 700 {shown}"));
    }
    let probed = Disk::open(path).and_then(|disk| disk.replace(PROBE, b"").and_then(|()| disk.remove(PROBE)));
    match probed {
        Ok(()) => Check::good(name, format!("{shown}, for its owner alone")),
        Err(error) => Check::broken(name, format!("cannot be written: {error}"), format!("chmod u+rwx {shown}")),
    }
}

/// It is made when it is needed, if it can be.
fn parent(name: &'static str, path: &Path) -> Check {
    let shown = path.display();
    match path.ancestors().skip(1).find_map(|above| above.metadata().ok().map(|found| (above, found))) {
        Some((above, found)) if !found.is_dir() => {
            let told = format!("{shown} cannot be made: {} is no directory", above.display());
            Check::broken(name, told, format!("move {} away", above.display()))
        }
        Some((above, found)) if found.uid() != process::uid() && found.mode() & 0o022 == 0 && process::uid() != 0 => {
            let told = format!("{shown} cannot be made: {} belongs to somebody else", above.display());
            Check::broken(name, told, format!("sudo chown \"$USER\" {}", above.display()))
        }
        _ => Check::good(name, format!("{shown} comes when it is needed")),
    }
}

/// Who may write it decides where memories go and what is kept of them.
fn configuration(path: &Path) -> Option<Check> {
    let found = path.metadata().ok()?;
    let shown = path.display();
    let whose = found.uid();
    if whose != process::uid() && whose != 0 {
        let fix = format!("sudo chown \"$USER\" {shown}");
        return Some(Check::broken("configuration", format!("{shown} belongs to somebody else"), fix));
    }
    let open = found.mode() & 0o022 != 0;
    open.then(|| Check::broken("configuration", format!("others may write {shown}"), format!("chmod 600 {shown}")))
}

/// The room where memories, state and cache are kept; the scarcest counts.
pub(super) fn space(settings: &Settings, memory: &Path) -> Check {
    let dirs = &settings.dirs;
    let free = |path: &Path| -> Option<(u64, PathBuf)> {
        let living = path.ancestors().find(|path| path.is_dir())?.canonicalize().ok()?;
        Some((Disk::open(&living).ok()?.free_bytes().ok()?, living))
    };
    let places = [memory, &dirs.state, &dirs.data, &dirs.cache];
    let Some((bytes, place)) = places.into_iter().filter_map(free).min() else {
        return Check::doubtful("disk", "cannot be asked how much is free", "look with `df`");
    };
    let found = format!("{} free at {}", words::size(bytes), place.display());
    match bytes {
        ..TOO_LITTLE => Check::broken("disk", found, "make room: writes are about to fail"),
        TOO_LITTLE..LITTLE => Check::doubtful("disk", found, "make room soon"),
        _ => Check::good("disk", found),
    }
}
