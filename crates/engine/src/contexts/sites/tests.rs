//! Tests of which names are spoken of, and how they are shown.

use super::*;

fn folded_of(names: Vec<Name>) -> Vec<String> {
    names.into_iter().map(|name| name.folded).collect()
}

#[test]
fn a_goal_speaks_of_names_and_an_ordinary_hyphen_makes_none() {
    let of = |goal| folded_of(told_names(Some(goal), None));
    assert_eq!(of("Flow context in SetHelpFunc, and `--list-heading`"), ["sethelpfunc", "listheading"]);
    assert_eq!(of("docs: what -e/--extension matches"), ["--extension"]);
    assert_eq!(of("split `$PAGER`, GIT and `EDITOR` as in `README.md`"), ["PAGER", "EDITOR"]);
    assert_eq!(of("fix(load_all): don't panic in State.toString() of a pre-existing value"), ["tostring"]);
    assert!(of("Add a link to GitHub for well-known hosts").is_empty());
    assert_eq!([of("Drop Python 3.7"), of("Bump Rust from 1.70 to 1.80")].concat(), ["3.7", "1.70"]);
    assert!(of("Work around Python 3.7").is_empty() && of("Upgrade it to 1.2.1").is_empty());
}

#[test]
fn what_is_defined_is_shown_below_its_marks() {
    let text = "@cached\n@wrapped\ndef load():\n    pass\n";
    assert_eq!([1, 2, 3, 4].map(|line| headed(text, line).unwrap().0), [3, 3, 3, 4]);
    assert_eq!([headed(text, 0), headed("#[inline]", 1), headed(text, 9)], [None, None, None]);
}

#[test]
fn a_branch_and_an_error_speak_of_names_too() {
    assert_eq!(folded_of(told_names(None, Some("docs/ssl_cert_file-progressbar"))), ["sslcertfile", "progressbar"]);
    let of_branch = |branch| folded_of(told_names(None, Some(branch)));
    assert_eq!(of_branch("chore/drop-python-3.7"), ["3.7"]);
    assert!(of_branch("fix/python-3.7").is_empty());
    let error = "thread 'main' panicked at src/the_diff.rs:47:9:\nNone in get_git_diff\n";
    assert_eq!(folded_of(names_in_errors(&[error])), ["getgitdiff"]);
    let read = "TypeError: Cannot read properties of undefined (reading 'allNodes')\n at drawAll (/app/a.js:7:2)";
    assert_eq!(folded_of(names_in_errors(&[read])), ["drawall"]);
}
