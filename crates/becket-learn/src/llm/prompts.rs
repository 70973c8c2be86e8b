//! The prompt texts. A change of meaning gets a new version in its own directory.

use becket_store::{BatchClass, MemoryKind};

/// The version of the prompt texts.
pub const VERSION: &str = "v1";

pub(super) const SYSTEM: &str = include_str!("../../prompts/v1/system.md");
pub(super) const CLASSIFY: &str = include_str!("../../prompts/v1/classify.md");
pub(super) const OBSERVE: &str = include_str!("../../prompts/v1/observe.md");
pub(super) const SUMMARISE: &str = include_str!("../../prompts/v1/summarise.md");
pub(super) const REPAIR: &str = include_str!("../../prompts/v1/repair.md");

/// The focus for a class of turn.
pub(super) fn focus(class: BatchClass) -> &'static str {
    match class {
        BatchClass::Exploration => include_str!("../../prompts/v1/focus-exploration.md"),
        BatchClass::Debugging => include_str!("../../prompts/v1/focus-bug_fix.md"),
        BatchClass::Implementation => include_str!("../../prompts/v1/focus-feature.md"),
        BatchClass::Refactoring => include_str!("../../prompts/v1/focus-refactoring.md"),
    }
    .trim_end()
}

/// The types that the model chooses from, as a list with their meanings.
pub(super) fn types() -> String {
    let lines = MemoryKind::ALL.iter().filter_map(|kind| {
        Some(format!(
            "- `{}`: {}",
            kind.word(),
            meaning(*kind)?.trim_end()
        ))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn meaning(kind: MemoryKind) -> Option<&'static str> {
    match kind {
        MemoryKind::Gotcha => Some(include_str!("../../prompts/v1/type-gotcha.md")),
        MemoryKind::Decision => Some(include_str!("../../prompts/v1/type-decision.md")),
        MemoryKind::BugFix => Some(include_str!("../../prompts/v1/type-bug_fix.md")),
        MemoryKind::Discovery => Some(include_str!("../../prompts/v1/type-discovery.md")),
        MemoryKind::TradeOff => Some(include_str!("../../prompts/v1/type-trade_off.md")),
        MemoryKind::SessionSummary | MemoryKind::Plan => None,
    }
}

/// Replaces `{{name}}` with values. Placeholders inside a value are not replaced.
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
    fn filled_in_values_are_not_expanded_again() {
        let filled = fill("{{a}} and {{b}}\n", &[("a", "{{b}}"), ("b", "x")]);
        assert_eq!(filled, "{{b}} and x");
    }

    #[test]
    fn prompt_explains_every_type_that_a_model_may_report() {
        for kind in MemoryKind::ALL {
            let listed = types().contains(&format!("- `{}`: ", kind.word()));
            assert_eq!(listed, kind.is_reportable(), "{}", kind.word());
        }
    }

    #[test]
    fn prompt_placeholders_match_their_values() {
        for (template, names) in [
            (CLASSIFY, &["prompt", "steps"][..]),
            (OBSERVE, &["types", "focus", "prompt", "steps", "answer"]),
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
