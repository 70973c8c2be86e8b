//! Google Cloud: gcloud, gsutil, bq.

use super::tool::{ToolRules, fine, on, rules};

rules! {
    PROJECT = Severe "gcp.project": "shuts a whole project down",
        "let a person delete projects";
    DATA = Severe "gcp.delete-data": "deletes a database, a disk, a cluster, a key or stored data",
        "take an export or a snapshot first, and let a person delete it";
    BUCKET = Severe "gcp.bucket": "deletes a bucket or everything under a prefix",
        "`gcloud storage ls --recursive` first; turn on soft delete or versioning";
    OBJECTS = Doubtful "gcp.objects": "deletes objects, or those at the target that the source lacks",
        "`-n` / `--dry-run` shows what would go";
    IDENTITY = Doubtful "gcp.identity": "changes who may do what in the project",
        "change rights in reviewed infrastructure code";
    ADMIN = Severe "gcp.admin": "hands out a key of a service account, ownership, or access for everyone",
        "grant the smallest role to a named principal";
    DNS = Doubtful "gcp.dns": "changes where names point to",
        "export the zone first";
    DELETE = Doubtful "gcp.delete": "deletes something in the project",
        "describe it first, and make sure of project and zone";
}

const VALUES: &str = "--project --account --configuration --format --zone --region --location --filter --verbosity --impersonate-service-account --billing-project --flags-file --member --role --instance --cluster";

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["gcloud"],
        values: VALUES,
        cases: &[
            on("projects delete", &PROJECT),
            on("alpha|beta projects delete", &PROJECT),
            on(
                "** sql|spanner|firestore|bigtable|alloydb|redis|memcache|filestore ** delete",
                &DATA,
            ),
            on(
                "** disks|snapshots|images|clusters|databases|backups|topics|subscriptions|instances delete",
                &DATA,
            ),
            on("** kms|secrets|versions ** destroy|delete", &DATA),
            on("storage buckets delete", &BUCKET),
            on("storage rm -r|-R|--recursive|--all-versions", &BUCKET),
            on("storage rm", &OBJECTS),
            on(
                "storage rsync --delete-unmatched-destination-objects !--dry-run",
                &OBJECTS,
            ),
            on("iam service-accounts keys create", &ADMIN),
            on(
                "** add-iam-policy-binding --member=allUsers|--member=allAuthenticatedUsers|--role=roles/owner|--role=roles/editor",
                &ADMIN,
            ),
            on(
                "** add-iam-policy-binding|remove-iam-policy-binding|set-iam-policy",
                &IDENTITY,
            ),
            on("iam ** delete|create|update|disable", &IDENTITY),
            on("** record-sets ** delete|update|execute", &DNS),
            on("services disable", &DELETE),
            on(
                "** delete|destroy|remove|purge|reset|deprovision|delete-*|remove-*",
                &DELETE,
            ),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["gsutil"],
        values: "-o -h -i -u",
        cases: &[
            fine("** rsync -n"),
            on("rb", &BUCKET),
            on("rm -r|-R|-a", &BUCKET),
            on("rm", &OBJECTS),
            on("rsync -d", &OBJECTS),
            on(
                "acl|iam|defacl ch|set +allUsers:*|AllUsers:*|allUsers|public-read|public-read-write",
                &ADMIN,
            ),
            on("iam|acl ch|set", &IDENTITY),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["bq"],
        values: "--project_id --location --dataset_id --format",
        style: super::args::FlagStyle::SingleDash,
        cases: &[fine("** -dry_run"), on("rm", &DATA), on("truncate", &DATA)],
        ..ToolRules::NEW
    },
];
