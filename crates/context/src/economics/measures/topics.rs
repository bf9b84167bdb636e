//! How much each topic is read, where lately counts most.

use std::collections::BTreeMap;

/// What is left of a topic's use with each session that ends.
const KEPT: f64 = 0.9;
/// Below this a topic is as good as never read.
const FORGOTTEN: f64 = 0.05;
pub(super) const MOST: usize = 256;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TopicUse(pub(super) BTreeMap<String, f64>);

impl TopicUse {
    pub(super) fn of(&self, topic: &str) -> f64 {
        self.0.get(topic).copied().unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn note(&mut self, loads: &BTreeMap<String, u64>) {
        self.0.values_mut().for_each(|value| *value = rounded(*value * KEPT));
        for (topic, loads) in loads {
            let value = self.0.entry(topic.clone()).or_default();
            // One session that reads on and on does not decide for all.
            *value = rounded(*value + (*loads).min(10) as f64);
        }
        self.0.retain(|_, value| *value >= FORGOTTEN);
        while self.0.len() > MOST {
            let least = self.0.iter().min_by(|a, b| a.1.total_cmp(b.1).then_with(|| b.0.cmp(a.0)));
            let Some(least) = least.map(|(topic, _)| topic.clone()) else { break };
            self.0.remove(&least);
        }
    }
}

/// No digit may depend on the machine.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
