//! How a database is reached, told the way `psql` is told: by a URL or a list of keywords, by the environment, by a
//! service file and by a file of passwords, in this order.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use super::super::{env, plain};
use super::passwords;

const MOST_SERVICES: u64 = 1 << 20;
const USUAL_PORT: u16 = 5432;
/// Where servers put their sockets when nobody tells them otherwise.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// Each keyword with its variable.
const KNOWN: &[(&str, &str)] = &[
    ("service", "PGSERVICE"),
    ("servicefile", "PGSERVICEFILE"),
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("passfile", "PGPASSFILE"),
    ("dbname", "PGDATABASE"),
    ("options", "PGOPTIONS"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
];
/// What others may say, and what changes nothing here.
const IGNORED: &[&str] = &[
    "application_name",
    "client_encoding",
    "connect_timeout",
    "fallback_application_name",
    "gssencmode",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "load_balance_hosts",
    "sslcompression",
    "sslsni",
    "target_session_attrs",
    "tcp_user_timeout",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SslMode {
    Disable,
    /// Encrypted if the server can. `allow` means the same here.
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl SslMode {
    fn parse(word: &str) -> Option<SslMode> {
        Some(match word {
            "disable" => SslMode::Disable,
            "allow" | "prefer" => SslMode::Prefer,
            "require" => SslMode::Require,
            "verify-ca" => SslMode::VerifyCa,
            "verify-full" => SslMode::VerifyFull,
            _ => return None,
        })
    }
}

/// Whose word counts about certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Roots {
    /// The machine's, if anybody's has to.
    Usual,
    System,
    File(PathBuf),
}

/// No message holds what was given: it may be a password in the wrong place.
#[derive(Debug, thiserror::Error)]
pub enum ParameterError {
    #[error("this is no address of a database: it has to be postgres://USER@HOST/DATABASE or KEYWORD=VALUE …")]
    NoAddress,
    #[error("a `{0}` of the address cannot be read")]
    Unreadable(&'static str),
    #[error("the parameter `{0}` of a connection is not known here")]
    Unknown(String),
    #[error("the service `{0}` is in no service file")]
    NoService(String),
    #[error("{0} can be read by others: `chmod 600` it, else its passwords are not used")]
    OpenPasswords(PathBuf),
    #[error("{0}")]
    File(String),
    #[error("nobody said as whom to sign in: put a user into the address")]
    NoUser,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Parameters {
    hosts: Vec<Host>,
    user: String,
    password: Option<String>,
    database: String,
    options: Option<String>,
    ssl_mode: SslMode,
    roots: Roots,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Host {
    /// A name, an address, or the folder of a socket.
    name: String,
    address: Option<IpAddr>,
    port: u16,
}

impl Host {
    fn is_socket(&self) -> bool {
        self.name.starts_with('/')
    }

    fn is_near(&self) -> bool {
        let leads_here = self.address.is_none_or(|address| address.is_loopback());
        leads_here && (self.is_socket() || matches!(self.name.as_str(), "localhost" | "127.0.0.1" | "::1"))
    }
}

/// Without the password.
impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parameters({self})")
    }
}

/// `user@host:port/database`
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = self.hosts.iter().map(|host| format!("{}:{}", host.name, host.port)).collect();
        write!(f, "{}@{}/{}", self.user, hosts.join(","), self.database)
    }
}

/// The world around, as far as it says how a database is reached.
pub(super) struct Around<'a> {
    pub(super) variable: &'a dyn Fn(&str) -> Option<String>,
    pub(super) home: Option<PathBuf>,
}

impl Parameters {
    /// From what was typed, and where that is silent from the environment and the files that `psql` reads.
    pub fn read(text: &str) -> Result<Parameters, ParameterError> {
        Parameters::read_in(text, &Around { variable: &env::var, home: env::home_dir() })
    }

    pub(super) fn read_in(text: &str, around: &Around<'_>) -> Result<Parameters, ParameterError> {
        let mut said = read_text(text)?;
        check(&said)?;
        for (keyword, variable) in KNOWN {
            if let Some(value) = (around.variable)(variable).filter(|value| !value.is_empty()) {
                said.entry((*keyword).to_owned()).or_insert(value);
            }
        }
        if let Some(service) = said.remove("service") {
            let from_file = service_entries(&service, said.get("servicefile"), around)?;
            check(&from_file)?;
            // The address goes before the service, and the service before the environment, as libpq has it.
            let typed = read_text(text)?;
            for (keyword, value) in from_file {
                if !typed.contains_key(&keyword) {
                    said.insert(keyword, value);
                }
            }
        }
        Parameters::from_entries(said, around)
    }

    /// Whether a password stands in the text itself, where it would be kept with it.
    pub fn text_holds_password(text: &str) -> bool {
        read_text(text).is_ok_and(|said| said.contains_key("password"))
    }

    pub fn user(&self) -> &str {
        &self.user
    }

    pub fn database(&self) -> &str {
        &self.database
    }

    pub fn ssl_mode(&self) -> SslMode {
        self.ssl_mode
    }

    pub(super) fn roots(&self) -> &Roots {
        &self.roots
    }

    /// Where a password was sent in the clear, or may have been read on the way.
    pub fn is_far_and_unverified(&self) -> bool {
        self.ssl_mode != SslMode::VerifyFull && self.hosts.iter().any(|host| !host.is_near())
    }

    pub(super) fn config(&self) -> tokio_postgres::Config {
        use tokio_postgres::config::SslMode as Theirs;
        let mut config = tokio_postgres::Config::new();
        config.user(&self.user).dbname(&self.database);
        for host in &self.hosts {
            config.host(&host.name).port(host.port);
        }
        let addresses: Vec<IpAddr> = self.hosts.iter().filter_map(|host| host.address).collect();
        if addresses.len() == self.hosts.len() {
            addresses.into_iter().for_each(|address| {
                config.hostaddr(address);
            });
        }
        if let Some(password) = &self.password {
            config.password(password);
        }
        if let Some(options) = &self.options {
            config.options(options);
        }
        // Nobody encrypts what stays within the machine's memory.
        config.ssl_mode(match self.ssl_mode {
            _ if self.hosts.iter().all(Host::is_socket) => Theirs::Disable,
            SslMode::Disable => Theirs::Disable,
            SslMode::Prefer => Theirs::Prefer,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => Theirs::Require,
        });
        config
    }

    fn from_entries(mut said: BTreeMap<String, String>, around: &Around<'_>) -> Result<Parameters, ParameterError> {
        let mut take = |keyword: &str| said.remove(keyword).filter(|value| !value.is_empty());
        let hosts = hosts(take("host"), take("hostaddr"), take("port"))?;
        let signed_in = || ["USER", "LOGNAME"].iter().find_map(|name| (around.variable)(name));
        let user = take("user").or_else(signed_in).filter(|user| !user.is_empty()).ok_or(ParameterError::NoUser)?;
        let database = take("dbname").unwrap_or_else(|| user.clone());
        let ssl_mode = match take("sslmode") {
            Some(word) => SslMode::parse(&word).ok_or(ParameterError::Unreadable("sslmode"))?,
            None if hosts.iter().all(Host::is_near) => SslMode::Prefer,
            None => SslMode::VerifyFull,
        };
        let own = around.home.as_ref().map(|home| home.join(".postgresql/root.crt")).filter(|file| file.is_file());
        let roots = match (take("sslrootcert"), own) {
            (Some(word), _) if word == "system" => Roots::System,
            (Some(file), _) => Roots::File(PathBuf::from(file)),
            (None, Some(file)) => Roots::File(file),
            (None, None) => Roots::Usual,
        };
        let (password, passfile, options) = (take("password"), take("passfile"), take("options"));
        let mut parameters = Parameters { hosts, user, password, database, options, ssl_mode, roots };
        if parameters.password.is_none() {
            let usual = || around.home.as_ref().map(|home| home.join(".pgpass"));
            if let Some(file) = passfile.map(PathBuf::from).or_else(usual) {
                parameters.password = parameters.looked_up(&file)?;
            }
        }
        Ok(parameters)
    }

    fn looked_up(&self, file: &Path) -> Result<Option<String>, ParameterError> {
        let Some(text) = passwords::read(file)? else { return Ok(None) };
        Ok(self.hosts.iter().find_map(|host| {
            // A socket in one of the usual folders goes by the machine's name.
            let usual = SOCKET_FOLDERS.contains(&host.name.as_str());
            let name = if usual { "localhost" } else { host.name.as_str() };
            passwords::find(&text, [name, &host.port.to_string(), &self.database, &self.user])
        }))
    }
}

fn check(said: &BTreeMap<String, String>) -> Result<(), ParameterError> {
    for (keyword, value) in said {
        let known = KNOWN.iter().any(|(known, _)| known == keyword) || IGNORED.contains(&keyword.as_str());
        let harmless = keyword == "channel_binding" && value != "require";
        if !known && !harmless {
            return Err(ParameterError::Unknown(keyword.clone()));
        }
    }
    Ok(())
}

fn hosts(names: Option<String>, addresses: Option<String>, ports: Option<String>) -> Result<Vec<Host>, ParameterError> {
    let list = |text: Option<String>| -> Vec<String> {
        text.map(|text| text.split(',').map(str::to_owned).collect()).unwrap_or_default()
    };
    let (names, addresses, ports) = (list(names), list(addresses), list(ports));
    let mut hosts = Vec::new();
    for at in 0..names.len().max(addresses.len()).max(1) {
        let port = ports.get(if ports.len() == 1 { 0 } else { at }).filter(|port| !port.is_empty());
        let port = port.map_or(Ok(USUAL_PORT), |port| port.parse());
        let port = port.map_err(|_| ParameterError::Unreadable("port"))?;
        let address = addresses.get(at).map(|address| address.parse()).transpose();
        let address = address.map_err(|_| ParameterError::Unreadable("hostaddr"))?;
        let own = |address: IpAddr| address.to_string();
        let name = names.get(at).filter(|name| !name.is_empty()).cloned().or(address.map(own));
        hosts.push(Host { name: name.unwrap_or_else(|| usual_socket(port)), address, port });
    }
    Ok(hosts)
}

fn usual_socket(port: u16) -> String {
    // Anybody may make a socket in /tmp, and would be told the password.
    let is_trusted = |socket: &Path| {
        let owner = crate::plain::owner(socket);
        owner.is_some_and(|owner| owner == 0 || owner == rustix::process::getuid().as_raw())
            || !socket.starts_with("/tmp")
    };
    let holds = |folder: &&str| {
        let socket = Path::new(folder).join(format!(".s.PGSQL.{port}"));
        socket.exists() && is_trusted(&socket)
    };
    (*SOCKET_FOLDERS.iter().find(|folder| holds(folder)).unwrap_or(&SOCKET_FOLDERS[0])).to_owned()
}

fn service_entries(
    service: &str,
    file: Option<&String>,
    around: &Around<'_>,
) -> Result<BTreeMap<String, String>, ParameterError> {
    let own = around.home.as_ref().map(|home| home.join(".pg_service.conf"));
    let of_machine = (around.variable)("PGSYSCONFDIR").map(|folder| Path::new(&folder).join("pg_service.conf"));
    for file in [file.map(PathBuf::from).or(own), of_machine].into_iter().flatten() {
        let text = plain::read_text(&file, MOST_SERVICES).map_err(|error| ParameterError::File(error.to_string()))?;
        if let Some(found) = section(&text.unwrap_or_default(), service) {
            return Ok(found);
        }
    }
    Err(ParameterError::NoService(service.to_owned()))
}

fn section(text: &str, wanted: &str) -> Option<BTreeMap<String, String>> {
    let mut found: Option<BTreeMap<String, String>> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            if found.is_some() {
                break;
            }
            found = (name == wanted).then(BTreeMap::new);
        } else if let (Some(found), Some((keyword, value))) = (&mut found, line.split_once('=')) {
            found.entry(keyword.trim().to_owned()).or_insert_with(|| value.trim().to_owned());
        }
    }
    found
}

fn read_text(text: &str) -> Result<BTreeMap<String, String>, ParameterError> {
    let text = text.trim();
    match text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://")) {
        Some(rest) => read_url(rest),
        None => read_keywords(text),
    }
}

fn read_url(rest: &str) -> Result<BTreeMap<String, String>, ParameterError> {
    let mut said = BTreeMap::new();
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = place.split_once('/').unwrap_or((place, ""));
    let (who, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = who.split_once(':').map_or((who, None), |(user, password)| (user, Some(password)));
    let mut put = |keyword: &str, value: &str, name: &'static str| {
        if !value.is_empty() {
            said.insert(keyword.to_owned(), plainly(value).ok_or(ParameterError::Unreadable(name))?);
        }
        Ok(())
    };
    put("user", user, "user")?;
    put("password", password.unwrap_or_default(), "password")?;
    put("dbname", database, "dbname")?;
    let (mut names, mut ports) = (Vec::new(), Vec::new());
    for host in hosts.split(',') {
        // An IPv6 address stands in brackets, as it has colons of its own.
        let (name, port) = match host.strip_prefix('[') {
            Some(rest) => {
                let (name, after) = rest.split_once(']').ok_or(ParameterError::Unreadable("host"))?;
                (name, after.strip_prefix(':').unwrap_or_default())
            }
            None => host.split_once(':').unwrap_or((host, "")),
        };
        names.push(name);
        ports.push(port);
    }
    put("host", &names.join(","), "host")?;
    if ports.iter().any(|port| !port.is_empty()) {
        put("port", &ports.join(","), "port")?;
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (keyword, value) = pair.split_once('=').ok_or(ParameterError::NoAddress)?;
        let keyword = plainly(keyword).ok_or(ParameterError::NoAddress)?;
        put(&keyword, value, "parameter")?;
    }
    Ok(said)
}

/// `%40` is `@`.
fn plainly(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|byte| *byte != 0)?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

/// `host=db port=5433 password='it''s'`: quotes around a value, and a backslash before what would end it.
fn read_keywords(text: &str) -> Result<BTreeMap<String, String>, ParameterError> {
    let mut said = BTreeMap::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (keyword, after) = rest.split_once('=').ok_or(ParameterError::NoAddress)?;
        let keyword = keyword.trim();
        if keyword.is_empty() || !keyword.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(ParameterError::NoAddress);
        }
        let after = after.trim_start();
        let (quoted, mut letters) = match after.strip_prefix('\'') {
            Some(inner) => (true, inner.chars()),
            None => (false, after.chars()),
        };
        let mut value = String::new();
        let mut closed = !quoted;
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => value.extend(letters.next()),
                '\'' if quoted => {
                    closed = true;
                    break;
                }
                blank if !quoted && blank.is_whitespace() => break,
                other => value.push(other),
            }
        }
        if !closed {
            return Err(ParameterError::NoAddress);
        }
        said.insert(keyword.to_owned(), value);
        rest = letters.as_str().trim_start();
    }
    Ok(said)
}

#[cfg(test)]
#[path = "parameters/tests.rs"]
mod tests;
