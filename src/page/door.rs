//! Who may come in. A browser opens anything for anybody, so each request has to show that it comes from the page itself:
//!
//! - The other end of the connection is a process of this user (or root), where the system tells.
//! - `Host` is this very address: a name that was made to lead here (DNS rebinding) is turned away.
//! - `Origin` and `Sec-Fetch-Site`, where the browser sends them, name the page itself; without an origin nothing changes.
//! - The cookie that the one-time token was exchanged for comes along.
//!
//! Cookies know no ports: another server at 127.0.0.1 would be sent this one as well. So everything stands below a folder
//! nobody can guess, and the cookie is for that folder.

use std::net::SocketAddr;

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Method};
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};

use lokid_sys::{loopback, process};

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SECRET_BYTES: usize = 32;
const FOLDER_BYTES: usize = 8;
const COOKIE_NAME: &str = "lokid";

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Host,
    Origin,
    NoCookie,
    Token,
}

impl Refused {
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Refused::Host => "this page has another address",
            Refused::Origin => "another page asked for this",
            Refused::NoCookie => "this browser was not let in; open the address that `lokid ui` prints",
            Refused::Token => "this address was used before; run `lokid ui` again for a new one",
        }
    }
}

pub(super) struct Door {
    port: u16,
    folder: String,
    /// Gone once somebody came in with it.
    token: Mutex<Option<String>>,
    secret: String,
}

impl Door {
    pub(super) fn new(port: u16) -> Door {
        Door {
            port,
            folder: format!("/{}", process::random_hex(FOLDER_BYTES)),
            token: Mutex::new(Some(process::random_hex(SECRET_BYTES))),
            secret: process::random_hex(SECRET_BYTES),
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// What every path begins with.
    pub(super) fn folder(&self) -> &str {
        &self.folder
    }

    pub(super) fn address(&self) -> String {
        let token = self.token.lock().clone().unwrap_or_default();
        format!("http://127.0.0.1:{}{}/enter?token={token}", self.port, self.folder)
    }

    /// The way the browser came. Whoever enters may be sent by anybody: what it brings is the token.
    pub(super) fn check_way(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Refused> {
        let own = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let one = |name: &HeaderName| {
            let mut all = headers.get_all(name).iter();
            let first = all.next().map(|value| value.to_str().unwrap_or_default());
            if all.next().is_some() { Some("") } else { first }
        };
        let host = one(&HOST).unwrap_or_default();
        if !own.iter().any(|own| own == host) {
            return Err(Refused::Host);
        }
        let is_own = |origin: &str| origin.strip_prefix("http://") == Some(host);
        let asks = method == Method::GET || method == Method::HEAD;
        let enters = asks && path == format!("{}/enter", self.folder);
        match one(&ORIGIN) {
            Some(origin) if !is_own(origin) => return Err(Refused::Origin),
            None if !asks => return Err(Refused::Origin),
            _ => {}
        }
        match one(&SITE) {
            Some("same-origin" | "none") | None => Ok(()),
            Some(_) if enters => Ok(()),
            Some(_) => Err(Refused::Origin),
        }
    }

    pub(super) fn check_cookie(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut own = pairs.filter(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value);
        if own.any(|value| is_same(value, &self.secret)) { Ok(()) } else { Err(Refused::NoCookie) }
    }

    /// The cookie in exchange for the token, once.
    pub(super) fn enter(&self, token: &str) -> Result<String, Refused> {
        let mut kept = self.token.lock();
        if !kept.as_deref().is_some_and(|kept| is_same(token, kept)) {
            return Err(Refused::Token);
        }
        *kept = None;
        Ok(format!("{COOKIE_NAME}={}; Path={}/; HttpOnly; SameSite=Strict", self.secret, self.folder))
    }
}

/// In the same time wherever they differ: hashes are compared so.
fn is_same(one: &str, other: &str) -> bool {
    blake3::hash(one.as_bytes()) == blake3::hash(other.as_bytes())
}

/// The port, with an eye on who knocks.
pub(super) struct Entrance {
    listener: TcpListener,
    own: SocketAddr,
}

impl Entrance {
    pub(super) fn new(listener: TcpListener) -> std::io::Result<Entrance> {
        let own = listener.local_addr()?;
        Ok(Entrance { listener, own })
    }

    async fn is_ours(&self, peer: SocketAddr) -> bool {
        if !loopback::TELLS_OWNERS {
            return true;
        }
        let own = self.own;
        let owner = tokio::task::spawn_blocking(move || loopback::owner_of(peer, own)).await.ok().flatten();
        owner.is_some_and(|uid| uid == process::uid() || uid == 0)
    }
}

impl axum::serve::Listener for Entrance {
    type Io = TcpStream;
    type Addr = SocketAddr;

    /// A stranger's connection is closed without a word.
    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            let (stream, peer) = axum::serve::Listener::accept(&mut self.listener).await;
            if self.is_ours(peer).await {
                let _quicker = stream.set_nodelay(true);
                return (stream, peer);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        Ok(self.own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        headers
    }

    fn check(method: &str, path: &str, pairs: &[(&str, &str)], expected: Result<(), Refused>) {
        let door = Door { folder: "/f".to_owned(), ..Door::new(8000) };
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        assert_eq!(door.check_way(&method, path, &headers(pairs)), expected, "{method} {path} {pairs:?}");
    }

    const HERE: (&str, &str) = ("host", "127.0.0.1:8000");
    const OWN: (&str, &str) = ("origin", "http://127.0.0.1:8000");

    #[test]
    fn only_this_very_address_is_answered() {
        check("GET", "/f/", &[HERE], Ok(()));
        check("GET", "/f/", &[("host", "localhost:8000")], Ok(()));
        for host in
            ["evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:8000.evil.example", "", "[::1]:8000"]
        {
            check("GET", "/f/", &[("host", host)], Err(Refused::Host));
        }
        check("GET", "/f/", &[], Err(Refused::Host));
        check("GET", "/f/", &[HERE, ("host", "evil.example")], Err(Refused::Host));
    }

    #[test]
    fn another_page_neither_changes_nor_reads_anything() {
        check("POST", "/f/x", &[HERE, OWN, ("sec-fetch-site", "same-origin")], Ok(()));
        check("POST", "/f/x", &[HERE, OWN], Ok(()));
        check("POST", "/f/x", &[HERE], Err(Refused::Origin));
        for origin in
            ["null", "http://evil.example", "http://127.0.0.1:8001", "https://127.0.0.1:8000", "http://localhost:8000"]
        {
            check("POST", "/f/x", &[HERE, ("origin", origin)], Err(Refused::Origin));
            check("GET", "/f/live", &[HERE, ("origin", origin)], Err(Refused::Origin));
        }
        for site in ["cross-site", "same-site"] {
            check("GET", "/f/x", &[HERE, ("sec-fetch-site", site)], Err(Refused::Origin));
            check("POST", "/f/x", &[HERE, OWN, ("sec-fetch-site", site)], Err(Refused::Origin));
            check("GET", "/f/enter", &[HERE, ("sec-fetch-site", site)], Ok(()));
            check("POST", "/f/enter", &[HERE, OWN, ("sec-fetch-site", site)], Err(Refused::Origin));
        }
    }

    #[test]
    fn a_token_lets_one_browser_in_once() {
        let door = Door::new(8000);
        let token = door.address().rsplit_once('=').unwrap().1.to_owned();
        assert_eq!(token.len(), 2 * SECRET_BYTES);
        assert_eq!(door.enter("nonsense"), Err(Refused::Token));
        let cookie = door.enter(&token).unwrap();
        assert!(cookie.contains("HttpOnly; SameSite=Strict") && cookie.contains(&format!("Path={}/", door.folder())));
        assert_eq!(door.enter(&token), Err(Refused::Token));
        let pair = cookie.split(';').next().unwrap();
        assert_eq!(door.check_cookie(&headers(&[("cookie", &format!("a=b; {pair}"))])), Ok(()));
        for wrong in ["", "lokid=", "lokid=x", "other=y", &format!("x{pair}")] {
            assert_eq!(door.check_cookie(&headers(&[("cookie", wrong)])), Err(Refused::NoCookie), "{wrong}");
        }
        assert_eq!(door.check_cookie(&HeaderMap::new()), Err(Refused::NoCookie));
        assert!(!door.address().contains(&token));
    }
}
