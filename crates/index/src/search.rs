//! The derived indexes of one project, kept together: `Indexer` is owned by the one thread that writes them, `View` is
//! what questions are answered from. A view never changes; a new one is published after every batch.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;

use super::meaning::{Meanings, Model, VectorFile};
use super::occasion::Occasions;
use super::roster::{Facet, Filter, Number, Roster};
use super::searchable::{self, Searchable};
use super::text::stats::Stats;
use super::text::view::{self, Scores, TextView, Wanted};
use super::text::{Known, TextIndex};
use super::vector::{Question, Row};
use lokid_model::{Key, Memory};
use lokid_sys::{plain, thread};

/// Prints are reckoned on all cores from this many on.
const PRINTS_APIECE: usize = 4096;
/// Numbers of memories that are gone are given back when they are this many, and more than those in use: however long
/// the same memories are edited, at most as much is held for those that are gone.
const MANY_GONE: usize = 1024;

/// From so many passages on, words and meaning are asked side by side: each takes longer than a thread takes to start.
const SIDE_BY_SIDE: usize = 262_144;

/// Whatever goes wrong with derived data, there is one answer: make it again.
pub type Outcome<T> = tantivy::Result<T>;

/// The indexes at one moment.
#[derive(Clone)]
pub struct View {
    pub roster: Roster,
    pub text: TextView,
    pub meanings: Meanings,
    pub occasions: Occasions,
    numbers: imbl::OrdMap<u64, Number>,
    stats: Arc<RwLock<Stats>>,
}

impl View {
    pub fn score(&self, wanted: &[Wanted], keep: usize, filter: &Filter) -> Option<Scores> {
        let namespace = self.roster.namespace(&filter.namespace)?;
        let stats = self.stats.read();
        Some(self.text.score(wanted, keep, namespace, &stats, &self.roster, self.admits(filter)?))
    }

    /// What the words of a question say, and who is nearest to its meaning.
    pub fn ask(
        &self,
        (wanted, wide): (&[Wanted], &Filter),
        (question, filter): (Option<&Question>, &Filter),
        most: usize,
    ) -> (Option<Scores>, Vec<(Number, f32)>) {
        let meant = || question.map_or_else(Vec::new, |question| self.nearest(question, most, filter));
        let scored = || self.score(wanted, most, wide);
        if self.meanings.passages() < SIDE_BY_SIDE {
            return (scored(), meant());
        }
        let (meant, scored) = thread::both(meant, scored);
        (scored, meant)
    }

    /// The `most` best by words, best first.
    pub fn best(&self, scores: &Scores, most: usize, filter: &Filter) -> Vec<Number> {
        let lot = |number| self.roster.facet(number).lot;
        self.admits(filter).map_or_else(Vec::new, |admits| scores.best(most, &admits, lot))
    }

    pub fn nearest(&self, question: &Question, most: usize, filter: &Filter) -> Vec<(Number, f32)> {
        match self.admits(filter) {
            Some(admits) => self.meanings.nearest(question, most, admits),
            None => Vec::new(),
        }
    }

    /// The number of a memory, if its present version was taken in.
    pub fn number(&self, key: &Key) -> Option<Number> {
        self.numbers.get(&key_hash(key)).copied().filter(|number| self.roster.key(*number) == key)
    }

    pub fn admits<'a>(&'a self, filter: &'a Filter) -> Option<impl Fn(Number) -> bool + Sync + 'a> {
        let namespace = self.roster.namespace(&filter.namespace)?;
        let is_wide = filter.is_wide();
        Some(move |number| self.roster.admits(namespace, filter, is_wide, number))
    }
}

pub struct Indexer {
    folder: Option<PathBuf>,
    text: TextIndex,
    roster: Roster,
    /// By print: which number a document of the text index is.
    prints: HashMap<u64, Number>,
    numbers: imbl::OrdMap<u64, Number>,
    /// By number; nothing where it is gone.
    memories: Vec<Option<(u64, Arc<Memory>)>>,
    stats: Arc<RwLock<Stats>>,
    occasions: Occasions,
    meanings: Meanings,
    file: VectorFile,
    gone: usize,
    /// The disk holds words or vectors of what is gone.
    remains: bool,
}

impl Indexer {
    /// Opens what the cache directory has of these memories. Answers also with those that are still to be taken in.
    /// Without a folder everything is kept in memory.
    pub fn open(folder: Option<&Path>, model: &Model, memories: Vec<Arc<Memory>>) -> Outcome<(Indexer, Vec<Key>)> {
        let place = folder.map(|folder| folder.join("text"));
        if let Some(place) = &place {
            plain::make_folder(place)?;
        }
        let mut indexer = Indexer {
            folder: folder.map(Path::to_owned),
            text: TextIndex::open(place.as_deref())?,
            roster: Roster::default(),
            prints: HashMap::new(),
            numbers: imbl::OrdMap::new(),
            memories: Vec::new(),
            stats: Arc::default(),
            occasions: Occasions::default(),
            meanings: Meanings::new(model.clone()),
            file: VectorFile::new(folder, model),
            gone: 0,
            remains: false,
        };
        let missing = indexer.restore(memories)?;
        Ok((indexer, missing))
    }

    /// Takes up what stands on disk. Whose words are there but not its passages is there, and still to be embedded.
    /// Somebody waits for the first answer: what does not depend on each other is done side by side.
    fn restore(&mut self, memories: Vec<Arc<Memory>>) -> Outcome<Vec<Key>> {
        let file = &mut self.file;
        let prints = || {
            let print =
                |part: &[Arc<Memory>]| part.iter().map(|memory| searchable::print(memory)).collect::<Vec<u64>>();
            thread::in_parts(&memories, PRINTS_APIECE, |_| true, print)
        };
        let ((whole, mut rows), prints) = thread::both(|| all_rows(file), prints);
        let wanted: HashMap<u64, Arc<Memory>> = prints.into_iter().flatten().zip(memories).collect();
        self.remains = rows.keys().any(|print| !wanted.contains_key(print));
        let mut missing: Vec<Arc<Memory>> = Vec::new();
        let mut known: Vec<(Number, Vec<Row>)> = Vec::with_capacity(rows.len());
        for print in self.text.prints()? {
            match wanted.get(&print) {
                Some(memory) if !self.prints.contains_key(&print) => {
                    let number = self.enlist(print, memory);
                    self.occasions.add(number, memory);
                    match rows.remove(&print) {
                        Some(rows) => known.push((number, rows)),
                        None => missing.push(Arc::clone(memory)),
                    }
                }
                _ => self.text.remove(print, Number::MAX)?,
            }
        }
        let (meanings, text) = (&mut self.meanings, &mut self.text);
        let roster = &self.roster;
        let all = Known { prints: &self.prints, roster };
        let place = || known.iter().for_each(|(number, rows)| meanings.put(*number, rows));
        let ((), counted) = thread::both(place, || {
            text.commit(all)?;
            text.reload(all)?;
            Stats::of(&text.view(), roster.len(), |number| roster.facet(number).namespace)
        });
        let (stats, lengths) = counted?;
        self.stats = Arc::new(RwLock::new(stats));
        for (number, length) in lengths.into_iter().enumerate() {
            self.roster.change(number as Number, |facet| facet.length = length);
        }
        self.text.measure(&self.roster);
        self.remains |= self.text.has_remains();
        if !whole {
            self.rewrite_vectors()?;
        }
        missing.extend(
            wanted.iter().filter(|(print, _)| !self.prints.contains_key(print)).map(|(_, memory)| Arc::clone(memory)),
        );
        missing.sort_by(|a, b| b.times.created_at.cmp(&a.times.created_at).then_with(|| a.id.cmp(&b.id)));
        Ok(missing.iter().map(|memory| memory.key()).collect())
    }

    /// Does this version still have to be embedded and put?
    pub fn wants(&self, memory: &Memory) -> bool {
        let number = self.prints.get(&searchable::print(memory));
        number.is_none_or(|number| !self.meanings.holds(*number))
    }

    /// Takes a memory in; an older version of it goes. `rows` are its passages' vectors, and are not looked at when
    /// they are known already.
    pub fn put(&mut self, memory: &Arc<Memory>, rows: &[Row]) -> Outcome<()> {
        let print = searchable::print(memory);
        if let Some(number) = self.prints.get(&print).copied() {
            if !self.meanings.holds(number) {
                self.meanings.put(number, rows);
                self.file.add(print, rows);
            }
            return self.refresh(number, memory);
        }
        self.take(&memory.key())?;
        let number = self.enlist(print, memory);
        let searchable = Searchable::of(memory);
        let length = view::length(searchable.counts());
        self.roster.change(number, |facet| facet.length = length);
        let namespace = self.roster.facet(number).namespace;
        let words = view::weigh(&searchable);
        self.stats.write().add(namespace, length, words.iter().map(|word| word.0));
        self.text.add(print, number, searchable)?;
        self.occasions.add(number, memory);
        self.meanings.put(number, rows);
        self.file.add(print, rows);
        Ok(())
    }

    /// The same words, but perhaps another tier or end.
    fn refresh(&mut self, number: Number, memory: &Arc<Memory>) -> Outcome<()> {
        let old = *self.roster.facet(number);
        let mut new = Facet::of(memory, old.namespace);
        (new.length, new.lot) = (old.length, old.lot);
        if new != old {
            self.roster.change(number, |facet| *facet = new);
        }
        if let Some((print, known)) = self.memories[number as usize].take() {
            if known.times.created_at != memory.times.created_at {
                self.occasions.remove(number);
                self.occasions.add(number, memory);
            }
            self.memories[number as usize] = Some((print, Arc::clone(memory)));
        }
        Ok(())
    }

    /// Forgets a memory. One that is not there is no error.
    pub fn take(&mut self, key: &Key) -> Outcome<()> {
        let Some(number) = self.numbers.get(&key_hash(key)).copied().filter(|n| self.roster.key(*n) == key) else {
            return Ok(());
        };
        let Some((print, memory)) = self.memories[number as usize].take() else { return Ok(()) };
        self.numbers.remove(&key_hash(key));
        self.prints.remove(&print);
        self.occasions.remove(number);
        self.roster.change(number, |facet| facet.alive = false);
        let facet = self.roster.facet(number);
        let words = view::weigh(&Searchable::of(&memory));
        self.stats.write().remove(facet.namespace, facet.length, words.iter().map(|word| word.0));
        self.gone += 1;
        self.text.remove(print, number)
    }

    fn enlist(&mut self, print: u64, memory: &Arc<Memory>) -> Number {
        let namespace = self.roster.name_namespace(&memory.namespace);
        let key = memory.key();
        let mut facet = Facet::of(memory, namespace);
        facet.lot = print;
        self.numbers.insert(key_hash(&key), self.roster.len() as Number);
        let number = self.roster.push(key, facet);
        self.prints.insert(print, number);
        self.memories.push(Some((print, Arc::clone(memory))));
        number
    }

    /// Changes that the disk does not have yet.
    pub fn uncommitted(&self) -> usize {
        self.text.uncommitted()
    }

    pub fn commit(&mut self) -> Outcome<()> {
        self.text.commit(Known { prints: &self.prints, roster: &self.roster })?;
        self.file.save()?;
        if self.gone > MANY_GONE && self.gone * 2 > self.roster.len() {
            self.renumber()?;
        }
        Ok(())
    }

    /// Does the disk hold words or vectors of what is gone?
    pub fn has_remains(&self) -> bool {
        self.remains
    }

    /// Leaves no trace on disk of what was taken out.
    pub fn scrub(&mut self) -> Outcome<()> {
        self.text.scrub(Known { prints: &self.prints, roster: &self.roster })?;
        self.file.remove_others();
        self.remains = false;
        self.rewrite_vectors()
    }

    fn rewrite_vectors(&mut self) -> Outcome<()> {
        self.file.restart();
        for (print, number) in &self.prints {
            if let Some(rows) = self.meanings.rows(*number) {
                self.file.add(*print, &rows);
            }
        }
        Ok(self.file.save()?)
    }

    /// Nothing is coming for a while: merges, and lets go of memory and threads.
    pub fn rest(&mut self) -> Outcome<()> {
        self.commit()?;
        self.text.rest(Known { prints: &self.prints, roster: &self.roster })
    }

    pub fn is_resting(&self) -> bool {
        self.text.is_resting()
    }

    /// Gives the numbers of memories that are gone to others, and their places among the vectors, on disk too.
    fn renumber(&mut self) -> Outcome<()> {
        let living: Vec<(u64, Arc<Memory>, Number)> = std::mem::take(&mut self.memories)
            .into_iter()
            .enumerate()
            .filter_map(|(number, entry)| entry.map(|(print, memory)| (print, memory, number as Number)))
            .collect();
        let (roster, meanings) = (std::mem::take(&mut self.roster), self.meanings.clone());
        self.meanings = Meanings::new(meanings.model.clone());
        (self.prints, self.numbers, self.occasions, self.gone) = Default::default();
        for (print, memory, old) in living {
            let number = self.enlist(print, &memory);
            self.roster.change(number, |facet| facet.length = roster.facet(old).length);
            self.occasions.add(number, &memory);
            if let Some(rows) = meanings.rows(old) {
                self.meanings.put(number, &rows);
            }
        }
        self.text.forget_segments();
        self.text.reload(Known { prints: &self.prints, roster: &self.roster })?;
        self.recount();
        self.rewrite_vectors()
    }

    /// Namespaces may have other short names after a renumbering.
    fn recount(&mut self) {
        let mut stats = Stats::default();
        for (number, entry) in self.memories.iter().enumerate() {
            if let Some((_, memory)) = entry {
                let facet = self.roster.facet(number as Number);
                let words = view::weigh(&Searchable::of(memory));
                stats.add(facet.namespace, facet.length, words.iter().map(|word| word.0));
            }
        }
        self.stats = Arc::new(RwLock::new(stats));
    }

    pub fn view(&self) -> View {
        View {
            roster: self.roster.clone(),
            text: self.text.view(),
            meanings: self.meanings.clone(),
            occasions: self.occasions.clone(),
            numbers: self.numbers.clone(),
            stats: Arc::clone(&self.stats),
        }
    }

    pub fn len(&self) -> usize {
        self.prints.len()
    }

    pub fn is_empty(&self) -> bool {
        self.prints.is_empty()
    }

    pub fn model(&self) -> &Model {
        &self.meanings.model
    }

    /// Starts a set of vectors of another model beside the present one.
    pub fn begin(&self, model: &Model) -> Replacement {
        let mut file = VectorFile::new(self.folder.as_deref(), model);
        let (whole, known) = all_rows(&mut file);
        if !whole {
            file.restart();
        }
        Replacement { known, file, model: model.clone() }
    }

    /// Who is not in the new set yet.
    pub fn missing_in(&self, new: &Replacement) -> Vec<Arc<Memory>> {
        let present = self.memories.iter().flatten();
        present.filter(|(print, _)| !new.known.contains_key(print)).map(|(_, memory)| Arc::clone(memory)).collect()
    }

    /// Puts the new set in the place of the old one. Nobody may be missing in it.
    pub fn replace(&mut self, mut new: Replacement) -> io::Result<()> {
        let mut meanings = Meanings::new(new.model.clone());
        for (number, entry) in self.memories.iter().enumerate() {
            let rows = entry.as_ref().and_then(|(print, _)| new.known.remove(print));
            if let Some(rows) = rows {
                meanings.put(number as Number, &rows);
            }
        }
        let saved = new.file.save();
        self.meanings = meanings;
        self.file = new.file;
        self.file.remove_others();
        saved
    }
}

/// The vectors of another model on their way.
pub struct Replacement {
    known: HashMap<u64, Vec<Row>>,
    file: VectorFile,
    model: Model,
}

impl Replacement {
    pub fn wants(&self, memory: &Memory) -> bool {
        !self.known.contains_key(&searchable::print(memory))
    }

    pub fn put(&mut self, memory: &Memory, rows: Vec<Row>) {
        let print = searchable::print(memory);
        self.file.add(print, &rows);
        self.known.insert(print, rows);
    }

    /// So that a restart in the middle loses little.
    pub fn save(&mut self) -> io::Result<()> {
        self.file.save()
    }
}

/// The vectors a file holds, by print, and whether it is worth keeping.
/// A memory without any is embedded anew: earlier programs wrote that of those whose turn had not come.
fn all_rows(file: &mut VectorFile) -> (bool, HashMap<u64, Vec<Row>>) {
    let mut rows = HashMap::new();
    let whole = file.read(|print, found| drop(rows.insert(print, found)));
    rows.retain(|_, found: &mut Vec<Row>| !found.is_empty());
    (whole, rows)
}

fn key_hash(key: &Key) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key.namespace.as_str().as_bytes()).update(b"\0").update(key.id.as_str().as_bytes());
    let mut short = [0; 8];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(short)
}
