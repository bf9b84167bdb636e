//! The tests that look at lokid from outside: one binary, one file a subject.

mod crash;
mod engine;
mod lab;
mod neighbour;
