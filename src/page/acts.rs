//! What a reader can change: one form, one deed. Each goes to the daemon as any client's would, and comes back to the page
//! it was sent from, with a word on what came of it.

use std::time::Duration;

use axum::extract::Form;
use axum::response::Response;
use serde_json::{Value, json};

use super::daemon::{Trouble, segment};
use super::parts::{count, list, text};
use super::replay;
use super::site::{Here, Notice, see_other};
use crate::words;

/// What a form said.
struct Said(Vec<(String, String)>);

impl Said {
    fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    fn maybe(&self, name: &str) -> Option<&str> {
        Some(self.get(name)).filter(|value| !value.is_empty())
    }
}

/// How long a night is waited for before the page goes on without it.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) async fn act(here: Here, Form(pairs): Form<Vec<(String, String)>>) -> Response {
    let said = Said(pairs);
    let notice = match carry_out(&here, &said).await {
        Ok(text) => Notice { text, failed: false },
        Err(trouble) => Notice { text: trouble.detail, failed: true },
    };
    here.leave_notice(notice);
    // Only ever back into the page, and nothing that a header cannot carry.
    let is_own = |back: &&str| {
        back.starts_with(&here.to("")) && back.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    let back = Some(said.get("back")).filter(is_own);
    see_other(back.unwrap_or(&here.to("said")))
}

async fn carry_out(here: &Here, said: &Said) -> Result<String, Trouble> {
    let (about, id) = (&here.about.within(said.get("namespace")), said.get("id"));
    let memory = format!("/memories/{}", segment(id));
    let change = format!("/changes/{}", segment(said.get("change")));
    match said.get("do") {
        "accept" => {
            about.post(&format!("{change}/accept"), json!({})).await?;
            Ok("Accepted.".to_owned())
        }
        "unaccept" => {
            about.delete(&format!("{change}/accept"), &[]).await?;
            Ok("Back in the inbox.".to_owned())
        }
        "undo" => about.post(&format!("{change}/undo"), json!({})).await.map(|told| undone(&told)),
        "confirm" => {
            // With the tier it has: to vouch for it is not to make it bind more.
            about.post(&format!("{memory}/confirm"), json!({"tier": said.get("tier")})).await?;
            Ok("Accepted: you vouch for it.".to_owned())
        }
        "edit" => {
            let plain = |name: &str| said.get(name).replace("\r\n", "\n");
            let now = about.get(&memory, &[("counted", "false")]).await?;
            if text(&now, "text").replace("\r\n", "\n") != plain("was") {
                return Err(Trouble::new(409, "It was changed meanwhile: open it, and edit what it says now."));
            }
            about.patch(&memory, json!({"text": plain("text")})).await?;
            Ok("Kept in the new words.".to_owned())
        }
        "private" => {
            about.patch(&memory, json!({"scope": "user-private"})).await?;
            Ok("Private from now on.".to_owned())
        }
        "shared" => {
            about.patch(&memory, json!({"scope": "project-shared"})).await?;
            Ok("Shared with the project.".to_owned())
        }
        "tier" => {
            let told = match said.get("tier") {
                // Taking back is no vouching.
                "reference" => about.patch(&memory, json!({"tier": "reference"})).await?,
                tier => about.post(&format!("{memory}/confirm"), json!({"tier": tier})).await?,
            };
            Ok(format!("It is a {} now.", told.get("tier").and_then(Value::as_str).unwrap_or("memory")))
        }
        "forget" => {
            about.delete(&memory, &[("reason", "forgotten on the page")]).await?;
            Ok("Forgotten. The inbox, with what is settled, brings it back.".to_owned())
        }
        "restore" => {
            about.post(&format!("{memory}/restore"), json!({})).await?;
            Ok("Back again.".to_owned())
        }
        "settle" => {
            let path = format!("/contradictions/{}/resolve", segment(id));
            about.post(&path, json!({"resolution": said.get("resolution")})).await?;
            Ok("Settled.".to_owned())
        }
        "mute" => {
            about.post("/mutes", muted(said)).await?;
            Ok(match said.get("file") {
                "" => "It is not said unasked any more. Asked for, it is still found.".to_owned(),
                file => format!("It is not said unasked at {file} any more."),
            })
        }
        "night" => night(here).await,
        "pause" => about
            .post("/consolidate/pause", json!({"paused": true}))
            .await
            .map(|_| "No night comes until you resume them.".to_owned()),
        "resume" => {
            about.post("/consolidate/pause", json!({"paused": false})).await.map(|_| "Nights come again.".to_owned())
        }
        "undo-night" => {
            let told = about.post("/consolidate/undo", json!({"started_at": said.get("night")})).await?;
            Ok(night_undone(&told))
        }
        "trust" => {
            let told = about.post("/trust", json!({"ids": [id], "namespace": said.maybe("namespace")})).await?;
            let tier = list(&told, "items").first().map_or("", |item| text(item, "tier"));
            Ok(format!("It is a {} now, as its file asks.", if tier.is_empty() { "memory" } else { tier }))
        }
        "unmute" => {
            let place = json!({"memory_id": id, "namespace": said.maybe("namespace"), "file": said.maybe("file")});
            about.delete_with("/mutes", place).await?;
            Ok("It may be said again.".to_owned())
        }
        "replay" => {
            replay::forget(here).await;
            Ok(String::new())
        }
        _ => Err(Trouble::new(400, "There is nothing to do under that name.")),
    }
}

/// A long night goes on by itself, and the page hears when it is over.
async fn night(here: &Here) -> Result<String, Trouble> {
    match tokio::time::timeout(PATIENCE, here.about.post("/consolidate", json!({}))).await {
        Err(_) => Ok("A night has begun. What it does is shown when it is done.".to_owned()),
        Ok(told) => {
            let did = words::deeds(&told?);
            Ok(if did.is_empty() { "Nothing was to be done.".to_owned() } else { format!("Done: {}.", did.join(", ")) })
        }
    }
}

fn night_undone(told: &Value) -> String {
    let undone = words::count(count(told, "undone"), "change", "changes");
    let left = list(told, "skipped");
    match left.first() {
        None => format!("Undone: {undone}."),
        Some(first) => {
            format!("Undone: {undone}; {} stayed: {}.", words::number(left.len() as u64), text(first, "why"))
        }
    }
}

fn muted(said: &Said) -> Value {
    match said.get("file") {
        "" => json!({"memory_id": said.get("id")}),
        file => json!({"memory_id": said.get("id"), "file": file}),
    }
}

fn undone(told: &Value) -> String {
    let (done, left) = (list(told, "undone").len() as u64, list(told, "skipped").len() as u64);
    match left {
        0 => format!("Undone: {}.", words::count(done, "change", "changes")),
        _ => format!("Undone: {}; {} stayed.", words::count(done, "change", "changes"), words::number(left)),
    }
}
