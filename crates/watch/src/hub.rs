//! The kernel's ears: one inotify instance for the whole process, whose watches are routed to those who asked for them.
//!
//! A user has few instances for all programs together, so projects share one. It is opened with the first watch and kept;
//! a folder is listened to as long as somebody wants it. Nothing is decided here.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam_channel::Sender;
use lokid_sys::inotify::{Happened, Heard, Inotify, Refusal};
use lokid_sys::thread;
use parking_lot::Mutex;

use super::raw::{Losses, Raw, Unwatched};

static HUB: Mutex<Option<Arc<Hub>>> = Mutex::new(None);

struct Hub {
    inotify: Inotify,
    routes: Mutex<Routes>,
}

#[derive(Default)]
struct Routes {
    listeners: HashMap<u64, Listener>,
    /// By the kernel's number. Two projects may share a folder, as linked working trees share their `.git`.
    folders: HashMap<i32, Vec<Route>>,
    last: u64,
}

struct Listener {
    queue: Sender<Raw>,
    losses: Arc<Losses>,
}

struct Route {
    listener: u64,
    folder: Arc<Path>,
    openings: bool,
}

/// One that listens, until it is dropped.
pub(super) struct Ears {
    hub: Arc<Hub>,
    listener: u64,
    watched: HashMap<Arc<Path>, i32>,
}

impl Hub {
    /// The one there is; opened now if the system grants it.
    fn shared() -> Result<Arc<Hub>, String> {
        let mut shared = HUB.lock();
        if let Some(hub) = &*shared {
            return Ok(Arc::clone(hub));
        }
        let inotify = Inotify::open()?;
        let hub = Arc::new(Hub { inotify, routes: Mutex::default() });
        let ears = Arc::clone(&hub);
        // It ends with the process: nobody waits for it.
        let listen = move || ears.inotify.listen(|heard| ears.routes.lock().hand_on(heard));
        thread::spawn("ears", listen).map_err(|error| error.to_string())?;
        *shared = Some(Arc::clone(&hub));
        Ok(hub)
    }
}

impl Routes {
    fn hand_on(&mut self, heard: Heard<'_>) {
        match heard {
            Heard::Overflow => {
                for listener in self.listeners.values() {
                    listener.losses.hand_on(&listener.queue, Raw::Overflow);
                }
            }
            Heard::Over { watch } => drop(self.folders.remove(&watch)),
            Heard::Event { watch, what, name } => {
                for route in self.folders.get(&watch).into_iter().flatten() {
                    let Some(listener) = self.listeners.get(&route.listener) else { continue };
                    let path = name.map_or_else(|| route.folder.to_path_buf(), |name| route.folder.join(name));
                    let raw = match what {
                        Happened::Created => Raw::Created(path),
                        Happened::Arrived => Raw::Arrived(path),
                        Happened::Changed => Raw::Changed(path),
                        Happened::Left => Raw::Left(path),
                        Happened::Opened if route.openings => Raw::Opened(path),
                        Happened::Opened => continue,
                    };
                    listener.losses.hand_on(&listener.queue, raw);
                }
            }
        }
    }

    /// The kernel follows a folder that is moved and knows it by one number: its newest name counts.
    fn put(&mut self, watch: i32, route: Route) {
        let routes = self.folders.entry(watch).or_default();
        routes.retain(|known| known.listener != route.listener);
        routes.push(route);
    }

    /// Answers whether nobody wants to hear of it any more.
    fn take(&mut self, watch: i32, listener: u64, folder: &Path) -> bool {
        let Some(routes) = self.folders.get_mut(&watch) else { return false };
        routes.retain(|route| route.listener != listener || *route.folder != *folder);
        let nobody = routes.is_empty();
        if nobody {
            self.folders.remove(&watch);
        }
        nobody
    }
}

impl Ears {
    /// The error is a reason for a person.
    pub(super) fn new(queue: &Sender<Raw>, losses: &Arc<Losses>) -> Result<Ears, String> {
        let hub = Hub::shared()?;
        let mut routes = hub.routes.lock();
        routes.last += 1;
        let listener = routes.last;
        routes.listeners.insert(listener, Listener { queue: queue.clone(), losses: Arc::clone(losses) });
        drop(routes);
        Ok(Ears { hub, listener, watched: HashMap::new() })
    }

    /// Listens at single folders, in order, until the kernel refuses.
    pub(super) fn watch(&mut self, folders: Vec<PathBuf>, is_work: impl Fn(&Path) -> bool) -> Unwatched {
        let (work, rest): (Vec<PathBuf>, Vec<PathBuf>) = folders.into_iter().partition(|folder| is_work(folder));
        let mut unwatched = Unwatched { folders: Vec::new(), limited: false };
        // `.git` and `.loki` are few and matter most.
        let all = rest.into_iter().map(|folder| (folder, false)).chain(work.into_iter().map(|folder| (folder, true)));
        for (folder, openings) in all {
            match if unwatched.limited { Err(Refusal::Limit) } else { self.add(&folder, openings) } {
                // Gone meanwhile; whoever took it away is heard from above.
                Ok(()) | Err(Refusal::Gone) => {}
                Err(refusal) => {
                    unwatched.limited |= refusal == Refusal::Limit;
                    unwatched.folders.push(folder);
                }
            }
        }
        unwatched
    }

    fn add(&mut self, folder: &Path, openings: bool) -> Result<(), Refusal> {
        // Held until the route stands, so that the first event finds it.
        let mut routes = self.hub.routes.lock();
        let watch = self.hub.inotify.watch(folder, openings)?;
        let folder: Arc<Path> = folder.into();
        routes.put(watch, Route { listener: self.listener, folder: Arc::clone(&folder), openings });
        let before = self.watched.insert(Arc::clone(&folder), watch).filter(|before| *before != watch);
        if before.is_some_and(|before| routes.take(before, self.listener, &folder)) {
            before.into_iter().for_each(|before| self.hub.inotify.unwatch(before));
        }
        Ok(())
    }

    pub(super) fn unwatch(&mut self, folder: &Path, _is_work: bool) {
        let Some(watch) = self.watched.remove(folder) else { return };
        if self.hub.routes.lock().take(watch, self.listener, folder) {
            self.hub.inotify.unwatch(watch);
        }
    }
}

impl Drop for Ears {
    fn drop(&mut self) {
        let mut routes = self.hub.routes.lock();
        routes.listeners.remove(&self.listener);
        for (folder, watch) in self.watched.drain() {
            if routes.take(watch, self.listener, &folder) {
                self.hub.inotify.unwatch(watch);
            }
        }
    }
}
