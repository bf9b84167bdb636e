//! What a text merge leaves in a file: the marks around two versions, and the versions themselves.

/// The file as it was on both sides, and where the marks tell, before.
pub struct Sides {
    pub base: Option<Vec<u8>>,
    pub ours: Vec<u8>,
    pub theirs: Vec<u8>,
}

const MARKS: [&[u8]; 4] = [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"];

/// Which of the four marks a line is.
fn mark(line: &[u8]) -> Option<usize> {
    MARKS.iter().position(|mark| {
        let rest = line.strip_prefix(*mark);
        rest.is_some_and(|rest| rest.trim_ascii_end().is_empty() || rest.starts_with(b" "))
    })
}

pub(super) fn is_marker(line: &[u8]) -> bool {
    mark(line).is_some()
}

pub fn has_markers(bytes: &[u8]) -> bool {
    let found = |wanted: usize| bytes.split(|byte| *byte == b'\n').any(|line| mark(line) == Some(wanted));
    found(0) && found(2) && found(3)
}

impl Sides {
    /// Nothing for a text without the marks of a merge.
    pub fn of(bytes: &[u8]) -> Option<Sides> {
        if !has_markers(bytes) {
            return None;
        }
        let (mut base, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        let (mut place, mut has_base) = (None, false);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match mark(line.trim_ascii_end()) {
                Some(3) => place = None,
                Some(found) if found == 0 || place.is_some() => {
                    (place, has_base) = (Some(found), has_base || found == 1);
                }
                _ => {
                    let sides: &mut [&mut Vec<u8>] = match place {
                        None => &mut [&mut base, &mut ours, &mut theirs],
                        Some(0) => &mut [&mut ours],
                        Some(1) => &mut [&mut base],
                        Some(_) => &mut [&mut theirs],
                    };
                    sides.iter_mut().for_each(|side| side.extend_from_slice(line));
                }
            }
        }
        Some(Sides { base: has_base.then_some(base), ours, theirs })
    }
}
