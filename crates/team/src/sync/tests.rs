//! Machines against a model of the database: whatever order, loss, repetition and crash comes in between, all of them end
//! with the same records, and what was written and not taken away is in them.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::item::ItemKind;
use crate::merge::{Decision, decide};

/// The database as it promises to be, without one.
#[derive(Default)]
struct ModelHub {
    heads: BTreeMap<ItemKey, Head>,
    log: BTreeMap<(ItemKey, u64), Value>,
    taken: BTreeMap<(String, u64), u64>,
    seq: u64,
}

/// A machine's way to it, which breaks.
struct Line<'a> {
    hub: &'a mut ModelHub,
    replica: String,
    chance: &'a mut Chance,
    /// Of a thousand calls, so many are carried out without an answer, and so many not at all.
    lossy: u64,
}

#[derive(Debug)]
struct Broken;

struct Chance(u64);

impl Chance {
    fn next(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn happens(&mut self, of_a_thousand: u64) -> bool {
        self.next(1_000) < of_a_thousand
    }
}

impl ModelHub {
    fn take(&mut self, replica: &str, op: &Op) -> Outcome {
        if let Some(version) = self.taken.get(&(replica.to_owned(), op.index)) {
            return Outcome::Taken { version: *version };
        }
        let head = self.heads.get(&op.item);
        if head.is_some_and(|head| matches!(head.state, HeadState::Purged { .. })) {
            return Outcome::Purged;
        }
        let version = head.map_or(0, |head| head.version);
        if version != op.base {
            return head
                .map_or(Outcome::Refused("no such version".into()), |head| Outcome::Behind(Box::new(head.clone())));
        }
        let state = op.record.clone().map_or(HeadState::Forgotten, HeadState::Live);
        if let Some(record) = &op.record {
            self.log.insert((op.item.clone(), version + 1), record.clone());
        }
        self.set(&op.item, version + 1, state, replica, op.hlc);
        self.taken.insert((replica.to_owned(), op.index), version + 1);
        Outcome::Taken { version: version + 1 }
    }

    fn set(&mut self, item: &ItemKey, version: u64, state: HeadState, author: &str, hlc: i64) {
        self.seq += 1;
        let (seq, at, author) = (self.seq, Timestamp::from_micros(hlc), author.to_owned());
        self.heads
            .insert(item.clone(), Head { item: item.clone(), seq, version, state, author, at, hlc, endorsed: None });
    }
}

impl Hub for Line<'_> {
    type Error = Broken;

    fn append(&mut self, ops: &[Op]) -> Result<Vec<Outcome>, Broken> {
        if self.chance.happens(self.lossy) {
            return Err(Broken);
        }
        let outcomes = ops.iter().map(|op| self.hub.take(&self.replica, op)).collect();
        if self.chance.happens(self.lossy) { Err(Broken) } else { Ok(outcomes) }
    }

    /// Now and then what was read before comes again, and not in order.
    fn changes(&mut self, after: u64, limit: usize) -> Result<Vec<Head>, Broken> {
        if self.chance.happens(self.lossy) {
            return Err(Broken);
        }
        let repeated = if self.chance.happens(self.lossy) { after / 2 } else { after };
        let mut heads: Vec<Head> = self.hub.heads.values().filter(|head| head.seq > after).cloned().collect();
        heads.sort_by_key(|head| head.seq);
        heads.truncate(limit.min(3));
        if !heads.is_empty() {
            heads.extend(self.hub.heads.values().filter(|head| head.seq > repeated && head.seq <= after).cloned());
            heads.reverse();
        }
        Ok(heads)
    }

    fn many_changes(&mut self, after: u64, limit: usize) -> Result<Vec<Head>, Broken> {
        self.changes(after, limit)
    }

    fn record(&mut self, item: &ItemKey, version: u64) -> Result<Option<Value>, Broken> {
        Ok(self.hub.log.get(&(item.clone(), version)).cloned())
    }

    fn purge(&mut self, item: &ItemKey, fingerprint: &str) -> Result<Outcome, Broken> {
        let version = self.hub.heads.get(item).map_or(0, |head| head.version) + 1;
        self.hub.log.retain(|(known, _), _| known != item);
        let state = HeadState::Purged { fingerprint: fingerprint.to_owned() };
        self.hub.set(item, version, state, &self.replica, 0);
        Ok(Outcome::Taken { version })
    }
}

#[derive(Default)]
struct Machine {
    items: BTreeMap<ItemKey, LocalItem>,
    dirty: BTreeSet<ItemKey>,
}

impl Replica for Machine {
    type Error = Broken;

    fn local(&self, item: &ItemKey) -> LocalItem {
        self.items.get(item).cloned().unwrap_or(LocalItem::Absent)
    }

    fn as_kept_here(&self, _: &ItemKey, record: &Value, _: &str) -> Value {
        record.clone()
    }

    fn take(&mut self, incoming: Vec<Incoming>) -> Result<BTreeSet<ItemKey>, Broken> {
        for Incoming { head, base, .. } in incoming {
            let local = self.local(&head.item);
            let next = match decide(&local, base.as_ref(), &head.state, "") {
                Decision::Nothing => continue,
                Decision::Put(record) | Decision::Restore(record) => LocalItem::Live(record),
                Decision::Archive => match local {
                    LocalItem::Live(record) => LocalItem::Forgotten(record),
                    other => other,
                },
                Decision::Purge => LocalItem::Purged { fingerprint: String::new() },
            };
            self.items.insert(head.item.clone(), next);
            self.dirty.insert(head.item);
        }
        Ok(BTreeSet::new())
    }
}

/// A machine with what it keeps on disk and what it has in mind.
struct Site {
    name: String,
    machine: Machine,
    file: std::path::PathBuf,
    book: Book,
    waiting: Waiting,
    /// Its clock is off by this much.
    skew: i64,
}

impl Site {
    fn new(folder: &std::path::Path, at: i64) -> Site {
        let name = format!("site-{at}");
        let file = folder.join(&name);
        let mut book = Book::open(file.clone()).unwrap();
        book.begin_again("db", &name).unwrap();
        let (machine, waiting) = (Machine::default(), Waiting::default());
        Site { name, machine, file, book, waiting, skew: (at - 1) * 86_400_000_000 }
    }

    /// Killed: what it had in mind is gone, and its books are read again.
    fn crash(&mut self) {
        (self.book, self.waiting) = (Book::open(self.file.clone()).unwrap(), Waiting::default());
        self.look_at_everything();
    }

    fn look_at_everything(&mut self) {
        self.machine.dirty =
            self.machine.items.keys().cloned().chain(self.book.items().map(|(key, _)| key.clone())).collect();
    }

    fn sync(&mut self, hub: &mut ModelHub, chance: &mut Chance, lossy: u64, now: i64) {
        let mut line = Line { hub, replica: self.name.clone(), chance, lossy };
        let dirty = std::mem::take(&mut self.machine.dirty);
        let mut pass = Pass {
            hub: &mut line,
            replica: &mut self.machine,
            book: &mut self.book,
            waiting: &mut self.waiting,
            now: Timestamp::from_micros(now + self.skew),
            report: Report::default(),
        };
        let left = pass.pull().and_then(|()| pass.push(dirty.clone(), &self.name));
        self.machine.dirty.extend(left.unwrap_or(dirty));
    }

    fn write(&mut self, chance: &mut Chance, now: i64, tags: &mut Vec<(ItemKey, String)>) {
        let item = ItemKey::new(ItemKind::Memory, "default", format!("m{}", chance.next(8)));
        let local = self.machine.local(&item);
        let at = Timestamp::from_micros(now + self.skew).record_style();
        let next = match (chance.next(100), local) {
            (_, LocalItem::Purged { .. }) => return,
            (0, _) => LocalItem::Purged { fingerprint: String::new() },
            (1..8, LocalItem::Live(record)) => {
                // Whoever takes a record away means all it says.
                tags.retain(|(known, tag)| *known != item || !record.to_string().contains(tag.as_str()));
                LocalItem::Forgotten(record)
            }
            (turn, LocalItem::Live(mut record) | LocalItem::Forgotten(mut record)) => {
                record["updated_at"] = at.into();
                if turn % 2 == 0 {
                    record["text"] = format!("{} at {now}", self.name).into();
                } else {
                    let tag = format!("{}-{now}", self.name);
                    record["tags"].as_array_mut().unwrap().push(tag.clone().into());
                    tags.push((item.clone(), tag));
                }
                LocalItem::Live(record)
            }
            _ => LocalItem::Live(
                json!({"id": item.name, "text": "first", "tags": [], "created_at": at, "updated_at": at}),
            ),
        };
        self.machine.items.insert(item.clone(), next);
        self.machine.dirty.insert(item);
    }
}

fn live(site: &Site) -> BTreeMap<ItemKey, Value> {
    let living = site.machine.items.iter().filter_map(|(item, local)| match local {
        LocalItem::Live(record) => Some((item.clone(), record.clone())),
        _ => None,
    });
    living.collect()
}

#[test]
fn machines_converge_whatever_is_lost_repeated_or_killed() {
    for seed in 0..40 {
        let lab = tempfile::tempdir().unwrap();
        let (mut hub, mut chance) = (ModelHub::default(), Chance(seed));
        let mut sites: Vec<Site> = (0..3).map(|at| Site::new(lab.path(), at)).collect();
        let mut tags = Vec::new();
        let mut now = 1_800_000_000_000_000;
        for _ in 0..300 {
            now += 1_000_000;
            let at = chance.next(3) as usize;
            match chance.next(10) {
                0..6 => sites[at].write(&mut chance, now, &mut tags),
                6..9 => sites[at].sync(&mut hub, &mut chance, 100, now),
                _ => sites[at].crash(),
            }
        }
        for _ in 0..20 {
            now += 30_000_000;
            for site in &mut sites {
                site.sync(&mut hub, &mut chance, 0, now);
            }
        }
        let expected = live(&sites[0]);
        for site in &sites {
            let found = live(site);
            assert_eq!(found, expected, "seed {seed}: {} differs from {}", site.name, sites[0].name);
            let texts = |items: &BTreeMap<ItemKey, Value>| items.values().map(Value::to_string).collect::<Vec<_>>();
            assert_eq!(texts(&found), texts(&expected), "seed {seed}: the same bytes");
        }
        for (item, tag) in tags {
            let Some(record) = expected.get(&item) else { continue };
            let has = record["tags"].as_array().unwrap().iter().any(|known| *known == tag);
            assert!(has, "seed {seed}: {tag} of {} is lost: {record}", item.name);
        }
    }
}

#[test]
fn a_wiped_machine_or_database_is_filled_again_and_deletes_nothing() {
    let lab = tempfile::tempdir().unwrap();
    let (mut hub, mut chance) = (ModelHub::default(), Chance(1));
    let mut sites: Vec<Site> = (0..2).map(|at| Site::new(lab.path(), at)).collect();
    let mut now = 1_800_000_000_000_000;
    for turn in 0..40 {
        now += 1_000_000;
        let item = ItemKey::new(ItemKind::Memory, "default", format!("m{turn}"));
        let record = json!({"id": item.name, "text": "kept", "tags": []});
        sites[0].machine.items.insert(item.clone(), LocalItem::Live(record));
        sites[0].machine.dirty.insert(item);
    }
    let mut settle = |sites: &mut Vec<Site>, hub: &mut ModelHub| {
        for _ in 0..6 {
            now += 30_000_000;
            sites.iter_mut().for_each(|site| site.sync(hub, &mut chance, 0, now));
        }
    };
    settle(&mut sites, &mut hub);
    assert_eq!((live(&sites[1]).len(), hub.heads.len()), (40, 40));

    sites[1].machine.items.clear();
    sites[1].look_at_everything();
    settle(&mut sites, &mut hub);
    assert_eq!((live(&sites[0]).len(), live(&sites[1]).len()), (40, 40), "a wiped folder");

    hub = ModelHub::default();
    for site in &mut sites {
        let name = site.name.clone();
        site.book.begin_again("another", &name).unwrap();
        site.look_at_everything();
    }
    settle(&mut sites, &mut hub);
    assert_eq!((live(&sites[0]).len(), live(&sites[1]).len(), hub.heads.len()), (40, 40, 40), "a wiped database");
}

#[test]
fn what_is_taken_away_leaves_late_and_not_all_at_once() {
    let lab = tempfile::tempdir().unwrap();
    let (mut hub, mut chance) = (ModelHub::default(), Chance(1));
    let mut site = Site::new(lab.path(), 1);
    let now = 1_800_000_000_000_000;
    let items: Vec<ItemKey> =
        (0..40).map(|turn| ItemKey::new(ItemKind::Memory, "default", format!("m{turn}"))).collect();
    for item in &items {
        site.machine.items.insert(item.clone(), LocalItem::Live(json!({"id": item.name})));
    }
    site.look_at_everything();
    site.sync(&mut hub, &mut chance, 0, now);
    for item in &items {
        site.machine.items.insert(item.clone(), LocalItem::Forgotten(json!({"id": item.name})));
    }
    site.look_at_everything();
    let gone = |hub: &ModelHub| hub.heads.values().filter(|head| head.state == HeadState::Forgotten).count();
    site.sync(&mut hub, &mut chance, 0, now + 1);
    assert_eq!(gone(&hub), 0, "at once");
    site.machine.items.insert(items[0].clone(), LocalItem::Live(json!({"id": items[0].name})));
    site.machine.dirty.insert(items[0].clone());
    site.sync(&mut hub, &mut chance, 0, now + limits::REMOVAL_DELAY + 2);
    assert_eq!(gone(&hub), limits::most_removals(40));
    let late = now + limits::REMOVAL_DELAY + 2 * limits::BETWEEN_REMOVALS;
    for turn in 0..10 {
        site.sync(&mut hub, &mut chance, 0, late + turn * 2 * limits::BETWEEN_REMOVALS);
    }
    assert_eq!(gone(&hub), 39, "what was brought back in time is looked at once more");
}
