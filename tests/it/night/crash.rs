//! The process dies at one write of a night after the other: the store is whole each time, and the next night ends
//! where an undisturbed one does.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use lokid_config::Config;
use lokid_engine::Registry;
use lokid_engine::night::Wish;
use lokid_index::Snapshot;
use lokid_manage::schedule::Cause;
use lokid_model::{Action, Body, Change, Episode, EpisodeError, Kind, Memory, Outcome, render};
use lokid_sys::{Clock, Dirs, FaultMode, Faults};

use crate::lab::{Lab, at, memory, picture, put};

/// A night has some hundred writes and each takes two nights to try: so many of them, evenly spread.
const POINTS: u64 = 16;
/// Late enough for lengths to be made.
const NIGHTFALL: i64 = 40 * 86_400;

fn episode(id: &str, goal: &str, steps: &[&str], errors: &[(&str, &str)]) -> Memory {
    let action = |step: &&str| Action { action: "bash".into(), target: (*step).into(), ..Action::default() };
    let error = |(message, resolution): &(&str, &str)| EpisodeError {
        kind: "TimeoutError".into(),
        message: (*message).into(),
        resolution: (*resolution).into(),
    };
    let body = Body::Episode(Box::new(Episode {
        task_id: id.into(),
        goal: goal.into(),
        action_log: steps.iter().map(action).collect(),
        errors: errors.iter().map(error).collect(),
        files_modified: vec!["src/auth/session.rs".into()],
        ..Episode::default()
    }));
    let text = render::text_of(&body);
    Memory { body, outcome: Some(Outcome::Success), text, ..memory(id, Kind::Episode, "") }
}

/// Something for every part of a night: a lesson, a skill, a twin, a contradiction and lengths.
fn day() -> Vec<Change> {
    let mended = ["edit src/auth/session.rs", "cargo test -p auth"];
    let trouble = [("session store timed out after 30 s", "raise the pool of the session store to 20")];
    let release = ["cargo test", "cargo build --release", "git tag v1", "git push --tags"];
    let mut all = vec![
        episode("ep-login-1", "fix the login timeout in the session store", &mended, &trouble),
        episode("ep-login-2", "login timeout: the session store is slow again", &mended, &trouble),
        episode("ep-login-3", "fix the timeout when logging in, session store", &mended, &trouble),
        memory("n-tabs", Kind::Note, "The code base is indented with tabs."),
        memory("n-spaces", Kind::Note, "The code base is indented with spaces."),
        memory("n-main-1", Kind::Note, "Never push to main."),
        memory("n-main-2", Kind::Note, "Never push  to main."),
        memory("n-long", Kind::Note, &"a word or two ".repeat(60)),
    ];
    all.extend((0..4).map(|at| episode(&format!("ep-rel-{at}"), &format!("release version {at}"), &release, &[])));
    all.into_iter().map(put).collect()
}

fn lived() -> Lab {
    let lab = Lab::new();
    crate::repo::new(&lab.repo(), "a day");
    lab.store(None).unwrap().commit(at(0), &day()).unwrap();
    lab
}

/// Opens the project, spends a night and answers what is known then.
fn night(repo: &Path, faults: Option<Arc<Faults>>) -> Option<Arc<Snapshot>> {
    let mut config = Config::default();
    (config.bootstrap.enabled, config.watch.enabled) = (false, false);
    let dirs = Dirs::under(&repo.with_file_name("xdg"));
    let registry = Registry::open(dirs, config, Clock::manual(at(NIGHTFALL)));
    let registry = match faults {
        Some(faults) => registry.with_faults(faults),
        None => registry,
    };
    let known = registry.add(repo).ok().map(|project| {
        let _ = project.night.consolidate(Wish::of(Cause::Asked)).unwrap().wait();
        project.writer.snapshot()
    });
    registry.stop();
    known
}

#[test]
fn dying_at_any_write_it_ends_where_an_undisturbed_night_does() {
    let counted = Faults::counting();
    let lab = lived();
    let expected = picture(&night(&lab.repo(), Some(Arc::clone(&counted))).unwrap());
    for word in ["Pattern", "Skill", "Contradicts", "SupersededBy", "DerivedFrom"] {
        assert!(expected.contains(word), "nothing to interrupt: no {word}");
    }
    assert_eq!(picture(&night(&lab.repo(), None).unwrap()), expected, "the night after changes nothing");
    let writes = counted.ops();
    assert!(writes > 50, "only {writes} writes");
    for point in 0..POINTS {
        let write = 1 + point * (writes - 1) / (POINTS - 1);
        let mode = if point % 2 == 0 { FaultMode::Crash } else { FaultMode::TornCrash };
        let lab = lived();
        night(&lab.repo(), Some(Faults::fail_at(write, mode)));
        let found = night(&lab.repo(), None).unwrap();
        assert!(found.problems().is_empty(), "{mode:?} at write {write} of {writes}: {:?}", found.problems());
        let found = picture(&found);
        let (ours, theirs): (BTreeSet<&str>, BTreeSet<&str>) = (found.lines().collect(), expected.lines().collect());
        let differing: Vec<&&str> = ours.symmetric_difference(&theirs).collect();
        assert!(differing.is_empty(), "{mode:?} at write {write} of {writes}: {differing:#?}");
    }
}
