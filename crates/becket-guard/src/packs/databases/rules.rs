//! Rules of the `databases` pack.

use crate::packs::tool::rules;

rules! {
    DROP_DATABASE = Severe "databases.drop-database": "deletes a whole database",
        "make a backup, and let a person do it";
    DROP = Severe "databases.drop": "deletes a schema or tables with everything in them",
        "make a backup, rename instead of dropping, or let a person do it";
    DROP_OBJECT = Doubtful "databases.drop-object": "deletes an index, a view, a function, a user or another definition",
        "save its definition first; put the change into a migration";
    TRUNCATE = Severe "databases.truncate": "deletes every row of a table",
        "count the rows first; delete with a WHERE, within a transaction";
    DELETE_ALL = Severe "databases.delete-all": "deletes every row, because nothing narrows it",
        "add a WHERE, and try it first within BEGIN … ROLLBACK";
    UPDATE_ALL = Severe "databases.update-all": "changes every row, because nothing narrows it",
        "add a WHERE, and try it first within BEGIN … ROLLBACK";
    ALTER_DROP = Doubtful "databases.alter-drop": "deletes a column with its values",
        "put it into a migration that a person reviews";
    REPLACE_TABLE = Doubtful "databases.replace-table": "replaces a table, if there is one, with a new one",
        "create it under another name first";
    GRANT = Doubtful "databases.grant": "hands out all rights to a database",
        "grant only what is needed, on named tables";
    SERVER = Doubtful "databases.server": "changes or stops the server itself",
        "let a person change the server";
    SHELL = Severe "databases.shell": "runs a program through the database",
        "run the program by itself, where it can be seen";
    NOT_READ = Doubtful "databases.not-read": "runs SQL that is too long or too deeply nested to be checked",
        "run it in smaller pieces, or let a person review it";
    TEST_DATA = Notice "databases.test-data": "destroys data of a test database",
        "make sure that it is the test database";
    COLLECTION = Severe "databases.collection": "deletes a database, a collection or every document in it",
        "count the documents first, and narrow the filter";
    CACHE = Severe "databases.cache-flush": "deletes every key",
        "delete single keys, after `SCAN` has shown them";
    CACHE_KEYS = Doubtful "databases.cache-keys": "deletes keys that a search selects",
        "look at the list of keys first";
    CACHE_SERVER = Doubtful "databases.cache-server": "changes or stops the server",
        "let a person change the server";
    CACHE_EXECUTES = Severe "databases.cache-writes": "lets the server write files of the caller's choice",
        "leave `dir` and `dbfilename` as they are";
    RESTORE_CLEAN = Severe "databases.restore-clean": "drops what is there before it restores",
        "restore into a new, empty database";
    MIGRATION_RESET = Severe "databases.migration-reset": "drops the database or all its tables and rebuilds them without the data",
        "apply the pending migrations only; reset only a test database";
    MIGRATION_UNDO = Doubtful "databases.migration-undo": "takes migrations back, with the data of what they had added",
        "go forward with a new migration";
    DATA_LOSS = Severe "databases.accept-data-loss": "changes the schema although data is lost by it",
        "make a migration and read it";
}
