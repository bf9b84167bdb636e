//! Four years of a project, day by day: what is needed when, what the nights forget, and what was needed after all.
//! Needs follow no rule of the planners': they are drawn before the first night. Beside lokid's nights stands the rule
//! that everything unused for ninety days leaves.

use lokid_manage::forget::{self, Limits};
use lokid_manage::plan::{Act, Around, Ground, Phase, Proposal, Scene, archive};
use lokid_manage::{promote, stale};
use lokid_model::time::DAY;
use lokid_model::{Archived, Change, Kind, Level, Memory, MemoryId, Source, Tier, Usage};

use super::*;

const SEEDS: [u64; 4] = [101, 102, 103, 104];
const MEMORIES: usize = 1_600;
/// Which share of needs may meet something forgotten.
const MISSED: f64 = 0.01;
const QUIET: i64 = 90 * DAY;

const DAYS: i64 = 1460;
const FILES: u64 = 200;
const LASTING: [Kind; 5] = [Kind::Pattern, Kind::Decision, Kind::CodePattern, Kind::Learning, Kind::Workflow];

/// Splitmix: the same seed, the same years.
struct Luck(u64);

impl Luck {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, end: i64) -> i64 {
        (self.share() * end as f64) as i64
    }

    fn often(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// Days until the next of events that come at this rate a day.
    fn wait(&mut self, rate: f64) -> i64 {
        (-(1.0 - self.share()).ln() / rate).ceil().min(1e6) as i64
    }
}

/// What is not known of real projects, and so is tried both ways.
#[derive(Clone, Copy)]
struct Sort {
    name: &'static str,
    /// How often a day the most needed memory of all is needed.
    pace: f64,
    /// How often the kind of a memory tells what sort of thing it is. At nought, kinds are drawn blindly.
    telling: f64,
}

/// The first is the hardest: half of what is always true is needed less than once a year, and an episode is as likely to
/// be such a truth as a decision is. No rule that goes by use can tell them apart in time.
const SORTS: [Sort; 3] = [
    Sort { name: "slow, kinds blind", pace: 0.5, telling: 0.0 },
    Sort { name: "slow, kinds tell", pace: 0.5, telling: 0.8 },
    Sort { name: "busy, kinds blind", pace: 2.5, telling: 0.0 },
];

/// On which days a memory is needed, by the sort of thing it is.
fn needs(dice: &mut Luck, pace: f64, born: i64) -> (&'static str, Vec<i64>) {
    let mut days = Vec::new();
    let sort = dice.share();
    if sort < 0.45 {
        // A note of the day, seldom wanted once more, and no rule tells when.
        days.extend((0..dice.below(3)).map(|_| dice.below(14)));
        if dice.often(0.03) {
            days.push(14 + dice.below(500));
        }
    } else if sort < 0.72 {
        // A piece of work of some weeks, with a long tail for some.
        let weeks = 2 + dice.below(7);
        days.extend((0..3 + dice.below(10)).map(|_| dice.below(weeks * 7)));
        let mut later = weeks * 7;
        while dice.often(0.12) {
            later += (20.0 / (1.0 - dice.share())).min(700.0) as i64;
            days.push(later);
        }
    } else if sort < 0.95 {
        // What is always true, as often needed as its rank allows.
        let rate = pace / (1 + dice.below(400)) as f64;
        let mut at = dice.wait(rate);
        while at < DAYS {
            days.push(at);
            at += dice.wait(rate);
        }
    } else {
        // What comes with the calendar.
        let every = if sort < 0.99 { 91 } else { 365 };
        days.extend((0..1 + dice.below(2)).map(|_| dice.below(4)));
        days.extend((1..DAYS / every + 1).map(|turn| turn * every + dice.below(9) - 4));
    }
    let name = match sort {
        _ if sort < 0.45 => "of the day",
        _ if sort < 0.72 => "of a piece of work",
        _ if sort < 0.95 => "always true",
        _ if sort < 0.99 => "every quarter",
        _ => "every year",
    };
    (name, days.into_iter().map(|day| born + day.max(0)).filter(|day| *day < DAYS).collect())
}

type Planner = fn(&Scene<'_>) -> Vec<Proposal>;

/// Nights are counted from here.
fn day(days: i64) -> Timestamp {
    Timestamp::from_micros((20_000 + days) * DAY)
}

struct Years {
    memories: BTreeMap<MemoryId, Arc<Memory>>,
    archived: Vec<Arc<Archived>>,
    today: Cell<i64>,
    /// When each file was last changed and when it went, if it did.
    changed: Vec<Vec<i64>>,
    gone: Vec<Option<i64>>,
    births: BTreeMap<i64, Vec<Memory>>,
    needs: BTreeMap<i64, Vec<MemoryId>>,
}

impl Years {
    fn of(project: Sort, memories: usize, seed: u64) -> Years {
        let mut dice = Luck(seed);
        let mut changed = Vec::new();
        let mut gone = Vec::new();
        for _ in 0..FILES {
            let end = dice.wait(1.0 / 900.0);
            let mut edits = vec![dice.wait(1.0 / 60.0)];
            while edits.last().is_some_and(|last| *last < DAYS) {
                edits.push(edits.last().unwrap_or(&0) + dice.wait(1.0 / 60.0));
            }
            changed.push(edits);
            gone.push((end < DAYS).then_some(end));
        }
        let mut births: BTreeMap<i64, Vec<Memory>> = BTreeMap::new();
        let mut all: BTreeMap<i64, Vec<MemoryId>> = BTreeMap::new();
        for at in 0..memories {
            // A third is there in the first month, as when a project is taken up.
            let born = if at % 3 == 0 { dice.below(30) } else { dice.below(DAYS) };
            let kind = Kind::ALL[dice.below(Kind::ALL.len() as i64) as usize];
            let id = MemoryId::new(&format!("n{at:05}")).unwrap();
            let mut memory = Memory::new(id, kind, "x", day(born));
            memory.source = if dice.often(0.08) { Source::User } else { Source::Agent };
            memory.tier = if dice.often(0.04) { Tier::Guardrail } else { Tier::Reference };
            let (sort, mut needs) = needs(&mut dice, project.pace, born);
            if dice.often(project.telling) {
                let of_a_day = matches!(sort, "of the day" | "of a piece of work");
                let at = dice.below(if of_a_day { 2 } else { LASTING.len() as i64 }) as usize;
                memory.kind = if of_a_day { [Kind::Episode, Kind::Note][at] } else { LASTING[at] };
            }
            memory.actor = Some(sort.to_owned());
            if dice.often(0.35) {
                let file = dice.below(FILES as i64) as usize;
                memory.anchors.files = vec![file.to_string()];
                let end = gone[file].unwrap_or(DAYS);
                needs.retain(|day| *day < end || dice.often(0.1));
            }
            for day in needs {
                all.entry(day).or_default().push(memory.id.clone());
            }
            births.entry(born).or_default().push(memory);
        }
        Years {
            memories: BTreeMap::new(),
            archived: Vec::new(),
            today: Cell::new(0),
            changed,
            gone,
            births,
            needs: all,
        }
    }

    fn live(mut self, planners: &[Planner], dice: &mut Luck) -> Count {
        let mut count = Count::default();
        for today in 0..DAYS {
            self.today.set(today);
            for memory in self.births.remove(&today).unwrap_or_default() {
                self.memories.insert(memory.id.clone(), Arc::new(memory));
            }
            for id in self.needs.remove(&today).unwrap_or_default() {
                count.needs += 1;
                if !self.memories.contains_key(&id) {
                    // Somebody misses it and brings it back.
                    count.missed += 1;
                    let at = self.archived.iter().position(|entry| entry.memory.id == id).unwrap();
                    let back = self.archived.swap_remove(at);
                    self.memories.insert(id.clone(), Arc::clone(&back.memory));
                }
                // Not everybody says what helped.
                let named = dice.often(0.85);
                let memory = Arc::make_mut(self.memories.get_mut(&id).unwrap());
                memory.usage.loaded += 1;
                if named {
                    memory.usage.referenced += 1;
                    memory.usage.success += u64::from(dice.often(0.8));
                    memory.usage.last_used = Some(day(today));
                } else {
                    memory.usage.ignored += 1;
                }
            }
            count.forgotten += self.night(today, planners);
        }
        count.living = self.memories.len();
        count
    }

    fn night(&mut self, today: i64, planners: &[Planner]) -> usize {
        let before = self.archived.len();
        for planner in planners {
            let memories: Vec<Arc<Memory>> = self.memories.values().cloned().collect();
            let now = day(today).plus_micros(DAY / 8);
            let archived = &self.archived;
            let scene = Scene { now, memories: &memories, links: &[], contradictions: &[], archived, around: &*self };
            for change in planner(&scene).into_iter().flat_map(|proposal| proposal.changes) {
                match change {
                    Change::Put { after, .. } => drop(self.memories.insert(after.id.clone(), after)),
                    Change::Archive(entry) => {
                        self.memories.remove(&entry.memory.id);
                        self.archived.push(entry);
                    }
                    other => panic!("not from these planners: {other:?}"),
                }
            }
        }
        self.archived.len() - before
    }
}

/// As a night of lokid's does it.
const AS_SET: [Planner; 3] = [
    promote::plan,
    |scene| stale::plan(scene, &stale::Limits::default(), &|_, _| None),
    |scene| forget::plan(scene, &Limits::default()),
];

const ALL_UNUSED: [Planner; 1] = [|scene| {
    let unused = |memory: &&Arc<Memory>| {
        let last = memory.usage.last_used.unwrap_or(memory.times.created_at).max(memory.times.created_at);
        scene.now.as_micros() - last.as_micros() > QUIET
    };
    let leave = |memory: &Arc<Memory>| {
        let change = archive(memory, scene.now, "unused");
        Proposal::new(Phase::Forget, Act::Archived, memory, "unused", vec![change])
    };
    scene.memories.iter().filter(unused).map(leave).collect()
}];

pub(crate) fn run(verdicts: &mut Verdicts) {
    println!("\n=== false forgetting, {MEMORIES} memories over {DAYS} days");
    println!(
        "  {:<34} {:<18} {:>5} {:>7} {:>7} {:>8} {:>10} {:>7} {:>7}",
        "rule", "project", "seed", "needs", "missed", "share", "forgotten", "wrong", "living"
    );
    let (mut worst, mut plain) = (0.0f64, 0.0f64);
    for project in SORTS {
        for seed in SEEDS {
            worst = worst.max(missed("lokid's nights", &AS_SET, project, seed));
            plain = plain.max(missed("everything unused for 90 days", &ALL_UNUSED, project, seed));
        }
    }
    let beside = format!("everything unused for 90 days: {plain:.3}");
    verdicts.at_most("needs that met something forgotten, at worst", worst, MISSED, "", &beside);
}

fn missed(rule: &str, planners: &[Planner], project: Sort, seed: u64) -> f64 {
    let count = Years::of(project, MEMORIES, seed).live(planners, &mut Luck(!seed));
    let share = count.missed as f64 / count.needs as f64;
    let wrong = count.missed as f64 / count.forgotten.max(1) as f64;
    println!(
        "  {rule:<34} {:<18} {seed:>5} {:>7} {:>7} {:>7.2}% {:>10} {:>6.1}% {:>7}",
        project.name,
        count.needs,
        count.missed,
        share * 100.0,
        count.forgotten,
        wrong * 100.0,
        count.living
    );
    share
}

#[derive(Default)]
struct Count {
    needs: usize,
    missed: usize,
    forgotten: usize,
    living: usize,
}

impl Around for Years {
    fn usage(&self, memory: &Memory) -> Usage {
        memory.usage.clone()
    }

    fn near(&self, _: &Memory, _: usize) -> Vec<(Arc<Memory>, f32)> {
        Vec::new()
    }

    fn meaning(&self, _: &str) -> Option<Vec<f32>> {
        None
    }

    fn fingerprint(&self, error: &str) -> String {
        error.to_owned()
    }

    fn step(&self, _: &str) -> Option<String> {
        None
    }

    fn shorten(&self, memory: &Memory, _: Level) -> String {
        memory.text.clone()
    }

    fn ground(&self, memory: &Memory) -> Ground {
        let mut ground = Ground::default();
        let today = self.today.get();
        for name in &memory.anchors.files {
            let file: usize = name.parse().unwrap();
            let edited = |edit: &i64| *edit <= today && day(*edit) > memory.times.created_at;
            if self.gone[file].is_some_and(|end| end <= today) {
                ground.gone.push(name.clone());
            } else if self.changed[file].iter().any(edited) {
                ground.changed.push(name.clone());
            } else {
                ground.standing.push(name.clone());
            }
        }
        ground
    }

    fn is_fresh(&self, _: &Memory) -> bool {
        true
    }

    fn is_free(&self, _: &MemoryId) -> bool {
        true
    }

    fn is_buried(&self, _: &Memory) -> bool {
        false
    }

    fn is_over(&self) -> bool {
        false
    }
}
