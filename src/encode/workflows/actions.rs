//! Workflows of build services, GitHub's and GitLab's: jobs in the order they wait for each other, with the commands
//! they run. It must not tell of runners, caches and permissions.

use std::collections::BTreeMap;

use super::{FileWorkflow, command, file};
use crate::encode::{
    prose,
    yaml::{self, Yaml},
};
use crate::model::Kind;

const MOST_JOBS: usize = 60;
const MOST_LINES: usize = 6;
const MOST_ABREAST: usize = 4;

#[derive(Debug, Default)]
struct Job {
    name: String,
    needs: Vec<String>,
    /// Named steps, each with the lines it runs.
    steps: Vec<(String, Vec<String>)>,
    /// A workflow that the job hands its work to.
    calls: Option<String>,
}

pub(super) fn github(path: &str, text: &str) -> Vec<FileWorkflow> {
    let Some(document) = yaml::read(text) else { return Vec::new() };
    let jobs: Vec<Job> =
        document.get("jobs").map(Yaml::entries).unwrap_or_default().iter().take(MOST_JOBS).map(github_job).collect();
    let stem = path.rsplit('/').next().unwrap_or(path).rsplit_once('.').map_or(path, |(stem, _)| stem);
    let name = document.get("name").and_then(Yaml::text).filter(|name| !name.contains("${{")).unwrap_or(stem);
    // YAML 1.1 readers call this key `true`; here it stays text.
    let on = document.get("on");
    let events = on.map(|on| match on {
        Yaml::Map(entries) => entries.iter().map(|(event, _)| event.as_str()).collect(),
        other => other.texts(),
    });
    let events = events.unwrap_or_default();
    if is_clerk(&events) {
        return Vec::new();
    }
    let when = events.into_iter().take(8).collect::<Vec<_>>().join(", ");
    tell(path, name, &when, &jobs).into_iter().collect()
}

fn github_job((id, job): &(String, Yaml)) -> Job {
    let mut steps = Vec::new();
    for step in job.get("steps").map(Yaml::items).unwrap_or_default().iter().take(60) {
        let run = step.get("run").and_then(Yaml::text);
        let uses = step.get("uses").and_then(Yaml::text);
        let name = step.get("name").and_then(Yaml::text);
        let lines = run.map(script_lines).unwrap_or_default();
        // Actions prepare and carry; those that release or deploy are the work itself.
        let acts = uses.filter(|uses| says_work(uses) || name.is_some_and(says_work));
        if lines.is_empty() && acts.is_none() {
            continue;
        }
        let lines =
            if lines.is_empty() { acts.map(|uses| format!("uses {uses}")).into_iter().collect() } else { lines };
        let called = name.map(|name| prose::cut(&prose::collapse(name), 60)).unwrap_or_default();
        steps.push((called, lines));
    }
    let needs = job.get("needs").map(|needs| needs.texts().into_iter().map(str::to_owned).collect());
    let calls = job.get("uses").and_then(Yaml::text).map(|uses| uses.split('@').next().unwrap_or(uses).to_owned());
    Job { name: id.clone(), needs: needs.unwrap_or_default(), steps, calls }
}

/// What runs only for issues, comments and labels keeps the tracker tidy; nobody working on the code follows it.
fn is_clerk(events: &[&str]) -> bool {
    let tracker =
        ["issues", "issue_comment", "discussion", "discussion_comment", "pull_request_target", "label", "watch"];
    let silent = ["schedule", "workflow_dispatch", "pull_request_review", "fork"];
    events.iter().any(|event| tracker.contains(event))
        && events.iter().all(|event| tracker.contains(event) || silent.contains(event))
}

fn says_work(text: &str) -> bool {
    let text = text.to_lowercase();
    ["release", "deploy", "publish", "build-push", "upload-pages", "pre-commit", "golangci"]
        .iter()
        .any(|word| text.contains(word))
}

/// The lines of a script that do something, continued ones joined.
fn script_lines(script: &str) -> Vec<String> {
    let joined = prose::head(script, 8_000).replace("\\\n", " ");
    let lines = joined.lines().map(prose::collapse).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter(|line| !command::normalise_all(std::iter::once(line.as_str())).is_empty()).take(MOST_LINES).collect()
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

pub(super) fn gitlab(path: &str, text: &str) -> Vec<FileWorkflow> {
    let Some(document) = yaml::read(text) else { return Vec::new() };
    let stages = document.get("stages").map(Yaml::texts).unwrap_or(vec!["build", "test", "deploy"]);
    let stage_of = |job: &Yaml| job.get("stage").and_then(Yaml::text).unwrap_or("test").to_owned();
    let entries = document.entries().iter().filter(|(name, job)| {
        !name.starts_with('.')
            && !GITLAB_WORDS.contains(&name.as_str())
            && (job.get("script").is_some() || job.get("trigger").is_some())
    });
    let entries: Vec<&(String, Yaml)> = entries.take(MOST_JOBS).collect();
    let mut jobs: Vec<(usize, Job)> = Vec::new();
    for (name, job) in entries.iter().map(|entry| (&entry.0, &entry.1)) {
        let own = stages.iter().position(|stage| **stage == *stage_of(job)).unwrap_or(stages.len());
        let script = job.get("script").map(Yaml::texts).unwrap_or_default().join("\n");
        let needs = job.get("needs").map(Yaml::items).map(|needs| {
            needs.iter().filter_map(|need| need.text().or_else(|| need.get("job")?.text())).map(str::to_owned).collect()
        });
        // Without needs of its own a job waits for the stage before.
        let needs = needs.unwrap_or_else(|| {
            let before = entries.iter().filter(|(_, other)| {
                stages.iter().position(|stage| **stage == *stage_of(other)).unwrap_or(stages.len()) < own
            });
            before.map(|(name, _)| name.clone()).collect()
        });
        let lines = script_lines(&script);
        let steps = if lines.is_empty() { Vec::new() } else { vec![(String::new(), lines)] };
        jobs.push((own, Job { name: name.clone(), needs, steps, calls: None }));
    }
    jobs.sort_by_key(|(stage, _)| *stage);
    let jobs: Vec<Job> = jobs.into_iter().map(|(_, job)| job).collect();
    tell(path, "pipeline", "", &jobs).into_iter().collect()
}

/// Jobs in rows: each after all it needs. Those in a circle come last.
fn rows(jobs: &[Job]) -> Vec<Vec<&Job>> {
    let mut row_of: BTreeMap<&str, usize> = BTreeMap::new();
    let known: BTreeMap<&str, &Job> = jobs.iter().map(|job| (job.name.as_str(), job)).collect();
    let mut rows: Vec<Vec<&Job>> = Vec::new();
    let mut left: Vec<&Job> = jobs.iter().collect();
    while !left.is_empty() {
        let ready = |job: &&Job| {
            job.needs.iter().all(|need| row_of.contains_key(need.as_str()) || !known.contains_key(need.as_str()))
        };
        let (now, later): (Vec<&Job>, Vec<&Job>) = left.iter().copied().partition(ready);
        let (now, later) = if now.is_empty() { (later, Vec::new()) } else { (now, later) };
        row_of.extend(now.iter().map(|job| (job.name.as_str(), rows.len())));
        rows.push(now);
        left = later;
    }
    rows
}

fn tell(path: &str, name: &str, when: &str, jobs: &[Job]) -> Option<FileWorkflow> {
    let runs = jobs.iter().any(|job| !job.steps.is_empty());
    let waits = jobs.iter().any(|job| !job.needs.is_empty());
    // A bot that labels or locks teaches nothing about the work.
    if !runs && !waits {
        return None;
    }
    let rows = rows(jobs);
    let name = prose::cut(&prose::collapse(name), 60);
    let hint = match jobs {
        [only] => {
            let verbs: Vec<String> = only.steps.iter().map(|(step, lines)| step_name(step, lines)).collect();
            named_hint(&name, &verbs)
        }
        _ => named_hint(&name, &rows.iter().map(|row| abreast(row)).collect::<Vec<_>>()),
    };
    let mut text = format!("{path}\n{hint}");
    if !when.is_empty() {
        text.push_str(&format!("\non: {when}"));
    }
    for job in rows.iter().flatten() {
        let after = if job.needs.is_empty() {
            String::new()
        } else {
            format!(" (after {})", prose::cut(&job.needs.join(", "), 120))
        };
        let calls = job.calls.as_ref().map_or(String::new(), |calls| format!(" → {}", prose::cut(calls, 100)));
        text.push_str(&format!("\n- {}{after}{calls}", prose::cut(&job.name, 60)));
        for (step, lines) in job.steps.iter().take(12) {
            let label = if step.is_empty() { String::new() } else { format!("{step}: ") };
            let said: Vec<String> = lines.iter().take(3).map(|line| prose::cut(line, 110)).collect();
            text.push_str(&format!("\n    {label}{}", said.join("; ")));
        }
    }
    let mut draft =
        file::draft(Kind::Workflow, path, "", &format!("{name} ({})", path.rsplit('/').next().unwrap_or(path)), text);
    draft.summary = Some(hint);
    draft.tags.push("ci".to_owned());
    draft.importance = Some(0.45);
    let lines = rows.iter().flatten().flat_map(|job| &job.steps).flat_map(|(_, lines)| lines);
    let mut steps = command::normalise_all(lines.map(String::as_str));
    steps.truncate(40);
    Some(FileWorkflow { draft, steps })
}

fn step_name(step: &str, lines: &[String]) -> String {
    if !step.is_empty() && step.chars().count() <= 28 {
        return step.to_owned();
    }
    let commands = command::normalise_all(lines.iter().map(String::as_str));
    commands.first().map_or_else(|| prose::cut(step, 28), |first| command::verb(first).to_owned())
}

fn abreast(row: &[&Job]) -> String {
    let names: Vec<&str> = row.iter().take(MOST_ABREAST).map(|job| job.name.as_str()).collect();
    let more = if row.len() > MOST_ABREAST { format!("+{} more", row.len() - MOST_ABREAST) } else { String::new() };
    let joined = format!("{}{more}", names.join("+"));
    if row.len() > 1 { format!("({joined})") } else { joined }
}

fn named_hint(name: &str, steps: &[String]) -> String {
    let left = steps.len().saturating_sub(8);
    let more = if left > 0 { format!("→…{left} more") } else { String::new() };
    format!("{name}: {}{more}", steps.iter().take(8).cloned().collect::<Vec<_>>().join("→"))
}
