//! The socket: what agents, editors and people ask, and how they are answered.
//!
//! HTTP/1.1 over a Unix socket. `routes` is the one table of what can be asked; the router and the OpenAPI document
//! are both made from it. `handlers` turn a call into words for the engine and its answer into JSON, `dto` holds every
//! type that goes over the wire, `problem` every way to say no. `client` and `embedded` are the other end: the same
//! requests over a socket, or in-process when no daemon runs. `hook` is both ends of what agents tell while they work.
//!
//! `mcp` is a server of another kind that speaks to agents and asks through the same requests.
//!
//! Nothing here decides what becomes of a memory, and nothing here opens a file.

mod app;
mod body;
mod call;
pub mod client;
mod dto;
mod embedded;
mod handlers;
pub mod hook;
mod lines;
mod listen;
pub mod mcp;
mod message;
mod pace;
mod problem;
mod routes;
mod seats;
mod socket;
mod tally;

pub use app::App;
pub use client::{Client, ClientError};
pub use embedded::Embedded;
pub use listen::run;
pub use message::{Request, Response, encode};
pub use routes::{openapi, router};
pub use socket::{BindError, Bound, adopt, bind};

/// What this daemon speaks; a client that names another number in `Lokid-Api` is told so.
pub const API_VERSION: &str = "1";
/// The header of the handshake, in requests and answers.
pub const API_HEADER: &str = "lokid-api";
/// By which a client says that it asks for an agent and not for the user.
pub const BY_HEADER: &str = "lokid-by";
