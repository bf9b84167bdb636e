//! Where the lines of a file come from: the commits that wrote them last, and those that changed them before. Asked of the
//! git program, which follows lines through renames, moves and copies; of libgit2 where there is no such program.
//!
//! Lines are those of the working tree. What is not committed yet has no origin.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use git2::{BlameOptions, DiffOptions, Oid, Patch, Repository};

use super::program;
use crate::child::{self, ChildError, ChildLimits};

const MOST_OUTPUT: usize = 16 << 20;
const LARGEST_FILE: usize = 4 << 20;
/// Commits that a repository wants to be passed over.
const MOST_PASSED_OVER: usize = 100;
/// How lines begin that do nothing.
const COMMENTS: [&[u8]; 4] = [b"//", b"# ", b"* ", b"/*"];
/// Where hosts and editors look for them.
const PASSED_OVER: &str = ".git-blame-ignore-revs";

/// A commit, and the lines that are as it left them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub commit: String,
    pub author: String,
    /// Seconds since 1970.
    pub time: i64,
    pub subject: String,
    /// The file's name at that commit.
    pub path: String,
    /// In order.
    pub lines: Vec<u32>,
}

/// A file of the working tree beside what `HEAD` has of it.
pub struct Committed {
    repository: Repository,
    head: Oid,
    path: String,
    edits: Vec<Edit>,
}

/// Lines `old` of `HEAD` were replaced by lines `new`; the second number is behind the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edit {
    old: (u32, u32),
    new: (u32, u32),
}

impl Committed {
    /// `None` when `HEAD` has no such file. `text` is what stands in the working tree.
    pub fn open(worktree: &Path, path: &str, text: &str) -> Option<Committed> {
        let repository = Repository::open(worktree).ok()?;
        let head = repository.head().ok()?.peel_to_commit().ok()?.id();
        let edits = {
            let blob = blob(&repository, head, path)?;
            edits(blob.content(), text.as_bytes())?
        };
        Some(Committed { repository, head, path: path.to_owned(), edits })
    }

    /// The commits that wrote these lines last, the one with the most lines first. Commits in `passed_over` are looked
    /// through wherever another one can be named. With `moves`, lines are also found where they were moved or copied from.
    pub fn blame(
        &self,
        lines: (u32, u32),
        moves: bool,
        passed_over: &[String],
        time: Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Origin>, ChildError> {
        let numbers: BTreeMap<u32, u32> =
            (lines.0..=lines.1).filter_map(|line| Some((self.at_head(line)?, line))).collect();
        let (Some((first, _)), Some((last, _))) = (numbers.first_key_value(), numbers.last_key_value()) else {
            return Ok(Vec::new());
        };
        let mut command = program::git(self.repository.path());
        command.args(["-c", "blame.ignoreRevsFile=", "blame", "--porcelain", "-w", "--no-textconv"]);
        if moves {
            command.args(["-M", "-C"]);
        }
        for commit in passed_over {
            command.arg(format!("--ignore-rev={commit}"));
        }
        command.arg(format!("-L{first},{last}")).arg(self.head.to_string()).arg("--").arg(&self.path);
        let mut origins = match heard(command, time, cancelled) {
            Ok(output) => parse(&output),
            Err(ChildError::Start { .. }) => self.blame_without_program(*first, *last),
            Err(error) => return Err(error),
        };
        for origin in &mut origins {
            origin.lines = origin.lines.iter().filter_map(|line| numbers.get(line).copied()).collect();
        }
        origins.retain(|origin| !origin.lines.is_empty());
        origins.sort_by_key(|origin| (std::cmp::Reverse(origin.lines.len()), origin.lines[0]));
        Ok(origins)
    }

    /// The commits that changed these lines, newest first. Nothing where it takes too long or there is no program.
    pub fn changed_by(
        &self,
        lines: (u32, u32),
        most: usize,
        time: Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Vec<String> {
        let mut numbers = (lines.0..=lines.1).filter_map(|line| self.at_head(line));
        let Some(first) = numbers.next() else { return Vec::new() };
        let last = numbers.next_back().unwrap_or(first);
        let mut command = program::git(self.repository.path());
        command.args(["log", "-s", "--format=%H", "--no-color", "--no-ext-diff", "--no-textconv"]);
        command.arg(format!("--max-count={most}")).arg(format!("-L{first},{last}:{}", self.path));
        command.arg(self.head.to_string());
        let output = heard(command, time, cancelled).unwrap_or_default();
        String::from_utf8_lossy(&output).lines().filter(|line| Oid::from_str(line).is_ok()).map(str::to_owned).collect()
    }

    /// The name that a file had before a commit renamed it.
    pub fn name_before(
        &self,
        commit: &str,
        path: &str,
        time: Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<String> {
        let mut command = program::git(self.repository.path());
        command.args(["diff-tree", "-r", "-M", "-z", "--root", "--no-commit-id", "--diff-filter=R", "--name-status"]);
        command.args(["--no-ext-diff", "--no-textconv"]).arg(commit).arg("--");
        let output = heard(command, time, cancelled).ok()?;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let renamed = fields.chunks_exact(3).find(|fields| fields[2] == path.as_bytes())?;
        String::from_utf8(renamed[1].to_vec()).ok()
    }

    /// The commits that the repository itself wants to be passed over: those that only reformatted.
    pub fn passed_over(&self) -> Vec<String> {
        let Some(blob) = blob(&self.repository, self.head, PASSED_OVER) else { return Vec::new() };
        let text = String::from_utf8_lossy(blob.content()).into_owned();
        let commits = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
        let commits = commits.filter(|id| id.len() == 40).filter_map(|id| Oid::from_str(id).ok());
        // An unknown one would make git refuse.
        let known = commits.filter(|id| self.repository.find_commit(*id).is_ok());
        known.take(MOST_PASSED_OVER).map(|id| id.to_string()).collect()
    }

    /// The line of `HEAD` that this line is.
    fn at_head(&self, line: u32) -> Option<u32> {
        let behind = self.edits.partition_point(|edit| edit.new.0 <= line);
        let Some(edit) = behind.checked_sub(1).map(|at| self.edits[at]) else { return Some(line) };
        if line < edit.new.1 { None } else { Some(edit.old.1 + (line - edit.new.1)) }
    }

    fn blame_without_program(&self, first: u32, last: u32) -> Vec<Origin> {
        let mut options = BlameOptions::new();
        options.min_line(first as usize).max_line(last as usize).newest_commit(self.head).use_mailmap(false);
        let Ok(blame) = self.repository.blame_file(Path::new(&self.path), Some(&mut options)) else {
            return Vec::new();
        };
        let mut origins: BTreeMap<String, Origin> = BTreeMap::new();
        for hunk in blame.iter() {
            let Ok(commit) = self.repository.find_commit(hunk.final_commit_id()) else { continue };
            let origin = origins.entry(commit.id().to_string()).or_insert_with(|| Origin {
                commit: commit.id().to_string(),
                author: String::from_utf8_lossy(commit.author().name_bytes()).into_owned(),
                time: commit.time().seconds(),
                subject: String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default()).into_owned(),
                path: hunk.path().and_then(Path::to_str).unwrap_or(&self.path).to_owned(),
                lines: Vec::new(),
            });
            let start = hunk.final_start_line() as u32;
            origin.lines.extend(start..start + hunk.lines_in_hunk() as u32);
        }
        origins.into_values().collect()
    }
}

/// Which of these commits changed some lines of a file, newest first. The lines are followed back from `text` through the
/// versions of the file, which are given newest first, each with its commit and the name that it had then; the oldest only says
/// what was there before. Lines that are not committed yet have no past. No program is asked. Comments, empty lines and
/// indents are no change.
pub fn changes_of(
    worktree: &Path,
    text: &str,
    lines: (u32, u32),
    versions: &[(&str, &str)],
) -> impl Iterator<Item = usize> {
    let repository = Repository::open(worktree).ok();
    let (mut newer, mut lines, mut at, mut is_over) = (text.as_bytes().to_vec(), lines, 0, false);
    std::iter::from_fn(move || {
        while !is_over {
            let (commit, path) = versions.get(at)?;
            let commit = Oid::from_str(commit).ok()?;
            let older = blob(repository.as_ref()?, commit, path)?.content().to_vec();
            let edits = edits(&older, &newer)?;
            // What was taken out stood before a line.
            let is_out = |edit: &Edit| edit.new.0 == edit.new.1;
            let is_inside =
                |edit: &&Edit| edit.new.0 <= lines.1 && edit.new.1 > lines.0 && (edit.new.0 > lines.0 || !is_out(edit));
            let own: Vec<Edit> = edits.iter().filter(is_inside).copied().collect();
            let is_changed = own.iter().any(|edit| deeds(&older, edit.old) != deeds(&newer, edit.new));
            let is_new = own.iter().any(|edit| edit.new.0 <= lines.0 && lines.1 < edit.new.1);
            let before = |line: u32, end: bool| match edits.iter().rfind(|edit| edit.new.0 <= line) {
                Some(edit) if line >= edit.new.1 => edit.old.1 + (line - edit.new.1),
                Some(edit) => {
                    if end {
                        edit.old.1.saturating_sub(1)
                    } else {
                        edit.old.0
                    }
                }
                None => line,
            };
            lines = (before(lines.0, false), before(lines.1, true));
            (newer, at, is_over) = (older, at + 1, is_new || (is_changed && at == 0));
            if is_changed && at > 1 {
                return Some(at - 2);
            }
        }
        None
    })
}

/// What stands in lines of a text and does something.
fn deeds(text: &[u8], (first, end): (u32, u32)) -> Vec<&[u8]> {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let lines = lines.take(end as usize - 1).skip(first as usize - 1);
    lines.filter(|line| !line.is_empty() && !COMMENTS.iter().any(|start| line.starts_with(start))).collect()
}

fn blob<'r>(repository: &'r Repository, commit: Oid, path: &str) -> Option<git2::Blob<'r>> {
    let entry = repository.find_commit(commit).ok()?.tree().ok()?.get_path(Path::new(path)).ok()?;
    let (size, _) = repository.odb().ok()?.read_header(entry.id()).ok()?;
    if size > LARGEST_FILE {
        return None;
    }
    repository.find_blob(entry.id()).ok()
}

fn heard(command: Command, time: Duration, cancelled: &dyn Fn() -> bool) -> Result<Vec<u8>, ChildError> {
    child::hear(command, &[], ChildLimits { time, output: MOST_OUTPUT }, cancelled)
}

/// Other ends of lines are no edit.
fn edits(old: &[u8], new: &[u8]) -> Option<Vec<Edit>> {
    if old == new {
        return Some(Vec::new());
    }
    let mut options = DiffOptions::new();
    options.context_lines(0).ignore_whitespace_eol(true).force_text(true);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut options)).ok()?;
    let hunks = (0..patch.num_hunks()).map(|at| {
        let hunk = patch.hunk(at).ok()?.0;
        // Of nothing, the line before it is told.
        let span = |start: u32, count: u32| if count == 0 { (start + 1, start + 1) } else { (start, start + count) };
        Some(Edit { old: span(hunk.old_start(), hunk.old_lines()), new: span(hunk.new_start(), hunk.new_lines()) })
    });
    hunks.collect()
}

/// `<id> <line then> <line now> [<count>]`, what is known of the commit when it is met first, and a tab with the line.
fn parse(output: &[u8]) -> Vec<Origin> {
    let mut origins: Vec<Origin> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut at = None;
    for line in output.split(|byte| *byte == b'\n') {
        if line.first() == Some(&b'\t') {
            at = None;
            continue;
        }
        let line = String::from_utf8_lossy(line);
        let (key, value) = line.split_once(' ').unwrap_or((&line, ""));
        let Some(place) = at else {
            let number = value.split(' ').nth(1).and_then(|number| number.parse().ok());
            if let (Some(number), true) = (number, key.len() >= 40 && key.bytes().all(|byte| byte.is_ascii_hexdigit()))
            {
                let place = *places.entry(key.to_owned()).or_insert(origins.len());
                if place == origins.len() {
                    origins.push(Origin { commit: key.to_owned(), ..Origin::default() });
                }
                origins[place].lines.push(number);
                at = Some(place);
            }
            continue;
        };
        let origin = &mut origins[place];
        match key {
            "author" => value.clone_into(&mut origin.author),
            "committer-time" => origin.time = value.parse().unwrap_or(0),
            "summary" => value.clone_into(&mut origin.subject),
            "filename" if origin.path.is_empty() => value.clone_into(&mut origin.path),
            _ => {}
        }
    }
    origins
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: &dyn Fn() -> bool = &|| false;
    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn what_is_told_of_a_commit_once_holds_for_all_its_lines() {
        let (one, other) = ("a".repeat(40), "b".repeat(40));
        let text = format!(
            "{one} 3 7 1\nauthor Ada\ncommitter-time 60\nsummary Say \u{e9}\nboundary\nfilename old.rs\n\t{other} 1 1\n\
             {other} 1 8 1\nauthor Bob\nsummary Add\nfilename new.rs\n\tx\n{one} 9 9 1\n\ty\nnonsense\n"
        );
        let found = parse(text.as_bytes());
        assert_eq!(found.len(), 2);
        let ada = Origin {
            commit: one,
            author: "Ada".into(),
            time: 60,
            subject: "Say \u{e9}".into(),
            path: "old.rs".into(),
            lines: vec![7, 9],
        };
        assert_eq!(found[0], ada);
        assert_eq!((found[1].author.as_str(), &found[1].lines[..]), ("Bob", &[8][..]));
        assert!(parse(b"fatal: no such path").is_empty());
    }

    struct Lab {
        folder: tempfile::TempDir,
        repository: Repository,
    }

    impl Lab {
        fn new() -> Lab {
            let folder = tempfile::tempdir().unwrap();
            let repository = Repository::init(folder.path()).unwrap();
            Lab { folder, repository }
        }

        fn commit(&self, message: &str, files: &[(&str, Option<&str>)]) -> String {
            let mut index = self.repository.index().unwrap();
            for (path, text) in files {
                match text {
                    Some(text) => {
                        std::fs::write(self.folder.path().join(path), text).unwrap();
                        index.add_path(Path::new(path)).unwrap();
                    }
                    None => index.remove_path(Path::new(path)).unwrap(),
                }
            }
            index.write().unwrap();
            let tree = self.repository.find_tree(index.write_tree().unwrap()).unwrap();
            let ada = git2::Signature::new("Ada", "ada@example.org", &git2::Time::new(60, 0)).unwrap();
            let parent = self.repository.head().ok().map(|head| head.peel_to_commit().unwrap());
            let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
            self.repository.commit(Some("HEAD"), &ada, &ada, message, &tree, &parents).unwrap().to_string()
        }

        fn open(&self, path: &str, text: &str) -> Committed {
            Committed::open(self.folder.path(), path, text).unwrap()
        }
    }

    const TEXT: &str = "fn one() {\n    first();\n    second();\n}\n";

    #[test]
    fn lines_keep_their_origin_through_a_rename_and_below_an_edit_that_is_not_committed() {
        let lab = Lab::new();
        let written = lab.commit("Write it", &[("old.rs", Some(TEXT))]);
        let moved = lab.commit("Move it", &[("old.rs", None), ("new.rs", Some(TEXT))]);
        let changed = TEXT.replace("second", "another");
        let edited = lab.commit("Change it", &[("new.rs", Some(&changed))]);
        let today = format!("// new\n{changed}");
        let committed = lab.open("new.rs", &today);
        let found = committed.blame((1, 5), true, &[], PATIENCE, NEVER).unwrap();
        let found: Vec<(&str, &[u32])> =
            found.iter().map(|origin| (origin.commit.as_str(), origin.lines.as_slice())).collect();
        assert_eq!(found, [(written.as_str(), &[2, 3, 5][..]), (edited.as_str(), &[4][..])]);
        assert!(committed.blame((1, 1), true, &[], PATIENCE, NEVER).unwrap().is_empty(), "not committed yet");
        let edited_id = edited.clone();
        assert_eq!(committed.changed_by((4, 4), 9, PATIENCE, NEVER), [edited, written.clone()]);
        let name_before = |commit| committed.name_before(commit, "new.rs", PATIENCE, NEVER);
        assert_eq!((name_before(&moved), name_before(&written)), (Some("old.rs".to_owned()), None));
        assert!(Committed::open(lab.folder.path(), "none.rs", "").is_none());
        let commits = [(edited_id.as_str(), "new.rs"), (moved.as_str(), "new.rs"), (written.as_str(), "old.rs")];
        let changes = |line| changes_of(lab.folder.path(), &today, (line, line), &commits).collect::<Vec<usize>>();
        assert_eq!((changes(4), changes(3), changes(1)), (vec![0], vec![], vec![]));
        let plain = committed.blame_without_program(1, 4);
        assert_eq!(plain.iter().map(|origin| origin.lines.len()).sum::<usize>(), 4, "{plain:?}");
    }

    #[test]
    fn a_commit_that_only_reformatted_is_looked_through() {
        let lab = Lab::new();
        let written = lab.commit("Write it", &[("a.rs", Some("call(first, second)\n"))]);
        let swept = lab.commit("Reformat", &[("a.rs", Some("call(first, second);\n"))]);
        let list = format!("# sweeps\n{swept} # rustfmt\n{}\nshort\n", "1".repeat(40));
        lab.commit("List it", &[(PASSED_OVER, Some(&list))]);
        let committed = lab.open("a.rs", "call(first, second);\n");
        let listed = committed.passed_over();
        assert_eq!(listed, [swept.as_str()], "one that is not there is left out");
        assert_eq!(committed.blame((1, 1), true, &[], PATIENCE, NEVER).unwrap()[0].commit, swept);
        assert_eq!(committed.blame((1, 1), true, &listed, PATIENCE, NEVER).unwrap()[0].commit, written);
    }

    #[test]
    fn what_is_called_off_says_so() {
        let lab = Lab::new();
        lab.commit("Write it", &[("a.rs", Some(TEXT))]);
        let ended = lab.open("a.rs", TEXT).blame((1, 2), true, &[], PATIENCE, &|| true);
        assert!(matches!(ended, Ok(_) | Err(ChildError::Cancelled)), "it was done before, or ended: {ended:?}");
    }

    #[test]
    fn lines_are_found_again_above_between_and_below_edits() {
        let old = "a\nb\nc\nd\ne\n";
        for (new, expected) in [
            (old, vec![Some(1), Some(2), Some(3), Some(4), Some(5)]),
            ("a\r\nb\r\nc\r\nd\r\ne\r\n", vec![Some(1), Some(2), Some(3), Some(4), Some(5)]),
            ("a\nc\nd\ne\n", vec![Some(1), Some(3), Some(4), Some(5)]),
            ("x\na\nb\ny\nz\nd\ne\n", vec![None, Some(1), Some(2), None, None, Some(4), Some(5)]),
        ] {
            let lab = Lab::new();
            lab.commit("Write it", &[("a.txt", Some(old))]);
            let committed = lab.open("a.txt", new);
            let found: Vec<Option<u32>> = (1..=expected.len() as u32).map(|line| committed.at_head(line)).collect();
            assert_eq!(found, expected, "{new:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_output_makes_the_parser_panic(output in proptest::collection::vec(proptest::sample::select(b"a1 \n\tauthor\xff".to_vec()), 0..200)) {
            let _ = parse(&output);
        }
    }
}
