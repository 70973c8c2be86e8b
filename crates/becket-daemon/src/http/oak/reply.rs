//! Answers, in the shapes that clients of this API expect.

use becket_store::Stats;
use serde_json::{Map, Value, json};

use super::context::Slot;

/// What a request is answered with. Kept as data, so that a repetition is answered in the words of
/// whoever repeats it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    /// Nothing but that it was heard.
    Heard,
    SessionStarted {
        session: String,
        project: Option<String>,
        context: Slot,
    },
    Prompted {
        batch: Option<String>,
        context: Slot,
    },
    ToolUsed(Slot),
    Stopped {
        batch: Option<String>,
        stats: Stats,
        /// The agent's answer came with it.
        answered: bool,
    },
    SessionEnded {
        stats: Stats,
        /// How many memories came of it so far.
        memories: u64,
    },
}

/// What else goes on while an answer is given.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around {
    /// The code of the project is being indexed.
    pub(super) is_indexing: bool,
    /// Something is learnt from turns.
    pub(super) is_learning: bool,
}

impl Reply {
    /// Where what the agent is told is put, for answers that have a place for it.
    pub(super) fn slot(&self) -> Option<&Slot> {
        match self {
            Self::SessionStarted { context, .. }
            | Self::Prompted { context, .. }
            | Self::ToolUsed(context) => Some(context),
            _ => None,
        }
    }

    /// For the caller `agent`.
    pub(super) fn render(&self, agent: &str, around: Around) -> Value {
        match self {
            Self::Heard => json!({ "status": "ok" }),
            Self::SessionStarted {
                session,
                project,
                context,
            } => {
                let context = context.context();
                json!({
                    "status": "ok",
                    "session_id": session,
                    "context": {
                        "session_id": session,
                        "agent": agent,
                        "injected_context": context.text.unwrap_or_default(),
                        "project_root": project,
                        "index": {
                            "code_chunks": context.status.code_chunks,
                            "memory_observations": context.status.memories,
                            "status": if around.is_indexing { "indexing" } else { "ready" },
                        },
                    },
                })
            }
            Self::Prompted { batch, context } => json!({
                "status": "ok",
                "context": { "injected_context": context.context().text.unwrap_or_default() },
                "prompt_batch_id": batch,
            }),
            Self::ToolUsed(context) => json!({
                "status": "ok",
                "observations_captured": 0,
                "injected_context": context.context().text.unwrap_or_default(),
            }),
            Self::Stopped { batch, stats, .. } => json!({
                "status": "ok",
                "prompt_batch_id": batch,
                "prompt_batch_stats": {
                    "activity_count": stats.activity_count,
                    "files_touched": stats.files_touched,
                    "tool_counts": counts(stats),
                },
                "processing_scheduled": batch.is_some() && around.is_learning,
            }),
            Self::SessionEnded { stats, memories } => json!({
                "status": "ok",
                "observations_captured": memories,
                "tool_calls": stats.tool_calls,
                "files_modified": stats.files_modified,
                "files_created": stats.files_created,
                "duration_minutes": (stats.duration.as_secs_f64() / 6.0).round() / 10.0,
                "activity_stats": {
                    "files_touched": stats.files_touched,
                    "tool_counts": counts(stats),
                },
            }),
        }
    }
}

/// The most used tool first.
fn counts(stats: &Stats) -> Map<String, Value> {
    let mut counts: Vec<_> = stats.tool_counts.iter().collect();
    counts.sort_by(|(_, one), (_, other)| other.cmp(one));
    let entries = counts.into_iter();
    entries
        .map(|(tool, count)| (tool.clone(), json!(count)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn stats() -> Stats {
        let counts = [("Bash", 10), ("Edit", 15), ("Read", 20), ("Apply", 10)];
        Stats {
            activity_count: 55,
            tool_calls: 55,
            files_touched: 10,
            files_created: 2,
            files_modified: 8,
            tool_counts: counts.map(|(tool, n)| (tool.to_owned(), n)).into(),
            duration: Duration::from_secs(23 * 60 + 31),
            ..Stats::default()
        }
    }

    #[test]
    fn every_answer_has_its_fields_in_the_documented_order() {
        let table = [
            (Reply::Heard, r#"{"status":"ok"}"#),
            (
                Reply::SessionStarted {
                    session: "abc-123".into(),
                    project: Some("/home/ana/shop".into()),
                    context: Slot::default(),
                },
                r#"{"status":"ok","session_id":"abc-123","context":{"session_id":"abc-123","agent":"claude","injected_context":"","project_root":"/home/ana/shop","index":{"code_chunks":0,"memory_observations":0,"status":"ready"}}}"#,
            ),
            (
                Reply::Prompted {
                    batch: Some("b1".into()),
                    context: Slot::default(),
                },
                r#"{"status":"ok","context":{"injected_context":""},"prompt_batch_id":"b1"}"#,
            ),
            (
                Reply::ToolUsed(Slot::default()),
                r#"{"status":"ok","observations_captured":0,"injected_context":""}"#,
            ),
            (
                Reply::Stopped {
                    batch: Some("b1".into()),
                    stats: stats(),
                    answered: false,
                },
                r#"{"status":"ok","prompt_batch_id":"b1","prompt_batch_stats":{"activity_count":55,"files_touched":10,"tool_counts":{"Read":20,"Edit":15,"Apply":10,"Bash":10}},"processing_scheduled":true}"#,
            ),
            (
                Reply::SessionEnded {
                    stats: stats(),
                    memories: 3,
                },
                r#"{"status":"ok","observations_captured":3,"tool_calls":55,"files_modified":8,"files_created":2,"duration_minutes":23.5,"activity_stats":{"files_touched":10,"tool_counts":{"Read":20,"Edit":15,"Apply":10,"Bash":10}}}"#,
            ),
        ];
        let around = Around {
            is_learning: true,
            ..Around::default()
        };
        for (reply, expected) in table {
            assert_eq!(reply.render("claude", around).to_string(), expected);
        }
    }

    #[test]
    fn an_answer_is_in_the_words_of_whoever_asks() {
        let started = Reply::SessionStarted {
            session: "s".into(),
            project: None,
            context: Slot::default(),
        };
        let around = Around::default();
        for agent in ["cursor", "claude"] {
            assert_eq!(started.render(agent, around)["context"]["agent"], agent);
        }
    }

    #[test]
    fn an_answer_promises_nothing_that_does_not_go_on() {
        let started = Reply::SessionStarted {
            session: "s".into(),
            project: None,
            context: Slot::default(),
        };
        let stopped = Reply::Stopped {
            batch: Some("b1".into()),
            stats: stats(),
            answered: false,
        };
        let index = |around| started.render("claude", around)["context"]["index"]["status"].clone();
        let learns = |around| stopped.render("claude", around)["processing_scheduled"].clone();
        let busy = Around {
            is_indexing: true,
            is_learning: true,
        };
        assert_eq!(
            (index(busy), learns(busy)),
            (json!("indexing"), json!(true))
        );
        let idle = Around::default();
        assert_eq!((index(idle), learns(idle)), (json!("ready"), json!(false)));
    }
}
