//! Accepting connections and serving each: who may come in, how many at once, and how the last ones leave.
//!
//! The listener and the moment to stop are given from outside. When nobody asks, nothing here wakes up.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::Router;
use axum::response::IntoResponse;
use http_body_util::BodyExt;
use hyper::server::conn::http1;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Notify, Semaphore};
use tower::Service;

use super::app::App;
use super::call::signed;
use super::pace::{Paced, Phase};
use super::problem::Problem;
use super::routes::router;
use super::seats::{Full, Seat, Seats};
use super::socket::Bound;
use lokid_sys::process;

/// Heads longer than this are nobody's we know.
const MOST_HEAD_BYTES: usize = 64 << 10;
/// How long those that are turned away may take to send their request and hear why.
const REFUSAL: Duration = Duration::from_secs(1);
/// More than this many at a time are not even told.
const REFUSALS_AT_ONCE: usize = 64;
/// After a failed accept (no descriptors left, say) the next one would fail at once, too.
const BREATH: Duration = Duration::from_millis(100);
/// How long those who have just come may take to ask once the daemon stops.
const FIRST_WORDS: Duration = Duration::from_millis(500);
/// How long requests in flight may take to finish once the daemon stops.
const FAREWELL: Duration = Duration::from_secs(10);

/// Serves until `shutdown` resolves, then lets the requests in flight finish. The socket is gone when this returns.
pub async fn run(bound: Bound, app: App, shutdown: impl Future<Output = ()>) -> io::Result<()> {
    let listener = bound.listener()?;
    let graceful = GracefulShutdown::new();
    let doorkeeper = Doorkeeper {
        router: router(app.clone()),
        seats: Seats::new(app.config().server.max_connections),
        refusals: Arc::new(Semaphore::new(REFUSALS_AT_ONCE)),
        app: app.clone(),
    };
    tokio::select! {
        () = accept(&listener, &doorkeeper, &graceful) => {}
        () = shutdown => {}
    }
    drop(listener);
    // New clients must find nobody rather than a daemon that has stopped listening, and a new daemon has to wait.
    let _lock = bound.vanish();
    app.close();
    if tokio::time::timeout(FAREWELL, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time and were cut off");
    }
    Ok(())
}

struct Doorkeeper {
    router: Router,
    app: App,
    seats: Arc<Seats>,
    refusals: Arc<Semaphore>,
}

/// Never returns: an accept that fails is told once, and tried again.
async fn accept(listener: &UnixListener, doorkeeper: &Doorkeeper, graceful: &GracefulShutdown) {
    let mut failing = false;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                failing = false;
                doorkeeper.admit(stream, graceful.watcher());
            }
            Err(error) => {
                if !failing {
                    tracing::error!(reason = %error, "cannot accept connections");
                }
                failing = true;
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

impl Doorkeeper {
    fn admit(&self, stream: UnixStream, watcher: Watcher) {
        let tally = self.app.tally();
        let peer = stream.peer_cred().ok();
        let uid = peer.map(|peer| peer.uid());
        if uid != Some(process::uid()) {
            tracing::warn!(uid, "refused a connection of another user");
            return self.refuse(stream, Problem::forbidden("this daemon serves its own user only"));
        }
        let seat = match self.seats.take(peer.and_then(|peer| peer.pid())) {
            Ok(seat) => seat,
            Err(full) => {
                let whose = if full == Full::All { "" } else { " of this process" };
                let detail = format!("too many connections{whose}; try again in a moment");
                return self.refuse(stream, Problem::busy(detail));
            }
        };
        tally.accepted.fetch_add(1, Relaxed);
        tally.connections.fetch_add(1, Relaxed);
        tokio::spawn(serve(stream, self.router.clone(), self.app.clone(), seat, watcher));
    }

    /// Those who are turned away are told why, but cost neither a seat nor much time.
    fn refuse(&self, stream: UnixStream, problem: Problem) {
        self.app.tally().refused.fetch_add(1, Relaxed);
        if let Ok(turn) = Arc::clone(&self.refusals).try_acquire_owned() {
            tokio::spawn(async move {
                let _ = tokio::time::timeout(REFUSAL, tell(stream, problem)).await;
                drop(turn);
            });
        }
    }
}

async fn serve(stream: UnixStream, router: Router, app: App, seat: Seat, watcher: Watcher) {
    let server = &app.config().server;
    let phase = Phase::default();
    let io = Paced::new(stream, phase.clone(), server.request_timeout, server.idle_timeout);
    let asked = Arc::new(Notify::new());
    let asks = Arc::clone(&asked);
    let service = hyper::service::service_fn(move |request| {
        asks.notify_one();
        phase.at_work();
        let phase = phase.clone();
        let answer = router.clone().call(request);
        async move { answer.await.map(|answer| answer.map(|body| phase.until_the_end_of(body))) }
    });
    let mut connection = http1::Builder::new()
        // Simple clients close their side as soon as they have asked, and still want to hear the answer.
        .half_close(true)
        // `Paced` tells resting from stalling, which this cannot.
        .header_read_timeout(None)
        .max_header_size(MOST_HEAD_BYTES)
        .serve_connection(io, service);
    // Told to finish, hyper closes a connection that has brought no request yet, and with it one that is on its way. So it
    // is told only after the first.
    let ended = tokio::select! {
        biased;
        ended = &mut connection => Some(ended),
        () = asked.notified() => None,
        () = async { app.closed().await; tokio::time::sleep(FIRST_WORDS).await } => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => watcher.watch(connection).await,
    };
    if let Err(error) = ended {
        tracing::debug!(reason = %error, "a connection ended early");
    }
    app.tally().connections.fetch_sub(1, Relaxed);
    drop(seat);
}

/// Reads the head first: a socket closed over unread bytes would take the answer with it.
async fn tell(mut stream: UnixStream, problem: Problem) -> io::Result<()> {
    let mut head = Vec::new();
    while head.len() < MOST_HEAD_BYTES && !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            break;
        }
    }
    let (parts, body) = signed(problem.into_response()).into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let mut answer = format!("HTTP/1.1 {}\r\n", parts.status).into_bytes();
    for (name, value) in &parts.headers {
        answer.extend_from_slice(name.as_str().as_bytes());
        answer.extend_from_slice(b": ");
        answer.extend_from_slice(value.as_bytes());
        answer.extend_from_slice(b"\r\n");
    }
    answer.extend_from_slice(format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len()).as_bytes());
    answer.extend_from_slice(&body);
    stream.write_all(&answer).await?;
    stream.shutdown().await
}
