//! Selectors of labels, of objects and of nodes. Values are kept as written; what they match is in here too.

use super::labels::Labels;
use super::names::Str;

/// How a selector's requirement compares.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// The label has one of the values.
    In,
    /// The label is absent or has none of the values.
    NotIn,
    /// The label is present.
    Exists,
    /// The label is absent.
    DoesNotExist,
    /// The label is a number above the value.
    Gt,
    /// The label is a number below the value.
    Lt,
    /// The label is a number not below the value. Karpenter's own.
    Gte,
    /// The label is a number not above the value. Karpenter's own.
    Lte,
    /// Something that upstream does not know, as written.
    Unknown(Str),
}

impl Operator {
    /// The operator of a text.
    pub fn parse(text: &str) -> Self {
        match text {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            "Gt" => Self::Gt,
            "Lt" => Self::Lt,
            "Gte" => Self::Gte,
            "Lte" => Self::Lte,
            other => Self::Unknown(other.into()),
        }
    }

    /// Whether the operator with these values lets a value through; `DoesNotExist` lets none.
    pub fn admits(&self, values: &[Str], value: &str) -> bool {
        let listed = || values.iter().any(|listed| &**listed == value);
        let compares = |holds: fn(i64, i64) -> bool| {
            let bound = values.first().and_then(|bound| bound.parse::<i64>().ok());
            value.parse::<i64>().ok().zip(bound).is_some_and(|(value, bound)| holds(value, bound))
        };
        match self {
            Self::In => listed(),
            Self::NotIn => !listed(),
            Self::Exists => true,
            Self::DoesNotExist | Self::Unknown(_) => false,
            Self::Gt => compares(|value, bound| value > bound),
            Self::Lt => compares(|value, bound| value < bound),
            Self::Gte => compares(|value, bound| value >= bound),
            Self::Lte => compares(|value, bound| value <= bound),
        }
    }

    /// The operator as written in a manifest.
    pub fn as_str(&self) -> &str {
        match self {
            Self::In => "In",
            Self::NotIn => "NotIn",
            Self::Exists => "Exists",
            Self::DoesNotExist => "DoesNotExist",
            Self::Gt => "Gt",
            Self::Lt => "Lt",
            Self::Gte => "Gte",
            Self::Lte => "Lte",
            Self::Unknown(text) => text,
        }
    }
}

/// One requirement of a selector, as written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expression {
    /// The label or field.
    pub key: Str,
    /// How to compare.
    pub operator: Operator,
    /// What to compare with, in the order of the manifest.
    pub values: Vec<Str>,
}

impl Expression {
    /// Whether labels satisfy the requirement. As `apimachinery`'s `labels.Requirement.Matches`; a requirement that
    /// cannot be built matches nothing.
    pub fn matches(&self, labels: &Labels) -> bool {
        let value = labels.get(&self.key);
        match self.operator {
            Operator::In => value.is_some_and(|value| self.values.contains(value)),
            Operator::NotIn => value.is_none_or(|value| !self.values.contains(value)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Gt => self.compares(value, |label, bound| label > bound),
            Operator::Lt => self.compares(value, |label, bound| label < bound),
            Operator::Gte => self.compares(value, |label, bound| label >= bound),
            Operator::Lte => self.compares(value, |label, bound| label <= bound),
            Operator::Unknown(_) => false,
        }
    }

    fn compares(&self, value: Option<&Str>, holds: fn(i64, i64) -> bool) -> bool {
        let number = |text: &Str| text.parse::<i64>().ok();
        match (value.and_then(number), self.values.first().and_then(number)) {
            (Some(label), Some(bound)) => self.values.len() == 1 && holds(label, bound),
            _ => false,
        }
    }
}

/// Written as kubectl does: `key in (a,b)`, `!key`.
impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values = self.values.join(",");
        match &self.operator {
            Operator::In => write!(f, "{} in ({values})", self.key),
            Operator::NotIn => write!(f, "{} notin ({values})", self.key),
            Operator::Exists => write!(f, "{}", self.key),
            Operator::DoesNotExist => write!(f, "!{}", self.key),
            Operator::Gt => write!(f, "{}>{values}", self.key),
            Operator::Lt => write!(f, "{}<{values}", self.key),
            Operator::Gte => write!(f, "{}>={values}", self.key),
            Operator::Lte => write!(f, "{}<={values}", self.key),
            Operator::Unknown(operator) => write!(f, "{} {operator} ({values})", self.key),
        }
    }
}

/// `metav1.LabelSelector`. One that is absent is an `Option` around it: it selects nothing, an empty one everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelSelector {
    /// `matchLabels`.
    pub match_labels: Labels,
    /// `matchExpressions`, in the order of the manifest.
    pub match_expressions: Vec<Expression>,
}

impl LabelSelector {
    /// Whether the selector has no requirement, and so selects everything.
    pub fn is_empty(&self) -> bool {
        self.match_labels.is_empty() && self.match_expressions.is_empty()
    }

    /// Whether the labels satisfy every requirement.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
            && self.match_expressions.iter().all(|expression| expression.matches(labels))
    }
}

impl std::fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.match_labels)?;
        for (index, expression) in self.match_expressions.iter().enumerate() {
            let separator = if index == 0 && self.match_labels.is_empty() { "" } else { "," };
            write!(f, "{separator}{expression}")?;
        }
        Ok(())
    }
}

/// One alternative of a node selector: all of its requirements must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeSelectorTerm {
    /// `matchExpressions`, over the node's labels.
    pub match_expressions: Vec<Expression>,
    /// `matchFields`, over the node's fields; only `metadata.name` exists. Absent differs from empty for Karpenter.
    pub match_fields: Option<Vec<Expression>>,
}

/// Whether the labels have every pair of a plain selector, as Services and ReplicationControllers use it.
pub fn matches_all(selector: &Labels, labels: &Labels) -> bool {
    selector.iter().all(|(key, value)| labels.get(key) == Some(value))
}
