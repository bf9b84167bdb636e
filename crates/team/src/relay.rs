//! The database as one machine sees it: appends what happened here, reads how every item stands, and waits for more.
//!
//! Blocking, for one thread. What it hands out was written by others and is not trusted by being here.

use std::collections::BTreeSet;
use std::time::Duration;

use lokid_sys::postgres::Parameter::{Text, Whole};
use lokid_sys::postgres::{Connection, Parameters, PostgresError, Wake};
use serde_json::{Value, json};

use crate::item::{Head, ItemKey, Op, Outcome};

pub mod admin;
mod decode;

pub use decode::{AuditLine, Peer, Proposal, Target, Version};

/// The changes of the schema, in their order, each with the major version it makes of it. What was released never changes.
const MIGRATIONS: &[(u32, &str)] = &[(1, include_str!("relay/schema/0001.sql"))];
/// The schema this program understands; a database with a greater major version it does not touch.
const MAJOR: u32 = 1;
/// The project that everybody reads.
const ORG: &str = "@org";
const CHANNEL: &str = "lokid";
const MOST_OPS: usize = 200;
const MOST_BYTES: usize = 4 << 20;

#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// Later it may work.
    #[error("{0}")]
    Unreachable(String),
    /// Only a person can change that.
    #[error("{0}")]
    Refused(String),
    #[error(
        "the database holds version {0} of the team's schema, which a newer lokid made: update lokid on this machine"
    )]
    Newer(u32),
    #[error("{0}")]
    Statement(String),
    #[error("the database answers what this program does not understand: {0}")]
    Garbled(String),
}

impl From<PostgresError> for RelayError {
    fn from(error: PostgresError) -> RelayError {
        match &error {
            PostgresError::Unreachable(_) => RelayError::Unreachable(error.to_string()),
            PostgresError::Refused { .. } | PostgresError::Tls(_) => RelayError::Refused(error.to_string()),
            PostgresError::Statement { .. } => RelayError::Statement(error.to_string()),
        }
    }
}

impl RelayError {
    /// Is it worth trying again without anybody doing something?
    pub fn passes(&self) -> bool {
        matches!(self, RelayError::Unreachable(_) | RelayError::Statement(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    Project,
    /// What the whole organisation shares.
    Org,
}

/// Who is who, right after the connection was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Another one means another database: what was read and sent so far says nothing about it.
    pub database: String,
    /// The last change of the schema that was made.
    pub schema: u32,
    pub member: String,
    pub may_promote: bool,
    pub may_promote_org: bool,
    /// Those whose word binds the team.
    pub promoters: BTreeSet<String>,
    /// The end of the project's log.
    pub seq: u64,
}

/// What became of a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    Endorsed,
    /// It waits in the inbox for a promoter.
    Proposed,
    /// The item does not stand any more as it was seen.
    Behind,
}

#[derive(Debug)]
pub struct Relay {
    connection: Connection,
    project: String,
    replica: String,
}

impl Relay {
    pub fn open(parameters: &Parameters, project: &str, replica: &str) -> Result<Relay, RelayError> {
        let connection = Connection::open(parameters)?;
        let mut relay = Relay { connection, project: project.to_owned(), replica: replica.to_owned() };
        relay.hello()?;
        let sql = "SELECT bell FROM lokid.projects WHERE name IN ($1, $2)";
        let bells = relay.connection.texts(sql, &[Text(project), Text(ORG)])?;
        relay.connection.listen(CHANNEL, bells)?;
        Ok(relay)
    }

    pub fn hello(&mut self) -> Result<Hello, RelayError> {
        check_version(&mut self.connection)?;
        let sql = "SELECT json_build_object(
                'database', (SELECT database FROM lokid.meta),
                'schema', (SELECT max(migration) FROM lokid.schema_version),
                'member', session_user,
                'may_promote', (SELECT may_promote FROM lokid.members WHERE project = $1 AND member = session_user),
                'may_promote_org', EXISTS (SELECT FROM lokid.members
                    WHERE project = $2 AND member = session_user AND may_promote),
                'promoters', (SELECT coalesce(json_agg(member), '[]') FROM lokid.members
                    WHERE project = $1 AND may_promote),
                'seq', (SELECT seq FROM lokid.projects WHERE name = $1))::text";
        let hello = self.connection.texts(sql, &[Text(&self.project), Text(ORG)])?;
        let hello = decode::one(&hello)?;
        if hello["may_promote"].is_null() {
            let member = hello["member"].as_str().unwrap_or_default();
            return Err(RelayError::Refused(format!("{member} is no member of the team's project {}", self.project)));
        }
        decode::hello(&hello)
    }

    /// In the order of the operations. They stand in the log in this order, too, and one that was sent before is answered
    /// as it was then.
    pub fn append(&mut self, ops: &[Op]) -> Result<Vec<Outcome>, RelayError> {
        let mut outcomes = Vec::with_capacity(ops.len());
        let mut batch: Vec<String> = Vec::new();
        let mut bytes = 0;
        for op in ops {
            let text = sent(op).to_string();
            if batch.len() == MOST_OPS || bytes + text.len() > MOST_BYTES {
                self.append_batch(&mut batch, &mut outcomes)?;
                bytes = 0;
            }
            bytes += text.len();
            batch.push(text);
        }
        self.append_batch(&mut batch, &mut outcomes)?;
        if outcomes.len() != ops.len() {
            return Err(RelayError::Garbled(format!("{} answers to {} operations", outcomes.len(), ops.len())));
        }
        Ok(outcomes)
    }

    fn append_batch(&mut self, batch: &mut Vec<String>, outcomes: &mut Vec<Outcome>) -> Result<(), RelayError> {
        if batch.is_empty() {
            return Ok(());
        }
        let ops = format!("[{}]", std::mem::take(batch).join(","));
        let sql = "SELECT answer::text FROM lokid.append($1, $2, $3::text::json) AS answer";
        let answers = self.connection.texts(sql, &[Text(&self.project), Text(&self.replica), Text(&ops)])?;
        for answer in &answers {
            outcomes.push(decode::outcome(&decode::object(answer)?)?);
        }
        Ok(())
    }

    /// What changed behind this place of the log, each item once and as it stands now. Fewer than `limit` may come where
    /// they are long; none come when there is nothing more.
    pub fn changes(&mut self, space: Space, after: u64, limit: usize) -> Result<Vec<Head>, RelayError> {
        let sql = "SELECT lokid.shown(head)::text FROM (
                SELECT head, sum(coalesce(octet_length((head).record::text), 0)) OVER (ORDER BY (head).seq) AS bytes
                FROM (SELECT head FROM lokid.heads AS head WHERE project = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS next
            ) AS counted WHERE bytes <= 16777216 ORDER BY (head).seq";
        let project = self.name_of(space).to_owned();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let heads = self.connection.texts(sql, &[Text(&project), Whole(whole(after)), Whole(limit)])?;
        let read = |head: &String| decode::object(head).and_then(|head| decode::head(&head));
        match heads.iter().map(read).collect() {
            Err(RelayError::Garbled(_)) => self.heads_without_odd_records(&project, after, heads.len()),
            read => read,
        }
    }

    /// Somebody wrote what the database takes for JSON and this program does not: such a record is nothing, and the rest
    /// of the page goes on.
    fn heads_without_odd_records(&mut self, project: &str, after: u64, many: usize) -> Result<Vec<Head>, RelayError> {
        let bare = "SELECT (lokid.shown(head)::jsonb || '{\"record\": null}')::text FROM lokid.heads AS head
            WHERE project = $1 AND seq > $2 ORDER BY seq LIMIT $3";
        let whole_one = "SELECT lokid.shown(head)::text FROM lokid.heads AS head WHERE project = $1 AND seq = $2";
        let limit = i64::try_from(many).unwrap_or(i64::MAX);
        let rows = self.connection.texts(bare, &[Text(project), Whole(whole(after)), Whole(limit)])?;
        let mut heads = Vec::with_capacity(rows.len());
        for row in &rows {
            let head = decode::head(&decode::object(row)?)?;
            let found = self.connection.texts(whole_one, &[Text(project), Whole(whole(head.seq))])?;
            let entire = decode::one(&found).and_then(|value| decode::head(&value));
            heads.push(entire.unwrap_or(head));
        }
        Ok(heads)
    }

    /// The same for a newcomer, who reads much at once: by `COPY`, and without what this program cannot read.
    pub fn copy(
        &mut self,
        space: Space,
        (after, limit): (u64, usize),
        each: &mut dyn FnMut(Head),
    ) -> Result<(), RelayError> {
        let project = self.name_of(space).replace('\'', "''");
        let query = format!(
            "SELECT lokid.shown(head)::text FROM lokid.heads AS head
                WHERE project = '{project}' AND seq > {after} ORDER BY seq LIMIT {limit}"
        );
        let copied = self.connection.copy_out(&query, &mut |row| {
            if let Ok(head) = decode::object(row).and_then(|value| decode::head(&value)) {
                each(head);
            }
            true
        });
        Ok(copied?)
    }

    /// What an item said in this version: the base of a merge. Nothing for what was forgotten or purged.
    pub fn record(&mut self, item: &ItemKey, version: u64) -> Result<Option<Value>, RelayError> {
        let sql = "SELECT record::text FROM lokid.log WHERE project = $1 AND kind = $2 AND namespace = $3 AND name = $4
            AND version = $5 AND what = 'put' AND record IS NOT NULL";
        let (project, [kind, namespace, name]) = (Text(&self.project), key(item));
        let found = self.connection.texts(sql, &[project, kind, namespace, name, Whole(whole(version))])?;
        found.first().map(|record| decode::object(record)).transpose()
    }

    pub fn history(&mut self, item: &ItemKey) -> Result<Vec<Version>, RelayError> {
        let sql = "SELECT json_build_object('version', version, 'what', what, 'author', author, 'at', lokid.micros(at),
                'record', record)::text
            FROM lokid.log WHERE project = $1 AND kind = $2 AND namespace = $3 AND name = $4 ORDER BY seq";
        let (project, [kind, namespace, name]) = (Text(&self.project), key(item));
        let rows = self.connection.texts(sql, &[project, kind, namespace, name])?;
        rows.iter().map(|row| decode::version(&decode::object(row)?)).collect()
    }

    /// Ends a wait from another thread.
    pub fn waker(&self) -> Wake {
        self.connection.waker()
    }

    /// Whether another machine wrote something since the last time, or does within this time. Only a hint: what counts is
    /// what `changes` says.
    pub fn wait(&mut self, timeout: Duration) -> Result<bool, RelayError> {
        Ok(self.connection.wait(timeout)?)
    }

    /// Tells the others that this machine lives and how far it has read.
    pub fn beat(&mut self, label: &str, cursor: u64) -> Result<(), RelayError> {
        let sql = "SELECT lokid.beat($1, $2, $3, $4)";
        let told = [Text(&self.project), Text(&self.replica), Text(label), Whole(whole(cursor))];
        self.connection.execute(sql, &told)?;
        Ok(())
    }

    /// Strikes an item from the log for ever; the version of its tombstone.
    pub fn purge(&mut self, item: &ItemKey, fingerprint: &str) -> Result<u64, RelayError> {
        let (project, [kind, namespace, name]) = (Text(&self.project), key(item));
        let sql = "SELECT lokid.purge($1, $2, $3, $4, $5)::text";
        let version = self.connection.texts(sql, &[project, kind, namespace, name, Text(fingerprint)])?;
        decode::number(&version)
    }

    /// Stands behind these very words, or asks a promoter to. `print` is the hash of the words in hex.
    pub fn promote(
        &mut self,
        item: &ItemKey,
        version: u64,
        print: &str,
        tier: &str,
        target: Target,
    ) -> Result<Promotion, RelayError> {
        let sql = "SELECT lokid.promote($1, $2, $3, $4, $5, $6, $7)";
        let (project, [_, namespace, name]) = (Text(&self.project), key(item));
        let version = Whole(whole(version));
        let said = [project, namespace, name, version, Text(print), Text(tier), Text(target.as_str())];
        match self.connection.texts(sql, &said)?.first().map(String::as_str) {
            Some("endorsed") => Ok(Promotion::Endorsed),
            Some("proposed") => Ok(Promotion::Proposed),
            Some("behind") => Ok(Promotion::Behind),
            other => Err(RelayError::Garbled(format!("{other:?}"))),
        }
    }

    /// Takes an endorsement or a proposal back, or forgets what the organisation holds; false when there is none.
    pub fn demote(&mut self, space: Space, item: &ItemKey) -> Result<bool, RelayError> {
        let project = self.name_of(space).to_owned();
        let [_, namespace, name] = key(item);
        let done =
            self.connection.texts("SELECT lokid.demote($1, $2, $3)::text", &[Text(&project), namespace, name])?;
        Ok(done.first().is_some_and(|word| word == "true"))
    }

    /// What waits for a promoter, the oldest first.
    pub fn proposals(&mut self) -> Result<Vec<Proposal>, RelayError> {
        let sql = "SELECT lokid.shown(head)::text FROM lokid.heads AS head
            WHERE project = $1 AND proposed_by IS NOT NULL ORDER BY proposed_at LIMIT 1000";
        let rows = self.connection.texts(sql, &[Text(&self.project)])?;
        rows.iter().map(|row| decode::proposal(&decode::object(row)?)).collect()
    }

    /// Who promoted, demoted, proposed or purged what, and when; the last first.
    pub fn audit(&mut self, limit: usize) -> Result<Vec<AuditLine>, RelayError> {
        let sql =
            "SELECT json_build_object('kind', kind, 'namespace', namespace, 'name', name, 'what', what, 'note', note,
                'author', author, 'at', lokid.micros(at), 'project', project)::text
            FROM lokid.log WHERE project IN ($1, $2)
                AND (what IN ('promote', 'demote', 'propose', 'purge') OR project = $2)
            ORDER BY at DESC LIMIT $3";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.connection.texts(sql, &[Text(&self.project), Text(ORG), Whole(limit)])?;
        rows.iter().map(|row| decode::audit_line(&decode::object(row)?)).collect()
    }

    /// The machines of the members, this one included; the ones seen last first.
    pub fn peers(&mut self) -> Result<Vec<Peer>, RelayError> {
        let sql = "SELECT json_build_object('replica', replica, 'member', member, 'label', label,
                'seen_at', lokid.micros(seen_at), 'cursor', cursor)::text
            FROM lokid.replicas JOIN lokid.members USING (project, member)
            WHERE project = $1 ORDER BY seen_at DESC LIMIT 1000";
        let rows = self.connection.texts(sql, &[Text(&self.project)])?;
        rows.iter().map(|row| decode::peer(&decode::object(row)?)).collect()
    }

    fn name_of(&self, space: Space) -> &str {
        match space {
            Space::Project => &self.project,
            Space::Org => ORG,
        }
    }
}

/// The schema is there, and is neither from the future nor too old.
fn check_version(connection: &mut Connection) -> Result<(), RelayError> {
    let refused = |why: &str| RelayError::Refused(why.to_owned());
    let sql = "SELECT json_build_object('major', max(major), 'made', max(migration))::text FROM lokid.schema_version";
    let found = connection.texts(sql, &[]).map_err(|error| match error {
        // No such schema or table, or one that this role was never let into.
        PostgresError::Statement { code, .. } if code == "3F000" || code == "42P01" => {
            refused("the database holds no team yet: whoever administers it runs `lokid team init` once")
        }
        PostgresError::Refused { code, .. } if code == "42501" => refused(
            "this role is no member of any team there: whoever administers the database runs `lokid team init` with it",
        ),
        other => other.into(),
    })?;
    let found = decode::one(&found)?;
    let number = |field: &str| found[field].as_u64().unwrap_or(0);
    if number("major") > u64::from(MAJOR) {
        return Err(RelayError::Newer(u32::try_from(number("major")).unwrap_or(u32::MAX)));
    }
    if number("made") < MIGRATIONS.len() as u64 {
        return Err(refused(
            "the team's schema is too old: whoever administers the database runs `lokid team init` again",
        ));
    }
    Ok(())
}

fn key(item: &ItemKey) -> [lokid_sys::postgres::Parameter<'_>; 3] {
    [Text(item.kind.as_str()), Text(&item.namespace), Text(&item.name)]
}

fn sent(op: &Op) -> Value {
    json!({
        "index": op.index, "hlc": op.hlc, "kind": op.item.kind.as_str(), "namespace": op.item.namespace,
        "name": op.item.name, "base": op.base, "record": op.record,
    })
}

/// The database counts with a sign.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
