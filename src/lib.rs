//! lokid: a living memory for the people and agents who work in a repository.
//!
//! Experience flows one way. `watch` notices what happens, `encode` turns it into memories, `store` keeps them as
//! plain files, `index` holds the immutable snapshot every reader sees, `context` lays it out in layers, and `serve`
//! hands it to agents, editors and people. `engine` is the hall where they meet: one writer a project. `model` is the
//! language all rooms speak, `sys` the only door to the outside.
//!
//! Read the modules in this order.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod words;

pub mod serve;

pub mod page;

pub mod cli;
