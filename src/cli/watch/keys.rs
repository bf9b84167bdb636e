//! What keys mean.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Quit,
    /// Away from what lies over the page, else from the page.
    Back,
    Next,
    Previous,
    /// The first is 0.
    Project(usize),
    Pause,
    Help,
}

/// What was typed at once: letters, and keys that a terminal spells in several bytes.
pub(super) fn read(mut typed: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while !typed.is_empty() {
        let (key, rest) = typed.split_at(length(typed));
        keys.extend(meaning(key));
        typed = rest;
    }
    keys
}

/// Of the first key.
fn length(typed: &[u8]) -> usize {
    match typed {
        [0x1b, b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte));
            2 + end.map_or(rest.len(), |end| end + 1)
        }
        [0x1b, b'O', _, ..] => 3,
        [0x1b, 0x1b, ..] => 1,
        [0x1b, _, ..] => 2,
        _ => 1,
    }
}

fn meaning(key: &[u8]) -> Option<Key> {
    match key {
        b"\x1b" => Some(Key::Back),
        b"\x1b[Z" | b"\x1b[D" | b"\x1bOD" => Some(Key::Previous),
        b"\x1b[C" | b"\x1bOC" => Some(Key::Next),
        [letter] => one(*letter),
        _ => None,
    }
}

fn one(letter: u8) -> Option<Key> {
    match letter {
        b'q' | b'Q' => Some(Key::Quit),
        b'\t' => Some(Key::Next),
        b'1'..=b'9' => Some(Key::Project(usize::from(letter - b'1'))),
        b'p' | b'P' | b' ' => Some(Key::Pause),
        b'?' | b'h' => Some(Key::Help),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_is_a_key_and_the_beginning_of_others() {
        assert_eq!(read(b"\x1b"), [Key::Back]);
        assert_eq!(read(b"\x1b[A"), []);
        assert_eq!(read(b"\x1b[1;5Ap\x1bOHq\x1bx\x1b"), [Key::Pause, Key::Quit, Key::Back]);
        assert_eq!(read(b"\x1b[1;"), [], "half a key is none");
        assert_eq!(read(b"\x1b[Z"), [Key::Previous]);
        assert_eq!(read(b"2\tp?xq"), [Key::Project(1), Key::Next, Key::Pause, Key::Help, Key::Quit]);
        assert_eq!(read(b""), []);
    }
}
