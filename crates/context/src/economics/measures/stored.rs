//! The written form of the measures. Reading is lenient and bounded: a document somebody edited cannot ask for more
//! than a measure may do.

use serde_json::{Map, Value, json};

use super::bypass::Record;
use super::composite::Composite;
use super::{BAD_SESSIONS, DAYS, Dial, GOOD_SESSIONS, LENGTHS, MOST_BUMPS, MOST_HANDLED, Measures, SETTLING, topics};

const MOST_AGENTS: usize = 64;
const LONGEST_NAME: usize = 200;

impl Measures {
    pub fn to_value(&self) -> Value {
        let composites: Vec<Value> = self
            .composites()
            .iter()
            .map(|composite| json!({"name": composite.name, "topics": composite.topics, "uses": composite.uses}))
            .collect();
        let bypass: Map<String, Value> = self
            .bypass
            .0
            .iter()
            .map(|(agent, record)| (agent.clone(), json!({"strikes": record.strikes, "waited": record.waited})))
            .collect();
        let handled: Vec<Value> = self.handled.iter().map(|(session, bits)| json!([session, bits])).collect();
        json!({
            "version": 1,
            "longest": self.longest().as_str(),
            "length": self.length.to_value(),
            "timeline_days": self.timeline_days(),
            "days": self.days.to_value(),
            "bumps": self.bumps,
            "topics_by_use": self.topics_by_use,
            "use_of_topics": self.use_of_topics.0,
            "composites": composites,
            "bypass": bypass,
            "handled": handled,
        })
    }

    /// What cannot be read is a measure not taken.
    pub fn from_value(value: &Value) -> Measures {
        let mut measures = Measures {
            length: Dial::from_value(value.get("length"), LENGTHS.len() - 1),
            days: Dial::from_value(value.get("days"), DAYS.len() - 1),
            bumps: small(value.get("bumps"), MOST_BUMPS),
            topics_by_use: value.get("topics_by_use").and_then(Value::as_bool).unwrap_or_default(),
            ..Measures::default()
        };
        for (topic, count) in entries(value, "use_of_topics").take(topics::MOST) {
            if let Some(count) = count.as_f64().filter(|count| count.is_finite() && *count > 0.0) {
                measures.use_of_topics.0.insert(name(topic), count);
            }
        }
        for composite in list(value, "composites") {
            let topics = list(composite, "topics").iter().filter_map(Value::as_str).map(name).collect();
            let uses = composite.get("uses").and_then(Value::as_u64).unwrap_or_default();
            measures.composites.insert(Composite::new(topics, uses));
        }
        for (agent, record) in entries(value, "bypass").take(MOST_AGENTS) {
            let record = Record { strikes: small(record.get("strikes"), 2), waited: small(record.get("waited"), 5) };
            measures.bypass.0.insert(name(agent), record);
        }
        for handled in list(value, "handled").iter().take(MOST_HANDLED) {
            if let (Some(session), bits) = (handled.get(0).and_then(Value::as_str), small(handled.get(1), u8::MAX)) {
                measures.handled.push_back((name(session), bits));
            }
        }
        measures
    }
}

impl Dial {
    fn to_value(self) -> Value {
        json!({"step": self.step, "good": self.good, "bad": self.bad, "settling": self.settling})
    }

    fn from_value(value: Option<&Value>, last: usize) -> Dial {
        let Some(value) = value else { return Dial::default() };
        Dial {
            step: small(value.get("step"), last as u8),
            good: small(value.get("good"), GOOD_SESSIONS - 1),
            bad: small(value.get("bad"), BAD_SESSIONS),
            settling: small(value.get("settling"), SETTLING),
        }
    }
}

fn small(value: Option<&Value>, most: u8) -> u8 {
    let value = value.and_then(Value::as_u64).unwrap_or_default();
    u8::try_from(value).unwrap_or(u8::MAX).min(most)
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn entries<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let map = value.get(name).and_then(Value::as_object);
    map.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

fn name(text: &str) -> String {
    text.chars().take(LONGEST_NAME).collect()
}
