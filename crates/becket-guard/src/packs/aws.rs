//! The AWS command line.

use super::tool::{PatternRule, ToolRules, fine, on, rules};

rules! {
    BUCKET = Severe "aws.bucket": "deletes a bucket or everything under a prefix",
        "`aws s3 ls --recursive` and `--dryrun` first; let a person delete buckets";
    OBJECTS = Doubtful "aws.objects": "deletes objects, for good where versioning is off",
        "`--dryrun` shows what would go";
    MIRROR = Doubtful "aws.sync-delete": "deletes at the target whatever the source lacks",
        "`--dryrun` first, or leave out `--delete`";
    TERMINATE = Severe "aws.terminate": "terminates machines; their instance storage is gone",
        "`stop-instances` keeps the disks; `--dry-run` checks the rights only";
    DATA = Severe "aws.delete-data": "deletes a database, a table, a file system, a stream, a queue, a backup or a log",
        "take a final snapshot, turn on deletion protection, and let a person delete it";
    STACK = Severe "aws.delete-stack": "deletes a stack or a cluster with every resource in it",
        "make a change set and read it; let a person delete stacks";
    KEYS = Severe "aws.keys": "makes everything that was encrypted with a key unreadable, or deletes a secret",
        "`kms disable-key` can be undone; delete secrets with a recovery window";
    IDENTITY = Doubtful "aws.identity": "changes who may do what in the account",
        "change rights in reviewed infrastructure code";
    ADMIN = Severe "aws.admin": "hands out credentials or full rights to the account",
        "grant the smallest policy, in reviewed infrastructure code";
    PUBLIC = Severe "aws.public": "opens data or machines to the whole internet",
        "grant access to named principals or address ranges";
    DNS = Doubtful "aws.dns": "changes where names point to",
        "`list-resource-record-sets` first; keep a copy of the old records";
    TRAIL = Severe "aws.audit": "switches off or deletes the record of what happens in the account",
        "leave the trail on";
    DELETE = Doubtful "aws.delete": "deletes or detaches something in the account",
        "describe it first, and make sure of profile and region";
    ACCOUNT = Severe "aws.account": "closes an account or takes it out of the organisation",
        "let a person do this";
}

static CASES: &[PatternRule] = &[
    fine("** help $"),
    fine("** --dryrun|--dry-run|--generate-cli-skeleton"),
    on("s3 rb", &BUCKET),
    on("s3 rm --recursive", &BUCKET),
    on("s3 rm", &OBJECTS),
    on("s3 mv --recursive", &OBJECTS),
    on("s3 sync --delete", &MIRROR),
    on(
        "s3|s3api put-bucket-acl|put-object-acl --acl=public-*",
        &PUBLIC,
    ),
    on("s3 cp|sync|mv --acl=public-*", &PUBLIC),
    on("s3api|s3control delete-public-access-block", &PUBLIC),
    on("s3api delete-bucket|delete-objects", &BUCKET),
    on(
        "s3api put-bucket-policy|put-bucket-lifecycle*|put-bucket-versioning|put-bucket-acl",
        &IDENTITY,
    ),
    on("s3api delete-*", &OBJECTS),
    on("ec2 terminate-instances", &TERMINATE),
    on(
        "ec2 authorize-security-group-ingress --cidr=0.0.0.0/0|--cidr=::/0",
        &PUBLIC,
    ),
    on("ec2 delete-volume|delete-snapshot|deregister-image", &DATA),
    on("ec2 modify-*-attribute --no-disable-api-termination", &DATA),
    on(
        "rds modify-db-instance|modify-db-cluster --no-deletion-protection",
        &DATA,
    ),
    on("rds|neptune|docdb delete-*", &DATA),
    on("dynamodb|dynamodbstreams delete-table|delete-backup", &DATA),
    on("dynamodb delete-item|batch-write-item", &OBJECTS),
    on(
        "redshift|elasticache|memorydb|opensearch|es|efs|fsx|backup|glacier|kinesis|firehose|timestream-write|keyspaces|qldb|lightsail|ecr|ecr-public|codecommit|glue|athena|dax|kafka|mq delete-*",
        &DATA,
    ),
    on("ecr|ecr-public batch-delete-image", &DATA),
    on("sqs purge-queue|delete-queue", &DATA),
    on("sns delete-topic", &DATA),
    on("logs delete-log-group|delete-log-stream", &DATA),
    on("cognito-idp delete-user-pool|admin-delete-user", &DATA),
    on(
        "cloudformation delete-stack|delete-stack-set|delete-stack-instances",
        &STACK,
    ),
    on("eks|ecs delete-cluster", &STACK),
    on(
        "elasticbeanstalk terminate-environment|delete-application",
        &STACK,
    ),
    on("emr terminate-clusters", &STACK),
    on("autoscaling delete-auto-scaling-group", &STACK),
    on(
        "kms schedule-key-deletion|disable-key|delete-imported-key-material|delete-alias",
        &KEYS,
    ),
    on("secretsmanager delete-secret", &KEYS),
    on("ssm delete-parameter|delete-parameters", &KEYS),
    on(
        "iam create-access-key|create-login-profile|update-login-profile",
        &ADMIN,
    ),
    on(
        "iam attach-*-policy --policy-arn=*/AdministratorAccess|--policy-arn=*/IAMFullAccess",
        &ADMIN,
    ),
    on(
        "iam create-*|delete-*|put-*|attach-*|detach-*|update-*|add-*|remove-*|deactivate-*",
        &IDENTITY,
    ),
    on(
        "sts assume-role|get-session-token|get-federation-token",
        &IDENTITY,
    ),
    on(
        "lambda|apigateway add-permission|remove-permission",
        &IDENTITY,
    ),
    on("cloudtrail stop-logging|delete-trail", &TRAIL),
    on(
        "guardduty|securityhub|config|configservice delete-*|disable-*|stop-*",
        &TRAIL,
    ),
    on("ec2 delete-flow-logs", &TRAIL),
    on(
        "route53 change-resource-record-sets|delete-hosted-zone",
        &DNS,
    ),
    on("route53domains delete-domain|transfer-domain*", &ACCOUNT),
    on(
        "organizations close-account|leave-organization|remove-account-from-organization|delete-organization",
        &ACCOUNT,
    ),
    on("account close-account", &ACCOUNT),
    on(
        "_ delete-*|terminate-*|deregister-*|purge-*|batch-delete-*|remove-*|revoke-*|destroy-*|disable-*|disassociate-*|detach-*|release-*|reset-*|cancel-*|reject-*",
        &DELETE,
    ),
];

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["aws", "awslocal", "aws2", "aws.cmd"],
        values: "--profile --region --output --query --endpoint-url --ca-bundle --cli-read-timeout --cli-connect-timeout --color --acl --cidr --policy-arn --exclude --include",
        cases: CASES,
        // `awslocal` talks to an emulator on this machine.
        unless: |context| context.command.program == "awslocal",
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["s3cmd", "s5cmd", "mc", "s4cmd"],
        values: "-c --config --host --endpoint-url --profile",
        cases: &[
            fine("** --dry-run|-n"),
            on("rb", &BUCKET),
            on("admin ** remove|rm", &IDENTITY),
            on("del|rm -r|--recursive|--force", &BUCKET),
            on("sync|mirror --delete-removed|--delete|--remove", &MIRROR),
            on("del|rm", &OBJECTS),
        ],
        ..ToolRules::NEW
    },
];
