//! Does a text repeat what a memory said? Asked when memories are purged: a memory is often made of the prompt that told it.

use std::sync::Arc;

use lokid_model::Memory;
use lokid_model::memory::Anchors;
use lokid_model::texts::Texts;

/// In bytes: shorter words are anybody's.
const SHORTEST: usize = 8;
/// Of more memories at once, everything is taken for an echo.
const MOST_COMPARED: usize = 256;

#[derive(Default)]
pub(crate) struct Echo {
    /// A line of a memory each, in small letters.
    lines: Vec<String>,
    of_all: bool,
}

impl Echo {
    pub(crate) fn of(memories: &[Arc<Memory>]) -> Echo {
        if memories.len() > MOST_COMPARED {
            return Echo { lines: Vec::new(), of_all: true };
        }
        let mut lines = Vec::new();
        for memory in memories {
            // Files are the repository's own words.
            let mut memory = Memory { anchors: Anchors::default(), ..memory.as_ref().clone() };
            memory.each_text(&mut |text| lines.extend(text.lines().map(even).filter(|line| line.len() >= SHORTEST)));
        }
        Echo { lines, of_all: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && !self.of_all
    }

    /// A line of a memory stands in the text, or the text in one.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let text = even(text);
        let meets = |line: &String| text.contains(line.as_str()) || (text.len() >= SHORTEST && line.contains(&text));
        self.of_all || self.lines.iter().any(meets)
    }
}

/// In small letters, with single blanks, and without the full stop at its end.
fn even(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['.', '!', '…']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId, Timestamp};

    #[test]
    fn words_are_known_again_in_either_direction_and_short_ones_are_nobodys() {
        let text = "Use pytest -x instead of pytest -q.\nshort";
        let memory = Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, text, Timestamp::from_micros(1));
        let echo = Echo::of(&[Arc::new(memory)]);
        for said in ["no,  use pytest -x\ninstead of pytest -q", "Pytest -x instead of"] {
            assert!(echo.is_in(said), "{said}");
        }
        for other in ["", "pytest", "a short walk", "use pytest"] {
            assert_eq!(echo.is_in(other), other == "use pytest", "{other}");
        }
        assert!(Echo::default().is_empty() && !Echo::default().is_in("anything at all"));
    }
}
