//! What whoever administers the database does to it: makes the schema or brings it up to date, and says who may what.
//!
//! Nothing outside of the schema `lokid` is touched, but for roles that are asked for by name.

use lokid_sys::postgres::Parameter::{Text, Truth};
use lokid_sys::postgres::{Connection, Parameters, PostgresError, role_password};
use serde_json::Value;

use super::{MAJOR, MIGRATIONS, ORG, RelayError, decode};

/// What shall be, afterwards.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    pub project: String,
    pub members: Vec<String>,
    pub promoters: Vec<String>,
    pub org_promoters: Vec<String>,
    pub removed: Vec<String>,
    /// The database came back from a backup: whoever read further than that has to read again.
    pub restored: bool,
    /// Roles that are made first and sign in with this password.
    pub created: Vec<NewRole>,
}

#[derive(Clone)]
pub struct NewRole {
    pub name: String,
    pub password: String,
}

impl std::fmt::Debug for NewRole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NewRole({})", self.name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The changes of the schema from the first to the last of these, each counted from 1.
    Migrate {
        from: usize,
        to: usize,
    },
    /// A new identity, by which machines see that this is not the database they knew.
    Renew,
    CreateRole(String),
    CreateProject(String),
    Admit {
        project: String,
        member: String,
        promoter: bool,
    },
    Dismiss {
        project: String,
        member: String,
    },
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Migrate { from: 1, .. } => write!(f, "make the schema `lokid` in the database"),
            Step::Migrate { to, .. } => write!(f, "bring the schema `lokid` up to version {to}"),
            Step::Renew => write!(f, "have every machine send and read everything again"),
            Step::CreateRole(name) => write!(f, "create the role {name}, which may sign in with a password"),
            Step::CreateProject(name) => write!(f, "make the project {name}"),
            Step::Admit { project, member, promoter: true } => {
                write!(f, "let {member} read, write and promote in {}", said(project))
            }
            Step::Admit { project, member, .. } => write!(f, "let {member} read and write in {}", said(project)),
            Step::Dismiss { project, member } => write!(f, "let {member} no more into {}", said(project)),
        }
    }
}

fn said(project: &str) -> &str {
    if project == ORG { "the organisation's memory" } else { project }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Membership {
    project: String,
    member: String,
    promoter: bool,
}

#[derive(Debug)]
pub struct Admin {
    connection: Connection,
}

impl Admin {
    pub fn open(parameters: &Parameters) -> Result<Admin, RelayError> {
        Ok(Admin { connection: Connection::open(parameters)? })
    }

    /// What `apply` would do; nothing when everything is as it shall be.
    pub fn plan(&mut self, setup: &Setup) -> Result<Vec<Step>, RelayError> {
        if !is_name(&setup.project) {
            let message =
                "the name of a project has at most 100 letters, digits and . _ - /, and begins with none of these";
            return Err(RelayError::Refused(message.to_owned()));
        }
        let mut steps = Vec::new();
        let made = self.migrations()?;
        if made < MIGRATIONS.len() {
            steps.push(Step::Migrate { from: made + 1, to: MIGRATIONS.len() });
        }
        if setup.restored && made > 0 {
            steps.push(Step::Renew);
        }
        for role in &setup.created {
            if self.has_role(&role.name)? {
                return Err(RelayError::Refused(format!(
                    "the role {} is there already: it keeps its password",
                    role.name
                )));
            }
            steps.push(Step::CreateRole(role.name.clone()));
        }
        let (projects, members) = if made == 0 { Default::default() } else { self.standing()? };
        if !projects.contains(&setup.project) {
            steps.push(Step::CreateProject(setup.project.clone()));
        }
        for membership in wanted(setup) {
            let member = &membership.member;
            if !setup.created.iter().any(|role| role.name == *member) && !self.has_role(member)? {
                let message =
                    format!("the database knows no role {member}: create it, or add `--create-role {member}`");
                return Err(RelayError::Refused(message));
            }
            if !members.contains(&membership) {
                let Membership { project, member, promoter } = membership;
                steps.push(Step::Admit { project, member, promoter });
            }
        }
        for member in &setup.removed {
            if members.iter().any(|known| known.project == setup.project && known.member == *member) {
                steps.push(Step::Dismiss { project: setup.project.clone(), member: member.clone() });
            }
        }
        Ok(steps)
    }

    /// All of it, or nothing.
    pub fn apply(&mut self, setup: &Setup) -> Result<Vec<Step>, RelayError> {
        self.connection.batch("BEGIN; SELECT pg_advisory_xact_lock(7309453721)")?;
        let done = self.plan(setup).and_then(|steps| {
            steps.iter().try_for_each(|step| self.take(step, setup))?;
            Ok(steps)
        });
        let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = self.connection.batch(end);
        done.and_then(|steps| Ok(ended.map(|()| steps)?))
    }

    fn take(&mut self, step: &Step, setup: &Setup) -> Result<(), RelayError> {
        match step {
            Step::Migrate { from, to } => self.migrate(*from, *to)?,
            Step::Renew => {
                self.connection.execute("UPDATE lokid.meta SET database = gen_random_uuid()::text", &[])?;
            }
            Step::CreateRole(name) => {
                let Some(role) = setup.created.iter().find(|role| role.name == *name) else { return Ok(()) };
                // The server is sent what it keeps, not the password, which its log might hold.
                let quoted = format!("\"{}\"", name.replace('"', "\"\""));
                let kept = role_password(&role.password);
                self.connection.batch(&format!("CREATE ROLE {quoted} LOGIN PASSWORD '{kept}'"))?;
            }
            Step::CreateProject(name) => {
                self.connection.execute("INSERT INTO lokid.projects (name) VALUES ($1)", &[Text(name)])?;
            }
            Step::Admit { project, member, promoter } => {
                let sql = "SELECT lokid.admit($1, $2, $3)";
                self.connection.execute(sql, &[Text(project), Text(member), Truth(*promoter)])?;
            }
            Step::Dismiss { project, member } => {
                self.connection.execute("SELECT lokid.dismiss($1, $2)", &[Text(project), Text(member)])?;
            }
        }
        Ok(())
    }

    fn migrate(&mut self, from: usize, to: usize) -> Result<(), RelayError> {
        self.connection.batch(
            "CREATE SCHEMA IF NOT EXISTS lokid;
            CREATE TABLE IF NOT EXISTS lokid.schema_version (
                migration integer PRIMARY KEY,
                major integer NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now()
            );",
        )?;
        for (at, (major, sql)) in MIGRATIONS.iter().enumerate().take(to).skip(from - 1) {
            self.connection.batch(sql)?;
            let note = format!("INSERT INTO lokid.schema_version (migration, major) VALUES ({}, {major})", at + 1);
            self.connection.batch(&note)?;
        }
        // Functions are everybody's when they are made; and who was a member may use the new ones, too.
        self.connection.batch(
            "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA lokid FROM PUBLIC;
            SELECT lokid.allow(member) FROM (SELECT DISTINCT member FROM lokid.members) AS each
                JOIN pg_roles ON rolname = member;",
        )?;
        Ok(())
    }

    /// How many changes of the schema were made so far.
    fn migrations(&mut self) -> Result<usize, RelayError> {
        let there = self.connection.texts("SELECT (to_regclass('lokid.schema_version') IS NOT NULL)::text", &[])?;
        if there.first().is_none_or(|word| word != "true") {
            return Ok(0);
        }
        let sql =
            "SELECT json_build_object('made', coalesce(max(migration), 0), 'major', coalesce(max(major), 0))::text
            FROM lokid.schema_version";
        let found = decode::one(&self.connection.texts(sql, &[])?)?;
        let major = found["major"].as_u64().and_then(|major| u32::try_from(major).ok()).unwrap_or(u32::MAX);
        if major > MAJOR {
            return Err(RelayError::Newer(major));
        }
        Ok(found["made"].as_u64().and_then(|made| usize::try_from(made).ok()).unwrap_or(0))
    }

    fn has_role(&mut self, name: &str) -> Result<bool, PostgresError> {
        Ok(!self.connection.texts("SELECT rolname::text FROM pg_roles WHERE rolname = $1", &[Text(name)])?.is_empty())
    }

    /// The projects, and who is in which and may promote there.
    fn standing(&mut self) -> Result<(Vec<String>, Vec<Membership>), RelayError> {
        let projects = self.connection.texts("SELECT name FROM lokid.projects", &[])?;
        let sql = "SELECT json_build_object('project', project, 'member', member, 'promoter', may_promote)::text
            FROM lokid.members";
        let mut members = Vec::new();
        for row in self.connection.texts(sql, &[])? {
            let row = decode::object(&row)?;
            let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
            let promoter = row["promoter"] == Value::Bool(true);
            members.push(Membership { project: text("project"), member: text("member"), promoter });
        }
        Ok((projects, members))
    }
}

fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
    text.len() <= 100
        && text.bytes().all(fits)
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// Whoever is named twice gets the more.
fn wanted(setup: &Setup) -> Vec<Membership> {
    let one = |project: &str, member: &String, promoter| Membership {
        project: project.to_owned(),
        member: member.clone(),
        promoter,
    };
    let plain = setup.members.iter().filter(|member| !setup.promoters.contains(member));
    let mut all: Vec<Membership> = plain.map(|member| one(&setup.project, member, false)).collect();
    all.extend(setup.promoters.iter().map(|member| one(&setup.project, member, true)));
    all.extend(setup.org_promoters.iter().map(|member| one(ORG, member, true)));
    all.sort();
    all.dedup();
    all
}
