//! What commands and tools would do, as the rules see it.

mod deletion;
mod file_tools;
mod harmless;
mod laws;
mod leaving;
mod links;
mod secrets;
mod turning_off;
mod world;
mod writing;

use becket_guard::NoFacts;

/// Each text meets this rule, without facts.
fn all_meet(rule: &str, texts: &[&str]) {
    let place = world::place();
    for text in texts {
        let ids = world::ids(text, &place, &NoFacts);
        assert!(ids.contains(&rule), "`{text}` meets {ids:?}, not {rule}");
    }
}

/// None of the texts meets this rule.
fn none_meets(rule: &str, texts: &[&str]) {
    let place = world::place();
    for text in texts {
        let ids = world::ids(text, &place, &NoFacts);
        assert!(!ids.contains(&rule), "`{text}` meets {ids:?}");
    }
}
