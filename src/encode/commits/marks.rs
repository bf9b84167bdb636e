//! The words by which a sentence gives itself away as a choice, a reason or a cause. Whole words only.

/// A sentence in lower case, its words between single blanks, so that a phrase is found only as whole words.
pub(super) struct Spaced {
    text: String,
    /// A bit for every word, by its hash: most phrases are ruled out by their first word.
    seen: [u64; 4],
}

const MOST_CHARS: usize = 2_000;

impl Spaced {
    pub(super) fn new(text: &str) -> Spaced {
        let mut spaced = String::with_capacity(text.len().min(MOST_CHARS) + 2);
        spaced.push(' ');
        for character in text.chars().take(MOST_CHARS) {
            if character.is_alphanumeric() || matches!(character, '_' | '\'' | '-') {
                spaced.extend(character.to_lowercase());
            } else if !spaced.ends_with(' ') {
                spaced.push(' ');
            }
        }
        if !spaced.ends_with(' ') {
            spaced.push(' ');
        }
        let mut seen = [0; 4];
        for word in spaced.split(' ') {
            let (at, bit) = place(word);
            seen[at] |= bit;
        }
        Spaced { text: spaced, seen }
    }

    pub(super) fn has(&self, phrase: &str) -> bool {
        self.find(phrase).is_some()
    }

    /// Phrases stand in one text, with commas between them.
    pub(super) fn has_any(&self, phrases: &str) -> bool {
        phrases.split(", ").any(|phrase| self.has(phrase))
    }

    pub(super) fn starts_with_any(&self, phrases: &str) -> bool {
        let start = &self.text.as_bytes()[1.min(self.text.len())..];
        phrases.split(", ").any(|phrase| start.starts_with(phrase.as_bytes()) && start.get(phrase.len()) == Some(&b' '))
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split(' ').filter(|word| !word.is_empty())
    }

    /// The place of a phrase of whole words.
    fn find(&self, phrase: &str) -> Option<usize> {
        let (at, bit) = place(phrase.split(' ').next().unwrap_or(phrase));
        if self.seen[at] & bit == 0 {
            return None;
        }
        let bytes = self.text.as_bytes();
        let is_whole = |at: &usize| {
            let before = at.checked_sub(1).is_some_and(|before| bytes[before] == b' ');
            before && bytes.get(at + phrase.len()) == Some(&b' ')
        };
        self.text.match_indices(phrase).map(|(at, _)| at).find(is_whole)
    }

    /// One phrase, and later another.
    fn has_then(&self, first: &str, then: &str) -> bool {
        first
            .split(", ")
            .filter_map(|one| self.find(one).map(|at| at + one.len()))
            .any(|end| then.split(", ").any(|other| self.find(other).is_some_and(|later| later > end)))
    }
}

fn place(word: &str) -> (usize, u64) {
    let hash = word.bytes().fold(0xcbf2_9ce4_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let hash = hash ^ (hash >> 15);
    ((hash >> 6) as usize % 4, 1 << (hash % 64))
}

/// Says outright that something was decided.
pub(super) fn decides(sentence: &Spaced) -> bool {
    sentence.has_any(
        "we decided, i decided, decided to, decided not, decided against, it was decided, we chose, i chose, \
        chose to, we opted, i opted, opted for, opted to, design decision",
    )
}

/// One thing taken, another left.
pub(super) fn chooses(sentence: &Spaced) -> bool {
    decides(sentence)
        || sentence.has_any(
            "the decision, deliberately, intentionally, on purpose, trade-off, tradeoff, trade-offs, tradeoffs, \
            instead of, rather than, in favor of, in favour of, as opposed to, no longer, from now on, \
            deprecate, deprecates, deprecated, deprecating, drop support, dropped support, drops support, \
            dropping support, by default, prefer, we prefer, should never, must never, must not, must always, \
            minimum supported",
        )
        || sentence.has_then(
            "switch, switched, switches, switching, migrate, migrated, migrates, migrating, move, moved",
            "from, over to",
        )
        || sentence.has_then("replace, replaced, replaces, replacing", "with, by")
}

pub(super) fn reasons(sentence: &Spaced) -> bool {
    sentence.has_any(
        "because, so that, to avoid, avoids, the reason, reasoning, rationale, in order to, otherwise, due to, \
        this allows, this makes it, which means, this means, the problem, the downside, the benefit, the \
        advantage, turns out, not worth, simpler, easier, safer, faster, slower, error-prone, would have, to \
        prevent, prevents, to ensure, ensures",
    ) || sentence.starts_with_any("since, as")
}

/// Cannot be understood without the sentence before it.
pub(super) fn leans(sentence: &Spaced) -> bool {
    sentence.starts_with_any(
        "this, that, it, its, these, those, they, so, however, in effect, instead, and, but, also, even, \
        otherwise, such, therefore, thus, hence, then, as such, as a result, which, both, he, she, in this, in \
        that, because of this, because this, for this, with this, doing, specifically, namely",
    )
}

/// Tells what was wrong or why, rather than what was done about it.
pub(super) fn tells_cause(sentence: &Spaced) -> bool {
    sentence.has_any(
        "because, caused by, causes, caused, causing, due to, the problem, the issue, the bug, root cause, \
        previously, before this, prior to this, turns out, turned out, used to, leads to, led to, resulted in, \
        results in, resulting in, would fail, would crash, would panic, fails, failed, failing, regression, \
        regressed, broke, breaks, was broken, incorrectly, wrongly, mistakenly, erroneously, unexpectedly, was \
        not, were not, wasn't, weren't, didn't, did not, doesn't, does not, introduced in, introduced by, \
        deadlock, race condition, undefined behavior, undefined behaviour, forgot",
    )
}

/// Begins to tell what was done.
pub(super) fn tells_remedy(sentence: &Spaced) -> bool {
    sentence.starts_with_any(
        "this commit, this change, this changes, this adds, this ensures, this introduces, this patch, this pr, \
        this fix, this fixes, we now, now, instead, so we, so now, therefore, to fix, fix this, fix it, fix by, \
        fixed by, fixed this, fixes this, the fix, the solution, to avoid, to solve, to resolve, to address, \
        make, use, change, add, remove, ensure, handle, check, move, set, skip, replace, restore, so this, \
        hence, we fix, we fixed, resolve this, we solve, we can fix, solve this, after this, with this, rework, \
        take, avoid, keep, allow, do not, don't, prevent, this makes, it now, let's, as a fix, added, changed, \
        removed, made, moved",
    ) || sentence
        .has_any("this commit, this patch, we now, fixes this by, fixed by, fixes the, fix this by, the fix is")
}

/// Something a reader of a fix would want to know: what was wrong, or why it is so now.
pub(super) fn explains(sentence: &Spaced) -> bool {
    tells_cause(sentence) || is_troubled(sentence) || chooses(sentence) || reasons(sentence)
}

const TROUBLE: &str = "panic, panics, panicked, crash, crashes, crashing, crashed, deadlock, deadlocks, leak, \
    leaks, leaking, race, races, overflow, underflow, hang, hangs, segfault, use-after-free, \
    incorrect, incorrectly, wrong, wrongly, regression, infinite, corrupt, corruption, \
    corrupted, off-by-one, vulnerability, injection, unhandled, broken, fails, failing, \
    failure, lost, misleading, out-of-bounds, assertion, traceback, bug, flaky, unsound, \
    undefined, stale, invalid, crasher";

pub(super) fn is_troubled(sentence: &Spaced) -> bool {
    sentence.has_any(TROUBLE)
}

/// Said in a subject alone, these are too weak.
const FAINT: &str = "bug, fails, failing, failure, invalid, undefined, misleading, assertion, flaky";
const CONDITIONS: &str = "when, if, after, while, without, unless, during, before, on, in, with";

/// A subject that by itself says what went wrong, and where or when.
pub(super) fn names_trouble(subject: &Spaced) -> bool {
    let trouble = TROUBLE.split(", ").any(|word| subject.has(word) && !FAINT.split(", ").any(|faint| faint == word));
    trouble && subject.words().count() >= 6 && subject.has_any(CONDITIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_as_whole_words_only() {
        let spaced = Spaced::new("The prefix, because-of it; Instead  of that.");
        assert!(spaced.has("prefix") && !spaced.has("fix") && !spaced.has("because"));
        assert!(spaced.has("instead of"));
        assert!(!Spaced::new("").has("x"));
        assert!(Spaced::new("fix").has("fix") && Spaced::new("a fix fixes").has("fixes"));
    }

    #[test]
    fn a_switch_needs_where_it_came_from() {
        assert!(chooses(&Spaced::new("Switch the parser from nom to winnow.")));
        assert!(chooses(&Spaced::new("Replaced chrono with jiff")));
        assert!(!chooses(&Spaced::new("Add a switch with two states")));
        assert!(!chooses(&Spaced::new("With this, replace works")));
    }

    #[test]
    fn a_subject_names_trouble_or_it_does_not() {
        for (subject, expect) in [
            ("Fix panic in the parser when the file is empty", true),
            ("Prevent a deadlock between writer and reader on shutdown", true),
            ("fix parser", false),
            ("Fix the thing for the release", false),
        ] {
            assert_eq!(names_trouble(&Spaced::new(subject)), expect, "{subject}");
        }
    }
}
