//! Durations in Go's notation: `1h30m`, `90s`, `1.5h`.

use crate::model::time::Span;

/// Reads a duration as Go's `time.ParseDuration`; `None` where it is not one.
pub(crate) fn parse(text: &str) -> Option<Span> {
    let (negative, mut rest) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    if rest == "0" {
        return Some(Span(0));
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at(end);
        let unit_end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        total = total.checked_add(amount(number, nanos(unit)?)?)?;
        rest = tail;
    }
    (total <= i128::from(i64::MAX)).then_some(Span(if negative { -total } else { total }))
}

fn amount(number: &str, unit: i128) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut total = whole.checked_mul(unit)?;
    let mut scale = unit;
    for digit in fraction.bytes() {
        scale /= 10;
        total += i128::from(digit - b'0') * scale;
    }
    Some(total)
}

fn nanos(unit: &str) -> Option<i128> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_reads_the_same() {
        for (text, seconds) in [
            ("1h30m", Some(5400.0)),
            ("1.5h", Some(5400.0)),
            ("300ms", Some(0.3)),
            ("-2s", Some(-2.0)),
            ("0", Some(0.0)),
            ("", None),
            ("5", None),
            ("1d", None),
            ("true", None),
        ] {
            assert_eq!(parse(text).map(Span::as_seconds), seconds, "{text:?}");
        }
    }
}
