//! The checker checked: small sources with a violation that must be caught, and innocent ones that must pass.

use super::*;

fn check(rule: fn(&Source) -> Vec<String>, path: &str, text: &str, expected: &[&str]) {
    let found = rule(&Source::new(path, text));
    let matches = found.len() == expected.len() && found.iter().zip(expected).all(|(one, other)| one.contains(other));
    assert!(matches, "{path}: {text}\nfound {found:#?}\nexpected {expected:#?}");
}

#[test]
fn a_room_that_names_a_forbidden_room_is_caught_with_its_line() {
    check(
        layering,
        "src/model/a.rs",
        "//! x\nuse crate::sys::Clock;",
        &["src/model/a.rs:2: model may not name crate::sys"],
    );
    check(layering, "src/encode/a.rs", "fn f() { crate::store::read() }", &["encode may not name crate::store"]);
    check(layering, "src/config.rs", "use crate::sys;", &["config may not name crate::sys"]);
    check(layering, "src/engine/a.rs", "use crate::serve::x;", &["engine may not name crate::serve"]);
    check(layering, "src/store/a.rs", "use crate::nowhere::x;", &["store may not name crate::nowhere"]);
    check(layering, "src/store/a.rs", "use crate::*;", &["store may not name crate::*"]);
}

#[test]
fn allowed_rooms_pass() {
    check(layering, "src/store/a.rs", "use crate::{model::x, sys::{y, z}, store::w};", &[]);
    check(layering, "src/engine/a.rs", "use crate::mirror::x;", &[]);
    check(layering, "src/cli/a.rs", "pub(crate) fn f() { crate::serve::run() }", &[]);
    check(layering, "src/lib.rs", "pub use crate::cli;", &[]);
}

#[test]
fn groups_and_nested_groups_are_spelled_out() {
    let text = "use crate::{\n    model::{a, b},\n    engine::{c::{d, e}, f},\n};";
    let caught = "src/store/a.rs:3: store may not name crate::engine";
    check(layering, "src/store/a.rs", text, &[caught, caught, caught]);
    check(doors, "src/store/a.rs", "use std::{io, fs::{self, File}};", &["std::fs::self", "std::fs::File"]);
}

#[test]
fn comments_and_strings_do_not_count() {
    let text = "// crate::engine\n/* crate::sys /* std::fs */ */ const A: &str = \"crate::cli \\\" std::fs\";\n\
                const B: &str = r#\"println!(\"std::fs\")\"#; const C: char = '\"'; fn f<'a>(x: &'a str) {} // '";
    for rule in [layering, doors, printing] {
        check(rule, "src/model/a.rs", text, &[]);
    }
    check(doors, "src/model/a.rs", "const C: char = '\"'; use std::fs; // \"", &["std::fs"]);
    check(doors, "src/model/a.rs", "const C: u8 = b'\\''; use std::fs;", &["std::fs"]);
}

#[test]
fn climbing_out_of_the_room_is_caught_and_climbing_inside_passes() {
    check(layering, "src/store/mod.rs", "use super::engine::x;", &["super:: leaves the room"]);
    check(layering, "src/store/a.rs", "use super::super::engine::x;", &["super:: leaves the room"]);
    check(layering, "src/store/a.rs", "use super::b::x;", &[]);
    check(layering, "src/store/a/b.rs", "use super::super::c::x;", &[]);
    check(layering, "src/store/a.rs", "fn f() {} mod tests { use super::super::b; }", &[]);
    check(layering, "src/store/mod.rs", "mod tests { use super::*; } use super::x;", &["super:: leaves the room"]);
}

#[test]
fn the_library_does_not_name_itself_and_main_names_only_cli() {
    check(layering, "src/store/a.rs", "use lokid::sys;", &["not lokid::"]);
    check(layering, "src/main.rs", "fn main() { lokid::cli::main() }", &[]);
    check(layering, "src/main.rs", "use lokid::{cli, engine};", &["main.rs names only cli, not engine"]);
    check(layering, "src/main.rs", &"//! x\n".repeat(41), &["src/main.rs:41: main.rs has at most 40 lines"]);
}

#[test]
fn closed_doors_are_caught_outside_sys_only() {
    for (text, shown) in [
        ("std::fs::read(x)", "std::fs::read"),
        ("::std::fs::read(x)", "std::fs::read"),
        ("let t = SystemTime::now();", "SystemTime::now"),
        ("std::time::Instant::now()", "std::time::Instant::now"),
        ("std::env::var(x)", "std::env::var"),
        ("use std::env;", "std::env"),
        ("std::env::current_dir()", "std::env::current_dir"),
        ("std::env::args()", "std::env::args"),
        ("use std::thread;", "std::thread"),
        ("std::thread::spawn(f)", "std::thread::spawn"),
        ("use cap_std::fs::Dir;", "cap_std::fs::Dir"),
        ("git2::Repository::open(x)", "git2::Repository::open"),
        ("rustix::fs::sync()", "rustix::fs::sync"),
        ("tokio::spawn(f)", "tokio::spawn"),
    ] {
        check(doors, "src/engine/a.rs", text, &[shown]);
        check(doors, "src/sys/a.rs", text, &[]);
    }
    let innocent = "use std::time::{Duration, Instant}; use crate::sys::{env, thread}; fn f() { env::var(x); \
                    thread::spawn(n, f); let h: std::thread::JoinHandle<()>; std::env::consts::OS; tokio::sync::oneshot::channel(); }";
    check(doors, "src/engine/a.rs", innocent, &[]);
    check(doors, "src/store/a.rs", "use tokio::sync::mpsc;", &["tokio::sync::mpsc"]);
    check(doors, "src/serve/a.rs", "use tokio::net::UnixListener;", &[]);
    check(doors, "src/cli/a.rs", "std::env::args_os()", &[]);
}

#[test]
fn test_modules_are_exempt_from_doors_but_not_from_layers() {
    let text = "fn f() {}\n#[cfg(test)]\nmod tests { use std::fs; fn g() { println!(); crate::cli::x() } }";
    check(doors, "src/store/a.rs", text, &[]);
    check(printing, "src/store/a.rs", text, &[]);
    check(layering, "src/store/a.rs", text, &["src/store/a.rs:3: store may not name crate::cli"]);
    check(doors, "src/store/a.rs", "#[cfg(test)]\nfn g() {}\nuse std::fs;", &["src/store/a.rs:3: std::fs"]);
    check(doors, "src/store/a.rs", "#[cfg(test)]\nmod tests;\nuse std::fs; mod b {}", &["src/store/a.rs:3: std::fs"]);
    check(doors, "src/store/a.rs", "#[cfg(test)]\n#[allow(x)]\nmod tests {\nuse std::fs; }", &[]);
    check(doors, "src/store/tests.rs", "use std::fs;", &[]);
}

#[test]
fn derives_openings_lengths_and_prints_are_caught() {
    let derive = "#[derive(Clone,\n    serde::Serialize)]\nstruct A;";
    check(derives, "src/model/a.rs", derive, &["src/model/a.rs:1: serde is derived only in"]);
    check(derives, "src/store/a.rs", derive, &[]);
    check(opening, "src/model/a.rs", "use x;", &["src/model/a.rs:1: a file opens with"]);
    check(opening, "src/model/a.rs", "//! Owns x.\n", &[]);
    check(length, "src/model/a.rs", &"\n".repeat(501), &["501 lines, more than 500"]);
    check(length, "src/model/a.rs", &"\n".repeat(500), &[]);
    check(
        printing,
        "src/model/a.rs",
        "fn f() {\n    eprintln!(\"x\") }",
        &["src/model/a.rs:2: eprintln! belongs to cli"],
    );
    check(printing, "src/cli/a.rs", "println!()", &[]);
    check(printing, "src/model/a.rs", "fn f(a: bool) { if !a != b { my_println!() } }", &[]);
}
