//! Imports of JavaScript and TypeScript: `import`, `export … from`, `require` and `import()`, wherever they stand.

use tree_sitter::Node;

use super::super::node::{Next, Source, child_of_kind, children, each, unquoted};
use super::Walk;

pub(super) fn all<'t>(walk: &mut Walk<'t>, root: Node<'t>) {
    let source = walk.source;
    each(root, |node| {
        match node.kind() {
            "import_statement" | "export_statement" => {
                let from = node.child_by_field_name("source").or_else(|| {
                    // `import x = require("y")`
                    child_of_kind(child_of_kind(node, "import_require_clause")?, "string")
                });
                if let Some(from) = from {
                    let names = names(source, node);
                    add(walk, unquoted(source.text(from)), names, node);
                    return Next::Over;
                }
            }
            "variable_declarator" => {
                if let Some(from) = node.child_by_field_name("value").and_then(|value| required(source, value)) {
                    let names = node.child_by_field_name("name").map(|name| bound(source, name)).unwrap_or_default();
                    add(walk, from, names, node);
                    return Next::Over;
                }
            }
            "call_expression" => {
                if let Some(from) = required(source, node) {
                    add(walk, from, Vec::new(), node);
                }
            }
            _ => {}
        }
        Next::Inside
    });
}

fn add(walk: &mut Walk<'_>, from: &str, names: Vec<String>, node: Node<'_>) {
    let relative = from.starts_with("./") || from.starts_with("../") || from == "." || from == "..";
    walk.import(from.to_owned(), names, node, relative);
}

/// The names as the other module calls them; a default or a whole module by the name it gets here.
fn names(source: Source<'_>, statement: Node<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let clause = child_of_kind(statement, "import_clause").or_else(|| child_of_kind(statement, "export_clause"));
    let Some(clause) = clause else { return names };
    for part in children(clause) {
        match part.kind() {
            "identifier" => names.push(source.name(part)),
            "named_imports" => names.extend(children(part).into_iter().filter_map(|one| source.field(one, "name"))),
            "export_specifier" => names.extend(source.field(part, "name")),
            "namespace_import" => names.extend(children(part).first().map(|name| source.name(*name))),
            _ => {}
        }
    }
    names
}

/// `require("x")`, `require("x").y`, `await import("x")`.
fn required<'t>(source: Source<'t>, mut value: Node<'t>) -> Option<&'t str> {
    // A chain of accesses and calls may be long; what is required stands at its very beginning.
    for _ in 0..4 {
        value = match value.kind() {
            "await_expression" => *children(value).first()?,
            "member_expression" => value.child_by_field_name("object")?,
            _ => break,
        };
    }
    if value.kind() != "call_expression" {
        return None;
    }
    let callee = value.child_by_field_name("function")?;
    if !matches!(source.text(callee), "require" | "import" | "require.resolve" | "jest.mock" | "vi.mock") {
        return None;
    }
    let argument = *children(value.child_by_field_name("arguments")?).first()?;
    (argument.kind() == "string").then(|| unquoted(source.text(argument)))
}

fn bound(source: Source<'_>, pattern: Node<'_>) -> Vec<String> {
    if pattern.kind() == "identifier" {
        return vec![source.name(pattern)];
    }
    let parts = children(pattern).into_iter().filter_map(|part| match part.kind() {
        "shorthand_property_identifier_pattern" => Some(source.name(part)),
        "pair_pattern" => source.field(part, "key"),
        _ => None,
    });
    parts.collect()
}
