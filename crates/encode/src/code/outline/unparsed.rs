//! What stands in a text that its grammar lost its way in, as JavaScript's does in the types of Flow: functions and classes that
//! begin a line, each to the brace that closes it.

use super::{Definition, DefinitionKind, MOST_DEFINITIONS};

const BEFORE: [&str; 5] = ["export ", "default ", "declare ", "async ", "abstract "];

/// Adds to what is known, in the order of the text, what begins in other lines.
pub(super) fn complete(known: &mut Vec<Definition>, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let room = MOST_DEFINITIONS.saturating_sub(known.len());
    let found = lines.iter().enumerate().filter_map(|(at, line)| {
        let (name, kind, is_public) = begun(line)?;
        let number = at as u32 + 1;
        if known.iter().any(|known| known.line == number) {
            return None;
        }
        let end = lines[at..].iter().position(|line| line.starts_with('}')).unwrap_or(0);
        let (name, container) = (name.to_owned(), None);
        Some(Definition { name, kind, line: number, end_line: number + end as u32, container, is_public })
    });
    let found: Vec<Definition> = found.take(room).collect();
    known.extend(found);
    known.sort_by_key(|definition| definition.line);
}

/// The name of what begins in this line, and whether others may use it.
fn begun(line: &str) -> Option<(&str, DefinitionKind, bool)> {
    let mut rest = line;
    while let Some(after) = BEFORE.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = after;
    }
    let function = rest.strip_prefix("function").map(|rest| (rest, DefinitionKind::Function));
    let (rest, kind) = function.or_else(|| Some((rest.strip_prefix("class")?, DefinitionKind::Type)))?;
    let rest = rest.strip_prefix([' ', '*'])?.trim_start_matches([' ', '*']);
    let end = rest.find(|sign: char| !(sign.is_alphanumeric() || sign == '_' || sign == '$')).unwrap_or(rest.len());
    (end > 0).then(|| (&rest[..end], kind, line.starts_with("export ")))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Language, Parser};

    #[test]
    fn where_the_grammar_loses_its_way_functions_are_found_all_the_same() {
        let flow = "// @flow\nexport type A = {| +one: ?string |};\nfunction first(a: A): void {\n  go((a: any));\n}\n\n\
            export async function* second<T>(\n  b: Array<?T>,\n): T {\n  return (b[0]: any);\n}\n\nclass Third {\n}\n\
            functional(1);\n";
        let outline = Parser::new().outline(Language::JavaScript, flow);
        let told = |name: &str| {
            let found = outline.definitions.iter().filter(|found| found.name == name);
            found.map(|found| (found.line, found.end_line, found.is_public)).collect::<Vec<_>>()
        };
        assert_eq!(told("first"), [(3, 5, false)]);
        assert_eq!(told("second"), [(7, 11, true)]);
        assert_eq!(told("Third"), [(13, 14, false)]);
        assert!(told("al").is_empty());
    }
}
