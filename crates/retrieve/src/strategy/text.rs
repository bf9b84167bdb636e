//! What was learnt as a text that is kept, and back. Whatever cannot be understood is as if it had never been learnt.

use serde_json::{Map, Value, json};

use super::learner::{DayBook, Footing, LEAST, Learnt, MOST_DAYS};
use super::{Learner, Profile, Shares};
use lokid_model::TaskType;

const VERSION: u64 = 1;
/// Nobody counts further.
const MOST: f64 = 1e9;
/// What shares may be off by the digits that were not written.
const SLACK: f64 = 1e-6;

impl Learner {
    pub fn to_text(&self) -> String {
        let tasks: Map<String, Value> =
            TaskType::ALL.iter().zip(&self.tasks).map(|(task, learnt)| (task.to_string(), write(learnt))).collect();
        json!({"version": VERSION, "night_of": self.night_of, "tasks": tasks}).to_string()
    }

    pub fn from_text(text: &str) -> Learner {
        let saved: Value = serde_json::from_str(text).unwrap_or_default();
        if saved["version"].as_u64() != Some(VERSION) {
            return Learner::default();
        }
        let mut learner = Learner { night_of: day(&saved["night_of"]), ..Learner::default() };
        for (task, learnt) in TaskType::ALL.iter().zip(&mut learner.tasks) {
            *learnt = read(&saved["tasks"][task.as_str()]);
        }
        learner
    }
}

fn write(learnt: &Learnt) -> Value {
    let named = |(profile, (worked, failed)): (&Profile, &(f64, f64))| {
        (profile.to_string(), json!([counted(*worked), counted(*failed)]))
    };
    let evidence: Map<String, Value> = Profile::ALL.iter().zip(&learnt.evidence).map(named).collect();
    let book = |day: &DayBook| json!({"day": day.day, "judged": day.judged, "helped": day.helped, "shares": write_shares(&day.shares)});
    let footing = learnt.footing.as_ref().map(
        |footing| json!({"shares": write_shares(&footing.shares), "rate": rounded(footing.rate), "since": footing.since}),
    );
    json!({
        "shares": write_shares(&learnt.shares),
        "evidence": evidence,
        "days": learnt.days.iter().map(book).collect::<Vec<_>>(),
        "footing": footing,
        "held_until": learnt.held_until,
    })
}

fn read(saved: &Value) -> Learnt {
    let mut learnt = Learnt::default();
    for (profile, evidence) in Profile::ALL.iter().zip(&mut learnt.evidence) {
        let count = |at: usize| saved["evidence"][profile.as_str()][at].as_f64().unwrap_or(0.0).clamp(0.0, MOST);
        *evidence = (count(0), count(1));
    }
    let days = saved["days"].as_array().into_iter().flatten();
    learnt.days = days.filter_map(read_day).take(MOST_DAYS).collect();
    learnt.days.sort_by_key(|book| book.day);
    learnt.days.dedup_by_key(|book| book.day);
    // Without their shares neither the footing nor the hold means anything.
    if let Some(shares) = read_shares(&saved["shares"]) {
        learnt.shares = shares;
        learnt.held_until = day(&saved["held_until"]);
        learnt.footing = read_footing(&saved["footing"]);
    }
    learnt
}

fn read_day(saved: &Value) -> Option<DayBook> {
    let judged = saved["judged"].as_u64()?.min(MOST as u64);
    let helped = saved["helped"].as_u64()?.min(judged);
    Some(DayBook { day: day(&saved["day"])?, judged, helped, shares: read_shares(&saved["shares"])? })
}

fn read_footing(saved: &Value) -> Option<Footing> {
    let rate = saved["rate"].as_f64().filter(|rate| (0.0..=1.0).contains(rate))?;
    Some(Footing { shares: read_shares(&saved["shares"])?, rate, since: day(&saved["since"])? })
}

/// A day that a calendar has: sums with others do not overflow.
fn day(saved: &Value) -> Option<i64> {
    saved.as_i64().filter(|day| day.abs() < 10_000_000)
}

/// As many digits as survive being read again, and more than matter.
fn counted(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

fn rounded(number: f64) -> f64 {
    (number * 1e12).round() / 1e12
}

fn write_shares(shares: &Shares) -> Value {
    let named = |(profile, share): (&Profile, &f64)| (profile.to_string(), json!(rounded(*share)));
    Value::Object(Profile::ALL.iter().zip(shares).map(named).collect())
}

/// Of all the profiles there are, none below what it must have.
fn read_shares(saved: &Value) -> Option<Shares> {
    let mut shares = Shares::default();
    for (profile, share) in Profile::ALL.iter().zip(&mut shares) {
        *share = saved[profile.as_str()].as_f64().filter(|share| *share >= LEAST - SLACK)?;
    }
    let whole: f64 = shares.iter().sum();
    ((whole - 1.0).abs() < SLACK).then_some(shares)
}
