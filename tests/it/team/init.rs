//! `lokid team init` as an administrator types it.

use lokid_testing::postgres::{SUPERUSER, Server};
use serde_json::Value;

use crate::home::{Home, Told};

fn told(home: &Home, arguments: &[&str], input: &str) -> Told {
    use std::io::Write;
    let mut command = home.command(arguments);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Told::new(arguments, child.wait_with_output().unwrap())
}

#[test]
fn a_team_is_made_shown_first_and_changed_later() {
    let (home, server) = (Home::new(), Server::shared());
    let database = server.database();
    let url = server.url(SUPERUSER, &database);
    let [ada, bob] = ["ada", "bob"].map(|name| format!("{database}_{name}"));
    let init = ["team", "init", &url, "--project", "garden"];
    let with = |more: &[&str]| told(&home, &[&init, more].concat(), "");

    let asked = with(&["--promoter", &ada, "--create-role", &ada, "--create-role", &bob]);
    assert_eq!(asked.code, Some(2), "nobody is there to be asked: {asked:#?}");
    assert!(asked.out.contains("make the schema `lokid`") && asked.out.contains(&format!("create the role {ada}")));
    assert_eq!(server.must(&database, "SELECT count(*) FROM pg_namespace WHERE nspname = 'lokid'"), "0");

    let done = with(&["--promoter", &ada, "--create-role", &ada, "--create-role", &bob, "--yes", "--json"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    let report: Value = serde_json::from_str(&done.out).unwrap();
    let members = "SELECT member, may_promote FROM lokid.members WHERE project = 'garden' ORDER BY 1";
    assert_eq!(server.must(&database, members), format!("{ada}|t\n{bob}|f"));
    // The passwords that were told let them in.
    let made = report["passwords"].as_array().unwrap();
    assert_eq!(made.len(), 2, "{report}");
    let password = made.iter().find(|made| made["role"] == ada.as_str()).unwrap()["password"].as_str().unwrap();
    let address = format!("postgres://{ada}:{password}@127.0.0.1:{}/{database}", server.port());
    let parameters = lokid_sys::postgres::Parameters::read(&address).unwrap();
    assert!(lokid_team::relay::Relay::open(&parameters, "garden", "r").unwrap().hello().unwrap().may_promote);
    assert!(!server.log().contains(password), "the server never saw it");

    let again = with(&["--promoter", &ada, "--member", &bob]);
    assert_eq!((again.code, again.out.contains("everything is as it shall be")), (Some(0), true), "{again:#?}");
    let identity = || server.must(&database, "SELECT database FROM lokid.meta");
    let before = identity();
    let renewed = with(&["--restored", "--yes"]);
    assert!(renewed.code == Some(0) && identity() != before, "{renewed:#?}");
    let gone = with(&["--remove-member", &bob, "--yes"]);
    assert_eq!((gone.code, server.must(&database, members)), (Some(0), format!("{ada}|t")), "{gone:#?}");
    // Its role can go, too: nothing of it is left in the schema but what it wrote.
    server.must(&database, &format!("DROP ROLE \"{bob}\""));
}

#[test]
fn passwords_come_by_the_standard_input_and_never_by_the_command_line() {
    let (home, server) = (Home::new(), Server::shared());
    let database = server.database();
    let url = server.url(SUPERUSER, &database);
    let role = format!("{database}_cy");
    let init = ["team", "init", &url, "--project", "garden", "--create-role", &role, "--password-stdin", "--yes"];
    let few = told(&home, &init, "");
    assert_eq!(few.code, Some(2), "{few:#?}");
    let done = told(&home, &init, "correct horse\n");
    assert!(done.code == Some(0) && !done.out.contains("correct horse"), "{done:#?}");
    let address =
        format!("host=127.0.0.1 port={} user={role} password='correct horse' dbname={database}", server.port());
    let parameters = lokid_sys::postgres::Parameters::read(&address).unwrap();
    lokid_team::relay::Relay::open(&parameters, "garden", "r").unwrap();

    let open = told(&home, &["team", "init", "postgres://a:hunter2@127.0.0.1/x", "--project", "garden"], "");
    assert!(open.code == Some(2) && open.err.contains(".pgpass") && !open.err.contains("hunter2"), "{open:#?}");
    let nameless = told(&home, &["team", "init", &url], "");
    assert!(nameless.code == Some(2) && nameless.err.contains("--project NAME"), "{nameless:#?}");
    let odd = told(&home, &["team", "init", &url, "--name", "@org", "--yes"], "");
    assert!(odd.code == Some(1) && odd.err.contains("name"), "{odd:#?}");
}
