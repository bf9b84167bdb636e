//! Workflows of build services, GitHub's and GitLab's: jobs with the commands they run and the systems they run on. It
//! must not tell of caches and permissions.

use crate::{
    prose,
    yaml::{self, Yaml},
};

const MOST_JOBS: usize = 60;
const MOST_STEPS: usize = 60;
const MOST_LINES: usize = 12;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Pipeline {
    pub(crate) name: String,
    /// What starts it; empty where everything does.
    pub(crate) events: Vec<String>,
    pub(crate) jobs: Vec<Job>,
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) lines: Vec<String>,
    /// Actions it uses, without their versions.
    pub(crate) uses: Vec<String>,
    /// Labels of runners, as far as they are spelled out.
    pub(crate) systems: Vec<String>,
}

pub(super) fn github(text: &str) -> Option<Pipeline> {
    let document = yaml::read(text)?;
    let jobs = document.get("jobs").map(Yaml::entries).unwrap_or_default().iter().take(MOST_JOBS);
    let jobs = jobs.map(|job| github_job(job, &document));
    let name = document.get("name").and_then(Yaml::text).filter(|name| !name.contains("${{")).unwrap_or("");
    // YAML 1.1 readers call this key `true`; here it stays text.
    let events = match document.get("on") {
        Some(Yaml::Map(entries)) => entries.iter().map(|(event, _)| event.clone()).collect(),
        Some(other) => other.texts().into_iter().map(str::to_owned).collect(),
        None => Vec::new(),
    };
    Some(Pipeline { name: name.to_owned(), events, jobs: jobs.collect() })
}

fn github_job((id, job): &(String, Yaml), document: &Yaml) -> Job {
    let steps = job.get("steps").map(Yaml::items).unwrap_or_default();
    let steps = || steps.iter().take(MOST_STEPS);
    let lines = steps()
        .filter_map(|step| step.get("run").and_then(Yaml::text))
        .map(|run| with_settings(run, [job, document]))
        .flat_map(|run| script_lines(&run))
        .collect();
    let uses = steps().chain([job]).filter_map(|step| step.get("uses").and_then(Yaml::text));
    let uses = uses.map(|uses| uses.split('@').next().unwrap_or(uses).to_owned()).collect();
    let mut systems: Vec<String> = Vec::new();
    let matrix = job.get("strategy").and_then(|strategy| strategy.get("matrix"));
    let listed = |value: Option<&Yaml>| -> Vec<String> {
        value.map(Yaml::texts).unwrap_or_default().into_iter().filter_map(system).map(str::to_owned).collect()
    };
    systems.extend(listed(job.get("runs-on")));
    systems.extend(
        matrix.map(|matrix| listed(matrix.any(&["os", "platform", "runner", "runs-on"]))).into_iter().flatten(),
    );
    let include = matrix.and_then(|matrix| matrix.get("include")).map(Yaml::items).unwrap_or_default();
    systems.extend(include.iter().flat_map(|one| listed(one.any(&["os", "platform", "runner"]))));
    let mut seen = std::collections::BTreeSet::new();
    systems.retain(|system| seen.insert(system.clone()));
    Job { name: id.clone(), lines, uses, systems }
}

/// `${{ env.NAME }}` as the file sets it.
fn with_settings(run: &str, places: [&Yaml; 2]) -> String {
    let mut run = prose::head(run, 8_000).to_owned();
    for (name, value) in places.iter().filter_map(|place| place.get("env")).flat_map(Yaml::entries).take(20) {
        let Yaml::Scalar(value) = value else { continue };
        if value.len() < 80 && !value.contains("${{") {
            run = run.replace(&format!("${{{{ env.{name} }}}}"), value);
        }
    }
    run
}

/// `ubuntu-22.04` is ubuntu; what is computed is nothing.
fn system(label: &str) -> Option<&'static str> {
    let label = label.to_ascii_lowercase();
    ["ubuntu", "macos", "windows"].into_iter().find(|known| label.contains(known))
}

/// The lines of a script, continued ones joined.
fn script_lines(script: &str) -> Vec<String> {
    let joined = prose::head(script, 8_000).replace("\\\n", " ");
    let lines = joined.lines().map(prose::collapse).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.take(MOST_LINES).collect()
}

const GITLAB_WORDS: &[&str] = &[
    "stages",
    "variables",
    "include",
    "default",
    "workflow",
    "image",
    "services",
    "cache",
    "before_script",
    "after_script",
    "pages:deploy",
    "spec",
];

pub(super) fn gitlab(text: &str) -> Option<Pipeline> {
    let document = yaml::read(text)?;
    let stages = document.get("stages").map(Yaml::texts).unwrap_or(vec!["build", "test", "deploy"]);
    let mut jobs: Vec<(usize, Job)> = Vec::new();
    for (name, job) in document.entries() {
        let script = job.get("script").map(Yaml::texts).unwrap_or_default();
        if name.starts_with('.')
            || GITLAB_WORDS.contains(&name.as_str())
            || script.is_empty()
            || jobs.len() == MOST_JOBS
        {
            continue;
        }
        let stage = job.get("stage").and_then(Yaml::text).unwrap_or("test");
        let stage = stages.iter().position(|known| *known == stage).unwrap_or(stages.len());
        jobs.push((stage, Job { name: name.clone(), lines: script_lines(&script.join("\n")), ..Job::default() }));
    }
    jobs.sort_by_key(|(stage, _)| *stage);
    Some(Pipeline { name: String::new(), events: Vec::new(), jobs: jobs.into_iter().map(|(_, job)| job).collect() })
}
