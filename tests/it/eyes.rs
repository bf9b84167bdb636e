//! The eyes, through the program itself: real git, real files, real sockets, and what a listener hears of it all.
//!
//! Everything is waited for on the stream of events. Where nothing is to happen, something that comes later is waited
//! for instead.

mod bulk;
mod continuity;
mod day;
mod depths;
mod echo;
mod errors;
mod few_watches;
mod flood;
mod guarded;
mod hostile;
pub(crate) mod lab;
mod long_line;
mod moved;
mod one_instance;
mod opt_out;
mod past;
mod secrets;
mod secrets_config;
mod transcripts;
mod upheaval;
