//! `lokid economics`: what memory cost in tokens and what it saved.

use serde_json::Value;

use super::args::Economics;
use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;
use lokid_context::economics::MEANINGS;

pub(super) fn run(economics: &Economics, settings: &Settings, screen: &mut Screen) -> Done {
    if economics.explain {
        for (name, meaning) in MEANINGS {
            screen.line(screen.paint(Style::Bold, name))?;
            screen.line(format!("  {meaning}"))?;
        }
        return Ok(());
    }
    let ask = Ask::get("/economics").project(settings).maybe("session_id", economics.session.as_deref());
    let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
    let number = |at: &str| answer.pointer(at).and_then(Value::as_f64).unwrap_or(0.0);
    let tokens = |at: &str| words::number(number(at).max(0.0) as u64);
    let loads = |layer: &str, tokens_at: &str| {
        let times = words::count(number(&format!("/breakdown/{layer}_loads")) as u64, "load", "loads");
        format!("{times}, {} tokens", tokens(&format!("/breakdown/{tokens_at}")))
    };
    let rows = vec![
        vec!["finding".to_owned(), format!("{} tokens", tokens("/metrics/discovery_tokens"))],
        vec!["reading".to_owned(), format!("{} tokens", tokens("/metrics/read_tokens"))],
        vec!["index".to_owned(), loads("layer1", "layer1_tokens")],
        vec!["timeline".to_owned(), loads("layer2", "layer2_tokens_scanned")],
        vec!["memories".to_owned(), loads("layer3", "layer3_tokens")],
        vec!["saved".to_owned(), format!("{:.1} % against loading everything", number("/savings_percent"))],
    ];
    screen.table(&rows)?;
    for action in ask::list(&answer, "thresholds_triggered") {
        screen.line(format!("due: {}", words::field(action, "description")))?;
    }
    for measure in ask::list(&answer, "measures") {
        screen.line(format!("in force: {}", measure.as_str().unwrap_or_default()))?;
    }
    Ok(())
}
