//! `lokid team`: a memory that several people and machines share.

mod init;

use super::args::TeamCommand;
use super::failure::Done;
use super::screen::Screen;
use super::settings::Settings;

pub(super) fn run(asked: &TeamCommand, settings: &Settings, screen: &mut Screen) -> Done {
    match asked {
        TeamCommand::Init(asked) => init::run(asked, settings, screen),
    }
}
