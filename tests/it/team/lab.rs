//! A database with a team in it, made the way an administrator makes it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use lokid_sys::postgres::Parameters;
use lokid_team::relay::Relay;
use lokid_team::relay::admin::{Admin, NewRole, Setup, Step};
use lokid_team::{ItemKey, ItemKind, Op};
use lokid_testing::postgres::{PASSWORD, SUPERUSER, Server};
use serde_json::{Value, json};

/// The team `garden`: ada and eve are members, pam promotes, org promotes for everybody. The team `other` has oto.
/// Names of roles are the server's, so each database has its own, `{database}_ada`.
pub(crate) struct Team {
    pub(crate) server: &'static Server,
    pub(crate) database: String,
}

impl Team {
    pub(crate) fn new() -> Team {
        let server = Server::shared();
        let team = Team { server, database: server.database() };
        let [ada, eve, pam, org, oto] = ["ada", "eve", "pam", "org", "oto"].map(|name| team.role(name));
        let created =
            [&ada, &eve, &pam, &org, &oto].map(|name| NewRole { name: name.clone(), password: PASSWORD.into() });
        let members = vec![ada, eve, org.clone()];
        let (promoters, org_promoters) = (vec![pam], vec![org]);
        let setup = Setup { members, promoters, org_promoters, created: created.to_vec(), ..team.setup("garden") };
        team.apply(&setup);
        team.apply(&Setup { members: vec![oto], ..team.setup("other") });
        team
    }

    pub(crate) fn setup(&self, project: &str) -> Setup {
        Setup { project: project.to_owned(), ..Setup::default() }
    }

    pub(crate) fn apply(&self, setup: &Setup) -> Vec<Step> {
        Admin::open(&self.parameters(SUPERUSER)).unwrap().apply(setup).unwrap()
    }

    pub(crate) fn role(&self, name: &str) -> String {
        format!("{}_{name}", self.database)
    }

    pub(crate) fn parameters(&self, role: &str) -> Parameters {
        Parameters::read(&self.server.url(role, &self.database)).unwrap()
    }

    /// A machine of one of them, which is called like its owner.
    pub(crate) fn relay(&self, name: &str) -> Relay {
        let project = if name == "oto" { "other" } else { "garden" };
        self.replica(name, project, &format!("{name}-1")).unwrap()
    }

    pub(crate) fn replica(
        &self,
        name: &str,
        project: &str,
        replica: &str,
    ) -> Result<Relay, lokid_team::relay::RelayError> {
        Relay::open(&self.parameters(&self.role(name)), project, replica)
    }

    pub(crate) fn psql(&self, name: &str, sql: &str) -> (bool, String) {
        self.server.psql(&self.role(name), &self.database, sql)
    }

    /// What a session of `psql` prints that listens while something happens.
    pub(crate) fn overheard(&self, name: &str, meanwhile: impl FnOnce()) -> String {
        let url = self.server.url(&self.role(name), &self.database);
        let mut psql = Command::new("psql")
            .args(["-X", "-A", "-t", &url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut said, mut told) = (psql.stdin.take().unwrap(), BufReader::new(psql.stdout.take().unwrap()));
        writeln!(said, "LISTEN lokid;").unwrap();
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "LISTEN");
        meanwhile();
        writeln!(said, "SELECT 1;").unwrap();
        drop(said);
        told.read_to_string(&mut line).unwrap();
        psql.wait().unwrap();
        line
    }

    /// What the superuser sees.
    pub(crate) fn truth(&self, sql: &str) -> String {
        self.server.must(&self.database, sql)
    }
}

pub(crate) fn key(name: &str) -> ItemKey {
    ItemKey { kind: ItemKind::Memory, namespace: "garden".into(), name: name.into() }
}

pub(crate) fn record(text: &str) -> Value {
    json!({"id": "x", "text": text, "zebra": 1, "apple": {"unknown": [1, 2.5, null]}})
}

pub(crate) fn put(index: u64, name: &str, base: u64, text: &str) -> Op {
    Op { item: key(name), index, hlc: 1_790_000_000_000_000, base, record: Some(record(text)) }
}
