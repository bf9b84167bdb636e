//! One question to a server that speaks plain HTTP/1.1: a POST, answered whole, within a time and a size.
//!
//! Every question has its own connection. Nothing is encrypted, no redirect is followed and no answer is kept; whoever
//! needs more than a server nearby uses a program that can do it.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

mod decode;

pub use decode::Decoder;

/// How long a socket is waited for between two looks at whether somebody called it off.
const GLANCE: Duration = Duration::from_millis(50);
/// A server nearby accepts at once.
const CONNECT: Duration = Duration::from_secs(3);
const PIECE: usize = 16 << 10;

#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// From the first byte to the last. Looking up a name is the system's affair and has the system's patience.
    pub time: Duration,
    pub answer: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("\"{0}\" is no address: only http://host:port/path is, use a command for anything else")]
    Address(String),
    #[error("{host} cannot be reached: {source}")]
    Unreachable { host: String, source: io::Error },
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    #[error("called off")]
    Cancelled,
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    #[error("the server says {0}")]
    Refused(u16),
    #[error("the answer is no HTTP")]
    Garbled,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Where a server is, and below which path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
    /// Without a slash at its end.
    path: String,
}

impl Address {
    pub fn parse(url: &str) -> Result<Address, HttpError> {
        Address::read(url).ok_or_else(|| HttpError::Address(url.chars().take(200).collect()))
    }

    fn read(url: &str) -> Option<Address> {
        let scheme = url.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"))?;
        let rest = &url[scheme.len()..];
        // Nothing that would end the line it stands in, and no name or password, which would be told to everybody.
        let is_plain = rest.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'@' | b'#' | b'?' | b'\\'));
        let (place, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = match place.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
            Some((host, port)) => (host.parse::<Ipv6Addr>().ok()?.to_string(), port),
            None => {
                let (host, port) = place.split_at(place.find(':').unwrap_or(place.len()));
                (host.to_owned(), port)
            }
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => 80,
            None => return None,
            Some(port) => port.parse().ok().filter(|port| *port > 0)?,
        };
        (is_plain && !host.is_empty()).then(|| Address { host, port, path: path.trim_end_matches('/').to_owned() })
    }

    /// As it stands in the line that names the host.
    fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    fn sockets(&self) -> io::Result<Vec<SocketAddr>> {
        if let Ok(number) = self.host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(number, self.port)]);
        }
        // No resolver has to be asked for this one, and none can send it elsewhere.
        if self.host.eq_ignore_ascii_case("localhost") {
            let near: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
            return Ok(near.map(|number| SocketAddr::new(number, self.port)).to_vec());
        }
        Ok((self.host.as_str(), self.port).to_socket_addrs()?.take(4).collect())
    }
}

/// Sends a JSON text to `path` below the address and brings the body of a good answer.
pub fn post_json(
    address: &Address,
    path: &str,
    body: &str,
    limits: HttpLimits,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<u8>, HttpError> {
    let watch = Watch { deadline: Instant::now() + limits.time, time: limits.time, cancelled };
    let mut stream = connect(address, &watch)?;
    let head = format!(
        "POST {}{path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Accept: application/json\r\nUser-Agent: lokid\r\nConnection: close\r\n\r\n",
        address.path,
        address.authority(),
        body.len()
    );
    say(&mut stream, head.as_bytes(), &watch)?;
    say(&mut stream, body.as_bytes(), &watch)?;
    let mut decoder = Decoder::default();
    let mut piece = [0; PIECE];
    loop {
        watch.check()?;
        match stream.read(&mut piece) {
            Ok(count) => {
                if let Some(body) = heard(&mut decoder, &piece[..count], limits.answer)? {
                    return Ok(body);
                }
            }
            Err(error) if is_for_later(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The body, as soon as it is whole; no bytes at all are the end of the connection.
fn heard(decoder: &mut Decoder, bytes: &[u8], most: usize) -> Result<Option<Vec<u8>>, HttpError> {
    let understood = decoder.push(bytes);
    match decoder.status {
        0 | 200..300 => understood.map_err(|_| HttpError::Garbled)?,
        refused => return Err(HttpError::Refused(refused)),
    }
    if decoder.size() > most as u64 {
        return Err(HttpError::TooLong(most));
    }
    let ended = bytes.is_empty();
    let whole = if ended { decoder.end() } else { decoder.is_done() };
    if ended && !whole { Err(HttpError::Garbled) } else { Ok(whole.then(|| std::mem::take(&mut decoder.body))) }
}

/// How long it may still take.
struct Watch<'a> {
    deadline: Instant,
    time: Duration,
    cancelled: &'a dyn Fn() -> bool,
}

impl Watch<'_> {
    fn check(&self) -> Result<Duration, HttpError> {
        if (self.cancelled)() {
            return Err(HttpError::Cancelled);
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(HttpError::TimedOut(self.time)) } else { Ok(left) }
    }
}

fn connect(address: &Address, watch: &Watch<'_>) -> Result<TcpStream, HttpError> {
    let unreachable = |source| HttpError::Unreachable { host: address.authority(), source };
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name leads nowhere");
    for socket in address.sockets().map_err(unreachable)? {
        match TcpStream::connect_timeout(&socket, watch.check()?.min(CONNECT)) {
            Ok(stream) => {
                stream.set_read_timeout(Some(GLANCE))?;
                stream.set_write_timeout(Some(GLANCE))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    watch.check()?;
    Err(unreachable(last))
}

fn say(stream: &mut TcpStream, mut bytes: &[u8], watch: &Watch<'_>) -> Result<(), HttpError> {
    while !bytes.is_empty() {
        watch.check()?;
        match stream.write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if is_for_later(&error) => {}
            // A server that has heard enough may have answered already.
            Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests;
