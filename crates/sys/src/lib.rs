//! The one door to the world outside: clock, environment, directories, files and locks, git, processes and threads.
//!
//! Everything here answers one question or does one thing and keeps no opinion about memories. No other room may reach
//! for `std::fs`, the clock, the environment or threads; this room may name nothing but `model` and `config`.

// The doors that `clippy.toml` closes elsewhere open here.
#![allow(clippy::disallowed_methods)]

pub mod activation;
pub mod child;
pub mod clock;
pub mod dial;
pub mod dirs;
pub mod disk;
pub mod env;
pub mod git;
pub mod heap;
pub mod http;
pub mod https;
#[cfg(target_os = "linux")]
pub mod inotify;
pub mod instance;
pub mod kept;
pub mod loopback;
pub mod notify;
pub mod plain;
pub mod postgres;
pub mod power;
pub mod process;
pub mod spool;
pub mod stderr;
pub mod stdin;
pub mod terminal;
pub mod thread;
pub mod tree;

pub use clock::Clock;
pub use dirs::{Dirs, DirsError};
pub use disk::{Disk, Entry, EntryKind, FaultMode, Faults, FileLock, LinePart, LockKind, Stamp};
pub use instance::{InstanceError, InstanceLock};
