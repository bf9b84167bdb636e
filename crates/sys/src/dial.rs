//! Reaching a Unix socket without waiting: one who does not take the connection at once counts as away.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

/// A process that was stopped still has its socket, and a queue in front of it: where that is full an ordinary
/// connection would wait for ever.
pub fn at_once(path: &Path) -> io::Result<UnixStream> {
    let address = SocketAddrUnix::new(path)?;
    let stream = UnixStream::from(rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?);
    stream.set_nonblocking(true)?;
    rustix::net::connect(&stream, &address)?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_listener_is_reached_and_nobody_is_an_error() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("s.sock");
        assert_eq!(at_once(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        let _listener = UnixListener::bind(&path).unwrap();
        at_once(&path).unwrap();
    }

    #[test]
    fn a_queue_that_is_full_is_not_waited_for() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("s.sock");
        let _listener = UnixListener::bind(&path).unwrap();
        let mut held = Vec::new();
        // Nobody accepts: at some point the queue is full, on every system long before this ends.
        let refused = (0..100_000).find_map(|_| match at_once(&path) {
            Ok(stream) => {
                held.push(stream);
                None
            }
            Err(error) => Some(error),
        });
        assert!(refused.is_some(), "{} connections were taken", held.len());
    }
}
