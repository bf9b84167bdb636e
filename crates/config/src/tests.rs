//! Tests of the configuration as a whole: the default, overlays, and the words of every refusal.

use super::*;

fn refusal(text: &str) -> String {
    Config::parse(text).unwrap_err().to_string()
}

#[test]
fn the_default_is_the_example() {
    let config = Config::default();
    assert_eq!(config, Config::parse(EXAMPLE).unwrap());
    assert_eq!(config.server.socket, None);
    assert_eq!(config.server.request_timeout, Duration::from_secs(30));
    assert_eq!(config.server.idle_timeout, Duration::from_secs(300));
    assert_eq!((config.server.max_body, config.server.max_record), (8 << 20, 256 << 10));
    assert_eq!((config.server.inbox, config.server.max_connections), (1024, 256));
    assert_eq!(config.project.worktrees, Worktrees::Shared);
    assert_eq!(config.store.lock_timeout, Duration::from_secs(10));
    assert_eq!(config.store.max_document, 256 << 20);
    assert_eq!((config.layers.topics, config.layers.actions, config.layers.decisions), (12, 100, 50));
    let recall = config.recall;
    assert_eq!((recall.semantic, recall.keyword, recall.recency, recall.usage), (0.22, 0.38, 0.02, 0.2));
    assert_eq!(recall.decay, Decay::ByKind);
    let design = Config::parse("[recall]\nprofile = \"design\"").unwrap().recall;
    assert_eq!(design, RecallConfig::DESIGN);
    let context = &config.context;
    assert_eq!((context.budget, context.session_budget, context.prompt_budget), (8_000, 400, 300));
    assert_eq!((context.min_score, context.window), (0.35, Duration::from_hours(24 * 90)));
    assert_eq!(config.profiles.of(None), [0.25, 0.375, 0.25, 0.125]);
    assert_eq!(config.profiles.of(Some(TaskType::Debugging)), [0.375, 0.3125, 0.1875, 0.125]);
    assert_eq!(config.embed.model, None);
    assert_eq!(config.service.memory_limit, 1 << 30);
    assert_eq!((config.log.level.as_str(), config.log.format), ("info", LogFormat::Auto));
}

#[test]
fn a_partial_file_changes_only_what_it_names() {
    let config = Config::parse("server.socket = \"/run/x.sock\"\n[log]\nlevel = \"debug\"\n").unwrap();
    let mut expected = Config::default();
    expected.server.socket = Some(PathBuf::from("/run/x.sock"));
    expected.log.level = LogLevel::Debug;
    assert_eq!(config, expected);
}

#[test]
fn sizes_may_be_plain_numbers_and_a_record_fits_into_a_body() {
    let config = Config::parse("[server]\nmax_body = 65536").unwrap();
    assert_eq!((config.server.max_body, config.server.max_record), (65_536, 65_536));
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_nearest_one() {
    let text = "[server]\n# a comment\nsokcet = \"/x\"";
    assert_eq!(refusal(text), "unknown key \"server.sokcet\" (line 3): did you mean \"server.socket\"?");
    assert_eq!(refusal("[sever]"), "unknown key \"sever\" (line 1): did you mean \"server\"?");
    assert_eq!(refusal("[server]\nqqq = 1"), "unknown key \"server.qqq\" (line 2)");
}

#[test]
fn a_wrong_value_is_named_with_its_line_and_what_is_allowed() {
    let forms = "\"250ms\", \"30s\", \"5m\", \"2h\" or \"90d\", from 10ms to 1h";
    for value in ["30", "\"30\"", "\"2h\"", "true", "[]", "{ a = 1 }"] {
        let said = refusal(&format!("[server]\n\nrequest_timeout = {value}"));
        assert!(said.starts_with("\"server.request_timeout\" (line 3) cannot be "), "{said}");
        assert!(said.ends_with(forms), "{said}");
    }
    let said = refusal("[layers]\ntopics = 13");
    assert_eq!(said, "\"layers.topics\" (line 2) cannot be 13: allowed is a whole number from 1 to 12");
    let said = refusal("[project]\nworktrees = \"none\"");
    assert_eq!(
        said,
        "\"project.worktrees\" (line 2) cannot be \"none\": allowed is \"shared\", \"staged\", \"isolated\""
    );
    let said = refusal("[server]\nsocket = \"x.sock\"");
    assert!(said.ends_with("allowed is an absolute path, or \"\" for the usual place"), "{said}");
    let said = refusal("[server]\nmax_body = -1");
    assert!(said.ends_with("or a number of bytes, from 1 KiB to 1 GiB"), "{said}");
    let said = refusal("server = 3");
    assert_eq!(said, "\"server\" (line 1) cannot be the integer given here: allowed is a table of keys");
    for text in ["layers.actions = 101", "layers.decisions = 51", "server.inbox = 0", "log.format = \"xml\""] {
        assert!(refusal(text).contains("(line 1) cannot be"), "{text}");
    }
}

#[test]
fn text_that_is_no_toml_is_refused_with_its_line_and_file() {
    let error = Config::load(Some(Path::new("/etc/x.toml")), "[log]\nlevel = \n").unwrap_err().to_string();
    assert!(error.starts_with("/etc/x.toml: not valid TOML (line 2): "), "{error}");
    assert!(Config::load(None, "a = ").unwrap_err().to_string().starts_with("not valid TOML (line 1)"));
}

#[test]
fn a_profile_is_four_percentages_that_make_a_whole() {
    let config = Config::parse("profiles.review = [10, 20, 30, 40]").unwrap();
    assert_eq!(config.profiles.of(Some(TaskType::Review)), [0.1, 0.2, 0.3, 0.4]);
    for value in ["[25, 25, 25]", "[25, 25, 25, 26]", "[-10, 60, 25, 25]", "[\"25\", 25, 25, 25]", "100"] {
        let said = refusal(&format!("profiles.debugging = {value}"));
        assert!(said.contains("four percentages that add up to 100"), "{said}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        lines in proptest::collection::vec("(\\[[a-z.]{0,9}\\]|(socket|inbox|profile|deadline|model) *= *|\"|'|-?[0-9]{1,20}(ms|s|MB)?|true|[{}\\[\\],#.=é ]){0,5}", 0..12)
    ) {
        if let Err(refusal) = Config::parse(&lines.join("\n")) {
            proptest::prop_assert!(!refusal.to_string().is_empty());
        }
    }

    #[test]
    fn no_change_of_the_example_makes_the_reader_panic(at in 0..EXAMPLE.len(), put in "[\\[\\]=\"#a0.\n-]{0,3}") {
        if EXAMPLE.is_char_boundary(at) {
            let _ = Config::parse(&format!("{}{put}{}", &EXAMPLE[..at], EXAMPLE[at..].get(1..).unwrap_or_default()));
        }
    }
}
