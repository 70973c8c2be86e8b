//! What can be told to the store one event at a time, for callers that hold no client's record.
//!
//! Each function makes a record in Becket's own shape, redacts it, and takes it as [`Group::ingest`]
//! would: there is one way into the tables.

use becket_model::{Decision, EventKind};
use rusqlite::OptionalExtension;
use serde_json::{Value, json};

use super::group::{Group, Sql};
use super::origin::{Origin, Tokens, ToolUse};
use super::replies::{
    PromptSubmitted, Registered, SessionEnded, SessionStarted, Stopped, ToolUsed,
};
use crate::error::Error;
use crate::prompt;
use crate::read::Stats;
use crate::record::mark::UNTOLD;
use crate::record::read;

/// Where an event came to stand.
struct Stands {
    batch_id: Option<String>,
    duplicate: bool,
}

impl Group<'_> {
    /// An agent starts, or starts again.
    pub fn session_start(
        &mut self,
        origin: &Origin<'_>,
        source: Option<&str>,
        parent: Option<&str>,
    ) -> Result<SessionStarted, Error> {
        let before = self.status(origin.session)?;
        let fields = json!({ "source": source, "parent_session_id": parent });
        self.fire(origin, &EventKind::SessionStart, fields, None)?;
        let linked = self.relink_now();
        linked.map_err(|error| self.writer.failed(error))?;
        let sql = "SELECT agent, parent FROM sessions WHERE id = ?1";
        let row = self.one(sql, origin.session, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (agent, parent) = row.unwrap_or_else(|| (origin.agent.to_owned(), None));
        Ok(SessionStarted {
            session_id: origin.session.to_owned(),
            agent,
            created: before.is_none(),
            reactivated: before.as_deref() == Some("completed"),
            parent,
        })
    }

    /// A prompt is given.
    pub fn prompt_submit(
        &mut self,
        origin: &Origin<'_>,
        prompt: &str,
    ) -> Result<PromptSubmitted, Error> {
        self.prompted(origin, prompt, json!({ "prompt": prompt }))
    }

    fn prompted(
        &mut self,
        origin: &Origin<'_>,
        prompt: &str,
        fields: Value,
    ) -> Result<PromptSubmitted, Error> {
        let open = self.active_batch(origin.session)?;
        let stands = self.fire(origin, &EventKind::UserPromptSubmit, fields, None)?;
        Ok(PromptSubmitted {
            source: prompt::classify(prompt),
            duplicate: stands.duplicate,
            ended_batch: open.filter(|open| Some(open) != stands.batch_id.as_ref()),
            batch_id: stands.batch_id,
        })
    }

    /// A prompt is given of which telemetry tells no more than its length, if that.
    pub fn prompt_untold(
        &mut self,
        origin: &Origin<'_>,
        chars: Option<u64>,
    ) -> Result<PromptSubmitted, Error> {
        let text = match chars {
            Some(chars) => format!("[Prompt redacted, {chars} chars]"),
            None => "[Prompt redacted]".to_owned(),
        };
        // What is not known is no number, but the field says that nothing was told.
        let chars = chars.map_or(json!(false), Value::from);
        self.prompted(origin, &text, json!({ "prompt": text, UNTOLD: chars }))
    }

    /// A tool is about to be used; `decision` is what hooks said.
    pub fn pre_tool_use(
        &mut self,
        origin: &Origin<'_>,
        call: &ToolUse<'_>,
        decision: Option<&Decision>,
    ) -> Result<Registered, Error> {
        let decision = decision.map(Decision::to_json);
        let stands = self.fire(origin, &EventKind::PreToolUse, call.fields(), decision)?;
        Ok(stands.into())
    }

    /// A call was refused, by a person or by a rule of the agent's.
    pub fn permission_denied(
        &mut self,
        origin: &Origin<'_>,
        call: &ToolUse<'_>,
        reason: &str,
    ) -> Result<Registered, Error> {
        let mut fields = call.fields();
        fields["reason"] = json!(reason);
        let stands = self.fire(origin, &EventKind::PermissionDenied, fields, None)?;
        Ok(stands.into())
    }

    /// A tool was used.
    pub fn post_tool_use(
        &mut self,
        origin: &Origin<'_>,
        call: &ToolUse<'_>,
        output: Value,
    ) -> Result<ToolUsed, Error> {
        let mut fields = call.fields();
        fields["tool_response"] = output;
        self.tool_used(origin, &EventKind::PostToolUse, fields)
    }

    /// A tool failed.
    pub fn post_tool_use_failure(
        &mut self,
        origin: &Origin<'_>,
        call: &ToolUse<'_>,
        error: &str,
    ) -> Result<ToolUsed, Error> {
        let mut fields = call.fields();
        fields["error"] = json!(error);
        self.tool_used(origin, &EventKind::PostToolUseFailure, fields)
    }

    fn tool_used(
        &mut self,
        origin: &Origin<'_>,
        kind: &EventKind,
        fields: Value,
    ) -> Result<ToolUsed, Error> {
        let before = self.report.alarms.clone();
        let stands = self.fire(origin, kind, fields, None)?;
        let alarm = self.report.alarms.difference(&before).next().cloned();
        Ok(ToolUsed {
            batch_id: stands.batch_id,
            duplicate: stands.duplicate,
            alarm,
        })
    }

    /// An agent comes to rest, perhaps with its answer.
    pub fn stop(&mut self, origin: &Origin<'_>, response: Option<&str>) -> Result<Stopped, Error> {
        let open = self.active_batch(origin.session)?;
        let fields = json!({ "stop_hook_active": false, "last_assistant_message": response });
        let stands = self.fire(origin, &EventKind::Stop, fields, None)?;
        let stats = match &stands.batch_id {
            Some(batch) => self.writer.reader().batch_stats(batch)?,
            None => Stats::default(),
        };
        Ok(Stopped {
            ended: open.is_some() && open == stands.batch_id,
            batch_id: stands.batch_id,
            stats,
        })
    }

    /// The answer of a turn, from an agent that tells it apart from its rest. The turn goes on.
    pub fn response(&mut self, origin: &Origin<'_>, text: &str) -> Result<Registered, Error> {
        let fields = json!({ "text": text });
        let stands = self.fire(origin, &EventKind::AgentResponse, fields, None)?;
        Ok(stands.into())
    }

    /// An agent ends.
    pub fn session_end(
        &mut self,
        origin: &Origin<'_>,
        reason: Option<&str>,
    ) -> Result<SessionEnded, Error> {
        let open = self.active_batch(origin.session)?;
        let before = self.status(origin.session)?;
        self.fire(
            origin,
            &EventKind::SessionEnd,
            json!({ "reason": reason }),
            None,
        )?;
        let sql = "SELECT count(*) FROM memories WHERE session = ?1 AND type <> 'session_summary'";
        let memories = self.one(sql, origin.session, |row| row.get(0))?;
        Ok(SessionEnded {
            memories: memories.unwrap_or_default(),
            session_id: origin.session.to_owned(),
            ended: before.as_deref() != Some("completed"),
            ended_batch: open,
            stats: self.writer.reader().session_stats(origin.session)?,
        })
    }

    /// A subagent starts.
    pub fn subagent_start(
        &mut self,
        origin: &Origin<'_>,
        id: &str,
        kind: &str,
        description: &str,
    ) -> Result<Registered, Error> {
        let fields = json!({ "agent_id": id, "agent_type": kind, "description": description });
        let stands = self.fire(origin, &EventKind::SubagentStart, fields, None)?;
        Ok(stands.into())
    }

    /// A subagent is done; `transcript` is its own.
    pub fn subagent_stop(
        &mut self,
        origin: &Origin<'_>,
        id: &str,
        kind: &str,
        response: Option<&str>,
        transcript: Option<&str>,
    ) -> Result<Registered, Error> {
        let fields = json!({
            "agent_id": id, "agent_type": kind, "last_assistant_message": response,
            "agent_transcript_path": transcript,
        });
        let stands = self.fire(origin, &EventKind::SubagentStop, fields, None)?;
        Ok(stands.into())
    }

    /// A context is about to be compacted.
    pub fn pre_compact(
        &mut self,
        origin: &Origin<'_>,
        trigger: Option<&str>,
    ) -> Result<Registered, Error> {
        let fields = json!({ "trigger": trigger });
        let stands = self.fire(origin, &EventKind::PreCompact, fields, None)?;
        Ok(stands.into())
    }

    /// An agent thinks aloud.
    pub fn agent_thought(&mut self, origin: &Origin<'_>, text: &str) -> Result<Registered, Error> {
        let fields = json!({ "text": text });
        let stands = self.fire(origin, &EventKind::AgentThought, fields, None)?;
        Ok(stands.into())
    }

    /// An agent wants to be noticed.
    pub fn notify(
        &mut self,
        origin: &Origin<'_>,
        kind: Option<&str>,
        message: &str,
    ) -> Result<Registered, Error> {
        let fields = json!({ "notification_type": kind, "message": message });
        let stands = self.fire(origin, &EventKind::Notification, fields, None)?;
        Ok(stands.into())
    }

    /// A model was asked.
    pub fn model_request(
        &mut self,
        origin: &Origin<'_>,
        model: Option<&str>,
        tokens: Tokens,
    ) -> Result<Registered, Error> {
        let usage = json!({
            "input_tokens": tokens.input, "output_tokens": tokens.output,
            "cached_input_tokens": tokens.cache_read, "cache_write_input_tokens": tokens.cache_write,
            "reasoning_output_tokens": tokens.reasoning,
        });
        let fields = json!({ "model": model, "token_usage": usage });
        let stands = self.fire(origin, &EventKind::PostModelRequest, fields, None)?;
        Ok(stands.into())
    }

    /// The directory of a session's project, where that is known.
    pub fn project_of(&mut self, session: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT p.path FROM sessions AS s JOIN projects AS p ON p.pk = s.project_pk WHERE s.id = ?1";
        self.one(sql, session, |row| row.get(0))
    }

    /// The batch that is going on in a session.
    pub fn active_batch(&mut self, session: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT b.id FROM batches AS b JOIN sessions AS s ON s.pk = b.session_pk
                   WHERE s.id = ?1 AND b.status = 'active' ORDER BY b.started_at DESC LIMIT 1";
        self.one(sql, session, |row| row.get(0))
    }

    fn fire(
        &mut self,
        origin: &Origin<'_>,
        kind: &EventKind,
        fields: Value,
        decision: Option<Value>,
    ) -> Result<Stands, Error> {
        let line = origin.record(kind, fields, decision).to_string();
        let taken = self.atomically(|group| group.take(&read(&line, origin.at), &line));
        let stands = taken.and_then(|()| self.stands(origin.id));
        stands.map_err(|error| self.writer.failed(error))
    }

    fn stands(&self, id: &str) -> Sql<Stands> {
        let sql = "SELECT b.id, e.duplicate_of IS NOT NULL FROM events AS e
                   LEFT JOIN batches AS b ON b.pk = e.batch_pk WHERE e.id = ?1";
        let mut query = self.db().prepare_cached(sql)?;
        Ok(query.query_row([id], |row| {
            Ok(Stands {
                batch_id: row.get(0)?,
                duplicate: row.get(1)?,
            })
        })?)
    }

    fn relink_now(&mut self) -> Sql<()> {
        self.flush()?;
        self.relink()
    }

    fn status(&mut self, session: &str) -> Result<Option<String>, Error> {
        self.one(
            "SELECT status FROM sessions WHERE id = ?1",
            session,
            |row| row.get(0),
        )
    }

    fn one<T>(
        &mut self,
        sql: &str,
        value: &str,
        row: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        let flushed = self.flush();
        flushed.map_err(|error| self.writer.failed(error))?;
        let query = self.db().prepare_cached(sql);
        let found = query.and_then(|mut query| query.query_row([value], row).optional());
        found.map_err(|error| self.writer.failed(error))
    }
}

impl From<Stands> for Registered {
    fn from(stands: Stands) -> Self {
        Self {
            batch_id: stands.batch_id,
            duplicate: stands.duplicate,
        }
    }
}
