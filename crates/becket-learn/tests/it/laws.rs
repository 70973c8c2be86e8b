//! What holds for whatever was recorded.

use becket_learn::{Material, Step, Turn, rules};
use proptest::collection::vec;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    let telling = "(> |Always |Never |don't use |error: |use a instead of b|\\PC|\\s|```|<a>|\\.|\u{202e}){0,20}";
    prop_oneof![telling, any::<String>()]
}

fn step() -> impl Strategy<Value = Step> {
    let command = prop_oneof![
        Just("cargo test".to_owned()),
        Just("npm test".to_owned()),
        text()
    ];
    let tool = prop_oneof![Just("Bash"), Just("Edit")];
    (tool, command, text(), text(), any::<bool>()).prop_map(
        |(tool, command, error, file, success)| Step {
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

fn turn() -> impl Strategy<Value = Turn> {
    (text(), text(), vec(step(), 0..8)).prop_map(|(prompt, response, steps)| Turn {
        id: "b".into(),
        prompt: Some(prompt),
        by_person: true,
        response: Some(response),
        steps,
    })
}

proptest! {
    /// Whatever agents, tools and people write, what is learnt is short, on one line and few.
    #[test]
    fn what_is_learnt_is_short_and_plain(turn in turn(), earlier in vec(turn(), 0..3)) {
        let told = rules::tell(std::slice::from_ref(&turn), None);
        let material = Material { turn, earlier, ..Material::default() };
        let learnt = rules::learn(&material);
        prop_assert!(learnt.observations.len() <= 5);
        for one in &learnt.observations {
            prop_assert!(one.text.chars().count() <= 1_000, "{}", one.text);
            prop_assert!(!one.text.chars().any(char::is_control), "{:?}", one.text);
            prop_assert!((1..=10).contains(&one.importance));
        }
        if let Some(title) = told.title {
            prop_assert!(title.chars().count() <= 61 && !title.chars().any(char::is_control), "{:?}", title);
        }
        prop_assert_eq!(rules::learn(&material), learnt, "the same every time");
    }
}
