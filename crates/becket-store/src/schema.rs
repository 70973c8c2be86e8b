//! The versions of the database, and the way from each to the next.
//!
//! Forward only. A migration is never edited once released: a database in the world has it behind
//! itself. A new one is a file in `migrations/`, a line in [`MIGRATIONS`], and a fixture of the version
//! before it in `tests/it/versions/`.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::ErrorKind;
use crate::write::search;

/// What Becket's databases have in their header, so that no other program's is taken for one: `BCKT`.
const APPLICATION_ID: i64 = 0x4243_4b54;

/// One step forward.
struct Migration {
    sql: &'static str,
    /// What SQL cannot do.
    then: fn(&Connection) -> rusqlite::Result<()>,
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        sql: include_str!("../migrations/0001_trail.sql"),
        then: |_| Ok(()),
    },
    Migration {
        sql: include_str!("../migrations/0002_search.sql"),
        then: search::index_everything,
    },
    Migration {
        sql: include_str!("../migrations/0003_calls_without_ids.sql"),
        then: |_| Ok(()),
    },
    Migration {
        sql: include_str!("../migrations/0004_recall.sql"),
        then: |_| Ok(()),
    },
    Migration {
        sql: include_str!("../migrations/0005_looked_for.sql"),
        then: |_| Ok(()),
    },
    Migration {
        sql: include_str!("../migrations/0006_calls_by_events.sql"),
        then: |_| Ok(()),
    },
];

/// The version that this program writes.
pub const VERSION: i64 = 6;
const _: () = assert!(MIGRATIONS.len() == 6, "each version is one migration");

/// Brings a database to [`VERSION`].
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), ErrorKind> {
    while version(connection)? < VERSION {
        step(connection)?;
    }
    Ok(())
}

/// One migration in one transaction. The version is read again inside it: another process may have
/// been quicker.
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

/// The version of a database, if it is one of ours and not from the future.
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
