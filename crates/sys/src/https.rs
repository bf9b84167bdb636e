//! One question to a server far away: encrypted, through the proxy of the environment, within a time and a size.
//!
//! Certificates are judged as the platform does it, or by a file that the caller names. No redirect is followed, so that no
//! key goes anywhere but where it was sent. Nothing here is kept for the process: whoever makes no client opens nothing.

use std::io;
use std::path::Path;
use std::time::Duration;

use lokid_model::Timestamp;
use ureq::http::{HeaderValue, Method, Request};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use super::plain;

/// A file of certificates that long is something else.
const MOST_CERTIFICATES: u64 = 8 << 20;

/// What never appears in a log, an error or a list of fields.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Nothing but visible ASCII can be sent in a header.
    pub fn new(text: &str) -> Option<Secret> {
        let text = text.trim();
        (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Secret(text.to_owned()))
    }

    /// A text that others wrote, without the secret should they have repeated it.
    pub fn taken_out_of(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Get,
    Post,
    Delete,
}

#[derive(Debug)]
pub struct Question<'a> {
    pub verb: Verb,
    pub url: &'a str,
    pub headers: &'a [(&'static str, &'a str)],
    /// Who asks; nobody else may see it.
    pub bearer: &'a Secret,
    /// JSON.
    pub body: Option<&'a [u8]>,
    pub time: Duration,
    pub most: u64,
}

/// Whatever the status says.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
    /// As the server wrote it: seconds, or a date.
    pub retry_after: Option<String>,
    /// What the server's clock says.
    pub date: Option<Timestamp>,
}

#[derive(Debug, thiserror::Error)]
pub enum HttpsError {
    #[error("no answer in time")]
    TimedOut,
    #[error("no secure connection: {0}")]
    Untrusted(String),
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    #[error("the answer is longer than {0} bytes")]
    TooLong(u64),
    #[error("the answer breaks off or is no HTTP")]
    Garbled,
}

/// Connections are kept for a while, so that one question after the other needs one greeting.
#[derive(Debug)]
pub struct HttpsClient {
    agent: ureq::Agent,
}

impl HttpsClient {
    /// With `certificates` only those of that file are trusted.
    pub fn new(certificates: Option<&Path>, near: bool) -> io::Result<HttpsClient> {
        let roots = match certificates {
            Some(file) => RootCerts::from(certificates_in(file)?),
            None => RootCerts::PlatformVerifier,
        };
        let builder = ureq::Agent::config_builder()
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_age(Duration::from_secs(10))
            .user_agent(concat!("lokid/", env!("CARGO_PKG_VERSION")));
        // What stands on this machine is never asked by way of another.
        let builder = if near { builder.proxy(None) } else { builder };
        Ok(HttpsClient { agent: builder.build().new_agent() })
    }

    pub fn ask(&self, question: &Question<'_>) -> Result<Answer, HttpsError> {
        let wrong = |error: ureq::http::Error| HttpsError::Unreachable(error.to_string());
        let mut head = Request::builder().uri(question.url).method(match question.verb {
            Verb::Get => Method::GET,
            Verb::Post => Method::POST,
            Verb::Delete => Method::DELETE,
        });
        for (name, value) in question.headers {
            head = head.header(*name, *value);
        }
        let bearer = format!("Bearer {}", question.bearer.0);
        let mut bearer = HeaderValue::from_str(&bearer).map_err(|error| wrong(error.into()))?;
        bearer.set_sensitive(true);
        head = head.header("authorization", bearer);
        let timed = |request| self.agent.configure_request(request).timeout_global(Some(question.time)).build();
        let answered = match question.body {
            Some(body) => {
                let head = head.header("content-type", "application/json");
                let request = self.agent.configure_request(head.body(body).map_err(wrong)?);
                self.agent.run(request.timeout_global(Some(question.time)).build())
            }
            None => self.agent.run(timed(head.body(()).map_err(wrong)?)),
        };
        let mut answer = answered.map_err(|error| told(error, question.most))?;
        let header = |name: &str| answer.headers().get(name)?.to_str().ok().map(str::to_owned);
        let (status, retry_after) = (answer.status().as_u16(), header("retry-after"));
        let date = header("date").as_deref().and_then(http_date);
        let body = answer.body_mut().with_config().limit(question.most).read_to_vec();
        let body = body.map_err(|error| match told(error, question.most) {
            // The head was there: a server that answers can be reached.
            HttpsError::Unreachable(_) => HttpsError::Garbled,
            other => other,
        })?;
        Ok(Answer { status, body, retry_after, date })
    }
}

/// The words of the library may hold addresses with passwords of proxies: only those known to be harmless pass.
fn told(error: ureq::Error, most: u64) -> HttpsError {
    match error {
        ureq::Error::Timeout(_) => HttpsError::TimedOut,
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => HttpsError::TimedOut,
        ureq::Error::Rustls(error) => HttpsError::Untrusted(error.to_string()),
        ureq::Error::Tls(why) => HttpsError::Untrusted(why.to_owned()),
        ureq::Error::Io(error) => match error.get_ref() {
            // What goes wrong in the middle of the greeting comes wrapped.
            Some(inner) if inner.to_string().contains("certificate") => HttpsError::Untrusted(inner.to_string()),
            _ => HttpsError::Unreachable(error.kind().to_string()),
        },
        ureq::Error::HostNotFound => HttpsError::Unreachable("there is no such host".to_owned()),
        ureq::Error::ConnectionFailed => HttpsError::Unreachable("the connection was refused".to_owned()),
        ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => {
            HttpsError::Unreachable("the proxy does not help".to_owned())
        }
        ureq::Error::BodyExceedsLimit(_) => HttpsError::TooLong(most),
        ureq::Error::BadUri(_) => HttpsError::Unreachable("the address is none".to_owned()),
        _ => HttpsError::Garbled,
    }
}

fn certificates_in(file: &Path) -> io::Result<Vec<Certificate<'static>>> {
    let text = plain::read(file, MOST_CERTIFICATES)?.ok_or(io::ErrorKind::NotFound)?;
    let certificates: Vec<_> = parse_pem(&text)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "there is no certificate in it"));
    }
    Ok(certificates)
}

fn http_date(text: &str) -> Option<Timestamp> {
    let parsed = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(Timestamp::from_micros(parsed.timestamp().as_microsecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_shown_and_is_taken_out_of_what_others_say() {
        let secret = Secret::new(" sk-ant-0123 \n").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret");
        assert_eq!(secret.taken_out_of("bad key sk-ant-0123!"), "bad key [key]!");
        assert!(Secret::new("two words").is_none() && Secret::new("").is_none() && Secret::new("ü").is_none());
    }

    #[test]
    fn the_servers_clock_is_read() {
        let read = http_date("Tue, 17 Nov 2026 06:51:14 GMT").unwrap();
        assert_eq!(read, Timestamp::parse("2026-11-17T06:51:14Z").unwrap());
        assert!(http_date("yesterday").is_none());
    }

    #[test]
    fn a_file_without_certificates_is_refused_and_a_dead_port_is_unreachable() {
        let lab = tempfile::tempdir().unwrap();
        let file = lab.path().join("ca.pem");
        plain::replace(&file, b"no certificate").unwrap();
        assert!(HttpsClient::new(Some(&file), false).is_err());
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let secret = Secret::new("k").unwrap();
        let url = format!("http://127.0.0.1:{port}/");
        let time = Duration::from_secs(5);
        let question =
            Question { verb: Verb::Get, url: &url, headers: &[], bearer: &secret, body: None, time, most: 9 };
        let error = HttpsClient::new(None, true).unwrap().ask(&question).unwrap_err();
        assert!(matches!(error, HttpsError::Unreachable(_)), "{error:?}");
    }
}
