//! The terminal a person watches: how large it is, and drawing on it so that it is afterwards as it was before.
//!
//! It knows nothing of what is drawn.

use std::io::{self, IsTerminal, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios};

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
        say("\x1b[?1049h\x1b[?25l\x1b[2J")?;
        Ok(drawing)
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        let _ = say("\x1b[?25h\x1b[?1049l");
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

/// The next key, where a person is there to press one.
pub fn key() -> Option<u8> {
    if !io::stdin().is_terminal() {
        return None;
    }
    let mut one = [0];
    (io::stdin().read(&mut one).ok()? == 1).then_some(one[0])
}
