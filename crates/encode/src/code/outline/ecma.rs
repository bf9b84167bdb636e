//! JavaScript and TypeScript: declarations, exports in both module systems, methods on prototypes, suites of tests,
//! and what is handed to a framework at the top of a file.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::super::node::{Source, child_of_kind, children, has_token, unquoted};
use super::{DefinitionKind, Form, OutlinePlace, Walk, ecma_imports};

const FUNCTIONS: &[&str] = &["arrow_function", "function_expression", "function", "generator_function"];
const SUITES: &[&str] = &["describe", "context", "suite"];
const CASES: &[&str] = &["it", "test", "specify"];
/// Calls that hand a function to somebody: `app.get("/x", …)`, `bus.on("x", …)`.
#[rustfmt::skip]
const REGISTERING: &[&str] = &[
    "get", "post", "put", "patch", "delete", "del", "all", "options", "head", "use", "on", "once", "route",
    "addEventListener", "subscribe", "command", "handle", "register", "method", "query", "mutation", "param",
];

pub(super) fn walk<'t>(walk: &mut Walk<'t>, root: Node<'t>) {
    statements(walk, root, OutlinePlace { is_public: false, ..OutlinePlace::TOP });
    ecma_imports::all(walk, root);
    let exported: BTreeSet<String> = exported_later(walk.source, root);
    for found in &mut walk.found {
        let definition = &mut found.definition;
        definition.is_public |= definition.container.is_none() && exported.contains(&definition.name);
    }
}

fn statements<'t>(walk: &mut Walk<'t>, block: Node<'t>, place: OutlinePlace<'_>) {
    for node in children(block) {
        statement(walk, node, node, Vec::new(), place);
    }
}

/// `whole` is the node with its `export` and decorators, where its lines begin.
fn statement<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    whole: Node<'t>,
    mut decorators: Vec<Node<'t>>,
    place: OutlinePlace<'_>,
) {
    let source = walk.source;
    match node.kind() {
        "export_statement" => {
            decorators.extend(children(node).into_iter().filter(|child| child.kind() == "decorator"));
            let place = OutlinePlace { is_public: true, ..place };
            let Some(place) = place.deeper() else { return };
            if let Some(inner) = node.child_by_field_name("declaration") {
                statement(walk, inner, node, decorators, place);
            } else if let Some(value) = node.child_by_field_name("value") {
                default_export(walk, value, node, place);
            }
        }
        "ambient_declaration" => {
            let Some(place) = place.deeper() else { return };
            for inner in children(node) {
                statement(walk, inner, node, Vec::new(), place);
            }
        }
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            if let Some(name) = source.field(node, "name") {
                let _ = walk.define(name, DefinitionKind::Function, Form::Callable, whole, place);
            }
        }
        "class_declaration" | "abstract_class_declaration" | "class" => class(walk, node, whole, decorators, place),
        "interface_declaration" | "type_alias_declaration" | "enum_declaration" => {
            let is_interface = node.kind() == "interface_declaration";
            let kind = if is_interface { DefinitionKind::Interface } else { DefinitionKind::Type };
            if let Some(name) = source.field(node, "name") {
                let _ = walk.define(name, kind, Form::Type, whole, place);
            }
        }
        "internal_module" | "module" => {
            let Some(name) = source.field(node, "name") else { return };
            let _ = walk.define(unquoted(&name).to_owned(), DefinitionKind::Module, Form::Value, whole, place);
            if let (Some(body), Some(place)) = (node.child_by_field_name("body"), place.within(Some(&name), false)) {
                statements(walk, body, place);
            }
        }
        "lexical_declaration" | "variable_declaration" => {
            let declarators = children(node).into_iter().filter(|child| child.kind() == "variable_declarator");
            for (at, declarator) in declarators.enumerate() {
                // The first stands for the statement; were all to, a long list would be read as often as it is long.
                variable(walk, declarator, node, if at == 0 { whole } else { declarator }, place);
            }
        }
        "expression_statement" => {
            for expression in children(node) {
                match expression.kind() {
                    "assignment_expression" => assignment(walk, expression, place),
                    "call_expression" => call(walk, expression, place),
                    "internal_module" => {
                        if let Some(place) = place.deeper() {
                            statement(walk, expression, node, Vec::new(), place);
                        }
                    }
                    _ => {}
                }
            }
        }
        "if_statement" | "statement_block" => {
            if let Some(place) = place.deeper() {
                statements(walk, node, place);
            }
        }
        _ => {}
    }
}

fn default_export<'t>(walk: &mut Walk<'t>, value: Node<'t>, whole: Node<'t>, place: OutlinePlace<'_>) {
    let form = if FUNCTIONS.contains(&value.kind()) {
        Form::Callable
    } else if value.kind() == "class" {
        return class(walk, value, whole, Vec::new(), place);
    } else {
        Form::Value
    };
    match form {
        Form::Callable => {
            let name = walk.source.field(value, "name").unwrap_or_else(|| "default".to_owned());
            let _ = walk.define(name, DefinitionKind::Function, form, whole, place);
        }
        _ if matches!(value.kind(), "identifier" | "member_expression") => {}
        _ => {
            if let Some(found) = walk.define("default".to_owned(), DefinitionKind::Constant, form, whole, place) {
                found.listed = value.kind() == "object" || value.kind() == "call_expression";
            }
        }
    }
}

fn class<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    whole: Node<'t>,
    mut decorators: Vec<Node<'t>>,
    place: OutlinePlace<'_>,
) {
    let source = walk.source;
    let name = source.field(node, "name").unwrap_or_else(|| "default".to_owned());
    decorators.extend(children(node).into_iter().filter(|child| child.kind() == "decorator"));
    let bases = bases(source, node);
    if let Some(found) = walk.define(name.clone(), DefinitionKind::Type, Form::Type, whole, place) {
        found.attributes = decorators;
        found.bases = bases;
    }
    let (Some(body), Some(inside)) = (node.child_by_field_name("body"), place.within(Some(&name), true)) else {
        return;
    };
    let mut decorators = Vec::new();
    for member in children(body) {
        let is_callable = match member.kind() {
            "decorator" => {
                decorators.push(member);
                continue;
            }
            "method_definition" | "abstract_method_signature" | "method_signature" => true,
            "field_definition" | "public_field_definition" => {
                member.child_by_field_name("value").is_some_and(|value| FUNCTIONS.contains(&value.kind()))
            }
            _ => false,
        };
        let name = source.field(member, "name").or_else(|| source.field(member, "property"));
        let mut attributes = std::mem::take(&mut decorators);
        let Some(name) = name.filter(|_| is_callable) else { continue };
        attributes.extend(children(member).into_iter().filter(|child| child.kind() == "decorator"));
        let access = child_of_kind(member, "accessibility_modifier").map_or("public", |node| source.text(node));
        let is_public = place.is_public && access == "public" && !name.starts_with(['#', '_']);
        let here = OutlinePlace { is_public, ..inside };
        if let Some(found) = walk.define(name, DefinitionKind::Method, Form::Callable, member, here) {
            found.attributes = attributes;
        }
    }
}

fn bases(source: Source<'_>, class: Node<'_>) -> Vec<String> {
    let Some(heritage) = child_of_kind(class, "class_heritage") else { return Vec::new() };
    let plain = |node: Node<'_>| {
        let name = source.name(node);
        let name = name.split(['<', '(']).next().unwrap_or(&name);
        name.rsplit('.').next().unwrap_or(name).to_owned()
    };
    let mut bases = Vec::new();
    for part in children(heritage) {
        match part.kind() {
            "extends_clause" => bases.extend(part.child_by_field_name("value").map(plain)),
            "implements_clause" => bases.extend(children(part).into_iter().map(plain)),
            _ => bases.push(plain(part)),
        }
    }
    bases
}

fn variable<'t>(
    walk: &mut Walk<'t>,
    declarator: Node<'t>,
    statement: Node<'t>,
    whole: Node<'t>,
    place: OutlinePlace<'_>,
) {
    let source = walk.source;
    let Some(name) = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier") else { return };
    let (name, value) = (source.name(name), declarator.child_by_field_name("value"));
    let kind = value.map_or("", |value| value.kind());
    if FUNCTIONS.contains(&kind) {
        let _ = walk.define(name, DefinitionKind::Function, Form::Callable, whole, place);
    } else if kind == "class" {
        if let Some(value) = value {
            class(walk, value, whole, Vec::new(), place);
        }
    } else if has_token(statement, "const") {
        // Whether a lower-case name is one for others is known at the end, when the exports have been seen.
        let is_loud = name.len() > 1 && !name.contains(|c: char| c.is_lowercase());
        let is_import = value.is_some_and(|value| source.text(value).starts_with("require("));
        if let Some(found) = walk.define(name, DefinitionKind::Constant, Form::Value, whole, place) {
            found.listed = place.is_public || is_loud && !is_import;
        }
    }
}

/// `exports.x = …`, `module.exports = …`, `app.init = function () {}`, `View.prototype.render = function () {}`.
fn assignment<'t>(walk: &mut Walk<'t>, expression: Node<'t>, place: OutlinePlace<'_>) {
    let source = walk.source;
    let (Some(left), Some(right)) = (expression.child_by_field_name("left"), expression.child_by_field_name("right"))
    else {
        return;
    };
    if left.kind() != "member_expression" {
        return;
    }
    let (object, name) = (source.field(left, "object").unwrap_or_default(), source.field(left, "property"));
    let Some(name) = name else { return };
    let is_callable = FUNCTIONS.contains(&right.kind());
    let form = if is_callable { Form::Callable } else { Form::Value };
    let is_export = object == "exports" || object == "module.exports";
    if object == "module" && name == "exports" {
        if is_callable || right.kind() == "class" {
            default_export(walk, right, expression, OutlinePlace { is_public: true, ..place });
        }
    } else if is_export {
        let kind = if is_callable { DefinitionKind::Function } else { DefinitionKind::Constant };
        let is_known = right.kind() == "identifier" && source.text(right) == name;
        let found = walk.define(name, kind, form, expression, OutlinePlace { is_public: true, ..place });
        if let Some(found) = found {
            found.listed = !is_known;
        }
    } else if is_callable {
        let container = object.strip_suffix(".prototype").unwrap_or(&object);
        let container = (container != "this").then_some(container);
        let place = OutlinePlace { container, is_public: !name.starts_with('_'), ..place };
        let _ = walk.define(name, DefinitionKind::Method, form, expression, place);
    }
}

/// `describe("…", () => { it("…", …) })`, and what hands a function to a framework.
fn call<'t>(walk: &mut Walk<'t>, call: Node<'t>, place: OutlinePlace<'_>) {
    let source = walk.source;
    let (Some(callee), Some(arguments)) = (call.child_by_field_name("function"), call.child_by_field_name("arguments"))
    else {
        return;
    };
    let arguments = children(arguments);
    let body = arguments.iter().rev().find(|argument| FUNCTIONS.contains(&argument.kind())).copied();
    let title = arguments.first().filter(|first| matches!(first.kind(), "string" | "template_string"));
    let title = title.map(|title| unquoted(&source.name(*title)).to_owned());
    let written = source.name(callee);
    // `it.only`, `test.each(table)`.
    let word = written.split(['.', '(']).next().unwrap_or(&written);
    if let (Some(title), Some(body)) = (&title, body) {
        if SUITES.contains(&word) {
            let inside = body.child_by_field_name("body");
            if let (Some(inside), Some(place)) = (inside, place.within(Some(title), false)) {
                statements(walk, inside, place);
            }
            return;
        }
        if CASES.contains(&word) {
            let _ = walk.define(title.clone(), DefinitionKind::Test, Form::Callable, call, place);
            return;
        }
    }
    let method = written.rsplit('.').next().unwrap_or(&written).to_owned();
    let hands_over = title.is_some() || body.is_some();
    if callee.kind() == "member_expression" && REGISTERING.contains(&method.as_str()) && hands_over {
        let name = title.map_or_else(|| method.clone(), |title| format!("{method} {title}"));
        if let Some(found) = walk.define(name, DefinitionKind::Function, Form::Registration, call, place) {
            found.listed = false;
        }
    }
}

/// `export { a, b as c }` and `module.exports = { a, b }`: named after they were defined.
fn exported_later(source: Source<'_>, root: Node<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for node in children(root) {
        match node.kind() {
            "export_statement" if node.child_by_field_name("source").is_none() => {
                if let Some(clause) = child_of_kind(node, "export_clause") {
                    names.extend(children(clause).into_iter().filter_map(|one| source.field(one, "name")));
                }
                if let Some(value) = node.child_by_field_name("value").filter(|value| value.kind() == "identifier") {
                    names.insert(source.name(value));
                }
            }
            "expression_statement" => {
                let Some(assignment) = child_of_kind(node, "assignment_expression") else { continue };
                let left = source.field(assignment, "left").unwrap_or_default();
                let Some(mut right) = assignment.child_by_field_name("right") else { continue };
                if left != "module.exports" && !left.starts_with("exports") && !left.starts_with("module.exports.") {
                    continue;
                }
                // `exports = module.exports = app`
                while right.kind() == "assignment_expression"
                    && let Some(inner) = right.child_by_field_name("right")
                {
                    right = inner;
                }
                match right.kind() {
                    "identifier" => {
                        names.insert(source.name(right));
                    }
                    "object" => names.extend(children(right).into_iter().filter_map(|one| match one.kind() {
                        "shorthand_property_identifier" => Some(source.name(one)),
                        _ => source.field(one, "value"),
                    })),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    names
}
