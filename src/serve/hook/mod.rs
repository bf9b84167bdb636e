//! What agents tell through their hooks, and what they are told in return.
//!
//! `payload` and `tools` read the JSON of each agent, `told` makes of it what a project is told (also from the spool,
//! when nobody was there to hear it), `heard` keeps an event from counting twice, `last` knows when each agent was heard, `act` asks the project, `answer` says
//! it in the agent's own shape. `ask` is the other end: what the hook process sends.
//!
//! An agent's JSON is read leniently: a field that is missing or odd means less, never an error.

mod act;
mod answer;
mod ask;
mod command;
pub(super) mod heard;
pub(super) mod last;
mod payload;
mod replay;
#[cfg(test)]
mod tests;
mod told;
mod tools;

pub(super) use act::{act, note_heard};
pub(super) use answer::shaped;
pub use ask::{Event, Outcome, ask, spool, waiting};
pub use payload::Agent;
pub(super) use payload::Happening;
pub(super) use replay::hear_what_waits;
pub use replay::replay;
pub use replay::strike;
pub(super) use told::Told;
