//! Which pods are meant: `POD`, `pod/NAME`, `deploy/NAME`, `-l SELECTOR`.

use std::collections::BTreeSet;

use super::Failure;
use super::cluster::NamespaceArgs;
use super::input::Input;
use crate::model::cluster_state::ClusterState;
use crate::model::names::{NamespaceName, PodKey, Str, Uid};
use crate::model::selector::{Expression, LabelSelector, Operator};
use crate::model::workload::WorkloadKind;
use crate::reconstruct::Chronicle;

/// Where to look.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The namespace; `None` for all.
    pub namespace: Option<NamespaceName>,
}

impl Scope {
    /// The one that the flags ask for.
    pub fn of(flags: &NamespaceArgs, input: &Input) -> Self {
        let bare = || NamespaceName::from(input.namespace.as_str());
        Self { namespace: (!flags.all_namespaces).then(bare) }
    }

    pub(super) fn holds(&self, namespace: &NamespaceName) -> bool {
        self.namespace.as_ref().is_none_or(|wanted| wanted == namespace)
    }

    fn text(&self) -> String {
        self.namespace
            .as_ref()
            .map_or_else(|| "any namespace".to_owned(), |name| format!("namespace {name}"))
    }
}

/// The pods that a name or a selector means; an error when there is none.
pub fn pods(
    objects: &ClusterState,
    chronicle: &Chronicle,
    scope: &Scope,
    name: Option<&str>,
    selector: Option<&str>,
) -> Result<Vec<PodKey>, Failure> {
    match (name, selector) {
        (Some(name), None) => by_name(objects, chronicle, scope, name),
        (None, Some(selector)) => by_selector(objects, scope, selector),
        (Some(_), Some(_)) => Err(Failure::new("give either a name or a selector").code(2)),
        (None, None) => Err(Failure::new("no pod given")
            .hint("kubectl landed explain POD, deploy/NAME or -l SELECTOR")
            .code(2)),
    }
}

fn by_name(
    objects: &ClusterState,
    chronicle: &Chronicle,
    scope: &Scope,
    name: &str,
) -> Result<Vec<PodKey>, Failure> {
    let (kind, name) = match name.split_once('/') {
        // As kubectl's `-o name` prints it: deployment.apps/web.
        Some((kind, name)) => (without_group(kind).to_ascii_lowercase(), name),
        None => ("pod".to_owned(), name),
    };
    let found = match kind.as_str() {
        "pod" | "pods" | "po" => return pod_named(objects, chronicle, scope, name),
        "deploy" | "deployment" | "deployments" => {
            owned(objects, scope, WorkloadKind::Deployment, name)
        }
        "rs" | "replicaset" | "replicasets" => {
            owned(objects, scope, WorkloadKind::ReplicaSet, name)
        }
        "sts" | "statefulset" | "statefulsets" => {
            owned(objects, scope, WorkloadKind::StatefulSet, name)
        }
        "ds" | "daemonset" | "daemonsets" => owned(objects, scope, WorkloadKind::DaemonSet, name),
        "job" | "jobs" => owned(objects, scope, WorkloadKind::Job, name),
        "cj" | "cronjob" | "cronjobs" => owned(objects, scope, WorkloadKind::CronJob, name),
        "rc" | "replicationcontroller" => {
            owned(objects, scope, WorkloadKind::ReplicationController, name)
        }
        "node" | "nodes" | "no" => {
            return Err(Failure::new(format!("node/{name} is no pod"))
                .hint(format!("kubectl landed node {name}")));
        }
        other => {
            let failure =
                Failure::new(format!("{other}/{name} names neither a pod nor an owner of pods"));
            return Err(failure.hint(format!("kubectl landed explain -n {other} {name}")));
        }
    };
    if found.is_empty() {
        let failure =
            Failure::new(format!("no pod of {kind}/{name} is in {} of this input", scope.text()));
        return Err(failure.hint(nearest_hint(objects, scope, name)));
    }
    Ok(found)
}

/// A kind without the API group that may stand behind it.
pub(super) fn without_group(kind: &str) -> &str {
    kind.split_once('.').map_or(kind, |(kind, _)| kind)
}

fn pod_named(
    objects: &ClusterState,
    chronicle: &Chronicle,
    scope: &Scope,
    name: &str,
) -> Result<Vec<PodKey>, Failure> {
    let found: Vec<PodKey> = if let Some(namespace) = &scope.namespace {
        let key = PodKey::new(namespace.clone(), name);
        chronicle.pod(&key).map(|pod| pod.key.clone()).into_iter().collect()
    } else {
        let named = chronicle.pods.iter().filter(|pod| &*pod.key.name == name);
        let keys: BTreeSet<PodKey> = named.map(|pod| pod.key.clone()).collect();
        keys.into_iter().collect()
    };
    if !found.is_empty() {
        return Ok(found);
    }
    let elsewhere = objects.pods.iter().find(|pod| &*pod.meta.name == name);
    let failure = Failure::new(format!("pod/{name} is not in {} of this input", scope.text()));
    Err(failure.hint(match elsewhere {
        Some(pod) => format!("kubectl landed explain -n {} {name}", pod.meta.namespace),
        None => nearest_hint(objects, scope, name),
    }))
}

/// The names that are most like one that matches nothing.
fn nearest_hint(objects: &ClusterState, scope: &Scope, name: &str) -> String {
    let in_scope = objects.pods.iter().filter(|pod| scope.holds(&pod.meta.namespace));
    let names = nearest(name, in_scope.map(|pod| &*pod.meta.name));
    if names.is_empty() {
        let namespaces: BTreeSet<&str> =
            objects.pods.iter().map(|pod| pod.meta.namespace.as_str()).collect();
        let namespaces: Vec<&str> = namespaces.into_iter().take(5).collect();
        if namespaces.is_empty() {
            return "there are no pods in this input".to_owned();
        }
        return format!("there are pods in {}", namespaces.join(", "));
    }
    format!("the nearest names are {}", names.join(", "))
}

/// The three names that are most like a name.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut near: Vec<(usize, &str)> = known.map(|known| (distance(name, known), known)).collect();
    near.sort_unstable();
    near.dedup_by(|a, b| a.1 == b.1);
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// How unlike two names are: the smallest number of letters to change, a common beginning counting for much.
fn distance(a: &str, b: &str) -> usize {
    let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(80).collect::<Vec<_>>(), b.chars().take(80).collect::<Vec<_>>());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    (row[b.len()] * 2).saturating_sub(common)
}

/// The pods of an owner, also through the ReplicaSets of a Deployment or the Jobs of a CronJob.
fn owned(objects: &ClusterState, scope: &Scope, kind: WorkloadKind, name: &str) -> Vec<PodKey> {
    let mut owners: BTreeSet<Uid> = BTreeSet::new();
    let mut names: BTreeSet<(NamespaceName, &str, Str)> = BTreeSet::new();
    for workload in
        objects.workloads.iter().filter(|workload| scope.holds(&workload.meta.namespace))
    {
        let itself = workload.kind == kind && &*workload.meta.name == name;
        let below = workload
            .meta
            .owners
            .iter()
            .any(|owner| *owner.kind == *kind.as_str() && &*owner.name == name);
        if itself || below {
            owners.insert(workload.meta.uid.clone());
            names.insert((
                workload.meta.namespace.clone(),
                workload.kind.as_str(),
                workload.meta.name.clone(),
            ));
        }
    }
    objects
        .pods
        .iter()
        .filter(|pod| scope.holds(&pod.meta.namespace))
        .filter(|pod| {
            pod.meta.owners.iter().any(|owner| {
                let by_uid = !owner.uid.as_str().is_empty() && owners.contains(&owner.uid);
                let key = (pod.meta.namespace.clone(), &*owner.kind, owner.name.clone());
                by_uid
                    || names.contains(&key)
                    || (*owner.kind == *kind.as_str() && &*owner.name == name)
            })
        })
        .map(|pod| pod.key())
        .collect()
}

fn by_selector(objects: &ClusterState, scope: &Scope, text: &str) -> Result<Vec<PodKey>, Failure> {
    let selector = parse_selector(text)
        .ok_or_else(|| Failure::new(format!("not a label selector: {text:?}")).code(2))?;
    let found: Vec<PodKey> = objects
        .pods
        .iter()
        .filter(|pod| scope.holds(&pod.meta.namespace) && selector.matches(&pod.meta.labels))
        .map(|pod| pod.key())
        .collect();
    if found.is_empty() {
        return Err(Failure::new(format!("no pod in {} has the labels {text}", scope.text())));
    }
    Ok(found)
}

/// A selector as kubectl takes it: `a=b,c!=d,e in (f,g),!h,i`.
fn parse_selector(text: &str) -> Option<LabelSelector> {
    let mut selector = LabelSelector::default();
    for part in split_terms(text) {
        selector.match_expressions.push(parse_term(part.trim())?);
    }
    Some(selector)
}

/// Splits at commas that are in no parentheses.
fn split_terms(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (index, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn parse_term(term: &str) -> Option<Expression> {
    let expression = |key: &str, operator, values: Vec<Str>| {
        let key = key.trim();
        (!key.is_empty() && !key.contains(' ')).then(|| Expression {
            key: key.into(),
            operator,
            values,
        })
    };
    if let Some((key, values)) = set(term, " notin ") {
        return expression(key, Operator::NotIn, values);
    }
    if let Some((key, values)) = set(term, " in ") {
        return expression(key, Operator::In, values);
    }
    if let Some((key, value)) = term.split_once("!=") {
        return expression(key, Operator::NotIn, vec![value.trim().into()]);
    }
    if let Some((key, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        return expression(key, Operator::In, vec![value.trim().into()]);
    }
    match term.strip_prefix('!') {
        Some(key) => expression(key, Operator::DoesNotExist, Vec::new()),
        None => expression(term, Operator::Exists, Vec::new()),
    }
}

fn set<'t>(term: &'t str, word: &str) -> Option<(&'t str, Vec<Str>)> {
    let (key, values) = term.split_once(word)?;
    let values = values.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some((key, values.split(',').map(|value| value.trim().into()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::labels::Labels;

    #[test]
    fn a_selector_is_read_as_kubectl_does() {
        let labels: Labels = [("app", "web"), ("tier", "front")].into_iter().collect();
        for (text, matches) in [
            ("app=web", true),
            ("app==web,tier!=back", true),
            ("app in (web,api),!gone", true),
            ("tier notin (front)", false),
            ("app", true),
            ("!app", false),
        ] {
            let selector = parse_selector(text).unwrap_or_else(|| panic!("{text} is a selector"));
            assert_eq!(selector.matches(&labels), matches, "{text}");
        }
        assert_eq!(parse_selector("a b=c"), None);
        assert_eq!(parse_selector("=x"), None);
    }

    #[test]
    fn a_slip_of_the_pen_is_nearest() {
        assert!(distance("wbe-1", "web-1") < distance("wbe-1", "api-1"));
        assert!(
            distance("web-7497f8df85", "web-7497f8df85-x2xq9")
                < distance("web-7497f8df85", "web-1")
        );
    }
}
