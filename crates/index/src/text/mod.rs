//! The words of all memories, kept by tantivy in the cache directory. This file owns what stands on disk and when it
//! is committed; `segment.rs` reads it, `view.rs` answers questions, `stats.rs` counts how common each word is.
//!
//! Promises: a reader sees a document from the moment it was added (committed or not) until the moment it was removed;
//! what is lost by a crash is at most what was added since the last commit, and is found missing at the next start.
//! Anything unexpected on disk means: start anew.

mod segment;
pub mod stats;
pub mod view;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tantivy::directory::MmapDirectory;
use tantivy::directory::error::LockError;
use tantivy::index::SegmentId;
use tantivy::indexer::{LogMergePolicy, NoMergePolicy};
use tantivy::schema::{FAST, Field as TextField, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, TantivyDocument, TantivyError, Term};

use super::roster::{Number, Roster};
use super::searchable::{Field, Searchable};
use lokid_sys::thread;
use segment::Segment;
use view::{Pending, TextView};

/// The least tantivy takes for one thread.
const ARENA: usize = 15_000_000;
/// How often, and how far apart, a lock is asked for that somebody holds.
const LOCK_TRIES: usize = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(25);
/// The name of the field that tells versions of memories apart.
const PRINT: &str = "print";

/// Who is in the index: by print which memory a document is, and what scoring asks of it.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) prints: &'a HashMap<u64, Number>,
    pub(super) roster: &'a Roster,
}

pub(super) struct TextIndex {
    index: Index,
    reader: IndexReader,
    /// Only while there is something to write: it holds memory and threads.
    writer: Option<IndexWriter>,
    print: TextField,
    fields: [TextField; Field::ALL.len()],
    pending: Arc<Vec<Arc<Pending>>>,
    segments: Vec<Arc<Segment>>,
    uncommitted: usize,
}

impl TextIndex {
    /// Opens what stands at `place`, or starts anew there; without a place, in memory.
    pub(super) fn open(place: Option<&Path>) -> tantivy::Result<TextIndex> {
        let (schema, print, fields) = schema();
        let builder = Index::builder().schema(schema).settings(settings());
        let index = match place {
            Some(place) => builder.open_or_create(MmapDirectory::open(place)?)?,
            None => builder.create_in_ram()?,
        };
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let mut text = TextIndex {
            index,
            reader,
            writer: None,
            print,
            fields,
            pending: Arc::default(),
            segments: Vec::new(),
            uncommitted: 0,
        };
        // A place where nobody may write is found out now, not at the first memory.
        text.writer()?;
        text.writer = None;
        Ok(text)
    }

    /// Every version of a memory that stands in the index.
    pub(super) fn prints(&self) -> tantivy::Result<Vec<u64>> {
        let mut found = Vec::new();
        for reader in self.reader.searcher().segment_readers() {
            let column = reader.fast_fields().u64(PRINT)?;
            found.extend(reader.doc_ids_alive().filter_map(|doc| column.first(doc)));
        }
        Ok(found)
    }

    pub(super) fn add(&mut self, print: u64, number: Number, searchable: Searchable) -> tantivy::Result<()> {
        let pending = Pending::of(number, &searchable);
        let mut document = TantivyDocument::default();
        document.add_u64(self.print, print);
        for (field, words) in self.fields.iter().zip(searchable.fields) {
            if !words.is_empty() {
                let tokens = words.into_iter().enumerate();
                let tokens = tokens.map(|(position, text)| Token { position, text, ..Token::default() }).collect();
                document.add_pre_tokenized_text(*field, PreTokenizedString { text: String::new(), tokens });
            }
        }
        self.writer()?.add_document(document)?;
        Arc::make_mut(&mut self.pending).push(Arc::new(pending));
        self.uncommitted += 1;
        Ok(())
    }

    pub(super) fn remove(&mut self, print: u64, number: Number) -> tantivy::Result<()> {
        let term = Term::from_field_u64(self.print, print);
        self.writer()?.delete_term(term);
        if self.pending.iter().any(|pending| pending.number == number) {
            Arc::make_mut(&mut self.pending).retain(|pending| pending.number != number);
        }
        self.uncommitted += 1;
        Ok(())
    }

    /// Changes that the disk does not have yet.
    pub(super) fn uncommitted(&self) -> usize {
        self.uncommitted
    }

    /// Puts everything added so far on disk.
    pub(super) fn commit(&mut self, known: Known<'_>) -> tantivy::Result<()> {
        if let Some(writer) = self.writer.as_mut().filter(|_| self.uncommitted > 0) {
            writer.commit()?;
            self.uncommitted = 0;
            self.reload(known)?;
            self.pending = Arc::default();
        }
        Ok(())
    }

    /// Leaves no trace of what was removed: the words of deleted documents stay until their segment is written anew.
    pub(super) fn scrub(&mut self, known: Known<'_>) -> tantivy::Result<()> {
        // Merges that are under way end first; from then on only this one merges.
        self.rest(known)?;
        let searcher = self.reader.searcher();
        let touched = searcher.segment_readers().iter().filter(|segment| segment.has_deletes());
        let touched: Vec<SegmentId> = touched.map(|segment| segment.segment_id()).collect();
        let mut writer = only_writer(&self.index)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        if !touched.is_empty() {
            writer.merge(&touched).wait()?;
        }
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()?;
        self.reload(known)
    }

    /// Merges what is worth merging and lets go of threads and memory until the next write.
    pub(super) fn rest(&mut self, known: Known<'_>) -> tantivy::Result<()> {
        self.commit(known)?;
        if let Some(writer) = self.writer.take() {
            writer.wait_merging_threads()?;
            self.reload(known)?;
        }
        Ok(())
    }

    pub(super) fn is_resting(&self) -> bool {
        self.writer.is_none()
    }

    /// Looks at the segments as they stand on disk now.
    pub(super) fn reload(&mut self, known: Known<'_>) -> tantivy::Result<()> {
        self.reader.reload()?;
        let searcher = self.reader.searcher();
        let opened: HashMap<_, _> = self.segments.drain(..).map(|segment| (segment.id(), segment)).collect();
        for reader in searcher.segment_readers() {
            let segment = match opened.get(&reader.segment_id()) {
                Some(segment) => Arc::clone(segment),
                None => Arc::new(Segment::open(reader, &self.fields, PRINT, known)?),
            };
            self.segments.push(segment);
        }
        Ok(())
    }

    /// The lengths of memories have become known.
    pub(super) fn measure(&mut self, roster: &Roster) {
        self.segments.iter_mut().for_each(|segment| Arc::make_mut(segment).measure(roster));
    }

    /// Are there words of deleted documents?
    pub(super) fn has_remains(&self) -> bool {
        self.reader.searcher().segment_readers().iter().any(|segment| segment.has_deletes())
    }

    /// The numbers have changed: the next [`TextIndex::reload`] looks at every segment anew.
    pub(super) fn forget_segments(&mut self) {
        self.segments.clear();
    }

    pub(super) fn view(&self) -> TextView {
        TextView { segments: self.segments.clone(), pending: Arc::clone(&self.pending) }
    }

    fn writer(&mut self) -> tantivy::Result<&mut IndexWriter> {
        if self.writer.is_none() {
            let writer = only_writer(&self.index)?;
            let mut policy = LogMergePolicy::default();
            policy.set_min_num_segments(6);
            policy.set_del_docs_ratio_before_merge(0.3);
            writer.set_merge_policy(Box::new(policy));
            self.writer = Some(writer);
        }
        Ok(self.writer.as_mut().expect("the writer was just made sure of"))
    }
}

/// Takes the index's lock. A program that this process was just starting shares it until it runs, so a lock that was let
/// go of a moment ago may still seem held: it is asked for again for a while.
pub(super) fn only_writer(index: &Index) -> tantivy::Result<IndexWriter> {
    let mut tries = 0;
    loop {
        match index.writer_with_num_threads(1, ARENA) {
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) if tries < LOCK_TRIES => {
                tries += 1;
                thread::pause(LOCK_PAUSE);
            }
            other => return other,
        }
    }
}

fn schema() -> (Schema, TextField, [TextField; Field::ALL.len()]) {
    let mut schema = Schema::builder();
    let print = schema.add_u64_field(PRINT, FAST | INDEXED);
    // The words come ready made, and lengths are kept in the roster, where a filter may ask for them too.
    let indexing = TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqs).set_fieldnorms(false);
    let text = TextOptions::default().set_indexing_options(indexing.set_tokenizer("raw"));
    let fields = Field::ALL.map(|field| schema.add_text_field(field.as_str(), text.clone()));
    (schema.build(), print, fields)
}

fn settings() -> IndexSettings {
    IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() }
}
