//! How long a client may stay silent: between two requests, and in the middle of a head.
//!
//! One timer a connection, set only while there is something to wait for and moved only when it fires, so that a busy
//! connection never touches it and a resting one wakes nobody up before its end. Bodies have their own limits.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;
use tokio::time::Sleep;

use lokid_sys::Clock;

const RESTING: u8 = 0;
const IN_A_HEAD: u8 = 1;
const AT_WORK: u8 = 2;

/// What the connection is doing; shared between its reading half and the service it calls.
#[derive(Clone, Default)]
pub(super) struct Phase(Arc<AtomicU8>);

impl Phase {
    pub(super) fn at_work(&self) {
        self.0.store(AT_WORK, Relaxed);
    }

    fn resting(&self) {
        self.0.store(RESTING, Relaxed);
    }

    /// The rest begins when the answer has ended; until then a body may still be read.
    pub(super) fn until_the_end_of(self, body: Body) -> AnswerUnderWay {
        AnswerUnderWay { body, phase: self }
    }
}

/// The body of an answer, whose end is the end of the work.
pub(super) struct AnswerUnderWay {
    body: Body,
    phase: Phase,
}

impl hyper::body::Body for AnswerUnderWay {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for AnswerUnderWay {
    fn drop(&mut self) {
        self.phase.resting();
    }
}

pub(super) struct Paced {
    inner: TokioIo<UnixStream>,
    phase: Phase,
    head_within: Duration,
    rest_within: Duration,
    clock: Clock,
    /// What was waited for last, and since when.
    waiting: Option<(u8, Instant)>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Paced {
    pub(super) fn new(stream: UnixStream, phase: Phase, head_within: Duration, rest_within: Duration) -> Paced {
        // Always the real clock: a client is as slow as it is, whatever time a test has decided on.
        let clock = Clock::system();
        Paced { inner: TokioIo::new(stream), phase, head_within, rest_within, clock, waiting: None, timer: None }
    }

    fn wait(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let phase = self.phase.0.load(Relaxed);
        let patience = match phase {
            RESTING => self.rest_within,
            IN_A_HEAD => self.head_within,
            _ => return Poll::Pending,
        };
        let since = match self.waiting {
            Some((before, since)) if before == phase => since,
            _ => {
                let now = self.clock.monotonic();
                self.waiting = Some((phase, now));
                now
            }
        };
        let end = tokio::time::Instant::from_std(since + patience);
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
        // A timer that fires too early is cheaper than one that is moved with every request.
        if timer.deadline() > end || (timer.is_elapsed() && timer.deadline() < end) {
            timer.as_mut().reset(end);
        }
        while timer.as_mut().poll(context).is_ready() {
            if timer.deadline() >= end {
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client stayed silent")));
            }
            timer.as_mut().reset(end);
        }
        Poll::Pending
    }
}

impl Read for Paced {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match Pin::new(&mut this.inner).poll_read(context, buffer) {
            Poll::Ready(read) => {
                if this.phase.0.load(Relaxed) == RESTING {
                    this.phase.0.store(IN_A_HEAD, Relaxed);
                    this.waiting = None;
                }
                Poll::Ready(read)
            }
            Poll::Pending => this.wait(context),
        }
    }
}

impl Write for Paced {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().inner).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().inner).poll_write_vectored(context, slices)
    }
}
