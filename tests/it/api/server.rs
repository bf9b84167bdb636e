//! A daemon in this process, on a real socket in a folder of its own, for as long as the value lives.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use lokid::serve::{self, App, Bound, Client, Request, Response};
use lokid_config::Config;
use lokid_engine::Registry;
use lokid_sys::{Clock, Dirs};
use serde_json::Value;
use tokio::sync::oneshot;

pub(crate) struct Server {
    folder: tempfile::TempDir,
    pub(crate) registry: Arc<Registry>,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::with("")
    }

    /// With settings of its own.
    pub(crate) fn with(settings: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        // Made here and adopted: binding as the daemon does changes the mask of the whole process for a moment.
        let listener = UnixListener::bind(folder.path().join("lokid.sock")).unwrap();
        Server::on(folder, settings, Bound::adopt(listener))
    }

    pub(crate) fn on(folder: tempfile::TempDir, settings: &str, bound: Bound) -> Server {
        let registry = Registry::open(Dirs::under(folder.path()), Config::parse(settings).unwrap(), Clock::system());
        let registry = Arc::new(registry);
        let (stop, stopped) = oneshot::channel();
        let mut server = Server { folder, registry, stop: Some(stop), serving: None };
        server.watch("repo");
        let app = App::new(Arc::clone(&server.registry), server.socket());
        server.serving = Some(std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            let stopped = async { drop(stopped.await) };
            runtime.block_on(serve::run(bound, app, stopped)).unwrap();
        }));
        server
    }

    /// One project more.
    pub(crate) fn watch(&self, name: &str) -> PathBuf {
        let repo = self.folder.path().join(name);
        std::fs::create_dir_all(repo.join(".loki/memory")).unwrap();
        self.registry.add(&repo).unwrap();
        repo
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("lokid.sock")
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.socket()).patience(Duration::from_secs(20))
    }

    pub(crate) fn send(&self, request: &Request) -> Response {
        self.client().send(request).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send(&Request::get(path))
    }

    pub(crate) fn post(&self, path: &str, body: Value) -> Response {
        self.send(&Request::post(path, &body))
    }

    /// The JSON of an answer that has to have this status.
    pub(crate) fn json(&self, request: &Request, status: u16) -> Value {
        let response = self.send(request);
        assert_eq!(response.status, status, "{} {}: {}", request.method, request.path, response.text());
        response.json().unwrap()
    }

    pub(crate) fn remember(&self, body: Value) -> String {
        let answer = self.json(&Request::post("/v1/memories", &body), 201);
        answer["id"].as_str().unwrap().to_owned()
    }

    /// Bytes as they are, for what no client would send.
    pub(crate) fn raw(&self, bytes: &[u8]) -> UnixStream {
        let mut stream = UnixStream::connect(self.socket()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    }

    /// What the daemon says until it closes.
    pub(crate) fn raw_answer(&self, bytes: &[u8]) -> String {
        rest(&mut self.raw(bytes))
    }

    pub(crate) fn begin_to_stop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
    }

    /// Waits until everything in flight is done.
    pub(crate) fn stopped(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.join().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
        self.registry.stop();
    }
}

pub(crate) fn rest(stream: &mut UnixStream) -> String {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Reads up to and including this text.
pub(crate) fn read_until(stream: &mut UnixStream, end: &str) -> String {
    let mut heard = String::new();
    let mut byte = [0];
    while !heard.ends_with(end) {
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "the daemon ended after {heard:?}");
        heard.push(char::from(byte[0]));
    }
    heard
}
