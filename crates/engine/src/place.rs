//! Where a project's memory stands, and whether what happens there may become memory by itself.

use std::path::{Path, PathBuf};

use lokid_sys::{env, plain, process};

/// `.loki/memory`, unless Loki Mode's own variable says otherwise.
pub(super) fn memory_dir(root: &Path) -> PathBuf {
    match env::var_path("LOKI_MEMORY_BASE_PATH") {
        Some(path) => without_dots(&root.join(path)),
        None => root.join(".loki").join("memory"),
    }
}

/// Never a project, whatever stands there: what the kernel shows of itself is no file anybody wrote.
const KERNEL: [&str; 2] = ["/proc", "/sys"];
/// Of the system. A repository in one of them was put there by somebody who wanted it.
const SYSTEM: [&str; 24] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/sbin",
    "/usr",
    "/opt",
    "/var/cache",
    "/var/lib",
    "/var/log",
    "/var/mail",
    "/var/spool",
    "/run/lock",
    "/run/systemd",
    "/run/udev",
    "/nix",
    "/snap",
    "/System",
    "/Library",
    "/Applications",
    "/private/etc",
    "/private/var/log",
];

/// Why a folder is no place for a project; nothing where it is one.
///
/// All of a home, or a folder that homes stand in, is nobody's project even with a repository in it: everything a person
/// has would be watched. A folder of somebody else's is theirs, unless it is a repository, which people share, or we are
/// root, as in a container.
pub(super) fn no_place(root: &Path, is_repository: bool) -> Option<String> {
    let below = |folders: &[&str]| folders.iter().any(|folder| root.starts_with(folder));
    let home = env::home_dir().and_then(|home| plain::canonical(&home).ok());
    let why = if root.parent().is_none() || below(&KERNEL) {
        "is the system itself"
    } else if home.is_some_and(|home| home.starts_with(root)) {
        "holds everything you have"
    } else if is_repository {
        return None;
    } else if below(&SYSTEM) || ["/run", "/var", "/tmp", "/private"].iter().any(|folder| root == Path::new(folder)) {
        "is a folder of the system"
    } else if process::uid() != 0 && plain::owner(root).is_some_and(|owner| owner != process::uid()) {
        "belongs to somebody else"
    } else {
        return None;
    };
    Some(format!("this {why}, which is no place for a project; let `path` name a repository, or a folder of your own"))
}

/// `..` taken back by name, as a person means it.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Below the repository every step is walked without following links; a place the user named elsewhere is taken as
/// it is.
pub(super) fn split(root: &Path, memory_dir: &Path) -> (PathBuf, PathBuf) {
    match memory_dir.strip_prefix(root) {
        Ok(relative) => (root.to_owned(), relative.to_owned()),
        Err(_) => {
            let name = memory_dir.file_name().map(PathBuf::from).unwrap_or_default();
            (memory_dir.parent().unwrap_or(Path::new("/")).to_owned(), name)
        }
    }
}

/// Loki Mode's opt-outs: a configuration that cannot be read counts as one.
pub(super) fn captures(root: &Path) -> bool {
    let set = |name: &str| {
        env::var(name).is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "true" | "1" | "yes"))
    };
    if set("LOKI_MEMORY_CAPTURE_DISABLED") || set("LOKI_SKIP_MEMORY") {
        return false;
    }
    match plain::read(&root.join(".loki").join("config.json"), 1 << 20) {
        Ok(None) => true,
        Ok(Some(bytes)) => serde_json::from_slice::<serde_json::Value>(&bytes).is_ok_and(|config| {
            let memory = config.get("memory");
            let disabled = memory.and_then(|memory| memory.get("disabled"));
            disabled != Some(&serde_json::Value::Bool(true)) && memory.is_none_or(serde_json::Value::is_object)
        }),
        Err(_) => false,
    }
}
