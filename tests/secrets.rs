//! Secrets planted wherever an object can hold one: none is in any output.

#[path = "fuzz/run.rs"]
mod run;

use std::fs;
use std::path::{Path, PathBuf};

use landed::sources::export::Redactor;
use serde_json::{Value, json};

/// A secret that says where it stood.
fn secret(place: &str) -> String {
    format!("hunter2-{place}")
}

fn container(name: &str) -> Value {
    let planted = |place: &str| secret(&format!("{name}-{place}"));
    let command = |place: &str| json!({"exec": {"command": ["sh", "-c", planted(place)]}});
    let http = |place: &str| {
        json!({"httpGet": {"path": format!("/{}", planted(place)), "port": 80,
            "httpHeaders": [{"name": "Authorization", "value": planted(place)}]}})
    };
    json!({
        "name": name, "image": "shop:1", "command": ["run", planted("command")], "args": ["--password", planted("args")],
        "workingDir": planted("workingDir"), "terminationMessagePath": planted("terminationMessagePath"),
        "env": [{"name": "PASSWORD", "value": planted("env")}, {"name": "PREFERENCE_POLICY", "value": planted("setting")},
            {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "db", "key": planted("secretKeyRef")}}}],
        "envFrom": [{"prefix": planted("envFrom"), "secretRef": {"name": "db"}}],
        "livenessProbe": command("livenessProbe"), "readinessProbe": http("readinessProbe"), "startupProbe": command("startupProbe"),
        "lifecycle": {"postStart": command("postStart"), "preStop": http("preStop")},
        "securityContext": {"seLinuxOptions": {"user": planted("seLinux")}},
        "volumeMounts": [{"name": "v", "mountPath": planted("mountPath"), "subPathExpr": planted("subPath")}],
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}
    })
}

fn spec() -> Value {
    json!({
        "containers": [container("main"), container("sidecar")], "initContainers": [container("init")],
        "ephemeralContainers": [container("debug")],
        "imagePullSecrets": [{"name": secret("imagePullSecrets")}],
        "hostAliases": [{"ip": "127.0.0.1", "hostnames": [secret("hostAliases")]}],
        "dnsConfig": {"searches": [secret("dnsConfig")]},
        "securityContext": {"sysctls": [{"name": "a", "value": secret("sysctls")}]},
        "volumes": [
            {"name": "a", "secret": {"secretName": "db", "items": [{"key": secret("secret-items"), "path": secret("secret-path")}]}},
            {"name": "b", "csi": {"driver": "d", "volumeAttributes": {"password": secret("volumeAttributes")},
                "nodePublishSecretRef": {"name": secret("nodePublishSecretRef")}}},
            {"name": "c", "flexVolume": {"driver": "d", "options": {"password": secret("flexVolume")}}},
            {"name": "d", "iscsi": {"iqn": "i", "lun": 0, "targetPortal": "t", "secretRef": {"name": secret("iscsi")}}},
            {"name": "e", "projected": {"sources": [{"serviceAccountToken": {"audience": secret("audience"), "path": "t"}}]}},
            {"name": "f", "cephfs": {"monitors": ["m"], "user": secret("cephfs"), "secretFile": secret("secretFile")}},
            {"name": "g", "azureFile": {"secretName": secret("azureFile"), "shareName": "s"}},
            {"name": "h", "gitRepo": {"repository": secret("gitRepo")}},
            {"name": "i", "hostPath": {"path": secret("hostPath")}},
            {"name": "j", "downwardAPI": {"items": [{"path": secret("downwardAPI")}]}},
        ],
    })
}

fn metadata(name: &str, kind: &str) -> Value {
    let applied = json!({"spec": {"containers": [container("applied")]}}).to_string();
    json!({
        "name": name, "namespace": "shop", "uid": name, "creationTimestamp": "2026-12-01T00:00:00Z", "labels": {"app": "web"},
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": applied, "note": secret(&format!("{kind}-annotation")),
            "vault.hashicorp.com/agent-inject-token": secret("vault"), "checksum/config": secret("checksum"),
        },
        "managedFields": [{"manager": "kubectl", "operation": "Update", "time": "2026-12-01T00:00:00Z", "fieldsType": "FieldsV1",
            "fieldsV1": {"f:metadata": {"f:annotations": {format!("f:{}", secret("managed-annotation")): {}}},
                "f:spec": {"f:containers": {format!("k:{{\"name\":\"{}\"}}", secret("managed-container")): {}}}}}]
    })
}

/// Everything that a dump can have secrets in.
#[expect(clippy::too_many_lines, reason = "one list of all places")]
fn objects() -> Vec<Value> {
    let template = json!({"metadata": {"labels": {"app": "web"}, "annotations": {"note": secret("template-annotation")}}, "spec": spec()});
    let mut bound = spec();
    bound["nodeName"] = "n".into();
    let terminated = json!({"terminated": {"exitCode": 1, "message": secret("terminated")}});
    let pod = |name: &str, spec: Value, phase: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata(name, "Pod"), "spec": spec,
            "status": {"phase": phase, "containerStatuses": [{"name": "main", "state": {"waiting": {"reason": "X", "message": secret("waiting")}},
                "lastState": terminated, "imageID": secret("imageID"), "containerID": secret("containerID")}],
                "initContainerStatuses": [{"name": "init", "state": terminated}]}})
    };
    let event = |name: &str, who: &str, reason: &str, place: &str| {
        json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "shop", "uid": name,
                "annotations": {"note": secret("event-annotation")}},
            "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "web", "uid": "web"}, "reason": reason, "type": "Warning",
            "message": format!("it printed {}", secret(place)), "source": {"component": who}, "count": 1,
            "firstTimestamp": "2026-12-01T00:00:03Z", "lastTimestamp": "2026-12-01T00:00:03Z"})
    };
    let object = |version: &str, kind: &str, rest: Value| {
        let mut object =
            json!({"apiVersion": version, "kind": kind, "metadata": metadata("x", kind)});
        let fields = rest.as_object().expect("fields").clone();
        object.as_object_mut().expect("an object").extend(fields);
        object
    };
    let opaque = json!([{"opaque": {"driver": "d", "parameters": {"key": secret("opaque")}}}]);
    let mut node = object(
        "v1",
        "Node",
        json!({
            "spec": {"providerID": "p"},
            "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"}, "capacity": {"cpu": "8", "memory": "16Gi", "pods": "110"},
                "config": {"error": secret("node-config")}, "addresses": [{"type": "Hostname", "address": secret("address")}],
                "nodeInfo": {"kubeletVersion": "v1.36.1", "systemUUID": secret("systemUUID"), "machineID": secret("machineID")}},
        }),
    );
    node["metadata"]["name"] = "n".into();
    let mut deployment = object(
        "apps/v1",
        "Deployment",
        json!({"spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}}),
    );
    deployment["metadata"]["name"] = "web".into();
    vec![
        node,
        pod("web", bound, "Running"),
        pod("next", spec(), "Pending"),
        deployment,
        object(
            "apps/v1",
            "ReplicaSet",
            json!({"spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template}}),
        ),
        object(
            "apps/v1",
            "StatefulSet",
            json!({"spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template,
            "volumeClaimTemplates": [{"metadata": {"name": "d", "annotations": {"note": secret("claim-annotation")}}, "spec": {}}]}}),
        ),
        object(
            "apps/v1",
            "DaemonSet",
            json!({"spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template}}),
        ),
        object("batch/v1", "Job", json!({"spec": {"template": template}})),
        object(
            "batch/v1",
            "CronJob",
            json!({"spec": {"schedule": "@daily", "jobTemplate": {"metadata": {"annotations": {"note": secret("jobTemplate")}},
            "spec": {"template": template}}}}),
        ),
        object("v1", "PodTemplate", json!({"template": template})),
        object(
            "v1",
            "Service",
            json!({"spec": {"selector": {"app": "web"}, "externalName": secret("externalName")}}),
        ),
        object("v1", "Namespace", json!({"status": {"phase": "Active"}})),
        object(
            "v1",
            "PersistentVolumeClaim",
            json!({"spec": {"storageClassName": "x"}, "status": {"phase": "Bound"}}),
        ),
        object(
            "v1",
            "PersistentVolume",
            json!({"spec": {"capacity": {"storage": "1Gi"}, "csi": {"driver": "d", "volumeHandle": "h",
            "volumeAttributes": {"password": secret("pv-attributes")}, "nodeStageSecretRef": {"name": secret("nodeStageSecretRef")}},
            "cephfs": {"secretFile": secret("pv-cephfs")}, "flexVolume": {"options": {"password": secret("pv-flex")}}}}),
        ),
        object(
            "storage.k8s.io/v1",
            "StorageClass",
            json!({"provisioner": "p", "parameters": {"password": secret("parameters")}}),
        ),
        object(
            "karpenter.sh/v1",
            "NodePool",
            json!({"spec": {"template": {"metadata": {"annotations": {"note": secret("pool-annotation")}},
            "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "x"}, "requirements": []}}}}),
        ),
        object(
            "karpenter.k8s.aws/v1",
            "EC2NodeClass",
            json!({"spec": {"userData": secret("userData"), "tags": {"password": secret("tags")},
            "role": secret("role"), "context": secret("context")}}),
        ),
        object(
            "karpenter.sh/v1",
            "NodeClaim",
            json!({"spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "x"}},
            "status": {"nodeName": "n"}}),
        ),
        object(
            "resource.k8s.io/v1",
            "ResourceClaim",
            json!({"spec": {"devices": {"requests": [], "config": opaque}},
            "status": {"allocation": {"devices": {"results": [], "config": opaque}}, "devices": [{"data": {"key": secret("device-data")}}]}}),
        ),
        object(
            "resource.k8s.io/v1",
            "ResourceClaimTemplate",
            json!({"spec": {"metadata": {"annotations": {"note": secret("claim-template")}},
            "spec": {"devices": {"requests": [], "config": opaque}}}}),
        ),
        object("resource.k8s.io/v1", "DeviceClass", json!({"spec": {"config": opaque}})),
        object(
            "v1",
            "Secret",
            json!({"data": {"password": secret("Secret")}, "stringData": {"password": secret("stringData")}}),
        ),
        object("v1", "ConfigMap", json!({"data": {"password": secret("ConfigMap")}})),
        object("v1", "ServiceAccount", json!({"secrets": [{"name": secret("ServiceAccount")}]})),
        object("example.com/v1", "Database", json!({"spec": {"password": secret("custom")}})),
        event("e1", "kubelet", "Unhealthy", "probe-output"),
        event("e2", "kubelet", "Failed", "failed-command"),
        event("e3", "vault-operator", "Synced", "operator"),
        event("e4", "kubelet", "FailedPostStartHook", "hook"),
        event("e5", "kubelet", "FailedMount", "mount"),
    ]
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("secrets");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

/// The planted secrets that are in a text.
fn leaks(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let found = text.match_indices("hunter2");
    found.map(|(at, _)| text[at..].split(|c| !is_part(c)).next().unwrap_or_default()).collect()
}

fn run(arguments: &[&str]) -> String {
    let run = run::run(arguments, b"");
    assert!(
        run.code == 0 || ["check", "simulate"].contains(&arguments[0]),
        "{arguments:?}: {}",
        run.err
    );
    run.out + &run.err
}

#[test]
fn no_planted_secret_is_in_any_answer() {
    let dump = json!({"apiVersion": "v1", "kind": "List", "items": objects()});
    let json = file("dump.json", dump.to_string().as_bytes());
    let yaml = file("dump.yaml", format!("---\n{dump}\n").as_bytes());
    for path in [json, yaml] {
        let path = path.to_str().expect("text");
        for format in ["table", "wide", "json", "yaml", "name", "markdown", "html"] {
            for pods in [["-l", "app=web"], ["-n", "shop"]] {
                let mut arguments = vec!["explain", "-f", path, "-o", format];
                arguments.extend(pods);
                arguments.push(if pods[0] == "-l" { "-A" } else { "next" });
                assert_eq!(leaks(&run(&arguments)), Vec::<&str>::new(), "{arguments:?}");
            }
        }
        for arguments in [
            &["dump", "-f", path, "-o", "-"][..],
            &["dump", "-f", path, "-o", "-", "--anonymise"],
            &["audit", "-A", "-f", path],
            &["audit", "-A", "-f", path, "-o", "html"],
            &["audit", "-A", "-f", path, "-o", "json"],
            &["node", "n", "-f", path],
            &["compare", "web", "next", "-n", "shop", "-f", path],
            &["simulate", "-f", path],
            &["simulate", "-f", path, "-o", "json"],
            &["instance-types", "-f", path],
            &["replay", "kube-scheduler", "-f", path],
            &["replay", "karpenter", "-f", path],
            &["check", "-f", path],
            &["check", "-f", path, "-o", "sarif"],
            &["check", "-f", path, "-o", "json"],
        ] {
            assert_eq!(leaks(&run(arguments)), Vec::<&str>::new(), "{arguments:?}");
        }
    }
}

#[test]
fn what_is_recorded_of_each_object_has_no_planted_secret() {
    for object in objects() {
        let text = |key: &str| object[key].as_str().expect("text").to_owned();
        let (version, kind) = (text("apiVersion"), text("kind"));
        let page = json!({"kind": "List", "items": [object]}).to_string();
        let kept = Redactor::default().objects(&version, &kind, page.as_bytes());
        let kept = Value::from(kept).to_string();
        assert_eq!(leaks(&kept), Vec::<&str>::new(), "{kind}");
        if ["Secret", "ConfigMap", "ServiceAccount", "Database"].contains(&kind.as_str()) {
            assert_eq!(kept, "[]", "{kind}");
        }
    }
}

/// What is wrong with a manifest is shown at its line, but not where the manifest is a Secret.
#[test]
fn a_broken_secret_is_not_quoted() {
    let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: [hunter2\nmore: 1\n";
    for end in ["yaml", "json"] {
        let path = file(&format!("broken.{end}"), text.as_bytes());
        let run = run::run(&["check", "-f", path.to_str().expect("text")], b"");
        assert_eq!(leaks(&(run.out + &run.err)), Vec::<&str>::new());
    }
}
