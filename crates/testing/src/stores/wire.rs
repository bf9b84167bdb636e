//! HTTP/1.1 on a socket, by hand: only so can an answer stop in its middle or not come at all.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::routes::Request;

const MOST_HEAD: usize = 64 << 10;
const MOST_BODY: usize = 1 << 20;

/// How the reading of a request ended other than with one.
pub(crate) enum NoRequest {
    /// The other side is gone, or never spoke HTTP.
    Gone,
    /// It said something that is answered with this status and no more.
    Bad(u16, &'static str),
}

impl From<io::Error> for NoRequest {
    fn from(_: io::Error) -> NoRequest {
        NoRequest::Gone
    }
}

/// The next request of a connection; `kept` holds what came after the one before.
pub(crate) fn read(stream: &mut TcpStream, kept: &mut Vec<u8>) -> Result<Request, NoRequest> {
    let (mut request, head, length) = loop {
        if let Some(found) = parse_head(kept)? {
            break found;
        }
        if kept.len() > MOST_HEAD {
            return Err(NoRequest::Bad(431, "the head is too long"));
        }
        more(stream, kept)?;
    };
    if length > MOST_BODY {
        return Err(NoRequest::Bad(413, "the request is too large"));
    }
    if request.headers.get("expect").is_some_and(|expect| expect.eq_ignore_ascii_case("100-continue")) {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    while kept.len() < head + length {
        more(stream, kept)?;
    }
    let body: Vec<u8> = kept.drain(..head + length).skip(head).collect();
    if !body.is_empty() {
        let kind = request.headers.get("content-type").map(String::as_str).unwrap_or_default();
        if !kind.starts_with("application/json") {
            return Err(NoRequest::Bad(400, "the body must be application/json"));
        }
        request.body =
            serde_json::from_slice(&body).map_err(|_| NoRequest::Bad(400, "the request body is not valid JSON"))?;
    }
    Ok(request)
}

fn more(stream: &mut TcpStream, kept: &mut Vec<u8>) -> Result<(), NoRequest> {
    let mut piece = [0; 16 << 10];
    match stream.read(&mut piece)? {
        0 => Err(NoRequest::Gone),
        count => {
            kept.extend_from_slice(&piece[..count]);
            Ok(())
        }
    }
}

/// The request without its body, the length of its head and of its body; nothing while the head is not whole.
fn parse_head(bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, NoRequest> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Request::new(&mut headers);
    let bad = NoRequest::Bad(400, "not a request of HTTP/1.1");
    let Ok(status) = head.parse(bytes) else { return Err(bad) };
    let httparse::Status::Complete(end) = status else { return Ok(None) };
    let (Some(method), Some(target)) = (head.method, head.path) else { return Err(bad) };
    let value = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let headers: BTreeMap<String, String> =
        head.headers.iter().map(|header| (header.name.to_ascii_lowercase(), value(header.value))).collect();
    if headers.contains_key("transfer-encoding") {
        return Err(NoRequest::Bad(411, "a length is required"));
    }
    let Ok(length) = headers.get("content-length").map_or(Ok(0), |length| length.parse()) else { return Err(bad) };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let query = pairs.map(|(name, value)| (unescape(name), unescape(value))).collect();
    let request = Request { method: method.to_owned(), path: unescape(path), query, headers, body: Value::Null };
    Ok(Some((request, end, length)))
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        let (byte, left) = match (first, code) {
            (b'%', Some(code)) => (code, &after[2..]),
            (b'+', _) => (b' ', after),
            (other, _) => (*other, after),
        };
        bytes.push(byte);
        rest = left;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The head of an answer.
pub(crate) fn head(status: u16, headers: &[(&str, String)], length: usize) -> String {
    let named = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<String>();
    let reason = reason(status);
    format!("HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\n{named}content-length: {length}\r\n\r\n")
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400..=499 => "Refused",
        _ => "Failed",
    }
}
