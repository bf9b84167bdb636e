//! An HTTP answer as it arrives: its head, and a body that has a length, comes in chunks, or ends with the connection.
//! Bytes in, a body out; it reads from nothing.

use httparse::Status;

use super::HttpError;

const MOST_HEADERS: usize = 64;
const LONGEST_HEAD: usize = 64 << 10;

/// Heard so far.
pub(super) struct Answer {
    heard: Vec<u8>,
    /// Where the body begins and how it ends, once the head is whole.
    body: Option<(usize, Ending)>,
    /// Of a body in chunks: what was put together, and up to where it was read.
    joined: Vec<u8>,
    read: usize,
    most: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Length(usize),
    Chunks,
    Connection,
}

impl Answer {
    /// `most` is for the body.
    pub(super) fn new(most: usize) -> Answer {
        Answer { heard: Vec::new(), body: None, joined: Vec::new(), read: 0, most }
    }

    /// The body, as soon as it is whole.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, HttpError> {
        self.heard.extend_from_slice(bytes);
        if self.body.is_none() {
            self.read_head()?;
        }
        let Some((start, ending)) = self.body else {
            return if self.heard.len() > LONGEST_HEAD { Err(HttpError::Garbled) } else { Ok(None) };
        };
        match ending {
            Ending::Length(length) if length > self.most => Err(HttpError::TooLong(self.most)),
            Ending::Length(length) => Ok(self.heard.get(start..start + length).map(<[u8]>::to_vec)),
            Ending::Chunks => self.join(),
            Ending::Connection if self.heard.len() - start > self.most => Err(HttpError::TooLong(self.most)),
            Ending::Connection => Ok(None),
        }
    }

    /// The connection was closed.
    pub(super) fn ended(mut self) -> Result<Vec<u8>, HttpError> {
        match self.body {
            Some((start, Ending::Connection)) => Ok(self.heard.split_off(start)),
            _ => Err(HttpError::Garbled),
        }
    }

    fn read_head(&mut self) -> Result<(), HttpError> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
            let mut head = httparse::Response::new(&mut headers);
            let length = match head.parse(&self.heard) {
                Ok(Status::Complete(length)) => length,
                Ok(Status::Partial) => return Ok(()),
                Err(_) => return Err(HttpError::Garbled),
            };
            let code = head.code.unwrap_or(0);
            if (100..200).contains(&code) && code != 101 {
                // Only to say that it goes on.
                self.heard.drain(..length);
                continue;
            }
            if !(200..300).contains(&code) {
                return Err(HttpError::Refused(code));
            }
            self.body = Some((length, ending(head.headers, code)?));
            self.read = length;
            return Ok(());
        }
    }

    fn join(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        loop {
            let rest = &self.heard[self.read..];
            let (head, size) = match httparse::parse_chunk_size(rest) {
                Ok(Status::Complete((head, size))) => (head, usize::try_from(size).unwrap_or(usize::MAX)),
                // A size has few digits; what follows it is nothing we asked for.
                Ok(Status::Partial) if rest.len() < 1_024 => return Ok(None),
                _ => return Err(HttpError::Garbled),
            };
            if size > self.most - self.joined.len() {
                return Err(HttpError::TooLong(self.most));
            }
            if size == 0 {
                return Ok(Some(std::mem::take(&mut self.joined)));
            }
            let Some(chunk) = rest.get(head..head + size + 2) else { return Ok(None) };
            let Some(chunk) = chunk.strip_suffix(b"\r\n") else { return Err(HttpError::Garbled) };
            self.joined.extend_from_slice(chunk);
            self.read += head + size + 2;
        }
    }
}

fn ending(headers: &[httparse::Header<'_>], code: u16) -> Result<Ending, HttpError> {
    let find = |name: &str| headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
    let text = |header: &httparse::Header<'_>| String::from_utf8_lossy(header.value).trim().to_ascii_lowercase();
    if let Some(coding) = find("transfer-encoding") {
        return if text(coding) == "chunked" { Ok(Ending::Chunks) } else { Err(HttpError::Garbled) };
    }
    match find("content-length") {
        _ if code == 204 => Ok(Ending::Length(0)),
        None => Ok(Ending::Connection),
        Some(length) => text(length).parse().map(Ending::Length).map_err(|_| HttpError::Garbled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the bytes are cut, the answer is the same.
    fn check(bytes: &str, expected: Result<&str, &str>) {
        for piece in [1, 2, 3, 7, bytes.len().max(1)] {
            let mut answer = Answer::new(1_000);
            let mut found = None;
            for bytes in bytes.as_bytes().chunks(piece) {
                found = answer.take(bytes).transpose();
                if found.is_some() {
                    break;
                }
            }
            let found = found.unwrap_or_else(|| answer.ended());
            let found = found.map(|body| String::from_utf8(body).unwrap()).map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{bytes:?} in pieces of {piece}");
        }
    }

    #[test]
    fn a_body_ends_by_its_length_its_last_chunk_or_with_the_connection() {
        check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", Ok("{}"));
        check("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", Ok(""));
        check(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
            Ok("abc0123456789"),
        );
        check("HTTP/1.0 200 OK\r\n\r\nto the end", Ok("to the end"));
        check("HTTP/1.1 204 No Content\r\n\r\n", Ok(""));
        check("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", Ok("x"));
    }

    #[test]
    fn what_is_refused_cut_off_or_no_http_is_told_apart() {
        check("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n", Err("the server says 404"));
        check("HTTP/1.1 301 Moved\r\nLocation: http://x/\r\n\r\n", Err("the server says 301"));
        check("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", Err("the answer is no HTTP"));
        check("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", Err("the answer is no HTTP"));
        check(
            "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n",
            Err("the answer is longer than 1000 bytes"),
        );
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", Err("the answer is no HTTP"));
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Err("the answer is no HTTP"));
        check(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
            Err("the answer is longer than 1000 bytes"),
        );
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef", Err("the answer is no HTTP"));
        check("SSH-2.0-OpenSSH_9.6\r\n", Err("the answer is no HTTP"));
        check("", Err("the answer is no HTTP"));
        check(&format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(1_001)), Err("the answer is longer than 1000 bytes"));
    }

    #[test]
    fn a_head_without_end_is_given_up() {
        let mut answer = Answer::new(10);
        let line = format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(LONGEST_HEAD));
        assert!(matches!(answer.take(line.as_bytes()), Err(HttpError::Garbled)));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_break_it(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), chunked: bool) {
            let coding = if chunked { "Transfer-Encoding: chunked\r\n\r\n" } else { "Content-Length" };
            let mut answer = Answer::new(100);
            let head = format!("HTTP/1.1 200 OK\r\n{coding}");
            let _ = answer.take(head.as_bytes()).and_then(|_| answer.take(&bytes));
            let _ = answer.ended();
        }
    }
}
