//! How long what is handed out really is, counted by a public tokenizer (o200k) beside the daemon's own estimate.

use lokid_model::token::estimate;

use super::*;
use store::post;

const LAYERS: [(&str, &str, f64); 2] = [("layer 1", "/v1/index", 100.0), ("layer 2", "/v1/timeline", 500.0)];
const CONTEXTS: usize = 300;
const BUDGETS: (f64, f64) = (200.0, 8_000.0);
const WITHIN: f64 = 0.995;
/// Whose first layer is worth reading here.
const SHOWN: usize = 1_000;

fn exactly(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

pub(crate) fn lengths(store: &Store, verdicts: &mut Verdicts) {
    let mut connection = store.connect();
    println!("\n  tokens of the layers, as text");
    let mut first = None;
    for (name, path, most) in LAYERS {
        let mut fetch = |format: &str| {
            let (status, text) = connection.get(&format!("{path}?format={format}&counted=false")).unwrap();
            assert_eq!(status, 200, "{text}");
            text
        };
        let (text, as_json) = (fetch("text"), fetch("json"));
        let beside = format!("estimate {}, as JSON {}", estimate(&text), exactly(&as_json));
        verdicts.at_most(&format!("{}: {name}", store.size), exactly(&text) as f64, most, "tokens", &beside);
        first.get_or_insert(text);
    }
    if store.size <= SHOWN {
        first.iter().flat_map(|text| text.lines()).for_each(|line| println!("    | {line}"));
    }
}

/// Contexts of all lengths: do they keep to their budget, and do they use it?
pub(crate) fn contexts(store: &Store, pace: Pace, verdicts: &mut Verdicts) {
    let count = pace.times(CONTEXTS);
    progress(format_args!("counting the tokens of {count} contexts"));
    let mut connection = store.connect();
    let (mut within, mut told_within, mut used, mut over) = (0, 0, Vec::new(), Vec::new());
    for turn in 0..count {
        let share = turn as f64 / (count - 1).max(1) as f64;
        let budget = (BUDGETS.0 * (BUDGETS.1 / BUDGETS.0).powf(share)).round();
        let signals = json!({"current_file": store.file(turn), "goal": store.goal(turn)});
        let body = json!({"budget": budget as usize, "signals": signals, "counted": false});
        let (answer, _) = post(&mut connection, "/v1/context/assemble", &body);
        let exact = exactly(answer["context"].as_str().unwrap()) as f64;
        let told = answer["token_count"].as_f64().unwrap();
        within += usize::from(exact <= budget);
        told_within += usize::from(told <= budget);
        used.push(exact / budget);
        over.push(told / exact);
    }
    let (used, over) = (Latency::of(used), Latency::of(over));
    println!("\n  {count} contexts with budgets of {} to {} tokens", BUDGETS.0, BUDGETS.1);
    println!(
        "  of the budget used, exactly: median {:.3}, least {:.3}, most {:.3}; token_count beside o200k: median {:.3}",
        used.at(0.5),
        used.at(0.0),
        used.at(1.0),
        over.at(0.5)
    );
    let share = |part: usize| part as f64 / count as f64;
    let beside = format!("token_count within the budget {:.3}", share(told_within));
    verdicts.at_least(&format!("{}: contexts within their budget", store.size), share(within), WITHIN, "", &beside);
}
