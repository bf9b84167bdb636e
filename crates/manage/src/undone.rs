//! What somebody took back of a night's work stands beside the memory it was done to: the same part of a night leaves
//! the memory alone for as long as it says what it said then.

use serde_json::Value;

use super::marks::{self, Mark};
use super::plan::Phase;
use lokid_model::memory::UNDONE;
use lokid_model::{Memory, lengths};

const WORDS: &str = "words";
const PHASES: &str = "phases";

/// Somebody took back what this part of a night did to it.
pub fn note(memory: &mut Memory, phase: Phase) {
    let words = lengths::words(memory);
    let mut phases: Vec<String> = phases(memory).map(str::to_owned).collect();
    if !phases.iter().any(|known| known == phase.as_str()) {
        phases.push(phase.as_str().to_owned());
    }
    let mark = Mark::from_iter([(WORDS.to_owned(), words.into()), (PHASES.to_owned(), phases.into())]);
    marks::put(memory, UNDONE, mark);
}

/// Is it to be left alone by this part of a night?
pub fn is_left_alone(memory: &Memory, phase: Phase) -> bool {
    phases(memory).any(|known| known == phase.as_str())
}

/// Those that were taken back and not overtaken by other words.
fn phases(memory: &Memory) -> impl Iterator<Item = &str> {
    let mark = marks::get(memory, UNDONE).filter(|mark| marks::text(mark, WORDS) == Some(&lengths::words(memory)));
    mark.and_then(|mark| mark.get(PHASES)?.as_array()).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId, Timestamp};

    #[test]
    fn what_was_taken_back_is_left_alone_until_the_memory_says_something_else() {
        let id = MemoryId::new("n-1").unwrap();
        let mut memory = Memory::new(id, Kind::Note, "one", Timestamp::from_micros(1));
        assert!(!is_left_alone(&memory, Phase::Promote));
        note(&mut memory, Phase::Promote);
        note(&mut memory, Phase::Compress);
        note(&mut memory, Phase::Promote);
        assert!(is_left_alone(&memory, Phase::Promote) && is_left_alone(&memory, Phase::Compress));
        assert!(!is_left_alone(&memory, Phase::Forget));
        memory.text = "two".to_owned();
        assert!(!is_left_alone(&memory, Phase::Promote));
        note(&mut memory, Phase::Forget);
        assert!(is_left_alone(&memory, Phase::Forget) && !is_left_alone(&memory, Phase::Promote));
    }
}
