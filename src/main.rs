//! The `lokid` program: hand the command line over, hand the exit code back.

use std::process::ExitCode;

fn main() -> ExitCode {
    lokid::cli::main(std::env::args_os())
}
