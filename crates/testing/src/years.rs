//! Four years of a project, day by day: what is needed when, what the nights forget, and what was needed after all.
//! Needs follow no rule of the planners': they are drawn before the first night.

use std::collections::BTreeMap;
use std::sync::Arc;

use lokid_manage::plan::{Anchored, Around, Proposal, Scene};
use lokid_manage::{forget, promote, stale};
use lokid_model::time::DAY;
use lokid_model::{Archived, Change, Kind, Memory, MemoryId, Source, Tier, Timestamp};

pub const DAYS: i64 = 1460;
const FILES: u64 = 200;
const LASTING: [Kind; 5] = [Kind::Pattern, Kind::Decision, Kind::CodePattern, Kind::Learning, Kind::Workflow];

/// Splitmix: the same seed, the same years.
pub struct Luck(pub u64);

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
pub struct Sort {
    pub name: &'static str,
    /// How often a day the most needed memory of all is needed.
    pub pace: f64,
    /// How often the kind of a memory tells what sort of thing it is. At nought, kinds are drawn blindly.
    pub telling: f64,
}

/// The first is the hardest: half of what is always true is needed less than once a year, and an episode is as likely to
/// be such a truth as a decision is. No rule that goes by use can tell them apart in time.
pub const SORTS: [Sort; 3] = [
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

/// Nights are counted from here.
pub fn day(days: i64) -> Timestamp {
    Timestamp::from_micros((20_000 + days) * DAY)
}

#[derive(Default)]
pub struct Years {
    pub memories: BTreeMap<MemoryId, Arc<Memory>>,
    pub archived: Vec<Arc<Archived>>,
    today: i64,
    /// When each file was last changed and when it went, if it did.
    changed: Vec<Vec<i64>>,
    gone: Vec<Option<i64>>,
    births: BTreeMap<i64, Vec<Memory>>,
    needs: BTreeMap<i64, Vec<MemoryId>>,
}

impl Years {
    pub fn of(project: Sort, memories: usize, seed: u64) -> Years {
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
        Years { changed, gone, births, needs: all, ..Years::default() }
    }

    /// All four years: what a planner proposes is done before the next one looks.
    pub fn live(mut self, planners: &[Planner], seed: u64) -> Count {
        let (mut count, mut dice) = (Count::default(), Luck(!seed));
        for today in 0..DAYS {
            self.today = today;
            for memory in self.births.remove(&today).unwrap_or_default() {
                self.memories.insert(memory.id.clone(), Arc::new(memory));
            }
            for id in self.needs.remove(&today).unwrap_or_default() {
                count.needs += 1;
                if !self.memories.contains_key(&id) {
                    count.missed += 1;
                    self.bring_back(&id);
                }
                self.use_it(&id, &mut dice);
            }
            let before = self.archived.len();
            for planner in planners {
                planner(&self).into_iter().for_each(|change| self.apply(change));
            }
            count.forgotten += self.archived.len() - before;
        }
        count.living = self.memories.len();
        count
    }

    /// Somebody misses it and brings it back.
    fn bring_back(&mut self, id: &MemoryId) {
        let at = self.archived.iter().position(|entry| entry.memory.id == *id).unwrap();
        let back = self.archived.swap_remove(at);
        self.memories.insert(id.clone(), Arc::clone(&back.memory));
    }

    /// Not everybody says what helped.
    fn use_it(&mut self, id: &MemoryId, dice: &mut Luck) {
        let named = dice.often(0.85);
        let memory = Arc::make_mut(self.memories.get_mut(id).unwrap());
        memory.usage.loaded += 1;
        if named {
            memory.usage.referenced += 1;
            memory.usage.success += u64::from(dice.often(0.8));
            memory.usage.last_used = Some(day(self.today));
        } else {
            memory.usage.ignored += 1;
        }
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::Put { before, after } => {
                assert_eq!(self.memories.get(&after.id), before.as_ref(), "made from what is there");
                self.memories.insert(after.id.clone(), after);
            }
            Change::Archive(entry) => {
                assert_eq!(self.memories.remove(&entry.memory.id).as_ref(), Some(&entry.memory));
                self.archived.push(entry);
            }
            other => panic!("not from these planners: {other:?}"),
        }
    }

    /// When tonight's work begins.
    pub fn night(&self) -> Timestamp {
        day(self.today).plus_micros(DAY / 8)
    }
}

/// Nothing is known around a memory but its files.
impl Around for Years {
    fn ground(&self, memory: &Memory) -> Anchored {
        let mut ground = Anchored::default();
        for name in &memory.anchors.files {
            let file: usize = name.parse().unwrap();
            let edited = |edit: &i64| *edit <= self.today && day(*edit) > memory.times.created_at;
            let list = match self.gone[file] {
                Some(end) if end <= self.today => &mut ground.gone,
                _ if self.changed[file].iter().any(edited) => &mut ground.changed,
                _ => &mut ground.standing,
            };
            list.push(name.clone());
        }
        ground
    }

    fn is_free(&self, _: &MemoryId) -> bool {
        true
    }
}

pub type Planner = fn(&Years) -> Vec<Change>;

/// What a night does about forgetting.
pub const NIGHTS: [Planner; 3] = [
    |years| tonight(years, promote::plan),
    |years| tonight(years, |scene| stale::plan(scene, &stale::StaleLimits::default(), &|_, _| None)),
    |years| tonight(years, |scene| forget::plan(scene, &forget::ForgetLimits::default())),
];

fn tonight(years: &Years, planner: impl Fn(&Scene<'_>) -> Vec<Proposal>) -> Vec<Change> {
    let memories: Vec<Arc<Memory>> = years.memories.values().cloned().collect();
    let (now, archived) = (years.night(), &years.archived);
    let scene = Scene { now, memories: &memories, links: &[], contradictions: &[], archived, around: years };
    planner(&scene).into_iter().flat_map(|proposal| proposal.changes).collect()
}

#[derive(Default, Debug)]
pub struct Count {
    pub needs: usize,
    pub missed: usize,
    pub forgotten: usize,
    pub living: usize,
}

impl Count {
    /// Which share of needs met something forgotten.
    pub fn share(&self) -> f64 {
        self.missed as f64 / self.needs as f64
    }
}
