//! What can be opened: one table. Every screen is a question to the daemon and the sheet made of its answer; what changes
//! something goes through `acts`.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, Query, RawPathParams, RawQuery, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use futures_util::{Stream, StreamExt};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;

use super::daemon::{About, Daemon, Trouble};
use super::door::{Door, Refused};
use super::frame::{self, Sheet, Tab};
use super::live::{self, Live};
use super::parts::{list, text};
use super::replay::{self, Replays};
use super::{Outlook, acts, files, health, inbox, memories, memory, nights, said, worth};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const MARK: &str = include_str!("mark.svg");

/// Nothing but the page's own files is ever loaded, nothing runs that stands in a text, nobody frames it, and it tells
/// nobody else where the reader came from. It tells itself: without, a browser would not name the origin of a form.
const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
         frame-ancestors 'none'; base-uri 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

pub(super) struct Site {
    daemon: Daemon,
    live: Live,
    folder: String,
    opens_with: PathBuf,
    pub(super) outlook: Arc<dyn Outlook>,
    pub(super) replays: Replays,
    /// What came of the last act, to be told once.
    notice: Mutex<Option<Notice>>,
}

/// What came of an act.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    pub(super) text: String,
    pub(super) failed: bool,
}

impl Site {
    pub(super) fn new(daemon: Daemon, live: Live, door: &Door, opens_with: PathBuf, outlook: Arc<dyn Outlook>) -> Site {
        let (folder, replays) = (door.folder().to_owned(), Replays::default());
        Site { daemon, live, folder, opens_with, outlook, replays, notice: Mutex::new(None) }
    }
}

pub(super) fn router(site: Arc<Site>, door: Arc<Door>) -> Router {
    let project = Router::new()
        .route("/said", screen(Tab::Said, said::screen))
        .route("/inbox", screen(Tab::Inbox, inbox::screen))
        .route("/memories", screen(Tab::Memories, memories::screen))
        .route("/memories/{id}", screen(Tab::Memories, memory::screen))
        .route("/files", screen(Tab::Files, files::screen))
        .route("/files/why", get(files::why))
        .route("/nights", screen(Tab::Nights, nights::screen))
        .route("/health/doctor", get(health::doctor))
        .route("/worth", screen(Tab::Worth, worth::screen))
        .route("/worth/replay", screen(Tab::Worth, replay::screen))
        .route("/act", post(acts::act).get(|here: Here| async move { see_other(&here.to("said")) }));
    let inside = Router::new()
        .route("/home", get(home))
        .route("/enter", get(|| async { StatusCode::FORBIDDEN }))
        .route("/live", get(listen))
        .route("/page.css", get(|| async { asset("text/css; charset=utf-8", STYLE) }))
        .route("/page.js", get(|| async { asset("text/javascript; charset=utf-8", SCRIPT) }))
        .route("/mark.svg", get(|| async { asset("image/svg+xml", MARK) }))
        .nest("/p/{project}", project);
    Router::new()
        .nest(&site.folder, inside)
        .fallback(|| async { frame::plain(StatusCode::NOT_FOUND, "There is no such page.") })
        .with_state(Arc::clone(&site))
        .layer(middleware::from_fn_with_state((site, door), guard))
}

/// Everything passes here first.
async fn guard(State((site, door)): State<(Arc<Site>, Arc<Door>)>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let admitted = door.check_way(request.method(), &path, request.headers());
    let mut response = match admitted {
        Err(refused) => turned_away(refused),
        // A look ahead by whoever sent the address must not use it up.
        Ok(()) if path == format!("{}/enter", site.folder) && request.method() == Method::GET => {
            enter(&site, &door, &request)
        }
        Ok(()) => match door.check_cookie(request.headers()) {
            Err(refused) => turned_away(refused),
            Ok(()) => next.run(request).await,
        },
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn turned_away(refused: Refused) -> Response {
    let status = if refused == Refused::Host { StatusCode::MISDIRECTED_REQUEST } else { StatusCode::FORBIDDEN };
    frame::plain(status, refused.in_words())
}

/// The token for the cookie. A page in between sends the browser on: to a redirect that began on another page no browser
/// would send the cookie.
fn enter(site: &Site, door: &Door, request: &Request) -> Response {
    let home = format!("{}/home", site.folder);
    if door.check_cookie(request.headers()).is_ok() {
        return see_other(&home);
    }
    let asked: Result<Query<Vec<(String, String)>>, _> = Query::try_from_uri(request.uri());
    let token = asked.ok().and_then(|Query(pairs)| pairs.into_iter().find(|(name, _)| name == "token"));
    match door.enter(&token.map(|(_, value)| value).unwrap_or_default()) {
        Err(refused) => turned_away(refused),
        Ok(cookie) => {
            let mut response = frame::passing(&home);
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
    }
}

pub(super) fn see_other(to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}

fn asset(media: &'static str, text: &'static str) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    (headers, text).into_response()
}

/// A screen in its frame, or what keeps it from being shown.
fn screen<F, S>(tab: Tab, make: F) -> MethodRouter<Arc<Site>>
where
    F: Fn(Here) -> S + Clone + Send + Sync + 'static,
    S: Future<Output = Result<Sheet, Trouble>> + Send,
{
    get(move |here: Here| async move {
        let made = make(here.clone()).await;
        frame::around(&here, tab, made)
    })
}

/// The project the command stands in, or the first there is.
async fn home(State(site): State<Arc<Site>>) -> Response {
    match projects(&site).await {
        Err(trouble) => frame::bare(&trouble),
        Ok(projects) => {
            let own = projects.iter().filter(|project| site.opens_with.starts_with(&project.path));
            // A repository within another is the nearer one.
            match own.max_by_key(|project| project.path.len()).or(projects.first()) {
                Some(project) => see_other(&format!("{}/p/{}/said", site.folder, project.id)),
                None => {
                    frame::bare(&Trouble::new(404, "The daemon watches no project. `lokid project add .` adds one."))
                }
            }
        }
    }
}

/// A project the daemon watches.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) id: String,
    pub(super) path: String,
}

impl Known {
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&self.path)
    }
}

async fn projects(site: &Site) -> Result<Vec<Known>, Trouble> {
    let told = site.daemon.get("/v1/projects").await?;
    let known = |project: &Value| Known { id: text(project, "id").to_owned(), path: text(project, "path").to_owned() };
    Ok(list(&told, "projects").iter().map(known).collect())
}

/// Where a reader is: the site, the project, and what the address says beyond that.
#[derive(Clone)]
pub(super) struct Here {
    pub(super) site: Arc<Site>,
    pub(super) about: About,
    pub(super) project: Known,
    pub(super) projects: Vec<Known>,
    /// The address of this very page, to come back to.
    pub(super) address: String,
    /// Asked for by the page itself, because something happened.
    is_anew: bool,
    /// How much had been told before it was made.
    pub(super) heard: u64,
    pairs: Arc<Vec<(String, String)>>,
    params: Arc<Vec<(String, String)>>,
}

impl Here {
    /// The address of another page of the project.
    pub(super) fn to(&self, rest: &str) -> String {
        format!("{}/p/{}/{rest}", self.site.folder, self.project.id)
    }

    pub(super) fn folder(&self) -> &str {
        &self.site.folder
    }

    /// What the address asks for; empty when it does not.
    pub(super) fn query(&self, name: &str) -> &str {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// A part of the path.
    pub(super) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// For whoever acted; a look in between leaves it.
    pub(super) fn take_notice(&self) -> Option<Notice> {
        if self.is_anew { None } else { self.site.notice.lock().take() }
    }

    pub(super) fn leave_notice(&self, notice: Notice) {
        *self.site.notice.lock() = Some(notice);
    }
}

impl FromRequestParts<Arc<Site>> for Here {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Here, Response> {
        let heard = site.live.told();
        let refused = |_| frame::plain(StatusCode::BAD_REQUEST, "This address cannot be read.");
        let raw = RawPathParams::from_request_parts(parts, site).await.map_err(|error| refused(error.to_string()))?;
        let params: Vec<(String, String)> =
            raw.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let asked =
            Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).map_err(|error| refused(error.to_string()))?;
        let projects = projects(site).await.map_err(|trouble| frame::bare(&trouble))?;
        let wanted = params.iter().find(|(name, _)| name == "project").map(|(_, value)| value.as_str());
        let Some(project) = projects.iter().find(|known| Some(known.id.as_str()) == wanted).cloned() else {
            return Err(frame::bare(&Trouble::new(404, "The daemon watches no such project.")));
        };
        let address = format!("{}{}", site.folder, strip(parts, &site.folder));
        Ok(Here {
            site: Arc::clone(site),
            about: site.daemon.about(&project.path),
            project,
            projects,
            address,
            is_anew: parts.headers.contains_key("x-anew"),
            heard,
            pairs: Arc::new(asked.0),
            params: Arc::new(params),
        })
    }
}

/// The path and the query as they were asked for, whatever part of the path the router has taken off.
fn strip(parts: &Parts, folder: &str) -> String {
    let whole = parts.extensions.get::<axum::extract::OriginalUri>().map_or(&parts.uri, |original| &original.0);
    let asked = whole.path_and_query().map(|asked| asked.as_str()).unwrap_or_default();
    asked.strip_prefix(folder).unwrap_or(asked).to_owned()
}

/// Tells the page that something happened, for as long as it is open; first of all what happened since it was made.
async fn listen(State(site): State<Arc<Site>>, RawQuery(query): RawQuery) -> Sse<impl Stream<Item = Told>> {
    let listener = site.live.listen();
    let heard = query.as_deref().and_then(|query| query.strip_prefix("heard="));
    let is_behind = heard.is_some_and(|heard| heard != site.live.told().to_string());
    let told = |news: String| Ok(Event::default().data(news));
    let first = futures_util::stream::iter(is_behind.then(|| told(live::missed())));
    let later = futures_util::stream::unfold(listener, move |mut listener| async move {
        match listener.recv().await {
            Ok(news) => Some((told(news), listener)),
            Err(RecvError::Lagged(_)) => Some((told(live::missed()), listener)),
            Err(RecvError::Closed) => None,
        }
    });
    Sse::new(first.chain(later)).keep_alive(KeepAlive::default())
}

type Told = Result<Event, std::convert::Infallible>;
