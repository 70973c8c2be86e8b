//! `becket check --rules`: every rule pack and rule, with the verdict of each preset.

use becket::model::Verdict;
use becket_guard::packs::PACKS;
use becket_guard::{Pack, Preset, Rule, judge};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, print, print_json};

pub(super) fn main(as_json: bool) -> anyhow::Result<Exit> {
    if as_json {
        let packs: Vec<Value> = PACKS.iter().chain([&POLICY]).map(pack_json).collect();
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "packs": packs }))?;
    } else {
        let style = Style::stdout();
        let packs = PACKS.iter().chain([&POLICY]);
        print(
            &packs
                .map(|pack| render_pack(pack, style))
                .collect::<String>(),
        );
    }
    Ok(Exit::Success)
}

/// Commands that the user's policy denies. This is not a pack, but it is listed like one.
const POLICY: Pack = Pack {
    name: "policy",
    about: "commands that your policy denies",
};

fn rules_of(pack: &Pack) -> impl Iterator<Item = &'static Rule> {
    let name = pack.name;
    judge::rules().filter(move |rule| rule.pack() == name)
}

/// The verdict of a preset on a rule.
fn preset_verdict(preset: Preset, rule: &Rule) -> Verdict {
    if rule == &judge::DENIED {
        return Verdict::Deny;
    }
    if rule == &judge::DOUBT {
        return Verdict::Ask;
    }
    preset.verdict(rule.severity)
}

fn pack_json(pack: &Pack) -> Value {
    let rules: Vec<Value> = rules_of(pack).map(rule_json).collect();
    json!({ "name": pack.name, "about": pack.about, "rules": rules })
}

fn rule_json(rule: &'static Rule) -> Value {
    let mut json = json!({
        "id": rule.id, "severity": rule.severity.word(), "explanation": rule.explanation, "safer": rule.safer,
    });
    for preset in Preset::ALL {
        json["presets"][preset.word()] = json!(preset_verdict(preset, rule).word());
    }
    json
}

fn render_pack(pack: &Pack, style: Style) -> String {
    let mut out = format!("{}: {}\n", style.bold(pack.name), pack.about);
    for rule in rules_of(pack) {
        let presets = Preset::ALL
            .map(|preset| format!("{} {}", preset.word(), preset_verdict(preset, rule).word()));
        out += &format!(
            "  {} ({}; {})\n      {}\n      instead: {}\n",
            rule.id,
            rule.severity.word(),
            presets.join(", "),
            rule.explanation,
            rule.safer
        );
    }
    out + "\n"
}
