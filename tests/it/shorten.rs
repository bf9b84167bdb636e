//! Lines of `notes/` that later ones replaced: taken out by a night, from this machine's files alone, and without anybody
//! noticing but the disk.

use std::sync::Arc;

use lokid_config::Config;
use lokid_engine::Registry;
use lokid_engine::night::Wish;
use lokid_manage::schedule::Cause;
use lokid_model::{Archived, Change, Draft, Kind, Memory, Patch};
use lokid_store::Store;
use lokid_sys::{Clock, Dirs, FaultMode, Faults};

use crate::lab::{Lab, at, memory, picture, put};

const OURS: &str = "notes/2026-09.0a1b2c3d.ndjson";

fn version(id: &str, second: i64) -> Memory {
    let mut memory = memory(id, Kind::Note, &format!("{id} as of {second}"));
    memory.times.updated_at = at(second);
    memory
}

/// Three memories, corrected again and again; one of them was forgotten at the end, and another brought back.
fn corrected(lab: &Lab, faults: Option<Arc<Faults>>) -> Store {
    let mut store = lab.store(faults).unwrap();
    store.look(at(0));
    for second in 1..=100 {
        let all = ["a", "b", "c"].map(|id| put(version(id, second)));
        store.commit(at(second), &all).unwrap();
    }
    let entry = |id, second, when| {
        Arc::new(Archived { memory: Arc::new(version(id, second)), at: at(when), reason: "old".into() })
    };
    let leave = [Change::Archive(entry("b", 100, 101)), Change::Archive(entry("c", 100, 101))];
    store.commit(at(101), &leave).unwrap();
    store.commit(at(102), &[Change::Restore(entry("c", 102, 102))]).unwrap();
    store
}

fn lines(lab: &Lab) -> usize {
    lab.read(OURS).lines().count()
}

#[test]
fn a_short_file_tells_what_the_long_one_told() {
    let lab = Lab::new();
    let mut store = corrected(&lab, None);
    let (before, long) = (picture(&lab.reload()), lines(&lab));
    assert!(before.contains("a as of 100") && before.contains("c as of 102") && before.contains("archived"));
    let gone = store.shorten().unwrap();
    assert_eq!(lines(&lab), long - gone);
    // Two that are there, and that the two that left were taken back.
    assert_eq!(lines(&lab), 4);
    assert_eq!(picture(&lab.reload()), before);
    assert_eq!(store.look(at(200)).len(), 0, "it knows its own file again");
    assert_eq!(store.shorten().unwrap(), 0, "and nothing more is to be done");
    store.commit(at(201), &[put(version("a", 201))]).unwrap();
    assert!(picture(&lab.reload()).contains("a as of 201"));
    assert_eq!(lines(&lab), 5);
}

#[test]
fn dying_at_any_write_of_it_loses_nothing() {
    let (counted, calm) = (Faults::counting(), Lab::new());
    let mut store = corrected(&calm, Some(Arc::clone(&counted)));
    let (before, expected) = (counted.ops(), picture(&calm.reload()));
    store.shorten().unwrap();
    let writes = counted.ops() - before;
    assert!(writes > 0);
    for mode in [FaultMode::Crash, FaultMode::TornCrash, FaultMode::Error(std::io::ErrorKind::StorageFull)] {
        for write in 1..=writes {
            let lab = Lab::new();
            let _ = corrected(&lab, Some(Faults::fail_at(before + write, mode))).shorten();
            assert_eq!(picture(&lab.reload()), expected, "{mode:?} at write {write} of {writes}");
        }
    }
}

#[test]
fn only_this_machines_files_are_shortened_and_only_as_they_were_seen() {
    let lab = Lab::new();
    let mut store = corrected(&lab, None);
    let others = lab.read(OURS);
    lab.write("notes/2026-09.ffffffff.ndjson", &others);
    store.look(at(200));
    // Somebody added a line, and it was not seen yet.
    lab.write(OURS, &format!("{others}\n"));
    assert_eq!(store.shorten().unwrap(), 0);
    store.look(at(201));
    assert!(store.shorten().unwrap() > 0);
    assert_eq!(lab.read("notes/2026-09.ffffffff.ndjson"), others);
}

#[test]
fn a_few_replaced_lines_are_left_as_they_are() {
    let lab = Lab::new();
    let mut store = lab.store(None).unwrap();
    store.look(at(0));
    for second in 1..=20 {
        store.commit(at(second), &[put(version("a", second))]).unwrap();
    }
    assert_eq!(store.shorten().unwrap(), 0);
    assert_eq!(lines(&lab), 20);
}

#[test]
fn a_night_shortens_what_a_day_of_corrections_left() {
    let lab = Lab::new();
    crate::repo::new(&lab.repo(), "a day");
    let mut config = Config::default();
    (config.bootstrap.enabled, config.watch.enabled) = (false, false);
    let registry = Registry::open(Dirs::under(&lab.folder.path().join("xdg")), config, Clock::system());
    let project = registry.add(&lab.repo()).unwrap();
    let told = project.writer.remember(Draft::new(Kind::Note, "the port is 0")).unwrap().wait().unwrap();
    let key = lokid_model::Key::new(&lokid_model::Namespace::default(), &told.id);
    for port in 1..=200 {
        let patch = Patch { text: Some(format!("the port is {port}")), ..Patch::default() };
        project.writer.patch(key.clone(), patch, None).unwrap().wait().unwrap();
    }
    let notes = || -> usize {
        let files = std::fs::read_dir(lab.memory_dir().join("notes")).unwrap().flatten();
        files.map(|file| std::fs::read_to_string(file.path()).unwrap().lines().count()).sum()
    };
    assert_eq!(notes(), 201);
    project.night.consolidate(Wish { dry_run: true, ..Wish::of(Cause::Asked) }).unwrap().wait().unwrap();
    assert_eq!(notes(), 201, "a night that is only tried out writes nothing");
    project.night.consolidate(Wish::of(Cause::Asked)).unwrap().wait().unwrap();
    assert_eq!(notes(), 1);
    assert_eq!(project.writer.snapshot().get(&key).unwrap().text, "the port is 200");
    registry.stop();
}
