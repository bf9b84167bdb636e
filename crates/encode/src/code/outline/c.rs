//! C and C++: functions with and without a body, types, macros, namespaces, members with their access, tests of the
//! googletest kind, and includes. Conditional compilation is read as if every branch were taken.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::super::node::{Source, child_of_kind, children, unquoted};
use super::{DefinitionKind, Form, OutlinePlace, Walk};

/// `int (*f(int))[3]`: declarators nest, a little.
const DEEPEST_DECLARATOR: usize = 12;
const TEST_MACROS: &[&str] = &["TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TEST_CASE", "BOOST_AUTO_TEST_CASE"];

pub(super) fn walk<'t>(walk: &mut Walk<'t>, root: Node<'t>) {
    items(walk, root, OutlinePlace::TOP);
    // A prototype says nothing once the function is defined below it.
    let bodies = |found: &super::Found<'_>| found.node.kind() == "function_definition";
    let key = |found: &super::Found<'_>| (found.definition.container.clone(), found.definition.name.clone());
    let defined: BTreeSet<_> = walk.found.iter().filter(|found| bodies(found)).map(key).collect();
    walk.found.retain(|found| found.form != Form::Callable || bodies(found) || !defined.contains(&key(found)));
}

fn items<'t>(walk: &mut Walk<'t>, list: Node<'t>, place: OutlinePlace<'_>) {
    let mut place = place;
    for node in children(list) {
        if node.kind() == "access_specifier" {
            place.is_public = walk.source.text(node).starts_with("public");
        } else {
            item(walk, node, place);
        }
    }
}

fn item<'t>(walk: &mut Walk<'t>, node: Node<'t>, place: OutlinePlace<'_>) {
    let source = walk.source;
    match node.kind() {
        "preproc_include" => include(walk, node),
        "preproc_def" => {
            // Without a value it is a guard or a switch.
            if let (Some(name), Some(_)) = (source.field(node, "name"), node.child_by_field_name("value")) {
                let _ = walk.define(name, DefinitionKind::Constant, Form::Value, node, place);
            }
        }
        "preproc_function_def" => {
            if let Some(name) = source.field(node, "name") {
                let _ = walk.define(name, DefinitionKind::Macro, Form::Value, node, place);
            }
        }
        "namespace_definition" => {
            let name = source.field(node, "name");
            if let Some(name) = &name {
                let _ = walk.define(name.clone(), DefinitionKind::Module, Form::Value, node, place);
            }
            let inside = place.within(name.as_deref().or(place.container), false);
            if let (Some(body), Some(inside)) = (node.child_by_field_name("body"), inside) {
                // What stands in a nameless namespace is for this file.
                items(walk, body, OutlinePlace { is_public: place.is_public && name.is_some(), ..inside });
            }
        }
        "linkage_specification"
        | "preproc_if"
        | "preproc_ifdef"
        | "preproc_else"
        | "preproc_elif"
        | "declaration_list"
        | "template_declaration"
        | "ERROR" => {
            if let Some(place) = place.deeper() {
                items(walk, node, place);
            }
        }
        "function_definition" => function(walk, node, place),
        "declaration" | "field_declaration" => {
            types_of(walk, node, node, place);
            declaration(walk, node, place);
        }
        "type_definition" => {
            types_of(walk, node, node, place);
            let name = node.child_by_field_name("declarator").and_then(|declarator| named(source, declarator));
            let is_new = |name: &str| walk.found.last().is_none_or(|found| found.definition.name != name);
            if let Some((_, name)) = name.filter(|(_, name)| is_new(name)) {
                let _ = walk.define(name, DefinitionKind::Type, Form::Type, node, place);
            }
        }
        "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" => type_(walk, node, node, place),
        "alias_declaration" | "concept_definition" => {
            if let Some(name) = source.field(node, "name") {
                let _ = walk.define(name, DefinitionKind::Type, Form::Type, node, place);
            }
        }
        _ => {}
    }
}

fn include(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let text = walk.source.name(path);
    if text.starts_with('"') {
        walk.import(format!("\"{}\"", unquoted(&text)), Vec::new(), node, true);
    } else if text.starts_with('<') {
        walk.import(text, Vec::new(), node, false);
    }
}

/// A type that is defined within a declaration: `struct a { … } b;`, `typedef struct { … } b;`.
fn types_of<'t>(walk: &mut Walk<'t>, declaration: Node<'t>, whole: Node<'t>, place: OutlinePlace<'_>) {
    if let Some(inner) = declaration.child_by_field_name("type") {
        type_(walk, inner, whole, place);
    }
}

fn type_<'t>(walk: &mut Walk<'t>, node: Node<'t>, whole: Node<'t>, place: OutlinePlace<'_>) {
    let is_class = node.kind() == "class_specifier";
    if !is_class && !matches!(node.kind(), "struct_specifier" | "union_specifier" | "enum_specifier") {
        return;
    }
    let Some(body) = node.child_by_field_name("body") else { return };
    let source = walk.source;
    let Some(name) = source.field(node, "name") else { return };
    let bases = child_of_kind(node, "base_class_clause").map(|clause| bases(source, clause)).unwrap_or_default();
    if let Some(found) = walk.define(name.clone(), DefinitionKind::Type, Form::Type, whole, place) {
        found.bases = bases;
    }
    if node.kind() != "enum_specifier"
        && let Some(inside) = place.within(Some(&name), true)
    {
        items(walk, body, OutlinePlace { is_public: !is_class, ..inside });
    }
}

fn bases(source: Source<'_>, clause: Node<'_>) -> Vec<String> {
    let types = children(clause).into_iter().filter(|part| part.kind() != "access_specifier");
    let plain = types.map(|part| {
        let name = source.name(part);
        let name = name.split('<').next().unwrap_or(&name);
        name.rsplit("::").next().unwrap_or(name).to_owned()
    });
    plain.filter(|name| !name.is_empty()).collect()
}

/// The function declarator below a declarator, and what it is called: `*a::b::c(…)` is `(Some("b"), "c")`.
fn named(source: Source<'_>, declarator: Node<'_>) -> Option<(Option<String>, String)> {
    let mut node = declarator;
    let mut container = None;
    for _ in 0..DEEPEST_DECLARATOR {
        match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name" | "operator_name"
            | "operator_cast" | "primitive_type" => {
                return Some((container, source.name(node)));
            }
            "qualified_identifier" => {
                let scope = source.field(node, "scope");
                container = scope.map(|scope| scope.split('<').next().unwrap_or_default().to_owned()).or(container);
                node = node.child_by_field_name("name")?;
            }
            "template_function" | "template_method" | "template_type" => node = node.child_by_field_name("name")?,
            _ => {
                node = node.child_by_field_name("declarator").or_else(|| children(node).first().copied())?;
            }
        }
    }
    None
}

/// Whether a declarator declares a function, looking through pointers and references to its result.
fn function_declarator(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut node = declarator;
    for _ in 0..DEEPEST_DECLARATOR {
        match node.kind() {
            "function_declarator" => {
                // `int (*hook)(void)` declares a variable.
                let inner = node.child_by_field_name("declarator")?;
                return (inner.kind() != "parenthesized_declarator").then_some(node);
            }
            "pointer_declarator" | "reference_declarator" | "attributed_declarator" => {
                node = node.child_by_field_name("declarator").or_else(|| children(node).last().copied())?;
            }
            _ => return None,
        }
    }
    None
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>, place: OutlinePlace<'_>) {
    let source = walk.source;
    let Some(declarator) = node.child_by_field_name("declarator") else { return };
    let Some((container, name)) = named(source, declarator) else { return };
    if TEST_MACROS.contains(&name.as_str()) {
        return test(walk, node, declarator, place);
    }
    let is_static = !place.in_type && specifiers(source, node).any(|word| word == "static");
    let place = OutlinePlace { is_public: place.is_public && !is_static, ..place };
    let is_method = place.in_type || container.is_some();
    let kind = if is_method { DefinitionKind::Method } else { DefinitionKind::Function };
    let place = OutlinePlace { container: container.as_deref().or(place.container), ..place };
    let _ = walk.define(name, kind, Form::Callable, node, place);
}

fn specifiers<'t>(source: Source<'t>, node: Node<'t>) -> impl Iterator<Item = &'t str> {
    let words = children(node).into_iter().filter(|child| child.kind() == "storage_class_specifier");
    words.map(move |word| source.text(word))
}

/// `TEST(Suite, Case) { … }` parses as a function without a type.
fn test<'t>(walk: &mut Walk<'t>, node: Node<'t>, declarator: Node<'t>, place: OutlinePlace<'_>) {
    let parameters = declarator.child_by_field_name("parameters");
    let names: Vec<String> =
        parameters.map(children).unwrap_or_default().into_iter().map(|p| walk.source.name(p)).collect();
    let (suite, case) = match names.as_slice() {
        [suite, case, ..] => (Some(suite.as_str()), case.clone()),
        [case] => (None, unquoted(case).to_owned()),
        [] => return,
    };
    let place = OutlinePlace { container: suite.or(place.container), is_public: false, ..place };
    let _ = walk.define(case, DefinitionKind::Test, Form::Callable, node, place);
}

/// Prototypes and constants; other variables are nobody's business.
fn declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, place: OutlinePlace<'_>) {
    let source = walk.source;
    let Some(declarator) = node.child_by_field_name("declarator") else { return };
    let is_static = !place.in_type && specifiers(source, node).any(|word| word == "static");
    let place = OutlinePlace { is_public: place.is_public && !is_static, ..place };
    if function_declarator(declarator).is_some() {
        let Some((container, name)) = named(source, declarator) else { return };
        let is_method = place.in_type || container.is_some();
        let kind = if is_method { DefinitionKind::Method } else { DefinitionKind::Function };
        let place = OutlinePlace { container: container.as_deref().or(place.container), ..place };
        let _ = walk.define(name, kind, Form::Callable, node, place);
    } else if !place.in_type && is_constant(source, node) {
        let name = named(source, declarator).map(|(_, name)| name);
        if let Some(name) = name {
            let _ = walk.define(name, DefinitionKind::Constant, Form::Value, node, place);
        }
    }
}

fn is_constant(source: Source<'_>, node: Node<'_>) -> bool {
    let qualifiers = children(node).into_iter().filter(|child| child.kind() == "type_qualifier");
    let mut words = qualifiers.map(|word| source.text(word));
    words.any(|word| word == "const" || word == "constexpr")
        && node.child_by_field_name("declarator").is_some_and(|declarator| declarator.kind() == "init_declarator")
}
