//! SQL database clients: finds the SQL that a command line passes on.

use super::super::args::{Args, FlagStyle};
use super::super::tool::{CommandContext, ProgramCall};
use super::lexer::SqlDialect;
use crate::command::Stdin;

/// How a client receives SQL.
pub(super) struct SqlClient {
    names: &'static [&'static str],
    /// Subcommands before the options, if any.
    path: &'static str,
    dialect: SqlDialect,
    style: FlagStyle,
    values: &'static str,
    /// Flags whose value is SQL.
    code: &'static [&'static str],
    /// Index of the first operand that is SQL.
    operands: Option<usize>,
    /// Flags whose value names the database; operands that are not SQL name it, too.
    database: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/sql_clients.rs"));

/// SQL that a command sends to a database.
pub(super) struct SqlQuery {
    /// The SQL texts.
    pub(super) texts: Vec<String>,
    /// The dialect of the texts.
    pub(super) dialect: SqlDialect,
    /// Whether the database holds no data of value.
    pub(super) disposable: bool,
}

/// The SQL that `call` sends, if the program is a client.
pub(super) fn query(context: &CommandContext<'_>, call: ProgramCall<'_>) -> Option<SqlQuery> {
    let client = CLIENTS
        .iter()
        .find(|client| client.names.contains(&call.program))?;
    let args = Args::read(call.args, client.values, client.style);
    if args.is_help_request() || !args.matches_pattern(client.path) {
        return None;
    }
    let mut texts: Vec<String> = args.values_of(client.code).map(str::to_owned).collect();
    let (databases, code) = match client.operands {
        Some(from) => args.operands.split_at(from.min(args.operands.len())),
        None => (args.operands.as_slice(), &[][..]),
    };
    texts.extend(code.iter().map(|operand| operand.text.to_owned()));
    texts.extend(input(context));
    // The operand after the database is a user name.
    let named: Vec<&str> = databases
        .iter()
        .take(1)
        .map(|operand| operand.text)
        .chain(args.values_of(client.database))
        .collect();
    Some(SqlQuery {
        texts,
        dialect: client.dialect,
        disposable: !named.is_empty() && named.iter().all(|name| is_disposable(name)),
    })
}

/// Standard input of the command, if it is known.
pub(super) fn input(context: &CommandContext<'_>) -> Option<String> {
    match &context.command.stdin {
        Stdin::Text(text) => Some(text.clone()),
        Stdin::Pipe(from) => {
            let source = context.script.commands.get(*from)?;
            let says = matches!(source.program.as_str(), "echo" | "printf");
            says.then(|| source.words().collect::<Vec<_>>().join(" "))
        }
        Stdin::Inherited => None,
    }
}

/// Whether the database is for tests, in memory or in a temporary directory.
pub(in crate::packs) fn is_disposable(name: &str) -> bool {
    let last = name.split('?').next().unwrap_or(name);
    if name.contains("..") {
        return false;
    }
    if name == ":memory:" || name.starts_with("/tmp/") || name.starts_with("file::memory:") {
        return true;
    }
    let last = last.rsplit('/').next().unwrap_or(last);
    last.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| {
            ["test", "tests", "testing", "tmp", "temp", "scratch"]
                .iter()
                .any(|word| part.eq_ignore_ascii_case(word))
        })
}
