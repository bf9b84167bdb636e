//! What would leave if a person had the whole organisation know a memory, to the byte. Nothing leaves here.

use crate::serve::app::App;
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::Promotion;
use crate::serve::dto::queries::{Within, namespace};
use crate::serve::problem::Problem;
use lokid_mirror::mapping::{self, Stays};
use lokid_mirror::promote;
use lokid_model::{Key, Memory};

pub(in crate::serve) async fn promotion(app: App, call: Call) -> Answer {
    let id = call.id()?;
    let query: Within = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let key = Key { namespace: namespace(query.namespace), id };
    let snapshot = project.writer.snapshot();
    let memory = snapshot.get(&key).ok_or_else(|| Problem::not_found(format!("no memory {key}")))?;
    let refused = |why: String| Problem::field("id", format_args!("{key} stays here: {why}"));
    let mut clean = memory.as_ref().clone();
    project.env.redaction.clean(&mut clean);
    if clean != **memory {
        return Err(refused("it holds what looks like a secret; `lokid redact` takes it out".to_owned()));
    }
    let projected = mapping::shared(memory, &project.env.redaction).map_err(|stays| refused(why(stays, memory)))?;
    let call = promote::by_hand(&app.config().managed, &projected);
    let [path, beside] = projected.paths;
    ok(&Promotion { id: key.id.to_string(), path, beside, content: projected.content, sha256: projected.sha256, call })
}

fn why(stays: Stays, memory: &Memory) -> String {
    match stays {
        Stays::Private if memory.restricted => "it is restricted".to_owned(),
        Stays::Private => "it is private".to_owned(),
        Stays::Unmirrored => {
            format!("it is a {}; patterns, anti-patterns and skills are what an organisation shares", memory.kind)
        }
        Stays::TooLong => "it is longer than a store takes".to_owned(),
        Stays::Unnamable => "its name may not be told".to_owned(),
    }
}
