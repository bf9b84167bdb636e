//! What files of the repository ask to be: told, confirmed by a person, and taken back.

use crate::serve::app::App;
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::queries::{Which, namespace};
use crate::serve::dto::trust::{TrustAnswer, TrustBody, TrustItem};
use crate::serve::problem::Problem;
use lokid_engine::{Project, TrustRequest};
use lokid_model::Key;

pub(in crate::serve) async fn list(app: App, call: Call) -> Answer {
    let query: Which = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    answered(&app, &project, TrustRequest::List).await
}

pub(in crate::serve) async fn trust(app: App, call: Call) -> Answer {
    let body: TrustBody = call.json(&app, app.config().server.max_record).await?;
    let project = app.project(body.project.as_deref()).await?;
    let place = namespace(body.namespace);
    let keys: Vec<Key> = body.ids.into_iter().map(|name| Key { namespace: place.clone(), id: name.0 }).collect();
    let request = match (keys.is_empty(), body.authors.is_empty(), body.all, body.revoke) {
        (false, true, false, false) => TrustRequest::Keys(keys),
        (false, true, false, true) => TrustRequest::Revoke(keys),
        (true, false, false, false) => TrustRequest::Authors(body.authors),
        (true, true, true, false) => TrustRequest::All,
        _ => return Err(Problem::bad_request("give one of `ids`, `authors` and `all`; `revoke` goes with `ids`")),
    };
    answered(&app, &project, request).await
}

async fn answered(app: &App, project: &Project, request: TrustRequest) -> Answer {
    let claimants = app.settle(project.writer.trust(request)).await?;
    ok(&TrustAnswer { items: claimants.iter().map(TrustItem::of).collect() })
}
