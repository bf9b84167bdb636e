//! What corrective actions leave behind, for the engine to obey: each measure bounded, each undone by sessions that go
//! well. It never looks at memories, only at accounts.

mod bypass;
mod composite;
mod stored;
mod topics;

use std::collections::VecDeque;

use super::ledger::LedgerView;
use super::thresholds::{Action, ActionKind, Checkpoint};
use lokid_model::Level;

pub use composite::Composite;

use bypass::Bypass;
use composite::Composites;
use topics::TopicUse;

/// A measure holds for everybody, so one session does not take it: so many in a row have to ask for it.
const BAD_SESSIONS: u8 = 3;
/// It is eased after so many good sessions in a row …
const GOOD_SESSIONS: u8 = 3;
/// … and not tightened again before so many have ended: it needs time to show.
const SETTLING: u8 = 3;
/// The least relevance is raised in steps of this size …
const BUMP: f64 = 0.05;
/// … at most so many.
const MOST_BUMPS: u8 = 4;
/// In a store this small there is nothing to choose: everything is nearly what was handed out.
const SMALL_STORE: u64 = 4000;
/// The lengths of layer three, longest first.
const LENGTHS: [Level; 3] = [Level::Full, Level::Summary, Level::Compressed];
/// The days layer two shows, from all of them to the last week.
const DAYS: [Option<u32>; 4] = [None, Some(30), Some(14), Some(7)];
/// Sessions whose actions are remembered, so that none is carried out twice for the same session.
const MOST_HANDLED: usize = 64;
const ENDED: u8 = 1 << 7;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures {
    length: Dial,
    days: Dial,
    bumps: u8,
    topics_by_use: bool,
    use_of_topics: TopicUse,
    composites: Composites,
    bypass: Bypass,
    /// Session and one bit an action.
    handled: VecDeque<(String, u8)>,
}

/// A measure was taken, changed or lifted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    pub action: ActionKind,
    /// One sentence for the event stream.
    pub sentence: String,
}

/// One measure with several steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Dial {
    step: u8,
    good: u8,
    bad: u8,
    settling: u8,
}

impl Dial {
    fn tighten(&mut self, last: usize) -> bool {
        self.bad = (self.bad + 1).min(BAD_SESSIONS);
        let may = usize::from(self.step) < last && self.settling == 0 && self.bad == BAD_SESSIONS;
        if may {
            *self = Dial { step: self.step + 1, good: 0, bad: 0, settling: SETTLING };
        }
        may
    }

    /// A session has ended.
    fn ease(&mut self, good: bool) -> bool {
        self.settling = self.settling.saturating_sub(1);
        self.good = if good && self.step > 0 { self.good + 1 } else { 0 };
        self.bad = if good { 0 } else { self.bad };
        let eased = self.good >= GOOD_SESSIONS;
        if eased {
            *self = Dial { step: self.step - 1, ..Dial::default() };
        }
        eased
    }
}

impl Measures {
    /// The longest form layer three is handed out in.
    pub fn longest(&self) -> Level {
        LENGTHS[usize::from(self.length.step).min(LENGTHS.len() - 1)]
    }

    /// What is added to the least relevance a memory needs to be handed out.
    pub fn min_score_bump(&self) -> f64 {
        f64::from(self.bumps.min(MOST_BUMPS)) * BUMP
    }

    /// Layer two shows so many days, older ones on demand; absent for all.
    pub fn timeline_days(&self) -> Option<u32> {
        DAYS[usize::from(self.days.step).min(DAYS.len() - 1)]
    }

    /// List topics by [`Measures::use_of`] rather than by size?
    pub fn topics_by_use(&self) -> bool {
        self.topics_by_use
    }

    /// How much a topic was read, lately above all.
    pub fn use_of(&self, topic: &str) -> f64 {
        self.use_of_topics.of(topic)
    }

    /// Topics that are read together and offered as one.
    /// How much each topic is read; lately counts most.
    pub fn topic_use(&self) -> std::collections::BTreeMap<String, f64> {
        self.use_of_topics.0.clone()
    }

    /// What is in force, a sentence each.
    pub fn in_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.longest() != Level::Full {
            words.push(format!("memories are handed out at most as {}", self.longest()));
        }
        if self.bumps > 0 {
            words.push(format!("memories need {:.2} more relevance to be handed out", self.min_score_bump()));
        }
        words.extend(self.composites().iter().map(|one| format!("{} are offered as one topic", one.name)));
        if self.topics_by_use {
            words.push("topics are listed by use".to_owned());
        }
        words.extend(self.timeline_days().map(|days| format!("the timeline shows the last {days} days")));
        words.extend(self.bypassed().map(|agent| format!("{} is given only what binds", named(agent))));
        words
    }

    pub fn composites(&self) -> &[Composite] {
        self.composites.list()
    }

    /// Give this agent only what binds?
    pub fn bypasses(&self, agent: &str) -> bool {
        self.bypass.holds(agent)
    }

    /// The agents that are given only what binds.
    pub fn bypassed(&self) -> impl Iterator<Item = &str> {
        self.bypass.agents()
    }

    /// Does what an action asks for, once a session. Nothing is told where nothing changed.
    pub fn carry_out(&mut self, action: &Action, view: &LedgerView) -> Option<Correction> {
        let session = view.session.as_deref()?;
        if !self.handle(session, 1 << action.kind as u8) {
            return None;
        }
        let sentence = match action.kind {
            ActionKind::CompressLayer3 => {
                let tighter = self.length.tighten(LENGTHS.len() - 1);
                tighter.then(|| format!("Memories are now handed out at the length \"{}\" at most", self.longest()))
            }
            ActionKind::ReviewTopicRelevance => {
                let room = self.bumps < MOST_BUMPS && view.counts.full_load_tokens >= SMALL_STORE;
                self.bumps += u8::from(room);
                room.then(|| format!("Memories now need {:.2} more relevance to be handed out", self.min_score_bump()))
            }
            ActionKind::CreateSpecializedIndex => {
                let made = self.composites.build(&view.topics);
                made.map(|name| format!("The topics {name} are read together and now offered as one"))
            }
            ActionKind::ReorganizeTopicIndex => {
                let new = !std::mem::replace(&mut self.topics_by_use, true);
                new.then(|| "Topics are now listed by how much they are read".to_owned())
            }
            ActionKind::SplitTimeline => {
                let days = self.days.tighten(DAYS.len() - 1).then(|| self.timeline_days()).flatten();
                days.map(|days| format!("The timeline now shows the last {days} days, older ones on demand"))
            }
            ActionKind::BypassMemory => {
                let new = self.bypass.strike(&view.agent);
                new.then(|| format!("{} is now given only what binds", named(&view.agent)))
            }
        };
        sentence.map(|sentence| Correction { action: action.kind, sentence })
    }

    /// A session has ended: measures it shows to be unneeded are eased. To be called after its last actions were
    /// carried out. A session without memory shows nothing.
    pub fn session_ended(&mut self, view: &LedgerView) -> Vec<Correction> {
        let Some(session) = view.session.as_deref() else { return Vec::new() };
        if view.counts.spent_tokens() == 0 || !self.handle(session, ENDED) {
            return Vec::new();
        }
        let crossed: Vec<ActionKind> = view.check(Checkpoint::SessionEnd).iter().map(|action| action.kind).collect();
        let within = |kind: ActionKind| !crossed.contains(&kind);
        let mut eased = Vec::new();
        let mut tell = |action: ActionKind, sentence: String| eased.push(Correction { action, sentence });

        // Shorter texts make the ratio worse, not better, so a session in which memory paid counts as good as well.
        if self.length.ease(within(ActionKind::CompressLayer3) || view.counts.pays()) {
            let sentence = format!("Memories are handed out at the length \"{}\" again", self.longest());
            tell(ActionKind::CompressLayer3, sentence);
        }
        if self.bumps > 0 && within(ActionKind::ReviewTopicRelevance) && view.counts.savings_vs_full_load().is_some() {
            self.bumps -= 1;
            let sentence = format!("Memories need only {:.2} more relevance to be handed out", self.min_score_bump());
            tell(ActionKind::ReviewTopicRelevance, sentence);
        }
        if self.days.ease(within(ActionKind::SplitTimeline)) {
            let sentence = match self.timeline_days() {
                Some(days) => format!("The timeline shows the last {days} days again"),
                None => "The timeline shows all days again".to_owned(),
            };
            tell(ActionKind::SplitTimeline, sentence);
        }
        self.composites.note(&view.topics);
        self.use_of_topics.note(&view.topics);
        if self.topics_by_use && self.use_of_topics.is_empty() {
            self.topics_by_use = false;
            tell(ActionKind::ReorganizeTopicIndex, "Topics are listed by size again".to_owned());
        }
        if self.bypass.ended(&view.agent, view.counts.cited > 0, within(ActionKind::BypassMemory)) {
            tell(ActionKind::BypassMemory, format!("{} is given all of memory again", named(&view.agent)));
        }
        eased
    }

    /// Whether this was not yet done for the session; from now on it was.
    fn handle(&mut self, session: &str, bit: u8) -> bool {
        if let Some((_, done)) = self.handled.iter_mut().find(|(known, _)| known == session) {
            let new = *done & bit == 0;
            *done |= bit;
            return new;
        }
        if self.handled.len() >= MOST_HANDLED {
            self.handled.pop_front();
        }
        self.handled.push_back((session.to_owned(), bit));
        true
    }
}

fn named(agent: &str) -> String {
    if agent.is_empty() { "An agent without a name".to_owned() } else { format!("The agent {agent}") }
}
