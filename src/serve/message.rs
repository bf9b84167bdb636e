//! A request and its answer, as the client, the in-process twin of it and the command line pass them around.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub method: &'static str,
    /// With its query, already encoded.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn new(method: &'static str, path: impl Into<String>) -> Request {
        Request { method, path: path.into(), headers: Vec::new(), body: Vec::new() }
    }

    pub fn get(path: impl Into<String>) -> Request {
        Request::new("GET", path)
    }

    pub fn delete(path: impl Into<String>) -> Request {
        Request::new("DELETE", path)
    }

    pub fn post(path: impl Into<String>, body: &Value) -> Request {
        Request::new("POST", path).json(body)
    }

    pub fn patch(path: impl Into<String>, body: &Value) -> Request {
        Request::new("PATCH", path).json(body)
    }

    pub fn json(mut self, body: &Value) -> Request {
        self.body = body.to_string().into_bytes();
        self.header("content-type", "application/json")
    }

    pub fn header(mut self, name: &str, value: impl Into<String>) -> Request {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a parameter, encoded.
    pub fn query(mut self, name: &str, value: &str) -> Request {
        self.path.push(if self.path.contains('?') { '&' } else { '?' });
        self.path.push_str(name);
        self.path.push('=');
        self.path.push_str(&encode(value));
        self
    }
}

impl Response {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The first header of this name, in whatever case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Result<Value> {
        serde_json::from_slice(&self.body)
    }

    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// What a problem document says, or the whole of any other answer.
    pub fn detail(&self) -> String {
        let said = self.json().ok().and_then(|document| document.get("detail")?.as_str().map(str::to_owned));
        said.unwrap_or_else(|| self.text().into_owned())
    }

    pub fn code(&self) -> Option<String> {
        self.json().ok()?.get("code")?.as_str().map(str::to_owned)
    }
}

/// Percent-encoding for one segment of a path or one value of a query.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_encoded_and_joined() {
        let request = Request::get("/v1/memories").query("project", "/a b").query("kind", "fact");
        assert_eq!(request.path, "/v1/memories?project=%2Fa%20b&kind=fact");
        assert_eq!(encode("é/.."), "%C3%A9%2F..");
    }

    #[test]
    fn an_answer_says_what_went_wrong_in_whatever_form_it_came() {
        let problem = Response {
            status: 400,
            body: br#"{"detail":"kind: no","code":"bad_request"}"#.to_vec(),
            ..Default::default()
        };
        assert_eq!((problem.detail().as_str(), problem.code().as_deref()), ("kind: no", Some("bad_request")));
        let plain = Response { status: 500, body: b"oops".to_vec(), ..Default::default() };
        assert_eq!((plain.detail().as_str(), plain.code()), ("oops", None));
    }
}
