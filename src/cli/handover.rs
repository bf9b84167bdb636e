//! Taking the socket, and coming into the place of another daemon: of one that is older, of one that is to be replaced,
//! or of one whose socket the service manager has taken over. The other one is told to stop and finishes what it writes;
//! only then is its place free. Two never serve at once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;

use super::failure::Failure;
use super::run::Greeting;
use super::settings::Settings;
use crate::serve::{self, BindError, Bound, Client, Request};
use lokid_sys::{Clock, InstanceError, InstanceLock, activation, process, thread};

/// A daemon that was told to stop may have much to write.
const PATIENCE: Duration = Duration::from_secs(30);
const GLANCE: Duration = Duration::from_millis(20);
/// Health is answered at once by whoever is well.
const HEALTH: Duration = Duration::from_secs(3);

/// A socket to serve, and where it stands.
pub(super) fn take(settings: &Settings, replace: bool, greeting: Greeting) -> Result<(Bound, PathBuf), Failure> {
    if let Some(listener) = activation::unix_listener().context("cannot take the socket that was handed over")? {
        let address = listener.local_addr().ok();
        let socket = address.as_ref().and_then(|address| address.as_pathname()).unwrap_or(&settings.socket).to_owned();
        let adopt = || {
            let failed = |source| BindError::Io { socket: socket.clone(), source };
            serve::adopt(listener.try_clone().map_err(failed)?, &socket)
        };
        let bound = match adopt() {
            // It serves a socket that nobody finds any more.
            Err(BindError::Served { pid: Some(pid), .. }) => {
                tracing::info!(pid, "asking the daemon before this one to hand over");
                succeed(pid, &socket, adopt)?
            }
            first => first.map_err(|error| refused(error, settings))?,
        };
        return Ok((bound, socket));
    }
    let bind = || serve::bind(&settings.socket);
    let bound = match bind() {
        Err(error @ BindError::Served { pid: Some(pid), .. }) => {
            let older = older(&settings.socket);
            match &older {
                Some(version) => greeting.handover(&format!("lokid {version} (process {pid}) is older than this one")),
                None if replace => greeting.handover(&format!("process {pid} serves here")),
                None => return Err(refused(error, settings)),
            }
            tracing::info!(pid, version = older, "asking the daemon before this one to hand over");
            succeed(pid, &settings.socket, bind)?
        }
        first => first.map_err(|error| refused(error, settings))?,
    };
    Ok((bound, settings.socket.clone()))
}

/// Has another daemon stop, and takes its place as soon as that is free. Who comes in between keeps it.
fn succeed(pid: u32, socket: &Path, take: impl Fn() -> Result<Bound, BindError>) -> Result<Bound, Failure> {
    let clock = Clock::system();
    let deadline = clock.monotonic() + PATIENCE;
    let mut asked = None;
    loop {
        match take() {
            Err(BindError::Served { pid: holder, .. }) if holder.is_none_or(|holder| holder == pid) => {
                if clock.monotonic() > deadline {
                    let message = format!("process {pid} was asked to hand over and still runs");
                    return Err(Failure::new(message).hint("it may be finishing a long write; try again in a moment"));
                }
                if asked.is_none() {
                    asked = ask(pid, socket)?;
                }
                thread::pause(GLANCE);
            }
            taken => return taken.map_err(|error| Failure::from(anyhow::Error::new(error))),
        }
    }
}

/// Asked twice, it would drop what it still has to write. Of several that want its place one asks, and keeps the others
/// from it by what is answered here.
fn ask(pid: u32, socket: &Path) -> Result<Option<InstanceLock>, Failure> {
    let mut name = socket.as_os_str().to_owned();
    name.push(".heir");
    let asking = match InstanceLock::acquire(Path::new(&name)) {
        Err(InstanceError::Held { .. }) => return Ok(None),
        taken => taken.map_err(anyhow::Error::new)?,
    };
    match process::terminate(pid) {
        Err(error) if process::is_alive(pid) => {
            Err(anyhow::Error::new(error).context(format!("cannot ask process {pid} to hand over")).into())
        }
        _ => Ok(Some(asking)),
    }
}

fn refused(error: BindError, settings: &Settings) -> Failure {
    let hint = match &error {
        BindError::Served { pid: Some(_), .. } => {
            "a daemon runs already; `lokid project add` has it watch this repository too, `--replace` takes its place"
        }
        BindError::Served { pid: None, .. } if settings.socket.exists() => {
            "if systemd listens there, it starts the daemon at the first request: `systemctl --user status lokid.socket`"
        }
        _ => return Failure::from(anyhow::Error::new(error)),
    };
    Failure::from(anyhow::Error::new(error)).hint(hint)
}

/// The version of the daemon that answers there, if it is an older one.
fn older(socket: &Path) -> Option<String> {
    let health = Client::new(socket).patience(HEALTH).send(&Request::get("/v1/health")).ok()?.json().ok()?;
    let version = health.get("version")?.as_str()?;
    (Version::read(version)? < Version::read(env!("CARGO_PKG_VERSION"))?).then(|| version.to_owned())
}

/// As far as it decides who is older: what leads up to a release comes before it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    numbers: [u64; 3],
    released: bool,
}

impl Version {
    fn read(text: &str) -> Option<Version> {
        let text = text.split('+').next()?;
        let (numbers, before) = text.split_once('-').map_or((text, None), |(numbers, before)| (numbers, Some(before)));
        let mut parts = numbers.split('.').map(|number| number.parse().ok());
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(Version { numbers, released: before.is_none() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number_and_a_release_comes_after_what_led_to_it() {
        let read = |text| Version::read(text).unwrap();
        assert!(read("0.9.0") < read("0.10.0"));
        assert!(read("1.0.0-rc.1") < read("1.0.0"));
        assert!(read("1.0.0") < read("1.0.1-rc.1"));
        assert_eq!(read("1.0.0+abc"), read("1.0.0"));
        for nonsense in ["", "1", "1.0", "1.0.x", "1.0.0.0", "v1.0.0"] {
            assert_eq!(Version::read(nonsense), None, "{nonsense}");
        }
    }
}
