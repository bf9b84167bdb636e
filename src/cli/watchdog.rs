//! Signs of life for the service manager, as long as there is life: a ping goes out only when every writer has taken a
//! turn since the last one. It runs among the answers of the daemon, so that a runtime that hangs is silent, too.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lokid_engine::Registry;
use lokid_sys::notify::Notifier;

/// Pings come twice in the time that is granted, which leaves one to be late.
const PINGS: u32 = 2;
/// A writer that is late is looked at this often in that time.
const LOOKS: u32 = 20;

/// Goes on until it is dropped. At rest it wakes every writer once a ping, for nothing but an answer.
pub(super) async fn keep(registry: Arc<Registry>, notifier: Arc<Notifier>, granted: Duration) {
    let mut asked = BeatAsked::default();
    asked.again(&registry);
    loop {
        tokio::time::sleep(granted / PINGS).await;
        if let Some(stuck) = asked.stuck(&registry) {
            tracing::warn!(project = %stuck.display(), "the writer does not answer");
            notifier.status(&format!("the writer of {} does not answer", stuck.display()));
            while asked.stuck(&registry).is_some() {
                tokio::time::sleep(granted / LOOKS).await;
            }
            tracing::info!("every writer answers again");
            notifier.status("every writer answers again");
        }
        notifier.tell("WATCHDOG=1");
        asked.again(&registry);
    }
}

/// How many turns every writer had taken when it was asked for another.
#[derive(Default)]
struct BeatAsked {
    turns: BTreeMap<PathBuf, u64>,
}

impl BeatAsked {
    fn again(&mut self, registry: &Registry) {
        self.turns =
            registry.projects().iter().map(|project| (project.env.root.clone(), project.writer.beat())).collect();
    }

    /// A project whose writer has not taken a turn since; one that came or went meanwhile is no reason to worry.
    fn stuck(&self, registry: &Registry) -> Option<PathBuf> {
        let projects = registry.projects();
        let stuck =
            projects.iter().find(|project| self.turns.get(&project.env.root) == Some(&project.writer.turns()))?;
        Some(stuck.env.root.clone())
    }
}
