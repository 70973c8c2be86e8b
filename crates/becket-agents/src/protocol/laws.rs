//! The laws of degradation, over all capabilities and all decisions, and over every row of every agent.

use becket_model::{Decision, Verdict};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::capability::{
    AllowCap, AskCap, ContextCap, DenyCap, HaltCap, LogCap, MessageCap, OutputCap, ReplyLimits,
    RewriteCap,
};
use super::degrade::{InputTranslator, ReplyPoint, degrade};
use super::strategies::{any_name, any_payload};
use super::tools::RewrittenInput;
use super::wire::WirePoint;
use super::{AgentReply, AgentSpec, EventCaps, ReplyAct};

const DENY: [DenyCap; 11] = [
    DenyCap::Prevents,
    DenyCap::PreventsBut("Not everywhere."),
    DenyCap::EndsTurn("The turn ends."),
    DenyCap::Perhaps,
    DenyCap::KeepsGoing,
    DenyCap::KeepsGoingBut("Not always."),
    DenyCap::Stops,
    DenyCap::ReplacesResult,
    DenyCap::Notes("the model reads the reason"),
    DenyCap::Done,
    DenyCap::Cannot,
];
const ASK: [AskCap; 4] = [
    AskCap::Native,
    AskCap::Dialog(""),
    AskCap::Dialog(" or lets its reviewer answer"),
    AskCap::Cannot,
];
const ALLOW: [AllowCap; 4] = [
    AllowCap::Skips,
    AllowCap::Ignored("It has no effect."),
    AllowCap::Cannot,
    AllowCap::Silence,
];
const HALT: [HaltCap; 6] = [
    HaltCap::EndsTurn,
    HaltCap::EndsTurnBut("It does less."),
    HaltCap::WithDeny,
    HaltCap::Stops,
    HaltCap::StopsBut("Something goes on."),
    HaltCap::Cannot,
];
const REWRITE: [RewriteCap; 5] = [
    RewriteCap::Replaces,
    RewriteCap::WithAllow,
    RewriteCap::Merges,
    RewriteCap::Prompt,
    RewriteCap::Cannot,
];
const OUTPUT: [OutputCap; 2] = [OutputCap::InShapeOf("output"), OutputCap::Cannot];
const CONTEXT: [ContextCap; 6] = [
    ContextCap::Given,
    ContextCap::GivenBut("It may not arrive."),
    ContextCap::GivenOrInReason,
    ContextCap::GivenUnlessDenied,
    ContextCap::InReason,
    ContextCap::Cannot,
];
const MESSAGE: [MessageCap; 6] = [
    MessageCap::Shown,
    MessageCap::ShownUnlessDenied,
    MessageCap::ShownIfDenied,
    MessageCap::ShownAlone,
    MessageCap::Unseen,
    MessageCap::Cannot,
];
const LOG: [LogCap; 2] = [LogCap::Suppresses, LogCap::Cannot];
const VERDICTS: [Verdict; 5] = [
    Verdict::NoOpinion,
    Verdict::Allow,
    Verdict::Ask,
    Verdict::Deny,
    Verdict::Halt,
];

const REASON: &str = "touches .env";
const OWN_CONTEXT: &str = "the tests live in e2e/";
const OWN_MESSAGE: &str = "formatted 3 files";
const INSTRUCTION: &str = "run the tests first";

/// A rewritten input: one that the agent can take, one that changes nothing, one that it cannot take.
fn inputs() -> [Option<Value>; 4] {
    let taken = json!({ "command": "ls" });
    [None, Some(taken), Some(json!("same")), Some(json!([1]))]
}

/// The output of the tool: any other text has its shape.
static SENT_OUTPUT: Value = Value::String(String::new());

struct TestTranslator;

impl InputTranslator for TestTranslator {
    fn sent_output(&self, _: &str) -> Option<&Value> {
        Some(&SENT_OUTPUT)
    }

    fn rewritten(&self, input: &Value) -> Result<RewrittenInput, String> {
        match input {
            Value::Object(input) => Ok(RewrittenInput::whole(input.clone())),
            Value::String(_) => Ok(RewrittenInput::default()),
            _ => Err("Tester takes only an object".to_owned()),
        }
    }
}

fn reply(caps: &EventCaps, decision: &Decision) -> AgentReply {
    let point = ReplyPoint {
        title: "Tester",
        event: "Event",
        caps,
        limits: &ReplyLimits::NONE,
    };
    degrade(&point, decision, &TestTranslator)
}

/// Every verdict with and without a rewrite and an instruction.
fn acting() -> Vec<Decision> {
    let mut all = Vec::new();
    for verdict in VERDICTS {
        for updated_input in inputs() {
            for keep_going in [None, Some(INSTRUCTION.to_owned())] {
                all.push(Decision {
                    verdict,
                    reason: Some(REASON.to_owned()),
                    updated_input: updated_input.clone(),
                    keep_going,
                    ..Decision::default()
                });
            }
        }
    }
    all
}

/// The same with every combination of texts.
fn talking() -> Vec<Decision> {
    let mut all = Vec::new();
    for decision in acting() {
        for bits in 0..16 {
            let given = |bit: u8, text: &str| (bits & bit != 0).then(|| text.to_owned());
            all.push(Decision {
                context: given(1, OWN_CONTEXT),
                system_message: given(2, OWN_MESSAGE),
                updated_output: given(4, "redacted").map(Value::from),
                suppress_logging: bits & 8 != 0,
                ..decision.clone()
            });
        }
    }
    all
}

fn says(text: Option<&String>, wanted: &str) -> bool {
    text.is_some_and(|text| text.contains(wanted))
}

/// The reason or the instruction of an act.
fn said(act: &ReplyAct) -> Option<&String> {
    match act {
        ReplyAct::Deny { reason, .. }
        | ReplyAct::Note { reason }
        | ReplyAct::EndTurn { reason } => Some(reason),
        ReplyAct::KeepGoing { instruction } => Some(instruction),
        ReplyAct::Allow { reason, .. } | ReplyAct::Ask { reason, .. } => reason.as_ref(),
        ReplyAct::Silence | ReplyAct::Rewrite(_) => None,
    }
}

fn rewrite(act: &ReplyAct) -> Option<&Map<String, Value>> {
    match act {
        ReplyAct::Rewrite(input) => Some(input),
        ReplyAct::Allow { rewrite, .. } | ReplyAct::Ask { rewrite, .. } => rewrite.as_ref(),
        _ => None,
    }
}

/// All laws for one decision at one event; the error names the one that is broken.
fn check(caps: &EventCaps, decision: &Decision) -> Result<(), &'static str> {
    let reply = reply(caps, decision);
    check_verdict(caps, decision, &reply)?;
    check_rewrite(caps, decision, &reply)?;
    check_texts(decision, &reply)?;
    check_informed(caps, decision, &reply)
}

fn check_verdict(
    caps: &EventCaps,
    decision: &Decision,
    reply: &AgentReply,
) -> Result<(), &'static str> {
    let verdict = decision.verdict;
    let denied = matches!(reply.act, ReplyAct::Deny { .. });
    let keeps_going = matches!(reply.act, ReplyAct::KeepGoing { .. });
    let law = |holds: bool, name: &'static str| if holds { Ok(()) } else { Err(name) };
    law(
        verdict == Verdict::Allow || !matches!(reply.act, ReplyAct::Allow { .. }),
        "only an allow allows",
    )?;
    law(
        verdict == Verdict::Ask || !matches!(reply.act, ReplyAct::Ask { .. }),
        "only a question asks",
    )?;
    law(
        !(verdict.blocks() && caps.deny.prevents()) || denied,
        "a denial and a halt deny wherever a denial prevents",
    )?;
    law(
        !verdict.blocks() || rewrite(&reply.act).is_none(),
        "a denial and a halt rewrite nothing",
    )?;
    law(
        (verdict == Verdict::Halt) == says(reply.halt.as_ref(), REASON),
        "a halt, and nothing else, leaves the reason why the turn is to end",
    )?;
    law(
        verdict != Verdict::Halt || !keeps_going,
        "a halt never keeps the agent going",
    )?;
    let wants_going = decision.keep_going.is_some()
        || verdict == Verdict::Deny
        || verdict == Verdict::Ask && caps.ask == AskCap::Cannot;
    law(
        !keeps_going || caps.deny.keeps_going() && wants_going,
        "the agent keeps going only on request, where it is about to stop",
    )?;
    law(
        !(verdict == Verdict::Ask && caps.ask == AskCap::Cannot && caps.deny.prevents()) || denied,
        "a question that cannot be asked denies wherever a denial prevents",
    )?;
    let meant = verdict.blocks()
        || verdict == Verdict::Ask
        || decision.updated_input.is_some()
        || verdict == Verdict::Allow && matches!(decision.updated_input, Some(Value::Array(_)));
    law(
        meant || !denied && !matches!(reply.act, ReplyAct::Note { .. } | ReplyAct::EndTurn { .. }),
        "nothing else is denied",
    )
}

fn check_rewrite(
    caps: &EventCaps,
    decision: &Decision,
    reply: &AgentReply,
) -> Result<(), &'static str> {
    let wanted = decision
        .updated_input
        .as_ref()
        .filter(|input| !input.is_string());
    if wanted.is_none() || decision.verdict.blocks() {
        return Ok(());
    }
    let made = rewrite(&reply.act).is_some();
    let denied = matches!(reply.act, ReplyAct::Deny { .. });
    if caps.deny.prevents() && !made && !denied {
        return Err("a rewrite is made or denied wherever a denial prevents");
    }
    if !made && reply.lost.is_empty() {
        return Err("a rewrite that is not made is reported");
    }
    if denied && !says(said(&reply.act), "ls") && wanted.is_some_and(Value::is_object) {
        return Err("a denial in place of a rewrite shows the rewrite");
    }
    Ok(())
}

fn check_texts(decision: &Decision, reply: &AgentReply) -> Result<(), &'static str> {
    let reported = !reply.lost.is_empty();
    let context = says(reply.context.as_ref(), OWN_CONTEXT) || says(said(&reply.act), OWN_CONTEXT);
    if decision.context.is_some() && !context && !reported {
        return Err("context is given or reported");
    }
    let message = says(reply.message.as_ref(), OWN_MESSAGE);
    if decision.system_message.is_some() && !message && !reported {
        return Err("a message is given or reported");
    }
    if decision.keep_going.is_some() && !says(said(&reply.act), INSTRUCTION) && !reported {
        return Err("an instruction is given or reported");
    }
    if decision.updated_output.is_some() && reply.output.is_none() && !reported {
        return Err("a replaced output is given or reported");
    }
    if decision.suppress_logging && !reply.quiet && !reported {
        return Err("a suppressed log entry is suppressed or reported");
    }
    match &reply.act {
        ReplyAct::Deny { reason, .. }
        | ReplyAct::Note { reason }
        | ReplyAct::EndTurn { reason }
            if !reason.contains(REASON) =>
        {
            Err("a denial says why")
        }
        _ => Ok(()),
    }
}

/// A person or a model that can be reached learns of a denial and a question that cannot be enforced.
fn check_informed(
    caps: &EventCaps,
    decision: &Decision,
    reply: &AgentReply,
) -> Result<(), &'static str> {
    let asks =
        decision.verdict == Verdict::Ask && caps.ask == AskCap::Cannot && !caps.deny.prevents();
    let denies = decision.verdict.blocks() && caps.deny != DenyCap::Done;
    let replaced = matches!(decision.updated_input, Some(Value::Array(_)));
    let enforced = !matches!(reply.act, ReplyAct::Silence | ReplyAct::KeepGoing { .. })
        || decision.verdict == Verdict::Deny && caps.deny.keeps_going();
    if !(asks || denies) || enforced || replaced {
        return Ok(());
    }
    let shown = says(reply.message.as_ref(), REASON);
    if reply.lost.is_empty() && !shown {
        return Err("what is not enforced is reported");
    }
    if caps.message == MessageCap::Shown && !shown {
        return Err("the person learns what is not enforced");
    }
    let told = says(reply.context.as_ref(), REASON);
    let refused = decision.verdict == Verdict::Deny && caps.deny == DenyCap::Cannot;
    if refused && caps.context == ContextCap::Given && !told {
        return Err("the model learns which denial is not enforced");
    }
    Ok(())
}

fn verify(caps: &EventCaps, decisions: &[Decision]) {
    for decision in decisions {
        if let Err(law) = check(caps, decision) {
            let reply = reply(caps, decision);
            panic!("broken law: {law}\n{caps:#?}\n{decision:#?}\n{reply:#?}");
        }
    }
}

#[test]
fn degradation_is_stricter_for_all_capabilities_and_verdicts() {
    let decisions = acting();
    for deny in DENY {
        for halt in HALT {
            for ask in ASK {
                for allow in ALLOW {
                    for rewrite in REWRITE {
                        let caps = EventCaps::UNREAD.deny(deny).halt(halt).ask(ask);
                        let caps = caps.allow(allow).rewrite(rewrite);
                        verify(&caps, &decisions);
                        let open = caps.context(ContextCap::Given).message(MessageCap::Shown);
                        verify(&open, &decisions);
                    }
                }
            }
        }
    }
}

#[test]
fn every_part_is_expressed_or_reported_for_all_capabilities_and_texts() {
    let decisions = talking();
    for deny in DENY {
        for halt in HALT {
            for context in CONTEXT {
                for message in MESSAGE {
                    // Output and log depend on nothing else.
                    let at = (deny.prevents(), message == MessageCap::Shown);
                    let output = OUTPUT[usize::from(at.0)];
                    let log = LOG[usize::from(at.1)];
                    let caps = EventCaps::UNREAD.deny(deny).halt(halt).context(context);
                    verify(&caps.message(message).output(output).log(log), &decisions);
                }
            }
        }
    }
}

#[test]
fn every_event_of_every_agent_obeys_the_laws() {
    let decisions = talking();
    for spec in specs() {
        for row in spec.events.iter().chain([spec.unknown]) {
            for decision in &decisions {
                let law = check(&row.caps, decision);
                assert_eq!(law, Ok(()), "{} {} {decision:#?}", spec.id, row.native);
            }
        }
    }
}

/// A wire has words for every reply that its agent's table allows.
#[test]
fn every_wire_writes_what_the_table_of_its_agent_allows() {
    let decisions = talking();
    for spec in specs() {
        for row in spec.events.iter().chain([spec.unknown]) {
            let write = |reply| spec.wire.write(&WirePoint { row, event: None }, reply);
            let silence = write(AgentReply::default());
            for decision in &decisions {
                let reply = reply(&row.caps, decision);
                let written = write(reply.clone());
                let at = format!("{} {} {reply:#?}\n{written:#?}", spec.id, row.native);
                let text = format!("{}{}", written.stdout, written.stderr);
                let words = |wanted: &str| text.contains(wanted);
                if reply.act != ReplyAct::Silence {
                    let same = (&written.stdout, &written.stderr, written.exit)
                        == (&silence.stdout, &silence.stderr, silence.exit);
                    assert!(!same, "the act is written: {at}");
                }
                if says(reply.context.as_ref(), OWN_CONTEXT) {
                    assert!(words(OWN_CONTEXT), "the context is written: {at}");
                }
                let shown = !matches!(row.caps.message, MessageCap::Unseen | MessageCap::Cannot);
                if shown && says(reply.message.as_ref(), OWN_MESSAGE) {
                    assert!(words(OWN_MESSAGE), "the message is written: {at}");
                }
                if reply.output.is_some() {
                    assert!(words("redacted"), "the output is written: {at}");
                }
                assert!(
                    written.lost.starts_with(&reply.lost),
                    "nothing is hidden: {at}"
                );
            }
        }
    }
}

#[test]
fn no_opinion_is_silence_for_all_capabilities() {
    for deny in DENY {
        for context in CONTEXT {
            for message in MESSAGE {
                let caps = EventCaps::UNREAD
                    .deny(deny)
                    .context(context)
                    .message(message);
                assert_eq!(reply(&caps, &Decision::default()), AgentReply::default());
            }
        }
    }
}

#[test]
fn every_event_of_every_agent_is_found_by_its_names() {
    for spec in specs() {
        for row in spec.events {
            for name in row.aliases.iter().chain([&row.native]) {
                let found = spec.find(name).map(|row| row.native);
                assert_eq!(found, Some(row.native), "{} {name}", spec.id);
            }
            if let Some(kind) = row.kind {
                let first = spec.events.iter().find(|row| row.kind == Some(kind));
                let found = super::event::find_kind(spec.events, kind);
                assert_eq!(found, first, "{} {}", spec.id, kind.name());
            }
        }
        assert_eq!(spec.find(""), None, "{}", spec.id);
        assert_eq!(spec.find("MoonPhase"), None, "{}", spec.id);
        assert!(spec.unknown.is_unknown(), "{}", spec.id);
    }
}

#[test]
fn a_huge_rewrite_is_not_repeated_whole_in_a_denial() {
    let decision = Decision {
        updated_input: Some(json!({ "content": "é".repeat(1_000_000) })),
        ..Decision::default()
    };
    let caps = EventCaps::UNREAD.deny(DenyCap::Prevents);
    match reply(&caps, &decision).act {
        ReplyAct::Deny { reason, .. } => assert!(reason.len() < 10_000),
        other => panic!("{other:?}"),
    }
}

fn specs() -> impl Iterator<Item = &'static AgentSpec> {
    crate::adapters().iter().filter_map(|agent| agent.spec())
}

proptest! {
    /// Any JSON object gives an event that keeps it whole, or an error that names a key.
    #[test]
    fn a_payload_of_any_agent_is_parsed_or_refused(
        (id, payload, hint) in prop::sample::select(specs().map(|spec| spec.id).collect::<Vec<_>>())
            .prop_flat_map(|id| {
                let spec = specs().find(|spec| spec.id == id).expect("it is one of them");
                (Just(id), any_payload(spec), option::of(any_name(spec)))
            }),
    ) {
        let agent = crate::adapter(id).expect("it is one of them");
        match agent.parse(hint.as_deref(), payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }
}
