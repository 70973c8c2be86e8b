//! The JSON-RPC methods.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::backend::{
    ActivityQuery, HookSelector, HookTest, SearchQuery, ServiceError, SessionsQuery,
};
use super::message::{RpcCall, RpcError};
use super::notifications::{AUTOHAND_METHODS, EVENT_METHOD};
use super::params::CallParams;
use super::pending::{PermissionChoice, PermissionDecision};
use super::session::{
    ALARM_METHOD, MAX_SUBSCRIPTIONS, PERMISSION_SETTLED, PERMISSION_WAITING, RpcSession,
    TROUBLE_METHOD,
};
use super::subscription::SubscriptionFilter;

/// The default number of turns in a session response.
const DEFAULT_BATCHES: u64 = 20;
/// The most turns in a session response.
const MAX_BATCHES: u64 = 200;

/// All methods.
const METHODS: [&str; 13] = [
    "becket.status",
    "becket.subscribe",
    "becket.unsubscribe",
    "becket.sessions",
    "becket.session",
    "becket.activity",
    "becket.search",
    "becket.hooks.list",
    "becket.hooks.enable",
    "becket.hooks.disable",
    "becket.hooks.test",
    "becket.permissions.pending",
    "becket.permissions.decide",
];

impl From<ServiceError> for RpcError {
    fn from(error: ServiceError) -> Self {
        Self::new(error.kind.code(), error.message)
    }
}

impl RpcSession {
    pub(super) fn dispatch(&mut self, call: &RpcCall) -> Result<Value, RpcError> {
        if !METHODS.contains(&call.method.as_str()) {
            return Err(RpcError {
                data: Some(json!({ "methods": METHODS })),
                ..RpcError::unknown_method(&call.method)
            });
        }
        let params = CallParams::new(call.params.as_ref())?;
        match call.method.as_str() {
            "becket.subscribe" => self.subscribe_call(params),
            "becket.unsubscribe" => self.unsubscribe(params),
            "becket.sessions" => self.sessions(params),
            "becket.session" => self.one_session(params),
            "becket.activity" => self.activity(params),
            "becket.search" => self.search(params),
            "becket.hooks.list" => self.list_hooks(params),
            "becket.hooks.enable" => self.switch_hook(params, true),
            "becket.hooks.disable" => self.switch_hook(params, false),
            "becket.hooks.test" => self.test_hook(params),
            "becket.permissions.pending" => self.pending(params),
            "becket.permissions.decide" => self.decide(params),
            _ => self.status(params),
        }
    }

    fn status(&self, params: CallParams) -> Result<Value, RpcError> {
        params.end()?;
        let backend = &self.services.backend;
        Ok(json!({
            "name": "becket",
            "version": env!("CARGO_PKG_VERSION"),
            "schema_version": 1,
            "cursor": backend.cursor()?,
            "record": backend.status()?,
            "subscriptions": self.subscriptions.keys().collect::<Vec<_>>(),
            "methods": METHODS,
            "notifications": AUTOHAND_METHODS.iter().chain(&[EVENT_METHOD, PERMISSION_WAITING, PERMISSION_SETTLED, ALARM_METHOD, TROUBLE_METHOD]).collect::<Vec<_>>(),
        }))
    }

    fn subscribe_call(&mut self, mut params: CallParams) -> Result<Value, RpcError> {
        let filter = SubscriptionFilter::for_events(&params.texts("events")?);
        let mut filter =
            filter.map_err(|why| RpcError::invalid_params(format!("`events`: {why}")))?;
        filter.project = params.text("project")?;
        if let Some(project) = filter.project.as_ref().filter(|it| !it.starts_with('/')) {
            let why = format!("`project` must be an absolute path, not {}", json!(project));
            return Err(RpcError::invalid_params(why));
        }
        filter.session = params.text("session")?;
        filter.agent = params.text("agent")?;
        let since = params.number("since")?;
        params.end()?;
        if self.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            let why = format!("a client can have at most {MAX_SUBSCRIPTIONS} subscriptions");
            return Err(RpcError::invalid_params(why));
        }
        let since = since.map(|since| i64::try_from(since).unwrap_or(i64::MAX));
        let subscription = self.subscribe(filter, since)?;
        let cursor = self.subscriptions.get(&subscription).map(|one| one.cursor);
        Ok(json!({ "subscription": subscription, "cursor": cursor }))
    }

    fn unsubscribe(&mut self, mut params: CallParams) -> Result<Value, RpcError> {
        let number = params.number("subscription")?;
        params.end()?;
        let number = number.ok_or_else(|| RpcError::invalid_params("`subscription` is missing"))?;
        let removed = self.subscriptions.remove(&number).is_some();
        Ok(json!({ "removed": removed }))
    }

    fn sessions(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let query = SessionsQuery {
            project: params.text("project")?,
            agent: params.text("agent")?,
            status: params.one_of("status", &["active", "completed"])?,
            parent: params.text("parent")?,
            limit: params.limit()?,
            after: params.cursor("after")?,
        };
        params.end()?;
        Ok(self.services.backend.sessions(&query)?)
    }

    fn one_session(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let id = params.required_text("id")?;
        let from = params.number("from")?.unwrap_or(1);
        let limit = params
            .number("limit")?
            .unwrap_or(DEFAULT_BATCHES)
            .clamp(1, MAX_BATCHES);
        params.end()?;
        let from = u32::try_from(from).unwrap_or(u32::MAX);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(self.services.backend.session(&id, from, limit)?)
    }

    fn activity(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let query = ActivityQuery {
            project: params.text("project")?,
            agent: params.text("agent")?,
            session: params.text("session")?,
            tool: params.text("tool")?,
            path: params.text("path")?,
            success: params.flag("success")?,
            limit: params.limit()?,
            after: params.cursor("after")?,
        };
        params.end()?;
        Ok(self.services.backend.activity(&query)?)
    }

    fn search(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let query = SearchQuery {
            text: params.required_text("query")?,
            project: params.text("project")?,
            agent: params.text("agent")?,
            session: params.text("session")?,
            limit: params.limit()?,
        };
        params.end()?;
        Ok(self.services.backend.search(&query)?)
    }

    fn list_hooks(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let project = params.text("project")?.map(PathBuf::from);
        params.end()?;
        Ok(self.services.hooks.list(project.as_deref())?)
    }

    fn switch_hook(&self, mut params: CallParams, on: bool) -> Result<Value, RpcError> {
        let hook = HookParams::parse(&mut params)?;
        params.end()?;
        Ok(self.services.hooks.switch(&hook.selector(), on)?)
    }

    fn test_hook(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let hook = HookParams::parse(&mut params)?;
        let (event, tool) = (params.text("event")?, params.text("tool")?);
        let input = params.object("input")?;
        params.end()?;
        let test = HookTest {
            hook: hook.selector(),
            event: event.as_deref(),
            tool: tool.as_deref(),
            input: input.as_ref(),
        };
        Ok(self.services.hooks.test(&test)?)
    }

    fn pending(&self, params: CallParams) -> Result<Value, RpcError> {
        params.end()?;
        let items = self.services.permissions.pending()?;
        Ok(json!({ "items": items }))
    }

    fn decide(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let id = params.required_text("id")?;
        let choice = params.required_text("decision")?;
        let reason = params.text("reason")?;
        params.end()?;
        let choice = PermissionChoice::parse(&choice).ok_or_else(|| {
            RpcError::invalid_params(format!(
                "`decision` must be allow, deny, ask or block, not `{choice}`"
            ))
        })?;
        let decision = PermissionDecision { choice, reason };
        self.services.permissions.decide(&id, decision)?;
        Ok(json!({ "id": id, "decision": choice }))
    }
}

/// The parameters that select a hook.
struct HookParams {
    name: String,
    level: Option<String>,
    project: Option<PathBuf>,
}

impl HookParams {
    fn parse(params: &mut CallParams) -> Result<Self, RpcError> {
        Ok(Self {
            name: params.required_text("name")?,
            level: params.text("level")?,
            project: params.text("project")?.map(PathBuf::from),
        })
    }

    fn selector(&self) -> HookSelector<'_> {
        HookSelector {
            name: &self.name,
            level: self.level.as_deref(),
            project: self.project.as_deref(),
        }
    }
}
