//! Parameters: what they are called and of which type, for any of the languages.

use tree_sitter::Node;

use super::super::node::{Source, child_of_kind, children};

/// Nobody reads more parameters than this.
const MOST: usize = 16;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// As written, empty where the language or the author says none.
    pub(super) kind: String,
}

/// The parameters of a function node, or of the function a declaration holds.
pub(super) fn parameters(source: Source<'_>, function: Node<'_>) -> Vec<Parameter> {
    let Some(list) = list(function) else {
        // `x => …`
        let single = function.child_by_field_name("parameter");
        return single.map(|name| vec![Parameter { name: source.name(name), kind: String::new() }]).unwrap_or_default();
    };
    children(list).into_iter().take(MOST).filter_map(|node| parameter(source, node)).collect()
}

fn list(function: Node<'_>) -> Option<Node<'_>> {
    let mut node = function;
    for _ in 0..6 {
        if let Some(list) = node.child_by_field_name("parameters") {
            return Some(list);
        }
        node = ["definition", "declaration", "declarator", "value", "right"]
            .iter()
            .find_map(|field| node.child_by_field_name(field))
            .or_else(|| child_of_kind(node, "variable_declarator"))?;
    }
    None
}

fn parameter(source: Source<'_>, node: Node<'_>) -> Option<Parameter> {
    let name = match node.kind() {
        "identifier" => Some(node),
        "self_parameter" | "comment" | "line_comment" => return None,
        _ => ["pattern", "name", "declarator"].iter().find_map(|field| node.child_by_field_name(field)).or_else(|| {
            let first = *children(node).first()?;
            matches!(first.kind(), "identifier").then_some(first)
        }),
    };
    let kind = node.child_by_field_name("type").map(|kind| source.name(kind)).unwrap_or_default();
    let name = name.map(|name| innermost(source, name)).unwrap_or_default();
    Some(Parameter { name, kind: kind.trim_start_matches(':').trim().to_owned() })
}

/// `mut x`, `*x`, `&x`, `State(x)`: the identifier within.
fn innermost(source: Source<'_>, node: Node<'_>) -> String {
    let mut node = node;
    for _ in 0..4 {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => return source.name(node),
            _ => match children(node).last() {
                Some(inner) => node = *inner,
                None => break,
            },
        }
    }
    source.name(node).trim_start_matches(['*', '&']).to_owned()
}

/// What a function gives back, as written.
pub(super) fn result(source: Source<'_>, function: Node<'_>) -> String {
    let field = ["return_type", "result"].iter().find_map(|field| function.child_by_field_name(field));
    field.map(|node| source.name(node)).unwrap_or_default()
}
