//! Named threads: a thread that shows up in a profile or a panic message says what it is for.
//!
//! Whoever spawns keeps the handle and joins it; nothing here runs detached.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Linux shows the first 15 bytes of the name.
pub fn spawn<T, F>(name: impl Into<String>, work: F) -> io::Result<JoinHandle<T>>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    Builder::new().name(name.into()).spawn(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_carries_its_name_and_hands_back_its_result() {
        let handle = spawn("engine", || std::thread::current().name().map(str::to_owned)).unwrap();
        assert_eq!(handle.join().unwrap().as_deref(), Some("engine"));
    }
}
