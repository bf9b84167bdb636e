//! Sequences of steps: what make, just, npm, cargo and build services are told to do, and what people and agents were
//! seen to do again and again.
//!
//! Path and text, or performed steps, in; targets, jobs, and workflows with one-line hints out (`deploy:
//! test→build→prod`). It must not run or open anything. Files and episodes are bounded, whatever they hold.

mod actions;
mod command;
mod just;
mod make;
mod npm;
mod recurring;
mod target;
mod tasks;
#[cfg(test)]
mod tests;

pub(super) use actions::{Job, Pipeline};
pub use recurring::{RecurringWorkflow, StepSequence, recurring};
pub(super) use target::Target;

/// A command or an action without what differs from one time to the next; nothing for what is no step.
pub fn step(action: &str) -> Option<String> {
    command::normalise_all(std::iter::once(action)).into_iter().next()
}

/// The parts of a line that stand between `&&`, `;` and `|`.
pub(super) fn parts(line: &str) -> Vec<String> {
    command::parts(line)
}

/// What a file says about work, told by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum WorkflowFile {
    Makefile,
    Justfile,
    PackageJson,
    GithubActions,
    GitlabCi,
    CargoAliases,
    Taskfile,
    Pyproject,
}

impl WorkflowFile {
    /// What is typed before the name of a target; the tasks of Python's tools name theirs themselves.
    pub(super) fn runner(self) -> &'static str {
        match self {
            WorkflowFile::Makefile => "make ",
            WorkflowFile::Justfile => "just ",
            WorkflowFile::CargoAliases => "cargo ",
            WorkflowFile::Taskfile => "task ",
            _ => "",
        }
    }
}

pub(super) fn which(path: &str) -> Option<WorkflowFile> {
    let lower = path.to_lowercase();
    let (folder, file) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let foreign = ["node_modules", "vendor", "third_party", "target", "dist", "fixtures", "testdata", ".git", ".venv"];
    if folder.split('/').any(|name| foreign.contains(&name)) {
        return None;
    }
    let yaml = file.ends_with(".yml") || file.ends_with(".yaml");
    match file {
        "makefile" | "gnumakefile" => Some(WorkflowFile::Makefile),
        "justfile" | ".justfile" => Some(WorkflowFile::Justfile),
        "package.json" => Some(WorkflowFile::PackageJson),
        ".gitlab-ci.yml" | ".gitlab-ci.yaml" => Some(WorkflowFile::GitlabCi),
        "taskfile.yml" | "taskfile.yaml" => Some(WorkflowFile::Taskfile),
        "pyproject.toml" => Some(WorkflowFile::Pyproject),
        "config.toml" | "config" if folder == ".cargo" => Some(WorkflowFile::CargoAliases),
        _ if yaml && folder == ".github/workflows" => Some(WorkflowFile::GithubActions),
        _ => None,
    }
}

/// The targets of a file that somebody types. Nothing, where the text is not what the path promises.
pub(super) fn targets(kind: WorkflowFile, text: &str) -> Vec<Target> {
    let text = super::prose::head(text.trim_start_matches('\u{feff}'), target::MOST_BYTES);
    let mut targets = match kind {
        WorkflowFile::Makefile => make::read(text),
        WorkflowFile::Justfile => just::read(text),
        WorkflowFile::PackageJson => npm::read(text),
        WorkflowFile::CargoAliases => tasks::cargo_aliases(text),
        WorkflowFile::Taskfile => tasks::taskfile(text),
        WorkflowFile::Pyproject => tasks::pyproject(text),
        WorkflowFile::GithubActions | WorkflowFile::GitlabCi => Vec::new(),
    };
    targets.retain(|target| !target.hidden);
    targets
}

/// What a build service is told to do.
pub(super) fn pipeline(kind: WorkflowFile, text: &str) -> Option<Pipeline> {
    let text = super::prose::head(text, target::MOST_BYTES);
    match kind {
        WorkflowFile::GithubActions => actions::github(text),
        WorkflowFile::GitlabCi => actions::gitlab(text),
        _ => None,
    }
}
