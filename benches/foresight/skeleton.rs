//! Repositories made out of nothing: commits that are given, written by `git fast-import`.

use super::*;

pub(crate) struct Step {
    pub(crate) author: String,
    /// Seconds since 1970.
    pub(crate) time: i64,
    pub(crate) subject: String,
    /// Paths, and what stands in them from now on.
    pub(crate) files: Vec<(String, String)>,
}

/// Commits the steps one after the other, and checks the last one out.
pub(crate) fn grow(repo: &Path, steps: impl Iterator<Item = Step>) {
    git(repo, &["symbolic-ref", "HEAD", "refs/heads/main"]);
    let mut command = Command::new("git");
    command.args(["fast-import", "--quiet"]).current_dir(repo).stdin(Stdio::piped());
    let mut import = command.spawn().unwrap();
    let mut stream = io::BufWriter::new(import.stdin.take().unwrap());
    for step in steps {
        write_step(&mut stream, &step).unwrap();
    }
    stream.flush().unwrap();
    drop(stream);
    assert!(import.wait().unwrap().success(), "git takes the commits");
    git(repo, &["reset", "-q", "--hard"]);
}

fn write_step(out: &mut impl Write, step: &Step) -> io::Result<()> {
    // What fast-import takes for the end of a name.
    let author: String = step.author.chars().filter(|letter| !"<>\n".contains(*letter)).collect();
    let mail: String =
        author.chars().filter(|letter| letter.is_ascii_alphanumeric() || "[]-".contains(*letter)).collect();
    writeln!(out, "commit refs/heads/main")?;
    for role in ["author", "committer"] {
        writeln!(out, "{role} {author} <{mail}@example.org> {} +0000", step.time)?;
    }
    writeln!(out, "data {}\n{}", step.subject.len(), step.subject)?;
    for (path, text) in &step.files {
        let quoted = path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        writeln!(out, "M 100644 inline \"{quoted}\"\ndata {}\n{text}", text.len())?;
    }
    writeln!(out)
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) {
    lokid_testing::git::git(folder, arguments).unwrap();
}
