//! What a reader can change: one form, one deed. Each goes to the daemon as any client's would, and comes back to the page
//! it was sent from, with a word on what came of it.

use axum::extract::Form;
use axum::response::Response;
use serde_json::json;

use super::daemon::{Told, segment};
use super::site::{Here, Notice, see_other};

/// What a form said.
struct Said(Vec<(String, String)>);

impl Said {
    fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }
}

pub(super) async fn act(here: Here, Form(pairs): Form<Vec<(String, String)>>) -> Response {
    let said = Said(pairs);
    let notice = match carry_out(&here, &said).await {
        Ok(text) => Notice { text, failed: false },
        Err(trouble) => Notice { text: trouble.detail, failed: true },
    };
    here.leave_notice(notice);
    // Only ever back into the page.
    let back =
        Some(said.get("back")).filter(|back| back.starts_with(&here.to("")) && !back.contains(['\\', '\r', '\n']));
    see_other(back.unwrap_or(&here.to("said")))
}

async fn carry_out(here: &Here, said: &Said) -> Result<String, super::daemon::Trouble> {
    let (about, id) = (&here.about, said.get("id"));
    let memory = format!("/memories/{}", segment(id));
    let change = async |fields| -> Told { about.patch(&memory, fields).await };
    match said.get("do") {
        "forget" => {
            about.delete(&memory, &[("reason", "forgotten on the page")]).await?;
            Ok(format!("Forgotten: {id}. It can be brought back."))
        }
        "restore" => about.post(&format!("{memory}/restore"), json!({})).await.map(|_| format!("Back again: {id}.")),
        "private" => change(json!({"scope": "user-private"})).await.map(|_| format!("Private from now on: {id}.")),
        "shared" => change(json!({"scope": "project-shared"})).await.map(|_| format!("Shared with the project: {id}.")),
        _ => Err(super::daemon::Trouble::new(400, "There is nothing to do under that name.")),
    }
}
