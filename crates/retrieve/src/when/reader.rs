//! Reading one date from the words of a question: a day, a week, a month and so on, with what stands in front of it.

use jiff::civil::Date;

use super::calendar::{self, Days, Unit, latest_day, latest_month, latest_weekday, month_named, plus, weekday_named};
use lokid_model::Timestamp;

const RECENT_DAYS: i64 = 14;
/// No memory is older, and a round 2000 is rarely a year.
const YEARS_BACK: i16 = 25;

const QUOTES: [char; 8] = ['"', '\'', '`', '*', '“', '”', '‘', '’'];
const MARKS: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', ']', '…', '–', '—'];

pub(super) struct Word<'a> {
    text: &'a str,
    pub(super) lower: String,
    /// The punctuation behind it.
    mark: Option<char>,
}

pub(super) fn words(text: &str, most: usize) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    for chunk in text.split_whitespace().take(most) {
        let chunk = chunk.trim_start_matches(|c| QUOTES.contains(&c) || ['(', '['].contains(&c));
        let bare = chunk.trim_end_matches(|c| QUOTES.contains(&c) || MARKS.contains(&c));
        let mark = chunk[bare.len()..].chars().find(|c| MARKS.contains(c));
        let text = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
        match words.last_mut() {
            Some(last) if text.is_empty() => last.mark = last.mark.or(mark),
            _ => words.push(Word { text, lower: text.to_lowercase(), mark }),
        }
    }
    words
}

/// What stands in front of a date and lets a bare name or number be one.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Lead {
    Nothing,
    /// "in May", "end of 2024"
    In,
    /// "from May", while "from 2024" may be any number.
    From,
    /// "on Monday", "over the weekend"
    On,
    /// "since May", "before Monday", "between 2023 and 2024"
    Bound,
}

/// A place in the words. Readings move it forward, or say nothing and are thrown away.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) words: &'a [Word<'a>],
    /// Where the reading began: punctuation before it does not matter, punctuation inside ends it.
    pub(super) start: usize,
    pub(super) at: usize,
    pub(super) today: Date,
    pub(super) lead: Lead,
}

impl<'a> Reader<'a> {
    /// Every way to name a date, the first that fits being it.
    const READINGS: [fn(&mut Reader<'a>) -> Option<Days>; 8] = [
        Self::named_day,
        Self::ago,
        Self::iso,
        Self::quarter,
        Self::day_of_month,
        Self::month,
        Self::weekday,
        Self::year,
    ];

    pub(super) fn peek(&self) -> Option<&'a Word<'a>> {
        let parted = self.at > self.start && self.words[self.at - 1].mark.is_some();
        self.words.get(self.at).filter(|_| !parted)
    }

    fn next(&mut self) -> Option<&'a Word<'a>> {
        let word = self.peek()?;
        self.at += 1;
        Some(word)
    }

    pub(super) fn eat(&mut self, any: &[&str]) -> Option<&'a str> {
        let word = self.peek().filter(|word| any.contains(&word.lower.as_str()))?;
        self.at += 1;
        Some(&word.lower)
    }

    /// Tries a reading, and stays where it was when there is nothing to read.
    pub(super) fn attempt<T>(&mut self, reading: impl Fn(&mut Reader<'a>) -> Option<T>) -> Option<T> {
        let mut ahead = *self;
        let read = reading(&mut ahead)?;
        self.at = ahead.at;
        Some(read)
    }

    pub(super) fn said(&self) -> String {
        let said: Vec<&str> = self.words[self.start..self.at].iter().map(|word| word.text).collect();
        said.join(" ")
    }

    /// A preposition and its date.
    pub(super) fn led(&mut self) -> Option<Days> {
        self.lead = if self.eat(PARTS).is_some() {
            self.eat(&["of"])?;
            Lead::In
        } else {
            match self.eat(&["in", "during", "from", "on", "over", "within"])? {
                "in" | "during" => Lead::In,
                "from" => Lead::From,
                _ => Lead::On,
            }
        };
        self.eat(&["early", "mid", "late"]);
        self.period()
    }

    pub(super) fn period(&mut self) -> Option<Days> {
        let the = self.eat(&["the"]).is_some();
        self.attempt(|reader| reader.relative(the))
            .or_else(|| Self::READINGS.iter().find_map(|reading| self.attempt(reading)))
    }

    fn named_day(&mut self) -> Option<Days> {
        match self.next()?.lower.as_str() {
            "today" => Days::around(self.today, Unit::Day),
            "yesterday" => Days::previous(self.today, Unit::Day),
            "day" => {
                self.eat(&["before"]).and_then(|_| self.eat(&["yesterday"]))?;
                Days::around(plus(self.today, -2)?, Unit::Day)
            }
            "recently" | "lately" => Days::back(self.today, RECENT_DAYS, Unit::Day),
            "weekend" if self.lead != Lead::Nothing => Days::weekend(self.today)
                .filter(|days| days.from <= self.today)
                .or_else(|| Days::weekend(plus(self.today, -7)?)),
            _ => None,
        }
    }

    /// "three weeks ago", "a couple of days ago"
    fn ago(&mut self) -> Option<Days> {
        let (least, most) = self.number()?;
        let unit = Unit::named(&self.next()?.lower)?;
        self.eat(&["ago"])?;
        Days::ago(self.today, least, most, unit)
    }

    /// "last week", "this month", "the past three days", "last Monday", "last May". A bare "last week" is the one of
    /// the calendar, "the last week" and "past week" are the last seven days.
    fn relative(&mut self, the: bool) -> Option<Days> {
        let which = self.eat(&["last", "past", "previous", "this"])?;
        let (today, this) = (self.today, which == "this");
        if !this && let Some((count, unit)) = self.attempt(|it| Some((it.number()?.1, Unit::named(&it.next()?.lower)?)))
        {
            return Days::back(today, count, unit);
        }
        let word = self.next()?;
        if let Some(unit) = Unit::named(&word.lower).filter(|unit| *unit != Unit::Day && !word.lower.ends_with('s')) {
            return match which {
                _ if self.eat(&["of"]).is_some() => None,
                "this" => Days::around(today, unit),
                "past" => Days::back(today, 1, unit),
                "last" if the => Days::back(today, 1, unit),
                _ => Days::previous(today, unit),
            };
        }
        if let Some(weekday) = weekday_named(&word.lower) {
            let newest = if this { plus(Days::around(today, Unit::Week)?.until, -1)? } else { plus(today, -1)? };
            return Days::around(latest_weekday(newest, weekday)?, Unit::Day);
        }
        match word.lower.as_str() {
            "night" if which == "last" => Days::previous(today, Unit::Day),
            "weekend" if this => Days::weekend(today),
            "weekend" => Days::weekend(plus(today, -7)?),
            name if calendar::is_whole_month_name(name) && self.is_surely_a_month(word) => {
                let newest = if this {
                    plus(Days::around(today, Unit::Year)?.until, -1)?
                } else {
                    plus(today.first_of_month(), -1)?
                };
                Days::around(latest_month(newest, month_named(name)?)?, Unit::Month)
            }
            _ => None,
        }
    }

    fn iso(&mut self) -> Option<Days> {
        let day = Timestamp::parse(self.next()?.text)?;
        Days::around(calendar::day_of(day)?, Unit::Day)
    }

    /// "Q3 2025", "in Q3"
    fn quarter(&mut self) -> Option<Days> {
        let number = self.next()?.lower.strip_prefix('q')?.parse::<i8>().ok().filter(|it| (1..=4).contains(it))?;
        let month = number * 3 - 2;
        let first = match self.attempt(Self::year_number) {
            Some(year) => Date::new(year, month, 1).ok()?,
            None if self.lead != Lead::Nothing => latest_month(self.today, month)?,
            None => return None,
        };
        Days::around(first, Unit::Quarter)
    }

    /// "May 7th", "7 May 2023", "the 7th of May", "May 7, 2023"
    fn day_of_month(&mut self) -> Option<Days> {
        let before = self.attempt(Self::day_number);
        if before.is_some() {
            self.eat(&["of"]);
        }
        let name = self.next()?;
        let month = month_named(&name.lower)?;
        let (day, ordinal) = before.or_else(|| self.attempt(Self::day_number))?;
        let year = self.attempt(Self::year_number).or_else(|| self.attempt(Self::year_behind_a_comma));
        let date = match year {
            Some(year) => Date::new(year, month, day).ok()?,
            None if ordinal || self.is_surely_a_month(name) => latest_day(self.today, month, day)?,
            None => return None,
        };
        Days::around(date, Unit::Day)
    }

    /// "May 2023", "in May"
    fn month(&mut self) -> Option<Days> {
        let word = self.next()?;
        let month = month_named(&word.lower)?;
        if let Some(year) = self.attempt(Self::year_number) {
            return Days::around(Date::new(year, month, 1).ok()?, Unit::Month);
        }
        let led =
            matches!(self.lead, Lead::In | Lead::From | Lead::Bound) && calendar::is_whole_month_name(&word.lower);
        let first = latest_month(self.today, month).filter(|_| led && self.is_surely_a_month(word))?;
        Days::around(first, Unit::Month)
    }

    fn weekday(&mut self) -> Option<Days> {
        let weekday = weekday_named(&self.next()?.lower)?;
        let day = latest_weekday(self.today, weekday).filter(|_| matches!(self.lead, Lead::On | Lead::Bound))?;
        Days::around(day, Unit::Day)
    }

    /// "in 2024", but not "in 2024 bytes".
    fn year(&mut self) -> Option<Days> {
        let year = self.year_number().filter(|_| matches!(self.lead, Lead::In | Lead::Bound))?;
        let ends = self.peek().is_none_or(|word| FOLLOWS_A_YEAR.contains(&word.lower.as_str()));
        Days::around(Date::new(year, 1, 1).ok()?, Unit::Year).filter(|_| ends)
    }

    fn year_number(&mut self) -> Option<i16> {
        let text = self.next()?.text;
        let year = text.parse().ok().filter(|_| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()))?;
        let this = self.today.year();
        (this - YEARS_BACK..=this.saturating_add(1)).contains(&year).then_some(year)
    }

    fn year_behind_a_comma(&mut self) -> Option<i16> {
        self.start = self.at;
        self.words[self.at - 1].mark.filter(|mark| *mark == ',').and_then(|_| self.year_number())
    }

    /// `7` or `7th`, and whether it was the latter.
    fn day_number(&mut self) -> Option<(i8, bool)> {
        let word = &self.next()?.lower;
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let ordinal = ["st", "nd", "rd", "th"].contains(&&word[digits.len()..]);
        let day = digits.parse().ok().filter(|day| (1..=31).contains(day) && (ordinal || digits == word))?;
        Some((day, ordinal))
    }

    /// The least and the most that is meant: "a few" are no exact number.
    fn number(&mut self) -> Option<(i64, i64)> {
        let article = self.eat(&["a", "an"]).is_some();
        if self.eat(&["couple"]).is_some() {
            self.eat(&["of"]);
            return Some((2, 3));
        }
        if self.eat(&["few", "several"]).is_some() {
            return Some((2, 6));
        }
        if article {
            return Some((1, 1));
        }
        let word = self.next()?.lower.as_str();
        let digits = word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit());
        let spelled = NUMBERS.iter().zip(1..).find_map(|(name, number)| (*name == word).then_some(number));
        let number = spelled.or_else(|| word.parse().ok().filter(|number| digits && *number > 0))?;
        Some((number, number))
    }

    /// "may" and "march" are months when written as names, or where the clause ends and no verb can stand.
    fn is_surely_a_month(&self, word: &Word<'_>) -> bool {
        let mut letters = word.text.chars();
        let capital = letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase);
        capital || self.peek().is_none() || !["may", "march", "mar", "dec", "sep", "jan"].contains(&word.lower.as_str())
    }
}

const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

const PARTS: &[&str] = &["end", "beginning", "start", "middle", "spring", "summer", "autumn", "fall", "winter"];

#[rustfmt::skip]
const FOLLOWS_A_YEAR: &[&str] = &[
    "and", "or", "but", "to", "until", "till", "through", "the", "our", "my", "we", "i", "you", "they", "it", "he",
    "she", "there", "that", "what", "which", "who", "when", "where", "why", "how", "is", "are", "was", "were", "did",
    "do", "does", "has", "have", "had", "with", "for", "on", "in", "at", "by", "about", "from",
];
