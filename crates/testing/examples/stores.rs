//! The server of memory stores on its own, for clients that are not Rust: prints its address and its key, and runs until
//! it is killed.
//!
//!     stores [REQUESTS_A_SECOND]

#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::time::Duration;

use lokid_testing::stores::StoreServer;

fn main() {
    let server = StoreServer::new();
    if let Some(most) = std::env::args().nth(1).and_then(|most| most.parse().ok()) {
        server.rate(most, Duration::from_secs(1));
    }
    println!("{} {}", server.url(), StoreServer::KEY);
    loop {
        std::thread::park();
    }
}
