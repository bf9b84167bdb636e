//! What the files of a Python project say: version, runner, linters and types.

use toml::{Table, Value};

use super::checks::{Service, command};
use super::{Answer, Project, paths};
use crate::{prose, yaml};

pub(super) fn answers(project: &Project<'_>, services: &[Service<'_>]) -> Vec<Answer> {
    let pyproject = project.text("pyproject.toml").and_then(|text| text.parse::<Table>().ok()).unwrap_or_default();
    let setup = project.text("setup.cfg").unwrap_or("");
    let tox = project.text("tox.ini").unwrap_or("");
    let tool = |name: &str| pyproject.get("tool").and_then(|tool| tool.get(name));
    let mut told = Vec::new();
    told.extend(minimum(project, &pyproject, setup));
    let managers = [("uv.lock", "uv"), ("poetry.lock", "Poetry"), ("pdm.lock", "PDM"), ("Pipfile.lock", "Pipenv")];
    let manager = managers.into_iter().find(|(lock, _)| project.has(lock));
    let prefix = match manager {
        Some((lock, name)) => {
            let (install, run) = match name {
                "uv" => ("uv sync", "uv run "),
                "Poetry" => ("poetry install", "poetry run "),
                "PDM" => ("pdm install", "pdm run "),
                _ => ("pipenv install --dev", "pipenv run "),
            };
            told.push(Answer::new("package.manager", format!("{name} (`{install}`, then `{run}…`)"), lock));
            run
        }
        None => "",
    };
    let has_conftest = project.paths.iter().find(|path| path.rsplit('/').next() == Some("conftest.py"));
    let says_pytest = |text: &str| text.lines().any(|line| line.trim() == "[pytest]" || line.trim() == "[tool:pytest]");
    let pytest = if tool("pytest").is_some() {
        Some("pyproject.toml")
    } else if project.text("pytest.ini").is_some() {
        Some("pytest.ini")
    } else if says_pytest(setup) {
        Some("setup.cfg")
    } else if says_pytest(tox) || tox.lines().any(|line| line.trim().starts_with("pytest ")) {
        Some("tox.ini")
    } else {
        has_conftest.map(String::as_str)
    };
    let tox_file = if !tox.is_empty() { Some("tox.ini") } else { tool("tox").map(|_| "pyproject.toml") };
    let nox = project.text("noxfile.py").map(|text| (sessions(text), "noxfile.py"));
    if let Some(source) = pytest {
        let envs = match (tox_file, &nox) {
            (Some(file), _) => format!(" (in every environment: `tox`, see {file})"),
            (None, Some((sessions, _))) if sessions.iter().any(|name| name.starts_with("test")) => {
                let name = sessions.iter().find(|name| name.starts_with("test")).cloned().unwrap_or_default();
                format!(" (in every environment: `nox -s {name}`)")
            }
            _ => String::new(),
        };
        told.push(Answer::new("test.all", format!("`{prefix}pytest`{envs}"), source));
        let is_example = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            path.ends_with(".py") && name.starts_with("test_") && !paths::is_foreign(path)
        };
        let shallow =
            project.paths.iter().filter(is_example).min_by_key(|path| (path.matches('/').count(), path.len()));
        if let Some(example) = shallow {
            told.push(Answer::new(
                "test.one",
                format!("`{prefix}pytest {example}::NAME`, or `{prefix}pytest -k NAME`"),
                source,
            ));
        }
    }
    told.extend(lint(project, &pyproject, setup, prefix, services));
    told.extend(types(project, &pyproject, setup, tox, prefix, services));
    told
}

fn minimum(project: &Project<'_>, pyproject: &Table, setup: &str) -> Option<Answer> {
    let declared = pyproject.get("project").and_then(|project| project.get("requires-python")).and_then(Value::as_str);
    let poetry = || pyproject.get("tool")?.get("poetry")?.get("dependencies")?.get("python")?.as_str();
    if let Some(version) = declared.or_else(poetry) {
        return Some(Answer::new("language.minimum", format!("Python {version}"), "pyproject.toml"));
    }
    let after = |text: &str| -> Option<String> {
        let line = text.lines().map(str::trim).find(|line| line.starts_with("python_requires"))?;
        let value = line.split_once('=')?.1.trim().trim_end_matches(',').trim_matches(['"', '\'']).to_owned();
        let is_version = value.starts_with(|c: char| "<>=!~^".contains(c) || c.is_ascii_digit());
        (is_version && value.len() < 40).then_some(value)
    };
    let found = after(setup).map(|version| (version, "setup.cfg"));
    let found = found.or_else(|| Some((after(project.text("setup.py")?)?, "setup.py")));
    found.map(|(version, source)| Answer::new("language.minimum", format!("Python {version}"), source))
}

fn lint(project: &Project<'_>, pyproject: &Table, setup: &str, prefix: &str, services: &[Service<'_>]) -> Vec<Answer> {
    let mut told = Vec::new();
    let hooks = project.text(".pre-commit-config.yaml").map(hooks).unwrap_or_default();
    let has_tool = |name: &str| pyproject.get("tool").is_some_and(|tool| tool.get(name).is_some());
    let linters: Vec<&str> = hooks.iter().map(String::as_str).filter(|hook| is_linter(hook)).collect();
    let ruff = has_tool("ruff").then_some("pyproject.toml");
    let ruff = ruff.or_else(|| ["ruff.toml", ".ruff.toml"].into_iter().find(|path| project.has(path)));
    let flake8 = setup.contains("[flake8]").then_some("setup.cfg").or(project.has(".flake8").then_some(".flake8"));
    if !linters.is_empty() {
        let value = format!("`pre-commit run --all-files` ({})", linters.join(", "));
        told.push(Answer::new("lint", value, ".pre-commit-config.yaml"));
    } else if let Some((line, source)) = command(services, &["ruff check", "ruff", "flake8"]) {
        told.push(Answer::new("lint", format!("`{line}`"), source));
    } else if let Some(source) = ruff {
        told.push(Answer::new("lint", format!("`{prefix}ruff check`"), source));
    } else if let Some(source) = flake8 {
        told.push(Answer::new("lint", format!("`{prefix}flake8`"), source));
    }
    let formats = hooks.iter().any(|hook| hook == "ruff-format");
    let rules = || pyproject.get("tool")?.get("ruff")?.get("format");
    if formats || ruff.is_some() && (rules().is_some() || command(services, &["ruff format"]).is_some()) {
        told.push(Answer::new("format", format!("`{prefix}ruff format`"), ruff.unwrap_or(".pre-commit-config.yaml")));
    } else if has_tool("black") || hooks.iter().any(|hook| hook == "black") {
        let source = if has_tool("black") { "pyproject.toml" } else { ".pre-commit-config.yaml" };
        told.push(Answer::new("format", format!("`{prefix}black .`"), source));
    }
    told
}

fn types(
    project: &Project<'_>,
    pyproject: &Table,
    setup: &str,
    tox: &str,
    prefix: &str,
    services: &[Service<'_>],
) -> Option<Answer> {
    // An environment made for it knows what it needs.
    let nox = project.text("noxfile.py").map(sessions).unwrap_or_default();
    for name in ["typing", "types", "mypy", "type", "typecheck"] {
        if nox.iter().any(|session| session == name) {
            return Some(Answer::new("typecheck", format!("`nox -s {name}`"), "noxfile.py"));
        }
        let inline = tox.contains(&format!("[testenv:{name}]"));
        let table = || pyproject.get("tool")?.get("tox")?.get("env")?.get(name);
        if inline || table().is_some() {
            let source = if inline { "tox.ini" } else { "pyproject.toml" };
            return Some(Answer::new("typecheck", format!("`tox -e {name}`"), source));
        }
    }
    if let Some((line, source)) =
        command(services, &["mypy", "pyright", "uv run mypy", "uv run pyright", "poetry run mypy"])
    {
        return Some(Answer::new("typecheck", format!("`{line}`"), source));
    }
    let settings = pyproject.get("tool").and_then(|tool| tool.get("mypy"));
    let ini = project.text("mypy.ini");
    let says_files = settings.is_some_and(|mypy| mypy.get("files").is_some() || mypy.get("packages").is_some())
        || ini.is_some_and(|text| text.lines().any(|line| line.trim_start().starts_with("files")));
    let source = settings.map(|_| "pyproject.toml").or(ini.map(|_| "mypy.ini"));
    let source = source.or(setup.contains("[mypy]").then_some("setup.cfg"));
    if let Some(source) = source {
        let name = pyproject.get("project").and_then(|own| own.get("name")).and_then(Value::as_str).unwrap_or_default();
        let what = if says_files { String::new() } else { format!(" {}", package(project, name)?) };
        return Some(Answer::new("typecheck", format!("`{prefix}mypy{what}`"), source));
    }
    let pyright = pyproject.get("tool").and_then(|tool| tool.get("pyright")).map(|_| "pyproject.toml");
    let pyright = pyright.or(project.has("pyrightconfig.json").then_some("pyrightconfig.json"));
    pyright.map(|source| Answer::new("typecheck", format!("`{prefix}pyright`"), source))
}

/// The folder of the package: `src/flask`, `requests`; the one that is called like the project before others.
fn package<'a>(project: &Project<'a>, name: &str) -> Option<&'a str> {
    let name = name.to_lowercase().replace('-', "_");
    let opens = |path: &'a String| {
        let folder = path.strip_suffix("/__init__.py")?;
        let depth = folder.matches('/').count();
        let own = !paths::is_test(path) && !paths::is_aside(path) && !paths::is_foreign(path);
        (own && (depth == 0 || depth == 1 && folder.starts_with("src/"))).then_some(folder)
    };
    let is_called_so = |folder: &&str| folder.rsplit('/').next() == Some(name.as_str());
    let folders = || project.paths.iter().filter_map(opens);
    folders().find(is_called_so).or_else(|| folders().next())
}

fn sessions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut marked = false;
    for line in text.lines().map(|line| prose::head(line, 400)) {
        if line.starts_with("@nox.session") || line.starts_with("@session") {
            marked = true;
        } else if let Some(name) = line.strip_prefix("def ").filter(|_| std::mem::take(&mut marked)) {
            found.extend(name.split('(').next().map(str::to_owned));
        }
    }
    found
}

/// The ids of a pre-commit configuration's hooks.
fn hooks(text: &str) -> Vec<String> {
    let Some(document) = yaml::read(text) else { return Vec::new() };
    let repos = document.get("repos").map(yaml::Yaml::items).unwrap_or_default();
    let hooks = repos.iter().flat_map(|repo| repo.get("hooks").map(yaml::Yaml::items).unwrap_or_default());
    hooks.filter_map(|hook| hook.get("id").and_then(yaml::Yaml::text)).map(str::to_owned).take(40).collect()
}

fn is_linter(hook: &str) -> bool {
    #[rustfmt::skip]
    const LINTERS: &[&str] = &[
        "ruff", "ruff-check", "ruff-format", "flake8", "black", "isort", "mypy", "pyright", "pylint", "pyupgrade",
        "codespell", "prettier", "eslint", "bandit", "clippy", "fmt", "cargo-check", "typos", "yamllint",
        "shellcheck", "autoflake", "docformatter", "zizmor", "blacken-docs", "uv-lock", "ty",
    ];
    LINTERS.contains(&hook)
}
