//! Python: functions, classes, constants, and imports wherever they stand.

use tree_sitter::Node;

use super::super::node::{Next, Source, child_of_kind, children, each};
use super::{DefinitionKind, Form, OutlinePlace, Walk};

pub(super) fn walk<'t>(walk: &mut Walk<'t>, root: Node<'t>) {
    statements(walk, root, OutlinePlace::TOP);
    imports(walk, root);
}

fn statements<'t>(walk: &mut Walk<'t>, block: Node<'t>, place: OutlinePlace<'_>) {
    for node in children(block) {
        statement(walk, node, place);
    }
}

fn statement<'t>(walk: &mut Walk<'t>, node: Node<'t>, place: OutlinePlace<'_>) {
    match node.kind() {
        "function_definition" | "class_definition" => definition(walk, node, node, Vec::new(), place),
        "decorated_definition" => {
            let decorators = children(node).into_iter().filter(|child| child.kind() == "decorator").collect();
            if let Some(inner) = node.child_by_field_name("definition") {
                definition(walk, inner, node, decorators, place);
            }
        }
        "expression_statement" if !place.in_type => constant(walk, node, place),
        // What a file defines only on some systems or versions is still defined.
        "if_statement" | "try_statement" | "else_clause" | "elif_clause" | "except_clause" | "finally_clause"
        | "with_statement" | "block" => {
            if let Some(place) = place.deeper() {
                statements(walk, node, place);
            }
        }
        _ => {}
    }
}

fn definition<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    whole: Node<'t>,
    decorators: Vec<Node<'t>>,
    place: OutlinePlace<'_>,
) {
    let source = walk.source;
    let Some(name) = source.field(node, "name") else { return };
    let is_private = name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"));
    let place = OutlinePlace { is_public: place.is_public && !is_private, ..place };
    if node.kind() == "function_definition" {
        let kind = if name.starts_with("test_") || name == "test" {
            DefinitionKind::Test
        } else if place.in_type {
            DefinitionKind::Method
        } else {
            DefinitionKind::Function
        };
        if let Some(found) = walk.define(name, kind, Form::Callable, whole, place) {
            found.attributes = decorators;
        }
        return;
    }
    let bases = bases(source, node);
    let kind = if bases.iter().any(|base| matches!(base.as_str(), "Protocol" | "ABC")) {
        DefinitionKind::Interface
    } else {
        DefinitionKind::Type
    };
    if let Some(found) = walk.define(name.clone(), kind, Form::Type, whole, place) {
        found.attributes = decorators;
        found.bases = bases;
    }
    if let (Some(body), Some(place)) = (node.child_by_field_name("body"), place.within(Some(&name), true)) {
        statements(walk, body, place);
    }
}

/// `class A(db.Model, Generic[T], metaclass=M)` has the bases `Model` and `Generic`.
fn bases(source: Source<'_>, class: Node<'_>) -> Vec<String> {
    let Some(list) = class.child_by_field_name("superclasses") else { return Vec::new() };
    let named = children(list).into_iter().filter_map(|base| match base.kind() {
        "identifier" => Some(source.name(base)),
        "attribute" => source.field(base, "attribute"),
        "subscript" => {
            let value = source.field(base, "value")?;
            Some(value.rsplit('.').next().unwrap_or(&value).to_owned())
        }
        _ => None,
    });
    named.collect()
}

/// `LIMIT = 3` and `LIMIT: int = 3`; other names are variables, unless a type alias says it is one.
fn constant<'t>(walk: &mut Walk<'t>, statement: Node<'t>, place: OutlinePlace<'_>) {
    let Some(assignment) = child_of_kind(statement, "assignment") else { return };
    let Some(left) = assignment.child_by_field_name("left").filter(|left| left.kind() == "identifier") else { return };
    let name = walk.source.name(left);
    let is_constant = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && name.contains(|c: char| c.is_ascii_uppercase());
    if is_constant {
        let place = OutlinePlace { is_public: !name.starts_with('_'), ..place };
        let _ = walk.define(name, DefinitionKind::Constant, Form::Value, statement, place);
    }
}

fn imports<'t>(walk: &mut Walk<'t>, root: Node<'t>) {
    let source = walk.source;
    each(root, |node| {
        match node.kind() {
            "import_statement" => {
                for module in children(node) {
                    if let Some(path) = module_path(source, module) {
                        walk.import(path, Vec::new(), node, false);
                    }
                }
            }
            "import_from_statement" => {
                let Some(module) = node.child_by_field_name("module_name") else { return Next::Over };
                let path: String = source.text(module).split_whitespace().collect();
                let relative = path.starts_with('.');
                let names = children(node).into_iter().filter(|child| child.id() != module.id());
                let names = names.filter_map(|name| match name.kind() {
                    "wildcard_import" => Some("*".to_owned()),
                    _ => module_path(source, name),
                });
                let names = names.collect();
                walk.import(path, names, node, relative);
            }
            _ => return Next::Inside,
        }
        Next::Over
    });
}

fn module_path(source: Source<'_>, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "dotted_name" => Some(source.name(node)),
        "aliased_import" => source.field(node, "name"),
        _ => None,
    }
}
