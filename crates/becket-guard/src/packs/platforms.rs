//! Hosting platforms and managed services with their own command lines.

use super::args::FlagStyle;
use super::tool::{PatternRule, ToolRules, fine, on, rules};

rules! {
    APP = Severe "platforms.delete-app": "deletes an application, a project or a site with everything in it",
        "let a person delete it in the platform's console";
    DATA = Severe "platforms.delete-data": "deletes or resets a managed database, a volume, a bucket or a namespace of data",
        "make a backup first, and let a person delete it";
    DELETE = Doubtful "platforms.delete": "deletes something that runs or is kept elsewhere",
        "list it first, and make sure of account and environment";
    CONFIG = Doubtful "platforms.config": "changes or removes settings and secrets of what runs elsewhere",
        "let a person change them";
    ROLLBACK = Doubtful "platforms.rollback": "replaces the live deployment",
        "let a person roll back or promote";
    DEPLOY_PRODUCTION = Notice "platforms.deploy": "deploys the working copy to users",
        "deploy a preview first";
}

/// Verbs for removal that all these tools share.
const ANY_REMOVAL: &str = "** delete|destroy|remove|rm|terminate|purge|wipe|drop|deregister|revoke|del|delete-*|remove-*|destroy-*";

const COMMON_VALUES: &str = "-a --app -p --project -t --token -r --remote -c --config -e --env -s --service -o --output --org --team -S --scope --region --name -n";

const fn removal() -> PatternRule {
    on(ANY_REMOVAL, &DELETE)
}

const QUIET: PatternRule = fine("** --dry-run|--dryrun");

macro_rules! platform {
    ($names:expr, $($case:expr),* $(,)?) => {
        ToolRules {
            names: &$names,
            values: COMMON_VALUES,
            cases: &[QUIET, $($case,)* removal()],
            ..ToolRules::NEW
        }
    };
}

pub(super) static TOOLS: &[ToolRules] = &[
    platform!(
        ["heroku"],
        on("apps:destroy|apps:delete|destroy", &APP),
        on("apps destroy|delete", &APP),
        on(
            "pg:reset|pg:killall|pg:copy|pg:push|redis:reset|addons:destroy|kafka:topics:destroy|pg:backups:delete|pg:backups:restore|pg:promote",
            &DATA
        ),
        on("addons destroy", &DATA),
        on("config:unset|config:set|config:remove|config:edit", &CONFIG),
        on("releases:rollback|rollback|pipelines:promote", &ROLLBACK),
        on("*:destroy|*:remove|*:delete|*:revoke|*:rotate", &DELETE),
        on("ps:scale +*=0", &ROLLBACK),
        on("maintenance:on", &ROLLBACK),
    ),
    platform!(
        ["vercel", "vc", "now"],
        on("project|projects rm|remove", &APP),
        on("rm|remove", &APP),
        on("env rm|remove|add", &CONFIG),
        on("rollback|promote|alias", &ROLLBACK),
        on("deploy --prod", &DEPLOY_PRODUCTION),
        on("blob|storage ** del|delete|rm", &DATA),
    ),
    platform!(
        ["netlify", "ntl"],
        on("sites:delete|site:delete", &APP),
        on("env:unset|env:set|env:import", &CONFIG),
        on("blobs:delete", &DATA),
        on("deploy --prod|-p", &DEPLOY_PRODUCTION),
        on("*:delete", &DELETE),
    ),
    platform!(
        ["fly", "flyctl"],
        on("apps destroy|delete", &APP),
        on("destroy", &APP),
        on(
            "volumes|volume|vol|postgres|pg|mpg|redis|storage|tigris|extensions destroy|delete|rm",
            &DATA
        ),
        on("secrets set|unset|import", &CONFIG),
        on("scale count +0", &ROLLBACK),
    ),
    platform!(
        ["railway"],
        on("down", &APP),
        on("delete", &APP),
        on("volume delete", &DATA),
        on("environment delete", &APP),
        on("variables --set|--unset", &CONFIG),
    ),
    platform!(["render"], on("services|blueprints delete", &APP)),
    platform!(
        ["wrangler"],
        on("delete", &APP),
        on(
            "d1|kv|kv:namespace|kv:key|kv:bulk|r2|queues|hyperdrive|vectorize|pipelines ** delete|purge",
            &DATA
        ),
        on("kv:key|kv:namespace|kv:bulk delete", &DATA),
        on("d1 time-travel restore", &DATA),
        on("pages project delete", &APP),
        on("secret delete|put|bulk", &CONFIG),
        on("rollback", &ROLLBACK),
    ),
    platform!(
        [
            "doctl",
            "linode-cli",
            "hcloud",
            "scw",
            "vultr-cli",
            "vultr",
            "upctl",
            "civo",
            "exo",
            "openstack",
            "oci",
            "ibmcloud",
            "aliyun",
            "tccli",
            "ovhcloud",
            "packet",
            "metal"
        ],
        on(
            "** databases|database|db|volume|volumes|snapshot|snapshots|image|images|object-storage|os|rdb|block-storage ** delete|rm|remove|terminate|destroy|bulk-delete",
            &DATA
        ),
        on(
            "** droplet|droplets|linodes|server|servers|instance|instances|cluster|clusters|kubernetes|project|projects|compartment ** delete|rm|remove|terminate|destroy|d",
            &APP
        ),
        on("resource service-instance-delete", &APP),
        on("** *-delete|*-rm", &DELETE),
    ),
    platform!(
        ["firebase"],
        on(
            "firestore:delete|database:remove|firestore:databases:delete|dataconnect:sql:migrate",
            &DATA
        ),
        on(
            "projects:delete|apps:delete|hosting:disable|hosting:sites:delete|functions:delete",
            &APP
        ),
        on(
            "auth:import|functions:secrets:destroy|functions:config:unset",
            &CONFIG
        ),
        on("*:delete|*:destroy|*:remove", &DELETE),
    ),
    platform!(
        ["supabase"],
        on("db reset --linked|--db-url", &DATA),
        on("db reset", &DELETE),
        on("projects delete", &APP),
        on("db push --include-all", &DELETE),
        on("migration repair|squash", &DELETE),
        on("branches delete", &DATA),
        on("secrets set|unset", &CONFIG),
        on("stop --no-backup", &DELETE),
    ),
    platform!(
        ["pscale"],
        on("database|db delete", &DATA),
        on("branch delete", &DATA),
        on("backup delete", &DATA),
        on("deploy-request deploy", &ROLLBACK),
        on("password delete", &CONFIG),
    ),
    platform!(
        [
            "neonctl",
            "neon",
            "turso",
            "atlas",
            "xata",
            "upstash",
            "astra",
            "cockroach-cloud",
            "ccloud",
            "aiven",
            "avn"
        ],
        on(
            "projects|project|databases|database|db|branches|branch|clusters|cluster|group|service|serverless|redis|backups ** delete|destroy|rm|terminate|reset",
            &DATA
        ),
    ),
    platform!(
        ["convex"],
        on("import --replace|--replace-all", &DATA),
        on("env remove|set|rm", &CONFIG),
    ),
    platform!(
        [
            "stripe",
            "twilio",
            "sendgrid",
            "ldcli",
            "launchdarkly",
            "statsig",
            "unleash",
            "algolia",
            "sentry-cli",
            "datadog-ci",
            "pagerduty",
            "pd",
            "slack",
            "shopify",
            "contentful",
            "sanity",
            "auth0",
            "okta",
            "clerk",
            "workos",
            "posthog-cli",
            "newrelic",
            "honeycomb",
            "grafanactl",
            "logtail",
            "segment",
            "mailgun",
            "resend",
            "expo",
            "eas",
            "fastly",
            "flarectl",
            "apigeecli",
            "dog",
            "postmark",
            "square",
            "braintree",
            "split",
            "flipt"
        ],
        on("dataset delete|import", &DATA),
        on("service delete", &APP),
        on("service purge --all", &ROLLBACK),
        on("space delete", &DATA),
        on("indices delete|clear", &DATA),
        on("refunds|payouts|transfers create", &CONFIG),
        on("tenants|users|apps delete", &DATA),
    ),
    platform!(
        [
            "ngrok",
            "cloudflared",
            "localtunnel",
            "lt",
            "tailscale",
            "bore"
        ],
        on("tunnel delete", &DELETE),
        on("funnel|serve", &DEPLOY_PRODUCTION),
        on("logout|down", &CONFIG),
    ),
    platform!(
        ["deck", "kong"],
        on("reset", &DATA),
        on("gateway reset", &DATA),
        on("migrations reset", &DATA),
    ),
    platform!(
        ["splunk"],
        on("clean", &DATA),
        on("remove index", &DATA),
        on("stop", &ROLLBACK),
    ),
    ToolRules {
        names: &["vault", "bao"],
        values: "-address -namespace -mount -token -format -field",
        style: FlagStyle::SingleDash,
        cases: &[
            on("secrets|auth disable", &DATA),
            on("kv delete|destroy|undelete|metadata", &DATA),
            on("delete", &DATA),
            on("lease|token revoke", &CONFIG),
            on("operator rekey|seal|step-down|generate-root|raft", &DATA),
            on("policy delete|write", &CONFIG),
            on("audit disable", &DATA),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "doppler",
            "op",
            "infisical",
            "chamber",
            "sops",
            "bw",
            "akeyless",
            "pass",
            "gopass",
            "security",
            "secret-tool",
        ],
        values: COMMON_VALUES,
        cases: &[
            on("vault|user|group delete", &DATA),
            on("projects|environments|configs delete", &DATA),
            removal(),
        ],
        ..ToolRules::NEW
    },
];
