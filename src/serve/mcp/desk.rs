//! Where answers come from: the daemon, or whatever stands in for it. The tools know nothing else of the world.

use crate::serve::message::{Request, Response};

/// What a request does, and so who may answer it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Can be answered from the files alone.
    Read,
    /// Takes the one writer a project has.
    Write,
}

/// Nobody can answer. Says what is wrong and what mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Away {
    pub what: String,
    pub fix: String,
}

/// It may block, and is called from several threads at once.
pub trait Desk: Send + Sync + 'static {
    /// Whatever was answered, a refusal included.
    fn ask(&self, request: &Request, need: Need) -> Result<Response, Away>;

    /// Absolute: the project every request is about.
    fn project(&self) -> String;
}
