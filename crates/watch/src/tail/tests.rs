//! Logs that grow, rotate, shrink and break.

use super::*;

fn turn(place: &mut TailPlace, inode: u64, bytes: &[u8]) -> Lines {
    let read_at = |offset: u64, buffer: &mut [u8]| {
        let from = usize::try_from(offset).unwrap().min(bytes.len());
        let count = buffer.len().min(bytes.len() - from);
        buffer[..count].copy_from_slice(&bytes[from..from + count]);
        Ok(count)
    };
    place.read(Source { device: 1, inode, size: bytes.len() as u64, read_at: &read_at }).unwrap()
}

fn check(place: &mut TailPlace, inode: u64, bytes: &[u8], expect: &[&str]) {
    assert_eq!(turn(place, inode, bytes).lines, expect);
}

#[test]
fn only_finished_new_lines_are_handed_out() {
    let mut place = TailPlace::default();
    check(&mut place, 1, b"one\ntw", &["one"]);
    check(&mut place, 1, b"one\ntw", &[]);
    check(&mut place, 1, b"one\ntwo\r\n\n  \nthree\n", &["two", "three"]);
}

#[test]
fn a_file_first_seen_may_begin_at_its_end() {
    let mut place = TailPlace::first(false, 4);
    check(&mut place, 1, b"old\nnew\n", &["new"]);
    let mut place = TailPlace::first(true, 4);
    check(&mut place, 1, b"old\nnew\n", &["old", "new"]);
}

#[test]
fn a_replaced_a_cut_and_a_rewritten_log_start_over() {
    let mut place = TailPlace::default();
    check(&mut place, 1, b"one\ntwo\n", &["one", "two"]);
    assert_eq!(turn(&mut place, 2, b"new file, longer than before\n").lines, ["new file, longer than before"]);
    let cut = turn(&mut place, 2, b"cut\n");
    assert!(cut.started_over);
    assert_eq!(cut.lines, ["cut"]);
    let rewritten = turn(&mut place, 2, b"other\nmore\n");
    assert!(rewritten.started_over, "same inode and longer, but another beginning");
    assert_eq!(rewritten.lines, ["other", "more"]);
}

#[test]
fn a_place_kept_by_the_caller_goes_on_where_it_was() {
    let mut place = TailPlace::default();
    check(&mut place, 1, b"one\n", &["one"]);
    let mut kept = place.clone();
    check(&mut kept, 1, b"one\ntwo\n", &["two"]);
}

#[test]
fn binary_junk_is_passed_over() {
    let mut bytes = b"text\n".to_vec();
    bytes.extend([0; 500]);
    bytes.extend(b"\nafter\xff\n");
    check(&mut TailPlace::default(), 1, &bytes, &["text", "after\u{fffd}"]);
}

#[test]
fn a_huge_line_keeps_its_beginning_and_a_turn_has_an_end() {
    let mut bytes = vec![b'x'; 10 << 20];
    bytes.extend(b"\nlast\n");
    let mut place = TailPlace::default();
    let first = turn(&mut place, 1, &bytes);
    assert_eq!(first.lines, ["x".repeat(LONGEST)]);
    assert!(first.more);
    let mut turns = 1;
    let mut found = Vec::new();
    loop {
        let next = turn(&mut place, 1, &bytes);
        found.extend(next.lines);
        turns += 1;
        if !next.more {
            break;
        }
    }
    assert_eq!(found, ["last"]);
    assert_eq!(turns, 11);
}

#[test]
fn many_lines_come_in_turns() {
    let bytes = "a line of the log\n".repeat(100_000).into_bytes();
    let mut place = TailPlace::default();
    let mut count = 0;
    loop {
        let next = turn(&mut place, 1, &bytes);
        count += next.lines.len();
        if !next.more {
            break;
        }
    }
    assert_eq!(count, 100_000);
}

proptest::proptest! {
    #[test]
    fn however_a_log_grows_every_line_comes_once(
        text in "[a-c\n]{0,300}",
        cuts in proptest::collection::vec(0usize..300, 0..10),
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.sort_unstable();
        cuts.push(text.len());
        let mut place = TailPlace::default();
        let found: Vec<String> = cuts.iter().flat_map(|cut| turn(&mut place, 1, &text.as_bytes()[..*cut]).lines).collect();
        let finished = text.rfind('\n').map_or("", |end| &text[..end]);
        let expect: Vec<&str> = finished.split('\n').filter(|line| !line.is_empty()).collect();
        proptest::prop_assert_eq!(found, expect);
    }

    #[test]
    fn no_bytes_make_it_panic(parts in proptest::collection::vec(proptest::collection::vec(0u8..255, 0..50), 0..6)) {
        let mut place = TailPlace::default();
        for part in parts {
            turn(&mut place, 1, &part);
        }
    }
}
