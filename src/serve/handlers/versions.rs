//! Words in the history of a memory store made unreadable, a page of it at a time.

use axum::http::StatusCode;
use serde_json::json;

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::answers::VersionsAnswer;
use crate::serve::dto::requests::VersionsRequest;
use crate::serve::problem::{Code, Problem};
use lokid_config::Managed;
use lokid_engine::pattern::Pattern;
use lokid_mirror::versions::{PageRedacted, redact_page};
use lokid_mirror::{EventKind, KeyKind, Stores};

pub(in crate::serve) async fn redact(app: App, call: Call) -> Answer {
    let most = app.config().server.max_record;
    let request: VersionsRequest = call.json(&app, most).await?;
    let pattern = Pattern::parse(&request.pattern).map_err(|why| Problem::field("pattern", why))?;
    let project = app.project(request.project.as_deref()).await?;
    let (managed, dry_run, page) = (app.config().managed.clone(), request.dry_run.unwrap_or(true), request.page);
    let store = request.store;
    let looked = aside(move || look(&managed, &store, &pattern, page.as_deref(), dry_run).map(|done| (store, done)));
    let (store, done) = looked.await??;
    if !dry_run && (done.redacted > 0 || done.next_page.is_none()) {
        let counts = json!({"store": store, "versions": done.versions, "matched": done.matched,
            "redacted": done.redacted, "replaced": done.replaced});
        project.events.tell(app.now(), EventKind::Redact, counts, &project.env.redaction);
    }
    let PageRedacted { versions, matched, redacted, replaced, named, next_page } = done;
    ok(&VersionsAnswer { dry_run, versions, matched, redacted, replaced, named, next_page })
}

fn look(
    managed: &Managed,
    store: &str,
    pattern: &Pattern,
    page: Option<&str>,
    only_look: bool,
) -> Result<PageRedacted, Problem> {
    if !managed.uses_network() {
        return Err(Problem::field("store", "managed memory is off, so no store is looked at"));
    }
    let (id, kind) = match store {
        "user" => (&managed.user_store, KeyKind::User),
        "org" => (&managed.org_store, KeyKind::Organisation),
        _ => return Err(Problem::field("store", "is `user` or `org`")),
    };
    let id = id.as_deref().ok_or_else(|| Problem::field("store", format_args!("managed.{store}_store names none")))?;
    let key = kind.read(managed).map_err(|error| Problem::field("store", format_args!("{error}: {}", error.fix())))?;
    let stores = Stores::new(managed, key).map_err(|error| Problem::internal(error.to_string()))?;
    redact_page(&stores, id, pattern, page, only_look).map_err(|error| {
        let detail = format!("the store: {error}; what is done stays done, ask again to go on");
        Problem::new(StatusCode::BAD_GATEWAY, Code::Internal, detail)
    })
}
