//! What holds of every input: its order never changes the answer, nor does the number of cores; a replay never panics.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[path = "fuzz/mutate.rs"]
mod mutate;
#[path = "fuzz/run.rs"]
mod run;
#[path = "fuzz/seeds.rs"]
mod seeds;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use landed::model::labels::Labels;
use landed::model::names::Str;
use landed::model::quantity::{Format, Quantity};
use landed::model::selector::{Expression, LabelSelector, Operator};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

/// Explains every pod of a dump.
fn explained(dump: &Value) -> String {
    let arguments = ["explain", "-A", "-l", "!nothing", "-o", "json", "-f", "-"];
    let run = run::run(&arguments, dump.to_string().as_bytes());
    run::check(&run);
    assert_eq!(run.code, 0, "{}", run.err);
    run.out
}

/// Both components' answers to a question.
fn replayed(question: &Value) -> [String; 2] {
    let question = question.to_string();
    ["kube-scheduler", "karpenter"].map(|component| {
        let run = run::run(&["replay", component, "-f", "-"], question.as_bytes());
        run::check(&run);
        run.out + &run.err
    })
}

/// A list with its items in another order.
fn in_another_order(document: &Value, order: &[Index]) -> Value {
    let mut document = document.clone();
    let items = document["items"].as_array_mut().expect("a list of items");
    for (at, other) in order.iter().enumerate().take(items.len()) {
        let other = other.index(items.len());
        items.swap(at, other);
    }
    document
}

fn one_of(documents: &'static [Value]) -> impl Strategy<Value = &'static Value> {
    any::<Index>().prop_map(move |index| index.get(documents))
}

fn cases(number: u32) -> ProptestConfig {
    let environment = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: environment.unwrap_or(number),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn the_order_of_a_dump_does_not_change_the_answer(
        dump in one_of(&seeds::DUMPS),
        order in prop::collection::vec(any::<Index>(), 60),
    ) {
        prop_assert_eq!(explained(dump), explained(&in_another_order(dump, &order)));
    }

    #[test]
    fn explaining_never_panics(dump in one_of(&seeds::DUMPS), bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut dump = dump.clone();
        mutate::mutate(&mut dump, &mut mutate::Choices(&bytes));
        for format in ["wide", "html"] {
            let arguments = ["explain", "-A", "-l", "!nothing", "-o", format, "-f", "-"];
            run::check(&run::run(&arguments, dump.to_string().as_bytes()));
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn the_order_of_a_question_does_not_change_the_answers(
        question in one_of(&seeds::QUESTIONS),
        order in prop::collection::vec(any::<Index>(), 30),
    ) {
        prop_assert_eq!(replayed(question), replayed(&in_another_order(question, &order)));
    }

    #[test]
    fn a_replay_never_panics(question in one_of(&seeds::QUESTIONS), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut question = question.clone();
        mutate::mutate(&mut question, &mut mutate::Choices(&bytes));
        replayed(&question);
    }
}

proptest! {
    #[test]
    fn a_quantity_survives_print_and_parse(
        nanos in prop_oneof![any::<i64>().prop_map(i128::from), -(1_i128 << 92)..(1_i128 << 92), (-5000..5000_i128).prop_map(|n| n * 1_000_000)],
        format in select(&[Format::DecimalSi, Format::BinarySi, Format::DecimalExponent][..]),
    ) {
        let amount = Quantity::from_nanos(nanos).in_format(format);
        let printed = amount.to_string();
        let read: Quantity = printed.parse().expect("what is printed can be read");
        prop_assert_eq!(read, amount, "{}", printed);
        prop_assert_eq!(read.to_string(), printed);
    }

    #[test]
    fn any_text_that_is_a_quantity_survives(text in "[+-]?[0-9]{0,22}(\\.[0-9]{0,12})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,3})?") {
        if let Ok(amount) = text.parse::<Quantity>() {
            let printed = amount.to_string();
            prop_assert_eq!(printed.parse(), Ok(amount), "{}", printed);
        }
    }

    #[test]
    fn a_selector_agrees_with_asking_each_label(
        labels in prop::collection::btree_map(select(&KEYS[..]), select(&VALUES[..]), 0..4),
        expressions in prop::collection::vec((select(&KEYS[..]), select(&OPERATORS[..]), prop::collection::vec(select(&VALUES[..]), 1..3)), 0..4),
        pairs in prop::collection::btree_map(select(&KEYS[..]), select(&VALUES[..]), 0..2),
    ) {
        let holds = pairs.iter().all(|(key, value)| labels.get(key) == Some(value))
            && expressions.iter().all(|(key, operator, values)| asked(&labels, key, operator, values));
        let selector = LabelSelector {
            match_labels: pairs.iter().map(|(key, value)| (Str::from(*key), Str::from(*value))).collect(),
            match_expressions: expressions.iter().map(|(key, operator, values)| Expression {
                key: (*key).into(),
                operator: Operator::parse(operator),
                values: values.iter().map(|value| Str::from(*value)).collect(),
            }).collect(),
        };
        let held: Labels = labels.iter().map(|(key, value)| (Str::from(*key), Str::from(*value))).collect();
        prop_assert_eq!(selector.matches(&held), holds, "{}", selector);
    }
}

const KEYS: [&str; 4] = ["app", "tier", "zone", "size"];
const VALUES: [&str; 6] = ["a", "b", "", "7", "10", "-3"];
const OPERATORS: [&str; 6] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

/// What an expression means, as Kubernetes documents it.
fn asked(labels: &BTreeMap<&str, &str>, key: &str, operator: &str, values: &[&str]) -> bool {
    let value = labels.get(key);
    let number = |text: &str| text.parse::<i64>().ok();
    match operator {
        "In" => value.is_some_and(|value| values.contains(value)),
        "NotIn" => !value.is_some_and(|value| values.contains(value)),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        _ => {
            let ([bound], Some(value)) = (values, value) else { return false };
            let (Some(bound), Some(value)) = (number(bound), number(value)) else { return false };
            if operator == "Gt" { value > bound } else { value < bound }
        }
    }
}

/// The number of cores decides how many threads read; it must not show, and neither must chance.
#[test]
fn any_number_of_cores_gives_the_same_bytes() {
    let stories = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories");
    for story in ["05-binpack-mismatch", "12-volume-topology"] {
        let file = |name: &str| stories.join(story).join(name);
        let files: Vec<PathBuf> =
            vec![file("after.json.gz"), file("events.json.gz"), file("karpenter.log.gz")];
        let mut answers = Vec::new();
        for cores in [None, Some("0"), None] {
            let program = env!("CARGO_BIN_EXE_kubectl-landed");
            let mut command = match cores {
                Some(cores) => {
                    let mut command = Command::new("taskset");
                    command.args(["-c", cores, program]);
                    command
                }
                None => Command::new(program),
            };
            command.args(["explain", "-A", "-l", "!nothing", "-o", "wide"]);
            command.args(files.iter().flat_map(|file| [Path::new("-f"), file]));
            // Without taskset there is one number of cores.
            let Ok(output) = command.output() else { continue };
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            answers.push(output.stdout);
        }
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{story}");
    }
}
