//! The loopback interface: a port that only this machine reaches, and which of its users is at the other end.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener};

const ESTABLISHED: &str = "01";

/// Listens at 127.0.0.1; port 0 leaves the choice to the system.
pub fn listen(port: u16) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Who holds the other end of a connection from `peer` to `own`. `None` where the system does not tell, or no such
/// connection stands any more: one that is about to end is nobody's.
pub fn owner_of(peer: SocketAddr, own: SocketAddr) -> Option<u32> {
    let (SocketAddr::V4(peer), SocketAddr::V4(own)) = (peer, own) else { return None };
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
        let table = std::fs::read_to_string(table).ok()?;
        table.lines().find_map(|line| uid_in(line, peer, own))
    })
}

/// Does the system tell it at all? Elsewhere than on Linux the secret in the address has to do.
pub const TELLS_OWNERS: bool = cfg!(target_os = "linux");

fn uid_in(line: &str, peer: SocketAddrV4, own: SocketAddrV4) -> Option<u32> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (local, remote, state) = (fields.next()?, fields.next()?, fields.next()?);
    let is_it = state == ESTABLISHED && is_at(local, peer) && is_at(remote, own);
    is_it.then(|| fields.nth(3)?.parse().ok()).flatten()
}

/// `0100007F:1F90`: each address as the number it is in memory; in the table of IPv6 behind its prefix.
fn is_at(entry: &str, wanted: SocketAddrV4) -> bool {
    let number = u32::from_ne_bytes(wanted.ip().octets());
    let (address, port) = (format!("{number:08X}"), format!("{:04X}", wanted.port()));
    let mapped = format!("0000000000000000{:08X}{address}", u32::from_ne_bytes([0, 0, 0xff, 0xff]));
    entry.split_once(':').is_some_and(|(at, on)| on == port && (at == address || at == mapped))
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;
    use crate::process;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_connection_of_ours_is_ours() {
        let listener = listen(0).unwrap();
        let own = listener.local_addr().unwrap();
        assert!(own.ip().is_loopback() && own.port() != 0);
        let stream = TcpStream::connect(own).unwrap();
        let peer = stream.local_addr().unwrap();
        assert_eq!(owner_of(peer, own), Some(process::uid()));
        let stranger = SocketAddr::from(([127, 0, 0, 1], 1));
        assert_eq!(owner_of(stranger, own), None);
    }

    #[test]
    fn a_connection_that_ends_is_nobodys() {
        let line = |state: &str| {
            format!("  0: 0100007F:8000 0100007F:1F90 {state} 00000000:00000000 00:00000000 00000000  1000 0 1 1")
        };
        let (peer, own) =
            (SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0x8000), SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080));
        if cfg!(target_endian = "little") {
            assert_eq!(uid_in(&line("01"), peer, own), Some(1000));
            assert_eq!(uid_in(&line("06"), peer, own), None, "such an entry names root, whoever it was");
            assert_eq!(uid_in(&line("01"), own, peer), None, "the other end is another entry");
            let mapped = line("01").replace("0100007F", "0000000000000000FFFF00000100007F");
            assert_eq!(uid_in(&mapped, peer, own), Some(1000));
        }
        assert_eq!(uid_in("  sl  local_address rem_address", peer, own), None);
    }
}
