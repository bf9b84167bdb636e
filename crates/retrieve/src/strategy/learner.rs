//! What was learnt of the profiles, for each kind of task: how often each has helped, how often each is used, and when a
//! change is taken back. It moves slowly, never stops trying the others, and moves only where it can see what follows.

use super::{Profile, Shares, best};
use lokid_model::time::DAY;
use lokid_model::{TaskType, Timestamp};

/// What the profiles that seem worse are used for, together.
const EXPLORATION: f64 = 0.10;
/// So that any of them may lead, each has its part of that.
pub(super) const LEAST: f64 = EXPLORATION / (Profile::ALL.len() - 1) as f64;
/// What may change hands in a day.
const A_DAY: f64 = 0.05;
/// Old evidence counts half after so many days: what helped in another season may not help now.
const HALF_LIFE: f64 = 14.0;
/// Days over which it is judged how things go, and after a fall how long nothing moves.
pub(super) const WEEK: i64 = 7;
pub(super) const MOST_DAYS: usize = 14;
/// Fewer recalls a week tell nothing.
const ENOUGH: u64 = 30;
/// From this share of a fall on a change is taken back.
const FALL: f64 = 0.2;
/// Two sets of shares nearer than this are the same.
const SAME: f64 = 1e-9;

/// What is known of all kinds of task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learner {
    /// In the order of [`TaskType::ALL`].
    pub(super) tasks: [Learnt; TaskType::ALL.len()],
    /// The day of the last night.
    pub(super) night_of: Option<i64>,
}

/// What a night changed for one kind of task.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub task: TaskType,
    pub is_rollback: bool,
    pub from: Shares,
    pub to: Shares,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Learnt {
    /// How often each profile helped and did not; fades.
    pub(super) evidence: [(f64, f64); Profile::ALL.len()],
    pub(super) shares: Shares,
    /// The last week, oldest first.
    pub(super) days: Vec<DayBook>,
    /// Where a fall leads back to.
    pub(super) footing: Option<Footing>,
    /// Nothing moves before this day.
    pub(super) held_until: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct DayBook {
    pub(super) day: i64,
    pub(super) judged: u64,
    pub(super) helped: u64,
    /// In force on that day.
    pub(super) shares: Shares,
}

/// Shares that are known to have served, and how well.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Footing {
    pub(super) shares: Shares,
    pub(super) rate: f64,
    pub(super) since: i64,
}

impl Learner {
    /// The profile that a lot from 0 to 1 falls on.
    pub fn choose(&self, task: TaskType, lot: f64) -> Profile {
        let mut left = lot;
        let falls_on = |share: &f64| {
            left -= share;
            left < 0.0
        };
        let place = self.tasks[task as usize].shares.iter().position(falls_on);
        place.and_then(|place| Profile::ALL.get(place)).copied().unwrap_or(Profile::Default)
    }

    /// A recall was judged: something it returned was used, or nothing.
    pub fn note(&mut self, task: TaskType, profile: Profile, helped: bool, now: Timestamp) {
        self.tasks[task as usize].note(profile, helped, day_of(now));
    }

    pub fn shares(&self, task: TaskType) -> Shares {
        self.tasks[task as usize].shares
    }

    /// Once a day: evidence fades and, if they may, shares move towards what seems best, or back. Tells what changed.
    pub fn night(&mut self, may_move: bool, now: Timestamp) -> Vec<Step> {
        let today = day_of(now);
        let passed = match self.night_of {
            Some(last) if (0..=1).contains(&(last - today)) => return Vec::new(),
            // A day far ahead was written under a clock that was wrong.
            Some(last) if last < today => today - last,
            _ => 1,
        };
        self.night_of = Some(today);
        let nights = TaskType::ALL.iter().zip(&mut self.tasks);
        nights.filter_map(|(task, learnt)| learnt.night(*task, today, passed, may_move)).collect()
    }
}

impl Default for Learnt {
    fn default() -> Learnt {
        Learnt {
            evidence: Default::default(),
            shares: first_shares(),
            days: Vec::new(),
            footing: None,
            held_until: None,
        }
    }
}

impl Learnt {
    fn note(&mut self, profile: Profile, helped: bool, day: i64) {
        let (worked, failed) = &mut self.evidence[profile as usize];
        *(if helped { worked } else { failed }) += 1.0;
        let place = match self.days.binary_search_by_key(&day, |book| book.day) {
            Ok(place) => place,
            Err(place) => {
                self.days.insert(place, DayBook { day, judged: 0, helped: 0, shares: self.shares });
                place
            }
        };
        let book = &mut self.days[place];
        book.judged += 1;
        book.helped += u64::from(helped);
        // Where no night comes, nobody else clears up.
        if self.days.len() > MOST_DAYS {
            self.days.remove(0);
        }
    }

    fn night(&mut self, task: TaskType, today: i64, passed: i64, may_move: bool) -> Option<Step> {
        let fade = 0.5_f64.powf(passed as f64 / HALF_LIFE);
        self.evidence = self.evidence.map(|(worked, failed)| (worked * fade, failed * fade));
        self.days.retain(|book| (today - WEEK + 1..=today).contains(&book.day));
        if !may_move {
            // These days were lived with other shares.
            self.footing = None;
            return None;
        }
        if let Some(until) = self.held_until {
            if (today + 1..=today + WEEK).contains(&until) {
                return None;
            }
            self.held_until = None;
        }
        let judged: u64 = self.days.iter().map(|book| book.judged).sum();
        let helped: u64 = self.days.iter().map(|book| book.helped).sum();
        // What cannot be watched is not moved.
        let rate = (judged >= ENOUGH).then(|| helped as f64 / judged as f64)?;
        let week_began = self.days.first()?.shares;
        let from = self.shares;
        match &mut self.footing {
            None => self.footing = Some(Footing { shares: from, rate, since: today }),
            Some(footing) if footing.rate > 0.0 && rate <= (1.0 - FALL) * footing.rate => {
                let (to, before) = (footing.shares, footing.rate);
                if moved(&from, &to) > SAME {
                    self.shares = to;
                    self.footing = None;
                    self.held_until = Some(today + WEEK);
                    let why = format!("{helped} of {judged} recalls of a week helped, {:.0} % before", before * 100.0);
                    return Some(Step { task, is_rollback: true, from, to, why });
                }
                // The shares are what they were: something else has changed, and this is how things go now.
                *footing = Footing { shares: from, rate, since: today };
            }
            // The mean, so that one lucky week is not what later ones are held against.
            Some(footing) if today - footing.since >= WEEK && rate >= footing.rate => {
                *footing = Footing { shares: week_began, rate: (rate + footing.rate) / 2.0, since: today };
            }
            Some(_) => {}
        }
        let chances = best::chances(&self.evidence);
        self.shares = towards(&from, &goal(&chances));
        let (leader, chance) = leader(&chances);
        let why = format!("{leader} is the best of them with {:.0} % certainty", chance * 100.0);
        (moved(&from, &self.shares) > SAME).then_some(Step { task, is_rollback: false, from, to: self.shares, why })
    }
}

/// As configured, with the others tried from the start.
pub(super) fn first_shares() -> Shares {
    let mut shares = [LEAST; Profile::ALL.len()];
    shares[Profile::Default as usize] = 1.0 - EXPLORATION;
    shares
}

fn goal(chances: &Shares) -> Shares {
    let open = 1.0 - LEAST * chances.len() as f64;
    chances.map(|chance| LEAST + open * chance)
}

fn towards(from: &Shares, goal: &Shares) -> Shares {
    let way = moved(from, goal);
    let part = if way > A_DAY { A_DAY / way } else { 1.0 };
    std::array::from_fn(|at| from[at] + part * (goal[at] - from[at]))
}

/// What changes hands between two sets of shares.
pub(super) fn moved(from: &Shares, to: &Shares) -> f64 {
    from.iter().zip(to).map(|(from, to)| (to - from).abs()).sum::<f64>() / 2.0
}

fn leader(chances: &Shares) -> (Profile, f64) {
    let pairs = Profile::ALL.iter().copied().zip(*chances);
    pairs.fold((Profile::Default, f64::NEG_INFINITY), |best, one| if one.1 > best.1 { one } else { best })
}

fn day_of(time: Timestamp) -> i64 {
    time.as_micros().div_euclid(DAY)
}
