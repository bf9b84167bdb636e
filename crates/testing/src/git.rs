//! Repositories made with the real `git` program, away from the user's configuration.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the `git` program; `None` when there is none.
pub fn git(dir: &Path, arguments: &[&str]) -> Option<String> {
    git_at(dir, None, arguments)
}

/// The same, with the time of the author and the committer in seconds since 1970.
pub fn git_at(dir: &Path, time: Option<i64>, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"])
        .args(["-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false"])
        .args(arguments)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE");
    if let Some(time) = time {
        let date = format!("{time} +0000");
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
    }
    let Ok(output) = command.output() else {
        eprintln!("skipped: there is no git program");
        return None;
    };
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// A repository in a directory of its own, whose commits are a minute apart.
pub struct GitLab {
    _keep: tempfile::TempDir,
    pub root: PathBuf,
    time: i64,
}

impl GitLab {
    pub const START: i64 = 1_700_000_000;

    /// The repository is `root/main`, without commits; `None` without a `git` program.
    pub fn new() -> Option<GitLab> {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        git(&root, &["init", "-q", "main"])?;
        Some(GitLab { _keep: keep, root, time: GitLab::START })
    }

    pub fn main(&self) -> PathBuf {
        self.root.join("main")
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.main(), arguments).unwrap()
    }

    /// Writes the files, takes everything in and commits it; the id.
    pub fn commit(&mut self, message: &str, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            let path = self.main().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self.git(&["add", "-A"]);
        self.dated(&["commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A command that makes a commit, a minute after the last one.
    pub fn dated(&mut self, arguments: &[&str]) -> String {
        self.time += 60;
        git_at(&self.main(), Some(self.time), arguments).unwrap()
    }
}
