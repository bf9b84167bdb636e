//! A candidate and the forms it can take, each rendered and counted once and only when somebody asks for it. Knows
//! nothing of the others.

use super::{Lengths, render};
use crate::parts::{Candidate, Part};
use lokid_model::{Key, Level, token};

/// What a memory can look like, longest first: at which length, and whether its files and the reason are told.
const FORMS: [(Level, bool); 5] = [
    (Level::Full, true),
    (Level::Summary, true),
    (Level::Compressed, true),
    (Level::Compressed, false),
    (Level::Index, false),
];
const LAST: usize = FORMS.len() - 1;
/// No prose has more bytes a token: a text that is longer than this many times the room is not even rendered.
const MOST_BYTES_A_TOKEN: usize = 8;
/// An index line longer than this may be the longest form a memory has.
const LONG_INDEX_LINE: usize = 48;
const INDEX_CHARS: usize = 60;

pub(super) struct ContextEntry<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) key: Key,
    /// As given, except that what is no number is worth least.
    pub(super) value: f64,
    forms: [Form; FORMS.len()],
}

enum Form {
    Untried,
    /// Says nothing, or the same as a longer one.
    None,
    Some(Shown),
}

struct Shown {
    /// The words as they came, to tell whether two forms say the same.
    words: String,
    block: String,
    tokens: usize,
}

impl<'a> ContextEntry<'a> {
    pub(super) fn new(candidate: &'a Candidate) -> ContextEntry<'a> {
        let value = if candidate.value.is_nan() { f64::NEG_INFINITY } else { candidate.value + 0.0 };
        let forms = [const { Form::Untried }; FORMS.len()];
        ContextEntry { candidate, key: candidate.memory.key(), value, forms }
    }

    pub(super) fn part(&self) -> Part {
        self.candidate.part
    }

    pub(super) fn is_binding(&self) -> bool {
        self.candidate.binding
    }

    /// The longest form it may take. What stands in the index is told at index length.
    pub(super) fn longest(&self) -> Level {
        if self.part() == Part::Index { Level::Index } else { self.candidate.longest }
    }

    /// What a form costs; `None` if it is none of its own, or plainly beyond `room`.
    pub(super) fn tokens(&mut self, form: usize, room: usize, lengths: Lengths<'_>) -> Option<usize> {
        let memory = &self.candidate.memory;
        let level = FORMS[form].0;
        if level < self.longest() {
            return None;
        }
        if matches!(self.forms[form], Form::Untried) {
            if level == Level::Full && memory.text.len() / MOST_BYTES_A_TOKEN > room {
                return None;
            }
            self.forms[form] = self.show(form, lengths);
        }
        match &self.forms[form] {
            Form::Some(shown) => Some(shown.tokens).filter(|tokens| *tokens <= room),
            _ => None,
        }
    }

    fn show(&self, form: usize, lengths: Lengths<'_>) -> Form {
        let memory = &self.candidate.memory;
        let (level, reasons) = FORMS[form];
        let mut words = lengths(memory, level);
        if level == Level::Index && words.trim().is_empty() {
            words = super::quote::inline(memory.headline(), INDEX_CHARS);
        }
        let said = |longer: &Form| matches!(longer, Form::Some(shown) if shown.words.trim() == words.trim());
        // Without its reasons, the same text is still a shorter form.
        if reasons && self.forms[..form].iter().any(said) {
            return Form::None;
        }
        let why = reasons.then_some(self.candidate.why.as_str());
        match render::block(memory, level, &words, why) {
            Some(block) => Form::Some(Shown { tokens: token::estimate(&block), words, block }),
            None => Form::None,
        }
    }

    /// The cheapest form and its cost: nearly always the index length. `None` if the memory has nothing to say.
    pub(super) fn shortest(&mut self, lengths: Lengths<'_>) -> Option<(usize, usize)> {
        let last = self.tokens(LAST, usize::MAX, lengths).map(|tokens| (LAST, tokens));
        if last.is_some_and(|(_, tokens)| tokens <= LONG_INDEX_LINE) {
            return last;
        }
        let room = last.map_or(usize::MAX, |(_, tokens)| tokens);
        let longer = (0..LAST).filter_map(|form| self.tokens(form, room, lengths).map(|tokens| (form, tokens)));
        longer.chain(last).min_by_key(|(form, tokens)| (*tokens, LAST - form))
    }

    /// The longest form of at most so many tokens, its cost with it.
    pub(super) fn fitting(&mut self, room: usize, lengths: Lengths<'_>) -> Option<(usize, usize)> {
        (0..=LAST).find_map(|form| self.tokens(form, room, lengths).map(|tokens| (form, tokens)))
    }

    pub(super) fn block(&self, form: usize) -> &str {
        match &self.forms[form] {
            Form::Some(shown) => &shown.block,
            _ => "",
        }
    }

    /// Which length a form is. Lengths that say the same count as the longest of them.
    pub(super) fn level(&self, form: usize, lengths: Lengths<'_>) -> Level {
        let own = FORMS[form].0;
        let Form::Some(shown) = &self.forms[form] else { return own };
        let words = shown.words.trim();
        let memory = &self.candidate.memory;
        let same = |level: &&Level| {
            let far_longer = **level == Level::Full && memory.text.len() > words.len() * 2 + 64;
            !far_longer && lengths(memory, **level).trim() == words
        };
        let longer = Level::ALL.iter().filter(|level| **level < own && **level >= self.longest());
        longer.into_iter().find(same).copied().unwrap_or(own)
    }
}
