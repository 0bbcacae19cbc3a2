//! Taints keep pods off a node; tolerations let them on.

use super::names::Str;
use super::time::Timestamp;

/// What a taint does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Keeps new pods off.
    NoSchedule,
    /// Keeps new pods off where there is another place.
    PreferNoSchedule,
    /// Keeps new pods off and evicts those that run.
    NoExecute,
    /// Something that upstream does not know, as written.
    Unknown(Str),
}

impl Effect {
    /// The effect of a text.
    pub fn parse(text: &str) -> Self {
        match text {
            "NoSchedule" => Self::NoSchedule,
            "PreferNoSchedule" => Self::PreferNoSchedule,
            "NoExecute" => Self::NoExecute,
            other => Self::Unknown(other.into()),
        }
    }

    /// The effect as written in a manifest.
    pub fn as_str(&self) -> &str {
        match self {
            Self::NoSchedule => "NoSchedule",
            Self::PreferNoSchedule => "PreferNoSchedule",
            Self::NoExecute => "NoExecute",
            Self::Unknown(text) => text,
        }
    }
}

/// One of a node's taints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taint {
    /// `key`.
    pub key: Str,
    /// `value`; empty when there is none.
    pub value: Str,
    /// `effect`.
    pub effect: Effect,
    /// `timeAdded`.
    pub added: Option<Timestamp>,
}

/// Written as kubectl does: `key=value:Effect`.
impl std::fmt::Display for Taint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = if self.value.is_empty() { String::new() } else { format!("={}", self.value) };
        write!(f, "{}{value}:{}", self.key, self.effect.as_str())
    }
}

/// How a toleration compares values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TolerationOperator {
    /// Key and value are equal. The default.
    Equal,
    /// The key is equal; an empty key stands for every key.
    Exists,
    /// Anything else, as written; the gate for `Lt` and `Gt` is off by default.
    Unknown(Str),
}

/// One of a pod's tolerations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Toleration {
    /// `key`; empty when there is none.
    pub key: Str,
    /// `operator`.
    pub operator: TolerationOperator,
    /// `value`; empty when there is none.
    pub value: Str,
    /// `effect`; none stands for every effect.
    pub effect: Option<Effect>,
    /// `tolerationSeconds`.
    pub seconds: Option<i64>,
}

impl Toleration {
    /// Whether the toleration lets a pod on in spite of the taint. As `v1.Toleration.ToleratesTaint`.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        if self.effect.as_ref().is_some_and(|effect| *effect != taint.effect) {
            return false;
        }
        if !self.key.is_empty() && self.key != taint.key {
            return false;
        }
        match self.operator {
            TolerationOperator::Equal => self.value == taint.value,
            TolerationOperator::Exists => true,
            TolerationOperator::Unknown(_) => false,
        }
    }
}
