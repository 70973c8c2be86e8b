//! Tools that create, drop and migrate databases.

use super::super::args::FlagStyle;
use super::super::tool::{CommandContext, ToolRules, fine, on};
use super::clients::is_disposable;
use super::rules::{
    DATA_LOSS, DROP, DROP_DATABASE, MIGRATION_RESET, MIGRATION_UNDO, RESTORE_CLEAN, SERVER,
    TEST_DATA, TRUNCATE,
};

const ENVIRONMENTS: &[&str] = &[
    "RAILS_ENV",
    "RACK_ENV",
    "NODE_ENV",
    "APP_ENV",
    "MIX_ENV",
    "ASPNETCORE_ENVIRONMENT",
    "DJANGO_ENV",
    "--env",
    "--environment",
];

/// Whether the environment selects test data and nothing contradicts it.
fn is_test_environment(context: &CommandContext<'_>) -> bool {
    let variables = context
        .command
        .env
        .iter()
        .map(|(name, value)| (name.as_str(), value.text.as_str()));
    let given = context
        .command
        .words()
        .filter_map(|word| word.split_once('='));
    let mut says_test = false;
    for (name, value) in variables.chain(given) {
        let test = if name == "DATABASE_URL" {
            is_disposable(value)
        } else if ENVIRONMENTS.contains(&name) {
            value.eq_ignore_ascii_case("test") || value.eq_ignore_ascii_case("testing")
        } else {
            continue;
        };
        if !test {
            return false;
        }
        says_test = true;
    }
    says_test
}

const ORM: ToolRules = ToolRules {
    unless: is_test_environment,
    ..ToolRules::NEW
};

pub(in crate::packs) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["dropdb"],
        values: "-h --host -p --port -U --username --maintenance-db",
        style: FlagStyle::Abbreviating,
        cases: &[
            on(
                "+test|test_*|*_test|*_test_*|test-*|*-test|*_tmp|tmp_*|scratch_*|*_scratch",
                &TEST_DATA,
            ),
            on("_", &DROP_DATABASE),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["dropuser"],
        cases: &[on("_", &SERVER)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["mysqladmin", "mariadb-admin"],
        values: "-u --user -h --host -P --port -S --socket -p?",
        cases: &[
            on(
                "drop +test|test_*|*_test|*_test_*|test-*|*-test|*_tmp|tmp_*|scratch_*|*_scratch",
                &TEST_DATA,
            ),
            on("** drop", &DROP_DATABASE),
            on("** shutdown|flush-privileges|password|kill", &SERVER),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["pg_restore", "pg_dumpall"],
        values: "-d --dbname -h --host -p --port -U --username -j --jobs -n --schema -t --table -f --file",
        style: FlagStyle::Abbreviating,
        cases: &[
            fine("-l|--list"),
            fine("-f|--file"),
            on("-c|--clean", &RESTORE_CLEAN),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["mongorestore"],
        cases: &[on("--drop !--dryRun", &RESTORE_CLEAN)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "pg_ctl",
            "pg_ctlcluster",
            "pg_resetwal",
            "pg_dropcluster",
            "initdb",
        ],
        values: "-D --pgdata -l --log -m --mode",
        cases: &[on("stop|kill", &SERVER), on("-f|--force", &SERVER)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["pg_dropcluster", "pg_resetwal"],
        cases: &[fine("-n|--dry-run"), on("_", &DROP)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["nodetool", "cassandra-cli"],
        values: "-h --host -p --port -u -pw",
        cases: &[on(
            "clearsnapshot|decommission|removenode|assassinate|drain|stopdaemon",
            &SERVER,
        )],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["influx"],
        values: "-o --org -t --token --host -b --bucket --start --stop -p --predicate",
        cases: &[on("bucket|org delete", &DROP), on("delete", &TRUNCATE)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["rails", "rake"],
        cases: &[
            on(
                "runner|r *.delete_all*|*.destroy_all*|*drop_table*|*truncate*",
                &TRUNCATE,
            ),
            on(
                "** db:drop|db:drop:all|db:drop:_unsafe|db:reset|db:purge|db:purge:all|db:migrate:reset|db:truncate_all|db:setup",
                &MIGRATION_RESET,
            ),
            on(
                "** db:schema:load|db:structure:load|db:seed:replant",
                &MIGRATION_RESET,
            ),
            on(
                "** db:rollback|db:migrate:down|db:migrate:redo",
                &MIGRATION_UNDO,
            ),
        ],
        ..ORM
    },
    ToolRules {
        names: &["cypher-shell"],
        values: "-u --username -p --password -a --address -d --database --format -f --file",
        cases: &[on("*DETACH*|*detach*|*Detach*", &TRUNCATE)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["neo4j-admin"],
        cases: &[on("database delete|drop", &DROP_DATABASE)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["prisma"],
        values: "--schema --name -n --config",
        cases: &[
            on("migrate reset", &MIGRATION_RESET),
            on("db push --force-reset", &MIGRATION_RESET),
            on("db push --accept-data-loss", &DATA_LOSS),
        ],
        ..ORM
    },
    ToolRules {
        names: &["manage.py", "django-admin", "django-admin.py"],
        values: "--database --settings --pythonpath -v --verbosity -c --command",
        cases: &[
            on(
                "shell|shell_plus -c=*.all().delete()*|--command=*.all().delete()*",
                &TRUNCATE,
            ),
            fine("migrate --plan|--list"),
            on(
                "flush|reset_db|sqlflush_apply|reset_schema|truncate",
                &MIGRATION_RESET,
            ),
            on("migrate _ zero", &MIGRATION_UNDO),
            on("clean_pyc", &TEST_DATA),
        ],
        ..ORM
    },
    ToolRules {
        names: &["artisan", "sail"],
        values: "--database --path --seeder --execute",
        cases: &[
            on(
                "tinker --execute=*::truncate()*|--execute=*->truncate()*|--execute=*dropIfExists*|--execute=*->delete()*",
                &TRUNCATE,
            ),
            fine("** --pretend"),
            on(
                "** migrate:fresh|migrate:reset|migrate:refresh|db:wipe|schema:drop",
                &MIGRATION_RESET,
            ),
            on("** migrate:rollback", &MIGRATION_UNDO),
        ],
        ..ORM
    },
    ToolRules {
        names: &["console", "doctrine"],
        values: "--env -e --em --connection",
        cases: &[
            fine("** --dry-run|--dump-sql"),
            on(
                "doctrine:database:drop|doctrine:schema:drop|orm:schema-tool:drop -f|--force|--full-database",
                &MIGRATION_RESET,
            ),
            on("doctrine:fixtures:load !--append", &MIGRATION_RESET),
            on("doctrine:migrations:migrate first|prev", &MIGRATION_UNDO),
        ],
        ..ORM
    },
    ToolRules {
        names: &["alembic", "flask", "aerich", "piccolo", "yoyo"],
        values: "-c --config -n --name -x --app",
        cases: &[
            fine("** --sql|--help"),
            on("downgrade base", &MIGRATION_RESET),
            on("db downgrade base", &MIGRATION_RESET),
            on("downgrade", &MIGRATION_UNDO),
            on("db downgrade", &MIGRATION_UNDO),
            on("rollback", &MIGRATION_UNDO),
        ],
        ..ORM
    },
    ToolRules {
        names: &["sequelize", "sequelize-cli"],
        values: "--env --config --url --migrations-path --name --to",
        cases: &[
            on("db:drop|db:migrate:undo:all", &MIGRATION_RESET),
            on(
                "db:migrate:undo|db:seed:undo:all|db:seed:undo",
                &MIGRATION_UNDO,
            ),
        ],
        ..ORM
    },
    ToolRules {
        names: &[
            "typeorm",
            "typeorm-ts-node-commonjs",
            "typeorm-ts-node-esm",
            "mikro-orm",
        ],
        values: "-d --dataSource --config",
        cases: &[
            fine("** --dump"),
            on(
                "schema:drop|migration:fresh|schema:fresh|database:drop",
                &MIGRATION_RESET,
            ),
            on("migration:revert|migration:down", &MIGRATION_UNDO),
            on("schema:sync", &DATA_LOSS),
        ],
        ..ORM
    },
    ToolRules {
        names: &[
            "knex",
            "node-pg-migrate",
            "db-migrate",
            "umzug",
            "objection",
            "drizzle-kit",
            "kysely",
            "migrate-mongo",
            "dbmate",
            "atlas",
            "sqitch",
            "sqlx",
            "diesel",
            "sea-orm-cli",
            "refinery",
            "sqlx-cli",
            "migrate",
            "goose",
            "tern",
            "flyway",
            "liquibase",
            "hasura",
            "bytebase",
            "edgedb",
            "gel",
            "ecto",
        ],
        values: "--config --knexfile --env -e -d --dir --url -u --path -p -database -source --source -dir --connection --name --database-url -D",
        cases: &[
            fine("** --dry-run|--pretend|--dryRun"),
            on("migrate:rollback --all", &MIGRATION_RESET),
            on("migrate:rollback|migrate:down", &MIGRATION_UNDO),
            on("drop", &MIGRATION_RESET),
            on("push --force", &DATA_LOSS),
            on("clean", &MIGRATION_RESET),
            on("dropAll|drop-all", &MIGRATION_RESET),
            on(
                "rollback|rollback-*|rollbackCount|rollbackToDate|undo|revert",
                &MIGRATION_UNDO,
            ),
            on("** reset", &MIGRATION_RESET),
            on("** clean", &MIGRATION_RESET),
            on("schema clean", &MIGRATION_RESET),
            on("database drop|reset|wipe", &MIGRATION_RESET),
            on("migrate fresh|refresh|reset", &MIGRATION_RESET),
            on("migration revert|redo", &MIGRATION_UNDO),
            on("migrate revert|down|redo|rollback", &MIGRATION_UNDO),
            on("migrate delete", &MIGRATION_UNDO),
            on("migrate apply --down", &MIGRATION_UNDO),
            on("metadata clear|drop", &MIGRATION_UNDO),
            on("** down|down-to", &MIGRATION_UNDO),
        ],
        ..ORM
    },
    ToolRules {
        names: &["mix"],
        values: "-r --repo -n --step",
        cases: &[
            on(
                "ecto.drop|ecto.reset|ash.reset|ash.tear_down",
                &MIGRATION_RESET,
            ),
            on("ecto.rollback", &MIGRATION_UNDO),
        ],
        ..ORM
    },
    ToolRules {
        names: &["dotnet", "dotnet-ef"],
        values: "-p --project -s --startup-project -c --context",
        cases: &[
            fine("** --dry-run"),
            on("ef database drop", &MIGRATION_RESET),
            on("database drop", &MIGRATION_RESET),
            on("ef database update 0", &MIGRATION_RESET),
            on("ef migrations remove", &MIGRATION_UNDO),
        ],
        ..ORM
    },
    ToolRules {
        names: &["mvn", "mvnw", "gradle", "gradlew"],
        style: FlagStyle::SingleDash,
        cases: &[
            on(
                "** flyway:clean|flywayClean|*:flywayClean|liquibase:dropAll|liquibaseDropAll|dropAll",
                &MIGRATION_RESET,
            ),
            on(
                "** flyway:undo|liquibase:rollback|liquibaseRollback*",
                &MIGRATION_UNDO,
            ),
        ],
        ..ORM
    },
    ToolRules {
        names: &["bench", "wp", "drush", "craft", "odoo-bin", "magento"],
        values: "--site --path --url -d --database",
        cases: &[
            on("db drop|reset|clean", &MIGRATION_RESET),
            on("site empty|delete", &MIGRATION_RESET),
            on("sql:drop|sql-drop|site:install|si", &MIGRATION_RESET),
            on("drop-site|reinstall", &MIGRATION_RESET),
            on("** reinstall", &MIGRATION_RESET),
            on("setup:uninstall", &MIGRATION_RESET),
        ],
        ..ORM
    },
];
