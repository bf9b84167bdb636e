//! What being of use does to the weight of a memory: named and of help it gains a little, given and passed over it
//! loses a little, and time undoes both. Worked out whenever it is asked for and never stored, so nothing adds up.

use lokid_model::time::DAY;
use lokid_model::{Memory, Timestamp, Usage};

const MOST_GAIN: f64 = 0.2;
const MOST_LOSS: f64 = 0.1;
/// After so many times being named, two thirds of the gain are reached.
const HABIT: f64 = 5.0;
/// Passed over once is no habit either.
const PATIENCE: f64 = 8.0;
/// One time named outweighs this many times passed over.
const WORTH: f64 = 3.0;
const HALF_LIFE_DAYS: f64 = 30.0;

/// What use adds to the importance of a memory, from -0.1 to 0.2. Counted in days of the calendar, so that the same
/// question has the same answer all day long.
fn bonus(memory: &Memory, usage: &Usage, now: Timestamp) -> f64 {
    let named = usage.referenced as f64 + 0.5 * usage.success as f64;
    let ignored = usage.ignored as f64;
    let gain = MOST_GAIN * (1.0 - (-named / HABIT).exp());
    let loss = MOST_LOSS * ignored / (ignored + WORTH * named + PATIENCE);
    let last = usage.last_used.unwrap_or(memory.times.created_at).max(memory.times.created_at);
    let days = (now.as_micros().div_euclid(DAY) - last.as_micros().div_euclid(DAY)).max(0);
    ((gain - loss) * 0.5_f64.powf(days as f64 / HALF_LIFE_DAYS)).clamp(-MOST_LOSS, MOST_GAIN)
}

/// The importance of a memory with what use adds to it.
pub(super) fn reinforced(memory: &Memory, usage: &Usage, now: Timestamp) -> f64 {
    let base = if memory.importance.is_finite() { memory.importance } else { Memory::DEFAULT_IMPORTANCE };
    (base + bonus(memory, usage, now)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::{Kind, MemoryId};

    #[test]
    fn being_used_strengthens_being_passed_over_weakens_and_time_undoes_both() {
        let now = Timestamp::from_micros(1_000 * DAY);
        let id = MemoryId::new("a").unwrap();
        let memory = Memory::new(id, Kind::Note, "x", Timestamp::from_micros(0));
        let used = |referenced, ignored, days: i64| {
            let last_used = Some(now.plus_micros(-days * DAY));
            bonus(&memory, &Usage { referenced, ignored, last_used, ..Usage::default() }, now)
        };
        assert_eq!(used(0, 0, 0), 0.0);
        assert!(used(1, 0, 0) > 0.03 && used(5, 0, 0) > used(1, 0, 0));
        assert!(used(0, 20, 0) < -0.05 && used(0, 1, 0) > -0.02);
        assert!((used(5, 0, 30) - used(5, 0, 0) / 2.0).abs() < 1e-9, "half of it is gone after a month");
        assert!((used(0, 20, 30) - used(0, 20, 0) / 2.0).abs() < 1e-9);
        assert!(used(u64::MAX, 0, 0) <= 0.2 && used(0, u64::MAX, 0) >= -0.1);
        let strange = Memory { importance: f64::NAN, ..memory.clone() };
        assert_eq!(reinforced(&strange, &Usage::default(), now), 0.5);
        assert_eq!(
            reinforced(
                &Memory { importance: 0.95, ..memory },
                &Usage { referenced: 99, last_used: Some(now), ..Usage::default() },
                now
            ),
            1.0
        );
    }
}
