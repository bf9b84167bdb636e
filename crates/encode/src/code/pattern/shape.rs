//! From a definition to its shape: attributes first, then what it extends, then what it does or consists of.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::super::node::{Next, Source, children, each};
use super::super::outline::{Form, Found};
use super::super::{DefinitionKind, Language, Outline};
use super::callee::KnownCallee;
use super::role::{self, Facts};
use super::signature::{Parameter, parameters, result};
use super::steps::Steps;
use super::trivial::{is_trivial_attribute, is_trivial_member};
use super::{Shape, render};

/// A file has at most so many shapes, a type so many members that count.
const MOST: usize = 400;
const MOST_MEMBERS: usize = 24;
const MOST_STEPS: usize = 40;

/// The shapes of a file, in the order of the text. Definitions without a role or without steps have none.
pub(in super::super) fn all<'t>(
    language: Language,
    path: &str,
    text: &'t str,
    outline: &'t Outline,
    found: &[Found<'t>],
) -> Vec<Shape> {
    let imported: BTreeSet<&str> = outline
        .imports
        .iter()
        .flat_map(|import| {
            let own = import.what.rsplit(['/', '.', ':']).next().unwrap_or(&import.what);
            import.names.iter().map(String::as_str).chain([own])
        })
        .collect();
    let mut holders: BTreeMap<&str, Vec<&Found<'t>>> = BTreeMap::new();
    for one in found.iter().filter(|one| matches!(one.form, Form::Type | Form::Implementation)) {
        holders.entry(one.definition.name.as_str()).or_default().push(one);
    }
    let file = File { language, path, source: Source(text), imported: &imported, found, holders };
    found.iter().filter_map(|one| file.shape(one)).take(MOST).collect()
}

struct File<'f, 't> {
    language: Language,
    path: &'f str,
    source: Source<'t>,
    imported: &'f BTreeSet<&'t str>,
    found: &'f [Found<'t>],
    /// What may have methods, by name.
    holders: BTreeMap<&'f str, Vec<&'f Found<'t>>>,
}

impl<'t> File<'_, 't> {
    fn shape(&self, found: &Found<'t>) -> Option<Shape> {
        let mut attributes = Vec::new();
        for attribute in &found.attributes {
            attribute_steps(self.language, self.source, *attribute, self.imported, &mut attributes);
        }
        let takes = match found.form {
            Form::Callable => parameters(self.source, found.node),
            Form::Registration | Form::Type | Form::Implementation | Form::Value => Vec::new(),
        };
        let parameters = takes.iter().map(|parameter| parameter.name.clone()).collect();
        let mut known = KnownCallee { imported: self.imported, parameters };
        let mut walk = Steps {
            language: self.language,
            source: self.source,
            known: &mut known,
            steps: Vec::new(),
            has_jsx: false,
        };
        let maker = self.maker(found);
        let mut members = Vec::new();
        match found.form {
            Form::Callable | Form::Registration => walk.body(body_of(found)),
            Form::Value if maker.is_some() => walk.body(found.node),
            Form::Value => return None,
            Form::Type => members = self.members(found),
            Form::Implementation => {
                members = self.members(found);
                walk.body(found.node);
            }
        }
        let (body, has_jsx) = (walk.steps, walk.has_jsx);
        let facts = Facts {
            language: self.language,
            path: self.path,
            found,
            holder: self.holder(found),
            attributes: &attributes,
            parameters: &takes,
            result: result(self.source, found.node),
            body: &body,
            has_jsx,
            maker,
        };
        let (role, family) = role::of(&facts)?;
        let mut steps = attributes;
        steps.retain(|step| !is_trivial_attribute(step) || role == "error type");
        if matches!(found.form, Form::Type | Form::Implementation) {
            steps.extend(keyword(found));
            steps.extend(found.bases.iter().map(|base| format!("extends {base}")));
        }
        steps.extend(telling_parameters(&role, self.language, &takes, &body));
        steps.extend(members);
        steps.extend(body);
        steps.truncate(MOST_STEPS);
        let telling = steps.iter().any(|step| !matches!(step.as_str(), "class" | "struct" | "enum" | "interface"));
        if !telling {
            return None;
        }
        let template = render::line(&role, &steps);
        let definition = &found.definition;
        Some(Shape { role, family, name: definition.name.clone(), line: definition.line, template, steps })
    }

    /// What a type is made of: attributes on its fields, each once, and its methods by name, sorted, so that their
    /// order in the file does not matter.
    fn members(&self, found: &Found<'t>) -> Vec<String> {
        let mut marks = Vec::new();
        each(found.node, |node| match node.kind() {
            "attribute_item" => {
                attribute_steps(self.language, self.source, node, self.imported, &mut marks);
                Next::Over
            }
            "function_item" | "block" | "method_declaration" | "method_definition" | "function_definition" => {
                Next::Over
            }
            _ => Next::Inside,
        });
        let mut marks: Vec<String> = marks.into_iter().filter(|mark| !is_trivial_attribute(mark)).collect();
        marks.sort_unstable();
        marks.dedup();
        let range = found.node.byte_range();
        let within = |other: &&Found<'t>| {
            let inner = other.node.byte_range();
            other.form == Form::Callable && inner.start >= range.start && inner.end <= range.end
        };
        // Found in the order of the text: what stands in a type follows it directly.
        let at = self.found.partition_point(|other| other.node.start_byte() < range.start);
        let inside = self.found[at..].iter().take_while(|other| other.node.start_byte() < range.end).filter(within);
        let mut methods: Vec<String> = inside
            .filter(|other| other.definition.container.as_ref() == Some(&found.definition.name))
            .filter(|other| other.definition.kind != DefinitionKind::Test && !is_trivial_member(&other.definition.name))
            .map(|other| format!("fn {}", other.definition.name))
            .collect();
        methods.sort_unstable();
        methods.dedup();
        marks.into_iter().chain(methods).take(MOST_MEMBERS).collect()
    }

    /// The imported name a constant of JavaScript is built with: `z` in `const User = z.object(…)`.
    fn maker(&self, found: &Found<'t>) -> Option<&'t str> {
        let definition = &found.definition;
        let is_value = found.form == Form::Value && definition.kind == DefinitionKind::Constant;
        if !is_value || !self.language.is_ecma() || definition.container.is_some() || is_test_file(self.path) {
            return None;
        }
        let (_, value) = self.source.text(found.node).split_once('=')?;
        let value = value.trim_start();
        let value = value.strip_prefix("await ").unwrap_or(value);
        let end = value.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')?;
        self.imported.get(&value[..end]).copied()
    }

    /// The type, or the implementation, a method stands in, if it is in this file.
    fn holder(&self, found: &Found<'t>) -> Option<&Found<'t>> {
        let named = self.holders.get(found.definition.container.as_deref()?)?;
        let range = found.node.byte_range();
        named.iter().copied().find(|holder| {
            let outer = holder.node.byte_range();
            outer.start <= range.start && range.end <= outer.end
        })
    }
}

fn is_test_file(path: &str) -> bool {
    [".test.", ".spec.", "__tests__/", "tests/", "test/"].iter().any(|sign| path.contains(sign))
}

/// A test that is handed to a framework as a function begins with that function.
fn body_of<'t>(found: &Found<'t>) -> Node<'t> {
    let is_handed = found.definition.kind == DefinitionKind::Test && found.node.kind() == "call_expression";
    let arguments = found.node.child_by_field_name("arguments").filter(|_| is_handed);
    let function = arguments.and_then(|arguments| children(arguments).into_iter().rfind(|one| one.kind() != "comment"));
    function.unwrap_or(found.node)
}

/// Whether a type is an enum or a struct is part of how errors are written; elsewhere it goes without saying.
fn keyword(found: &Found<'_>) -> Option<String> {
    match found.node.kind() {
        "enum_item" | "enum_declaration" => Some("enum".to_owned()),
        "struct_item" => Some("struct".to_owned()),
        _ => None,
    }
}

/// Extractors of a handler, fixtures of a test: what such a function asks for is how it is done.
fn telling_parameters(role: &str, language: Language, takes: &[Parameter], body: &[String]) -> Vec<String> {
    match (role, language) {
        ("endpoint", Language::Rust) => {
            let plain = takes.iter().map(|parameter| {
                let name = parameter.kind.split(['<', '(']).next().unwrap_or_default();
                name.rsplit("::").next().unwrap_or(name).trim_start_matches('&').to_owned()
            });
            let mut kinds: Vec<String> =
                plain.filter(|kind| kind.starts_with(char::is_uppercase)).map(|kind| format!("arg {kind}")).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds
        }
        ("test" | "fixture", Language::Python) => {
            let used =
                |name: &str| body.iter().any(|step| step.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')));
            let named = takes.iter().map(|parameter| parameter.name.clone());
            let mut fixtures: Vec<String> = named
                .filter(|name| !matches!(name.as_str(), "self" | "cls" | "") && !used(name))
                .map(|name| format!("arg {name}"))
                .collect();
            fixtures.sort_unstable();
            fixtures
        }
        _ => Vec::new(),
    }
}

/// `#[derive(A, B)]` is two steps, `#[serde(default)]` is `#[serde]`, `@bp.route("/x")` is `@route`.
fn attribute_steps(
    language: Language,
    source: Source<'_>,
    node: Node<'_>,
    imported: &BTreeSet<&str>,
    steps: &mut Vec<String>,
) {
    if language == Language::Rust {
        let text = source.name(node);
        let inside = text.trim_start_matches(['#', '!', '[', ' ']).trim_end_matches([']', ' ']);
        let (path, arguments) = inside.split_once('(').unwrap_or((inside, ""));
        let path = path.split('=').next().unwrap_or(path).trim();
        if path == "derive" {
            let derived = arguments.trim_end_matches(')').split(',').map(str::trim).filter(|name| !name.is_empty());
            let plain = derived.map(|name| name.rsplit("::").next().unwrap_or(name));
            steps.extend(plain.map(|name| format!("derive({name})")));
        } else if !path.is_empty() {
            steps.push(format!("#[{path}]"));
        }
        return;
    }
    let written = match node.kind() {
        "marker_annotation" | "annotation" => source.field(node, "name").unwrap_or_default(),
        _ => {
            let inner = children(node).into_iter().next();
            let callee = inner.and_then(|inner| match inner.kind() {
                "call" | "call_expression" => inner.child_by_field_name("function"),
                _ => Some(inner),
            });
            callee.map(|callee| source.name(callee)).unwrap_or_default()
        }
    };
    let last = written.rsplit('.').next().unwrap_or(&written);
    let first = written.split('.').next().unwrap_or(&written);
    let is_module = first.starts_with(char::is_lowercase) && imported.contains(first) && !role::is_route(last);
    let step = if is_module { &written } else { last };
    if !step.is_empty() && step.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) {
        steps.push(format!("@{step}"));
    }
}
