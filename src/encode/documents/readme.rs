//! What a README tells somebody who will work on the project: what it is, how to build, test and run it, how it is laid
//! out. It must not repeat badges, licences, thanks, nor how to install the finished product.

use super::{Learnt, outline::*, piece, rules};
use crate::encode::prose;
use crate::model::{Draft, Kind};

const MOST_NOTES: usize = 8;
const MOST_NOTES_BELOW: usize = 3;
const ABOUT: usize = 500;
const COMMANDS: usize = 700;

pub(super) fn learn(path: &str, outline: &Outline) -> Learnt {
    let root = !path.contains('/');
    let mut drafts: Vec<Draft> = about(path, outline).into_iter().collect();
    for section in outline.sections.iter().filter(|section| section.level > 0 && !piece::is_ceremony(&section.heading))
    {
        drafts.extend(layout(path, section).or_else(|| how_to(path, section)));
    }
    drafts.truncate(if root { MOST_NOTES } else { MOST_NOTES_BELOW });
    Learnt { drafts, ..Learnt::default() }
}

/// The first paragraph that says something, wherever it stands before the sections proper begin.
fn about(path: &str, outline: &Outline) -> Option<Draft> {
    // The title may be of any level: many give it the second.
    let opening = outline.sections.iter().enumerate().take(4).filter(|(at, section)| {
        let heading = prose::fold(&section.heading);
        *at <= 1
            || section.level <= 1
            || ["about", "overview", "introduction", "what", "description"].iter().any(|word| heading.starts_with(word))
    });
    let paragraphs = opening.flat_map(|(_, section)| &section.blocks).filter_map(|block| match block {
        Block::Paragraph(text) => Some(prose::plain(text)),
        _ => None,
    });
    let telling: Vec<String> = paragraphs.filter(|text| is_prose(text)).take(2).collect();
    let text = match telling.as_slice() {
        [] => return None,
        [first, second] if first.chars().count() < 160 => format!("{first} {second}"),
        [first, ..] => first.clone(),
    };
    let named = outline.sections.iter().find(|section| section.level > 0).map(|section| section.heading.clone());
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let title = match (folder, named.filter(|name| !name.is_empty())) {
        ("", Some(name)) => format!("What {name} is"),
        ("", None) => "What this project is".to_owned(),
        (folder, Some(name)) => format!("What {folder} is: {name}"),
        (folder, None) => format!("What {folder} is"),
    };
    let mut draft = note(path, &["about"], &title, prose::cut(&text, ABOUT));
    draft.importance = Some(if folder.is_empty() { 0.6 } else { 0.4 });
    Some(draft)
}

/// Words that make sentences, not a row of links or badges.
fn is_prose(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let links = text.matches("http").count()
        + text.matches(" | ").count()
        + text.matches(" • ").count()
        + text.matches(" · ").count();
    words >= 5 && letters * 2 > text.chars().count() && links * 5 < words && !text.ends_with(':')
}

fn note(path: &str, parts: &[&str], title: &str, text: String) -> Draft {
    let mut key = vec!["readme"];
    key.extend(parts);
    let mut draft = piece::draft(Kind::Note, path, piece::key(Kind::Note, path, &key), title, text);
    // Unlike rules, a description is of the very folder it lies in, hidden or not.
    if let Some((folder, _)) = path.rsplit_once('/').filter(|_| draft.files.is_empty()) {
        draft.files.push(folder.to_owned());
        piece::tag(&mut draft, folder);
    }
    piece::tag(&mut draft, "readme");
    draft
}

/// What a section is for, by its heading.
fn purpose(heading: &str) -> Option<&'static str> {
    let heading = prose::fold(heading);
    let table: &[(&str, &[&str])] = &[
        ("test", &["test", "testing", "tests", "benchmark", "benchmarks", "benchmarking", "coverage"]),
        ("build", &["build", "building", "compile", "compiling", "compilation"]),
        ("lint", &["lint", "linting", "formatting", "format", "style"]),
        (
            "develop",
            &[
                "development",
                "developing",
                "develop",
                "hacking",
                "developers",
                "contributing",
                "contribute",
                "setup",
                "set",
            ],
        ),
        (
            "run",
            &["run", "running", "start", "started", "quickstart", "quick", "usage", "launch", "commands", "scripts"],
        ),
        ("deploy", &["deploy", "deployment", "deploying", "release", "releasing", "publishing", "release process"]),
        ("install", &["install", "installation", "installing"]),
        ("debug", &["debug", "debugging", "troubleshooting", "fuzzing"]),
        ("migrate", &["migrations", "migration", "migrate", "database"]),
    ];
    // "Running tests" is about tests: the table's order decides, not the heading's.
    let named = table.iter().find(|(_, words)| heading.split(' ').any(|word| words.contains(&word)));
    named.map(|(purpose, _)| *purpose)
}

fn how_to(path: &str, section: &Section) -> Option<Draft> {
    let nearest = section.above.iter().skip(1).rev().find_map(|heading| purpose(heading));
    let purpose = purpose(&section.heading).or(nearest)?;
    let mut lines: Vec<String> = Vec::new();
    let mut lead = String::new();
    let mut commands = 0;
    for block in &section.blocks {
        match block {
            Block::Paragraph(text) | Block::Item { text, .. } => lead = prose::plain(text),
            Block::Code(code) => {
                let code = code.replace("\\\n", " ");
                let lines_of_code = code.lines().map(bare_command).filter(|line| is_work(line));
                let worth: Vec<String> = lines_of_code.map(prose::collapse).take(12).collect();
                if worth.is_empty() {
                    continue;
                }
                if !lead.is_empty() {
                    lines.push(prose::cut(prose::sentences(&lead).last().copied().unwrap_or(""), 160));
                    lead.clear();
                }
                commands += worth.len();
                lines.extend(worth.iter().map(|line| format!("    {}", prose::cut(line, 200))));
            }
        }
    }
    if commands == 0 {
        return None;
    }
    let way = piece::way(section);
    let text = rules::cut_lines(&format!("{way}:\n{}", lines.join("\n")), COMMANDS);
    let mut draft =
        note(path, &[&section.above.join(" › "), &section.heading], &format!("How to {purpose}: {way}"), text);
    draft.importance = Some(if matches!(purpose, "test" | "build" | "develop" | "lint") { 0.6 } else { 0.4 });
    piece::tag(&mut draft, purpose);
    Some(draft)
}

/// A line of a shell session without its prompt.
fn bare_command(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("$ ")
        .or_else(|| line.strip_prefix("> "))
        .or_else(|| line.strip_prefix("% "))
        .unwrap_or(line)
        .trim()
}

/// A command of somebody who works on the project, not of one who installs the finished thing.
fn is_work(line: &str) -> bool {
    let mut words =
        line.split_whitespace().skip_while(|word| *word == "sudo" || (word.contains('=') && !word.starts_with('-')));
    let Some(program) = words.next() else { return false };
    let second = words.next().unwrap_or("");
    let arguments: Vec<&str> = words.collect();
    const PROGRAMS: &[&str] = &[
        "cargo",
        "make",
        "npm",
        "pnpm",
        "yarn",
        "npx",
        "bun",
        "node",
        "deno",
        "python",
        "python3",
        "pip",
        "uv",
        "poetry",
        "tox",
        "nox",
        "pytest",
        "go",
        "mvn",
        "gradle",
        "docker",
        "docker-compose",
        "just",
        "task",
        "cmake",
        "ninja",
        "meson",
        "bundle",
        "rake",
        "rails",
        "composer",
        "php",
        "dotnet",
        "bazel",
        "pre-commit",
        "ruff",
        "kubectl",
        "terraform",
        "flask",
        "django-admin",
        "hatch",
        "pdm",
        "mix",
        "sbt",
        "swift",
        "zig",
        "nix",
        "ctest",
        "java",
        "rg",
        "createdb",
        "psql",
        "alembic",
        "supabase",
        "vercel",
        "fly",
        "helm",
        "ansible-playbook",
        "invoke",
        "turbo",
        "nx",
    ];
    let known = PROGRAMS.contains(&program)
        || program.starts_with("./")
        || program.ends_with(".sh")
        || program.ends_with(".py");
    // Installing something by its name is for users; installing what the repository asks for is part of the work.
    let installs = matches!(second, "install" | "binstall" | "i" | "add" | "get" | "pull" | "tool" | "global");
    let local = |word: &&str| word.starts_with(['-', '.', '#']) || word.ends_with(".txt");
    let product = installs && arguments.iter().any(|word| !local(word));
    known && !product
}

fn layout(path: &str, section: &Section) -> Option<Draft> {
    let heading = prose::fold(&section.heading);
    let marks = [
        "layout",
        "project structure",
        "repository structure",
        "directory structure",
        "architecture",
        "code structure",
        "folder structure",
        "repo structure",
        "structure",
        "directories",
        "organization",
        "organisation",
        "crates",
        "packages",
        "modules",
    ];
    if !marks.iter().any(|mark| heading == *mark || heading.ends_with(&format!(" {mark}"))) {
        return None;
    }
    let lines: Vec<String> = section
        .blocks
        .iter()
        .map(|block| match block {
            Block::Paragraph(text) => prose::plain(text),
            Block::Item { depth, text, .. } => {
                format!("{}- {}", "  ".repeat((*depth).min(4)), prose::cut(&prose::plain(text), 160))
            }
            Block::Code(code) => rules::indent_free(code),
        })
        .collect();
    let text = rules::cut_lines(&lines.join("\n"), 900);
    if text.chars().count() < 40 {
        return None;
    }
    let mut draft =
        note(path, &[&section.above.join(" › "), &section.heading], &format!("Layout: {}", piece::way(section)), text);
    for block in &section.blocks {
        if let Block::Item { text, .. } = block {
            piece::anchor(&mut draft, path, text);
        }
    }
    piece::tag(&mut draft, "layout");
    draft.importance = Some(0.55);
    Some(draft)
}
