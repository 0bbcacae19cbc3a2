//! `Quantity`: an exact amount of a resource, in the notation of Kubernetes.
//!
//! As `apimachinery`'s `resource.Quantity`: decimal numbers to a billionth, finer ones rounded away from zero, larger
//! ones than `i64::MAX` cut to it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Parts of one unit: amounts are kept in billionths.
const NANO: i128 = 1_000_000_000;
/// The largest amount that is kept, as upstream's `maxAllowed`.
const MAX: i128 = i64::MAX as i128 * NANO;

/// How an amount was written, and is written again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Powers of ten by suffix: `1500m`, `2k`.
    #[default]
    DecimalSi,
    /// Powers of two by suffix: `64Mi`.
    BinarySi,
    /// Powers of ten by exponent: `1e3`.
    DecimalExponent,
}

/// An exact amount. Equality and order look at the amount alone, not at how it was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantity {
    nanos: i128,
    format: Format,
}

impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self { nanos: 0, format: Format::DecimalSi };

    /// A whole number of units.
    pub const fn units(units: i64) -> Self {
        Self { nanos: units as i128 * NANO, format: Format::DecimalSi }
    }

    /// Thousandths of a unit.
    pub const fn millis(millis: i64) -> Self {
        Self { nanos: millis as i128 * (NANO / 1000), format: Format::DecimalSi }
    }

    /// A whole number of units that is written with binary suffixes.
    pub const fn bytes(bytes: i64) -> Self {
        Self { nanos: bytes as i128 * NANO, format: Format::BinarySi }
    }

    /// Billionths of a unit.
    pub const fn from_nanos(nanos: i128) -> Self {
        Self { nanos, format: Format::DecimalSi }
    }

    /// The same amount, written in another format.
    #[must_use]
    pub const fn in_format(self, format: Format) -> Self {
        Self { nanos: self.nanos, format }
    }

    /// How the amount is written.
    pub const fn format(self) -> Format {
        self.format
    }

    /// The amount in billionths of a unit.
    pub const fn nanos(self) -> i128 {
        self.nanos
    }

    /// Whole units, rounded away from zero. As upstream's `Value`.
    pub fn value(self) -> i64 {
        self.scaled(NANO)
    }

    /// Thousandths of a unit, rounded away from zero. As upstream's `MilliValue`.
    pub fn milli_value(self) -> i64 {
        self.scaled(NANO / 1000)
    }

    /// The amount as a float, for ratios and display.
    #[expect(clippy::cast_precision_loss, reason = "the caller wants a float")]
    pub fn as_f64(self) -> f64 {
        self.nanos as f64 / NANO as f64
    }

    /// Whether the amount is zero.
    pub const fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Whether the amount is below zero.
    pub const fn is_negative(self) -> bool {
        self.nanos < 0
    }

    /// The sum. A zero takes on the other's format, as upstream's `Add`.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { nanos: self.nanos.saturating_add(other.nanos), format: self.format_with(other) }
    }

    /// The difference. A zero takes on the other's format, as upstream's `Sub`.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self { nanos: self.nanos.saturating_sub(other.nanos), format: self.format_with(other) }
    }

    /// The amount rounded up to a thousandth, as the API server stores it.
    #[must_use]
    pub fn rounded_to_milli(self) -> Self {
        let unit = NANO / 1000;
        Self { nanos: away_from_zero(self.nanos, unit).saturating_mul(unit), format: self.format }
    }

    fn format_with(self, other: Self) -> Format {
        if self.is_zero() { other.format } else { self.format }
    }

    fn scaled(self, unit: i128) -> i64 {
        let whole = away_from_zero(self.nanos, unit);
        i64::try_from(whole).unwrap_or(if whole < 0 { i64::MIN } else { i64::MAX })
    }
}

/// `amount / unit`, rounded away from zero.
fn away_from_zero(amount: i128, unit: i128) -> i128 {
    let whole = amount / unit;
    if amount % unit == 0 { whole } else { whole + amount.signum() }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}
impl Eq for Quantity {}
impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}
impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nanos.hash(state);
    }
}

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a quantity: {0:?}")]
pub struct ParseQuantityError(String);

impl FromStr for Quantity {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| ParseQuantityError(text.chars().take(80).collect()))
    }
}

fn parse(text: &str) -> Option<Quantity> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let (base, exponent, format) = suffix_scale(suffix)?;
    let nanos = scaled_nanos(whole, fraction, base, exponent);
    Some(Quantity { nanos: if negative { -nanos } else { nanos }, format })
}

/// What a suffix multiplies with: base, exponent, format.
fn suffix_scale(suffix: &str) -> Option<(i128, i32, Format)> {
    let decimal = |exponent| Some((10, exponent, Format::DecimalSi));
    let binary = |exponent| Some((2, exponent, Format::BinarySi));
    match suffix {
        "" => decimal(0),
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => {
            let digits = suffix.strip_prefix(['e', 'E'])?;
            let exponent = digits.parse::<i32>().ok()?;
            Some((10, exponent, Format::DecimalExponent))
        }
    }
}

/// `whole.fraction × base^exponent` in billionths, rounded away from zero, cut at the maximum.
fn scaled_nanos(whole: &str, fraction: &str, base: i128, exponent: i32) -> i128 {
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let digits: Vec<i128> =
        whole.bytes().chain(fraction.bytes()).map(|digit| i128::from(digit - b'0')).collect();
    let Some(first) = digits.iter().position(|&digit| digit != 0) else { return 0 };
    // The power of ten of each digit, counted in billionths.
    let shift = if base == 10 { exponent } else { 0 };
    let multiplier = if base == 2 { 1_i128 << exponent } else { 1 };
    let top = i32::try_from(whole.len())
        .unwrap_or(i32::MAX)
        .saturating_sub(1)
        .saturating_add(shift)
        .saturating_add(9);
    let mut nanos: i128 = 0;
    let mut rest = false;
    for (index, digit) in digits.iter().enumerate().skip(first) {
        let power = top.saturating_sub(i32::try_from(index).unwrap_or(i32::MAX));
        if *digit == 0 {
            continue;
        }
        if power > 28 {
            return MAX;
        }
        let Ok(power) = u32::try_from(power) else {
            // Below a billionth: a binary multiple may lift it above, so count a few digits more.
            rest |= lift_small(*digit, power, multiplier, &mut nanos);
            continue;
        };
        nanos = nanos
            .saturating_add(digit.saturating_mul(10_i128.pow(power)).saturating_mul(multiplier));
        if nanos >= MAX {
            return MAX;
        }
    }
    (nanos + i128::from(rest)).min(MAX)
}

/// Adds a digit below a billionth, times the multiplier; whether something smaller than a billionth is left over.
fn lift_small(digit: i128, power: i32, multiplier: i128, nanos: &mut i128) -> bool {
    let Some(divisor) = u32::try_from(-power).ok().and_then(|power| 10_i128.checked_pow(power))
    else {
        return true;
    };
    let product = digit * multiplier;
    *nanos = nanos.saturating_add(product / divisor);
    product % divisor != 0
}

/// The canonical text, as upstream's `String`.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.canonical();
        f.pad(&text)
    }
}

impl Quantity {
    fn canonical(self) -> String {
        if self.nanos == 0 {
            return "0".to_owned();
        }
        let whole = self.nanos % NANO == 0;
        let small = self.nanos.abs() < 1024 * NANO;
        match self.format {
            Format::BinarySi if whole && !small => self.binary(),
            Format::BinarySi | Format::DecimalSi => self.decimal(|exponent| {
                const SUFFIXES: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
                usize::try_from(exponent / 3 + 3)
                    .ok()
                    .and_then(|index| SUFFIXES.get(index))
                    .map_or_else(|| format!("e{exponent}"), |suffix| (*suffix).to_owned())
            }),
            Format::DecimalExponent => {
                self.decimal(
                    |exponent| if exponent == 0 { String::new() } else { format!("e{exponent}") },
                )
            }
        }
    }

    fn binary(self) -> String {
        const SUFFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
        let mut value = self.nanos / NANO;
        let mut power = 0;
        while value % 1024 == 0 && power < 6 {
            value /= 1024;
            power += 1;
        }
        format!("{value}{}", SUFFIXES[power])
    }

    fn decimal(self, suffix: impl Fn(i32) -> String) -> String {
        let mut value = self.nanos;
        let mut exponent = -9;
        while value % 1000 == 0 && exponent < 18 {
            value /= 1000;
            exponent += 3;
        }
        format!("{value}{}", suffix(exponent))
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a text or a bare number, as Kubernetes does.
impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

struct QuantityVisitor;

impl serde::de::Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Quantity, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Quantity, E> {
        Ok(Quantity::units(number))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Quantity, E> {
        Ok(Quantity::units(i64::try_from(number).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Quantity, E> {
        number.to_string().parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<Quantity>()
            .map_or_else(|error| error.to_string(), |quantity| quantity.to_string())
    }

    #[test]
    fn canonical_text_is_upstreams() {
        for (text, expected) in [
            ("0", "0"),
            ("1000m", "1"),
            ("1500m", "1500m"),
            ("0.5", "500m"),
            ("1024Ki", "1Mi"),
            ("1.5Gi", "1536Mi"),
            ("1000Ki", "1000Ki"),
            ("512Ki", "512Ki"),
            ("1Ki", "1Ki"),
            ("0.5Ki", "512"),
            ("100000", "100k"),
            ("1e3", "1e3"),
            ("1E3", "1e3"),
            ("1000e3", "1e6"),
            ("0.1n", "1n"),
            ("-0.1n", "-1n"),
            ("9223372036854775808", "9223372036854775807"),
            ("1e30", "9223372036854775807"),
            ("0.3Ki", "307200m"),
            ("1E", "1E"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_quantity_is_refused() {
        for text in ["", ".", "-", "1x", "1.2.3", "Ki", "1 Gi", "e3", "1e", "0x10", "१"] {
            assert!(text.parse::<Quantity>().is_err(), "{text}");
        }
    }

    #[test]
    fn integers_round_away_from_zero() {
        let quantity: Quantity = "1.0001".parse().expect("a quantity");
        assert_eq!((quantity.value(), quantity.milli_value()), (2, 1001));
    }
}
