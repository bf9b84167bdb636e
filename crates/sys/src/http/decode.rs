//! Bytes of an answer become its status, headers and body: head, then a body of a known length, in chunks, or up to the
//! end. It reads from nothing.

const MOST_HEADERS: usize = 64;
const MOST_HEAD_BYTES: usize = 64 << 10;

#[derive(Default)]
pub struct Decoder {
    /// 0 until the head is whole.
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// As far as it has come.
    pub body: Vec<u8>,
    /// Bytes that could not be understood yet.
    rest: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Head,
    Fixed(u64),
    ChunkSize,
    Chunk(u64),
    ChunkEnd,
    Trailer,
    UntilClosed,
    Done,
}

impl Decoder {
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// The other side has closed. Was that the end of the answer?
    pub fn end(&mut self) -> bool {
        if self.state == State::UntilClosed {
            self.state = State::Done;
        }
        self.is_done()
    }

    /// The body that has come and as much as is announced to follow.
    pub fn size(&self) -> u64 {
        let (State::Fixed(left) | State::Chunk(left)) = self.state else { return self.body.len() as u64 };
        left.saturating_add(self.body.len() as u64)
    }

    pub fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.rest.extend_from_slice(bytes);
        while self.step()? {}
        Ok(())
    }

    /// Understands one part more; `false` when bytes are missing for that.
    fn step(&mut self) -> Result<bool, String> {
        match self.state {
            State::Head => self.head(),
            State::Fixed(left) => {
                let left = self.body(left);
                self.state = if left == 0 { State::Done } else { State::Fixed(left) };
                Ok(false)
            }
            State::UntilClosed => {
                self.body(u64::MAX);
                Ok(false)
            }
            State::Chunk(left) => {
                let left = self.body(left);
                self.state = if left == 0 { State::ChunkEnd } else { State::Chunk(left) };
                Ok(left == 0)
            }
            State::ChunkSize => self.with_line(|line| {
                let size = line.split(';').next().unwrap_or_default().trim();
                match u64::from_str_radix(size, 16) {
                    Ok(0) => Ok(State::Trailer),
                    Ok(size) => Ok(State::Chunk(size)),
                    Err(_) => Err(format!("a chunk of size {size:?}")),
                }
            }),
            State::ChunkEnd => self.with_line(|line| match line {
                "" => Ok(State::ChunkSize),
                _ => Err("a chunk longer than it said".to_owned()),
            }),
            State::Trailer => self.with_line(|line| Ok(if line.is_empty() { State::Done } else { State::Trailer })),
            State::Done => Ok(false),
        }
    }

    fn body(&mut self, most: u64) -> u64 {
        let taken = usize::try_from(most).unwrap_or(usize::MAX).min(self.rest.len());
        self.body.extend(self.rest.drain(..taken));
        most - taken as u64
    }

    fn with_line(&mut self, next: impl FnOnce(&str) -> Result<State, String>) -> Result<bool, String> {
        let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') else {
            return if self.rest.len() > MOST_HEAD_BYTES { Err("an endless line".to_owned()) } else { Ok(false) };
        };
        let line = String::from_utf8_lossy(&self.rest[..end]).trim_end_matches('\r').to_owned();
        self.rest.drain(..=end);
        self.state = next(&line)?;
        Ok(self.state != State::Done)
    }

    fn head(&mut self) -> Result<bool, String> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        let length = match parsed.parse(&self.rest).map_err(|error| error.to_string())? {
            httparse::Status::Complete(length) => length,
            httparse::Status::Partial if self.rest.len() > MOST_HEAD_BYTES => return Err("an endless head".to_owned()),
            httparse::Status::Partial => return Ok(false),
        };
        let status = parsed.code.unwrap_or_default();
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let headers = parsed.headers.iter().map(|header| (header.name.to_owned(), text(header.value))).collect();
        self.rest.drain(..length);
        // Others only say that it goes on.
        if !matches!(status, 100 | 102..200) {
            (self.status, self.headers) = (status, headers);
            self.state = self.framing()?;
        }
        Ok(true)
    }

    fn framing(&self) -> Result<State, String> {
        let named = |name: &str| self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        if matches!(self.status, 204 | 304) {
            return Ok(State::Done);
        }
        match (named("transfer-encoding"), named("content-length").map(|(_, length)| length.trim().parse())) {
            (Some((_, coding)), _) if coding.trim().eq_ignore_ascii_case("chunked") => Ok(State::ChunkSize),
            (Some((_, coding)), _) => Err(format!("a body coded as {coding:?}")),
            (_, None) => Ok(State::UntilClosed),
            (_, Some(Ok(0))) => Ok(State::Done),
            (_, Some(Ok(length))) => Ok(State::Fixed(length)),
            (_, Some(Err(_))) => Err("a content-length that is no number".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::heard;
    use super::*;

    /// However the bytes are cut, the answer is the same.
    fn check(bytes: &str, expected: Result<&str, &str>) {
        for piece in [1, 2, 3, 7, bytes.len().max(1)] {
            let mut decoder = Decoder::default();
            let mut pieces = bytes.as_bytes().chunks(piece).chain([&b""[..]]);
            let found = pieces.find_map(|piece| heard(&mut decoder, piece, 1_000).transpose()).unwrap();
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
        check("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx", Ok("x"));
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
        let line = format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(MOST_HEAD_BYTES));
        assert!(Decoder::default().push(line.as_bytes()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_break_it(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), chunked: bool) {
            let coding = if chunked { "Transfer-Encoding: chunked\r\n\r\n" } else { "Content-Length" };
            let mut decoder = Decoder::default();
            let head = format!("HTTP/1.1 200 OK\r\n{coding}");
            let _ = decoder.push(head.as_bytes()).and_then(|()| decoder.push(&bytes));
            decoder.end();
        }
    }
}
