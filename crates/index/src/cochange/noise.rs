//! Files that change with everything and say nothing, authors who are no people, and commits that only make a release.

use lokid_model::Commit;

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

/// Words that may stand beside a version in the subject of a release.
const OF_A_RELEASE: [&str; 22] = [
    "release",
    "released",
    "releases",
    "releasing",
    "version",
    "versions",
    "bump",
    "bumps",
    "bumped",
    "prepare",
    "preparing",
    "prep",
    "cut",
    "tag",
    "to",
    "for",
    "the",
    "new",
    "next",
    "chore",
    "build",
    "development",
];
/// Files that only tell a version, in lower case.
const OF_A_VERSION: [&str; 6] = ["version", "version.txt", "version.py", "__version__.py", "_version.py", "version.go"];

/// Does it only make a release, or count a version up? What it touches belongs to no piece of work.
pub fn is_release(commit: &Commit) -> bool {
    let subject = commit.subject.to_lowercase();
    let (head, _) = subject.split_once(':').unwrap_or_default();
    if head.contains("(release)") {
        return true;
    }
    let apart = |sign: char| sign.is_whitespace() || matches!(sign, ',' | ':' | '(' | ')' | '!' | '"' | '\'' | '`');
    let mut words = subject.split(apart).map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty()).take(9);
    let of_release = |word: &str| OF_A_RELEASE.contains(&word) || is_version(word);
    let says_so = words.clone().any(|word| word.contains("release") || word.starts_with("version") || is_version(word));
    if says_so && words.all(of_release) {
        return true;
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let only_tells = |path: &str| is_trivial(path) || OF_A_VERSION.contains(&name(path).as_str());
    let is_version_file = |path: &str| OF_A_VERSION.contains(&name(path).as_str());
    commit.files.iter().all(|file| only_tells(&file.path))
        && commit.files.iter().any(|file| is_version_file(&file.path))
}

/// `1.2`, `v3.1.0-rc.1`, `globset-0.4.15`.
fn is_version(word: &str) -> bool {
    let number = |text: &str| {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (first, rest) = text.split_once('.').unwrap_or((text, ""));
        !first.is_empty()
            && first.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with(|sign: char| sign.is_ascii_digit())
    };
    number(word) || word.split_once(['-', '@']).is_some_and(|(_, after)| number(after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{FileChange, FileStatus};

    #[test]
    fn a_release_is_known_by_what_it_says_or_by_what_it_touches() {
        let commit = |subject: &str, files: &[&str]| Commit {
            subject: subject.to_owned(),
            files: files
                .iter()
                .map(|path| FileChange { path: (*path).to_owned(), status: FileStatus::Modified })
                .collect(),
            ..Commit::default()
        };
        for subject in [
            "Release 1.2",
            "v3.1.0",
            "4.18.2",
            "chore(release): 2.0.0",
            "release: v3.5.13",
            "bump version",
            "Bump version to 2.0.0-rc.1",
            "Prepare release v1.2",
            "globset-0.4.15",
            "chore: release v1.2.3",
            "Version bump",
        ] {
            assert!(is_release(&commit(subject, &["src/lib.rs"])), "{subject}");
        }
        for subject in [
            "Release the lock before 1.2 seconds",
            "Fix the version check",
            "bump",
            "Drop Python 3.8",
            "release notes tool",
            "Support HTTP 1.1",
            "release: build fewer artifacts",
            "",
            "feat(releases): list them",
            "Update to serde 1.0",
        ] {
            assert!(!is_release(&commit(subject, &["src/lib.rs"])), "{subject}");
        }
        assert!(is_release(&commit("Onwards", &["CHANGELOG.md", "src/app/__version__.py"])));
        assert!(!is_release(&commit("Onwards", &["CHANGELOG.md"])), "a change log alone may tell of anything");
        assert!(!is_release(&commit("Onwards", &["version.py", "src/lib.py"])));
    }

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
