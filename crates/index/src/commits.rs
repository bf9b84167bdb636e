//! Every commit a person wrote, found by what it says, the files it touched and the numbers it names: kept by tantivy in
//! the cache directory, apart from the memories.
//!
//! Derived data: it can be thrown away and read again from the repository. What it holds is redacted by whoever adds it.
//! It judges nothing: a match is the share of the question's words that a commit answers.

use std::collections::{HashMap, HashSet};
use std::ops::Bound;
use std::path::Path;

use serde_json::{Value, json};
use tantivy::collector::TopDocs;
use tantivy::directory::MmapDirectory;
use tantivy::postings::Postings;
use tantivy::query::{BooleanQuery, Occur, Query, RangeQuery, TermQuery};
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value as _,
};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{
    DocAddress, DocId, DocSet, Index, IndexReader, IndexSettings, IndexWriter, InvertedIndexReader, Order,
    ReloadPolicy, SegmentReader, TERMINATED, TantivyDocument, Term,
};

use super::analyze;
use super::text::only_writer;
use super::text::view::Wanted;
use lokid_model::Commit;

/// Changes whenever the same commit is kept in another way.
const VERSION: u32 = 1;
const MOST_BODY: usize = 8 * 1024;
const MOST_WORDS: usize = 2_000;
const MOST_FILES: usize = 200;
const MOST_OF_A_SECOND: usize = 64;
/// Words of a path say less than words of a message.
const PATH_WEIGHT: f32 = 0.5;
/// The subject is what the author thought the commit is about.
const SUBJECT_TIMES: usize = 2;
/// How quickly more of the same word stops counting, and how much a long message is held back.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.5;
/// How much it counts that a word is said at all.
const COVERAGE: f32 = 0.6;
/// As many characters of a commit's id as lead to it.
pub const SHORT_ID: usize = 12;

#[derive(Clone, Copy)]
struct Fields {
    short_id: Field,
    time: Field,
    said: Field,
    path_words: Field,
    path: Field,
    whole: Field,
}

pub struct CommitIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    /// What was kept under another version is read anew.
    version: String,
}

/// A commit, and how much of a question it answers: from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitMatch {
    pub commit: Commit,
    pub share: f64,
}

impl CommitIndex {
    /// Opens what stands at `place`, or starts anew there; without a place, in memory. `version` tells how commits were
    /// made presentable before they came here.
    pub fn open(place: Option<&Path>, version: &str) -> tantivy::Result<CommitIndex> {
        let (schema, fields) = schema();
        let settings = IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
        let builder = Index::builder().schema(schema).settings(settings);
        let index = match place {
            Some(place) => builder.open_or_create(MmapDirectory::open(place)?)?,
            None => builder.create_in_ram()?,
        };
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(CommitIndex { index, reader, fields, version: format!("{VERSION}-{version}") })
    }

    /// Up to which commit the history was read, as [`CommitWriter::finish`] was told.
    pub fn head(&self) -> Option<String> {
        let payload = self.index.load_metas().ok()?.payload?;
        let (version, head) = payload.split_once(' ')?;
        (version == self.version).then(|| head.to_owned())
    }

    pub fn commits(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Adds commits; with `anew`, all that was known is forgotten. Readers see nothing of it until it is finished.
    pub fn write(&self, anew: bool) -> tantivy::Result<CommitWriter<'_>> {
        let writer = only_writer(&self.index)?;
        if anew {
            writer.delete_all_documents()?;
        }
        Ok(CommitWriter { owner: self, writer })
    }

    /// The commits that answer most of a question, best first; ties the newest first.
    pub fn search(&self, wanted: &[Wanted], k: usize) -> Vec<CommitMatch> {
        self.find(wanted, None, k).unwrap_or_default()
    }

    /// The same among those that touched one of these files.
    pub fn search_touching(&self, wanted: &[Wanted], paths: &[&str], k: usize) -> Vec<CommitMatch> {
        self.find(wanted, Some(paths), k).unwrap_or_default()
    }

    /// The newest that touched one of these files.
    pub fn touching(&self, paths: &[&str], k: usize) -> Vec<Commit> {
        self.in_order(&self.any_path(paths), Order::Desc, k)
    }

    /// The first that touched one of these files. Those of one second stand as they are learnt, newest first.
    pub fn first_touching(&self, paths: &[&str]) -> Option<Commit> {
        let mut earliest = self.in_order(&self.any_path(paths), Order::Asc, MOST_OF_A_SECOND);
        let second = earliest.first()?.time;
        earliest.retain(|commit| commit.time == second);
        earliest.pop()
    }

    /// The newest of all.
    pub fn newest(&self, k: usize) -> Vec<Commit> {
        self.in_order(&tantivy::query::AllQuery, Order::Desc, k)
    }

    /// The newest of a time: from one second on and before another.
    pub fn between(&self, from: i64, until: i64, k: usize) -> Vec<Commit> {
        let bound = |second| Term::from_field_i64(self.fields.time, second);
        self.in_order(&RangeQuery::new(Bound::Included(bound(from)), Bound::Excluded(bound(until))), Order::Desc, k)
    }

    fn in_order(&self, query: &dyn Query, order: Order, k: usize) -> Vec<Commit> {
        let searcher = self.reader.searcher();
        let collector = TopDocs::with_limit(k.max(1)).order_by_fast_field::<i64>("time", order);
        let found = searcher.search(query, &collector).unwrap_or_default();
        found.into_iter().filter_map(|(_, at)| self.read(&searcher, at)).collect()
    }

    /// By its id, or its first twelve digits.
    pub fn get(&self, id: &str) -> Option<Commit> {
        let short = id.get(..SHORT_ID)?.to_ascii_lowercase();
        let searcher = self.reader.searcher();
        let query = TermQuery::new(Term::from_field_text(self.fields.short_id, &short), IndexRecordOption::Basic);
        let found = searcher.search(&query, &TopDocs::with_limit(4).order_by_score()).ok()?;
        let commits = found.into_iter().filter_map(|(_, at)| self.read(&searcher, at));
        commits.into_iter().find(|commit| commit.id.starts_with(&id.to_ascii_lowercase()))
    }

    /// How many commits say a word.
    pub fn said_by(&self, word: &str) -> u64 {
        self.reader.searcher().doc_freq(&Term::from_field_text(self.fields.said, word)).unwrap_or(0)
    }

    /// By our own count instead of tantivy's: a long message that answers all of a question comes before a short one that
    /// answers a word of it.
    fn find(&self, wanted: &[Wanted], paths: Option<&[&str]>, k: usize) -> tantivy::Result<Vec<CommitMatch>> {
        let searcher = self.reader.searcher();
        let all = searcher.num_docs() as f32;
        let mut weights: Vec<(Term, Term, f32)> = Vec::new();
        for wanted in wanted {
            let said = Term::from_field_text(self.fields.said, &wanted.word);
            let holders = searcher.doc_freq(&said)? as f32;
            let rarity = (1.0 + (all - holders + 0.5).max(0.0) / (holders + 0.5)).ln();
            let named = Term::from_field_text(self.fields.path_words, &wanted.word);
            weights.push((said, named, wanted.share * rarity));
        }
        let ideal: f32 = weights.iter().map(|(_, _, weight)| weight).sum();
        if ideal <= 0.0 || k == 0 {
            return Ok(Vec::new());
        }
        let mut found: Vec<(f32, DocAddress)> = Vec::new();
        for (ordinal, segment) in searcher.segment_readers().iter().enumerate() {
            let allowed = paths.map(|paths| self.touched(segment, paths)).transpose()?;
            let sums = self.sums(segment, &weights, allowed.as_ref())?;
            let at = |doc| DocAddress::new(ordinal as u32, doc);
            found.extend(sums.into_iter().map(|(doc, sum)| (sum.total() / ideal, at(doc))));
        }
        let best =
            |one: &(f32, DocAddress), other: &(f32, DocAddress)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
        if found.len() > k {
            found.select_nth_unstable_by(k - 1, best);
            found.truncate(k);
        }
        let read = |(share, at)| Some(CommitMatch { commit: self.read(&searcher, at)?, share: f64::from(share) });
        let mut found: Vec<CommitMatch> = found.into_iter().filter_map(read).collect();
        found.sort_by(|one, other| {
            let by_share = other.share.total_cmp(&one.share);
            by_share.then(other.commit.time.cmp(&one.commit.time)).then_with(|| one.commit.id.cmp(&other.commit.id))
        });
        Ok(found)
    }

    fn sums(
        &self,
        segment: &SegmentReader,
        weights: &[(Term, Term, f32)],
        allowed: Option<&HashSet<DocId>>,
    ) -> tantivy::Result<HashMap<DocId, Sum>> {
        let (said, named) =
            (segment.inverted_index(self.fields.said)?, segment.inverted_index(self.fields.path_words)?);
        let lengths = segment.get_fieldnorms_reader(self.fields.said)?;
        let usual = said.total_num_tokens() as f32 / segment.max_doc().max(1) as f32;
        let mut sums: HashMap<DocId, Sum> = HashMap::new();
        for (word, (in_message, in_path, weight)) in weights.iter().enumerate() {
            let mut take = |index: &InvertedIndexReader, term: &Term, share: f32| -> tantivy::Result<()> {
                let Some(mut postings) = index.read_postings(term, IndexRecordOption::WithFreqs)? else {
                    return Ok(());
                };
                let mut doc = postings.doc();
                while doc != TERMINATED {
                    if allowed.is_none_or(|allowed| allowed.contains(&doc)) && !segment.is_deleted(doc) {
                        let sum = sums.entry(doc).or_default();
                        // What the message says, the path need not say again.
                        if sum.last_word != Some(word) {
                            let length = lengths.fieldnorm(doc) as f32 / usual.max(1.0);
                            let times = postings.term_freq() as f32;
                            let often = times / (times + SATURATION * (1.0 - LENGTH + LENGTH * length));
                            sum.last_word = Some(word);
                            sum.covered += share * weight;
                            sum.often += share * weight * often;
                        }
                    }
                    doc = postings.advance();
                }
                Ok(())
            };
            take(&said, in_message, 1.0)?;
            take(&named, in_path, PATH_WEIGHT)?;
        }
        Ok(sums)
    }

    /// The commits of a segment that touched one of these files.
    fn touched(&self, segment: &SegmentReader, paths: &[&str]) -> tantivy::Result<HashSet<DocId>> {
        let index = segment.inverted_index(self.fields.path)?;
        let mut found = HashSet::new();
        for path in paths {
            let term = Term::from_field_text(self.fields.path, path);
            let Some(mut postings) = index.read_postings(&term, IndexRecordOption::Basic)? else { continue };
            let mut doc = postings.doc();
            while doc != TERMINATED {
                found.insert(doc);
                doc = postings.advance();
            }
        }
        Ok(found)
    }

    fn any_path(&self, paths: &[&str]) -> BooleanQuery {
        let term = |path: &&str| -> (Occur, Box<dyn Query>) {
            let term = Term::from_field_text(self.fields.path, path);
            (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::Basic)))
        };
        BooleanQuery::new(paths.iter().map(term).collect())
    }

    fn read(&self, searcher: &tantivy::Searcher, at: DocAddress) -> Option<Commit> {
        let document: TantivyDocument = searcher.doc(at).ok()?;
        from_text(document.get_first(self.fields.whole)?.as_str()?)
    }
}

/// What one commit answers of a question.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// The weight of the words it holds, and the same by how much each of them is said.
    covered: f32,
    often: f32,
    last_word: Option<usize>,
}

impl Sum {
    fn total(self) -> f32 {
        COVERAGE * self.covered + (1.0 - COVERAGE) * self.often
    }
}

pub struct CommitWriter<'a> {
    owner: &'a CommitIndex,
    writer: IndexWriter,
}

impl CommitWriter<'_> {
    pub fn add(&mut self, commit: &Commit) -> tantivy::Result<()> {
        let fields = &self.owner.fields;
        let mut document = TantivyDocument::default();
        document.add_text(fields.short_id, commit.id.get(..SHORT_ID).unwrap_or(&commit.id));
        document.add_i64(fields.time, commit.time);
        let mut said = Vec::new();
        let body = &commit.body[..commit.body.floor_char_boundary(MOST_BODY)];
        for text in std::iter::repeat_n(commit.subject.as_str(), SUBJECT_TIMES).chain([body]) {
            words_of(text, &mut said);
        }
        document.add_pre_tokenized_text(fields.said, tokens(said));
        let mut path_words = Vec::new();
        for file in commit.files.iter().take(MOST_FILES) {
            words_of(&file.path, &mut path_words);
            document.add_text(fields.path, &file.path);
        }
        path_words.sort_unstable();
        path_words.dedup();
        document.add_pre_tokenized_text(fields.path_words, tokens(path_words));
        document.add_text(fields.whole, to_text(commit, body));
        self.writer.add_document(document).map(drop)
    }

    /// Puts everything on disk and shows it to readers; `head` is the newest commit that was read.
    pub fn finish(mut self, head: &str) -> tantivy::Result<()> {
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&format!("{} {head}", self.owner.version));
        prepared.commit()?;
        self.writer.wait_merging_threads()?;
        self.owner.reader.reload()
    }
}

fn words_of(text: &str, words: &mut Vec<String>) {
    analyze::terms(text, |term| {
        if words.len() < MOST_WORDS {
            words.push(term.to_owned());
        }
    });
}

fn tokens(words: Vec<String>) -> PreTokenizedString {
    let tokens = words.into_iter().enumerate();
    let tokens = tokens.map(|(position, text)| Token { position, text, ..Token::default() }).collect();
    PreTokenizedString { text: String::new(), tokens }
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqs).set_tokenizer("raw");
    let words = TextOptions::default().set_indexing_options(indexing.set_fieldnorms(true));
    let fields = Fields {
        short_id: schema.add_text_field("short_id", STRING),
        time: schema.add_i64_field("time", FAST),
        said: schema.add_text_field("said", words.clone()),
        path_words: schema.add_text_field("path_words", words),
        path: schema.add_text_field("path", STRING),
        whole: schema.add_text_field("whole", TextOptions::default() | STORED),
    };
    (schema.build(), fields)
}

fn to_text(commit: &Commit, body: &str) -> String {
    let files: Vec<&str> = commit.files.iter().take(MOST_FILES).map(|file| file.path.as_str()).collect();
    let status: String = commit.files.iter().take(MOST_FILES).map(|file| file.status.letter()).collect();
    let Commit { id, parents, author_name, author_email, time, subject, .. } = commit;
    json!([id, parents, author_name, author_email, time, subject, body, files, status]).to_string()
}

fn from_text(text: &str) -> Option<Commit> {
    let row: Value = serde_json::from_str(text).ok()?;
    let text = |at: usize| row.get(at).and_then(Value::as_str).map(str::to_owned);
    let paths = row.get(7)?.as_array()?.iter().filter_map(Value::as_str);
    let files = paths.zip(row.get(8)?.as_str()?.chars());
    let files = files.map(|(path, status)| lokid_model::FileChange {
        path: path.to_owned(),
        status: lokid_model::FileStatus::of_letter(status),
    });
    Some(Commit {
        id: text(0)?,
        parents: row.get(1)?.as_u64()? as usize,
        author_name: text(2)?,
        author_email: text(3)?,
        time: row.get(4)?.as_i64()?,
        subject: text(5)?,
        body: text(6)?,
        files: files.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{FileChange, FileStatus};

    fn commit(number: u8, subject: &str, body: &str, files: &[&str]) -> Commit {
        Commit {
            id: format!("{number:02x}").repeat(20),
            parents: 1,
            author_name: "Ada".to_owned(),
            author_email: "ada@example.org".to_owned(),
            time: i64::from(number),
            subject: subject.to_owned(),
            body: body.to_owned(),
            files: files
                .iter()
                .map(|path| FileChange { path: (*path).to_owned(), status: FileStatus::Modified })
                .collect(),
        }
    }

    fn wanted(text: &str) -> Vec<Wanted> {
        analyze::distinct(text, 64).into_iter().map(|word| Wanted { word, share: 1.0 }).collect()
    }

    fn filled(commits: &[Commit]) -> CommitIndex {
        let index = CommitIndex::open(None, "1").unwrap();
        let mut writer = index.write(false).unwrap();
        commits.iter().for_each(|commit| writer.add(commit).unwrap());
        writer.finish("head").unwrap();
        index
    }

    #[test]
    fn a_commit_is_found_by_its_words_its_number_and_its_files_and_comes_back_whole() {
        let commits = [
            commit(1, "Strip the Authorization header on redirect (#4718)", "Hosts may differ.", &["src/sessions.py"]),
            commit(2, "Speed up the parser", "It copied every line.", &["src/parser.py", "tests/test_parser.py"]),
            commit(3, "Say hello", "", &["README.md"]),
        ];
        let index = filled(&commits);
        assert_eq!(index.commits(), 3);
        for (question, expected) in
            [("redirect authorization", 0), ("#4718", 0), ("copied line parser", 1), ("readme.md", 2)]
        {
            let found = index.search(&wanted(question), 3);
            assert_eq!(found[0].commit, commits[expected], "{question}");
            assert!(found[0].share > 0.0 && found[0].share <= 1.0);
        }
        assert!(index.search(&wanted("espresso"), 3).is_empty());
        assert_eq!(index.touching(&["src/parser.py"], 5), [commits[1].clone()]);
        let among = index.search_touching(&wanted("parser hello"), &["README.md"], 5);
        assert_eq!(among.iter().map(|found| &found.commit).collect::<Vec<_>>(), [&commits[2]]);
        assert_eq!(index.get(&"02".repeat(6)), Some(commits[1].clone()));
        assert_eq!(index.get("02"), None);
        assert_eq!(index.newest(2), [commits[2].clone(), commits[1].clone()]);
        assert_eq!(index.first_touching(&["README.md", "src/parser.py"]), Some(commits[1].clone()));
        assert_eq!(index.first_touching(&["none"]), None);
        let at_once =
            [commit(5, "Third", "", &["a.rs"]), commit(5, "Second", "", &["a.rs"]), commit(5, "First", "", &["a.rs"])];
        assert_eq!(filled(&at_once).first_touching(&["a.rs"]), Some(at_once[2].clone()), "learnt newest first");
    }

    #[test]
    fn what_was_read_is_known_after_a_restart_and_begun_anew_when_asked() {
        let lab = tempfile::tempdir().unwrap();
        let open = || CommitIndex::open(Some(lab.path()), "1").unwrap();
        assert_eq!(open().head(), None);
        let mut writer_of = open();
        let mut writer = writer_of.write(false).unwrap();
        writer.add(&commit(1, "Add caching", "", &["a.rs"])).unwrap();
        writer.finish("first").unwrap();
        writer_of = open();
        assert_eq!((writer_of.head().as_deref(), writer_of.commits()), (Some("first"), 1));
        let mut writer = writer_of.write(true).unwrap();
        writer.add(&commit(2, "Drop caching", "", &["b.rs"])).unwrap();
        assert_eq!(writer_of.commits(), 1, "nothing is seen before it is finished");
        writer.finish("second").unwrap();
        assert_eq!((writer_of.head().as_deref(), writer_of.commits()), (Some("second"), 1));
        assert!(writer_of.touching(&["a.rs"], 5).is_empty());
        assert_eq!(
            CommitIndex::open(Some(lab.path()), "2").unwrap().head(),
            None,
            "under other rules it counts as unread"
        );
    }
}
