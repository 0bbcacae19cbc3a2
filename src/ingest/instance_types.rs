//! The kwok provider's file of instance types: rows as given, without the arithmetic of any provider.

use std::sync::Arc;

use serde_json::Value;

use crate::model::instance_type::{InstanceType, Offering, Overhead};
use crate::model::labels::{ARCH, CAPACITY_TYPE, OS, ZONE};
use crate::model::names::{InstanceTypeName, ResourceName, Str};
use crate::model::nodepool::NodeRequirement;
use crate::model::quantity::Quantity;
use crate::model::resources::Resources;
use crate::model::selector::Operator;

/// Why a file of instance types could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstanceTypesError {
    /// Not JSON, or not a list.
    #[error("not a list of instance types: {0}")]
    NotAList(String),
    /// An entry is not as it must be.
    #[error("instance type {0}: {1}")]
    Entry(String, String),
}

/// Reads the file that `INSTANCE_TYPES_FILE_PATH` of the kwok provider names, in its present and its older shape.
/// Architecture and operating systems become requirements, `resources` the capacity; overhead is left empty.
pub fn instance_types(json: &[u8]) -> Result<Vec<Arc<InstanceType>>, InstanceTypesError> {
    let value: Value = serde_json::from_slice(json)
        .map_err(|error| InstanceTypesError::NotAList(error.to_string()))?;
    let Value::Array(entries) = value else {
        return Err(InstanceTypesError::NotAList("the file does not begin with [".to_owned()));
    };
    entries.iter().enumerate().map(|(index, entry)| row(index, entry).map(Arc::new)).collect()
}

fn row(index: usize, entry: &Value) -> Result<InstanceType, InstanceTypesError> {
    let name = text(entry, "name").unwrap_or_default();
    let called = || if name.is_empty() { format!("number {}", index + 1) } else { name.to_owned() };
    let wrong = |what: String| InstanceTypesError::Entry(called(), what);
    if name.is_empty() {
        return Err(wrong("it has no name".to_owned()));
    }
    let architecture = text(entry, "architecture").map(Str::from).into_iter().collect();
    let systems = texts(field(entry, "operatingSystems"));
    let mut capacity = Resources::new();
    for (resource, amount) in
        field(entry, "resources").and_then(Value::as_object).into_iter().flatten()
    {
        let amount: Quantity = serde_json::from_value(amount.clone())
            .map_err(|error| wrong(format!("resources.{resource}: {error}")))?;
        capacity.set(ResourceName::from(resource.as_str()), amount);
    }
    let offerings = field(entry, "offerings").and_then(Value::as_array);
    let offerings = offerings.into_iter().flatten().enumerate().map(|(index, entry)| {
        offering(entry).map_err(|what| wrong(format!("offerings[{index}]: {what}")))
    });
    Ok(InstanceType {
        name: InstanceTypeName::from(name),
        requirements: vec![one_of(ARCH, architecture), one_of(OS, systems)],
        offerings: offerings.collect::<Result<_, _>>()?,
        capacity,
        overhead: Overhead::default(),
        volume_attachment_limits: Vec::new(),
    })
}

fn offering(entry: &Value) -> Result<Offering, String> {
    let price = field(entry, "Price").and_then(Value::as_f64).ok_or("it has no price")?;
    let requirements = match field(entry, "Requirements").and_then(Value::as_array) {
        Some(requirements) => requirements.iter().map(requirement).collect(),
        // The older shape.
        None => [(CAPACITY_TYPE, "capacityType"), (ZONE, "zone")]
            .into_iter()
            .filter_map(|(key, old)| Some(one_of(key, vec![Str::from(text(entry, old)?)])))
            .collect(),
    };
    Ok(Offering {
        requirements,
        price,
        available: field(entry, "Available").and_then(Value::as_bool).unwrap_or(true),
        reservation_capacity: field(entry, "ReservationCapacity")
            .and_then(Value::as_i64)
            .unwrap_or(0),
        capacity_override: Resources::new(),
        overhead_override: None,
    })
}

fn requirement(entry: &Value) -> NodeRequirement {
    NodeRequirement {
        key: text(entry, "key").unwrap_or_default().into(),
        operator: Operator::parse(text(entry, "operator").unwrap_or_default()),
        values: texts(field(entry, "values")),
        min_values: field(entry, "minValues").and_then(Value::as_i64),
    }
}

fn one_of(key: &str, values: Vec<Str>) -> NodeRequirement {
    NodeRequirement { key: key.into(), operator: Operator::In, values, min_values: None }
}

/// A field by its name without regard to case, as Go reads JSON; the exact name comes first.
fn field<'v>(entry: &'v Value, name: &str) -> Option<&'v Value> {
    let map = entry.as_object()?;
    map.get(name).or_else(|| {
        map.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    })
}

fn text<'v>(entry: &'v Value, name: &str) -> Option<&'v str> {
    field(entry, name)?.as_str()
}

fn texts(list: Option<&Value>) -> Vec<Str> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(Str::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_of_offerings_are_read_and_case_does_not_matter() {
        for offering in [
            r#"{"Price":0.5,"Available":true,"Requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":["spot"]},
               {"key":"topology.kubernetes.io/zone","operator":"In","values":["a"]}]}"#,
            r#"{"price":0.5,"capacityType":"spot","zone":"a"}"#,
        ] {
            let json = format!(
                r#"[{{"name":"m.large","architecture":"amd64","operatingSystems":["linux"],
                "resources":{{"cpu":"2","memory":"8Gi","pods":110}},"offerings":[{offering}]}}]"#
            );
            let types = instance_types(json.as_bytes()).expect("instance types");
            let [row] = &*types else { panic!("{types:?}") };
            assert_eq!(row.capacity.amount("memory"), Quantity::bytes(8 << 30));
            assert!((row.offerings[0].price - 0.5).abs() < f64::EPSILON);
            let keys: Vec<_> =
                row.offerings[0].requirements.iter().map(|r| (&*r.key, &*r.values[0])).collect();
            assert_eq!(keys, [(CAPACITY_TYPE, "spot"), (ZONE, "a")]);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (json, expected) in [
            ("{}", "not a list of instance types: the file does not begin with ["),
            ("[{}]", "instance type number 1: it has no name"),
            (
                r#"[{"name":"a","offerings":[{}]}]"#,
                "instance type a: offerings[0]: it has no price",
            ),
            (
                r#"[{"name":"a","resources":{"cpu":"x"}}]"#,
                "instance type a: resources.cpu: not a quantity: \"x\"",
            ),
        ] {
            let error = instance_types(json.as_bytes()).expect_err(json);
            assert_eq!(error.to_string(), expected);
        }
    }
}
