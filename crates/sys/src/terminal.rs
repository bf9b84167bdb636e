//! The terminal a person watches: how large it is, and drawing on it so that it is afterwards as it was before.
//!
//! It knows nothing of what is drawn.

use std::io::{self, IsTerminal, Read, Write};

use std::time::Duration;

use rustix::termios::{LocalModes, OptionalActions, Termios};

const REST_OF_A_KEY: Duration = Duration::from_millis(30);

/// Columns and rows of the standard output; `None` when it is no terminal.
pub fn size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    let some = |count: u16, usual: usize| if count == 0 { usual } else { usize::from(count) };
    Some((some(size.ws_col, 80), some(size.ws_row, 24)))
}

/// A page of its own, without a cursor and without what is typed; the page before is back when this goes.
pub struct Drawing {
    /// How the terminal was, where something can be typed at all.
    before: Option<Termios>,
}

impl Drawing {
    pub fn begin() -> io::Result<Drawing> {
        let before = rustix::termios::tcgetattr(io::stdin()).ok();
        if let Some(before) = &before {
            let mut quiet = before.clone();
            // Signals still come from the keyboard.
            quiet.local_modes -= LocalModes::ECHO | LocalModes::ICANON;
            rustix::termios::tcsetattr(io::stdin(), OptionalActions::Now, &quiet)?;
        }
        let drawing = Drawing { before };
        // No line goes on in the next row, however wide the terminal takes its characters to be.
        say("\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J")?;
        Ok(drawing)
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        let _ = say("\x1b[?7h\x1b[?25h\x1b[?1049l");
        if let Some(before) = &self.before {
            let _ = rustix::termios::tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// What is typed next, where a person is there to type: all bytes of one key. A slow line may bring the first of them,
/// which is a key of its own, before the others.
pub fn typed() -> Option<Vec<u8>> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return None;
    }
    let mut bytes = [0; 32];
    let mut count = stdin.lock().read(&mut bytes).ok().filter(|count| *count > 0)?;
    if bytes[..count] == *b"\x1b" && follows_at_once(&stdin) {
        count += stdin.lock().read(&mut bytes[count..]).ok()?;
    }
    Some(bytes[..count].to_vec())
}

fn follows_at_once(stdin: &io::Stdin) -> bool {
    let patience = rustix::event::Timespec { tv_sec: 0, tv_nsec: REST_OF_A_KEY.as_nanos() as i64 };
    let mut waiting = [rustix::event::PollFd::new(stdin, rustix::event::PollFlags::IN)];
    rustix::event::poll(&mut waiting, Some(&patience)).is_ok_and(|ready| ready > 0)
}
