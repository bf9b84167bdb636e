//! A statement read for comparison: its content words with their place in the clause, whether they are denied, and
//! which cues stand in it (quantity, exception, order, replacement …).

use super::super::thesaurus::{self, Meanings};
use super::denial::{denied, denies};
use super::grammar as g;
use super::lemma::stem;
use super::lexicon::Entry;
use super::number::Quantity;
use super::words::{Pause, Word, words};

/// Where in the clause a word stands. For a passive, what is done is the object and `by` names the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Region {
    Subject,
    Verb,
    Object,
    /// After `in`, `on`, `for`, `at` …: where and when it holds.
    Scope,
}

/// What kind of clause it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    Main,
    Condition,
    /// Why, or said by the way.
    Aside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Word,
    Name,
    Code,
    Number,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) lemma: String,
    pub(super) stem: String,
    pub(super) sort: Sort,
    pub(super) quantity: Option<Quantity>,
    pub(super) entry: Option<&'static Entry>,
    pub(super) meanings: Meanings,
    pub(super) weight: f64,
    pub(super) clause: usize,
    pub(super) kind: Clause,
    pub(super) region: Region,
    pub(super) denied: bool,
    /// First (−1) or afterwards (1), where the text tells an order.
    pub(super) order: i8,
    /// Of what the clause speaks: its surface subject, or what an imperative is about.
    pub(super) topic: bool,
    /// Stands right before the next token, as `access` before `token`.
    pub(super) modifies: bool,
    /// The last preposition before it in its clause, or nothing.
    pub(super) preposition: &'static str,
}

/// What is said, how bindingly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    States,
    Demands,
    Permits,
    Forbids,
    /// Not needed, optional.
    Frees,
}

#[derive(Clone, Debug)]
pub(in super::super) struct Reading {
    pub(super) tokens: Vec<Token>,
    pub(super) stance: Stance,
    pub(super) denials: usize,
    pub(super) main_denials: usize,
    pub(super) lemmas: Vec<String>,
    pub(super) ordered: bool,
    /// The marks of all lemmas, so that most cues are known to be absent at a glance.
    marks: u64,
}

fn mark(word: &str) -> u64 {
    let first = word.bytes().next().unwrap_or(0);
    1 << ((usize::from(first) * 7 + word.len()) % 64)
}

impl Reading {
    pub(super) fn has(&self, cues: &[&str]) -> bool {
        cues.iter().any(|cue| self.marks & mark(cue) != 0 && self.lemmas.iter().any(|lemma| lemma == cue))
    }

    pub(super) fn weight(&self) -> f64 {
        self.tokens.iter().map(|token| token.weight).sum()
    }
}

/// A clause: a run of words, and what was found out about it.
pub(super) struct Span {
    pub(super) from: usize,
    pub(super) to: usize,
    kind: Clause,
    pub(super) verb: Option<usize>,
    pub(super) passive: bool,
    order: i8,
}

pub(in super::super) fn read(text: &str) -> Reading {
    let words = words(text);
    let spans = spans(&words);
    let denied = denied(&words, &spans);
    let stance = stance(&words, &spans);
    let ordered = spans.iter().any(|span| span.order < 0) && spans.iter().any(|span| span.order > 0);
    let mut tokens = Vec::new();
    for (clause, span) in spans.iter().enumerate() {
        let mut region = if span.verb.is_some() { Region::Subject } else { Region::Object };
        let mut preposition = "";
        let topic = topic(&words, span);
        for at in span.from..span.to {
            let word = &words[at];
            let lemma = word.lemma.as_str();
            if Some(at) == span.verb {
                region = Region::Verb;
            } else if region == Region::Verb && !g::AUXILIARY.contains(&lemma) {
                region = Region::Object;
            }
            if let Some(found) = g::SCOPE_PREPOSITION.iter().find(|found| **found == lemma) {
                preposition = found;
                if region != Region::Subject || at == span.from {
                    region = Region::Scope;
                }
            } else if let Some(found) = g::OTHER_PREPOSITION.iter().find(|found| **found == lemma) {
                preposition = found;
                if region == Region::Scope || (span.passive && lemma == "by") {
                    region = if lemma == "by" && span.passive { Region::Subject } else { Region::Object };
                }
            }
            if !is_content(&words, at) {
                continue;
            }
            let logical = match region {
                Region::Subject if span.passive && span.verb.is_some_and(|verb| at < verb) => Region::Object,
                region => region,
            };
            let region = if Some(at) == span.verb || (is_verb(word) && span.verb.is_some_and(|verb| at == verb + 1)) {
                Region::Verb
            } else {
                logical
            };
            let entry = word.entry;
            let sort = match word {
                Word { quantity: Some(_), .. } => Sort::Number,
                Word { code: true, .. } => Sort::Code,
                Word { name: true, .. } => Sort::Name,
                _ if entry.is_some_and(Entry::names_a_choice) => Sort::Name,
                _ => Sort::Word,
            };
            let weight = match sort {
                Sort::Name | Sort::Code => 1.3,
                Sort::Number => 1.0,
                Sort::Word if entry.is_some_and(|entry| entry.common) => 0.45,
                Sort::Word => 1.0,
            } * if span.kind == Clause::Aside { 0.5 } else { 1.0 };
            let follows = at + 1 < span.to && words[at + 1].pause == Pause::None && is_content(&words, at + 1);
            tokens.push(Token {
                text: word.lower.clone(),
                lemma: word.lemma.clone(),
                stem: stem(&word.lemma).to_owned(),
                sort,
                quantity: word.quantity.clone(),
                entry,
                meanings: thesaurus::meanings(&word.lemma),
                weight,
                clause,
                kind: span.kind,
                region,
                // Where it holds is not what is denied, unless it is denied by name.
                denied: denied.here[at] ^ (denied.clause[at] && !(region == Region::Scope && sort == Sort::Word)),
                order: if ordered { span.order } else { 0 },
                topic: topic.contains(&at),
                modifies: follows,
                preposition,
            });
        }
    }
    let denials = words.iter().filter(|word| denies(word)).count();
    let main_denials = spans
        .iter()
        .filter(|span| span.kind == Clause::Main)
        .flat_map(|span| &words[span.from..span.to])
        .filter(|word| denies(word))
        .count();
    let marks = words.iter().fold(0, |marks, word| marks | mark(&word.lemma));
    Reading {
        tokens,
        stance,
        denials,
        main_denials,
        ordered,
        marks,
        lemmas: words.into_iter().map(|word| word.lemma).collect(),
    }
}

/// The words before the verb, or, where nobody is named there, those after it up to a preposition.
fn topic(words: &[Word], span: &Span) -> std::ops::Range<usize> {
    let Some(verb) = span.verb else { return span.from..span.to.min(span.from + 3) };
    if (span.from..verb).any(|at| is_content(words, at)) {
        return span.from..verb;
    }
    let preposition = |at: &usize| {
        let lemma = words[*at].lemma.as_str();
        g::SCOPE_PREPOSITION.contains(&lemma) || g::OTHER_PREPOSITION.contains(&lemma)
    };
    verb + 1..(verb + 1..span.to).find(|at| *at > verb + 1 && preposition(at)).unwrap_or(span.to)
}

fn is_content(words: &[Word], at: usize) -> bool {
    let word = &words[at];
    if word.quantity.is_some() || word.code {
        return true;
    }
    if matches!(word.lemma.as_str(), "on" | "off") {
        let ends = words.get(at + 1).is_none_or(|next| {
            next.pause != Pause::None
                || matches!(next.lemma.as_str(), "in" | "for" | "by" | "default" | "at" | "and" | "but")
        });
        return ends && at > 0;
    }
    let function = word.entry.is_some_and(|entry| entry.function);
    (!function || (word.name && word.lower.len() > 2)) && word.lower.chars().any(char::is_alphanumeric)
}

fn is_verb(word: &Word) -> bool {
    !word.code && word.quantity.is_none() && word.entry.is_some_and(|entry| entry.verb)
}

/// Cuts the words into clauses and finds the verb of each.
fn spans(words: &[Word]) -> Vec<Span> {
    let mut cuts = vec![0];
    for at in 1..words.len() {
        let word = &words[at];
        let lemma = word.lemma.as_str();
        let until =
            (at..words.len()).find(|next| *next > at && words[*next].pause != Pause::None).unwrap_or(words.len());
        // `after 24 months` tells when, not what comes first.
        let timed = matches!(lemma, "before" | "after" | "until" | "once")
            && words.get(at + 1).is_none_or(|next| next.quantity.is_some());
        let opens = !timed && (g::CONDITION.contains(&lemma) || g::OPENING.contains(&lemma))
            || (matches!(lemma, "since" | "as" | "and" | "while") && word.pause != Pause::None);
        let cut = match word.pause {
            Pause::Sentence | Pause::Aside => true,
            Pause::Comma => {
                opens
                    || until - at > 2
                    || (is_verb(word) && !word.participle && word.lower == word.lemma)
                    || words[at..until].iter().any(|word| {
                        let lemma = word.lemma.as_str();
                        g::AUXILIARY.contains(&lemma)
                            || denies(word)
                            || g::LATE_CUE.contains(&lemma)
                            || g::EARLY_CUE.contains(&lemma)
                    })
            }
            Pause::None => opens || (lemma == "since" && words.get(at + 1).is_some_and(|next| next.quantity.is_none())),
        };
        // `When Redis is down we fall back`: the main clause begins with its pronoun.
        let last = cuts.last().copied().unwrap_or(0);
        let resumes = at > last + 3
            && word.pause == Pause::None
            && g::CONDITION.contains(&words[last].lemma.as_str())
            && matches!(lemma, "we" | "you" | "it" | "they" | "the" | "i" | "he" | "she")
            && words[last + 1..at].iter().any(|word| g::AUXILIARY.contains(&word.lemma.as_str()) || is_verb(word))
            && !matches!(
                words[at - 1].lemma.as_str(),
                "in" | "on" | "of" | "to" | "for" | "with" | "by" | "from" | "at" | "be" | "and" | "into" | "under"
            )
            && (lemma != "the" || !is_verb(&words[at - 1]));
        if cut || resumes {
            cuts.push(at);
        }
    }
    cuts.push(words.len());
    let mut spans: Vec<Span> =
        cuts.windows(2).filter(|cut| cut[0] < cut[1]).map(|cut| span(words, cut[0], cut[1])).collect();
    order(words, &mut spans);
    spans
}

fn span(words: &[Word], from: usize, to: usize) -> Span {
    let first = words[from].lemma.as_str();
    let kind = if g::CONDITION.contains(&first) {
        Clause::Condition
    } else if g::REASON.contains(&first)
        && (from > 0 || matches!(first, "because" | "since" | "although" | "though" | "so"))
    {
        Clause::Aside
    } else {
        Clause::Main
    };
    let auxiliary = (from..to).find(|at| g::AUXILIARY.contains(&words[*at].lemma.as_str()) && !words[*at].name);
    // An imperative begins with its verb; elsewhere an auxiliary is the surest sign.
    let begins = (from..to).find(|at| {
        !matches!(
            words[*at].lemma.as_str(),
            "please" | "always" | "never" | "not" | "do" | "only" | "and" | "then" | "just"
        )
    });
    let imperative = begins.filter(|at| {
        is_verb(&words[*at])
            && !words[*at].participle
            && words[*at].lower == words[*at].lemma
            && auxiliary.is_none_or(|found| {
                words[found].lemma == "do" && found <= *at
                    || words[*at..found].iter().any(|word| {
                        matches!(
                            word.lemma.as_str(),
                            "that" | "which" | "who" | "to" | "it" | "they" | "you" | "we" | "what"
                        )
                    })
            })
    });
    // `View models run`: a compound, not an order.
    let compound = |at: &usize| {
        words.get(at + 1).is_some_and(|next| next.plural && next.pause == Pause::None)
            && (at + 2..to)
                .find(|next| {
                    !matches!(
                        words[*next].lemma.as_str(),
                        "only" | "also" | "always" | "never" | "still" | "just" | "not" | "do"
                    )
                })
                .map(|next| &words[next])
                .is_some_and(|next| next.pause == Pause::None && is_verb(next) && next.lower == next.lemma)
    };
    let imperative = imperative.filter(|at| !compound(at));
    let verb = imperative.or_else(|| {
        let main = (from + 1..to).find(|at| {
            is_verb(&words[*at])
                && !matches!(words[*at - 1].lemma.as_str(), "the" | "a" | "to" | "of" | "for" | "in" | "on" | "our")
        });
        match (auxiliary, main) {
            // `penetration tests are`: a noun that could be a verb.
            (Some(auxiliary), Some(main)) if main + 1 == auxiliary || main + 2 == auxiliary => Some(auxiliary),
            (Some(auxiliary), Some(main)) => Some(auxiliary.min(main)),
            (found, other) => found.or(other),
        }
    });
    let passive = verb.is_some_and(|verb| {
        words[verb].lemma == "be" || words[verb].lemma == "get" || g::AUXILIARY.contains(&words[verb].lemma.as_str())
    }) && verb.is_some_and(|verb| {
        let near = &words[verb..to.min(verb + 5)];
        near.iter().any(|word| word.participle) && near.iter().any(|word| matches!(word.lemma.as_str(), "be" | "get"))
    });
    Span { from, to, kind, verb, passive, order: 0 }
}

/// Which clauses tell what comes first and which what comes after.
fn order(words: &[Word], spans: &mut [Span]) {
    for at in 0..spans.len() {
        let (from, to) = (spans[at].from, spans[at].to);
        let sentence_begins = words[from].pause == Pause::Sentence;
        let other = if sentence_begins { at + 1 } else { at.wrapping_sub(1) };
        let sign = match words[from].lemma.as_str() {
            "before" | "until" | "precede" => 1,
            "after" | "once" => -1,
            _ => 0,
        };
        if sign != 0 && other < spans.len() {
            spans[at].order = sign;
            if spans[other].order == 0 {
                spans[other].order = -sign;
            }
            continue;
        }
        let has = |cues: &[&str]| words[from..to].iter().any(|word| cues.contains(&word.lemma.as_str()));
        if spans[at].order == 0 {
            spans[at].order = if has(g::EARLY_CUE) {
                -1
            } else if has(g::LATE_CUE) {
                1
            } else {
                0
            };
        }
    }
    if spans.iter().any(|span| span.order != 0)
        && !(spans.iter().any(|span| span.order < 0) && spans.iter().any(|span| span.order > 0))
    {
        let told = spans.iter().map(|span| span.order).find(|order| *order != 0).unwrap_or(0);
        spans
            .iter_mut()
            .filter(|span| span.order == 0 && span.kind == Clause::Main)
            .for_each(|span| span.order = -told);
    }
}

const PRONOUNS: &[&str] =
    &["we", "you", "it", "they", "i", "he", "she", "this", "that", "everyone", "everybody", "who", "what", "to"];

fn stance(words: &[Word], spans: &[Span]) -> Stance {
    let mut found = Stance::States;
    for span in spans.iter().filter(|span| span.kind == Clause::Main) {
        let inside = &words[span.from..span.to];
        let has = |cues: &[&str]| inside.iter().any(|word| !word.name && cues.contains(&word.lemma.as_str()));
        let not = has(&["not", "no", "never", "nolonger", "cannot", "nobody", "none"]);
        let imperative = span.verb.is_some_and(|verb| {
            verb <= span.from + 2
                && is_verb(&words[verb])
                && !words[verb].participle
                && words[verb].lower == words[verb].lemma
                && !words[verb].plural
                && (span.from..verb).all(|at| !is_content(words, at) && !PRONOUNS.contains(&words[at].lemma.as_str()))
        });
        let next = if has(&[
            "forbid",
            "ban",
            "prohibit",
            "disallow",
            "mustnot",
            "avoid",
            "cannot",
            "reject",
            "block",
            "discourage",
            "outlaw",
        ]) {
            if not && !has(&["cannot"]) { Stance::Permits } else { Stance::Forbids }
        } else if has(&["optional", "unnecessary", "voluntary", "needless"]) {
            if not { Stance::Demands } else { Stance::Frees }
        } else if has(&["must", "need", "require", "mandatory", "should", "necessary", "shall"]) {
            if not {
                if has(&["need", "require", "necessary", "mandatory"]) { Stance::Frees } else { Stance::Forbids }
            } else {
                Stance::Demands
            }
        } else if has(&["allow", "permit", "may", "can", "fine", "ok", "acceptable", "tolerate", "welcome"]) {
            if not { Stance::Forbids } else { Stance::Permits }
        } else if imperative {
            if not { Stance::Forbids } else { Stance::Demands }
        } else {
            Stance::States
        };
        if found == Stance::States {
            found = next;
        }
    }
    found
}
