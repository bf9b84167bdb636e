//! Who opens a file to look at it, and who only passes through.

use super::lab::{Lab, Repo, has};

/// A repository of 2,000 files in 100 folders, all committed.
fn large() -> Repo {
    let repo = Repo::new();
    for n in 0..2_000 {
        repo.write(&format!("lib/part{:02}/file{n}.rs", n % 100), &format!("pub fn f{n}() {{}}\n"));
    }
    repo.commit("many");
    repo
}

fn check(lab: &Lab, program: &str, arguments: &[&str], expect: &[&str]) {
    lab.run(program, arguments);
    assert_eq!(lab.openings(), expect, "{program} {arguments:?}");
}

#[test]
fn a_reader_is_seen() {
    let lab = Repo::new().watched();
    check(&lab, "cat", &["src/main.rs"], &["src/main.rs"]);
    check(&lab, "cat", &["src/main.rs"], &[]);
    lab.watch().own_doings().expect_open("src/lib.rs");
    check(&lab, "cat", &["src/lib.rs"], &[]);
    check(&lab, "cat", &["src/lib.rs"], &["src/lib.rs"]);
    check(&lab, "cat", &["Cargo.toml"], &[]);
}

#[test]
fn an_editor_is_seen_at_once() {
    if !has("vim") {
        return;
    }
    let lab = large().watched();
    let arguments = ["-u", "NONE", "-c", "set swapfile directory=. updatecount=1", "-c", "normal ix", "-c", "wq"];
    lab.run("vim", &[&arguments[..], &["lib/part07/file7.rs"]].concat());
    assert_eq!(lab.openings(), ["lib/part07/file7.rs"]);
}

#[test]
fn searches_and_git_are_no_readers() {
    let lab = large().watched();
    check(&lab, "grep", &["-r", "nothing", "."], &[]);
    check(&lab, "find", &[".", "-name", "x"], &[]);
    check(&lab, "grep", &["-r", "nothing", "lib/part03"], &[]);
    check(&lab, "git", &["status"], &[]);
    if has("rg") {
        check(&lab, "rg", &["nothing"], &[]);
    }
    lab.git(&["checkout", "-q", "-b", "topic"]);
    for n in 0..300 {
        lab.write(&format!("lib/part{:02}/file{n}.rs", n % 100), "pub fn changed() {}\n");
    }
    lab.git(&["add", "-A"]);
    check(&lab, "git", &["commit", "-qm", "changed"], &[]);
    check(&lab, "git", &["checkout", "-q", "main"], &[]);
    check(&lab, "git", &["checkout", "-q", "topic"], &[]);
    check(&lab, "cat", &["src/main.rs"], &["src/main.rs"]);
}

#[test]
fn a_build_is_no_reader() {
    if !has("sh") {
        return;
    }
    let lab = large().watched();
    // As compilers do: read every source once, write what is ignored.
    let script = "mkdir -p target; for d in lib/part0*; do cat $d/*.rs > target/${d##*/}.o; done";
    check(&lab, "sh", &["-c", script], &[]);
}
