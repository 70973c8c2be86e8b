//! The tools: what they are called with, and what they give back.

use serde_json::{Value, json};

use super::memory::{ContextQuery, MemoriesQuery, Remembered, SearchIn};
use super::server::Server;
use super::text;
use crate::rpc::message::Fault;
use crate::rpc::params::Params;
use crate::rpc::{ActivityQuery, Failure, SessionsQuery};

/// The most structured content that a result has. It ends up in a model's context.
const MOST_STRUCTURE: usize = 40_000;

/// What a memory may be.
const KINDS: [&str; 5] = ["gotcha", "decision", "bug_fix", "discovery", "trade_off"];

/// The tools as clients see them.
pub(super) fn list() -> Value {
    let project = json!({ "type": "string", "description": "Directory of a project; `*` is all projects. Default: the project that the server was started in" });
    let limit =
        json!({ "type": "integer", "minimum": 1, "maximum": 200, "description": "How many" });
    let texts = |about: &str| json!({ "type": "array", "items": { "type": "string" }, "description": about });
    let text = |about: &str| json!({ "type": "string", "description": about });
    json!([
        tool(
            "search",
            "Search",
            "Find what was learnt, the code, and what agents did and said before. Memories and pieces of code come first, by how relevant they are; then prompts, answers, plans and tool calls that have all the words (\"two words\" is a phrase, pre* a beginning).",
            true,
            &["query"],
            json!({
                "query": text("Words, or a question"), "project": project, "limit": limit,
            })
        ),
        tool(
            "remember",
            "Remember",
            "Keep something worth knowing in later sessions: a pitfall, a decision and its reason, how a bug was fixed.",
            false,
            &["text"],
            json!({
                "text": text("What to remember, in a sentence or two"),
                "type": { "type": "string", "enum": KINDS, "description": "What it is" },
                "context": text("Where it holds, or why"),
                "files": texts("Files that it is about"),
                "importance": { "type": "integer", "minimum": 1, "maximum": 10, "description": "10 is the most" },
                "project": project,
            })
        ),
        tool(
            "context",
            "Context",
            "What is worth knowing before a task, or before touching files: what was done there, what was learnt.",
            true,
            &[],
            json!({
                "task": text("What you are about to do"),
                "files": texts("Files that you are about to touch"),
                "project": project, "limit": limit,
            })
        ),
        tool(
            "sessions",
            "Sessions",
            "Sessions of agents, the latest first; with `id`, all that happened in one.",
            true,
            &[],
            json!({
                "id": text("The session to be told whole"),
                "agent": text("Only this agent, such as `claude`"),
                "status": { "type": "string", "enum": ["active", "completed"], "description": "Only these" },
                "project": project, "limit": limit, "after": text("`next` of the page before"),
            })
        ),
        tool(
            "activity",
            "Activity",
            "What agents did, the latest first: tool calls with input, result, duration.",
            true,
            &[],
            json!({
                "session": text("Only this session"),
                "tool": text("Only this tool, such as `Bash` or `Edit`"),
                "path": text("Only this file, as seen from its project"),
                "success": { "type": "boolean", "description": "Only what succeeded, or only what failed" },
                "project": project, "limit": limit, "after": text("`next` of the page before"),
            })
        ),
        tool(
            "memories",
            "Memories",
            "What was remembered, the latest first.",
            true,
            &[],
            json!({
                "type": { "type": "string", "enum": KINDS, "description": "Only these" },
                "project": project, "limit": limit,
            })
        ),
    ])
}

fn tool(
    name: &str,
    title: &str,
    about: &str,
    reads: bool,
    required: &[&str],
    properties: Value,
) -> Value {
    json!({
        "name": name,
        "title": title,
        "description": about,
        "inputSchema": {
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        },
        "annotations": {
            "title": title, "readOnlyHint": reads, "destructiveHint": false, "openWorldHint": false,
        },
    })
}

impl Server {
    /// What goes wrong in a tool is for the model to read; only a tool that does not exist is an error of
    /// the protocol.
    pub(super) fn call_tool(&self, name: &str, arguments: Option<&Value>) -> Result<Value, Fault> {
        let params = Params::of(arguments)?;
        let outcome = match name {
            "search" => self.search(params),
            "remember" => self.remember(params),
            "context" => self.context(params),
            "sessions" => self.sessions(params),
            "activity" => self.activity(params),
            "memories" => self.memories(params),
            _ => return Err(Fault::params(format!("there is no tool `{name}`"))),
        };
        Ok(match outcome {
            Ok(found) => result(found),
            Err(fault) => json!({
                "content": [{ "type": "text", "text": fault.message }],
                "isError": true,
            }),
        })
    }

    fn project(&self, params: &mut Params) -> Result<Option<String>, Fault> {
        Ok(match params.text("project")?.as_deref() {
            None => self.project.clone(),
            Some("*") => None,
            Some(named) => Some(named.to_owned()),
        })
    }

    fn search(&self, mut params: Params) -> Result<Value, Fault> {
        let query = SearchIn {
            query: params.needed_text("query")?,
            project: self.project(&mut params)?,
            limit: params.limit()?,
        };
        params.end()?;
        Ok(self.memory.search(&query)?)
    }

    fn remember(&self, mut params: Params) -> Result<Value, Fault> {
        let what = Remembered {
            text: params.needed_text("text")?,
            kind: kind(&mut params)?,
            context: params.text("context")?,
            files: params.texts("files")?,
            importance: params.number("importance")?,
            project: self.project(&mut params)?,
        };
        params.end()?;
        if what
            .importance
            .is_some_and(|number| !(1..=10).contains(&number))
        {
            return Err(Fault::params("`importance` is a number from 1 to 10"));
        }
        Ok(self.memory.remember(&what)?)
    }

    fn context(&self, mut params: Params) -> Result<Value, Fault> {
        let query = ContextQuery {
            task: params.text("task")?.filter(|task| !task.trim().is_empty()),
            files: params.texts("files")?,
            project: self.project(&mut params)?,
            limit: params.limit()?,
        };
        params.end()?;
        if query.task.is_none() && query.files.is_empty() {
            return Err(Fault::params("`task` or `files` is needed"));
        }
        Ok(self.memory.context(&query)?)
    }

    fn memories(&self, mut params: Params) -> Result<Value, Fault> {
        let query = MemoriesQuery {
            kind: kind(&mut params)?,
            project: self.project(&mut params)?,
            limit: params.limit()?,
        };
        params.end()?;
        Ok(self.memory.memories(&query)?)
    }

    fn sessions(&self, mut params: Params) -> Result<Value, Fault> {
        let id = params.text("id")?;
        let query = SessionsQuery {
            project: self.project(&mut params)?,
            agent: params.text("agent")?,
            status: params.word("status", &["active", "completed"])?,
            limit: Some(params.limit()?.unwrap_or(20)),
            after: params.place("after")?,
            ..SessionsQuery::default()
        };
        params.end()?;
        let found: Result<Value, Failure> = match id {
            Some(id) => self.backend.session(&id, 1, 50),
            None => self.backend.sessions(&query),
        };
        Ok(found?)
    }

    fn activity(&self, mut params: Params) -> Result<Value, Fault> {
        let query = ActivityQuery {
            project: self.project(&mut params)?,
            session: params.text("session")?,
            tool: params.text("tool")?,
            path: params.text("path")?,
            success: params.flag("success")?,
            limit: Some(params.limit()?.unwrap_or(20)),
            after: params.place("after")?,
            ..ActivityQuery::default()
        };
        params.end()?;
        Ok(self.backend.activity(&query)?)
    }
}

/// The text says what matters; the structure says all, where that is not too much.
fn result(found: Value) -> Value {
    let mut result = json!({
        "content": [{ "type": "text", "text": text::shown(&found) }],
        "isError": false,
    });
    if found.to_string().len() <= MOST_STRUCTURE {
        result["structuredContent"] = found;
    }
    result
}

fn kind(params: &mut Params) -> Result<Option<String>, Fault> {
    let kind = params.text("type")?;
    match &kind {
        Some(word) if !KINDS.contains(&word.as_str()) => {
            let known = KINDS.join(", ");
            Err(Fault::params(format!(
                "`type` is one of {known}, not `{word}`"
            )))
        }
        _ => Ok(kind),
    }
}
