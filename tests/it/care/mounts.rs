//! File systems that a test makes for itself, where it may: a small one, and one that cannot be written.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Gone when this is.
pub(super) struct Mount(PathBuf);

impl Mount {
    /// `None`, with a word about it, where this user may not mount.
    pub(super) fn tmpfs(place: &Path, size: &str) -> Option<Mount> {
        std::fs::create_dir_all(place).unwrap();
        let options = format!("size={size},mode=700");
        let mounted = mount(&["-t", "tmpfs", "-o", &options, "tmpfs"], place);
        mounted.then(|| Mount(place.to_owned()))
    }

    /// The folder as it is, on a mount of its own.
    fn bind(place: &Path) -> Option<Mount> {
        mount(&["--bind", place.to_str().unwrap()], place).then(|| Mount(place.to_owned()))
    }
}

/// A folder that can be shut: root heeds no rights, so for root it is a mount.
pub(super) struct Shut {
    place: PathBuf,
    mount: Option<Mount>,
}

impl Shut {
    /// `None` where neither way is open.
    pub(super) fn new(place: &Path) -> Option<Shut> {
        let is_root = rustix::process::geteuid().is_root();
        let mount = if is_root { Some(Mount::bind(place)?) } else { None };
        let shut = Shut { place: place.to_owned(), mount };
        shut.set(true);
        Some(shut)
    }

    pub(super) fn set(&self, shut: bool) {
        if self.mount.is_some() {
            assert!(mount(&["-o", if shut { "remount,bind,ro" } else { "remount,bind,rw" }], &self.place));
        } else {
            let mode = std::fs::Permissions::from_mode(if shut { 0o555 } else { 0o755 });
            std::fs::set_permissions(&self.place, mode).unwrap();
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn mount(arguments: &[&str], place: &Path) -> bool {
    let mounted = Command::new("mount").args(arguments).arg(place).stderr(Stdio::null()).status();
    let mounted = mounted.is_ok_and(|status| status.success());
    if !mounted {
        println!("skipped: nothing can be mounted here");
    }
    mounted
}
