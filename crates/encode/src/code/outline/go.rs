//! Go: functions, methods by their receiver, types, constants and variables of the package.

use tree_sitter::Node;

use super::super::node::{Source, child_of_kind, children, unquoted};
use super::{DefinitionKind, Form, OutlinePlace, Walk};

pub(super) fn walk<'t>(walk: &mut Walk<'t>, root: Node<'t>) {
    for node in children(root) {
        match node.kind() {
            "import_declaration" => imports(walk, node),
            "function_declaration" => function(walk, node),
            "method_declaration" => method(walk, node),
            "type_declaration" => types(walk, node),
            "const_declaration" | "var_declaration" => values(walk, node),
            _ => {}
        }
    }
}

fn place<'p>(name: &str, container: Option<&'p str>) -> OutlinePlace<'p> {
    OutlinePlace { is_public: name.starts_with(char::is_uppercase), container, ..OutlinePlace::TOP }
}

fn imports(walk: &mut Walk<'_>, declaration: Node<'_>) {
    let source = walk.source;
    let list = child_of_kind(declaration, "import_spec_list").unwrap_or(declaration);
    for spec in children(list).into_iter().filter(|child| child.kind() == "import_spec") {
        let Some(path) = spec.child_by_field_name("path") else { continue };
        let names = source.field(spec, "name").map(|name| if name == "." { "*".to_owned() } else { name });
        let path = unquoted(source.text(path)).to_owned();
        let relative = path.starts_with('.');
        walk.import(path, names.into_iter().collect(), spec, relative);
    }
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(name) = walk.source.field(node, "name") else { return };
    let takes = node.child_by_field_name("parameters").map_or("", |parameters| walk.source.text(parameters));
    let is_test = ["testing.T)", "testing.B)", "testing.F)", "testing.M)"].iter().any(|end| takes.ends_with(end))
        && ["Test", "Benchmark", "Fuzz"].iter().any(|prefix| name.starts_with(prefix))
        || name.starts_with("Example") && takes == "()" && node.child_by_field_name("result").is_none();
    let kind = if is_test { DefinitionKind::Test } else { DefinitionKind::Function };
    let place = place(&name, None);
    let _ = walk.define(name, kind, Form::Callable, node, place);
}

fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(name) = walk.source.field(node, "name") else { return };
    let receiver = node.child_by_field_name("receiver").and_then(|receiver| receiver_type(walk.source, receiver));
    let place = place(&name, receiver.as_deref());
    let _ = walk.define(name, DefinitionKind::Method, Form::Callable, node, place);
}

/// `(c *Context)` and `(list List[T])`.
fn receiver_type(source: Source<'_>, receiver: Node<'_>) -> Option<String> {
    let text = source.name(receiver);
    let inside = text.trim_matches(['(', ')']).trim();
    let last = inside.split('[').next()?.split_whitespace().last()?;
    let name = last.trim_start_matches('*');
    (!name.is_empty()).then(|| name.to_owned())
}

fn types<'t>(walk: &mut Walk<'t>, declaration: Node<'t>) {
    for spec in children(declaration) {
        let Some(name) = walk.source.field(spec, "name") else { continue };
        let is_interface = spec.child_by_field_name("type").is_some_and(|kind| kind.kind() == "interface_type");
        let kind = if is_interface { DefinitionKind::Interface } else { DefinitionKind::Type };
        let place = place(&name, None);
        let _ = walk.define(name, kind, Form::Type, spec, place);
    }
}

fn values<'t>(walk: &mut Walk<'t>, declaration: Node<'t>) {
    let list = child_of_kind(declaration, "var_spec_list").unwrap_or(declaration);
    for spec in children(list) {
        let mut cursor = spec.walk();
        let names: Vec<String> = spec
            .children_by_field_name("name", &mut cursor)
            .filter(|name| name.is_named())
            .map(|name| walk.source.name(name))
            .collect();
        for name in names.into_iter().filter(|name| name != "_") {
            let place = place(&name, None);
            let _ = walk.define(name, DefinitionKind::Constant, Form::Value, spec, place);
        }
    }
}
