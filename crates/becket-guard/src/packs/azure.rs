//! Azure: az, azd, func.

use super::tool::{ToolRules, fine, on, rules};

rules! {
    GROUP = Severe "azure.group": "deletes a resource group or a subscription with everything in it",
        "`az resource list -g GROUP` first; let a person delete groups";
    DATA = Severe "azure.delete-data": "deletes a database, a storage account, a disk, a cluster, a key or many objects at once",
        "take a backup, set a lock, and let a person delete it";
    IDENTITY = Doubtful "azure.identity": "changes who may do what in the subscription",
        "change rights in reviewed infrastructure code";
    LOCK = Doubtful "azure.lock": "removes a lock that protects resources",
        "leave the lock in place";
    DNS = Doubtful "azure.dns": "changes where names point to",
        "export the zone first";
    DELETE = Doubtful "azure.delete": "deletes something in the subscription",
        "show it first, and make sure of subscription and group";
}

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["az"],
        values: "-g --resource-group -n --name --subscription -o --output --query -l --location -s --source --account-name --container-name -c --ids --role --assignee --source-address-prefixes --mode",
        cases: &[
            fine("** --dryrun|--dry-run|--what-if"),
            on("group|subscription|account delete|cancel", &GROUP),
            on(
                "deployment ** create --mode=Complete|--mode=complete",
                &GROUP,
            ),
            on("storage account|container|share|table|queue delete", &DATA),
            on("storage ** delete-batch|remove", &DATA),
            on(
                "sql|postgres|mysql|mariadb|cosmosdb|redis|synapse|kusto ** delete",
                &DATA,
            ),
            on(
                "aks|disk|snapshot|vm|vmss|backup|acr|keyvault|servicebus|eventhubs ** delete|delete-instances|purge|disable",
                &DATA,
            ),
            on("lock delete", &LOCK),
            on(
                "role|ad|identity ** create|create-for-rbac|delete|update|add|remove|reset|assign",
                &IDENTITY,
            ),
            on(
                "network dns|private-dns ** delete|remove-record|update",
                &DNS,
            ),
            on(
                "network nsg rule create --source-address-prefixes=Internet",
                &IDENTITY,
            ),
            on(
                "** delete|purge|remove|destroy|revoke|deregister|unregister|delete-*",
                &DELETE,
            ),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["azd"],
        cases: &[on("down", &GROUP), on("env delete|remove", &DELETE)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["azcopy"],
        cases: &[
            fine("** --dry-run"),
            on("remove|rm", &DATA),
            on("sync --delete-destination", &DATA),
        ],
        ..ToolRules::NEW
    },
];
