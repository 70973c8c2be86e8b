//! Judges SQL, statement by statement.

use becket_base::text::prefix_bytes;

use super::clients::is_disposable;
use super::lexer::{SqlDialect, SqlLexer, SqlToken};
use crate::rule::Rule;
use crate::rules;

/// Maximum depth of code within strings (`DO $$ … $$`, `EXEC('…')`).
const MAX_DEPTH: usize = 3;
/// Longer SQL is not analyzed; the guard asks. People do not type that much.
const MAX_SQL_LENGTH: usize = 256 * 1024;

/// The rules that `text` matches.
pub(super) fn judge(text: &str, dialect: SqlDialect) -> Vec<&'static Rule> {
    let mut found = Vec::new();
    judge_within(text, dialect, 0, &mut found);
    found
}

fn judge_within(text: &str, dialect: SqlDialect, depth: usize, found: &mut Vec<&'static Rule>) {
    let kept = prefix_bytes(text, MAX_SQL_LENGTH);
    if kept.len() < text.len() {
        found.push(&rules::DATABASES_NOT_READ);
    }
    let tokens: Vec<SqlToken<'_>> = SqlLexer::new(kept, dialect).collect();
    let statements: Vec<&[SqlToken<'_>]> = tokens
        .split(|token| *token == SqlToken::Sign(';') || token.is("GO"))
        .filter(|statement| !statement.is_empty())
        .collect();
    if is_rolled_back(&statements, dialect) {
        return;
    }
    for statement in statements {
        found.extend(judge_statement(statement));
        for code in embedded(statement) {
            if depth < MAX_DEPTH {
                judge_within(code, dialect, depth + 1, found);
            } else {
                found.push(&rules::DATABASES_NOT_READ);
            }
        }
    }
}

/// `BEGIN; …; ROLLBACK` changes nothing in dialects with transactional DDL.
fn is_rolled_back(statements: &[&[SqlToken<'_>]], dialect: SqlDialect) -> bool {
    let starts = |statement: &&[SqlToken<'_>], words: &[&str]| statement[0].is_one_of(words);
    let opened = statements
        .first()
        .is_some_and(|first| starts(first, &["BEGIN"]) || begins(first, &["START", "TRANSACTION"]));
    opened
        && dialect == SqlDialect::Standard
        && statements
            .last()
            .is_some_and(|last| last[0].is("ROLLBACK") && last.len() == 1)
        && !statements
            .iter()
            .any(|statement| starts(statement, &["COMMIT", "END"]))
        && statements
            .iter()
            .filter(|statement| statement[0].is("ROLLBACK"))
            .count()
            == 1
}

/// Strings that contain code.
fn embedded<'a>(statement: &[SqlToken<'a>]) -> Vec<&'a str> {
    if !statement[0].is_one_of(&["DO", "EXEC", "EXECUTE", "PREPARE"]) {
        return Vec::new();
    }
    statement
        .iter()
        .filter_map(|token| match token {
            SqlToken::Text(code) => Some(*code),
            _ => None,
        })
        .collect()
}

fn begins(statement: &[SqlToken<'_>], keywords: &[&str]) -> bool {
    statement.len() >= keywords.len()
        && keywords
            .iter()
            .zip(statement)
            .all(|(keyword, token)| token.is(keyword))
}

fn judge_statement(statement: &[SqlToken<'_>]) -> Option<&'static Rule> {
    let statement = unwrapped(statement)?;
    let (first, rest) = statement.split_first()?;
    let second = |keywords: &[&str]| rest.first().is_some_and(|token| token.is_one_of(keywords));
    let has = |keyword: &str| statement.iter().any(|token| token.is(keyword));
    match first {
        SqlToken::Word(word) => match word.to_ascii_uppercase().as_str() {
            "DROP" => dropped(rest),
            // `TRUNCATE(x, 2)` is a function, but no statement starts with it.
            "TRUNCATE" => Some(&rules::DATABASES_TRUNCATE),
            "DELETE" => deleted(statement),
            "UPDATE" => updated(statement),
            "WITH" => within_parts(statement),
            "ALTER" if second(&["SYSTEM"]) => Some(&rules::DATABASES_SERVER),
            "ALTER" => altered(statement),
            "GRANT" => (second(&["ALL"]) || has("SUPERUSER") || has("DBA"))
                .then_some(&rules::DATABASES_GRANT),
            "CREATE" => created(statement),
            "COPY" => has("PROGRAM").then_some(&rules::DATABASES_SHELL),
            "SET" => second(&["GLOBAL", "PERSIST"]).then_some(&rules::DATABASES_SERVER),
            "SHUTDOWN" | "KILL" => Some(&rules::DATABASES_SERVER),
            "RESET" => second(&["MASTER", "SLAVE", "REPLICA"]).then_some(&rules::DATABASES_SERVER),
            "PURGE" => second(&["BINARY", "MASTER"]).then_some(&rules::DATABASES_SERVER),
            "EXEC" | "EXECUTE" => rest
                .iter()
                .any(|token| token.is("xp_cmdshell"))
                .then_some(&rules::DATABASES_SHELL),
            "XP_CMDSHELL" => Some(&rules::DATABASES_SHELL),
            _ => None,
        },
        _ => None,
    }
}

/// The statement after `EXPLAIN ANALYZE`, which executes it; plain `EXPLAIN` does not.
fn unwrapped<'s, 'a>(statement: &'s [SqlToken<'a>]) -> Option<&'s [SqlToken<'a>]> {
    if !statement
        .first()?
        .is_one_of(&["EXPLAIN", "DESCRIBE", "DESC"])
    {
        return Some(statement);
    }
    let analyze = statement.iter().position(|token| token.is("ANALYZE"))?;
    let verbs = ["DELETE", "UPDATE", "WITH", "DROP", "TRUNCATE"];
    let at = statement[analyze..]
        .iter()
        .position(|token| token.is_one_of(&verbs))?;
    Some(&statement[analyze + at..])
}

fn dropped(rest: &[SqlToken<'_>]) -> Option<&'static Rule> {
    let kind = rest.first()?;
    if kind.is_one_of(&["TEMPORARY", "TEMP"]) || kind.is("PREPARE") {
        return None;
    }
    let data = [
        "SCHEMA",
        "TABLE",
        "TABLESPACE",
        "OWNED",
        "COLUMNFAMILY",
        "BUCKET",
        "MEASUREMENT",
        "SERIES",
        "CATALOG",
        "FOREIGN",
        "STREAM",
    ];
    let other = [
        "INDEX",
        "VIEW",
        "MATERIALIZED",
        "FUNCTION",
        "PROCEDURE",
        "TRIGGER",
        "SEQUENCE",
        "TYPE",
        "DOMAIN",
        "EXTENSION",
        "ROLE",
        "USER",
        "LOGIN",
        "POLICY",
        "RULE",
        "AGGREGATE",
        "EVENT",
        "PUBLICATION",
        "SUBSCRIPTION",
        "SERVER",
        "RETENTION",
        "DICTIONARY",
        "COLUMN",
        "PARTITION",
        "SHARD",
    ];
    if kind.is_one_of(&["DATABASE", "KEYSPACE"]) {
        return Some(dropped_database(rest));
    }
    if kind.is_one_of(&data) {
        return Some(&rules::DATABASES_DROP);
    }
    kind.is_one_of(&other)
        .then_some(&rules::DATABASES_DROP_OBJECT)
}

/// The statement names the database, so the connected database does not matter.
fn dropped_database(rest: &[SqlToken<'_>]) -> &'static Rule {
    let name = rest[1..]
        .iter()
        .find(|token| !token.is_one_of(&["IF", "EXISTS"]));
    match name {
        Some(SqlToken::Word(name) | SqlToken::Name(name)) if is_disposable(name) => {
            &rules::DATABASES_TEST_DATA
        }
        _ => &rules::DATABASES_DROP_DATABASE,
    }
}

fn altered(statement: &[SqlToken<'_>]) -> Option<&'static Rule> {
    let at = statement.iter().position(|token| token.is("DROP"))?;
    if !statement.get(1)?.is_one_of(&["TABLE", "FOREIGN"]) {
        return None;
    }
    let harmless = [
        "CONSTRAINT",
        "DEFAULT",
        "NOT",
        "INDEX",
        "KEY",
        "FOREIGN",
        "PRIMARY",
        "CHECK",
        "IDENTITY",
        "EXPRESSION",
        "UNIQUE",
    ];
    let what = statement.get(at + 1)?;
    if what.is("PARTITION") {
        return Some(&rules::DATABASES_DROP);
    }
    (!what.is_one_of(&harmless)).then_some(&rules::DATABASES_ALTER_DROP)
}

fn created(statement: &[SqlToken<'_>]) -> Option<&'static Rule> {
    let has = |keyword: &str| statement.iter().any(|token| token.is(keyword));
    if begins(statement, &["CREATE", "OR", "REPLACE", "TABLE"]) {
        return Some(&rules::DATABASES_REPLACE_TABLE);
    }
    let account = statement
        .get(1)
        .is_some_and(|token| token.is_one_of(&["USER", "ROLE"]));
    (account && has("SUPERUSER")).then_some(&rules::DATABASES_GRANT)
}

fn deleted(statement: &[SqlToken<'_>]) -> Option<&'static Rule> {
    (!is_narrowed(statement)).then_some(&rules::DATABASES_DELETE_ALL)
}

fn updated(statement: &[SqlToken<'_>]) -> Option<&'static Rule> {
    let sets = statement.iter().any(|token| token.is("SET"));
    (sets && !is_narrowed(statement)).then_some(&rules::DATABASES_UPDATE_ALL)
}

/// Whether a condition of the statement itself selects rows. A condition in parentheses belongs to a subquery.
fn is_narrowed(statement: &[SqlToken<'_>]) -> bool {
    let mut depth = 0_usize;
    for (at, token) in statement.iter().enumerate() {
        match token {
            SqlToken::Sign('(') => depth += 1,
            SqlToken::Sign(')') if depth == 0 => return false,
            SqlToken::Sign(')') => depth -= 1,
            token if depth == 0 && token.is("WHERE") => {
                return !is_always_true(&statement[at + 1..]);
            }
            token if depth == 0 && token.is_one_of(&["LIMIT", "JOIN", "PARTITION"]) => return true,
            _ => {}
        }
    }
    false
}

/// `1=1`, `true`, `1`, `'a'='a'`, also in parentheses or with `OR` after them.
fn is_always_true(condition: &[SqlToken<'_>]) -> bool {
    let core: Vec<&SqlToken<'_>> = condition
        .iter()
        .filter(|token| !matches!(token, SqlToken::Sign('(' | ')')))
        .take_while(|token| !token.is_one_of(&["RETURNING", "ORDER"]))
        .collect();
    let tautology = |part: &[&SqlToken<'_>]| match part {
        [one] => one.is("true") || one.is("1"),
        [left, SqlToken::Sign('='), right] => left == right,
        [left, SqlToken::Sign('<'), SqlToken::Sign('>'), right] => {
            is_literal(left) && is_literal(right) && left != right
        }
        _ => false,
    };
    if core.iter().any(|token| token.is("AND")) {
        return core.split(|token| token.is("AND")).all(tautology);
    }
    core.split(|token| token.is("OR")).any(tautology)
}

fn is_literal(token: &SqlToken<'_>) -> bool {
    match token {
        SqlToken::Text(_) => true,
        SqlToken::Word(word) => word.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// `WITH x AS (DELETE FROM t …) …` and `WITH x AS (…) DELETE FROM t …`.
fn within_parts(statement: &[SqlToken<'_>]) -> Option<&'static Rule> {
    statement.iter().enumerate().find_map(|(at, token)| {
        let rest = &statement[at..];
        let starts_part = at > 0 && matches!(statement[at - 1], SqlToken::Sign('(' | ')'));
        if !starts_part {
            None
        } else if token.is("DELETE") {
            deleted(rest)
        } else if token.is("UPDATE") {
            updated(rest)
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str, dialect: SqlDialect) -> Vec<&'static str> {
        judge(text, dialect).iter().map(|rule| rule.id).collect()
    }

    #[test]
    fn destructive_statements_match_their_rule() {
        for (text, id) in [
            ("DROP TABLE users", "databases.drop"),
            ("drop table if exists users cascade;", "databases.drop"),
            ("select 1; DROP DATABASE app", "databases.drop-database"),
            ("drop database if exists \"app\"", "databases.drop-database"),
            ("DROP DATABASE app_test", "databases.test-data"),
            ("DROP/**/SCHEMA public CASCADE", "databases.drop"),
            ("-- note\nDROP\nTABLE x", "databases.drop"),
            ("DROP INDEX a", "databases.drop-object"),
            ("DROP USER bob", "databases.drop-object"),
            ("DROP VIEW v", "databases.drop-object"),
            ("TRUNCATE users", "databases.truncate"),
            ("truncate table a, b cascade", "databases.truncate"),
            ("TRUNCATE ONLY t", "databases.truncate"),
            ("DELETE FROM users", "databases.delete-all"),
            ("delete from users where 1=1", "databases.delete-all"),
            ("DELETE FROM users WHERE true", "databases.delete-all"),
            (
                "DELETE FROM users WHERE (1 = 1) RETURNING id",
                "databases.delete-all",
            ),
            (
                "DELETE FROM users WHERE id = 4 OR 1=1",
                "databases.delete-all",
            ),
            (
                "DELETE FROM users USING (SELECT 1 WHERE 1=2) x",
                "databases.delete-all",
            ),
            (
                "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone",
                "databases.delete-all",
            ),
            (
                "WITH a AS (SELECT 1) DELETE FROM users",
                "databases.delete-all",
            ),
            ("EXPLAIN ANALYZE DELETE FROM users", "databases.delete-all"),
            ("UPDATE users SET admin = true", "databases.update-all"),
            (
                "UPDATE users SET a = (SELECT 1 WHERE 1=1)",
                "databases.update-all",
            ),
            ("update t set x=1 where 'a'='a'", "databases.update-all"),
            ("ALTER TABLE t DROP COLUMN c", "databases.alter-drop"),
            ("ALTER TABLE t DROP c", "databases.alter-drop"),
            ("ALTER TABLE t DROP IF EXISTS c", "databases.alter-drop"),
            ("GRANT ALL PRIVILEGES ON *.* TO 'x'", "databases.grant"),
            ("CREATE ROLE x SUPERUSER", "databases.grant"),
            ("COPY t FROM PROGRAM 'id'", "databases.shell"),
            ("EXEC xp_cmdshell 'dir'", "databases.shell"),
            ("DO $$ BEGIN; DROP TABLE x; END $$", "databases.drop"),
            ("EXEC('DROP TABLE x')", "databases.drop"),
            ("SET GLOBAL general_log = 1", "databases.server"),
            (
                "CREATE OR REPLACE TABLE t AS SELECT 1",
                "databases.replace-table",
            ),
            ("BEGIN; DROP TABLE x; COMMIT", "databases.drop"),
        ] {
            assert!(
                ids(text, SqlDialect::Standard).contains(&id),
                "{text}: {:?}",
                ids(text, SqlDialect::Standard)
            );
        }
        assert_eq!(
            ids("/*!50000 DROP TABLE x */", SqlDialect::MySql),
            ["databases.drop"]
        );
        assert_eq!(
            ids("BEGIN; DROP TABLE x; ROLLBACK", SqlDialect::MySql),
            ["databases.drop"]
        );
        assert_eq!(
            ids("DROP TABLE [x]\nGO", SqlDialect::SqlServer),
            ["databases.drop"]
        );
    }

    #[test]
    fn sql_beyond_the_limits_is_not_harmless() {
        let long = "SELECT 1;\n".repeat(30_000);
        assert_eq!(
            judge(&long, SqlDialect::Standard),
            [&rules::DATABASES_NOT_READ]
        );
        let within = |depth: usize| {
            (0..depth).fold("SELECT 1".to_owned(), |inner, at| {
                format!("DO $t{at}$ {inner} $t{at}$")
            })
        };
        assert!(judge(&within(3), SqlDialect::Standard).is_empty());
        assert_eq!(
            judge(&within(4), SqlDialect::Standard),
            [&rules::DATABASES_NOT_READ]
        );
    }

    #[test]
    fn reading_and_narrow_statements_have_no_findings() {
        for text in [
            "SELECT * FROM users",
            "SELECT 'DROP TABLE users'",
            "SELECT \"drop table\" FROM t -- DROP TABLE x",
            "/* DROP TABLE x */ SELECT 1",
            "INSERT INTO log VALUES ('DELETE FROM users')",
            "DELETE FROM users WHERE id = 3",
            "DELETE FROM users WHERE id IN (SELECT id FROM old)",
            "DELETE FROM t WHERE a = 1 AND 1 = 1",
            "DELETE FROM t LIMIT 1",
            "UPDATE users SET name = 'x' WHERE id = 3",
            "UPDATE a SET x = 1 FROM b WHERE a.id = b.id",
            "CREATE TABLE t (id int REFERENCES x ON DELETE CASCADE)",
            "CREATE TABLE t AS SELECT 1",
            "GRANT SELECT ON t TO x",
            "GRANT DELETE ON t TO x",
            "ALTER TABLE t ADD COLUMN c int",
            "ALTER TABLE t ALTER COLUMN c DROP NOT NULL",
            "ALTER TABLE t DROP CONSTRAINT c",
            "EXPLAIN DELETE FROM users",
            "EXPLAIN ANALYZE SELECT * FROM users",
            "BEGIN; DELETE FROM users; ROLLBACK;",
            "SELECT truncate(1.23, 1)",
            "SELECT $$ DROP TABLE x $$",
            "SHOW TABLES",
            "\\dt",
            "DROP TEMPORARY TABLE t",
            "",
            ";;",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "WITH gone AS (DELETE FROM users WHERE id = 1 RETURNING *) SELECT * FROM gone",
            "SET search_path TO app",
        ] {
            assert!(
                ids(text, SqlDialect::Standard).is_empty(),
                "{text}: {:?}",
                ids(text, SqlDialect::Standard)
            );
        }
    }
}
