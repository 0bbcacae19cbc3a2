//! `Requirement`: the values that one label key may have. As `scheduling.Requirement`.

use crate::model::names::Str;
use crate::model::nodepool::NodeRequirement;
use crate::model::selector::Operator;

use super::vocabulary::{Key, Value, Vocabulary};

/// What one key may be: these values, or all but these, within bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Requirement {
    /// Whether `values` are what the key may not be.
    pub(super) complement: bool,
    /// In order, without doubles.
    pub(super) values: Vec<Value>,
    /// The least number that is allowed.
    pub(super) at_least: Option<i128>,
    /// The greatest number that is allowed.
    pub(super) at_most: Option<i128>,
    /// How many values must stay possible.
    pub(super) min_values: Option<i64>,
}

/// How a requirement reads. Bounds do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl Requirement {
    /// Any value.
    pub(super) const EXISTS: Self = Self {
        complement: true,
        values: Vec::new(),
        at_least: None,
        at_most: None,
        min_values: None,
    };

    /// One value.
    pub(super) fn one(value: Value) -> Self {
        Self { values: vec![value], ..Self::default() }
    }

    /// Any of some values.
    pub(super) fn any_of(values: impl IntoIterator<Item = Value>) -> Self {
        let mut values: Vec<Value> = values.into_iter().collect();
        values.sort_unstable();
        values.dedup();
        Self { values, ..Self::default() }
    }

    /// As written in a selector or a NodePool.
    pub(super) fn read(
        operator: &Operator,
        values: &[Str],
        min_values: Option<i64>,
        vocabulary: &mut Vocabulary,
    ) -> Self {
        let number = || values.first().map_or(0, |text| integer(text));
        let bound = |at_least, at_most| Self { at_least, at_most, min_values, ..Self::EXISTS };
        match operator {
            Operator::In | Operator::NotIn => {
                let listed = Self::any_of(values.iter().map(|value| vocabulary.value(value)));
                Self { complement: *operator == Operator::NotIn, min_values, ..listed }
            }
            Operator::Exists => Self { min_values, ..Self::EXISTS },
            // As before 1.9: no value is above the greatest integer, yet the key has to be there.
            Operator::Gt if number() == i64::MAX && !vocabulary.exclusive_bounds => Self::default(),
            Operator::Gt => bound(Some(i128::from(number()) + 1), None),
            Operator::Lt => bound(None, Some(i128::from(number()) - 1)),
            Operator::Gte if !vocabulary.exclusive_bounds => {
                bound(Some(i128::from(number())), None)
            }
            Operator::Lte if !vocabulary.exclusive_bounds => {
                bound(None, Some(i128::from(number())))
            }
            Operator::DoesNotExist => Self { min_values, ..Self::default() },
            // An operator that a release does not know asks only that the key is there.
            Operator::Gte | Operator::Lte | Operator::Unknown(_) => bound(None, None),
        }
    }

    pub(super) fn shape(&self) -> Shape {
        match (self.complement, self.values.is_empty()) {
            (true, true) => Shape::Exists,
            (true, false) => Shape::NotIn,
            (false, true) => Shape::DoesNotExist,
            (false, false) => Shape::In,
        }
    }

    /// Whether the requirement is met by the key's absence.
    pub(super) fn allows_absence(&self) -> bool {
        matches!(self.shape(), Shape::NotIn | Shape::DoesNotExist)
    }

    /// Whether nothing is allowed.
    pub(super) fn is_empty(&self) -> bool {
        self.shape() == Shape::DoesNotExist
    }

    /// The only value, where there is exactly one.
    pub(super) fn single(&self) -> Option<Value> {
        match self.values[..] {
            [value] if !self.complement => Some(value),
            _ => None,
        }
    }

    pub(super) fn has(&self, value: Value, vocabulary: &Vocabulary) -> bool {
        self.lists(value) != self.complement
            && within(value, self.at_least, self.at_most, vocabulary)
    }

    fn lists(&self, value: Value) -> bool {
        self.values.binary_search(&value).is_ok()
    }

    /// What both allow.
    pub(super) fn intersection(&self, other: &Self, vocabulary: &Vocabulary) -> Self {
        let (at_least, at_most) = merged_bounds(self, other);
        let min_values = self.min_values.max(other.min_values);
        if crossed(at_least, at_most, vocabulary) {
            return Self { min_values, ..Self::default() };
        }
        let complement = self.complement && other.complement;
        let mut values: Vec<Value> = match (self.complement, other.complement) {
            (true, true) => {
                let mut union: Vec<Value> =
                    self.values.iter().chain(&other.values).copied().collect();
                union.sort_unstable();
                union.dedup();
                union
            }
            (true, false) => without(&other.values, self),
            (false, true) => without(&self.values, other),
            (false, false) => {
                self.values.iter().copied().filter(|value| other.lists(*value)).collect()
            }
        };
        if at_least.is_some() || at_most.is_some() {
            values.retain(|value| within(*value, at_least, at_most, vocabulary));
        }
        let bounds = if complement { (at_least, at_most) } else { (None, None) };
        Self { complement, values, at_least: bounds.0, at_most: bounds.1, min_values }
    }

    pub(super) fn intersects(&self, other: &Self, vocabulary: &Vocabulary) -> bool {
        let (at_least, at_most) = merged_bounds(self, other);
        if crossed(at_least, at_most, vocabulary) {
            return false;
        }
        let (listed, against) = match (self.complement, other.complement) {
            (true, true) => return true,
            (false, true) => (self, other),
            (false, false) if self.values.len() <= other.values.len() => (self, other),
            (_, false) => (other, self),
        };
        listed.values.iter().any(|value| {
            against.lists(*value) != against.complement
                && within(*value, at_least, at_most, vocabulary)
        })
    }

    /// In upstream's notation.
    pub(super) fn print(&self, key: &str, vocabulary: &Vocabulary) -> String {
        const SHOWN: usize = 5;
        let mut values = self.texts(vocabulary);
        if values.len() > SHOWN {
            let others = format!("and {} others", values.len() - SHOWN);
            values.truncate(SHOWN);
            values.push(others.into());
        }
        let listed = values.join(" ");
        let mut text = match self.shape() {
            Shape::Exists => format!("{key} Exists"),
            Shape::DoesNotExist => format!("{key} DoesNotExist"),
            Shape::In => format!("{key} In [{listed}]"),
            Shape::NotIn => format!("{key} NotIn [{listed}]"),
        };
        let (least, most) = (self.at_least, self.at_most);
        if vocabulary.exclusive_bounds {
            append(&mut text, " >", least.map(|bound| bound - 1));
            append(&mut text, " <", most.map(|bound| bound + 1));
        } else {
            append(&mut text, " >=", least);
            append(&mut text, " <=", most);
        }
        append(&mut text, " minValues ", self.min_values.map(i128::from));
        text
    }

    /// The stored values as text, in the order of the texts.
    pub(super) fn texts(&self, vocabulary: &Vocabulary) -> Vec<Str> {
        let mut texts: Vec<Str> =
            self.values.iter().map(|value| vocabulary.value_text(*value).clone()).collect();
        texts.sort_unstable();
        texts
    }

    /// As a NodeClaim's spec lists it: one entry, or two where there are two bounds.
    pub(super) fn listed(&self, key: Key, vocabulary: &Vocabulary) -> Vec<NodeRequirement> {
        let entry = |operator, values| NodeRequirement {
            key: vocabulary.key_text(key).clone(),
            operator,
            values,
            min_values: self.min_values,
        };
        let number = |operator, bound: i128| entry(operator, vec![bound.to_string().into()]);
        if vocabulary.exclusive_bounds {
            if let Some(bound) = self.at_least {
                return vec![number(Operator::Gt, bound - 1)];
            }
            if let Some(bound) = self.at_most {
                return vec![number(Operator::Lt, bound + 1)];
            }
        }
        let bounds: Vec<NodeRequirement> = [
            self.at_least.map(|bound| number(Operator::Gte, bound)),
            self.at_most.map(|bound| number(Operator::Lte, bound)),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !bounds.is_empty() {
            return bounds;
        }
        let operator = match self.shape() {
            Shape::In => Operator::In,
            Shape::NotIn => Operator::NotIn,
            Shape::Exists => Operator::Exists,
            Shape::DoesNotExist => Operator::DoesNotExist,
        };
        vec![entry(operator, self.texts(vocabulary))]
    }
}

fn append(text: &mut String, label: &str, number: Option<i128>) {
    if let Some(number) = number {
        text.push_str(label);
        text.push_str(&number.to_string());
    }
}

fn without(values: &[Value], excluded: &Requirement) -> Vec<Value> {
    values.iter().copied().filter(|value| !excluded.lists(*value)).collect()
}

fn merged_bounds(a: &Requirement, b: &Requirement) -> (Option<i128>, Option<i128>) {
    let at_most = match (a.at_most, b.at_most) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (x, y) => x.or(y),
    };
    (a.at_least.max(b.at_least), at_most)
}

/// Whether the bounds leave nothing. Exclusive ones may leave no integer and still not cross, as upstream sees it.
fn crossed(at_least: Option<i128>, at_most: Option<i128>, vocabulary: &Vocabulary) -> bool {
    let slack = i128::from(vocabulary.exclusive_bounds);
    matches!((at_least, at_most), (Some(least), Some(most)) if least > most + slack)
}

fn within(
    value: Value,
    at_least: Option<i128>,
    at_most: Option<i128>,
    vocabulary: &Vocabulary,
) -> bool {
    if at_least.is_none() && at_most.is_none() {
        return true;
    }
    vocabulary.number(value).map(i128::from).is_some_and(|number| {
        at_least.is_none_or(|least| number >= least) && at_most.is_none_or(|most| number <= most)
    })
}

/// An integer as Go's `strconv.Atoi` gives it when its error is not looked at.
fn integer(text: &str) -> i64 {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    match text.parse::<i64>() {
        Ok(number) => number,
        Err(error) => match error.kind() {
            PosOverflow => i64::MAX,
            NegOverflow => i64::MIN,
            _ => 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::karpenter::Version;

    /// Values and bounds that meet each other often.
    const WORDS: [&str; 10] =
        ["a", "b", "c", "-1", "0", "1", "2", "7", "9223372036854775807", "x1"];

    const OPERATORS: [&str; 8] =
        ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"];

    /// A requirement as written: an operator and its values.
    fn written() -> impl Strategy<Value = String> {
        let values = prop::collection::vec(prop::sample::select(&WORDS[..]), 1..5);
        (prop::sample::select(&OPERATORS[..]), values).prop_map(|(operator, values)| match operator
        {
            "In" | "NotIn" => format!("{operator} {}", values.join(" ")),
            "Exists" | "DoesNotExist" => operator.to_owned(),
            _ => format!("{operator} {}", values[0]),
        })
    }

    proptest! {
        #[test]
        fn an_intersection_has_what_both_have(a in written(), b in written(), c in written(), old in any::<bool>()) {
            let version = if old { "1.8.0" } else { "1.9.0" };
            let mut vocabulary = Vocabulary::new(version.parse().expect("a version"), &[]);
            let [a, b, c] = [a, b, c].map(|text| read(&text, &mut vocabulary));
            let both = a.intersection(&b, &vocabulary);
            prop_assert_eq!(&both, &b.intersection(&a, &vocabulary));
            for word in WORDS {
                let value = vocabulary.value(word);
                let in_each = a.has(value, &vocabulary) && b.has(value, &vocabulary);
                prop_assert_eq!(both.has(value, &vocabulary), in_each, "{}", word);
                let all = both.intersection(&c, &vocabulary).has(value, &vocabulary);
                prop_assert_eq!(all, in_each && c.has(value, &vocabulary), "{}", word);
            }
            prop_assert_eq!(a.intersects(&b, &vocabulary), !both.is_empty());
        }
    }

    fn read(text: &str, vocabulary: &mut Vocabulary) -> Requirement {
        let mut words = text.split_whitespace();
        let operator = Operator::parse(words.next().unwrap_or_default());
        let values: Vec<Str> = words.map(Str::from).collect();
        Requirement::read(&operator, &values, None, vocabulary)
    }

    #[test]
    fn an_intersection_is_what_both_allow() {
        let mut vocabulary = Vocabulary::new(Version::LATEST, &[]);
        for (a, b, expected) in [
            ("In a b", "In b c", "k In [b]"),
            ("In a b", "NotIn a", "k In [b]"),
            ("NotIn a", "NotIn b", "k NotIn [a b]"),
            ("Exists", "DoesNotExist", "k DoesNotExist"),
            ("Gt 5", "Lt 4", "k DoesNotExist"),
            ("Gt 5", "In 4 6 x", "k In [6]"),
            ("NotIn 7", "Gt 5", "k NotIn [7] >=6"),
            ("NotIn 3", "Gt 5", "k Exists >=6"),
            ("Gt 9223372036854775807", "Exists", "k DoesNotExist"),
        ] {
            let (x, y) = (read(a, &mut vocabulary), read(b, &mut vocabulary));
            for (x, y) in [(&x, &y), (&y, &x)] {
                let both = x.intersection(y, &vocabulary);
                assert_eq!(both.print("k", &vocabulary), expected, "{a} and {b}");
                assert_eq!(x.intersects(y, &vocabulary), !both.is_empty(), "{a} and {b}");
            }
        }
    }
}
