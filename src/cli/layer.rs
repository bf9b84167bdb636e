//! `lokid index` and `lokid timeline`: the short layers at the top of a memory.

use serde_json::Value;

use super::args::Layer;
use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use super::words;
use lokid_model::layer::TOPIC_PREFIX;

/// The topics, a line each; or one of them in full.
pub(super) fn index(topic: Option<&str>, layer: &Layer, settings: &Settings, screen: &mut Screen) -> Done {
    if topic.is_some() || settings.json {
        return run("index", topic, layer, settings, screen);
    }
    let answer = Reach::reader(settings, screen)?.learn(&ask("index", "json", layer, settings))?;
    let topics = ask::list(&answer, "topics");
    if topics.is_empty() {
        screen.note("nothing is remembered yet");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = topics.iter().map(row).collect();
    screen.listed(&rows)?;
    let total = answer.get("total_memories").and_then(Value::as_u64).unwrap_or(0);
    let total = words::count(total, "memory", "memories");
    screen.note(format!("{total}; open a topic with `lokid index TOPIC`, search with `lokid recall WORDS`"));
    Ok(())
}

/// Its name, the day of the newest in it, and what it holds.
fn row(topic: &Value) -> Vec<String> {
    let (id, summary) = (words::field(topic, "id"), words::field(topic, "summary"));
    let day = words::field(topic, "last_accessed").chars().take(10).collect();
    match id.strip_prefix(TOPIC_PREFIX) {
        Some(name) => {
            let kinds = summary.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&summary);
            vec![name.to_owned(), day, kinds.to_owned()]
        }
        None => vec![id, day, format!("{} (Loki Mode)", words::brief(&summary, 60))],
    }
}

pub(super) fn timeline(layer: &Layer, settings: &Settings, screen: &mut Screen) -> Done {
    run("timeline", None, layer, settings, screen)
}

fn ask(name: &str, format: &str, layer: &Layer, settings: &Settings) -> Ask {
    Ask::get(&format!("/{name}"))
        .project(settings)
        .query("format", format)
        .query("counted", "false")
        .maybe("namespace", layer.namespace.as_deref())
}

fn run(name: &str, topic: Option<&str>, layer: &Layer, settings: &Settings, screen: &mut Screen) -> Done {
    let format = if settings.json { "json" } else { "text" };
    let answer = Reach::reader(settings, screen)?.ask(&ask(name, format, layer, settings).maybe("topic", topic))?;
    screen.text(&answer.text())
}
