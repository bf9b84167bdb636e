//! The part of a repository a file belongs to, as a person would call it. Looks at paths alone.

use super::tidy;

/// Folders that hold code and say nothing about it, wherever they stand.
const HOLDERS: &[&str] = &["src", "lib", "libs", "source", "sources"];
/// Folders that say nothing about what is in them when they come first: the next name says more.
const COLLECTIONS: &[&str] = &[
    "app",
    "apps",
    "bin",
    "cmd",
    "crates",
    "internal",
    "modules",
    "packages",
    "pkg",
    "pkgs",
    "plugins",
    "projects",
    "services",
    "workspaces",
];
const TESTS: &[&str] = &["__tests__", "e2e", "spec", "specs", "test", "tests", "testing", "testsuite"];
/// What tests are sorted by.
const SORTS_OF_TESTS: &[&str] = &["functional", "integration", "it", "unit"];
const DOCUMENTS: &[&str] = &["doc", "docs", "documentation"];
const AUTOMATION: &[&str] = &[".buildkite", ".circleci", ".github", ".gitlab", ".gitlab-ci.yml", ".travis.yml", "ci"];
/// Folders of languages below `src/main` and `src/test`, followed by a reversed domain.
const LANGUAGES: &[&str] = &["groovy", "java", "kotlin", "scala"];
const TOP_DOMAINS: &[&str] = &["app", "com", "de", "dev", "edu", "fr", "gov", "io", "me", "net", "org", "uk"];
/// File names that stand for their folder.
const FOLDER_FILES: &[&str] =
    &["__init__", "__main__", "conftest", "index", "lib", "main", "mod", "package-info", "readme", "test", "tests"];
/// Files at the top that tell how the whole is built.
const BUILD_ENDINGS: &[&str] =
    &["bazel", "cfg", "cmake", "gradle", "ini", "json", "kts", "lock", "mod", "sum", "toml", "xml", "yaml", "yml"];
const BUILD_FILES: &[&str] = &[
    "brewfile",
    "cmakelists.txt",
    "containerfile",
    "dockerfile",
    "gemfile",
    "justfile",
    "makefile",
    "procfile",
    "rakefile",
    "requirements.txt",
    "setup.py",
    "vagrantfile",
];
const DOCUMENT_ENDINGS: &[&str] = &["adoc", "md", "mdx", "rst", "txt"];

const MOST_FILES: usize = 12;
const MOST_FOLDERS: usize = 12;

/// What a file is to the program. The lower, the more it says what a change was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Code,
    Tests,
    Aside,
}

/// Where the first of the files is at home that is code; without one the first test, and without one the first at all.
pub(super) fn of_files(files: &[String]) -> Option<String> {
    let mut best: Option<(Role, String)> = None;
    for file in files.iter().take(MOST_FILES) {
        let Some((role, name)) = of(file) else { continue };
        if role == Role::Code {
            return Some(name);
        }
        if best.as_ref().is_none_or(|(known, _)| role < *known) {
            best = Some((role, name));
        }
    }
    best.map(|(_, name)| name)
}

fn of(path: &str) -> Option<(Role, String)> {
    let mut parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    let mut folders = Vec::with_capacity(MOST_FOLDERS);
    folders.extend(parts.by_ref().take(MOST_FOLDERS));
    let file = parts.next_back().or_else(|| folders.pop())?;
    if path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':') {
        from_anywhere(&mut folders);
    }
    let first = folders.first().copied().unwrap_or(file);
    if AUTOMATION.iter().any(|known| known.eq_ignore_ascii_case(first)) {
        return Some((Role::Aside, "ci".to_owned()));
    }
    if !folders.is_empty() && DOCUMENTS.iter().any(|known| known.eq_ignore_ascii_case(first)) {
        return Some((Role::Aside, "docs".to_owned()));
    }
    if let Some(name) = folders.is_empty().then(|| top_file(file)).flatten() {
        return Some((Role::Aside, name.to_owned()));
    }
    Some(module(&folders, file))
}

/// Of a path from the root of the machine the folders up to the code say nothing, and where the repository begins is
/// not known.
fn from_anywhere(folders: &mut Vec<&str>) {
    let holder = folders.iter().rposition(|folder| HOLDERS.contains(folder) || TESTS.contains(folder));
    let keep_from = holder.unwrap_or(folders.len().saturating_sub(1));
    folders.drain(..keep_from);
}

fn top_file(file: &str) -> Option<&'static str> {
    let name = file.trim_start_matches('.').to_ascii_lowercase();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    if BUILD_FILES.contains(&name.as_str()) || name.contains(".config.") || file.starts_with('.') {
        return Some("build");
    }
    match ending {
        Some(ending) if DOCUMENT_ENDINGS.contains(&ending) => Some("docs"),
        Some(ending) if BUILD_ENDINGS.contains(&ending) => Some("build"),
        // LICENSE, AUTHORS, CHANGES: shouted names.
        None if file.len() > 3 && file.bytes().all(|byte| byte.is_ascii_uppercase()) => Some("docs"),
        _ => None,
    }
}

fn module(folders: &[&str], file: &str) -> (Role, String) {
    let mut name: Vec<&str> = Vec::with_capacity(folders.len() + 2);
    let mut passed: Option<&str> = None;
    let mut in_tests = false;
    let mut at = 0;
    while let Some(folder) = folders.get(at) {
        at += 1;
        if HOLDERS.contains(folder) {
            at += java(&folders[at..]);
        } else if TESTS.contains(folder) {
            // Inside a module its tests are part of it.
            in_tests |= name.is_empty();
        } else if name.is_empty() && COLLECTIONS.contains(folder) {
            passed = Some(folder);
        } else if name.is_empty() && in_tests && SORTS_OF_TESTS.contains(folder) {
            continue;
        } else if name.last() != Some(folder) {
            name.push(folder.trim_start_matches('.'));
        }
    }
    let stem = match file.trim_start_matches('.').split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    };
    let bare = without_test(stem);
    // The manifest of a package speaks of the package.
    let stands_for_folder =
        FOLDER_FILES.iter().any(|known| known.eq_ignore_ascii_case(bare)) || top_file(file).is_some();
    if stands_for_folder && name.is_empty() {
        name.extend(passed);
    }
    if !(stands_for_folder && (in_tests || !name.is_empty()) || name.last() == Some(&bare)) {
        name.push(bare);
    }
    if in_tests {
        name.insert(0, "tests");
    }
    let is_test = in_tests || bare.len() < stem.len() || file.contains(".test.") || file.contains(".spec.");
    (if is_test { Role::Tests } else { Role::Code }, tidy(name))
}

/// How many folders behind `src` are Java's habit: `main/java/com/google`.
fn java(folders: &[&str]) -> usize {
    match folders {
        ["main" | "test", language, rest @ ..] if LANGUAGES.contains(language) => match rest {
            [top, _, _, ..] if TOP_DOMAINS.contains(top) => 4,
            [top, ..] if TOP_DOMAINS.contains(top) => 3,
            _ => 2,
        },
        _ => 0,
    }
}

/// The name of what a test tests.
fn without_test(stem: &str) -> &str {
    let prefixes = ["test_", "test-", "tests_"];
    let suffixes = ["_test", "-test", "_tests", "_spec", "-spec"];
    let bare = prefixes.iter().find_map(|prefix| stem.strip_prefix(prefix));
    let bare = bare.or_else(|| suffixes.iter().find_map(|suffix| stem.strip_suffix(suffix)));
    bare.filter(|bare| !bare.is_empty()).unwrap_or(stem)
}
