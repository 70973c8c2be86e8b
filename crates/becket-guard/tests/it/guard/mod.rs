//! Rules for commands and tool calls.

mod deletion;
mod exfiltration;
mod fake_machine;
mod file_tools;
mod harmless;
mod links;
mod properties;
mod secrets;
mod tampering;
mod writing;

use becket_guard::NoFacts;

/// Asserts that each text matches this rule, without facts.
fn all_meet(rule: &str, texts: &[&str]) {
    let location = fake_machine::location();
    for text in texts {
        let ids = fake_machine::ids(text, &location, &NoFacts);
        assert!(ids.contains(&rule), "`{text}` meets {ids:?}, not {rule}");
    }
}

/// Asserts that no text matches this rule.
fn none_meets(rule: &str, texts: &[&str]) {
    let location = fake_machine::location();
    for text in texts {
        let ids = fake_machine::ids(text, &location, &NoFacts);
        assert!(!ids.contains(&rule), "`{text}` meets {ids:?}");
    }
}
