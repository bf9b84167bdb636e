//! `lokid context`: what somebody who is about to work should know, as an agent would get it.

use serde_json::Value;

use super::args::Context;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::remember;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::words;

pub(super) fn run(context: &Context, settings: &Settings, screen: &mut Screen) -> Done {
    if let Some(goal) = &context.task {
        return task(goal, context, settings, screen);
    }
    if let Some(query) = &context.relevant {
        return relevant(query, context, settings, screen);
    }
    if let Some(session) = context.session.as_deref().filter(|_| context.block) {
        return block(session, context, settings, screen);
    }
    assemble(context, settings, screen)
}

/// A call that names nothing is a look around, not a question.
const LOOK_AROUND: u32 = 1_000;

fn is_bare(context: &Context) -> bool {
    let named = [&context.file, &context.goal, &context.activity, &context.branch, &context.session];
    context.error.is_empty() && named.iter().all(|named| named.is_none())
}

fn assemble(context: &Context, settings: &Settings, screen: &mut Screen) -> Done {
    let as_of = remember::time("--as-of", context.as_of.as_deref())?;
    let mut signals = serde_json::Map::new();
    let mut signal = |name: &str, value: Option<Value>| drop(value.map(|value| signals.insert(name.to_owned(), value)));
    signal("current_file", context.file.as_deref().map(Value::from));
    signal("activity", context.activity.as_deref().map(Value::from));
    signal("goal", context.goal.as_deref().map(Value::from));
    signal("branch", context.branch.as_deref().map(Value::from));
    signal("recent_errors", (!context.error.is_empty()).then(|| Value::from(context.error.clone())));
    let budget = context.budget.or(is_bare(context).then_some(LOOK_AROUND));
    let ask = Ask::post("/context/assemble")
        .project(settings)
        .maybe_field("budget", budget)
        .maybe_field("namespace", context.namespace.clone())
        .field("signals", Value::Object(signals))
        .field("counted", context.session.is_some())
        .maybe_field("as_of", as_of)
        .maybe_field("session_id", context.session.clone());
    let reach = Reach::reader(settings, screen)?;
    let Some(answer) = reach.told(&ask, settings, screen)? else { return Ok(()) };
    let text = words::field(&answer, "context");
    if text.is_empty() {
        screen.note(match is_bare(context) {
            true => "nothing to say yet; tell what you are about to do: lokid context --goal 'add logout' --file src/auth.rs",
            false => "nothing is known that would help with that",
        });
        return Ok(());
    }
    screen.text(&text)?;
    if context.explain {
        explain(&answer, screen)?;
    }
    let tiers: Vec<String> = (1..=4).map(|tier| number(&answer, &format!("/tiers/tier{tier}"))).collect();
    let ready = if answer.get("prefetched") == Some(&Value::Bool(true)) { ", ready before you asked" } else { "" };
    screen.note(format!("{} tokens ({}){ready}", number(&answer, "/token_count"), tiers.join(" + ")));
    Ok(())
}

/// Which memory stands where, and why.
fn explain(answer: &Value, screen: &mut Screen) -> Done {
    screen.line("")?;
    let row = |item: &Value| {
        ["tier", "id", "level", "tokens", "why"].iter().map(|name| words::field(item, name)).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = ask::list(answer, "items").iter().map(row).collect();
    for line in words::table(&rows) {
        screen.line(screen.paint(Style::Dim, &line))?;
    }
    Ok(())
}

fn number(answer: &Value, at: &str) -> String {
    answer.pointer(at).and_then(Value::as_u64).map(words::number).unwrap_or_default()
}

fn common(ask: Ask, context: &Context, settings: &Settings) -> Ask {
    ask.project(settings).maybe_field("budget", context.budget).maybe_field("namespace", context.namespace.clone())
}

fn task(goal: &str, context: &Context, settings: &Settings, screen: &mut Screen) -> Done {
    if goal.trim().is_empty() {
        return Err(Failure::usage("the task is empty"));
    }
    let files: Vec<String> = context.file.iter().cloned().collect();
    let ask = Ask::post("/context/task")
        .project(settings)
        .field("goal", goal)
        .field("files", files)
        .field("counted", context.session.is_some())
        .maybe_field("session_id", context.session.clone())
        .maybe_field("action_type", context.activity.clone())
        .maybe_field("namespace", context.namespace.clone());
    let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
    screen.line(format!("{} {}", screen.paint(Style::Bold, "Task:"), words::field(&answer, "detected_task_type")))?;
    let mut empty = true;
    for (heading, list) in [
        ("Never again", "critical_avoid"),
        ("Avoid", "avoid_these"),
        ("Relevant", "relevant_patterns"),
        ("Skills", "applicable_skills"),
    ] {
        let items = ask::list(&answer, list);
        if items.is_empty() {
            continue;
        }
        empty = false;
        screen.line("")?;
        screen.line(screen.paint(Style::Bold, heading))?;
        for item in items {
            screen.line(format!("- {}  {}", one_line(item), screen.paint(Style::Dim, &words::field(item, "id"))))?;
        }
    }
    if empty {
        screen.note("nothing is known that would help with that");
    }
    Ok(())
}

fn one_line(item: &Value) -> String {
    let (title, text) = (words::field(item, "title"), words::field(item, "text"));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() || text.starts_with(title.trim()) { text } else { format!("{title}: {text}") }
}

fn relevant(query: &str, context: &Context, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = common(Ask::post("/context/relevant"), context, settings)
        .field("query", query)
        .field("counted", context.session.is_some())
        .maybe_field("session_id", context.session.clone());
    let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
    screen.text(&words::field(&answer, "context"))?;
    screen.note(format!("{} tokens; {}", number(&answer, "/token_count"), words::field(&answer, "why")));
    Ok(())
}

fn block(session: &str, context: &Context, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = common(Ask::post("/context/session"), context, settings)
        .field("session_id", session)
        .maybe_field("goal", context.goal.clone());
    let Some(answer) = Reach::daemon(settings)?.told(&ask, settings, screen)? else { return Ok(()) };
    screen.text(&words::field(&answer, "context"))
}
