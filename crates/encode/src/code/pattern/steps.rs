//! A body as the sequence of its salient calls, in the order they happen: arguments before the call they are for,
//! a function that is handed over after the call that takes it. Literals, operators and branches are left out.

use tree_sitter::Node;

use super::super::Language;
use super::super::node::{Source, children};
use super::callee::{KnownCallee, name};
use super::signature::parameters;
use super::trivial::is_trivial;

/// A function with more telling steps than this does many things; the first ones say which kind it is.
const MOST: usize = 32;

const CLOSURES: &[&str] =
    &["closure_expression", "lambda", "arrow_function", "function_expression", "func_literal", "lambda_expression"];

pub(super) struct Steps<'k, 't> {
    pub(super) language: Language,
    pub(super) source: Source<'t>,
    pub(super) known: &'k mut KnownCallee<'k>,
    pub(super) steps: Vec<String>,
    pub(super) has_jsx: bool,
}

impl<'t> Steps<'_, 't> {
    /// Walks a body without recursion; `leave` sees each node after everything in it.
    pub(super) fn body(&mut self, root: Node<'t>) {
        let mut cursor = root.walk();
        // Where the last identifier of a macro's tokens ended, and what it was.
        let mut word: Option<(usize, &'t str)> = None;
        self.enter(root, &mut word);
        if !cursor.goto_first_child() {
            return self.leave(root);
        }
        loop {
            if self.steps.len() >= MOST {
                return;
            }
            let node = cursor.node();
            let inside = self.enter(node, &mut word);
            if inside && cursor.goto_first_child() {
                continue;
            }
            self.leave(node);
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave(cursor.node());
                if cursor.node() == root {
                    return;
                }
            }
        }
    }

    /// Notes a step, unless it says nothing or repeats the last.
    pub(super) fn add(&mut self, step: String) {
        if !is_trivial(self.language, &step) && self.steps.last() != Some(&step) && self.steps.len() < MOST {
            self.steps.push(step);
        }
    }

    fn enter(&mut self, node: Node<'t>, word: &mut Option<(usize, &'t str)>) -> bool {
        match node.kind() {
            // A macro's arguments are not parsed: a name right before a parenthesis is a call all the same.
            "token_tree" => {
                if let Some((end, name)) = *word
                    && end == node.start_byte()
                    && self.source.text(node).starts_with('(')
                {
                    self.add(name.to_owned());
                }
            }
            "identifier" if self.language == Language::Rust => {
                *word = Some((node.end_byte(), self.source.text(node)));
            }
            "assert_statement" => {
                if let Some(about) = children(node).first().and_then(|about| subject(self.source, *about)) {
                    self.add(format!("assert {about}"));
                    return false;
                }
            }
            "raise_statement" | "throw_statement" => {
                if let Some(thrown) = children(node).first().and_then(|thrown| self.thrown(*thrown)) {
                    self.add(format!("throw {thrown}"));
                    return false;
                }
            }
            "jsx_opening_element" | "jsx_self_closing_element" => {
                self.has_jsx = true;
                let tag = self.source.field(node, "name").unwrap_or_default();
                if tag.starts_with(char::is_uppercase) {
                    self.add(format!("<{tag}>"));
                }
            }
            "decorator" | "attribute_item" | "modifiers" | "parameters" | "formal_parameters" | "comment"
            | "line_comment" | "block_comment" | "string" | "string_literal" | "type_annotation" => return false,
            kind if CLOSURES.contains(&kind) => {
                for parameter in parameters(self.source, node) {
                    self.known.parameters.insert(parameter.name);
                }
            }
            _ if takes_a_function(node) => self.call(node),
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: Node<'t>) {
        if !takes_a_function(node) {
            self.call(node);
        }
    }

    fn call(&mut self, node: Node<'t>) {
        let callee = match node.kind() {
            "call_expression" | "call" => node.child_by_field_name("function"),
            "macro_invocation" => {
                let Some(name) = self.source.field(node, "macro") else { return };
                let name = name.rsplit("::").next().unwrap_or(&name).to_owned();
                return self.add(format!("{name}!"));
            }
            "method_invocation" => Some(node),
            "new_expression" => {
                let made = node.child_by_field_name("constructor").or_else(|| node.child_by_field_name("type"));
                return self.made(made);
            }
            "object_creation_expression" => return self.made(node.child_by_field_name("type")),
            "composite_literal" => {
                // Go: `cobra.Command{…}` of another package; the own types are too many.
                let Some(kind) = node.child_by_field_name("type").filter(|kind| kind.kind() == "qualified_type") else {
                    return;
                };
                let written = self.source.name(kind);
                return self.add(format!("{written}{{}}"));
            }
            _ => return,
        };
        let Some(callee) = callee else { return };
        if let Some(step) = name(self.language, self.source, callee, self.known) {
            self.add(step);
        }
    }

    fn made(&mut self, constructor: Option<Node<'t>>) {
        let Some(made) = constructor.and_then(|made| name(self.language, self.source, made, self.known)) else {
            return;
        };
        self.add(format!("new {made}"));
    }

    /// `raise E(…)`, `raise E`, `throw new E(…)`.
    fn thrown(&self, node: Node<'t>) -> Option<String> {
        let kind = match node.kind() {
            "call" | "call_expression" => node.child_by_field_name("function")?,
            "new_expression" => node.child_by_field_name("constructor")?,
            "object_creation_expression" => node.child_by_field_name("type")?,
            _ => node,
        };
        let named = name(self.language, self.source, kind, self.known)?;
        let last = named.rsplit('.').next().unwrap_or(&named);
        last.starts_with(char::is_uppercase).then(|| last.to_owned())
    }
}

fn takes_a_function(node: Node<'_>) -> bool {
    if !matches!(node.kind(), "call_expression" | "call" | "method_invocation") {
        return false;
    }
    let Some(arguments) = node.child_by_field_name("arguments") else { return false };
    let is_function = |node: Node<'_>| CLOSURES.contains(&node.kind());
    children(arguments).into_iter().any(|argument| match argument.kind() {
        // `define({ handler: async () => … })`
        "object" => children(argument).into_iter().take(MOST).any(|pair| {
            pair.kind() == "method_definition" || pair.child_by_field_name("value").is_some_and(is_function)
        }),
        _ => is_function(argument),
    })
}

/// What an assertion is about: `status_code` in `assert rv.status_code == 200`, `data` in `assert b"x" in rv.data`.
fn subject(source: Source<'_>, condition: Node<'_>) -> Option<String> {
    let mut node = condition;
    for _ in 0..6 {
        node = match node.kind() {
            "attribute" => return source.field(node, "attribute"),
            "comparison_operator" => {
                children(node).into_iter().find(|side| matches!(side.kind(), "attribute" | "call" | "subscript"))?
            }
            "not_operator" => node.child_by_field_name("argument")?,
            "subscript" => node.child_by_field_name("value")?,
            "call" => {
                let callee = node.child_by_field_name("function")?;
                return match callee.kind() {
                    "attribute" => source.field(callee, "attribute"),
                    _ => Some(source.name(callee)).filter(|name| name.len() < 32),
                };
            }
            _ => return None,
        };
    }
    None
}
