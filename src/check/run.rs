//! Asks every rule about every object.

use std::collections::BTreeMap;

use super::configuration::Configuration;
use super::context::Context;
use super::finding::{Finding, Problem};
use super::manifest::Manifest;
use super::rule::{Look, Rule};
use super::rules::RULES;

/// What the rules find, by file, place and code. Ignored findings are still in it.
pub fn check(context: &Context, configuration: &Configuration) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in RULES {
        let Some(severity) = configuration.severity_of(rule) else { continue };
        for manifest in &context.manifests {
            for problem in ask(rule, context, manifest) {
                findings.push(finding(rule, severity, manifest, problem));
            }
        }
    }
    number_equal(&mut findings);
    findings.sort_by(|a, b| {
        (&a.file, a.position, a.code, &a.fingerprint).cmp(&(
            &b.file,
            b.position,
            b.code,
            &b.fingerprint,
        ))
    });
    findings
}

fn ask(rule: &Rule, context: &Context, manifest: &Manifest) -> Vec<Problem> {
    match rule.look {
        Look::Ignores => Vec::new(),
        Look::Manifest(look) => look(context, manifest),
        Look::Template(look) => {
            context.template(manifest).map(|template| look(context, template)).unwrap_or_default()
        }
    }
}

fn finding(
    rule: &Rule,
    severity: super::finding::Severity,
    manifest: &Manifest,
    problem: Problem,
) -> Finding {
    let field = problem.path.to_string();
    let identity = [
        rule.code,
        &manifest.api_version,
        &manifest.kind,
        &manifest.namespace,
        &manifest.name,
        &without_indices(&field),
    ];
    Finding {
        code: rule.code,
        severity,
        object: manifest.title(),
        namespace: manifest.namespace.clone(),
        file: manifest.file.clone(),
        position: manifest.position_of(&problem.path),
        fingerprint: hash(&identity.join("\n")),
        path: problem.path,
        field,
        manifest: manifest.index,
        message: problem.message,
        advice: problem.advice,
    }
}

/// Elements of a list may change places without becoming other findings.
fn without_indices(field: &str) -> String {
    let mut outside = true;
    let kept = field.chars().filter(|letter| {
        match letter {
            '[' => outside = false,
            ']' => {
                outside = true;
                return false;
            }
            _ => {}
        }
        outside
    });
    kept.collect()
}

/// Gives findings that are alike a number, so that each has a fingerprint of its own.
fn number_equal(findings: &mut [Finding]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        let count = seen.entry(finding.fingerprint.clone()).or_default();
        *count += 1;
        if *count > 1 {
            finding.fingerprint = format!("{}-{count}", finding.fingerprint);
        }
    }
}

/// FNV-1a over 128 bits, in hexadecimal.
pub(super) fn hash(text: &str) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let start = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    let hash = text.bytes().fold(start, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_does_not_know_the_place_in_a_list() {
        assert_eq!(without_indices("spec.containers[0].resources"), "spec.containers.resources");
        assert_eq!(without_indices("spec.nodeSelector['a.b/c']"), "spec.nodeSelector");
    }
}
