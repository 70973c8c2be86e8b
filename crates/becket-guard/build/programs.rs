//! Programs by what they do: wrappers, commands that only read, programs that print files.

use std::fmt::Write;

use serde::Deserialize;
use toml::Spanned;

use crate::data_file::{DataError, DataFile};
use crate::packs::{Style, is_identifier};

/// The code of `wrappers.rs`.
pub(crate) fn wrappers() -> Result<String, DataError> {
    let file = DataFile::read("wrappers.toml")?;
    let rows = file.parse::<WrapperTable>()?.wrapper;
    let rows = rows.iter().map(|row| Ok((&row.name, row.fields(&file)?)));
    sorted_slice("WRAPPERS", "WrapperSpec", &file, rows)
}

/// The code of `read_only.rs`.
pub(crate) fn read_only() -> Result<String, DataError> {
    let file = DataFile::read("read-only.toml")?;
    let rows = file.parse::<ReadOnlyTable>()?.command;
    let rows = rows.iter().map(|row| Ok((&row.name, row.fields(&file)?)));
    sorted_slice("READ_ONLY", "ReadOnlyCommand", &file, rows)
}

/// The code of `readers.rs`.
pub(crate) fn readers() -> Result<String, DataError> {
    let file = DataFile::read("readers.toml")?;
    let rows = file.parse::<ReaderTable>()?.reader;
    let rows = rows.iter().map(|row| Ok((&row.name, row.fields())));
    sorted_slice("READERS", "FileReader", &file, rows)
}

/// A static slice with an entry per name, sorted by name; entries of one name keep the order of their rows.
fn sorted_slice<'r>(
    constant: &str,
    kind: &str,
    file: &DataFile,
    rows: impl Iterator<Item = Result<(&'r Spanned<String>, String), DataError>>,
) -> Result<String, DataError> {
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    file.require_order("name", rows.iter().map(|(name, _)| *name))?;
    let mut entries = Vec::new();
    for (names, fields) in &rows {
        for name in file.words("name", names)? {
            entries.push((name, fields));
        }
    }
    entries.sort_by_key(|(name, _)| *name);
    let mut code = format!("static {constant}: &[{kind}] = &[\n");
    for (name, fields) in entries {
        let _ = writeln!(code, "{kind} {{ name: {name:?}, {fields} }},");
    }
    Ok(code + "];\n")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrapperTable {
    wrapper: Vec<Wrapper>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapper {
    name: Spanned<String>,
    #[serde(default)]
    verbs: String,
    #[serde(default)]
    shorts: String,
    #[serde(default)]
    longs: String,
    switches: Option<Spanned<String>>,
    globals: Option<Globals>,
    #[serde(default)]
    operands: usize,
    #[serde(default)]
    assignments: bool,
    #[serde(default)]
    kind: Kind,
    runs: Option<Spanned<Runs>>,
    #[serde(default)]
    option: String,
    #[serde(default)]
    packages: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Globals {
    shorts: String,
    longs: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Plain,
    Root,
    Elsewhere,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Runs {
    Words,
    Joined,
    EachText,
    AfterDashes,
    DashesOrWords,
    Text,
    TextOrWords,
    FromOption,
}

impl Wrapper {
    fn fields(&self, file: &DataFile) -> Result<String, DataError> {
        let verbs: Vec<&str> = self
            .verbs
            .split('|')
            .filter(|verb| !verb.is_empty())
            .collect();
        let options = match &self.switches {
            None => option_spec(&self.shorts, "Valued", &self.longs),
            Some(switches) if self.longs.is_empty() => {
                option_spec(&self.shorts, "Plain", switches.get_ref())
            }
            Some(switches) => {
                return Err(file.bad("switches", switches, "it excludes `longs`"));
            }
        };
        let globals = match &self.globals {
            Some(globals) => option_spec(&globals.shorts, "Valued", &globals.longs),
            None if verbs.is_empty() => "NONE".to_owned(),
            None => options.clone(),
        };
        Ok(format!(
            "verbs: &{verbs:?}, globals: {globals}, options: {options}, operands: {}, assignments: {}, \
             runs: {}, kind: WrapperKind::{:?}, packages: {}",
            self.operands,
            self.assignments,
            self.runs(file)?,
            self.kind,
            self.packages
        ))
    }

    fn runs(&self, file: &DataFile) -> Result<String, DataError> {
        let (place, runs) = match &self.runs {
            None => (self.name.span(), Runs::Words),
            Some(runs) => (runs.span(), *runs.get_ref()),
        };
        let names = words(&self.option);
        let wants_option = matches!(runs, Runs::Text | Runs::TextOrWords | Runs::FromOption);
        match (wants_option, names.is_empty()) {
            (true, false) => Ok(format!("WrappedCommand::{runs:?}(&{names:?})")),
            (false, true) => Ok(format!("WrappedCommand::{runs:?}")),
            (true, true) => Err(file.error(place, "`runs` needs `option`")),
            (false, false) => Err(file.error(place, "`runs` does not use `option`")),
        }
    }
}

fn option_spec(shorts: &str, kind: &str, longs: &str) -> String {
    let longs = words(longs);
    format!("OptionSpec {{ shorts: {shorts:?}, longs: LongOptions::{kind}(&{longs:?}) }}")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadOnlyTable {
    command: Vec<ReadOnlyCommand>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadOnlyCommand {
    name: Spanned<String>,
    #[serde(default)]
    path: String,
    #[serde(default)]
    flags: String,
    #[serde(default)]
    values: String,
    #[serde(default)]
    style: Style,
    when: Option<Spanned<String>>,
}

impl ReadOnlyCommand {
    fn fields(&self, file: &DataFile) -> Result<String, DataError> {
        let fits = match &self.when {
            None => "|_| true".to_owned(),
            Some(function) if is_identifier(function.get_ref()) => {
                format!("conditions::{}", function.get_ref())
            }
            Some(other) => return Err(file.bad("when", other, "name a function of conditions.rs")),
        };
        Ok(format!(
            "path: {:?}, flags: {:?}, values: {:?}, style: FlagStyle::{:?}, fits: {fits}",
            self.path, self.flags, self.values, self.style
        ))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReaderTable {
    reader: Vec<FileReader>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileReader {
    name: Spanned<String>,
    #[serde(default)]
    short: String,
    #[serde(default)]
    long: String,
}

impl FileReader {
    fn fields(&self) -> String {
        let long = words(&self.long);
        format!(
            "grammar: FlagGrammar {{ short: {:?}, attached: \"\", long: &{long:?}, stops: false }}",
            self.short
        )
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}
