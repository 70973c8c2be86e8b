//! `packs.toml` and the rules of every pack: the statics of `rules.rs`.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde::Deserialize;
use toml::Spanned;

use crate::data_file::{DataError, DataFile};

/// All packs and rules, in the order of their files.
pub(crate) struct Rules {
    packs: Vec<Pack>,
    /// The files of packs that judge command lines, in the order in which they judge.
    pub(crate) files: Vec<String>,
    effects: Vec<Rule>,
    of_packs: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackList {
    files: Vec<String>,
    pack: Vec<Pack>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    name: String,
    about: String,
}

/// The rules of a file; the other keys belong to other tables.
#[derive(Deserialize)]
struct RuleFile {
    #[serde(default)]
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    id: Spanned<String>,
    severity: Severity,
    explanation: Spanned<String>,
    safer: Spanned<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Notice,
    Doubtful,
    Severe,
    Catastrophic,
}

impl Rules {
    /// Reads every rule and checks it.
    pub(crate) fn read() -> Result<Self, DataError> {
        let list: PackList = DataFile::read("packs.toml")?.parse()?;
        let mut rules = Self {
            packs: list.pack,
            files: list.files,
            effects: Vec::new(),
            of_packs: Vec::new(),
        };
        rules.effects = rules.read_file("effects.toml")?;
        for name in rules.files.clone() {
            let more = rules.read_file(&format!("packs/{name}.toml"))?;
            rules.of_packs.extend(more);
        }
        Ok(rules)
    }

    fn read_file(&self, name: &str) -> Result<Vec<Rule>, DataError> {
        let file = DataFile::read(name)?;
        let rules = file.parse::<RuleFile>()?.rule;
        let mut seen: BTreeSet<&str> = self.all().map(Rule::id).collect();
        for rule in &rules {
            self.check(&file, rule)?;
            if !seen.insert(rule.id()) {
                return Err(file.bad("id", &rule.id, "another rule has this id"));
            }
        }
        Ok(rules)
    }

    fn check(&self, file: &DataFile, rule: &Rule) -> Result<(), DataError> {
        let pack = rule.id().split('.').next().unwrap_or_default();
        if !self.packs.iter().any(|known| known.name == pack) {
            return Err(file.bad("id", &rule.id, "packs.toml has no pack of this name"));
        }
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        if !rule.id().chars().all(plain) {
            return Err(file.bad("id", &rule.id, "use lower-case letters, digits and dashes"));
        }
        for (key, text) in [("explanation", &rule.explanation), ("safer", &rule.safer)] {
            if text.get_ref().is_empty() || text.get_ref().ends_with('.') {
                return Err(file.bad(key, text, "write a phrase without a full stop"));
            }
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = &Rule> {
        self.effects.iter().chain(&self.of_packs)
    }

    /// The path of a rule's static; `None` if no rule has this id.
    pub(crate) fn path(&self, id: &str) -> Option<String> {
        let rule = self.all().find(|rule| rule.id() == id)?;
        Some(format!("crate::rules::{}", rule.constant()))
    }

    /// The code of `rules.rs`.
    pub(crate) fn code(&self) -> String {
        let mut code = String::new();
        for rule in self.all() {
            rule.write(&mut code);
        }
        for (name, about, rules) in [
            ("EFFECTS", "Rules about paths and data.", &self.effects),
            ("OF_PACKS", "Rules about command lines.", &self.of_packs),
        ] {
            let list: Vec<String> = rules
                .iter()
                .map(|rule| format!("&{}", rule.constant()))
                .collect();
            let list = list.join(", ");
            let _ = writeln!(
                code,
                "/// {about}\npub(crate) static {name}: &[&Rule] = &[{list}];"
            );
        }
        let packs: Vec<String> = self.packs.iter().map(Pack::code).collect();
        let packs = packs.concat();
        let _ = writeln!(
            code,
            "/// All packs.\npub(crate) const PACKS: &[Pack] = &[{packs}];"
        );
        code
    }
}

impl Pack {
    fn code(&self) -> String {
        format!("Pack {{ name: {:?}, about: {:?} }},", self.name, self.about)
    }
}

impl Rule {
    fn id(&self) -> &str {
        self.id.get_ref()
    }

    /// `git.reset-hard` is `GIT_RESET_HARD`.
    fn constant(&self) -> String {
        self.id().to_ascii_uppercase().replace(['.', '-'], "_")
    }

    fn write(&self, code: &mut String) {
        let (name, id, severity) = (self.constant(), self.id(), self.severity);
        let (explanation, safer) = (self.explanation.get_ref(), self.safer.get_ref());
        let _ = writeln!(
            code,
            "/// `{id}`\npub(crate) static {name}: Rule = Rule {{ id: {id:?}, severity: \
             Severity::{severity:?}, explanation: {explanation:?}, safer: {safer:?} }};"
        );
    }
}
