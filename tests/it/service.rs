//! The daemon as a service: what it hears from a service manager and tells it, how it follows another daemon, what
//! `lokid service` writes, and stores of other versions.

mod activated;
mod files;
mod formats;
mod install;
mod manager;
mod succession;
