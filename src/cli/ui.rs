//! `lokid ui`: serve the page to one browser for as long as the command runs, and open it there.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::Context;
use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tokio::sync::oneshot;

use super::args::{Global, Ui};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use super::{doctor, replay};
use crate::page::{Outlook, Page};
use lokid_sys::{env, loopback, thread};

/// Programs that open an address in the browser the user has chosen, the first there is.
const OPENERS: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "wslview", "gio"] };

pub(super) fn run(asked: &Ui, global: &Global, settings: &Settings, screen: &mut Screen) -> Done {
    drop(Reach::daemon(settings)?);
    let listener = loopback::listen(asked.port.unwrap_or(0)).map_err(|error| {
        let port = asked.port.unwrap_or(0);
        Failure::new(format!("cannot listen at 127.0.0.1:{port}: {error}")).hint("leave `--port` out for a free one")
    })?;
    let outlook = Arc::new(Around { global: global.clone() });
    let page = Page::new(listener, settings.socket.clone(), settings.project.clone(), outlook);
    let page = page.context("cannot serve a page")?;
    let stop = stopped().context("cannot listen for signals")?;
    greet(asked, &page, settings, screen)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("page")
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let served = runtime.block_on(page.serve(async { drop(stop.await) }));
    runtime.shutdown_background();
    Ok(served.context("the page ended")?)
}

/// Resolves at Ctrl-C and its like.
fn stopped() -> std::io::Result<oneshot::Receiver<()>> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let (told, stop) = oneshot::channel();
    thread::spawn("signals", move || {
        if signals.forever().next().is_some() {
            let _gone = told.send(());
        }
    })?;
    Ok(stop)
}

/// The address, and how to get there from where the user sits.
fn greet(asked: &Ui, page: &Page, settings: &Settings, screen: &mut Screen) -> Done {
    let (address, port) = (page.address(), page.port());
    let afar = env::var("SSH_CONNECTION").is_some_and(|value| !value.is_empty());
    if settings.json {
        screen.line(json!({"address": address, "port": port}).to_string())?;
    } else {
        screen.line(&address)?;
        screen.note("The address lets one browser in, once. Ctrl-C ends the page.");
        if afar {
            screen.note(format!(
                "You are here over SSH. On your own machine: ssh -N -L {port}:127.0.0.1:{port} THIS-HOST"
            ));
            screen.note("and then open the address there.");
        }
    }
    screen.flush()?;
    if !asked.no_browser && !afar && !settings.json && !open(&address) {
        screen.note("No browser could be opened from here: open the address yourself.");
    }
    Ok(())
}

/// The browser is left to itself: it outlives the page.
fn open(address: &str) -> bool {
    let chosen = env::var("BROWSER").filter(|browser| !browser.is_empty());
    let openers = chosen.as_deref().into_iter().chain(OPENERS.iter().copied());
    let Some(program) = openers.into_iter().find_map(env::program) else { return false };
    let mut command = Command::new(&program);
    if program.ends_with("gio") {
        command.arg("open");
    }
    let started = command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = started else { return false };
    // Reaped, whenever it ends.
    thread::spawn("browser", move || drop(child.wait())).is_ok()
}

/// What the command knows by itself.
struct Around {
    global: Global,
}

impl Around {
    fn about(&self, project: &str) -> Global {
        Global { project: Some(PathBuf::from(project)), json: true, quiet: true, ..self.global.clone() }
    }
}

impl Outlook for Around {
    fn doctor(&self, project: &str) -> Value {
        doctor::findings(&self.about(project)).unwrap_or_else(|failure| {
            json!({"ok": false, "checks": [{"name": "doctor", "state": "broken", "found": failure.message()}]})
        })
    }

    fn replay(&self, project: &str) -> Result<Value, String> {
        let told = |failure: Failure| failure.message().unwrap_or_else(|| "it did not work".to_owned());
        let settings = Settings::resolve(&self.about(project)).map_err(told)?;
        replay::briefly(&settings).map_err(told)
    }
}
