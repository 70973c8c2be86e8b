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

const PLAIN: SqlClient = SqlClient {
    names: &[],
    path: "",
    dialect: SqlDialect::Standard,
    style: FlagStyle::Gnu,
    values: "",
    code: &[],
    operands: None,
    database: &["d", "dbname", "database", "D"],
};

static CLIENTS: &[SqlClient] = &[
    SqlClient {
        names: &["psql", "pgcli", "usql"],
        style: FlagStyle::Abbreviating,
        values: "-c --command -f --file -d --dbname -h --host -p --port -U --username -v --set --variable -o --output -L --log-file -P --pset -F --field-separator -R --record-separator -T --table-attr",
        code: &["c", "command"],
        ..PLAIN
    },
    SqlClient {
        names: &["mysql", "mariadb", "mycli", "mysqlsh"],
        dialect: SqlDialect::MySql,
        style: FlagStyle::Abbreviating,
        values: "-e --execute -D --database -h --host -P --port -u --user -S --socket --protocol --defaults-file --default-character-set --init-command -p?",
        code: &["e", "execute", "init-command"],
        ..PLAIN
    },
    SqlClient {
        names: &["sqlite3", "sqlite", "litecli", "sqlcipher"],
        style: FlagStyle::SingleDash,
        values: "-cmd -init -separator -nullvalue -newline -mmap -vfs",
        code: &["cmd"],
        operands: Some(1),
        ..PLAIN
    },
    SqlClient {
        names: &["duckdb"],
        style: FlagStyle::SingleDash,
        values: "-c -s -cmd -init -separator -f",
        code: &["c", "s", "cmd"],
        operands: Some(1),
        ..PLAIN
    },
    SqlClient {
        names: &["sqlcmd", "osql", "isql", "mssql-cli"],
        dialect: SqlDialect::SqlServer,
        values: "-Q -q -i -o -S -d -U -P -v",
        code: &["Q", "q"],
        ..PLAIN
    },
    SqlClient {
        names: &["clickhouse-client", "clickhouse-local"],
        values: "-q --query -d --database -h --host --port -u --user --password --queries-file",
        code: &["q", "query"],
        ..PLAIN
    },
    SqlClient {
        names: &["clickhouse"],
        path: "client|local",
        values: "-q --query -d --database -h --host --port -u --user --password --queries-file",
        code: &["q", "query"],
        ..PLAIN
    },
    SqlClient {
        names: &["cockroach"],
        path: "sql",
        values: "-e --execute -d --database --url --host --certs-dir -u --user -f --file",
        code: &["e", "execute"],
        ..PLAIN
    },
    SqlClient {
        names: &["snowsql", "snow", "bendsql"],
        values: "-q --query -f --filename -c --connection -d --dbname -a -u -s -r -w",
        code: &["q", "query"],
        ..PLAIN
    },
    SqlClient {
        names: &["bq"],
        path: "query",
        style: FlagStyle::SingleDash,
        values: "-project_id -location -dataset_id -format -max_rows -destination_table",
        operands: Some(1),
        ..PLAIN
    },
    SqlClient {
        names: &[
            "hive",
            "beeline",
            "spark-sql",
            "cqlsh",
            "trino",
            "presto",
            "impala-shell",
            "vsql",
            "nzsql",
            "databricks-sql",
            "ksql",
            "influx",
        ],
        style: FlagStyle::SingleDash,
        values: "-e -execute -q -f -u -n -p -d -database -k -keyspace -host -port -server -catalog -schema -username",
        code: &["e", "execute", "q"],
        database: &["d", "database", "k", "keyspace"],
        ..PLAIN
    },
    SqlClient {
        names: &["sqlplus", "sqlldr", "db2", "dbconsole", "pgclient"],
        operands: Some(0),
        ..PLAIN
    },
    SqlClient {
        names: &["wrangler"],
        path: "d1 execute",
        values: "--command --file -c --config -e --env --persist-to",
        code: &["command"],
        ..PLAIN
    },
    SqlClient {
        names: &["turso"],
        path: "db shell",
        operands: Some(3),
        ..PLAIN
    },
    SqlClient {
        names: &["heroku"],
        path: "pg:psql",
        values: "-a --app -c --command -r --remote",
        code: &["c", "command"],
        ..PLAIN
    },
    SqlClient {
        names: &["rails", "manage.py", "django-admin", "prisma"],
        path: "db|dbconsole|dbshell",
        values: "-c --command --database --schema --file --url",
        code: &["c", "command"],
        database: &[],
        ..PLAIN
    },
];

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
pub(super) fn is_disposable(name: &str) -> bool {
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
