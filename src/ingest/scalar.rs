//! What a plain YAML scalar means. As kubectl reads it: by the rules of YAML 1.1, in which `yes` and `on` are booleans.

use serde_json::{Number, Value};

/// The meaning of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// The text itself.
    Text,
}

/// The meaning of a scalar: quoted text is text, a tag decides where there is one.
pub fn resolve(text: &str, is_plain: bool, tag: Option<&str>) -> Scalar {
    if tag == Some("str") || (!is_plain && tag.is_none()) {
        return Scalar::Text;
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        _ => number(text).map_or(Scalar::Text, Scalar::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    if !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
        return None;
    }
    let plain = text.replace('_', "");
    let (negative, digits) = match plain.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    if let Some(magnitude) = integer(digits) {
        if !negative {
            return Some(magnitude.into());
        }
        return i64::try_from(-i128::from(magnitude)).ok().map(Number::from);
    }
    let is_float = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.chars().all(|c| c.is_ascii_digit() || ".eE+-".contains(c))
        && digits.contains(|c: char| c.is_ascii_digit());
    if !is_float {
        return None;
    }
    match serde_json::from_str(&plain) {
        Ok(Value::Number(number)) => Some(number),
        _ => plain.parse().ok().and_then(Number::from_f64),
    }
}

fn integer(digits: &str) -> Option<u64> {
    let in_base = |prefix: &str, base| {
        digits.strip_prefix(prefix).and_then(|rest| u64::from_str_radix(rest, base).ok())
    };
    if digits.is_empty() || digits.starts_with(['+', '-']) {
        return None;
    }
    in_base("0x", 16)
        .or_else(|| in_base("0b", 2))
        .or_else(|| in_base("0o", 8))
        .or_else(|| in_base("0", 8))
        .or_else(|| digits.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_mean_what_kubectl_takes_them_for() {
        let number = |value: i64| Scalar::Number(value.into());
        for (text, expected) in [
            ("8", number(8)),
            ("-3", number(-3)),
            ("0755", number(493)),
            ("0x10", number(16)),
            ("100m", Scalar::Text),
            ("1.2.3", Scalar::Text),
            ("-", Scalar::Text),
            ("3s", Scalar::Text),
            ("2026-12-01T05:27:54Z", Scalar::Text),
            ("on", Scalar::Bool(true)),
            ("~", Scalar::Null),
        ] {
            assert_eq!(resolve(text, true, None), expected, "{text}");
        }
        assert_eq!(resolve("8", false, None), Scalar::Text);
        assert_eq!(resolve("8", true, Some("str")), Scalar::Text);
    }
}
