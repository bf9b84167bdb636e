//! Tests of the second look: pairs of developer statements, and what happens to a statement when one thing changes.

use super::*;

fn same_text(a: &str, b: &str) {
    for (a, b) in [(a, b), (b, a)] {
        assert_eq!(says_the_same(a, b), Verdict::Same, "\n{a}\n{b}\n{:#?}\n{:#?}", read(a), read(b));
    }
}

fn check(a: &str, b: &str, expected: Reason) {
    for (a, b) in [(a, b), (b, a)] {
        assert_eq!(says_the_same(a, b), Verdict::Differs(expected), "\n{a}\n{b}\n{:#?}\n{:#?}", read(a), read(b));
    }
}

#[test]
fn punctuation_case_and_blanks_do_not_matter() {
    for (a, b) in [
        ("Use tabs for indentation.", "Use tabs for indentation"),
        ("Use tabs for indentation.", "use tabs for indentation!"),
        ("Run the linter,  then push.", "Run the linter, then\npush"),
        ("Logs go to stdout; metrics go to Prometheus.", "Logs go to stdout, metrics go to Prometheus."),
        ("The build needs clang, lld, and mold.", "The build needs clang, lld and mold."),
        ("The label is “urgent”.", "The label is \"urgent\"."),
        ("It’s the user’s token.", "It's the user's token."),
        ("**Never** force-push, **ever**.", "Never force-push, ever."),
        ("- Pin the toolchain.", "Pin the toolchain."),
        ("Tests live in `tests/`.", "Tests live in tests/."),
        ("Call `main()` (once).", "Call main() once"),
        ("Postgres is the store.", "postgres is the store"),
        ("端口是 8080。", "端口是 8080"),
    ] {
        same_text(a, b);
    }
}

#[test]
fn articles_copulas_and_contractions_do_not_matter() {
    for (a, b) in [
        ("The cache is a write-through cache.", "Cache is write-through cache"),
        ("Don't push to main.", "Do not push to main."),
        ("Never push to main.", "Don’t push to main"),
        ("We use workspaces.", "Use workspaces."),
        ("We don't vendor dependencies.", "We do not vendor dependencies."),
        ("The parser can't recover from this.", "The parser cannot recover from this."),
        ("The job won't retry.", "The job will not retry."),
        ("It isn't thread safe.", "It is not thread-safe."),
        ("MFA mandatory for staff", "MFA is mandatory for staff."),
        ("Make sure that the index is fresh.", "Make sure the index is fresh."),
        ("Ask before you push.", "Ask before pushing."),
        ("Please run the formatter after you edit.", "Run the formatter after editing."),
    ] {
        same_text(a, b);
    }
}

#[test]
fn plurals_abbreviations_and_spellings_do_not_matter() {
    for (a, b) in [
        ("Every test needs a name.", "Every tests need a name."),
        ("Migrations run nightly.", "The migration runs nightly."),
        ("Queries hit the replica.", "A query hits the replica."),
        ("The repo config is checked in.", "The repository configuration is checked in."),
        ("The db has one replica.", "The database has 1 replica."),
        ("Env vars are read at startup.", "Environment variables are read on startup."),
        ("Every PR needs two approvals.", "Every pull request needs 2 approvals."),
        ("Normalise the colour names.", "Normalize the color names."),
        ("The timeout is 30 s.", "The timeout is 30 seconds."),
        ("The timeout is 30s.", "The timeout is 30 sec"),
        ("Coverage must be 80%.", "Coverage must be 80 percent."),
        ("The limit is 10,000 rows.", "The limit is 10000 rows."),
        ("Uploads may have 5 MB.", "Uploads may have 5MB."),
    ] {
        same_text(a, b);
    }
}

#[test]
fn two_orders_that_are_known_to_be_one() {
    for (a, b) in [
        ("In CI, use the frozen lockfile.", "Use the frozen lockfile in CI."),
        ("When the disk is full, reject writes.", "Reject writes when the disk is full."),
        ("On Windows, don't use symlinks.", "Do not use symlinks on Windows."),
        ("Blank lines are ignored by the parser.", "The parser ignores blank lines."),
        ("Duplicate keys are silently dropped by the importer.", "The importer silently drops duplicate keys."),
        ("Retries are scheduled by the worker.", "The worker schedules retries."),
        ("The queue is owned by billing.", "Billing owns the queue."),
    ] {
        same_text(a, b);
    }
}

#[test]
fn another_value_is_another_statement() {
    for (a, b) in [
        ("The port is 8080.", "The port is 8081."),
        ("The timeout is 30 s.", "The timeout is 30 ms."),
        ("The timeout is thirty seconds.", "The timeout is 30 minutes."),
        ("Pin serde to 1.0.200.", "Pin serde to 1.0.201."),
        ("The offset is -1.", "The offset is 1."),
        ("Use `users` for accounts.", "Use `user` for accounts."),
        ("Set LOG_LEVEL first.", "Set LOG_FORMAT first."),
        ("The token is in ~/.netrc now.", "The token is in ~/.npmrc now."),
        ("See https://a.example/x", "See https://a.example/y"),
        ("Released on 2026-01-02.", "Released on 2026-02-01."),
        ("Fixed in a1b2c3d.", "Fixed in a1b2c3e."),
        ("Say \"hello\" on connect.", "Say \"hullo\" on connect."),
        ("Use userId in the payload.", "Use userID in the payload."),
        ("Pass --locked to cargo.", "Pass --offline to cargo."),
        ("Two reviewers approve.", "Three reviewers approve."),
        ("The bandwidth is 5 MB.", "The bandwidth is 5 Mb."),
        ("Format src/**/*.rs files.", "Format src/*.rs files."),
        ("Use tabs here.", "Use tabs here?"),
        ("Latency is ~5 ms.", "Latency is 5 ms."),
    ] {
        check(a, b, Reason::Value);
    }
}

#[test]
fn another_polarity_is_another_statement() {
    for (a, b) in [
        ("Deploy on Fridays.", "Never deploy on Fridays."),
        ("The index is not rebuilt.", "The index is rebuilt."),
        ("The parser can recover.", "The parser can't recover."),
        ("Build with symbols.", "Build without symbols."),
        ("Use mocks.", "Avoid mocks."),
        ("No endpoint needs a token.", "The endpoint needs a token."),
        ("The old API is supported.", "The old API is deprecated."),
    ] {
        check(a, b, Reason::Negation);
    }
    check("No, deploy on Friday.", "No deploy on Friday.", Reason::Wording);
}

#[test]
fn opposites_are_told() {
    for (a, b) in [
        ("Telemetry is enabled.", "Telemetry is disabled."),
        ("Lint before you test.", "Lint after you test."),
        ("Jobs run on production.", "Jobs run on staging."),
        ("The client retries.", "The server retries."),
        ("Agents must sign commits.", "Agents may sign commits."),
        ("The flag is on by default.", "The flag is off by default."),
        ("The max depth is fixed.", "The min depth is fixed."),
        ("Copy from the bucket.", "Copy to the bucket."),
    ] {
        check(a, b, Reason::Opposite);
    }
}

#[test]
fn another_name_is_another_statement() {
    for (a, b) in [
        ("Ask Marta about search.", "Ask Hiro about search."),
        ("The web app uses Jest.", "The web app uses Vitest."),
        ("Plan A is active.", "Plan B is active."),
        ("The QA service is slow.", "The BI service is slow."),
    ] {
        check(a, b, Reason::Name);
    }
}

#[test]
fn the_same_words_in_another_order_are_another_statement() {
    for (a, b) in [
        ("Lint before test.", "Test before lint."),
        ("Move data from Redis to Postgres.", "Move data from Postgres to Redis."),
        ("Use pnpm instead of npm.", "Use npm instead of pnpm."),
        ("Prefer spaces over tabs.", "Prefer tabs over spaces."),
        ("The api crate depends on core.", "The core crate depends on api."),
        ("The parser calls the lexer.", "The lexer calls the parser."),
        ("Commit first, then invalidate.", "Invalidate first, then commit."),
        ("The parser is called by the lexer.", "The lexer is called by the parser."),
    ] {
        check(a, b, Reason::Order);
    }
}

#[test]
fn small_words_that_carry_meaning_keep_statements_apart() {
    for (a, b) in [
        ("The default is five.", "The default was five."),
        ("The flag is removed.", "The flag will be removed."),
        ("We use Postgres.", "We used Postgres."),
        ("Calls are blocked.", "Calls are blocking."),
        ("Clients read the log.", "Clients are read the log."),
        ("Few tests are slow.", "A few tests are slow."),
        ("The cache is only filled by the loader.", "The loader only fills the cache."),
        ("In CI, the bot only posts failures.", "The bot only posts failures in CI."),
        ("You deploy to staging, we deploy to live.", "We deploy to staging, you deploy to live."),
        ("Deploy on Monday.", "Deploy on Mondays."),
        ("The job is empty.", "The job empties."),
        ("Close the window.", "Close the Windows."),
        ("Use http for probes.", "Use https for probes."),
        ("Rows live in the users table.", "Rows live in the user table."),
        ("The branch is called release.", "The branch is called releases."),
        ("Remove lodash from the bundle.", "Lodash is removed from the bundle."),
        ("Alerts go to the team.", "Alerts go via the team."),
        ("The queue is owned by billing.", "Billing owned the queue."),
        ("Take pip for tools.", "Take pipe for tools."),
        ("Take note of errors.", "Take not of errors."),
        ("Only admins may merge.", "Admins may only merge."),
        ("Use a lock.", "Use a lock or a mutex."),
        ("At 9 AM the job runs.", "At 9 the job runs."),
        ("SELECT * FROM t is slow.", "SELECT FROM t is slow."),
        ("Some statement.", "Something else entirely."),
    ] {
        for (a, b) in [(a, b), (b, a)] {
            assert_ne!(says_the_same(a, b), Verdict::Same, "{a} / {b}");
        }
    }
}

#[test]
fn what_says_nothing_is_the_same_as_nothing() {
    for (a, b) in [("", ""), ("", "x"), ("the", "a"), ("...", "…"), (" \n", "!")] {
        check(a, b, Reason::Empty);
    }
}

const STATEMENTS: &[&str] = &[
    "The API gateway retries 3 times before Marta gets a page.",
    "Never run 2 migrations at once on the Berlin cluster.",
    "Release 4.2 of the Python client does not support streaming.",
    "Use the blue queue for 15 minute jobs, except for Contoso.",
    "In staging, Redis 7 keeps sessions for 30 days without a backup.",
    "`cargo nextest` runs 8 threads on Linux; it must not touch the network.",
];

#[test]
fn flipping_one_number_name_or_negation_is_always_noticed() {
    for statement in STATEMENTS {
        let words: Vec<&str> = statement.split(' ').collect();
        for at in 0..words.len() {
            let bare = words[at].trim_end_matches([',', '.', ';', ':']);
            let is_name = at > 0 && bare.starts_with(char::is_uppercase);
            let other = match bare {
                "not" | "Never" | "never" => String::new(),
                "without" => "with".to_owned(),
                "except" => "also".to_owned(),
                word if word.bytes().any(|byte| byte.is_ascii_digit()) => format!("{word}1"),
                _ if is_name => "Someone".to_owned(),
                _ => continue,
            };
            let mut changed = words.clone();
            let other = words[at].replace(bare, &other);
            changed[at] = &other;
            assert_ne!(says_the_same(statement, &changed.join(" ")), Verdict::Same, "{}", changed.join(" "));
        }
    }
}

#[test]
fn any_word_left_out_or_two_swapped_is_noticed_unless_it_carries_no_meaning() {
    for statement in STATEMENTS {
        let words: Vec<&str> = statement.split(' ').collect();
        for at in 0..words.len() {
            let mut less = words.clone();
            let word = less.remove(at).to_lowercase();
            let empty = words::EMPTY.contains(&word.as_str()) || ["does", "do"].contains(&word.as_str());
            assert_eq!(says_the_same(statement, &less.join(" ")) == Verdict::Same, empty, "{}", less.join(" "));
        }
        for at in 1..words.len() {
            let mut swapped = words.clone();
            swapped.swap(at - 1, at);
            let article =
                [words[at - 1], words[at]].iter().any(|word| words::EMPTY.contains(&word.to_lowercase().as_str()));
            let swapped = swapped.join(" ");
            assert!(article || says_the_same(statement, &swapped) != Verdict::Same, "{swapped}");
        }
    }
}

#[test]
fn a_long_text_is_compared_in_one_pass() {
    let text = "do not push, in CI it is ignored by us ".repeat(2_000);
    same_text(&text, &text);
    check(&text, &format!("{text} 7"), Reason::Value);
    let brackets = format!("(x{}", ")".repeat(1 << 17));
    same_text(&brackets, &brackets);
}

proptest::proptest! {
    #[test]
    fn every_text_says_what_it_says_and_the_order_of_the_two_does_not_matter(a in "\\PC{0,60}", b in "\\PC{0,60}") {
        let expected = if read(&a).is_empty() { Verdict::Differs(Reason::Empty) } else { Verdict::Same };
        proptest::prop_assert_eq!(says_the_same(&a, &a), expected);
        proptest::prop_assert_eq!(says_the_same(&a, &b), says_the_same(&b, &a));
    }

    #[test]
    fn blanks_and_a_full_stop_never_matter(
        words in proptest::collection::vec("[a-z]{1,9}|[0-9]{1,4}|`[a-z_]{1,9}`", 1..9),
    ) {
        let (tight, loose) = (words.join(" "), format!("  {}.", words.join("  ")));
        proptest::prop_assert_eq!(says_the_same(&tight, &loose), says_the_same(&tight, &tight));
    }
}

#[test]
fn capitals_layout_and_pointing_may_carry_the_meaning() {
    for (a, b) in [
        ("Deploy to US servers first.", "Deploy to us servers first."),
        ("The column name is ID.", "The column name is id."),
        ("Drop the table Users.", "Drop the table users."),
        ("Call Close before Open.", "Call close before open."),
        ("set a = b", "set a b"),
        ("if x:\n  y\nz", "if x:\n  y\n  z"),
        ("That user may log in.", "The user may log in."),
        ("Also deploy the worker.", "Deploy the worker."),
    ] {
        assert_ne!(says_the_same(a, b), Verdict::Same, "{a} / {b}");
        assert_eq!(says_the_same(a, a), Verdict::Same, "{a}");
    }
}
