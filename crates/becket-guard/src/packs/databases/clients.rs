//! Command line clients of SQL databases: where their SQL comes from.

use super::super::args::{Args, Style};
use super::super::tool::{Call, Scene};
use super::lexer::Dialect;
use crate::command::Stdin;

/// How a client is given SQL.
pub(super) struct Client {
    names: &'static [&'static str],
    /// Subcommands in front, if it has any.
    path: &'static str,
    dialect: Dialect,
    style: Style,
    values: &'static str,
    /// Flags whose value is SQL.
    code: &'static [&'static str],
    /// The operand from which on operands are SQL.
    operands: Option<usize>,
    /// Flags whose value names the database, beside operands that are no SQL.
    database: &'static [&'static str],
}

const PLAIN: Client = Client {
    names: &[],
    path: "",
    dialect: Dialect::Standard,
    style: Style::Gnu,
    values: "",
    code: &[],
    operands: None,
    database: &["d", "dbname", "database", "D"],
};

static CLIENTS: &[Client] = &[
    Client {
        names: &["psql", "pgcli", "usql"],
        style: Style::Abbreviating,
        values: "-c --command -f --file -d --dbname -h --host -p --port -U --username -v --set --variable -o --output -L --log-file -P --pset -F --field-separator -R --record-separator -T --table-attr",
        code: &["c", "command"],
        ..PLAIN
    },
    Client {
        names: &["mysql", "mariadb", "mycli", "mysqlsh"],
        dialect: Dialect::MySql,
        style: Style::Abbreviating,
        values: "-e --execute -D --database -h --host -P --port -u --user -S --socket --protocol --defaults-file --default-character-set --init-command -p?",
        code: &["e", "execute", "init-command"],
        ..PLAIN
    },
    Client {
        names: &["sqlite3", "sqlite", "litecli", "sqlcipher"],
        style: Style::SingleDash,
        values: "-cmd -init -separator -nullvalue -newline -mmap -vfs",
        code: &["cmd"],
        operands: Some(1),
        ..PLAIN
    },
    Client {
        names: &["duckdb"],
        style: Style::SingleDash,
        values: "-c -s -cmd -init -separator -f",
        code: &["c", "s", "cmd"],
        operands: Some(1),
        ..PLAIN
    },
    Client {
        names: &["sqlcmd", "osql", "isql", "mssql-cli"],
        dialect: Dialect::SqlServer,
        values: "-Q -q -i -o -S -d -U -P -v",
        code: &["Q", "q"],
        ..PLAIN
    },
    Client {
        names: &["clickhouse-client", "clickhouse-local"],
        values: "-q --query -d --database -h --host --port -u --user --password --queries-file",
        code: &["q", "query"],
        ..PLAIN
    },
    Client {
        names: &["clickhouse"],
        path: "client|local",
        values: "-q --query -d --database -h --host --port -u --user --password --queries-file",
        code: &["q", "query"],
        ..PLAIN
    },
    Client {
        names: &["cockroach"],
        path: "sql",
        values: "-e --execute -d --database --url --host --certs-dir -u --user -f --file",
        code: &["e", "execute"],
        ..PLAIN
    },
    Client {
        names: &["snowsql", "snow", "bendsql"],
        values: "-q --query -f --filename -c --connection -d --dbname -a -u -s -r -w",
        code: &["q", "query"],
        ..PLAIN
    },
    Client {
        names: &["bq"],
        path: "query",
        style: Style::SingleDash,
        values: "-project_id -location -dataset_id -format -max_rows -destination_table",
        operands: Some(1),
        ..PLAIN
    },
    Client {
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
        style: Style::SingleDash,
        values: "-e -execute -q -f -u -n -p -d -database -k -keyspace -host -port -server -catalog -schema -username",
        code: &["e", "execute", "q"],
        database: &["d", "database", "k", "keyspace"],
        ..PLAIN
    },
    Client {
        names: &["sqlplus", "sqlldr", "db2", "dbconsole", "pgclient"],
        operands: Some(0),
        ..PLAIN
    },
    Client {
        names: &["wrangler"],
        path: "d1 execute",
        values: "--command --file -c --config -e --env --persist-to",
        code: &["command"],
        ..PLAIN
    },
    Client {
        names: &["turso"],
        path: "db shell",
        operands: Some(3),
        ..PLAIN
    },
    Client {
        names: &["heroku"],
        path: "pg:psql",
        values: "-a --app -c --command -r --remote",
        code: &["c", "command"],
        ..PLAIN
    },
    Client {
        names: &["rails", "manage.py", "django-admin", "prisma"],
        path: "db|dbconsole|dbshell",
        values: "-c --command --database --schema --file --url",
        code: &["c", "command"],
        database: &[],
        ..PLAIN
    },
];

/// SQL that a command hands to a database.
pub(super) struct Query {
    /// The texts, each on its own.
    pub(super) texts: Vec<String>,
    /// How to read them.
    pub(super) dialect: Dialect,
    /// Whether nothing of value is in that database.
    pub(super) disposable: bool,
}

/// What `call` would send, if it is a client.
pub(super) fn query(scene: &Scene<'_>, call: Call<'_>) -> Option<Query> {
    let client = CLIENTS
        .iter()
        .find(|client| client.names.contains(&call.program))?;
    let args = Args::read(call.args, client.values, client.style);
    if args.asks_for_help() || !args.fit(client.path) {
        return None;
    }
    let mut texts: Vec<String> = args.values_of(client.code).map(str::to_owned).collect();
    let (databases, code) = match client.operands {
        Some(from) => args.operands.split_at(from.min(args.operands.len())),
        None => (args.operands.as_slice(), &[][..]),
    };
    texts.extend(code.iter().map(|operand| operand.text.to_owned()));
    texts.extend(input(scene));
    // What follows the database is a user.
    let named: Vec<&str> = databases
        .iter()
        .take(1)
        .map(|operand| operand.text)
        .chain(args.values_of(client.database))
        .collect();
    Some(Query {
        texts,
        dialect: client.dialect,
        disposable: !named.is_empty() && named.iter().all(|name| is_disposable(name)),
    })
}

/// What the command reads, when it is known.
pub(super) fn input(scene: &Scene<'_>) -> Option<String> {
    match &scene.command.stdin {
        Stdin::Text(text) => Some(text.clone()),
        Stdin::Pipe(from) => {
            let source = scene.script.commands.get(*from)?;
            let says = matches!(source.program.as_str(), "echo" | "printf");
            says.then(|| source.words().collect::<Vec<_>>().join(" "))
        }
        Stdin::Inherited => None,
    }
}

/// A database for tests, in memory or in a temporary directory.
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
