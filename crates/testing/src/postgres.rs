//! A real PostgreSQL server in a temporary folder, run by an unprivileged user.
//!
//! The superuser `boss` needs no password over the server's own socket; everybody else gives one over TCP (`PASSWORD`).

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// What every role of the tests signs in with.
pub const PASSWORD: &str = "swordfish-1";
pub const SUPERUSER: &str = "boss";
/// The number by which every system knows the user who owns nothing.
const NOBODY: &str = "65534";
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Server {
    folder: tempfile::TempDir,
    /// Who the server runs as, where the tests run as root: the server refuses to.
    user: Option<&'static str>,
    port: u16,
    fsync: bool,
    postmaster: Option<Child>,
}

impl Server {
    pub fn start() -> Server {
        Server::start_with(true)
    }

    /// Without `fsync` a crash of the machine may lose what was committed; a killed server does not.
    pub fn start_with(fsync: bool) -> Server {
        // Whoever reaches the socket is the superuser: nobody else of this machine shall.
        let own = std::fs::Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix("lokid-pg-").permissions(own).tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Server { user: unprivileged(), folder, port, fsync, postmaster: None };
        server.initialise();
        server.start_again();
        server
    }

    /// One for the whole process, quick and never stopped by a test; each test takes a database of its own from it.
    pub fn shared() -> &'static Server {
        static SHARED: OnceLock<(Server, Child)> = OnceLock::new();
        let (server, _) = SHARED.get_or_init(|| {
            let server = Server::start_with(false);
            let watcher = server.end_with_this_process();
            (server, watcher)
        });
        server
    }

    /// A new, empty database.
    pub fn database(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("team{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.must("postgres", &format!("CREATE DATABASE {name}"));
        name
    }

    /// A role that may sign in with the password of the tests.
    pub fn role(&self, name: &str) {
        self.must("postgres", &format!("CREATE ROLE \"{name}\" LOGIN PASSWORD '{PASSWORD}'"));
    }

    /// Over the socket for the superuser, over TCP and with the password for everybody else.
    pub fn url(&self, user: &str, database: &str) -> String {
        let port = self.port;
        if user == SUPERUSER {
            let folder = self.folder.path().display().to_string().replace('/', "%2F");
            return format!("postgres://{SUPERUSER}@{folder}:{port}/{database}");
        }
        format!("postgres://{user}:{PASSWORD}@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What the real `psql` makes of it: whether it succeeded, and all it said.
    pub fn psql(&self, user: &str, database: &str, sql: &str) -> (bool, String) {
        let output = Command::new(program("psql"))
            .args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql, &self.url(user, database)])
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).trim().to_owned())
    }

    /// As the superuser; anything but success fails the test.
    pub fn must(&self, database: &str, sql: &str) -> String {
        let (success, said) = self.psql(SUPERUSER, database, sql);
        assert!(success, "{sql}: {said}");
        said
    }

    pub fn stop(&mut self) {
        let Some(mut postmaster) = self.postmaster.take() else { return };
        // Fast shutdown: sessions end, and what was committed is on the disk.
        signal("INT", postmaster.id());
        postmaster.wait().unwrap();
    }

    /// As when the machine loses it: nothing is said to anybody.
    pub fn kill(&mut self) {
        let Some(mut postmaster) = self.postmaster.take() else { return };
        postmaster.kill().unwrap();
        postmaster.wait().unwrap();
    }

    /// The server stands still with every session of it, as behind a network that swallows everything.
    pub fn pause(&self) {
        self.each_process("STOP");
    }

    pub fn resume(&self) {
        self.each_process("CONT");
    }

    pub fn start_again(&mut self) {
        assert!(self.postmaster.is_none(), "it runs");
        let folder = self.folder.path();
        let settings = [
            format!("port={}", self.port),
            format!("unix_socket_directories={}", folder.display()),
            format!("fsync={}", if self.fsync { "on" } else { "off" }),
            "listen_addresses=127.0.0.1".to_owned(),
            "max_connections=200".to_owned(),
            // So that a test can see what the server was told of passwords.
            "log_statement=ddl".to_owned(),
            "shared_buffers=32MB".to_owned(),
        ];
        let log = std::fs::File::options().create(true).append(true).open(folder.join("log")).unwrap();
        let mut command = self.as_server("postgres");
        command.arg("-D").arg(folder.join("data"));
        settings.iter().for_each(|setting| {
            command.args(["-c", setting]);
        });
        let deadline = Instant::now() + PATIENCE;
        loop {
            // Sessions of a server that was killed hold its memory until they notice: it is refused until then.
            let mut postmaster =
                command.stdout(log.try_clone().unwrap()).stderr(log.try_clone().unwrap()).spawn().unwrap();
            while postmaster.try_wait().unwrap().is_none() {
                if self.psql(SUPERUSER, "postgres", "SELECT 1").0 {
                    self.postmaster = Some(postmaster);
                    return;
                }
                assert!(Instant::now() < deadline, "the server does not start: {}", self.log());
                std::thread::sleep(Duration::from_millis(20));
            }
            assert!(Instant::now() < deadline, "the server does not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Lets it encrypt from now on, with a certificate for `localhost`; the file of the authority that stands for it.
    pub fn encrypt(&mut self) -> PathBuf {
        self.stop();
        let at = |name: &str| self.folder.path().join(name).display().to_string();
        let [ca, ca_key, key, request, certificate] =
            ["ca.pem", "ca.key", "server.key", "server.csr", "server.crt"].map(at);
        let new = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
        std::fs::write(at("names"), "subjectAltName=DNS:localhost").unwrap();
        openssl(&format!("{new} -x509 -subj /CN=authority -keyout {ca_key} -out {ca}"));
        openssl(&format!("{new} -subj /CN=localhost -keyout {key} -out {request}"));
        let signed =
            format!("x509 -req -in {request} -CA {ca} -CAkey {ca_key} -CAcreateserial -days 2 -out {certificate}");
        openssl(&format!("{signed} -extfile {}", at("names")));
        if let Some(user) = self.user {
            assert!(Command::new("chown").args([user, &key, &certificate]).status().unwrap().success());
        }
        let settings = format!("ssl = on\nssl_cert_file = '{certificate}'\nssl_key_file = '{key}'\n");
        std::fs::write(at("data/postgresql.auto.conf"), settings).unwrap();
        self.start_again();
        ca.into()
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn initialise(&self) {
        let folder = self.folder.path();
        if let Some(user) = self.user {
            let given = Command::new("chown").arg(user).arg(folder).status().unwrap();
            assert!(given.success(), "chown {user}");
        }
        let made = self
            .as_server("initdb")
            .args(["-U", SUPERUSER, "-E", "UTF8", "--locale=C", "--no-sync", "-A", "trust", "-D"])
            .arg(folder.join("data"))
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let rules =
            format!("local all {SUPERUSER} trust\nlocal all all reject\nhost all all 127.0.0.1/32 scram-sha-256\n");
        std::fs::write(folder.join("data/pg_hba.conf"), rules).unwrap();
    }

    fn as_server(&self, name: &str) -> Command {
        let program = program(name);
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", user, "--regid", user, "--clear-groups", "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.current_dir(self.folder.path()).env("LC_ALL", "C").stdin(Stdio::null());
        command
    }

    fn each_process(&self, name: &str) {
        let Some(postmaster) = &self.postmaster else { return };
        let parent = postmaster.id().to_string();
        let listed = Command::new("ps").args(["-o", "pid=", "--ppid", &parent]).output().unwrap();
        signal(name, postmaster.id());
        for child in String::from_utf8_lossy(&listed.stdout).split_whitespace() {
            signal(name, child.parse().unwrap());
        }
    }

    /// Nothing is dropped at the end of a test process: a shell waits for its end and takes the server with it.
    fn end_with_this_process(&self) -> Child {
        let postmaster = self.postmaster.as_ref().unwrap().id();
        let script = "while kill -0 $0 2>/dev/null; do sleep 0.2; done; kill -QUIT $1; sleep 0.5; rm -rf \"$2\"";
        Command::new("sh")
            .args(["-c", script, &std::process::id().to_string(), &postmaster.to_string()])
            .arg(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.resume();
        self.stop();
    }
}

/// Nothing in its arguments holds a blank.
fn openssl(arguments: &str) {
    let made = Command::new(program("openssl")).args(arguments.split(' ')).output().unwrap();
    assert!(made.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&made.stderr));
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).output();
    sent.unwrap();
}

/// Debian keeps the server's programs out of `$PATH`.
fn program(name: &str) -> PathBuf {
    let beside = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = beside.map(|entry| entry.path().join("bin")).collect();
    folders.sort();
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!("there is no `{name}`: install PostgreSQL (Debian: `postgresql`, Fedora: `postgresql-server`)")
    })
}

fn unprivileged() -> Option<&'static str> {
    let own = Command::new("id").arg("-u").output().unwrap();
    (String::from_utf8_lossy(&own.stdout).trim() == "0").then_some(NOBODY)
}
