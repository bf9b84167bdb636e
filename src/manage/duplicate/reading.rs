//! A text taken apart into what it says: words, names, values and negations, in order, without what carries no meaning.

use super::sentence::settle;
use super::spelling::{
    QUOTES, one_spelling, plain_quote, without_closing, without_emphasis, without_marks, without_thousands,
};
use super::words;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Word,
    /// Written with a capital inside a sentence, or part of a compound: it does not inflect.
    Name,
    /// A number, version, path, flag or identifier, and everything quoted.
    Value,
    Negation,
    /// Punctuation between clauses.
    Pause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Fixed,
    /// May be a plural or a third person.
    Plain,
    Gerund,
    Passive,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    /// As it was written.
    pub(super) exact: String,
    /// As it is compared.
    pub(super) text: String,
    pub(super) sort: Sort,
    pub(super) form: Form,
    /// What was left out right before it.
    pub(super) gap: Gap,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gap {
    #[default]
    Nothing,
    Copula,
    Other,
}

pub(super) fn read(text: &str) -> Vec<Token> {
    let text: String = text.chars().map(plain_quote).collect();
    let mut reading = Reading::default();
    for chunk in text.split_whitespace() {
        reading.chunk(chunk);
    }
    reading.end_sentence();
    while reading.told.last().is_some_and(|token| token.sort == Sort::Pause) {
        reading.told.pop();
    }
    reading.told
}

#[derive(Default)]
struct Reading {
    told: Vec<Token>,
    sentence: Vec<Token>,
    /// Inside a quotation that opened with this.
    quote: Option<char>,
    /// A word of this sentence was read, if only an article.
    begun: bool,
    gap: Gap,
}

impl Reading {
    fn chunk(&mut self, chunk: &str) {
        let inside = without_emphasis(chunk.trim_start_matches(['(', '[', '{']));
        let opens = inside.chars().next().filter(|first| self.quote.is_none() && QUOTES.contains(first));
        self.quote = self.quote.or(opens);
        let quoted = self.quote.is_some();
        let body = &inside[usize::from(opens.is_some())..];
        if self.quote.is_some_and(|quote| body.contains(quote)) {
            self.quote = None;
        }
        let (body, marks) = if quoted { without_closing(body) } else { without_marks(body) };
        match body {
            "" => {}
            _ if quoted => self.quoted(&body.replace('`', "")),
            "-" | "*" | "•" if !self.begun => {}
            "-" | "--" if !self.follows_a_number() => self.pause("-"),
            "=" => {}
            _ => self.open_word(body),
        }
        if marks.contains('?') {
            self.push("?", "?", Sort::Value);
        }
        if marks.contains(['.', '!', '?']) {
            self.end_sentence();
        } else if marks.contains(':') {
            self.pause(":");
            self.begun = false;
        } else if marks.contains([',', ';', '—']) {
            self.pause(if marks.contains(',') { "," } else { ";" });
        }
    }

    fn quoted(&mut self, body: &str) {
        self.begun = true;
        self.push(body, body, Sort::Value);
    }

    /// A run of letters, digits and whatever stands between them, outside quotation marks.
    fn open_word(&mut self, body: &str) {
        let is_prose = body.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'');
        if !is_prose || body.starts_with('-') || body.ends_with('-') {
            return self.value(body);
        }
        let body = body.trim_matches('\'');
        let lower = body.to_lowercase();
        if let Some(stem) = lower.strip_suffix("n't").or(lower.strip_suffix("not").filter(|stem| *stem == "can")) {
            let helper = match stem {
                "ca" => "can",
                "wo" => "will",
                "sha" => "shall",
                stem => stem,
            };
            self.word(helper, false);
            return self.word("not", false);
        }
        let (stem, ending) = body.split_once('\'').unwrap_or((body, ""));
        let parts = stem.split('-').filter(|part| !part.is_empty());
        parts.for_each(|part| self.word(part, stem.contains('-')));
        match ending {
            "re" => self.word("are", false),
            "ve" => self.word("have", false),
            "ll" => self.word("will", false),
            "" | "s" => {}
            other => self.word(other, false),
        }
    }

    fn word(&mut self, exact: &str, compound: bool) {
        let lower = exact.to_lowercase();
        let capital = exact.starts_with(char::is_uppercase);
        let shouted = exact.chars().count() > 1 && exact.trim_end_matches('s').chars().all(char::is_uppercase);
        let inside = exact.chars().skip(1).any(char::is_uppercase) && !shouted;
        let named = (capital && self.begun) || shouted || compound;
        self.begun = true;
        if inside && !words::CAPITALS_INSIDE.contains(&lower.as_str()) {
            return self.push(exact, exact, Sort::Value);
        }
        if self.is_idle_pronoun(&lower) {
            return;
        }
        let is_plan_a = exact == "A" && named;
        if words::EMPTY.contains(&lower.as_str()) && !shouted && !compound && !is_plan_a {
            self.gap = if words::BE.contains(&lower.as_str()) { Gap::Copula } else { Gap::Other };
            return;
        }
        if let Some(unit) = words::unit(exact).filter(|_| self.follows_a_number()) {
            return self.push(exact, unit, Sort::Value);
        }
        if let Some(number) = words::NUMBERS.iter().position(|number| *number == lower) {
            return self.push(exact, &(number + 1).to_string(), Sort::Value);
        }
        if self.gap == Gap::Copula && words::PARTICIPLE_OR_NOT.contains(&lower.as_str()) {
            self.push("be", "be", Sort::Word);
        }
        if self.gap == Gap::Other && words::WITH_ARTICLE.contains(&lower.as_str()) {
            self.push("a", "a", Sort::Word);
        }
        let sort = match lower.as_str() {
            word if words::NEGATIONS.contains(&word) => Sort::Negation,
            _ if named => Sort::Name,
            _ => Sort::Word,
        };
        match words::synonym(&lower) {
            Some(long) => long.split(' ').for_each(|part| self.push(exact, part, sort)),
            None => self.push(exact, &one_spelling(&lower), sort),
        }
    }

    fn value(&mut self, body: &str) {
        self.begun = true;
        let digits = body.find(|c: char| !(c.is_ascii_digit() || ['.', ','].contains(&c))).unwrap_or(body.len());
        let (number, rest) = body.split_at(digits);
        let rest = rest.strip_prefix('-').filter(|rest| rest.len() > 1).unwrap_or(rest);
        if body.starts_with(|c: char| c.is_ascii_digit()) && (rest.is_empty() || words::unit(rest).is_some()) {
            self.push(number, &without_thousands(number), Sort::Value);
            if let Some(unit) = words::unit(rest) {
                self.push(rest, unit, Sort::Value);
            }
            return;
        }
        let lower = body.to_lowercase();
        let one_case = lower == body || body.to_uppercase() == body;
        let simple = body.starts_with(char::is_alphabetic) && body.chars().all(|c| c.is_alphanumeric() || c == '-');
        let unit = words::unit(body).filter(|_| self.follows_a_number());
        match words::synonym(&lower).filter(|_| simple) {
            Some(name) => self.push(body, name, Sort::Name),
            None if simple && one_case => self.push(body, &lower, Sort::Value),
            None => self.push(body, unit.unwrap_or(body), Sort::Value),
        }
    }

    /// "We use tabs", "before you push"; elsewhere it matters who.
    fn is_idle_pronoun(&self, lower: &str) -> bool {
        match self.sentence.last() {
            None => lower == "we" && self.gap == Gap::Nothing,
            Some(last) => ["we", "you"].contains(&lower) && words::GERUND_AFTER.contains(&last.text.as_str()),
        }
    }

    fn follows_a_number(&self) -> bool {
        self.sentence
            .last()
            .is_some_and(|last| last.sort == Sort::Value && last.text.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    }

    fn push(&mut self, exact: &str, text: &str, sort: Sort) {
        let form = if sort == Sort::Word { Form::Plain } else { Form::Fixed };
        let gap = std::mem::take(&mut self.gap);
        // The comma before the last of a list is a matter of taste.
        if ["and", "or"].contains(&text) && self.sentence.last().is_some_and(|last| last.sort == Sort::Pause) {
            self.sentence.pop();
        }
        self.sentence.push(Token { exact: exact.to_owned(), text: text.to_owned(), sort, form, gap });
    }

    fn pause(&mut self, mark: &str) {
        if self.sentence.last().is_some_and(|last| last.sort != Sort::Pause) {
            self.push(mark, ",", Sort::Pause);
        }
    }

    fn end_sentence(&mut self) {
        self.pause(".");
        let pause = self.sentence.pop();
        self.told.extend(settle(std::mem::take(&mut self.sentence)));
        self.told.extend(pause);
        (self.begun, self.gap) = (false, Gap::Nothing);
    }
}
