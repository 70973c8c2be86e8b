//! Infrastructure as code: Terraform and compatible tools, Pulumi, CDK, Ansible, Vagrant, Serverless.

use super::args::FlagStyle;
use super::tool::{PatternRule, ToolRules, fine, on, rules};

rules! {
    DESTROY = Severe "terraform.destroy": "destroys infrastructure that the configuration describes",
        "`terraform plan -destroy` shows what would go; let a person run it";
    AUTO_APPROVE = Doubtful "terraform.auto-approve": "changes infrastructure without showing the plan to anyone",
        "`terraform plan -out=plan.tfplan`, have it read, then `terraform apply plan.tfplan`";
    APPLY = Notice "terraform.apply": "changes infrastructure after its own question",
        "`terraform plan` first";
    STATE = Severe "terraform.state": "changes the record of what exists, so that resources are forgotten or made twice",
        "`terraform state pull > backup.tfstate` first; prefer `moved` and `removed` blocks";
    STATE_MOVE = Doubtful "terraform.state-move": "changes the record of what exists",
        "prefer `moved` and `import` blocks, which a plan shows";
    FORCE_UNLOCK = Severe "terraform.force-unlock": "breaks the lock that keeps two runs from damaging the state",
        "find out who holds the lock and wait";
    WORKSPACE_DELETE = Severe "terraform.workspace-delete": "deletes a workspace with its state",
        "`terraform state list` in it must be empty first";
    TAINT = Doubtful "terraform.taint": "marks a resource to be destroyed and made again",
        "`terraform plan -replace=ADDRESS` shows what that means";
    IMPORT = Notice "terraform.import": "adds a resource to the state",
        "prefer an `import` block, which a plan shows";
    STACK_REMOVE = Severe "terraform.stack-remove": "forgets a stack and its history",
        "destroy its resources first, and let a person remove it";
    MACHINE_DESTROY = Doubtful "terraform.machine-destroy": "destroys a virtual machine and what is on its disk",
        "`vagrant halt` keeps the disk";
    ABSENT = Doubtful "terraform.ad-hoc": "changes many machines at once",
        "`--check` shows what would change; `--limit` narrows it";
}

const VALUES: &str = "-chdir -var -var-file -target -replace -state -state-out -backup -backup-config -lock-timeout -parallelism -out --terragrunt-working-dir --working-dir --terragrunt-config --config";

static TERRAFORM: &[PatternRule] = &[
    fine("plan"),
    on("destroy|destroy-all", &DESTROY),
    on("apply-all", &AUTO_APPROVE),
    on("apply -destroy", &DESTROY),
    on("run-all destroy", &DESTROY),
    on("run --all destroy", &DESTROY),
    on("run destroy", &DESTROY),
    on("stack run destroy", &DESTROY),
    on(
        "run|run-all|stack ** apply -auto-approve|--non-interactive|--terragrunt-non-interactive|-y",
        &AUTO_APPROVE,
    ),
    on(
        "apply -auto-approve|--terragrunt-non-interactive",
        &AUTO_APPROVE,
    ),
    on("apply", &APPLY),
    fine("state mv|rm -dry-run"),
    on("state rm|push|replace-provider", &STATE),
    on("state mv", &STATE_MOVE),
    on("force-unlock", &FORCE_UNLOCK),
    on("workspace delete", &WORKSPACE_DELETE),
    on("taint|untaint", &TAINT),
    on("import", &IMPORT),
];

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &[
            "terraform",
            "tofu",
            "opentofu",
            "terragrunt",
            "tf",
            "tfswitch-terraform",
        ],
        values: VALUES,
        style: FlagStyle::SingleDash,
        cases: TERRAFORM,
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["pulumi"],
        values: "-s --stack -C --cwd -c --config -t --target -m --message",
        cases: &[
            fine("destroy|up|update|refresh --preview-only"),
            on("destroy|down|dn", &DESTROY),
            on("up|update -y|--yes|-f|--skip-preview", &AUTO_APPROVE),
            on("up|update", &APPLY),
            on("stack rm", &STACK_REMOVE),
            on("state delete|unprotect|edit|rename", &STATE),
            on("stack import", &STATE),
            on("cancel", &FORCE_UNLOCK),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "cdk",
            "cdktf",
            "cdklocal",
            "copilot",
            "sam",
            "sls",
            "serverless",
            "sst",
            "amplify",
            "eb",
            "chalice",
            "zappa",
        ],
        values: "-a --app -c --context --profile --stage -s --region -r --stack-name --config -n --name -e --env --require-approval",
        cases: &[
            on("destroy|delete|remove|undeploy|terminate", &DESTROY),
            on("app|env|svc|job|pipeline delete", &DESTROY),
            on(
                "deploy --require-approval=never|--auto-approve|--no-confirm-changeset",
                &AUTO_APPROVE,
            ),
            on("** delete|remove|terminate", &DESTROY),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["ansible"],
        values: "-m --module-name -a --args -i --inventory -l --limit -u --user -e --extra-vars -f --forks -t --tree",
        cases: &[
            fine("** -C|--check|--list-hosts|--syntax-check"),
            on(
                "** -m=shell|-m=command|-m=raw|-m=script|--module-name=shell|--module-name=command|--module-name=raw",
                &ABSENT,
            ),
            on("** -a=*state=absent|--args=*state=absent", &ABSENT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["vagrant"],
        cases: &[
            on("destroy", &MACHINE_DESTROY),
            on("box remove|prune", &APPLY),
            on("snapshot delete", &MACHINE_DESTROY),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "crossplane",
            "okteto",
            "nomad",
            "consul",
            "boundary",
            "waypoint",
            "juju",
            "kamal",
            "cap",
        ],
        values: "-address -region -namespace -token -c --context -n --namespace -m --model",
        style: FlagStyle::SingleDash,
        cases: &[
            fine("** -dry-run|--dry-run"),
            on("job stop|deregister -purge", &DESTROY),
            on("system gc", &TAINT),
            on("kv delete", &STATE),
            on(
                "namespace|volume|acl|operator delete|destroy|remove",
                &DESTROY,
            ),
            on(
                "destroy|destroy-model|destroy-controller|kill-controller|remove-application|remove",
                &DESTROY,
            ),
        ],
        ..ToolRules::NEW
    },
];
