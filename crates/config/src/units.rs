//! How people write durations, sizes and counts: `250ms`, `8 MiB`, `90d`.
//!
//! Pure text to numbers; ranges and keys are not known here.

use std::time::Duration;

pub(super) const DURATION_FORMS: &str = "\"250ms\", \"30s\", \"5m\", \"2h\" or \"90d\"";
pub(super) const SIZE_FORMS: &str = "\"512 KiB\", \"8 MiB\", \"1 GiB\" or a number of bytes";

/// `3d` and its like; nothing for what is none.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = split(text)?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.checked_mul(milliseconds).map(Duration::from_millis)
}

pub(super) fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let bytes = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(bytes)
}

/// In the largest unit that loses nothing.
pub(super) fn show_duration(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")];
    let (size, unit) = largest_whole(milliseconds, &units);
    format!("{}{unit}", milliseconds / size)
}

/// In the largest unit that loses nothing.
pub(super) fn show_size(bytes: u64) -> String {
    let (size, unit) =
        largest_whole(u128::from(bytes), &[(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")]);
    format!("{} {unit}", u128::from(bytes) / size)
}

fn largest_whole<'a>(value: u128, units: &[(u128, &'a str)]) -> (u128, &'a str) {
    units.iter().copied().find(|(size, _)| value >= *size && value.is_multiple_of(*size)).unwrap_or((1, ""))
}

/// `8 MiB` → 8 and `MiB`: digits, blanks at will, then the unit.
fn split(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_carry_a_unit() {
        let check = |text, milliseconds: Option<u64>| {
            assert_eq!(parse_duration(text), milliseconds.map(Duration::from_millis), "{text}");
        };
        check("250ms", Some(250));
        check("30s", Some(30_000));
        check(" 5 m ", Some(300_000));
        check("2h", Some(7_200_000));
        check("90d", Some(90 * 86_400_000));
        for bad in ["", "30", "s", "-1s", "1.5s", "1 week", "99999999999999999999s", "213503982335d"] {
            check(bad, None);
        }
    }

    #[test]
    fn sizes_carry_a_binary_unit_or_are_bytes() {
        let check = |text, bytes| assert_eq!(parse_size(text), bytes, "{text}");
        check("512 KiB", Some(524_288));
        check("8MiB", Some(8_388_608));
        check("1 GiB", Some(1_073_741_824));
        check("77", Some(77));
        for bad in ["", "MiB", "8 MB", "1.5 MiB", "-1", "99999999999 GiB"] {
            check(bad, None);
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in ["250ms", "30s", "5m", "2h", "90d", "90s"] {
            let duration = parse_duration(text).unwrap();
            assert_eq!(parse_duration(&show_duration(duration)), Some(duration), "{text}");
        }
        assert_eq!((show_size(1 << 20).as_str(), show_size(1025).as_str()), ("1 MiB", "1025 B"));
    }
}
