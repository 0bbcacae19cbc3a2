//! Causes, evidence and classes in the contract's types.

use super::super::{
    Advice, Cause, Class, Confidence, Counterfactual, Evidence, EvidenceKind, Variants,
};
use crate::explain;

impl From<explain::Class> for Class {
    fn from(class: explain::Class) -> Self {
        match class {
            explain::Class::AsIntended => Self::AsIntended,
            explain::Class::Swap => Self::Swap,
            explain::Class::Preference => Self::Preference,
            explain::Class::Race => Self::Race,
            explain::Class::Packing => Self::Packing,
            explain::Class::Preempted => Self::Preempted,
            explain::Class::Constraint => Self::Constraint,
            explain::Class::LaunchFailed => Self::LaunchFailed,
            explain::Class::NotKarpenter => Self::NotKarpenter,
            explain::Class::Unknown => Self::Unknown,
        }
    }
}

impl From<explain::Confidence> for Confidence {
    fn from(confidence: explain::Confidence) -> Self {
        match confidence {
            explain::Confidence::Possible => Self::Possible,
            explain::Confidence::Consistent => Self::Consistent,
            explain::Confidence::Proven => Self::Proven,
        }
    }
}

impl From<&explain::Cause> for Cause {
    fn from(cause: &explain::Cause) -> Self {
        Self {
            code: cause.code.to_owned(),
            class: cause.class.into(),
            confidence: cause.confidence.into(),
            summary: cause.summary.clone(),
            evidence: cause.evidence.iter().map(Evidence::from).collect(),
            counterfactuals: cause
                .counterfactuals
                .iter()
                .map(|counterfactual| Counterfactual {
                    change: counterfactual.change.clone(),
                    outcome: counterfactual.outcome.clone(),
                    flips: counterfactual.flips,
                })
                .collect(),
            variants: cause.variants.map(|(holds, of)| Variants { holds, of }),
            advice: cause
                .advice
                .iter()
                .map(|advice| Advice {
                    summary: advice.summary.clone(),
                    command: advice.command.clone(),
                    manifest: advice.manifest.clone(),
                })
                .collect(),
        }
    }
}

impl From<&explain::Evidence> for Evidence {
    fn from(evidence: &explain::Evidence) -> Self {
        Self {
            kind: match evidence.kind {
                explain::EvidenceKind::Object => EvidenceKind::Object,
                explain::EvidenceKind::Event => EvidenceKind::Event,
                explain::EvidenceKind::Log => EvidenceKind::Log,
                explain::EvidenceKind::Replay => EvidenceKind::Replay,
                explain::EvidenceKind::Inferred => EvidenceKind::Inferred,
            },
            summary: evidence.summary.clone(),
            object: evidence.object.clone(),
            field: evidence.field.clone(),
            value: evidence.value.clone(),
            time: evidence.time,
        }
    }
}
