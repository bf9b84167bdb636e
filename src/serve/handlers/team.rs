//! The team of a project: joined and left, how it fares, what is to be decided, and what was promoted.

use std::time::Duration;

use lokid_engine::team::{Joined, TeamError};
use lokid_model::Key;
use serde_json::{Map, Value, json};

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::{Items, RecordAnswer};
use crate::serve::dto::queries::{TeamList, Which, namespace};
use crate::serve::dto::requests::{TeamJoin, TeamPass, TeamPromotion};
use crate::serve::problem::Problem;

const FEW: usize = 100;
const MANY: usize = 10_000;
const LONGEST_PASS: u64 = 60;

pub(in crate::serve) async fn status(app: App, call: Call) -> Answer {
    let query: Which = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    told(aside(move || project.team.status()).await?)
}

/// Asks the database, so it takes as long as the database does.
pub(in crate::serve) async fn join(app: App, call: Call) -> Answer {
    let body: TeamJoin = call.json(&app, app.config().server.max_record).await?;
    let project = app.project(body.project.as_deref()).await?;
    let joined = Joined { database: body.database, project: body.team, member: None };
    let membership = aside(move || project.team.join(joined)).await?.map_err(problem)?;
    let (promotes, promotes_org) = (membership.may_promote, membership.may_promote_org);
    told(json!({"member": membership.member, "may_promote": promotes, "may_promote_org": promotes_org}))
}

pub(in crate::serve) async fn leave(app: App, call: Call) -> Answer {
    let body: Which = call.json(&app, app.config().server.max_record).await?;
    let project = app.project(body.project.as_deref()).await?;
    let left = aside(move || project.team.leave()).await?.map_err(problem)?;
    told(json!({"left": left.map(|left| left.project)}))
}

/// Has the machine and the database agree now, and tells whether they did in time.
pub(in crate::serve) async fn pass(app: App, call: Call) -> Answer {
    let body: TeamPass = call.json(&app, app.config().server.max_record).await?;
    let project = app.project(body.project.as_deref()).await?;
    let patience = Duration::from_secs(body.seconds.unwrap_or(10).min(LONGEST_PASS));
    let done = aside(move || {
        let done = project.team.pass_now(patience);
        let mut told = project.team.status();
        told["passed"] = done.into();
        told
    })
    .await?;
    told(done)
}

pub(in crate::serve) async fn inbox(app: App, call: Call) -> Answer {
    let query: Which = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let found = aside(move || project.team.inbox()).await?.map_err(problem)?;
    ok(&Items { items: found.into_iter().map(object).collect() })
}

pub(in crate::serve) async fn audit(app: App, call: Call) -> Answer {
    let query: TeamList = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let limit = query.limit.unwrap_or(FEW).min(MANY);
    let found = aside(move || project.team.audit(limit)).await?.map_err(problem)?;
    ok(&Items { items: found.into_iter().map(object).collect() })
}

pub(in crate::serve) async fn promote(app: App, call: Call) -> Answer {
    let body: TeamPromotion = call.json(&app, app.config().server.max_record).await?;
    let project = app.project(body.project.as_deref()).await?;
    let key = Key { namespace: namespace(body.namespace), id: body.id.0 };
    let done = aside(move || project.team.promote(&key, body.to.is_org(), body.print.as_deref())).await?;
    told(done.map_err(problem)?)
}

pub(in crate::serve) async fn demote(app: App, call: Call) -> Answer {
    let body: TeamPromotion = call.json(&app, app.config().server.max_record).await?;
    let project = app.project(body.project.as_deref()).await?;
    let key = Key { namespace: namespace(body.namespace), id: body.id.0 };
    let done = aside(move || project.team.demote(&key, body.to.is_org())).await?.map_err(problem)?;
    told(json!({"done": if done { "demoted" } else { "not promoted" }}))
}

fn told(value: Value) -> Answer {
    ok(&RecordAnswer(object(value)))
}

fn problem(error: TeamError) -> Problem {
    match error {
        TeamError::Address(_) => Problem::bad_request(error.to_string()),
        TeamError::NotHere(_) => Problem::not_found(error.to_string()),
        TeamError::Away(_) => Problem::busy(error.to_string()),
        TeamError::ReadOnly | TeamError::Elsewhere | TeamError::Alone | TeamError::Refused(_) => {
            Problem::forbidden(error.to_string())
        }
        TeamError::Kept(_) => Problem::internal(error.to_string()),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
