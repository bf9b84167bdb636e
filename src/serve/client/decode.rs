//! Bytes of an answer become a response: head, then a body of a known length, in chunks, or up to the end.

use super::super::message::Response;

const MOST_HEADERS: usize = 64;
const MOST_HEAD_BYTES: usize = 64 << 10;

#[derive(Default)]
pub(super) struct Decoder {
    response: Response,
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
    pub(super) fn response(&self) -> &Response {
        &self.response
    }

    pub(super) fn response_mut(&mut self) -> &mut Response {
        &mut self.response
    }

    pub(super) fn into_response(self) -> Response {
        self.response
    }

    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// The other side has closed. Was that the end of the answer?
    pub(super) fn end(&mut self) -> bool {
        if self.state == State::UntilClosed {
            self.state = State::Done;
        }
        self.is_done()
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
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
            State::ChunkEnd => self.with_line(|_| Ok(State::ChunkSize)),
            State::Trailer => self.with_line(|line| Ok(if line.is_empty() { State::Done } else { State::Trailer })),
            State::Done => Ok(false),
        }
    }

    fn body(&mut self, most: u64) -> u64 {
        let taken = usize::try_from(most).unwrap_or(usize::MAX).min(self.rest.len());
        self.response.body.extend(self.rest.drain(..taken));
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
        let headers: Vec<_> =
            parsed.headers.iter().map(|header| (header.name.to_owned(), text(header.value))).collect();
        self.rest.drain(..length);
        if (100..200).contains(&status) {
            return Ok(true);
        }
        self.response = Response { status, headers, body: Vec::new() };
        self.state = self.framing()?;
        Ok(true)
    }

    fn framing(&self) -> Result<State, String> {
        if matches!(self.response.status, 204 | 304) {
            return Ok(State::Done);
        }
        if self.response.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            return Ok(State::ChunkSize);
        }
        match self.response.header("content-length").map(str::parse) {
            None => Ok(State::UntilClosed),
            Some(Ok(0)) => Ok(State::Done),
            Some(Ok(length)) => Ok(State::Fixed(length)),
            Some(Err(_)) => Err("a content-length that is no number".to_owned()),
        }
    }
}

/// Cuts what arrives into lines.
#[derive(Default)]
pub(crate) struct LineBuffer(Vec<u8>);

impl LineBuffer {
    pub(crate) fn push(&mut self, bytes: &[u8], on_line: &mut impl FnMut(&str)) {
        self.0.extend_from_slice(bytes);
        while let Some(end) = self.0.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.0.drain(..=end).collect();
            on_line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
        }
    }

    /// A last line without an end is a line, too.
    pub(crate) fn finish(&mut self, on_line: &mut impl FnMut(&str)) {
        if !self.0.is_empty() {
            on_line(&String::from_utf8_lossy(&std::mem::take(&mut self.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, expect: Result<(u16, &str), ()>) {
        for size in [1, 3, answer.len().max(1)] {
            let mut decoder = Decoder::default();
            let pushed: Result<Vec<()>, String> =
                answer.as_bytes().chunks(size).map(|piece| decoder.push(piece)).collect();
            let whole = decoder.end();
            let found = match pushed {
                Ok(_) if whole => Ok((decoder.response().status, decoder.response().text().into_owned())),
                _ => Err(()),
            };
            assert_eq!(
                found.as_ref().map(|(status, body)| (*status, body.as_str())),
                expect.as_ref().copied().map_err(|()| &()),
                "{answer:?} by {size}"
            );
        }
    }

    #[test]
    fn the_three_framings_give_the_same_body_however_they_are_cut() {
        check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", Ok((200, "hello")));
        check(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
            Ok((200, "hello")),
        );
        check("HTTP/1.0 200 OK\r\n\r\nhello", Ok((200, "hello")));
        check("HTTP/1.1 304 Not Modified\r\n\r\n", Ok((304, "")));
        check("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n", Ok((201, "")));
    }

    #[test]
    fn what_is_no_answer_or_half_of_one_is_refused() {
        check("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell", Err(()));
        check("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", Err(()));
        check("HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n", Err(()));
        check("SSH-2.0-OpenSSH\r\n", Err(()));
        check("", Err(()));
    }
}
