//! Recurring sequences of steps: what make, just, npm, cargo and build services are told to do, and what people and
//! agents were seen to do again and again.
//!
//! Path and text, or performed steps, in; workflows with one-line hints out (`deploy: test→build→prod`). It must not
//! run or open anything. Files and episodes are bounded, whatever they hold.

mod actions;
mod command;
mod file;
mod just;
mod make;
mod npm;
mod recurring;
mod tasks;
#[cfg(test)]
mod tests;

use crate::model::Draft;

pub use recurring::{RecurringWorkflow, StepSequence, recurring};

/// A command or an action without what differs from one time to the next; nothing for what is no step.
pub fn step(action: &str) -> Option<String> {
    command::normalise_all(std::iter::once(action)).into_iter().next()
}

/// What a file says about work, told by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkflowFile {
    Makefile,
    Justfile,
    PackageJson,
    GithubActions,
    GitlabCi,
    CargoAliases,
    Taskfile,
    Pyproject,
}

/// One workflow of a file. The id of `draft` is made from the path and the name; `steps` are the commands as
/// [`signature`] wants them.
#[derive(Clone, Debug, PartialEq)]
pub struct FileWorkflow {
    pub draft: Draft,
    pub steps: Vec<String>,
}

pub fn which(path: &str) -> Option<WorkflowFile> {
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
        "config.toml" | "config" if folder == ".cargo" || folder.ends_with("/.cargo") => {
            Some(WorkflowFile::CargoAliases)
        }
        _ if yaml && (folder == ".github/workflows" || folder.ends_with("/.github/workflows")) => {
            Some(WorkflowFile::GithubActions)
        }
        _ if file.ends_with(".mk") => Some(WorkflowFile::Makefile),
        _ if file.ends_with(".just") => Some(WorkflowFile::Justfile),
        _ => None,
    }
}

/// The workflows of a file, and one note that lists its single commands. Nothing, where the text is not what the path
/// promises.
pub fn learn(kind: WorkflowFile, path: &str, text: &str) -> Vec<FileWorkflow> {
    let text = super::prose::head(text.trim_start_matches('\u{feff}'), file::MOST_BYTES);
    match kind {
        WorkflowFile::Makefile => file::tell(path, "make", make::read(text)),
        WorkflowFile::Justfile => file::tell(path, "just", just::read(text)),
        WorkflowFile::PackageJson => npm::learn(path, text),
        WorkflowFile::CargoAliases => file::tell(path, "cargo", tasks::cargo_aliases(text)),
        WorkflowFile::Taskfile => file::tell(path, "task", tasks::taskfile(text)),
        WorkflowFile::Pyproject => file::tell(path, "", tasks::pyproject(text)),
        WorkflowFile::GithubActions => actions::github(path, text),
        WorkflowFile::GitlabCi => actions::gitlab(path, text),
    }
}

/// Two workflows with one signature are the same work, whoever wrote them down. Takes commands as performed or as
/// normalised; steps that only look or move about do not count.
pub fn signature(steps: &[String]) -> String {
    command::normalise_all(steps.iter().map(String::as_str)).join(" → ")
}
