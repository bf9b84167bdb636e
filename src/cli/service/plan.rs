//! What an installation consists of: which files, and what a manager is asked to do with them. It touches nothing.

use std::path::PathBuf;

use super::super::failure::Done;
use super::super::screen::Screen;
use super::facts::Facts;
use super::manager::Manager;
use super::{escape, plist, unit};

pub(super) struct ServicePlan {
    pub(super) manager: Manager,
    pub(super) files: Vec<File>,
    /// What is started and stopped: units, or the label of an agent.
    pub(super) names: Vec<String>,
    /// The project, when this is about its nights and not about the daemon.
    pub(super) night: Option<String>,
}

pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl ServicePlan {
    pub(super) fn new(manager: Manager, facts: &Facts, night: Option<String>) -> ServicePlan {
        let unit = |name: &str, text| File { path: facts.units.join(name), text };
        let agent = |label: &str, text| File { path: facts.agents.join(format!("{label}.plist")), text };
        let (files, names) = match (manager, &night) {
            (Manager::Systemd, None) => (
                vec![unit(unit::SOCKET, unit::socket(facts)), unit(unit::SERVICE, unit::service(facts))],
                vec![unit::SOCKET.to_owned(), unit::SERVICE.to_owned()],
            ),
            (Manager::Systemd, Some(project)) => (
                vec![
                    unit(unit::NIGHT_SERVICE, unit::night_service(facts)),
                    unit(unit::NIGHT_TIMER, unit::night_timer()),
                ],
                vec![format!("lokid-night@{}.timer", escape::instance(project))],
            ),
            (Manager::Launchd, None) => {
                (vec![agent(plist::DAEMON, plist::daemon(facts))], vec![plist::DAEMON.to_owned()])
            }
            (Manager::Launchd, Some(project)) => {
                let label = plist::night_label(project);
                (vec![agent(&label, plist::night(facts, project))], vec![label])
            }
        };
        ServicePlan { manager, files, names, night }
    }

    /// How it is spoken of.
    pub(super) fn what(&self) -> String {
        match &self.night {
            None => "the service".to_owned(),
            Some(project) => format!("nights in {project}"),
        }
    }

    /// Every file below its path, for those who want to paste it themselves.
    pub(super) fn print(&self, screen: &mut Screen) -> Done {
        for (at, file) in self.files.iter().enumerate() {
            let comment = match self.manager {
                Manager::Systemd => format!("# {}", file.path.display()),
                // Nothing may stand before the declaration.
                Manager::Launchd => String::new(),
            };
            if !comment.is_empty() {
                screen.line(format!("{}{comment}", if at > 0 { "\n" } else { "" }))?;
            }
            screen.text(&file.text)?;
        }
        let paths: Vec<String> = self.files.iter().map(|file| file.path.display().to_string()).collect();
        screen.note(format!("this goes into {}; nothing was written", paths.join(" and ")));
        Ok(())
    }
}
