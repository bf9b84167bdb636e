//! The ears where there is no inotify: two watchers, one that hears openings for the working tree, one that does not for
//! `.git` and `.loki`, each on single folders.
//!
//! What they hear is handed on in our words without waiting; when there is no room, that is noted and a scan follows.
//! Nothing is decided here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::raw::{Losses, Raw, Unwatched};
use crossbeam_channel::Sender;
use notify::event::{AccessKind, AccessMode, CreateKind, EventKindMask, ModifyKind, RenameMode};
use notify::{Config, ErrorKind, Event, EventKind, PathOp, RecommendedWatcher, Watcher};

pub(super) struct Ears {
    work: RecommendedWatcher,
    rest: RecommendedWatcher,
}

impl Ears {
    pub(super) fn new(queue: &Sender<Raw>, losses: &Arc<Losses>) -> Result<Ears, String> {
        let listen = |kinds: EventKindMask| {
            let (queue, losses) = (queue.clone(), losses.clone());
            let config = Config::default().with_event_kinds(kinds).with_follow_symlinks(false);
            RecommendedWatcher::new(move |event| hand_on(&queue, &losses, event), config)
                .map_err(|error| error.to_string())
        };
        let quiet = EventKindMask::CORE | EventKindMask::ACCESS_CLOSE;
        Ok(Ears { work: listen(quiet | EventKindMask::ACCESS_OPEN)?, rest: listen(quiet)? })
    }

    /// Listens at single folders, in order, until the kernel refuses.
    pub(super) fn watch(&mut self, folders: Vec<PathBuf>, is_work: impl Fn(&Path) -> bool) -> Unwatched {
        let (work, rest): (Vec<PathBuf>, Vec<PathBuf>) = folders.into_iter().partition(|folder| is_work(folder));
        let mut unwatched = Unwatched { folders: Vec::new(), limited: false };
        // `.git` and `.loki` are few and matter most.
        add(&mut self.rest, rest, &mut unwatched);
        add(&mut self.work, work, &mut unwatched);
        unwatched
    }

    pub(super) fn unwatch(&mut self, folder: &Path, is_work: bool) {
        let watcher = if is_work { &mut self.work } else { &mut self.rest };
        let _ = watcher.unwatch(folder);
    }
}

fn add(watcher: &mut RecommendedWatcher, folders: Vec<PathBuf>, unwatched: &mut Unwatched) {
    if unwatched.limited {
        unwatched.folders.extend(folders);
        return;
    }
    let mut waiting: Vec<PathOp> = folders.into_iter().map(PathOp::watch_non_recursive).collect();
    while !waiting.is_empty() {
        let Err(error) = watcher.update_paths(std::mem::take(&mut waiting)) else { return };
        let refused = error.origin.map(|operation| operation.as_path().to_owned());
        match error.source.kind {
            // Gone meanwhile; whoever took it away is heard from above.
            ErrorKind::PathNotFound => waiting = error.remaining,
            ErrorKind::MaxFilesWatch => {
                unwatched.limited = true;
                unwatched.folders.extend(refused);
                unwatched.folders.extend(error.remaining.iter().map(|operation| operation.as_path().to_owned()));
            }
            _ => {
                unwatched.folders.extend(refused);
                waiting = error.remaining;
            }
        }
    }
}

fn hand_on(queue: &Sender<Raw>, losses: &Losses, event: notify::Result<Event>) {
    match event {
        Ok(event) => translate(event).into_iter().for_each(|raw| losses.hand_on(queue, raw)),
        Err(_) => losses.lose(queue, &losses.events),
    }
}

fn translate(event: Event) -> Vec<Raw> {
    if event.need_rescan() {
        return vec![Raw::Overflow];
    }
    let word: fn(PathBuf) -> Raw = match event.kind {
        EventKind::Access(AccessKind::Open(_)) => Raw::Opened,
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Raw::Changed,
        EventKind::Access(_) => return Vec::new(),
        EventKind::Create(CreateKind::File) => Raw::Created,
        EventKind::Create(_) => Raw::Arrived,
        EventKind::Remove(_) => Raw::Left,
        // Told again as two: where from and where to.
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => return Vec::new(),
        EventKind::Modify(ModifyKind::Name(RenameMode::From)) => Raw::Left,
        EventKind::Modify(ModifyKind::Name(_)) => Raw::Arrived,
        EventKind::Modify(_) | EventKind::Any | EventKind::Other => Raw::Changed,
    };
    event.paths.into_iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{DataChange, Flag, MetadataKind, RemoveKind};

    fn check(kind: EventKind, expect: &[fn(PathBuf) -> Raw]) {
        let expect: Vec<Raw> = expect.iter().map(|word| word("/a".into())).collect();
        assert_eq!(translate(Event::new(kind).add_path("/a".into())), expect, "{kind:?}");
    }

    #[test]
    fn events_are_put_into_our_words() {
        check(EventKind::Create(CreateKind::File), &[Raw::Created]);
        check(EventKind::Create(CreateKind::Folder), &[Raw::Arrived]);
        check(EventKind::Remove(RemoveKind::File), &[Raw::Left]);
        check(EventKind::Modify(ModifyKind::Name(RenameMode::From)), &[Raw::Left]);
        check(EventKind::Modify(ModifyKind::Name(RenameMode::To)), &[Raw::Arrived]);
        check(EventKind::Modify(ModifyKind::Name(RenameMode::Both)), &[]);
        check(EventKind::Modify(ModifyKind::Data(DataChange::Any)), &[Raw::Changed]);
        check(EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)), &[Raw::Changed]);
        check(EventKind::Access(AccessKind::Open(AccessMode::Any)), &[Raw::Opened]);
        check(EventKind::Access(AccessKind::Close(AccessMode::Write)), &[Raw::Changed]);
        check(EventKind::Access(AccessKind::Close(AccessMode::Read)), &[]);
        assert_eq!(translate(Event::new(EventKind::Other).set_flag(Flag::Rescan)), [Raw::Overflow]);
    }
}
