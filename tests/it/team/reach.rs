//! The way to the server: who is trusted on it, and how long it is waited for.

use std::time::Instant;

use lokid_sys::postgres::{Connection, Parameters, PostgresError};
use lokid_testing::postgres::{PASSWORD, Server};

fn open(text: &str) -> Result<String, PostgresError> {
    let mut connection = Connection::open(&Parameters::read(text).unwrap())?;
    let sql = "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    Ok(connection.texts(sql, &[]).unwrap().remove(0))
}

#[test]
fn a_certificate_is_looked_at_as_closely_as_was_asked_for() {
    let mut server = Server::start_with(false);
    server.role("ada");
    let port = server.port();
    let at =
        |host: &str, more: &str| format!("host={host} port={port} user=ada password={PASSWORD} dbname=postgres {more}");
    assert_eq!(open(&at("localhost", "")).unwrap(), "false", "near, a server that cannot encrypt is taken as it is");
    assert!(matches!(open(&at("localhost", "sslmode=require")), Err(PostgresError::Tls(_))));

    let ca = server.encrypt().display().to_string();
    let own = format!("sslrootcert={ca}");
    assert_eq!(open(&at("localhost", "")).unwrap(), "true");
    assert_eq!(open(&at("localhost", "sslmode=disable")).unwrap(), "false");
    assert_eq!(open(&at("localhost", "sslmode=require")).unwrap(), "true");
    assert_eq!(open(&at("localhost", &format!("sslmode=verify-full {own}"))).unwrap(), "true");
    assert_eq!(open(&at("127.0.0.1", &format!("sslmode=verify-ca {own}"))).unwrap(), "true");
    let untrusted = [
        // The certificate speaks of another host,
        at("127.0.0.1", &format!("sslmode=verify-full {own}")),
        // nobody whom this machine knows stands for it,
        at("localhost", "sslmode=verify-full sslrootcert=system"),
        at("localhost", "sslmode=verify-ca sslrootcert=system"),
        // or whoever shall stand for it is not there.
        at("localhost", "sslmode=verify-full sslrootcert=/nonexistent/ca.pem"),
    ];
    for text in untrusted {
        let error = open(&text).unwrap_err();
        assert!(matches!(error, PostgresError::Tls(_)), "{text}: {error:?}");
        assert!(!format!("{error} {error:?}").contains(PASSWORD), "{error:?}");
    }
    // A server far away has to prove who it is, without anybody asking for it.
    let far = at("db.example.org", &format!("hostaddr=127.0.0.1 {own}"));
    assert!(matches!(open(&far), Err(PostgresError::Tls(_))));
}

#[test]
fn a_server_that_stands_still_is_given_up_in_time() {
    let server = Server::start_with(false);
    server.role("ada");
    server.pause();
    let began = Instant::now();
    let error = open(&server.url("ada", "postgres")).unwrap_err();
    assert!(matches!(error, PostgresError::Unreachable(_)), "{error:?}");
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    server.resume();
    open(&server.url("ada", "postgres")).unwrap();
}
