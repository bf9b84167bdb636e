//! What stands in the panels of one project, in words. Where they stand is decided elsewhere.

use std::collections::VecDeque;

use serde_json::Value;

use super::super::ask::list;
use super::super::screen::Style;
use super::super::status::unconfirmed;
use super::super::words;
use super::board::Board;
use super::digest::{queue_of, signals_of};
use super::happenings::Happening;
use super::layout::Panel;
use super::line::Line;
use lokid_model::Timestamp;

const BAR: usize = 12;
const LABEL: usize = 9;

pub(super) struct Panels<'b> {
    pub(super) board: &'b Board,
    pub(super) project: &'b Value,
}

impl Panels<'_> {
    /// What goes on at the left, how it fares at the right.
    pub(super) fn both(&self) -> (Vec<Panel>, Vec<Panel>) {
        (vec![self.now(), self.sessions(), self.events()], vec![self.health(), self.ready(), self.night()])
    }

    fn number(&self, at: &str) -> u64 {
        self.project.pointer(at).and_then(Value::as_u64).unwrap_or(0)
    }

    fn text(&self, at: &str) -> Option<&str> {
        self.project.pointer(at).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn list(&self, at: &str) -> &[Value] {
        self.project.pointer(at).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// `3 min`, since or until then.
    fn distance(&self, at: &str) -> Option<String> {
        let micros = Timestamp::parse(at)?.as_micros().abs_diff(self.board.now.as_micros());
        let span = words::span(micros / 1_000_000);
        Some(span.split(' ').take(2).collect::<Vec<_>>().join(" "))
    }

    fn ago(&self, at: &str) -> String {
        self.distance(at).map(|span| format!("{span} ago")).unwrap_or_default()
    }

    fn now(&self) -> Panel {
        let files: Vec<&str> = self.list("/focus/files").iter().filter_map(Value::as_str).collect();
        let (goal, branch) = (self.text("/focus/goal"), self.text("/focus/branch"));
        let mut lines = Vec::new();
        if let Some(goal) = goal {
            lines.push(Line::styled(Style::Bold, words::brief(goal, 300)));
        }
        if let Some((file, before)) = files.split_first() {
            let before = if before.is_empty() { String::new() } else { format!("  before: {}", before.join(", ")) };
            lines.push(Line::plain(file).then(Style::Dim, before));
        }
        let errors = self.number("/focus/errors");
        let about = [
            branch.map(|branch| format!("on {branch}")),
            self.text("/focus/tree").map(|tree| format!("in {tree}")),
            self.text("/focus/activity").map(|activity| activity.replace('_', " ")),
            (errors > 0).then(|| words::count(errors, "error of the last day", "errors of the last day")),
        ];
        let about = about.into_iter().flatten().collect::<Vec<_>>().join(", ");
        if !about.is_empty() {
            lines.push(Line::styled(Style::Dim, about));
        }
        if goal.is_none() && files.is_empty() {
            lines.insert(0, Line::styled(Style::Dim, "nothing heard yet"));
        }
        let brief = [goal, files.first().copied(), branch].into_iter().flatten().map(|text| words::brief(text, 300));
        let brief = brief.collect::<Vec<_>>().join(" · ");
        let brief = if brief.is_empty() { "nothing heard yet".to_owned() } else { brief };
        let heard = self.text("/focus/at").map(|at| format!("heard {}", self.ago(at))).unwrap_or_default();
        Panel { name: "now", aside: Line::styled(Style::Dim, heard), brief: Line::plain(brief), lines }
    }

    fn ready(&self) -> Panel {
        let (hits, asked) =
            (self.number("/prefetch/hits"), self.number("/prefetch/hits") + self.number("/prefetch/misses"));
        let paid = match asked {
            0 => "none asked for yet".to_owned(),
            _ => format!("{} of {} stood ready", words::number(hits), words::number(asked)),
        };
        let contexts = self.list("/prefetch/contexts");
        let line = |context: &Value| {
            let about = ["path", "goal", "branch"].map(|name| words::field(context, name));
            let about =
                about.into_iter().find(|text| !text.is_empty()).unwrap_or_else(|| "the whole project".to_owned());
            let number = |name: &str| context.get(name).and_then(Value::as_u64).unwrap_or(0);
            let memories = words::count(number("memories"), "memory", "memories");
            let tokens = words::count(number("tokens"), "token", "tokens");
            let agent = Some(words::field(context, "agent")).filter(|agent| !agent.is_empty());
            let agent = agent.map(|agent| format!(" for {agent}")).unwrap_or_default();
            let is_given = context.get("asked") == Some(&Value::Bool(true));
            Line::styled(Style::Green, if is_given { "✓ " } else { "· " })
                .join(Line::styled(Style::Dim, format!("{memories}, {tokens}")).fit(26))
                .and(words::brief(&about, 200))
                .then(Style::Dim, agent)
        };
        let mut lines: Vec<Line> = contexts.iter().map(line).collect();
        let off = self.text("/prefetch/state") == Some("off");
        if lines.is_empty() {
            lines.push(Line::styled(Style::Dim, if off { "switched off" } else { "nothing stands ready" }));
        }
        let ready = words::count(contexts.len() as u64, "context", "contexts");
        let brief = if off { "switched off".to_owned() } else { format!("{ready}, {paid}") };
        Panel { name: "ready", aside: Line::styled(Style::Dim, paid), brief: Line::plain(brief), lines }
    }

    fn sessions(&self) -> Panel {
        let own = &self.board.look;
        let is_own = own.project == words::field(self.project, "path");
        let sessions = own.sessions.as_ref().filter(|_| is_own).map_or(&[][..], |told| list(told, "items"));
        let mut lines: Vec<Line> = sessions.iter().map(|session| self.session(session)).collect();
        if let Some(ledger) = own.ledger.as_ref().filter(|_| is_own && lines.is_empty()) {
            lines.extend(spent(ledger));
        }
        if lines.is_empty() {
            lines.push(Line::styled(Style::Dim, "none yet"));
        }
        let brief = sessions.first().map_or_else(|| lines[0].clone(), |latest| self.last_session(latest));
        Panel { name: "sessions", aside: Line::default(), brief, lines }
    }

    /// `claude 3 min ago fix the login`
    fn last_session(&self, session: &Value) -> Line {
        let [agent, when, goal] = ["agent", "last_at", "goal"].map(|name| words::field(session, name));
        Line::plain(agent)
            .then(Style::Dim, format!(" {}", self.ago(&when)))
            .and(format!(" {}", words::brief(&goal, 200)))
    }

    /// `● claude     3 min ago  12 given, 3 cited  fix the login`
    fn session(&self, session: &Value) -> Line {
        let number = |name: &str| session.get(name).and_then(Value::as_u64).unwrap_or(0);
        let text = |name: &str| words::field(session, name);
        let mark = if text("ended_at").is_empty() {
            Line::styled(Style::Green, "●")
        } else {
            Line::styled(Style::Dim, "○")
        };
        let agent = Some(text("agent")).filter(|agent| !agent.is_empty()).unwrap_or_else(|| "somebody".to_owned());
        let when = ["last_at", "started_at"].map(&text).into_iter().find(|at| !at.is_empty()).unwrap_or_default();
        let counts = format!("{} given, {} cited", words::number(number("given")), words::number(number("cited")));
        let goal = Some(text("goal")).filter(|goal| !goal.is_empty()).unwrap_or_else(|| text("session_id"));
        let outcome = Some(text("outcome")).filter(|outcome| !outcome.is_empty()).map(|outcome| format!("{outcome}: "));
        mark.and(" ")
            .join(Line::styled(Style::Bold, agent).fit(10))
            .join(Line::styled(Style::Dim, self.ago(&when)).fit(11))
            .join(Line::plain(counts).fit(21))
            .then(Style::Dim, outcome.unwrap_or_default())
            .and(words::brief(&goal, 200))
    }

    fn night(&self) -> Panel {
        let at = |name: &str| self.text(&format!("/consolidation/{name}"));
        let did = self.project.pointer("/consolidation/did").and_then(Value::as_object);
        let did: Vec<String> = did
            .into_iter()
            .flatten()
            .filter_map(|(what, many)| Some(format!("{} {}", words::number(many.as_u64()?), what.replace('_', " "))))
            .collect();
        let last = at("last").map_or_else(|| "none yet".to_owned(), |at| format!("last {}", self.ago(at)));
        let is_paused = self.project.pointer("/consolidation/paused") == Some(&Value::Bool(true));
        let next = match (is_paused, at("waits"), at("next")) {
            (true, ..) => Line::styled(Style::Yellow, "paused"),
            (_, Some(why), _) => Line::styled(Style::Yellow, format!("waits: {why}")),
            (_, None, Some(next)) => {
                Line::styled(Style::Dim, format!("next in {}", self.distance(next).unwrap_or_default()))
            }
            _ => Line::default(),
        };
        let mut lines = Vec::new();
        if let Some(phase) = at("running/phase") {
            let done = words::number(self.number("/consolidation/running/done"));
            let since = at("running/since").and_then(|since| self.distance(since)).unwrap_or_default();
            let cause = at("running/cause").unwrap_or_default();
            lines.push(Line::styled(Style::Yellow, format!("under way: {phase}, {done} done, for {since}, {cause}")));
        }
        let told = if did.is_empty() { String::new() } else { format!(": {}", did.join(", ")) };
        lines.push(Line::plain(last).then(Style::Dim, told));
        let brief = if lines.len() > 1 || next.is_empty() {
            lines[0].clone()
        } else {
            lines[0].clone().and(", ").join(next.clone())
        };
        Panel { name: "night", aside: next, brief, lines }
    }

    fn health(&self) -> Panel {
        let mut lines = self.concerns();
        let concerns = lines.len();
        let memory = self.memory();
        let queue = match queue_of(self.project) {
            0 => Line::styled(Style::Dim, "empty"),
            many => Line::styled(Style::Yellow, format!("{} waiting", words::number(many))),
        };
        let brief =
            lines.first().cloned().unwrap_or_else(|| Line::plain(self.held()).and(", queue ").join(queue.clone()));
        lines.push(label("memory").join(memory));
        lines.push(label("index").join(self.index()));
        lines.extend(self.past().map(|past| label("past").join(past)));
        lines.push(label("watched").join(self.watched()));
        lines.push(label("queue").join(queue));
        lines.push(label("signals").join(self.signals()));
        lines.extend(self.hooks().map(|hooks| label("hooks").join(hooks)));
        let aside = match concerns {
            0 => Line::styled(Style::Green, "well"),
            many => Line::styled(Style::Yellow, format!("{many} to look at")),
        };
        Panel { name: "health", aside, brief, lines }
    }

    /// What somebody should look at.
    fn concerns(&self) -> Vec<Line> {
        let number = |at: &str| Some(self.number(at)).filter(|many| *many > 0);
        let problems = self.list("/problems").len() as u64;
        let memory = self.board.look.status.as_ref().and_then(|status| status.pointer("/memory/state")?.as_str());
        let told = [
            (memory == Some("scarce")).then(|| "memory is scarce: nothing is made ready in advance".to_owned()),
            (memory == Some("tight")).then(|| "memory is tight: caches were let go of".to_owned()),
            (self.text("/watch/state") == Some("absent")).then(|| "the working tree is not there".to_owned()),
            (problems > 0).then(|| format!("{} cannot be read: lokid doctor", words::count(problems, "file", "files"))),
            number("/kept_outside")
                .map(|many| format!("{} kept outside: the repository cannot be written", words::number(many))),
            number("/open_contradictions").map(|many| {
                format!("{} open: lokid contradictions", words::count(many, "contradiction", "contradictions"))
            }),
            unconfirmed(self.project).map(|found| format!("{found}: lokid trust")),
            (self.project.get("capture") == Some(&Value::Bool(false)))
                .then(|| "nothing is captured: an opt-out".to_owned()),
        ];
        let warnings = self.list("/watch/warnings").iter().filter_map(Value::as_str).map(str::to_owned);
        told.into_iter().flatten().chain(warnings).map(|told| Line::styled(Style::Yellow, told)).collect()
    }

    fn memory(&self) -> Line {
        let (held, limit) = (self.of_daemon("/rss_bytes"), self.of_daemon("/memory/limit_bytes"));
        bar(held as f64 / limit.max(1) as f64).and(format!("  {}", self.held()))
    }

    fn held(&self) -> String {
        let (held, limit) = (self.of_daemon("/rss_bytes"), self.of_daemon("/memory/limit_bytes"));
        format!("{} of {}", words::size(held), words::size(limit))
    }

    fn of_daemon(&self, at: &str) -> u64 {
        self.board.look.status.as_ref().and_then(|status| status.pointer(at)?.as_u64()).unwrap_or(0)
    }

    fn index(&self) -> Line {
        let (indexed, waiting) = (self.number("/index/indexed"), self.number("/index/waiting"));
        match self.text("/index/state") {
            Some("ready") => {
                Line::plain("ready").then(Style::Dim, format!(", {}", words::count(indexed, "memory", "memories")))
            }
            Some("indexing") => {
                let share = indexed as f64 / (indexed + waiting).max(1) as f64;
                bar(share).then(Style::Yellow, format!("  {} not yet searchable", words::number(waiting)))
            }
            Some("off") => Line::styled(Style::Dim, "opened when somebody asks"),
            other => Line::styled(Style::Yellow, other.unwrap_or("unknown")),
        }
    }

    /// What the repository taught by itself, or how far the reading is.
    fn past(&self) -> Option<Line> {
        let (done, total) = (self.number("/past/done"), self.number("/past/total"));
        match self.text("/past/state")? {
            "off" => None,
            "ready" => {
                let commits = words::count(self.number("/past/commits"), "commit", "commits");
                let files = words::count(self.number("/past/code_files"), "source file", "source files");
                let memories = words::count(self.number("/past/memories"), "memory", "memories");
                Some(Line::plain(memories).then(Style::Dim, format!(" from {commits} and {files}")))
            }
            "starting" => Some(Line::styled(Style::Yellow, "about to be read")),
            chapter => Some(bar(done as f64 / total.max(1) as f64).then(Style::Yellow, format!("  reading {chapter}"))),
        }
    }

    fn watched(&self) -> Line {
        let files = words::count(self.number("/watch/files"), "file", "files");
        let folders = self.number("/watch/folders_watched") + self.number("/watch/folders_polled");
        let what = Line::plain(format!("{files} in {}", words::count(folders, "folder", "folders")));
        match self.text("/watch/state") {
            Some("native") => what,
            Some("on-demand") => Line::styled(Style::Dim, "on demand"),
            other => {
                let reason = self.text("/watch/reason").map(|reason| format!(": {reason}")).unwrap_or_default();
                what.then(Style::Yellow, format!(", {}{reason}", other.unwrap_or("unknown")))
            }
        }
    }

    fn signals(&self) -> Line {
        let sparks = self.board.sparks(&words::field(self.project, "path")).map(sparks).unwrap_or_default();
        let many = words::number(signals_of(self.project));
        Line::styled(Style::Green, sparks)
            .and(format!("  {many}"))
            .then(Style::Dim, format!("  {}", kinds(self.project)))
    }

    /// When agents were last heard, the latest first.
    fn hooks(&self) -> Option<Line> {
        let hooks = self.board.look.status.as_ref()?.get("hooks")?.as_object()?;
        let mut heard: Vec<(String, &str)> =
            hooks.iter().map(|(agent, hook)| (words::field(hook, "last_event_at"), agent.as_str())).collect();
        heard.sort_by(|one, other| other.cmp(one));
        let told: Vec<String> = heard.iter().map(|(at, agent)| format!("{agent} {}", self.ago(at))).collect();
        (!told.is_empty()).then(|| Line::plain(told.join(", ")))
    }

    fn events(&self) -> Panel {
        let path = words::field(self.project, "path");
        let own = || self.board.lately.iter().filter(|one| one.project.is_empty() || one.project == path);
        let mut lines: Vec<Line> = own().map(|one| one.line(&self.board.clock(one.at))).collect();
        if lines.is_empty() {
            lines.push(Line::styled(Style::Dim, "nothing since this was opened"));
        }
        let brief = own().next().map_or_else(|| lines[0].clone(), Happening::brief);
        Panel { name: "events", aside: Line::default(), brief, lines }
    }
}

/// Where a daemon does not tell of sessions: what all of them cost.
fn spent(ledger: &Value) -> Vec<Line> {
    let number = |at: &str| ledger.pointer(at).and_then(Value::as_u64).unwrap_or(0);
    let given = words::count(number("/metrics/injected_tokens"), "token given", "tokens given");
    let cited = words::count(number("/metrics/memories_cited"), "memory cited", "memories cited");
    let tasks = words::count(number("/metrics/tasks"), "task", "tasks");
    let saved = ledger.pointer("/metrics/savings_vs_full_load").and_then(Value::as_str).unwrap_or("0%");
    vec![
        Line::plain(format!("{given}, {cited}, {tasks}")),
        Line::styled(Style::Dim, format!("{saved} saved against loading everything")),
    ]
}

fn label(name: &str) -> Line {
    Line::styled(Style::Dim, name).fit(LABEL)
}

fn bar(share: f64) -> Line {
    let full = ((share.clamp(0.0, 1.0) * BAR as f64).round() as usize).min(BAR);
    Line::styled(Style::Green, "█".repeat(full)).then(Style::Dim, "░".repeat(BAR - full))
}

/// `▁▁▂█▁`, the highest as high as the line.
fn sparks(looks: &VecDeque<u64>) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = looks.iter().copied().max().unwrap_or(0).max(1);
    looks.iter().map(|many| STEPS[((many * 7).div_ceil(most) as usize).min(7)]).collect()
}

/// The three most frequent: `42 file edited, 3 error`.
fn kinds(project: &Value) -> String {
    let signals = project.pointer("/watch/signals").and_then(Value::as_object);
    let mut kinds: Vec<(&str, u64)> =
        signals.into_iter().flatten().filter_map(|(kind, many)| Some((kind.as_str(), many.as_u64()?))).collect();
    kinds.retain(|(_, many)| *many > 0);
    kinds.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let said = kinds.iter().take(3).map(|(kind, many)| format!("{} {}", words::number(*many), kind.replace('_', " ")));
    said.collect::<Vec<_>>().join(", ")
}
