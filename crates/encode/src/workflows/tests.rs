//! Build files as people write them, episodes as agents live them, and both as nobody should.

use std::collections::BTreeSet;

use super::*;
use lokid_model::{Kind, Timestamp};

fn told(path: &str, text: &str) -> Vec<Target> {
    targets(which(path).unwrap(), text)
}

/// Name, what comes first, commands, what comes last.
fn said(path: &str, text: &str) -> Vec<String> {
    let all = told(path, text);
    all.iter()
        .map(|one| {
            format!("{}: {} | {} | {}", one.name, one.before.join(" "), one.commands.join("; "), one.after.join(" "))
        })
        .collect()
}

#[test]
fn files_are_told_by_name_and_place() {
    for (path, expect) in [
        ("Makefile", Some(WorkflowFile::Makefile)),
        ("sub/justfile", Some(WorkflowFile::Justfile)),
        (".github/workflows/ci.yml", Some(WorkflowFile::GithubActions)),
        (".cargo/config.toml", Some(WorkflowFile::CargoAliases)),
        ("config.toml", None),
        ("node_modules/x/package.json", None),
        ("Dockerfile", None),
    ] {
        assert_eq!(which(path), expect, "{path}");
    }
}

#[test]
fn a_makefile_gives_the_targets_that_people_type() {
    let text = "VERSION := 1\nBIN = a:b\n.PHONY: deploy test\n\nbuild/x.o: x.c\n\tcc -c x.c\n\n# Runs all tests\ntest:\n\t@cargo test --all\n\nbuild: ## Builds it\n\tcargo build \\\n\t  --release\n\n\
        deploy: test build\n\t./scripts/stage.sh $(VERSION)\n\t-./scripts/prod.sh\n%.o: %.c\n\tcc $<\n";
    let expect = [
        "test:  | cargo test --all | ",
        "build:  | cargo build --release | ",
        "deploy: test build | ./scripts/stage.sh $(VERSION); ./scripts/prod.sh | ",
    ];
    assert_eq!(said("Makefile", text), expect);
    assert_eq!(told("Makefile", text)[0].about, "Runs all tests");
}

#[test]
fn a_justfile_gives_its_recipes_with_what_comes_before_and_after() {
    let text = "set shell := [\"bash\"]\nx := \"a:b\"\nalias t := test\n\n# Tests\ntest *args:\n    cargo nextest run {{args}}\n\n[private]\nhelper:\n    ./prepare.sh\n\n\
        release version=\"1:0\": test (helper \"x\") && notify\n    git tag {{ version }}\n\nnotify:\n    curl x\n";
    let expect = [
        "test:  | cargo nextest run {{args}} | ",
        "release: test helper | git tag {{version}} | notify",
        "notify:  | curl x | ",
    ];
    assert_eq!(said("justfile", text), expect);
}

#[test]
fn scripts_of_npm_follow_hooks_and_each_other() {
    let text = r#"{"scripts": {"lint": "eslint .", "test": "jest", "pretest": "npm run lint", "build": "tsc -p . && vite build",
        "release": "run-s lint test build", "ci": "npm run lint && npm test", "all": "pnpm -r run all"}}"#;
    let expect = [
        "lint:  | eslint . | ",
        "test: pretest | jest | ",
        "build:  | tsc -p .; vite build | ",
        "release: lint test build |  | ",
        "ci: lint test |  | ",
        "all:  | pnpm -r run all | ",
    ];
    assert_eq!(said("package.json", text), expect);
    assert!(told("package.json", "{\"scripts\": [1]}").is_empty());
    assert!(told("package.json", "not json").is_empty());
}

#[test]
fn jobs_of_github_are_told_with_their_commands_and_systems() {
    let text = "name: Deploy\non:\n  push:\n    branches: [main]\n  pull_request:\nenv:\n  CARGO: cargo\njobs:\n  test:\n    runs-on: ${{ matrix.os }}\n    strategy:\n      matrix:\n        os: [ubuntu-latest, windows-2022]\n\
        \x20   steps:\n      - uses: actions/checkout@v4\n      - name: Run the tests\n        run: |\n          # all of them\n          ${{ env.CARGO }} test \\\n            --all\n  rest:\n    uses: ./.github/workflows/rest.yml\n";
    let pipeline = pipeline(WorkflowFile::GithubActions, text).unwrap();
    assert_eq!((pipeline.name.as_str(), pipeline.events.len(), pipeline.jobs.len()), ("Deploy", 2, 2));
    assert_eq!(pipeline.jobs[0].lines, ["cargo test --all"]);
    assert_eq!(pipeline.jobs[0].systems, ["ubuntu", "windows"]);
    assert_eq!(pipeline.jobs[1].uses, ["./.github/workflows/rest.yml"]);
}

#[test]
fn jobs_of_gitlab_follow_the_stages() {
    let text = "stages: [build, test, ship]\ndefault:\n  image: rust\nunit:\n  stage: test\n  script:\n    - cargo test\n.base:\n  script: x\ncompile:\n  stage: build\n  script: [cargo build]\n\
        ship-it:\n  stage: ship\n  script:\n    - ./ship.sh\n";
    let pipeline = pipeline(WorkflowFile::GitlabCi, text).unwrap();
    let jobs: Vec<(&str, &str)> = pipeline.jobs.iter().map(|job| (job.name.as_str(), job.lines[0].as_str())).collect();
    assert_eq!(jobs, [("compile", "cargo build"), ("unit", "cargo test"), ("ship-it", "./ship.sh")]);
}

#[test]
fn smaller_lists_of_tasks_are_read() {
    let cargo = said(".cargo/config.toml", "[alias]\nlint = [\"clippy\", \"--all\"]\n");
    assert_eq!(cargo, ["lint:  | cargo clippy --all | "]);
    let task = "tasks:\n  build:\n    desc: Builds\n    deps: [gen]\n    cmds:\n      - go build ./...\n      - task: pack\n  gen: go generate\n";
    assert_eq!(said("Taskfile.yml", task)[0], "build: gen | go build ./...; task pack | ");
    let poe = "[tool.poe.tasks]\ntest = \"pytest\"\ncheck = { sequence = [\"lint\", \"test\"] }\n";
    let names: Vec<String> = told("pyproject.toml", poe).into_iter().map(|task| task.name).collect();
    assert_eq!(names, ["poe check", "poe test"]);
}

fn episode(id: usize, steps: &[&str], success: Option<bool>) -> StepSequence {
    let steps = steps.iter().map(|step| (*step).to_owned()).collect();
    StepSequence { id: format!("ep-{id}"), steps, success, at: Timestamp::from_micros(id as i64) }
}

#[test]
fn what_is_done_again_and_again_is_found_through_other_steps_and_arguments() {
    let mut all: Vec<StepSequence> = (0..4)
        .map(|n| {
            let (package, message, tag) =
                (format!("cargo test -p crate{n}"), format!("git commit -m \"fix {n}\""), format!("git tag v{n}"));
            episode(
                n,
                &["cd x", &package, "vim y", "cargo build --release", &message, &tag, "ls", "git push --tags"],
                Some(true),
            )
        })
        .collect();
    all.extend((10..14).map(|n| episode(n, &["cargo fmt", "cargo check", "edit a"], None)));
    let found = recurring(&all);
    let hints: Vec<String> = found.iter().map(RecurringWorkflow::hint).collect();
    assert_eq!(hints, ["release: test→vim→build→commit→tag→push", "fmt: fmt→check→edit"]);
    assert_eq!((found[0].support, found[0].sources[0].as_str()), (4, "ep-3"));
    let draft = found[0].draft();
    assert_eq!((draft.kind, draft.title.as_str()), (Kind::Workflow, "release"));
}

#[test]
fn failures_and_rarities_teach_no_way() {
    let steps = ["cargo test", "./deploy.sh"];
    let failed: Vec<StepSequence> = (0..5).map(|n| episode(n, &steps, Some(false))).collect();
    assert!(recurring(&failed).is_empty());
    let twice: Vec<StepSequence> = (0..2).map(|n| episode(n, &steps, Some(true))).collect();
    assert!(recurring(&twice).is_empty());
    let far: Vec<StepSequence> = (0..5)
        .map(|n| {
            let between: Vec<String> = (0..3).map(|m| format!("tool{n}{m}")).collect();
            episode(n, &["make", &between[0], &between[1], &between[2], "./deploy.sh"], Some(true))
        })
        .collect();
    assert!(recurring(&far).is_empty(), "three steps between are too many");
}

#[test]
fn a_part_of_a_longer_way_is_not_told_again_unless_it_is_more_common() {
    let long = ["cargo fmt", "cargo clippy", "cargo test", "git push"];
    let mut all: Vec<StepSequence> = (0..4).map(|n| episode(n, &long, None)).collect();
    assert_eq!(recurring(&all).len(), 1);
    all.extend((10..30).map(|n| episode(n, &["cargo clippy", "cargo test"], None)));
    let found = recurring(&all);
    let hints: BTreeSet<String> = found.iter().map(RecurringWorkflow::hint).collect();
    assert!(hints.iter().any(|hint| hint.ends_with("clippy→test")), "{hints:?}");
    assert!(hints.iter().any(|hint| hint.ends_with("fmt→clippy→test→push")), "{hints:?}");
}

#[test]
fn noise_is_bounded_and_a_planted_way_is_found_in_it() {
    let mut state = 88_172_645_463_325_252u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let all: Vec<StepSequence> = (0..240)
        .map(|n| {
            let mut steps: Vec<String> = (0..40).map(|_| format!("tool{} --x", random(15))).collect();
            if n % 40 == 0 {
                for (at, step) in ["cargo test", "docker build", "kubectl apply"].iter().enumerate() {
                    steps.insert(5 + 2 * at, (*step).to_owned());
                }
            }
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            episode(n, &steps, Some(true))
        })
        .collect();
    let found = recurring(&all);
    assert!(found.len() <= 20);
    assert_eq!(found[0].steps, ["cargo test", "docker build", "kubectl apply"]);
    assert_eq!(found, recurring(&all));
}

const PATHS: &[&str] = &[
    "Makefile",
    "justfile",
    "package.json",
    ".github/workflows/a.yml",
    ".gitlab-ci.yml",
    ".cargo/config.toml",
    "Taskfile.yml",
    "pyproject.toml",
];

#[test]
fn hostile_files_cost_little() {
    let mut texts: Vec<String> =
        ["a: a\n", "a:\n\t", "\\\n", "{", "[", "- ", "a: &x [*x, *x]\n", "(", "x".repeat(4_000).as_str()]
            .iter()
            .map(|piece| piece.repeat(40_000 / piece.len()))
            .collect();
    texts.push((0..800).map(|n| format!("t{n}: t{}\n\tmake x{n} && git push\n", n + 1)).collect());
    texts.push(format!(
        "on: push\njobs:\n{}",
        (0..300).map(|n| format!("  j{n}:\n    needs: j{}\n    steps: [{{run: make}}]\n", n + 1)).collect::<String>()
    ));
    texts.push(format!("{{\"scripts\": {{\"a\": \"{}\"}}}}", "npm run a && ".repeat(3_000)));
    for text in &texts {
        for path in PATHS {
            let all = told(path, text);
            assert!(all.len() <= 200 && all.iter().all(|one| one.commands.len() <= 40));
            assert!(pipeline(which(path).unwrap(), text).is_none_or(|one| one.jobs.len() <= 60));
        }
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(
        text in "(?s)([-a:=#@&|;${}()\\[\\]\"'\\\\ \t\n,é]{0,30}|jobs:\n|  a:\n|    steps:\n|      - run: x\n|a: b\n\tc && d\n|\\[alias\\]\n){0,12}",
        path in proptest::sample::select(PATHS.to_vec()),
    ) {
        let _ = (told(path, &text), pipeline(which(path).unwrap(), &text));
    }

    #[test]
    fn no_steps_make_the_search_panic(all in proptest::collection::vec(proptest::collection::vec("[a-d]( -x)?|git (push|tag)|\\PC{0,8}", 0..12), 0..12)) {
        let all: Vec<StepSequence> = all.iter().enumerate().map(|(n, steps)| {
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            episode(n, &steps, None)
        }).collect();
        for workflow in recurring(&all) {
            proptest::prop_assert!((2..=8).contains(&workflow.steps.len()) && workflow.support >= 3);
        }
    }
}
