//! What a file says about itself: the first sentence of its module comment. Licences and instructions to tools are
//! no description.

use tree_sitter::Node;

use super::Language;
use super::node::{Source, child_of_kind, children};

const LONGEST: usize = 240;
/// Comments before the first code that are looked at.
const MOST_COMMENTS: usize = 200;

#[rustfmt::skip]
const NO_DESCRIPTION: &[&str] = &[
    "copyright", "license", "licence", "spdx", "all rights reserved", "eslint", "@ts-", "prettier", "jshint", "istanbul",
    "-*-", "vim:", "coding:", "pylint", "mypy", "flake8", "noqa", "clang-format", "@flow", "jslint", "biome-ignore",
    "go:build", "+build", "go:generate", "#region", "module dependencies", "#!/",
];

pub(super) fn of(language: Language, root: Node<'_>, source: Source<'_>) -> Option<String> {
    let text = match language {
        Language::Python => docstring(root, source)?,
        Language::Rust => comments(root, source, |text| text.starts_with("//!") || text.starts_with("/*!")),
        _ => comments(root, source, |_| true),
    };
    first_sentence(&text)
}

fn docstring(root: Node<'_>, source: Source<'_>) -> Option<String> {
    let first = children(root).into_iter().find(|node| node.kind() != "comment")?;
    let string = child_of_kind(first, "string").filter(|_| first.kind() == "expression_statement")?;
    Some(source.text(child_of_kind(string, "string_content")?).to_owned())
}

/// The first run of comments at the head that describes something, markers removed. Java and its kin put the comment
/// before the first type, behind the package and the imports.
fn comments(root: Node<'_>, source: Source<'_>, wanted: impl Fn(&str) -> bool) -> String {
    let mut block = String::new();
    let mut block_ends = 0;
    for node in children(root).into_iter().take(MOST_COMMENTS) {
        let is_comment = matches!(node.kind(), "comment" | "line_comment" | "block_comment");
        let row = node.start_position().row;
        let goes_on = is_comment && row <= block_ends + 1;
        if !block.is_empty() && !goes_on {
            if describes(&block) {
                return block;
            }
            block.clear();
        }
        if is_comment {
            let text = source.text(node);
            if wanted(text) {
                for line in text.lines() {
                    block.push_str(unmarked(line));
                    block.push('\n');
                }
                block_ends = (row + text.trim_end().lines().count()).saturating_sub(1);
            }
        } else if !matches!(
            node.kind(),
            "package_declaration" | "import_declaration" | "preproc_include" | "preproc_ifdef" | "preproc_call"
        ) && !source.text(node).starts_with("'use strict'")
            && !source.text(node).starts_with("\"use ")
        {
            break;
        }
    }
    if describes(&block) { block } else { String::new() }
}

fn describes(block: &str) -> bool {
    let lower = block.to_lowercase();
    block.split_whitespace().count() > 2 && !NO_DESCRIPTION.iter().any(|sign| lower.contains(sign))
}

fn unmarked(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_suffix("*/").unwrap_or(line);
    let line = ["/**", "/*!", "/*", "//!", "///", "//", "*"].iter().find_map(|m| line.strip_prefix(m)).unwrap_or(line);
    line.trim()
}

/// Up to the end of the first sentence or paragraph, in one line.
fn first_sentence(text: &str) -> Option<String> {
    let mut sentence = String::new();
    for line in text.trim().lines().map(str::trim) {
        if line.is_empty() || line.chars().all(|c| !c.is_alphanumeric()) {
            if sentence.is_empty() {
                continue;
            }
            break;
        }
        // A heading of ReST has a line of signs under it, a tag of a doc comment begins a list of them.
        if line.starts_with('@') {
            break;
        }
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(line);
        if sentence.len() > 4 * LONGEST {
            break;
        }
    }
    let end = sentence.match_indices(['.', '!', '?']).find(|(at, _)| {
        let rest = &sentence[at + 1..];
        let abbreviated = sentence[..*at].ends_with("e.g") || sentence[..*at].ends_with("i.e");
        !abbreviated && (rest.is_empty() || rest.starts_with(' '))
    });
    if let Some((at, _)) = end {
        sentence.truncate(at + 1);
    }
    if let Some((cut, _)) = sentence.char_indices().nth(LONGEST) {
        sentence.truncate(cut);
        sentence.push('…');
    }
    let sentence = sentence.trim().trim_start_matches(['#', ' ']).to_owned();
    (!sentence.is_empty()).then_some(sentence)
}
