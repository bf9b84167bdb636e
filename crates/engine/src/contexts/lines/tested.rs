//! How a file is tested: its tests by their name, by what is worked on or by what changes with them, and the command that runs
//! them.

use super::{OFTEN, Telling};
use lokid_context::predict::terrain::Terrain;
use lokid_context::predict::{PredictedFile, files, goal};
use lokid_context::situation;
use lokid_encode::newcomer::{self, TestTarget};
use lokid_index::cochange::{folder_of, stem_of};

const TESTED: f64 = 0.4;
/// More files of one name are data of tests.
const MOST_NAMESAKES: usize = 8;
/// Of more files of tests none is the one.
const MOST_OF_ITS: usize = 3;
/// Tests that so many commits touched with a file are taken for its own, or fewer that are one of so many of its commits.
const WITH_TESTS: usize = 10;
const FEWER: usize = 3;
const ONE_OF: usize = 6;
const CALLED_SO: usize = 2;
const SHORTEST_WORD: usize = 4;
/// A shorter name may be said of other things.
const SHORTEST_UNIQUE: usize = 8;
/// What more tests import is what all of them need.
const MOST_IMPORTING: usize = 3;
const GATHERING: [&str; 5] = ["__init__.py", "index.js", "index.ts", "mod.rs", "lib.rs"];
const MEASURING: [&str; 4] = ["bench", "benches", "benchmark", "benchmarks"];
/// What a module of tests is called in Rust.
const MODULES: [&str; 2] = ["tests", "test"];
/// Folders of what tests share.
const HELPING: [&str; 6] = ["helpers", "helper", "support", "mocks", "__mocks__", "fixtures"];
const ALL_FEATURES: &str = " --all-features";
/// Folders that every part of a repository has.
const PARTED_BY: [&str; 6] = ["src", "lib", "test", "tests", "__tests__", "spec"];

impl Telling<'_> {
    pub(super) fn run(&self, path: &str) -> Option<String> {
        if path.ends_with(".rs") && files::is_test(path) {
            return self.rust_test(path);
        }
        let is_there = |path: &str| self.past.ground.stamp(path).is_some();
        let fact = self.one_test.filter(|_| !is_beside_tests(path) && !newcomer::is_for_browsers(path, &is_there));
        if path.ends_with("_test.go") {
            return Some(self.go_test(folder_of(path)));
        }
        fact.and_then(|fact| newcomer::run_of(fact, path))
    }

    /// A file of tests in Rust: a target of its package, a module of one, or a module of the program.
    fn rust_test(&self, path: &str) -> Option<String> {
        if format!("/{path}").contains("/src/") {
            let beside = ["lib", "main", "mod"].map(|name| format!("{}/{name}.rs", folder_of(path)));
            let is_module = beside.iter().any(|root| root != path && self.past.ground.stamp(root).is_some());
            return if is_module { self.crate_tests(path) } else { None };
        }
        let folder = Some(self.package_of(path)).filter(|_| !is_beside_tests(path))?;
        let inside = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let tests = inside("tests/");
        let paths = self.past.ground.paths().filter(|path| path.starts_with(&tests) && path.ends_with(".rs"));
        let paths: Vec<&str> = paths.filter_map(|path| below(path, folder)).collect();
        let text_of = |path: &str| (self.text_of)(&inside(path));
        let manifest = text_of("Cargo.toml")?;
        let TestTarget { name, module, mut features } =
            newcomer::test_target(&manifest, below(path, folder)?, &paths, &text_of)?;
        let text = (self.text_of)(path).unwrap_or_default();
        features.extend(newcomer::features_of_tests(&manifest, &text));
        features.dedup();
        if features.is_empty() && newcomer::features_declared(&manifest).1 {
            features.push(newcomer::FULL.to_owned());
        }
        // Other crates have other features.
        let mut given = match folder {
            "" => self.features(),
            folder => format!(" --manifest-path {folder}/Cargo.toml"),
        };
        if !features.is_empty() && !given.contains(ALL_FEATURES) && !features.iter().all(|name| given.contains(name)) {
            given += &format!(" --features {}", features.join(","));
        }
        let module = module.map(|module| format!(" {module}::")).unwrap_or_default();
        Some(format!("{}{given} --test {name}{module}", self.cargo()))
    }

    /// The nearest folder above a file that holds a manifest of Cargo, or else the top.
    fn package_of<'b>(&self, path: &'b str) -> &'b str {
        let mut folder = folder_of(path);
        while !folder.is_empty() && self.past.ground.stamp(&format!("{folder}/Cargo.toml")).is_none() {
            folder = folder_of(folder);
        }
        folder
    }

    /// Of a package of Go, in the module it belongs to.
    fn go_test(&self, folder: &str) -> String {
        let mut module = folder;
        while !module.is_empty() {
            if self.past.ground.stamp(&format!("{module}/go.mod")).is_some() {
                let inside = folder[module.len()..].trim_start_matches('/');
                return format!("go -C {module} test ./{inside}");
            }
            module = folder_of(module);
        }
        format!("go test ./{folder}")
    }

    /// The tests of a file of a program, by their name or else by what changes with it, and how they are run.
    pub(super) fn tests(&self, at_hand: &str) -> Option<(String, String)> {
        if let Some(run) = self.run(at_hand) {
            return Some((at_hand.to_owned(), format!("run: {run}")));
        }
        let by_crate = || {
            let run = format!("run: {}", self.crate_tests(at_hand)?);
            let closest = (self.closest)(at_hand).map(|closest| format!("{closest}; "));
            Some((at_hand.to_owned(), closest.unwrap_or_default() + &run))
        };
        if !goal::is_program(at_hand) || files::is_test(at_hand) || (self.has_tests)(at_hand) {
            return by_crate();
        }
        let together = self.together(at_hand);
        let own = together.get(at_hand).copied().unwrap_or_default();
        let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| language_of(ending).to_owned());
        // One of many that are called so is part of a test.
        let is_one_of_many = |path: &str| {
            let name = path.rsplit('/').next();
            let alike = self.past.cochange.namesakes(path).map(|place| self.past.cochange.path(place));
            alike.filter(|other| other.rsplit('/').next() == name).nth(MOST_NAMESAKES).is_some()
        };
        let is_test = |path: &str| {
            files::is_test(path)
                && !is_beside_tests(path)
                && !is_measuring(path)
                && !is_one_of_many(path)
                && ending(path) == ending(at_hand)
                && self.past.ground.is_there(path)
        };
        // `tests/apps/cli/app.py` is a part of tests, `test/app.js` is one.
        let last_two = |path: &str| path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        let is_its = |path: &str| newcomer::are_tests_of(path, at_hand) && files::is_test(&path[last_two(path)..]);
        let is_called_so = |path: &str| files::is_test(path.rsplit('/').next().unwrap_or(path));
        let run = |path: &str| self.told_with(path);
        // `test/orm/test_loading.py` of `lib/orm/loading.py` needs no commit that touched both, nor does `test/a.test.ts` of
        // `src/a.ts` where there are hardly any.
        let last = |path: &str| stem_of(folder_of(path));
        // `test/presets/cloudflare-module.test.ts` of the only file that is called so, wherever it stands.
        let is_unique = stem_of(at_hand).len() >= SHORTEST_UNIQUE && self.namesakes(at_hand).count() == 2;
        let alike = self.namesakes(at_hand).filter(|path| {
            let is_beside = last(path) == last(at_hand) || is_unique || (own <= FEWER && is_mirrored(path, at_hand));
            is_called_so(path) && is_beside && !together.contains_key(path) && is_its(path)
        });
        let tests = together.iter().map(|(path, times)| (*path, *times)).chain(alike.map(|path| (path, 0)));
        let tests = tests.filter(|(path, _)| is_test(path));
        let mut tests: Vec<(bool, usize, &str)> =
            tests.map(|(path, times)| (is_called_so(path), times, path)).collect();
        tests.sort_unstable_by(|one, other| other.cmp(one));
        let nearness = |path: &str| nearness(path, at_hand);
        let mut its: Vec<&str> = tests.iter().map(|(_, _, path)| *path).filter(|path| is_its(path)).collect();
        let nearest = its.iter().map(|path| nearness(path)).max();
        its.retain(|path| Some(nearness(path)) == nearest && nearness(path) > Nearness::Elsewhere);
        // `tests/env/test_api.py` are those of `src/env/api.py`, not of `src/env/python/api.py`.
        let is_anothers = |path: &str| {
            self.namesakes(at_hand).any(|other| !files::is_test(other) && other != at_hand && is_mirrored(path, other))
        };
        its.retain(|path| is_mirrored(path, at_hand) || !is_anothers(path));
        // What is called just so comes before what is called more.
        if let Some(path) = its
            .iter()
            .min_by_key(|path| (!is_called_so(path), path.len() - folder_of(path).len()))
            .filter(|_| its.len() <= MOST_OF_ITS)
        {
            return Some(match (self.tests_saying)(path) {
                Some((other, name)) => (other.clone(), format!("the tests that say `{name}`{}", run(&other))),
                None => ((*path).to_owned(), format!("the tests of {at_hand}{}", run(path))),
            });
        }
        // `test/response/back.js` and others of `lib/response.js`, not what stands beside `lamp/lamp.go`
        let own_folder =
            |path: &str| stem_of(folder_of(path)) == stem_of(at_hand) && folder_of(path) != folder_of(at_hand);
        let is_aside = its.is_empty() && tests.first().is_some_and(|(_, _, path)| own_folder(path));
        let mut aside = tests.iter().map(|(_, _, path)| *path).filter(|path| is_aside && own_folder(path));
        if let (Some(path), Some(_)) = (aside.next(), aside.next()) {
            return Some((format!("{}/", folder_of(path)), format!("the tests of {at_hand} are there")));
        }
        // `node_git_test.go` tests `node_git.go`, and the command for all tests of the package is the same.
        let is_others =
            |path: &str| self.namesakes(path).any(|other| other != at_hand && newcomer::are_tests_of(path, other));
        tests.retain(|(_, _, path)| {
            !at_hand.ends_with(".go") || stem_of(path) == stem_of(folder_of(path)) || !is_others(path)
        });
        // Those called after the function come before what changes with all of them.
        let of_function =
            |(.., path): &&(bool, usize, &str)| self.functions.iter().any(|name| is_called_after(path, at_hand, name));
        if let Some((.., path)) = tests.iter().find(of_function) {
            return Some(((*path).to_owned(), format!("tests of {at_hand} that are called so{}", run(path))));
        }
        if let Some(path) = (self.tests_called)(at_hand) {
            return Some((path.clone(), format!("tests of {at_hand} that are called so{}", run(&path))));
        }
        let times = |place: usize| tests.get(place).map_or(0, |(_, times, _)| *times);
        let is_enough = times(0) >= WITH_TESTS || (times(0) >= FEWER && times(0) * ONE_OF >= own);
        // One of many that are touched as often says little, and those that change with everything are wanted if they speak of it.
        let speaks = |(.., path): &&(bool, usize, &str)| self.has_goal || (self.closest)(path).is_some();
        let says = |(.., path): &&(bool, usize, &str)| (self.closest)(path).is_some();
        if let Some((.., path)) = tests.first().filter(|_| is_enough && 2 * times(0) >= 3 * times(1)).filter(says) {
            return Some(((*path).to_owned(), format!("{OFTEN}{at_hand}{}", run(path))));
        }
        let beside = || {
            let tests = self.module_tests(at_hand)?;
            let run = self.crate_tests(&tests).map(|run| format!("; run: {run}")).unwrap_or_default();
            let closest = (self.closest)(&tests).map(|closest| format!("; {closest}")).unwrap_or_default();
            let told = format!("the tests of {}/{closest}{run}", folder_of(&tests));
            Some((tests, told))
        };
        beside()
            .or_else(by_crate)
            .or_else(|| {
                // `tests/test_routing.py` of `src/routing/map.py`
                let folder = folder_of(at_hand);
                let named = format!("{folder}.{}", at_hand.rsplit_once('.')?.1);
                let is_of_folder = |place: &&(bool, usize, &str)| {
                    let (_, times, path) = **place;
                    times >= CALLED_SO && newcomer::are_tests_of(path, &named) && speaks(place)
                };
                let by_name = |path: &&str| is_test(path) && is_called_so(path) && newcomer::are_tests_of(path, &named);
                let is_deep = parted(&named).is_some_and(|(_, inside)| inside.contains('/'));
                let is_mirrored = |path: &&str| is_deep && is_mirrored(path, &named);
                let mirrored = || self.namesakes(&named).filter(by_name).find(is_mirrored);
                let path = tests.iter().find(is_of_folder).map(|(.., path)| *path).or_else(mirrored)?;
                Some((path.to_owned(), format!("the tests of {folder}/{}", run(path))))
            })
            .or_else(|| {
                // `test/res.send.js` of `lib/response.js`, where the work is on `send`
                let is_meant = |(_, times, path): &&(bool, usize, &str)| {
                    *times >= CALLED_SO && self.spoken_of.iter().any(|word| is_called_after(path, at_hand, word))
                };
                let (.., path) = tests.iter().find(is_meant)?;
                Some(((*path).to_owned(), format!("tests of {at_hand} that are called so{}", run(path))))
            })
            .or_else(|| {
                // A header is included for what it includes.
                let is_header = at_hand.ends_with(".h") || at_hand.ends_with(".hpp");
                let mut importing = if is_header { Vec::new() } else { (self.importers)(at_hand) };
                // What stands for a whole folder is imported for anything in it.
                let is_one_thing =
                    !GATHERING.contains(&at_hand.rsplit('/').next().unwrap_or(at_hand)) && !at_hand.ends_with(".d.ts");
                importing.retain(|path| is_one_thing && is_test(path) && is_called_so(path));
                importing.truncate(MOST_IMPORTING + 1);
                importing
                    .sort_by_key(|path| std::cmp::Reverse(together.get(path.as_str()).copied().unwrap_or_default()));
                let is_meant = |path: &&String| importing.len() <= MOST_IMPORTING && speaks(&&(true, 0, path.as_str()));
                let path = importing.first().filter(is_meant)?;
                Some((path.clone(), format!("imports {at_hand}{}", run(path))))
            })
    }

    /// Programs, tests among them, that are called like one.
    fn namesakes(&self, path: &str) -> impl Iterator<Item = &str> + use<'_> {
        let cochange = &self.past.cochange;
        let places: Vec<_> = cochange.namesakes(path).filter(|place| !cochange.is_gone(*place)).collect();
        places.into_iter().map(|place| cochange.path(place)).filter(|path| goal::is_program(path))
    }

    /// Behind the path of tests: which of them speak of the work, and how they are run.
    fn told_with(&self, path: &str) -> String {
        let closest = (self.closest)(path).map(|closest| format!("; {closest}")).unwrap_or_default();
        let run = self.run(path).map(|run| format!("; run: {run}{}", only(path, &closest))).unwrap_or_default();
        closest + &run
    }

    /// `src/iter/test.rs` of `src/iter/mod.rs`, and of others beside it that have none.
    fn module_tests(&self, path: &str) -> Option<String> {
        let module = path.strip_suffix(".rs")?;
        let below = MODULES.map(|name| format!("{module}/{name}.rs"));
        let beside = MODULES.map(|name| format!("{}/{name}.rs", folder_of(path)));
        below.into_iter().chain(beside).find(|tests| tests != path && self.past.ground.stamp(tests).is_some())
    }

    /// Tests that are no file's own, where such a goal was tested before: from this likelihood on almost every other was
    /// touched.
    pub(super) fn tests_foreseen(&self, at_hand: &str, files: &[PredictedFile]) -> Option<(String, String)> {
        let is_work = self.has_goal && goal::is_program(at_hand) && !files::is_test(at_hand);
        // `src/werkzeug/test.py` helps others to test.
        let is_helping = |path: &str| path.starts_with("src/") && path.contains("/test.");
        let is_meant = |file: &&PredictedFile| {
            let is_test = files::is_test(&file.path) && goal::is_program(&file.path) && !is_helping(&file.path);
            is_work && file.score >= TESTED && is_test && self.past.ground.is_there(&file.path)
        };
        let tests = files.iter().find(is_meant)?;
        Some((tests.path.clone(), format!("likely tested here{}", self.told_with(&tests.path))))
    }

    /// Of a file of Rust the command for its own tests, or else for its part of the workspace; of Go for its package.
    fn crate_tests(&self, path: &str) -> Option<String> {
        if path.ends_with(".go") {
            let is_tested = |other: &str| other.ends_with("_test.go") && folder_of(other) == folder_of(path);
            return self.past.ground.paths().any(is_tested).then(|| self.go_test(folder_of(path)));
        }
        // What is measured or shown is built by other commands.
        if is_measuring(path) || path.split('/').any(|part| part == "examples") {
            return None;
        }
        if !(files::is_test(path) || (self.has_tests)(path)) {
            return None;
        }
        let module = module_of(path)?;
        let folder = self.package_of(path);
        let inside = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        // Tests beside the library may need other features, and are built whatever is asked for.
        let is_of_library =
            self.past.ground.stamp(&inside("src/lib.rs")).is_some() && path.starts_with(&inside("src/"));
        let target = if is_of_library { " --lib" } else { "" };
        let manifest = inside("Cargo.toml");
        let package = if folder.is_empty() { String::new() } else { format!(" --manifest-path {manifest}") };
        let mut known = self.features();
        // Other crates have other features.
        if !folder.is_empty() && known != ALL_FEATURES {
            known.clear();
        }
        if known.is_empty() {
            let text = (self.text_of)(&manifest).unwrap_or_default();
            let is_bare = !folder.is_empty() && newcomer::features_declared(&text).1;
            let root = inside(if is_of_library { "src/lib.rs" } else { "src/main.rs" });
            let needed = match is_bare {
                true => vec![newcomer::FULL.to_owned()],
                false => newcomer::features_of_module(&text, &root, &module, self.text_of),
            };
            if !needed.is_empty() {
                known = format!(" --features {}", needed.join(","));
            }
        }
        Some(format!("{}{package}{known}{target} {module}::", self.cargo()))
    }

    fn cargo(&self) -> &'static str {
        newcomer::cargo_of(self.one_test.unwrap_or_default())
    }

    /// Those that the crate at the top is tested with.
    fn features(&self) -> String {
        self.one_test.map(newcomer::features_of).unwrap_or_default()
    }
}

/// What makes the command of a package of Go run the tests that are told alone.
fn only(path: &str, closest: &str) -> String {
    let names: Vec<&str> = closest.split('`').skip(1).step_by(2).collect();
    match names[..] {
        [one] if path.ends_with(".go") => format!(" -run '^{one}$'"),
        [_, ..] if path.ends_with(".go") => format!(" -run '^({})$'", names.join("|")),
        _ => String::new(),
    }
}

/// The module of Rust that a file is: `codecs::jpeg` of `src/codecs/jpeg/mod.rs`. Elsewhere than below `src` and `tests` a file is a
/// program of its own.
fn module_of(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.strip_suffix(".rs")?.split('/').collect();
    let top = parts.iter().rposition(|part| ["src", "tests"].contains(part) && *part != parts[parts.len() - 1])?;
    let own = &parts[top + 1..];
    let own = if own.last() == Some(&"mod") { &own[..own.len() - 1] } else { own };
    let is_program = own.is_empty() || own[0] == "bin" || matches!(own, ["lib" | "main"]);
    (!is_program).then(|| own.join("::"))
}

/// Would anybody know it who has the file? Beside it, or in it, with the command that everybody types.
pub(super) fn is_obvious(tests: &str, why: &str, file: &str) -> bool {
    let is_told = ["closest: ", "features", " -C ", "--test "].iter().any(|news| why.contains(news));
    let is_beside = file.ends_with(".go") && folder_of(tests) == folder_of(file) && why.starts_with("the tests of");
    let is_inside = tests == file && [".rs", ".go"].iter().any(|ending| file.ends_with(ending));
    // In Java they are where everybody looks.
    let is_called_so = [".java", ".kt"].iter().any(|ending| file.ends_with(ending)) && !why.contains("; ");
    !is_told && (is_inside || is_beside || is_called_so)
}

/// `tests/it.rs` of `crates/a/tests/it.rs` below `crates/a`.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    Some(path.strip_prefix(folder)?.trim_start_matches('/'))
}

/// The ending that stands for a language with several.
fn language_of(ending: &str) -> &str {
    match ending {
        "js" | "cjs" | "mjs" | "jsx" | "ts" | "cts" | "mts" | "tsx" => "js",
        "h" | "hpp" | "cc" | "cpp" | "cxx" => "cpp",
        other => other,
    }
}

/// Whether tests stand in the part of a repository that a file is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    Elsewhere,
    Unknown,
    Above,
    Same,
}

/// The part of a repository that a file is in, and where in it.
fn parted(path: &str) -> Option<(&str, &str)> {
    let mut length = 0;
    for name in path.split('/') {
        let end = length + name.len() + 1;
        if PARTED_BY.contains(&name) {
            return Some((&path[..length], path.get(end..)?));
        }
        length = end;
    }
    None
}

/// Of `compat/src/a.js` `compat/test/a.js` is in the same part, `test/a.js` above it and `debug/test/a.js` elsewhere.
fn nearness(tests: &str, file: &str) -> Nearness {
    match (parted(tests), parted(file)) {
        (Some((tests, _)), Some((file, _))) if tests == file => Nearness::Same,
        (Some((tests, _)), Some((file, _))) if file.starts_with(tests) => Nearness::Above,
        (Some(_), Some(_)) => Nearness::Elsewhere,
        _ => Nearness::Unknown,
    }
}

/// Do they stand among the tests of a part where the file stands in it? Of Python, `src/` holds the package first.
fn is_mirrored(tests: &str, file: &str) -> bool {
    let (Some((part_of_tests, tests)), Some((part, inside))) = (parted(tests), parted(file)) else { return false };
    let package = inside.split_once('/').filter(|_| inside.ends_with(".py")).map(|(_, below)| below);
    let is_there = |inside: &str| folder_of(inside) == folder_of(tests);
    part_of_tests == part && (is_there(inside) || package.is_some_and(is_there))
}

/// Tests of a response that are called after `send`, or after `useSend`: `res.send.js`, `test_send.py`, `useSend.test.ts`.
pub(super) fn is_called_after(tests: &str, file: &str, word: &str) -> bool {
    let name = tests.rsplit('/').next().unwrap_or(tests).to_lowercase();
    let parts = name.rsplit_once('.').map_or(name.as_str(), |(name, _)| name).split(['.', '-', '_']);
    let parts: Vec<&str> = parts.filter(|part| !["test", "tests", "spec"].contains(part)).collect();
    let is_short_for = |part: &str| stem_of(file).starts_with(part);
    let is_so = parts.concat() == word || (parts.len() == 2 && parts[1] == word && is_short_for(parts[0]));
    is_so && word != "index" && !tests.contains("/src/")
}

/// As the names of files have them, in small letters and without joints.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let words = text
        .split(|sign: char| !sign.is_alphanumeric() && sign != '_')
        .map(|word| word.replace('_', "").to_lowercase());
    words.filter(|word| word.len() >= SHORTEST_WORD && !situation::is_doing(word)).collect()
}

/// What is measured changes with everything.
fn is_measuring(path: &str) -> bool {
    path.split('/').any(|part| MEASURING.contains(&part))
}

/// Among tests, and none.
fn is_beside_tests(path: &str) -> bool {
    let mut folders = folder_of(path).split('/');
    path.ends_with("conftest.py") || path.ends_with("__init__.py") || folders.any(|part| HELPING.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_rust_is_the_module_that_its_place_says() {
        let module = |path| module_of(path);
        assert_eq!(module("crates/a/src/codecs/jpeg/mod.rs").as_deref(), Some("codecs::jpeg"));
        assert_eq!(module("src/codecs/jpeg.rs").as_deref(), Some("codecs::jpeg"));
        assert_eq!(module("tests/it/door.rs").as_deref(), Some("it::door"));
        assert_eq!(
            ["src/lib.rs", "src/main.rs", "src/bin/tool.rs", "build.rs", "src/a.py"].map(module),
            [const { None }; 5]
        );
    }
}
