//! The editors' own tests, run with the program under test: the scripts drive the real editors and skip with a line
//! where one is not installed.

use std::process::{Command, Stdio};

#[test]
fn neovim_tells_what_it_opens_and_saves_and_is_silent_without_a_daemon() {
    run("nvim");
}

#[test]
fn emacs_tells_what_it_visits_and_saves_and_is_silent_without_a_daemon() {
    run("emacs");
}

#[test]
fn the_extension_for_vs_code_tells_what_is_active_and_saved_and_is_silent_without_a_daemon() {
    run("vscode");
}

fn run(editor: &str) {
    let script = format!("{}/tests/clients/{editor}.sh", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("bash")
        .arg(script)
        .env("LOKID", env!("CARGO_BIN_EXE_lokid"))
        .stdin(Stdio::null())
        .output()
        .expect("bash runs the script");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{out}");
    assert!(output.status.success(), "{out}{err}");
    let closing = out.lines().last().unwrap_or_default();
    assert!(closing.starts_with("ok: ") || closing.starts_with("skipped: "), "{out}{err}");
}
