//! Clusters: kubectl, helm and related tools.

use super::tool::{PatternRule, ToolRules, fine, on, rules};

rules! {
    DELETE_MANY = Severe "kubernetes.delete-many": "deletes a namespace, every object of a kind, or storage, and everything that depends on it",
        "look first (`kubectl get`, `--dry-run=client`), then delete single objects by name";
    DELETE = Doubtful "kubernetes.delete": "deletes objects of a cluster",
        "check context and name first; `--dry-run=client` shows what would go";
    DRAIN = Doubtful "kubernetes.drain": "evicts everything that runs on a node",
        "let a person drain nodes; `--dry-run=client` shows what would be evicted";
    CORDON = Notice "kubernetes.cordon": "changes where pods may be scheduled",
        "check the context first";
    REPLACE_FORCE = Severe "kubernetes.replace-force": "deletes and recreates objects, with an outage in between",
        "`kubectl apply`, or `kubectl diff` to see the change first";
    PRUNE = Severe "kubernetes.prune": "deletes every object that is not in the files given",
        "`kubectl apply` without `--prune`, or `kubectl diff --prune` first";
    SCALE_ZERO = Doubtful "kubernetes.scale-to-zero": "stops every pod of a workload",
        "scale down in a test cluster, or let a person do it";
    ROLLOUT = Notice "kubernetes.rollout": "changes what runs in a cluster",
        "check the context and `kubectl rollout history` first";
    FINALIZERS = Severe "kubernetes.finalizers": "skips the clean-up that protects what the object owns",
        "find out which controller holds the finalizer and why it does not finish";
    ACCESS = Doubtful "kubernetes.access": "changes who may do what in a cluster",
        "let a person grant rights";
    UNINSTALL = Severe "kubernetes.uninstall": "removes a release or a system component with everything it made",
        "`--dry-run` first; let a person uninstall";
    ROLLBACK = Doubtful "kubernetes.rollback": "puts an older release in place",
        "`helm history` and `helm diff rollback` first";
    CLUSTER = Severe "kubernetes.delete-cluster": "destroys a whole cluster or a node's part of it",
        "let a person delete clusters";
    LOCAL_CLUSTER = Doubtful "kubernetes.delete-local-cluster": "destroys a local cluster with everything in it",
        "make sure that nothing in it is needed; it can be made again, its data cannot";
    ETCD = Severe "kubernetes.etcd": "deletes the cluster's own records",
        "change objects through the API server";
}

const KUBECTL_VALUES: &str = "-n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --request-timeout --cache-dir -l --selector -f --filename -k --kustomize -o --output --field-selector --grace-period --timeout -p --patch --type --replicas --patch-file -c --container -v --v --raw --cascade --pod-selector --as-uid --certificate-authority --client-certificate --client-key --password --profile --profile-output --tls-server-name --username --vmodule --log-flush-frequency";

static KUBECTL: &[PatternRule] = &[
    fine("** --dry-run"),
    on(
        "delete namespace|namespaces|ns|pvc|pv|persistentvolumeclaim|persistentvolumeclaims|persistentvolume|persistentvolumes|crd|crds|customresourcedefinition|customresourcedefinitions|all|storageclass|sc|node|nodes|project",
        &DELETE_MANY,
    ),
    on(
        "delete namespace/*|namespaces/*|ns/*|pvc/*|pv/*|crd/*|persistentvolumeclaim/*|persistentvolume/*|node/*|project/*",
        &DELETE_MANY,
    ),
    on("delete --all|-A|--all-namespaces|--raw", &DELETE_MANY),
    on("delete", &DELETE),
    on("drain", &DRAIN),
    on("adm drain", &DRAIN),
    on("cordon|uncordon|taint", &CORDON),
    on("replace --force", &REPLACE_FORCE),
    on("apply --prune", &PRUNE),
    on("scale --replicas=0", &SCALE_ZERO),
    on("patch -p=*finalizers*|--patch=*finalizers*", &FINALIZERS),
    on("rollout undo", &ROLLOUT),
    on(
        "create|delete clusterrolebinding|rolebinding|clusterrole",
        &ACCESS,
    ),
    on("adm policy", &ACCESS),
    on("auth reconcile", &ACCESS),
    on("certificate approve", &ACCESS),
    on("config delete-context|delete-cluster|delete-user", &CORDON),
];

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &[
            "kubectl",
            "oc",
            "k",
            "kubecolor",
            "k3s-kubectl",
            "microk8s.kubectl",
        ],
        values: KUBECTL_VALUES,
        cases: KUBECTL,
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["helm", "helm3"],
        values: "-n --namespace --kube-context --kubeconfig --timeout -f --values --set --description --cascade --kube-apiserver --kube-as-group --kube-as-user --kube-ca-file --kube-tls-server-name --kube-token --registry-config --repository-cache --repository-config",
        cases: &[
            fine("** --dry-run"),
            on("uninstall|delete|del|un", &UNINSTALL),
            on("rollback", &ROLLBACK),
            on("plugin uninstall|install", &ROLLOUT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["helmfile", "helmsman"],
        values: "-f --file -e --environment -l --selector -n --namespace --kube-context",
        cases: &[on("destroy|delete", &UNINSTALL)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "argocd",
            "flux",
            "velero",
            "istioctl",
            "linkerd",
            "cilium",
            "crossplane",
            "kapp",
            "skaffold",
            "tilt",
            "devspace",
            "garden",
        ],
        values: "-n --namespace --context --kubeconfig --server -f --filename",
        cases: &[
            fine("** --dry-run|--dry-run-client"),
            on(
                "app|appset|cluster|repo|proj|project delete|rm|delete-resource",
                &UNINSTALL,
            ),
            on("uninstall|uninject", &UNINSTALL),
            on("x uninstall", &UNINSTALL),
            on("backup|restore|schedule delete", &UNINSTALL),
            on("delete", &UNINSTALL),
            on("app terminate-op|rollback", &ROLLBACK),
            on("app sync --prune", &PRUNE),
            on("purge", &UNINSTALL),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["kubeadm"],
        cases: &[fine("** --dry-run"), on("reset", &CLUSTER)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "eksctl",
            "kops",
            "rke",
            "rke2",
            "k0s",
            "k0sctl",
            "talosctl",
            "rosa",
            "clusterctl",
        ],
        values: "-f --config-file --name --region -r -c --cluster -n --nodes",
        cases: &[
            fine("** --dry-run"),
            on("delete|remove|reset|destroy", &CLUSTER),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "minikube",
            "kind",
            "k3d",
            "microk8s",
            "k3s-uninstall.sh",
            "ctlptl",
        ],
        values: "-p --profile --name",
        cases: &[
            on("delete|reset", &LOCAL_CLUSTER),
            on("cluster delete|rm", &LOCAL_CLUSTER),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["etcdctl", "etcdutl"],
        values: "--endpoints --cacert --cert --key --user --password",
        style: super::args::FlagStyle::Gnu,
        cases: &[
            on("del|rm|rmdir", &ETCD),
            on("member remove", &ETCD),
            on("snapshot restore", &ETCD),
            on("user|role delete", &ETCD),
        ],
        ..ToolRules::NEW
    },
];
