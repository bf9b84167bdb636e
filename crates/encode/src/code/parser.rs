//! The tree-sitter parsers, one a language, made when first needed and kept. Bounds what a text may cost; knows
//! nothing about what the trees mean.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Tree};

use super::outline::{self, Outline};
use super::pattern::{Shape, shape};
use super::{Language, Unread};

/// The parser reports after every hundred of its steps. Of a thousand files of seven repositories the worst took one
/// report for 55 bytes, the median one for 150; a text that needs far more is not of the language.
const REPORTS_AT_LEAST: usize = 1_000;
const REPORTS_AT_MOST: usize = 20_000;
const BYTES_A_REPORT: usize = 20;

/// What one parse of a file gives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Study {
    pub outline: Outline,
    pub shapes: Vec<Shape>,
}

/// Reads files. Cheap to make: a grammar is loaded when the first file of its language comes.
#[derive(Default)]
pub struct Parser {
    loaded: BTreeMap<Language, tree_sitter::Parser>,
}

impl Parser {
    pub fn new() -> Parser {
        Parser::default()
    }

    /// What the text defines and imports. A text that is not worth reading gives an empty outline that says why.
    pub fn outline(&mut self, language: Language, text: &str) -> Outline {
        match self.parse(language, text) {
            Ok(tree) => outline::of(language, tree.root_node(), text).0,
            Err(unread) => Outline { unread: Some(unread), ..Outline::default() },
        }
    }

    /// The outline and the shapes of a file at the price of one parse.
    pub fn study(&mut self, language: Language, path: &str, text: &str) -> Study {
        match self.parse(language, text) {
            Ok(tree) => {
                let (outline, found) = outline::of(language, tree.root_node(), text);
                let shapes = shape::all(language, path, text, &outline, &found);
                Study { outline, shapes }
            }
            Err(unread) => {
                Study { outline: Outline { unread: Some(unread), ..Outline::default() }, ..Study::default() }
            }
        }
    }

    fn parse(&mut self, language: Language, text: &str) -> Result<Tree, Unread> {
        if let Some(unread) = Unread::judge(text) {
            return Err(unread);
        }
        let parser = self.loaded.entry(language).or_insert_with(|| {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&language.grammar()).expect("the grammars are of a version that tree-sitter loads");
            parser
        });
        let most = (REPORTS_AT_LEAST + text.len() / BYTES_A_REPORT).min(REPORTS_AT_MOST);
        let mut reports = 0;
        let mut give_up = |_: &tree_sitter::ParseState| {
            reports += 1;
            if reports > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let bytes = text.as_bytes();
        let mut read = |at: usize, _| bytes.get(at..).unwrap_or(&[]);
        let options = ParseOptions::new().progress_callback(&mut give_up);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() {
            // Or the next text would be taken for the rest of this one.
            parser.reset();
        }
        tree.ok_or(Unread::TooHard)
    }
}
