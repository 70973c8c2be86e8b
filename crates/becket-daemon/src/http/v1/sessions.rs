//! Sessions: lists, one whole, and what happened in it.

use becket_store::{Error, Reader, SessionFilter, SessionRow, Stats, Timeline};
use schemars::JsonSchema;
use serde::Serialize;

use super::query::{Nothing, Part};

/// A session, what was done in it, and where it stands among others.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionDetail {
    #[serde(flatten)]
    session: SessionRow,
    /// What was done, in numbers
    stats: Stats,
    /// Its ancestors, the parent first
    lineage: Vec<SessionRow>,
    /// The sessions that it began
    children: Vec<SessionRow>,
    /// The command that goes on with it, where its agent has one
    resume: Option<String>,
}

pub(super) fn detail(
    reader: &Reader,
    id: &str,
    _: Nothing,
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
        resume: resume(&session.agent, &session.id),
        session,
    }))
}

pub(super) fn timeline(reader: &Reader, id: &str, part: Part) -> Result<Option<Timeline>, Error> {
    reader.timeline(id, part.from.unwrap_or(1), part.limit.rows())
}

/// The command that goes on with a session. A person puts it into a shell, and whoever made the id may have had that
/// in mind: only one that is a plain word is told.
fn resume(agent: &str, id: &str) -> Option<String> {
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
    use super::resume;

    #[test]
    fn a_session_is_resumed_only_by_an_id_that_no_shell_reads_otherwise() {
        let told = |agent: &str, id: &str| resume(agent, id);
        assert_eq!(
            told("claude", "0a1b-2c.d_e").as_deref(),
            Some("claude --resume 0a1b-2c.d_e")
        );
        assert_eq!(told("codex", "7f").as_deref(), Some("codex resume 7f"));
        assert_eq!(told("unheard-of", "7f"), None);
        for id in ["", "-rf", "a;b", "a b", "$(x)", "a\nb", "ä", "`x`", "a'b"] {
            assert_eq!(told("claude", id), None, "{id:?}");
        }
    }
}
