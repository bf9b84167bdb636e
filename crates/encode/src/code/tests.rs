//! Outlines and resolution in every language, on texts as people write them; how they are compared stands here.

mod compiled;
mod hostile;
mod scripting;

use super::*;

fn outline(language: Language, text: &str) -> Outline {
    Parser::new().outline(language, text)
}

/// Definitions as `kind container.name first-last`, a `-` in front of what is private.
fn check_definitions(language: Language, text: &str, expect: &[&str]) {
    let outline = outline(language, text);
    let lines: Vec<String> = outline
        .definitions
        .iter()
        .map(|one| {
            let private = if one.is_public { "" } else { "-" };
            let container = one.container.as_ref().map(|container| format!("{container}.")).unwrap_or_default();
            format!("{private}{} {container}{} {}-{}", one.kind.as_str(), one.name, one.line, one.end_line)
        })
        .collect();
    assert_eq!(lines, expect);
}

/// Imports as `what [names]`, and the files each means in a repository.
fn check_imports(language: Language, from: &str, text: &str, files: &[&str], expect: &[(&str, &[&str])]) {
    let files = Files::new(files.iter().map(|&path| path.to_owned()).collect());
    check_imports_in(language, from, text, &files, expect);
}

fn check_imports_in(language: Language, from: &str, text: &str, files: &Files, expect: &[(&str, &[&str])]) {
    let outline = outline(language, text);
    let found: Vec<(String, Vec<String>)> = outline
        .imports
        .iter()
        .map(|import| {
            let names = if import.names.is_empty() { String::new() } else { format!(" [{}]", import.names.join(" ")) };
            (format!("{}{names}", import.what), resolve(language, import, from, files))
        })
        .collect();
    let expect: Vec<(String, Vec<String>)> = expect
        .iter()
        .map(|(import, files)| ((*import).to_owned(), files.iter().map(|&file| file.to_owned()).collect()))
        .collect();
    assert_eq!(found, expect);
}
