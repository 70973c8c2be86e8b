//! Repository hosts: gh, glab and similar clients.

use super::tool::{ToolRules, fine, on, rules};

rules! {
    DELETE = Severe "repositories.delete": "deletes a repository, with issues, releases and settings",
        "archive it instead, and let a person do it";
    ARCHIVE = Doubtful "repositories.archive": "archives, renames or transfers a repository",
        "let a person do it";
    VISIBILITY = Severe "repositories.visibility": "changes who can see the repository's content and history",
        "let a person change it in the settings";
    RELEASE_DELETE = Severe "repositories.release-delete": "deletes a release or its files, which others download",
        "edit the release or publish a new one";
    SECRETS = Doubtful "repositories.secrets": "changes secrets or variables that workflows use",
        "let a person set secrets";
    API_DELETE = Severe "repositories.api-delete": "deletes something through the API",
        "use the specific command, or let a person do it";
    API_WRITE = Notice "repositories.api-write": "changes something through the API",
        "use the specific command";
    MERGE_ADMIN = Severe "repositories.merge-admin": "merges around the checks and reviews that protect the branch",
        "wait for the checks, or ask a reviewer";
    MERGE = Notice "repositories.merge": "merges a change",
        "let a person merge";
    WORKFLOW = Doubtful "repositories.workflow": "switches off a workflow or deletes its runs and caches",
        "leave them; a workflow that hinders is better fixed";
    KEYS = Severe "repositories.keys": "adds or removes a key that opens repositories",
        "let a person manage keys";
    AUTH = Doubtful "repositories.auth": "changes who is logged in, and with which rights",
        "let a person log in";
    TALK_DELETE = Doubtful "repositories.delete-talk": "deletes an issue, a gist or a label",
        "close it instead";
    PROTECTION = Severe "repositories.protection": "changes or removes rules that protect branches",
        "let a person change rules";
    EXTENSION = Doubtful "repositories.extension": "installs code that runs with your login",
        "let a person install it";
}

const VALUES: &str = "-R --repo -H --header -X --method -f --raw-field -F --field -q --jq -t --template --hostname -b --body --title --input --preview --cache --visibility -e --env -o --org -u --user";

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["gh"],
        values: VALUES,
        cases: &[
            on("repo delete", &DELETE),
            on("repo edit --visibility", &VISIBILITY),
            on("repo archive|rename|unarchive", &ARCHIVE),
            on("repo deploy-key add|delete", &KEYS),
            on("ruleset delete", &PROTECTION),
            on("release delete|delete-asset", &RELEASE_DELETE),
            on("secret|variable set|delete|remove", &SECRETS),
            on(
                "api -X=DELETE|--method=DELETE|-X=delete|--method=delete",
                &API_DELETE,
            ),
            on(
                "api **  -X=PUT|-X=PATCH|-X=POST|--method=PUT|--method=PATCH|--method=POST +*protection*|*rulesets*",
                &PROTECTION,
            ),
            on(
                "api +graphql -f=*mutation*|-F=*mutation*|--raw-field=*mutation*|--field=*mutation* -f=*delete*|-F=*delete*|--raw-field=*delete*|--field=*delete*",
                &API_DELETE,
            ),
            on(
                "api +graphql -f=*mutation*|-F=*mutation*|--raw-field=*mutation*|--field=*mutation*",
                &API_WRITE,
            ),
            on("api -X|--method !-X=GET|--method=GET", &API_WRITE),
            on("pr merge --admin", &MERGE_ADMIN),
            on("pr merge", &MERGE),
            on("workflow disable", &WORKFLOW),
            on("run|cache delete", &WORKFLOW),
            on("ssh-key|gpg-key add|delete", &KEYS),
            fine("auth status|token"),
            on("auth", &AUTH),
            on("issue|gist|label|project|codespace delete", &TALK_DELETE),
            on("issue transfer", &TALK_DELETE),
            on("extension|ext install|exec|upgrade", &EXTENSION),
            on("alias set|import|delete", &EXTENSION),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["glab"],
        values: VALUES,
        cases: &[
            on("repo|project delete", &DELETE),
            on("repo|project archive|transfer", &ARCHIVE),
            on("release delete", &RELEASE_DELETE),
            on("variable|securefile set|delete|update|export", &SECRETS),
            on("api -X=DELETE|--method=DELETE", &API_DELETE),
            on("api -X|--method !-X=GET|--method=GET", &API_WRITE),
            on("ssh-key|deploy-key|gpg-key add|delete", &KEYS),
            on("ci|pipeline delete", &WORKFLOW),
            on(
                "issue|mr|label|snippet|schedule|token delete|revoke",
                &TALK_DELETE,
            ),
            on("mr merge", &MERGE),
            fine("auth status"),
            on("auth", &AUTH),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["gitlab-runner"],
        cases: &[on("unregister|uninstall|stop", &WORKFLOW)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["tea", "hub", "bb", "forgejo-cli", "fj", "lab"],
        cases: &[
            on("delete", &DELETE),
            on("repo|repos delete|rm|d", &DELETE),
            on("release|releases|r delete|rm", &RELEASE_DELETE),
            on("api -X=DELETE", &API_DELETE),
        ],
        values: VALUES,
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "circleci",
            "jenkins-cli",
            "jenkins",
            "buildkite",
            "bk",
            "drone",
            "travis",
            "concourse",
            "fly-ci",
            "argo",
        ],
        values: "-s -auth --token --host -n --namespace",
        cases: &[
            on(
                "delete-job|delete-builds|delete-node|delete-view|delete-credentials|safe-shutdown|shutdown|groovy|groovysh",
                &WORKFLOW,
            ),
            on("context ** delete|remove-secret|store-secret", &SECRETS),
            on("secret|env add|rm|unset|set|update", &SECRETS),
            on("** delete|destroy-pipeline|rm", &WORKFLOW),
        ],
        ..ToolRules::NEW
    },
];
