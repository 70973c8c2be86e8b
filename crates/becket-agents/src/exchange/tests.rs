//! Tool calls translated there and back, and property tests of degradation.

use becket_model::{Decision, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::lean::{
    Act, Approval, ExchangeAnswer, ExchangeContext, ExchangeMeans, Occasion, Refusal, lean,
};
use super::tools::{
    ExchangeForm, ExchangeKey, ExchangeTool, Rewritten, Vocabulary, When, as_it_is, as_it_was,
};
use crate::arbitrary::any_decision;

const WORDS: Vocabulary = Vocabulary {
    agent: "Tester",
    tools: &[
        ExchangeTool {
            native: "editor",
            name: "Edit",
            when: When::Has("old_text"),
            keys: &[
                ExchangeKey("path", "file_path", ExchangeForm::Same),
                ExchangeKey("old_text", "old_string", ExchangeForm::Same),
                ExchangeKey("new_text", "new_string", ExchangeForm::Same),
                ExchangeKey("command", "operation", ExchangeForm::Same),
            ],
        },
        ExchangeTool {
            native: "editor",
            name: "Write",
            when: When::Always,
            keys: &[
                ExchangeKey("path", "file_path", ExchangeForm::Same),
                ExchangeKey("file_text", "content", ExchangeForm::Same),
                ExchangeKey("new_text", "content", ExchangeForm::Same),
            ],
        },
        ExchangeTool {
            native: "run",
            name: "Bash",
            when: When::Always,
            keys: &[ExchangeKey("commands", "command", ExchangeForm::Script)],
        },
        ExchangeTool {
            native: "read",
            name: "Read",
            when: When::Always,
            keys: &[ExchangeKey(
                "files",
                "file_path",
                ExchangeForm::Each("path"),
            )],
        },
        ExchangeTool {
            native: "fetch",
            name: "WebFetch",
            when: When::Always,
            keys: &[ExchangeKey(
                "requests",
                "url",
                ExchangeForm::Lines(Some("url")),
            )],
        },
    ],
    settle: as_it_is,
    restore: as_it_was,
    mcp: |_| None,
};

#[test]
fn calls_are_translated_to_canonical_keys() {
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
        // A reply with the agent's own keys is accepted too.
        (
            "editor",
            json!({ "path": "a", "new_text": "y" }),
            json!({ "path": "b", "new_text": "y" }),
            json!({ "path": "b", "new_text": "y" }),
            &[],
        ),
        // Canonical keys that are left out are removed.
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
fn untranslatable_rewrite_is_an_error_with_a_reason() {
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

fn any_means() -> impl Strategy<Value = ExchangeMeans> {
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
        ExchangeContext::Given,
        ExchangeContext::Unsure("It may not arrive."),
        ExchangeContext::Cannot,
    ]);
    (refusal, approval, context, any::<[bool; 3]>()).prop_map(
        |(refusal, approval, context, [halts, rewrites, shows])| ExchangeMeans {
            refusal,
            approval,
            context,
            halts,
            rewrites,
            shows,
            ..ExchangeMeans::at("Event")
        },
    )
}

fn answer(means: &ExchangeMeans, decision: &Decision) -> ExchangeAnswer {
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
fn late_denial_is_injected_as_context() {
    let deny = Decision {
        verdict: Verdict::Deny,
        reason: Some("no".into()),
        ..Decision::default()
    };
    let deaf = answer(&ExchangeMeans::at("Event"), &deny);
    assert_eq!((deaf.act, deaf.context), (Act::Silence, None));
    let told = answer(
        &ExchangeMeans::at("Event").context(ExchangeContext::Given),
        &deny,
    );
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
    let means = ExchangeMeans::at("Event").refusal(Refusal::Prevents);
    match answer(&means, &decision).act {
        Act::Refuse { reason, .. } => assert!(reason.len() < 10_000),
        other => panic!("{other:?}"),
    }
}

fn says(text: Option<&String>) -> bool {
    text.is_some_and(|text| !text.trim().is_empty())
}

proptest! {
    /// For any capabilities, no reply permits more than the decision.
    #[test]
    fn degradation_is_always_stricter(means in any_means(), decision in any_decision(KEYS)) {
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

    /// Everything that is not expressed is reported.
    #[test]
    fn every_loss_is_reported(means in any_means(), decision in any_decision(KEYS)) {
        let answer = answer(&means, &decision);
        let at_rest = matches!(means.refusal, Refusal::KeepsGoing | Refusal::Rest);
        // At stop the turn ends by itself.
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
