//! The daemon cares for itself: memory, disk, descriptors, repositories that cannot be written or are not there, many
//! projects, and several daemons that begin at once.

mod crowd;
mod full;
mod log;
mod memory;
mod mounts;
mod shut;

use lokid::serve::{Client, Request};
use serde_json::Value;

use crate::home::Home;

fn status(home: &Home) -> Value {
    Client::new(home.socket()).send(&Request::get("/v1/status")).unwrap().json().unwrap()
}

fn project(home: &Home) -> Value {
    status(home)["projects"][0].clone()
}
