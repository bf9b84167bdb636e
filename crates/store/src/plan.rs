//! From changes to edits: which files a change touches, and what happens in each.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::layout::{self, Area, FileId, Role};
use super::scan::{Catalog, Seen};
use super::schema::{self, Object, Shape, lists};
use lokid_model::link::LinkKey;
use lokid_model::{Archived, Change, Document, Key, Link, Memory, MemoryId, Namespace, Timestamp, Tombstone};

/// What happens to one entry of a file.
#[derive(Clone, Debug)]
pub(super) enum Edit {
    /// Written anew or changed. `raw` is the text it had before it was archived.
    Put {
        before: Option<Arc<Memory>>,
        after: Arc<Memory>,
        raw: Option<String>,
    },
    /// Taken out of its file; a line of `notes/` is taken back by another line.
    Take {
        memory: Arc<Memory>,
        at: Timestamp,
    },
    SetLink(Link),
    DropLink(LinkKey),
    /// An entry of a list of ours.
    Set {
        id: String,
        value: Value,
    },
    /// Every trace of this memory: entries that name it, lines that hold it.
    Purge(MemoryId),
    Line(Object),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) files: BTreeMap<Arc<FileId>, Vec<Edit>>,
    pub(super) documents: Vec<Document>,
}

impl Plan {
    /// More than one file means that a crash could fall in between.
    pub(super) fn needs_journal(&self) -> bool {
        let skill = |file: &&Arc<FileId>| file.role == Role::Memories(Shape::Skill);
        self.files.len() + self.documents.len() + self.files.keys().filter(skill).count() > 1
    }

    fn add(&mut self, file: FileId, edit: Edit) {
        self.files.entry(Arc::new(file)).or_default().push(edit);
    }
}

/// A document is written anew for every change of an entry, so one with this many entries takes no more: memories that
/// come after become lines of `notes/`, which cost the same however many there are, and the lists go on in another one.
const FULL: usize = 4_000;
/// The last of so many takes all that comes.
const MOST_VOLUMES: usize = 1_000;

/// Where the text of an archived memory is found again.
pub(super) type RawOf<'a> = &'a dyn Fn(&FileId, &MemoryId) -> Option<String>;

pub(super) struct Planner<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) writer: &'a str,
    /// The text of a living memory in its file.
    pub(super) living: RawOf<'a>,
    /// The text an archived memory had.
    pub(super) archived: RawOf<'a>,
    /// Does something else than this memory stand there, whether the catalogue knows it or not?
    pub(super) taken: &'a dyn Fn(&FileId, &MemoryId) -> bool,
}

impl Planner<'_> {
    pub(super) fn plan(&self, changes: &[Change]) -> Plan {
        let mut plan = Plan::default();
        let mut placed: HashMap<Key, Area> = HashMap::new();
        let mut copies = self.copies(changes);
        let mut shelves = Shelves { catalog: self.catalog, shelved: HashMap::new() };
        for change in changes {
            match change {
                Change::Put { before, after } => {
                    placed.insert(after.key(), Area::of(after));
                    self.put(&mut plan, before.clone(), after, None);
                }
                Change::Archive(entry) => {
                    let copies = copies.remove(&entry.memory.key()).unwrap_or_default();
                    self.archive(&mut plan, entry, copies);
                }
                Change::Restore(entry) => self.restore(&mut plan, entry),
                Change::Purge(tombstone) => self.purge(&mut plan, tombstone),
                Change::Link(link) => {
                    let file = shelves.link(&plan, self.area_of(link, &placed), link);
                    plan.add(file, Edit::SetLink(link.clone()));
                }
                Change::Unlink(link) => {
                    let file = shelves.link(&plan, self.area_of(link, &placed), link);
                    plan.add(file, Edit::DropLink(link.key()));
                }
                Change::Contradict(found) => {
                    let ends = [&found.a, &found.b].map(|id| Key::new(&found.namespace, id));
                    let private = ends.iter().any(|key| self.is_private(key, &placed));
                    let area = if private { Area::Private } else { Area::Shared };
                    let edit = Edit::Set { id: found.id.clone(), value: lists::view_contradiction(found) };
                    let file = shelves.contradiction(&plan, area, &found.namespace, &found.id);
                    plan.add(file, edit);
                }
                Change::Write(document) => plan.documents.push(document.clone()),
                Change::Vanished(_) => {}
            }
        }
        plan
    }

    fn put(&self, plan: &mut Plan, before: Option<Arc<Memory>>, after: &Arc<Memory>, raw: Option<String>) {
        let current = self.catalog.homes.get(&after.key()).map(|home| Arc::clone(&home.file));
        let home = match &current {
            Some(file) if file.area != Area::of(after) => self.new_home(plan, after),
            Some(file) if file.role == Role::Memories(Shape::Notes) => layout::notes(after, self.writer),
            Some(file) => file.as_ref().clone(),
            None => self.new_home(plan, after),
        };
        let home = if self.catalog.is_corrupt(&home) { layout::notes(after, self.writer) } else { home };
        match current {
            // What becomes the user's own may not linger in any line of the repository.
            Some(old) if old.area == Area::Shared && home.area != Area::Shared => {
                self.erase(plan, &after.key(), Area::Shared);
                self.move_links(plan, &after.key());
            }
            Some(old) if old.area != home.area => {
                let memory = before.clone().unwrap_or_else(|| Arc::clone(after));
                // Just before the version that stands elsewhere now, or that one would count as taken back too.
                let at = after.times.updated_at.plus_micros(-1);
                self.take(plan, &old, &memory, at);
            }
            _ => {}
        }
        if home.role == Role::Memories(Shape::Patterns) {
            let value = schema::sidecar(after).map_or(Value::Null, Value::Object);
            plan.add(layout::sidecar(&after.namespace), Edit::Set { id: after.id.to_string(), value });
        }
        plan.add(home, Edit::Put { before, after: Arc::clone(after), raw });
    }

    /// Where a new memory goes; never into a file that is another's.
    fn new_home(&self, plan: &Plan, memory: &Memory) -> FileId {
        if !memory.id.is_path_safe() {
            return layout::notes(memory, self.writer);
        }
        let home = layout::home(memory, self.writer);
        let alone = matches!(home.role, Role::Memories(Shape::Skill | Shape::Episode));
        let others = |file: &FileId| {
            let holds_other = |edits: &Vec<Edit>| {
                edits.iter().any(|edit| matches!(edit, Edit::Put { after, .. } if after.id != memory.id))
            };
            plan.files.get(file).is_some_and(holds_other) || (self.taken)(file, &memory.id)
        };
        if alone && others(&home) {
            let spare = layout::spare(&home, memory);
            return if others(&spare) { layout::notes(memory, self.writer) } else { spare };
        }
        let entries = self.catalog.files.get(&home).map_or(0, |seen| seen.entries.len());
        let coming = plan.files.get(&home).map_or(0, Vec::len);
        if alone || entries + coming < FULL { home } else { layout::notes(memory, self.writer) }
    }

    /// Out of one file. A line of `notes/` is taken back in our own file: another machine's is not ours to write.
    fn take(&self, plan: &mut Plan, file: &Arc<FileId>, memory: &Arc<Memory>, at: Timestamp) {
        let file = match file.role {
            Role::Memories(Shape::Notes) => layout::notes_of(file.area, &file.namespace, at, self.writer),
            _ => file.as_ref().clone(),
        };
        plan.add(file, Edit::Take { memory: Arc::clone(memory), at });
    }

    /// Where the memories stand that are archived. A merge may have left a second copy, which would come to life once
    /// the first is gone. One walk over all files, however many memories leave.
    fn copies(&self, changes: &[Change]) -> HashMap<Key, BTreeSet<Arc<FileId>>> {
        let leaving: BTreeSet<Key> = changes
            .iter()
            .filter_map(|change| match change {
                Change::Archive(entry) => Some(entry.memory.key()),
                _ => None,
            })
            .collect();
        let mut copies: HashMap<Key, BTreeSet<Arc<FileId>>> = HashMap::new();
        if leaving.is_empty() {
            return copies;
        }
        let ids: HashSet<&MemoryId> = leaving.iter().map(|key| &key.id).collect();
        for (file, seen) in self.catalog.files.iter().filter(|(file, _)| matches!(file.role, Role::Memories(_))) {
            let few = seen.entries.len() <= ids.len();
            let held: Vec<&MemoryId> = if few {
                seen.entries.keys().filter(|id| ids.contains(id)).collect()
            } else {
                ids.iter().copied().filter(|id| seen.entries.contains_key(*id)).collect()
            };
            for key in held.into_iter().map(|id| Key::new(&file.namespace, id)).filter(|key| leaving.contains(key)) {
                copies.entry(key).or_default().insert(Arc::clone(file));
            }
        }
        copies
    }

    fn archive(&self, plan: &mut Plan, entry: &Arc<Archived>, copies: BTreeSet<Arc<FileId>>) {
        let memory = &entry.memory;
        let home = self.catalog.homes.get(&memory.key()).map(|home| Arc::clone(&home.file));
        let raw = home.as_ref().and_then(|file| (self.living)(file, &memory.id));
        let mut places = copies;
        places.extend(home);
        for place in &places {
            self.take(plan, place, memory, entry.at);
        }
        let file = layout::archive(Area::of(memory), &memory.namespace, entry.at, self.writer);
        plan.add(file, Edit::Line(lists::archive_line(entry, raw.as_deref())));
    }

    fn restore(&self, plan: &mut Plan, entry: &Arc<Archived>) {
        let memory = &entry.memory;
        let file = layout::archive(Area::of(memory), &memory.namespace, entry.at, self.writer);
        let raw = (self.archived)(&file, &memory.id);
        self.put(plan, None, memory, raw);
        plan.add(file, Edit::Line(lists::restored_line(&memory.key(), entry.at)));
    }

    fn purge(&self, plan: &mut Plan, tombstone: &Tombstone) {
        let namespace = &tombstone.key.namespace;
        for area in Area::ALL {
            self.erase(plan, &tombstone.key, area);
        }
        let area = Area::of_scope(tombstone.scope);
        let kept = tombstone.kept();
        let edit = Edit::Set { id: kept.key.id.to_string(), value: lists::view_tombstone(&kept) };
        plan.add(layout::tombstones(area, namespace), edit);
    }

    /// Every trace of a memory in one area.
    fn erase(&self, plan: &mut Plan, key: &Key, area: Area) {
        let Key { namespace, id } = key;
        let home = self.catalog.homes.get(key).map(|home| Arc::clone(&home.file));
        for (file, seen) in self.catalog.files.iter().filter(|(file, _)| file.area == area) {
            let named = match file.role {
                // An older line may still hold what was taken back since.
                Role::Memories(Shape::Notes) | Role::Archive | Role::Contradictions => true,
                Role::Memories(_) => seen.entries.contains_key(id) || home.as_ref() == Some(file),
                Role::Links => seen.links.values().any(|link| link.touches(id)),
                Role::Tombstones | Role::Sidecar => false,
            };
            if file.namespace == *namespace && named {
                plan.add(file.as_ref().clone(), Edit::Purge(id.clone()));
            }
        }
        let kept = self.catalog.sidecars.get(namespace).is_some_and(|sidecar| sidecar.contains_key(id.as_str()));
        if kept && area == Area::Shared {
            plan.add(layout::sidecar(namespace), Edit::Set { id: id.to_string(), value: Value::Null });
        }
    }

    /// The links of a memory that becomes the user's own go with it.
    fn move_links(&self, plan: &mut Plan, key: &Key) {
        let mut shelves = Shelves { catalog: self.catalog, shelved: HashMap::new() };
        let seen = volumes(self.catalog, Area::Shared, &key.namespace, Role::Links).filter_map(|(_, seen)| seen);
        for link in seen.flat_map(|seen| seen.links.values()).filter(|link| link.touches(&key.id)) {
            let file = shelves.link(plan, Area::Private, link);
            plan.add(file, Edit::SetLink(link.clone()));
        }
    }

    /// A link that names a memory of the user's own is private.
    fn area_of(&self, link: &Link, placed: &HashMap<Key, Area>) -> Area {
        let private = |id: &MemoryId| self.is_private(&Key::new(&link.namespace, id), placed);
        if private(&link.from) || private(&link.to) { Area::Private } else { Area::Shared }
    }

    fn is_private(&self, key: &Key, placed: &HashMap<Key, Area>) -> bool {
        let known = || self.catalog.homes.get(key).map(|home| home.file.area);
        placed.get(key).copied().or_else(known).is_some_and(|area| area != Area::Shared)
    }
}

/// The documents a list of ours stands in, and behind them the one it goes on in.
fn volumes<'a>(
    catalog: &'a Catalog,
    area: Area,
    namespace: &'a Namespace,
    role: Role,
) -> impl Iterator<Item = (FileId, Option<&'a Seen>)> {
    let mut is_last = false;
    (1..=MOST_VOLUMES).map_while(move |number| {
        let file = (!is_last).then(|| layout::volume(area, namespace, role, number))?;
        let seen = catalog.files.get(&file);
        is_last = number > 1 && seen.is_none();
        Some((file, seen))
    })
}

/// Which document of a list an entry stands in or comes into.
struct Shelves<'a> {
    catalog: &'a Catalog,
    /// What this plan has put there.
    shelved: HashMap<(Area, Namespace, String), FileId>,
}

impl Shelves<'_> {
    fn link(&mut self, plan: &Plan, area: Area, link: &Link) -> FileId {
        let key = link.key();
        let id = format!("{} {} {}", link.from, link.relation.as_str(), link.to);
        let holds = |seen: &Seen| seen.links.contains_key(&key);
        self.shelf(plan, Role::Links, (area, link.namespace.clone(), id), &holds, |seen| seen.links.len())
    }

    fn contradiction(&mut self, plan: &Plan, area: Area, namespace: &Namespace, id: &str) -> FileId {
        let holds = |seen: &Seen| seen.listed.contains(id);
        let place = (area, namespace.clone(), id.to_owned());
        self.shelf(plan, Role::Contradictions, place, &holds, |seen| seen.listed.len())
    }

    fn shelf(
        &mut self,
        plan: &Plan,
        role: Role,
        place: (Area, Namespace, String),
        holds: &dyn Fn(&Seen) -> bool,
        count: fn(&Seen) -> usize,
    ) -> FileId {
        if let Some(file) = self.shelved.get(&place) {
            return file.clone();
        }
        let all = || volumes(self.catalog, place.0, &place.1, role);
        let has_room = |(file, seen): &(FileId, Option<&Seen>)| {
            seen.map_or(0, count) + plan.files.get(file).map_or(0, Vec::len) < FULL
        };
        let found = all().find(|(_, seen)| seen.is_some_and(holds)).or_else(|| all().find(has_room));
        let file = found.map_or_else(|| layout::volume(place.0, &place.1, role, MOST_VOLUMES), |(file, _)| file);
        self.shelved.insert(place, file.clone());
        file
    }
}

/// The line that takes a record of `notes/` back.
pub(super) fn deletion_line(memory: &Memory, at: Timestamp) -> Value {
    json!({"id": memory.id.as_str(), "kind": memory.kind.as_str(), "updated_at": at.record_style(), "deleted": true})
}
