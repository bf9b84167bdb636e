//! Small repositories, and what they tell somebody new.

use std::collections::BTreeMap;

use super::*;
use crate::code::{Definition, DefinitionKind, Language};
use lokid_model::{FileChange, FileStatus};

/// The texts of `facts` by key; a file without a text is only there.
fn told(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let mut paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    paths.sort();
    let wanted = files.iter().filter(|(path, text)| reads(path) && !text.is_empty());
    let texts = wanted.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let facts = commands(&Project { paths: &paths, texts: &texts });
    let key = |draft: &Draft| match &draft.body {
        Body::Fact(fact) if fact.scope.is_empty() => fact.key.clone(),
        Body::Fact(fact) => format!("{} {}", fact.key, fact.scope),
        other => panic!("no fact: {other:?}"),
    };
    facts.iter().map(|draft| (key(draft), draft.text.clone())).collect()
}

fn check(facts: &BTreeMap<String, String>, key: &str, expect: &str) {
    assert_eq!(facts.get(key).map(String::as_str), Some(expect), "{key} of {facts:#?}");
}

#[test]
fn a_workspace_of_rust_tells_its_version_tests_and_lints() {
    let ci = "on: pull_request\njobs:\n  test:\n    strategy:\n      matrix:\n        os: [ubuntu-latest, macos-latest]\n    steps:\n      - run: cargo fmt --all --check\n      \
              - run: RUSTFLAGS=\"-D warnings\" cargo clippy --workspace\n      - run: cargo test --workspace --all-features\n";
    let facts = told(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\"]\n[package]\nname = \"x\"\nrust-version = \"1.80\"\nedition = \"2024\"\n",
        ),
        ("a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ("tests/it.rs", ""),
        ("src/lib.rs", ""),
        (".github/workflows/ci.yml", ci),
    ]);
    check(&facts, "language.minimum", "Needs: Rust 1.80 or newer, edition 2024");
    check(&facts, "test.all", "Run all tests: `cargo test --workspace` (CI: `cargo test --workspace --all-features`)");
    let one = "Run one test: `cargo test -p CRATE --all-features NAME`; in an integration suite of the top crate: \
               `cargo test --all-features --test it NAME`";
    check(&facts, "test.one", one);
    check(&facts, "format", "Format: `cargo fmt` (CI: `cargo fmt --all --check`)");
    let checks = "CI on pull requests (.github/workflows/ci.yml): test (ubuntu, macos): cargo fmt --all --check → \
                  cargo clippy --workspace → cargo test --workspace --all-features";
    check(&facts, "ci.checks ci", checks);
}

#[test]
fn a_package_of_javascript_tells_its_manager_scripts_and_runner() {
    let package = r#"{"engines": {"node": ">=20"}, "packageManager": "pnpm@9.0.0",
        "scripts": {"build": "tsc -p .", "test": "vitest run", "lint": "eslint .", "check": "tsc --noEmit", "docs": "vitepress dev"}}"#;
    let facts =
        told(&[("package.json", package), ("src/a.ts", ""), ("src/a.test.ts", ""), ("playground/b.test.ts", "")]);
    check(&facts, "language.minimum", "Needs: Node >=20");
    check(&facts, "package.manager", "Package manager: pnpm (`pnpm install`)");
    check(&facts, "test.all", "Run all tests: `pnpm test` (vitest run)");
    check(&facts, "test.one", "Run one test: `pnpm vitest run src/a.test.ts -t 'NAME'`");
    check(&facts, "typecheck", "Type-check: `pnpm check` (tsc --noEmit)");
    assert!(!facts.contains_key("docs") && !facts.contains_key("format"), "{facts:#?}");
    let mocha = r#"{"scripts": {"test": "mocha --require test/env --reporter spec test/"}}"#;
    let facts = told(&[("package.json", mocha), ("test/app.js", ""), ("index.js", "")]);
    check(&facts, "test.one", "Run one test: `npx mocha --require test/env test/app.js -g 'NAME'`");
    let apart = r#"{"scripts": {"test": "npm run test:mocha && karma start", "test:mocha": "mocha 'test/unit/**/*.js' --exit"}}"#;
    let facts =
        told(&[("package.json", apart), ("test/specs/a.spec.js", ""), ("test/unit/b.js", ""), ("index.js", "")]);
    check(&facts, "test.one", "Run one test: `npx mocha test/unit/b.js -g 'NAME'`");
    let begun =
        r#"{"scripts": {"test": "npm run \"/^test:.*/\"", "test:lint": "eslint .", "test:spec": "vitest run"}}"#;
    let facts = told(&[("package.json", begun), ("tests/app.test.ts", "")]);
    check(&facts, "test.one", "Run one test: `npx vitest run tests/app.test.ts -t 'NAME'`");
    let two = r#"{"scripts": {"test": "mocha && jest"}}"#;
    assert!(
        !told(&[("package.json", two), ("index.js", "")]).contains_key("test.one"),
        "which of the two is not known"
    );
    let none = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    assert!(told(&[("package.json", none), ("index.js", "")]).is_empty());
}

#[test]
fn a_project_of_python_tells_its_version_runner_and_types() {
    let pyproject =
        "[project]\nrequires-python = \">=3.10\"\n[tool.pytest.ini_options]\n[tool.mypy]\n[tool.ruff.format]\n";
    let facts = told(&[
        ("pyproject.toml", pyproject),
        ("uv.lock", ""),
        ("src/app/__init__.py", ""),
        ("tests/test_app.py", ""),
        (".pre-commit-config.yaml", "repos:\n  - hooks:\n      - id: ruff-check\n      - id: end-of-file-fixer\n"),
    ]);
    check(&facts, "language.minimum", "Needs: Python >=3.10");
    check(&facts, "test.all", "Run all tests: `uv run pytest`");
    check(&facts, "test.one", "Run one test: `uv run pytest tests/test_app.py::NAME`, or `uv run pytest -k NAME`");
    check(&facts, "lint", "Lint: `pre-commit run --all-files` (ruff-check)");
    check(&facts, "format", "Format: `uv run ruff format`");
    check(&facts, "typecheck", "Type-check: `uv run mypy src/app`");
    let old =
        told(&[("setup.py", "setup(\n    python_requires='>=3.7',\n)"), ("tox.ini", "[pytest]\n"), ("a/b.py", "")]);
    check(&old, "language.minimum", "Needs: Python >=3.7");
    check(&old, "test.all", "Run all tests: `pytest` (in every environment: `tox`, see tox.ini)");
}

#[test]
fn targets_of_make_go_before_what_the_language_would_say() {
    let make = "test:\n\tGOFLAGS=-v go test -race ./...\nlint:\n\t@if [ -z x ]; then exit 1; fi\nlatexpdfja:\n\tsphinx -b ja\n";
    let facts = told(&[("go.mod", "module x\n\ngo 1.22\n"), ("Makefile", make), ("a.go", ""), ("sub/a_test.go", "")]);
    check(&facts, "language.minimum", "Needs: Go 1.22 or newer");
    check(&facts, "build", "Build: `go build ./...`");
    check(&facts, "test.all", "Run all tests: `make test` (go test -race ./...)");
    check(&facts, "test.one", "Run one test: `go test ./sub -run '^TestName$'` (its package, then its name)");
    assert!(!facts.contains_key("lint"), "a switch of the shell is no linter: {facts:#?}");
    assert!(!facts.values().any(|text| text.contains("latexpdfja")));
    let java = told(&[("pom.xml", "<java.version>17</java.version>"), ("mvnw", ""), ("src/main/java/A.java", "")]);
    check(&java, "test.one", "Run one test: `./mvnw test -Dtest='CLASS#METHOD'`");
    check(&java, "language.minimum", "Needs: Java 17");
}

#[test]
fn a_fact_keeps_its_id_when_what_it_says_changes() {
    let id = |version: &str| {
        let texts = BTreeMap::from([("go.mod".to_owned(), format!("module x\ngo {version}\n"))]);
        let paths = ["a.go".to_owned(), "go.mod".to_owned()];
        commands(&Project { paths: &paths, texts: &texts })[0].clone()
    };
    let (before, after) = (id("1.21"), id("1.22"));
    assert_eq!((&before.id, before.sources.as_slice()), (&after.id, ["go.mod".to_owned()].as_slice()));
    assert_ne!(before.text, after.text);
}

#[test]
fn the_map_tells_what_parts_are_and_who_uses_them() {
    let texts = BTreeMap::from([
        (
            "crates/core/Cargo.toml".to_owned(),
            "[package]\nname = \"core\"\n[dependencies]\nmatcher = \"1\"\n".to_owned(),
        ),
        (
            "crates/matcher/Cargo.toml".to_owned(),
            "[package]\nname = \"matcher\"\ndescription = \"Matches lines against many patterns\"\n".to_owned(),
        ),
    ]);
    let files = [
        "crates/core/src/lib.rs",
        "crates/core/src/flags/mod.rs",
        "crates/matcher/src/lib.rs",
        "crates/core/Cargo.toml",
        "crates/matcher/Cargo.toml",
    ];
    let mut paths: Vec<String> = files.iter().map(|path| (*path).to_owned()).collect();
    paths.sort();
    let imports = ["crates/core/src/flags/mod.rs".to_owned()];
    let units = [
        Unit { path: files[0], doc: None, imports: &imports },
        Unit { path: files[1], doc: Some("Defines the command line of the program."), imports: &[] },
        Unit { path: files[2], doc: None, imports: &[] },
    ];
    let map: Vec<String> =
        modules(&Project { paths: &paths, texts: &texts }, &units).into_iter().map(|draft| draft.text).collect();
    let expect = [
        "`crates/matcher`: Matches lines against many patterns. Entry: crates/matcher/src/lib.rs. Used by crates/core.",
        "`crates/core/src/flags`: Defines the command line of the program. Used by crates/core.",
    ];
    assert_eq!(map, expect);
}

fn commit(number: usize, subject: &str, body: &str, files: &[&str]) -> Commit {
    let change = |path: &&str| FileChange { path: (*path).to_owned(), status: FileStatus::Modified };
    Commit {
        id: format!("{number:040x}"),
        parents: 1,
        time: 1_700_000_000 - number as i64 * 86_400,
        subject: subject.to_owned(),
        body: body.to_owned(),
        files: files.iter().map(change).collect(),
        author_name: "Ana".to_owned(),
        ..Commit::default()
    }
}

fn here(path: &str) -> Option<String> {
    (!path.contains("gone")).then(|| path.to_owned())
}

#[test]
fn a_file_that_is_fixed_again_and_again_is_told_with_its_last_causes() {
    let mut commits: Vec<Commit> = (0..7)
        .map(|n| {
            commit(n, &format!("fix: lost update number {n} in the cache (#{n})"), "", &["src/cache.rs", "tests/it.rs"])
        })
        .collect();
    commits
        .extend((10..20).map(|n| commit(n, &format!("fix: crash of kind {n} here"), "", &[&format!("src/f{n}.rs")])));
    commits.extend((20..40).map(|n| commit(n, &format!("fix: typo {n} in a comment"), "", &["src/prose.rs"])));
    let told = hotspots(&commits, &here);
    assert_eq!(told.len(), 1, "{told:#?}");
    let expect = "`src/cache.rs` was fixed or reverted 7 times since 2023-11-08. Lately: \
        fix: lost update number 0 in the cache (00000000 2023-11-14); fix: lost update number 1 in the cache (00000000 2023-11-13); \
        fix: lost update number 2 in the cache (00000000 2023-11-12)";
    assert_eq!((told[0].text.as_str(), told[0].source), (expect, Some(Source::Git)));
}

#[test]
fn what_went_is_told_where_the_files_of_today_bear_it_out() {
    let commits = [
        commit(1, "config: rename `IniValue` to `ConfigValue`", "", &["src/a.py"]),
        commit(2, "refactor!: remove deprecated LoggerInstance in favor of BaseLogger", "", &["src/a.py"]),
        commit(3, "Replace old_name with still_missing", "", &["src/a.py"]),
        commit(4, "Replace kept_name with BaseLogger", "", &["src/a.py"]),
        commit(5, "Replace the old way with a better one", "", &["src/a.py"]),
        commit(6, "Use new_call instead of old_call", "", &["src/gone.py"]),
    ];
    let occurs = |word: &str, _: &[String]| ["ConfigValue", "BaseLogger", "kept_name", "new_call"].contains(&word);
    let told = removed(&commits, &here, &occurs);
    let words: Vec<&str> = told.iter().map(|one| one.word.as_str()).collect();
    assert_eq!(words, ["IniValue", "LoggerInstance"]);
    let expect =
        "`IniValue` went in 00000000 2023-11-13; use `ConfigValue`. (config: rename `IniValue` to `ConfigValue`)";
    assert_eq!(told[0].draft.text, expect);
}

#[test]
fn a_fix_is_tied_to_its_issue_and_its_test() {
    let commits = [
        commit(1, "Fix crash on an empty list of samples (#31)", "Fixes #30", &["src/mean.py", "tests/test_mean.py"]),
        commit(2, "Fix crash on a huge list of samples", "Fixes #28", &["src/mean.py"]),
        commit(3, "Fix crash of two things at once", "Fixes #26, fixes #27", &["src/mean.py", "tests/test_mean.py"]),
        commit(4, "Add a wish of many people", "Closes #25", &["src/mean.py", "tests/test_mean.py"]),
    ];
    let told = issues(&commits, &here);
    assert_eq!(told.len(), 1, "{told:#?}");
    let expect = "#30: Fix crash on an empty list of samples (00000000 2023-11-13). Fixed in src/mean.py; guarded by tests/test_mean.py";
    assert_eq!((told[0].text.as_str(), told[0].files.len()), (expect, 2));
}

#[test]
fn comments_that_warn_are_found_at_their_definition_and_wishes_are_not() {
    let text = "/// Adds.\npub fn add() {\n    // HACK: works around a bug of the kernel, which\n    // forgets the first byte.\n    x();\n}\n\n\
        // SAFETY: fine.\n// TODO: write docs for all of these things here\n// NOTE: the two lists must be in the same order, do not sort them.\n\nfn sort() {}\n\
        mod tests {\n    // FIXME: this test fails once in a while because of time\n}\n";
    let define = |name: &str, kind, line, end_line| Definition {
        name: name.to_owned(),
        kind,
        line,
        end_line,
        container: None,
        is_public: true,
    };
    let definitions = [
        define("add", DefinitionKind::Function, 2, 6),
        define("sort", DefinitionKind::Function, 12, 12),
        define("tests", DefinitionKind::Module, 13, 15),
    ];
    let found = warnings(Language::Rust, "src/a.rs", text, &definitions);
    let said: Vec<(&str, &str)> = found.iter().map(|one| (one.symbol.as_str(), one.text.as_str())).collect();
    let expect = [
        ("add", "HACK: works around a bug of the kernel, which forgets the first byte."),
        ("sort", "NOTE: the two lists must be in the same order, do not sort them."),
    ];
    assert_eq!(said, expect);
    assert_eq!(found[0].draft("src/a.rs").text, format!("`add` in src/a.rs: {}", expect[0].1));
    assert!(warnings(Language::Rust, "tests/a.rs", text, &definitions).is_empty());
}

#[test]
fn owners_are_told_and_authors_only_where_they_differ_from_the_usual() {
    let texts = BTreeMap::from([("CODEOWNERS".to_owned(), "# who\n/docs/ @writers\n*.sql @db @ops\n".to_owned())]);
    let project = Project { paths: &[], texts: &texts };
    let told: Vec<String> = owners(&project).into_iter().map(|draft| draft.text).collect();
    let expect = [
        "@db, @ops must review changes of `*.sql` (CODEOWNERS)",
        "@writers must review changes of `/docs/` (CODEOWNERS)",
    ];
    assert_eq!(told, expect);
    let all = BTreeMap::from([("CODEOWNERS".to_owned(), "* @all\n".to_owned())]);
    assert!(owners(&Project { paths: &[], texts: &all }).is_empty(), "who owns everything says nothing");
    let changed = [
        Changed { path: "src/core/a.rs", authors: vec![("Ana", 90), ("Ben", 5)] },
        Changed { path: "src/net/b.rs", authors: vec![("Ben", 40), ("Ana", 10)] },
    ];
    let told: Vec<String> = recent_authors(&project, &changed).into_iter().map(|draft| draft.text).collect();
    assert_eq!(told, ["`src/net` is mostly the work of Ben (40 of 50 changes of its files), not of Ana as elsewhere"]);
}

#[test]
fn hostile_texts_and_histories_cost_little() {
    let long = "x".repeat(1 << 20);
    let text = format!(
        "[package]\ndescription = \"{long}\"\n# FIXME: {long}\n// FIXME: because {long}\n{}",
        "// NOTE: never\n".repeat(50_000)
    );
    let texts: BTreeMap<String, String> = [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "go.mod",
        "CODEOWNERS",
        ".github/workflows/a.yml",
        "a/README.md",
    ]
    .into_iter()
    .map(|path| (path.to_owned(), text.clone()))
    .collect();
    let paths: Vec<String> = texts.keys().cloned().chain(["a/b.rs".to_owned()]).collect();
    let project = Project { paths: &paths, texts: &texts };
    let units = [Unit { path: "a/b.rs", doc: Some(&long), imports: &paths }];
    let mut all = commands(&project);
    all.extend(modules(&project, &units));
    all.extend(owners(&project));
    all.extend(warnings(Language::Rust, "a/b.rs", &text, &[]).iter().map(|one| one.draft("a/b.rs")));
    let commits: Vec<Commit> = (0..20)
        .map(|n| commit(n, &format!("fix {}", &long[..60_000]), &long[..60_000], &["a/b.rs", "a/test_b.rs"]))
        .collect();
    all.extend(hotspots(&commits, &here));
    all.extend(issues(&commits, &here));
    all.extend(removed(&commits, &here, &|_, _| false).into_iter().map(|one| one.draft));
    assert!(all.len() < 60 && all.iter().all(|draft| draft.text.len() < 4_000), "{}", all.len());
}
