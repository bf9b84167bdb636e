//! What a call is called: the last name, with what stands before it where that is a module, a parameter or a field,
//! which people name alike; a local variable is dropped, its name is an accident.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::super::Language;
use super::super::node::{Source, children};

/// Chains of calls are followed this far towards their beginning.
const DEEPEST: usize = 8;
const LONGEST: usize = 48;

/// Names a receiver is kept for.
pub(super) struct KnownCallee<'t> {
    pub(super) imported: &'t BTreeSet<&'t str>,
    pub(super) parameters: BTreeSet<String>,
}

impl KnownCallee<'_> {
    fn keeps(&self, receiver: &str) -> bool {
        let starts_small = receiver.starts_with(|c: char| c.is_lowercase() || c == '_' || c == '$');
        starts_small && (self.imported.contains(receiver) || self.parameters.contains(receiver))
    }
}

pub(super) fn name(
    language: Language,
    source: Source<'_>,
    callee: Node<'_>,
    known: &KnownCallee<'_>,
) -> Option<String> {
    let name = match callee.kind() {
        "identifier" | "field_identifier" | "type_identifier" | "property_identifier" => source.name(callee),
        "field_expression" => access(source, callee, ["value", "argument"], "field", known)?,
        "attribute" => access(source, callee, ["object", "object"], "attribute", known)?,
        "member_expression" => access(source, callee, ["object", "object"], "property", known)?,
        "selector_expression" => access(source, callee, ["operand", "operand"], "field", known)?,
        "method_invocation" => access(source, callee, ["object", "object"], "name", known)?,
        "scoped_identifier" | "qualified_identifier" => scoped(language, source, callee),
        "generic_function" => return name(language, source, callee.child_by_field_name("function")?, known),
        "template_function" => return name(language, source, callee.child_by_field_name("name")?, known),
        "generic_type" => return name(language, source, *children(callee).first()?, known),
        _ => return None,
    };
    let plain = !name.is_empty()
        && name.len() <= LONGEST
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '~'));
    plain.then_some(name)
}

fn access(
    source: Source<'_>,
    node: Node<'_>,
    receivers: [&str; 2],
    member: &str,
    known: &KnownCallee<'_>,
) -> Option<String> {
    let member = source.field(node, member)?;
    let receiver = receivers.iter().find_map(|field| node.child_by_field_name(field));
    let before = receiver.and_then(|receiver| root(source, receiver, known));
    Some(match before {
        Some(before) => format!("{before}.{member}"),
        None => member,
    })
}

/// The nodes that name a member of something: in which field the member stands, and in which one the something.
const MEMBERS: [(&str, &str, &[&str]); 5] = [
    ("field_expression", "field", &["value", "argument"]),
    ("attribute", "attribute", &["object"]),
    ("member_expression", "property", &["object"]),
    ("selector_expression", "field", &["operand"]),
    ("field_access", "field", &["object"]),
];

/// The name a chain begins with, if it is one worth keeping: `prisma` in `prisma.user`, `store` in `self.store`.
fn root(source: Source<'_>, receiver: Node<'_>, known: &KnownCallee<'_>) -> Option<String> {
    let mut node = receiver;
    let mut last_member = None;
    for _ in 0..DEEPEST {
        match node.kind() {
            "identifier" => {
                let name = source.text(node);
                if matches!(name, "self" | "cls") {
                    return last_member;
                }
                return known.keeps(name).then(|| name.to_owned());
            }
            "self" | "this" => return last_member,
            kind => {
                // Behind a call the chain belongs to what the call gave.
                let (_, member, objects) = MEMBERS.iter().find(|(known, ..)| *known == kind)?;
                last_member = source.field(node, member);
                node = objects.iter().find_map(|field| node.child_by_field_name(field))?;
            }
        }
    }
    None
}

/// The last two parts: `axum::Router::new` is `Router::new`; `Self` says nothing.
fn scoped(language: Language, source: Source<'_>, node: Node<'_>) -> String {
    let written = source.name(node);
    let mut parts = written.rsplit("::");
    let plain = |part: &str| part.split('<').next().unwrap_or(part).trim().to_owned();
    let last = parts.next().map(plain).unwrap_or_default();
    let before = parts.map(plain).find(|part| !part.is_empty());
    match before {
        Some(before) if before != "Self" && before != "self" && before != "super" && before != "crate" => {
            // The project's own namespace stands before everything in C++.
            if language == Language::Cpp && before.starts_with(char::is_lowercase) && before != "std" {
                last
            } else {
                format!("{before}::{last}")
            }
        }
        _ => last,
    }
}
