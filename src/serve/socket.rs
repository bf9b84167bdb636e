//! Taking the socket: one daemon a socket, and nobody else's file harmed.
//!
//! A lock beside the socket tells living daemons apart from dead ones, whatever their pids say. What a dead one left
//! behind is found out by knocking, and removed; what is not a socket is left alone. The peer's user is checked on
//! every connection besides, so the modes here are the first of two doors.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use lokid_sys::{Disk, InstanceError, InstanceLock, plain, process};

#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("{} is already served by {}", socket.display(), holder(*pid))]
    Served { socket: PathBuf, pid: Option<u32> },
    #[error("{} is there and is not a socket; it is left alone", socket.display())]
    NotASocket { socket: PathBuf },
    /// Whoever may write to the directory can put a socket of their own in our place and be told everything.
    #[error("{} {reason}, so another user could put a socket of their own in its place", directory.display())]
    Unsafe { directory: PathBuf, reason: &'static str },
    #[error("cannot listen on {}: {source}", socket.display())]
    Io { socket: PathBuf, source: io::Error },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// A socket that is ours. Dropping it removes the file, if the file is still the one that was made.
pub struct Bound {
    listener: UnixListener,
    /// Nowhere when somebody else made the socket and looks after its file.
    _place: Option<SocketFile>,
    /// Last, so that the file is gone before another daemon may come.
    lock: Option<InstanceLock>,
}

/// Where the socket stands, and which file it is.
struct SocketFile {
    socket: PathBuf,
    device_and_inode: (u64, u64),
}

impl Bound {
    /// A listener somebody else made and looks after, and nobody else serves.
    pub fn adopt(listener: UnixListener) -> Bound {
        Bound { listener, _place: None, lock: None }
    }

    /// For whoever still has to write after the last answer: as long as it is held, no other daemon serves here.
    pub fn take_lock(&mut self) -> Option<InstanceLock> {
        self.lock.take()
    }

    /// Nobody can knock any more; the place stays taken as long as the lock is held.
    pub(super) fn vanish(self) -> Option<InstanceLock> {
        self.lock
    }

    pub(super) fn listener(&self) -> io::Result<tokio::net::UnixListener> {
        let listener = self.listener.try_clone()?;
        listener.set_nonblocking(true)?;
        tokio::net::UnixListener::from_std(listener)
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let ours = inode(&self.socket).is_ok_and(|found| found == Some(self.device_and_inode));
        if ours && let Err(error) = unlink(&self.socket) {
            tracing::warn!(path = %self.socket.display(), reason = %error, "the socket could not be removed");
        }
    }
}

/// Makes the socket for its owner alone, or says who has it.
pub fn bind(socket: &Path) -> Result<Bound, BindError> {
    let failed = |source| BindError::Io { socket: socket.to_owned(), source };
    refuse_open_directory(socket)?;
    let lock = lock(socket)?;
    clear_stale(socket)?;
    let listener = UnixListener::bind(socket).map_err(failed)?;
    // Whoever slips in between these two lines is still asked who they are, and turned away.
    plain::make_private(socket).map_err(failed)?;
    let gone = || io::Error::new(io::ErrorKind::NotFound, "the socket vanished as soon as it was made");
    let device_and_inode = inode(socket).and_then(|found| found.ok_or_else(gone)).map_err(failed)?;
    let place = Some(SocketFile { socket: socket.to_owned(), device_and_inode });
    Ok(Bound { listener, _place: place, lock: Some(lock) })
}

/// Takes a listener that was handed over, as systemd does, in the place of whoever served at its path until now.
pub fn adopt(listener: UnixListener, socket: &Path) -> Result<Bound, BindError> {
    Ok(Bound { lock: Some(lock(socket)?), ..Bound::adopt(listener) })
}

fn lock(socket: &Path) -> Result<InstanceLock, BindError> {
    InstanceLock::acquire(&beside(socket)).map_err(|error| match error {
        InstanceError::Held { pid, .. } => BindError::Served { socket: socket.to_owned(), pid },
        InstanceError::Io { source, .. } => BindError::Io { socket: socket.to_owned(), source },
    })
}

fn beside(socket: &Path) -> PathBuf {
    let mut name = socket.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

/// A directory that is not there yet will be made for the owner alone. In one that others may write to, as `/tmp`,
/// the sticky bit at least keeps them from replacing our file.
fn refuse_open_directory(socket: &Path) -> Result<(), BindError> {
    let directory = socket.parent().unwrap_or(Path::new("/"));
    let Ok(found) = directory.metadata() else { return Ok(()) };
    let refuse = |reason| Err(BindError::Unsafe { directory: directory.to_owned(), reason });
    let (mode, sticky) = (found.mode(), found.mode() & 0o1000 != 0);
    match found.uid() {
        _ if mode & 0o022 != 0 && !sticky => refuse("can be written to by others"),
        owner if owner != process::uid() && owner != 0 => refuse("belongs to another user"),
        _ => Ok(()),
    }
}

fn clear_stale(socket: &Path) -> Result<(), BindError> {
    let failed = |source| BindError::Io { socket: socket.to_owned(), source };
    match socket.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
        Ok(found) if !found.file_type().is_socket() => {
            return Err(BindError::NotASocket { socket: socket.to_owned() });
        }
        Ok(_) => {}
    }
    match UnixStream::connect(socket) {
        Ok(_) => Err(BindError::Served { socket: socket.to_owned(), pid: None }),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            tracing::info!(socket = %socket.display(), "removing the socket a dead daemon left");
            unlink(socket).map_err(failed)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

fn inode(path: &Path) -> io::Result<Option<(u64, u64)>> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some((found.dev(), found.ino()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn unlink(path: &Path) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/")).canonicalize()?;
    Disk::open(&directory)?.remove(path.file_name().unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_directory_others_may_write_to_is_refused_unless_it_is_sticky() {
        let lab = tempfile::tempdir().unwrap();
        let socket = lab.path().join("lokid.sock");
        for (bits, refused) in [(0o777, true), (0o770, true), (0o1777, false), (0o755, false), (0o700, false)] {
            std::fs::set_permissions(lab.path(), std::fs::Permissions::from_mode(bits)).unwrap();
            assert_eq!(refuse_open_directory(&socket).is_err(), refused, "{bits:o}");
        }
        assert!(refuse_open_directory(&lab.path().join("not/there/lokid.sock")).is_ok());
    }

    #[test]
    fn what_is_not_a_socket_is_refused_and_stays() {
        let lab = tempfile::tempdir().unwrap();
        let socket = lab.path().join("lokid.sock");
        std::fs::write(&socket, "precious").unwrap();
        assert!(matches!(bind(&socket), Err(BindError::NotASocket { .. })));
        assert_eq!(std::fs::read_to_string(&socket).unwrap(), "precious");
    }

    #[test]
    fn a_socket_served_without_our_lock_is_not_taken() {
        let lab = tempfile::tempdir().unwrap();
        let socket = lab.path().join("lokid.sock");
        let _other = UnixListener::bind(&socket).unwrap();
        assert!(matches!(bind(&socket), Err(BindError::Served { pid: None, .. })));
        assert!(socket.exists());
    }

    #[test]
    fn the_life_of_a_socket() {
        let lab = tempfile::tempdir().unwrap();
        let socket = lab.path().join("run/lokid.sock");

        let first = bind(&socket).unwrap();
        assert_eq!((mode(&socket), mode(socket.parent().unwrap())), (0o600, 0o700));
        let refused = bind(&socket).err().unwrap();
        assert!(matches!(refused, BindError::Served { pid: Some(pid), .. } if pid == process::pid()), "{refused}");
        drop(first);
        assert!(!socket.exists(), "a clean end removes the socket");

        drop(UnixListener::bind(&socket).unwrap());
        assert!(socket.exists(), "a listener of the standard library leaves its file");
        let second = bind(&socket).unwrap();
        UnixStream::connect(&socket).unwrap();

        std::fs::remove_file(&socket).unwrap();
        let usurper = UnixListener::bind(&socket).unwrap();
        drop(second);
        assert!(socket.exists(), "a file that is not ours any more is not removed");
        drop(usurper);
    }
}
