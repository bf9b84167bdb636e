//! A socket that somebody else listens on already and hands over at the start, as systemd does: requests that come
//! before the daemon, or between two of them, wait in it and are not lost.
//!
//! Whoever made it looks after its file; here it is neither bound nor removed.

use std::io;
use std::os::unix::net::UnixListener;

use super::env;

/// How the unit calls the socket among others that are handed over with it.
const NAMES: [&str; 2] = ["lokid", "lokid.socket"];

/// The Unix socket this process was given, if it was given any. To be asked once, before threads are started: the
/// variables that tell of it are taken out of the environment, so that no child takes it for its own.
pub fn unix_listener() -> io::Result<Option<UnixListener>> {
    let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
    let mut given = listenfd::ListenFd::from_env();
    if given.len() == 0 {
        return Ok(None);
    }
    let place = place(&names, given.len());
    let wrong = |error: io::Error| io::Error::new(error.kind(), format!("the socket that was handed over: {error}"));
    given.take_unix_listener(place).map_err(wrong)
}

/// The one that is called ours, else the first.
fn place(names: &str, count: usize) -> usize {
    names.split(':').take(count).position(|name| NAMES.contains(&name)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_handed_over_to_a_test() {
        assert!(unix_listener().unwrap().is_none());
    }

    #[test]
    fn the_socket_is_known_by_its_name_and_else_the_first_counts() {
        assert_eq!(place("web:lokid", 2), 1);
        assert_eq!(place("lokid.socket", 1), 0);
        assert_eq!(place("web:other", 2), 0);
        assert_eq!(place("web:lokid", 1), 0);
        assert_eq!(place("", 1), 0);
    }
}
