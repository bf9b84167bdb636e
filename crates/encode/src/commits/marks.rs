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

/// Says outright that something was chosen.
pub(super) fn decides(sentence: &Spaced) -> bool {
    sentence.has_any(
        "we decided, i decided, decided to, decided not, decided against, it was decided, we chose, i chose, \
        chose to, we opted, i opted, opted for, opted to, design decision, deliberately, intentionally, on purpose, by \
        design, trade-off, tradeoff, trade-offs, tradeoffs",
    )
}

/// A subject that takes one thing and leaves another.
pub(super) fn chooses(subject: &Spaced) -> bool {
    decides(subject)
        || subject.has_any(
            "instead of, rather than, in favor of, in favour of, as opposed to, drop support, dropped support, drops support, \
            dropping support",
        )
        || subject.has_then("switch, switched, switches, switching, migrate, migrated, migrates, migrating", "from, to")
        || subject.has_then("replace, replaced, replaces, replacing", "with, by")
}

/// Do two texts speak of the same thing?
pub(super) fn share_words(one: &Spaced, other: &Spaced) -> bool {
    const IDLE: [&str; 17] = [
        "ensure", "ensures", "used", "using", "uses", "with", "from", "instead", "than", "rather", "replace", "switch",
        "drop", "support", "this", "that", "when",
    ];
    one.words().any(|word| word.len() >= 4 && !IDLE.contains(&word) && other.has(word))
}

pub(super) fn reasons(sentence: &Spaced) -> bool {
    sentence.has_any(
        "because, so that, to avoid, avoids, the reason, reasoning, rationale, in order to, otherwise, due to, \
        this allows, which means, this means, the problem, the downside, the benefit, the advantage, turns out, not \
        worth, error-prone, would have, to prevent, prevents, to ensure, ensures, leads to, led to, causes, caused",
    ) || sentence.starts_with_any("since")
}

/// Cannot be understood without the sentence before it.
pub(super) fn leans(sentence: &Spaced) -> bool {
    sentence.has("those") || sentence.starts_with_any(
        "this, that, it, it's, that's, there's, currently this, its, these, those, they, so, however, in effect, instead, and, but, also, even, \
        otherwise, such, therefore, thus, hence, then, as such, as a result, which, both, he, she, in this, in \
        that, because of this, because this, for this, with this, doing, specifically, namely, incidentally, finally, additionally, similarly, alternatively, as part of, \
        in addition, the key change, the implication",
    )
}

/// Tells why something went wrong, rather than what was done about it.
pub(super) fn tells_cause(sentence: &Spaced) -> bool {
    sentence.has_any(
        "because, caused by, causes, caused, causing, due to, the bug, root cause, turns out, turned out, leads to, led to, \
        resulted in, results in, resulting in, would fail, would crash, would panic, regression in, a regression, regressed, broke, \
        incorrectly, wrongly, mistakenly, erroneously, unexpectedly, introduced in, introduced by, deadlock, race condition, \
        undefined behavior, undefined behaviour, forgot, previously",
    ) || (is_troubled(sentence)
        && sentence.has_any("was not, were not, wasn't, weren't, didn't, did not, doesn't, does not, before this"))
        || (sentence.has_any("panic, panics, crash, crashes, crashed, hang, hangs, deadlocks, leaks, infinite loop, segfault")
            && sentence.has_any("when, if"))
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
        removed, made, moved, modified, update, updates, updated, fix, fixes, fixed, refactor, \
        rename, improve, support, implement, introduce",
    ) || sentence
        .has_any("this commit, this patch, we now, fixes this by, fixed by, fixes the, fix this by, the fix is")
}

/// Said by somebody who does not know, or who means to come back to it.
pub(super) fn hedges(sentence: &Spaced) -> bool {
    sentence.has_any(
        "seems, seem, appears to, probably, possibly, perhaps, maybe, might be, couldn't reproduce, could not reproduce, for \
        now, eventually, revisit, temporarily, temporary, workaround, in the future, another matter, i hope, i suspect, \
        i figure, i assume, i realized, i noticed, i missed, i had, i have, i've, my, stopgap, quick fix, hack, not ideal, started \
        to, we could, could still, could also, most likely, likely to, still remains, remains the",
    ) || sentence.starts_with_any("i, note, recently, n b")
}

/// Taken back for the moment, or for the sake of a release: no word on the change itself.
pub(super) fn postpones(sentence: &Spaced) -> bool {
    sentence.has_any(
        "temporarily, for now, revisit, next release, latest release, the release, to be released, already been fixed, \
        conflicted, conflicts, conflict, i plan, we plan, plan to, fixed in, fixed upstream, want the, accidentally, by \
        mistake, by accident, too early, prematurely",
    )
}

/// Goes on from the trouble told before.
pub(super) fn refers_back(sentence: &Spaced) -> bool {
    sentence.starts_with_any(
        "this commit, this change, this patch, this fix, this fixes, to fix this, to fix that, to fix it, fix this, fix \
        it, fix by, fixed by, fixed this, fixes this, the fix, the solution, so we, so now, therefore, instead, we now, \
        to avoid this, to solve this, to resolve this, to address this, with this",
    )
}

/// Begins with a verb that can follow "Do not", and is no sentence of its own.
pub(super) fn commands(subject: &str) -> bool {
    let spaced = Spaced::new(subject);
    let verb = subject.split(' ').next().is_some_and(|first| first.chars().all(char::is_alphabetic));
    verb && !spaced.has_any("should, must, can, cannot, is, are, was, were") && spaced.starts_with_any(
        "add, allow, always, apply, avoid, build, cache, call, change, check, compile, convert, create, default, defer, \
        delay, delete, detect, disable, drop, emit, enable, enforce, expose, extract, force, forbid, format, generate, \
        hide, ignore, implement, import, include, increase, inline, introduce, keep, limit, load, make, map, mark, merge, \
        migrate, move, optimize, parse, pass, pin, prefer, prevent, print, raise, read, reduce, refactor, reject, \
        remove, rename, render, replace, require, restrict, return, reuse, run, send, set, share, show, simplify, skip, \
        sort, spawn, split, start, stop, store, strip, support, switch, throw, treat, trim, try, turn, unify, use, \
        validate, wait, warn, wrap, write",
    )
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
        assert!(share_words(&Spaced::new("Replace chrono with jiff"), &Spaced::new("It is chrono that guesses.")));
        assert!(!share_words(&Spaced::new("Replace a with b"), &Spaced::new("Replace this with that.")));
    }
}
