//! Traces other programs leave below `.loki/`: events, queues, errors, crashes, phases. Each reader turns one piece of
//! text into what happened; what is corrupt, of the wrong type or too long is left out, never refused.

mod event;
mod failure;
mod json;
mod queue;
#[cfg(test)]
mod tests;

pub use event::{event_line, orchestrator};
pub use failure::{crash, failure_line, last_error, memory_error_line};
pub use queue::{Queue, queue_change};

use lokid_model::{Outcome, Signal, SignalKind, Timestamp};

/// Something that another program says has happened. `at` is missing where the writer left no time.
#[derive(Clone, Debug, PartialEq)]
pub enum Trace {
    PhaseChanged {
        from: Option<String>,
        to: String,
        at: Option<Timestamp>,
    },
    TaskStarted {
        id: String,
        goal: String,
        at: Option<Timestamp>,
    },
    TaskCompleted {
        id: String,
        goal: String,
        outcome: Outcome,
        at: Option<Timestamp>,
    },
    ErrorSeen {
        message: String,
        kind: String,
        context: String,
        at: Option<Timestamp>,
    },
    Crash(Box<Crash>),
    SessionStarted {
        id: Option<String>,
        agent: Option<String>,
        at: Option<Timestamp>,
    },
    SessionEnded {
        id: Option<String>,
        reason: String,
        outcome: Option<Outcome>,
        at: Option<Timestamp>,
    },
    /// Known to be an event, of a type that means nothing to us.
    Other {
        name: String,
        at: Option<Timestamp>,
    },
}

/// A crash report. Loki Mode scrubs it before it is written: there are names of functions, no messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crash {
    pub kind: String,
    pub message: String,
    pub frames: Vec<String>,
    pub phase: String,
    pub exit_code: Option<i64>,
    /// Loki Mode's own name for crashes of one cause.
    pub fingerprint: String,
    pub at: Option<Timestamp>,
}

impl Crash {
    /// One line that tells this crash from others.
    pub fn headline(&self) -> String {
        let mut line = self.kind.clone();
        if !self.message.is_empty() {
            line = format!("{line}: {}", self.message);
        }
        if let Some(frame) = self.frames.first() {
            line = format!("{line} at {frame}");
        }
        if let Some(code) = self.exit_code {
            line = format!("{line} (exit {code})");
        }
        line
    }
}

/// The hint a trace gives. A time from the future is a wrong clock, and means now.
pub fn signals(trace: &Trace, now: Timestamp) -> Option<Signal> {
    let signal = |at: &Option<Timestamp>, kind| Signal::new(at.unwrap_or(now).min(now), kind);
    let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Some(match trace {
        Trace::PhaseChanged { to, at, .. } => Signal { text: Some(to.clone()), ..signal(at, SignalKind::PhaseChange) },
        Trace::TaskStarted { goal, at, .. } => Signal { goal: filled(goal), ..signal(at, SignalKind::TaskStart) },
        Trace::TaskCompleted { goal, outcome, at, .. } => {
            Signal { goal: filled(goal), outcome: Some(*outcome), ..signal(at, SignalKind::TaskComplete) }
        }
        Trace::ErrorSeen { message, kind, at, .. } => {
            let said = !message.to_lowercase().starts_with(&kind.to_lowercase());
            let text = if kind.is_empty() || !said { message.clone() } else { format!("{kind}: {message}") };
            Signal { text: Some(text), ..signal(at, SignalKind::Error) }
        }
        Trace::Crash(crash) => Signal { text: Some(crash.headline()), ..signal(&crash.at, SignalKind::Error) },
        Trace::SessionStarted { id, agent, at } => {
            Signal { session: id.clone(), agent: agent.clone(), ..signal(at, SignalKind::SessionStart) }
        }
        Trace::SessionEnded { id, outcome, at, .. } => {
            Signal { session: id.clone(), outcome: *outcome, ..signal(at, SignalKind::SessionEnd) }
        }
        Trace::Other { .. } => return None,
    })
}
