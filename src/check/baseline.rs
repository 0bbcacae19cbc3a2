//! `Baseline`: the findings that were there when a team began, so that only new ones count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::finding::Finding;

/// Findings that are known. Saved as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Baseline {
    /// The version of the form.
    pub api_version: String,
    /// Always `Baseline`.
    pub kind: String,
    /// What was found, by fingerprint.
    pub findings: BTreeMap<String, Known>,
}

/// One known finding; only for people who read the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Known {
    /// The rule.
    pub code: String,
    /// The object.
    pub object: String,
    /// The field.
    pub field: String,
}

const API_VERSION: &str = "landed.dev/v1alpha1";
const KIND: &str = "Baseline";

impl Baseline {
    /// The baseline of these findings.
    pub fn of(findings: &[Finding]) -> Self {
        let known = findings.iter().map(|finding| {
            let known = Known {
                code: finding.code.to_owned(),
                object: finding.object.clone(),
                field: finding.field.clone(),
            };
            (finding.fingerprint.clone(), known)
        });
        Self { api_version: API_VERSION.into(), kind: KIND.into(), findings: known.collect() }
    }

    /// Reads a saved baseline.
    pub fn parse(text: &str) -> Result<Self, String> {
        let read: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if read.kind != KIND || read.api_version != API_VERSION {
            return Err(format!("not a {KIND} of {API_VERSION}"));
        }
        Ok(read)
    }

    /// The baseline as text, to be saved.
    pub fn to_text(&self) -> String {
        let text = serde_json::to_string_pretty(self)
            .expect("a baseline holds nothing that JSON cannot say: its keys are text");
        text + "\n"
    }

    /// Takes the known ones out of findings; returns them, and how many entries match nothing any more.
    pub fn take(&self, findings: &mut Vec<Finding>) -> (Vec<Finding>, usize) {
        let all = std::mem::take(findings);
        let (known, new): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|finding| self.findings.contains_key(&finding.fingerprint));
        *findings = new;
        let gone = self.findings.len() - known.len();
        (known, gone)
    }
}
