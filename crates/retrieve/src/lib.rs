//! Finding what a question asks for. Pure: the question, the snapshot and the time come in as arguments.

pub mod graph;
mod newer;
pub mod query;
pub mod recall;
mod reinforce;
pub mod score;
pub mod strategy;
pub mod task;
pub mod when;

/// The whole words a text begins with, in at most so many bytes: however long a question is, reading it is quick.
fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let head = &text[..text.floor_char_boundary(most)];
    head.rfind(char::is_whitespace).map_or("", |end| &head[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words_and_never_inside_one() {
        assert_eq!(beginning("fix the bug", 11), "fix the bug");
        assert_eq!(beginning("fix the bug", 10), "fix the");
        assert_eq!(beginning("für alle", 2), "");
        assert_eq!(beginning(&"x".repeat(100), 50), "");
    }
}
