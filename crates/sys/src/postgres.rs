//! A database server far away: how it is reached, and the few things that are asked of it.
//!
//! Every call ends within a time, whatever the network does, and a password appears in no error, no log and no list of
//! fields. Nothing here runs beside the caller: the connection moves only while somebody waits for an answer.

use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::{TryStreamExt, future};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio_postgres::binary_copy::BinaryCopyOutStream;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client};

mod error;
mod parameters;
mod passwords;
mod tls;

pub use error::PostgresError;
pub use parameters::{ParameterError, Parameters, SslMode};

/// To reach the server, with its greeting.
const CONNECT: Duration = Duration::from_secs(10);
/// For one statement; the server ends it then.
const STATEMENT: Duration = Duration::from_secs(30);
/// The server had its time: the network has not.
const GRACE: Duration = Duration::from_secs(5);
/// To copy much at once, and to change the schema.
const LONG: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug)]
pub enum Parameter<'a> {
    Text(&'a str),
    Whole(i64),
    Truth(bool),
}

impl<'a> Parameter<'a> {
    fn bound(&'a self) -> &'a (dyn ToSql + Sync) {
        match self {
            Parameter::Text(text) => text,
            Parameter::Whole(number) => number,
            Parameter::Truth(truth) => truth,
        }
    }
}

/// One session. After an `Unreachable` it is of no use any more.
pub struct Connection {
    runtime: Runtime,
    client: Client,
    bell: Arc<Bell>,
}

/// Ends a wait from another thread, the one that goes on or else the next.
#[derive(Clone)]
pub struct Wake(Arc<Bell>);

impl Wake {
    pub fn wake(&self) {
        self.0.rung.notify_one();
    }
}

#[derive(Default)]
struct Bell {
    rung: Notify,
    /// The own session, and what the others have to say.
    ears: OnceLock<(i32, Vec<String>)>,
}

impl Bell {
    fn means_us(&self, session: i32, word: &str) -> bool {
        let meant = |(own, words): &(i32, Vec<String>)| *own != session && words.iter().any(|known| known == word);
        self.ears.get().is_some_and(meant)
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

impl Connection {
    pub fn open(parameters: &Parameters) -> Result<Connection, PostgresError> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        let runtime = runtime.map_err(|error| PostgresError::Unreachable(error.to_string()))?;
        let mut config = parameters.config();
        config.connect_timeout(CONNECT).tcp_user_timeout(STATEMENT).application_name("lokid");
        config
            .keepalives_idle(Duration::from_secs(30))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);
        let tls = tls::Connector::new(parameters)?;
        let bell = Arc::new(Bell::default());
        let greeted = runtime.block_on(async {
            let greeting = tokio::time::timeout(CONNECT, config.connect(tls)).await;
            let (client, mut connection) = greeting.map_err(|_| error::no_answer(CONNECT))??;
            let bell = bell.clone();
            tokio::spawn(async move {
                // Whatever ends it wakes whoever waits, who then finds that it is closed.
                while let Some(Ok(message)) = future::poll_fn(|context| connection.poll_message(context)).await {
                    if let AsyncMessage::Notification(note) = message
                        && bell.means_us(note.process_id(), note.payload())
                    {
                        bell.rung.notify_one();
                    }
                }
                drop(connection);
                bell.rung.notify_one();
            });
            Ok::<Client, PostgresError>(client)
        });
        let mut opened = Connection { runtime, client: greeted?, bell };
        opened.patience(STATEMENT)?;
        Ok(opened)
    }

    /// The first column of each row, which has to be text.
    pub fn texts(&mut self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<String>, PostgresError> {
        let bound: Vec<_> = parameters.iter().map(Parameter::bound).collect();
        let asked = self.client.query(sql, &bound);
        let rows = within(&self.runtime, STATEMENT + GRACE, asked)?;
        rows.iter().map(|row| row.try_get(0).map_err(PostgresError::from)).collect()
    }

    pub fn execute(&mut self, sql: &str, parameters: &[Parameter<'_>]) -> Result<u64, PostgresError> {
        let bound: Vec<_> = parameters.iter().map(Parameter::bound).collect();
        within(&self.runtime, STATEMENT + GRACE, self.client.execute(sql, &bound))
    }

    /// Several statements as they stand; nothing foreign may be in them.
    pub fn batch(&mut self, sql: &str) -> Result<(), PostgresError> {
        within(&self.runtime, LONG, self.client.batch_execute(sql))
    }

    /// One column of text, row by row as it arrives; `each` ends it by saying no. Takes as long as it takes, but for a
    /// server that falls silent.
    pub fn copy_out(&mut self, query: &str, each: &mut dyn FnMut(&str) -> bool) -> Result<(), PostgresError> {
        self.patience(LONG)?;
        let sql = format!("COPY ({query}) TO STDOUT (FORMAT binary)");
        let stream = within(&self.runtime, STATEMENT + GRACE, self.client.copy_out(&sql))?;
        let mut rows = pin!(BinaryCopyOutStream::new(stream, &[Type::TEXT]));
        while let Some(row) = within(&self.runtime, STATEMENT + GRACE, rows.try_next())? {
            if !each(row.try_get(0)?) {
                break;
            }
        }
        self.patience(STATEMENT)
    }

    /// From now on `wait` wakes when another session says one of these words on the channel.
    pub fn listen(&mut self, channel: &str, words: Vec<String>) -> Result<(), PostgresError> {
        debug_assert!(channel.bytes().all(|byte| byte.is_ascii_lowercase()), "{channel}");
        let own = self.texts("SELECT pg_backend_pid()::text", &[])?;
        let own = own.first().and_then(|number| number.parse().ok()).unwrap_or_default();
        // The first words stay: a session listens for one thing.
        let _ = self.bell.ears.set((own, words));
        self.batch(&format!("LISTEN {channel}"))
    }

    pub fn waker(&self) -> Wake {
        Wake(Arc::clone(&self.bell))
    }

    /// Whether somebody notified since the last time, or does within this time.
    pub fn wait(&mut self, timeout: Duration) -> Result<bool, PostgresError> {
        let rung = self.bell.rung.notified();
        let heard = self.runtime.block_on(async { tokio::time::timeout(timeout, rung).await.is_ok() });
        if self.client.is_closed() {
            return Err(PostgresError::Unreachable("the connection ended".to_owned()));
        }
        Ok(heard)
    }

    fn patience(&mut self, time: Duration) -> Result<(), PostgresError> {
        self.batch(&format!("SET statement_timeout = {}", time.as_millis()))
    }
}

fn within<T>(
    runtime: &Runtime,
    time: Duration,
    asked: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, PostgresError> {
    let answered = runtime.block_on(async { tokio::time::timeout(time, asked).await });
    Ok(answered.map_err(|_| error::no_answer(time))??)
}

/// What a server keeps of a password: nobody gets the password back from it.
pub fn role_password(password: &str) -> String {
    postgres_protocol::password::scram_sha_256(password.as_bytes())
}
