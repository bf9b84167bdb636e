//! What the last name of a path gives away: a lock, a passing file, an editor at work, a list of dependencies.
//!
//! Names in, answers out; no path is looked at.

/// Written to be renamed or removed again; nobody wants to hear of it.
pub(super) fn is_passing(name: &str) -> bool {
    let lower_end = |end: &str| name.len() > end.len() && name.ends_with(end);
    name == "4913"
        || name.starts_with(".tmp_")
        || name.starts_with(".#")
        || name.starts_with(".nfs")
        || name.starts_with(".goutputstream-")
        || name.starts_with(".~lock.")
        || (name.starts_with('#') && name.len() > 2 && name.ends_with('#'))
        || lower_end("~")
        || lower_end(".tmp")
        || lower_end(".swp.part")
        || name.contains(".tmp.")
        || name.contains("___jb_")
        || is_vim_swap(name)
        || is_lock_beside(name)
}

/// `Cargo.lock` is a file of the project; `patterns.json.lock` and `.x.lock` guard another one.
fn is_lock_beside(name: &str) -> bool {
    name.strip_suffix(".lock").is_some_and(|stem| stem.contains('.') || stem.is_empty())
}

/// `.name.swp`, and `.swo`, `.swn`, … when several sessions are open.
fn is_vim_swap(name: &str) -> bool {
    swap_stem(name).is_some()
}

fn swap_stem(name: &str) -> Option<&str> {
    let (stem, end) = name.strip_prefix('.')?.rsplit_once('.')?;
    let end = end.as_bytes();
    let swap = end.len() == 3 && end[..2] == *b"sw" && end[2].is_ascii_lowercase();
    (swap && !stem.is_empty()).then_some(stem)
}

/// The file that an editor has open, told by the helper file it puts beside it.
pub(super) fn edited_beside(name: &str) -> Option<&str> {
    swap_stem(name)
        .or_else(|| name.strip_prefix(".#"))
        .or_else(|| name.strip_suffix('~'))
        .or_else(|| name.strip_suffix("___jb_tmp___"))
        .filter(|owner| !owner.is_empty())
}

/// Lists of dependencies, which tools read unasked all day.
pub(super) fn is_manifest(name: &str) -> bool {
    const MANIFESTS: [&str; 27] = [
        "Cargo.toml",
        "package.json",
        "package-lock.json",
        "pnpm-lock.yaml",
        "pnpm-workspace.yaml",
        "tsconfig.json",
        "jsconfig.json",
        "pyproject.toml",
        "setup.cfg",
        "requirements.txt",
        "go.mod",
        "go.sum",
        "go.work",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "gradle.properties",
        "Gemfile",
        "composer.json",
        "rust-toolchain.toml",
        "rust-toolchain",
        ".editorconfig",
        ".gitattributes",
        ".gitmodules",
        "bun.lockb",
    ];
    MANIFESTS.contains(&name) || name.ends_with(".lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_names_are_told_from_lasting_ones() {
        for name in [
            "4913",
            ".x.swp",
            ".main.rs.swo",
            "x~",
            ".#x",
            "#x#",
            "x.tmp",
            ".tmp_abc.json",
            "a___jb_tmp___",
            "a___jb_old___",
            "patterns.json.lock",
            ".lock",
            "main.rs.tmp.4242.99",
            ".nfs000012",
        ] {
            assert!(is_passing(name), "{name}");
        }
        for name in ["Cargo.lock", "yarn.lock", "main.rs", "tmp", "swp", "a.swp", ".swp", "~", "49130", "#", ".env"] {
            assert!(!is_passing(name), "{name}");
        }
    }

    #[test]
    fn a_helper_file_names_its_owner() {
        for (name, owner) in [
            (".main.rs.swp", Some("main.rs")),
            (".Makefile.swx", Some("Makefile")),
            (".#main.rs", Some("main.rs")),
            ("main.rs~", Some("main.rs")),
            ("main.rs___jb_tmp___", Some("main.rs")),
            ("4913", None),
            ("main.rs", None),
            ("~", None),
            (".#", None),
        ] {
            assert_eq!(edited_beside(name), owner, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_name_makes_them_panic(name in "\\PC{0,20}") {
            let _ = (is_passing(&name), edited_beside(&name), is_manifest(&name));
        }
    }
}
