//! What another program hands over on the standard input: read whole, up to a bound.

use std::io::{self, IsTerminal, Read};

/// Nothing from a terminal: a person who types is not waited for. What goes beyond `most` is read to its end and thrown
/// away, so that the one who writes is not cut off; then there is no input either.
pub fn all(most: usize) -> io::Result<Option<Vec<u8>>> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Ok(Some(Vec::new()));
    }
    bounded(&mut stdin.lock(), most)
}

fn bounded(input: &mut impl Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    input.take(most as u64).read_to_end(&mut bytes)?;
    if bytes.len() < most {
        return Ok(Some(bytes));
    }
    let beyond = io::copy(input, &mut io::sink())?;
    Ok((beyond == 0).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_handed_on_and_what_does_not_is_swallowed() {
        assert_eq!(bounded(&mut &b"abc"[..], 4).unwrap().as_deref(), Some(&b"abc"[..]));
        assert_eq!(bounded(&mut &b"abcd"[..], 4).unwrap().as_deref(), Some(&b"abcd"[..]));
        let mut longer = &b"abcde"[..];
        assert_eq!(bounded(&mut longer, 4).unwrap(), None);
        assert!(longer.is_empty());
    }
}
