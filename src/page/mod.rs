//! The page a person looks at: what is known, what was said and why, what is open. Served by `lokid ui` at 127.0.0.1 while
//! that runs, and only to the user who started it.
//!
//! `door` decides who may come in, `site` is the table of what can be opened, `daemon` asks the daemon over its socket,
//! `frame` is what stands around every screen, `parts` what they share, and each screen has a file of its own. `acts` are
//! the only ones that change anything. HTML is made here and escaped by its maker: text of a memory is text. Everything
//! can be read without JavaScript, which only makes it quicker (`page.js`).
//!
//! It speaks to the daemon through its client alone; what the command knows by itself (the doctor's findings, the replay's
//! figures) is handed in as an [`Outlook`].

mod acts;
mod chart;
mod daemon;
mod diff;
mod door;
mod files;
mod frame;
mod graph;
mod health;
mod inbox;
mod live;
mod memories;
mod memory;
mod nights;
mod parts;
mod replay;
mod said;
mod site;
mod worth;

use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::serve::Client;
use daemon::Daemon;
use door::Door;
use live::Live;
use site::Site;

/// What only the command can tell.
pub trait Outlook: Send + Sync {
    /// What `lokid doctor --json` answers for a project.
    fn doctor(&self, project: &str) -> Value;
    /// What `lokid replay --json` answers, or why it cannot.
    fn replay(&self, project: &str) -> Result<Value, String>;
}

/// A page about to be served.
pub struct Page {
    listener: TcpListener,
    door: Arc<Door>,
    site: Arc<Site>,
}

impl Page {
    /// `project` is what the page opens with.
    pub fn new(
        listener: TcpListener,
        socket: PathBuf,
        project: PathBuf,
        outlook: Arc<dyn Outlook>,
    ) -> io::Result<Page> {
        let door = Arc::new(Door::new(listener.local_addr()?.port()));
        let live = Live::follow(Client::new(&socket))?;
        let site = Site::new(Daemon::new(socket), live, &door, project, outlook);
        Ok(Page { listener, door, site: Arc::new(site) })
    }

    /// The address that lets one browser in, once.
    pub fn address(&self) -> String {
        self.door.address()
    }

    pub fn port(&self) -> u16 {
        self.door.port()
    }

    /// Serves until `stop` resolves. Whoever still listens then is cut off: there is nothing to lose.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let entrance = door::Entrance::new(tokio::net::TcpListener::from_std(self.listener)?)?;
        let router = site::router(self.site, self.door);
        tokio::select! {
            ended = async { axum::serve(entrance, router).await } => ended,
            () = stop => Ok(()),
        }
    }
}
