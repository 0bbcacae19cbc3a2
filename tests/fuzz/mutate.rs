//! Changes a JSON document as bytes say: what a fuzzer and a generator of properties share.

use serde_json::{Map, Value, json};

/// Choices that are taken from bytes, until there are no more.
pub struct Choices<'a>(pub &'a [u8]);

impl Choices<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number below another one; none when the bytes are over or nothing is below.
    pub fn below(&mut self, end: usize) -> Option<usize> {
        let mut number = usize::from(self.byte()?);
        if end > 256 {
            number = number << 8 | usize::from(self.byte()?);
        }
        (end > 0).then(|| number % end)
    }

    /// One of some values.
    pub fn of<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        self.below(all.len()).map(|index| &all[index])
    }
}

/// Texts that mean something to one field or another, and such as mean too much.
const TEXTS: &[&str] = &[
    "",
    "x",
    "a",
    "b",
    "default",
    "0",
    "-1",
    "1",
    "2",
    "100m",
    "1Gi",
    "64Mi",
    "1e30",
    "-5",
    "1e-9",
    "1n",
    "0.5",
    "9223372036854775807",
    "9223372036854775807Ei",
    "99999999999999999999",
    "1x",
    "100%",
    "50%",
    "-1%",
    "10m",
    "0s",
    "720h",
    "Never",
    "-10m",
    "99999999999h",
    "1.5h",
    "* * * * *",
    "@daily",
    "*/0 * * * *",
    "0 0 31 2 *",
    "1969-01-01T00:00:00Z",
    "2026-12-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "-9999-01-01T00:00:00Z",
    "DoNotSchedule",
    "ScheduleAnyway",
    "NoSchedule",
    "PreferNoSchedule",
    "NoExecute",
    "In",
    "NotIn",
    "Exists",
    "DoesNotExist",
    "Gt",
    "Lt",
    "Equal",
    "Honor",
    "Ignore",
    "Always",
    "Pending",
    "Running",
    "Succeeded",
    "Failed",
    "True",
    "False",
    "Unknown",
    "WaitForFirstConsumer",
    "Immediate",
    "ReadWriteOncePod",
    "WhenEmpty",
    "WhenEmptyOrUnderutilized",
    "spot",
    "on-demand",
    "reserved",
    "linux",
    "windows",
    "amd64",
    "cpu",
    "memory",
    "pods",
    "nodes",
    "topology.kubernetes.io/zone",
    "kubernetes.io/hostname",
    "karpenter.sh/nodepool",
    "karpenter.sh/capacity-type",
    "karpenter.sh/do-not-disrupt",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "metadata.name",
    "device.driver == 'x'",
    "!(((((",
    "\u{1b}[31m",
    "\u{202e}x\u{7}",
    "\u{0}",
    "a/b",
    "../../etc/passwd",
    "é",
    "v1",
    "apps/v1",
    "karpenter.sh/v1",
    "Deployment",
    "ReplicaSet",
    "DaemonSet",
    "StatefulSet",
    "Job",
    "Node",
    "Pod",
    "NodeClaim",
    "NodePool",
];

/// A value that some field may hold, or that none may.
fn value(choices: &mut Choices<'_>) -> Option<Value> {
    Some(match choices.below(24)? {
        0 => Value::Null,
        1 => json!(0),
        2 => json!(1),
        3 => json!(-1),
        4 => json!(i64::MAX),
        5 => json!(i64::MIN),
        6 => json!(u64::MAX),
        7 => json!(1e300),
        8 => json!(true),
        9 => json!([]),
        10 => json!({}),
        11 => json!("x".repeat(300)),
        12 => {
            json!({"key": text(choices)?, "operator": text(choices)?, "values": [text(choices)?, text(choices)?]})
        }
        13 => json!({"matchLabels": {"app": text(choices)?}}),
        14 => {
            json!({"key": text(choices)?, "value": text(choices)?, "effect": text(choices)?, "operator": text(choices)?})
        }
        15 => {
            json!({"maxSkew": choices.byte()?, "topologyKey": text(choices)?, "whenUnsatisfiable": text(choices)?,
            "minDomains": choices.byte()?, "labelSelector": {}, "matchLabelKeys": [text(choices)?]})
        }
        16 => json!({"topologyKey": text(choices)?, "labelSelector": {}, "namespaceSelector": {}}),
        17 => json!({"name": text(choices)?, "namespace": text(choices)?, "uid": text(choices)?}),
        18 => json!([choices.byte()?, text(choices)?]),
        19 => json!(choices.byte()?),
        _ => json!(text(choices)?),
    })
}

fn text(choices: &mut Choices<'_>) -> Option<&'static str> {
    choices.of(TEXTS).copied()
}

/// The place of a value: a key or an index a step.
#[derive(Clone)]
enum Step {
    Key(String),
    Index(usize),
}

/// Chooses a place below a value; the value itself when the bytes say so.
fn place(document: &Value, choices: &mut Choices<'_>) -> Vec<Step> {
    let (mut at, mut path) = (document, Vec::new());
    loop {
        let next = match at {
            Value::Array(list) => {
                choices.below(list.len()).map(|index| (Step::Index(index), &list[index]))
            }
            Value::Object(map) => choices
                .below(map.len())
                .and_then(|index| map.iter().nth(index))
                .map(|(key, value)| (Step::Key(key.clone()), value)),
            _ => None,
        };
        let Some((step, value)) = next else { return path };
        path.push(step);
        at = value;
        if path.len() > 2 && choices.byte().is_none_or(|byte| byte % 4 == 0) {
            return path;
        }
    }
}

fn at<'v>(document: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(document, |at, step| match step {
        Step::Key(key) => at.get_mut(key),
        Step::Index(index) => at.get_mut(index),
    })
}

/// Changes a document until the bytes are over, at most a hundred times.
pub fn mutate(document: &mut Value, choices: &mut Choices<'_>) {
    for _ in 0..100 {
        if change(document, choices).is_none() {
            return;
        }
    }
}

/// One change.
fn change(document: &mut Value, choices: &mut Choices<'_>) -> Option<()> {
    let what = choices.byte()?;
    let path = place(document, choices);
    let (last, parent) = path.split_last()?;
    let here = at(document, &path)?.clone();
    match what % 8 {
        // Another value.
        0..=2 => *at(document, &path)? = value(choices)?,
        // No value.
        3 => match (at(document, parent)?, last) {
            (Value::Object(map), Step::Key(key)) => drop(map.remove(key)),
            (Value::Array(items), Step::Index(index)) => drop(items.remove(*index)),
            _ => {}
        },
        // The same once more, perhaps in another state.
        4 => {
            if let (Value::Array(items), Step::Index(index)) = (at(document, parent)?, last) {
                items.insert(*index, here);
            }
        }
        // A value from elsewhere.
        5 => {
            let from = place(document, choices);
            let other = at(document, &from)?.clone();
            *at(document, &path)? = other;
        }
        // A field that was not there.
        6 => {
            let key = choices.of(KEYS)?;
            let new = value(choices)?;
            match at(document, &path)? {
                Value::Object(map) => drop(map.insert((*key).to_owned(), new)),
                Value::Array(items) => items.push(new),
                other => *other = Value::Object(Map::from_iter([((*key).to_owned(), new)])),
            }
        }
        // Text that differs a little, or a number.
        _ => {
            let step = choices.byte()?;
            match at(document, &path)? {
                Value::String(text) if step % 2 == 0 => text.push_str(choices.of(TEXTS)?),
                Value::String(text) => drop(text.pop()),
                number @ Value::Number(_) => {
                    *number = json!(number.as_i64().unwrap_or(0).wrapping_mul(i64::from(step)));
                }
                other => *other = json!([other.clone(), other.clone()]),
            }
        }
    }
    Some(())
}

/// Fields that an object may have.
const KEYS: &[&str] = &[
    "nodeName",
    "nominatedNodeName",
    "phase",
    "deletionTimestamp",
    "creationTimestamp",
    "ownerReferences",
    "labels",
    "annotations",
    "priority",
    "priorityClassName",
    "preemptionPolicy",
    "schedulerName",
    "schedulingGates",
    "hostNetwork",
    "nodeSelector",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "overhead",
    "resources",
    "requests",
    "limits",
    "initContainers",
    "restartPolicy",
    "ports",
    "hostPort",
    "volumes",
    "persistentVolumeClaim",
    "claimName",
    "resourceClaims",
    "taints",
    "unschedulable",
    "conditions",
    "capacity",
    "allocatable",
    "images",
    "providerID",
    "weight",
    "limits",
    "requirements",
    "minValues",
    "startupTaints",
    "expireAfter",
    "terminationGracePeriod",
    "budgets",
    "consolidateAfter",
    "consolidationPolicy",
    "replicas",
    "disruption",
    "matchExpressions",
    "matchFields",
    "topologyKey",
    "minDomains",
    "maxSkew",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "namespaces",
    "namespaceSelector",
    "kind",
    "name",
    "managedFields",
    "uid",
    "involvedObject",
    "reason",
    "message",
    "eventTime",
    "spec",
    "status",
    "metadata",
];
