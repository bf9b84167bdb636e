//! Small helpers over syntax nodes. Every text is taken with `get`: a node never panics, whatever the parser says.

use tree_sitter::Node;

/// Names and paths longer than this are cut: they come from data, not from people.
const LONGEST_NAME: usize = 160;

/// The parsed text and how to cut pieces from it.
#[derive(Clone, Copy)]
pub(super) struct Source<'t>(pub(super) &'t str);

impl<'t> Source<'t> {
    pub(super) fn text(self, node: Node<'_>) -> &'t str {
        self.0.get(node.byte_range()).unwrap_or("")
    }

    /// The text as a name: at most so long, without line breaks.
    pub(super) fn name(self, node: Node<'_>) -> String {
        let text = self.text(node);
        let cut = text.char_indices().nth(LONGEST_NAME).map_or(text, |(at, _)| &text[..at]);
        if cut.contains(char::is_whitespace) {
            cut.split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            cut.to_owned()
        }
    }

    pub(super) fn field(self, node: Node<'_>, field: &str) -> Option<String> {
        let name = self.name(node.child_by_field_name(field)?);
        (!name.is_empty()).then_some(name)
    }
}

pub(super) fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// The last line a node has text on: one that ends with a line break ends on the line before.
pub(super) fn end_line(node: Node<'_>) -> u32 {
    let end = node.end_position();
    let row = if end.column == 0 && end.row > node.start_position().row { end.row } else { end.row + 1 };
    u32::try_from(row).unwrap_or(u32::MAX)
}

pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

pub(super) fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

pub(super) fn has_token(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == kind)
}

/// What a string literal says, quotes removed.
pub(super) fn unquoted(text: &str) -> &str {
    let inner = text.trim_matches(|c| matches!(c, '"' | '\'' | '`'));
    inner.trim()
}

/// Whether to look inside a node.
#[derive(PartialEq, Eq)]
pub(super) enum Next {
    Inside,
    Over,
}

/// Visits every named node below `root` in the order of the text; no recursion, so no depth is too deep.
pub(super) fn each<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> Next) {
    let mut cursor = root.walk();
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let node = cursor.node();
        let inside = node.is_named() && visit(node) == Next::Inside;
        if inside && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || cursor.node() == root {
                return;
            }
        }
    }
}
