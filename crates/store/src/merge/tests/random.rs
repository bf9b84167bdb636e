//! Whatever two or three branches do to a file of the memory: valid, the same from every side, and no word lost.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// What a branch may do to an entry.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Leaves,
    Takes,
    /// Other words in one field or the other, on a day.
    Says(u8, u8),
}

const ENTRIES: usize = 2;

/// Deeds on each entry, whether there is a new one, and on which day the file was written.
type Branch = (Vec<Deed>, bool, u8);

fn branches() -> impl Strategy<Value = Branch> {
    let deed = prop_oneof![
        3 => Just(Deed::Leaves),
        1 => Just(Deed::Takes),
        4 => (0_u8..3, 2_u8..5).prop_map(|(field, day)| Deed::Says(field, day)),
    ];
    (proptest::collection::vec(deed, ENTRIES), any::<bool>(), 2_u8..5)
}

fn entry(path: &str, id: &str, first: &str, second: &str, day: u8) -> Value {
    let at = format!("2026-05-0{day}T00:00:00Z");
    if path.contains("links") {
        return json!({"from": id, "to": "x", "relation": "supports", "strength": 0.1 * f64::from(day), "created_at": at});
    }
    if path.contains("contradictions") {
        let status = if day == 1 { "open" } else { "resolved" };
        return json!({"id": id, "a": "x", "b": "y", "verdict": "contradicts", "status": status, "found_at": at});
    }
    if path.contains("tombstones") {
        return json!({"id": id, "fingerprint": "0".repeat(32), "purged_at": at, "reason": ""});
    }
    if path.contains("patterns") {
        return json!({"id": id, "pattern": first, "correct_approach": second, "access_count": day, "lokid": {"updated_at": at}});
    }
    if path.contains("notes") {
        return json!({"id": id, "kind": "note", "title": first, "text": second, "updated_at": at, "tags": [format!("{first} tag")]});
    }
    json!({"id": id, "key": first, "value": second, "odd": {"kept": [1.5, id]}, "updated_at": at})
}

fn side(path: &str, name: &str, (deeds, adds, day): &Branch) -> String {
    let base = |at: usize| entry(path, &format!("e{at}"), &format!("base first {at}"), &format!("base second {at}"), 1);
    let told = |at: usize, deed: Deed| match deed {
        Deed::Leaves => Some(base(at)),
        Deed::Takes => None,
        Deed::Says(field, day) => {
            let word = |own: u8, part: &str| {
                let who = if field == 2 || field == own { name } else { "base" };
                format!("{who} {part} {at}")
            };
            Some(entry(path, &format!("e{at}"), &word(0, "first"), &word(1, "second"), day))
        }
    };
    let new =
        adds.then(|| entry(path, &format!("new-{name}"), &format!("{name} first"), &format!("{name} second"), *day));
    if path.ends_with("ndjson") {
        let lines =
            (0..ENTRIES).map(base).chain((0..ENTRIES).filter(|at| !matches!(deeds[*at], Deed::Leaves)).map(|at| {
                told(at, deeds[at]).unwrap_or_else(
                    || json!({"id": format!("e{at}"), "deleted": true, "updated_at": "2026-05-02T00:00:00Z"}),
                )
            }));
        return lines.chain(new).map(|line| format!("{line}\n")).collect();
    }
    let mut entries: Vec<Value> =
        deeds.iter().enumerate().filter_map(|(at, deed)| told(at, *deed)).chain(new).collect();
    let is_sorted = !path.contains("patterns");
    if is_sorted {
        entries.sort_by_key(|entry| entry.get("id").or(entry.get("from")).unwrap().to_string());
    }
    let stem = path.rsplit('/').next().unwrap().trim_end_matches(".json").replace('-', "_");
    file(&json!({"version": "1.0", stem: entries, "last_updated": format!("2026-05-0{day}T00:00:00+00:00")}))
}

/// Every word that a side said, and every entry.
fn words(text: &str) -> BTreeSet<String> {
    let quoted = text.split('"').map(str::to_owned);
    quoted.filter(|word| ["one ", "two ", "three ", "new-"].iter().any(|side| word.starts_with(side))).collect()
}

const FILES: [&str; 6] = [
    "semantic/facts.json",
    "semantic/patterns.json",
    "semantic/links.json",
    "semantic/contradictions.json",
    "archive/tombstones.json",
    "notes/2026-05.0a1b2c3d.ndjson",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn three_branches_come_to_one_file(
        path in proptest::sample::select(FILES.to_vec()),
        one in branches(), two in branches(), three in branches(), known in any::<bool>(), thrice in 0_u8..4,
    ) {
        let unchanged = (vec![Deed::Leaves; ENTRIES], false, 1);
        let base = side(path, "base", &unchanged);
        let sides = [("one", one), ("two", two), ("three", three)].map(|(name, branch)| side(path, name, &branch));
        let merge = |ours: &str, theirs: &str| {
            let base = known.then_some(base.as_bytes());
            let merged = merge_file(Path::new(path), base, ours.as_bytes(), theirs.as_bytes()).unwrap();
            String::from_utf8(merged).unwrap()
        };
        let [one, two, three] = &sides;
        let both = merge(one, two);
        prop_assert_eq!(&merge(two, one), &both, "the other side sees it otherwise");
        prop_assert!(!is_damaged(Path::new(path), both.as_bytes()) && !both.contains("<<<<"), "{}", both);
        if path.ends_with(".json") {
            let value: Value = serde_json::from_str(&both).unwrap();
            prop_assert_eq!(&file(&value), &both, "as the store writes it");
        }
        let said = words(&both);
        for word in words(one).iter().chain(&words(two)) {
            prop_assert!(said.contains(word), "{} is not in {}", word, both);
        }
        prop_assert_eq!(&merge(&both, &both), &both);
        let again = merge_file(Path::new(path), Some(two.as_bytes()), both.as_bytes(), two.as_bytes()).unwrap();
        prop_assert_eq!(again, both.as_bytes());
        if thrice > 0 {
            return Ok(());
        }
        let all = words(&merge(&both, three));
        prop_assert_eq!(&words(&merge(one, &merge(two, three))), &all);
        prop_assert_eq!(&words(&merge(&merge(one, three), two)), &all);
    }
}
