//! Java: types in types, their methods and constants, and imports.

use tree_sitter::Node;

use super::super::node::{Source, child_of_kind, children, has_token};
use super::{DefinitionKind, Form, OutlinePlace, Walk};

const TESTS: &[&str] = &["Test", "ParameterizedTest", "RepeatedTest", "Property", "TestFactory"];

pub(super) fn walk<'t>(walk: &mut Walk<'t>, root: Node<'t>) {
    for node in children(root) {
        if node.kind() == "import_declaration" {
            import(walk, node);
        } else {
            member(walk, node, OutlinePlace::TOP);
        }
    }
}

fn import(walk: &mut Walk<'_>, node: Node<'_>) {
    let source = walk.source;
    let Some(path) = children(node).into_iter().find(|part| matches!(part.kind(), "scoped_identifier" | "identifier"))
    else {
        return;
    };
    let path = source.name(path);
    if child_of_kind(node, "asterisk").is_some() {
        return walk.import(path, vec!["*".into()], node, false);
    }
    match path.rsplit_once('.') {
        // A static import names a member: the class is what stands before.
        Some((class, name)) if has_token(node, "static") => walk.import(class.into(), vec![name.into()], node, false),
        Some((_, name)) => {
            let name = name.to_owned();
            walk.import(path, vec![name], node, false);
        }
        None => walk.import(path, Vec::new(), node, false),
    }
}

fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>, place: OutlinePlace<'_>) {
    let source = walk.source;
    let modifiers = child_of_kind(node, "modifiers");
    let words = modifiers.map_or("", |modifiers| source.text(modifiers));
    // Members of an interface are public without saying so; the place of an interface says it for them.
    let implied = place.in_type && place.is_public && !words.contains("private");
    let place = OutlinePlace { is_public: words.contains("public") || implied, ..place };
    let annotations: Vec<Node<'t>> = modifiers.map(annotations).unwrap_or_default();
    match node.kind() {
        "class_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "interface_declaration"
        | "annotation_type_declaration" => {
            let Some(name) = source.field(node, "name") else { return };
            let is_interface = matches!(node.kind(), "interface_declaration" | "annotation_type_declaration");
            let kind = if is_interface { DefinitionKind::Interface } else { DefinitionKind::Type };
            let bases = bases(source, node);
            if let Some(found) = walk.define(name.clone(), kind, Form::Type, node, place) {
                found.attributes = annotations;
                found.bases = bases;
            }
            if let (Some(body), Some(inside)) = (node.child_by_field_name("body"), place.within(Some(&name), true)) {
                members(walk, body, OutlinePlace { is_public: is_interface, ..inside });
            }
        }
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
            let Some(name) = source.field(node, "name") else { return };
            let is_test = annotations.iter().any(|annotation| {
                let name = source.field(*annotation, "name").unwrap_or_default();
                TESTS.contains(&name.rsplit('.').next().unwrap_or(&name))
            });
            let kind = if is_test { DefinitionKind::Test } else { DefinitionKind::Method };
            if let Some(found) = walk.define(name, kind, Form::Callable, node, place) {
                found.attributes = annotations;
            }
        }
        "field_declaration" if words.contains("static") && words.contains("final") => constant(walk, node, place),
        "constant_declaration" => constant(walk, node, place),
        _ => {}
    }
}

fn members<'t>(walk: &mut Walk<'t>, body: Node<'t>, place: OutlinePlace<'_>) {
    for node in children(body) {
        if node.kind() == "enum_body_declarations" {
            for node in children(node) {
                member(walk, node, place);
            }
        } else {
            member(walk, node, place);
        }
    }
}

fn constant<'t>(walk: &mut Walk<'t>, node: Node<'t>, place: OutlinePlace<'_>) {
    let name = node.child_by_field_name("declarator").and_then(|declarator| walk.source.field(declarator, "name"));
    if let Some(name) = name {
        let _ = walk.define(name, DefinitionKind::Constant, Form::Value, node, place);
    }
}

fn annotations(modifiers: Node<'_>) -> Vec<Node<'_>> {
    children(modifiers).into_iter().filter(|part| matches!(part.kind(), "annotation" | "marker_annotation")).collect()
}

fn bases(source: Source<'_>, class: Node<'_>) -> Vec<String> {
    let mut bases = Vec::new();
    for part in children(class) {
        let list = match part.kind() {
            "superclass" => part,
            "super_interfaces" | "extends_interfaces" => child_of_kind(part, "type_list").unwrap_or(part),
            _ => continue,
        };
        for base in children(list) {
            let name = source.name(base);
            let plain = name.split('<').next().unwrap_or(&name);
            bases.push(plain.rsplit('.').next().unwrap_or(plain).to_owned());
        }
    }
    bases
}
