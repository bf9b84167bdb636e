//! How well this repository's own past would have been foretold, beside plainer methods. It takes seconds, so it is done
//! when somebody asks, one at a time, and kept for as long as the page is served.

use std::collections::BTreeMap;
use std::sync::Arc;

use maud::{Markup, html};
use serde_json::Value;
use tokio::sync::Mutex;

use super::chart::compared;
use super::daemon::Trouble;
use super::frame::Sheet;
use super::parts::{act, count, line, now, number, when};
use super::site::{Here, Site};
use crate::words;

const FIGURES: [&str; 3] = ["hit@3", "hit@10", "recall@10"];
/// What is compared, ours first; whatever else is told follows under its own name.
const METHODS: [(&str, &str); 5] = [
    ("lokid", "lokid"),
    ("rose", "co-change counts"),
    ("decayed", "decayed co-change"),
    ("same_dir", "same directory"),
    ("recent", "changed last"),
];

/// By the project's path. Whoever replays holds it meanwhile.
pub(super) type Replays = Mutex<BTreeMap<String, Replayed>>;

/// The figures, and when they were found out.
#[derive(Clone, Debug)]
pub(super) struct Replayed {
    at: String,
    told: Value,
}

/// What is known already, or the way to find out.
pub(super) fn section(here: &Here) -> Markup {
    let way = here.to("worth/replay");
    let kept = here.site.replays.try_lock();
    html! {
        @match kept.as_ref().map(|kept| kept.get(here.about.project())) {
            Ok(Some(known)) => (figures(here, known)),
            Ok(None) => {
                p { "Each file of an earlier commit is opened in turn, and the others of that commit are to be named, from what was known by then." }
                p { a.button href=(way) { "Replay this repository" } " " small { "takes some seconds" } }
            }
            Err(_) => p { "A replay is under way. " a href=(way) { "Wait for it" } },
        }
    }
}

pub(super) async fn screen(here: Here) -> Result<Sheet, Trouble> {
    // It goes on and is kept, though whoever asked may leave.
    let asked = tokio::spawn(find_out(Arc::clone(&here.site), here.about.project().to_owned()));
    let known = asked.await.map_err(|_| Trouble::new(500, "The replay was lost."))??;
    let body = html! {
        p { a href=(here.to("worth")) { "Is it worth it?" } }
        h1 { "Would it have foretold the work?" }
        (figures(&here, &known))
    };
    Ok(Sheet { title: "Replay".to_owned(), live: "", body })
}

async fn find_out(site: Arc<Site>, project: String) -> Result<Replayed, Trouble> {
    let mut kept = site.replays.lock().await;
    if let Some(known) = kept.get(&project) {
        return Ok(known.clone());
    }
    let (outlook, path) = (Arc::clone(&site.outlook), project.clone());
    let told = tokio::task::spawn_blocking(move || outlook.replay(&path)).await;
    let told = told.map_err(|_| Trouble::new(500, "The replay was lost."))?.map_err(|why| Trouble::new(422, why))?;
    let known = Replayed { at: now().to_string(), told };
    kept.insert(project, known.clone());
    Ok(known)
}

/// So that the next look finds out anew.
pub(super) async fn forget(here: &Here) {
    here.site.replays.lock().await.remove(here.about.project());
}

fn figures(here: &Here, known: &Replayed) -> Markup {
    let told = &known.told;
    let methods = methods(told);
    let group = |figure: &'static str| {
        (figure, methods.iter().map(|(who, value)| (who.clone(), number(value, figure))).collect())
    };
    let groups: Vec<(&str, Vec<(String, f64)>)> = FIGURES.into_iter().map(group).collect();
    html! {
        p.hint {
            (words::count(count(told, "commits"), "commit", "commits")) " foretold, file by file, replayed " (when(&known.at)) ". "
            "hit@3: one of the first three named was right. recall@10: so much of the commit was among the first ten."
        }
        div.pictures {
            figure.picture { (compared("Share of commits foretold", &groups)) }
            (table(&methods))
        }
        div.acts { (act(here, "replay", "Replay again", "", &[])) }
    }
}

fn methods(told: &Value) -> Vec<(String, &Value)> {
    let Some(all) = told.get("methods").and_then(Value::as_object) else { return Vec::new() };
    let known = METHODS.iter().filter_map(|(name, words)| Some(((*words).to_owned(), all.get(*name)?)));
    let is_other = |name: &str| METHODS.iter().all(|(known, _)| *known != name);
    let others = all.iter().filter(|(name, _)| is_other(name)).map(|(name, value)| (name.replace('_', " "), value));
    known.chain(others).collect()
}

fn table(methods: &[(String, &Value)]) -> Markup {
    html! {
        div {
            table aria-label="Share of commits foretold" {
                thead { tr { th scope="col" { "Method" } @for figure in FIGURES { th.n scope="col" { (figure) } } } }
                tbody {
                    @for (who, value) in methods { tr { th scope="row" { (line(who)) } @for figure in FIGURES { td.n { (format!("{:.3}", number(value, figure))) } } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ours_stands_first_and_what_is_not_known_under_its_own_name() {
        let score = json!({"hit@3": 0.5, "hit@10": 0.75, "recall@10": 0.25});
        let told = json!({"methods": {"recent": score, "<b>": score, "lokid": score}});
        let all = methods(&told);
        assert_eq!(all.iter().map(|(who, _)| who.as_str()).collect::<Vec<_>>(), ["lokid", "changed last", "<b>"]);
        let made = table(&all).into_string();
        assert!(made.contains("0.750") && made.contains("&lt;b&gt;") && !made.contains("<b>"), "{made}");
        assert!(methods(&json!({"methods": 3})).is_empty());
    }
}
