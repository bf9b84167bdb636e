//! Files that change with everything and say nothing, and authors who are no people.

/// Whole names, in lower case.
const NAMES: [&str; 14] = [
    "cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "poetry.lock",
    "uv.lock",
    "pipfile.lock",
    "gemfile.lock",
    "composer.lock",
    "go.sum",
    "flake.lock",
];
/// Beginnings of names, in capitals as they are written.
const BEGINNINGS: [&str; 6] = ["CHANGELOG", "CHANGES", "HISTORY", "RELEASE", "AUTHORS", "CONTRIBUTORS"];
const BOTS: [&str; 8] = [
    "dependabot",
    "renovate",
    "greenkeeper",
    "pre-commit-ci",
    "github-actions",
    "snyk-bot",
    "semantic-release",
    "mergify",
];

/// Lock files, change logs and lists of names.
pub fn is_trivial(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || name == "History.md"
        || NAMES.iter().any(|trivial| name.eq_ignore_ascii_case(trivial))
}

pub fn is_bot(name: &str, email: &str) -> bool {
    [name, email].iter().any(|text| {
        let text = text.to_lowercase();
        text.contains("[bot]") || BOTS.iter().any(|bot| text.contains(bot))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_and_change_logs_say_nothing() {
        for path in ["Cargo.lock", "a/b/package-lock.json", "CHANGELOG.md", "docs/CHANGES.rst", "History.md", "AUTHORS"]
        {
            assert!(is_trivial(path), "{path}");
        }
        for path in ["Cargo.toml", "src/changelog.rs", "src/history.rs", "release.sh", "package.json", ""] {
            assert!(!is_trivial(path), "{path}");
        }
    }

    #[test]
    fn a_bot_is_known_by_its_name_or_address() {
        assert!(is_bot("dependabot[bot]", "") && is_bot("Renovate Bot", "") && is_bot("x", "1+a[bot]@example.com"));
        assert!(!is_bot("Abbot", "abbot@example.com") && !is_bot("", ""));
    }
}
