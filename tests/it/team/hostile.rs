//! A member who wants more than a member may, with the real `psql`.

use std::time::Duration;

use lokid_team::Outcome;
use lokid_team::relay::Space;

use super::lab::{Team, put};

/// What ada of the team garden, oto of the other team and the organisation's promoter wrote; eve is a member of garden.
fn team() -> Team {
    let team = Team::new();
    team.relay("ada").append(&[put(1, "a", 0, "the roses of the garden")]).unwrap();
    team.relay("oto").append(&[put(1, "o", 0, "a secret of the others")]).unwrap();
    team.relay("oto").beat("oto's machine", 1).unwrap();
    team
}

fn append(project: &str, replica: &str, index: u64, name: &str, base: u64, text: &str) -> String {
    let op = serde_json::json!([{
        "index": index, "hlc": 1, "kind": "memory", "namespace": "garden", "name": name, "base": base,
        "author": "pam", "record": {"text": text},
    }]);
    format!("SELECT lokid.append('{project}', '{replica}', '{op}')")
}

#[test]
fn another_team_is_not_there() {
    let team = team();
    for place in ["heads", "log", "members", "replicas", "purged"] {
        let sql = format!("SELECT count(*) FROM lokid.{place} WHERE project NOT IN ('garden', '@org')");
        assert_eq!(team.psql("eve", &sql), (true, "0".to_owned()), "{place}");
        assert_eq!(team.psql("eve", &format!("SELECT count(*) FROM lokid.{place} WHERE project = 'other'")).1, "0");
    }
    assert_eq!(team.psql("eve", "SELECT string_agg(name, ' ' ORDER BY name) FROM lokid.projects").1, "@org garden");
    // A cheap function that would be asked before the policy would tell.
    let leak = "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS
        $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$;
        SELECT count(*) FROM lokid.heads WHERE pg_temp.leak(record::text);";
    let (done, said) = team.psql("eve", leak);
    assert!(done && said.contains("roses") && !said.contains("secret"), "{said}");
    let (done, said) = team.psql("eve", "COPY lokid.log TO STDOUT");
    assert!(done && said.contains("roses") && !said.contains("secret"), "{said}");
    for all in ["SET row_security = off; SELECT * FROM lokid.heads", "SELECT * FROM lokid.purged_words"] {
        assert!(!team.psql("eve", all).0, "{all}");
    }
    // Whoever is in no team sees no team at all, and not even the schema.
    team.server.role(&team.role("stranger"));
    assert!(team.psql("stranger", "SELECT * FROM lokid.meta").1.contains("permission denied"));
    assert!(team.psql("stranger", &append("garden", "s-1", 1, "s", 0, "hello there")).1.contains("permission denied"));
}

#[test]
fn no_table_can_be_changed_by_hand() {
    let team = team();
    let before = picture(&team);
    for place in ["meta", "projects", "members", "replicas", "log", "heads", "purged", "purged_words", "schema_version"]
    {
        let column = team.truth(&format!(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'lokid.{place}'::regclass AND attnum = 1"
        ));
        for sql in [
            format!("INSERT INTO lokid.{place} DEFAULT VALUES"),
            format!("UPDATE lokid.{place} SET {column} = {column}"),
            format!("DELETE FROM lokid.{place}"),
            format!("TRUNCATE lokid.{place} CASCADE"),
            format!("DROP TABLE lokid.{place} CASCADE"),
            format!("ALTER TABLE lokid.{place} DISABLE ROW LEVEL SECURITY"),
            format!("CREATE POLICY mine2 ON lokid.{place} USING (true)"),
            format!("CREATE TRIGGER t BEFORE INSERT ON lokid.{place} EXECUTE FUNCTION lokid.mine()"),
            format!("LOCK TABLE lokid.{place} IN ACCESS EXCLUSIVE MODE"),
            format!("GRANT ALL ON lokid.{place} TO \"{}\"", team.role("eve")),
        ] {
            let (done, said) = team.psql("eve", &sql);
            // A grant of what one does not have is only warned about.
            assert!(!done || said.contains("no privileges were granted"), "{sql}: {said}");
        }
    }
    let row = "INSERT INTO lokid.members VALUES ('other', session_user, true)";
    assert!(team.psql("eve", row).1.contains("permission denied"));
    for sql in [
        "CREATE TABLE lokid.mine2 (a int)",
        "CREATE FUNCTION lokid.now() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE OR REPLACE FUNCTION lokid.mine() RETURNS SETOF text LANGUAGE sql AS $$ SELECT 'other' $$",
        "ALTER FUNCTION lokid.mine() SECURITY INVOKER",
        "SELECT lokid.admit('other', session_user, true)",
        "SELECT lokid.dismiss('garden', 'x')",
        "SELECT lokid.allow(session_user)",
        "SELECT lokid.begin_writing('garden', false)",
        "SELECT lokid.end_writing('garden', 99)",
        "SELECT lokid.unendorse('garden', 'memory', 'garden', 'a')",
        "SELECT lokid.own_replica('garden', 'ada-1')",
        "SELECT lokid.note('garden', 99, head, 'promote', NULL) FROM lokid.heads AS head",
        "SET SESSION AUTHORIZATION boss",
        "SET ROLE boss",
    ] {
        let (done, said) = team.psql("eve", sql);
        assert!(!done && !said.contains("does not exist"), "{sql}: {said}");
    }
    assert_eq!(picture(&team), before);
}

#[test]
fn nobody_writes_as_another_or_where_they_are_no_member() {
    let team = team();
    assert!(team.psql("eve", &append("garden", "eve-1", 1, "e", 0, "words of eve herself")).1.contains("taken"));
    assert_eq!(team.truth("SELECT author FROM lokid.log WHERE name = 'e'"), team.role("eve"));
    // In the name of ada's machine: its next operation would count as sent.
    let (done, said) = team.psql("eve", &append("garden", "ada-1", 2, "f", 0, "words in a wrong name"));
    assert!(!done && said.contains("belongs to another member"), "{said}");
    assert!(!team.psql("eve", "SELECT lokid.beat('garden', 'ada-1', 'gone', 0)").0);
    let before = picture(&team);
    for sql in [
        append("other", "eve-1", 5, "o", 1, "words of eve in another team"),
        append("@org", "eve-1", 5, "o", 0, "words of eve for everybody"),
        append("nowhere", "eve-1", 5, "o", 0, "words of eve for nobody"),
        "SELECT lokid.purge('other', 'memory', 'garden', 'o', '')".to_owned(),
        "SELECT lokid.purge('@org', 'memory', 'garden', 'o', '')".to_owned(),
        "SELECT lokid.purge('garden', 'memory', 'garden', 'a', '')".to_owned(),
        // Something that others have by git, and that nobody sent so far.
        "SELECT lokid.purge('garden', 'memory', 'garden', 'unsent', '')".to_owned(),
        "SELECT lokid.promote('other', 'garden', 'o', 1, '00112233445566778899', 'rule')".to_owned(),
        "SELECT lokid.promote('@org', 'garden', 'o', 1, '00112233445566778899', 'rule')".to_owned(),
        "SELECT lokid.demote('other', 'garden', 'o')".to_owned(),
        "SELECT lokid.demote('@org', 'garden', 'o')".to_owned(),
        "SELECT lokid.beat('other', 'eve-1', '', 0)".to_owned(),
    ] {
        let (done, said) = team.psql("eve", &sql);
        assert!(!done && (said.contains("no member") || said.contains("promoter")), "{sql}: {said}");
    }
    assert_eq!(picture(&team), before);
    // She may ask for a promotion, and it stands in her name and binds nobody.
    let ask = "SELECT lokid.promote('garden', 'garden', 'a', 1, '00112233445566778899', 'rule', 'org')";
    assert_eq!(team.psql("eve", ask).1, "proposed");
    assert_eq!(team.truth("SELECT count(*) FROM lokid.heads WHERE project = '@org' OR endorsed_by IS NOT NULL"), "0");
}

#[test]
fn what_was_purged_is_neither_read_nor_brought_back() {
    let team = team();
    let purge = "SELECT lokid.purge('garden', 'memory', 'garden', 'a', '00112233445566778899aabbccddeeff')";
    assert_eq!(team.psql("pam", purge).1, "2");
    let all = "SELECT log FROM lokid.log; SELECT heads FROM lokid.heads; SELECT lokid.shown(heads) FROM lokid.heads";
    let (done, said) = team.psql("eve", all);
    assert!(done && !said.contains("roses"), "{said}");
    let tries = [
        (1, "a", 2, "the roses of the garden"),
        (2, "a", 0, "something else about a"),
        (3, "another", 0, "  THE roses of\tthe garden "),
    ];
    for (index, name, base, text) in tries {
        let (done, said) = team.psql("eve", &append("garden", "eve-1", index, name, base, text));
        assert!(done && said.contains("\"purged\""), "{name}: {said}");
    }
    // The machine that wrote it may send it as often as it likes.
    assert_eq!(team.relay("ada").append(&[put(1, "a", 0, "the roses of the garden")]).unwrap(), [Outcome::Purged]);
    assert_eq!(team.truth("SELECT count(*) FROM lokid.heads WHERE project = 'garden' AND state = 'live'"), "0");
    assert_eq!(team.truth("SELECT count(*) FROM lokid.log WHERE record::text ~* 'roses'"), "0");
}

#[test]
fn a_path_of_ones_own_hijacks_no_function() {
    let team = team();
    // Tables and functions that the definer's functions would use if they looked there first.
    let trap = "CREATE TEMP TABLE members (project text, member text, may_promote boolean);
        INSERT INTO members VALUES ('other', session_user, true), ('@org', session_user, true);
        CREATE TEMP TABLE projects (name text, seq bigint, bell text); INSERT INTO projects VALUES ('other', 0, 'x');
        CREATE FUNCTION pg_temp.words(json) RETURNS bytea[] LANGUAGE sql AS $$ SELECT '{}'::bytea[] $$;
        CREATE FUNCTION pg_temp.micros(timestamptz) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
        SET search_path = pg_temp, lokid, pg_catalog;";
    let (done, said) = team.psql("eve", &format!("{trap} {}", append("other", "eve-1", 1, "o", 1, "got in, did I")));
    assert!(!done && said.contains("no member"), "{said}");
    let (done, said) = team.psql("eve", &format!("{trap} SELECT count(*) FROM lokid.heads WHERE project = 'other'"));
    assert_eq!((done, said.as_str()), (true, "0"));
    let guarded =
        "SELECT string_agg(proname, ' ') FROM pg_proc WHERE pronamespace = 'lokid'::regnamespace AND prosecdef
        AND NOT coalesce(proconfig::text, '') LIKE '%search_path=lokid, pg_temp%'";
    assert_eq!(team.truth(guarded), "", "definer's functions that look wherever they are told");
    let open = "SELECT string_agg(proname, ' ') FROM pg_proc WHERE pronamespace = 'lokid'::regnamespace
        AND has_function_privilege('public', oid, 'execute')";
    assert_eq!(team.truth(open), "", "functions for everybody");
}

#[test]
fn whoever_listens_hears_no_words() {
    let team = team();
    let mut oto = team.relay("oto");
    // What is heard is a word that only the team can read a meaning into.
    let heard = team.overheard("eve", || {
        oto.append(&[put(2, "p", 0, "another secret of the others")]).unwrap();
    });
    assert!(heard.contains("Asynchronous notification \"lokid\""), "{heard}");
    assert!(!heard.contains("secret") && !heard.contains("other") && !heard.contains("oto"), "{heard}");
    assert_eq!(team.psql("eve", "SELECT count(*) FROM lokid.projects WHERE name = 'other'").1, "0");
    // Whoever cries wolf makes others look once, and nothing else.
    assert!(team.psql("eve", "NOTIFY lokid, 'wolf'").0);
    assert!(!oto.wait(Duration::from_millis(50)).unwrap());
    assert_eq!(oto.changes(Space::Project, 2, 10).unwrap(), []);
}

/// Everything that stands in the database, but for when machines were seen.
fn picture(team: &Team) -> String {
    team.truth(
        "SELECT meta FROM lokid.meta; SELECT p FROM lokid.projects AS p ORDER BY name;
        SELECT m FROM lokid.members AS m ORDER BY project, member; SELECT l FROM lokid.log AS l ORDER BY project, seq;
        SELECT h FROM lokid.heads AS h ORDER BY project, seq; SELECT project, replica, member FROM lokid.replicas ORDER BY 1, 2;
        SELECT relname, relacl, relrowsecurity FROM pg_class WHERE relnamespace = 'lokid'::regnamespace ORDER BY 1;
        SELECT proname, proacl, prosrc FROM pg_proc WHERE pronamespace = 'lokid'::regnamespace ORDER BY 1",
    )
}
