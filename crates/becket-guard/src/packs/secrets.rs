//! Tools that print secrets, which the agent would then read.

use super::args::FlagStyle;
use super::tool::{ToolRules, fine, on, rules};

rules! {
    PRINT = Severe "secrets.print": "prints a stored secret, which the agent then knows and may repeat",
        "let the program that needs it read it by itself, or ask for names only (list, describe, metadata)";
    PRINT_TOKEN = Doubtful "secrets.print-token": "prints credentials or settings that hold them",
        "let the tool use its own login, or read a single harmless setting";
}

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["aws", "aws2"],
        values: "--profile --region --output --query --endpoint-url --name --names --secret-id",
        cases: &[
            fine("** help $"),
            on(
                "secretsmanager get-secret-value|batch-get-secret-value",
                &PRINT,
            ),
            on(
                "ssm get-parameter|get-parameters|get-parameters-by-path --with-decryption",
                &PRINT,
            ),
            on("kms decrypt", &PRINT),
            on(
                "configure get aws_secret_access_key|aws_session_token|aws_access_key_id",
                &PRINT,
            ),
            on(
                "configure get *.aws_secret_access_key|*.aws_session_token",
                &PRINT,
            ),
            on("configure export-credentials", &PRINT),
            on(
                "ecr get-login-password|get-authorization-token",
                &PRINT_TOKEN,
            ),
            on("codeartifact get-authorization-token", &PRINT_TOKEN),
            on("eks get-token", &PRINT_TOKEN),
            on("rds generate-db-auth-token", &PRINT_TOKEN),
            on("ec2 get-password-data", &PRINT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["gpg", "gpg2", "age", "ansible-vault", "rage"],
        values: "-o --output -r --recipient --vault-password-file -i --identity -u --local-user",
        cases: &[
            fine("** -o|--output"),
            on("view", &PRINT),
            on("-d|--decrypt", &PRINT_TOKEN),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["rails"],
        values: "-e --environment",
        cases: &[on("credentials:show|secrets:show|encrypted:show", &PRINT)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["terraform", "tofu"],
        values: "-chdir",
        style: FlagStyle::SingleDash,
        cases: &[on(
            "output -raw +*password*|*secret*|*token*|*key*",
            &PRINT_TOKEN,
        )],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["gcloud"],
        values: "--project --account --secret --format",
        cases: &[
            on("** secrets versions access", &PRINT),
            on("kms decrypt", &PRINT),
            on("auth print-access-token|print-identity-token", &PRINT_TOKEN),
            on("auth application-default print-access-token", &PRINT_TOKEN),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["az"],
        values: "-g --resource-group -n --name --subscription -o --output --query --vault-name",
        cases: &[
            on("keyvault secret|key|certificate show|download", &PRINT),
            on("account get-access-token", &PRINT_TOKEN),
            on("** keys list|show|renew", &PRINT_TOKEN),
            on(
                "** list-keys|show-connection-string|connection-string",
                &PRINT_TOKEN,
            ),
            on("acr credential show", &PRINT_TOKEN),
            on(
                "webapp|functionapp config appsettings|connection-string list",
                &PRINT_TOKEN,
            ),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["vault", "bao"],
        values: "-address -namespace -mount -format",
        style: FlagStyle::SingleDash,
        cases: &[
            fine("kv metadata|list"),
            on("kv get", &PRINT),
            on("read", &PRINT),
            on("print token", &PRINT),
            on("token create", &PRINT_TOKEN),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["op"],
        values: "--account --vault --format --fields",
        cases: &[
            on("read", &PRINT),
            on("item|document get", &PRINT),
            on("inject", &PRINT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["kubectl", "oc", "k", "kubecolor"],
        values: "-n --namespace --context --kubeconfig -o --output -l --selector -f --filename --cluster --user --template",
        cases: &[
            on(
                "get +secret|secrets|secret/*|secrets/*|*,secret|*,secrets|secret,*|secrets,* -o=yaml|-o=json*|-o=go-template*|-o=template*|-o=custom-columns*|--output=yaml|--output=json*|--output=go-template*|--output=custom-columns*",
                &PRINT,
            ),
            on("extract secret/*|secrets/*", &PRINT),
            on("view-secret", &PRINT),
            on("create token", &PRINT_TOKEN),
            on("config view --raw", &PRINT),
            on("whoami -t|--show-token", &PRINT_TOKEN),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["heroku"],
        values: "-a --app -r --remote",
        cases: &[
            on("config $", &PRINT_TOKEN),
            on(
                "config:get|auth:token|pg:credentials:url|redis:credentials",
                &PRINT_TOKEN,
            ),
            on("config -s|--shell|-j|--json", &PRINT_TOKEN),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["gh", "glab"],
        values: "-h --hostname -u --user",
        cases: &[
            on("auth token", &PRINT_TOKEN),
            on("auth status -t|--show-token", &PRINT_TOKEN),
            on("variable|securefile get|export|download", &PRINT_TOKEN),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["doppler"],
        values: "-p --project -c --config -t --token --scope",
        cases: &[
            fine("secrets --only-names"),
            fine("secrets set|delete|upload|notes"),
            on("secrets get|download", &PRINT),
            on("secrets", &PRINT),
            on("configure get token", &PRINT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["pass", "gopass", "passage"],
        cases: &[
            fine("ls|list|find|search|git|version|init|insert|generate|rm|mv|cp|edit|add"),
            on("show|otp|grep", &PRINT),
            on("_", &PRINT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["security"],
        values: "-a -s -l -c -C -D -G -j -r",
        cases: &[
            on("find-generic-password|find-internet-password -w|-g", &PRINT),
            on("dump-keychain", &PRINT),
            on("export", &PRINT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "secret-tool",
            "keyring",
            "kwallet-query",
            "lpass",
            "bw",
            "rbw",
            "dashlane",
            "keepassxc-cli",
            "infisical",
            "chamber",
            "teller",
            "akeyless",
            "envchain",
            "berglas",
            "ejson",
            "credstash",
            "age",
            "sops",
            "ansible-vault",
        ],
        values: "-o --output --identity -e --env --path",
        cases: &[
            fine("list|ls|status|search|encrypt|edit|create|lock|login|unlock|sync"),
            on(
                "lookup|search|get|show|export|read|secrets|access|view|decrypt|clip|print",
                &PRINT,
            ),
            on("-d|--decrypt !-o|--output|-i|--in-place", &PRINT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["npm", "pnpm", "yarn"],
        cases: &[
            on("token create", &PRINT_TOKEN),
            on("config get *_authToken|_auth|_password", &PRINT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "vercel", "netlify", "railway", "wrangler", "fly", "flyctl", "firebase", "supabase",
        ],
        values: "-t --token -a --app --scope -s --service -e --environment",
        cases: &[
            on("env:get|env:list --plain|--json", &PRINT_TOKEN),
            on("variables|variable !--set", &PRINT_TOKEN),
            on("tokens create", &PRINT_TOKEN),
            on("auth token", &PRINT_TOKEN),
            on("functions:secrets:access|login:ci", &PRINT_TOKEN),
            on("projects api-keys", &PRINT_TOKEN),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "git-credential-manager",
            "git-credential-osxkeychain",
            "git-credential-store",
            "git-credential-libsecret",
            "docker-credential-desktop",
            "docker-credential-osxkeychain",
            "docker-credential-pass",
            "docker-credential-secretservice",
        ],
        cases: &[on("get", &PRINT)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["terraform", "tofu", "pulumi"],
        values: "-state -chdir",
        style: FlagStyle::SingleDash,
        cases: &[
            on("stack output --show-secrets", &PRINT_TOKEN),
            on("config --show-secrets", &PRINT_TOKEN),
            on("state pull", &PRINT_TOKEN),
        ],
        ..ToolRules::NEW
    },
];
