//! A body of lines, taken one at a time. A line that is too long is told and passed over without ever being held;
//! the whole may be of any length, but a client that falls silent is not waited for.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

pub(super) struct Lines {
    body: Body,
    /// What has arrived and was not yet looked at.
    chunk: Bytes,
    /// The beginning of a line whose end has not arrived.
    begun: Vec<u8>,
    overlong: bool,
    ended: bool,
    number: u64,
    most: usize,
    silence: Duration,
}

#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Text(u64, Bytes),
    TooLong(u64),
}

#[derive(Debug)]
pub(super) enum Broken {
    Silent,
    Lost(String),
}

impl Lines {
    pub(super) fn new(body: Body, most: usize, silence: Duration) -> Lines {
        Lines { body, chunk: Bytes::new(), begun: Vec::new(), overlong: false, ended: false, number: 0, most, silence }
    }

    /// The next line, or `None` at the end. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Result<Option<Line>, Broken> {
        loop {
            if let Some(line) = self.whole_line() {
                return Ok(Some(line));
            }
            if self.ended {
                return Ok(self.last_line());
            }
            match tokio::time::timeout(self.silence, self.body.frame()).await {
                Err(_) => return Err(Broken::Silent),
                Ok(None) => self.ended = true,
                // A line whose end never came was never given.
                Ok(Some(Err(error))) => return Err(Broken::Lost(error.to_string())),
                Ok(Some(Ok(frame))) => self.chunk = frame.into_data().unwrap_or_default(),
            }
        }
    }

    fn whole_line(&mut self) -> Option<Line> {
        let Some(end) = self.chunk.iter().position(|byte| *byte == b'\n') else {
            self.keep_beginning();
            return None;
        };
        let mut line = self.chunk.split_to(end + 1);
        line.truncate(end);
        if !self.begun.is_empty() || self.overlong {
            self.add(&line);
            line = Bytes::from(std::mem::take(&mut self.begun));
        }
        Some(self.finished(line))
    }

    fn keep_beginning(&mut self) {
        let chunk = std::mem::take(&mut self.chunk);
        self.add(&chunk);
    }

    fn add(&mut self, more: &[u8]) {
        if self.overlong || self.begun.len() + more.len() > self.most + 1 {
            self.overlong = true;
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(more);
        }
    }

    fn last_line(&mut self) -> Option<Line> {
        if self.begun.is_empty() && !self.overlong {
            return None;
        }
        let line = Bytes::from(std::mem::take(&mut self.begun));
        Some(self.finished(line))
    }

    fn finished(&mut self, mut line: Bytes) -> Line {
        self.number += 1;
        // Some editors begin a file with this mark.
        if self.number == 1 && line.starts_with(b"\xef\xbb\xbf") {
            line = line.slice(3..);
        }
        if line.last() == Some(&b'\r') {
            line.truncate(line.len() - 1);
        }
        let overlong = std::mem::take(&mut self.overlong) || line.len() > self.most;
        if overlong { Line::TooLong(self.number) } else { Line::Text(self.number, line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&str], expect: &[Line]) {
        let pieces: Vec<Result<String, std::io::Error>> = pieces.iter().map(|piece| Ok((*piece).to_owned())).collect();
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let mut lines = Lines::new(body, 6, Duration::from_secs(5));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let mut found = Vec::new();
        while let Some(line) = runtime.block_on(lines.next()).unwrap() {
            found.push(line);
        }
        assert_eq!(found, expect);
    }

    fn text(number: u64, text: &'static str) -> Line {
        Line::Text(number, Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn lines_are_the_same_however_they_are_cut_into_pieces() {
        let expect = [text(1, "one"), text(2, ""), text(3, "three")];
        check(&["one\n\nthree"], &expect);
        check(&["o", "ne", "\n", "\nthr", "ee\r\n"], &expect);
        check(&["one\r\n\r\nthree\n"], &expect);
    }

    #[test]
    fn an_overlong_line_is_told_and_the_next_one_is_read() {
        check(&["123456\n1234567\nok\n"], &[text(1, "123456"), Line::TooLong(2), text(3, "ok")]);
        check(&["1234", "5678", "9012", "\nok"], &[Line::TooLong(1), text(2, "ok")]);
        check(&["12345678"], &[Line::TooLong(1)]);
    }

    #[test]
    fn an_overlong_line_is_not_held_while_it_arrives() {
        let mut lines = Lines::new(Body::empty(), 4, Duration::from_secs(1));
        for _ in 0..100 {
            lines.chunk = Bytes::from_static(b"0123456789");
            assert!(lines.whole_line().is_none());
            assert!(lines.begun.len() <= 5);
        }
    }

    #[test]
    fn a_client_that_falls_silent_is_not_waited_for() {
        let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let mut lines = Lines::new(never, 4, Duration::from_millis(10));
        assert!(matches!(runtime.block_on(lines.next()), Err(Broken::Silent)));
    }
}
