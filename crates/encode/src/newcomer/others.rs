//! What the build files of Go, Java and C say.

use super::checks::{Service, command};
use super::{Answer, Project, paths};

pub(super) fn go(project: &Project<'_>, services: &[Service<'_>]) -> Vec<Answer> {
    let modules = project.named("go.mod");
    let Some((path, text)) = modules.first().copied() else { return Vec::new() };
    let folder = paths::folder(path);
    let inside = if folder.is_empty() { String::new() } else { format!("cd {folder} && ") };
    let mut told = Vec::new();
    let version = text.lines().find_map(|line| line.trim().strip_prefix("go ")).map(str::trim);
    told.extend(version.map(|version| Answer::new("language.minimum", format!("Go {version} or newer"), path)));
    let others: Vec<&str> =
        modules[1..].iter().map(|(path, _)| paths::folder(path)).filter(|path| !paths::is_aside(path)).collect();
    let each = if others.is_empty() {
        String::new()
    } else {
        let more = if others.len() > 5 { ", …" } else { "" };
        format!(" (per module; other modules: {}{more})", others.iter().take(5).copied().collect::<Vec<_>>().join(", "))
    };
    told.push(Answer::new("build", format!("`{inside}go build ./...`{each}"), path));
    told.push(Answer::new("test.all", format!("`{inside}go test ./...`{each}"), path));
    let is_joined = project.has("go.work");
    let own =
        |path: &&str| is_joined || !others.iter().any(|other| path == other || path.starts_with(&format!("{other}/")));
    let tested = project.paths.iter().filter(|path| path.ends_with("_test.go") && !paths::is_foreign(path));
    let tested = tested.map(|path| paths::folder(path)).filter(own);
    let mut folders: std::collections::BTreeMap<&str, usize> = Default::default();
    tested.for_each(|folder| *folders.entry(folder).or_insert(0) += 1);
    if let Some((most, _)) = folders.iter().max_by_key(|(folder, files)| (**files, std::cmp::Reverse(**folder))) {
        let package = most.strip_prefix(folder).unwrap_or(most).trim_start_matches('/');
        let package = if package.is_empty() { ".".to_owned() } else { format!("./{package}") };
        told.push(Answer::new(
            "test.one",
            format!("`{inside}go test {package} -run '^TestName$'` (its package, then its name)"),
            path,
        ));
    }
    let config = [".golangci.yml", ".golangci.yaml", ".golangci.toml"].into_iter().find(|path| project.has(path));
    let lint = command(services, &["golangci-lint run"])
        .or_else(|| Some(("golangci-lint run".to_owned(), config?.to_owned())));
    told.extend(lint.map(|(line, source)| Answer::new("lint", format!("`{line}`"), source)));
    told
}

pub(super) fn java(project: &Project<'_>) -> Vec<Answer> {
    let gradle = ["build.gradle.kts", "build.gradle"].into_iter().find_map(|path| Some((path, project.text(path)?)));
    if let Some((path, text)) = gradle {
        let run = if project.has("gradlew") { "./gradlew" } else { "gradle" };
        let mut told = vec![
            Answer::new("build", format!("`{run} build`"), path),
            Answer::new("test.all", format!("`{run} test`"), path),
            Answer::new("test.one", format!("`{run} test --tests 'CLASS.METHOD'`"), path),
        ];
        let after = |sign: &str| {
            let rest = &text[text.find(sign)? + sign.len()..];
            let digits: String =
                rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
            (!digits.is_empty() && digits.len() < 3).then_some(digits)
        };
        told.extend(
            after("JavaLanguageVersion.of(")
                .map(|version| Answer::new("language.minimum", format!("Java {version}"), path)),
        );
        return told;
    }
    let Some(text) = project.text("pom.xml") else { return Vec::new() };
    let run = if project.has("mvnw") { "./mvnw" } else { "mvn" };
    let between = |tag: &str| {
        let rest = &text[text.find(&format!("<{tag}>"))? + tag.len() + 2..];
        let value = rest.split('<').next()?.trim();
        (!value.is_empty() && value.len() < 8 && !value.contains('$')).then_some(value)
    };
    let version = ["maven.compiler.release", "java.version", "maven.compiler.source"].into_iter().find_map(between);
    let mut told = vec![
        Answer::new("build", format!("`{run} package`"), "pom.xml"),
        Answer::new("test.all", format!("`{run} test`"), "pom.xml"),
        Answer::new("test.one", format!("`{run} test -Dtest='CLASS#METHOD'`"), "pom.xml"),
    ];
    told.extend(version.map(|version| Answer::new("language.minimum", format!("Java {version}"), "pom.xml")));
    told
}

pub(super) fn cmake(project: &Project<'_>) -> Vec<Answer> {
    let path = "CMakeLists.txt";
    let Some(text) = project.text(path) else { return Vec::new() };
    let mut told = vec![Answer::new("build", "`cmake -B build && cmake --build build`", path)];
    let lower = text.to_ascii_lowercase();
    if lower.contains("enable_testing(") || lower.contains("include(ctest)") {
        told.push(Answer::new("test.all", "`ctest --test-dir build` (after the build)", path));
        told.push(Answer::new("test.one", "`ctest --test-dir build -R NAME`", path));
    }
    told
}
