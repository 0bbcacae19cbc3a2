//! Whether a pending pod may enter the batch. As `Provisioner.Validate`.

use crate::model::labels;
use crate::model::names::Str;
use crate::model::pod::Pod;
use crate::model::selector::{Expression, Operator};

use super::demands::Demands;
use super::requirements::RequirementSets;
use super::settings::Settings;
use super::vocabulary::{WELL_KNOWN, modern_key};
use super::volume_topology;
use super::volumes::Storage;

/// The labels and domains of a pass, as the check of labels uses them.
pub(super) struct LabelRules {
    well_known: Vec<Str>,
    restricted_domains: Vec<Str>,
    settings: Settings,
}

impl LabelRules {
    pub(super) fn new(well_known: &[Str], restricted_domains: &[Str], settings: &Settings) -> Self {
        let core = WELL_KNOWN.into_iter().map(Str::from);
        let mut well_known: Vec<Str> = core.chain(well_known.iter().cloned()).collect();
        well_known.sort_unstable();
        well_known.dedup();
        let core: &[&str] = if settings.version.since(9, 0) {
            &["karpenter.sh"]
        } else {
            &["karpenter.sh", "kubernetes.io", "k8s.io"]
        };
        let core = core.iter().map(|domain| Str::from(*domain));
        let mut domains: Vec<Str> = core.chain(restricted_domains.iter().cloned()).collect();
        domains.sort_unstable();
        domains.dedup();
        Self { well_known, restricted_domains: domains, settings: settings.clone() }
    }

    /// Whether a label may not be used, as it is core's or the provider's own.
    fn is_restricted(&self, key: &str) -> bool {
        const EXCEPTIONS: [&str; 3] =
            ["kops.k8s.io", "node.kubernetes.io", "node-restriction.kubernetes.io"];
        if self.well_known.iter().any(|known| &**known == key) {
            return false;
        }
        let domain = key.split_once('/').map_or("", |(domain, _)| domain);
        let is_exact = key == labels::HOSTNAME;
        if self.settings.version.since(9, 0) {
            let is_of = |restricted: &Str| {
                domain == &**restricted
                    || domain
                        .strip_suffix(&**restricted)
                        .is_some_and(|before| before.ends_with('.'))
            };
            return is_exact || self.restricted_domains.iter().any(is_of);
        }
        if EXCEPTIONS.iter().any(|exception| domain.ends_with(exception)) {
            return false;
        }
        is_exact || self.restricted_domains.iter().any(|restricted| domain.ends_with(&**restricted))
    }

    fn check(&self, expression: &Expression, errors: &mut Vec<String>) {
        let key = modern_key(&expression.key);
        let knows_bounds = self.settings.version.since(9, 0);
        let operator = expression.operator.as_str();
        match &expression.operator {
            Operator::Unknown(_) => {
                errors.push(format!("key {key} has an unsupported operator {operator}"));
            }
            Operator::Gte | Operator::Lte if !knows_bounds => {
                errors.push(format!("key {key} has an unsupported operator {operator}"));
            }
            _ => {}
        }
        if self.is_restricted(key) {
            errors.push(format!(
                "using label {key} is not allowed as it might interfere with the internal provisioning logic; specify a well known label: [{}], or a custom label that does not use a restricted domain: [{}]",
                self.well_known.join(" "),
                self.restricted_domains.join(" ")
            ));
        }
        let known_type = |value: &Str| matches!(&**value, "on-demand" | "spot" | "reserved");
        let checks_type = self.settings.version.since(5, 0);
        if checks_type
            && key == labels::CAPACITY_TYPE
            && expression.operator == Operator::In
            && !expression.values.iter().any(known_type)
        {
            errors
                .push(format!("no valid capacity type found in {}", bracketed(&expression.values)));
        }
        if !is_qualified_name(key) {
            errors.push(format!("key {key} is not a qualified name"));
        }
        for value in expression.values.iter().filter(|value| !is_label_value(value)) {
            errors.push(format!("invalid value {value} for key {key}"));
        }
        match expression.operator {
            Operator::In if expression.values.is_empty() => {
                errors.push(format!("key {key} with operator In must have a value defined"));
            }
            Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte => {
                let number = match &expression.values[..] {
                    [value] => value.parse::<i64>().ok().filter(|number| *number >= 0),
                    _ => None,
                };
                if number.is_none() {
                    errors.push(format!(
                        "key {key} with operator {operator} must have a single positive integer value"
                    ));
                }
            }
            _ => {}
        }
    }
}

fn bracketed(values: &[Str]) -> String {
    format!("[{}]", values.join(" "))
}

/// A pod that may not enter the batch.
pub(super) struct Invalid {
    pub(super) reasons: Vec<String>,
    /// Whether upstream tells of it with an event.
    pub(super) is_told: bool,
}

/// Checks a pending pod; `None`: it may enter.
pub(super) fn validate(
    pod: &Pod,
    rules: &LabelRules,
    storage: &Storage<'_>,
    sets: &mut RequirementSets,
) -> Option<Invalid> {
    let settings = &rules.settings;
    let mut reasons = Vec::new();
    let demands = Demands::of(&pod.spec);
    let full = demands.requirements(true, &mut sets.vocabulary);
    let node_pool = sets.vocabulary.node_pool;
    let opts_out = full.get(node_pool).is_some_and(super::requirement::Requirement::is_empty);
    if opts_out {
        reasons.push(format!(
            "configured to not run on a Karpenter provisioned node (requirement={} DoesNotExist)",
            labels::NODEPOOL
        ));
    }
    for (key, value) in &pod.spec.node_selector {
        let entry =
            Expression { key: key.clone(), operator: Operator::In, values: vec![value.clone()] };
        rules.check(&entry, &mut reasons);
    }
    let affinity = pod.spec.affinity.node.as_ref();
    let required = affinity.and_then(|node| node.required.as_ref()).into_iter().flatten();
    let preferred = affinity
        .into_iter()
        .flat_map(|node| &node.preferred)
        .map(|term| &term.preference)
        .filter(|_| !settings.version.since(5, 0));
    for term in required.chain(preferred) {
        if term.match_fields.is_some() {
            reasons.push("node selector term with matchFields is not supported".into());
        }
        for expression in &term.match_expressions {
            rules.check(expression, &mut reasons);
        }
    }
    if let Err(reason) = volume_topology::validate(pod, storage, settings) {
        reasons.push(reason);
    }
    if reasons.is_empty() {
        return None;
    }
    // As before 1.9: pods that are refused here are refused in silence.
    Some(Invalid { reasons, is_told: !opts_out && settings.version.since(9, 0) })
}

/// Whether a key is a qualified name: an optional DNS subdomain, a slash, and a name.
fn is_qualified_name(key: &str) -> bool {
    let (domain, name) = match key.split_once('/') {
        Some((domain, name)) => (Some(domain), name),
        None => (None, key),
    };
    let is_subdomain = |domain: &str| {
        !domain.is_empty()
            && domain.len() <= 253
            && domain.split('.').all(|part| {
                let edge = |byte: Option<&u8>| {
                    byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
                };
                let bytes = part.as_bytes();
                let inner =
                    |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
                edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(inner)
            })
    };
    domain.is_none_or(is_subdomain) && !name.is_empty() && is_label_value(name)
}

/// Whether a text may be a label's value.
fn is_label_value(text: &str) -> bool {
    let bytes = text.as_bytes();
    let edge = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_alphanumeric);
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    bytes.len() <= 63 && edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(inner)
}
