//! The part of CEL in which device selectors are nearly always written: comparisons of a device's driver, attributes
//! and capacity, joined with `&&`, `||` and `!`. What goes beyond is told as not modelled.

use serde_json::Value as Json;

use crate::model::quantity::Quantity;

use super::cel_syntax::{Tree, parse};

/// Why an expression has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It uses what is not modelled here.
    NotModelled,
    /// It fails, such as by reading an attribute that the device lacks.
    Runtime(String),
}

/// A device as selectors see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device<'a> {
    /// The driver.
    pub(crate) driver: &'a str,
    /// `attributes`.
    pub(crate) attributes: &'a Json,
    /// `capacity`.
    pub(crate) capacity: &'a Json,
}

/// An expression over a device.
#[derive(Clone, Debug)]
pub(crate) struct Selector(Result<Tree, Stop>);

impl Selector {
    /// Reads an expression; that it cannot be read shows when it is asked.
    pub(crate) fn read(expression: &str) -> Self {
        Self(parse(expression))
    }

    /// Whether a device satisfies the expression.
    pub(crate) fn holds(&self, device: Device<'_>) -> Result<bool, Stop> {
        let tree = self.0.as_ref().map_err(Clone::clone)?;
        match (Scope { device, bound: Vec::new() }).value(tree)? {
            Value::Bool(holds) => Ok(holds),
            _ => Err(Stop::NotModelled),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Bool(bool),
    Number(i64),
    Text(String),
    Amount(Quantity),
    List(Vec<Value>),
    Device,
    /// `attributes` (or else `capacity`) of all domains.
    Domains {
        attributes: bool,
    },
    /// `attributes` (or else `capacity`) of one domain.
    Domain {
        attributes: bool,
        name: String,
    },
}

struct Scope<'a> {
    device: Device<'a>,
    bound: Vec<(String, Value)>,
}

impl<'a> Scope<'a> {
    fn value(&mut self, tree: &Tree) -> Result<Value, Stop> {
        match tree {
            Tree::Text(text) => Ok(Value::Text(text.clone())),
            Tree::Number(number) => Ok(Value::Number(*number)),
            Tree::Bool(value) => Ok(Value::Bool(*value)),
            Tree::List(items) => {
                Ok(Value::List(items.iter().map(|it| self.value(it)).collect::<Result<_, _>>()?))
            }
            Tree::Name(name) if name == "device" => Ok(Value::Device),
            Tree::Name(name) => {
                let found = self.bound.iter().rev().find(|(bound, _)| bound == name);
                found.map(|(_, value)| value.clone()).ok_or(Stop::NotModelled)
            }
            Tree::Not(inner) => match self.value(inner)? {
                Value::Bool(value) => Ok(Value::Bool(!value)),
                _ => Err(Stop::NotModelled),
            },
            Tree::Pair(sign, left, right) => self.pair(sign, left, right),
            Tree::Member(object, key) => self.member(object, key),
            Tree::Call(object, name, arguments) => self.call(object.as_deref(), name, arguments),
        }
    }

    fn pair(&mut self, sign: &str, left: &Tree, right: &Tree) -> Result<Value, Stop> {
        let (left, right) = (self.value(left), self.value(right));
        if let "&&" | "||" = sign {
            // One side may decide alone, also when the other fails.
            let decides = Value::Bool(sign == "||");
            return match (left, right) {
                (Err(Stop::NotModelled), _) | (_, Err(Stop::NotModelled)) => Err(Stop::NotModelled),
                (Ok(side), _) | (_, Ok(side)) if side == decides => Ok(decides),
                (Ok(_), Ok(side)) => Ok(side),
                (Err(stop), _) | (_, Err(stop)) => Err(stop),
            };
        }
        let (left, right) = (left?, right?);
        let order = match (&left, &right) {
            (Value::Number(a), Value::Number(b)) => Some(a.cmp(b)),
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            (Value::Amount(a), Value::Amount(b)) => Some(a.cmp(b)),
            (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
            _ => None,
        };
        Ok(Value::Bool(match (sign, order) {
            ("==", Some(order)) => order.is_eq(),
            ("!=", Some(order)) => order.is_ne(),
            ("<", Some(order)) => order.is_lt(),
            (">", Some(order)) => order.is_gt(),
            ("<=", Some(order)) => order.is_le(),
            (">=", Some(order)) => order.is_ge(),
            ("in", _) => return self.is_in(&left, &right),
            _ => return Err(Stop::NotModelled),
        }))
    }

    fn is_in(&self, item: &Value, collection: &Value) -> Result<Value, Stop> {
        match (item, collection) {
            (_, Value::List(list)) => Ok(Value::Bool(list.contains(item))),
            (Value::Text(key), Value::Domain { attributes, name }) => {
                Ok(Value::Bool(self.read(*attributes, name, key).is_some()))
            }
            _ => Err(Stop::NotModelled),
        }
    }

    fn member(&mut self, object: &Tree, key: &Tree) -> Result<Value, Stop> {
        let (object, key) = (self.value(object)?, self.value(key)?);
        let Value::Text(key) = key else { return Err(Stop::NotModelled) };
        match (object, key.as_str()) {
            (Value::Device, "driver") => Ok(Value::Text(self.device.driver.to_owned())),
            (Value::Device, "attributes") => Ok(Value::Domains { attributes: true }),
            (Value::Device, "capacity") => Ok(Value::Domains { attributes: false }),
            (Value::Domains { attributes }, _) => Ok(Value::Domain { attributes, name: key }),
            (Value::Domain { attributes, name }, _) => match self.read(attributes, &name, &key) {
                Some(json) => typed(attributes, json).ok_or(Stop::NotModelled),
                None => Err(Stop::Runtime(format!("no such key: {key}"))),
            },
            _ => Err(Stop::NotModelled),
        }
    }

    /// An attribute or a capacity, by its domain and name: a name without a domain is in the driver's.
    fn read(&self, attributes: bool, domain: &str, name: &str) -> Option<&'a Json> {
        let all = if attributes { self.device.attributes } else { self.device.capacity };
        qualified(all, self.device.driver, domain, name)
    }

    fn call(
        &mut self,
        object: Option<&Tree>,
        name: &str,
        arguments: &[Tree],
    ) -> Result<Value, Stop> {
        match (object, name, arguments) {
            (None, "quantity", [text]) => match self.value(text)? {
                Value::Text(text) => text.parse().map(Value::Amount).map_err(|_| Stop::NotModelled),
                _ => Err(Stop::NotModelled),
            },
            (None, "has", [Tree::Member(object, key)]) => {
                let (object, key) = (self.value(object)?, self.value(key)?);
                self.is_in(&key, &object)
            }
            (Some(Tree::Name(cel)), "bind", [Tree::Name(variable), value, body])
                if cel == "cel" =>
            {
                let value = self.value(value)?;
                self.bound.push((variable.clone(), value));
                let result = self.value(body);
                self.bound.pop();
                result
            }
            (Some(object), _, [argument]) => {
                let (object, argument) = (self.value(object)?, self.value(argument)?);
                method(&object, name, &argument)
            }
            _ => Err(Stop::NotModelled),
        }
    }
}

fn method(object: &Value, name: &str, argument: &Value) -> Result<Value, Stop> {
    match (object, argument) {
        (Value::Amount(a), Value::Amount(b)) => match name {
            "compareTo" => Ok(Value::Number(match a.cmp(b) {
                std::cmp::Ordering::Less => -1,
                std::cmp::Ordering::Equal => 0,
                std::cmp::Ordering::Greater => 1,
            })),
            "isGreaterThan" => Ok(Value::Bool(a > b)),
            "isLessThan" => Ok(Value::Bool(a < b)),
            _ => Err(Stop::NotModelled),
        },
        (Value::Text(a), Value::Text(b)) => match name {
            "startsWith" => Ok(Value::Bool(a.starts_with(b.as_str()))),
            "endsWith" => Ok(Value::Bool(a.ends_with(b.as_str()))),
            "contains" => Ok(Value::Bool(a.contains(b.as_str()))),
            _ => Err(Stop::NotModelled),
        },
        _ => Err(Stop::NotModelled),
    }
}

/// An entry of `attributes` or `capacity`, by its domain and name.
pub(crate) fn qualified<'a>(
    all: &'a Json,
    driver: &str,
    domain: &str,
    name: &str,
) -> Option<&'a Json> {
    let plain = if domain == driver { all.get(name) } else { None };
    all.get(format!("{domain}/{name}")).or(plain)
}

fn typed(attribute: bool, json: &Json) -> Option<Value> {
    if !attribute {
        let text = json.get("value").unwrap_or(json).as_str()?;
        return text.parse().ok().map(Value::Amount);
    }
    let (kind, value) = json.as_object()?.iter().next()?;
    match (kind.as_str(), value) {
        ("string", Json::String(text)) => Some(Value::Text(text.clone())),
        ("int", Json::Number(number)) => number.as_i64().map(Value::Number),
        ("bool", Json::Bool(value)) => Some(Value::Bool(*value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_read_as_upstream_reads_them() {
        let attributes = serde_json::json!({
            "model": {"string": "a100"}, "cores": {"int": 8}, "other.example.com/ecc": {"bool": true},
        });
        let capacity = serde_json::json!({"memory": {"value": "40Gi"}});
        let device =
            Device { driver: "gpu.example.com", attributes: &attributes, capacity: &capacity };
        let lacking = Err(Stop::Runtime("no such key: speed".to_owned()));
        for (expression, expected) in [
            ("device.driver == 'gpu.example.com'", Ok(true)),
            (r#"device.attributes["gpu.example.com"].model == "a100""#, Ok(true)),
            (r#"device.attributes["gpu.example.com"].cores >= 16"#, Ok(false)),
            (r#"device.attributes["gpu.example.com"].cores in [4, 8]"#, Ok(true)),
            (r#"device.attributes["other.example.com"].ecc"#, Ok(true)),
            (r#"device.attributes["gpu.example.com"].speed > 1"#, lacking.clone()),
            (
                r#"device.driver == "x" && device.attributes["gpu.example.com"].speed > 1"#,
                Ok(false),
            ),
            (r#"has(device.attributes["gpu.example.com"].speed)"#, Ok(false)),
            (r#""model" in device.attributes["gpu.example.com"]"#, Ok(true)),
            (
                r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("30Gi")) >= 0"#,
                Ok(true),
            ),
            (
                r#"cel.bind(d, device.attributes["gpu.example.com"], d.cores == 8 && d.model != "x")"#,
                Ok(true),
            ),
            (r#"!(device.driver.startsWith("gpu") || false)"#, Ok(false)),
            ("[1, 2].exists(x, x == 1)", Err(Stop::NotModelled)),
            ("device.driver ==", Err(Stop::NotModelled)),
        ] {
            assert_eq!(Selector::read(expression).holds(device), expected, "{expression}");
        }
    }
}
