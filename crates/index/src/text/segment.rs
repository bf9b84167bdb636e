//! One segment of the index on disk: which memory each of its documents is, and who holds a word.

use std::sync::Arc;

use tantivy::index::{InvertedIndexReader, SegmentId};
use tantivy::postings::{BlockSegmentPostings, Postings, SegmentPostings};
use tantivy::schema::{Field as TextField, IndexRecordOption};
use tantivy::{DocSet, SegmentReader, Term};

use super::Known;
use crate::analyze;
use crate::roster::{Number, Roster};
use crate::searchable::Field;

/// Where the words of a memory stand.
#[derive(Clone, Copy)]
pub(super) struct Home {
    pub(super) segment: u32,
    pub(super) doc: u32,
}

/// A memory that holds a word of the question.
#[derive(Clone, Copy)]
pub(super) struct Touched {
    pub(super) number: Number,
    pub(super) home: Home,
}

/// Documents that are looked up together: what one needs from memory is on its way while another's arrives.
pub(super) const TOGETHER: usize = 64;

/// The number of no memory.
const NOBODY: Number = Number::MAX;

/// What is asked of every document that holds a word: they are gone through in their order, and so is this.
#[derive(Clone, Copy)]
pub(super) struct Resident {
    pub(super) number: Number,
    /// Weighted number of words.
    pub(super) length: f32,
    pub(super) namespace: u16,
}

impl Resident {
    fn of(number: Number, roster: &Roster) -> Resident {
        let slim = roster.slim(number);
        Resident { number, length: slim.length, namespace: slim.namespace }
    }
}

/// One segment of the index on disk, and which memory each of its documents is.
#[derive(Clone)]
pub(crate) struct Segment {
    id: SegmentId,
    fields: [(TextField, Arc<InvertedIndexReader>); Field::ALL.len()],
    /// By document; [`NOBODY`] where the document is of a version that is gone.
    residents: Vec<Resident>,
}

impl Segment {
    pub(super) fn open(
        reader: &SegmentReader,
        fields: &[TextField; Field::ALL.len()],
        print: &str,
        known: Known<'_>,
    ) -> tantivy::Result<Segment> {
        let column = reader.fast_fields().u64(print)?;
        let alive = reader.alive_bitset();
        let number = |doc| {
            let print = column.first(doc).filter(|_| alive.is_none_or(|alive| alive.is_alive(doc)))?;
            known.prints.get(&print).copied()
        };
        let gone = Resident { number: NOBODY, length: 0.0, namespace: 0 };
        let resident = |doc| number(doc).map_or(gone, |number| Resident::of(number, known.roster));
        let residents = (0..reader.max_doc()).map(resident).collect();
        let mut inverted = Vec::with_capacity(fields.len());
        for field in fields {
            inverted.push((*field, reader.inverted_index(*field)?));
        }
        let fields = inverted.try_into().map_err(|_| tantivy::TantivyError::InternalError("fields".to_owned()))?;
        Ok(Segment { id: reader.segment_id(), fields, residents })
    }

    pub(super) fn id(&self) -> SegmentId {
        self.id
    }

    /// The lengths of memories have become known.
    pub(super) fn measure(&mut self, roster: &Roster) {
        for resident in self.residents.iter_mut().filter(|resident| resident.number != NOBODY) {
            *resident = Resident::of(resident.number, roster);
        }
    }

    /// Which memory a document is; nobody where the index is damaged.
    #[inline]
    pub(super) fn resident(&self, doc: u32) -> Option<Resident> {
        self.residents.get(doc as usize).copied().filter(|resident| resident.number != NOBODY)
    }

    /// Hands out the documents that hold a word, in their order, each with its weighted count over all fields. Some come
    /// together, gathered in `batch`.
    pub(super) fn each_holding(&self, word: &str, batch: &mut Vec<(u32, f32)>, mut see: impl FnMut(&[(u32, f32)])) {
        batch.clear();
        let mut lists: Vec<List> = Vec::with_capacity(Field::ALL.len());
        for (field, (handle, inverted)) in Field::ALL.iter().zip(&self.fields) {
            let term = Term::from_field_text(*handle, word);
            // A file that cannot be read has no word; the next start finds the index wanting and makes it anew.
            if let Ok(Some(postings)) = inverted.read_block_postings(&term, IndexRecordOption::WithFreqs) {
                lists.push(List { postings, at: 0, weight: field.weight() });
            }
        }
        while let Some(doc) = lists.iter().filter_map(List::doc).min() {
            let next = lists.iter().filter_map(List::doc).filter(|other| *other > doc).min();
            let mut here = lists.iter_mut().filter(|list| list.doc() == Some(doc));
            match (here.next(), here.next()) {
                // As long as no other field has its turn, one list goes ahead alone.
                (Some(alone), None) => alone.run(next, batch),
                (Some(one), Some(other)) => {
                    let times = one.step() + other.step();
                    batch.push((doc, here.fold(times, |times, list| times + list.step())));
                }
                (None, _) => break,
            }
            if batch.len() >= TOGETHER {
                see(batch);
                batch.clear();
            }
        }
        see(batch);
    }

    /// Hands out those of `part` (in the order of their documents) that hold a word.
    pub(super) fn visit(&self, word: &str, part: &[Touched], mut see: impl FnMut(Number, f32)) {
        let mut lists: Vec<(f32, SegmentPostings)> = Vec::with_capacity(Field::ALL.len());
        for (field, (handle, inverted)) in Field::ALL.iter().zip(&self.fields) {
            let term = Term::from_field_text(*handle, word);
            if let Ok(Some(postings)) = inverted.read_postings(&term, IndexRecordOption::WithFreqs) {
                lists.push((field.weight(), postings));
            }
        }
        for Touched { home, number } in part {
            let mut times = 0.0;
            for (weight, postings) in &mut lists {
                if postings.doc() < home.doc {
                    postings.seek(home.doc);
                }
                if postings.doc() == home.doc {
                    times += *weight * postings.term_freq() as f32;
                }
            }
            if times > 0.0 {
                see(*number, times);
            }
        }
    }

    /// Every word once, with those who hold it: by field, and how often.
    pub(super) fn each_word(&self, mut see: impl FnMut(u64, &[(Number, Field, u32)])) -> tantivy::Result<()> {
        // The words of a field come in their order; fields go ahead together, so that a word is seen in all of them.
        let mut streams = Vec::with_capacity(self.fields.len());
        for (field, (_, inverted)) in Field::ALL.iter().zip(&self.fields) {
            let mut words = inverted.terms().stream()?;
            if words.advance() {
                streams.push((*field, inverted, words));
            }
        }
        let mut holders = Vec::new();
        let mut word: Vec<u8> = Vec::new();
        while let Some(next) = streams.iter().map(|(_, _, words)| words.key()).min() {
            next.clone_into(&mut word);
            holders.clear();
            let mut ended = false;
            for (field, inverted, words) in streams.iter_mut().filter(|(_, _, words)| words.key() == word) {
                let info = words.value();
                let mut postings = inverted.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
                while postings.block_len() > 0 {
                    let held = postings.docs().iter().zip(postings.freqs());
                    holders.extend(held.filter_map(|(doc, times)| Some((self.resident(*doc)?.number, *field, *times))));
                    postings.advance();
                }
                ended |= !words.advance();
            }
            if let Ok(word) = std::str::from_utf8(&word) {
                see(analyze::hash(word), &holders);
            }
            if ended {
                streams.retain(|(_, _, words)| words.key() > word.as_slice());
            }
        }
        Ok(())
    }
}

/// The documents that hold a word in one field.
struct List {
    postings: BlockSegmentPostings,
    at: usize,
    weight: f32,
}

impl List {
    fn doc(&self) -> Option<u32> {
        self.postings.docs().get(self.at).copied()
    }

    /// The weighted count in the present document; goes on to the next.
    fn step(&mut self) -> f32 {
        let times = self.postings.freqs()[self.at] as f32 * self.weight;
        self.pass(self.at + 1);
        times
    }

    /// Takes the rest of the present block as far as it lies before a document.
    fn run(&mut self, until: Option<u32>, batch: &mut Vec<(u32, f32)>) {
        let docs = self.postings.docs();
        let end = until.map_or(docs.len(), |until| docs.partition_point(|doc| *doc < until));
        let found = docs[self.at..end].iter().zip(&self.postings.freqs()[self.at..end]);
        batch.extend(found.map(|(doc, freq)| (*doc, *freq as f32 * self.weight)));
        self.pass(end);
    }

    fn pass(&mut self, at: usize) {
        self.at = at;
        if self.at == self.postings.block_len() {
            self.postings.advance();
            self.at = 0;
        }
    }
}
