//! The tests that look at lokid from outside: one binary, one file a subject.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

mod api;
mod care;
mod chaos;
mod cli;
mod crash;
mod doctor;
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
mod odd_files;
mod oneshot;
mod purge;
mod quoted;
mod recall;
mod repo;
mod roots;
mod search;
mod service;
mod shorten;
mod terminal;
mod watch;
mod why;
