//! What a person would call the part of the repository a file belongs to. Looks at the path alone.

/// Folders that hold code and say nothing about it, at the beginning of a path or behind a package's own folder.
const HOLDERS: &[&str] = &["src", "lib", "source", "sources"];
/// Folders of packages: the package's name says more than they do.
const COLLECTIONS: &[&str] = &["crates", "packages", "pkgs", "libs", "apps", "services", "modules", "projects", "pkg"];
/// Roots of Java's sources, followed by a reversed domain.
const JAVA_ROOTS: &[&str] = &["src/main/java/", "src/test/java/", "src/main/kotlin/"];
const TOP_DOMAINS: &[&str] = &["com", "org", "net", "io", "dev", "edu", "de", "fr", "uk", "gov", "me", "app"];
/// File names that stand for their folder.
const FOLDER_FILES: &[&str] = &["mod", "index", "__init__", "__main__", "lib", "main", "package-info"];
/// How much of a Java package is kept, the class included.
const JAVA_PARTS: usize = 2;

/// The module a file is: `src/engine/recall.rs` is `engine/recall`, `crates/store/src/lib.rs` is `store`.
pub fn module_of(path: &str) -> String {
    let path = path.trim_start_matches("./").trim_matches('/');
    let stem = without_extension(path);
    if let Some(module) = java(stem) {
        return module;
    }
    let mut parts: Vec<&str> = stem.split('/').filter(|part| !part.is_empty()).collect();
    if parts.len() > 2 && COLLECTIONS.contains(&parts[0]) {
        parts.remove(0);
        if parts.len() > 2 && HOLDERS.contains(&parts[1]) {
            parts.remove(1);
        }
    } else if parts.len() > 1 && HOLDERS.contains(&parts[0]) {
        parts.remove(0);
    }
    if parts.len() > 1 && parts.last().is_some_and(|last| FOLDER_FILES.contains(last)) {
        parts.pop();
    }
    parts.join("/")
}

fn without_extension(path: &str) -> &str {
    let start = path.rfind('/').map_or(0, |at| at + 1);
    let name = &path[start..];
    let name_end = match name.rfind('.') {
        Some(at) if at > 0 => at,
        _ => name.len(),
    };
    let stem = &path[..start + name_end];
    stem.strip_suffix(".d").unwrap_or(stem)
}

fn java(stem: &str) -> Option<String> {
    let package = JAVA_ROOTS.iter().find_map(|root| {
        let at = stem.find(root)?;
        (at == 0 || stem[..at].ends_with('/')).then(|| &stem[at + root.len()..])
    })?;
    let parts: Vec<&str> = package.split('/').filter(|part| !part.is_empty()).collect();
    let domain = if TOP_DOMAINS.contains(parts.first()?) { 2 } else { 0 };
    let mut kept = parts.get(domain..).filter(|rest| !rest.is_empty()).unwrap_or(&parts).to_vec();
    if kept.len() > 1 && kept.last() == Some(&"package-info") {
        kept.pop();
    }
    Some(kept[kept.len().saturating_sub(JAVA_PARTS)..].join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_as_a_person_would() {
        let check = |path: &str, expect: &str| assert_eq!(module_of(path), expect, "{path}");
        check("src/engine/recall.rs", "engine/recall");
        check("src/engine/mod.rs", "engine");
        check("src/lib.rs", "lib");
        check("src/main.rs", "main");
        check("crates/store-core/src/lib.rs", "store-core");
        check("crates/store-core/src/journal/replay.rs", "store-core/journal/replay");
        check("packages/ui/src/Button/index.tsx", "ui/Button");
        check("src/flask/json/__init__.py", "flask/json");
        check("tests/test_app.py", "tests/test_app");
        check("internal/json/json.go", "internal/json/json");
        check(
            "src/main/java/org/springframework/samples/petclinic/owner/OwnerController.java",
            "owner/OwnerController",
        );
        check("gson/src/main/java/com/google/gson/Gson.java", "gson/Gson");
        check("types/index.d.ts", "types");
        check("Makefile", "Makefile");
        check("./app.py", "app");
        check("", "");
        check("/", "");
        check("src/main/java/", "main/java");
    }

    proptest::proptest! {
        #[test]
        fn any_path_has_a_module(path in "[a-z/.é]{0,40}") {
            let module = module_of(&path);
            proptest::prop_assert!(module.len() <= path.len());
        }
    }
}
