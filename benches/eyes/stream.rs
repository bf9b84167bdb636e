//! Who listens: to the daemon's event stream, and to the kernel as plainly as one can.

use rustix::fs::inotify;

use super::*;

/// The event stream, with the moment at which each line arrived.
pub(crate) struct Stream {
    lines: Receiver<(Instant, Value)>,
}

impl Stream {
    pub(crate) fn open(socket: &Path) -> Stream {
        let mut stream = UnixStream::connect(socket).unwrap();
        write!(stream, "GET /v1/events HTTP/1.1\r\nHost: l\r\n\r\n").unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(&head, b"HTTP/1.1 200");
        let (sender, lines) = unbounded();
        std::thread::spawn(move || {
            let (mut known, mut chunk) = (Vec::new(), [0; 16_384]);
            // Ends when the daemon does.
            while let Ok(read @ 1..) = stream.read(&mut chunk) {
                let now = Instant::now();
                known.extend_from_slice(&chunk[..read]);
                while let Some(end) = known.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = known.drain(..=end).collect();
                    // Between the lines stand the lengths of the pieces.
                    if let Ok(value @ Value::Object(_)) = serde_json::from_slice(&line)
                        && sender.send((now, value)).is_err()
                    {
                        return;
                    }
                }
            }
        });
        Stream { lines }
    }

    /// When the first line that fits arrived.
    pub(crate) fn until(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Instant {
        self.within(Duration::from_secs(30), fits).unwrap_or_else(|| panic!("{what}: no such event came")).0
    }

    /// The first line that fits, if it comes in time.
    pub(crate) fn within(&self, patience: Duration, fits: impl Fn(&Value) -> bool) -> Option<(Instant, Value)> {
        let end = Instant::now() + patience;
        while let Ok((at, line)) = self.lines.recv_deadline(end) {
            if fits(&line) {
                return Some((at, line));
            }
        }
        None
    }

    /// All that waits here.
    pub(crate) fn drain(&self) -> Vec<Value> {
        self.lines.try_iter().map(|(_, line)| line).collect()
    }
}

pub(crate) fn is_signal(line: &Value, kind: &str) -> bool {
    line["kind"] == "signal" && line["data"]["type"] == kind
}

/// One inotify watch on one folder, read by one thread that does nothing else.
pub(crate) struct PlainEar {
    heard: Receiver<(Instant, String)>,
}

impl PlainEar {
    pub(crate) fn on(folder: &Path, flags: inotify::WatchFlags) -> PlainEar {
        let descriptor = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
        inotify::add_watch(&descriptor, folder, flags).unwrap();
        let (sender, heard) = unbounded();
        std::thread::spawn(move || {
            let mut buffer = [std::mem::MaybeUninit::uninit(); 4_096];
            let mut reader = inotify::Reader::new(&descriptor, &mut buffer);
            while let Ok(event) = reader.next() {
                let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
                if sender.send((Instant::now(), name.unwrap_or_default())).is_err() {
                    return;
                }
            }
        });
        PlainEar { heard }
    }

    /// When it first heard of this file since then.
    pub(crate) fn first(&self, since: Instant, name: &str) -> Option<Instant> {
        let all: Vec<(Instant, String)> = self.heard.try_iter().collect();
        all.into_iter().find(|(at, heard)| *at >= since && heard == name).map(|(at, _)| at)
    }
}
