//! What the name of a file says about where it belongs: its folder, and the thing it is about.

/// Names that speak of their folder.
const OF_THE_FOLDER: [&str; 6] = ["mod", "index", "lib", "main", "__init__", "package"];
const BEFORE: [&str; 5] = ["test_", "tests_", "test-", "bench_", "spec_"];
const AFTER: [&str; 12] =
    ["_test", "_tests", "-test", "-tests", "_spec", "-spec", "_unittest", "_bench", "tests", "test", "spec", "specs"];

pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What a file is about, in lower case: `parser` for `src/parser.rs`, `src/parser/mod.rs`, `tests/test_parser.py`,
/// `ParserTest.java`, `parser.spec.ts` and `docs/parser.md`.
pub fn stem_of(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let start = name.len() - name.trim_start_matches('.').len();
    let end = name[start..].find('.').map_or(name.len(), |at| start + at);
    let whole = name[..end].to_lowercase();
    let above = folder.rsplit('/').next().unwrap_or("");
    if OF_THE_FOLDER.contains(&whole.as_str()) && !above.is_empty() {
        return above.to_lowercase();
    }
    let bare = BEFORE.iter().find_map(|before| whole.strip_prefix(before)).unwrap_or(&whole);
    let bare = AFTER.iter().find_map(|after| bare.strip_suffix(after)).unwrap_or(bare);
    // `_config.py` is about the same as `config.py`.
    let bare = bare.trim_start_matches('_');
    if bare.is_empty() { whole } else { bare.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_its_test_are_about_the_same() {
        let about =
            ["src/parser.rs", "src/parser/mod.rs", "tests/test_parser.py", "a/ParserTest.java", "parser.spec.ts"];
        for path in
            about.iter().chain(&["docs/parser.md", "_parser.py", "parser.h", "x/parser_test.go", "parser-tests.js"])
        {
            assert_eq!(stem_of(path), "parser", "{path}");
        }
    }

    #[test]
    fn what_has_no_stem_keeps_its_name() {
        for (path, stem) in
            [("", ""), (".gitignore", ".gitignore"), ("test.rs", "test"), ("mod.rs", "mod"), ("a/tests.rs", "tests")]
        {
            assert_eq!(stem_of(path), stem, "{path}");
        }
        assert_eq!((folder_of("a/b/c.rs"), folder_of("c.rs")), ("a/b", ""));
    }

    proptest::proptest! {
        #[test]
        fn any_path_has_a_stem(path in ".{0,40}") {
            let _ = (stem_of(&path), folder_of(&path));
        }
    }
}
