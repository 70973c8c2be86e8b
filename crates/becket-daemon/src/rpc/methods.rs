//! What a client can ask, method by method.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::backend::{ActivityQuery, Failure, HookName, HookTest, SearchQuery, SessionsQuery};
use super::message::{Call, Fault};
use super::notify::{DOCUMENTED, OTHER};
use super::params::Params;
use super::pending::{Decided, Word};
use super::session::{ALARM, MOST_SUBSCRIPTIONS, SETTLED, Session, TROUBLE, WAITING};
use super::subscription::Wanted;

/// Batches of a session that are told at once to who does not say.
const BATCHES: u64 = 20;
/// The most of them.
const MOST_BATCHES: u64 = 200;

/// Every method.
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

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::new(failure.kind.code(), failure.message)
    }
}

impl Session {
    pub(super) fn call(&mut self, call: &Call) -> Result<Value, Fault> {
        if !METHODS.contains(&call.method.as_str()) {
            return Err(Fault {
                data: Some(json!({ "methods": METHODS })),
                ..Fault::unknown_method(&call.method)
            });
        }
        let params = Params::of(call.params.as_ref())?;
        match call.method.as_str() {
            "becket.subscribe" => self.subscribe_as(params),
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

    fn status(&self, params: Params) -> Result<Value, Fault> {
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
            "notifications": DOCUMENTED.iter().chain(&[OTHER, WAITING, SETTLED, ALARM, TROUBLE]).collect::<Vec<_>>(),
        }))
    }

    fn subscribe_as(&mut self, mut params: Params) -> Result<Value, Fault> {
        let wanted = Wanted::events(&params.texts("events")?);
        let mut wanted = wanted.map_err(|why| Fault::params(format!("`events`: {why}")))?;
        wanted.project = params.text("project")?;
        if let Some(project) = wanted.project.as_ref().filter(|it| !it.starts_with('/')) {
            let why = format!("`project` is an absolute path, not {}", json!(project));
            return Err(Fault::params(why));
        }
        wanted.session = params.text("session")?;
        wanted.agent = params.text("agent")?;
        let since = params.number("since")?;
        params.end()?;
        if self.subscriptions.len() >= MOST_SUBSCRIPTIONS {
            let why = format!("a client has at most {MOST_SUBSCRIPTIONS} subscriptions");
            return Err(Fault::params(why));
        }
        let since = since.map(|since| i64::try_from(since).unwrap_or(i64::MAX));
        let subscription = self.subscribe(wanted, since)?;
        let cursor = self.subscriptions.get(&subscription).map(|one| one.cursor);
        Ok(json!({ "subscription": subscription, "cursor": cursor }))
    }

    fn unsubscribe(&mut self, mut params: Params) -> Result<Value, Fault> {
        let number = params.number("subscription")?;
        params.end()?;
        let number = number.ok_or_else(|| Fault::params("`subscription` is missing"))?;
        let removed = self.subscriptions.remove(&number).is_some();
        Ok(json!({ "removed": removed }))
    }

    fn sessions(&self, mut params: Params) -> Result<Value, Fault> {
        let query = SessionsQuery {
            project: params.text("project")?,
            agent: params.text("agent")?,
            status: params.word("status", &["active", "completed"])?,
            parent: params.text("parent")?,
            limit: params.limit()?,
            after: params.place("after")?,
        };
        params.end()?;
        Ok(self.services.backend.sessions(&query)?)
    }

    fn one_session(&self, mut params: Params) -> Result<Value, Fault> {
        let id = params.needed_text("id")?;
        let from = params.number("from")?.unwrap_or(1);
        let most = params
            .number("limit")?
            .unwrap_or(BATCHES)
            .clamp(1, MOST_BATCHES);
        params.end()?;
        let from = u32::try_from(from).unwrap_or(u32::MAX);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ok(self.services.backend.session(&id, from, most)?)
    }

    fn activity(&self, mut params: Params) -> Result<Value, Fault> {
        let query = ActivityQuery {
            project: params.text("project")?,
            agent: params.text("agent")?,
            session: params.text("session")?,
            tool: params.text("tool")?,
            path: params.text("path")?,
            success: params.flag("success")?,
            limit: params.limit()?,
            after: params.place("after")?,
        };
        params.end()?;
        Ok(self.services.backend.activity(&query)?)
    }

    fn search(&self, mut params: Params) -> Result<Value, Fault> {
        let query = SearchQuery {
            text: params.needed_text("query")?,
            project: params.text("project")?,
            agent: params.text("agent")?,
            session: params.text("session")?,
            limit: params.limit()?,
        };
        params.end()?;
        Ok(self.services.backend.search(&query)?)
    }

    fn list_hooks(&self, mut params: Params) -> Result<Value, Fault> {
        let project = params.text("project")?.map(PathBuf::from);
        params.end()?;
        Ok(self.services.hooks.list(project.as_deref())?)
    }

    fn switch_hook(&self, mut params: Params, on: bool) -> Result<Value, Fault> {
        let named = Named::take(&mut params)?;
        params.end()?;
        Ok(self.services.hooks.switch(&named.hook(), on)?)
    }

    fn test_hook(&self, mut params: Params) -> Result<Value, Fault> {
        let named = Named::take(&mut params)?;
        let (event, tool) = (params.text("event")?, params.text("tool")?);
        let input = params.object("input")?;
        params.end()?;
        let test = HookTest {
            hook: named.hook(),
            event: event.as_deref(),
            tool: tool.as_deref(),
            input: input.as_ref(),
        };
        Ok(self.services.hooks.test(&test)?)
    }

    fn pending(&self, params: Params) -> Result<Value, Fault> {
        params.end()?;
        let items = self.services.permissions.pending()?;
        Ok(json!({ "items": items }))
    }

    fn decide(&self, mut params: Params) -> Result<Value, Fault> {
        let id = params.needed_text("id")?;
        let word = params.needed_text("decision")?;
        let reason = params.text("reason")?;
        params.end()?;
        let word = Word::parse(&word).ok_or_else(|| {
            Fault::params(format!(
                "`decision` is allow, deny, ask or block, not `{word}`"
            ))
        })?;
        let decided = Decided { word, reason };
        self.services.permissions.decide(&id, decided)?;
        Ok(json!({ "id": id, "decision": word }))
    }
}

/// The parameters that say which hook is meant.
struct Named {
    name: String,
    level: Option<String>,
    project: Option<PathBuf>,
}

impl Named {
    fn take(params: &mut Params) -> Result<Self, Fault> {
        Ok(Self {
            name: params.needed_text("name")?,
            level: params.text("level")?,
            project: params.text("project")?.map(PathBuf::from),
        })
    }

    fn hook(&self) -> HookName<'_> {
        HookName {
            name: &self.name,
            level: self.level.as_deref(),
            project: self.project.as_deref(),
        }
    }
}
