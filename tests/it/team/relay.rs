//! What one machine says to the database and what another reads from it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lokid_sys::postgres::Parameters;
use lokid_team::relay::admin::{Admin, Setup, Step};
use lokid_team::relay::{Promotion, Relay, RelayError, Space, Target};
use lokid_team::{HeadState, ItemKind, Op, Outcome};
use lokid_testing::postgres::{SUPERUSER, Server};
use serde_json::json;

use super::lab::{Team, key, put, record};

const PRINT: &str = "00112233445566778899aabbccddeeff";

#[test]
fn what_one_machine_appends_another_reads_word_for_word() {
    let team = Team::new();
    let (mut ada, mut eve) = (team.relay("ada"), team.relay("eve"));
    let hello = ada.hello().unwrap();
    assert_eq!((hello.member.as_str(), hello.may_promote, hello.seq), (team.role("ada").as_str(), false, 0));
    assert_eq!(hello.database, eve.hello().unwrap().database);

    let link = Op { item: lokid_team::ItemKey { kind: ItemKind::Link, ..key("a uses b") }, ..put(3, "", 0, "l") };
    let ops = [put(1, "a", 0, "roses \\ need\n\t\"water\" 🌹"), put(2, "b", 0, "tulips"), link];
    let taken = Outcome::Taken { version: 1 };
    assert_eq!(ada.append(&ops).unwrap(), [taken.clone(), taken.clone(), taken.clone()]);
    let heads = eve.changes(Space::Project, 0, 100).unwrap();
    assert_eq!(heads.iter().map(|head| head.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(heads[0].state, HeadState::Live(record("roses \\ need\n\t\"water\" 🌹")));
    let HeadState::Live(read) = &heads[0].state else { panic!() };
    assert_eq!(read.to_string(), record("roses \\ need\n\t\"water\" 🌹").to_string(), "the order of fields is kept");
    assert_eq!((heads[0].author.as_str(), heads[0].version), (team.role("ada").as_str(), 1));
    assert_eq!(heads[2].item.kind, ItemKind::Link);

    // Somebody who did not see the second version is told of it.
    assert_eq!(eve.append(&[put(1, "a", 1, "roses need sun")]).unwrap(), [Outcome::Taken { version: 2 }]);
    let Outcome::Behind(head) = &ada.append(&[put(4, "a", 1, "no")]).unwrap()[0] else { panic!("taken") };
    assert_eq!((head.version, &head.state), (2, &HeadState::Live(record("roses need sun"))));
    assert_eq!(ada.record(&key("a"), 1).unwrap(), Some(record("roses \\ need\n\t\"water\" 🌹")));
    assert_eq!(ada.record(&key("a"), 7).unwrap(), None);
    // One state each: the first version is passed over.
    let seqs: Vec<u64> = ada.changes(Space::Project, 0, 100).unwrap().iter().map(|head| head.seq).collect();
    assert_eq!(seqs, [2, 3, 4]);

    let forget = Op { record: None, ..put(5, "a", 2, "") };
    assert_eq!(ada.append(&[forget]).unwrap(), [Outcome::Taken { version: 3 }]);
    assert_eq!(eve.changes(Space::Project, 4, 10).unwrap()[0].state, HeadState::Forgotten);
    let history = eve.history(&key("a")).unwrap();
    let told: Vec<_> = history.iter().map(|line| (line.version, line.what.as_str(), line.author.as_str())).collect();
    let (a, e) = (team.role("ada"), team.role("eve"));
    assert_eq!(told, [(1, "put", a.as_str()), (2, "put", e.as_str()), (3, "forget", a.as_str())]);

    let mut copied = Vec::new();
    eve.copy(Space::Project, (0, 1_000), &mut |head| copied.push(head)).unwrap();
    assert_eq!(copied.last().unwrap().seq, 5);
    assert_eq!(copied, ada.changes(Space::Project, 0, 100).unwrap());
    ada.beat("ada's \u{7}laptop", 5).unwrap();
    let peers = eve.peers().unwrap();
    assert_eq!((peers[0].label.as_str(), peers[0].cursor, peers.len()), ("ada's laptop", 5, 2));
}

#[test]
fn an_operation_counts_once_however_often_and_in_whatever_order_it_comes() {
    let team = Team::new();
    let mut ada = team.relay("ada");
    let ops: Vec<Op> =
        (1..=20).map(|at| put(at, &format!("m{}", at % 7), (at - 1) / 7, &format!("text {at}"))).collect();
    let first = ada.append(&ops).unwrap();
    assert!(first.iter().all(|outcome| matches!(outcome, Outcome::Taken { .. })), "{first:?}");
    let mut again: Vec<Op> = ops.iter().rev().cloned().collect();
    again.extend(ops.clone());
    let answers = ada.append(&again).unwrap();
    let expected: Vec<Outcome> = first.iter().rev().chain(&first).cloned().collect();
    assert_eq!(answers, expected);
    assert_eq!(ada.hello().unwrap().seq, 20);
    // A number that stands for something else already is a mistake, not a repetition.
    let wrong = ada.append(&[put(20, "m6", 3, "other words"), put(1, "another", 0, "text 1")]).unwrap();
    assert!(wrong.iter().all(|outcome| matches!(outcome, Outcome::Refused(_))), "{wrong:?}");
}

#[test]
fn eight_machines_at_once_leave_no_gap_and_nothing_twice() {
    let team = Team::new();
    let items: Vec<String> = (0..5).map(|at| format!("m{at}")).collect();
    let done = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let reader = scope.spawn(|| follow(&mut team.relay("pam"), &done));
        let writers: Vec<_> = (0..8)
            .map(|machine| {
                let (team, items) = (&team, &items);
                scope.spawn(move || write(team, machine, items))
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::Release);
        reader.join().unwrap()
    });
    let mut ada = team.relay("ada");
    let mut said = BTreeSet::new();
    for item in &items {
        for (at, line) in ada.history(&key(item)).unwrap().iter().enumerate() {
            assert_eq!(line.version, at as u64 + 1, "{item}");
            assert!(said.insert(line.record.as_ref().unwrap()["text"].to_string()));
        }
        let last = ada.history(&key(item)).unwrap().len() as u64;
        assert_eq!(seen.get(item), Some(&last), "a reader who looked all the time knows how {item} stands");
    }
    assert_eq!((said.len(), ada.hello().unwrap().seq), (320, 320));
}

/// Forty times onto what stands, whoever wrote it.
fn write(team: &Team, machine: usize, items: &[String]) {
    let mut relay = team.replica("ada", "garden", &format!("machine-{machine}")).unwrap();
    let mut bases: BTreeMap<&str, u64> = BTreeMap::new();
    for index in 1..=40 {
        let item = items[(index as usize * 3 + machine) % items.len()].as_str();
        loop {
            let base = bases.get(item).copied().unwrap_or(0);
            let outcome =
                relay.append(&[put(index, item, base, &format!("{machine} says {index}"))]).unwrap().remove(0);
            let (version, taken) = match outcome {
                Outcome::Taken { version } => (version, true),
                Outcome::Behind(head) => (head.version, false),
                other => panic!("{other:?}"),
            };
            bases.insert(item, version);
            if taken {
                break;
            }
        }
    }
}

/// The last version of each item that came by.
fn follow(relay: &mut Relay, done: &AtomicBool) -> BTreeMap<String, u64> {
    let (mut cursor, mut seen) = (0, BTreeMap::new());
    loop {
        let last_look = done.load(Ordering::Acquire);
        let heads = relay.changes(Space::Project, cursor, 3).unwrap();
        if heads.is_empty() && last_look {
            return seen;
        }
        for head in heads {
            assert!(head.seq > cursor);
            cursor = head.seq;
            let before = seen.insert(head.item.name, head.version);
            assert!(before.is_none_or(|before| before < head.version));
        }
    }
}

#[test]
fn a_transaction_that_commits_late_is_never_passed_over() {
    let team = Team::new();
    let mut reader = team.relay("pam");
    let mut late = lokid_sys::postgres::Connection::open(&team.parameters(&team.role("eve"))).unwrap();
    let op = r#"[{"index":1,"hlc":1,"kind":"memory","namespace":"n","name":"late","base":0,"record":{"text":"late"}}]"#;
    late.batch(&format!("BEGIN; SELECT lokid.append('garden', 'late-1', '{op}')")).unwrap();
    let mut cursor = 0;
    let mut seen = Vec::new();
    let mut poll = |reader: &mut Relay| {
        for head in reader.changes(Space::Project, cursor, 100).unwrap() {
            cursor = head.seq;
            seen.push(head.item.name);
        }
        seen.clone()
    };
    std::thread::scope(|scope| {
        let quick = scope.spawn(|| team.relay("ada").append(&[put(1, "quick", 0, "quick")]).unwrap());
        let waits =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
        while team.truth(waits) == "0" {
            assert!(poll(&mut reader).is_empty(), "nothing is committed");
        }
        late.batch("COMMIT").unwrap();
        assert_eq!(quick.join().unwrap(), [Outcome::Taken { version: 1 }]);
    });
    poll(&mut reader);
    assert_eq!(poll(&mut reader), ["late", "quick"]);
}

#[test]
fn a_machine_that_waits_is_woken_by_others_alone() {
    let team = Team::new();
    let (mut ada, mut eve, mut oto) = (team.relay("ada"), team.relay("eve"), team.relay("oto"));
    ada.append(&[put(1, "a", 0, "a")]).unwrap();
    assert!(eve.wait(Duration::from_secs(30)).unwrap());
    assert!(!ada.wait(Duration::from_millis(50)).unwrap(), "it is told of what it wrote itself");
    oto.append(&[put(1, "a", 0, "a")]).unwrap();
    assert!(!eve.wait(Duration::from_millis(50)).unwrap(), "it is told of other teams");
}

#[test]
fn a_promoter_endorses_and_everybody_else_proposes() {
    let team = Team::new();
    let (mut ada, mut pam, mut org) = (team.relay("ada"), team.relay("pam"), team.relay("org"));
    ada.append(&[put(1, "a", 0, "always water the roses")]).unwrap();
    let a = key("a");
    assert_eq!(ada.promote(&a, 7, PRINT, "rule", Target::Team).unwrap(), Promotion::Behind);
    assert_eq!(ada.promote(&a, 1, PRINT, "rule", Target::Team).unwrap(), Promotion::Proposed);
    let waiting = pam.proposals().unwrap();
    assert_eq!(
        (waiting[0].by.as_str(), waiting[0].tier.as_str(), waiting[0].to),
        (team.role("ada").as_str(), "rule", Target::Team)
    );
    assert_eq!(waiting[0].head.endorsed, None);
    assert_eq!(pam.promote(&a, 1, PRINT, "rule", Target::Team).unwrap(), Promotion::Endorsed);
    assert!(pam.proposals().unwrap().is_empty());
    let head = ada.changes(Space::Project, 0, 9).unwrap().remove(0);
    let endorsed = head.endorsed.unwrap();
    assert_eq!((endorsed.by, endorsed.print.as_str(), head.version, head.seq), (team.role("pam"), PRINT, 1, 3));
    assert!(matches!(ada.demote(Space::Project, &a), Err(RelayError::Refused(_))));

    // What says the same keeps it, other words lose it.
    let mut same = put(2, "a", 1, "always  water the roses");
    same.record.as_mut().unwrap()["importance"] = json!(0.9);
    ada.append(&[same]).unwrap();
    assert!(ada.changes(Space::Project, 0, 9).unwrap()[0].endorsed.is_some());
    ada.append(&[put(3, "a", 2, "never water the roses")]).unwrap();
    assert_eq!(ada.changes(Space::Project, 0, 9).unwrap()[0].endorsed, None);

    assert_eq!(pam.promote(&a, 3, PRINT, "rule", Target::Org).unwrap(), Promotion::Proposed);
    assert_eq!(org.promote(&a, 3, PRINT, "rule", Target::Org).unwrap(), Promotion::Endorsed);
    let of_all = team.relay("oto").changes(Space::Org, 0, 9).unwrap();
    assert_eq!(of_all[0].state, HeadState::Live(record("never water the roses")));
    assert_eq!(of_all[0].endorsed.as_ref().unwrap().by, team.role("org"));
    assert!(org.demote(Space::Org, &a).unwrap());
    assert_eq!(team.relay("oto").changes(Space::Org, 1, 9).unwrap()[0].state, HeadState::Forgotten);
    let audit: Vec<String> = ada.audit(100).unwrap().into_iter().map(|line| line.what).collect();
    assert_eq!(audit, ["forget", "promote", "put", "propose", "promote", "propose"]);
}

#[test]
fn what_is_purged_leaves_the_log_and_never_comes_back() {
    let team = Team::new();
    let (mut ada, mut eve, mut pam) = (team.relay("ada"), team.relay("eve"), team.relay("pam"));
    ada.append(&[put(1, "a", 0, "the key is under the mat"), put(2, "b", 0, "a harmless thought")]).unwrap();
    ada.append(&[put(3, "a", 1, "the key is under the stone")]).unwrap();
    assert!(matches!(eve.purge(&key("a"), PRINT), Err(RelayError::Refused(_))), "ada wrote it");
    assert_eq!(ada.purge(&key("a"), PRINT).unwrap(), 3);
    assert_eq!(ada.purge(&key("a"), PRINT).unwrap(), 3, "once is enough");
    let head = eve.changes(Space::Project, 3, 9).unwrap().remove(0);
    assert_eq!(head.state, HeadState::Purged { fingerprint: PRINT.to_owned() });
    assert!(eve.history(&key("a")).unwrap().iter().all(|line| line.record.is_none()));
    let outcomes = ada.append(&[
        put(4, "a", 3, "anything"),
        put(5, "c", 0, " The key is\nunder the mat"),
        put(3, "a", 1, "the key is under the stone"),
    ]);
    assert_eq!(outcomes.unwrap(), [Outcome::Purged, Outcome::Purged, Outcome::Purged]);
    // Who may not promote cannot forbid others to say what they said themselves; a promoter can.
    assert_eq!(eve.append(&[put(1, "d", 0, "the key is under the mat")]).unwrap(), [Outcome::Taken { version: 1 }]);
    pam.purge(&key("d"), "").unwrap();
    assert_eq!(eve.append(&[put(2, "e", 0, "the key is under the mat")]).unwrap(), [Outcome::Purged]);
    assert!(!team.truth("SELECT string_agg(record::text, ' ') FROM lokid.log").contains("under the mat"));
}

#[test]
fn odd_operations_are_refused_one_by_one() {
    let team = Team::new();
    let mut ada = team.relay("ada");
    let long = "x".repeat(1 << 20);
    let mut list = put(4, "d", 0, "");
    list.record = Some(json!([1]));
    let ops = [
        put(1, "", 0, "no name"),
        put(2, "b", 0, &long),
        put(3, "c", 0, "a \0 in it"),
        list,
        put(5, &"n".repeat(1001), 0, "long name"),
        put(6, "f\n", 0, "newline"),
        put(7, "fine", 0, r"fine: \u0000 spelt out"),
    ];
    let outcomes = ada.append(&ops).unwrap();
    assert!(outcomes[..6].iter().all(|outcome| matches!(outcome, Outcome::Refused(_))), "{outcomes:?}");
    assert_eq!(outcomes[6], Outcome::Taken { version: 1 });
}

#[test]
fn initialising_twice_changes_nothing_and_newer_schemas_are_left_alone() {
    let team = Team::new();
    let admin = team.parameters(SUPERUSER);
    let again = Setup { members: vec![team.role("ada")], promoters: vec![team.role("pam")], ..team.setup("garden") };
    assert_eq!(Admin::open(&admin).unwrap().plan(&again).unwrap(), []);
    let unknown = Setup { members: vec!["nobody-there".into()], ..team.setup("garden") };
    assert!(matches!(Admin::open(&admin).unwrap().apply(&unknown), Err(RelayError::Refused(_))));
    let mut eve = team.relay("eve");
    let removed = Setup { removed: vec![team.role("eve")], ..team.setup("garden") };
    let gone = Step::Dismiss { project: "garden".into(), member: team.role("eve") };
    assert_eq!(team.apply(&removed), [gone]);
    assert!(matches!(eve.changes(Space::Project, 0, 9), Err(RelayError::Refused(_))));
    assert!(matches!(team.replica("eve", "garden", "eve-1"), Err(RelayError::Refused(_))));
    team.truth("UPDATE lokid.schema_version SET migration = 0");
    let error = team.replica("ada", "garden", "ada-1").unwrap_err();
    assert!(matches!(&error, RelayError::Refused(why) if why.contains("too old")), "{error}");
    team.truth("UPDATE lokid.schema_version SET migration = 1; INSERT INTO lokid.schema_version VALUES (99, 2)");
    let error = team.replica("ada", "garden", "ada-1").unwrap_err();
    assert!(matches!(error, RelayError::Newer(2)), "{error}");
    assert!(matches!(Admin::open(&admin).unwrap().apply(&again), Err(RelayError::Newer(2))));
}

#[test]
fn whoever_cannot_get_in_is_told_why_and_no_password_is() {
    let team = Team::new();
    let url = team.server.url(&team.role("ada"), &team.database);
    let open = |url: &str| Relay::open(&Parameters::read(url).unwrap(), "garden", "r").unwrap_err();
    let wrong = open(&url.replace("swordfish", "wrong-word"));
    assert!(matches!(wrong, RelayError::Refused(_)) && !format!("{wrong:?}").contains("wrong-word"), "{wrong:?}");
    let unset = open(&team.server.url(&team.role("ada"), "postgres"));
    assert!(matches!(&unset, RelayError::Refused(why) if why.contains("lokid team init")), "{unset}");
    let foreign = team.replica("oto", "garden", "r").unwrap_err();
    assert!(matches!(&foreign, RelayError::Refused(why) if why.contains("no member")), "{foreign}");
    let tls = open(&url.replace("sslmode=disable", "sslmode=verify-full"));
    assert!(matches!(&tls, RelayError::Refused(why) if why.contains("secure")), "{tls}");
    let dead = open(&url.replace(&format!(":{}/", team.server.port()), ":1/"));
    assert!(matches!(dead, RelayError::Unreachable(_)), "{dead}");
}

#[test]
fn a_server_that_dies_is_unreachable_and_keeps_what_it_acknowledged() {
    let mut server = Server::start();
    let database = server.database();
    let admin = Parameters::read(&server.url(SUPERUSER, &database)).unwrap();
    let setup = Setup { project: "garden".into(), members: vec![SUPERUSER.into()], ..Setup::default() };
    Admin::open(&admin).unwrap().apply(&setup).unwrap();
    let mut relay = Relay::open(&admin, "garden", "r").unwrap();
    let before = relay.hello().unwrap().database;
    assert_eq!(relay.append(&[put(1, "a", 0, "kept")]).unwrap(), [Outcome::Taken { version: 1 }]);
    server.kill();
    assert!(matches!(relay.wait(Duration::from_secs(30)), Err(RelayError::Unreachable(_))));
    assert!(matches!(relay.append(&[put(2, "a", 1, "lost?")]), Err(RelayError::Unreachable(_))));
    assert!(matches!(Relay::open(&admin, "garden", "r"), Err(RelayError::Unreachable(_))));
    server.start_again();
    let mut relay = Relay::open(&admin, "garden", "r").unwrap();
    assert_eq!(relay.hello().unwrap().database, before);
    assert_eq!(relay.append(&[put(1, "a", 0, "kept")]).unwrap(), [Outcome::Taken { version: 1 }]);
    assert_eq!(relay.append(&[put(2, "a", 1, "lost?")]).unwrap(), [Outcome::Taken { version: 2 }]);
}
