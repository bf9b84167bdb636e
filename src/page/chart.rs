//! Numbers as pictures: days from left to right as bars or lines, and a comparison as bars below each other. Drawn for a
//! narrow screen, so with few lines and little text; every picture comes with its numbers, for whoever does not see it.
//! Fewer than two days are no picture, and their numbers stand alone.

use maud::{Markup, html};

use crate::words;
use lokid_model::{Timestamp, unseen};

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 190.0;
/// The field in which the numbers stand.
const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 6.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = HEIGHT - 24.0;
/// Closer to each other, two names on the scale cannot be read.
const APART: f64 = 14.0;
const WIDEST_BAR: f64 = 16.0;
/// Whatever is further out is drawn at the edge.
const FARTHEST: f64 = 1e15;
const MICROS_A_DAY: i64 = 86_400_000_000;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// In the order of the series; the last for all that follow.
const CLASSES: [&str; 3] = ["one", "two", "three"];

/// What the numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// How many, also below zero: bars.
    Count,
    /// Parts of one: lines from 0 to 100 %.
    Share,
}

/// Numbers by day, under one name; `None` where there is nothing to tell.
pub(super) struct Series {
    pub(super) name: &'static str,
    pub(super) values: Vec<Option<f64>>,
}

pub(super) struct Chart<'a> {
    /// Of the list of its numbers, within the page.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) unit: Unit,
    /// As `2026-11-17`, in any order.
    pub(super) days: &'a [&'a str],
    /// Each with a number for every day.
    pub(super) series: Vec<Series>,
}

/// A day: its number in the calendar, its name, and what is told of it.
struct Row<'a> {
    at: i64,
    day: &'a str,
    values: Vec<Option<f64>>,
}

impl<'a> Chart<'a> {
    pub(super) fn drawn(&self) -> Markup {
        let rows = self.rows();
        let tells = |value: &f64| self.unit == Unit::Share || *value != 0.0;
        let is_empty = !rows.iter().flat_map(|row| row.values.iter().flatten()).any(tells);
        html! {
            figure.picture {
                figcaption { h3 { (self.title) } (self.key()) }
                @if is_empty { p.hint { "None in this time." } }
                @else if rows.len() < 2 { (self.table(&rows)) }
                @else { (self.picture(&rows)) details id=(self.id) { summary { "As numbers" } (self.table(&rows)) } }
            }
        }
    }

    /// In the order of the calendar; a day that is none is left out.
    fn rows(&self) -> Vec<Row<'a>> {
        let known = |value: Option<f64>| value.filter(|value| value.is_finite());
        let row = |(place, day): (usize, &'a str)| {
            let values = self.series.iter().map(|one| known(one.values.get(place).copied().flatten())).collect();
            Some(Row { at: number_of(day)?, day, values })
        };
        let mut rows: Vec<Row<'a>> = self.days.iter().copied().enumerate().filter_map(row).collect();
        rows.sort_by_key(|row| row.at);
        rows
    }

    fn key(&self) -> Markup {
        html! { p.key { @for (place, one) in self.series.iter().enumerate() { span { i class=(class(place)) {} (one.name) } } } }
    }

    fn picture(&self, rows: &[Row<'_>]) -> Markup {
        let scale = match self.unit {
            Unit::Count => Scale::around(rows.iter().flat_map(|row| row.values.iter().flatten().copied())),
            Unit::Share => Scale { low: 0.0, high: 1.0 },
        };
        let (first, last) = (rows.first().map_or("", |row| row.day), rows.last().map_or("", |row| row.day));
        html! {
            svg.chart role="img" viewBox=(format!("0 0 {WIDTH:.0} {HEIGHT:.0}")) {
                title { (self.title) }
                desc { (self.described(rows)) }
                @for tick in scale.ticks() {
                    @let y = scale.y(tick);
                    line.axis x1=(at(LEFT)) x2=(at(RIGHT)) y1=(at(y)) y2=(at(y)) {}
                    text.soft x=(at(LEFT - 5.0)) y=(at(y + 4.0)) text-anchor="end" { (self.brief(tick)) }
                }
                @match self.unit { Unit::Count => (self.bars(rows, &scale)), Unit::Share => (self.lines(rows, &scale)) }
                text.soft x=(at(LEFT)) y=(at(HEIGHT - 7.0)) { (spoken(first)) }
                text.soft x=(at(RIGHT)) y=(at(HEIGHT - 7.0)) text-anchor="end" { (spoken(last)) }
            }
        }
    }

    fn bars(&self, rows: &[Row<'_>], scale: &Scale) -> Markup {
        let slot = slot(rows);
        let bar = (0.8 * slot / self.series.len().max(1) as f64).clamp(0.5, WIDEST_BAR);
        let margin = (slot - bar * self.series.len() as f64) / 2.0;
        let zero = scale.y(0.0);
        html! {
            @for row in rows {
                g {
                    title { (self.told(row)) }
                    @for (place, value) in row.values.iter().enumerate() {
                        @if let Some(value) = value.filter(|value| *value != 0.0) {
                            // What is there can be seen, however little it is.
                            @let (y, height) = (scale.y(value).min(zero), (scale.y(value) - zero).abs().max(1.0));
                            rect class=(class(place)) x=(at(middle(rows, row) - slot / 2.0 + margin + bar * place as f64)) y=(at(y)) width=(at(bar)) height=(at(height)) {}
                        }
                    }
                }
            }
        }
    }

    fn lines(&self, rows: &[Row<'_>], scale: &Scale) -> Markup {
        html! {
            @for place in 0..self.series.len() { path class={"line " (class(place))} d=(way(rows, place, scale)) {} }
            @for row in rows {
                g {
                    title { (self.told(row)) }
                    @for (place, value) in row.values.iter().enumerate() {
                        @if let Some(value) = value { circle class=(class(place)) cx=(at(middle(rows, row))) cy=(at(scale.y(*value))) r="2.5" {} }
                    }
                }
            }
        }
    }

    fn table(&self, rows: &[Row<'_>]) -> Markup {
        html! {
            table aria-label=(self.title) {
                thead { tr { th scope="col" { "Day" } @for one in &self.series { th.n scope="col" { (one.name) } } } }
                tbody {
                    @for row in rows.iter().rev() {
                        tr { th scope="row" { (row.day) } @for value in &row.values { td.n { (value.map_or("–".to_owned(), |value| self.written(value))) } } }
                    }
                }
            }
        }
    }

    fn told(&self, row: &Row<'_>) -> String {
        let named = self.series.iter().zip(&row.values);
        let told = named.filter_map(|(one, value)| value.map(|value| format!("{} {}", one.name, self.written(value))));
        format!("{}: {}", row.day, told.collect::<Vec<_>>().join(", "))
    }

    /// What can be seen, in words.
    fn described(&self, rows: &[Row<'_>]) -> String {
        let (first, last) = (rows.first().map_or("", |row| row.day), rows.last().map_or("", |row| row.day));
        let sum_up = |(place, one): (usize, &Series)| {
            let values: Vec<f64> = rows.iter().filter_map(|row| row.values[place]).collect();
            let (low, high) = values
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
            match self.unit {
                _ if values.is_empty() => format!("{}: nothing to tell.", one.name),
                Unit::Count => format!("{}: {} in all.", one.name, self.written(values.iter().sum())),
                Unit::Share => format!("{}: {} to {}.", one.name, self.written(low), self.written(high)),
            }
        };
        let told: Vec<String> = self.series.iter().enumerate().map(sum_up).collect();
        format!("{first} to {last}. {}", told.join(" "))
    }

    fn written(&self, value: f64) -> String {
        match self.unit {
            Unit::Count => signed(value),
            Unit::Share => percent(value),
        }
    }

    fn brief(&self, value: f64) -> String {
        match self.unit {
            Unit::Count => short(value),
            Unit::Share => percent(value),
        }
    }
}

/// From the lowest to the highest number; nought is always within.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn around(values: impl Iterator<Item = f64>) -> Scale {
        let (low, high) = values.fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        let (low, high) = (-round_up(-low), round_up(high));
        if high > low { Scale { low, high } } else { Scale { low: 0.0, high: 1.0 } }
    }

    fn y(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        TOP + (self.high - value) / (self.high - self.low) * (BOTTOM - TOP)
    }

    /// Nought, both ends and the middle, unless one would stand in another.
    fn ticks(&self) -> Vec<f64> {
        let mut ticks: Vec<f64> = Vec::new();
        for tick in [0.0, self.high, self.low, self.high / 2.0] {
            if ticks.iter().all(|other| (self.y(*other) - self.y(tick)).abs() >= APART) {
                ticks.push(tick);
            }
        }
        ticks
    }
}

/// Up to one, two or five of its order.
fn round_up(value: f64) -> f64 {
    let value = value.min(FARTHEST);
    if value < 1e-6 {
        return 0.0;
    }
    let order = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|step| step * order).into_iter().find(|top| *top >= value).unwrap_or(value)
}

/// How wide a day is, with all days between the first and the last.
fn slot(rows: &[Row<'_>]) -> f64 {
    let span = rows.last().map_or(0, |row| row.at) - rows.first().map_or(0, |row| row.at) + 1;
    (RIGHT - LEFT) / span as f64
}

fn middle(rows: &[Row<'_>], row: &Row<'_>) -> f64 {
    LEFT + slot(rows) * ((row.at - rows.first().map_or(row.at, |first| first.at)) as f64 + 0.5)
}

/// From number to number; where one is missing the line is broken.
fn way(rows: &[Row<'_>], place: usize, scale: &Scale) -> String {
    let mut way = String::new();
    let mut is_drawing = false;
    for row in rows {
        if let Some(value) = row.values[place] {
            let step = if is_drawing { 'L' } else { 'M' };
            way.push_str(&format!("{step}{} {} ", at(middle(rows, row)), at(scale.y(value))));
        }
        is_drawing = row.values[place].is_some();
    }
    way
}

/// Shares beside each other, group by group; the first of each group is the one it is about.
pub(super) fn compared(title: &str, groups: &[(&str, Vec<(String, f64)>)]) -> Markup {
    const ROW: f64 = 18.0;
    const NAMES: f64 = 130.0;
    const LONGEST: f64 = 180.0;
    let rows: usize = groups.iter().map(|(_, bars)| bars.len() + 1).sum();
    let height = ROW * rows as f64 + 10.0;
    let mut y = 0.0;
    let mut next = || {
        y += ROW;
        y
    };
    html! {
        svg.chart role="img" viewBox=(format!("0 0 {WIDTH:.0} {height:.0}")) {
            title { (title) }
            desc {
                @for (name, bars) in groups { (name) ": " @for (who, share) in bars { (unseen::shown_line(who)) " " (percent(*share)) ", " } }
            }
            @for (name, bars) in groups {
                text.strong x="8" y=(at(next())) { (name) }
                @for (place, (who, share)) in bars.iter().enumerate() {
                    @let y = next();
                    @let long = LONGEST * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
                    text.soft x="8" y=(at(y)) { (unseen::shown_line(&words::brief(who, 19))) }
                    rect class=(if place == 0 { "one" } else { "three" }) x=(at(NAMES)) y=(at(y - 10.0)) width=(at(long)) height="11" {}
                    text x=(at(NAMES + long + 5.0)) y=(at(y)) { (percent(*share)) }
                }
            }
        }
    }
}

fn class(place: usize) -> &'static str {
    CLASSES[place.min(CLASSES.len() - 1)]
}

/// A place in a picture.
fn at(place: f64) -> String {
    format!("{place:.1}")
}

fn number_of(day: &str) -> Option<i64> {
    Some(Timestamp::parse(&format!("{day}T00:00:00Z"))?.as_micros() / MICROS_A_DAY)
}

/// `17 Nov`
fn spoken(day: &str) -> String {
    let month =
        day.get(5..7).and_then(|month| month.parse::<usize>().ok()).and_then(|month| MONTHS.get(month.checked_sub(1)?));
    match (month, day.get(8..10)) {
        (Some(month), Some(date)) => format!("{} {month}", date.trim_start_matches('0')),
        _ => day.to_owned(),
    }
}

/// `−1,204`
pub(super) fn signed(value: f64) -> String {
    let sign = if value <= -0.5 { "−" } else { "" };
    format!("{sign}{}", words::number(value.abs().round() as u64))
}

pub(super) fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.0} %", 100.0 * share) } else { "–".to_owned() }
}

/// `−20k`
fn short(value: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    let (size, unit) = units.into_iter().find(|(size, _)| value.abs() >= *size).unwrap_or((1.0, ""));
    let sign = if value < 0.0 { "−" } else { "" };
    let written = format!("{:.1}", value.abs() / size);
    format!("{sign}{}{unit}", written.strip_suffix(".0").unwrap_or(&written))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAYS: [&str; 3] = ["2026-11-17", "2026-11-09", "2026-11-10"];

    fn chart<'a>(unit: Unit, days: &'a [&'a str], one: Vec<Option<f64>>, two: Vec<Option<f64>>) -> Chart<'a> {
        let series = vec![Series { name: "spent", values: one }, Series { name: "saved", values: two }];
        Chart { id: "c", title: "Tokens", unit, days, series }
    }

    fn drawn(unit: Unit, days: &[&str], one: Vec<Option<f64>>, two: Vec<Option<f64>>) -> String {
        chart(unit, days, one, two).drawn().into_string()
    }

    #[track_caller]
    fn check_whole(svg: &str) {
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        for number in svg.split(['"', ' ', 'M', 'L']).filter_map(|piece| piece.parse::<f64>().ok()) {
            assert!((-1.0..=1000.0).contains(&number), "{number} is outside of {svg}");
        }
    }

    #[test]
    fn days_stand_in_the_order_of_the_calendar_and_can_be_read_without_seeing() {
        let made = drawn(Unit::Count, &DAYS, vec![Some(1_204.0); 3], vec![Some(-90_000.0), Some(5.0), None]);
        assert!(made.contains("role=\"img\"") && made.contains("<title>Tokens</title>"), "{made}");
        assert!(made.contains("2026-11-09 to 2026-11-17. spent: 3,612 in all. saved: −89,995 in all."), "{made}");
        assert!(made.contains("<title>2026-11-17: spent 1,204, saved −90,000</title>"), "{made}");
        assert!(made.contains(">9 Nov<") && made.contains(">17 Nov<") && made.contains("−100k"), "{made}");
        assert!(made.contains("<details id=\"c\">") && made.matches("<tr>").count() == 4, "{made}");
        assert_eq!(made.matches("<rect").count(), 5, "what there is nothing to tell of is not drawn");
        check_whole(made.split("<details").next().unwrap());
    }

    #[test]
    fn fewer_than_two_days_are_numbers_and_none_is_said_so() {
        let one = drawn(Unit::Count, &DAYS[..1], vec![Some(7.0)], vec![Some(8.0)]);
        assert!(!one.contains("<svg") && one.contains("2026-11-17") && one.contains(">7<"), "{one}");
        for none in [
            drawn(Unit::Count, &[], Vec::new(), Vec::new()),
            drawn(Unit::Count, &DAYS, vec![Some(0.0); 3], vec![None; 3]),
            drawn(Unit::Share, &DAYS, vec![None; 3], Vec::new()),
        ] {
            assert!(
                !none.contains("<svg") && !none.contains("<table") && none.contains("None in this time."),
                "{none}"
            );
        }
    }

    #[test]
    fn hostile_numbers_and_days_stay_within_the_picture() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 1e300, -1e-300, 0.1];
        let days = ["0001-01-01", "2026-02-30", "", "9999-12-31", "<b>", "2026-11-17", "2026-11-17", "-5"];
        for unit in [Unit::Count, Unit::Share] {
            for turn in 0..odd.len() {
                let values: Vec<Option<f64>> = (0..8).map(|place| Some(odd[(place + turn) % 8])).collect();
                let made = drawn(unit, &days, values.clone(), values.into_iter().rev().collect());
                let picture = made.split("<svg").nth(1).unwrap().split("</svg>").next().unwrap();
                let marks = picture.split("</desc>").nth(1).unwrap();
                let without_titles: Vec<&str> =
                    marks.split("<title>").map(|part| part.split("</title>").last().unwrap()).collect();
                check_whole(&without_titles.concat());
                assert!(!made.contains("<b>"), "{made}");
            }
        }
    }

    #[test]
    fn a_line_is_broken_where_there_is_nothing_to_tell() {
        let values = vec![Some(1.0), Some(0.5), None];
        let made = chart(Unit::Share, &DAYS, values, vec![Some(0.25); 3]);
        let rows = made.rows();
        let scale = Scale { low: 0.0, high: 1.0 };
        assert_eq!(way(&rows, 0, &scale).matches('M').count(), 2);
        assert_eq!(way(&rows, 1, &scale).matches('M').count(), 1);
        let made = made.drawn().into_string();
        assert!(made.contains("spent: 50 % to 100 %.") && made.contains("line two"), "{made}");
    }

    #[test]
    fn a_comparison_names_who_is_compared_and_nothing_is_markup() {
        let bars = vec![("lokid".to_owned(), 0.5), ("<script>".to_owned(), f64::NAN), ("x".to_owned(), 7.0)];
        let made = compared("Foretold", &[("hit@3", bars)]).into_string();
        assert!(made.contains("hit@3: lokid 50 %") && made.contains("class=\"one\""), "{made}");
        assert!(!made.contains("<script>") && made.contains("&lt;script&gt;"), "{made}");
        check_whole(made.split("</desc>").nth(1).unwrap().split("</svg>").next().unwrap());
        assert_eq!(compared("Foretold", &[]).into_string().matches("<rect").count(), 0);
    }

    #[test]
    fn numbers_are_short_on_a_scale_and_whole_beside_it() {
        for (value, expected) in [(0.0, "0"), (0.5, "0.5"), (20_000.0, "20k"), (-1.5e6, "−1.5M"), (5e9, "5G")] {
            assert_eq!(short(value), expected);
        }
        assert_eq!((signed(-1_204.4), signed(-0.2), signed(3e6)), ("−1,204".into(), "0".into(), "3,000,000".into()));
        assert_eq!((round_up(3.0), round_up(1_204.0), round_up(0.0), round_up(10.0)), (5.0, 2_000.0, 0.0, 10.0));
    }
}
