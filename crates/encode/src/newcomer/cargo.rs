//! Which target of Cargo a file of integration tests belongs to: by its manifest, or by the root that names it as a module.

use toml::{Table, Value};

use super::paths::folder;

/// What `--test` takes, the module inside of it, and the features without which it is passed over.
#[derive(Debug, PartialEq, Eq)]
pub struct TestTarget {
    pub name: String,
    pub module: Option<String>,
    pub features: Vec<String>,
}

/// What a package calls all of its features, where none is usual.
pub const FULL: &str = "full";

struct Root {
    path: String,
    name: String,
    features: Vec<String>,
}

/// The target of a file, by the manifest of its package and the files below `tests`; all paths begin at the manifest. None where no
/// root or more than one leads to it.
pub fn test_target(
    manifest: &str,
    file: &str,
    paths: &[&str],
    text_of: &dyn Fn(&str) -> Option<String>,
) -> Option<TestTarget> {
    let manifest: Table = manifest.parse().ok()?;
    let roots = roots(&manifest, paths);
    let told = |root: &Root, module| {
        let (name, features) = (root.name.clone(), root.features.clone());
        TestTarget { name, module, features }
    };
    if let Some(root) = roots.iter().find(|root| root.path == file) {
        return Some(told(root, None));
    }
    let module_in = |root: &Root| {
        let module = file.strip_prefix(folder(&root.path))?.strip_prefix('/')?.strip_suffix(".rs")?;
        let module = module.strip_suffix("/mod").unwrap_or(module);
        let first = format!("mod {};", module.split('/').next()?);
        let text = text_of(&root.path)?;
        let is_named = text.lines().any(|line| line.trim_end().strip_suffix(&first).is_some_and(is_visibility));
        is_named.then(|| module.replace('/', "::"))
    };
    let mut found = roots.iter().filter_map(|root| Some((root, module_in(root)?)));
    let (root, module) = found.next().filter(|_| found.next().is_none())?;
    Some(told(root, Some(module)))
}

/// The features that a package declares, and whether what it tests takes the one that switches all of them on.
pub fn features_declared(manifest: &str) -> (Vec<String>, bool) {
    let manifest: Option<Table> = manifest.parse().ok();
    let features = manifest.as_ref().and_then(|manifest| manifest.get("features")?.as_table());
    let usual =
        features.and_then(|features| features.get("default")?.as_array()).is_some_and(|usual| !usual.is_empty());
    let names: Vec<String> = features.into_iter().flat_map(Table::keys).cloned().collect();
    let is_bare = !usual && names.iter().any(|name| name == FULL);
    (names, is_bare)
}

/// The features without which a module of Rust is passed over: the condition in its file, and those of the modules it stands in.
pub fn features_of_module(
    manifest: &str,
    root: &str,
    module: &str,
    text_of: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut needed: Vec<String> = Vec::new();
    let (mut file, mut inside) = (root.to_owned(), folder(root).to_owned());
    for name in module.split("::") {
        let Some(text) = text_of(&file) else { break };
        needed.extend(conditions(&text, Some(name)));
        let [flat, nested] = [format!("{inside}/{name}.rs"), format!("{inside}/{name}/mod.rs")];
        file = if text_of(&flat).is_some() { flat } else { nested };
        inside = format!("{inside}/{name}");
    }
    needed.extend(text_of(&file).map(|text| conditions(&text, None)).unwrap_or_default());
    not_usual(manifest, needed)
}

/// The features that a file of tests asks for in its head.
pub fn features_of_tests(manifest: &str, text: &str) -> Vec<String> {
    not_usual(manifest, conditions(text, None))
}

fn not_usual(manifest: &str, mut needed: Vec<String>) -> Vec<String> {
    let manifest: Option<Table> = manifest.parse().ok();
    let features = manifest.as_ref().and_then(|manifest| manifest.get("features")?.as_table());
    let brings = |name: &str| -> Vec<String> {
        let brought = features.and_then(|features| features.get(name)?.as_array()).into_iter().flatten();
        brought.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut usual = brings("default");
    let mut at = 0;
    while let Some(name) = usual.get(at).cloned() {
        at += 1;
        let more: Vec<String> = brings(&name).into_iter().filter(|name| !usual.contains(name)).collect();
        usual.extend(more);
    }
    let is_declared = |name: &String| features.is_some_and(|features| features.contains_key(name));
    needed.retain(|name| !usual.contains(name) && is_declared(name));
    // What is not for others comes with something that is.
    for name in needed.iter_mut().filter(|name| name.starts_with('_')) {
        let mut public = features.into_iter().flat_map(Table::keys).filter(|one| !one.starts_with('_'));
        *name = public.find(|one| brings(one).contains(name)).unwrap_or(name).clone();
    }
    needed.sort();
    needed.dedup();
    needed
}

/// The features in the conditions above `mod NAME`, or else in the head of a file; of a choice of several the first.
fn conditions(text: &str, module: Option<&str>) -> Vec<String> {
    let named = module.map(|name| [format!("mod {name};"), format!("mod {name} {{")]);
    let is_module = |line: &str| {
        let ends = named.iter().flatten().find_map(|end| line.trim_end().strip_suffix(end.as_str()));
        ends.is_some_and(is_visibility)
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let attributes: Vec<&str> = match &named {
        Some(_) => {
            let Some(at) = lines.iter().position(|line| is_module(line)) else { return Vec::new() };
            lines[..at]
                .iter()
                .rev()
                .take_while(|line| line.starts_with('#') || line.starts_with("//"))
                .copied()
                .collect()
        }
        None => lines.iter().copied().filter(|line| line.starts_with("#![cfg(")).collect(),
    };
    let is_condition = |line: &&str| line.starts_with("#[cfg(") || line.starts_with("#![cfg(");
    let features = attributes.into_iter().filter(is_condition).filter(|line| !line.contains("not(")).flat_map(|line| {
        let names = line.split("feature = \"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
        let most = if line.contains("any(") { 1 } else { usize::MAX };
        names.take(most).collect::<Vec<String>>()
    });
    features.collect()
}

fn roots(manifest: &Table, paths: &[&str]) -> Vec<Root> {
    let declared = manifest.get("test").and_then(Value::as_array).into_iter().flatten();
    let mut roots: Vec<Root> = declared.filter_map(|test| declared_root(test, paths)).collect();
    let package = manifest.get("package").and_then(Value::as_table);
    let are_found = package.and_then(|package| package.get("autotests")?.as_bool()).unwrap_or(true);
    for path in paths.iter().filter(|_| are_found) {
        let Some(name) = path.strip_prefix("tests/").and_then(|path| path.strip_suffix(".rs")) else { continue };
        let name = name.strip_suffix("/main").unwrap_or(name);
        if !name.contains('/') && roots.iter().all(|root| root.path != *path) {
            roots.push(Root { path: (*path).to_owned(), name: name.to_owned(), features: Vec::new() });
        }
    }
    roots
}

fn declared_root(test: &Value, paths: &[&str]) -> Option<Root> {
    let name = test.get("name")?.as_str()?;
    let usual = [format!("tests/{name}.rs"), format!("tests/{name}/main.rs")];
    let path = match test.get("path").and_then(Value::as_str) {
        Some(path) => path.trim_start_matches("./").to_owned(),
        None => usual.into_iter().find(|path| paths.contains(&path.as_str()))?,
    };
    let features = test.get("required-features").and_then(Value::as_array).into_iter().flatten();
    let features = features.filter_map(Value::as_str).map(str::to_owned).collect();
    Some(Root { path, name: name.to_owned(), features })
}

/// What may stand before `mod`.
fn is_visibility(before: &str) -> bool {
    matches!(before.trim(), "" | "pub" | "pub(crate)" | "pub(super)")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 5] = ["tests/tests.rs", "tests/misc.rs", "tests/it/main.rs", "tests/it/a/b.rs", "tests/odd.rs"];

    fn told(manifest: &str, file: &str) -> Option<(String, Option<String>, String)> {
        let text_of = |path: &str| match path {
            "tests/tests.rs" => Some("// The tests.\nmod misc;\nmod util;\n".to_owned()),
            "tests/it/main.rs" => Some("mod common;\npub(crate) mod a;\n".to_owned()),
            _ => Some(String::new()),
        };
        let target = test_target(manifest, file, &PATHS, &text_of)?;
        Some((target.name, target.module, target.features.join(",")))
    }

    fn is(name: &str, module: Option<&str>, features: &str) -> Option<(String, Option<String>, String)> {
        Some((name.to_owned(), module.map(str::to_owned), features.to_owned()))
    }

    #[test]
    fn a_file_of_tests_is_the_target_that_cargo_makes_of_it() {
        let plain = "[package]\nname = \"a\"\n";
        assert_eq!(told(plain, "tests/misc.rs"), is("misc", None, ""));
        assert_eq!(told(plain, "tests/it/main.rs"), is("it", None, ""));
        assert_eq!(told(plain, "tests/it/a/b.rs"), is("it", Some("a::b"), ""));
        assert_eq!(told(plain, "tests/it/other.rs"), None, "no root names it");
    }

    #[test]
    fn where_targets_are_declared_a_file_is_what_the_manifest_says() {
        let declared = "[package]\nname = \"a\"\nautotests = false\n[[test]]\nname = \"integration\"\n\
            path = \"tests/tests.rs\"\nrequired-features = [\"full\"]\n";
        assert_eq!(told(declared, "tests/tests.rs"), is("integration", None, "full"));
        assert_eq!(told(declared, "tests/misc.rs"), is("integration", Some("misc"), "full"));
        assert_eq!(told(declared, "tests/odd.rs"), None);
        let named = "[package]\nname = \"a\"\n[[test]]\nname = \"odd\"\n";
        assert_eq!(told(named, "tests/odd.rs"), is("odd", None, ""));
        assert_eq!(told("[package", "tests/odd.rs"), None);
    }

    #[test]
    fn what_is_built_under_a_condition_names_its_features() {
        let manifest =
            "[features]\ndefault = [\"std\"]\nstd = [\"alloc\"]\nalloc = []\nasync = []\ncluster = []\nodd = []\n";
        let text_of = |path: &str| {
            let text = match path {
                "src/lib.rs" => {
                    "#[cfg(feature = \"std\")]\nmod own;\n\n/// Docs.\n#[cfg(all(feature = \"cluster\", feature = \"alloc\"))]\npub mod ring;\nmod plain;"
                }
                "src/ring/mod.rs" => {
                    "#[cfg(any(feature = \"async\", feature = \"odd\"))]\nmod node;\n#[cfg(not(feature = \"odd\"))]\nmod even;"
                }
                "src/ring/node.rs" | "src/ring/even.rs" | "src/own.rs" => "",
                "src/plain.rs" => "#![cfg(feature = \"odd\")]",
                _ => return None,
            };
            Some(text.to_owned())
        };
        let of = |module| features_of_module(manifest, "src/lib.rs", module, &text_of).join(",");
        let told = [of("ring::node"), of("ring::even"), of("own"), of("plain")];
        assert_eq!(told, ["async,cluster", "cluster", "", "odd"]);
        assert_eq!(features_of_tests(manifest, "//! Tests.\n#![cfg(feature = \"async\")]\n"), ["async"]);
    }

    #[test]
    fn features_are_those_of_the_package() {
        let of = |text: &str| features_declared(text);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(of("[features]\nfull = []\nmini = [\"dep:x\"]\n[dependencies]\n"), (names(&["full", "mini"]), true));
        assert_eq!(of("[features]\ndefault = [\"full\"]\nfull = []\n"), (names(&["default", "full"]), false));
        assert_eq!(of("[features"), (Vec::new(), false));
    }
}
