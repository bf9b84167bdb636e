//! What a text speaks of, as numbers that are quickly compared: its words without the small ones.

const SMALL: &[&str] = &[
    "the", "and", "for", "with", "that", "this", "from", "are", "was", "were", "has", "have", "had", "but", "not",
    "its", "into", "than", "then", "when", "what", "which", "who", "will", "would", "can", "could", "should", "must",
    "may", "all", "any", "each", "our", "their", "your", "you", "they", "them", "there", "here", "how", "why", "where",
    "because", "use", "used", "using", "does", "did", "been", "being", "also", "only", "just", "about", "after",
    "before", "while",
];

/// So much of a text is looked at.
const MOST_BYTES: usize = 8_192;

/// Sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LinkWords(Vec<u64>);

impl LinkWords {
    pub(super) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> LinkWords {
        let mut found = Vec::new();
        let mut left = MOST_BYTES;
        for text in texts {
            let text = start(text, left);
            left -= text.len();
            let split = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let telling = split.filter(|word| word.len() > 2).map(str::to_lowercase);
            found.extend(telling.filter(|word| !SMALL.contains(&word.as_str())).map(|word| number(&word)));
        }
        found.sort_unstable();
        found.dedup();
        LinkWords(found)
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The share of these words that the other has.
    pub(super) fn share_in(&self, other: &LinkWords) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.common(other) as f64 / self.0.len() as f64 }
    }

    /// How many both have, of how many either has.
    pub(super) fn likeness(&self, other: &LinkWords) -> f64 {
        let common = self.common(other);
        let either = self.0.len() + other.0.len() - common;
        if either == 0 { 0.0 } else { common as f64 / either as f64 }
    }

    fn common(&self, other: &LinkWords) -> usize {
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut common = 0;
        while let (Some(one), Some(two)) = (ours.peek(), theirs.peek()) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => drop(ours.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    common += 1;
                    ours.next();
                    theirs.next();
                }
            }
        }
        common
    }
}

fn start(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A plural counts as its singular.
fn number(word: &str) -> u64 {
    let stem = if word.len() > 3 && !word.ends_with("ss") { word.strip_suffix('s').unwrap_or(word) } else { word };
    stem.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
