//! Which files of a folder or an archive are read: by their names, in all the layouts that people have.

/// What a file is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treat {
    /// It may hold objects, or a log that tells of decisions.
    Read,
    /// It would be read, were there not a word in its path that speaks of secrets.
    Guarded,
    /// It is not opened.
    Skip,
}

/// Names of folders and files by which a bundle is known.
const BUNDLES: [&str; 6] = [
    "cluster-resources",
    "cluster-scoped-resources",
    "namespaces",
    "yamls",
    "resources",
    "sos_commands",
];

/// Whether a folder with such entries is a bundle, so that all below it is read.
pub(super) fn is_bundle(names: &[String]) -> bool {
    let has = |wanted: &[&str]| names.iter().any(|name| wanted.contains(&name.as_str()));
    // `kubectl cluster-info dump` has the nodes beside a folder for each namespace.
    has(&BUNDLES) || (has(&["nodes.json", "nodes.yaml"]) && has(&["kube-system", "default"]))
}

/// Whether a file is read. Anything that may hold a secret is not even opened.
pub(super) fn treat(path: &str) -> Treat {
    let path = path.to_ascii_lowercase().replace('\\', "/");
    let name = path.rsplit('/').next().unwrap_or_default();
    let plain = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let is_hidden = path.split('/').any(|part| part.starts_with('.') && part.len() > 2);
    let holds_secrets = path
        .split('/')
        .any(|part| matches!(part.split('.').next(), Some("secret" | "secrets" | "kubeconfig")));
    if is_hidden || holds_secrets {
        return Treat::Skip;
    }
    let treat = if path.contains("secret") || path.contains("kubeconfig") {
        Treat::Guarded
    } else {
        Treat::Read
    };
    let has_end = |ends: &[&str]| ends.iter().any(|end| plain.ends_with(end));
    if has_end(&[".json", ".yaml", ".yml", ".jsonl", ".ndjson"])
        || plain.starts_with("kubectl_get_-o_json")
    {
        return treat;
    }
    let is_log = has_end(&[".log", ".txt"]) || !plain.contains('.');
    let is_of_a_component = ["karpenter", "kube-scheduler", "scheduler.log", "audit"]
        .iter()
        .any(|component| path.contains(component));
    if is_log && is_of_a_component { treat } else { Treat::Skip }
}

/// Whether a file holds what a troubleshoot bundle could not collect.
pub(super) fn is_errors_of_a_bundle(path: &str) -> bool {
    path.ends_with("-errors.json") && path.contains("cluster-resources")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_shows_in_the_name() {
        for (path, expected) in [
            ("nodes.json", Treat::Read),
            ("top/cluster-resources/pods/shop.json", Treat::Read),
            ("namespaces/shop/core/pods.yaml.gz", Treat::Read),
            ("kube-system/karpenter-5d/logs.txt", Treat::Read),
            ("namespaces/kube-system/v1/pod/karpenter-1/controller/current.log", Treat::Read),
            ("audit_logs/kube-apiserver/node-audit.log.gz", Treat::Read),
            ("sos_commands/kubernetes/cluster-info/kubectl_get_-o_json_nodes", Treat::Read),
            ("shop/web-0/logs.txt", Treat::Skip),
            ("namespaces/shop/core/secrets.yaml", Treat::Skip),
            ("resources/secrets/namespaces/shop/db.json", Treat::Skip),
            ("kubelet/kubeconfig.yaml", Treat::Skip),
            ("namespaces/external-secrets/core/pods.yaml", Treat::Guarded),
            ("secret-project/after.json.gz", Treat::Guarded),
            ("my-secrets.json", Treat::Guarded),
            ("secret-project/notes.pdf", Treat::Skip),
            (".git/x.json", Treat::Skip),
            ("a/.hidden.json", Treat::Skip),
            ("picture.png", Treat::Skip),
        ] {
            assert_eq!(treat(path), expected, "{path}");
        }
    }

    #[test]
    fn a_bundle_is_known_by_its_entries() {
        for (names, expected) in [
            (&["nodes.json", "kube-system", "default"][..], true),
            (&["cluster-resources", "version.yaml"], true),
            (&["after.json", "events.json"], false),
            (&["src", "Cargo.toml"], false),
        ] {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(is_bundle(&names), expected, "{names:?}");
        }
    }
}
