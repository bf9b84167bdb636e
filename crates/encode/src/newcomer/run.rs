//! Files of tests: whose they are, and the command that runs one, made from the fact that tells how one test is run.

use super::paths::{folder, is_test};

/// A shorter name at the end of another is chance.
const SHORTEST: usize = 4;

/// `pytest tests/test_x.py::NAME` and another file of tests give `pytest tests/test_other.py`. Nothing for what is no test,
/// or where the command does not name a file.
pub fn run_of(fact: &str, path: &str) -> Option<String> {
    let command = fact.split('`').nth(1)?;
    let (place, name) = path.rsplit_once('/').unwrap_or((".", path));
    let ending = name.rsplit_once('.')?.1;
    // What lies among tests and is called otherwise helps them: pytest finds nothing in it.
    let is_passed_over = command.contains("pytest") && !name.starts_with("test_") && !name.ends_with("_test.py");
    if !is_test(path) || is_passed_over {
        return None;
    }
    let mut words: Vec<&str> = Vec::new();
    for word in command.split(' ') {
        let file = word.split("::").next().unwrap_or(word);
        if file.rsplit_once('.').is_some_and(|(_, known)| known == ending) {
            // Beside mocha's own there may be specs of browsers, which another program runs.
            let is_elsewhere = command.contains("mocha") && !path.starts_with(suite_of(file));
            return (!is_elsewhere).then(|| format!("{} {path}", words.join(" ")));
        }
        if word.starts_with("./") && ending == "go" {
            return Some(format!("{} ./{}", words.join(" "), if place == "." { "" } else { place }));
        }
        // `--test-name-pattern='NAME'` would leave out every test.
        if !word.contains("NAME") {
            words.push(word);
        }
    }
    None
}

pub(super) const CARGO: &str = "cargo test";
pub(super) const NEXTEST: &str = "cargo nextest run";

/// What runs the tests of Rust here.
pub fn cargo_of(command: &str) -> &'static str {
    if command.contains(NEXTEST) { NEXTEST } else { CARGO }
}

/// ` --features full` of a command of cargo.
pub fn features_of(command: &str) -> String {
    let mut words = command.split_whitespace();
    match words.find(|word| ["--features", "--all-features"].contains(word)) {
        Some("--features") => words.next().map(|names| format!(" --features {names}")).unwrap_or_default(),
        Some(all) => format!(" {all}"),
        None => String::new(),
    }
}

/// `test/unit/` of `test/unit/core/a.js`
fn suite_of(file: &str) -> &str {
    let end = file.match_indices('/').take(2).last().map_or(0, |(at, _)| at + 1);
    &file[..end]
}

/// Are these, by their name, the tests of that file? `tests/test_auth.py` of `src/auth.py`, `auth.spec.ts` of `auth.ts`,
/// `test_source_toml.py` of `sources/toml.py`, and `createContext.test.js` of `create-context.js`.
pub fn are_tests_of(path: &str, file: &str) -> bool {
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.split('.').next().unwrap_or(name).to_lowercase()
    };
    // In Go tests stand beside what they test; a namesake elsewhere belongs to another package.
    if path.ends_with(".go") && folder(path) != folder(file) {
        return false;
    }
    let tests = stem(path);
    let before = ["test_", "tests_"].iter().find_map(|start| tests.strip_prefix(start));
    let ends: &[&str] = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "java" | "kt" | "cs" | "swift" | "scala" | "php" => &["tests", "test"],
        _ => &["_test", "_tests", "-test", "-tests", "_unittest"],
    };
    let bare = before.or_else(|| ends.iter().find_map(|end| tests.strip_suffix(end))).unwrap_or(&tests);
    let own = stem(file);
    let rest = bare.strip_suffix(own.as_str());
    let is_called_so = |rest: &str| rest.is_empty() || (rest.ends_with('_') && own.len() >= SHORTEST);
    let joined = |stem: &str| stem.replace(['-', '_'], "");
    is_test(path) && !is_test(file) && (rest.is_some_and(is_called_so) || joined(bare) == joined(&own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_called_after_what_they_test() {
        for (path, file) in [
            ("testing/test_skipping.py", "src/_pytest/skipping.py"),
            ("command_test.go", "command.go"),
            ("src/__tests__/hydration.spec.ts", "src/hydration.ts"),
            ("test/request.js", "lib/request.js"),
            ("tests/test_source_toml.py", "sources/toml.py"),
            ("tests/tests_pandas.py", "bars/pandas.py"),
            ("test/createContext.test.js", "src/create-context.js"),
            ("src/test/java/a/JsonReaderTest.java", "src/main/java/a/JsonReader.java"),
            ("a/src/jvmTest/kotlin/b/RouteTest.kt", "a/src/commonJvm/kotlin/b/Route.kt"),
            ("test/std-test.cc", "include/fmt/std.h"),
        ] {
            assert!(are_tests_of(path, file), "{path}");
            assert!(!are_tests_of(file, path) && !are_tests_of(path, "src/other.rs"), "{path}");
        }
        assert!(!are_tests_of("cache/cache_test.go", "client/v3/leasing/cache.go"));
    }

    #[test]
    fn a_file_of_tests_is_run_as_one_test_is() {
        for (fact, path, expected) in [
            ("`pytest tests/test_a.py::NAME`, or `pytest -k NAME`", "tests/test_b.py", Some("pytest tests/test_b.py")),
            ("`npx mocha --require x test/app.js -g 'NAME'`", "test/res.js", Some("npx mocha --require x test/res.js")),
            ("`npx mocha test/unit/app.js -g 'NAME'`", "test/specs/res.spec.js", None),
            ("`node --test --test-name-pattern='NAME' a.test.js`", "b.test.js", Some("node --test b.test.js")),
            ("`go test ./a/b -run '^TestName$'`", "caddy/x_test.go", Some("go test ./caddy")),
            ("`go test ./a -run '^TestName$'`", "x_test.go", Some("go test ./")),
            ("`pytest tests/test_a.py::NAME`", "src/a.py", None),
            ("`pytest tests/test_a.py::NAME`", "tests/spiders.py", None),
            ("no command", "tests/test_b.py", None),
        ] {
            assert_eq!(run_of(fact, path).as_deref(), expected, "{fact} {path}");
        }
    }
}
