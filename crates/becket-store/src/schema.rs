//! Schema versions and migrations.
//!
//! Migrations only go forward. A released migration is never edited, because existing databases have already
//! applied it. To add one: a file in `migrations/`, a line in [`MIGRATIONS`], and a dump of the previous version in
//! `tests/it/versions/`.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::ErrorKind;
use crate::write::search_index;

/// SQLite's application id of Becket's databases: `BCKT`. Databases of other programs are refused.
const APPLICATION_ID: i64 = 0x4243_4b54;

/// One schema version.
struct Migration {
    sql: &'static str,
    /// The part that SQL cannot express.
    then: fn(&Connection) -> rusqlite::Result<()>,
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        sql: include_str!("../migrations/0001_events.sql"),
        then: |_| Ok(()),
    },
    Migration {
        sql: include_str!("../migrations/0002_full_text_search.sql"),
        then: search_index::backfill_search_index,
    },
    Migration {
        sql: include_str!("../migrations/0003_index_calls_by_input.sql"),
        then: |_| Ok(()),
    },
    Migration {
        sql: include_str!("../migrations/0004_recall.sql"),
        then: |_| Ok(()),
    },
    Migration {
        sql: include_str!("../migrations/0005_covering_indexes.sql"),
        then: |_| Ok(()),
    },
    Migration {
        sql: include_str!("../migrations/0006_drop_redundant_call_indexes.sql"),
        then: |_| Ok(()),
    },
    Migration {
        sql: include_str!("../migrations/0007_memory_words_without_checks.sql"),
        then: |_| Ok(()),
    },
];

/// The schema version that this program writes.
pub const VERSION: i64 = 7;
const _: () = assert!(MIGRATIONS.len() == 7, "each version has one migration");

/// Migrates a database to [`VERSION`].
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), ErrorKind> {
    while version(connection)? < VERSION {
        step(connection)?;
    }
    Ok(())
}

/// Applies one migration in one transaction. It reads the version again inside, because another process may have
/// been faster.
fn step(connection: &mut Connection) -> Result<(), ErrorKind> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = version(&transaction)?;
    let next = usize::try_from(from).ok().and_then(|at| MIGRATIONS.get(at));
    if let Some(migration) = next {
        transaction.execute_batch(migration.sql)?;
        (migration.then)(&transaction)?;
        transaction.pragma_update(None, "user_version", from + 1)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    transaction.commit()?;
    Ok(())
}

/// The version of a database; an error if it is another program's or a later one.
pub(crate) fn version(connection: &Connection) -> Result<i64, ErrorKind> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (found, application) = (pragma("user_version")?, pragma("application_id")?);
    if application != APPLICATION_ID {
        let tables = "SELECT count(*) FROM sqlite_schema";
        let tables: i64 = connection.query_row(tables, [], |row| row.get(0))?;
        if found != 0 || application != 0 || tables != 0 {
            return Err(ErrorKind::Foreign);
        }
    }
    if found > VERSION {
        return Err(ErrorKind::Newer {
            found,
            known: VERSION,
        });
    }
    Ok(found)
}
