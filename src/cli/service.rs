//! `lokid service`: have lokid run as a service of its user, take that back, and tell how it stands.
//!
//! Units and agents are written for the paths of this very user. Like `lokid hooks` this writes outside lokid's own
//! directories: only when asked to, only after showing what, and so that it can be taken back.

mod change;
mod escape;
mod facts;
mod linger;
mod manager;
mod plan;
mod plist;
mod status;
mod unit;

use super::args::Service;
use super::failure::Done;
use super::screen::Screen;
use super::settings::Settings;
use facts::Facts;
pub(super) use manager::Manager;
use plan::ServicePlan;

pub(super) fn run(service: &Service, settings: &Settings, screen: &mut Screen) -> Done {
    let facts = Facts::look(settings)?;
    let night = |timer: bool| timer.then(|| facts::project(settings)).transpose();
    match service {
        Service::Install { change, print, linger } => {
            let asked = print.as_deref().and_then(Manager::from_word);
            let plan = ServicePlan::new(asked.unwrap_or(Manager::own()), &facts, night(change.timer)?);
            match print {
                Some(_) => plan.print(screen),
                None => change::install(&plan, change.yes, *linger, settings, screen),
            }
        }
        Service::Uninstall { change } => {
            let plan = ServicePlan::new(Manager::own(), &facts, night(change.timer)?);
            change::uninstall(&plan, change.yes, settings, screen)
        }
        Service::Status => status::run(&ServicePlan::new(Manager::own(), &facts, None), settings, screen),
    }
}

/// With `LOKID_WRITE_UNITS` set, writes the file instead.
#[cfg(test)]
fn same_as_in_the_repository(name: &str, text: &str) {
    use lokid_sys::{env, plain};
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if env::var("LOKID_WRITE_UNITS").is_some() {
        plain::replace(&path, text.as_bytes()).unwrap();
    }
    let found = plain::read_text(&path, 1 << 20).unwrap().unwrap_or_default();
    assert_eq!(found, text, "{name} is not what is generated: run this test with LOKID_WRITE_UNITS=1");
}
