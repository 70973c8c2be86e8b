//! The texts that models are asked with. A change of meaning is a new version in a directory of its own.

use becket_store::Class;

/// The version of the texts.
pub const VERSION: &str = "v1";

pub(super) const SYSTEM: &str = include_str!("../../prompts/v1/system.md");
pub(super) const CLASSIFY: &str = include_str!("../../prompts/v1/classify.md");
pub(super) const OBSERVE: &str = include_str!("../../prompts/v1/observe.md");
pub(super) const SUMMARISE: &str = include_str!("../../prompts/v1/summarise.md");
pub(super) const REPAIR: &str = include_str!("../../prompts/v1/repair.md");

/// What to look for in a turn of a class.
pub(super) fn focus(class: Class) -> &'static str {
    match class {
        Class::Exploration => include_str!("../../prompts/v1/focus-exploration.md"),
        Class::Debugging => include_str!("../../prompts/v1/focus-bug_fix.md"),
        Class::Implementation => include_str!("../../prompts/v1/focus-feature.md"),
        Class::Refactoring => include_str!("../../prompts/v1/focus-refactoring.md"),
    }
    .trim_end()
}

/// Puts values in place of `{{name}}`. What a value holds is not looked at again.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once("}}") else {
            rest = after;
            break;
        };
        let value = values.iter().find(|(known, _)| *known == name);
        filled.push_str(value.map_or("", |(_, value)| value));
        rest = behind;
    }
    filled.push_str(rest);
    filled.truncate(filled.trim_end().len());
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_value_holds_is_not_filled_in_again() {
        let filled = fill("{{a}} and {{b}}\n", &[("a", "{{b}}"), ("b", "x")]);
        assert_eq!(filled, "{{b}} and x");
    }

    #[test]
    fn every_place_in_the_texts_has_a_value_and_every_value_a_place() {
        for (template, names) in [
            (CLASSIFY, &["prompt", "steps"][..]),
            (OBSERVE, &["focus", "prompt", "steps", "answer"]),
            (SUMMARISE, &["session"]),
            (REPAIR, &["why", "schema", "question"]),
            (SYSTEM, &[]),
        ] {
            let places: Vec<&str> = template
                .split("{{")
                .skip(1)
                .filter_map(|rest| rest.split("}}").next())
                .collect();
            assert_eq!(places, names);
        }
    }
}
