//! Reverts that no longer tell what to leave alone: their change was landed again, or stands in the files of today.

use std::collections::BTreeSet;

use super::prose;
use super::subject::{self, Subject};
use lokid_model::Commit;

/// As much of an id as people write.
const SHORT: usize = 7;
/// Lines shorter than this stand everywhere.
const TELLING_CHARS: usize = 12;
/// Lines of a change that are looked for.
const MOST_LINES: usize = 2_000;

/// The ids of those reverts whose change came back later: by a revert of the revert, by `Reapply`, `Reland`, or by a commit
/// of the same subject. Commits are given newest first.
pub fn landed_again(commits: &[Commit]) -> BTreeSet<String> {
    // What landed later than the commit at hand, by its words and by the commits it takes back.
    let mut later: BTreeSet<String> = BTreeSet::new();
    let mut taken_back: BTreeSet<&str> = BTreeSet::new();
    let mut found = BTreeSet::new();
    for commit in commits {
        let reverted = subject::reverted(&commit.subject);
        if let Some(reverted) = reverted {
            let twice = subject::reverted(reverted);
            let is_back =
                commit.id.get(..SHORT).is_some_and(|id| taken_back.contains(id)) || later.contains(&key(reverted));
            if twice.is_none() && is_back {
                found.insert(commit.id.clone());
            }
            taken_back.extend(prose::reverted_commit(&commit.body).and_then(|id| id.get(..SHORT)));
            later.extend(twice.map(key));
        } else {
            later.insert(key(relanded(&commit.subject).unwrap_or(&commit.subject)));
        }
    }
    found
}

/// `Reapply "…"`, `Reland: …`, `[reland] …`, `Re-land …`
fn relanded(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(['[', '(', ' ']);
    ["reapply", "reland", "re-land", "re-apply", "relanding", "unrevert", "restore"].iter().find_map(|word| {
        let head = bare.get(..word.len())?;
        let rest = bare.get(word.len()..)?;
        let apart = rest.starts_with([' ', ':', ']', ')']);
        (head.eq_ignore_ascii_case(word) && apart).then(|| {
            rest.trim_start_matches([':', ']', ')', ' ', '"', '“', '`', '\'']).trim_end_matches(['"', '”', '`', '\''])
        })
    })
}

/// The words of a subject without type, tickets and quotes.
fn key(subject: &str) -> String {
    let text = Subject::parse(subject).text;
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Do the lines that a reverted commit added, by path, stand in the files of today? `today` reads one, if it is there.
pub fn stands_today(added: &[(String, Vec<String>)], today: impl Fn(&str) -> Option<String>) -> bool {
    let (mut all, mut standing) = (0_usize, 0_usize);
    for (path, lines) in added {
        let telling = || lines.iter().map(|line| line.trim()).filter(|line| is_telling(line));
        let Some(text) = telling().next().and_then(|_| today(path)) else {
            all += telling().count();
            continue;
        };
        let now: BTreeSet<&str> = text.lines().map(str::trim).collect();
        for line in telling().take(MOST_LINES.saturating_sub(all)) {
            all += 1;
            standing += usize::from(now.contains(line));
        }
    }
    all > 0 && 2 * standing >= all
}

fn is_telling(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).take(TELLING_CHARS).count() >= TELLING_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits(newest_first: &[(&str, &str)]) -> Vec<Commit> {
        let of = |(at, (subject, body)): (usize, &(&str, &str))| Commit {
            id: format!("{:040x}", 0xabcdef0_u64 + at as u64),
            subject: (*subject).to_owned(),
            body: (*body).to_owned(),
            ..Commit::default()
        };
        newest_first.iter().enumerate().map(of).collect()
    }

    fn places(newest_first: &[(&str, &str)]) -> Vec<usize> {
        let commits = commits(newest_first);
        let found = landed_again(&commits);
        (0..commits.len()).filter(|at| found.contains(&commits[*at].id)).collect()
    }

    #[test]
    fn a_change_that_came_back_was_not_taken_back() {
        for again in [
            "Reapply \"perf: map files\"",
            "Reland: map files (#12)",
            "[reland] perf: map files",
            "Revert \"Revert \"perf: map files\"\"",
            "perf: map files (#13)",
        ] {
            assert_eq!(
                places(&[(again, ""), ("Revert \"perf: map files\"", ""), ("perf: map files", "")]),
                [1],
                "{again}"
            );
        }
        let by_id = format!("This reverts commit {:040x}.", 0xabcdef1);
        assert_eq!(places(&[("Revert \"Go back\"", &by_id), ("Revert \"perf: map files\"", "")]), [1]);
    }

    #[test]
    fn a_change_taken_back_for_good_stays_taken_back() {
        let revert = "Revert \"perf: map files\"";
        assert_eq!(places(&[("Map all files", ""), (revert, ""), ("perf: map files", "")]), [0_usize; 0]);
        assert_eq!(places(&[(revert, ""), ("Reland: map files", ""), (revert, ""), ("perf: map files", "")]), [2]);
    }

    #[test]
    fn lines_that_stand_today_contradict_their_revert() {
        let added = [("a.rs".to_owned(), vec!["use crossbeam_channel::unbounded;".to_owned(), "}".to_owned()])];
        let today = |text: &'static str| move |path: &str| (path == "a.rs").then(|| text.to_owned());
        assert!(stands_today(&added, today("fn a() {\n    use crossbeam_channel::unbounded;\n}")));
        assert!(!stands_today(&added, today("use std::sync::mpsc;\n}")));
        assert!(!stands_today(&added, |_| None));
        assert!(!stands_today(&[("a.rs".to_owned(), vec!["}".to_owned()])], today("}")), "nothing telling was added");
    }
}
