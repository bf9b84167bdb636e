//! How a pattern reads: a hint in one line, a skeleton over several. Makes text of steps; decides nothing.

use super::super::Language;

const LONGEST_LINE: usize = 400;

/// A shape in one line, for keeping.
pub(super) fn line(role: &str, steps: &[String]) -> String {
    let mut line = format!("{role}: {}", steps.join(" → "));
    if let Some((cut, _)) = line.char_indices().nth(LONGEST_LINE) {
        line.truncate(cut);
    }
    line
}

/// `endpoint: post→safeParse→json`, `error type: enum + derive(Debug, Error) + #[from]`.
pub(super) fn hint(role: &str, family: &str, steps: &[&str]) -> String {
    let title = match role {
        "implementation" => format!("implementation of {family}"),
        "subclass" => format!("subclass of {family}"),
        "function" | "method" => format!("{role} {family}"),
        "definition" => format!("definition by {family}"),
        _ => role.to_owned(),
    };
    let parts = Parts::of(steps);
    let mut pieces = Vec::new();
    pieces.extend(parts.keyword.map(str::to_owned));
    if !parts.derives.is_empty() {
        pieces.push(format!("derive({})", parts.derives.join(", ")));
    }
    pieces.extend(parts.attributes.iter().map(|&attribute| attribute.to_owned()));
    let implied = matches!(role, "implementation" | "subclass");
    let bases = parts.bases.iter().filter(|base| !implied || **base != family);
    pieces.extend(bases.map(|base| format!("extends {base}")));
    let is_test = role == "test";
    if !parts.arguments.is_empty() && !is_test {
        pieces.push(format!("takes {}", parts.arguments.join(", ")));
    }
    pieces.extend(parts.marks.iter().map(|&mark| mark.to_owned()));
    pieces.extend(parts.members.iter().map(|&member| format!("{member}()")));
    let arranged = parts.arguments.iter().filter(|_| is_test).map(|argument| format!("arrange {argument}"));
    let calls =
        parts.calls.iter().filter(|call| role != "definition" || **call != family).map(|call| (*call).to_owned());
    let calls = arranged.chain(calls).collect::<Vec<_>>().join("→");
    let stands = pieces.join(" + ");
    match (stands.is_empty(), calls.is_empty()) {
        (true, _) => format!("{title}: {calls}"),
        (_, true) => format!("{title}: {stands}"),
        _ => format!("{title}: {stands}: {calls}"),
    }
}

/// The steps by what they are.
#[derive(Default)]
struct Parts<'s> {
    attributes: Vec<&'s str>,
    derives: Vec<&'s str>,
    keyword: Option<&'s str>,
    bases: Vec<&'s str>,
    arguments: Vec<&'s str>,
    /// Attributes of fields and variants: they come after the keyword.
    marks: Vec<&'s str>,
    members: Vec<&'s str>,
    calls: Vec<&'s str>,
}

impl<'s> Parts<'s> {
    fn of(steps: &[&'s str]) -> Parts<'s> {
        let mut parts = Parts::default();
        for step in steps.iter().copied() {
            if let Some(derived) = step.strip_prefix("derive(") {
                parts.derives.push(derived.trim_end_matches(')'));
            } else if let Some(base) = step.strip_prefix("extends ") {
                parts.bases.push(base);
            } else if let Some(argument) = step.strip_prefix("arg ") {
                parts.arguments.push(argument);
            } else if let Some(member) = step.strip_prefix("fn ") {
                parts.members.push(member);
            } else if matches!(step, "enum" | "struct") {
                parts.keyword = Some(step);
            } else if step.starts_with('@') {
                parts.attributes.push(step);
            } else if step.starts_with("#[") {
                let list = if parts.keyword.is_some() { &mut parts.marks } else { &mut parts.attributes };
                list.push(step);
            } else {
                parts.calls.push(step);
            }
        }
        parts
    }
}

/// The pattern as code with the names left open.
pub(super) fn skeleton(language: Language, role: &str, family: &str, steps: &[&str]) -> String {
    let parts = Parts::of(steps);
    let mut lines: Vec<String> = Vec::new();
    if !parts.derives.is_empty() {
        lines.push(format!("#[derive({}, …)]", parts.derives.join(", ")));
    }
    lines.extend(parts.attributes.iter().map(|attribute| match attribute.strip_suffix(']') {
        Some(_) => (*attribute).to_owned(),
        None => format!("{attribute}(…)"),
    }));
    let is_type = parts.keyword.is_some() || !parts.bases.is_empty() || !parts.members.is_empty();
    let name = match family.strip_suffix('*') {
        Some(verb) if matches!(role, "function" | "method") => format!("{verb}…"),
        _ => "…".to_owned(),
    };
    let arguments =
        if parts.arguments.is_empty() { "…".to_owned() } else { format!("{}, …", parts.arguments.join(", ")) };
    let (open, close) = match (language, is_type) {
        (Language::Rust, true) if role == "implementation" => (format!("impl {family} for … {{"), "}"),
        (Language::Rust, true) => (format!("{} … {{", parts.keyword.unwrap_or("struct")), "}"),
        (Language::Rust, false) => (format!("fn {name}({arguments}) {{"), "}"),
        (Language::Python, true) => (format!("class …({}):", parts.bases.join(", ")), ""),
        (Language::Python, false) => (format!("def {name}({arguments}):"), ""),
        (Language::Go, true) => ("type … struct {".to_owned(), "}"),
        (Language::Go, false) => (format!("func {name}({arguments}) {{"), "}"),
        (Language::C | Language::Cpp, true) => (with_bases("class … ", ": ", &parts.bases), "};"),
        (Language::C | Language::Cpp | Language::Java, false) => (format!("… {name}({arguments}) {{"), "}"),
        (_, true) => (with_bases("class … ", "extends ", &parts.bases), "}"),
        (_, false) => (format!("function {name}({arguments}) {{"), "}"),
    };
    lines.push(open);
    lines.extend(parts.marks.iter().map(|mark| format!("    {mark} …")));
    lines.extend(parts.members.iter().map(|member| format!("    {member}(…)")));
    lines.extend(parts.calls.iter().map(|call| {
        let takes_none = call.contains(' ') || call.ends_with('>') || call.ends_with('}');
        if takes_none { format!("    {call} …") } else { format!("    {call}(…)") }
    }));
    if !close.is_empty() {
        lines.push(close.to_owned());
    }
    lines.join("\n")
}

fn with_bases(opening: &str, word: &str, bases: &[&str]) -> String {
    if bases.is_empty() { format!("{opening}{{") } else { format!("{opening}{word}{} {{", bases.join(", ")) }
}
