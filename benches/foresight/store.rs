//! A memory of a given size beside a repository with a past: always the same ones, made of words that mean something to
//! a tokenizer.

use super::*;
use skeleton::{Step, grow};

const FILES_AN_AREA: usize = 20;
/// More files than contexts stand ready at a time, so that each opening calls for a new one.
const LEAST_AREAS: usize = 3;
const MOST_AREAS: usize = 60;
const MOST_COMMITS: usize = 500;
/// What binds everybody is little, however large the memory.
const BINDING: usize = 20_000;
const DAY: i64 = 86_400;

pub(crate) struct Store {
    pub(crate) size: usize,
    pub(crate) home: Home,
    pub(crate) daemon: Daemon,
    /// In an order that jumps between the areas.
    pub(crate) files: Vec<String>,
    /// Distinct, about what is remembered.
    pub(crate) goals: Vec<String>,
    // Last, so that it is deleted when nobody writes there any more.
    _folder: tempfile::TempDir,
}

impl Store {
    pub(crate) fn open(size: usize, pace: Pace) -> Store {
        println!("\n=== {size} memories");
        progress(format_args!("making a repository and {size} memories"));
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path());
        let world = plain_world();
        let terrain = Terrain::new(&world, size);
        grow(&home.folder.join("repo"), terrain.steps((size / 20).clamp(1, MOST_COMMITS)).into_iter());
        let (lines, texts) = memories(&world, &terrain, size);
        let daemon = home.start();
        daemon.wait_for_project();
        wait_for_the_past(&daemon);
        progress(format_args!("importing {:.1} MB", megabytes(lines.len())));
        let report = home.import(&lines);
        assert_eq!(report["imported"].as_u64(), Some(size as u64), "{report}");
        let status = daemon.wait_until_ready();
        if !pace.quick {
            daemon.wait_until_quiet();
        }
        let goals = world.questions(&texts, 4_000.min(20 * size)).into_iter().map(|question| question.text).collect();
        println!(
            "  {} memories found by search, {} files, {} commits",
            status["projects"][0]["index"]["indexed"],
            terrain.files.len(),
            status["projects"][0]["past"]["commits"]
        );
        Store { size, home, daemon, files: terrain.scattered(), goals, _folder: folder }
    }

    pub(crate) fn connect(&self) -> Connection {
        Connection::open(&self.home.socket).unwrap()
    }

    pub(crate) fn rss_mb(&self) -> f64 {
        rss_mb(&self.daemon.status())
    }

    pub(crate) fn file(&self, number: usize) -> &str {
        &self.files[number % self.files.len()]
    }

    pub(crate) fn goal(&self, number: usize) -> &str {
        &self.goals[number % self.goals.len()]
    }

    pub(crate) fn close(self) {
        self.daemon.stop();
    }
}

/// The answer to a request that must be taken, and the microseconds it took.
pub(crate) fn post(connection: &mut Connection, path: &str, body: &Value) -> (Value, f64) {
    let body = body.to_string();
    let ((status, answer), micros) = timed(|| connection.post(path, "application/json", &body).unwrap());
    assert!((200..300).contains(&status), "{path} {body}: {status} {answer}");
    (serde_json::from_str(&answer).unwrap(), micros)
}

fn wait_for_the_past(daemon: &Daemon) {
    let end = Instant::now() + PATIENCE;
    while daemon.status()["projects"][0]["past"]["state"] != "ready" {
        assert!(Instant::now() < end, "the history is not read: {}", daemon.status());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Its topics speak of nothing invented: names of topics and budgets of tokens are to look as they do in life.
fn plain_world() -> World {
    let mut world = World::new();
    let real = world.words.len() - INVENTED_WORDS;
    world.topics.iter_mut().flatten().for_each(|word| *word %= real);
    world
}

/// Files in areas; a topic belongs to an area.
struct Terrain {
    areas: usize,
    /// Those of the first area first.
    files: Vec<String>,
    now: i64,
}

impl Terrain {
    fn new(world: &World, size: usize) -> Terrain {
        let mut dice = Dice::new(3);
        let areas = (size / 150).clamp(LEAST_AREAS, MOST_AREAS);
        let mut known = HashSet::new();
        let mut files = Vec::new();
        for area in 0..areas {
            let folder = format!("src/{}_{area}", world.topic_word(area, &mut dice));
            while files.len() < (area + 1) * FILES_AN_AREA {
                let path = format!("{folder}/{}_{}.rs", world.topic_word(area, &mut dice), world.any_word(&mut dice));
                if known.insert(path.clone()) {
                    files.push(path);
                }
            }
        }
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
        Terrain { areas, files, now: now - now % DAY }
    }

    fn file(&self, area: usize, dice: &mut Dice) -> &str {
        &self.files[area % self.areas * FILES_AN_AREA + dice.below(FILES_AN_AREA)]
    }

    /// Everything at first, then a few files of an area at a time, now and then one of the next area.
    fn steps(&self, commits: usize) -> Vec<Step> {
        let mut dice = Dice::new(4);
        let author = |dice: &mut Dice| format!("Person {}", dice.below(8));
        let first = self.files.iter().map(|path| (path.clone(), code(path, 0))).collect();
        let start = self.now - 2 * 365 * DAY;
        let mut steps =
            vec![Step { author: author(&mut dice), time: start, subject: "Lay it all out".into(), files: first }];
        for turn in 1..commits {
            let area = dice.below(self.areas);
            let mut paths: BTreeSet<&str> = (0..dice.between(2, 4)).map(|_| self.file(area, &mut dice)).collect();
            if dice.below(4) == 0 {
                paths.insert(self.file(area + 1, &mut dice));
            }
            let subject =
                format!("{}: {}", stem(self.file(area, &mut dice)), dice.word(&["tidy", "extend", "correct"]));
            let files = paths.into_iter().map(|path| (path.to_owned(), code(path, turn))).collect();
            let time = start + turn as i64 * 2 * 364 * DAY / commits as i64;
            steps.push(Step { author: author(&mut dice), time, subject, files });
        }
        steps
    }

    fn scattered(&self) -> Vec<String> {
        let in_turn = |turn: usize| &self.files[turn % self.areas * FILES_AN_AREA + turn / self.areas];
        (0..self.files.len()).map(|turn| in_turn(turn).clone()).collect()
    }
}

fn stem(path: &str) -> &str {
    path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or(path)
}

fn code(path: &str, turn: usize) -> String {
    let name = stem(path).replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
    format!("//! {name}.\n\npub fn {name}(input: usize) -> usize {{\n    input + {turn}\n}}\n")
}

/// As records a line each, and their texts.
fn memories(world: &World, terrain: &Terrain, size: usize) -> (String, Vec<String>) {
    const KINDS: [&str; 10] =
        ["decision", "learning", "note", "pattern", "note", "decision", "learning", "episode", "note", "anti_pattern"];
    let (mut lines, mut texts) = (String::new(), Vec::with_capacity(size));
    for number in 0..size {
        let mut dice = Dice::new(5_000 + number as u64);
        let topic = dice.below(TOPICS);
        let length = if number % 50 == 49 { dice.between(200, 400) } else { dice.between(12, 50) };
        let text = world.text(topic, length, &mut dice);
        let files: BTreeSet<&str> = (0..dice.below(3)).map(|_| terrain.file(topic, &mut dice)).collect();
        let at = (terrain.now - dice.below(2 * 365 * DAY as usize) as i64) * 1_000_000;
        let mut record = json!({
            "id": format!("mem-{number}"), "kind": KINDS[number % KINDS.len()], "text": text, "files": files,
            "tags": [world.topic_word(topic, &mut dice)], "timestamp": Timestamp::from_micros(at).record_style(),
        });
        match number % 1_000 {
            0 if number < BINDING => record["tier"] = json!("mandate"),
            1 | 501 if number < BINDING => record["tier"] = json!("guardrail"),
            _ => {}
        }
        lines.push_str(&record.to_string());
        lines.push('\n');
        texts.push(text);
    }
    (lines, texts)
}
