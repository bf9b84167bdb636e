//! What somebody is doing, in words that are weighed by how rare they are in this repository, and what a text says of it.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use crate::predict::goal::scope;
use lokid_index::analyze;

/// Words of a situation that are looked at.
pub const MOST_WORDS: usize = 64;

/// Words of doing rather than of what it is done to.
const DOING: &str = "add added adding allow apply avoid better bug bugs change changes clean cleanup code correct doc docs document \
    documentation drop enable ensure error errors example fail fails failing feedback file files fix fixed fixes fixing \
    handle implement improve issue lint make minor missing move new nit nits option options polish refactor remove removed \
    rename replace return revert review rework set simplify small suggestion suggestions support test tests tidy tweak typo typos \
    typing up update updates use using value values version warning wip work";

static DOING_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| analyze::distinct(DOING, usize::MAX).into_iter().collect());

/// Does a word tell what is done rather than what it is done to?
pub fn is_doing(word: &str) -> bool {
    DOING_WORDS.contains(&analyze::stem(word))
}

/// What a situation is about, as far as its words tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situation {
    /// With how much each says.
    words: BTreeMap<String, f64>,
    total: f64,
}

impl Situation {
    /// `rarity` of a word is large for one that few commits say, and small for one that most say.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>, rarity: &dyn Fn(&str) -> f64) -> Situation {
        let mut words = BTreeMap::new();
        for text in texts {
            let scope = analyze::distinct(&scope(text).join(" "), MOST_WORDS);
            // A number alone is a ticket or a version, which says nothing of what it is about.
            let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            for word in analyze::distinct(text, MOST_WORDS).into_iter().filter(|word| !is_number(word)) {
                // Half of all commits may have the same scope.
                let is_light = DOING_WORDS.contains(&word) || scope.contains(&word);
                let weight = rarity(&word) * if is_light { 0.3 } else { 1.0 };
                words.entry(word).or_insert(weight);
            }
        }
        let total = words.values().sum();
        Situation { words, total }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How much of it a title says that tells of the same sort of work; nothing for others.
    pub(crate) fn likeness(&self, title: &str) -> Option<f64> {
        let mut hearing = Hearing::of(self);
        hearing.hear(title);
        let said = hearing.said();
        let is_like = said.telling >= MANY || (said.telling >= SOME && said.weight >= WEIGHTY && said.share >= LIKE);
        is_like.then_some(said.share)
    }
}

/// What texts say of a situation, one after another; each of them is read once.
pub(crate) struct Hearing<'a> {
    situation: &'a Situation,
    seen: HashSet<String>,
    said: Said,
    /// Words that the situation has not.
    news: HashSet<String>,
}

impl<'a> Hearing<'a> {
    pub(crate) fn of(situation: &'a Situation) -> Hearing<'a> {
        Hearing { situation, seen: HashSet::new(), said: Said::default(), news: HashSet::new() }
    }

    pub(crate) fn hear(&mut self, text: &str) {
        let Hearing { situation, seen, said, news } = self;
        analyze::terms(text, |term| match situation.words.get(term) {
            Some(weight) if !seen.contains(term) => {
                seen.insert(term.to_owned());
                said.weight += weight;
                said.telling += usize::from(*weight >= TELLING);
                said.rarest = said.rarest.max(*weight);
            }
            None if news.len() < ENOUGH_NEWS && !news.contains(term) => {
                news.insert(term.to_owned());
            }
            _ => {}
        });
    }

    pub(crate) fn said(&self) -> Said {
        let total = self.situation.total;
        Said { share: if total > 0.0 { self.said.weight / total } else { 0.0 }, ..self.said }
    }

    /// How many words were heard that the situation has not, from 0 to 1.
    pub(crate) fn news(&self) -> f64 {
        self.news.len() as f64 / ENOUGH_NEWS as f64
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said {
    pub(crate) weight: f64,
    pub(crate) share: f64,
    pub(crate) rarest: f64,
    /// Words that not all commits say.
    telling: usize,
}

/// Of 1,645 later commits of 29 repositories, for one in three an earlier commit said so much of the subject; three in five of
/// those touched a file of it, two in three where it was three words.
const TELLING: f64 = 2.0;
const MANY: usize = 3;
const SOME: usize = 2;
const WEIGHTY: f64 = 7.0;
const LIKE: f64 = 0.4;

const ENOUGH_NEWS: usize = 12;
