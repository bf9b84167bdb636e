//! A statement taken apart into tokens: words with their stems and senses, code and names, numbers, and the breaks
//! between them. Does not know what a clause is.

use super::lexicon::{self, Class, Sense};
use super::quantity::{self, Number};
use super::thesaurus::{self, Meanings};

/// More words than this are not read: a statement is a sentence or three, and comparing is not linear.
const MOST_WORDS: usize = 400;
const LONGEST_WORD: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Break {
    None,
    Comma,
    /// A colon: what follows names or explains.
    Colon,
    /// The end of a sentence, a semicolon, a dash, a bracket.
    Strong,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// An identifier, path, flag, version: in backticks, or written like none of the language.
    Code,
    /// A capital inside a sentence.
    Name,
    Number,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) raw: String,
    pub(super) lower: String,
    pub(super) stem: String,
    /// Of a phrase or an identifier of several parts.
    pub(super) parts: Vec<String>,
    pub(super) senses: &'static [Sense],
    pub(super) meanings: Meanings,
    pub(super) kind: Kind,
    pub(super) class: Class,
    pub(super) number: Option<Number>,
    /// What stands before it.
    pub(super) gap: Break,
    /// How much a match or a difference of it tells; 0 for words without content.
    pub(super) weight: f64,
}

impl Token {
    pub(super) fn is(&self, class: Class) -> bool {
        self.class.has(class)
    }

    pub(super) fn has_content(&self) -> bool {
        self.weight > 0.0
    }
}

pub(super) fn read(text: &str) -> Vec<Token> {
    let mut words = Vec::new();
    let (mut gap, mut code, mut begins) = (Break::Strong, false, true);
    for chunk in text.split_whitespace().take(MOST_WORDS) {
        let chunk: String = chunk.chars().take(LONGEST_WORD).map(plain).collect();
        let mut marks = Break::None;
        for piece in pieces(&chunk, &mut code) {
            match piece {
                Piece::Mark(found) => {
                    gap = gap.max(found);
                    marks = marks.max(found);
                }
                Piece::Word(word, quoted) => {
                    split_word(&word, quoted, begins || gap == Break::Strong, gap, &mut words);
                    (gap, begins) = (Break::None, false);
                }
            }
        }
        begins = marks == Break::Strong;
    }
    merge(words)
}

fn plain(character: char) -> char {
    match character {
        '‘' | '’' | 'ʼ' => '\'',
        '“' | '”' | '„' | '«' | '»' => '"',
        '‑' | '‐' | '−' => '-',
        '–' => '—',
        other => other,
    }
}

enum Piece {
    Word(String, bool),
    Mark(Break),
}

/// What stands between two blanks: a word, and the punctuation around it. `code` says whether a backtick is open.
fn pieces(chunk: &str, code: &mut bool) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut word = String::new();
    let characters: Vec<char> = chunk.chars().collect();
    if ["-", "--", "—", "->", "=>", "→", "|"].contains(&chunk) && !*code {
        return vec![Piece::Mark(if chunk.contains(['>', '→']) { Break::Comma } else { Break::Strong })];
    }
    let flush = |word: &mut String, quoted: bool, found: &mut Vec<Piece>| {
        if !word.is_empty() {
            found.push(Piece::Word(std::mem::take(word), quoted));
        }
    };
    for (at, &character) in characters.iter().enumerate() {
        let ends = characters[at + 1..].iter().all(|next| !next.is_alphanumeric());
        match character {
            '`' => {
                flush(&mut word, *code, &mut found);
                *code = !*code;
            }
            _ if *code => word.push(character),
            '"' => flush(&mut word, false, &mut found),
            ',' if ends => {
                flush(&mut word, false, &mut found);
                found.push(Piece::Mark(Break::Comma));
            }
            '.' | '!' | '?' | ';' if ends => {
                flush(&mut word, false, &mut found);
                found.push(Piece::Mark(Break::Strong));
            }
            ':' if ends => {
                flush(&mut word, false, &mut found);
                found.push(Piece::Mark(Break::Colon));
            }
            '—' | '…' => {
                flush(&mut word, false, &mut found);
                found.push(Piece::Mark(Break::Strong));
            }
            '(' | '[' if word.is_empty() => found.push(Piece::Mark(Break::Strong)),
            ')' | ']' if !word.contains(['(', '[']) => {
                flush(&mut word, false, &mut found);
                found.push(Piece::Mark(Break::Strong));
            }
            '\'' if word.is_empty() || ends && !characters[at + 1..].contains(&'s') => {}
            _ => word.push(character),
        }
    }
    flush(&mut word, *code, &mut found);
    found
}

/// One written word may be several: `isn't`, `read-only`, `30s`, `a/b`.
fn split_word(word: &str, quoted: bool, begins: bool, gap: Break, words: &mut Vec<Token>) {
    let lower = word.to_lowercase();
    if quoted {
        return words.push(code(word, &lower, gap));
    }
    if let Some((number, unit)) = quantity::number(&lower) {
        words.push(numeral(word, &lower, number, gap));
        if !unit.is_empty() {
            words.push(prose(unit, unit, false, Break::None));
        }
        return;
    }
    if let Some(stem) = lower.strip_suffix("n't") {
        let helper = match stem {
            "ca" => "can",
            "wo" => "will",
            "sha" => "shall",
            stem => stem,
        };
        words.push(prose(helper, helper, false, gap));
        return words.push(prose("not", "not", false, Break::None));
    }
    if lower == "cannot" {
        words.push(prose("can", "can", false, gap));
        return words.push(prose("not", "not", false, Break::None));
    }
    let (lower, word) = match lower.split_once('\'') {
        Some((stem, "s" | "re" | "ll" | "ve" | "d" | "m" | "")) => {
            (stem.to_owned(), &word[..stem.len().min(word.len())])
        }
        _ => (lower.clone(), word),
    };
    let is_prose = lower.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'');
    if !is_prose {
        let slashed = lower.chars().all(|c| c.is_alphabetic() || c == '/') && !lower.starts_with('/');
        let halves: Vec<&str> = word.split('/').filter(|half| !half.is_empty()).collect();
        if slashed && halves.len() == 2 && !lower.ends_with('/') {
            for half in halves {
                words.push(prose(half, &half.to_lowercase(), false, gap));
            }
            return;
        }
        return words.push(code(word, &lower, gap));
    }
    let camel = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    if camel && lexicon::senses(&lexicon::stem(&lower)).is_empty() && !lower.contains('-') {
        return words.push(code(word, &lower, gap));
    }
    let named = word.starts_with(char::is_uppercase) && (!begins || word.chars().skip(1).any(char::is_uppercase));
    let mut gap = gap;
    let dashed = lower.contains('-') && lower.len() > 2;
    let parts: Vec<&str> = if dashed { word.split('-').filter(|part| !part.is_empty()).collect() } else { vec![word] };
    for part in parts {
        let part_lower = part.to_lowercase();
        match quantity::word(&part_lower) {
            Some(number) => words.push(numeral(part, &part_lower, number, gap)),
            None => words.push(prose(part, &part_lower, named, gap)),
        }
        gap = Break::None;
    }
}

fn prose(raw: &str, lower: &str, named: bool, gap: Break) -> Token {
    let stem = lexicon::stem(lower);
    let class = lexicon::class(lower);
    let senses = lexicon::senses(&stem);
    let kind = if named { Kind::Name } else { Kind::Word };
    let weight = match () {
        () if class.has(Class::EMPTY) => 0.0,
        () if lexicon::is_light(&stem) => 0.6,
        () if named => 1.2,
        () => 1.0,
    };
    Token {
        raw: raw.to_owned(),
        lower: lower.to_owned(),
        stem,
        parts: Vec::new(),
        senses,
        meanings: if weight > 0.0 { thesaurus::meanings(lower) } else { &[] },
        kind,
        class,
        number: None,
        gap,
        weight,
    }
}

fn numeral(raw: &str, lower: &str, number: Number, gap: Break) -> Token {
    let token = prose(raw, lower, false, gap);
    Token { kind: Kind::Number, number: Some(number), weight: 1.0, senses: &[], class: Class::default(), ..token }
}

fn code(raw: &str, lower: &str, gap: Break) -> Token {
    let bare = lower.trim_end_matches("()").trim_end_matches('/').trim_start_matches("./").trim_start_matches('-');
    let bare = if bare.is_empty() { lower } else { bare };
    let stem = if bare.bytes().all(|b| b.is_ascii_lowercase()) { lexicon::stem(bare) } else { bare.to_owned() };
    let shown = raw.trim_end_matches("()").trim_start_matches('-');
    let parts: Vec<String> = identifier_parts(shown).into_iter().map(|part| lexicon::stem(&part)).take(8).collect();
    let joined = parts.join(" ");
    let found = lexicon::senses(&stem);
    let senses = if found.is_empty() { lexicon::senses(&joined) } else { found };
    let class = if lexicon::class(bare).has(Class::NEGATIONS) { lexicon::class(bare) } else { Class::default() };
    let weight = 1.4;
    Token {
        raw: raw.to_owned(),
        lower: lower.to_owned(),
        stem,
        parts,
        senses,
        meanings: &[],
        kind: Kind::Code,
        class,
        number: None,
        gap,
        weight,
    }
}

/// `customers.phoneNumber` → customers, phone, number
fn identifier_parts(raw: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut last_lower = false;
    for character in raw.chars() {
        let boundary = character.is_uppercase() && last_lower;
        if (!character.is_alphanumeric() || boundary) && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if character.is_alphanumeric() {
            part.extend(character.to_lowercase());
        }
        last_lower = character.is_lowercase() || character.is_numeric();
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// Phrases the lexicon knows become one token, the longest first.
fn merge(words: Vec<Token>) -> Vec<Token> {
    let mut merged = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let longest = lexicon::phrase_from(&words[at].stem).min(words.len() - at);
        let phrase = (2..=longest).rev().find_map(|length| {
            let parts = &words[at..at + length];
            let joined = parts[1..].iter().all(|part| part.gap == Break::None);
            let solid = length > 2 || parts.iter().any(|part| part.has_content() && part.kind != Kind::Number);
            if !joined || !solid {
                return None;
            }
            let stem = parts.iter().map(|part| part.stem.as_str()).collect::<Vec<_>>().join(" ");
            let senses = lexicon::senses(&stem);
            (!senses.is_empty()).then_some((length, stem, senses))
        });
        let Some((length, stem, senses)) = phrase else {
            merged.push(words[at].clone());
            at += 1;
            continue;
        };
        let parts = &words[at..at + length];
        let say = |part: fn(&Token) -> &str| parts.iter().map(part).collect::<Vec<_>>().join(" ");
        merged.push(Token {
            raw: say(|part| &part.raw),
            lower: say(|part| &part.lower),
            parts: parts.iter().filter(|part| part.has_content()).map(|part| part.stem.clone()).collect(),
            stem,
            senses,
            meanings: &[],
            kind: parts[0].kind,
            class: parts.iter().fold(Class::default(), |class, part| class.with(part.class)).phrase(),
            number: None,
            gap: parts[0].gap,
            weight: 1.2,
        });
        at += length;
    }
    // `Go` is a language where it stands like a name, and so is `Make`.
    for at in 0..merged.len() {
        let token = &merged[at];
        let chosen = token.senses.iter().any(|sense| sense.table == lexicon::Table::Choices);
        let capital = token.raw.starts_with(char::is_uppercase) && token.class.has(Class::EMPTY) && chosen;
        let stated = merged.get(at + 1).is_some_and(|next| next.gap == Break::None && next.is(Class::BE));
        if capital && (token.gap != Break::Strong || stated) {
            (merged[at].kind, merged[at].weight, merged[at].class) = (Kind::Name, 1.2, Class::default());
        }
    }
    for at in 1..merged.len() {
        let counted = merged[at - 1].number.is_some()
            || ["every", "each", "per", "a", "an"].contains(&merged[at - 1].lower.as_str());
        let over = merged[at].lower == "longer" && ["no", "any"].contains(&merged[at - 1].lower.as_str());
        if over || counted && quantity::is_unit(&merged[at].lower) {
            merged[at].weight = 0.0;
        }
    }
    for at in 0..merged.len() {
        for length in 2..=3 {
            if let Some(parts) = merged.get(at..at + length) {
                let phrase = parts.iter().map(|part| part.lower.as_str()).collect::<Vec<_>>().join(" ");
                let class = lexicon::class(&phrase);
                merged[at].class = merged[at].class.with(class.content());
            }
        }
    }
    merged
}
