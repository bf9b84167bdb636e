//! Changing files that belong to somebody else, with care: the change is shown and asked for first, the old bytes are
//! kept, and taking it back brings them again. What is changed, and why, others decide.

pub(super) mod diff;
pub(super) mod ledger;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::failure::{Done, Failure};
use super::screen::{Screen, Style};
use super::settings::Settings;
use diff::{Mark, diff};
use lokid_sys::plain;

/// The file behind a link, when there is one: what is really changed.
pub(super) fn real(path: &Path) -> Option<PathBuf> {
    let real = plain::leads_to(path).ok().flatten()?;
    plain::is_link(path).then_some(real)
}

/// Folders that will have to be made for a file, the innermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

/// What would change in a file.
pub(super) fn show(path: &Path, old: &str, new: &str, settings: &Settings, screen: &mut Screen) -> Done {
    if settings.json || screen.quiet() {
        return Ok(());
    }
    let real = real(path).map(|real| format!(" (a link to {})", real.display())).unwrap_or_default();
    screen.line(screen.paint(Style::Bold, &format!("{}{real}", path.display())))?;
    for (mark, line) in diff(old, new) {
        let line = match mark {
            Mark::Same => format!("  {line}"),
            Mark::Old => screen.paint(Style::Red, &format!("- {line}")),
            Mark::New => screen.paint(Style::Green, &format!("+ {line}")),
            Mark::Gap => screen.paint(Style::Dim, &line),
        };
        screen.line(line)?;
    }
    Ok(())
}

pub(super) fn agreed(question: &str, yes: bool, screen: &mut Screen) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        let message = "nothing was written: nobody is here to be asked";
        return Err(Failure::usage(message).hint("add `--yes`, or `--print` to paste it yourself"));
    }
    Ok(screen.confirm(question))
}
