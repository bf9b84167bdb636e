//! A line without end in a file of the store is passed over, named, and left where it is.

use std::io::{Seek, SeekFrom, Write};

use super::lab::Lab;

#[test]
fn a_line_of_two_gigabytes_is_passed_over_in_little_memory() {
    let mut lab = Lab::new();
    let note = |id: &str, text: &str| {
        format!(
            "{{\"id\":\"{id}\",\"kind\":\"note\",\"text\":\"{text}\",\"created_at\":\"2026-11-01T00:00:00Z\",\
             \"updated_at\":\"2026-11-01T00:00:00Z\"}}\n"
        )
    };
    let path = lab.path(".loki/memory/notes/2026-11.0a1b2c3d.ndjson");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(note("before", "the gate opens at nine").as_bytes()).unwrap();
    // Without taking room on the disk.
    file.seek(SeekFrom::Current(2 << 30)).unwrap();
    file.write_all(b"\n").unwrap();
    file.write_all(note("behind", "the gate closes at ten").as_bytes()).unwrap();
    drop(file);
    let size = std::fs::metadata(&path).unwrap().len();

    lab.start_at_once();
    assert_eq!(lab.titles(), ["the gate opens at nine", "the gate closes at ten"]);
    let told = lab.home.run(&["doctor"]);
    assert_eq!(told.out.matches("line 2: longer than").count(), 1, "{told:#?}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", lab.pid())).unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<u64>().ok());
    assert!(peak.is_none_or(|kilobytes| kilobytes < 700 << 10), "{peak:?} kB");
    lab.home.remember("and goes on");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), size, "left as it is");
    lab.stop();
}
