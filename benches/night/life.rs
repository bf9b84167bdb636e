//! A year of a team as records: episodes with their steps and errors, and what was noted, decided and known besides,
//! some of it twice and some of it against each other. Always the same for a size.

use super::themes::{Theme, themes};
use super::*;

const DAY: i64 = 86_400;
const YEAR: usize = 365 * DAY as usize;
const VERBS: [&str; 8] = ["Fix", "Speed up", "Refactor", "Extend", "Test", "Review", "Harden", "Rework"];
const DETAILS: [&str; 10] = [
    "for large accounts",
    "after the upgrade",
    "on slow networks",
    "for guests",
    "under load",
    "in the staging environment",
    "for the new plan",
    "as asked in review",
    "before the release",
    "for the partner integration",
];
/// One episode in so many of a hundred fails, and so many of the rest only get half way.
const FAILED: usize = 15;
const PARTIAL: usize = 5;

pub(crate) struct Life {
    pub(crate) lines: String,
    pub(crate) records: usize,
    pub(crate) questions: Vec<Question>,
}

impl Life {
    /// So many episodes, and a fifth as many notes, decisions and facts.
    pub(crate) fn of(episodes: usize) -> Life {
        let themes = themes();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
        // The same through the day.
        let now = now - now % DAY;
        let mut lines = String::new();
        let mut write = |record: Value| {
            lines.push_str(&record.to_string());
            lines.push('\n');
        };
        for number in 0..episodes {
            write(episode(&themes, number, now));
        }
        let mut statements = 0;
        for number in 0..episodes / 5 {
            write(statement(&themes, number, now));
            statements += 1;
        }
        let questions = questions(&themes);
        Life { lines, records: episodes + statements, questions }
    }
}

fn at(now: i64, dice: &mut Dice) -> String {
    Timestamp::from_micros((now - dice.below(YEAR) as i64) * 1_000_000).record_style().to_string()
}

fn goal(theme: &Theme, dice: &mut Dice) -> String {
    let (verb, thing) = (dice.word(&VERBS), dice.word(&theme.things));
    match dice.below(4) {
        0 => format!("{verb} the {thing}"),
        1 => format!("{verb} {thing} {}", dice.word(&DETAILS)),
        2 => format!("{}: {} the {thing} {}", theme.area, verb.to_lowercase(), dice.word(&DETAILS)),
        _ => format!("{verb} the {thing} in {}", dice.word(&theme.files)),
    }
}

fn episode(themes: &[Theme], number: usize, now: i64) -> Value {
    let mut dice = Dice::new(10_000 + number as u64);
    let theme = &themes[dice.below(themes.len())];
    let luck = dice.below(100);
    let outcome = match luck {
        _ if luck < FAILED => "failure",
        _ if luck < FAILED + PARTIAL => "partial",
        _ => "success",
    };
    let message = theme.message.replace("{n}", &dice.between(2, 9_000).to_string());
    let troubled = outcome != "success" || dice.below(100) < 25;
    let mut steps = Vec::new();
    let mut step = |action: String, target: &str, result: &str, error: &str| {
        let t = steps.len() * 40;
        steps.push(json!({"t": t, "action": action, "target": target, "result": result, "error": error}));
    };
    step("read".into(), dice.word(&theme.files), "", "");
    for _ in 0..dice.between(1, 7) {
        let file = dice.word(&theme.files);
        match dice.below(4) {
            0 => step("grep".into(), dice.word(&theme.things), "", ""),
            1 => step("read".into(), file, "", ""),
            _ => step("edit".into(), file, "", ""),
        }
    }
    if troubled {
        step(theme.command.to_owned(), "", "", &message);
        step("edit".into(), theme.files[0], if outcome == "success" { theme.resolution } else { "" }, "");
    }
    let last = if outcome == "success" { "passed" } else { "failed" };
    step(theme.command.to_owned(), "", last, if outcome == "failure" { &message } else { "" });
    step("git diff".into(), "", "", "");
    if outcome == "success" {
        step(format!("git commit -m \"{}: step {}\"", theme.area, dice.below(1_000)), "", "", "");
    }
    let resolution = if outcome == "failure" { "" } else { theme.resolution };
    let errors =
        if troubled { json!([{"type": theme.error, "message": message, "resolution": resolution}]) } else { json!([]) };
    json!({
        "id": format!("ep-{number:06}"), "kind": "episode", "timestamp": at(now, &mut dice), "source": "agent",
        "outcome": outcome, "files": theme.files,
        "episode": {
            "task_id": format!("task-{number}"), "duration_seconds": dice.between(60, 4_000), "agent": "builder",
            "context": {"phase": dice.word(&["development", "testing", "review"]), "goal": goal(theme, &mut dice)},
            "action_log": steps, "errors_encountered": errors, "artifacts_produced": [], "git_commit": null,
            "tokens_used": dice.between(2_000, 90_000), "files_read": theme.files, "files_modified": [theme.files[0]],
        },
    })
}

/// A setting of a theme: who says the same number agrees, who says another does not.
fn statement(themes: &[Theme], number: usize, now: i64) -> Value {
    let mut dice = Dice::new(900_000 + number as u64);
    // Every third comes back to something said before.
    let about = if number % 3 == 2 { number - 1 - dice.below(2) } else { number };
    let mut topic = Dice::new(1_700_000 + about as u64);
    let theme = &themes[topic.below(themes.len())];
    let (thing, kept, value) = (topic.word(&theme.things), topic.below(6), topic.between(2, 900));
    let value = if number % 3 == 2 && dice.below(3) == 0 { value + dice.between(1, 50) } else { value };
    let place = topic.word(&["staging", "production", "the test cluster", "every region", "the demo tenant"]);
    let again = number % 3 == 2;
    let text = match (kept, again) {
        (0, false) => format!("The {thing} waits {value} seconds before it gives up in {place}."),
        (0, true) => format!("In {place} the {thing} gives up after {value} seconds."),
        (1, false) => format!("We keep at most {value} entries for the {thing} in {place}."),
        (1, true) => format!("For the {thing} in {place}, at most {value} entries are kept."),
        (2, false) => {
            format!("Changes to the {thing} need {value} minutes of tests in {place} before they are merged.")
        }
        (2, true) => {
            format!("Before they are merged, changes to the {thing} need {value} minutes of tests in {place}.")
        }
        (3, _) => format!("The {thing} in {place} runs with {value} workers."),
        (4, false) => format!("The {thing} is checked every {value} minutes in {place}."),
        (4, true) => format!("Every {value} minutes the {thing} is checked in {place}."),
        (_, false) => format!("Logs of the {thing} are deleted after {value} days in {place}."),
        (_, true) => format!("In {place}, logs of the {thing} are kept for {value} days and then deleted."),
    };
    let kind = ["note", "decision", "note", "fact"][about % 4];
    let mut record = json!({
        "id": format!("st-{number:06}"), "kind": kind, "text": text,
        "timestamp": at(now, &mut dice), "source": "agent", "files": [theme.files[0]], "tags": [theme.area],
    });
    if about % 4 == 3 {
        record["fact"] =
            json!({"key": format!("{}.{kept}.{about}", theme.area), "value": value.to_string(), "scope": place});
    }
    record
}

fn questions(themes: &[Theme]) -> Vec<Question> {
    let mut dice = Dice::new(77);
    let mut ask = |_| {
        let theme = &themes[dice.below(themes.len())];
        let text = match dice.below(3) {
            0 => format!("{} {}", theme.error, dice.word(&theme.things)),
            1 => goal(theme, &mut dice),
            _ => format!("how do we {} in {}", theme.resolution, theme.area),
        };
        let body = json!({"query": text, "k": WANTED, "counted": false}).to_string();
        Question { text, body, filtered: false }
    };
    (0..QUESTIONS).map(&mut ask).collect()
}
