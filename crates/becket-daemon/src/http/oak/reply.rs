//! Replies in the format that clients of this API expect.

use becket_store::ActivityStats;
use serde_json::{Map, Value, json};

use super::context::ContextSlot;

/// The reply to a request. Stored as data, because a duplicate is rendered for its own caller.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OakReply {
    /// No data.
    Acknowledged,
    SessionStarted {
        session: String,
        project: Option<String>,
        context: ContextSlot,
    },
    Prompted {
        batch: Option<String>,
        context: ContextSlot,
    },
    ToolUsed(ContextSlot),
    Stopped {
        batch: Option<String>,
        stats: ActivityStats,
        /// The request contained the agent's answer.
        answered: bool,
    },
    SessionEnded {
        stats: ActivityStats,
        /// The number of memories learned so far.
        memories: u64,
    },
}

/// Activity of the daemon that a reply reports.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BackgroundActivity {
    /// The project's code is being indexed.
    pub(super) is_indexing: bool,
    /// Learning is enabled.
    pub(super) is_learning: bool,
}

impl OakReply {
    /// The slot for injected context, if the reply has one.
    pub(super) fn slot(&self) -> Option<&ContextSlot> {
        match self {
            Self::SessionStarted { context, .. }
            | Self::Prompted { context, .. }
            | Self::ToolUsed(context) => Some(context),
            _ => None,
        }
    }

    /// Renders the reply for the caller `agent`.
    pub(super) fn render(&self, agent: &str, activity: BackgroundActivity) -> Value {
        match self {
            Self::Acknowledged => json!({ "status": "ok" }),
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
                            "status": if activity.is_indexing { "indexing" } else { "ready" },
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
                "processing_scheduled": batch.is_some() && activity.is_learning,
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

/// Tool counts, the most used tool first.
fn counts(stats: &ActivityStats) -> Map<String, Value> {
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

    fn stats() -> ActivityStats {
        let counts = [("Bash", 10), ("Edit", 15), ("Read", 20), ("Apply", 10)];
        ActivityStats {
            activity_count: 55,
            tool_calls: 55,
            files_touched: 10,
            files_created: 2,
            files_modified: 8,
            tool_counts: counts.map(|(tool, n)| (tool.to_owned(), n)).into(),
            duration: Duration::from_secs(23 * 60 + 31),
            ..ActivityStats::default()
        }
    }

    #[test]
    fn replies_have_their_fields_in_the_documented_order() {
        let table = [
            (OakReply::Acknowledged, r#"{"status":"ok"}"#),
            (
                OakReply::SessionStarted {
                    session: "abc-123".into(),
                    project: Some("/home/ana/shop".into()),
                    context: ContextSlot::default(),
                },
                r#"{"status":"ok","session_id":"abc-123","context":{"session_id":"abc-123","agent":"claude","injected_context":"","project_root":"/home/ana/shop","index":{"code_chunks":0,"memory_observations":0,"status":"ready"}}}"#,
            ),
            (
                OakReply::Prompted {
                    batch: Some("b1".into()),
                    context: ContextSlot::default(),
                },
                r#"{"status":"ok","context":{"injected_context":""},"prompt_batch_id":"b1"}"#,
            ),
            (
                OakReply::ToolUsed(ContextSlot::default()),
                r#"{"status":"ok","observations_captured":0,"injected_context":""}"#,
            ),
            (
                OakReply::Stopped {
                    batch: Some("b1".into()),
                    stats: stats(),
                    answered: false,
                },
                r#"{"status":"ok","prompt_batch_id":"b1","prompt_batch_stats":{"activity_count":55,"files_touched":10,"tool_counts":{"Read":20,"Edit":15,"Apply":10,"Bash":10}},"processing_scheduled":true}"#,
            ),
            (
                OakReply::SessionEnded {
                    stats: stats(),
                    memories: 3,
                },
                r#"{"status":"ok","observations_captured":3,"tool_calls":55,"files_modified":8,"files_created":2,"duration_minutes":23.5,"activity_stats":{"files_touched":10,"tool_counts":{"Read":20,"Edit":15,"Apply":10,"Bash":10}}}"#,
            ),
        ];
        let activity = BackgroundActivity {
            is_learning: true,
            ..BackgroundActivity::default()
        };
        for (reply, expected) in table {
            assert_eq!(reply.render("claude", activity).to_string(), expected);
        }
    }

    #[test]
    fn replies_are_rendered_for_their_caller() {
        let started = OakReply::SessionStarted {
            session: "s".into(),
            project: None,
            context: ContextSlot::default(),
        };
        let activity = BackgroundActivity::default();
        for agent in ["cursor", "claude"] {
            assert_eq!(started.render(agent, activity)["context"]["agent"], agent);
        }
    }

    #[test]
    fn replies_report_indexing_and_learning_only_when_active() {
        let started = OakReply::SessionStarted {
            session: "s".into(),
            project: None,
            context: ContextSlot::default(),
        };
        let stopped = OakReply::Stopped {
            batch: Some("b1".into()),
            stats: stats(),
            answered: false,
        };
        let index =
            |activity| started.render("claude", activity)["context"]["index"]["status"].clone();
        let learns = |activity| stopped.render("claude", activity)["processing_scheduled"].clone();
        let busy = BackgroundActivity {
            is_indexing: true,
            is_learning: true,
        };
        assert_eq!(
            (index(busy), learns(busy)),
            (json!("indexing"), json!(true))
        );
        let idle = BackgroundActivity::default();
        assert_eq!((index(idle), learns(idle)), (json!("ready"), json!(false)));
    }
}
