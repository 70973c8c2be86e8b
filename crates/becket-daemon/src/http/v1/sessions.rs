//! One session, and its timeline.

use becket_store::{ActivityStats, Error, SessionFilter, SessionRow, StoreReader, Timeline};
use schemars::JsonSchema;
use serde::Serialize;

use super::query::{NoParams, TimelineParams};

/// A session with its statistics and related sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionDetail {
    #[serde(flatten)]
    session: SessionRow,
    /// Statistics of the session
    stats: ActivityStats,
    /// The ancestors, the parent first
    lineage: Vec<SessionRow>,
    /// The child sessions
    children: Vec<SessionRow>,
    /// The command that resumes the session, if the agent has one
    resume: Option<String>,
}

pub(super) fn detail(
    reader: &StoreReader,
    id: &str,
    _: NoParams,
) -> Result<Option<SessionDetail>, Error> {
    let Some(session) = reader.session(id)? else {
        return Ok(None);
    };
    let children = SessionFilter {
        parent: Some(id),
        ..SessionFilter::default()
    };
    Ok(Some(SessionDetail {
        stats: reader.session_stats(id)?,
        lineage: reader.lineage(id)?,
        children: reader.sessions(&children)?.items,
        resume: resume_command(&session.agent, &session.id),
        session,
    }))
}

pub(super) fn timeline(
    reader: &StoreReader,
    id: &str,
    params: TimelineParams,
) -> Result<Option<Timeline>, Error> {
    reader.timeline(id, params.from.unwrap_or(1), params.limit.rows())
}

/// The command that resumes a session. Users paste it into a shell, and agents choose the id, so only ids that are
/// plain words are accepted (protection against shell injection).
fn resume_command(agent: &str, id: &str) -> Option<String> {
    let command = match agent {
        "claude" => "claude --resume",
        "codex" => "codex resume",
        "copilot" => "copilot --resume",
        "cursor" => "cursor-agent --resume",
        "gemini" => "gemini --resume",
        "opencode" => "opencode --session",
        _ => return None,
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_word = id.starts_with(|c: char| c.is_ascii_alphanumeric()) && id.chars().all(is_plain);
    is_word.then(|| format!("{command} {id}"))
}

#[cfg(test)]
mod tests {
    use super::resume_command;

    #[test]
    fn resume_command_rejects_ids_with_shell_metacharacters() {
        let command = |agent: &str, id: &str| resume_command(agent, id);
        assert_eq!(
            command("claude", "0a1b-2c.d_e").as_deref(),
            Some("claude --resume 0a1b-2c.d_e")
        );
        assert_eq!(command("codex", "7f").as_deref(), Some("codex resume 7f"));
        assert_eq!(command("unheard-of", "7f"), None);
        for id in ["", "-rf", "a;b", "a b", "$(x)", "a\nb", "ä", "`x`", "a'b"] {
            assert_eq!(command("claude", id), None, "{id:?}");
        }
    }
}
