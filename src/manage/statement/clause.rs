//! What each part of a statement does: the segments it falls into, the stance of each (does, must, may, need not, must
//! not), and the role of every word: what it is about, what is said, where it holds, why.

use super::lexicon::{self, Class};
use super::order::{self, Order};
use super::quantity::{Quantity, quantities};
use super::reading::{Break, Kind, Token, read};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    Does,
    Must,
    May,
    NeedNot,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Topic,
    Action,
    Value,
    Scope,
    Condition,
    Reason,
}

#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) stance: Stance,
    pub(super) part: Part,
    /// Negations and words that forbid, together.
    pub(super) denials: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Main,
    Condition,
    Reason,
}

#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) tokens: Vec<Token>,
    pub(super) roles: Vec<Role>,
    /// The segment of each token.
    pub(super) within: Vec<usize>,
    pub(super) segments: Vec<Segment>,
    /// Follows "without".
    pub(super) lacked: Vec<bool>,
    pub(super) quantities: Vec<Quantity>,
    pub(super) orders: Vec<Order>,
}

impl Statement {
    /// What one means by "removed" depends on whether the other speaks of removing too: the second is for then, and
    /// only if this one does.
    pub(super) fn read(text: &str) -> (Statement, Option<Statement>) {
        let tokens = read(text);
        let removing = tokens.iter().any(|token| token.is(Class::REMOVALS));
        let second = removing.then(|| Self::of(tokens.clone(), false));
        (Self::of(tokens, true), second)
    }

    fn of(tokens: Vec<Token>, gone: bool) -> Statement {
        let segments = segments(&tokens, gone);
        let mut within = vec![0; tokens.len()];
        let mut roles = vec![Role::Topic; tokens.len()];
        for (number, segment) in segments.iter().enumerate() {
            within[segment.start..segment.end].fill(number);
            assign(&tokens, segment, number, &mut roles);
        }
        let quantities = quantities(&tokens);
        let orders = order::orders(&tokens);
        let lacked = lacked(&tokens);
        Statement { tokens, roles, within, segments, lacked, quantities, orders }
    }

    pub(super) fn says(&self, class: Class) -> bool {
        self.tokens.iter().any(|token| token.is(class))
    }

    /// Is it said of this word that it is not?
    pub(super) fn is_denied(&self, token: usize) -> bool {
        let lacked = self.lacked.get(token).copied().unwrap_or(false);
        match self.stance_at(token) {
            Stance::Not => !lacked,
            // "never without X": X is what must be.
            Stance::Must => false,
            _ => lacked,
        }
    }

    pub(super) fn stance_at(&self, token: usize) -> Stance {
        self.within.get(token).and_then(|at| self.segments.get(*at)).map_or(Stance::Does, |segment| segment.stance)
    }
}

fn lacked(tokens: &[Token]) -> Vec<bool> {
    let mut lacked = vec![false; tokens.len()];
    for at in (0..tokens.len()).filter(|at| tokens[*at].is(Class::LACKS)) {
        let ends = |token: &&Token| token.gap > Break::None || token.is(Class::BE) || token.is(Class::PREPOSITIONS);
        let length = tokens[at + 1..].iter().take(4).take_while(|token| !ends(token)).count();
        lacked[at + 1..=at + length].fill(true);
    }
    for at in 0..tokens.len() {
        let by = |at: usize| tokens.get(at).is_some_and(|token| token.lower == "by");
        let start = (0..at).rev().find(|at| tokens[*at].gap > Break::None).map_or(0, |at| at);
        match tokens[at].stem.as_str() {
            // "X was replaced by Y", "we replaced X with Y", "Y replaces X"
            "replac" | "supersed" if by(at + 1) => lacked[start..at].fill(true),
            "replac" | "supersed" => {
                let ends = |token: &&Token| token.gap > Break::None || token.is(Class::PREPOSITIONS);
                let length = tokens[at + 1..].iter().take(5).take_while(|token| !ends(token)).count();
                lacked[at + 1..=at + length].fill(true);
            }
            "switch" | "migrat" | "move" | "convert" | "chang" | "upgrad" | "renam" | "port" | "went" => {
                let from = (at + 1..tokens.len().min(at + 8)).find(|at| tokens[*at].lower == "from");
                let to = from.and_then(|from| {
                    (from..tokens.len().min(from + 6)).find(|at| ["to", "into"].contains(&tokens[*at].lower.as_str()))
                });
                if let (Some(from), Some(to)) = (from, to) {
                    lacked[from..to].fill(true);
                }
            }
            _ => {}
        }
    }
    lacked
}

fn segments(tokens: &[Token], gone: bool) -> Vec<Segment> {
    let mut found: Vec<Segment> = Vec::new();
    let (mut start, mut part, mut against) = (0, Part::Main, false);
    for at in 0..=tokens.len() {
        let cut = (at == tokens.len()).then_some((Part::Main, false)).or_else(|| boundary(tokens, start, at, part));
        let Some((next_part, next_against)) = cut else { continue };
        if at > start {
            let (stance, denials) = stance(&tokens[start..at], against, gone);
            found.push(Segment { start, end: at, stance, part, denials });
        }
        (start, part, against) = (at, next_part, next_against);
    }
    inherit(tokens, &mut found);
    found
}

/// A segment without a verb or a stance of its own goes on with the one before; and what may not be done until, or
/// without, is what must be done first.
fn inherit(tokens: &[Token], segments: &mut [Segment]) {
    for at in 0..segments.len() {
        let segment = segments[at].clone();
        let words = &tokens[segment.start..segment.end];
        let here = words.iter().any(|token| token.is(Class::LACKS));
        let next = segments.get(at + 1).is_some_and(|next| {
            next.part == Part::Condition
                && tokens[next.start].is(Class::UNTIL)
                && tokens[next.start].gap <= Break::Comma
        });
        // "nobody except X" is "only X".
        let sentence = segments[at..].iter().take(2).map(|next| &tokens[next.start..next.end]);
        let excepted = |token: &Token| {
            token.is(Class::EXCEPTIONS)
                && ["except", "apart", "other", "besides", "but", "barring"].contains(&token.lower.as_str())
        };
        let only = words.iter().any(|token| token.is(Class::NONE)) && sentence.flatten().any(excepted)
            || at > 0 && words.iter().any(|token| token.is(Class::NONE)) && excepted(&tokens[segments[at - 1].start]);
        if segment.stance == Stance::Not && segment.part == Part::Main && (here || next || only) {
            segments[at].stance = Stance::Must;
        }
        let silent = segment.part == Part::Main && segment.stance == Stance::Does && segment.denials == 0;
        let goes_on = at > 0 && tokens[segment.start].gap <= Break::Comma && segments[at - 1].part == Part::Main;
        if silent && goes_on && tokens[segment.start].lower != "but" && matches!(verb(words), Verb::None) {
            segments[at].stance = segments[at - 1].stance;
        }
    }
}

/// Does a new segment begin at this token? Then what part of the sentence it is, and whether it names what was not
/// chosen.
fn boundary(tokens: &[Token], start: usize, at: usize, part: Part) -> Option<(Part, bool)> {
    let token = &tokens[at];
    let next = tokens.get(at + 1);
    let comma = token.gap >= Break::Comma;
    let next_is = |word: &str| next.is_some_and(|next| next.lower == word);
    if token.is(Class::REASONS) && (comma || at > start) {
        let temporal = token.lower == "since"
            && next.is_some_and(|next| next.number.is_some() || next.kind != Kind::Word || next.lower == "last");
        if !temporal {
            return Some((Part::Reason, false));
        }
    }
    if comma && (token.lower == "so" || token.lower == "as") || token.lower == "so" && next_is("that") {
        return Some((Part::Reason, false));
    }
    if token.lower == "or" && next_is("else") {
        return Some((Part::Reason, false));
    }
    if token.is(Class::CONDITIONS) && (at > start || comma) {
        return Some((Part::Condition, false));
    }
    let relative = |at: usize| ["that", "who", "whose"].contains(&tokens[at].lower.as_str());
    let noun =
        at.checked_sub(1).is_some_and(|before| tokens[before].has_content() && !tokens[before].is(Class::FORBIDS));
    if relative(at) && at > start && noun && next.is_some_and(|next| next.kind != Kind::Code) {
        return Some((Part::Condition, false));
    }
    if part == Part::Condition
        && relative(start)
        && at > start + 2
        && (token.is(Class::BE) || token.is(Class::AUXILIARIES))
    {
        let helped = tokens[start + 1..at].iter().any(|token| token.is(Class::BE) || token.is(Class::AUXILIARIES));
        let before = &tokens[at - 1];
        let chained = before.is(Class::BE) || before.is(Class::AUXILIARIES) || before.is(Class::NEGATIONS);
        let verbal = tokens[start + 1..at].iter().any(is_verbal);
        if !chained && (helped || verbal) {
            return Some((Part::Main, false));
        }
    }
    let against = match token.lower.as_str() {
        "in" if next_is("favour") || next_is("favor") => return Some((Part::Main, false)),
        "instead" | "place" | "lieu" => next_is("of"),
        "rather" => next_is("than"),
        "opposed" => next_is("to"),
        "over" => tokens[start..at].iter().any(|t| {
            ["prefer", "preferred", "favour", "favor", "chose", "chosen", "preferr"].contains(&t.lower.as_str())
        }),
        "not" | "never" => comma && next.is_some_and(|next| !next.is(Class::BE)),
        "and" | "but" => next_is("not") || next_is("never"),
        "unlike" => true,
        _ => false,
    };
    if against {
        return Some((Part::Main, true));
    }
    if token.gap >= Break::Colon {
        return Some((condition_or_main(token), false));
    }
    if token.gap == Break::Comma {
        // An explanation runs on to the end of the sentence.
        let kept = if part == Part::Reason { Part::Reason } else { condition_or_main(token) };
        return Some((kept, false));
    }
    if token.lower == "but" {
        return Some((Part::Main, false));
    }
    if token.lower == "and" && at > start + 2 {
        let verb = next.is_some_and(|next| {
            next.is(Class::BE)
                || next.is(Class::AUXILIARIES)
                || next.is(Class::NEGATIONS)
                || lexicon::is_bare_verb(&next.lower)
                || next.kind == Kind::Word && next.lower.ends_with("ed") && is_verbal(next)
        });
        return verb.then_some((part, false));
    }
    None
}

fn condition_or_main(token: &Token) -> Part {
    if token.is(Class::CONDITIONS) { Part::Condition } else { Part::Main }
}

fn stance(tokens: &[Token], against: bool, gone: bool) -> (Stance, usize) {
    let mut negations = usize::from(against && !tokens.iter().take(2).any(|token| token.is(Class::NEGATIONS)));
    let (mut forbids, mut permits, mut duties, mut frees) = (0, 0, 0, 0);
    for (at, token) in tokens.iter().enumerate() {
        // "keep names out of the logs"
        let kept_out = token.lower == "out"
            && tokens.get(at + 1).is_some_and(|next| next.lower == "of")
            && tokens[..at].iter().any(|token| ["keep", "leav", "stay"].contains(&token.stem.as_str()));
        negations += usize::from(kept_out);
        forbids += usize::from(gone && token.is(Class::GONE) && token.kind == Kind::Word);
        negations += usize::from(token.is(Class::NEGATIONS));
        forbids += usize::from(token.is(Class::FORBIDS) && token.kind == Kind::Word);
        permits += usize::from(token.is(Class::PERMITS));
        duties += usize::from(token.is(Class::DUTIES));
        frees += usize::from(token.is(Class::FREES));
    }
    let must_not = tokens.windows(2).any(|pair| {
        ["must", "should", "shall", "may", "can"].contains(&pair[0].lower.as_str()) && pair[1].is(Class::NEGATIONS)
    });
    let denied = (negations + forbids) % 2 == 1;
    let stance = match () {
        () if must_not && forbids == 0 && frees > 0 => Stance::Must,
        () if must_not && forbids == 0 && negations % 2 == 1 => Stance::Not,
        () if frees > 0 && negations == 0 => Stance::NeedNot,
        () if frees > 0 => Stance::Must,
        () if forbids > 0 && negations > 0 && !denied => Stance::May,
        () if forbids > 0 && denied => Stance::Not,
        () if duties > 0 && denied && permits == 0 && is_free(tokens) => Stance::NeedNot,
        () if denied => Stance::Not,
        () if negations > 1 || duties > 0 => Stance::Must,
        () if permits > 0 => Stance::May,
        () => Stance::Does,
    };
    (stance, negations + forbids)
}

/// "is not required", "need not", "no need", "don't have to": nothing is forbidden.
fn is_free(tokens: &[Token]) -> bool {
    const LOOSE: [&str; 9] =
        ["required", "need", "needs", "needed", "have", "necessary", "mandatory", "require", "requires"];
    let negated = |at: usize| tokens[at.saturating_sub(3)..at].iter().any(|token| token.is(Class::NEGATIONS));
    let need_not = tokens.windows(2).any(|pair| pair[0].lower.starts_with("need") && pair[1].is(Class::NEGATIONS));
    need_not || (0..tokens.len()).any(|at| LOOSE.contains(&tokens[at].lower.as_str()) && negated(at))
}

/// A verb, also as the first word of a phrase: `belong to`.
fn is_verbal(token: &Token) -> bool {
    let first = token.stem.split(' ').next().unwrap_or_default();
    token.kind != Kind::Code && lexicon::is_verb(first)
}

enum Verb {
    At(usize),
    Order(usize),
    None,
}

fn verb(tokens: &[Token]) -> Verb {
    let auxiliary = tokens.iter().position(|token| token.is(Class::BE) || token.is(Class::AUXILIARIES));
    let leads = tokens.iter().take_while(|token| {
        token.is(Class::NEGATIONS)
            || ["always", "please", "do", "only", "also", "then", "and", "first", "so"].contains(&token.lower.as_str())
    });
    let first = leads.count();
    let ordered = tokens.get(first).is_some_and(|token| {
        (lexicon::is_bare_verb(&token.lower) || token.is(Class::USES) && !token.lower.ends_with("ed"))
            && tokens.get(first + 1).is_none_or(|next| next.number.is_some() || !next.is(Class::BE))
    });
    match auxiliary.filter(|at| *at > first) {
        Some(at) => return Verb::At(at),
        None if ordered => return Verb::Order(first),
        None => {}
    }
    if let Some(at) = auxiliary.filter(|at| *at >= first && *at + 1 < tokens.len()) {
        return Verb::At(at);
    }
    let inflected = |at: &usize| {
        let token = &tokens[*at];
        let before = &tokens[at - 1];
        let form = token.lower.ends_with('s')
            || token.lower.ends_with("ed")
            || token.is(Class::USES)
            || lexicon::is_bare_verb(&token.lower);
        let named = ["the", "a", "an", "our", "this", "each", "every"].contains(&before.lower.as_str());
        token.kind == Kind::Word && form && is_verbal(token) && !named && !before.is(Class::PREPOSITIONS)
    };
    // A form in -s is a verb more often than a bare one, which may be a noun in a compound.
    let candidates: Vec<usize> = (1..tokens.len()).filter(inflected).collect();
    let spoken = candidates.iter().find(|at| {
        tokens[**at].lower != lexicon::stem(&tokens[**at].lower) && !lexicon::is_bare_verb(&tokens[**at].lower)
    });
    match spoken.or(candidates.first()) {
        Some(at) => Verb::At(*at),
        None => Verb::None,
    }
}

fn assign(tokens: &[Token], segment: &Segment, number: usize, roles: &mut [Role]) {
    let range = segment.start..segment.end;
    match segment.part {
        Part::Condition => return roles[range].fill(Role::Condition),
        Part::Reason => return roles[range].fill(Role::Reason),
        Part::Main => {}
    }
    let words = &tokens[range.clone()];
    let roles = &mut roles[range];
    let begins_placed = words.first().is_some_and(|token| token.is(Class::PLACES));
    let (verb, mut role) = match verb(words) {
        Verb::At(at) => (at, Role::Value),
        Verb::Order(at) => (at, if words[at].is(Class::USES) { Role::Value } else { Role::Topic }),
        Verb::None if begins_placed => return roles.fill(Role::Scope),
        Verb::None => {
            let later = number > 0 && tokens[segment.start].gap != Break::Strong;
            return phrase(words, roles, if later { Role::Value } else { Role::Topic });
        }
    };
    roles[..verb].fill(Role::Topic);
    if begins_placed {
        let named =
            |token: &Token| ["the", "a", "an", "our", "we", "all", "every", "each"].contains(&token.lower.as_str());
        let scope = words[..verb].iter().skip(2).position(named).map_or(verb, |at| at + 2);
        roles[..scope].fill(Role::Scope);
    }
    let mut places = words[verb].is(Class::PLACING) || words[verb].is(Class::BE);
    roles[verb] = Role::Action;
    let helper = words[verb].is(Class::BE) || words[verb].is(Class::AUXILIARIES);
    let mut acted = !helper;
    for at in verb + 1..words.len() {
        let token = &words[at];
        if token.is(Class::PREPOSITIONS) && token.lower != "of" {
            role = match (token.is(Class::PLACES), places) {
                (true, true) => Role::Value,
                (true, false) => Role::Scope,
                (false, _) => Role::Value,
            };
            places = false;
        } else if !acted && is_verbal(token) && token.has_content() {
            roles[at] = Role::Action;
            places = token.is(Class::PLACING);
            acted = true;
            continue;
        } else if !acted && token.has_content() {
            acted = true;
        }
        roles[at] = role;
    }
}

/// A segment without a verb: what follows "for" or "in" is its scope.
fn phrase(words: &[Token], roles: &mut [Role], first: Role) {
    let mut role = first;
    for (token, slot) in words.iter().zip(roles) {
        if token.is(Class::PREPOSITIONS) && token.lower != "of" {
            role = if token.is(Class::PLACES) { Role::Scope } else { Role::Value };
        }
        *slot = role;
    }
}
