//! JSON-RPC: notifications and queries.

pub(crate) mod notifications;
mod sessions;
pub(crate) mod sockets;

use std::path::Path;

use becket_daemon::rpc::{
    HookAdmin, HookSelector, HookTest, NoPermissions, Permissions, RpcSession, ServiceError,
    SessionServices,
};
use serde_json::{Value, json};

use crate::record::Trail;

/// A hook management that returns its arguments.
struct Echo;

impl HookAdmin for Echo {
    fn list(&self, project: Option<&Path>) -> Result<Value, ServiceError> {
        Ok(json!({ "listed": project }))
    }

    fn switch(&self, hook: &HookSelector<'_>, on: bool) -> Result<Value, ServiceError> {
        Ok(json!({ "name": hook.name, "level": hook.level, "on": on }))
    }

    fn test(&self, test: &HookTest<'_>) -> Result<Value, ServiceError> {
        Ok(json!({ "name": test.hook.name, "input": test.input }))
    }
}

fn services(trail: &Trail, permissions: Box<dyn Permissions>) -> SessionServices {
    SessionServices {
        backend: Box::new(trail.store()),
        hooks: Box::new(Echo),
        permissions,
    }
}

/// A client that talks to a session directly.
struct Client(RpcSession);

impl Client {
    fn of(trail: &Trail) -> Self {
        Self(RpcSession::new(services(trail, Box::new(NoPermissions))))
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = self.0.receive(&Ok(call.to_string())).expect("an answer");
        serde_json::from_str(&answer).expect("JSON")
    }

    fn done(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.call(method, params);
        assert_eq!(answer["error"], Value::Null, "{method}");
        answer["result"].take()
    }

    /// The error of a rejected call: code and message.
    fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.call(method, params);
        let error = &answer["error"];
        let message = error["message"].as_str().unwrap_or_default().to_owned();
        (error["code"].as_i64().expect("an error"), message)
    }

    /// All messages that are due: methods and parameters.
    fn heard(&mut self) -> Vec<(String, Value)> {
        let mut heard = Vec::new();
        loop {
            let due = self.0.outgoing();
            for message in due.messages {
                let mut message: Value = serde_json::from_str(&message).expect("JSON");
                assert_eq!(message["id"], Value::Null, "a notification has no id");
                let method = message["method"].as_str().expect("a method").to_owned();
                heard.push((method, message["params"].take()));
            }
            if !due.more {
                return heard;
            }
        }
    }

    /// The ids of the events that are due, with the last part of the method.
    fn events(&mut self) -> Vec<String> {
        let heard = self.heard().into_iter();
        heard
            .map(|(method, params)| {
                let name = method.rsplit('.').next().unwrap_or_default();
                format!("{} {name}", params["eventId"].as_str().unwrap_or_default())
            })
            .collect()
    }
}
