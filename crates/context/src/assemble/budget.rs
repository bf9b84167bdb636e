//! Who gets how much room. Works in sums of what the blocks cost by themselves; whether their whole keeps within the
//! budget is for the caller to check.
//!
//! Four steps: what binds is let in at its shortest; each part spends its share, best first, on forms as long as a
//! fair portion allows; who was left out tries again with what is over, also in the place of worse ones; and what is
//! then still over lengthens the best.

use std::collections::BTreeSet;

use super::entry::ContextEntry;
use super::{Lengths, render};
use crate::parts::{Part, Shares};
use lokid_model::token;

/// While others wait, one memory takes at most one in so many of the tokens its part has left.
const PORTION: usize = 3;
/// Each round lets better ones in or makes better ones longer, so it ends by itself; this bounds the odd case.
const MOST_ROUNDS: usize = 32;

/// What there is to choose from.
pub(super) struct Sheet<'a> {
    /// By rank, best first.
    pub(super) entries: Vec<ContextEntry<'a>>,
    /// Work, files and topics, in the order given.
    pub(super) lines: Vec<BudgetLine>,
    pub(super) lengths: Lengths<'a>,
}

/// Something that is no memory.
pub(super) struct BudgetLine {
    pub(super) part: Part,
    pub(super) text: String,
    pub(super) tokens: usize,
}

pub(super) struct Plan {
    /// The form of each entry, if it is let in, and what it costs.
    pub(super) forms: Vec<Option<(usize, usize)>>,
    pub(super) lines: Vec<bool>,
}

impl Plan {
    pub(super) fn is_empty(&self) -> bool {
        self.forms.iter().all(Option::is_none) && !self.lines.contains(&true)
    }

    /// Is there somebody who has something to say and found no room?
    pub(super) fn leaves_out(&self, sheet: &mut Sheet<'_>) -> bool {
        let lengths = sheet.lengths;
        let mut entries = sheet.entries.iter_mut().zip(&self.forms);
        self.lines.contains(&false) || entries.any(|(entry, form)| form.is_none() && entry.shortest(lengths).is_some())
    }
}

pub(super) fn plan(sheet: &mut Sheet<'_>, room: usize, shares: &Shares) -> Plan {
    let mut members: [Vec<usize>; 4] = Default::default();
    for (rank, entry) in sheet.entries.iter().enumerate() {
        members[entry.part() as usize].push(rank);
    }
    let plan = Plan { forms: vec![None; sheet.entries.len()], lines: vec![false; sheet.lines.len()] };
    let headings = Part::ALL.map(|part| token::estimate(render::heading(part)));
    let mut purse =
        Purse { sheet, plan, left: room as isize, spent: [0; 4], blocks: [0; 4], headings, loose: Default::default() };
    purse.let_in_what_binds();
    purse.spend_shares(&members, shares.of(room));
    purse.spend_the_rest();
    purse.plan
}

struct Purse<'s, 'a> {
    sheet: &'s mut Sheet<'a>,
    plan: Plan,
    /// Below zero only while somebody makes room for another.
    left: isize,
    /// What each part has taken, its heading with it.
    spent: [usize; 4],
    blocks: [usize; 4],
    headings: [usize; 4],
    /// Who of each part is in without being bound to be, by rank.
    loose: [BTreeSet<usize>; 4],
}

impl Purse<'_, '_> {
    fn let_in_what_binds(&mut self) {
        for rank in 0..self.sheet.entries.len() {
            if self.sheet.entries[rank].is_binding() {
                self.let_in_at_shortest(rank);
            }
        }
    }

    /// What one part leaves over, the next may use; what binding ones took too much, it lacks.
    fn spend_shares(&mut self, members: &[Vec<usize>; 4], shares: [usize; 4]) {
        let mut carried = 0isize;
        for part in 0..Part::ALL.len() {
            let quota = shares[part] as isize + carried;
            if self.sheet.lines.iter().any(|line| line.part as usize == part) {
                let waiting = if members[part].is_empty() { 1 } else { 2 };
                self.point(part, self.available(part, quota) / waiting);
            }
            for (place, &rank) in members[part].iter().enumerate() {
                let available = self.available(part, quota);
                let waiting = members[part].len() - place;
                self.grant(rank, available, available / waiting.min(PORTION));
            }
            carried = quota - self.spent[part] as isize;
        }
    }

    /// What the next block of a part may cost.
    fn available(&self, part: usize, quota: isize) -> usize {
        let room = self.left.min(quota - self.spent[part] as isize) - self.opening(part) as isize;
        usize::try_from(room).unwrap_or(0)
    }

    /// The longest form within the portion, else the shortest if there is room at all.
    fn grant(&mut self, rank: usize, available: usize, portion: usize) {
        let lengths = self.sheet.lengths;
        let entry = &mut self.sheet.entries[rank];
        let Some(shortest) = entry.shortest(lengths) else { return };
        let held = self.plan.forms[rank].map_or(0, |(_, tokens)| tokens);
        let most = held + portion;
        // No longer form is rendered where there is room for the shortest at most.
        let longer = if most > shortest.1 { entry.fitting(most, lengths) } else { None };
        let room = if held == 0 { available } else { 0 };
        if let Some(form) = longer.or(Some(shortest).filter(|(_, tokens)| *tokens <= room)) {
            self.set(rank, Some(form));
        }
    }

    fn spend_the_rest(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let mut changed = false;
            for rank in 0..self.sheet.entries.len() {
                if self.plan.forms[rank].is_none() && !self.sheet.entries[rank].is_binding() {
                    changed |= self.let_in_at_shortest(rank) || self.let_in_for_worse(rank);
                }
            }
            for part in 0..Part::ALL.len() {
                self.point(part, self.available(part, isize::MAX));
            }
            for rank in 0..self.sheet.entries.len() {
                if self.plan.forms[rank].is_some() && self.left > 0 {
                    let held = self.plan.forms[rank];
                    self.grant(rank, 0, self.left as usize);
                    // A longer form may cost less; what one gives back another takes, and who was left out must hear of it.
                    changed |= self.plan.forms[rank] != held;
                }
            }
            if !changed {
                break;
            }
        }
    }

    fn let_in_at_shortest(&mut self, rank: usize) -> bool {
        let part = self.sheet.entries[rank].part() as usize;
        let room = self.available(part, isize::MAX);
        let shortest = self.sheet.entries[rank].shortest(self.sheet.lengths);
        let Some(form) = shortest.filter(|(_, tokens)| *tokens <= room) else { return false };
        self.set(rank, Some(form));
        true
    }

    /// Nobody is left out while worse ones of the same part stand where it could: those are shortened, then taken out,
    /// the worst first.
    fn let_in_for_worse(&mut self, rank: usize) -> bool {
        let lengths = self.sheet.lengths;
        let part = self.sheet.entries[rank].part() as usize;
        let worse: Vec<usize> = self.loose[part].range(rank..).rev().copied().collect();
        let cost = |purse: &Self, rank: usize| purse.plan.forms[rank].map_or(0, |(_, tokens)| tokens);
        let most = self.left.unsigned_abs() + worse.iter().map(|other| cost(self, *other)).sum::<usize>();
        let shortest = if worse.is_empty() { None } else { self.sheet.entries[rank].shortest(lengths) };
        let Some(form) = shortest.filter(|(_, tokens)| *tokens <= most) else { return false };
        self.set(rank, Some(form));
        for &other in &worse {
            let short = self.sheet.entries[other].shortest(lengths).filter(|(_, tokens)| *tokens < cost(self, other));
            if self.left < 0 && short.is_some() {
                self.set(other, short);
            }
        }
        for &other in &worse {
            if self.left < 0 {
                self.set(other, None);
            }
        }
        true
    }

    /// As many of a part's lines as such a room holds, in their order.
    fn point(&mut self, part: usize, mut room: usize) {
        for place in 0..self.sheet.lines.len() {
            let tokens = self.sheet.lines[place].tokens;
            if self.sheet.lines[place].part as usize == part && !self.plan.lines[place] && tokens <= room {
                self.plan.lines[place] = true;
                room -= tokens;
                self.pay(part, tokens);
            }
        }
    }

    /// What a part without a block costs before its first.
    fn opening(&self, part: usize) -> usize {
        if self.blocks[part] == 0 { self.headings[part] } else { 0 }
    }

    /// Gives an entry a form, or takes it out.
    fn set(&mut self, rank: usize, form: Option<(usize, usize)>) {
        let entry = &self.sheet.entries[rank];
        let part = entry.part() as usize;
        if !entry.is_binding() {
            if form.is_some() {
                self.loose[part].insert(rank)
            } else {
                self.loose[part].remove(&rank)
            };
        }
        if let Some((_, tokens)) = std::mem::replace(&mut self.plan.forms[rank], form) {
            self.refund(part, tokens);
        }
        if let Some((_, tokens)) = form {
            self.pay(part, tokens);
        }
    }

    fn pay(&mut self, part: usize, tokens: usize) {
        let cost = tokens + self.opening(part);
        self.left -= cost as isize;
        self.spent[part] += cost;
        self.blocks[part] += 1;
    }

    fn refund(&mut self, part: usize, tokens: usize) {
        self.blocks[part] -= 1;
        let cost = tokens + self.opening(part);
        self.left += cost as isize;
        self.spent[part] -= cost;
    }
}
