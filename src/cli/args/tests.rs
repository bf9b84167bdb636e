//! What the command line accepts, and what it refuses.

use clap::CommandFactory;

use super::*;

#[test]
fn the_grammar_has_no_contradiction() {
    Args::command().debug_assert();
}

#[test]
fn every_command_teaches_with_an_example() {
    fn check(command: &clap::Command) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains("Example") && help.contains("lokid"), "{} has no example", command.get_name());
        command.get_subcommands().for_each(check);
    }
    check(&Args::command());
}

#[test]
fn links_takes_an_id_or_the_word_add() {
    let parse = |line: &str| Args::try_parse_from(line.split(' '));
    assert!(parse("lokid links note-1 --depth 2").is_ok());
    assert!(parse("lokid links add a related_to b").is_ok());
    assert!(parse("lokid links").is_err());
    assert!(parse("lokid links add a likes b").is_err());
}

#[test]
fn forget_needs_to_know_what_and_exactly_once() {
    let parse = |line: &str| Args::try_parse_from(line.split(' ')).map(|_| ());
    assert!(parse("lokid forget").is_err());
    assert!(parse("lokid forget note-1 --key k").is_err());
    for line in ["lokid forget note-1 --purge", "lokid forget --key k -y", "lokid forget --undo note-1"] {
        assert!(parse(line).is_ok(), "{line}");
    }
}

#[test]
fn a_share_lies_between_nothing_and_all() {
    assert_eq!(share("0.25"), Ok(0.25));
    for bad in ["1.1", "-0.1", "NaN", "much"] {
        assert!(share(bad).is_err(), "{bad}");
    }
}
