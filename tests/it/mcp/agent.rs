//! An agent at the other end of the pipe: it writes lines of JSON-RPC and reads the answers.

use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};

use serde_json::{Value, json};

use super::schema;
use crate::home::{Home, Lines, eventually_some};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// Opens with `initialize`, 2025-06-18.
    Legacy,
    /// Says who it is with every request, 2026-07-28.
    Modern,
}

pub(super) struct Agent {
    pub(super) child: Child,
    pub(super) input: Option<ChildStdin>,
    pub(super) out: Lines,
    pub(super) err: Lines,
    pub(super) era: Era,
    last: u64,
    /// What the tools say they answer with.
    promised: Vec<Value>,
}

impl Agent {
    /// Ready to ask.
    pub(super) fn start(home: &Home, era: Era, arguments: &[&str]) -> Agent {
        let mut agent = Agent::silent(home, arguments);
        agent.era = era;
        if era == Era::Legacy {
            agent.greet();
        }
        agent
    }

    /// Has said nothing yet.
    pub(super) fn silent(home: &Home, arguments: &[&str]) -> Agent {
        let mut command = home.command(&[&["mcp"], arguments].concat());
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        let (out, err) = (Lines::of(child.stdout.take().unwrap()), Lines::of(child.stderr.take().unwrap()));
        Agent { input: child.stdin.take(), child, out, err, era: Era::Legacy, last: 0, promised: Vec::new() }
    }

    pub(super) fn greet(&mut self) {
        let who = json!({"name": "test", "version": "1"});
        self.ask("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}));
        self.tell("notifications/initialized", json!({}));
    }

    pub(super) fn write(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub(super) fn tell(&mut self, method: &str, params: Value) {
        self.write(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string().as_bytes());
    }

    /// Sends a request and tells its id.
    pub(super) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let request = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.write(request.to_string().as_bytes());
        self.last
    }

    /// The answer to a request, whatever it is. Every line of the output has to be the protocol's.
    #[track_caller]
    pub(super) fn hear(&mut self, id: u64) -> Value {
        loop {
            let line = self.out.wait_for("");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if message["id"] == id {
                return message;
            }
        }
    }

    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let mut answer = self.hear(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    #[track_caller]
    pub(super) fn fails(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let mut answer = self.hear(id);
        assert!(answer["error"]["message"].is_string(), "{method}: {answer}");
        answer["error"].take()
    }

    /// What a tool answers; it has to be what its schema promises, and the text the same in JSON.
    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["isError"], false, "{tool} {arguments}: {answer}");
        let told: Value = serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(told, answer["structuredContent"]);
        if let Some(promised) = self.promise(tool) {
            schema::check(&promised, &told, tool);
        }
        answer["structuredContent"].take()
    }

    /// Why a tool refused.
    #[track_caller]
    pub(super) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["isError"], true, "{tool} {arguments}: {answer}");
        assert!(answer.get("structuredContent").is_none(), "{answer}");
        answer["content"][0]["text"].as_str().unwrap().to_owned()
    }

    fn promise(&mut self, tool: &str) -> Option<Value> {
        if self.promised.is_empty() {
            self.promised = self.ask("tools/list", json!({}))["tools"].as_array().unwrap().clone();
        }
        self.promised.iter().find(|listed| listed["name"] == tool).map(|listed| listed["outputSchema"].clone())
    }

    /// Closes its end; the server goes by itself and in peace.
    #[track_caller]
    pub(super) fn ends(mut self) {
        drop(self.input.take());
        let status = eventually_some(|| self.child.try_wait().unwrap());
        let mut said = Vec::new();
        while let Some(line) = self.err.next() {
            said.push(line);
        }
        assert_eq!(status.code(), Some(0), "{said:#?}");
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
