//! The command lines that the packs judge: tools, git subcommands and SQL clients.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

use crate::data_file::{DataError, DataFile};
use crate::rules::Rules;

/// Maximum number of words of a pattern that are no flags; `pattern.rs` has the same limit.
const MAX_PATH_WORDS: usize = 8;

/// The generated code of each table.
#[derive(Default)]
pub(crate) struct PackTables {
    tools: String,
    /// The statics that judge a program, in order.
    by_program: BTreeMap<String, Vec<String>>,
    subcommands: String,
    clients: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackFile {
    #[serde(default, rename = "rule")]
    _rules: IgnoredAny,
    #[serde(default)]
    shared: BTreeMap<String, Shared>,
    #[serde(default)]
    tool: Vec<Tool>,
    #[serde(default)]
    subcommand: Vec<Subcommand>,
    #[serde(default)]
    client: Vec<Client>,
}

/// A rule's id (or `fine`) and a pattern.
type Case = (Spanned<String>, Spanned<String>);

/// What several tools of a file have in common.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shared {
    #[serde(default)]
    values: String,
    #[serde(default)]
    first: Vec<Case>,
    #[serde(default)]
    last: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    names: Spanned<String>,
    #[serde(default)]
    values: String,
    #[serde(default)]
    style: Style,
    unless: Option<Spanned<String>>,
    shared: Option<Spanned<String>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Subcommand {
    name: Spanned<String>,
    #[serde(default)]
    values: String,
    #[serde(default)]
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Client {
    names: Spanned<String>,
    #[serde(default)]
    path: String,
    #[serde(default)]
    dialect: Dialect,
    #[serde(default)]
    style: Style,
    #[serde(default)]
    values: String,
    #[serde(default)]
    code: String,
    operands: Option<usize>,
    database: Option<String>,
}

/// How a tool spells its flags.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Style {
    #[default]
    Gnu,
    Abbreviating,
    SingleDash,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Dialect {
    #[default]
    Standard,
    #[serde(rename = "mysql")]
    MySql,
    SqlServer,
}

impl PackTables {
    /// Reads the tables of every pack.
    pub(crate) fn read(rules: &Rules) -> Result<Self, DataError> {
        let mut tables = Self::default();
        for name in &rules.files {
            let file = DataFile::read(&format!("packs/{name}.toml"))?;
            let content: PackFile = file.parse()?;
            for (at, tool) in content.tool.iter().enumerate() {
                let constant = format!("{}_{at}", name.to_ascii_uppercase().replace('-', "_"));
                tables.add_tool(&file, &content, tool, &constant, rules)?;
            }
            file.require_order("name", content.subcommand.iter().map(|each| &each.name))?;
            for subcommand in &content.subcommand {
                tables.add_subcommand(&file, subcommand, rules)?;
            }
            for client in &content.client {
                tables.add_client(&file, client)?;
            }
        }
        Ok(tables)
    }

    fn add_tool(
        &mut self,
        file: &DataFile,
        content: &PackFile,
        tool: &Tool,
        constant: &str,
        rules: &Rules,
    ) -> Result<(), DataError> {
        let none = Shared::default();
        let shared = match &tool.shared {
            None => &none,
            Some(name) => content.shared.get(name.get_ref()).ok_or_else(|| {
                file.bad(
                    "shared",
                    name,
                    "the file has no table `[shared.…]` of this name",
                )
            })?,
        };
        let cases = shared.first.iter().chain(&tool.cases).chain(&shared.last);
        let cases = cases_code(file, cases, rules)?;
        let values = [shared.values.as_str(), &tool.values].join(" ");
        let unless = match &tool.unless {
            None => "|_| false".to_owned(),
            Some(function) if is_identifier(function.get_ref()) => {
                format!("exceptions::{}", function.get_ref())
            }
            Some(other) => {
                return Err(file.bad("unless", other, "name a function of exceptions.rs"));
            }
        };
        let _ = writeln!(
            self.tools,
            "static {constant}: ToolRules = ToolRules {{ values: {:?}, style: FlagStyle::{:?}, unless: \
             {unless}, cases: &[{cases}] }};",
            values.trim(),
            tool.style
        );
        for name in file.words("names", &tool.names)? {
            self.by_program
                .entry(name.to_owned())
                .or_default()
                .push(format!("&{constant}"));
        }
        Ok(())
    }

    fn add_subcommand(
        &mut self,
        file: &DataFile,
        subcommand: &Subcommand,
        rules: &Rules,
    ) -> Result<(), DataError> {
        let cases = cases_code(file, &subcommand.cases, rules)?;
        let _ = writeln!(
            self.subcommands,
            "GitSubcommand {{ name: {:?}, values: {:?}, cases: &[{cases}] }},",
            subcommand.name.get_ref(),
            subcommand.values
        );
        Ok(())
    }

    fn add_client(&mut self, file: &DataFile, client: &Client) -> Result<(), DataError> {
        let names = file.words("names", &client.names)?;
        let database = client.database.as_deref().unwrap_or("d dbname database D");
        let _ = writeln!(
            self.clients,
            "SqlClient {{ names: &{names:?}, path: {:?}, dialect: SqlDialect::{:?}, style: \
             FlagStyle::{:?}, values: {:?}, code: &{:?}, operands: {:?}, database: &{:?} }},",
            client.path,
            client.dialect,
            client.style,
            client.values,
            words(&client.code),
            client.operands,
            words(database)
        );
        Ok(())
    }

    /// The code of `tools.rs`.
    pub(crate) fn tools(&self) -> String {
        let mut code = self.tools.clone();
        code += "/// The tables that judge each program, sorted by its name.\n";
        code += "static TOOLS: &[(&str, &[&ToolRules])] = &[";
        for (name, tables) in &self.by_program {
            let _ = writeln!(code, "({name:?}, &[{}]),", tables.join(", "));
        }
        code + "];\n"
    }

    /// The code of `git_subcommands.rs`.
    pub(crate) fn git_subcommands(&self) -> String {
        format!(
            "static SUBCOMMANDS: &[GitSubcommand] = &[{}];\n",
            self.subcommands
        )
    }

    /// The code of `sql_clients.rs`.
    pub(crate) fn sql_clients(&self) -> String {
        format!("static CLIENTS: &[SqlClient] = &[{}];\n", self.clients)
    }
}

fn cases_code<'a>(
    file: &DataFile,
    cases: impl IntoIterator<Item = &'a Case>,
    rules: &Rules,
) -> Result<String, DataError> {
    let mut code = String::new();
    for (id, pattern) in cases {
        let text = pattern.get_ref();
        let path = text
            .split_whitespace()
            .filter(|word| !word.starts_with(['!', '-', '+']));
        if path.count() > MAX_PATH_WORDS {
            return Err(file.bad(
                "cases",
                pattern,
                format!("it has more than {MAX_PATH_WORDS} words"),
            ));
        }
        let _ = match (id.get_ref().as_str(), rules.path(id.get_ref())) {
            ("fine", _) => write!(code, "fine({text:?}), "),
            (_, Some(rule)) => write!(code, "on({text:?}, &{rule}), "),
            (_, None) => return Err(file.bad("cases", id, "neither a rule's id nor `fine`")),
        };
    }
    Ok(code)
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Whether `name` can name a function.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
