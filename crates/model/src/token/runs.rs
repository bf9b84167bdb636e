//! Reading a text as a tokenizer would cut it, without its vocabulary: words with the one sign or blank before them,
//! numbers in threes, runs of signs, runs of blanks. What a piece costs is the sum of what its neighbouring characters
//! cost: letters which often stand together are mostly one token, others are not.
//!
//! Every sum only grows with the text, so a longer prefix never costs less: a piece that is not closed yet costs at
//! most what it will cost with whatever may follow. Nothing here allocates, and each byte is looked at twice at most.

use super::weights::{self, Prefix, Script};

/// What a token is made of: costs are counted in these.
const TOKEN: u64 = 64;
/// The spread of single texts is larger than that of many: so the first tokens carry the larger margin.
const MARGIN: u64 = 30;
const SHORT_MARGIN: u64 = 40;
const SHORT: u64 = 300 * TOKEN;

/// So far into a word it matters what stands before it.
const LETTERS_WITH_PREFIX: usize = 8;

/// About how many tokens stand in this text.
pub(super) fn count(text: &str) -> usize {
    let (mut at, mut cost) = (0, 0u64);
    while at < text.len() {
        let piece = Piece::at(text, at);
        cost += piece.cost;
        at = piece.end;
    }
    let cost = cost + cost / MARGIN + cost.min(SHORT) / SHORT_MARGIN;
    // No token is shorter than a byte.
    cost.div_ceil(TOKEN).min(text.len() as u64) as usize
}

/// What tokens never reach across.
struct Piece {
    cost: u64,
    end: usize,
}

impl Piece {
    fn at(text: &str, start: usize) -> Piece {
        let bytes = text.as_bytes();
        let first = bytes[start];
        let next = bytes.get(start + 1).map(|byte| Kind::of(*byte));
        match (Kind::of(first), next) {
            (Kind::Letter, _) => word(text, start, Prefix::None),
            (Kind::Digit, _) => number(bytes, start),
            (Kind::Sign, _) if first.is_ascii_control() => signs(text, start, false),
            (Kind::Blank | Kind::Sign, Some(Kind::Letter)) => word(text, start + 1, Prefix::of(first)),
            (Kind::Blank, Some(Kind::Sign)) if first == b' ' => signs(text, start + 1, true),
            (Kind::Blank, Some(Kind::Foreign)) if first == b' ' => match next_char(text, start + 1) {
                Some(next) if is_letter(next) => word(text, start + 1, Prefix::Blank),
                _ => signs(text, start + 1, true),
            },
            (Kind::Blank | Kind::Break, _) => blanks(bytes, start),
            (Kind::Sign, _) => signs(text, start, false),
            (Kind::Foreign, _) if next_char(text, start).is_some_and(is_letter) => word(text, start, Prefix::None),
            (Kind::Foreign, _) => signs(text, start, false),
        }
    }
}

/// What a byte is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Blank,
    Break,
    Sign,
    /// Outside ASCII, where the whole character has to be looked at.
    Foreign,
}

impl Kind {
    fn of(byte: u8) -> Kind {
        KINDS[usize::from(byte)]
    }
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Foreign; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Kind::Letter,
            b'0'..=b'9' => Kind::Digit,
            b'\n' | b'\r' => Kind::Break,
            b' ' | b'\t' | 0x0b | 0x0c => Kind::Blank,
            _ => Kind::Sign,
        };
        byte += 1;
    }
    kinds
};

fn next_char(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

fn is_blank(byte: u8) -> bool {
    matches!(Kind::of(byte), Kind::Blank | Kind::Break)
}

/// Marks that combine belong to the word they stand in.
fn is_letter(character: char) -> bool {
    match character {
        '\0'..='\x7f' => character.is_ascii_alphabetic(),
        '\u{300}'..='\u{36f}' | '\u{590}'..='\u{77f}' | '\u{900}'..='\u{eff}' | '\u{fe00}'..='\u{fe0f}' => true,
        _ => character.is_alphabetic(),
    }
}

fn number(bytes: &[u8], start: usize) -> Piece {
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    Piece { cost: length.div_ceil(3) as u64 * TOKEN, end: start + length }
}

/// The last blank of a run belongs to what follows it, and a run with line breaks ends with the last of them.
fn blanks(bytes: &[u8], start: usize) -> Piece {
    let run = &bytes[start..];
    let run = &run[..run.iter().position(|byte| !is_blank(*byte)).unwrap_or(run.len())];
    let last_break = run.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    let length = match last_break {
        // What follows the last break may yet be part of an empty line.
        _ if start + run.len() == bytes.len() => run.len(),
        Some(at) => at + 1,
        None => (run.len() - 1).max(1),
    };
    let run = &run[..length];
    let changes = run.windows(2).filter(|pair| pair[0] != pair[1]).count();
    // A single tab is a token at most, since it may yet be part of the word that follows.
    let tabs = run[1..].iter().filter(|byte| **byte == b'\t').count();
    let cost = TOKEN + changes as u64 * weights::BLANK_CHANGE + tabs as u64 * weights::TAB + length as u64 / 2;
    Piece { cost, end: start + length }
}

/// From its first letter on: capitals, then small letters, then what is left out between "don" and "t".
fn word(text: &str, start: usize, prefix: Prefix) -> Piece {
    let bytes = text.as_bytes();
    let (mut at, mut sum) = (start, 0u32);
    let (mut capitals, mut small) = (0u32, false);
    let mut last = Last::Nothing;
    while let Some(byte) = bytes.get(at).copied() {
        if Kind::of(byte) == Kind::Letter {
            let capital = byte.is_ascii_uppercase();
            if capital && small {
                break;
            }
            let mut letter = place(byte);
            sum += match last {
                Last::Foreign(_) => weights::FOREIGN_TO_LATIN,
                _ => prefix.first(letter) + if capital { prefix.capital() } else { 0 },
            };
            capitals += u32::from(capital);
            small |= !capital;
            at += 1;
            while let Some(byte) = bytes.get(at).copied().filter(|byte| Kind::of(*byte) == Kind::Letter) {
                if byte.is_ascii_uppercase() {
                    if small {
                        break;
                    }
                    sum += weights::CAPITAL;
                    capitals += 1;
                } else if !small {
                    sum += if capitals > 1 { weights::CAPITALS_TO_SMALL } else { 0 };
                    small = true;
                }
                let next = place(byte);
                sum += u32::from(weights::PAIRS[letter][next]);
                letter = next;
                at += 1;
            }
            last = Last::Latin;
            continue;
        }
        let Some(character) = next_char(text, at).filter(|next| !next.is_ascii() && is_letter(*next)) else { break };
        if character.is_uppercase() && small {
            break;
        }
        small |= character.is_lowercase();
        let script = Script::of(character);
        let same = matches!(last, Last::Foreign(before) if before == script);
        sum += if same { script.next_letter() } else { script.first_letter() };
        last = Last::Foreign(script);
        at += character.len_utf8();
    }
    let next_letters = (at - start).clamp(1, LETTERS_WITH_PREFIX) as u32 - 1;
    sum += next_letters * prefix.next();
    let (shortened, length) = contraction(&bytes[at..]);
    Piece { cost: weights::tokens(sum + shortened), end: at + length }
}

#[derive(Clone, Copy)]
enum Last {
    Nothing,
    Latin,
    Foreign(Script),
}

/// Where a letter stands in the alphabet.
fn place(letter: u8) -> usize {
    usize::from((letter | 0x20) - b'a') % weights::PAIRS.len()
}

/// `'s`, `'t`, `'re` and the like are part of the word before them. At the end of the text it is not known yet whether
/// an apostrophe begins one, so it costs no more than if it did.
fn contraction(rest: &[u8]) -> (u32, usize) {
    let small = |at: usize| rest.get(at).map(u8::to_ascii_lowercase);
    match (rest.first(), small(1), small(2)) {
        (Some(b'\''), None, _) => (0, 1),
        (Some(b'\''), Some(b's' | b't' | b'm' | b'd'), _) => (weights::CONTRACTION, 2),
        (Some(b'\''), Some(b'r' | b'v' | b'l'), None) => (weights::CONTRACTION, 2),
        (Some(b'\''), Some(b'r' | b'v'), Some(b'e')) | (Some(b'\''), Some(b'l'), Some(b'l')) => {
            (weights::CONTRACTION, 3)
        }
        _ => (0, 0),
    }
}

/// Signs up to the next letter, digit or blank, with the line breaks that follow them.
fn signs(text: &str, start: usize, after_blank: bool) -> Piece {
    let bytes = text.as_bytes();
    let (mut at, mut sum) = (start, 0u32);
    let mut last = Sign::Nothing;
    let (mut repeated, mut broken) = (0u32, false);
    while at < bytes.len() {
        let byte = bytes[at];
        // Control characters, as those which colour a terminal, join nothing.
        if !byte.is_ascii() || byte.is_ascii_control() && Kind::of(byte) == Kind::Sign {
            let Some(character) = next_char(text, at).filter(|next| !broken && !is_letter(*next)) else { break };
            let script = Script::of(character);
            sum += match last {
                Sign::Foreign(_, before) if before == character => script.same_sign(),
                Sign::Foreign(before, _) if before == script => script.next_sign(),
                _ => script.first_sign(),
            };
            last = Sign::Foreign(script, character);
            at += character.len_utf8();
            continue;
        }
        let line_break = matches!(byte, b'\n' | b'\r');
        if !line_break && (broken && byte != b'/' || Kind::of(byte) != Kind::Sign) {
            break;
        }
        broken |= line_break;
        let sign = weights::sign(byte);
        repeated = if matches!(last, Sign::Plain(before) if before == sign) { repeated + 1 } else { 0 };
        sum += match last {
            Sign::Nothing if after_blank => u32::from(weights::SIGN_AFTER_BLANK[sign]),
            Sign::Nothing => 0,
            Sign::Plain(_) if repeated > 1 => u32::from(weights::SIGN_AGAIN[sign]),
            Sign::Plain(before) => u32::from(weights::SIGN_PAIRS[before][sign]),
            Sign::Foreign(..) if line_break => 0,
            Sign::Foreign(..) => weights::FOREIGN_TO_PLAIN,
        };
        last = Sign::Plain(sign);
        at += 1;
    }
    Piece { cost: weights::tokens(sum), end: at }
}

#[derive(Clone, Copy)]
enum Sign {
    Nothing,
    Plain(usize),
    Foreign(Script, char),
}
