//! What somebody is busy with, as far as signals tell: one focus for each session and each working tree, so that two
//! editors or two agents do not disturb each other. Signals in, the state of the focus out.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use lokid_model::{Signal, SignalKind, TaskType, Timestamp};
use lokid_retrieve::task;
use lokid_sys::git::branch;

/// Files before the one at hand that still tell what is going on.
const RECENT: usize = 8;
const MOST_ERRORS: usize = 4;
/// Focuses kept; the one not heard of for longest makes room.
const MOST_FOCUSES: usize = 64;
/// An error is the matter at hand for this long, a colleague who joined for this long.
const ERROR_AGE: i64 = 24 * 3_600_000_000;
const GUEST_AGE: i64 = 24 * 3_600_000_000;
/// Text of a signal that is kept.
const MOST_TEXT: usize = 4_000;
/// What a branch is about fits into so many commits and files.
const MOST_TOLD: usize = 8;

/// Whose focus it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// Whoever works in the main working tree.
    #[default]
    Main,
    /// Whoever works in a linked one.
    Tree(String),
    Session(String),
}

impl Owner {
    pub(super) fn session(&self) -> Option<&str> {
        match self {
            Owner::Session(session) => Some(session),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Focus {
    pub file: Option<String>,
    /// Before that one, newest first.
    pub recent: VecDeque<String>,
    pub branch: Option<Branch>,
    pub goal: Option<String>,
    /// It is that of a session, and of no other.
    is_of_session: bool,
    /// The working tree it was last heard of in, for a session.
    tree: Owner,
    errors: VecDeque<(Timestamp, SeenError)>,
    guest: Option<(Timestamp, Guest)>,
    heard: Timestamp,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    pub name: String,
    pub subjects: Vec<String>,
    pub files: Vec<String>,
}

impl Branch {
    /// What a branch has that the one it will return to has not.
    pub(super) fn on_disk(root: &Path, name: &str) -> Option<Branch> {
        let work = branch::about_branch(root, name, MOST_TOLD)?;
        let subjects = work.commits.into_iter().map(|commit| commit.summary).collect();
        Some(Branch { name: name.to_owned(), subjects, files: work.files })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenError {
    pub text: String,
    pub file: Option<String>,
}

/// Somebody who has not worked here before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    pub name: String,
    pub areas: Vec<String>,
}

impl Focus {
    /// Takes a signal in. Answers whether what is needed may be another than before.
    fn hear(&mut self, signal: &Signal) -> bool {
        let before = self.clone();
        self.heard = self.heard.max(signal.at);
        match signal.kind {
            SignalKind::FileOpened | SignalKind::FileEdited => self.turn_to(signal.path.as_deref()),
            SignalKind::BranchCheckout => self.check_out(signal),
            SignalKind::Error => self.fail(signal),
            SignalKind::CollaboratorJoined => {
                let areas = signal.text.as_deref().unwrap_or_default();
                let areas = areas.split(", ").filter(|area| !area.is_empty()).map(str::to_owned).collect();
                self.guest = signal.author.clone().map(|name| (signal.at, Guest { name, areas }));
            }
            SignalKind::SessionStart | SignalKind::TaskStart => {
                if let Some(goal) = &signal.goal {
                    (self.goal, self.is_of_session) = (Some(clip(goal)), signal.session.is_some());
                }
            }
            SignalKind::TaskComplete | SignalKind::SessionEnd => self.goal = None,
            SignalKind::PhaseChange => {}
        }
        Focus { heard: before.heard, ..self.clone() } != before
    }

    fn turn_to(&mut self, path: Option<&str>) {
        let Some(path) = path.filter(|path| self.file.as_deref() != Some(*path)) else { return };
        self.recent.retain(|known| known != path);
        if let Some(before) = self.file.replace(path.to_owned()) {
            self.recent.push_front(before);
            self.recent.truncate(RECENT);
        }
    }

    fn check_out(&mut self, signal: &Signal) {
        let text = signal.text.as_deref().unwrap_or_default();
        // Subjects first, then files, as the eyes tell it: a file is a word with a dot or a slash in it.
        let is_file = |line: &&str| !line.contains(' ') && (line.contains('/') || line.contains('.'));
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        self.branch = signal.branch.clone().map(|name| Branch {
            name,
            subjects: lines().filter(|line| !is_file(line)).take(RECENT).map(clip).collect(),
            files: lines().filter(is_file).take(RECENT).map(str::to_owned).collect(),
        });
        // Another branch is another piece of work.
        (self.file, self.goal) = (None, None);
        self.recent.clear();
        self.errors.clear();
    }

    fn fail(&mut self, signal: &Signal) {
        let Some(text) = signal.text.as_deref().map(clip).filter(|text| !text.trim().is_empty()) else { return };
        self.errors.retain(|(_, known)| known.text != text);
        self.errors.push_front((signal.at, SeenError { text, file: signal.path.clone() }));
        self.errors.truncate(MOST_ERRORS);
    }

    /// Errors that are still the matter at hand, newest first.
    pub fn errors(&self, now: Timestamp) -> Vec<SeenError> {
        let young = |at: &Timestamp| now.as_micros() - at.as_micros() < ERROR_AGE;
        self.errors.iter().filter(|(at, _)| young(at)).map(|(_, error)| error.clone()).collect()
    }

    pub fn guest(&self, now: Timestamp) -> Option<&Guest> {
        self.guest.as_ref().filter(|(at, _)| now.as_micros() - at.as_micros() < GUEST_AGE).map(|(_, guest)| guest)
    }

    /// When something was last heard of it.
    pub fn heard(&self) -> Option<Timestamp> {
        (self.heard != Timestamp::default()).then_some(self.heard)
    }

    /// What is being done, as far as the goal's words or a fresh error tell.
    pub fn activity(&self, now: Timestamp) -> Option<TaskType> {
        let told = self.goal.as_deref().map(|goal| task::detect(goal, None, None));
        let told = told.filter(|detected| !detected.signals.is_empty()).map(|detected| detected.task_type);
        told.or_else(|| (!self.errors(now).is_empty()).then_some(TaskType::Debugging))
    }
}

fn clip(text: &str) -> String {
    text.char_indices().nth(MOST_TEXT).map_or(text, |(end, _)| &text[..end]).to_owned()
}

/// Everybody's focus.
#[derive(Debug, Default)]
pub struct Focuses {
    by_owner: BTreeMap<Owner, Focus>,
}

impl Focuses {
    /// Whose focuses move with this signal: what happens in a session happens in its working tree, too.
    pub fn hear(&mut self, signal: &Signal) -> Vec<Owner> {
        let tree = signal.worktree.clone().map_or(Owner::Main, Owner::Tree);
        let session = signal.session.clone().map(Owner::Session);
        let mut moved = Vec::new();
        for owner in session.into_iter().chain([tree.clone()]) {
            let known = self.by_owner.contains_key(&owner);
            if !known && self.by_owner.len() >= MOST_FOCUSES {
                self.make_room();
            }
            let focus = self.by_owner.entry(owner.clone()).or_default();
            focus.tree = tree.clone();
            if focus.hear(signal) {
                moved.push(owner);
            }
        }
        moved
    }

    /// Where whoever works in the main working tree stands, unless something was heard of that already.
    pub fn stand_on(&mut self, branch: Branch) {
        self.by_owner.entry(Owner::Main).or_default().branch.get_or_insert(branch);
    }

    /// What whoever works in the main working tree is at, unless something was heard of that already.
    pub fn take_up(&mut self, goal: String) {
        self.by_owner.entry(Owner::Main).or_default().goal.get_or_insert(goal);
    }

    /// A session that says nothing of its own sees what happens in the working tree, but for what another session is about; it
    /// always stands on its branch.
    pub fn of(&self, owner: &Owner) -> Focus {
        let own = self.by_owner.get(owner);
        let shared = || {
            let mut focus = self.by_owner.get(&Owner::Main).filter(|_| owner.session().is_some())?.clone();
            focus.goal = focus.goal.filter(|_| !focus.is_of_session);
            Some(focus)
        };
        let mut focus = own.cloned().or_else(shared).unwrap_or_default();
        if focus.branch.is_none() {
            focus.branch = self.by_owner.get(&focus.tree).and_then(|tree| tree.branch.clone());
        }
        focus
    }

    /// That of the working tree which something was last heard of.
    pub fn latest(&self) -> (Owner, Focus) {
        let trees = self.by_owner.iter().filter(|(owner, _)| owner.session().is_none());
        let latest = trees.max_by_key(|(_, focus)| focus.heard).map(|(owner, _)| owner.clone()).unwrap_or_default();
        let focus = self.of(&latest);
        (latest, focus)
    }

    pub fn count(&self) -> usize {
        self.by_owner.len()
    }

    fn make_room(&mut self) {
        let idlest = self.by_owner.iter().filter(|(owner, _)| **owner != Owner::Main).min_by_key(|(_, one)| one.heard);
        if let Some(owner) = idlest.map(|(owner, _)| owner.clone()) {
            self.by_owner.remove(&owner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000)
    }

    fn opened(second: i64, path: &str, session: Option<&str>) -> Signal {
        let signal = Signal::new(at(second), SignalKind::FileOpened);
        Signal { path: Some(path.to_owned()), session: session.map(str::to_owned), ..signal }
    }

    #[test]
    fn the_file_at_hand_is_the_last_one_and_those_before_are_remembered_once() {
        let mut focuses = Focuses::default();
        for path in ["a.rs", "b.rs", "a.rs", "c.rs"] {
            assert_eq!(focuses.hear(&opened(1, path, None)), [Owner::Main]);
        }
        let focus = focuses.of(&Owner::Main);
        assert_eq!(focus.file.as_deref(), Some("c.rs"));
        assert_eq!(focus.recent, ["a.rs", "b.rs"]);
        assert!(focuses.hear(&opened(2, "c.rs", None)).is_empty(), "nothing moved");
    }

    #[test]
    fn sessions_and_working_trees_stay_apart() {
        let mut focuses = Focuses::default();
        focuses.hear(&opened(1, "a.rs", Some("one")));
        focuses.hear(&Signal { worktree: Some("/w/x".into()), ..opened(2, "b.rs", Some("two")) });
        let file = |owner: Owner| focuses.of(&owner).file;
        assert_eq!(file(Owner::Session("one".into())).as_deref(), Some("a.rs"));
        assert_eq!(file(Owner::Session("two".into())).as_deref(), Some("b.rs"));
        assert_eq!(file(Owner::Tree("/w/x".into())).as_deref(), Some("b.rs"));
        assert_eq!(file(Owner::Main).as_deref(), Some("a.rs"));
        assert_eq!(file(Owner::Session("new".into())).as_deref(), Some("a.rs"), "it sees the working tree");
        let (owner, focus) = focuses.latest();
        assert_eq!((owner, focus.heard()), (Owner::Tree("/w/x".into()), Some(at(2))));
        assert_eq!(Focuses::default().latest(), (Owner::Main, Focus::default()));
    }

    #[test]
    fn what_a_session_is_about_is_not_what_the_next_one_is_about() {
        let mut focuses = Focuses::default();
        let begun = |goal: &str| Signal { goal: Some(goal.to_owned()), ..Signal::new(at(1), SignalKind::TaskStart) };
        let goal = |focuses: &Focuses, owner| focuses.of(&owner).goal;
        let next = Owner::Session("next".into());
        focuses.hear(&Signal { session: Some("one".into()), ..begun("fix the hinge") });
        assert_eq!(goal(&focuses, Owner::Main).as_deref(), Some("fix the hinge"));
        assert_eq!(goal(&focuses, next.clone()), None);
        focuses.hear(&begun("paint the door"));
        assert_eq!(goal(&focuses, next).as_deref(), Some("paint the door"));
    }

    #[test]
    fn another_branch_is_another_piece_of_work() {
        let mut focuses = Focuses::default();
        focuses.hear(&opened(1, "a.rs", None));
        let told = Signal {
            branch: Some("feature/login".into()),
            text: Some("Add a login page\nsrc/login.rs\nREADME.md".into()),
            ..Signal::new(at(2), SignalKind::BranchCheckout)
        };
        focuses.hear(&told);
        let focus = focuses.of(&Owner::Main);
        assert_eq!(focus.file, None);
        let branch = focus.branch.unwrap();
        assert_eq!(
            (branch.subjects, branch.files),
            (vec!["Add a login page".into()], vec!["src/login.rs".to_owned(), "README.md".to_owned()])
        );
    }

    #[test]
    fn the_branch_at_the_start_gives_way_to_what_is_heard() {
        let branch = |name: &str| Branch { name: name.to_owned(), ..Branch::default() };
        let name = |focuses: &Focuses| focuses.of(&Owner::Main).branch.map(|branch| branch.name);
        let mut focuses = Focuses::default();
        focuses.stand_on(branch("feature/login"));
        assert_eq!(name(&focuses).as_deref(), Some("feature/login"));
        focuses.hear(&opened(1, "a.rs", Some("one")));
        let of_session = focuses.of(&Owner::Session("one".into())).branch.map(|branch| branch.name);
        assert_eq!(of_session.as_deref(), Some("feature/login"), "a session stands on the branch of its working tree");
        let told = Signal { branch: Some("main".into()), ..Signal::new(at(2), SignalKind::BranchCheckout) };
        assert_eq!(focuses.hear(&told), [Owner::Main]);
        focuses.stand_on(branch("late"));
        assert_eq!(name(&focuses).as_deref(), Some("main"));
    }

    #[test]
    fn an_error_makes_it_debugging_for_a_day() {
        let mut focuses = Focuses::default();
        let error = Signal { text: Some("E0308: mismatched types".into()), ..Signal::new(at(0), SignalKind::Error) };
        focuses.hear(&error);
        let focus = focuses.of(&Owner::Main);
        assert_eq!(focus.activity(at(60)), Some(TaskType::Debugging));
        assert_eq!(focus.errors(at(60)).len(), 1);
        assert_eq!((focus.activity(at(90_000)), focus.errors(at(90_000)).len()), (None, 0));
    }

    #[test]
    fn many_sessions_do_not_grow_without_end() {
        let mut focuses = Focuses::default();
        for number in 0..1_000 {
            focuses.hear(&opened(number, "a.rs", Some(&number.to_string())));
        }
        assert!(focuses.count() <= MOST_FOCUSES);
        assert_eq!(focuses.of(&Owner::Session("999".into())).file.as_deref(), Some("a.rs"));
    }
}
