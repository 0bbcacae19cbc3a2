//! Entries of the API server's audit log that tell of a decision: binds, evictions, and what happens to pods, nodes
//! and NodeClaims.

use serde_json::{Map, Value};

use crate::model::event::{AuditRecord, ObjectRef};
use crate::model::names::{NamespaceName, NodeName, Uid};
use crate::model::time::Timestamp;

/// Whether an object is an entry of an audit log.
pub(crate) fn is_entry(object: &Map<String, Value>) -> bool {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let is_audit = text("apiVersion").is_some_and(|version| version.starts_with("audit.k8s.io/"));
    object.contains_key("auditID") || (is_audit && text("kind") == Some("Event"))
}

/// An entry; none for those that tell of no decision or are not the last of their request.
pub(crate) fn entry(object: &Map<String, Value>) -> Option<AuditRecord> {
    let text = |path: &[&str]| at(object, path).and_then(Value::as_str).unwrap_or_default();
    if !["ResponseComplete", ""].contains(&text(&["stage"])) {
        return None;
    }
    let (resource, subresource) =
        (text(&["objectRef", "resource"]), text(&["objectRef", "subresource"]));
    let verb = text(&["verb"]);
    let name = match text(&["objectRef", "name"]) {
        "" => text(&["responseObject", "metadata", "name"]),
        name => name,
    };
    let target = text(&["requestObject", "target", "name"]);
    let nominated = text(&["requestObject", "status", "nominatedNodeName"]);
    if !tells(resource, subresource, verb, nominated) {
        return None;
    }
    Some(AuditRecord {
        received: moment(text(&["requestReceivedTimestamp"])),
        completed: moment(text(&["stageTimestamp"])),
        verb: verb.into(),
        object: ObjectRef {
            kind: kind_of(resource).into(),
            namespace: NamespaceName::from(text(&["objectRef", "namespace"])),
            name: name.into(),
            uid: Uid::from(text(&["objectRef", "uid"])),
        },
        subresource: subresource.into(),
        user: text(&["user", "username"]).into(),
        user_agent: text(&["userAgent"]).into(),
        code: at(object, &["responseStatus", "code"]).and_then(Value::as_i64).unwrap_or(0),
        target: [target, nominated].into_iter().find(|node| !node.is_empty()).map(NodeName::from),
    })
}

/// Whether an entry of Google's log export is one of the audit log.
pub(crate) fn is_google_entry(object: &Map<String, Value>) -> bool {
    at(object, &["protoPayload", "methodName"]).is_some_and(Value::is_string)
}

/// An entry of Google's export: `methodName` holds resource, subresource and verb, `resourceName` the object.
pub(crate) fn google_entry(object: &Map<String, Value>) -> Option<AuditRecord> {
    let text = |path: &[&str]| at(object, path).and_then(Value::as_str).unwrap_or_default();
    let method = text(&["protoPayload", "methodName"]);
    let (rest, verb) = method.rsplit_once('.')?;
    let mut parts = text(&["protoPayload", "resourceName"])
        .split('/')
        .skip_while(|part| !["namespaces", "nodes", "nodeclaims"].contains(part));
    let (namespace, resource, name, subresource) = match parts.next()? {
        "namespaces" => {
            let namespace = parts.next()?;
            (namespace, parts.next()?, parts.next().unwrap_or_default(), parts.next())
        }
        resource => ("", resource, parts.next().unwrap_or_default(), parts.next()),
    };
    let subresource = subresource.unwrap_or_default();
    if !rest.contains(resource) || !tells(resource, subresource, verb, "") {
        return None;
    }
    let target = text(&["protoPayload", "request", "target", "name"]);
    let failed = at(object, &["protoPayload", "status", "code"]).and_then(Value::as_i64);
    let made = if verb == "create" { 201 } else { 200 };
    Some(AuditRecord {
        received: moment(text(&["timestamp"])),
        completed: moment(text(&["timestamp"])),
        verb: verb.into(),
        object: ObjectRef {
            kind: kind_of(resource).into(),
            namespace: NamespaceName::from(namespace),
            name: name.into(),
            uid: Uid::from(""),
        },
        subresource: subresource.into(),
        user: text(&["protoPayload", "authenticationInfo", "principalEmail"]).into(),
        user_agent: text(&["protoPayload", "requestMetadata", "callerSuppliedUserAgent"]).into(),
        // Google gives a gRPC status: zero is success.
        code: failed.filter(|code| *code != 0).map_or(made, |code| 400 + code),
        target: (!target.is_empty()).then(|| NodeName::from(target)),
    })
}

/// Whether a request tells of a decision.
fn tells(resource: &str, subresource: &str, verb: &str, nominated: &str) -> bool {
    match (resource, subresource) {
        ("pods", "binding" | "eviction") => verb == "create",
        ("pods", "status") => !nominated.is_empty(),
        ("pods", "") => ["create", "delete", "deletecollection"].contains(&verb),
        ("nodes" | "nodeclaims", "") => ["create", "delete", "patch", "update"].contains(&verb),
        _ => false,
    }
}

fn kind_of(resource: &str) -> &str {
    match resource {
        "pods" => "Pod",
        "nodes" => "Node",
        "nodeclaims" => "NodeClaim",
        other => other,
    }
}

fn moment(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

fn at<'v>(object: &'v Map<String, Value>, path: &[&str]) -> Option<&'v Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(object.get(*first)?, |value, key| value.get(key))
}

#[cfg(test)]
mod tests {
    use crate::ingest::Collector;

    #[test]
    fn a_bind_is_read_from_each_export() {
        let bind = r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"1","stage":"ResponseComplete","verb":"create",
            "user":{"username":"system:kube-scheduler"},"userAgent":"kube-scheduler/v1.37.2","objectRef":{"resource":"pods","namespace":"shop","name":"web-0","subresource":"binding"},
            "responseStatus":{"code":201},"requestObject":{"target":{"kind":"Node","name":"n"}},"requestReceivedTimestamp":"2026-12-01T05:27:54.010000Z","stageTimestamp":"2026-12-01T05:27:54.011335Z"}"#
            .replace("\n            ", "");
        let quoted = serde_json::Value::from(bind.as_str()).to_string();
        let google = r#"[{"insertId":"1","timestamp":"2026-12-01T05:27:54.010000Z","protoPayload":{"methodName":"io.k8s.core.v1.pods.binding.create",
            "resourceName":"core/v1/namespaces/shop/pods/web-0/binding","authenticationInfo":{"principalEmail":"system:kube-scheduler"},"request":{"target":{"name":"n"}}}}]"#;
        for text in [
            format!("{bind}\n"),
            format!("2026-12-01T05:27:54Z {bind}\n"),
            format!(r#"{{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{bind}]}}"#),
            format!(r#"{{"events":[{{"timestamp":1,"message":{quoted}}}]}}"#),
            format!(
                r#"{{"records":[{{"category":"kube-audit","properties":{{"log":{quoted}}}}}]}}"#
            ),
            google.to_owned(),
        ] {
            let mut collector = Collector::default();
            collector.text(text.as_bytes(), "audit.log");
            let snapshot = collector.finish();
            let [record] = &*snapshot.audit_log else { panic!("{text}: {snapshot:?}") };
            assert_eq!((&*record.object.name, record.object.namespace.as_str()), ("web-0", "shop"));
            assert_eq!(
                record.target.as_ref().map(crate::model::names::NodeName::as_str),
                Some("n")
            );
            assert_eq!((record.code, &*record.subresource), (201, "binding"));
            assert_eq!(&*record.user, "system:kube-scheduler");
        }
    }
}
