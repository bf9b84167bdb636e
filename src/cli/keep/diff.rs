//! What changes in a text, line by line, for a person to look at before it happens.

/// Lines of agreement shown around a change.
const AROUND: usize = 3;
/// Longer lines are cut: a minified file is one line.
const WIDEST: usize = 160;
/// Beyond this many cells of the table, what changed is shown as one block.
const LARGEST_TABLE: usize = 4_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Mark {
    Same,
    Old,
    New,
    /// Where lines were left out.
    Gap,
}

/// The lines to show, each with its mark.
pub(in crate::cli) fn diff(old: &str, new: &str) -> Vec<(Mark, String)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let head = old.iter().zip(&new).take_while(|(one, two)| one == two).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(one, two)| one == two).count();
    let (old_middle, new_middle) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut all: Vec<(Mark, &str)> = old[..head].iter().map(|line| (Mark::Same, *line)).collect();
    all.extend(middle(old_middle, new_middle));
    all.extend(old[old.len() - tail..].iter().map(|line| (Mark::Same, *line)));
    around(&all)
}

/// With their line ends, so that a missing one is a difference.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(Mark, &'a str)> {
    if old.len().saturating_mul(new.len()) > LARGEST_TABLE {
        let gone = old.iter().map(|line| (Mark::Old, *line));
        return gone.chain(new.iter().map(|line| (Mark::New, *line))).collect();
    }
    // Longest common subsequence of what is left from each pair of places on.
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for one in (0..old.len()).rev() {
        for two in (0..new.len()).rev() {
            longest[one * width + two] = if old[one] == new[two] {
                longest[(one + 1) * width + two + 1] + 1
            } else {
                longest[(one + 1) * width + two].max(longest[one * width + two + 1])
            };
        }
    }
    let (mut one, mut two, mut all) = (0, 0, Vec::new());
    while one < old.len() || two < new.len() {
        if one < old.len() && two < new.len() && old[one] == new[two] {
            all.push((Mark::Same, old[one]));
            (one, two) = (one + 1, two + 1);
        } else if two == new.len()
            || (one < old.len() && longest[(one + 1) * width + two] >= longest[one * width + two + 1])
        {
            all.push((Mark::Old, old[one]));
            one += 1;
        } else {
            all.push((Mark::New, new[two]));
            two += 1;
        }
    }
    all
}

/// Only what is near a change.
fn around(all: &[(Mark, &str)]) -> Vec<(Mark, String)> {
    let mut near = vec![false; all.len()];
    for (at, _) in all.iter().enumerate().filter(|(_, (mark, _))| *mark != Mark::Same) {
        near[at.saturating_sub(AROUND)..(at + AROUND + 1).min(all.len())].fill(true);
    }
    let mut shown = Vec::new();
    for (at, (mark, line)) in all.iter().enumerate() {
        if near[at] {
            shown.push((*mark, visible(line)));
        } else if at > 0 && near[at - 1] && near[at..].contains(&true) {
            shown.push((Mark::Gap, "…".to_owned()));
        }
    }
    shown
}

/// No longer than a line may be, and without its end.
fn visible(line: &str) -> String {
    let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
    let mut shown: String = line.chars().take(WIDEST).collect();
    if line.chars().nth(WIDEST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &[&str]) {
        let shown: Vec<String> = diff(old, new)
            .into_iter()
            .map(|(mark, line)| match mark {
                Mark::Same => format!(" {line}"),
                Mark::Old => format!("-{line}"),
                Mark::New => format!("+{line}"),
                Mark::Gap => line,
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_added_stands_between_what_surrounds_it() {
        check("a\nb\nc\n", "a\nb\nx\nc\n", &[" a", " b", "+x", " c"]);
        check("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n7\n", &[" 4", " 5", " 6", "+7"]);
        check("", "a\n", &["+a"]);
        check("a\n", "", &["-a"]);
        check("a\n", "a\n", &[]);
    }

    #[test]
    fn two_changes_far_apart_have_a_gap_between_them() {
        let old = "a\n1\n2\n3\n4\n5\n6\n7\n8\nz\n";
        let new = "b\n1\n2\n3\n4\n5\n6\n7\n8\ny\n";
        check(old, new, &["-a", "+b", " 1", " 2", " 3", "…", " 6", " 7", " 8", "-z", "+y"]);
    }

    #[test]
    fn long_lines_are_cut() {
        let cut = format!("+{}…", "x".repeat(WIDEST));
        check("", &"x".repeat(WIDEST + 1), &[&cut]);
    }
}
