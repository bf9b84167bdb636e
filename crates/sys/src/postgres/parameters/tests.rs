//! What is typed, what the environment says and what stands in files, in the order in which `psql` believes them.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::*;

fn read(text: &str, variables: &[(&str, &str)], home: Option<&Path>) -> Result<Parameters, ParameterError> {
    let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
    let variable = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    Parameters::read_in(text, &Around { variable: &variable, home: home.map(Path::to_owned) })
}

fn write(path: &Path, text: &str, mode: u32) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_url_and_a_list_of_keywords_say_the_same() {
    let url = read("postgres://ada:p%40ss@db.example.org:6432/team?sslmode=require", &[], None).unwrap();
    let list =
        read(r"host=db.example.org port=6432 user=ada password='p\@ss' dbname = team sslmode=require", &[], None);
    assert_eq!(url, list.unwrap());
    assert_eq!(url.to_string(), "ada@db.example.org:6432/team");
    assert_eq!(url.password.as_deref(), Some("p@ss"));
    let six = read("postgresql://ada@[::1]:7000,db:7001/x", &[], None).unwrap();
    assert_eq!(six.to_string(), "ada@::1:7000,db:7001/x");
    let socket = read("postgres://ada@%2Frun%2Fpg/x", &[], None).unwrap();
    assert!(socket.hosts[0].is_socket());
    assert!(
        Parameters::text_holds_password("postgres://a:b@c/d") && !Parameters::text_holds_password("postgres://a@c/d")
    );
}

#[test]
fn only_near_servers_go_unverified_by_themselves() {
    let mode = |text: &str| read(text, &[("USER", "ada")], None).unwrap().ssl_mode();
    assert_eq!(mode("postgres://db.example.org/x"), SslMode::VerifyFull);
    assert_eq!(mode("postgres://localhost,db.example.org/x"), SslMode::VerifyFull);
    assert_eq!(mode("postgres://10.0.0.1/x"), SslMode::VerifyFull);
    for near in ["postgres://localhost/x", "postgres://127.0.0.1/x", "host=::1", "host=/tmp", ""] {
        assert_eq!(mode(near), SslMode::Prefer, "{near}");
    }
    assert_eq!(
        read("host=db", &[("USER", "ada"), ("PGSSLMODE", "verify-ca")], None).unwrap().ssl_mode(),
        SslMode::VerifyCa
    );
    assert!(read("host=db sslmode=maybe user=a", &[], None).is_err());
}

#[test]
fn the_address_goes_before_the_service_and_the_service_before_the_environment() {
    let home = tempfile::tempdir().unwrap();
    let services = "# ours\n[team]\nhost=db.example.org\nport=7000\nuser=eve\n[other]\nhost=nowhere\n";
    write(&home.path().join(".pg_service.conf"), services, 0o644);
    let around = [("PGSERVICE", "team"), ("PGHOST", "env"), ("PGDATABASE", "d"), ("USER", "me")];
    let found = read("user=ada", &around, Some(home.path())).unwrap();
    assert_eq!(found.to_string(), "ada@db.example.org:7000/d");
    let error = read("service=absent", &around, Some(home.path())).unwrap_err();
    assert_eq!(error.to_string(), "the service `absent` is in no service file");
}

#[test]
fn the_first_line_of_the_password_file_that_fits_counts_and_nobody_else_may_read_it() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".pgpass");
    let lines = "# a remark\nother:*:*:*:no\ndb\\:1:5432:*:ada:it\\:s\\\\so\n*:*:team:ada:second\n*:*:*:*:last\n";
    write(&file, lines, 0o600);
    let password = |text: &str| read(text, &[], Some(home.path())).unwrap().password.unwrap();
    assert_eq!(password("host='db:1' user=ada dbname=team"), r"it:s\so");
    assert_eq!(password("host=db user=ada dbname=team"), "second");
    assert_eq!(password("host=db user=eve dbname=team"), "last");
    assert_eq!(password("host=db user=eve password=own"), "own");
    write(&file, lines, 0o640);
    let error = read("host=db user=ada", &[], Some(home.path())).unwrap_err();
    assert!(error.to_string().contains("chmod 600"), "{error}");
}

#[test]
fn no_password_is_ever_shown() {
    for text in
        ["postgres://ada:hunter2@db:70000/x", "postgres://ada:hunter2@db/x?odd=1", "ada:hunter2@db", "user='hunter2"]
    {
        let error = read(text, &[], None).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
    let fine = read("postgres://ada:hunter2@db/x", &[("PGPASSWORD", "hunter2")], None).unwrap();
    assert!(!format!("{fine} {fine:?}").contains("hunter2"));
}
