//! A text cut into words: what is code or a name, where a pause stands, phrases read as one word, numbers with their unit.

use super::lemma::lemma;
use super::lexicon::{Entry, Lexicon, lexicon};
use super::measure::numbers;
use super::number::{self, Quantity};

/// Longer texts are compared by their beginning.
pub(super) const MOST_WORDS: usize = 400;
const MOST_LETTERS: usize = 80;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pause {
    #[default]
    None,
    Comma,
    /// A bracket, dash or colon.
    Aside,
    Sentence,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// In lower case, as it was written.
    pub(super) lower: String,
    pub(super) lemma: String,
    pub(super) code: bool,
    /// Written with a capital where no sentence begins, or with capitals inside.
    pub(super) name: bool,
    /// Ends like a participle: `cached`, `written`.
    pub(super) participle: bool,
    pub(super) plural: bool,
    /// What stands between this word and the one before.
    pub(super) pause: Pause,
    pub(super) quantity: Option<Quantity>,
    /// What the lists know of its lemma.
    pub(super) entry: Option<&'static Entry>,
}

pub(super) fn words(text: &str) -> Vec<Word> {
    let lexicon = lexicon();
    let mut cut = Cut { words: Vec::new(), pause: Pause::Sentence, lexicon, in_code: false };
    for chunk in text.split_whitespace() {
        if cut.words.len() >= MOST_WORDS {
            break;
        }
        cut.chunk(chunk);
    }
    let mut words = numbers(phrases(cut.words, lexicon));
    words.iter_mut().for_each(|word| word.entry = lexicon.get(&word.lemma));
    words
}

struct Cut {
    words: Vec<Word>,
    pause: Pause,
    lexicon: &'static Lexicon,
    in_code: bool,
}

const OPENING: &[char] = &['(', '[', '{', '"', '\'', '“', '‘', '«', '*', '„'];
const CLOSING: &[char] = &[')', ']', '}', '"', '\'', '”', '’', '»', '*', '“', '.', ',', ';', ':', '!', '?', '…'];

impl Cut {
    fn chunk(&mut self, chunk: &str) {
        if matches!(chunk, "-" | "–" | "—" | "--" | "->" | "→" | "=>" | "/" | "|" | "•" | "=" | "&" | "+") {
            if chunk == "&" || chunk == "+" {
                self.push("and", false);
            } else if chunk == "→" || chunk == "->" || chunk == "=>" {
                self.push("to", false);
            } else if chunk != "=" {
                self.pause = self.pause.max(Pause::Aside);
            }
            return;
        }
        let opens = chunk.matches('`').count();
        let code = self.in_code || opens > 0;
        if opens % 2 == 1 {
            self.in_code = !self.in_code;
        }
        let inside = chunk.trim_start_matches(OPENING);
        if inside.len() < chunk.len() && chunk.starts_with('(') {
            self.pause = self.pause.max(Pause::Aside);
        }
        let bare = inside.trim_end_matches(CLOSING);
        let after = &inside[bare.len()..];
        // A call keeps its brackets away: `unwrap()` is `unwrap`.
        let bare = bare.trim_matches('`').trim_end_matches("()").trim_end_matches('(');
        if !bare.is_empty() {
            self.word(bare, code);
        }
        let pause = if after.contains(['.', ';', '!', '?']) {
            Pause::Sentence
        } else if after.contains([':', ')', '…']) {
            Pause::Aside
        } else if after.contains(',') {
            Pause::Comma
        } else {
            Pause::None
        };
        self.pause = self.pause.max(pause);
    }

    fn word(&mut self, bare: &str, code: bool) {
        let bare: String =
            bare.chars().take(MOST_LETTERS).map(|letter| if letter == '’' { '\'' } else { letter }).collect();
        let lower = bare.to_lowercase();
        if self.lexicon.knows(&lower) && !lower.contains('\'') {
            return self.push(&bare, code);
        }
        for (short, long) in
            [("can't", "cannot"), ("won't", "will not"), ("mustn't", "mustnot"), ("shan't", "shall not")]
        {
            if lower == short {
                return long.split(' ').for_each(|word| self.push(word, false));
            }
        }
        if let Some(verb) = lower.strip_suffix("n't") {
            self.push(verb, false);
            return self.push("not", false);
        }
        for ending in ["'s", "'re", "'ve", "'ll", "'d", "'m", "s'"] {
            if let Some(stem) = lower.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
                let kept = if ending == "s'" { stem.len() + 1 } else { stem.len() };
                let word = bare.get(..kept).unwrap_or(stem).to_owned();
                self.push(&word, code);
                if matches!(ending, "'re" | "'m")
                    || (ending == "'s" && matches!(stem, "it" | "that" | "there" | "here" | "what"))
                {
                    self.push("be", false);
                }
                return;
            }
        }
        if number::parse(&lower).is_some() {
            return self.push(&bare, code);
        }
        if let Some(rid) = bare.strip_suffix("-free").or_else(|| bare.strip_suffix("-less")).filter(|_| !code) {
            self.push("no", false);
            return self.push(rid, false);
        }
        const NOT_DENYING: &[&str] = &[
            "unless",
            "regardless",
            "nevertheless",
            "nonetheless",
            "serverless",
            "wireless",
            "headless",
            "stateless",
            "doubtless",
        ];
        if let Some(stem) =
            lower.strip_suffix("less").filter(|stem| stem.len() > 3 && !code && !NOT_DENYING.contains(&lower.as_str()))
        {
            self.push("no", false);
            return self.push(stem, false);
        }
        // `IE11`, `Node20`: a name and its version.
        let digits = bare.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        if !code
            && bare.len() - digits <= 2
            && digits >= 2
            && digits < bare.len()
            && bare.starts_with(|letter: char| letter.is_ascii_uppercase())
            && bare[..digits].bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            let (name, version) = (bare[..digits].to_owned(), bare[digits..].to_owned());
            self.push(&name, false);
            return self.push(&version, false);
        }
        // `line-length=100`, `acks=all`: a name and its value.
        if let Some((name, value)) = bare.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty())
        {
            let (name, value) = (name.trim_end_matches(['=', '!', '<', '>']), value.trim_start_matches('='));
            if !name.is_empty() {
                self.push(name, true);
            }
            return self.push(value, true);
        }
        let plain = |part: &str| !part.is_empty() && part.chars().all(char::is_alphanumeric);
        let dashes = |letter: char| matches!(letter, '-' | '‑' | '–' | '—' | '/');
        if lower.contains(dashes) && bare.split(dashes).all(plain) && (!code || lower.split(dashes).count() == 1) {
            // `doc-comment` is two words; `us-east-1`, `e2e-3` stay names.
            let has_digit = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit());
            let parts: Vec<&str> = bare.split(dashes).collect();
            if parts.iter().all(|part| !has_digit(part) || number::parse(&part.to_lowercase()).is_some()) {
                return parts.into_iter().for_each(|part| self.push(part, false));
            }
        }
        self.push(&bare, code);
    }

    fn push(&mut self, written: &str, code: bool) {
        if self.words.len() >= MOST_WORDS {
            return;
        }
        let lower = written.to_lowercase();
        let marks = |letter: char| {
            matches!(letter, '_' | '/' | '.' | ':' | '@' | '#' | '<' | '>' | '{' | '}' | '(' | '$' | '%')
        };
        let mut letters = written.chars();
        let capital = letters.next().is_some_and(char::is_uppercase);
        let capital_inside = letters.any(char::is_uppercase);
        let number = number::parse(&lower);
        let code = number.is_none()
            && (code
                || lower.contains(marks)
                || (capital_inside && written.chars().any(char::is_lowercase) && !capital));
        let begins = self.pause == Pause::Sentence;
        let name = !code && number.is_none() && (capital_inside || (capital && !begins && written.len() > 1));
        let known = self.lexicon.get(&lower).is_some_and(|entry| entry.names_a_choice() || (entry.ambiguous && name));
        let lemma = if code || known || number.is_some() { lower.clone() } else { lemma(&lower, self.lexicon) };
        let irregular_participle = [
            "written",
            "built",
            "sent",
            "kept",
            "held",
            "taken",
            "given",
            "chosen",
            "shown",
            "done",
            "set",
            "put",
            "made",
            "found",
            "frozen",
            "forbidden",
            "bound",
            "hidden",
            "run",
            "thrown",
            "drawn",
            "paid",
            "sold",
            "rewritten",
        ];
        let participle = lower.ends_with("ed") || irregular_participle.contains(&lower.as_str());
        self.words.push(Word {
            plural: lower.ends_with('s') && lemma.len() < lower.len(),
            lemma,
            code,
            name,
            participle,
            pause: std::mem::take(&mut self.pause),
            quantity: number,
            lower,
            entry: None,
        });
    }
}

/// Reads phrases as the one word they stand for.
fn phrases(words: Vec<Word>, lexicon: &Lexicon) -> Vec<Word> {
    let mut read: Vec<Word> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let first = &words[at];
        let fits = |rest: &[&str]| {
            rest.iter().enumerate().all(|(further, wanted)| {
                words.get(at + 1 + further).is_some_and(|word| {
                    word.pause == Pause::None && (word.lemma == *wanted || word.lower == *wanted) && !word.code
                })
            })
        };
        let mut found =
            lexicon.phrases(&first.lemma).iter().chain(lexicon.phrases(&first.lower)).filter(|_| !first.code);
        // `is used to store` is no `used to`.
        let formerly = |to: &[&str]| {
            to == ["formerly"] && read.last().is_some_and(|last| matches!(last.lemma.as_str(), "be" | "get"))
        };
        match found.find(|(rest, to)| fits(rest) && !formerly(to)) {
            Some((rest, to)) => {
                // `600 requests a minute` is a rate, not a minute.
                let rate = matches!(first.lemma.as_str(), "a")
                    && read.last().is_some_and(|last| last.plural)
                    && to.len() == 2
                    && to[0] == "1"
                    && first.pause == Pause::None;
                if rate {
                    read.push(Word {
                        lower: format!("per{}", to[1]),
                        lemma: format!("per{}", to[1]),
                        ..Word::default()
                    });
                    at += 1 + rest.len();
                    continue;
                }
                for (place, word) in to.iter().enumerate() {
                    let pause = if place == 0 { first.pause } else { Pause::None };
                    let quantity = number::parse(word);
                    // Already a lemma, but for the plural of a unit.
                    let lemma = if quantity.is_none() && word.ends_with('s') {
                        lemma(word, lexicon)
                    } else {
                        (*word).to_owned()
                    };
                    let last = &words[at + rest.len()];
                    read.push(Word {
                        lower: (*word).to_owned(),
                        lemma,
                        pause,
                        quantity,
                        participle: first.participle || last.participle,
                        ..Word::default()
                    });
                }
                at += 1 + rest.len();
            }
            None => {
                read.push(first.clone());
                at += 1;
            }
        }
    }
    read
}
