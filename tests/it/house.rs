//! The rules of the house that neither Cargo nor clippy keeps: which crate may name which, whose doors to the world are
//! open, and how files open and how long they grow. It reads manifests and sources, and nothing of what they do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Reading order: each crate with the crates of the house it may depend on. What is not named here may not be built.
const ROOMS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("text", &[]),
    ("config", &["model"]),
    ("sys", &["model"]),
    ("watch", &["model", "sys"]),
    ("encode", &["model"]),
    ("store", &["model", "sys"]),
    ("index", &["model", "sys"]),
    ("retrieve", &["model", "config", "index"]),
    ("context", &["model", "config", "index", "retrieve"]),
    ("manage", &["model"]),
    ("mirror", &["model", "config", "sys", "store"]),
    ("team", &["model", "config", "sys", "store"]),
    ("engine", EVERYTHING_ABOVE),
];
const EVERYTHING_ABOVE: &[&str] = &["*"];

/// Libraries that reach the world, or that belong to the borders, with the crates that may use them. `lokid` is the
/// root package: serve, cli and main.
const DOORS: &[(&str, &[&str])] = &[
    ("cap-std", &["sys"]),
    ("rustix", &["sys"]),
    ("libc", &["sys"]),
    ("git2", &["sys"]),
    ("ignore", &["sys", "watch"]),
    ("notify", &["watch"]),
    // The database's client is built on it, and waits with it.
    ("tokio", &["sys", "engine", "lokid"]),
    ("tokio-postgres", &["sys"]),
    ("hyper", &["lokid"]),
    ("ureq", &["sys"]),
    // The index writes its caches by it, and mirror and team speak to a server.
    ("serde", &["config", "store", "index", "mirror", "team", "engine", "lokid"]),
];

const MOST_LINES: usize = 500;
const MEDIAN_LINES: usize = 200;
const MOST_LINES_OF_MAIN: usize = 40;

#[test]
fn crates_depend_only_on_the_crates_they_may() {
    let place = |wanted: &str| ROOMS.iter().position(|(name, _)| *name == wanted);
    for (room, libraries) in manifests() {
        if room == "lokid" || room == "testing" {
            continue;
        }
        let own = place(&room).unwrap_or_else(|| panic!("crates/{room} has no place in ROOMS"));
        for named in libraries.iter().filter_map(|library| library.strip_prefix("lokid-")) {
            let allowed = ROOMS[own].1;
            let may =
                allowed.contains(&named) || allowed == EVERYTHING_ABOVE && place(named).is_some_and(|at| at < own);
            assert!(may, "crates/{room}/Cargo.toml: {room} may not depend on {named}");
        }
    }
}

#[test]
fn the_world_is_reached_through_few_doors() {
    for (room, libraries) in manifests() {
        for (library, rooms) in DOORS {
            let uses = libraries.iter().any(|name| name == library);
            assert!(!uses || rooms.contains(&room.as_str()), "{room} may not depend on {library}");
        }
    }
}

/// Files of the engine that write without the redactor, and why they may: what they keep are no words.
const WORDLESS: &[(&str, &str)] = &[
    ("redaction.rs", "is the door"),
    ("authority.rs", "ids, hashes and tiers"),
    ("identity.rs", "paths by which projects are found again"),
    ("judge.rs", "hashes and verdicts"),
    ("usage.rs", "ids and counts"),
    ("strategy.rs", "counts"),
    ("strategy/book.rs", "ids and scores"),
    ("night/familiar.rs", "hashes"),
    ("night/report.rs", "ids, and words made of memories"),
    ("past/cache.rs", "what was cleaned as it was read"),
    ("team.rs", "an address without a password, and two names"),
    ("ears.rs", "paths of transcripts that are still to be read"),
];

#[test]
fn what_the_daemon_keeps_passes_the_redactor() {
    let own = |path: &str| path.strip_prefix("crates/engine/src/").map(str::to_owned);
    let doors = ["plain::replace(", "plain::append(", "Disk::create(", ".write_many("];
    for (path, text) in sources().into_iter().filter_map(|(path, text)| Some((own(&path)?, text))) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let writes = doors.iter().any(|door| code.contains(door));
        let may = WORDLESS.iter().any(|(known, _)| *known == path) || path.contains("tests");
        assert!(!writes || may, "crates/engine/src/{path} writes a file: let `Redaction::keep` do it");
    }
}

#[test]
fn every_file_opens_with_what_it_owns_and_stays_short() {
    let mut lengths = Vec::new();
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{path}: a file opens with `//!`: what it owns, what it must not do");
        let lines = text.lines().count();
        let most = if path == "src/main.rs" { MOST_LINES_OF_MAIN } else { MOST_LINES };
        assert!(lines <= most, "{path}: {lines} lines, more than {most}");
        lengths.push(lines);
    }
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median <= MEDIAN_LINES, "the median file has {median} lines, more than {MEDIAN_LINES}");
}

#[test]
fn no_actor_of_the_engine_imports_one_that_imports_it() {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources() {
        let Some(inside) = path.strip_prefix("crates/engine/src/") else { continue };
        let module = inside.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
        // From a file of the first floor `super` is the crate; from a folder it is the module itself.
        let prefixes: &[&str] = if inside.contains('/') { &["use crate::"] } else { &["use crate::", "use super::"] };
        let named = |line: &str| {
            let rest = prefixes.iter().find_map(|prefix| line.strip_prefix(prefix))?;
            rest.split([':', ';', ' ', '{']).next().filter(|name| !name.is_empty()).map(str::to_owned)
        };
        let named = text.lines().filter_map(named).filter(|name| *name != module);
        imports.entry(module.clone()).or_default().extend(named);
    }
    assert!(imports["project"].contains("writer") && !imports["writer"].contains("project"));
    // Whoever imports only what was taken away already can be taken away, too; a circle is what stays.
    while let Some(free) = imports
        .iter()
        .find_map(|(module, named)| named.iter().all(|name| !imports.contains_key(name)).then(|| module.clone()))
    {
        imports.remove(&free);
    }
    assert!(imports.is_empty(), "these import each other: {imports:#?}");
}

/// The page is a client like any other: it knows the socket's language and nothing behind it.
#[test]
fn the_page_speaks_to_the_daemon_through_its_client_alone() {
    let (mut looked_at, allowed) = (0, ["Client", "ClientError", "Request", "Response", "encode"]);
    for (path, text) in sources() {
        let is_page = path.starts_with("src/page/");
        looked_at += usize::from(is_page);
        for line in text.lines().map(str::trim) {
            assert!(is_page || path.starts_with("src/cli/") || !line.contains("crate::page"), "{path} names the page");
            if !is_page {
                continue;
            }
            let rooms = line.split("lokid_").skip(1).map(|rest| rest.split([':', ';', ' ']).next().unwrap());
            assert!(rooms.into_iter().all(|name| ["model", "sys"].contains(&name)), "{path}: {line}");
            assert!(!line.contains("crate::cli"), "{path}: {line}");
            if let Some(named) = line.strip_prefix("use crate::serve::") {
                let names =
                    named.trim_matches(['{', '}', ';']).split(", ").map(|name| name.trim_matches(['{', '}', ';']));
                assert!(names.clone().all(|name| allowed.contains(&name)), "{path}: {line}");
            }
        }
    }
    assert!(looked_at > 10);
}

#[test]
fn only_the_heap_may_be_unsafe() {
    let says_so = |(_, text): &(String, String)| text.contains("(unsafe_code)");
    let places: Vec<String> = sources().into_iter().filter(says_so).map(|(path, _)| path).collect();
    assert_eq!(places, ["crates/sys/src/heap.rs"]);
}

/// `print!` and its like are closed by lints of the workspace; what is left are the streams themselves.
#[test]
fn only_the_screen_and_the_log_write_to_a_terminal() {
    let writes = |(_, text): &(String, String)| text.contains("io::stdout") || text.contains("io::stderr");
    let places: Vec<String> = sources().into_iter().filter(writes).map(|(path, _)| path).collect();
    let sys = ["env", "stderr", "terminal"].map(|name| format!("crates/sys/src/{name}.rs"));
    let allowed =
        |path: &String| path == "src/cli/screen.rs" || sys.contains(path) || path == "crates/testing/src/git.rs";
    assert!(places.iter().all(allowed), "{places:?}");
}

/// Whoever searches the log looks for one name of what went wrong, `reason`, and one of where, `path`.
#[test]
fn lines_of_the_log_are_of_one_form() {
    let others = ["(%error", ", %error", "(error =", " error =", "(file =", " file ="];
    for (path, source) in sources() {
        let said = source.lines().filter(|line| line.contains("tracing::"));
        let odd: Vec<&str> = said.filter(|line| others.iter().any(|other| line.contains(other))).collect();
        assert!(odd.is_empty(), "{path}: {odd:?}");
    }
}

/// What each package of the workspace depends on in the program; what only its tests need is not counted.
fn manifests() -> BTreeMap<String, Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let (_, after) = text.split_once("\n[dependencies]\n").unwrap_or_default();
        let lines = after.lines().take_while(|line| !line.starts_with('['));
        let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
        names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut found = BTreeMap::from([("lokid".to_owned(), read(root.join("Cargo.toml")))]);
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        found.insert(name, read(folder.join("Cargo.toml")));
    }
    assert!(found["lokid"].contains(&"lokid-engine".to_owned()) && found["sys"].contains(&"git2".to_owned()));
    found
}

/// Every Rust file of the program, by its path below the root.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut waiting = vec![root.join("src"), root.join("crates")];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty(), "there are no sources to check");
    found
}
