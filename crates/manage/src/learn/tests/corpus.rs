//! Episodes as they are met: several lines of work, each said in many ways, some sharing words or files with others.

use std::sync::Arc;

use lokid_model::{Action, Body, Episode, EpisodeError, Kind, Memory, MemoryId, Outcome, Timestamp};

pub(super) const DAY: i64 = 86_400_000_000;
/// The sixth of January 2026.
pub(super) const START: i64 = 1_767_657_600_000_000;

pub(super) struct Theme {
    pub(super) name: &'static str,
    pub(super) goals: &'static [&'static str],
    pub(super) files: &'static [&'static str],
    pub(super) runs: &'static [&'static str],
    pub(super) error: (&'static str, &'static str),
    /// What was tried by those that failed.
    pub(super) wrong: &'static str,
}

pub(super) const THEMES: &[Theme] = &[
    Theme {
        name: "login timeout",
        goals: &[
            "Fix login timeout under load",
            "Login requests time out when traffic is high",
            "Investigate timeouts of the login endpoint",
            "Users report that logging in times out",
            "Stop the login timeout in the auth service",
            "Debug slow login that ends in a timeout",
            "Login times out after 30 seconds, find out why",
        ],
        files: &["src/auth/session.rs", "src/auth/pool.rs", "src/auth/login.rs"],
        runs: &["cargo test -p auth"],
        error: (
            "pool timed out while waiting for an open connection after 30s",
            "release the connection before hashing",
        ),
        wrong: "raise the pool size",
    },
    Theme {
        name: "login styling",
        goals: &[
            "Restyle the login button",
            "Login page button has the wrong colour",
            "Make the login form buttons match the design",
            "Fix the colour and padding of the login button",
            "Adjust styling of the button on the login page",
            "Login button looks broken in dark mode",
        ],
        files: &["web/styles/login.css", "web/components/LoginForm.tsx"],
        runs: &["npm run storybook:test"],
        error: ("Snapshot mismatch for LoginForm", "update the snapshot after the review"),
        wrong: "add !important everywhere",
    },
    Theme {
        name: "database migration",
        goals: &[
            "Add a migration for the invoices table",
            "Write database migration that adds due_date to invoices",
            "Migrate the invoices schema to the new columns",
            "Schema migration for invoices",
            "Create migration: invoices get a currency column",
            "Invoices table needs a migration with a default value",
        ],
        files: &["migrations/0042_invoices.sql", "src/billing/invoice.py", "src/billing/schema.py"],
        runs: &["alembic upgrade head", "pytest tests/billing"],
        error: ("relation \"invoices\" already exists", "make the migration idempotent"),
        wrong: "edit the applied migration in place",
    },
    Theme {
        name: "flaky websocket test",
        goals: &[
            "Fix the flaky websocket reconnect test",
            "Websocket reconnect test fails now and then",
            "Stabilise flaky test for websocket reconnection",
            "Reconnect test of the websocket client is flaky on CI",
            "Investigate why the websocket test is flaky",
        ],
        files: &["tests/ws/reconnect.test.ts", "src/ws/client.ts"],
        runs: &["npx vitest run tests/ws"],
        error: ("Timeout of 5000ms exceeded waiting for reconnect", "use fake timers and await the reconnect event"),
        wrong: "increase the sleep in the test",
    },
    Theme {
        name: "jwt rotation",
        goals: &[
            "Rotate the JWT signing keys",
            "Implement key rotation for JWT",
            "JWT signing key rotation with overlap",
            "Add rotation of the keys that sign JWTs",
            "Support rotating JWT keys without logging users out",
        ],
        files: &["src/auth/jwt.rs", "src/auth/keys.rs"],
        runs: &["cargo test -p auth jwt"],
        error: ("InvalidSignature: token signed by unknown key", "publish the new key before signing with it"),
        wrong: "replace the key at once",
    },
    Theme {
        name: "docker image size",
        goals: &[
            "Shrink the docker image",
            "Docker image is too large, reduce its size",
            "Reduce size of the production docker image",
            "Make our docker image smaller with a multi-stage build",
            "Cut the docker image size in half",
        ],
        files: &["Dockerfile", ".dockerignore"],
        runs: &["docker build -t app ."],
        error: ("COPY failed: file not found in build context", "fix the ignore file"),
        wrong: "squash the layers by hand",
    },
    Theme {
        name: "csv export",
        goals: &[
            "Export reports as CSV",
            "Add CSV export to the reports page",
            "CSV export of reports must escape quotes",
            "Reports: download as CSV file",
            "Implement csv export for monthly reports",
        ],
        files: &["src/reports/export.py", "src/reports/views.py"],
        runs: &["pytest tests/reports"],
        error: ("UnicodeEncodeError: 'latin-1' codec can't encode character", "open the file as utf-8 with BOM"),
        wrong: "join the fields with commas",
    },
    Theme {
        name: "rate limiting",
        goals: &[
            "Add rate limiting to the public API",
            "Public API needs a rate limit per key",
            "Implement rate limits for API clients",
            "Rate limit requests to the public API",
            "Throttle API clients: rate limiting by token",
        ],
        files: &["src/api/limit.go", "src/api/middleware.go"],
        runs: &["go test ./src/api/..."],
        error: ("429 returned to health checks", "exempt the health endpoint"),
        wrong: "count requests in a global map",
    },
    Theme {
        name: "search relevance",
        goals: &[
            "Improve search relevance for product names",
            "Product search ranks irrelevant results first",
            "Tune the ranking of product search",
            "Search results for products are ranked badly",
            "Better relevance in product search",
        ],
        files: &["search/ranking.py", "search/analyzers.json"],
        runs: &["python -m search.evaluate"],
        error: ("mapper_parsing_exception: failed to parse field [title]", "reindex after changing the analyzer"),
        wrong: "boost every field",
    },
    Theme {
        name: "payment webhook",
        goals: &[
            "Handle duplicate payment webhooks",
            "Payment webhook is processed twice",
            "Make the payment webhook idempotent",
            "Webhook from the payment provider arrives twice, charge once",
            "Fix double processing of payment webhooks",
        ],
        files: &["src/payments/webhook.ts", "src/payments/store.ts"],
        runs: &["npm test -- payments"],
        error: ("duplicate key value violates unique constraint \"events_pkey\"", "insert with on conflict do nothing"),
        wrong: "ignore webhooks younger than a second",
    },
];

/// Numbers without a clock.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides.max(1)
    }
}

fn action(action: &str, target: &str, error: &str) -> Action {
    let result = if error.is_empty() { "ok" } else { "" };
    Action { action: action.into(), target: target.into(), result: result.into(), error: error.into(), t: None }
}

pub(super) fn memory(id: &str, at: i64, outcome: Option<Outcome>, episode: Episode) -> Memory {
    let mut memory = Memory::new(MemoryId::new(id).unwrap(), Kind::Episode, "", Timestamp::from_micros(at));
    memory.outcome = outcome;
    memory.anchors.files = episode.files_modified.clone();
    memory.body = Body::Episode(Box::new(episode));
    memory.text = lokid_model::render::text_of(&memory.body);
    memory
}

/// The number-th episode of a theme.
pub(super) fn episode(theme: &Theme, number: usize, dice: &mut Dice, fails_of_100: usize) -> Memory {
    let well = dice.roll(100) >= fails_of_100;
    let goal = theme.goals[dice.roll(theme.goals.len())];
    let mut files: Vec<String> = Vec::new();
    for _ in 0..=dice.roll(2) {
        let file = theme.files[dice.roll(theme.files.len())].to_owned();
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let mut log = vec![action("Read", theme.files[0], "")];
    let mut errors = Vec::new();
    log.extend(files.iter().map(|file| action("Edit", file, "")));
    if well {
        let stumbles = dice.roll(2) == 0;
        for run in theme.runs {
            if stumbles {
                log.push(action("Bash", run, theme.error.0));
                log.push(action("Edit", theme.files[0], ""));
            }
            log.push(action("Bash", run, ""));
        }
        if stumbles {
            errors.push(EpisodeError {
                kind: "Error".into(),
                message: theme.error.0.into(),
                resolution: theme.error.1.into(),
            });
        }
    } else {
        log.push(action(theme.wrong, "", theme.error.0));
        errors.push(EpisodeError { kind: "Error".into(), message: theme.error.0.into(), resolution: String::new() });
    }
    if dice.roll(3) == 0 {
        log.push(action("Bash", "git commit -am wip", ""));
    }
    let body = Episode {
        task_id: format!("task-{number}"),
        phase: "ACT".into(),
        goal: goal.into(),
        action_log: log,
        errors,
        files_modified: files,
        ..Episode::default()
    };
    let id = format!("ep-{:06}-{}", number, theme.name.replace(' ', "_"));
    let outcome = if well { Outcome::Success } else { Outcome::Failure };
    memory(&id, START + number as i64 * 3_600_000_000, Some(outcome), body)
}

/// Episodes of all themes, one after the other in time.
pub(super) fn corpus(count: usize, seed: u64, fails_of_100: usize) -> Vec<Arc<Memory>> {
    corpus_of(THEMES, count, seed, fails_of_100)
}

pub(super) fn corpus_of(themes: &[Theme], count: usize, seed: u64, fails_of_100: usize) -> Vec<Arc<Memory>> {
    let mut dice = Dice(seed | 1);
    let one = |number| {
        let theme = &themes[dice.roll(themes.len())];
        Arc::new(episode(theme, number, &mut dice, fails_of_100))
    };
    (0..count).map(one).collect()
}

/// The theme an episode of the corpus was made from.
pub(super) fn theme_of(id: &str) -> &str {
    id.get(10..).unwrap_or("")
}
