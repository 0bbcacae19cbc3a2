//! What a plain scalar means. As kubectl reads it: by the rules of YAML 1.1, in which `yes` and `on` are booleans.

use serde_json::{Number, Value};

use super::tree::Content;

/// The value of a scalar: quoted text is text, a tag decides where there is one.
pub(crate) fn resolve(text: &str, is_plain: bool, tag: Option<&str>) -> Content {
    if tag == Some("str") || (!is_plain && tag.is_none()) {
        return Content::Text(text.into());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Content::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Content::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Content::Bool(false);
        }
        _ => {}
    }
    number(text).map_or_else(|| Content::Text(text.into()), Content::Number)
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
        for (text, expected) in [
            ("8", Value::from(8)),
            ("-3", Value::from(-3)),
            ("0755", Value::from(493)),
            ("0x10", Value::from(16)),
            ("1.5", Value::from(1.5)),
            ("1e3", Value::from(1000.0)),
            ("100m", Value::from("100m")),
            ("1.2.3", Value::from("1.2.3")),
            ("-", Value::from("-")),
            ("3s", Value::from("3s")),
            ("on", Value::from(true)),
            ("~", Value::Null),
        ] {
            let tree = crate::check::tree::Tree {
                position: crate::check::position::Position::START,
                content: resolve(text, true, None),
            };
            assert_eq!(tree.to_json(), expected, "{text}");
        }
        assert_eq!(resolve("8", false, None), Content::Text("8".into()));
        assert_eq!(resolve("8", true, Some("str")), Content::Text("8".into()));
    }
}
