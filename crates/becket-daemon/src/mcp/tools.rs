//! The MCP tools: their schemas and their results.

use becket_store::MemoryKind;
use serde_json::{Value, json};

use super::memory::{ContextInput, MemoriesInput, RememberInput, SearchInput};
use super::render;
use super::server::McpServer;
use crate::rpc::message::RpcError;
use crate::rpc::params::CallParams;
use crate::rpc::{ActivityQuery, ServiceError, SessionsQuery};

/// The most structured content in a result. It ends up in a model's context.
const MAX_STRUCTURED_BYTES: usize = 40_000;

/// The tools as clients see them.
pub(super) fn list() -> Value {
    let project = json!({ "type": "string", "description": "The project's directory; `*` for all projects. Default: the project that the server was started in" });
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": 200, "description": "The most results" });
    let texts = |description: &str| json!({ "type": "array", "items": { "type": "string" }, "description": description });
    let text = |description: &str| json!({ "type": "string", "description": description });
    let memory_type = |description: &str| json!({ "type": "string", "enum": memory_types(), "description": description });
    json!([
        tool(
            "search",
            "Search",
            "Search memories, code, and the record of earlier sessions. Memories and code come first, by relevance; then prompts, answers, plans and tool calls that contain all words (\"two words\" is a phrase, pre* a prefix).",
            true,
            &["query"],
            json!({
                "query": text("Words, or a question"), "project": project, "limit": limit,
            })
        ),
        tool(
            "remember",
            "Remember",
            "Store something worth knowing in later sessions: a pitfall, a decision and its reason, how a bug was fixed.",
            false,
            &["text"],
            json!({
                "text": text("The text of the memory, in a sentence or two"),
                "type": memory_type("The memory type"),
                "context": text("Where it applies, or why"),
                "files": texts("Files that it refers to"),
                "importance": { "type": "integer", "minimum": 1, "maximum": 10, "description": "10 is the most important" },
                "project": project,
            })
        ),
        tool(
            "context",
            "Context",
            "Find what is relevant before a task or before changing files: memories, code, and earlier activity.",
            true,
            &[],
            json!({
                "task": text("The task"),
                "files": texts("Files that you are about to change"),
                "project": project, "limit": limit,
            })
        ),
        tool(
            "sessions",
            "Sessions",
            "List sessions of agents, the newest first; with `id`, the timeline of one session.",
            true,
            &[],
            json!({
                "id": text("The session to show in full"),
                "agent": text("Only this agent, such as `claude`"),
                "status": { "type": "string", "enum": ["active", "completed"], "description": "Only this status" },
                "project": project, "limit": limit, "after": text("`next` of the previous page"),
            })
        ),
        tool(
            "activity",
            "Activity",
            "List what agents did, the newest first: tool calls with input, result and duration.",
            true,
            &[],
            json!({
                "session": text("Only this session"),
                "tool": text("Only this tool, such as `Bash` or `Edit`"),
                "path": text("Only this file, relative to its project"),
                "success": { "type": "boolean", "description": "Only calls that succeeded, or only those that failed" },
                "project": project, "limit": limit, "after": text("`next` of the previous page"),
            })
        ),
        tool(
            "memories",
            "Memories",
            "List memories, the newest first.",
            true,
            &[],
            json!({
                "type": memory_type("Only this type"),
                "project": project, "limit": limit,
            })
        ),
    ])
}

fn tool(
    name: &str,
    title: &str,
    description: &str,
    is_read_only: bool,
    required: &[&str],
    properties: Value,
) -> Value {
    json!({
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": {
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        },
        "annotations": {
            "title": title, "readOnlyHint": is_read_only, "destructiveHint": false, "openWorldHint": false,
        },
    })
}

impl McpServer {
    /// Calls a tool. An error inside the tool is a result for the model; only an unknown tool is a protocol error.
    pub(super) fn call_tool(
        &self,
        name: &str,
        arguments: Option<&Value>,
    ) -> Result<Value, RpcError> {
        let params = CallParams::new(arguments)?;
        let outcome = match name {
            "search" => self.search(params),
            "remember" => self.remember(params),
            "context" => self.context(params),
            "sessions" => self.sessions(params),
            "activity" => self.activity(params),
            "memories" => self.memories(params),
            _ => {
                return Err(RpcError::invalid_params(format!("unknown tool `{name}`")));
            }
        };
        Ok(match outcome {
            Ok(found) => result(found),
            Err(fault) => json!({
                "content": [{ "type": "text", "text": fault.message }],
                "isError": true,
            }),
        })
    }

    fn project(&self, params: &mut CallParams) -> Result<Option<String>, RpcError> {
        Ok(match params.text("project")?.as_deref() {
            None => self.project.clone(),
            Some("*") => None,
            Some(named) => Some(named.to_owned()),
        })
    }

    fn search(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let query = SearchInput {
            query: params.required_text("query")?,
            project: self.project(&mut params)?,
            limit: params.limit()?,
        };
        params.end()?;
        Ok(self.memory.search(&query)?)
    }

    fn remember(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let input = RememberInput {
            text: params.required_text("text")?,
            kind: memory_type(&mut params)?,
            context: params.text("context")?,
            files: params.texts("files")?,
            importance: params.number("importance")?,
            project: self.project(&mut params)?,
        };
        params.end()?;
        if input
            .importance
            .is_some_and(|number| !(1..=10).contains(&number))
        {
            return Err(RpcError::invalid_params(
                "`importance` must be a number from 1 to 10",
            ));
        }
        Ok(self.memory.remember(&input)?)
    }

    fn context(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let query = ContextInput {
            task: params.text("task")?.filter(|task| !task.trim().is_empty()),
            files: params.texts("files")?,
            project: self.project(&mut params)?,
            limit: params.limit()?,
        };
        params.end()?;
        if query.task.is_none() && query.files.is_empty() {
            return Err(RpcError::invalid_params("`task` or `files` is required"));
        }
        Ok(self.memory.context(&query)?)
    }

    fn memories(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let query = MemoriesInput {
            kind: memory_type(&mut params)?,
            project: self.project(&mut params)?,
            limit: params.limit()?,
        };
        params.end()?;
        Ok(self.memory.memories(&query)?)
    }

    fn sessions(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let id = params.text("id")?;
        let query = SessionsQuery {
            project: self.project(&mut params)?,
            agent: params.text("agent")?,
            status: params.one_of("status", &["active", "completed"])?,
            limit: Some(params.limit()?.unwrap_or(20)),
            after: params.cursor("after")?,
            ..SessionsQuery::default()
        };
        params.end()?;
        let found: Result<Value, ServiceError> = match id {
            Some(id) => self.backend.session(&id, 1, 50),
            None => self.backend.sessions(&query),
        };
        Ok(found?)
    }

    fn activity(&self, mut params: CallParams) -> Result<Value, RpcError> {
        let query = ActivityQuery {
            project: self.project(&mut params)?,
            session: params.text("session")?,
            tool: params.text("tool")?,
            path: params.text("path")?,
            success: params.flag("success")?,
            limit: Some(params.limit()?.unwrap_or(20)),
            after: params.cursor("after")?,
            ..ActivityQuery::default()
        };
        params.end()?;
        Ok(self.backend.activity(&query)?)
    }
}

/// A result with text, and with structured content if that is not too long.
fn result(found: Value) -> Value {
    let mut result = json!({
        "content": [{ "type": "text", "text": render::render_result(&found) }],
        "isError": false,
    });
    if found.to_string().len() <= MAX_STRUCTURED_BYTES {
        result["structuredContent"] = found;
    }
    result
}

/// The memory types that an agent chooses from.
fn memory_types() -> Vec<&'static str> {
    MemoryKind::reportable().map(MemoryKind::word).collect()
}

fn memory_type(params: &mut CallParams) -> Result<Option<MemoryKind>, RpcError> {
    let Some(word) = params.text("type")? else {
        return Ok(None);
    };
    match MemoryKind::parse(&word).filter(|kind| kind.is_reportable()) {
        Some(kind) => Ok(Some(kind)),
        None => Err(RpcError::invalid_params(format!(
            "`type` must be one of {}, not `{word}`",
            memory_types().join(", ")
        ))),
    }
}
