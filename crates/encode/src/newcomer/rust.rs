//! What Cargo's files say: version, build, tests, lints.

use toml::{Table, Value};

use super::checks::{Service, command};
use super::run::{CARGO, NEXTEST};
use super::{Answer, Project, paths};

pub(super) fn answers(project: &Project<'_>, services: &[Service<'_>]) -> Vec<Answer> {
    let manifests = project.named("Cargo.toml");
    let Some((path, text)) = manifests.first().copied() else { return Vec::new() };
    let Ok(manifest) = text.parse::<Table>() else { return Vec::new() };
    let folder = paths::folder(path);
    let inside = if folder.is_empty() { String::new() } else { format!("cd {folder} && ") };
    let workspace = manifest.get("workspace").and_then(Value::as_table);
    let mut told = minimum(project, &manifest, path);
    if told.is_empty() && !manifest.contains_key("package") {
        told.extend(common_minimum(&manifests));
    }
    let all = if workspace.is_some() && manifest.contains_key("package") { " --workspace" } else { "" };
    told.push(Answer::new("build", format!("`{inside}cargo build{all}`"), path));
    let tested = command(services, &[CARGO, NEXTEST]).map(|(line, _)| line).filter(|line| {
        !line.split_whitespace().any(|word| {
            ["-p", "--package", "--test", "--doc", "--target", "--manifest-path", "--no-default-features"]
                .contains(&word)
        })
    });
    let plain = format!("{CARGO}{all}");
    let test_all = match tested.as_ref().filter(|line| **line != plain) {
        Some(line) => format!("`{inside}{plain}` (CI: `{line}`)"),
        None => format!("`{inside}{plain}`"),
    };
    told.push(Answer::new("test.all", test_all, path));
    let package = if workspace.is_some() && manifests.len() > 1 { " -p CRATE" } else { "" };
    // What one package calls its features another may not have.
    let known = tested.as_deref().map(features).unwrap_or_default();
    let known = if package.is_empty() || known.trim() == "--all-features" { known } else { String::new() };
    let package = format!("{package}{known}");
    let is_nextest = |line: &String| line.starts_with(NEXTEST);
    let runner =
        if tested.as_ref().map_or_else(|| project.has(".config/nextest.toml"), is_nextest) { NEXTEST } else { CARGO };
    let mut one = format!("`{inside}{runner}{package} NAME`");
    if let Some(suite) = suite(project, &manifest, folder) {
        let features = tested.as_deref().map(features).unwrap_or_default();
        one.push_str(&format!(
            "; in an integration suite of the top crate: `{inside}{runner}{features} --test {suite} NAME`"
        ));
    }
    told.push(Answer::new("test.one", one, path));
    let clippy = command(services, &["cargo clippy", "cargo +nightly clippy"]);
    let config = ["clippy.toml", ".clippy.toml"].into_iter().find(|path| project.has(path));
    let lint = clippy.or_else(|| Some(("cargo clippy".to_owned(), config?.to_owned())));
    told.extend(lint.map(|(line, source)| Answer::new("lint", format!("`{line}`"), source)));
    let fmt = command(services, &["cargo fmt", "cargo +nightly fmt"]);
    let config = ["rustfmt.toml", ".rustfmt.toml"].into_iter().find(|path| project.has(path));
    let format = match (fmt, config) {
        (Some((line, source)), _) => {
            let nightly = if line.starts_with("cargo +nightly") { " +nightly" } else { "" };
            Some((format!("`cargo{nightly} fmt` (CI: `{line}`)"), source))
        }
        (None, config) => config.map(|path| ("`cargo fmt`".to_owned(), path.to_owned())),
    };
    told.extend(format.map(|(line, source)| Answer::new("format", line, source)));
    told
}

fn minimum(project: &Project<'_>, manifest: &Table, path: &str) -> Vec<Answer> {
    let of = |key: &str| {
        let own = manifest.get("package").and_then(|package| package.get(key)).and_then(Value::as_str);
        own.or_else(|| manifest.get("workspace")?.get("package")?.get(key)?.as_str())
    };
    let pinned =
        ["rust-toolchain.toml", "rust-toolchain"].into_iter().find_map(|path| Some((path, project.text(path)?)));
    let channel = pinned.and_then(|(_, text)| match text.parse::<Table>() {
        Ok(table) => Some(table.get("toolchain")?.get("channel")?.as_str()?.to_owned()),
        Err(_) => Some(text.trim().to_owned()).filter(|line| !line.contains('\n') && line.len() < 40),
    });
    let edition = of("edition").map_or(String::new(), |edition| format!(", edition {edition}"));
    let value = match (of("rust-version"), channel) {
        (Some(version), Some(channel)) => format!("Rust {version} or newer{edition}; toolchain pinned to {channel}"),
        (Some(version), None) => format!("Rust {version} or newer{edition}"),
        (None, Some(channel)) => format!("Rust toolchain {channel} (pinned){edition}"),
        (None, None) => return Vec::new(),
    };
    vec![Answer::new("language.minimum", value, path)]
}

/// What the members of a workspace ask for, where they agree.
fn common_minimum(manifests: &[(&str, &str)]) -> Option<Answer> {
    let version =
        |text: &str| Some(text.parse::<Table>().ok()?.get("package")?.get("rust-version")?.as_str()?.to_owned());
    let stated: Vec<(&str, String)> =
        manifests.iter().filter_map(|(path, text)| Some((*path, version(text)?))).collect();
    let (path, first) = stated.first()?;
    let agree = stated.iter().all(|(_, version)| version == first);
    agree.then(|| Answer::new("language.minimum", format!("Rust {first} or newer"), *path))
}

/// The features that tests are run with.
fn features(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let named = words.iter().position(|word| *word == "--features").and_then(|at| words.get(at + 1));
    match named.filter(|name| name.chars().all(|c| c.is_alphanumeric() || "-_,/".contains(c))) {
        Some(name) => format!(" --features {name}"),
        None if words.contains(&"--all-features") => " --all-features".to_owned(),
        None => String::new(),
    }
}

/// A suite of integration tests by its name.
fn suite(project: &Project<'_>, manifest: &Table, folder: &str) -> Option<String> {
    let named = manifest.get("test").and_then(Value::as_array).and_then(|tests| tests.first());
    let named = named.and_then(|test| test.get("name")).and_then(Value::as_str);
    let tests = crate::code::join(folder, "tests/");
    let alone = |path: &str| {
        path.strip_prefix(&tests)?.strip_suffix(".rs").filter(|name| !name.contains('/')).map(str::to_owned)
    };
    named.map(str::to_owned).or_else(|| project.paths.iter().find_map(|path| alone(path)))
}
