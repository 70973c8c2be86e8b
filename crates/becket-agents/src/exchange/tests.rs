//! The way of a tool call there and back, and the laws of leaning.

use becket_model::{Decision, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::lean::{Act, Answer, Approval, Context, Means, Occasion, Refusal, lean};
use super::tools::{Form, Key, Rewritten, Tool, Vocabulary, When, as_it_is, as_it_was};
use crate::arbitrary::any_decision;

const WORDS: Vocabulary = Vocabulary {
    agent: "Tester",
    tools: &[
        Tool {
            native: "editor",
            name: "Edit",
            when: When::Has("old_text"),
            keys: &[
                Key("path", "file_path", Form::Same),
                Key("old_text", "old_string", Form::Same),
                Key("new_text", "new_string", Form::Same),
                Key("command", "operation", Form::Same),
            ],
        },
        Tool {
            native: "editor",
            name: "Write",
            when: When::Always,
            keys: &[
                Key("path", "file_path", Form::Same),
                Key("file_text", "content", Form::Same),
                Key("new_text", "content", Form::Same),
            ],
        },
        Tool {
            native: "run",
            name: "Bash",
            when: When::Always,
            keys: &[Key("commands", "command", Form::Script)],
        },
        Tool {
            native: "read",
            name: "Read",
            when: When::Always,
            keys: &[Key("files", "file_path", Form::Each("path"))],
        },
        Tool {
            native: "fetch",
            name: "WebFetch",
            when: When::Always,
            keys: &[Key("requests", "url", Form::Lines(Some("url")))],
        },
    ],
    settle: as_it_is,
    restore: as_it_was,
    mcp: |_| None,
};

#[test]
fn a_call_is_told_in_our_words() {
    for (native, input, name, expected) in [
        (
            "editor",
            json!({ "path": "a", "old_text": "x", "new_text": "y", "command": "replace" }),
            "Edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "operation": "replace" }),
        ),
        (
            "editor",
            json!({ "path": "a", "old_text": null, "new_text": "y" }),
            "Write",
            json!({ "file_path": "a", "old_text": null, "content": "y" }),
        ),
        (
            "run",
            json!({ "commands": ["a", "b"] }),
            "Bash",
            json!({ "command": "a\nb" }),
        ),
        (
            "read",
            json!({ "files": [{ "path": "a", "start_line": 2 }] }),
            "Read",
            json!({ "file_path": "a" }),
        ),
        (
            "read",
            json!({ "files": [{ "path": "a" }, "b"] }),
            "Read",
            json!({ "file_paths": ["a", "b"] }),
        ),
        (
            "fetch",
            json!({ "requests": [{ "url": "u" }, { "url": "v" }] }),
            "WebFetch",
            json!({ "url": "u\nv" }),
        ),
        (
            "run_shell_command",
            json!({ "command": "ls" }),
            "Bash",
            json!({ "command": "ls" }),
        ),
        ("mystery", json!([1]), "mystery", json!([1])),
    ] {
        let call = WORDS.call(native, &input);
        assert_eq!((&*call.name, &call.input), (name, &expected), "{input}");
        assert_eq!(call.native_name, native);
    }
}

#[test]
fn a_decoy_under_our_word_does_not_hide_what_the_tool_reads() {
    for (input, expected) in [
        (json!({ "file_path": "decoy", "path": "real" }), "real"),
        (json!({ "path": "real", "file_path": "decoy" }), "real"),
        (json!({ "path": null, "file_path": "odd" }), "odd"),
    ] {
        let call = WORDS.call("editor", &input);
        assert_eq!(call.input["file_path"], json!(expected), "{input}");
    }
}

fn back(native: &str, input: &Value, updated: &Value) -> Result<Rewritten, String> {
    WORDS.rewrite(native, input, updated)
}

#[test]
fn a_rewrite_goes_back_into_the_agents_words_and_keeps_what_has_no_other() {
    for (native, input, updated, expected, kept) in [
        (
            "editor",
            json!({ "path": "a", "old_text": "x", "new_text": "y", "insert_line": 3 }),
            json!({ "file_path": "b", "old_string": "x", "new_string": "z", "insert_line": 3 }),
            json!({ "path": "b", "old_text": "x", "new_text": "z", "insert_line": 3 }),
            &[][..],
        ),
        (
            "run",
            json!({ "commands": ["a", "b"], "wait": true }),
            json!({ "command": "a -n\nb" }),
            json!({ "commands": ["a -n\nb"], "wait": true }),
            &["wait"],
        ),
        (
            "read",
            json!({ "files": [{ "path": "a", "start_line": 2 }, "b"] }),
            json!({ "file_paths": ["c", "b", "d"] }),
            json!({ "files": [{ "path": "c", "start_line": 2 }, { "path": "b" }, { "path": "d" }] }),
            &[],
        ),
        (
            "read",
            json!({ "files": [{ "path": "a" }, { "path": "b" }] }),
            json!({ "file_path": "a" }),
            json!({ "files": [{ "path": "a" }] }),
            &[],
        ),
        (
            "fetch",
            json!({ "requests": [{ "url": "u", "prompt": "p" }] }),
            json!({ "url": "v" }),
            json!({ "requests": [{ "url": "v", "prompt": "p" }] }),
            &[],
        ),
        // A hook that answers in the agent's own words is understood too.
        (
            "editor",
            json!({ "path": "a", "new_text": "y" }),
            json!({ "path": "b", "new_text": "y" }),
            json!({ "path": "b", "new_text": "y" }),
            &[],
        ),
        // Our words that are left out are gone.
        (
            "editor",
            json!({ "path": "a", "old_text": "x", "new_text": "y" }),
            json!({ "file_path": "a", "new_string": "y" }),
            json!({ "path": "a", "new_text": "y" }),
            &[],
        ),
        (
            "mystery",
            json!({ "title": "t", "body": "b" }),
            json!({ "title": "u" }),
            json!({ "title": "u", "body": "b" }),
            &["body"],
        ),
    ] {
        let rewritten = back(native, &input, &updated).unwrap();
        assert_eq!(Value::Object(rewritten.input), expected, "{updated}");
        assert_eq!(rewritten.kept, kept, "{updated}");
    }
}

#[test]
fn what_cannot_be_said_in_the_agents_words_is_an_error_that_says_why() {
    let run = json!({ "commands": ["a"] });
    for (input, updated, expected) in [
        (
            &run,
            json!(["x"]),
            "Tester takes only an object as a rewritten input",
        ),
        (
            &run,
            json!({ "command": 7 }),
            "Tester takes no such input: a text is expected as `command`",
        ),
        (
            &json!("a"),
            json!({ "command": "b" }),
            "Tester has no object as the input to rewrite",
        ),
    ] {
        assert_eq!(back("run", input, &updated).unwrap_err(), expected);
    }
}

const KEYS: &[&str] = &["command", "file_path"];

fn any_means() -> impl Strategy<Value = Means> {
    let refusal = prop::sample::select(&[
        Refusal::Prevents,
        Refusal::EndsRun,
        Refusal::KeepsGoing,
        Refusal::Rest,
        Refusal::Note,
        Refusal::Unknown,
        Refusal::Cannot,
    ]);
    let approval = prop::sample::select(&[
        Approval::Skips,
        Approval::Unheard,
        Approval::Cannot,
        Approval::Needless,
    ]);
    let context = prop::sample::select(&[
        Context::Given,
        Context::Unsure("Nobody may hear it."),
        Context::Cannot,
    ]);
    (refusal, approval, context, any::<[bool; 3]>()).prop_map(
        |(refusal, approval, context, [halts, rewrites, shows])| Means {
            refusal,
            approval,
            context,
            halts,
            rewrites,
            shows,
            ..Means::at("Event")
        },
    )
}

fn answer(means: &Means, decision: &Decision) -> Answer {
    let occasion = Occasion {
        agent: "Tester",
        name: "Event",
        means,
    };
    lean(occasion, decision, &|input| {
        let input = input.as_object().cloned();
        let input = input.ok_or_else(|| "Tester takes objects".to_owned())?;
        let kept = Vec::new();
        Ok(Rewritten { input, kept })
    })
}

#[test]
fn what_cannot_be_refused_is_told_to_a_model_that_can_hear_it() {
    let deny = Decision {
        verdict: Verdict::Deny,
        reason: Some("no".into()),
        ..Decision::default()
    };
    let deaf = answer(&Means::at("Event"), &deny);
    assert_eq!((deaf.act, deaf.context), (Act::Silence, None));
    let told = answer(&Means::at("Event").context(Context::Given), &deny);
    let text = told.context.unwrap();
    assert!(text.contains("refused this Event: no"), "{text}");
    assert_eq!(told.lost, ["Tester lets no hook refuse Event."]);
}

#[test]
fn a_huge_rewrite_is_not_repeated_whole_in_a_refusal() {
    let decision = Decision {
        updated_input: Some(json!({ "content": "é".repeat(1_000_000) })),
        ..Decision::default()
    };
    let means = Means::at("Event").refusal(Refusal::Prevents);
    match answer(&means, &decision).act {
        Act::Refuse { reason, .. } => assert!(reason.len() < 10_000),
        other => panic!("{other:?}"),
    }
}

fn says(text: Option<&String>) -> bool {
    text.is_some_and(|text| !text.trim().is_empty())
}

proptest! {
    /// Whatever an agent can do, nothing that a hook said ends as more than it allowed.
    #[test]
    fn leaning_is_to_the_safe_side(means in any_means(), decision in any_decision(KEYS)) {
        let answer = answer(&means, &decision);
        let refuses = matches!(answer.act, Act::Refuse { .. });
        let refusable = matches!(means.refusal, Refusal::Prevents | Refusal::EndsRun);
        if refusable && decision.verdict >= Verdict::Ask {
            prop_assert!(refuses);
        }
        if matches!(answer.act, Act::Allow { .. }) {
            prop_assert_eq!(decision.verdict, Verdict::Allow);
        }
        if let (Some(wanted), true, false) = (&decision.updated_input, refusable, refuses) {
            let made = match &answer.act {
                Act::Rewrite(input) | Act::Allow { rewrite: Some(input), .. } => Some(input),
                _ => None,
            };
            prop_assert_eq!(made, wanted.as_object());
        }
    }

    /// What was wanted and is not said is reported.
    #[test]
    fn nothing_is_lost_in_silence(means in any_means(), decision in any_decision(KEYS)) {
        let answer = answer(&means, &decision);
        let at_rest = matches!(means.refusal, Refusal::KeepsGoing | Refusal::Rest);
        // At rest the turn ends by itself.
        let wanted = decision.verdict > Verdict::Allow
            && !(at_rest && decision.verdict == Verdict::Halt);
        if wanted && answer.act == Act::Silence {
            prop_assert!(!answer.lost.is_empty());
        }
        if says(decision.system_message.as_ref()) && answer.message.is_none() {
            prop_assert!(!answer.lost.is_empty());
        }
        let kept_going = matches!(answer.act, Act::GoOn { .. });
        if says(decision.keep_going.as_ref()) && !kept_going {
            prop_assert!(!answer.lost.is_empty());
        }
    }
}
