//! What a decision becomes at events of every kind.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const GATE: KitMeans = KitMeans {
    allow: KitAllow::Cannot,
    refuse: Refuse::Prevents,
    ask: KitAsk::Cannot,
    halt: KitHalt::Cannot,
    rewrite: KitRewrite::Cannot,
    context: KitContext::WithRefusal,
    message: KitMessage::WithRefusal,
};

fn settled(means: KitMeans, decision: &Decision) -> KitSettled {
    let scene = KitScene {
        agent: "Acme",
        event: "gate",
        means,
        context_limit: Some(10),
    };
    scene.settle(decision, |input| {
        Ok(Some(input.as_object().cloned().unwrap_or_default()))
    })
}

fn decision(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        ..Decision::default()
    }
}

#[test]
fn a_question_that_cannot_be_put_is_a_refusal_at_a_gate_and_a_message_elsewhere() {
    let at_gate = settled(GATE, &decision(Verdict::Ask));
    assert_eq!((at_gate.verdict, at_gate.why()), (Verdict::Deny, NO_REASON));
    assert_eq!(
        at_gate.lost,
        ["Acme cannot ask at gate, so it is refused instead."]
    );

    let after = KitMeans {
        refuse: Refuse::Tells,
        message: KitMessage::Shown,
        ..GATE
    };
    let after = settled(after, &decision(Verdict::Ask));
    assert_eq!(after.verdict, Verdict::NoOpinion);
    assert!(after.message.unwrap().contains("wanted to ask you"));
}

#[test]
fn a_rewrite_that_cannot_be_made_is_a_refusal_that_shows_it() {
    let decision = Decision {
        updated_input: Some(json!({ "command": "ls -l" })),
        reason: Some("be verbose".into()),
        ..decision(Verdict::Allow)
    };
    let refused = settled(GATE, &decision);
    assert_eq!(refused.verdict, Verdict::Deny);
    assert!(refused.why().contains("be verbose") && refused.why().contains("ls -l"));
    let late = KitMeans {
        refuse: Refuse::Tells,
        ..GATE
    };
    let late = settled(late, &decision);
    assert_eq!((late.verdict, late.lost.len()), (Verdict::NoOpinion, 1));
}

#[test]
fn a_question_that_becomes_a_refusal_takes_its_rewrite_along() {
    let rewriting = KitMeans {
        rewrite: KitRewrite::Taken,
        ..GATE
    };
    let decision = Decision {
        updated_input: Some(json!({ "command": "ls -l" })),
        ..decision(Verdict::Ask)
    };
    let refused = settled(rewriting, &decision);
    assert_eq!((refused.verdict, refused.rewrite), (Verdict::Deny, None));
}

#[test]
fn a_halt_after_a_turn_is_silence_and_never_keeps_it_going() {
    let stop = KitMeans {
        refuse: Refuse::KeepsGoing,
        halt: KitHalt::Over,
        ..GATE
    };
    let halt = Decision {
        keep_going: Some("run the tests".into()),
        ..decision(Verdict::Halt)
    };
    let settled_halt = settled(stop, &halt);
    assert_eq!(settled_halt.keep_going, None);
    assert_eq!(settled_halt.verdict, Verdict::NoOpinion);
    let deny = Decision {
        verdict: Verdict::Deny,
        reason: Some("untested".into()),
        ..halt
    };
    assert_eq!(
        settled(stop, &deny).keep_going.as_deref(),
        Some("untested\nrun the tests")
    );
}

#[test]
fn context_over_the_limit_is_cut_in_utf_16_units() {
    let given = KitMeans {
        context: KitContext::Given,
        ..GATE
    };
    for (text, expected, lost) in [
        ("0123456789", "0123456789", 0),
        ("éééééééééé", "éééééééééé", 0),
        ("01234567890", "012345678…", 1),
        ("😀😀😀😀😀😀", "😀😀😀😀…", 1),
    ] {
        let decision = Decision {
            context: Some(text.into()),
            ..Decision::default()
        };
        let settled = settled(given, &decision);
        assert_eq!(settled.context.as_deref(), Some(expected));
        assert_eq!(settled.lost.len(), lost);
    }
}

fn any_means() -> impl Strategy<Value = KitMeans> {
    use prop::sample::select;
    (
        select(vec![KitAllow::Said, KitAllow::Moot, KitAllow::Cannot]),
        select(vec![
            Refuse::Prevents,
            Refuse::PreventsUnless("no"),
            Refuse::KeepsGoing,
            Refuse::Notes,
            Refuse::Tells,
        ]),
        select(vec![KitAsk::Native, KitAsk::Dialog, KitAsk::Cannot]),
        select(vec![
            KitHalt::Refusal,
            KitHalt::InPart("no"),
            KitHalt::Over,
            KitHalt::Cannot,
        ]),
        select(vec![KitRewrite::Taken, KitRewrite::Cannot]),
        select(vec![
            KitContext::Given,
            KitContext::WithRefusal,
            KitContext::Cannot,
        ]),
        select(vec![
            KitMessage::Shown,
            KitMessage::WithRefusal,
            KitMessage::Cannot,
        ]),
    )
        .prop_map(
            |(allow, refuse, ask, halt, rewrite, context, message)| KitMeans {
                allow,
                refuse,
                ask,
                halt,
                rewrite,
                context,
                message,
            },
        )
}

proptest! {
    /// Whatever an event can do, a verdict that is not an allow never becomes one, a change is
    /// never made in silence, and a refusal carries a reason and no input.
    #[test]
    fn degradation_is_always_stricter(means in any_means(), at in 0usize..5, rewrite in any::<bool>()) {
        let verdict = [Verdict::NoOpinion, Verdict::Allow, Verdict::Ask, Verdict::Deny, Verdict::Halt][at];
        let decision = Decision {
            updated_input: rewrite.then(|| json!({ "command": "ls" })),
            ..decision(verdict)
        };
        let settled = settled(means, &decision);
        if verdict != Verdict::Allow {
            prop_assert_ne!(settled.verdict, Verdict::Allow);
        }
        if settled.refuses() {
            prop_assert!(settled.reason.is_some() && settled.rewrite.is_none());
        }
        let gate = matches!(means.refuse, Refuse::Prevents | Refuse::PreventsUnless(_));
        if gate && verdict.blocks() && means.halt != KitHalt::Over {
            prop_assert!(settled.refuses());
        }
        if gate && rewrite && !verdict.blocks() {
            prop_assert!(settled.refuses() || settled.rewrite.is_some());
        }
        if verdict == Verdict::Halt {
            prop_assert_eq!(&settled.keep_going, &None);
        }
        let silent = settled.verdict == Verdict::NoOpinion && settled.keep_going.is_none();
        let spoke = verdict == Verdict::Deny || (verdict == Verdict::Ask && means.ask != KitAsk::Dialog);
        if silent && spoke {
            prop_assert!(!settled.lost.is_empty(), "{:?} {:?}", means, verdict);
        }
    }
}
