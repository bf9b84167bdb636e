//! What a file defines and imports. One walk a language, below; this file holds what they share and what they give.

mod c;
mod ecma;
mod ecma_imports;
mod go;
mod java;
mod python;
mod rust;
mod unparsed;

use tree_sitter::Node;

use super::node::{Source, end_line, line};
use super::{Language, Unread, doc};

/// What a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionKind {
    Function,
    Method,
    /// A class, struct, enum, record or alias.
    Type,
    /// A trait, interface or protocol.
    Interface,
    /// A constant, or a variable of the whole file.
    Constant,
    Module,
    Macro,
    Test,
}

impl DefinitionKind {
    pub fn as_str(self) -> &'static str {
        match self {
            DefinitionKind::Function => "function",
            DefinitionKind::Method => "method",
            DefinitionKind::Type => "type",
            DefinitionKind::Interface => "interface",
            DefinitionKind::Constant => "constant",
            DefinitionKind::Module => "module",
            DefinitionKind::Macro => "macro",
            DefinitionKind::Test => "test",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub kind: DefinitionKind,
    /// From 1.
    pub line: u32,
    pub end_line: u32,
    /// The type, module or suite it stands in.
    pub container: Option<String>,
    /// Whether code elsewhere may use it, by the customs of the language.
    pub is_public: bool,
}

/// One source something is imported from. `use a::{b, c::d}` gives two: `a` and `a::c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The path as written: `crate::a::b`, `..pkg.mod`, `./x.js`, `net/http`, `com.a.B`, `"x.h"`, `<x.h>`. A Rust
    /// module in a file of its own is `mod x`.
    pub what: String,
    /// What is taken from there by name; `*` is everything.
    pub names: Vec<String>,
    pub line: u32,
    /// Whether the path is read from where the file stands.
    pub relative: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    pub definitions: Vec<Definition>,
    pub imports: Vec<Import>,
    /// The first sentence of what the file says about itself.
    pub module_doc: Option<String>,
    /// Set if the file was not read; then all else is empty.
    pub unread: Option<Unread>,
}

/// More of either is a table of data in the shape of code.
const MOST_DEFINITIONS: usize = 4_000;
const MOST_IMPORTS: usize = 2_000;
/// Types in modules in types: nobody nests deeper, and a walk that recurses needs an end.
const DEEPEST: usize = 24;

/// What kind of thing was found, for those who compare definitions with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Callable,
    Type,
    /// An interface implemented for a type, apart from the type itself.
    Implementation,
    /// A call at the top of a file that hands a function to a framework: a route, a listener.
    Registration,
    Value,
}

/// A definition and where it stands in the tree.
pub(super) struct Found<'t> {
    pub(super) definition: Definition,
    pub(super) form: Form,
    pub(super) node: Node<'t>,
    /// Attributes, decorators, annotations.
    pub(super) attributes: Vec<Node<'t>>,
    /// What it extends or implements, without arguments.
    pub(super) bases: Vec<String>,
    /// Some things are compared but are no definitions a reader would look for.
    listed: bool,
}

/// Reads a tree. The outline is in the order of the text.
pub(super) fn of<'t>(language: Language, root: Node<'t>, text: &'t str) -> (Outline, Vec<Found<'t>>) {
    let mut walk = Walk { source: Source(text), found: Vec::new(), imports: Vec::new() };
    match language {
        Language::Rust => rust::walk(&mut walk, root),
        Language::Python => python::walk(&mut walk, root),
        Language::JavaScript | Language::TypeScript | Language::Tsx => ecma::walk(&mut walk, root),
        Language::Go => go::walk(&mut walk, root),
        Language::Java => java::walk(&mut walk, root),
        Language::C | Language::Cpp => c::walk(&mut walk, root),
    }
    let listed = walk.found.iter().filter(|found| found.listed);
    let mut definitions: Vec<Definition> = listed.map(|found| found.definition.clone()).collect();
    if language.is_ecma() && root.has_error() {
        unparsed::complete(&mut definitions, text);
    }
    let module_doc = doc::of(language, root, walk.source);
    (Outline { definitions, imports: walk.imports, module_doc, unread: None }, walk.found)
}

/// What a walk has gathered.
pub(super) struct Walk<'t> {
    source: Source<'t>,
    found: Vec<Found<'t>>,
    imports: Vec<Import>,
}

/// Where a walk stands.
#[derive(Clone, Copy)]
struct OutlinePlace<'p> {
    container: Option<&'p str>,
    /// Within a type, where functions are methods.
    in_type: bool,
    is_public: bool,
    depth: usize,
}

impl<'p> OutlinePlace<'p> {
    const TOP: OutlinePlace<'static> = OutlinePlace { container: None, in_type: false, is_public: true, depth: 0 };

    /// One level deeper, unless that is too deep.
    fn within(self, container: Option<&'p str>, in_type: bool) -> Option<OutlinePlace<'p>> {
        (self.depth < DEEPEST).then_some(OutlinePlace { container, in_type, depth: self.depth + 1, ..self })
    }

    fn deeper(self) -> Option<OutlinePlace<'p>> {
        self.within(self.container, self.in_type)
    }
}

impl<'t> Walk<'t> {
    /// Notes a definition; the answer is where to add what else is known of it.
    fn define(
        &mut self,
        name: String,
        kind: DefinitionKind,
        form: Form,
        node: Node<'t>,
        place: OutlinePlace<'_>,
    ) -> Option<&mut Found<'t>> {
        if name.is_empty() || self.found.len() >= MOST_DEFINITIONS {
            return None;
        }
        let definition = Definition {
            name,
            kind,
            line: line(node),
            end_line: end_line(node),
            container: place.container.map(str::to_owned),
            is_public: place.is_public,
        };
        self.found.push(Found { definition, form, node, attributes: Vec::new(), bases: Vec::new(), listed: true });
        self.found.last_mut()
    }

    fn import(&mut self, what: String, names: Vec<String>, node: Node<'_>, relative: bool) {
        if !what.is_empty() && self.imports.len() < MOST_IMPORTS {
            self.imports.push(Import { what, names, line: line(node), relative });
        }
    }
}
