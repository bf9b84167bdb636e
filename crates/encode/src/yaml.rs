//! A small, bounded tree of YAML, for front matter and for the workflows of build services.
//!
//! The events of the parser are followed without recursion; aliases are never expanded, so a few lines cannot grow into
//! gigabytes; depth, nodes and bytes have limits. Where a text breaks off or goes wrong, what was read so far stands. It
//! must not guess types: every scalar stays text.

use saphyr_parser::{Event, Parser};

const MOST_BYTES: usize = 256 << 10;
const MOST_NODES: usize = 20_000;
const MOST_DEPTH: usize = 32;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Yaml {
    Scalar(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    pub(super) fn get(&self, name: &str) -> Option<&Yaml> {
        match self {
            Yaml::Map(entries) => entries.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The value of the first of several spellings of a name: `key-files`, `key_files`.
    pub(super) fn any(&self, names: &[&str]) -> Option<&Yaml> {
        names.iter().find_map(|name| self.get(name))
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Yaml::Scalar(text) if !text.trim().is_empty() => Some(text.trim()),
            _ => None,
        }
    }

    pub(super) fn entries(&self) -> &[(String, Yaml)] {
        match self {
            Yaml::Map(entries) => entries,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Yaml] {
        match self {
            Yaml::List(items) => items,
            Yaml::Scalar(text) if text.trim().is_empty() => &[],
            single => std::slice::from_ref(single),
        }
    }

    /// Every text in the value: one scalar, a list of them, or what the entries of a map hold.
    pub(super) fn texts(&self) -> Vec<&str> {
        let mut found = Vec::new();
        let mut waiting = vec![self];
        while let Some(next) = waiting.pop() {
            match next {
                Yaml::Scalar(_) => found.extend(next.text()),
                Yaml::List(items) => waiting.extend(items.iter().rev()),
                Yaml::Map(entries) => waiting.extend(entries.iter().rev().map(|(_, value)| value)),
            }
        }
        found
    }
}

/// A container that is still being filled.
enum OpenNode {
    List(Vec<Yaml>),
    Map { entries: Vec<(String, Yaml)>, key: Option<String> },
}

impl OpenNode {
    fn put(&mut self, value: Yaml) {
        match self {
            OpenNode::List(items) => items.push(value),
            OpenNode::Map { entries, key } => match key.take() {
                Some(key) => entries.push((key, value)),
                // A key that is itself a list or a map names nothing that is looked for here.
                None => *key = Some(if let Yaml::Scalar(text) = value { text } else { String::new() }),
            },
        }
    }

    fn close(self) -> Yaml {
        match self {
            OpenNode::List(items) => Yaml::List(items),
            OpenNode::Map { entries, .. } => Yaml::Map(entries),
        }
    }
}

/// The first document of the text, as far as it can be read.
pub(super) fn read(text: &str) -> Option<Yaml> {
    let text = super::prose::head(text, MOST_BYTES);
    let mut open: Vec<OpenNode> = Vec::new();
    let mut whole = None;
    let mut nodes = 0;
    for event in Parser::new_from_str(text) {
        let Ok((event, _)) = event else { break };
        nodes += 1;
        if nodes > MOST_NODES || open.len() > MOST_DEPTH {
            break;
        }
        let done = match event {
            Event::SequenceStart(..) => {
                open.push(OpenNode::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(OpenNode::Map { entries: Vec::new(), key: None });
                continue;
            }
            Event::Scalar(text, ..) => Yaml::Scalar(text.into_owned()),
            Event::Alias(_) => Yaml::Scalar(String::new()),
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(container) => container.close(),
                None => break,
            },
            Event::DocumentEnd | Event::StreamEnd => break,
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => continue,
        };
        match open.last_mut() {
            Some(container) => container.put(done),
            None => {
                whole = Some(done);
                break;
            }
        }
    }
    while let Some(container) = open.pop() {
        let done = container.close();
        match open.last_mut() {
            Some(outer) => outer.put(done),
            None => whole = Some(done),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(yaml: &'a Yaml, name: &str) -> Vec<&'a str> {
        yaml.get(name).map(Yaml::texts).unwrap_or_default()
    }

    #[test]
    fn inline_and_block_lists_read_the_same() {
        let yaml = read("a: [x, \"y z\"]\nb:\n  - x\n  - 'y z'\nc: one\nd:\n").unwrap();
        assert_eq!(texts(&yaml, "a"), ["x", "y z"]);
        assert_eq!(texts(&yaml, "b"), ["x", "y z"]);
        assert_eq!(texts(&yaml, "c"), ["one"]);
        assert!(yaml.get("d").unwrap().items().is_empty());
    }

    #[test]
    fn what_stands_before_a_mistake_is_kept() {
        let yaml = read("title: Good\nbad: a: b: c\n  - [").unwrap();
        assert_eq!(yaml.get("title").and_then(Yaml::text), Some("Good"));
    }

    #[test]
    fn aliases_are_not_expanded_and_depth_is_bounded() {
        let mut bomb = "a0: &a0 [x, x, x, x]\n".to_owned();
        for level in 1..60 {
            bomb.push_str(&format!("a{level}: &a{level} [*a{0}, *a{0}, *a{0}, *a{0}]\n", level - 1));
        }
        assert_eq!(read(&bomb).unwrap().entries().len(), 60);
        for deep in ["[", "{a: ", "- ", "? ", "a:\n "] {
            let _ = read(&deep.repeat(40_000));
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "(?s)[-a: \\[\\]{}\n\t|>&*!%@`'\"#?,]{0,200}") {
            let _ = read(&text);
        }
    }
}
