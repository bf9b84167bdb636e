//! The tests that look at lokid from outside: one binary, one file a subject.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

mod api;
mod care;
mod chaos;
mod cli;
mod crash;
mod doctor;
mod door;
mod editors;
mod engine;
mod eyes;
mod first_contact;
mod foresight;
mod home;
mod hook;
mod hooks_install;
mod house;
mod instances;
mod lab;
mod live;
mod loki_mode;
mod mcp;
mod neighbour;
mod night;
mod oneshot;
mod purge;
mod recall;
mod repo;
mod search;
mod service;
mod shorten;
mod trust;
mod watch;
mod why;
