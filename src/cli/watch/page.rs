//! The page that is watched: what stands on it and where. Pure: it is given what the daemon said, the time and the size.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::super::screen::{Style, paint};
use super::super::settings::Settings;
use super::super::words;
use lokid_model::{Timestamp, unseen};

/// Looks that the line of signals goes back.
const LOOKS: usize = 24;
/// Events that are kept for a tall terminal.
const EVENTS: usize = 64;
const BAR: usize = 12;
/// A project drawn in full takes so many lines.
const FULL: usize = 6;

pub(super) struct Page {
    socket: String,
    home: Option<String>,
    colour: bool,
    status: Value,
    /// Nobody answered when it was last asked.
    away: bool,
    at: Timestamp,
    offset: i32,
    /// By project: signals in all, and how many came between two looks.
    signals: BTreeMap<String, (u64, VecDeque<u64>)>,
    lately: VecDeque<Event>,
}

struct Event {
    at: String,
    project: String,
    what: String,
    about: String,
}

/// Pieces of one line, each in its own style.
type Line = Vec<(Option<Style>, String)>;

fn plain(text: impl Into<String>) -> (Option<Style>, String) {
    (None, text.into())
}

fn styled(style: Style, text: impl Into<String>) -> (Option<Style>, String) {
    (Some(style), text.into())
}

impl Page {
    pub(super) fn new(settings: &Settings, colour: bool) -> Page {
        Page {
            socket: settings.socket.display().to_string(),
            home: lokid_sys::env::home_dir().map(|home| home.display().to_string()),
            colour,
            status: Value::Null,
            away: false,
            at: Timestamp::default(),
            offset: 0,
            signals: BTreeMap::new(),
            lately: VecDeque::new(),
        }
    }

    pub(super) fn look(&mut self, status: Option<&Value>, at: Timestamp, offset: i32) {
        (self.at, self.offset, self.away) = (at, offset, status.is_none());
        let Some(status) = status else { return };
        self.status = status.clone();
        for project in list(status, "projects") {
            let total = signals_of(project);
            let fresh = (total, VecDeque::from([0; LOOKS]));
            let (before, looks) = self.signals.entry(words::field(project, "path")).or_insert(fresh);
            looks.pop_front();
            // Of a daemon that began anew, the count begins anew.
            looks.push_back(total.checked_sub(*before).unwrap_or(total));
            *before = total;
        }
    }

    pub(super) fn hear(&mut self, event: &Value) {
        let at = Timestamp::parse(&words::field(event, "at")).unwrap_or(self.at);
        let project = words::field(event, "project");
        let (what, about) = told(event);
        let project = project.rsplit('/').next().unwrap_or_default().to_owned();
        self.lately.push_front(Event { at: clock(at, self.offset), project, what, about });
        self.lately.truncate(EVENTS);
    }

    /// Everything that matters in one line, for a pipe.
    pub(super) fn line(&self) -> String {
        let clock = clock(self.at, self.offset);
        if self.away {
            return format!("{clock}  no daemon at {}", self.socket);
        }
        let projects = list(&self.status, "projects");
        let sum = |at: &str| projects.iter().filter_map(|project| project.pointer(at)?.as_u64()).sum::<u64>();
        let signals: u64 = projects.iter().map(signals_of).sum();
        let (hits, misses) = (sum("/prefetch/hits"), sum("/prefetch/misses"));
        let parts = [
            clock,
            self.status.get("rss_bytes").and_then(Value::as_u64).map(words::size).unwrap_or_default(),
            words::count(projects.len() as u64, "project", "projects"),
            words::count(sum("/memories"), "memory", "memories"),
            words::count(signals, "signal", "signals"),
            format!("{} of {} ready", words::number(hits), words::number(hits + misses)),
            format!("queue {}", words::number(projects.iter().map(queue_of).sum())),
            projects.first().map(night_of).unwrap_or_default(),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    }

    pub(super) fn draw(&self, columns: usize, rows: usize) -> Vec<String> {
        let mut lines = self.head(columns);
        let projects = list(&self.status, "projects");
        let room = rows.saturating_sub(lines.len() + 6);
        if projects.len() * FULL <= room {
            for project in projects {
                lines.push(Line::new());
                lines.extend(self.project(project, columns));
            }
        } else {
            lines.push(Line::new());
            let shown = room.max(1).min(projects.len());
            lines.extend(projects.iter().take(shown).map(|project| self.short(project, columns)));
            if shown < projects.len() {
                lines.push(vec![styled(Style::Dim, format!("   and {} more", projects.len() - shown))]);
            }
        }
        if !self.lately.is_empty() {
            lines.push(Line::new());
            lines.push(vec![styled(Style::Dim, " lately")]);
            let left = rows.saturating_sub(lines.len());
            let several = projects.len() > 1;
            lines.extend(self.lately.iter().take(left).map(|event| event.line(several)));
        }
        lines.truncate(rows.max(1));
        lines.iter().map(|line| self.paint(line, columns)).collect()
    }

    fn head(&self, columns: usize) -> Vec<Line> {
        let clock = clock(self.at, self.offset);
        if self.away {
            let waiting = vec![
                plain(" "),
                styled(Style::Yellow, "waiting for the daemon"),
                plain(format!(" at {}", self.socket)),
            ];
            return vec![beside(waiting, styled(Style::Dim, clock), columns)];
        }
        let up = self.status.get("uptime_s").and_then(Value::as_u64).map(words::span).unwrap_or_default();
        let name = format!(" lokid {}", words::field(&self.status, "version"));
        let about = format!("   up {up}   process {}", words::field(&self.status, "pid"));
        let head =
            beside(vec![styled(Style::Bold, name), styled(Style::Dim, about)], styled(Style::Dim, clock), columns);
        vec![head, Line::new(), self.memory()]
    }

    fn memory(&self) -> Line {
        let held = self.status.get("rss_bytes").and_then(Value::as_u64).unwrap_or(0);
        let limit = self.status.pointer("/memory/limit_bytes").and_then(Value::as_u64).unwrap_or(0);
        let (style, word) = match self.status.pointer("/memory/state").and_then(Value::as_str) {
            Some("scarce") => (Style::Red, "  scarce: nothing is made ready in advance"),
            Some("tight") => (Style::Yellow, "  tight: caches were let go of"),
            _ => (Style::Green, ""),
        };
        let mut line = label("memory");
        line.extend(bar(held as f64 / limit.max(1) as f64, style));
        line.push(plain(format!("  {} of {}", words::size(held), words::size(limit))));
        line.push(styled(style, word));
        line
    }

    fn project(&self, project: &Value, columns: usize) -> Vec<Line> {
        let number = |at: &str| project.pointer(at).and_then(Value::as_u64).unwrap_or(0);
        let held = words::count(number("/memories"), "memory", "memories");
        let path = self.homely(&words::field(project, "path"));
        let title = beside(vec![plain(" "), styled(Style::Bold, path)], plain(held), columns);
        let mut signals = label("signals");
        let known = self.signals.get(&words::field(project, "path"));
        signals.push(styled(Style::Green, known.map(|(_, looks)| sparks(looks)).unwrap_or_default()));
        signals.push(plain(format!("  {}", words::number(signals_of(project)))));
        signals.push(styled(Style::Dim, format!("  {}", kinds(project))));
        let (hits, asked) = (number("/prefetch/hits"), number("/prefetch/hits") + number("/prefetch/misses"));
        let mut ahead = label("ahead");
        ahead.extend(bar(hits as f64 / asked.max(1) as f64, Style::Green));
        ahead.push(plain(match asked {
            0 => format!("  none asked for yet, {} ready", number("/prefetch/ready")),
            _ => format!("  {} of {} stood ready", words::number(hits), words::number(asked)),
        }));
        let mut queue = label("queue");
        queue.push(match queue_of(project) {
            0 => styled(Style::Dim, "empty"),
            many => styled(Style::Yellow, format!("{} waiting", words::number(many))),
        });
        for (many, what) in
            [(number("/index/waiting"), "not yet searchable"), (number("/kept_outside"), "kept outside")]
        {
            if many > 0 {
                queue.push(styled(Style::Yellow, format!(", {} {what}", words::number(many))));
            }
        }
        let mut night = label("night");
        night.push(plain(night_of(project)));
        vec![title, signals, ahead, queue, night]
    }

    fn short(&self, project: &Value, columns: usize) -> Line {
        let number = |at: &str| project.pointer(at).and_then(Value::as_u64).unwrap_or(0);
        let known = self.signals.get(&words::field(project, "path"));
        let sparks = known.map(|(_, looks)| sparks(looks)).unwrap_or_default();
        let held = format!("{:>7} memories  {:>6} signals  ", words::number(number("/memories")), signals_of(project));
        let path = self.homely(&words::field(project, "path"));
        // The name is what a narrow terminal has room for.
        let left = |other: &str| columns.saturating_sub(held.chars().count() + other.chars().count() + 3);
        let sparks = if left(&sparks) < 16 { String::new() } else { sparks };
        let room = left(&sparks).max(1);
        let path: String = format!("{:<room$}", words::brief(&path, room));
        vec![plain(" "), styled(Style::Bold, path), plain(" "), plain(held), styled(Style::Green, sparks)]
    }

    fn homely(&self, path: &str) -> String {
        match self.home.as_deref().and_then(|home| path.strip_prefix(home)) {
            Some(rest) if rest.starts_with('/') => format!("~{rest}"),
            _ => path.to_owned(),
        }
    }

    /// Cut at the edge: a line that wraps would push the others down.
    fn paint(&self, line: &Line, columns: usize) -> String {
        let mut left = columns;
        let mut text = String::new();
        for (style, piece) in line {
            // What is spelt out takes room.
            let piece: String = unseen::shown_line(piece).chars().take(left).collect();
            left -= piece.chars().count();
            match style {
                Some(style) if !piece.is_empty() => text.push_str(&paint(self.colour, *style, &piece)),
                _ => text.push_str(&piece),
            }
        }
        text
    }
}

impl Event {
    fn line(&self, several: bool) -> Line {
        let mut line = vec![styled(Style::Dim, format!("   {}  ", self.at))];
        if several {
            line.push(styled(Style::Dim, format!("{:<14}  ", words::brief(&self.project, 14))));
        }
        line.push(styled(Style::Bold, format!("{:<14}", self.what)));
        line.push(plain(format!("  {}", self.about)));
        line
    }
}

fn label(name: &str) -> Line {
    vec![styled(Style::Dim, format!("   {name:<9}"))]
}

/// Something at the right edge, where there is room for it.
fn beside(mut line: Line, right: (Option<Style>, String), columns: usize) -> Line {
    let length: usize = line.iter().map(|(_, piece)| piece.chars().count()).sum();
    let room = columns.saturating_sub(length + right.1.chars().count() + 1);
    if room > 1 {
        line.push(plain(" ".repeat(room)));
        line.push(right);
    }
    line
}

fn bar(share: f64, style: Style) -> Line {
    let full = ((share.clamp(0.0, 1.0) * BAR as f64).round() as usize).min(BAR);
    vec![styled(style, "█".repeat(full)), styled(Style::Dim, "░".repeat(BAR - full))]
}

/// `▁▁▂█▁`, the highest as high as the line.
fn sparks(looks: &VecDeque<u64>) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = looks.iter().copied().max().unwrap_or(0).max(1);
    looks.iter().map(|many| STEPS[((many * 7).div_ceil(most) as usize).min(7)]).collect()
}

fn clock(at: Timestamp, offset: i32) -> String {
    let local = Timestamp::from_micros(at.as_micros().saturating_add(i64::from(offset) * 1_000_000));
    local.record_style().get(11..19).unwrap_or_default().to_owned()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn signals_of(project: &Value) -> u64 {
    let signals = project.pointer("/watch/signals").and_then(Value::as_object);
    signals.into_iter().flatten().filter_map(|(_, many)| many.as_u64()).sum()
}

/// Asking makes the writer look at the files: one is always waiting.
fn queue_of(project: &Value) -> u64 {
    project.pointer("/watch/backlog").and_then(Value::as_u64).unwrap_or(0).saturating_sub(1)
}

/// The three most frequent: `42 edited, 3 errors`.
fn kinds(project: &Value) -> String {
    let signals = project.pointer("/watch/signals").and_then(Value::as_object);
    let mut kinds: Vec<(&str, u64)> =
        signals.into_iter().flatten().filter_map(|(kind, many)| Some((kind.as_str(), many.as_u64()?))).collect();
    kinds.retain(|(_, many)| *many > 0);
    kinds.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let said = kinds.iter().take(3).map(|(kind, many)| format!("{} {}", words::number(*many), kind.replace('_', " ")));
    said.collect::<Vec<_>>().join(", ")
}

fn night_of(project: &Value) -> String {
    let text = |name: &str| project.pointer(&format!("/consolidation/{name}")).and_then(Value::as_str);
    if let Some(phase) = text("running/phase") {
        return format!("under way: {phase}");
    }
    let last = text("last").map_or_else(|| "none yet".to_owned(), |at| format!("last {}", words::moment(at)));
    match (text("waits"), text("next")) {
        (Some(why), _) => format!("{last}, waits: {why}"),
        (None, Some(next)) => format!("{last}, next {}", words::moment(next)),
        (None, None) => last,
    }
}

/// What happened, in a verb, and what it was about.
fn told(event: &Value) -> (String, String) {
    let data = |name: &str| event.pointer(&format!("/data/{name}")).map(words::plain).unwrap_or_default();
    let first = |names: &[&str]| names.iter().map(|name| data(name)).find(|text| !text.is_empty()).unwrap_or_default();
    match words::field(event, "kind").as_str() {
        "signal" => (data("type").replace('_', " "), first(&["path", "branch", "author", "session_id"])),
        "flood" => {
            let files = words::count(data("files").parse().unwrap_or(0), "more file", "more files");
            let folder = data("path");
            ("many changes".to_owned(), if folder.is_empty() { files } else { format!("{files} in {folder}/") })
        }
        "prefetch" => {
            let tokens = words::count(data("tokens").parse().unwrap_or(0), "token", "tokens");
            let about = first(&["path", "branch"]);
            ("made ready".to_owned(), if about.is_empty() { tokens } else { format!("{about}, {tokens}") })
        }
        "memory" => {
            let verb = match data("op").as_str() {
                "created" => "remembered".to_owned(),
                "updated" => "changed".to_owned(),
                op => op.to_owned(),
            };
            (verb, format!("{} {}", data("kind"), data("id")).trim().to_owned())
        }
        kind => (kind.replace('_', " "), words::brief(&words::field(event, "data"), 200)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page() -> Page {
        let at = Timestamp::parse("2026-11-15T14:02:31Z").unwrap();
        let mut page = Page {
            socket: "/run/lokid.sock".into(),
            home: Some("/home/ada".into()),
            colour: false,
            status: Value::Null,
            away: false,
            at,
            offset: 0,
            signals: BTreeMap::new(),
            lately: VecDeque::new(),
        };
        let status = json!({
            "version": "0.1.0", "pid": 42, "uptime_s": 12_000, "rss_bytes": 50 << 20,
            "memory": {"state": "calm", "limit_bytes": 1 << 30, "sheds": 0},
            "projects": [{
                "path": "/home/ada/app", "memories": 1204, "kept_outside": 0,
                "watch": {"backlog": 1, "signals": {"file_edited": 42, "error": 3, "task_start": 0}},
                "prefetch": {"hits": 23, "misses": 9, "ready": 2}, "index": {"waiting": 0},
                "consolidation": {"last": "2026-11-15T03:31:00Z", "next": "2026-11-16T03:30:00Z"},
            }],
        });
        page.look(Some(&status), at, 3600);
        page.hear(&json!({"at": "2026-11-15T14:02:29Z", "kind": "signal", "project": "/home/ada/app",
            "data": {"type": "file_edited", "path": "src/parser.rs"}}));
        page
    }

    #[test]
    fn the_page_tells_what_matters_in_a_few_lines() {
        let drawn = page().draw(72, 24).join("\n");
        let expected = " lokid 0.1.0   up 3 h 20 min   process 42                      15:02:31

   memory   █░░░░░░░░░░░  50.0 MiB of 1.0 GiB

 ~/app                                                   1,204 memories
   signals  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  45  42 file edited, 3 error
   ahead    █████████░░░  23 of 32 stood ready
   queue    empty
   night    last 2026-11-15 03:31 UTC, next 2026-11-16 03:30 UTC

 lately
   15:02:29  file edited     src/parser.rs";
        assert_eq!(drawn, expected, "\n{drawn}");
    }

    #[test]
    fn no_line_is_wider_and_no_page_taller_than_the_terminal() {
        let mut page = page();
        let project = page.status["projects"][0].clone();
        page.status["projects"] = vec![project; 50].into();
        for event in 0..100 {
            page.hear(&json!({"at": "", "kind": "memory", "data": {"op": "created", "kind": "note", "id": event}}));
        }
        for (columns, rows) in [(200, 60), (80, 24), (40, 10), (10, 3), (1, 1)] {
            let lines = page.draw(columns, rows);
            assert!(lines.len() <= rows, "{columns}×{rows}: {lines:#?}");
            assert!(lines.iter().all(|line| line.chars().count() <= columns), "{columns}×{rows}: {lines:#?}");
        }
    }

    #[test]
    fn what_is_told_cannot_steer_the_terminal() {
        let mut page = page();
        page.hear(&json!({"at": "", "kind": "signal", "data": {"type": "file_edited", "path": "a\u{1b}[2Jb"}}));
        assert!(!page.draw(80, 24).join("").contains('\u{1b}'));
    }

    #[test]
    fn a_daemon_that_is_away_is_waited_for_and_a_pipe_gets_a_line() {
        let mut page = page();
        assert_eq!(
            page.line(),
            "15:02:31  50.0 MiB  1 project  1,204 memories  45 signals  23 of 32 ready  queue 0  last 2026-11-15 03:31 \
             UTC, next 2026-11-16 03:30 UTC"
        );
        page.look(None, page.at, 0);
        assert!(page.draw(80, 24)[0].contains("waiting for the daemon at /run/lokid.sock"));
        assert_eq!(page.line(), "14:02:31  no daemon at /run/lokid.sock");
    }
}
