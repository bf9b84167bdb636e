//! Rust: items, implementations, inline modules, `use` and `mod`.

use tree_sitter::Node;

use super::super::node::{child_of_kind, children, unquoted};
use super::{DEEPEST, DefinitionKind, Form, OutlinePlace, Walk};

pub(super) fn walk<'t>(walk: &mut Walk<'t>, root: Node<'t>) {
    items(walk, root, OutlinePlace::TOP, &mut Vec::new());
}

/// `inline` are the modules written out in this file that we stand in: a path is read from there.
fn items<'t>(walk: &mut Walk<'t>, list: Node<'t>, place: OutlinePlace<'_>, inline: &mut Vec<String>) {
    let mut attributes = Vec::new();
    for node in children(list) {
        match node.kind() {
            "attribute_item" => {
                attributes.push(node);
                continue;
            }
            "line_comment" | "block_comment" => continue,
            _ => {}
        }
        item(walk, node, std::mem::take(&mut attributes), place, inline);
    }
}

fn item<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    attributes: Vec<Node<'t>>,
    place: OutlinePlace<'_>,
    inline: &mut Vec<String>,
) {
    let source = walk.source;
    let place = OutlinePlace { is_public: is_public(node, place), ..place };
    let (kind, form) = match node.kind() {
        "function_item" | "function_signature_item" => {
            let kind = if attributes.iter().any(|attribute| is_test(source.text(*attribute))) {
                DefinitionKind::Test
            } else if place.in_type {
                DefinitionKind::Method
            } else {
                DefinitionKind::Function
            };
            (kind, Form::Callable)
        }
        "struct_item" | "enum_item" | "union_item" | "type_item" | "associated_type" => {
            if place.in_type {
                return;
            }
            (DefinitionKind::Type, Form::Type)
        }
        "trait_item" => (DefinitionKind::Interface, Form::Type),
        "const_item" | "static_item" => (DefinitionKind::Constant, Form::Value),
        "macro_definition" => (DefinitionKind::Macro, Form::Value),
        "mod_item" => return module(walk, node, &attributes, place, inline),
        "impl_item" => return implementation(walk, node, place, inline),
        "use_declaration" => {
            if let Some(tree) = node.child_by_field_name("argument") {
                uses(walk, tree, String::new(), inline, 0);
            }
            return;
        }
        "extern_crate_declaration" => {
            if let Some(name) = source.field(node, "name") {
                walk.import(name, Vec::new(), node, false);
            }
            return;
        }
        "foreign_mod_item" => {
            if let (Some(body), Some(place)) = (node.child_by_field_name("body"), place.deeper()) {
                items(walk, body, place, inline);
            }
            return;
        }
        _ => return,
    };
    let Some(name) = source.field(node, "name") else { return };
    let is_macro_exported = kind == DefinitionKind::Macro
        && attributes.iter().any(|attribute| source.text(*attribute).contains("macro_export"));
    if let Some(found) = walk.define(name.clone(), kind, form, node, place) {
        found.attributes = attributes;
        found.definition.is_public |= is_macro_exported;
    }
    if kind == DefinitionKind::Interface
        && let (Some(body), Some(place)) = (node.child_by_field_name("body"), place.within(Some(&name), true))
    {
        items(walk, body, place, inline);
    }
}

/// Members of a trait, and of its implementation, are as public as the trait; the place says so.
fn is_public(node: Node<'_>, place: OutlinePlace<'_>) -> bool {
    child_of_kind(node, "visibility_modifier").is_some() || place.depth > 0 && place.in_type && place.is_public
}

/// `#[test]`, `#[tokio::test]`, `#[test_case(…)]`, `#[rstest]`; not `#[cfg(test)]`.
fn is_test(attribute: &str) -> bool {
    let path = attribute.trim_start_matches(['#', '[', ' ']);
    let path = path.split(['(', ']', '=', ' ']).next().unwrap_or(path);
    let last = path.rsplit("::").next().unwrap_or(path);
    matches!(last, "test" | "rstest" | "test_case" | "quickcheck" | "proptest" | "bench" | "wasm_bindgen_test")
        || last.ends_with("_test") && path.contains("::")
}

fn module<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    attributes: &[Node<'t>],
    place: OutlinePlace<'_>,
    inline: &mut Vec<String>,
) {
    let source = walk.source;
    let Some(name) = source.field(node, "name") else { return };
    let Some(body) = node.child_by_field_name("body") else {
        let elsewhere = attributes.iter().find_map(|attribute| {
            let path = source.text(*attribute).strip_prefix("#[path")?.trim_start().strip_prefix('=')?;
            Some(format!("mod \"{}\"", unquoted(path.trim_end_matches(']').trim())))
        });
        let inside: String = inline.iter().flat_map(|module| [module.as_str(), "::"]).collect();
        let what = elsewhere.unwrap_or_else(|| format!("mod {inside}{name}"));
        return walk.import(what, vec![name], node, true);
    };
    let _ = walk.define(name.clone(), DefinitionKind::Module, Form::Value, node, place);
    if let Some(place) = place.within(Some(&name), false) {
        inline.push(name.clone());
        items(walk, body, place, inline);
        inline.pop();
    }
}

fn implementation<'t>(walk: &mut Walk<'t>, node: Node<'t>, place: OutlinePlace<'_>, inline: &mut Vec<String>) {
    let source = walk.source;
    let plain = |field| node.child_by_field_name(field).map(|node| base_name(&source.name(node)).to_owned());
    let Some(name) = plain("type").filter(|name| !name.is_empty()) else { return };
    let interface = plain("trait");
    let is_public = interface.is_some();
    if let Some(interface) = interface
        && let Some(found) = walk.define(name.clone(), DefinitionKind::Type, Form::Implementation, node, place)
    {
        found.bases.push(interface);
        found.listed = false;
    }
    if let (Some(body), Some(place)) = (node.child_by_field_name("body"), place.within(Some(&name), true)) {
        items(walk, body, OutlinePlace { is_public, ..place }, inline);
    }
}

/// `a::B<C>` is `B`.
fn base_name(path: &str) -> &str {
    let path = path.trim_start_matches(['&', ' ']).trim_start_matches("mut ").trim_start_matches("dyn ");
    let path = path.split('<').next().unwrap_or(path);
    path.rsplit("::").next().unwrap_or(path).trim()
}

/// Takes a `use` tree apart: one import a path, with the names taken from it.
fn uses<'t>(walk: &mut Walk<'t>, tree: Node<'t>, prefix: String, inline: &[String], depth: usize) {
    let source = walk.source;
    let join = |path: &str| if prefix.is_empty() { path.to_owned() } else { format!("{prefix}::{path}") };
    let parts: Vec<Node<'t>> = if tree.kind() == "use_list" { children(tree) } else { vec![tree] };
    let mut names = Vec::new();
    for part in parts {
        match part.kind() {
            "use_as_clause" => match part.child_by_field_name("path") {
                Some(path) if path.kind() == "scoped_identifier" => single(walk, path, &prefix, inline),
                Some(path) => names.push(source.name(path)),
                None => {}
            },
            "identifier" | "self" | "crate" | "super" | "metavariable" => names.push(source.name(part)),
            "scoped_identifier" => single(walk, part, &prefix, inline),
            "use_wildcard" => {
                let path = children(part).first().map(|path| join(&source.name(*path)));
                add(walk, path.unwrap_or_else(|| prefix.clone()), vec!["*".into()], part, inline);
            }
            "scoped_use_list" if depth < DEEPEST => {
                let path = source.field(part, "path").map(|path| join(&path));
                if let Some(list) = part.child_by_field_name("list") {
                    uses(walk, list, path.unwrap_or_else(|| prefix.clone()), inline, depth + 1);
                }
            }
            "use_list" if depth < DEEPEST => uses(walk, part, prefix.clone(), inline, depth + 1),
            _ => {}
        }
    }
    if names.is_empty() {
        return;
    }
    if prefix.is_empty() {
        for name in names {
            add(walk, name, Vec::new(), tree, inline);
        }
    } else {
        add(walk, prefix, names, tree, inline);
    }
}

fn single<'t>(walk: &mut Walk<'t>, scoped: Node<'t>, prefix: &str, inline: &[String]) {
    let (path, name) = (walk.source.field(scoped, "path"), walk.source.field(scoped, "name"));
    let Some(name) = name else { return };
    let path = path.unwrap_or_default();
    let path = if prefix.is_empty() { path } else { format!("{prefix}::{path}") };
    add(walk, path, vec![name], scoped, inline);
}

/// Within an inline module `super` is this very file: what stays in the file is no import.
fn add(walk: &mut Walk<'_>, path: String, names: Vec<String>, node: Node<'_>, inline: &[String]) {
    let mut parts: Vec<&str> = path.split("::").map(str::trim).collect();
    let supers = parts.iter().take_while(|part| **part == "super").count();
    let left = inline.len().saturating_sub(supers);
    if !inline.is_empty() && supers > 0 {
        if left > 0 || supers == inline.len() && parts.len() == supers {
            return;
        }
        parts.drain(..inline.len());
        if parts.first() != Some(&"super") {
            parts.insert(0, "self");
        }
    } else if left > 0 && parts.first() == Some(&"self") {
        return;
    }
    let relative = parts.first().is_some_and(|root| matches!(*root, "self" | "super" | "crate"));
    walk.import(parts.join("::"), names, node, relative);
}
