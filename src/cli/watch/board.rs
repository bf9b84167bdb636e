//! What the page knows: what the daemon last said, what happened since, which project is looked at, and whether it is held.
//! Pure: it is given answers, events, keys and the time.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::super::ask::list;
use super::super::screen::Style;
use super::super::words;
use super::digest::signals_of;
use super::happenings::Happening;
use super::keys::Key;
use super::layout::Sheet;
use super::line::Line;
use super::panels::Panels;
use lokid_model::Timestamp;

/// Looks that the line of signals goes back.
const LOOKS: usize = 24;
/// Events that are kept, of all projects.
const EVENTS: usize = 256;

/// What the daemon said when it was asked; nothing where it did not answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    pub(super) status: Option<Value>,
    /// The project that the rest is about.
    pub(super) project: String,
    pub(super) sessions: Option<Value>,
    /// Asked for where sessions are not told.
    pub(super) ledger: Option<Value>,
}

/// What a key calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Quit,
    /// Another project is looked at.
    Look,
    Draw,
}

pub(super) struct Board {
    socket: String,
    home: Option<String>,
    pub(super) look: Look,
    /// Somebody answered when it was last asked; nothing before the first time.
    answered: Option<bool>,
    pub(super) now: Timestamp,
    offset: i32,
    /// The path of the project that is looked at, or one inside it.
    wanted: String,
    /// By project: signals in all, and how many came between two looks.
    signals: BTreeMap<String, (u64, VecDeque<u64>)>,
    pub(super) lately: VecDeque<Happening>,
    /// What happened while the page is held.
    held: Option<Vec<Happening>>,
    helps: bool,
}

impl Board {
    pub(super) fn new(socket: String, home: Option<String>, wanted: String) -> Board {
        Board {
            socket,
            home,
            look: Look::default(),
            answered: None,
            now: Timestamp::default(),
            offset: 0,
            wanted,
            signals: BTreeMap::new(),
            lately: VecDeque::new(),
            held: None,
            helps: false,
        }
    }

    pub(super) fn wanted(&self) -> &str {
        &self.wanted
    }

    pub(super) fn at(&mut self, now: Timestamp, offset: i32) {
        if self.held.is_none() {
            (self.now, self.offset) = (now, offset);
        }
    }

    pub(super) fn take(&mut self, look: Look) {
        if self.held.is_some() {
            return;
        }
        self.answered = Some(look.status.is_some());
        let Some(status) = &look.status else { return };
        for project in list(status, "projects") {
            let total = signals_of(project);
            let fresh = (total, VecDeque::from([0; LOOKS]));
            let (before, looks) = self.signals.entry(words::field(project, "path")).or_insert(fresh);
            looks.pop_front();
            // Of a daemon that began anew, the count begins anew.
            looks.push_back(total.checked_sub(*before).unwrap_or(total));
            *before = total;
        }
        self.look = look;
    }

    pub(super) fn hear(&mut self, event: &Value) {
        let happening = Happening::new(event, self.now);
        match &mut self.held {
            Some(held) if held.len() < EVENTS => held.push(happening),
            Some(_) => {}
            None => self.add(happening),
        }
    }

    fn add(&mut self, happening: Happening) {
        self.lately.push_front(happening);
        self.lately.truncate(EVENTS);
    }

    pub(super) fn press(&mut self, key: Key) -> Wish {
        match key {
            Key::Quit => return Wish::Quit,
            Key::Back if !self.helps => return Wish::Quit,
            Key::Back => self.helps = false,
            Key::Help => self.helps = !self.helps,
            Key::Pause => match self.held.take() {
                Some(held) => held.into_iter().for_each(|happening| self.add(happening)),
                None => self.held = Some(Vec::new()),
            },
            Key::Next => return self.turn_to(|at, many| (at + 1) % many),
            Key::Previous => return self.turn_to(|at, many| (at + many - 1) % many),
            Key::Project(wanted) => return self.turn_to(|at, many| if wanted < many { wanted } else { at }),
        }
        Wish::Draw
    }

    fn turn_to(&mut self, next: impl Fn(usize, usize) -> usize) -> Wish {
        let (projects, at) = (self.projects(), self.place());
        let Some(project) = projects.get(next(at, projects.len().max(1))) else { return Wish::Draw };
        self.wanted = words::field(project, "path");
        self.helps = false;
        Wish::Look
    }

    pub(super) fn projects(&self) -> &[Value] {
        self.look.status.as_ref().map_or(&[], |status| list(status, "projects"))
    }

    /// Which of them is looked at.
    fn place(&self) -> usize {
        self.look.status.as_ref().map_or(0, |status| place_of(status, &self.wanted))
    }

    pub(super) fn sparks(&self, path: &str) -> Option<&VecDeque<u64>> {
        self.signals.get(path).map(|(_, looks)| looks)
    }

    pub(super) fn clock(&self, at: Timestamp) -> String {
        clock(at, self.offset)
    }

    pub(super) fn draw(&self, columns: usize, rows: usize) -> Vec<Line> {
        let project = self.projects().get(self.place());
        let (left, right) = match project {
            Some(project) if !self.helps => Panels { board: self, project }.both(),
            _ => (Vec::new(), Vec::new()),
        };
        let mut head = vec![self.title(columns)];
        if self.helps {
            head.extend(HELP.lines().map(Line::plain));
        } else if project.is_some() {
            head.push(self.tabs(columns));
        } else if self.answered == Some(true) {
            head.push(Line::plain(" no project is watched; `lokid project add` begins with the one you stand in"));
        }
        let foot = Line::styled(Style::Dim, " q quit   Tab next project   p pause   ? help");
        Sheet { head, left, right, foot }.draw(columns, rows)
    }

    /// ` lokid 0.2.0   up 3 h 20 min                    15:02:31`
    fn title(&self, columns: usize) -> Line {
        let mut right = Line::styled(Style::Dim, self.clock(self.now));
        if let Some(held) = &self.held {
            let since = if held.is_empty() { String::new() } else { format!(", {} since", held.len()) };
            right = Line::styled(Style::Yellow, format!("paused{since}")).and(" ").join(right);
        }
        let waiting = |word: &str| Line::plain(" ").then(Style::Yellow, word).and(format!(" at {}", self.socket));
        let left = match (self.answered, &self.look.status) {
            (None, _) => waiting("asking the daemon"),
            (Some(true), Some(status)) => {
                let up = status.get("uptime_s").and_then(Value::as_u64).map(words::span).unwrap_or_default();
                let about = format!("   up {up}   process {}", words::field(status, "pid"));
                Line::styled(Style::Bold, format!(" lokid {}", words::field(status, "version"))).then(Style::Dim, about)
            }
            _ => waiting("waiting for the daemon"),
        };
        left.beside(right, columns)
    }

    /// ` ~/app          1,204 memories`, or one tab a project: ` [1 app]  2 web`.
    fn tabs(&self, columns: usize) -> Line {
        let (projects, place) = (self.projects(), self.place());
        let Some(project) = projects.get(place) else { return Line::default() };
        let many = project.get("memories").and_then(Value::as_u64).unwrap_or(0);
        let right = Line::plain(words::count(many, "memory", "memories"));
        if projects.len() == 1 {
            return Line::plain(" ")
                .then(Style::Bold, self.homely(&words::field(project, "path")))
                .beside(right, columns);
        }
        let tab = |(at, project): (usize, &Value)| {
            let path = words::field(project, "path");
            let name = format!("{} {}", at + 1, path.rsplit('/').next().unwrap_or_default());
            if at == place {
                Line::styled(Style::Bold, format!("[{name}]"))
            } else {
                Line::styled(Style::Dim, format!(" {name} "))
            }
        };
        let mut tabs: VecDeque<Line> = projects.iter().enumerate().map(tab).collect();
        // The one that is looked at is to be seen.
        let room = columns.saturating_sub(right.width() + 2);
        let mut before = place;
        while before > 0 && tabs.iter().take(before + 1).map(Line::width).sum::<usize>() > room {
            (before, _) = (before - 1, tabs.pop_front());
        }
        tabs.into_iter().fold(Line::plain(" "), Line::join).beside(right, columns)
    }

    fn homely(&self, path: &str) -> String {
        match self.home.as_deref().and_then(|home| path.strip_prefix(home)) {
            Some(rest) if rest.starts_with('/') => format!("~{rest}"),
            _ => path.to_owned(),
        }
    }
}

const HELP: &str = "
 q, Esc, Ctrl-C        leave
 Tab, Shift-Tab, 1-9   another project
 p                     hold the page, and let it go on
 ?                     this, and away with it

 now        what is believed to be worked on
 ready      contexts that stand ready for whoever asks
 sessions   what the last ones were given, and what of it they named
 night      when the memory was last tidied, and what was done
 health     what it takes, what waits, what somebody should look at
 events     what happens, as it happens";

/// `15:02:31`, where the user is.
pub(super) fn clock(at: Timestamp, offset: i32) -> String {
    let local = Timestamp::from_micros(at.as_micros().saturating_add(i64::from(offset) * 1_000_000));
    local.record_style().get(11..19).unwrap_or_default().to_owned()
}

/// The place of the project that this path is, or lies in; else of the first.
pub(super) fn place_of(status: &Value, wanted: &str) -> usize {
    let around = |path: &str| wanted.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let paths = list(status, "projects").iter().map(|project| words::field(project, "path"));
    let around = paths.enumerate().filter(|(_, path)| around(path));
    around.max_by_key(|(_, path)| path.len()).map_or(0, |(at, _)| at)
}
