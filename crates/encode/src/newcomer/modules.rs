//! The map of a repository: each package and folder of source in a line, what it is by its own words, where it is
//! entered, and who uses it. A part that nobody described is left out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use toml::Table;

use super::{Project, draft, paths};
use crate::prose;
use lokid_model::{Draft, Kind};

const MOST: usize = 30;
const MOST_USERS: usize = 5;
const LONGEST: usize = 240;
/// Folders below the top that are parts of their own.
const DEEPEST: usize = 4;

/// A file of source, as the map of the code knows it.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    pub path: &'a str,
    /// What the file says about itself, in a sentence.
    pub doc: Option<&'a str>,
    /// Files of the repository.
    pub imports: &'a [String],
}

/// One part, while it is gathered.
#[derive(Default)]
struct Part {
    about: String,
    source: String,
    entries: Vec<String>,
    files: usize,
    is_package: bool,
    users: BTreeMap<String, usize>,
}

pub fn modules(project: &Project<'_>, units: &[Unit<'_>]) -> Vec<Draft> {
    let units: Vec<&Unit<'_>> = units.iter().filter(|unit| paths::is_source(unit.path)).collect();
    let docs: BTreeMap<&str, &str> = units.iter().filter_map(|unit| Some((unit.path, unit.doc?))).collect();
    let mut parts: BTreeMap<String, Part> = BTreeMap::new();
    let packages = packages(project);
    for (folder, package) in packages.iter().filter(|(folder, _)| !folder.is_empty() && !is_beside(folder)) {
        let part = parts.entry((*folder).to_owned()).or_default();
        (part.about, part.source, part.is_package) = (package.about.clone(), package.manifest.to_owned(), true);
    }
    let folders: BTreeSet<&str> = units.iter().flat_map(|unit| above(unit.path)).collect();
    for folder in folders.into_iter().filter(|folder| folder.matches('/').count() < DEEPEST) {
        parts.entry(folder.to_owned()).or_default();
    }
    let all: BTreeSet<&str> = project.paths.iter().map(String::as_str).collect();
    for (folder, part) in &mut parts {
        part.entries = entries(folder, &all);
        if !is_telling(&part.about, folder) {
            let told =
                part.entries.iter().find_map(|path| Some((path.clone(), (*docs.get(path.as_str())?).to_owned())));
            let told = told.or_else(|| go_package(folder, &docs)).or_else(|| readme(project, folder));
            let (source, about) = told.filter(|(_, about)| is_telling(about, folder)).unwrap_or_default();
            (part.source, part.about) = (source, about);
        }
    }
    parts.retain(|_, part| !part.about.is_empty());
    drop_repeated(&mut parts);
    let home = |path: &str| above(path).into_iter().find(|folder| parts.contains_key(*folder)).map(str::to_owned);
    let mut used: Vec<(String, String)> = Vec::new();
    for unit in &units {
        let package = holder(unit.path, &packages);
        let around = if package.is_empty() { paths::folder(unit.path) } else { package };
        let own = home(unit.path).unwrap_or_else(|| around.to_owned());
        for there in unit.imports.iter().filter_map(|import| home(import)).collect::<BTreeSet<String>>() {
            let is_inside = there == package || there.starts_with(&format!("{package}/"));
            let user = if package.is_empty() || is_inside { &own } else { package };
            if *user != there && !user.starts_with(&format!("{there}/")) {
                used.push((there, user.to_owned()));
            }
        }
    }
    for (folder, package) in &packages {
        let known = |name: &String| {
            packages.iter().find(|(_, other)| other.name == *name).map(|(folder, _)| (*folder).to_owned())
        };
        let needs = package.needs.iter().filter(|_| !is_beside(folder));
        used.extend(needs.filter_map(known).map(|there| (there, (*folder).to_owned())));
    }
    for unit in &units {
        for folder in above(unit.path) {
            if let Some(part) = parts.get_mut(folder) {
                part.files += 1;
            }
        }
    }
    for (there, user) in used {
        if let Some(part) = parts.get_mut(&there).filter(|_| !user.is_empty()) {
            *part.users.entry(user).or_insert(0) += 1;
        }
    }
    // Of what holds nearly everything the README speaks.
    parts.retain(|_, part| part.files * 10 < units.len() * 7 || part.is_package && packages.len() > 1);
    let mut told: Vec<(&String, &Part)> = parts.iter().collect();
    told.sort_by_key(|(folder, part)| (!part.is_package, std::cmp::Reverse(part.files), *folder));
    told.into_iter().take(MOST).map(|(folder, part)| tell(folder, part)).collect()
}

fn tell(folder: &str, part: &Part) -> Draft {
    let about = prose::cut(&prose::collapse(&prose::plain(&part.about)), LONGEST);
    let stop = if about.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    let mut text = format!("`{folder}`: {about}{stop}");
    if let Some(entry) = part.entries.first().filter(|_| part.is_package) {
        text.push_str(&format!(" Entry: {entry}."));
    }
    let mut users: Vec<(&String, &usize)> = part.users.iter().collect();
    users.sort_by_key(|(user, times)| (std::cmp::Reverse(**times), *user));
    if !users.is_empty() {
        let more =
            if users.len() > MOST_USERS { format!(" and {} more", users.len() - MOST_USERS) } else { String::new() };
        let named: Vec<&str> = users.iter().take(MOST_USERS).map(|(user, _)| user.as_str()).collect();
        text.push_str(&format!(" Used by {}{more}.", named.join(", ")));
    }
    let mut files = vec![folder.to_owned()];
    files.extend(part.entries.iter().take(2).cloned());
    Draft {
        title: format!("What {folder} is"),
        files,
        importance: Some(0.4),
        confidence: Some(0.8),
        ..draft(Kind::Note, &format!("module\0{folder}"), text, &part.source)
    }
}

struct Package<'a> {
    name: String,
    about: String,
    manifest: &'a str,
    needs: Vec<String>,
}

/// By folder.
fn packages<'a>(project: &Project<'a>) -> BTreeMap<&'a str, Package<'a>> {
    let mut found = BTreeMap::new();
    for (path, text) in project.named("Cargo.toml") {
        let Ok(manifest) = text.parse::<Table>() else { continue };
        let Some(package) = manifest.get("package") else { continue };
        let word = |key: &str| package.get(key).and_then(toml::Value::as_str).map(prose::collapse).unwrap_or_default();
        let mut needs: Vec<String> = Vec::new();
        for table in ["dependencies", "build-dependencies"].iter().filter_map(|name| manifest.get(*name)?.as_table()) {
            needs.extend(table.keys().cloned());
        }
        let package = Package { name: word("name"), about: word("description"), manifest: path, needs };
        found.insert(paths::folder(path), package);
    }
    for (path, text) in project.named("package.json") {
        let Ok(manifest) = serde_json::from_str::<Json>(text) else { continue };
        let word = |key: &str| manifest.get(key).and_then(Json::as_str).map(prose::collapse).unwrap_or_default();
        let needs = ["dependencies", "peerDependencies"].iter().filter_map(|key| manifest.get(*key)?.as_object());
        let needs = needs.flat_map(|table| table.keys().cloned()).collect();
        let package = Package { name: word("name"), about: word("description"), manifest: path, needs };
        if !package.name.is_empty() {
            found.entry(paths::folder(path)).or_insert(package);
        }
    }
    found
}

/// The package a file belongs to, or the folder it stands in.
fn holder<'p>(path: &'p str, packages: &BTreeMap<&str, Package<'_>>) -> &'p str {
    let around = std::iter::successors(Some(paths::folder(path)), |folder| Some(paths::folder(folder)));
    around
        .take_while(|folder| !folder.is_empty())
        .find(|folder| packages.contains_key(folder))
        .unwrap_or(paths::folder(path))
}

fn is_beside(folder: &str) -> bool {
    let inner = format!("{folder}/x");
    paths::is_aside(&inner) || paths::is_test(&inner)
}

/// The folders a file stands in, the nearest first; `src` of a package is the package.
fn above(path: &str) -> Vec<&str> {
    std::iter::successors(Some(paths::folder(path)), |folder| Some(paths::folder(folder)))
        .take_while(|folder| !folder.is_empty())
        .filter(|folder| !matches!(folder.rsplit('/').next(), Some("src" | "lib" | "main" | "java")))
        .collect()
}

/// The files that speak for a folder, where they stand.
fn entries(folder: &str, all: &BTreeSet<&str>) -> Vec<String> {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "src/lib.rs", "src/main.rs", "mod.rs", "lib.rs", "main.rs", "__init__.py", "src/index.ts", "src/index.tsx",
        "src/index.js", "index.ts", "index.js", "lib/index.js", "index.mjs", "doc.go", "main.go", "package-info.java",
    ];
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let own = [
        format!("{folder}.rs"),
        format!("{folder}/{name}.go"),
        format!("{folder}/{name}.rs"),
        format!("{folder}/{name}.py"),
    ];
    let found = NAMES.iter().map(|name| format!("{folder}/{name}")).chain(own);
    found.filter(|path| all.contains(path.as_str())).collect()
}

/// Any file of a package of Go may hold its comment.
fn go_package(folder: &str, docs: &BTreeMap<&str, &str>) -> Option<(String, String)> {
    let start = format!("{folder}/");
    let inside = docs.range(start.as_str()..).take_while(|(path, _)| path.starts_with(&start));
    let mut inside = inside.filter(|(path, _)| path.ends_with(".go") && !path[start.len()..].contains('/'));
    inside.find(|(_, doc)| doc.starts_with("Package ")).map(|(path, doc)| ((*path).to_owned(), (*doc).to_owned()))
}

/// The first sentence below the heading.
fn readme(project: &Project<'_>, folder: &str) -> Option<(String, String)> {
    let path = ["README.md", "Readme.md", "readme.md"]
        .map(|name| crate::code::join(folder, name))
        .into_iter()
        .find(|path| project.texts.contains_key(path))?;
    let text = prose::head(project.text(&path)?, 8_000);
    let mut paragraph = String::new();
    for line in text.lines().map(str::trim) {
        let is_words = line.starts_with(|c: char| c.is_alphabetic() || c == '`' || c == '*' || c == '_');
        if is_words && !["***", "```"].iter().any(|sign| line.starts_with(sign)) {
            paragraph.push_str(line);
            paragraph.push(' ');
        } else if !paragraph.is_empty() {
            break;
        }
    }
    let plain = prose::plain(&paragraph);
    let first = prose::sentences(&plain).first().map(|sentence| prose::collapse(sentence))?;
    let says = [" is ", " are ", " provides ", " contains ", " implements ", " holds ", " defines "];
    if !first.starts_with("A ") && !first.starts_with("An ") && !says.iter().any(|word| first.contains(word)) {
        return None;
    }
    Some((path, first))
}

/// Words of their own: more than the name said again.
fn is_telling(about: &str, folder: &str) -> bool {
    let name = folder.rsplit('/').next().unwrap_or(folder).to_lowercase();
    let words = about.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
    let own = words.filter(|word| word.to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()) != name).count();
    let lower = about.to_lowercase();
    let empty = [
        "todo",
        "copyright",
        "license",
        "warning",
        "this file",
        "note:",
        "see ",
        "internal",
        "eslint",
        "http",
        "install",
    ];
    own >= 4
        && !about.ends_with('…')
        && !about.ends_with(':')
        && !empty.iter().any(|start| lower.starts_with(start))
        && !lower.contains("implementation detail")
        && about.len() < 600
}

/// A sentence that stands over several folders is a banner.
fn drop_repeated(parts: &mut BTreeMap<String, Part>) {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for part in parts.values() {
        *times.entry(part.about.clone()).or_insert(0) += 1;
    }
    parts.retain(|_, part| times[&part.about] == 1);
}
