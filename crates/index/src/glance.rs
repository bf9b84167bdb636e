//! A first look at many vectors, by their bits (`sketch`): which rows are worth comparing in full. Where the bar lies is
//! told by a sample, whose rows are chosen by what they hold: so the answer depends on which rows are admitted, and
//! neither on the order they came in nor on those that are gone. A filter is asked before a row may take a place, and
//! only those it lets in count, so it costs no recall.

use std::sync::Arc;

use super::roster::Number;
use super::sketch::{Estimate, GROUP, Sketches, Tables};
use lokid_sys::thread;

/// Rows of one part; a writer copies the last part, never the others.
const PART: usize = 2_048;
/// Parts that are worth a thread of their own: half a million rows take longer than it takes to start one.
const PARTS_APIECE: usize = 256;
/// One row in so many belongs to the sample.
const SAMPLED: usize = 32;

#[derive(Clone, Debug, Default)]
struct Part {
    sketches: Sketches,
    owners: Vec<Number>,
}

impl Part {
    fn push(parts: &mut Vec<Arc<Part>>, owner: Number, row: &[i8]) {
        if parts.last().is_none_or(|last| last.owners.len() == PART) {
            parts.push(Arc::default());
        }
        let part = Arc::make_mut(parts.last_mut().expect("a part was just made sure of"));
        part.sketches.push(row);
        part.owners.push(owner);
        if part.owners.len() == PART {
            part.sketches.shrink();
            part.owners.shrink_to_fit();
        }
    }
}

/// A row that looks close.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) row: u32,
    pub(super) owner: Number,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Glance {
    parts: Vec<Arc<Part>>,
    sample: Vec<Arc<Part>>,
}

impl Glance {
    pub(super) fn push(&mut self, owner: Number, row: &[i8]) {
        Part::push(&mut self.parts, owner, row);
        if is_sampled(row) {
            Part::push(&mut self.sample, owner, row);
        }
    }

    /// Whose rows these are, from the first on.
    pub(super) fn owners(&self) -> impl Iterator<Item = &[Number]> {
        self.parts.iter().map(|part| part.owners.as_slice())
    }

    /// About as many admitted rows as are `enough`, those that look closest, in their order. Nothing when no more than
    /// about `few` are admitted.
    pub(super) fn shortlist(
        &self,
        tables: &Tables,
        enough: usize,
        few: usize,
        admits: &(impl Fn(Number) -> bool + Sync),
    ) -> Option<Vec<Found>> {
        let mut sample = self.sampled(tables, enough.max(few) / SAMPLED + 1, admits);
        if SAMPLED * sample.len() <= few {
            return None;
        }
        let mut wanted = enough;
        loop {
            let place = wanted.div_ceil(SAMPLED).max(1);
            if sample.len() < place {
                sample = self.sampled(tables, place, admits);
            }
            let least = sample.get(place - 1).copied().unwrap_or(0);
            let found = self.at_least(least, tables, admits);
            // Many of one kind in the sample say little about the others.
            if least == 0 || found.len() * 2 >= enough {
                return Some(found);
            }
            wanted *= 4;
        }
    }

    /// The estimates of the admitted of the sample, best first; of the best at least so many as are `enough`, if there
    /// are. Whom a filter admits is asked of as few as can be: who is asked about lies anywhere in memory.
    fn sampled(&self, tables: &Tables, enough: usize, admits: &impl Fn(Number) -> bool) -> Vec<i16> {
        let mut asked = 2 * enough;
        loop {
            let best = self.best_of_sample(tables, asked);
            let admitted = best.iter().filter(|(_, owner)| admits(*owner));
            let mut found: Vec<i16> = admitted.map(|(estimate, _)| *estimate).collect();
            if found.len() >= enough || best.len() < asked {
                found.sort_unstable_by(|a, b| b.cmp(a));
                return found;
            }
            asked *= 8;
        }
    }

    /// As many of the sample as are asked for, if there are, those that look closest. The bar rises with what is met, so
    /// that few of those behind it leave the registers.
    fn best_of_sample(&self, tables: &Tables, asked: usize) -> Vec<(i16, Number)> {
        let (mut best, mut room, mut least): (Vec<(i16, Number)>, _, _) = (Vec::new(), room(), 0);
        for part in &self.sample {
            let close = tables.at_least(least, &part.sketches, &mut room).iter();
            best.extend(close.map(|(row, estimate)| (*estimate, part.owners[*row as usize])));
            if best.len() > asked {
                least = best.select_nth_unstable_by(asked - 1, |a, b| b.0.cmp(&a.0)).1.0;
                best.truncate(asked);
            }
        }
        best
    }

    fn at_least(&self, least: i16, tables: &Tables, admits: &(impl Fn(Number) -> bool + Sync)) -> Vec<Found> {
        let numbered: Vec<(u32, &Arc<Part>)> = (0..).step_by(PART).zip(&self.parts).collect();
        let look = |parts: &[(u32, &Arc<Part>)]| {
            let (mut found, mut room) = (Vec::new(), room());
            for (first, part) in parts {
                for (row, _) in tables.at_least(least, &part.sketches, &mut room) {
                    let owner = part.owners[*row as usize];
                    if admits(owner) {
                        found.push(Found { row: first + row, owner });
                    }
                }
            }
            found
        };
        thread::in_parts(&numbered, PARTS_APIECE, |_| true, look).concat()
    }
}

fn room() -> Vec<Estimate> {
    vec![Estimate::default(); PART + GROUP]
}

/// A coin that falls the same way for the same row.
fn is_sampled(row: &[i8]) -> bool {
    let mix = |hash: u64, value: &i8| (hash ^ u64::from(*value as u8)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut hash = row.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (hash ^ (hash >> 27)).is_multiple_of(SAMPLED as u64)
}
