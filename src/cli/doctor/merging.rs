//! Merges of the store's files: does git know the driver that `.gitattributes` asks for?

use std::path::Path;

use super::Check;
use lokid_sys::{env, git, plain};

const KEY: &str = "merge.lokid.driver";
const CONFIGURE: &str = "git config merge.lokid.driver \"lokid merge-driver %O %A %B %P\"";
const ATTRIBUTE: &str = ".loki/memory/**/*.json merge=lokid";

pub(super) fn look(root: &Path) -> Check {
    let info = git::head::common_dir(root).map(|git| git.join("info/attributes"));
    let files = [Some(root.join(".gitattributes")), info];
    let wanted = files.iter().flatten().any(|path| asks_for_it(path));
    let driver = git::setting(root, KEY).filter(|driver| !driver.trim().is_empty());
    match (wanted, driver) {
        (false, None) => Check::good("merge driver", "not used: merges of the store are git's own"),
        (true, None) => {
            let found = ".gitattributes asks for merge=lokid, and git does not know it: merges fall back to plain text";
            Check::doubtful("merge driver", found, CONFIGURE)
        }
        (false, Some(_)) => {
            let found = "git knows it, and .gitattributes does not ask for it";
            Check::doubtful("merge driver", found, format!("add `{ATTRIBUTE}` to .gitattributes"))
        }
        (true, Some(driver)) => match driver.split_whitespace().next().map(|word| word.trim_matches(['\'', '"'])) {
            Some(program) if env::program(program).is_some() => Check::good("merge driver", "git knows it"),
            program => {
                let found = format!("git would run {}, which is not there", program.unwrap_or_default());
                Check::broken("merge driver", found, CONFIGURE)
            }
        },
    }
}

fn asks_for_it(path: &Path) -> bool {
    let text = plain::read_text(path, 1 << 20).ok().flatten().unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.into_iter().any(|line| line.split_whitespace().skip(1).any(|attribute| attribute == "merge=lokid"))
}
