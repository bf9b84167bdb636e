//! Lists a page at a time: how long a page is, and the place where the next one begins, which stays right when things come
//! and go around it.

use crate::serve::problem::Problem;
use lokid_model::Timestamp;

const USUAL_LIMIT: usize = 50;
const MOST: usize = 500;

pub(super) fn limit(asked: Option<usize>) -> Result<usize, Problem> {
    match asked.unwrap_or(USUAL_LIMIT) {
        limit if (1..=MOST).contains(&limit) => Ok(limit),
        limit => Err(Problem::field("limit", format_args!("{limit} is not between 1 and {MOST}"))),
    }
}

/// Of a list in which one more was looked for than a page holds: the page, and where the next one begins, if there is one.
pub(super) fn page<T>(mut found: Vec<T>, limit: usize, place: impl Fn(&T) -> String) -> (Vec<T>, Option<String>) {
    let goes_on = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| goes_on).map(place);
    (found, next)
}

pub(super) fn cursor(at: Timestamp, name: &str) -> String {
    let place = format!("{} {name}", at.as_micros());
    place.bytes().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn read_cursor(text: &str) -> Result<(Timestamp, String), Problem> {
    let read = || {
        let digits: Vec<char> = text.chars().collect();
        let byte = |pair: &[char]| Some((pair.first()?.to_digit(16)? * 16 + pair.get(1)?.to_digit(16)?) as u8);
        let bytes: Vec<u8> = digits.chunks(2).map(byte).collect::<Option<_>>()?;
        let place = String::from_utf8(bytes).ok()?;
        let (micros, name) = place.split_once(' ')?;
        Some((Timestamp::from_micros(micros.parse().ok()?), name.to_owned()))
    };
    read().filter(|(_, name)| !name.is_empty()).ok_or_else(not_ours)
}

pub(super) fn not_ours() -> Problem {
    Problem::field("cursor", "is not a next_cursor of this list")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_to_its_place_and_nonsense_is_refused() {
        let at = Timestamp::from_micros(-7);
        assert_eq!(read_cursor(&cursor(at, "épisode 7")).unwrap(), (at, "épisode 7".to_owned()));
        for bad in ["", "zz", "é", "3", "3031", "20", "3120"] {
            assert!(read_cursor(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_page_tells_where_the_next_one_begins_only_if_there_is_one() {
        let name = |number: &u8| number.to_string();
        assert_eq!(page(vec![1, 2, 3], 2, name), (vec![1, 2], Some("2".to_owned())));
        assert_eq!(page(vec![1, 2], 2, name), (vec![1, 2], None));
        assert_eq!(page(Vec::new(), 2, name), (Vec::new(), None));
        assert!(limit(Some(0)).is_err() && limit(Some(501)).is_err());
        assert_eq!(limit(None).unwrap(), 50);
    }
}
