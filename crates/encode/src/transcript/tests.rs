//! Sessions as the real programs write them, and the episodes made of them.

use super::*;
use lokid_model::{Body, Episode, Kind, Outcome, Source};

const CLAUDE: &str = include_str!("../../../../tests/data/transcripts/claude.jsonl");
const CODEX: &str = include_str!("../../../../tests/data/transcripts/codex.jsonl");

fn plain(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

fn claude(lines: &str) -> Vec<Draft> {
    let mut transcript = Transcript::claude(&plain);
    lines.lines().for_each(|line| transcript.line(line));
    transcript.finish()
}

fn codex(lines: &str) -> Vec<Draft> {
    let mut transcript = Transcript::codex(&plain);
    lines.lines().for_each(|line| transcript.line(line));
    transcript.finish()
}

fn episode(draft: &Draft) -> &Episode {
    match &draft.body {
        Body::Episode(episode) => episode,
        other => panic!("{other:?}"),
    }
}

/// The lines of one Claude Code session, a second apart.
struct Lab {
    lines: Vec<String>,
    calls: usize,
}

impl Lab {
    fn new() -> Lab {
        Lab { lines: Vec::new(), calls: 0 }
    }

    fn push(mut self, kind: &str, message: Value, more: &str) -> Lab {
        let second = self.lines.len();
        self.lines.push(format!(
            r#"{{"type":"{kind}","uuid":"u{second}","sessionId":"s","cwd":"/app","gitBranch":"main","timestamp":"2026-01-05T10:{:02}:{:02}Z","message":{message}{more}}}"#,
            second / 60,
            second % 60,
        ));
        self
    }

    fn person(self, text: &str) -> Lab {
        self.push("user", serde_json::json!({"role": "user", "content": text}), "")
    }

    fn says(self, text: &str) -> Lab {
        let content = serde_json::json!([{"type": "text", "text": text}]);
        self.push("assistant", serde_json::json!({"content": content, "stop_reason": "end_turn"}), "")
    }

    fn call(self, name: &str, input: Value, output: &str, is_error: bool) -> Lab {
        self.call_with(name, input, output, is_error, "")
    }

    fn call_with(mut self, name: &str, input: Value, output: &str, is_error: bool, more: &str) -> Lab {
        self.calls += 1;
        let id = format!("t{}", self.calls);
        let call = serde_json::json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
        let answer =
            serde_json::json!([{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error}]);
        self.push("assistant", serde_json::json!({"content": call, "stop_reason": "tool_use"}), more).push(
            "user",
            serde_json::json!({"role": "user", "content": answer}),
            more,
        )
    }

    fn run(self, command: &str, output: &str, is_error: bool) -> Lab {
        self.call("Bash", serde_json::json!({"command": command}), output, is_error)
    }

    fn edit(self, path: &str, old: &str, new: &str) -> Lab {
        self.call("Edit", serde_json::json!({"file_path": path, "old_string": old, "new_string": new}), "ok", false)
    }

    fn drafts(&self) -> Vec<Draft> {
        claude(&self.lines.join("\n"))
    }

    fn check(&self, expect: &[(&str, Outcome)]) {
        let drafts = self.drafts();
        let found: Vec<(&str, Outcome)> =
            drafts.iter().map(|draft| (episode(draft).goal.as_str(), draft.outcome.unwrap())).collect();
        assert_eq!(found, expect);
    }
}

/// Both agents were given the same work by the same words; what they did is told alike.
fn check_the_fixed_sum(drafts: &[Draft]) {
    // That a test failed is no lesson of its own.
    assert_eq!(drafts.len(), 1, "{drafts:#?}");
    let (draft, episode) = (&drafts[0], episode(&drafts[0]));
    assert_eq!(
        (draft.kind, draft.source, draft.outcome),
        (Kind::Episode, Some(Source::Import), Some(Outcome::Success))
    );
    assert_eq!(episode.goal, "The tests fail. Fix the sum in add.sh");
    assert_eq!(episode.files_read, ["add.sh"]);
    let mut modified = episode.files_modified.clone();
    modified.sort();
    assert_eq!(modified, ["add.sh", "notes.txt"]);
    assert_eq!(episode.artifacts, ["notes.txt"]);
    assert_eq!(episode.errors.len(), 1);
    assert_eq!(episode.errors[0].message, "FAILED: expected 5, got -1");
    assert!(episode.errors[0].resolution.contains("add.sh (`expr $1 - $2` → `expr $1 + $2`)"), "{:?}", episode.errors);
    assert!(episode.git_commit.as_ref().is_some_and(|commit| commit.len() == 7));
    assert!(draft.tags.contains(&"branch:master".to_owned()));
    assert!(episode.duration_seconds.is_some_and(|seconds| (0.0..60.0).contains(&seconds)));
    let ran: Vec<&str> = episode
        .action_log
        .iter()
        .filter(|action| action.action == "run")
        .map(|action| action.target.as_str())
        .collect();
    assert_eq!(ran[..2], ["sh test.sh", "sh test.sh"]);
}

#[test]
fn a_session_of_claude_code_becomes_one_episode() {
    let drafts = claude(CLAUDE);
    check_the_fixed_sum(&drafts);
    let episode = episode(&drafts[0]);
    // Ten messages of 10 + 7 + 25 tokens, each told in several lines.
    assert_eq!(episode.tokens_used, Some(9 * 42));
    assert_eq!(episode.agent, "claude-code");
    let verbs: Vec<&str> = episode.action_log.iter().map(|action| action.action.as_str()).collect();
    assert_eq!(verbs, ["run", "read", "edit", "run", "write", "search", "run"]);
    assert_eq!(episode.action_log[0].error, "FAILED: expected 5, got -1");
    assert_eq!(episode.action_log[3].result, "ok 1 test passed");
}

#[test]
fn a_rollout_of_codex_becomes_one_episode() {
    let drafts = codex(CODEX);
    check_the_fixed_sum(&drafts);
    let episode = episode(&drafts[0]);
    assert_eq!((episode.agent.as_str(), episode.tokens_used), ("codex", Some(7 * 12)));
    let verbs: Vec<&str> = episode.action_log.iter().map(|action| action.action.as_str()).collect();
    assert_eq!(verbs, ["run", "read", "edit", "run", "run"]);
}

#[test]
fn reading_twice_or_reading_a_copy_gives_the_same_ids() {
    let id = |drafts: &[Draft]| drafts[0].id.clone().unwrap();
    assert_eq!(claude(CLAUDE), claude(CLAUDE));
    // A session that was forked holds the old messages under a new session id.
    let copy = CLAUDE.replace("67ffbf22-a557-459b-84c1-d820f69619c8", "1c8eb243-98ce-4764-90ce-6e9473d92b8c");
    assert_ne!(copy, CLAUDE);
    assert_eq!(id(&claude(&copy)), id(&claude(CLAUDE)));
    assert!(id(&claude(CLAUDE)).as_str().starts_with("ep-2026-11-15-"));
    assert_ne!(id(&claude(CLAUDE)), id(&codex(CODEX)));
}

#[test]
fn a_new_goal_after_finished_work_begins_another_episode() {
    let lab = Lab::new().person("Add a login page to the app").edit("/app/login.ts", "a", "b").says("Done.");
    let lab = lab.person("yes").run("npm test", "2 passed", false).says("All green.");
    let lab =
        lab.person("Thanks! Now document the deployment in the readme").edit("/app/README.md", "x", "y").says("Done.");
    lab.check(&[
        ("Add a login page to the app", Outcome::Success),
        ("Now document the deployment in the readme", Outcome::Partial),
    ]);
    assert_ne!(lab.drafts()[0].id, lab.drafts()[1].id);
    assert_eq!(episode(&lab.drafts()[1]).files_modified, ["README.md"]);
}

#[test]
fn a_message_written_twice_is_heard_once() {
    let lab = Lab::new().person("Add a login page to the app").edit("/app/login.ts", "a", "b").says("Done.");
    let twice: Vec<&str> = lab.lines.iter().flat_map(|line| [line.as_str(), line]).collect();
    assert_eq!(claude(&twice.join("\n")), lab.drafts());
}

#[test]
fn the_outcome_follows_the_evidence() {
    let begun = || Lab::new().person("Fix the flaky login test").edit("/app/a.ts", "a", "b");
    let goal = "Fix the flaky login test";
    begun().run("npm test", "Exit code 1\n1 failed", true).says("It still fails.").check(&[(goal, Outcome::Failure)]);
    begun()
        .run("npm test", "ok", false)
        .run("npm run lint", "Exit code 1\nerror: x", true)
        .says("?")
        .check(&[(goal, Outcome::Partial)]);
    begun()
        .run("npm test 2>&1 | tail -3", "Tests: 1 failed, 2 passed", false)
        .says("Hm.")
        .check(&[(goal, Outcome::Failure)]);
    begun().says("Done.").person("that doesn't work").says("Sorry.").check(&[(goal, Outcome::Failure)]);
    begun()
        .says("Done.")
        .person("that doesn't work")
        .edit("/app/a.ts", "b", "c")
        .run("npm test", "ok", false)
        .says("Now.")
        .check(&[(goal, Outcome::Success)]);
    begun().person("[Request interrupted by user]").check(&[(goal, Outcome::Partial)]);
    // Nobody checked it: that the agent says so is no evidence.
    begun().says("Done. All tests pass.").check(&[(goal, Outcome::Partial)]);
    begun()
        .run("npm test", "ok", false)
        .edit("/app/a.ts", "b", "c")
        .says("One more thing.")
        .check(&[(goal, Outcome::Partial)]);
    begun().run("git commit -am x", "[main 0a1b2c3] x", false).says("Done.").check(&[(goal, Outcome::Success)]);
    begun().check(&[(goal, Outcome::Partial)]);
    begun()
        .run("npm test", "Exit code 1\nx", true)
        .says("No.")
        .person("perfect, thanks")
        .check(&[(goal, Outcome::Success)]);
}

#[test]
fn an_error_is_resolved_by_what_was_done_before_the_command_passed() {
    let lab = Lab::new().person("Make the build pass again");
    let lab = lab.run("cd /app && npm run build", "Exit code 2\nsrc/a.ts(3,1): error TS2322: Type x", true);
    let lab = lab.run("grep -rn foo .", "Exit code 1", true).edit("/app/src/a.ts", "let x: string", "let x: number");
    let lab = lab.run("npm run build 2>&1 | tail -5", "built in 3s", false);
    let lab = lab.run("python run.py", "Exit code 1\nModuleNotFoundError: No module named 'yaml'", true);
    let lab = lab
        .run("pip install pyyaml", "Successfully installed", false)
        .run("python run.py", "fine", false)
        .says("Done.");
    let drafts = lab.drafts();
    let errors: Vec<(&str, &str)> =
        episode(&drafts[0]).errors.iter().map(|error| (error.kind.as_str(), error.resolution.as_str())).collect();
    // What this machine lacked is no matter of the project.
    assert_eq!(errors, [("TS2322", "edited src/a.ts (`let x: string` → `let x: number`)")]);
}

#[test]
fn an_episode_tells_cause_fix_and_the_change_that_decided_it() {
    let write = |lab: Lab, path: &str| {
        lab.call("Write", serde_json::json!({"file_path": path, "content": "x"}), "File created successfully", false)
    };
    let read = |lab: Lab, path: &str| lab.call("Read", serde_json::json!({"file_path": path}), "1 x", false);
    let lab = Lab::new().person("Fix this as the manual says:\n  id: app-7\n  statement: Ports above 9999 are refused");
    let lab = read(write(lab, "/app/try_it.py"), "/app/src/port.py").run(
        "python try_it.py",
        "Exit code 1\nValueError: 10000",
        true,
    );
    let lab =
        lab.edit("/app/tests/test_port.py", "", "def test_five():").edit("/app/src/port.py", "width = 4", "width = 5");
    let lab =
        lab.run("python try_it.py", "fine", false).run("pytest", "3 passed", false).run("rm try_it.py", "", false);
    let lab = lab.says("Perfect!\n\n## Problem\nThe parser read four digits.\n\n## Solution\nIt reads five.");
    let drafts = lab.drafts();
    let told = episode(&drafts[0]);
    assert_eq!(drafts[0].title, "Ports above 9999 are refused");
    assert_eq!(drafts.len(), 1, "a number alone tells nobody anything");
    assert_eq!(told.conclusion, "Cause: The parser read four digits.\nFix: It reads five.");
    assert_eq!(
        told.changes,
        ["src/port.py: `width = 4` → `width = 5`", "tests/test_port.py: added `def test_five():`"]
    );
    assert_eq!(told.files_modified, ["tests/test_port.py", "src/port.py", "try_it.py"]);
    assert_eq!(
        told.errors[0].resolution,
        "edited tests/test_port.py (added `def test_five():`), src/port.py (`width = 4` → `width = 5`)"
    );
    assert_eq!((told.phase.as_str(), drafts[0].outcome), ("implementation", Some(Outcome::Success)));
}

#[test]
fn agents_that_were_sent_out_are_one_action_and_their_edits_count() {
    let side = r#","isSidechain":true"#;
    let lab = Lab::new().person("Rename the module everywhere");
    let lab = lab.push("user", serde_json::json!({"role": "user", "content": "Rename a to b in all files"}), side);
    let lab = lab.call_with(
        "Edit",
        serde_json::json!({"file_path": "/app/deep/a.ts", "old_string": "a", "new_string": "b"}),
        "ok",
        false,
        side,
    );
    let lab =
        lab.call_with("Bash", serde_json::json!({"command": "npm test"}), "Exit code 1\nx", true, side).says("Done.");
    let drafts = lab.drafts();
    let episode = episode(&drafts[0]);
    assert_eq!(episode.files_modified, ["deep/a.ts"]);
    assert_eq!(episode.action_log.len(), 1);
    assert_eq!(episode.action_log[0].action, "subagent");
    assert!(episode.errors.is_empty());
}

#[test]
fn what_memory_injected_is_taken_out() {
    fn strip(text: &str) -> Cow<'_, str> {
        Cow::Owned(text.replace("<loki>remember tabs</loki>", ""))
    }
    let lab = Lab::new().person("Format the file <loki>remember tabs</loki>").run(
        "echo x",
        "<loki>remember tabs</loki>fine",
        false,
    );
    let mut transcript = Transcript::claude(&strip);
    lab.lines.iter().for_each(|line| transcript.line(line));
    let told = format!("{:?}", transcript.finish());
    assert!(told.contains("Format the file") && !told.contains("remember tabs"), "{told}");
}

#[test]
fn the_oldest_rollouts_and_their_json_in_strings_are_read() {
    let lines = [
        r#"{"id":"r1","timestamp":"2025-05-01T10:00:00Z","instructions":null,"git":{"branch":"dev"}}"#,
        r##"{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /app\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"}]}"##,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix the broken build please"}]}"#,
        r#"{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"make\"]}","call_id":"c1"}"#,
        r#"{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"make: *** no rule\\n\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}"}"#,
        r#"{"type":"custom_tool_call","name":"apply_patch","call_id":"c2","input":"*** Begin Patch\n*** Update File: Makefile\n@@\n-al:\n+all:\n*** End Patch"}"#,
        r#"{"type":"custom_tool_call_output","call_id":"c2","output":"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess."}"#,
        r#"{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"make\"]}","call_id":"c3"}"#,
        r#"{"type":"function_call_output","call_id":"c3","output":"{\"output\":\"built\\n\",\"metadata\":{\"exit_code\":0}}"}"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}"#,
    ];
    let drafts = codex(&lines.join("\n"));
    assert_eq!(drafts.len(), 2, "the episode, and what ended the error");
    let episode = episode(&drafts[0]);
    assert_eq!((episode.goal.as_str(), drafts[0].outcome), ("Fix the broken build please", Some(Outcome::Success)));
    assert_eq!(episode.errors[0].resolution, "edited Makefile (`al:` → `all:`)");
}

#[test]
fn a_command_that_goes_on_running_is_answered_later() {
    let item =
        |payload: &str| format!(r#"{{"timestamp":"2026-01-05T10:00:00Z","type":"response_item","payload":{payload}}}"#);
    let lines = [
        item(r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Run the whole test suite"}]}"#),
        item(r#"{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make test\"}","call_id":"c1"}"#),
        item(
            r#"{"type":"function_call_output","call_id":"c1","output":"Wall time: 10 seconds\nProcess running with session ID 7\nOutput:\n"}"#,
        ),
        item(
            r#"{"type":"function_call","name":"write_stdin","arguments":"{\"session_id\":7,\"chars\":\"\"}","call_id":"c2"}"#,
        ),
        item(
            r#"{"type":"function_call_output","call_id":"c2","output":"Wall time: 3 seconds\nProcess exited with code 1\nOutput:\nerror: two tests failed"}"#,
        ),
        item(r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Two fail."}]}"#),
    ];
    let drafts = codex(&lines.join("\n"));
    assert_eq!(drafts[0].outcome, Some(Outcome::Failure));
    assert_eq!(episode(&drafts[0]).action_log.len(), 1);
    assert_eq!(episode(&drafts[0]).errors[0].message, "error: two tests failed");
}

#[test]
fn a_long_session_keeps_its_beginning_and_its_end() {
    let mut transcript = Transcript::claude(&plain);
    let begun = Lab::new().person("Work for a very long time");
    begun.lines.iter().for_each(|line| transcript.line(line));
    let output = "x".repeat(1 << 13);
    for step in 0..2_000 {
        let lab = Lab { lines: Vec::new(), calls: step }.run(&format!("make step{step}"), &output, false);
        lab.lines.iter().for_each(|line| transcript.line(line));
    }
    let drafts = transcript.finish();
    let episode = episode(&drafts[0]);
    assert_eq!(episode.action_log.len(), 121);
    assert_eq!(episode.action_log[40].target, "1880 actions");
    assert_eq!(episode.action_log[120].target, "make step1999");
    assert!(format!("{drafts:?}").len() < 100_000);
}

#[test]
fn lines_that_cannot_be_read_are_counted_and_passed_over() {
    let mut transcript = Transcript::claude(&plain);
    for line in ["", "{", "null", "[1]", "\u{feff}", "{\"type\":\"user\"}", "{\"type\":7,\"message\":[]}", "\0"] {
        transcript.line(line);
    }
    transcript.line(&"x".repeat(9 << 20));
    assert_eq!(transcript.unread(), 5);
    assert!(transcript.finish().is_empty());
    assert!(Lab::new().person("hi").says("Hello!").drafts().is_empty());
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]

    #[test]
    fn no_text_makes_a_reader_panic(text in "(?s).{0,300}") {
        let _ = (claude(&text), codex(&text));
    }

    #[test]
    fn no_message_of_anybody_makes_a_reader_panic(texts in proptest::collection::vec("(?s).{0,60}", 1..6)) {
        let mut lab = Lab::new();
        for text in &texts {
            lab = lab.person(text).run(text, text, text.len() % 2 == 0).edit(text, text, "x").says(text);
        }
        let _ = lab.drafts();
    }

    #[test]
    fn no_broken_line_of_a_real_session_makes_a_reader_panic(line in 0usize..60, at in 0.0f64..1.0, put in "(null|\\{\\}|\\[\\]|7|\"\"|\")") {
        for (lines, read) in [(CLAUDE, claude as fn(&str) -> Vec<Draft>), (CODEX, codex)] {
            let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
            let count = lines.len();
            let broken = &mut lines[line % count];
            // A value somewhere in the line becomes another one.
            let colons: Vec<usize> = broken.match_indices(':').map(|(colon, _)| colon).collect();
            let colon = colons[((colons.len() - 1) as f64 * at) as usize];
            let end = broken[colon..].find([',', '}']).map_or(broken.len(), |end| colon + end);
            broken.replace_range(colon + 1..end, &put);
            let _ = read(&lines.join("\n"));
        }
    }
}
