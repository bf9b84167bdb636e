//! `lokid predict`: what will be needed when something happens, and why.

use serde_json::Value;

use super::args::Predict;
use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;

pub(super) fn run(predict: &Predict, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = Ask::post("/context/predict")
        .project(settings)
        .field("k", predict.k)
        .maybe_field("file_opened", predict.file.clone())
        .maybe_field("branch", predict.branch.clone())
        .maybe_field("error", predict.error.clone())
        .maybe_field("author", predict.author.clone())
        .maybe_field("goal", predict.goal.clone())
        .maybe_field("namespace", predict.namespace.clone());
    let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
    let mut any = false;
    for (heading, list, name) in [("Files", "predicted_files", "path"), ("Memories", "predicted_memories", "title")] {
        let found = ask::list(&answer, list);
        if found.is_empty() {
            continue;
        }
        if any {
            screen.line("")?;
        }
        any = true;
        screen.line(screen.paint(Style::Bold, heading))?;
        let row = |item: &Value| {
            let score = item.get("score").and_then(Value::as_f64).unwrap_or(0.0);
            vec![format!("  {score:.2}"), words::field(item, name), words::field(item, "id"), words::field(item, "why")]
        };
        let rows: Vec<Vec<String>> = found.iter().map(row).map(without_empty).collect();
        screen.table(&rows)?;
    }
    if !any {
        screen.note("nothing can be foretold from that yet");
    }
    Ok(())
}

fn without_empty(row: Vec<String>) -> Vec<String> {
    row.into_iter().filter(|cell| !cell.is_empty()).collect()
}
