//! Two machines that changed the same note before they met: each wrote a line to a file of its own, which git never has to
//! merge, and neither line knows of the other.
//!
//! So a line that changes another machine's says which of its lines it was made from, in `built_on`. Two lines of which
//! neither was made from the other are rivals, and whoever finds them writes one that is made from both.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::layout::{FileId, Role};
use super::read;
use super::scan::{Catalog, Home};
use super::schema::{Detail, Object, Shape, record};
use super::{Store, three_way};
use lokid_model::{Change, Key, Memory, Timestamp};

/// The newest line of each other machine that a line was made from.
pub(super) type BuiltOn = BTreeMap<String, Timestamp>;

const FIELD: &str = "built_on";

pub(super) fn built_on(memory: &Memory) -> BuiltOn {
    let field = memory.extra.as_ref().and_then(|extra| extra.get(FIELD)?.as_object());
    let read = |(writer, at): (&String, &Value)| Some((writer.clone(), Timestamp::parse(at.as_str()?)?));
    field.into_iter().flatten().filter_map(read).collect()
}

/// What a line was made from is the store's own business: nobody else need carry it along.
pub fn forget_lineage(changes: &mut [Change]) {
    for change in changes {
        if let Change::Put { after, .. } = change
            && after.extra.as_ref().is_some_and(|extra| extra.contains_key(FIELD))
        {
            let memory = Arc::make_mut(after);
            let rest = memory.extra.as_mut().map(|extra| extra.shift_remove(FIELD).is_some() && extra.is_empty());
            if rest == Some(true) {
                memory.extra = None;
            }
        }
    }
}

fn told(built_on: &BuiltOn) -> Value {
    built_on.iter().map(|(writer, at)| (writer.clone(), json!(at.record_style()))).collect::<Object>().into()
}

fn later(one: &mut BuiltOn, other: &BuiltOn) {
    for (writer, at) in other {
        let known = one.entry(writer.clone()).or_insert(*at);
        *known = (*known).max(*at);
    }
}

/// Who writes this file of notes.
fn writer_of(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()?.rsplit_once('.').map(|(_, writer)| writer)
}

fn is_notes(file: &FileId) -> bool {
    file.role == Role::Memories(Shape::Notes)
}

/// What a new line of ours was made from, where another machine had the last word.
pub(super) fn line_is_built_on(catalog: &Catalog, file: &FileId, line: &mut Value, memory: &Memory) -> BuiltOn {
    let mut all = built_on(memory);
    if let Some(home) = catalog.homes.get(&memory.key()).filter(|home| is_notes(&home.file)) {
        later(&mut all, &home.built_on);
        if let Some(other) = writer_of(&home.file.path).filter(|other| Some(*other) != writer_of(&file.path)) {
            later(&mut all, &BuiltOn::from([(other.to_owned(), home.updated_at)]));
        }
    }
    if !all.is_empty() {
        line[FIELD] = told(&all);
    }
    all
}

/// A line that was found beside another.
#[derive(Clone, Debug)]
pub(super) struct FoundRival {
    theirs: Arc<Memory>,
    file: Arc<FileId>,
    home: Home,
    /// The other, where it was found in the same look.
    ours: Option<Arc<Memory>>,
}

/// Is the newest line of a file made from the one that stands, or the other way round? Lines of a lokid that did not say so
/// are no rivals: the newest counts.
pub(super) fn rival(
    file: &Arc<FileId>,
    theirs: &Arc<Memory>,
    home: &Home,
    ours: Option<&Arc<Memory>>,
) -> Option<FoundRival> {
    if !is_notes(file) || !is_notes(&home.file) || file.area != home.file.area {
        return None;
    }
    let (writer, other) = (writer_of(&file.path)?, writer_of(&home.file.path)?);
    let built = built_on(theirs);
    let knows = |built: &BuiltOn, writer: &str, at: Timestamp| built.get(writer).is_some_and(|known| *known >= at);
    let is_made = knows(&built, other, home.updated_at) || knows(&home.built_on, writer, theirs.times.updated_at);
    let says_so = !built.is_empty() || !home.built_on.is_empty();
    (writer != other && says_so && !is_made).then(|| FoundRival {
        theirs: Arc::clone(theirs),
        file: Arc::clone(file),
        home: home.clone(),
        ours: ours.cloned(),
    })
}

impl Store {
    /// Notes that two machines changed at once, each as one record that has what both say. `standing` tells what stood
    /// before the last look.
    pub fn rivals(&mut self, standing: impl Fn(&Key) -> Option<Arc<Memory>>) -> Vec<Memory> {
        let found = std::mem::take(&mut self.catalog.rivals);
        let open: Vec<FoundRival> = found.into_iter().filter(|rival| !self.is_settled(rival)).collect();
        let merged = open.iter().filter_map(|rival| {
            let ours = rival.ours.clone().or_else(|| standing(&rival.theirs.key()))?;
            self.reconciled(rival, &ours)
        });
        merged.collect()
    }

    /// Has somebody written a line since that is made from both?
    fn is_settled(&self, rival: &FoundRival) -> bool {
        let Some(last) = self.catalog.homes.get(&rival.theirs.key()) else { return true };
        let covers = |file: &FileId, at: Timestamp| {
            let Some(writer) = writer_of(&file.path) else { return false };
            let is_itself = writer_of(&last.file.path) == Some(writer) && last.updated_at >= at;
            is_itself || last.built_on.get(writer).is_some_and(|known| *known >= at)
        };
        covers(&rival.file, rival.theirs.times.updated_at) && covers(&rival.home.file, rival.home.updated_at)
    }

    fn reconciled(&mut self, rival: &FoundRival, ours: &Memory) -> Option<Memory> {
        let bare = |memory: &Memory| {
            let mut record = record::write(memory, Detail::Lean);
            record.shift_remove(FIELD);
            Value::Object(record)
        };
        let (our, their) = (bare(ours), bare(&rival.theirs));
        let content = |memory: &Memory| {
            let mut memory = memory.clone();
            memory.times.updated_at = memory.times.created_at;
            bare(&memory)
        };
        if content(ours) == content(&rival.theirs) {
            return None;
        }
        let base = self.common_line(rival).map(|base| bare(&base));
        let Value::Object(merged) = three_way::merge_records(base.as_ref(), &our, &their).value else { return None };
        let mut merged = record::read(merged).ok()?;
        merged.namespace = ours.namespace.clone();
        merged.times.updated_at = ours.times.updated_at.max(rival.theirs.times.updated_at).plus_micros(1);
        let mut all = built_on(&rival.theirs);
        later(&mut all, &rival.home.built_on);
        for (file, memory) in [(&rival.file, rival.theirs.as_ref()), (&rival.home.file, ours)] {
            later(&mut all, &BuiltOn::from([(writer_of(&file.path)?.to_owned(), memory.times.updated_at)]));
        }
        merged.extra.get_or_insert_default().insert(FIELD.to_owned(), told(&all));
        Some(merged)
    }

    /// The line that both were made from, if it still stands.
    fn common_line(&mut self, rival: &FoundRival) -> Option<Arc<Memory>> {
        let at = |built: &BuiltOn, file: &FileId| built.get(writer_of(&file.path)?).copied();
        let theirs = built_on(&rival.theirs);
        let (file, at) = match at(&theirs, &rival.home.file) {
            Some(at) => (&rival.home.file, at),
            None => (&rival.file, at(&rival.home.built_on, &rival.file)?),
        };
        let limits = self.limits();
        let disk = self.tree(file.area).look().ok()??.clone();
        let bytes = disk.read(&file.path, limits.max_document).ok()?;
        let contents = read::parse(file, &bytes, Timestamp::default(), &Object::new()).ok()?;
        let is_it = |memory: &Memory| memory.id == rival.theirs.id && memory.times.updated_at == at;
        contents.memories.into_iter().map(|(found, _)| found.memory).find(|memory| is_it(memory))
    }
}
