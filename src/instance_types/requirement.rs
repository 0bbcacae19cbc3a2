//! Requirements of types and offerings: one key with its values, or a label that is never there.

use crate::model::names::Str;
use crate::model::nodepool::NodeRequirement;
use crate::model::selector::Operator;

/// The label has one of the values; without any, it is absent.
pub(crate) fn in_values(
    key: &str,
    values: impl IntoIterator<Item = impl Into<Str>>,
) -> NodeRequirement {
    let values: Vec<Str> = values.into_iter().map(Into::into).collect();
    let operator = if values.is_empty() { Operator::DoesNotExist } else { Operator::In };
    NodeRequirement { key: key.into(), operator, values, min_values: None }
}

/// The values that a key may have; none where it has no `In` of its own.
pub(crate) fn values_of<'a>(requirements: &'a [NodeRequirement], key: &str) -> &'a [Str] {
    let of_key = requirements.iter().find(|it| &*it.key == key && it.operator == Operator::In);
    of_key.map_or(&[], |requirement| &requirement.values)
}

/// The only value of a key.
pub(crate) fn only_value<'a>(requirements: &'a [NodeRequirement], key: &str) -> Option<&'a Str> {
    match values_of(requirements, key) {
        [value] => Some(value),
        _ => None,
    }
}

/// Whether a requirement lets a value through.
pub(crate) fn admits(requirement: &NodeRequirement, value: &str) -> bool {
    requirement.operator.admits(&requirement.values, value)
}

/// Whether a type's or an offering's requirements leave a value that a requirement lets through. A key that they do
/// not speak of does not stand in the way.
pub(crate) fn meets(requirements: &[NodeRequirement], asked: &NodeRequirement) -> bool {
    let Some(own) = requirements.iter().find(|own| own.key == asked.key) else { return true };
    let may_be_absent = matches!(asked.operator, Operator::NotIn | Operator::DoesNotExist);
    match own.operator {
        Operator::In => own.values.iter().any(|value| admits(asked, value)),
        Operator::DoesNotExist => may_be_absent,
        // Providers list values or their absence, and nothing else.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_meets_what_leaves_it_a_value() {
        let own = [
            in_values("cpu", ["4"]),
            in_values("zone", ["a", "b"]),
            in_values("gpu", Vec::<Str>::new()),
        ];
        let asked = |key: &str, operator: &str, values: &[&str]| NodeRequirement {
            key: key.into(),
            operator: Operator::parse(operator),
            values: values.iter().map(|value| Str::from(*value)).collect(),
            min_values: None,
        };
        for (key, operator, values, expected) in [
            ("cpu", "Gt", vec!["3"], true),
            ("cpu", "Gt", vec!["4"], false),
            ("cpu", "Lte", vec!["4"], true),
            ("cpu", "NotIn", vec!["4"], false),
            ("zone", "In", vec!["b", "c"], true),
            ("zone", "NotIn", vec!["a"], true),
            ("zone", "DoesNotExist", vec![], false),
            ("gpu", "Exists", vec![], false),
            ("gpu", "NotIn", vec!["1"], true),
            ("gpu", "DoesNotExist", vec![], true),
            ("team", "In", vec!["x"], true),
        ] {
            let asked = asked(key, operator, &values);
            assert_eq!(meets(&own, &asked), expected, "{key} {operator} {values:?}");
        }
    }
}
