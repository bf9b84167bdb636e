//! `lokid team`: a memory that several people and machines share.

pub(super) mod git;
mod init;
mod join;
pub(super) mod promotion;
mod status;

use super::args::TeamCommand;
use super::failure::Done;
use super::screen::Screen;
use super::settings::Settings;

pub(super) fn run(asked: &TeamCommand, settings: &Settings, screen: &mut Screen) -> Done {
    match asked {
        TeamCommand::Join(asked) => join::join(asked, settings, screen),
        TeamCommand::Leave => join::leave(settings, screen),
        TeamCommand::Status => status::status(settings, screen),
        TeamCommand::Inbox => status::inbox(settings, screen),
        TeamCommand::Audit(asked) => status::audit(asked, settings, screen),
        TeamCommand::Git(asked) => git::run(asked, settings, screen),
        TeamCommand::Init(asked) => init::run(asked, settings, screen),
    }
}
