//! A logged-in browser and the machine that it talks to.

use std::io::{Read, Write};
use std::net::TcpStream;

use becket_testkit::{PATIENCE, poll_until};
use serde_json::{Value, json};

use crate::context::Context;

/// A browser with its login cookie. Dropping it stops the daemon.
pub(crate) struct Browser {
    context: Context,
    port: u16,
    cookie: String,
}

impl Browser {
    /// A machine without configuration.
    pub(crate) fn new() -> Self {
        Self::at(Context::new())
    }

    /// A prepared machine.
    pub(crate) fn at(context: Context) -> Self {
        let told = context.run(&["ui", "--json"]);
        assert_eq!(told.exit, 0, "{}", told.stderr);
        let told = told.json();
        let link = told["url"].as_str().expect("a link").to_owned();
        let (page, code) = link.split_once('#').expect("a code");
        let port = page.split([':', '/']).nth(4).expect("a port");
        let mut browser = Self {
            context,
            port: port.parse().expect("a number"),
            cookie: String::new(),
        };
        browser.cookie = browser.log_in(code).expect("let in");
        browser
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn context_mut(&mut self) -> &mut Context {
        &mut self.context
    }

    /// Logs in with a code; returns the cookie.
    pub(crate) fn log_in(&self, code: &str) -> Option<String> {
        let body = json!({ "code": code }).to_string();
        let answer = self.send("POST", "/api/login", &body);
        let set = answer
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "))?;
        set.split(';').next().map(str::to_owned)
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, told) = self.ask("GET", path, "");
        assert_eq!(status, 200, "{path}: {told}");
        told
    }

    /// Returns the status and the response.
    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.ask("POST", path, &body.to_string())
    }

    /// Waits until this many events are in the database.
    pub(crate) fn until_kept(&self, events: u64) {
        self.context.run(&["sessions"]);
        poll_until("the events", || {
            let kept = self.get("/status")["records"].as_u64();
            (kept >= Some(events)).then_some(())
        });
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let answer = self.send(method, &format!("/api/v1{path}"), body);
        let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        let told = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
        (status.expect("a status"), told)
    }

    fn send(&self, method: &str, target: &str, body: &str) -> String {
        let (port, cookie, length) = (self.port, &self.cookie, body.len());
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nCookie: {cookie}\r\n\
             Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.context.run(&["daemon", "stop"]);
    }
}
