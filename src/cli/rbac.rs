//! `rbac`: the least rights that suffice, as a manifest.

use super::{Failure, Io, Outcome};

/// Arguments of `rbac`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Also what `record` needs: the right to watch
    #[arg(long)]
    pub record: bool,
    /// Also what `dump --include-logs` needs: the right to read the logs of pods
    #[arg(long)]
    pub logs: bool,
    /// User to bind the role to
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Group to bind the role to
    #[arg(long, value_name = "NAME", conflicts_with = "user")]
    pub group: Option<String>,
}

/// Prints the role, and with a subject its binding.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    io.out.write_all(manifest(args).as_bytes())?;
    Ok(Outcome::Done)
}

/// What is read, by API group: the rows of `sources::live::KINDS` as rules.
const RULES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "events",
            "namespaces",
            "nodes",
            "persistentvolumeclaims",
            "persistentvolumes",
            "pods",
            "podtemplates",
            "replicationcontrollers",
            "services",
        ],
    ),
    ("apps", &["daemonsets", "deployments", "replicasets", "statefulsets"]),
    ("autoscaling.x-k8s.io", &["capacitybuffers"]),
    ("batch", &["cronjobs", "jobs"]),
    ("karpenter.sh", &["nodeclaims", "nodeoverlays", "nodepools"]),
    ("policy", &["poddisruptionbudgets"]),
    (
        "resource.k8s.io",
        &["deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices"],
    ),
    ("scheduling.k8s.io", &["priorityclasses"]),
    (
        "storage.k8s.io",
        &["csidrivers", "csinodes", "csistoragecapacities", "storageclasses", "volumeattachments"],
    ),
    ("karpenter.azure.com", &["aksnodeclasses"]),
    ("karpenter.k8s.alibabacloud", &["ecsnodeclasses"]),
    ("karpenter.k8s.aws", &["ec2nodeclasses"]),
    ("karpenter.k8s.gcp", &["gcenodeclasses"]),
    ("karpenter.k8s.oracle", &["ocinodeclasses"]),
    ("karpenter.kwok.sh", &["kwoknodeclasses"]),
    ("eks.amazonaws.com", &["nodeclasses"]),
];

/// The manifest.
pub fn manifest(args: &Args) -> String {
    let verbs = if args.record { "[get, list, watch]" } else { "[get, list]" };
    let mut text = String::from(
        "# What kubectl landed reads: no Secret, nothing that changes the cluster.\n\
         apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: landed\nrules:\n",
    );
    for (group, resources) in RULES {
        let group = if group.is_empty() { "\"\"" } else { *group };
        text.push_str(&rule(group, &resources.join(", "), verbs));
    }
    text.push_str(
        "- apiGroups: [\"\"]\n  resources: [configmaps]\n  resourceNames: [kube-scheduler-config, karpenter-global-settings]\n  verbs: [get]\n",
    );
    if args.logs {
        text.push_str(&rule("\"\"", "pods/log", "[get]"));
    }
    let subject = match (&args.user, &args.group) {
        (Some(user), _) => ("User", user),
        (None, Some(group)) => ("Group", group),
        (None, None) => return text,
    };
    let (kind, name) = subject;
    text.push_str(
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: landed\n\
         roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: landed\nsubjects:\n",
    );
    // JSON strings are YAML strings, whatever the name holds.
    let name = serde_json::Value::from(name.as_str());
    text.push_str(&format!(
        "- apiGroup: rbac.authorization.k8s.io\n  kind: {kind}\n  name: {name}\n"
    ));
    text
}

fn rule(group: &str, resources: &str, verbs: &str) -> String {
    format!("- apiGroups: [{group}]\n  resources: [{resources}]\n  verbs: {verbs}\n")
}

#[cfg(all(test, feature = "live"))]
mod tests {
    use super::*;
    use crate::sources::live::{CONFIG_MAPS, KINDS, NODE_CLASS_GROUPS};

    #[test]
    fn the_role_holds_what_is_read_and_nothing_else() {
        let mut read = KINDS.iter().map(|kind| (kind.group, kind.plural)).collect::<Vec<_>>();
        read.extend(NODE_CLASS_GROUPS);
        let ruled = RULES
            .iter()
            .flat_map(|(group, plurals)| plurals.iter().map(move |plural| (*group, *plural)));
        let mut ruled = ruled.collect::<Vec<_>>();
        read.sort_unstable();
        ruled.sort_unstable();
        assert_eq!(ruled, read);
        let args = Args { record: false, logs: false, user: None, group: None };
        for (_, name) in CONFIG_MAPS {
            assert!(manifest(&args).contains(name), "{name}");
        }
    }
}
