//! What teaches nothing: programs that commit, releases, sweeps of formatting, typing errors, and the files that every
//! change touches.

use super::marks::Spaced;
use super::subject::Subject;
use lokid_model::Commit;

const PROGRAMS: [&str; 14] = [
    "[bot]",
    "dependabot",
    "renovate",
    "greenkeeper",
    "snyk-bot",
    "github-actions",
    "pre-commit-ci",
    "pyup-bot",
    "weblate",
    "transifex",
    "allcontributors",
    "mergify",
    "-bot",
    "semantic-release",
];

pub(super) fn by_program(commit: &Commit) -> bool {
    let name = commit.author_name.to_lowercase();
    let email = commit.author_email.to_lowercase();
    PROGRAMS.iter().any(|program| name.contains(program) || email.contains(program)) || name == "bors" || name == "bot"
}

/// Releases, bumps, formatting, merges told as commits, and half-done work.
pub(super) fn says_nothing(subject: &Subject<'_>) -> bool {
    let text = subject.text;
    if text.split_whitespace().count() < 2 || is_version(text) {
        return true;
    }
    if matches!(subject.kind.as_deref(), Some("style" | "deps" | "release")) {
        return true;
    }
    let scope = subject.scope.unwrap_or("").to_ascii_lowercase();
    if ["deps", "dependencies", "release", "changelog", "lint", "fmt", "typo", "dev-deps", "deps-dev"]
        .contains(&scope.as_str())
    {
        return true;
    }
    let spaced = Spaced::new(text);
    if text.starts_with("fixup!") || text.starts_with("squash!") || text.starts_with("amend!") {
        return true;
    }
    let is_work = matches!(subject.kind.as_deref(), Some("fix" | "feat" | "perf" | "refactor"));
    spaced.has_any(SWEEPS) || (!is_work && (spaced.starts_with_any(OPENINGS) || is_release(&spaced) || is_merge(text)))
}

const SWEEPS: &str = "rustfmt, clippy, whitespace, typo, typos, spelling, grammar, release notes, cargo fmt";

const OPENINGS: &str = "auto merge, rollup merge, bump, bumped, prepare release, prepare for release, prepare for \
    next, start version, version bump, wip, tmp, initial commit, first commit, gofmt, \
    reformat, reformatted, format code, run formatter, apply black, run black, run prettier, \
    update changelog, updated changelog, changelog, update dependencies, update dependency, \
    update deps, update dev dependencies, update lockfile, update copyright, update \
    translations, updated translations, update authors, apply suggestions, address review, \
    address comments, oops, lint, linting, update submodule, update submodules";

fn is_release(subject: &Spaced) -> bool {
    let mut words = subject.words();
    let opens = words.next().is_some_and(|word| ["release", "released", "releasing", "tag"].contains(&word));
    let named = |word: &str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    opens && words.next().is_none_or(|word| named(word) || ["version", "candidate", "notes"].contains(&word))
}

fn is_merge(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let opens = words.next().is_some_and(|word| ["Merge", "Merged", "merge", "Merging"].contains(&word));
    opens
        && words.next().is_some_and(|word| {
            word.starts_with(['#', '\'', '"', '`'])
                || [
                    "branch",
                    "branches",
                    "pull",
                    "remote-tracking",
                    "tag",
                    "commit",
                    "master",
                    "main",
                    "origin",
                    "upstream",
                    "from",
                    "in",
                    "PR",
                    "back",
                ]
                .contains(&word)
                || word.contains('/')
        })
}

/// A correction of the text, the tests or the tools rather than of the program.
pub(super) fn is_trivial_fix(subject: &Subject<'_>) -> bool {
    let scope = subject.scope.unwrap_or("").to_ascii_lowercase();
    if scope.starts_with("doc")
        || ["ci", "test", "tests", "readme", "website", "examples", "lint"].contains(&scope.as_str())
    {
        return true;
    }
    let spaced = Spaced::new(subject.text);
    spaced.has_any(
        "lint, lints, linter, linting, warning, warnings, formatting, indentation, broken link, broken links, dead link, dead \
        links, link, links, changelog, comment, comments, docstring, docstrings, readme, ci, documentation, \
        docs, doc, wording, copyright, version number, test name, import order, flake8, mypy, eslint, merge \
        conflict, conflicts, conflict, build badge, badge, rst, markdown, punctuation",
    )
}

pub(super) fn is_about_tests(subject: &Subject<'_>) -> bool {
    Spaced::new(subject.text).has_any("test, tests, testing, testsuite, unittest, unittests, improve, improved")
}

/// `1.2.3`, `v1.2`, `name-0.4.25`, `name 1.2.3`
fn is_version(text: &str) -> bool {
    let last = text.rsplit([' ', '-', '@']).next().unwrap_or("").trim_start_matches('v').trim_end_matches('.');
    let is_number =
        last.contains('.') && last.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    is_number && text.split_whitespace().count() <= 2
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Touched by every second change, at home in none.
pub(super) fn is_bookkeeping(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or("");
    name.ends_with(".lock")
        || ["package-lock.json", "pnpm-lock.yaml", "go.sum", "npm-shrinkwrap.json", "authors"].contains(&name.as_str())
        || ["changelog", "changes", "history", "news", "contributors"].contains(&stem)
        || path.contains("/locale/")
        || path
            .split('/')
            .any(|folder| ["changelog", "changelogs", "newsfragments", ".changeset", "changes"].contains(&folder))
}

pub(super) fn is_document(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    is_bookkeeping(path)
        || path.split('/').any(|folder| ["docs", "doc", "examples", "website", "site"].contains(&folder))
        || [".md", ".rst", ".adoc", ".txt", ".1", ".mdx"].iter().any(|ending| name.ends_with(ending))
}

/// Not the program itself: tests, documents, what builds and publishes it, and what it is made of.
pub(super) fn is_aside(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    let first = path.split('/').next().unwrap_or("");
    is_test(path)
        || is_document(path)
        || (first.starts_with('.') && first.len() > 1)
        || ["ci", "scripts", "benches", "bench", "benchmarks", "requirements"].contains(&first)
        || [
            "cargo.toml",
            "package.json",
            "go.mod",
            "go.work",
            "pyproject.toml",
            "setup.cfg",
            "setup.py",
            "tox.ini",
            "makefile",
            "dockerfile",
            "appveyor.yml",
            "azure-pipelines.yml",
            "noxfile.py",
            "justfile",
            "renovate.json",
            "owners",
            "owners_aliases",
            "codeowners",
            "license",
        ]
        .contains(&name.as_str())
        || [".yml", ".yaml", ".lock", ".gradle", ".spec"].iter().any(|ending| name.ends_with(ending))
}

pub(super) fn is_test(path: &str) -> bool {
    let name = file_name(path);
    const FOLDERS: [&str; 9] =
        ["test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "testsuite", "fixtures"];
    let folder = path.rsplit_once('/').is_some_and(|(folders, _)| folders.split('/').any(|one| FOLDERS.contains(&one)));
    folder
        || name.starts_with("test_")
        || name.contains("_test.")
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.contains("_spec.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_sweeps_and_half_done_work_say_nothing() {
        for line in [
            "v1.2.3",
            "ignore-0.4.25",
            "Bump serde from 1.0 to 1.1",
            "chore(deps): update x",
            "deps: bump to grep 0.1",
            "style: reformat",
            "Run rustfmt",
            "cargo fmt",
            "fixup! Add x",
            "WIP on parser",
            "Fix typo in README",
            "release version 2.3.3",
            "wip",
            "Merge branch 'x'",
            "chore(release): 1.2.3",
            "typos",
        ] {
            assert!(says_nothing(&Subject::parse(line)), "{line}");
        }
        for line in [
            "Add a typology of errors",
            "fix: release the lock before waiting",
            "Merge adjacent spans into one",
            "Release the lock before waiting",
            "Bumpers now bounce",
        ] {
            assert!(!says_nothing(&Subject::parse(line)), "{line}");
        }
    }

    #[test]
    fn programs_are_known_by_name_or_address() {
        let by = |name: &str, email: &str| {
            by_program(&Commit { author_name: name.into(), author_email: email.into(), ..Commit::default() })
        };
        assert!(by("dependabot[bot]", "") && by("Renovate Bot", "bot@renovateapp.com") && by("bors", ""));
        assert!(!by("Abbot", "abbot@example.org"));
    }

    #[test]
    fn corrections_of_text_and_tools_are_trivial() {
        for line in ["fix(docs): say it right", "Fix broken link", "fix lint", "Fixed comment"] {
            assert!(is_trivial_fix(&Subject::parse(line)), "{line}");
        }
        assert!(!is_trivial_fix(&Subject::parse("fix(io): retry a linked file")));
    }

    #[test]
    fn files_are_sorted_by_what_they_are() {
        assert!(
            is_bookkeeping("Cargo.lock") && is_bookkeeping("docs/CHANGES.rst") && !is_bookkeeping("src/history/mod.rs")
        );
        assert!(is_document("README.md") && !is_document("src/doc.rs"));
        assert!(is_test("tests/it.rs") && is_test("a/b_test.go") && !is_test("src/contest.rs"));
    }
}
