//! Skills: listed with the document a person reads, written by fields or as that document.

use axum::http::StatusCode;

use super::listing::of_kind;
use super::{remember, view};
use crate::serve::app::App;
use crate::serve::call::{Answer, Call, json, ok};
use crate::serve::dto::answers::{Items, Written};
use crate::serve::dto::bodies::Object;
use crate::serve::dto::queries::{Within, namespace};
use crate::serve::dto::requests::SkillRequest;
use crate::serve::problem::Problem;
use lokid_model::{Body, Draft, Key, Kind, Memory, MemoryId, Patch, Source};
use lokid_store::schema::skill_text;

pub(in crate::serve) async fn list(app: App, call: Call) -> Answer {
    let query: Within = call.query()?;
    let snapshot = app.project(query.project.as_deref()).await?.writer.snapshot();
    let place = namespace(query.namespace);
    let skills = of_kind(&snapshot, Kind::Skill, &place).filter(|memory| !memory.restricted);
    ok(&Items { items: skills.map(|memory| document(memory)).collect() })
}

fn document(memory: &Memory) -> Object {
    let mut out = view::whole(memory);
    if let Body::Skill(skill) = &memory.body {
        out.insert("name".to_owned(), skill.name.clone().into());
        out.insert("text".to_owned(), skill_text::write(skill).into());
    } else {
        out.insert("name".to_owned(), memory.headline().into());
    }
    out
}

/// Two spellings of a name are one skill, so writing one that is there changes it.
pub(in crate::serve) async fn write(app: App, call: Call) -> Answer {
    let by = call.by();
    let most = app.config().server.max_record;
    let mut request: SkillRequest = call.json(&app, most).await?;
    let (path, place) = (request.project.take(), namespace(request.namespace.take()));
    let mut skill = request.into_skill()?;
    let project = app.project(path.as_deref()).await?;
    // Before its name becomes the name of a file.
    project.env.redaction.clean(&mut skill);
    let id = MemoryId::new(&format!("skill-{}", skill_text::slug(&skill.name)))
        .ok_or_else(|| Problem::field("name", "cannot be made into an id"))?;
    let key = Key::new(&place, &id);
    if project.writer.snapshot().get(&key).is_some() {
        let title = Some(skill.name.clone());
        let patch = Patch { title, body: Some(Body::Skill(Box::new(skill))), ..Patch::default() };
        app.settle(project.writer.by(by).patch(key, patch, None)).await?;
        return json(StatusCode::OK, &Written { id: id.to_string(), created: false });
    }
    let mut draft = Draft::new(Kind::Skill, "");
    draft.id = Some(id);
    draft.namespace = place;
    draft.source = Some(Source::Agent);
    draft.body = Body::Skill(Box::new(skill));
    remember::stage(&app, path.as_deref(), &mut draft);
    remember::answer(app.settle(project.writer.remember(draft)).await?)
}
