//! What a prompt is answered: with the first that tells, it is known what a session is about.

use super::*;
use crate::repo::{commit_all, commit_all_as, commit_all_later};

fn write(app: &Path, path: &str, text: &str) {
    let path = app.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The context of a situation.
fn told(home: &Home, app: &Path, signals: &Value) -> String {
    let asked = json!({"project": app, "counted": false, "signals": signals});
    post(home, "/v1/context/assemble", &asked)["context"].as_str().unwrap().to_owned()
}

#[test]
fn the_first_prompt_that_tells_is_told_the_file_it_means_and_no_rule_of_something_else() {
    let home = Home::new();
    let app = home.path("app");
    for (path, text) in [
        ("AGENTS.md", "# Rules\n\n## Code\n\n- You MUST run `./check.sh` in `docs/` before a commit.\n"),
        ("src/load.py", "def load_all(paths):\n    return [open(path).read() for path in paths]\n"),
        ("src/other.py", "def other():\n    return 1\n"),
    ] {
        write(&app, path, text);
    }
    commit_all(&app);
    let _daemon = home.daemon();
    settled(&home);
    let is_rule = |item: &Value| item["title"].as_str().is_some_and(|title| title.contains("check.sh"));
    let listed = || get(&home, "/v1/memories?limit=100")["items"].as_array().unwrap().clone();
    eventually_some(|| listed().iter().any(is_rule).then_some(()));
    let goal = "load_all should say which of its paths cannot be read";
    let foreseen = || post(&home, "/v1/context/predict", &json!({"project": app, "goal": goal}));
    let is_meant = |file: &Value| file["why"] == "defines load_all (line 1)";
    eventually_some(|| foreseen()["predicted_files"].as_array().unwrap().iter().any(is_meant).then_some(()));

    let prompt =
        |text: &str, id: &str| context(&hook(&home, "UserPromptSubmit", "s", json!({"prompt": text, "prompt_id": id})));
    hook(&home, "SessionStart", "s", json!({"source": "startup"}));
    assert_eq!(prompt("go on", "1"), "", "that tells nothing");
    let told = prompt(goal, "2");
    assert!(told.contains("src/load.py: defines load_all (line 1)") && !told.contains("check.sh"), "{told}");
    assert_eq!(prompt("and load_all should close each of its paths", "3"), "", "it was told");
}

#[test]
fn where_a_name_stands_is_told_with_its_lines_and_never_with_a_secret() {
    let home = Home::new();
    let app = home.path("app");
    let (key, filler) = (format!("sk_live_{}", "4eC39HqLyjWDarjtT1zdp7dc"), "x = 1\n".repeat(120));
    let handler = format!("{filler}# Whoever asks comes from somewhere\nheaders.set(FORWARDED_FOR, address)\n{filler}");
    for (path, text) in [
        ("src/load.py", "def load_all(paths):\n    return [open(path).read() for path in paths]\n"),
        ("src/start.py", "from load import other\n\nwanted = loadAll(['a'])\n"),
        ("docs/use.md", "# Use\n\nPass `--load-all`.\n"),
        ("src/pay.py", &format!("pay_once(\"{key}\")\n")),
        ("src/handler.py", &handler),
        ("src/look.py", "# Those who introspect find more\nfound = 1\n"),
        ("CHANGELOG.md", "- load_all is new\n"),
    ] {
        write(&app, path, text);
    }
    commit_all(&app);
    let _daemon = home.daemon();
    settled(&home);
    let told = |signals: Value| told(&home, &app, &signals);
    let sites = "`load_all`: src/load.py:1 `def load_all(paths):`, src/start.py:3 `wanted = loadAll(['a'])`\n";
    eventually_some(|| told(json!({"goal": "load_all should close its paths"})).contains(sites).then_some(()));
    let beside = told(json!({"current_file": "src/load.py", "goal": "let load_all close its paths"}));
    assert!(beside.contains("`loadAll`: src/start.py:3 `wanted = loadAll(['a'])`\n"), "{beside}");
    let option = told(json!({"goal": "explain what --load-all costs"}));
    assert!(option.contains("`load_all`: src/load.py:1 (defined), src/start.py:3, docs/use.md:3\n"), "{option}");
    let branch = told(json!({"branch": "fix/load_all-twice"}));
    assert!(branch.contains(sites), "{branch}");
    let error =
        "Traceback (most recent call last):\n  File \"src/load.py\", line 2, in load_all\nOSError: no such file";
    assert!(!told(json!({"recent_errors": [error]})).contains("loadAll"), "whoever has an error has its place");
    let paid = told(json!({"goal": "pay_once is called twice"}));
    assert!(paid.contains("`pay_once`: src/pay.py:1\n") && !paid.contains(&key), "{paid}");
    let begins = told(json!({"current_file": "src/pay.py", "goal": "Introspect what was paid"}));
    assert!(!begins.contains("src/look.py"), "what is to be done is no name: {begins}");
    let asked = json!({"current_file": "src/handler.py", "goal": "append the address of a proxy to forwarded"});
    assert!(
        told(asked.clone()).contains("src/handler.py: line 122: `headers.set(FORWARDED_FOR, address)`"),
        "{}",
        told(asked)
    );
}

#[test]
fn tests_of_go_are_run_in_their_module_and_alone_where_they_are_told_alone() {
    let home = Home::new();
    let app = home.path("app");
    for (path, text) in [
        ("go.mod", "module app\n"),
        ("main.go", "package main\n"),
        ("extra/go.mod", "module app/extra\n"),
        ("extra/lamp/lamp.go", "package lamp\n\nfunc isBrightEnough() bool {\n\treturn true\n}\n"),
        ("extra/lamp/wick.go", "package lamp\n\nfunc Lit() bool {\n\treturn true\n}\n"),
        ("extra/lamp/wick_test.go", "package lamp\n\nfunc TestIt(t *testing.T) {\n\tLit()\n}\n"),
        ("extra/lamp/all_test.go", "package lamp\n\nfunc TestBrightEnough(t *testing.T) {\n\tisBrightEnough()\n}\n"),
    ] {
        write(&app, path, text);
    }
    commit_all(&app);
    let _daemon = home.daemon();
    settled(&home);
    let panic = "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nlamp.isBrightEnough(...)\n\t\
        extra/lamp/lamp.go:4 +0x1d";
    let told = |signals: Value| told(&home, &app, &signals);
    let expected = "- file extra/lamp/all_test.go: tests of extra/lamp/lamp.go that are called so; closest: `TestBrightEnough` \
        (line 3); run: go -C extra test ./lamp -run '^TestBrightEnough$'\n";
    eventually_some(|| told(json!({"recent_errors": [panic]})).contains(expected).then_some(()));
    let inside = told(json!({"current_file": "extra/lamp/wick.go"}));
    assert!(inside.contains("run: go -C extra test ./lamp\n"), "a module of its own: {inside}");
}

#[test]
fn tests_of_a_module_in_rust_are_told_of_what_stands_beside_them() {
    let home = Home::new();
    let app = home.path("app");
    for (path, text) in [
        ("Cargo.toml", "[package]\nname = \"app\"\n"),
        ("src/lib.rs", "mod iter;\n"),
        ("src/iter/mod.rs", "mod lamp;\n#[cfg(test)]\nmod test;\n"),
        ("src/iter/lamp.rs", "pub fn lit() -> bool {\n    true\n}\n"),
        ("src/iter/test.rs", "#[test]\nfn it_is_lit() {\n    assert!(super::lamp::lit());\n}\n"),
    ] {
        write(&app, path, text);
    }
    commit_all(&app);
    let _daemon = home.daemon();
    settled(&home);
    let told = |file: &str| {
        let asked = json!({"project": app, "counted": false, "signals": {"current_file": file}});
        post(&home, "/v1/context/assemble", &asked)["context"].as_str().unwrap().to_owned()
    };
    let tests = "- file src/iter/test.rs: the tests of src/iter/; run: cargo test --lib iter::test::\n";
    eventually_some(|| told("src/iter/lamp.rs").contains(tests).then_some(()));
    assert!(told("src/iter/mod.rs").contains(tests));
    assert!(!told("src/lib.rs").contains("the tests of"));
}

#[test]
fn an_error_is_told_since_when_its_function_is_so_and_where_it_is_tested() {
    let home = Home::new();
    let app = home.path("app");
    let reply = |line: &str| format!("import codec\n\n\ndef send(body):\n    {line}\n    return 200\n");
    write(&app, "lib/reply.py", &reply("print(body)"));
    commit_all(&app);
    for (name, line) in
        [("send", "print(len(body))"), ("head", "print(body, len(body))"), ("send", "codec.encode_frame(body.strip())")]
    {
        write(&app, "lib/reply.py", &reply(line));
        write(&app, &format!("tests/test_reply_{name}.py"), &format!("def test_{name}():\n    assert '{line}'\n"));
        commit_all_as(&app, &format!("Fix {name} where the body is {} long", line.len()), "ann");
    }
    write(&app, "lib/other.py", "x = 2\n");
    commit_all_as(&app, "Count from two", "ann");
    let _daemon = home.daemon();
    settled(&home);
    let told = |error: &str| {
        let asked = json!({"project": app, "counted": false, "signals": {"recent_errors": [error]}});
        post(&home, "/v1/context/assemble", &asked)["context"].as_str().unwrap().to_owned()
    };
    let failed = "TypeError: Cannot read it\n    at send (/srv/app/lib/reply.py:5:4)";
    // What is in the code is learnt after what is in the history.
    let expected = [
        "- file tests/test_reply_send.py: tests of lib/reply.py that are called so; closest: `test_send` (line 1)",
        "- `send` (lib/reply.py:4) is so since \"Fix send where the body is 32 long\" (",
    ];
    let is_told = |told: &String| expected.iter().all(|line| told.contains(line));
    let failed = eventually_some(|| Some(told(failed)).filter(is_told));
    assert_eq!(failed.matches("tests/test_reply_send.py").count(), 1, "{failed}");
    write(&app, "lib/reply.py", &reply("codec.encode_frame(not_yet(body))"));
    let edited = "TypeError: Cannot read that\n    at send (/srv/app/lib/reply.py:5:4)";
    assert!(!told(edited).contains("is so since"), "it is not committed");
    // Commits of one second that are learnt one after the other have no order.
    commit_all_later(&app, "chore: Send it as the others do", "ann", 1);
    let fixed = "- `send` (lib/reply.py:4) was fixed before by \"Fix send where the body is 32 long\" (";
    eventually_some(|| told(edited).contains(fixed).then_some(()));
}

#[test]
fn an_error_is_told_who_calls_its_function_unless_its_stack_says_so() {
    let home = Home::new();
    let app = home.path("app");
    write(
        &app,
        "lib/frames.py",
        "def encode_frame(body):\n    return body.encode()\n\n\n# encode_frame(b) is quick.\n",
    );
    write(
        &app,
        "lib/reply.py",
        "from frames import encode_frame\n\n\ndef reply(body):\n    return encode_frame(body)\n",
    );
    write(&app, "tests/test_frames.py", "def test_encodes():\n    assert encode_frame('a')\n");
    commit_all(&app);
    let _daemon = home.daemon();
    settled(&home);
    let told = |error: &str| {
        let asked = json!({"project": app, "counted": false, "signals": {"recent_errors": [error]}});
        post(&home, "/v1/context/assemble", &asked)["context"].as_str().unwrap().to_owned()
    };
    let failed = "Traceback (most recent call last):\n  File \"lib/frames.py\", line 2, in encode_frame\n    \
        return body.encode()\nTypeError: no\n";
    let expected = "- `encode_frame` is called in lib/reply.py:5 and nowhere else but in tests\n";
    eventually_some(|| told(failed).contains(expected).then_some(()));
    let whole =
        failed.replace("  File", "  File \"lib/reply.py\", line 5, in reply\n    return encode_frame(body)\n  File");
    assert!(!told(&whole).contains("is called in"), "{}", told(&whole));
}

#[test]
fn what_is_done_again_and_again_is_told_as_it_was_done_last() {
    let home = Home::new();
    let app = home.path("app");
    write(&app, "src/lib.py", "x = 1\n");
    commit_all(&app);
    for number in 1..4 {
        write(&app, "src/version.py", &format!("VERSION = '0.{number}'\n"));
        write(&app, "docs/releases.md", &format!("# 0.{number}\n"));
        commit_all_as(&app, &format!("Version 0.{number} (#1{number})"), "ann");
    }
    write(&app, "src/lib.py", "x = 2\n");
    commit_all_as(&app, "Count from two (#77)", "ann");
    let _daemon = home.daemon();
    settled(&home);
    let told = |signals: Value| told(&home, &app, &signals);
    // They are of the same second, so that any may be the last.
    let last = |told: &str, files: &str| {
        told.contains("- done before by \"Version 0.") && told.contains(&format!("): {files}\n"))
    };
    let found = || last(&told(json!({"goal": "Version 0.4 (#19)"})), "docs/releases.md, src/version.py").then_some(());
    eventually_some(found);
    assert!(last(&told(json!({"goal": "Version 0.4", "current_file": "src/version.py"})), "docs/releases.md"));
    let named = told(json!({"goal": "Cleanup after #77"}));
    assert!(named.contains("- \"Count from two (#77)\" (") && named.contains("): src/lib.py\n"), "{named}");
}

#[test]
fn a_goal_is_told_the_functions_that_speak_of_it() {
    let home = Home::new();
    let app = home.path("app");
    let function =
        |name: &str, doc: &str, body: &str| format!("/// {doc}\npub fn {name}() -> usize {{\n    {body}\n}}\n\n");
    let mut text = function("read", "Reads the settings of a house.", "settings().len()");
    text += &function("real_address", "The address as a proxy forwarded it.", "head(\"x-forwarded-for\").len()");
    text += &function("close", "Closes every door.", "doors().len()");
    text += &function("count", "How many lamps there are.", "lamps().len()");
    text += &"// Nothing else.\n".repeat(80);
    write(&app, "src/server.rs", &text);
    write(&app, "src/client.rs", "pub fn connect() {}\n");
    commit_all_as(&app, "Serve what a proxy forwarded", "ann");
    let _daemon = home.daemon();
    settled(&home);
    let told = |signals: Value| told(&home, &app, &signals);
    let goal = "Trust a forwarded address only from a known proxy";
    let open = json!({"goal": goal, "current_file": "src/server.rs"});
    let expected = "- file src/server.rs: likely in `real_address` (line 7)";
    let found = eventually_some(|| Some(told(open.clone())).filter(|told| told.contains(expected)));
    assert!(!found.contains("`close`") && !found.contains("`count`"), "{found}");
    assert!(told(json!({"goal": goal})).contains("src/server.rs: likely in `real_address` (line 7)"));
    assert!(!told(json!({"goal": "Paint the ceiling", "current_file": "src/server.rs"})).contains("likely in"));
}

#[test]
fn a_folder_that_is_named_is_looked_through_for_functions_that_speak_of_it() {
    let home = Home::new();
    let app = home.path("app");
    let function = |name: &str, said: &str| format!("def {name}():\n    log(\"{said}\")\n    return 1\n\n\n");
    let several =
        |word: &str| (1..5).map(|number| function(&format!("step_{word}_{number}"), word)).collect::<String>();
    for (path, text) in [
        ("src/relay/relay.py", several("open")),
        ("src/relay/pool.py", several("wait") + &function("drain", "a socket leaks unless its buffer is drained")),
        ("src/relay/names.py", several("name")),
        ("src/store/table.py", several("row") + &function("leak_buffer", "socket buffer leaks")),
        ("src/store/index.py", several("key")),
        ("src/main.py", several("main")),
    ] {
        write(&app, path, &text);
        commit_all(&app);
    }
    let _daemon = home.daemon();
    settled(&home);
    let told = |signals: Value| told(&home, &app, &signals);
    let expected = "- file src/relay/pool.py: likely in `drain` (line 21)";
    for signals in
        [json!({"goal": "fix(relay): socket buffer leaks"}), json!({"branch": "fix/relay-socket-buffer-leaks"})]
    {
        let found = eventually_some(|| Some(told(signals.clone())).filter(|told| told.contains(expected)));
        assert!(!found.contains("src/relay/relay.py") && !found.contains("src/store/"), "{found}");
    }
    let member = told(json!({"goal": "`relay.pool.drain` hangs"}));
    assert!(member.contains("- file src/relay/pool.py: defines pool.drain (line 21)"), "{member}");
}

#[test]
fn a_scope_means_what_its_commits_touched_rather_than_a_file_of_its_name() {
    let home = Home::new();
    let app = home.path("app");
    for path in
        ["src/relay.py", "src/client/wire.py", "src/proto/decode.py", "tests/test_relay.py", "tests/test_wire.py"]
    {
        write(&app, path, "import sys\n");
    }
    commit_all(&app);
    for (scope, path) in [("relay", "src/relay.py"), ("wire", "src/proto/decode.py")] {
        for number in 1..7 {
            write(&app, path, &format!("def case():\n    return {number}\n"));
            commit_all_as(&app, &format!("fix({scope}): decode case {number}"), "ann");
        }
    }
    let _daemon = home.daemon();
    settled(&home);
    let told = |goal: &str| {
        let asked = json!({"project": app, "counted": false, "signals": {"goal": goal}});
        post(&home, "/v1/context/assemble", &asked)["context"].as_str().unwrap().to_owned()
    };
    eventually_some(|| told("fix(relay): flush late").contains("src/relay.py: its name is \"relay\"").then_some(()));
    let wire = told("fix(wire): flush late");
    assert!(!wire.contains("src/client/wire.py"), "{wire}");
}
