//! The memory as an MCP server over the standard streams: tools, prompts and resources for agents.
//!
//! `catalogue` is the one table of tools: their schemas, their hints and the check of their arguments are all made from
//! it. A tool turns its arguments into the API's own requests and hands back the API's own answers, shorter and quoted;
//! it decides nothing about memories. Where the answers come from is the business of the [`Desk`] it is given.
//!
//! Standard output belongs to the protocol; nothing here prints, and the text of memories is never logged.

mod catalogue;
mod desk;
mod erase;
mod fields;
mod files;
mod keep;
mod prompts;
mod quote;
mod recall;
mod schema;
mod server;
mod session;
#[cfg(test)]
mod tests;
mod why;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;

pub use desk::{Away, Desk, Need};
pub use server::Options;

use server::Server;

/// Requests that are worked on at once; the others wait.
const AT_ONCE: usize = 32;
/// What was begun when the client went away may take this long to end.
const LAST_WORK: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
pub enum McpError {
    #[error("cannot start the runtime: {0}")]
    Runtime(std::io::Error),
    #[error("the client did not open a session: {0}")]
    Opening(String),
    #[error("the session broke: {0}")]
    Broken(String),
}

/// Speaks with the client on the standard streams until it closes them.
pub fn run(desk: Arc<dyn Desk>, options: Options) -> Result<(), McpError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(AT_ONCE)
        .thread_name("mcp")
        .build()
        .map_err(McpError::Runtime)?;
    let ended = runtime.block_on(async {
        let running = match Server::new(desk, options).serve(stdio_pipes()).await {
            // A client that goes before it said anything has done no wrong.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            // Its message may hold what the client sent: the kind of the error is enough.
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
                return Err(McpError::Opening("it began with something else than a request".to_owned()));
            }
            Err(error) => return Err(McpError::Opening(error.to_string())),
            Ok(running) => running,
        };
        running.waiting().await.map(drop).map_err(|error| McpError::Broken(error.to_string()))
    });
    runtime.shutdown_timeout(LAST_WORK);
    ended
}
