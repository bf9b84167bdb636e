//! Records by the thousand: read a line at a time, written in batches, acknowledged when durable.
//!
//! One batch is on its way to the disk while the next is read. A bad line is told and never stops the rest; a full
//! inbox makes the import wait. What has arrived whole is carried out even when the client is gone.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok, with_type};
use crate::serve::dto::answers::{ImportAnswer, LineError, Progress};
use crate::serve::dto::queries::Import;
use crate::serve::dto::record::Record;
use crate::serve::lines::{Broken, Line, Lines};
use crate::serve::problem::{Code, Problem};
use lokid_engine::search::SearchHandle;
use lokid_engine::{EngineError, Imported, Project};
use lokid_model::{Draft, Source};

/// How long the end of an import waits for the search index, and for how many memories.
const CATCHING_UP: Duration = Duration::from_secs(10);
const FEW: usize = 4096;
const BATCH_LINES: usize = 4096;
const BATCH_BYTES: usize = 4 << 20;
/// A client that pauses is waiting for what it sent.
const PAUSE: Duration = Duration::from_millis(50);
/// How long to leave a full inbox alone.
const BREATH: Duration = Duration::from_millis(20);
const MOST_ERRORS: usize = 1000;

pub(in crate::serve) async fn import(app: App, call: Call) -> Answer {
    let query: Import = call.query()?;
    let project = app.project(query.project.as_deref()).await?;
    let progress = call.accepts("application/x-ndjson");
    let server = &app.config().server;
    let most = usize::try_from(server.max_record).unwrap_or(usize::MAX);
    let lines = Lines::new(call.body, most, server.request_timeout);
    let (teller, told) = mpsc::unbounded_channel();
    let importer = Importer::new(project, query.trust, progress.then_some(teller));
    // A task of its own, so that it ends as it should when the connection does not.
    let work = tokio::spawn(importer.run(lines));
    if !progress {
        let done = work.await.map_err(|error| Problem::internal(format!("the import was cut off: {error}")))?;
        return ok(&done?);
    }
    let lines = futures_util::stream::unfold(told, |mut told| async move {
        let line: Bytes = told.recv().await?;
        Some((Ok::<Bytes, std::convert::Infallible>(line), told))
    });
    Ok(with_type(StatusCode::OK, "application/x-ndjson", Body::from_stream(lines)))
}

/// Lines that were read and not yet handed over. The bytes are kept for the rare case that the inbox is full, which
/// gives no record back.
#[derive(Default)]
struct Batch {
    lines: Vec<(u64, Bytes)>,
    records: Vec<(u64, Draft)>,
    bytes: usize,
    last_line: u64,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.last_line == 0
    }

    fn is_full(&self) -> bool {
        self.records.len() >= BATCH_LINES || self.bytes >= BATCH_BYTES
    }
}

struct InFlight {
    answer: Pin<Box<dyn Future<Output = Result<Imported, EngineError>> + Send>>,
    last_line: u64,
}

struct Importer {
    project: Arc<Project>,
    trusted: bool,
    batch: Batch,
    done: ImportAnswer,
    acknowledged: u64,
    teller: Option<mpsc::UnboundedSender<Bytes>>,
}

impl Importer {
    fn new(project: Arc<Project>, trusted: bool, teller: Option<mpsc::UnboundedSender<Bytes>>) -> Importer {
        let (batch, done) = (Batch::default(), ImportAnswer::default());
        Importer { project, trusted, batch, done, acknowledged: 0, teller }
    }

    async fn run(mut self, lines: Lines) -> Result<ImportAnswer, Problem> {
        let end = self.all(lines).await;
        self.await_search().await;
        self.done.errors.sort_by_key(|error| error.line);
        let last = match &end {
            Ok(()) => with(&self.done, json!({"acknowledged": self.acknowledged, "done": true})),
            Err(problem) => {
                let problem = json!(problem.clone().document());
                with(&self.done, json!({"acknowledged": self.acknowledged, "done": false, "problem": problem}))
            }
        };
        self.tell(&last);
        end.map(|()| self.done)
    }

    /// Who asks right after an import finds what was in it, unless it was so long that nobody wants to wait for that.
    async fn await_search(&self) {
        let few = |search: &SearchHandle| (1..=FEW).contains(&search.waiting());
        if self.project.search.if_started().is_some_and(few) {
            let project = Arc::clone(&self.project);
            let _ = aside(move || project.search.handle().wait(CATCHING_UP)).await;
        }
    }

    async fn all(&mut self, mut lines: Lines) -> Result<(), Problem> {
        let mut in_flight: Option<InFlight> = None;
        let end = loop {
            if self.batch.is_full() {
                self.land(in_flight.take()).await?;
                in_flight = Some(self.hand_over().await?);
            }
            let next = match in_flight.as_mut() {
                Some(flying) if !self.batch.is_full() => {
                    tokio::select! {
                        biased;
                        next = lines.next() => Next::Line(next),
                        answer = &mut flying.answer => Next::Landed(answer),
                        () = pause(!self.batch.is_empty()) => Next::Pause,
                    }
                }
                _ => tokio::select! {
                    biased;
                    next = lines.next() => Next::Line(next),
                    () = pause(!self.batch.is_empty()) => Next::Pause,
                },
            };
            match next {
                Next::Line(Ok(Some(line))) => self.take(line),
                Next::Line(Ok(None)) => break Ok(()),
                Next::Line(Err(broken)) => break Err(broken),
                Next::Landed(answer) => {
                    let last_line = in_flight.take().map_or(0, |flying| flying.last_line);
                    self.landed(answer?, last_line);
                }
                Next::Pause => {
                    self.land(in_flight.take()).await?;
                    in_flight = Some(self.hand_over().await?);
                }
            }
        };
        self.land(in_flight.take()).await?;
        if !self.batch.is_empty() {
            let last = self.hand_over().await?;
            self.land(Some(last)).await?;
        }
        end.map_err(|broken| self.broken(broken))
    }

    fn take(&mut self, line: Line) {
        let (number, bytes) = match line {
            Line::TooLong(number) => {
                self.batch.last_line = number;
                return self.refuse(number, Code::TooLarge, "the line is longer than a record may be".to_owned());
            }
            Line::Text(number, bytes) => (number, bytes),
        };
        self.batch.last_line = number;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match draft(&bytes) {
            Ok(draft) => {
                self.batch.bytes += bytes.len();
                self.batch.records.push((number, draft));
                self.batch.lines.push((number, bytes));
            }
            Err(problem) => self.refuse(number, problem.code(), problem.detail().to_owned()),
        }
    }

    /// Gives the batch to the writer; waits while its inbox is full.
    async fn hand_over(&mut self) -> Result<InFlight, Problem> {
        let batch = std::mem::take(&mut self.batch);
        let mut records = batch.records;
        loop {
            let (project, trusted) = (Arc::clone(&self.project), self.trusted);
            match aside(move || project.writer.import(records, trusted)).await? {
                Ok(pending) => {
                    return Ok(InFlight { answer: Box::pin(pending.answer()), last_line: batch.last_line });
                }
                Err(EngineError::Busy) => {
                    tokio::time::sleep(BREATH).await;
                    let again = |(number, bytes): &(u64, Bytes)| Some((*number, draft(bytes).ok()?));
                    records = batch.lines.iter().filter_map(again).collect();
                }
                Err(error) => return Err(self.stopped(error)),
            }
        }
    }

    async fn land(&mut self, flying: Option<InFlight>) -> Result<(), Problem> {
        if let Some(InFlight { answer, last_line }) = flying {
            let imported = answer.await.map_err(|error| self.stopped(error))?;
            self.landed(imported, last_line);
        }
        Ok(())
    }

    fn landed(&mut self, imported: Imported, last_line: u64) {
        self.done.imported += imported.imported;
        self.done.updated += imported.updated;
        self.done.skipped += imported.skipped;
        for error in imported.errors {
            self.note(LineError { line: error.line, code: error.code, detail: error.detail });
        }
        self.acknowledged = last_line;
        let ImportAnswer { imported, updated, skipped, .. } = self.done;
        self.tell(&json!(Progress { acknowledged: last_line, imported, updated, skipped }));
    }

    fn refuse(&mut self, line: u64, code: Code, detail: String) {
        self.note(LineError { line, code: code.as_str(), detail });
    }

    fn note(&mut self, error: LineError) {
        self.done.errors_total += 1;
        if self.done.errors.len() < MOST_ERRORS {
            self.done.errors.push(error);
        }
    }

    fn tell(&self, line: &Value) {
        if let Some(teller) = &self.teller {
            // Nobody listening any more is no reason to stop.
            let _ = teller.send(Bytes::from(format!("{line}\n")));
        }
    }

    fn stopped(&self, error: EngineError) -> Problem {
        let problem = Problem::from(error);
        let detail = format!("{}; lines up to {} are durable", problem.detail(), self.acknowledged);
        problem.with_detail(detail)
    }

    fn broken(&self, broken: Broken) -> Problem {
        let durable = format!("lines up to {} are durable", self.acknowledged);
        match broken {
            Broken::Silent => Problem::timed_out(format!("the client fell silent; {durable}")),
            Broken::Lost(reason) => Problem::bad_request(format!("the body broke off: {reason}; {durable}")),
        }
    }
}

enum Next {
    Line(Result<Option<Line>, Broken>),
    Landed(Result<Imported, EngineError>),
    Pause,
}

/// There is something to hand over when the client makes a pause; otherwise there is nothing to wait for.
async fn pause(anything: bool) {
    if anything {
        tokio::time::sleep(PAUSE).await;
    } else {
        std::future::pending().await
    }
}

fn draft(line: &[u8]) -> Result<Draft, Problem> {
    let record: Record = crate::serve::dto::decode(line)?;
    Ok(record.into_draft(Source::Import)?)
}

/// The whole answer with a few fields more.
fn with(done: &ImportAnswer, more: Value) -> Value {
    let mut all = json!(done);
    if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    all
}
