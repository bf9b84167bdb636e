//! The client: one request over the daemon's socket, without a runtime, so that a command starts and ends quickly.
//!
//! It speaks just enough HTTP/1.1 for the daemon's own answers and asks for one answer a connection.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::message::{Request, Response};
use super::{API_HEADER, API_VERSION};
use lokid_sys::dial;
use lokid_sys::http::Decoder;

const PIECE: usize = 64 << 10;
const USUAL_PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens: the daemon has to be started, or the command does without.
    #[error("no daemon answers on {}: {source}", socket.display())]
    Unreachable { socket: PathBuf, source: io::Error },
    #[error("the daemon did not answer within {0:?}")]
    TimedOut(Duration),
    #[error("the connection to the daemon broke: {0}")]
    Broken(io::Error),
    #[error("not an answer of the daemon: {0}")]
    Malformed(String),
    /// The input of an upload, not the connection.
    #[error("cannot read what is to be sent: {0}")]
    Source(io::Error),
}

pub struct Client {
    socket: PathBuf,
    patience: Duration,
}

impl Client {
    pub fn new(socket: impl Into<PathBuf>) -> Client {
        Client { socket: socket.into(), patience: USUAL_PATIENCE }
    }

    /// How long the daemon may stay silent.
    pub fn patience(self, patience: Duration) -> Client {
        Client { patience, ..self }
    }

    pub fn socket(&self) -> &Path {
        &self.socket
    }

    pub fn send(&self, request: &Request) -> Result<Response, ClientError> {
        let mut exchange = self.open(request, &format!("content-length: {}\r\n", request.body.len()))?;
        exchange.write(&request.body);
        exchange.finish(&mut |_| {})
    }

    /// Like [`Client::send`], with so much time for all of it as `left` says again and again. A daemon that does not take
    /// the connection at once is not reachable.
    pub fn send_within(&self, request: &Request, left: &dyn Fn() -> Duration) -> Result<Response, ClientError> {
        let unreachable = |source| ClientError::Unreachable { socket: self.socket.clone(), source };
        let stream = dial::at_once(&self.socket).map_err(unreachable)?;
        let mut exchange = Exchange::new(stream, left());
        let mut bytes = head(request, &format!("content-length: {}\r\n", request.body.len()))?.into_bytes();
        bytes.extend_from_slice(&request.body);
        exchange.limit(left())?;
        exchange.write(&bytes);
        while !exchange.decoder.is_done() {
            exchange.limit(left())?;
            if !exchange.read()? {
                break;
            }
        }
        Ok(exchange.response())
    }

    /// Sends what `source` gives as the body; every line of the answer is handed on as it comes, and kept.
    pub fn upload(
        &self,
        request: &Request,
        mut source: impl Read,
        mut on_line: impl FnMut(&str),
    ) -> Result<Response, ClientError> {
        let mut exchange = self.open(request, "transfer-encoding: chunked\r\n")?;
        let mut piece = vec![0; PIECE];
        while !exchange.is_decided() {
            let read = source.read(&mut piece).map_err(ClientError::Source)?;
            if read == 0 {
                exchange.write(b"0\r\n\r\n");
                break;
            }
            exchange.write(format!("{read:x}\r\n").as_bytes());
            exchange.write(&piece[..read]);
            exchange.write(b"\r\n");
            exchange.hear(&mut on_line)?;
        }
        exchange.finish(&mut on_line)
    }

    /// Hands on every line of an answer that may never end, until `on_line` says no or the answer is over. The body
    /// is kept only when it is no success, to tell why.
    pub fn follow(&self, request: &Request, mut on_line: impl FnMut(&str) -> bool) -> Result<Response, ClientError> {
        let length = format!("content-length: {}\r\n", request.body.len());
        let mut exchange = self.open(request, if request.body.is_empty() { "" } else { &length })?;
        exchange.write(&request.body);
        exchange.stream.set_read_timeout(None).map_err(ClientError::Broken)?;
        let mut lines = LineBuffer::default();
        let (mut wanted, mut more) = (true, true);
        while wanted && more {
            more = exchange.read()?;
            if (200..300).contains(&exchange.decoder.status) {
                let body = std::mem::take(&mut exchange.decoder.body);
                lines.push(&body, &mut |line| wanted = wanted && on_line(line));
            }
        }
        if wanted {
            lines.finish(&mut |line| wanted = on_line(line));
        }
        Ok(exchange.response())
    }

    fn open(&self, request: &Request, framing: &str) -> Result<Exchange, ClientError> {
        let unreachable = |source| ClientError::Unreachable { socket: self.socket.clone(), source };
        let stream = UnixStream::connect(&self.socket).map_err(unreachable)?;
        stream.set_read_timeout(Some(self.patience)).map_err(ClientError::Broken)?;
        stream.set_write_timeout(Some(self.patience)).map_err(ClientError::Broken)?;
        let mut exchange = Exchange::new(stream, self.patience);
        exchange.write(head(request, framing)?.as_bytes());
        Ok(exchange)
    }
}

fn head(request: &Request, framing: &str) -> Result<String, ClientError> {
    let plain = |text: &str| !text.bytes().any(|byte| byte.is_ascii_control());
    let mut head = format!(
        "{} {} HTTP/1.1\r\nhost: lokid\r\nconnection: close\r\n{API_HEADER}: {API_VERSION}\r\n{framing}",
        request.method, request.path
    );
    let mut sane = plain(&request.path) && !request.path.contains(' ') && request.path.starts_with('/');
    for (name, value) in &request.headers {
        sane &= plain(name) && plain(value);
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    if sane { Ok(head) } else { Err(ClientError::Malformed("a request that cannot be written as one".to_owned())) }
}

/// One connection: what is sent, and what has been heard.
struct Exchange {
    stream: UnixStream,
    decoder: Decoder,
    lines: LineBuffer,
    /// A daemon that has already said no does not listen to the rest; its answer is what counts.
    failed: Option<io::Error>,
    patience: Duration,
}

impl Exchange {
    fn new(stream: UnixStream, patience: Duration) -> Exchange {
        Exchange { stream, decoder: Decoder::default(), lines: LineBuffer::default(), failed: None, patience }
    }

    fn response(self) -> Response {
        let Decoder { status, headers, body, .. } = self.decoder;
        Response { status, headers, body }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.stream.write_all(bytes).err();
        }
    }

    fn limit(&mut self, left: Duration) -> Result<(), ClientError> {
        if left.is_zero() {
            return Err(ClientError::TimedOut(self.patience));
        }
        self.stream.set_read_timeout(Some(left)).map_err(ClientError::Broken)?;
        self.stream.set_write_timeout(Some(left)).map_err(ClientError::Broken)
    }

    /// Is there no point in sending more?
    fn is_decided(&self) -> bool {
        self.failed.is_some() || self.decoder.is_done() || self.decoder.status >= 300
    }

    /// Takes what has arrived, without waiting for anything.
    fn hear(&mut self, on_line: &mut impl FnMut(&str)) -> Result<(), ClientError> {
        self.stream.set_nonblocking(true).map_err(ClientError::Broken)?;
        let mut bytes = [0; 4096];
        let heard = self.stream.read(&mut bytes);
        self.stream.set_nonblocking(false).map_err(ClientError::Broken)?;
        match heard {
            Ok(read) if read > 0 => self.take(&bytes[..read], on_line),
            _ => Ok(()),
        }
    }

    fn take(&mut self, bytes: &[u8], on_line: &mut impl FnMut(&str)) -> Result<(), ClientError> {
        let before = self.decoder.body.len();
        self.decoder.push(bytes).map_err(ClientError::Malformed)?;
        self.lines.push(&self.decoder.body[before..], on_line);
        Ok(())
    }

    /// Reads once; `false` at the end of the answer.
    fn read(&mut self) -> Result<bool, ClientError> {
        let mut bytes = [0; 16 << 10];
        let read = loop {
            match self.stream.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(read) => break read,
                Err(error) => return Err(self.lost(error)),
            }
        };
        if read == 0 {
            let whole = self.decoder.end();
            return if whole { Ok(false) } else { Err(self.lost(io::ErrorKind::UnexpectedEof.into())) };
        }
        self.decoder.push(&bytes[..read]).map_err(ClientError::Malformed)?;
        Ok(!self.decoder.is_done())
    }

    fn lost(&mut self, error: io::Error) -> ClientError {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => ClientError::TimedOut(self.patience),
            _ => ClientError::Broken(self.failed.take().unwrap_or(error)),
        }
    }

    fn finish(mut self, on_line: &mut impl FnMut(&str)) -> Result<Response, ClientError> {
        while !self.decoder.is_done() {
            let before = self.decoder.body.len();
            let more = self.read()?;
            self.lines.push(&self.decoder.body[before..], on_line);
            if !more {
                break;
            }
        }
        self.lines.finish(on_line);
        Ok(self.response())
    }
}

/// Cuts what arrives into lines.
#[derive(Default)]
pub(super) struct LineBuffer(Vec<u8>);

impl LineBuffer {
    pub(super) fn push(&mut self, bytes: &[u8], on_line: &mut impl FnMut(&str)) {
        self.0.extend_from_slice(bytes);
        while let Some(end) = self.0.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.0.drain(..=end).collect();
            on_line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
        }
    }

    /// A last line without an end is a line, too.
    pub(super) fn finish(&mut self, on_line: &mut impl FnMut(&str)) {
        if !self.0.is_empty() {
            on_line(&String::from_utf8_lossy(&std::mem::take(&mut self.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_would_smuggle_a_header_is_not_written() {
        let request = Request::get("/v1/health").header("x", "a\r\nhost: other");
        assert!(matches!(head(&request, ""), Err(ClientError::Malformed(_))));
        assert!(matches!(head(&Request::get("/v1/a b"), ""), Err(ClientError::Malformed(_))));
    }

    #[test]
    fn nobody_listening_is_told_apart_from_a_broken_answer() {
        let lab = tempfile::tempdir().unwrap();
        let client = Client::new(lab.path().join("no.sock"));
        assert!(matches!(client.send(&Request::get("/v1/health")), Err(ClientError::Unreachable { .. })));
    }
}
