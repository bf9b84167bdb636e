//! What a path says a file is. Looks at names alone.

use crate::code::Language;

/// What others wrote, and what is there to be read by tests.
pub(super) fn is_foreign(path: &str) -> bool {
    #[rustfmt::skip]
    const FOREIGN: &[&str] = &[
        "node_modules", "vendor", "vendored", "_vendor", "third_party", "third-party", "thirdparty", "target", "dist",
        "fixtures", "fixture", "__fixtures__", "testdata", "test-data", "test_data", "templates", "template", ".venv",
        "__snapshots__", "snapshots",
    ];
    path.split('/').any(|part| FOREIGN.contains(&part) || part.starts_with("template-"))
}

pub(super) fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let folders =
        ["t", "test", "tests", "__tests__", "spec", "specs", "testing", "testsuite", "integration_tests", "e2e"];
    path.split('/').any(|part| folders.contains(&part) || part.ends_with("-tests") || part.starts_with("tests-"))
        || ["test_", "tests."].iter().any(|start| name.starts_with(start))
        || ["_test.", "_tests.", ".test.", ".spec.", "_spec.", "-spec.", "-test."]
            .iter()
            .any(|part| name.contains(part))
        || ["Test.java", "Tests.java", "Test.kt", "Tests.kt"].iter().any(|end| name.ends_with(end))
        || ["conftest.py", "tests.rs", "test.rs", "test.js", "test.ts"].contains(&name)
}

/// Examples, benchmarks, documentation, scripts of the build: code beside the program.
pub(super) fn is_aside(path: &str) -> bool {
    #[rustfmt::skip]
    const BESIDE: &[&str] = &[
        "docs", "doc", "examples", "example", "benches", "bench", "benchmark", "benchmarks", "scripts", "script",
        "ci", "tools", "hack", "contrib", "playground", "playgrounds", "tutorials", "website", "site", "samples", "fuzz",
        "packages-private", "documentation", "xtask", "stress-test", "build",
    ];
    path.split('/').any(|part| BESIDE.contains(&part) || part.starts_with('.') && part.len() > 1)
        || path.rsplit('/').next().is_some_and(|name| {
            ["__version__.", "version.", "setup.py", "build.rs", "conf.py", "noxfile.py"]
                .iter()
                .any(|start| name.starts_with(start))
        })
}

/// Source code of the program itself.
pub(super) fn is_source(path: &str) -> bool {
    Language::of(path).is_some() && !is_test(path) && !is_aside(path) && !is_foreign(path)
}

/// Does a browser run these tests, and no runner of the language?
pub fn is_for_browsers(path: &str, is_there: &dyn Fn(&str) -> bool) -> bool {
    const FOLDERS: [&str; 3] = ["e2e", "playwright", "cypress"];
    const CONFIGS: [&str; 4] =
        ["playwright.config.ts", "playwright.config.js", "cypress.config.ts", "cypress.config.js"];
    let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
    above.any(|folder| {
        FOLDERS.contains(&folder.rsplit('/').next().unwrap_or(folder))
            || CONFIGS.iter().any(|config| is_there(&format!("{folder}/{config}")))
    })
}

pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
