//! A label that is nearly one that nodes have.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::rule::{Look, Rule};
use crate::check::rules::deprecated_label::REPLACED;

pub(super) const RULE: Rule = Rule {
    code: "mistyped-label",
    severity: Severity::Error,
    finds: "a label of nodes that differs by a letter or two, or in its prefix, from one that nodes have",
    why: "A demand for a label that no node has is never met: Karpenter refuses the pod with \"does not have known \
          values\". A wish or a topology key for it does nothing at all, and nothing says so.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {topology.kubernetes.io/zones: us-east-1a}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

const GOOD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {topology.kubernetes.io/zone: us-east-1a}
  containers:
  - {name: main, image: web, resources: {requests: {cpu: 500m, memory: 1Gi}}}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let known = context.known_labels();
    let uses = context.label_uses(manifest);
    let strange = uses.into_iter().filter(|used| {
        let key = &*used.expression.key;
        !known.contains(key) && REPLACED.iter().all(|(old, _)| *old != key)
    });
    strange
        .filter_map(|used| {
            let key = &*used.expression.key;
            let meant = known.iter().find(|known| is_near(key, known))?;
            let message = format!("{key} is no label that nodes have; is {meant} meant?");
            Some(Problem::new(used.path, message, format!("write {meant}")))
        })
        .collect()
}

/// Whether two keys differ as slips do: by two letters at most, or only in the prefix of a long name.
fn is_near(key: &str, known: &str) -> bool {
    let (prefix, name) = key.split_once('/').unwrap_or(("", key));
    let (known_prefix, known_name) = known.split_once('/').unwrap_or(("", known));
    let same_name = name.eq_ignore_ascii_case(known_name);
    if same_name
        && (prefix.is_empty()
            || known_prefix.ends_with(&format!(".{prefix}"))
            || prefix.ends_with(&format!(".{known_prefix}")))
    {
        return !known_prefix.is_empty() && (name.len() >= 4 || !prefix.is_empty());
    }
    let longest = key.len().max(known.len());
    longest >= 8 && distance(&key.to_lowercase(), &known.to_lowercase(), 2) <= 2
}

/// How many letters to add, drop or change to make one text of the other; `most + 1` stands for more.
fn distance(a: &str, b: &str, most: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return most + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()].min(most + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_labels_of_ones_own_are_not() {
        for (key, near) in [
            ("topology.kubernetes.io/zones", true),
            ("topology.kubernetes.io/Zone", true),
            ("kubernetes.io/zone", true),
            ("zone", true),
            ("topolgy.kubernetes.io/zone", true),
            ("example.com/zone", false),
            ("example.com/team", false),
        ] {
            assert_eq!(is_near(key, "topology.kubernetes.io/zone"), near, "{key}");
        }
        assert!(!is_near("arch", "kubernetes.io/os"));
    }
}
