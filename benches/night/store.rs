//! A repository with a past and a memory of a given number of episodes beside it, and nights in it.

use super::*;
use life::Life;
use skeleton::{Step, grow};
use themes::themes;

const DAY: i64 = 86_400;
const COMMITS: i64 = 120;

pub(crate) struct Store {
    pub(crate) home: Home,
    pub(crate) daemon: Daemon,
    // Last, so that it is deleted when nobody writes there any more.
    _folder: tempfile::TempDir,
}

impl Store {
    pub(crate) fn open(life: &Life, pace: Pace) -> Store {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path());
        grow(&home.folder.join("repo"), past().into_iter());
        let daemon = home.start();
        daemon.wait_for_project();
        let store = Store { home, daemon, _folder: folder };
        // No night comes by itself.
        store.post("/v1/consolidate/pause", &json!({"paused": true}));
        store.wait_for_the_past();
        progress(format_args!("importing {:.1} MB", megabytes(life.lines.len())));
        let report = store.home.import(&life.lines);
        let taken = report["imported"].as_u64().unwrap() + report["updated"].as_u64().unwrap();
        assert!(taken + report["skipped"].as_u64().unwrap() == life.records as u64, "{report}");
        store.daemon.wait_until_ready();
        pace.rest(&store.daemon);
        store
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let mut connection = Connection::open(&self.home.socket).unwrap();
        let (status, answer) = connection.post(path, "application/json", &body.to_string()).unwrap();
        assert!((200..300).contains(&status), "{path} {body}: {status} {answer}");
        serde_json::from_str(&answer).unwrap()
    }

    /// Megabytes resident now, and at most since the last time this was asked.
    pub(crate) fn resident(&self) -> (f64, f64) {
        let process = PathBuf::from(format!("/proc/{}", self.daemon.child.id()));
        let status = std::fs::read_to_string(process.join("status")).unwrap();
        let field = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 1024.0 / 1e6
        };
        let found = (field("VmRSS:"), field("VmHWM:"));
        // Forgets the highest mark.
        std::fs::write(process.join("clear_refs"), "5").unwrap();
        found
    }

    pub(crate) fn night(&self, wish: &Value) -> Night {
        let stream = Stream::open(&self.home.socket);
        self.resident();
        let (began, ticks) = (Instant::now(), self.daemon.cpu_ticks());
        let report = self.post("/v1/consolidate", wish);
        let took = began.elapsed();
        let cpu = (self.daemon.cpu_ticks() - ticks) as f64 / 100.0;
        let (after, peak) = self.resident();
        let (mut phases, mut last) = (Vec::new(), None);
        loop {
            let is_told = |line: &Value| line["kind"] == "consolidation";
            let (at, line) = stream.within(PATIENCE, is_told).expect("a night tells of itself");
            if let Some((name, since)) = last.take() {
                phases.push((name, at.saturating_duration_since(since).as_secs_f64()));
            }
            match line["data"]["op"].as_str() {
                Some("phase") => last = Some((line["data"]["phase"].as_str().unwrap().to_owned(), at)),
                Some("done") => break,
                _ => {}
            }
        }
        assert!(report["failed"] == false && report["interrupted"] == false, "{report}");
        Night { took: took.as_secs_f64(), cpu, phases, report, peak, after }
    }

    pub(crate) fn close(self) {
        self.daemon.stop();
    }

    fn wait_for_the_past(&self) {
        let end = Instant::now() + PATIENCE;
        while self.daemon.status()["projects"][0]["past"]["state"] != "ready" {
            assert!(Instant::now() < end, "the history is not read: {}", self.daemon.status());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

pub(crate) struct Night {
    pub(crate) took: f64,
    /// Seconds of processor time.
    pub(crate) cpu: f64,
    /// In the order they were done, as often as they were.
    pub(crate) phases: Vec<(String, f64)>,
    pub(crate) report: Value,
    pub(crate) peak: f64,
    pub(crate) after: f64,
}

impl Night {
    pub(crate) fn done(&self) -> usize {
        self.counts().map(|(_, count)| count as usize).sum()
    }

    pub(crate) fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        // What is forgotten is archived as well, and counted there.
        let own = |name: &str| !matches!(name, "took_ms" | "more" | "dropped" | "forgotten");
        let fields = self.report.as_object().unwrap().iter().filter(move |(name, _)| own(name));
        fields.filter_map(|(name, count)| Some((name.as_str(), count.as_u64()?))).filter(|(_, count)| *count > 0)
    }

    pub(crate) fn told(&self) -> String {
        let told: Vec<String> = self.counts().map(|(name, count)| format!("{count} {name}")).collect();
        if told.is_empty() { "nothing".to_owned() } else { told.join(", ") }
    }
}

/// All files a year and a half ago, and a change of one theme's every few days since.
fn past() -> Vec<Step> {
    let themes = themes();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
    let (now, mut dice) = (now - now % DAY, Dice::new(5));
    let text = |path: &str, turn: i64| format!("// {path}\nstep {turn}\n");
    let all: BTreeSet<&str> = themes.iter().flat_map(|theme| theme.files.iter().copied()).collect();
    let start = now - 540 * DAY;
    let first = all.into_iter().map(|path| (path.to_owned(), text(path, 0))).collect();
    let author = |dice: &mut Dice| format!("Person {}", dice.below(5));
    let mut steps =
        vec![Step { author: author(&mut dice), time: start, subject: "Lay it all out".into(), files: first }];
    for turn in 1..COMMITS {
        let theme = &themes[dice.below(themes.len())];
        let files = theme.files.iter().map(|path| ((*path).to_owned(), text(path, turn))).collect();
        let subject = format!("{}: work on the {}", theme.area, theme.things[0]);
        steps.push(Step { author: author(&mut dice), time: start + turn * 530 * DAY / COMMITS, subject, files });
    }
    steps
}
