//! One method per kind of event, for callers that have no client's record: HTTP API, JSON-RPC and telemetry.
//!
//! Each method builds a record in Becket's own shape, redacts it and stores it like [`WriteTransaction::ingest`]
//! does. So there is only one way into the tables.

use becket_model::{Decision, EventKind};
use rusqlite::OptionalExtension;
use serde_json::{Value, json};

use super::origin::{EventOrigin, TokenCounts, ToolUse};
use super::replies::{
    EventStored, PromptSubmitted, SessionEnded, SessionStarted, ToolUsed, TurnStopped,
};
use super::transaction::{SqlResult, WriteTransaction};
use crate::error::Error;
use crate::prompt;
use crate::read::ActivityStats;
use crate::record::parse;
use crate::record::turn_effect::REDACTED_CHARS_KEY;

/// The batch of a stored event, and whether it is a duplicate.
struct StoredPlacement {
    batch_id: Option<String>,
    duplicate: bool,
}

impl WriteTransaction<'_> {
    /// A session starts or resumes.
    pub fn session_start(
        &mut self,
        origin: &EventOrigin<'_>,
        source: Option<&str>,
        parent: Option<&str>,
    ) -> Result<SessionStarted, Error> {
        let before = self.status(origin.session)?;
        let fields = json!({ "source": source, "parent_session_id": parent });
        self.record_event(origin, &EventKind::SessionStart, fields, None)?;
        let linked = self.flush_and_link_parents();
        linked.map_err(|error| self.writer.failed(error))?;
        let sql = "SELECT agent, parent FROM sessions WHERE id = ?1";
        let row = self.query_one(sql, origin.session, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (agent, parent) = row.unwrap_or_else(|| (origin.agent.to_owned(), None));
        Ok(SessionStarted {
            session_id: origin.session.to_owned(),
            agent,
            created: before.is_none(),
            reactivated: before.as_deref() == Some("completed"),
            parent,
        })
    }

    /// A person submits a prompt.
    pub fn prompt_submit(
        &mut self,
        origin: &EventOrigin<'_>,
        prompt: &str,
    ) -> Result<PromptSubmitted, Error> {
        self.submit_prompt(origin, prompt, json!({ "prompt": prompt }))
    }

    fn submit_prompt(
        &mut self,
        origin: &EventOrigin<'_>,
        prompt: &str,
        fields: Value,
    ) -> Result<PromptSubmitted, Error> {
        let open = self.active_batch(origin.session)?;
        let placement = self.record_event(origin, &EventKind::UserPromptSubmit, fields, None)?;
        Ok(PromptSubmitted {
            source: prompt::classify(prompt),
            duplicate: placement.duplicate,
            ended_batch: open.filter(|open| Some(open) != placement.batch_id.as_ref()),
            batch_id: placement.batch_id,
        })
    }

    /// A prompt whose text telemetry redacted; `chars` is its length, if known.
    pub fn redacted_prompt_submit(
        &mut self,
        origin: &EventOrigin<'_>,
        chars: Option<u64>,
    ) -> Result<PromptSubmitted, Error> {
        let text = match chars {
            Some(chars) => format!("[Prompt redacted, {chars} chars]"),
            None => "[Prompt redacted]".to_owned(),
        };
        // `false` marks an unknown length; the presence of the key says that the prompt is redacted.
        let chars = chars.map_or(json!(false), Value::from);
        self.submit_prompt(
            origin,
            &text,
            json!({ "prompt": text, REDACTED_CHARS_KEY: chars }),
        )
    }

    /// A tool is about to be called; `decision` is the hooks' decision.
    pub fn pre_tool_use(
        &mut self,
        origin: &EventOrigin<'_>,
        call: &ToolUse<'_>,
        decision: Option<&Decision>,
    ) -> Result<EventStored, Error> {
        let decision = decision.map(Decision::to_json);
        let placement =
            self.record_event(origin, &EventKind::PreToolUse, call.fields(), decision)?;
        Ok(placement.into())
    }

    /// A person or a rule of the agent refused a call.
    pub fn permission_denied(
        &mut self,
        origin: &EventOrigin<'_>,
        call: &ToolUse<'_>,
        reason: &str,
    ) -> Result<EventStored, Error> {
        let mut fields = call.fields();
        fields["reason"] = json!(reason);
        let placement = self.record_event(origin, &EventKind::PermissionDenied, fields, None)?;
        Ok(placement.into())
    }

    /// A tool call succeeded.
    pub fn post_tool_use(
        &mut self,
        origin: &EventOrigin<'_>,
        call: &ToolUse<'_>,
        output: Value,
    ) -> Result<ToolUsed, Error> {
        let mut fields = call.fields();
        fields["tool_response"] = output;
        self.tool_used(origin, &EventKind::PostToolUse, fields)
    }

    /// A tool call failed.
    pub fn post_tool_use_failure(
        &mut self,
        origin: &EventOrigin<'_>,
        call: &ToolUse<'_>,
        error: &str,
    ) -> Result<ToolUsed, Error> {
        let mut fields = call.fields();
        fields["error"] = json!(error);
        self.tool_used(origin, &EventKind::PostToolUseFailure, fields)
    }

    fn tool_used(
        &mut self,
        origin: &EventOrigin<'_>,
        kind: &EventKind,
        fields: Value,
    ) -> Result<ToolUsed, Error> {
        let before = self.report.alarms.clone();
        let placement = self.record_event(origin, kind, fields, None)?;
        let alarm = self.report.alarms.difference(&before).next().cloned();
        Ok(ToolUsed {
            batch_id: placement.batch_id,
            duplicate: placement.duplicate,
            alarm,
        })
    }

    /// The agent stops, perhaps with its answer.
    pub fn stop(
        &mut self,
        origin: &EventOrigin<'_>,
        response: Option<&str>,
    ) -> Result<TurnStopped, Error> {
        let open = self.active_batch(origin.session)?;
        let fields = json!({ "stop_hook_active": false, "last_assistant_message": response });
        let placement = self.record_event(origin, &EventKind::Stop, fields, None)?;
        let stats = match &placement.batch_id {
            Some(batch) => self.writer.reader().batch_stats(batch)?,
            None => ActivityStats::default(),
        };
        Ok(TurnStopped {
            ended: open.is_some() && open == placement.batch_id,
            batch_id: placement.batch_id,
            stats,
        })
    }

    /// The answer of a turn, from an agent that reports it separately. The turn continues.
    pub fn response(&mut self, origin: &EventOrigin<'_>, text: &str) -> Result<EventStored, Error> {
        let fields = json!({ "text": text });
        let placement = self.record_event(origin, &EventKind::AgentResponse, fields, None)?;
        Ok(placement.into())
    }

    /// A session ends.
    pub fn session_end(
        &mut self,
        origin: &EventOrigin<'_>,
        reason: Option<&str>,
    ) -> Result<SessionEnded, Error> {
        let open = self.active_batch(origin.session)?;
        let before = self.status(origin.session)?;
        self.record_event(
            origin,
            &EventKind::SessionEnd,
            json!({ "reason": reason }),
            None,
        )?;
        let sql = "SELECT count(*) FROM memories WHERE session = ?1 AND type <> 'session_summary'";
        let memories = self.query_one(sql, origin.session, |row| row.get(0))?;
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
        origin: &EventOrigin<'_>,
        id: &str,
        kind: &str,
        description: &str,
    ) -> Result<EventStored, Error> {
        let fields = json!({ "agent_id": id, "agent_type": kind, "description": description });
        let placement = self.record_event(origin, &EventKind::SubagentStart, fields, None)?;
        Ok(placement.into())
    }

    /// A subagent stops; `transcript` is the subagent's.
    pub fn subagent_stop(
        &mut self,
        origin: &EventOrigin<'_>,
        id: &str,
        kind: &str,
        response: Option<&str>,
        transcript: Option<&str>,
    ) -> Result<EventStored, Error> {
        let fields = json!({
            "agent_id": id, "agent_type": kind, "last_assistant_message": response,
            "agent_transcript_path": transcript,
        });
        let placement = self.record_event(origin, &EventKind::SubagentStop, fields, None)?;
        Ok(placement.into())
    }

    /// The context is about to be compacted.
    pub fn pre_compact(
        &mut self,
        origin: &EventOrigin<'_>,
        trigger: Option<&str>,
    ) -> Result<EventStored, Error> {
        let fields = json!({ "trigger": trigger });
        let placement = self.record_event(origin, &EventKind::PreCompact, fields, None)?;
        Ok(placement.into())
    }

    /// The agent reports a thought.
    pub fn agent_thought(
        &mut self,
        origin: &EventOrigin<'_>,
        text: &str,
    ) -> Result<EventStored, Error> {
        let fields = json!({ "text": text });
        let placement = self.record_event(origin, &EventKind::AgentThought, fields, None)?;
        Ok(placement.into())
    }

    /// The agent notifies the person.
    pub fn notify(
        &mut self,
        origin: &EventOrigin<'_>,
        kind: Option<&str>,
        message: &str,
    ) -> Result<EventStored, Error> {
        let fields = json!({ "notification_type": kind, "message": message });
        let placement = self.record_event(origin, &EventKind::Notification, fields, None)?;
        Ok(placement.into())
    }

    /// A request to a model has finished.
    pub fn model_request(
        &mut self,
        origin: &EventOrigin<'_>,
        model: Option<&str>,
        tokens: TokenCounts,
    ) -> Result<EventStored, Error> {
        let usage = json!({
            "input_tokens": tokens.input, "output_tokens": tokens.output,
            "cached_input_tokens": tokens.cache_read, "cache_write_input_tokens": tokens.cache_write,
            "reasoning_output_tokens": tokens.reasoning,
        });
        let fields = json!({ "model": model, "token_usage": usage });
        let placement = self.record_event(origin, &EventKind::PostModelRequest, fields, None)?;
        Ok(placement.into())
    }

    /// The directory of a session's project, if known.
    pub fn project_of(&mut self, session: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT p.path FROM sessions AS s JOIN projects AS p ON p.pk = s.project_pk WHERE s.id = ?1";
        self.query_one(sql, session, |row| row.get(0))
    }

    /// The batch in progress.
    pub fn active_batch(&mut self, session: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT b.id FROM batches AS b JOIN sessions AS s ON s.pk = b.session_pk
                   WHERE s.id = ?1 AND b.status = 'active' ORDER BY b.started_at DESC LIMIT 1";
        self.query_one(sql, session, |row| row.get(0))
    }

    fn record_event(
        &mut self,
        origin: &EventOrigin<'_>,
        kind: &EventKind,
        fields: Value,
        decision: Option<Value>,
    ) -> Result<StoredPlacement, Error> {
        let line = origin.record(kind, fields, decision).to_string();
        let stored = self
            .in_savepoint(|transaction| transaction.store_record(&parse(&line, origin.at), &line));
        let placement = stored.and_then(|()| self.placement(origin.id));
        placement.map_err(|error| self.writer.failed(error))
    }

    fn placement(&self, id: &str) -> SqlResult<StoredPlacement> {
        let sql = "SELECT b.id, e.duplicate_of IS NOT NULL FROM events AS e
                   LEFT JOIN batches AS b ON b.pk = e.batch_pk WHERE e.id = ?1";
        let mut query = self.db().prepare_cached(sql)?;
        Ok(query.query_row([id], |row| {
            Ok(StoredPlacement {
                batch_id: row.get(0)?,
                duplicate: row.get(1)?,
            })
        })?)
    }

    fn flush_and_link_parents(&mut self) -> SqlResult<()> {
        self.flush()?;
        self.link_parents()
    }

    fn status(&mut self, session: &str) -> Result<Option<String>, Error> {
        self.query_one(
            "SELECT status FROM sessions WHERE id = ?1",
            session,
            |row| row.get(0),
        )
    }

    fn query_one<T>(
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

impl From<StoredPlacement> for EventStored {
    fn from(placement: StoredPlacement) -> Self {
        Self {
            batch_id: placement.batch_id,
            duplicate: placement.duplicate,
        }
    }
}
