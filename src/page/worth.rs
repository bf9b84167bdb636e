//! Whether it is worth it: what memory cost and what it saved, in both ways of counting, and by day. A loss is told as one.

use maud::{Markup, html};
use serde_json::Value;

use super::chart::{Chart, Series, Unit, percent, signed};
use super::daemon::Trouble;
use super::frame::Sheet;
use super::parts::{count, figure, line, list, nothing, number, text, texts};
use super::replay;
use super::site::Here;
use crate::words;

const DAYS: &str = "30";

pub(super) async fn screen(here: Here) -> Result<Sheet, Trouble> {
    let told = here.about.get("/economics", &[("days", DAYS)]).await?;
    let body = html! {
        h1 { "Is it worth it?" }
        (verdict(&told))
        (figures(&told))
        (due(&told))
        (by_day(list(&told, "days")))
        h2 { "Would it have foretold the work?" }
        (replay::section(&here))
    };
    Ok(Sheet { title: "Is it worth it?".to_owned(), live: "economy consolidation memories", body })
}

/// The totals as the ledger has them.
struct Totals {
    spent: f64,
    full_load: f64,
    not_read_again: f64,
}

impl Totals {
    fn of(told: &Value) -> Totals {
        let compared = told.get("baseline_comparison").unwrap_or(&Value::Null);
        Totals {
            spent: number(compared, "progressive_approach_tokens"),
            full_load: number(compared, "traditional_approach_tokens"),
            not_read_again: number(compared, "avoided_reading_tokens"),
        }
    }

    /// Against both ways to do without it: is it cheaper, and by how much?
    fn verdicts(&self) -> [(bool, String); 2] {
        let Totals { spent, full_load, not_read_again } = *self;
        let share = |saved: f64, of: f64| if of > 0.0 { format!(" ({})", percent(saved / of)) } else { String::new() };
        let saved = full_load - spent;
        let loading = if full_load <= 0.0 {
            "How much loading everything into every session would cost is not known yet.".to_owned()
        } else if saved >= 0.0 {
            format!(
                "Against loading everything into every session it saves {} tokens{}.",
                signed(saved),
                share(saved, full_load)
            )
        } else {
            format!(
                "It costs more than it saves: loading everything into every session would be {} tokens cheaper.",
                signed(-saved)
            )
        };
        let net = not_read_again - spent;
        let reading = if not_read_again <= 0.0 {
            format!(
                "It costs more than it saves: {} tokens, and no file is known that an agent did not have to read again.",
                signed(spent)
            )
        } else if net >= 0.0 {
            format!("Against reading files again it saves {} tokens{}.", signed(net), share(net, not_read_again))
        } else {
            format!(
                "It costs more than it saves: {} tokens, for {} tokens of files that were not read again.",
                signed(spent),
                signed(not_read_again)
            )
        };
        [(saved >= 0.0 || full_load <= 0.0, loading), (net >= 0.0, reading)]
    }
}

fn verdict(told: &Value) -> Markup {
    let totals = Totals::of(told);
    if totals.spent <= 0.0 {
        return nothing("Nothing was spent yet.", "As soon as an agent is told something, the ledger begins.");
    }
    html! {
        @for (pays, says) in totals.verdicts() {
            p { @if pays { span.mark.good { "pays" } } @else { span.mark.bad { "costs" } } " " (says) }
        }
    }
}

fn figures(told: &Value) -> Markup {
    let metrics = told.get("metrics").unwrap_or(&Value::Null);
    let (hits, misses) = (number(metrics, "cache_hits"), number(metrics, "cache_misses"));
    let sum = |name: &str| list(told, "days").iter().map(|day| number(day, name)).sum::<f64>();
    let (met, answered) = (sum("errors_met"), sum("errors_answered"));
    html! {
        div.figures {
            (figure(&signed(Totals::of(told).spent), "tokens spent in all"))
            (figure(&signed(number(metrics, "injected_tokens")), "of them handed out unasked"))
            (figure(&words::number(count(metrics, "memories_cited")), "memories named by agents"))
            @if hits + misses > 0.0 { (figure(&percent(hits / (hits + misses)), "stood ready before it was asked for")) }
            @if met > 0.0 { (figure(&format!("{} of {}", signed(answered), signed(met)), "known errors met again were told their fix")) }
        }
    }
}

/// What is out of bounds, and what is done about it.
fn due(told: &Value) -> Markup {
    html! {
        ul.rows {
            @for action in list(told, "thresholds_triggered") { li { span.mark.warn { "due" } " " (line(text(action, "description"))) } }
            @for measure in texts(told, "measures") { li { span.mark { "in force" } " " (line(measure)) } }
        }
    }
}

fn by_day(days: &[Value]) -> Markup {
    if days.is_empty() {
        return html! {};
    }
    let names: Vec<&str> = days.iter().map(|day| text(day, "day")).collect();
    let series = |name: &'static str, value: &dyn Fn(&Value) -> Option<f64>| Series {
        name,
        values: days.iter().map(value).collect(),
    };
    let counted = |name, field: &'static str| series(name, &|day| Some(number(day, field)));
    let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    let cited = |day: &Value| share(number(day, "cited"), number(day, "given"));
    let ready = |day: &Value| {
        let hits = number(day, "prefetch_hits");
        share(hits, hits + number(day, "prefetch_misses"))
    };
    let chart = |id, title, unit, series| Chart { id, title, unit, days: &names, series }.drawn();
    html! {
        h2 { "Day by day" }
        p.hint { "The last " (DAYS) " days. Below zero, memory cost more than it saved." }
        div.pictures {
            (chart("by-loading", "Tokens, against loading everything", Unit::Count, vec![counted("spent", "spent_tokens"), counted("saved", "saved_vs_full_load")]))
            (chart("by-reading", "Tokens, against reading again", Unit::Count, vec![counted("spent", "spent_tokens"), counted("saved", "saved_vs_rereading")]))
            (chart("of-use", "Of use", Unit::Share, vec![series("named by the agent", &cited), series("ready in time", &ready)]))
            (chart("errors", "Known errors met again", Unit::Count, vec![counted("met", "errors_met"), counted("told the fix", "errors_answered")]))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(spent: i64, full_load: i64, not_read_again: i64) -> Value {
        json!({"baseline_comparison": {"progressive_approach_tokens": spent, "traditional_approach_tokens": full_load,
            "avoided_reading_tokens": not_read_again}})
    }

    #[track_caller]
    fn check(told: &Value, marks: [&str; 2], says: &[&str]) {
        let made = verdict(told).into_string();
        let found: Vec<&str> =
            made.split("<p>").skip(1).map(|line| if line.contains("pays") { "pays" } else { "costs" }).collect();
        assert_eq!(found, marks, "{made}");
        for words in says {
            assert!(made.contains(words), "no {words:?} in {made}");
        }
    }

    #[test]
    fn a_loss_is_called_one_in_either_way_of_counting() {
        check(
            &told(1_000, 11_000, 3_000),
            ["pays", "pays"],
            &["saves 10,000 tokens (91 %)", "saves 2,000 tokens (67 %)"],
        );
        check(
            &told(1_000, 600, 300),
            ["costs", "costs"],
            &["would be 400 tokens cheaper", "1,000 tokens, for 300 tokens"],
        );
        check(&told(1_000, 0, 0), ["pays", "costs"], &["is not known yet", "1,000 tokens, and no file is known"]);
        assert!(verdict(&Value::Null).into_string().contains("Nothing was spent yet."));
    }

    #[test]
    fn days_are_drawn_as_far_as_they_tell_and_hostile_ones_harm_nothing() {
        assert!(by_day(&[]).into_string().is_empty());
        let day = json!({"day": "2026-11-17", "spent_tokens": 5, "saved_vs_full_load": -70, "given": 4, "cited": 1});
        let made = by_day(std::slice::from_ref(&day)).into_string();
        assert!(!made.contains("<svg") && made.contains("−70") && made.contains("25 %"), "{made}");
        let odd = json!({"day": "<script>", "spent_tokens": "many", "given": 0, "cited": 1e300});
        let made = by_day(&[day, odd, json!({"day": "2026-11-16", "given": 0}), json!(7)]).into_string();
        assert!(made.contains("<svg") && !made.contains("<script>") && !made.contains("NaN"), "{made}");
    }
}
