//! What of a memory is searched: its words by field, and the passages whose meaning is compared. Pure.

use super::analyze;
use lokid_model::Memory;

/// Where in a memory a word stands. Each counts differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    Heading,
    Body,
    Places,
    Aside,
}

impl Field {
    pub const ALL: [Field; 4] = [Field::Heading, Field::Body, Field::Places, Field::Aside];

    pub fn as_str(self) -> &'static str {
        match self {
            Field::Heading => "heading",
            Field::Body => "body",
            Field::Places => "places",
            Field::Aside => "aside",
        }
    }

    /// How much one occurrence counts. In a talk with an assistant, what the person said tells what it was about; the
    /// assistant's long answers mention everything.
    pub fn weight(self) -> f32 {
        match self {
            Field::Heading => 1.5,
            Field::Body | Field::Places => 1.0,
            Field::Aside => 0.1,
        }
    }
}

/// A stretch of text that is embedded as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    pub text: String,
    /// Said by an assistant or a tool.
    pub aside: bool,
}

/// A memory as the text index takes it.
#[derive(Clone, Debug, Default)]
pub struct Searchable {
    pub fields: [Vec<String>; Field::ALL.len()],
}

/// Words of one passage. What a person says comes in short turns, each about its own thing.
const WORDS_APIECE: usize = 64;
const ASIDE_WORDS_APIECE: usize = 128;
/// A memory is represented by no more passages than this.
const MOST_PASSAGES: usize = 512;

impl Searchable {
    pub fn of(memory: &Memory) -> Searchable {
        let mut found = Searchable::default();
        found.take(Field::Heading, &memory.title);
        for tag in &memory.tags {
            found.take(Field::Heading, tag);
        }
        for place in memory.anchors.files.iter().chain(&memory.anchors.symbols) {
            found.take(Field::Places, place);
        }
        for turn in turns(&memory.text) {
            found.take(if turn.aside { Field::Aside } else { Field::Body }, turn.text);
        }
        memory.also().for_each(|wording| found.take(Field::Body, wording));
        found
    }

    /// How many words each field has.
    pub fn counts(&self) -> [usize; Field::ALL.len()] {
        std::array::from_fn(|field| self.fields[field].len())
    }

    fn take(&mut self, field: Field, text: &str) {
        let words = &mut self.fields[field as usize];
        analyze::terms(text, |term| words.push(term.to_owned()));
    }
}

/// The passages of a memory, first to last. A title that the text does not repeat leads the first.
pub fn passages(memory: &Memory) -> Vec<Passage> {
    let mut found = Vec::new();
    for turn in turns(&memory.text) {
        let most = if turn.aside { ASIDE_WORDS_APIECE } else { WORDS_APIECE };
        for text in pieces(turn.text, most) {
            if found.len() == MOST_PASSAGES {
                return found;
            }
            found.push(Passage { text: text.to_owned(), aside: turn.aside });
        }
    }
    if !memory.title.is_empty() && !memory.text.contains(&memory.title) {
        match found.first_mut() {
            Some(first) => first.text = format!("{}. {}", memory.title, first.text),
            None => found.push(Passage { text: memory.title.clone(), aside: false }),
        }
    }
    let room = MOST_PASSAGES.saturating_sub(found.len());
    found.extend(memory.also().take(room).map(|wording| Passage { text: wording.to_owned(), aside: false }));
    found
}

/// Tells two memories with the same id but other words apart, across restarts.
pub fn print(memory: &Memory) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[analyze::VERSION]);
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(memory.namespace.as_str());
    part(memory.id.as_str());
    part(&memory.title);
    part(&memory.text);
    memory.also().for_each(&mut part);
    for list in [&memory.tags, &memory.anchors.files, &memory.anchors.symbols] {
        part("");
        list.iter().for_each(|entry| part(entry));
    }
    let mut short = [0; 8];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(short)
}

struct Turn<'a> {
    text: &'a str,
    aside: bool,
}

/// A talk is taken apart by speaker; any other text is one turn.
fn turns(text: &str) -> Vec<Turn<'_>> {
    let whole = || vec![Turn { text, aside: false }];
    let mut starts: Vec<(usize, usize, bool)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some((label, aside)) = speaker(line) {
            starts.push((at, at + label, aside));
        }
        at += line.len();
    }
    let speaks = |aside: bool| starts.iter().any(|start| start.2 == aside);
    if !(speaks(true) && speaks(false)) {
        return whole();
    }
    let mut found = Vec::with_capacity(starts.len() + 1);
    if !text[..starts[0].0].trim().is_empty() {
        found.push(Turn { text: &text[..starts[0].0], aside: false });
    }
    for (index, (_, from, aside)) in starts.iter().enumerate() {
        let until = starts.get(index + 1).map_or(text.len(), |next| next.0);
        found.push(Turn { text: &text[*from..until], aside: *aside });
    }
    found
}

/// The length of the label a line opens with when it names a speaker, and whether that is not a person.
fn speaker(line: &str) -> Option<(usize, bool)> {
    const PEOPLE: [&str; 4] = ["user", "human", "you", "me"];
    const OTHERS: [&str; 8] = ["assistant", "agent", "ai", "model", "bot", "tool", "system", "claude"];
    let head = line.get(..line.len().min(24)).or_else(|| line.get(..line.find(':')? + 1))?;
    let colon = head.find(':')?;
    let name = head[..colon].trim_matches(|letter: char| matches!(letter, '*' | '#' | ' ' | '[' | ']' | '<' | '>'));
    let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    (is(&PEOPLE) || is(&OTHERS)).then(|| (colon + 1, is(&OTHERS)))
}

/// Cuts at ends of sentences and lines, so that no piece has many more than `most` words.
fn pieces(text: &str, most: usize) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut words) = (0, 0);
    let mut sentence_start = 0;
    for end in sentence_ends(text) {
        let mut count = text[sentence_start..end].split_whitespace().count();
        if words > 0 && words + count > most {
            found.push(&text[start..sentence_start]);
            (start, words) = (sentence_start, 0);
        }
        // A sentence without an end (a log, a table) is cut where it stands.
        let mut from = sentence_start;
        while count > 2 * most {
            let cut = from + nth_word_end(&text[from..end], most);
            found.push(&text[start..cut]);
            (start, from) = (cut, cut);
            count -= most;
        }
        words += count;
        sentence_start = end;
    }
    found.push(&text[start..]);
    found.into_iter().map(str::trim).filter(|piece| !piece.is_empty()).collect()
}

fn sentence_ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    let bytes = text.as_bytes();
    let ends = (0..bytes.len()).filter(move |&at| match bytes[at] {
        b'\n' => true,
        b'.' | b'!' | b'?' => bytes.get(at + 1).is_some_and(u8::is_ascii_whitespace),
        _ => false,
    });
    ends.map(|at| at + 1).chain(std::iter::once(text.len()))
}

fn nth_word_end(text: &str, nth: usize) -> usize {
    let mut seen = 0;
    let mut inside = false;
    for (at, letter) in text.char_indices() {
        if letter.is_whitespace() {
            if inside && seen == nth {
                return at;
            }
            inside = false;
        } else if !inside {
            inside = true;
            seen += 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId, Timestamp};

    fn note(text: &str) -> Memory {
        Memory::new(MemoryId::new("n-1").unwrap(), Kind::Note, text, Timestamp::from_micros(0))
    }

    #[test]
    fn what_an_assistant_said_is_an_aside_and_what_a_person_said_is_not() {
        let found = Searchable::of(&note("user: our parser is slow\nassistant: try a faster lexer\nuser: thanks"));
        assert_eq!(found.fields[Field::Body as usize], ["parser", "slow", "thank"]);
        assert_eq!(found.fields[Field::Aside as usize], ["tri", "faster", "lexer"]);
    }

    #[test]
    fn a_text_that_only_looks_like_a_talk_is_one_text() {
        let found = Searchable::of(&note("system: 64 bit\nerror: none"));
        assert!(found.fields[Field::Aside as usize].is_empty());
        assert_eq!(passages(&note("Caroline: hello")).len(), 1);
    }

    #[test]
    fn long_texts_fall_into_passages_that_together_say_everything() {
        let text = (0..400).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
        let found = passages(&note(&text));
        assert!(found.len() > 3, "{}", found.len());
        assert_eq!(found.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>().join(" "), text);
        let sentences = "One two three. ".repeat(100);
        assert!(passages(&note(&sentences)).iter().all(|passage| passage.text.split_whitespace().count() <= 64));
    }

    #[test]
    fn a_title_leads_the_first_passage_unless_the_text_says_it() {
        let mut memory = note("Tabs everywhere.");
        memory.title = "Formatting".to_owned();
        assert_eq!(passages(&memory)[0].text, "Formatting. Tabs everywhere.");
        memory.title = "Tabs".to_owned();
        assert_eq!(passages(&memory)[0].text, "Tabs everywhere.");
    }

    #[test]
    fn the_print_follows_the_words_and_not_the_usage() {
        let memory = note("x");
        let mut used = memory.clone();
        used.usage.loaded = 7;
        assert_eq!(print(&memory), print(&used));
        assert_ne!(print(&memory), print(&note("y")));
    }
}
