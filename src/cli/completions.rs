//! `lokid completions`: what a shell needs to complete the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Args;
use super::failure::Done;
use super::screen::Screen;

pub(super) fn run(shell: Shell, screen: &mut Screen) -> Done {
    // Into memory first: the generator panics when its writer fails, as a closed pipe does.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "lokid", &mut script);
    screen.text(&String::from_utf8_lossy(&script))
}
