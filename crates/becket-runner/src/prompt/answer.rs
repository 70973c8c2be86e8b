//! Parses a model's answer.

use becket_agents::contract::{HookReply, OutputForm, parse_reply};
use becket_model::Verdict;
use serde_json::{Map, Value};

use crate::hooks_engine::HookDecision;

/// Parses `ALLOW`, `BLOCK[: reason]` or `CONTINUE[: message]`, in any case, or an equivalent JSON object:
/// `{"ok": false, "reason": …}`, `{"decision": "block", "reason": …}`. Ignores the model's thoughts before it and
/// Markdown around it. `None` if the answer decides nothing, or two things at once.
pub fn parse_answer(answer: &str) -> Option<(HookDecision, Option<String>)> {
    let answer = without_fence(without_thoughts(answer).trim());
    if answer.starts_with('{') {
        return parse_object(answer);
    }
    parse_keyword(answer.trim_start_matches(['*', '_', '#', '`', '"', '\'', ' ']))
}

/// The answer without the model's thoughts before it.
pub fn without_thoughts(answer: &str) -> &str {
    const MARKS: [(&str, &str); 3] = [
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>", "</reasoning>"),
    ];
    let mut rest = answer;
    for (open, close) in MARKS {
        // Some models open their thoughts in a part that is never sent.
        if let Some(at) = rest.rfind(close) {
            rest = &rest[at + close.len()..];
        } else if rest.trim_start().starts_with(open) {
            // The output ends inside the thoughts, so there is no answer.
            return "";
        }
    }
    rest
}

fn without_fence(answer: &str) -> &str {
    let inner = answer
        .strip_prefix("```")
        .and_then(|rest| rest.trim_end().strip_suffix("```"));
    match inner.and_then(|inner| inner.split_once('\n')) {
        Some((_language, body)) => body.trim(),
        None => answer,
    }
}

fn parse_keyword(answer: &str) -> Option<(HookDecision, Option<String>)> {
    let word_end = answer
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(answer.len());
    let decision = decision(&answer[..word_end].to_ascii_uppercase())?;
    let rest = &answer[word_end..];
    if decision != HookDecision::Block && names_another(rest, decision) {
        return None;
    }
    let text = rest
        .trim_start_matches([':', '-', '.', ',', '*', '_', '`', '"', ' ', '\n'])
        .trim();
    Some((decision, (!text.is_empty()).then(|| text.to_owned())))
}

fn decision(word: &str) -> Option<HookDecision> {
    match word {
        "ALLOW" => Some(HookDecision::Allow),
        "BLOCK" => Some(HookDecision::Block),
        "CONTINUE" => Some(HookDecision::Continue),
        _ => None,
    }
}

/// A model that repeats the choices ("ALLOW, BLOCK or CONTINUE") has not chosen.
fn names_another(rest: &str, chosen: HookDecision) -> bool {
    rest.split(|c: char| !c.is_ascii_alphabetic())
        .filter_map(decision)
        .any(|other| other != chosen)
}

fn parse_object(answer: &str) -> Option<(HookDecision, Option<String>)> {
    let map: Map<String, Value> = serde_json::from_str(answer).ok()?;
    let reason = || text(&map, "reason").or_else(|| text(&map, "message"));
    match map.get("ok") {
        Some(Value::Bool(true)) => return Some((HookDecision::Continue, None)),
        Some(Value::Bool(false)) => return Some((HookDecision::Block, reason())),
        Some(_) => return None,
        None => {}
    }
    let reply = parse_reply(answer);
    if reply.form != OutputForm::Object || !reply.problems.is_empty() {
        return None;
    }
    match reply.verdict {
        Verdict::Deny | Verdict::Halt => Some((HookDecision::Block, reply.reason)),
        Verdict::Allow => Some((HookDecision::Allow, None)),
        Verdict::NoOpinion if decides(&reply) => {
            Some((HookDecision::Continue, reply.context.or_else(reason)))
        }
        Verdict::NoOpinion | Verdict::Ask => None,
    }
}

fn decides(reply: &HookReply) -> bool {
    const KEYS: [&str; 4] = ["decision", "action", "continue", "continue_execution"];
    reply.keys.iter().any(|key| KEYS.contains(&key.as_str()))
}

fn text(map: &Map<String, Value>, key: &str) -> Option<String> {
    let text = map.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use HookDecision::{Allow, Block, Continue};

    use super::*;

    #[test]
    fn answers_are_read_in_words_and_in_json() {
        for (answer, expected) in [
            ("ALLOW", Some((Allow, None))),
            ("allow.", Some((Allow, None))),
            ("**BLOCK**: it deletes", Some((Block, Some("it deletes")))),
            ("Block - no", Some((Block, Some("no")))),
            ("CONTINUE: mind", Some((Continue, Some("mind")))),
            ("```\nBLOCK: x\n```", Some((Block, Some("x")))),
            ("<think>ALLOW?</think>\nBLOCK", Some((Block, None))),
            ("so ALLOW it</think>BLOCK", Some((Block, None))),
            ("BLOCK: do not ALLOW", Some((Block, Some("do not ALLOW")))),
            (r#"{"ok": true}"#, Some((Continue, None))),
            (r#"{"ok": false, "reason": "r"}"#, Some((Block, Some("r")))),
            ("```json\n{\"ok\": false}\n```", Some((Block, None))),
            (
                r#"{"decision": "block", "reason": "r"}"#,
                Some((Block, Some("r"))),
            ),
            (r#"{"decision": "allow"}"#, Some((Allow, None))),
            (
                r#"{"action": "continue", "message": "m"}"#,
                Some((Continue, Some("m"))),
            ),
            (
                r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#,
                Some((Block, None)),
            ),
            (r#"{"continue": true}"#, Some((Continue, None))),
        ] {
            let expected = expected.map(|(decision, text)| (decision, text.map(str::to_owned)));
            assert_eq!(parse_answer(answer), expected, "{answer}");
        }
    }

    #[test]
    fn an_answer_that_decides_nothing_or_two_things_is_none() {
        for answer in [
            "",
            "I would allow it",
            "ALLOWED",
            "ALLOW, BLOCK, or CONTINUE",
            "CONTINUE or BLOCK?",
            "<think>ALLOW",
            "{",
            "{}",
            r#"{"ok": "true"}"#,
            r#"{"decision": "maybe"}"#,
            r#"{"decision": "ask"}"#,
            r#"{"reason": "r"}"#,
            r#"Sure: {"ok": true}"#,
        ] {
            assert_eq!(parse_answer(answer), None, "{answer}");
        }
    }
}
