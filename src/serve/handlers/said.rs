//! What agents were told unasked, and the sessions they were told it in.

use super::paging;
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::queries::namespace;
use crate::serve::dto::said::{Page, SaidAnswer, SaidEntry, SaidList, SessionInShort, SessionsAnswer};
use crate::serve::problem::Problem;
use lokid_engine::said::SaidQuery;
use lokid_model::Key;

pub(in crate::serve) async fn list(app: App, call: Call) -> Answer {
    let query: SaidList = call.query()?;
    let limit = paging::limit(query.limit)?;
    let place = namespace(query.namespace);
    let asked = SaidQuery {
        session: query.session_id,
        memory: query.memory.map(|name| Key { namespace: place, id: name.0 }),
        spoken: query.spoken,
        before: query.cursor.map(is_ours).transpose()?,
        limit: limit + 1,
    };
    let project = app.project(query.project.as_deref()).await?;
    let found = aside(move || project.sessions.said(&asked)).await?;
    let (page, next_cursor) = paging::page(found, limit, |saying| saying.id.clone());
    ok(&SaidAnswer { items: page.into_iter().map(SaidEntry::from).collect(), next_cursor })
}

/// The id of an entry is its place in the list.
fn is_ours(cursor: String) -> Result<String, Problem> {
    let digits = cursor.strip_prefix("s-").filter(|digits| !digits.is_empty());
    if digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        return Ok(cursor);
    }
    Err(paging::not_ours())
}

pub(in crate::serve) async fn sessions(app: App, call: Call) -> Answer {
    let query: Page = call.query()?;
    let limit = paging::limit(query.limit)?;
    let after = query.cursor.as_deref().map(paging::read_cursor).transpose()?;
    let project = app.project(query.project.as_deref()).await?;
    let found = aside(move || project.sessions.list(after.as_ref(), limit + 1)).await?;
    let (page, next_cursor) = paging::page(found, limit, |session| paging::cursor(session.seen, &session.id));
    ok(&SessionsAnswer { items: page.iter().map(SessionInShort::from).collect(), next_cursor })
}
