//! The `lokid-hook` program: `lokid hook` alone, small enough to start in an instant.

use std::process::ExitCode;

fn main() -> ExitCode {
    lokid::cli::hook(std::env::args_os())
}
