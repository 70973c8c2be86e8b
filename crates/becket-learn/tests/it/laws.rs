//! Properties that hold for any recorded data.

use becket_learn::{LearningInput, RecordedStep, RecordedTurn, rules};
use proptest::collection::vec;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    let telling = "(> |Always |Never |don't use |error: |use a instead of b|\\PC|\\s|```|<a>|\\.|\u{202e}){0,20}";
    prop_oneof![telling, any::<String>()]
}

fn step() -> impl Strategy<Value = RecordedStep> {
    let command = prop_oneof![
        Just("cargo test".to_owned()),
        Just("npm test".to_owned()),
        text()
    ];
    let tool = prop_oneof![Just("Bash"), Just("Edit")];
    (tool, command, text(), text(), any::<bool>()).prop_map(
        |(tool, command, error, file, success)| RecordedStep {
            event: "e".into(),
            tool: tool.into(),
            command: (tool == "Bash").then_some(command),
            files: vec![file],
            success,
            error: Some(error.clone()),
            output: Some(error),
        },
    )
}

fn turn() -> impl Strategy<Value = RecordedTurn> {
    (text(), text(), vec(step(), 0..8)).prop_map(|(prompt, response, steps)| RecordedTurn {
        id: "b".into(),
        prompt: Some(prompt),
        by_person: true,
        response: Some(response),
        steps,
    })
}

proptest! {
    /// For any input, observations are short, on one line, and few.
    #[test]
    fn observations_are_short_plain_text(turn in turn(), earlier in vec(turn(), 0..3)) {
        let told = rules::summarize_session(std::slice::from_ref(&turn), None);
        let input = LearningInput { turn, earlier, ..LearningInput::default() };
        let learnt = rules::learn(&input);
        prop_assert!(learnt.observations.len() <= 5);
        for one in &learnt.observations {
            prop_assert!(one.text.chars().count() <= 1_000, "{}", one.text);
            prop_assert!(!one.text.chars().any(char::is_control), "{:?}", one.text);
            prop_assert!((1..=10).contains(&one.importance));
        }
        if let Some(title) = told.title {
            prop_assert!(title.chars().count() <= 61 && !title.chars().any(char::is_control), "{:?}", title);
        }
        prop_assert_eq!(rules::learn(&input), learnt, "the same every time");
    }
}
