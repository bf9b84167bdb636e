//! Telling the service manager how the daemon fares: one datagram a message, on the socket that `NOTIFY_SOCKET` names.
//!
//! Where nobody listens, nothing is said. What is said, and when, is decided by whoever says it.

use std::io;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use super::{env, process};
use lokid_model::unseen;

/// A manager that does not read for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Notifier {
    to: Option<(UnixDatagram, SocketAddr)>,
    watchdog: Option<Duration>,
}

impl Notifier {
    /// As the environment says. A socket of a kind that is not known, or cannot be reached, counts as none.
    pub fn from_env() -> Notifier {
        let named = env::var("NOTIFY_SOCKET").filter(|name| !name.is_empty());
        let to = named.and_then(|name| reach(&name).ok());
        let watchdog = watchdog(env::var("WATCHDOG_USEC").as_deref(), env::var("WATCHDOG_PID").as_deref());
        Notifier { watchdog: watchdog.filter(|_| to.is_some()), to }
    }

    /// Is there anybody to tell?
    pub fn is_heard(&self) -> bool {
        self.to.is_some()
    }

    /// Within this time the manager wants to hear `WATCHDOG=1` again, or it ends the process.
    pub fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    /// `READY=1`, `STATUS=…`; several at once stand on lines of their own.
    pub fn tell(&self, message: &str) {
        if let Some((socket, address)) = &self.to
            && let Err(error) = socket.send_to_addr(message.as_bytes(), address)
        {
            tracing::debug!(reason = %error, message, "the service manager did not hear it");
        }
    }

    /// What the daemon does, for `systemctl status`: one line, whatever stands in it.
    pub fn status(&self, doing: &str) {
        self.tell(&format!("STATUS={}", unseen::shown_line(&doing.replace(char::is_control, " "))));
    }
}

fn reach(name: &str) -> io::Result<(UnixDatagram, SocketAddr)> {
    let address = match name.strip_prefix('@') {
        Some(name) => abstract_address(name.as_bytes())?,
        None => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.set_write_timeout(Some(PATIENCE))?;
    Ok((socket, address))
}

#[cfg(target_os = "linux")]
fn abstract_address(name: &[u8]) -> io::Result<SocketAddr> {
    <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn abstract_address(_name: &[u8]) -> io::Result<SocketAddr> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "abstract names are Linux's own"))
}

/// Only for the process it is meant for: children inherit the variables, too.
fn watchdog(microseconds: Option<&str>, pid: Option<&str>) -> Option<Duration> {
    let meant = pid.is_none_or(|pid| pid.parse() == Ok(process::pid()));
    let time = microseconds?.parse().ok().filter(|time| *time > 0).map(Duration::from_micros)?;
    meant.then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(receiver: &UnixDatagram) -> String {
        let mut bytes = [0; 200];
        let length = receiver.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    }

    #[test]
    fn a_message_arrives_at_a_path_and_at_an_abstract_name() {
        let lab = tempfile::tempdir().unwrap();
        let path = lab.path().join("notify");
        let receiver = UnixDatagram::bind(&path).unwrap();
        let notifier = Notifier { to: Some(reach(path.to_str().unwrap()).unwrap()), watchdog: None };
        notifier.tell("READY=1");
        notifier.status("reading\n2 projects");
        assert_eq!((heard(&receiver), heard(&receiver)), ("READY=1".into(), "STATUS=reading 2 projects".into()));
        #[cfg(target_os = "linux")]
        {
            let name = format!("lokid-test-{}", process::random_hex(8));
            let receiver = UnixDatagram::bind_addr(&abstract_address(name.as_bytes()).unwrap()).unwrap();
            Notifier { to: Some(reach(&format!("@{name}")).unwrap()), watchdog: None }.tell("STOPPING=1");
            assert_eq!(heard(&receiver), "STOPPING=1");
        }
    }

    #[test]
    fn without_a_manager_nothing_is_said_and_one_that_is_gone_is_no_trouble() {
        Notifier::default().tell("READY=1");
        let gone = Notifier { to: Some(reach("/nowhere/notify").unwrap()), watchdog: None };
        gone.tell("READY=1");
        assert!(reach(&"x".repeat(300)).is_err());
    }

    #[test]
    fn the_watchdog_is_obeyed_by_the_process_it_is_meant_for() {
        let own = process::pid().to_string();
        assert_eq!(watchdog(Some("60000000"), None), Some(Duration::from_secs(60)));
        assert_eq!(watchdog(Some("60000000"), Some(&own)), Some(Duration::from_secs(60)));
        assert_eq!(watchdog(Some("60000000"), Some("1")), None);
        assert_eq!(watchdog(Some("0"), None), None);
        assert_eq!(watchdog(Some("soon"), None), None);
        assert_eq!(watchdog(None, None), None);
    }
}
