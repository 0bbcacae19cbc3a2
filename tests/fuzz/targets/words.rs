//! Words: quantities (what is printed is read as the same), times, versions, names, offerings, label selectors.
#![no_main]

use landed::instance_types::Unavailable;
use landed::model::names::PodKey;
use landed::model::quantity::Quantity;
use landed::model::time::Timestamp;
use landed::{karpenter, kube_scheduler};
use libfuzzer_sys::fuzz_target;

#[path = "../run.rs"]
mod run;

const POD: &[u8] = br#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"x","labels":{"a":"b"}}}"#;

fuzz_target!(|text: &str| {
    if let Ok(amount) = text.parse::<Quantity>() {
        let printed = amount.to_string();
        let again: Quantity = printed.parse().expect("what is printed can be read");
        assert_eq!((again, again.to_string()), (amount, printed));
        let _ = (
            amount.value(),
            amount.milli_value(),
            amount.plus(amount).minus(again),
            amount.rounded_to_milli(),
        );
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        assert_eq!(time.to_string().parse(), Ok(time));
    }
    let _ = text.parse::<karpenter::Version>();
    let _ = text.parse::<kube_scheduler::Version>();
    let _ = kube_scheduler::Version::nearest(text);
    let _ = text.parse::<Unavailable>();
    let _ = PodKey::parse(text);
    if !text.contains('\0') {
        run::check(&run::run(&["explain", "-A", &format!("--selector={text}"), "-f", "-"], POD));
        run::check(&run::run(&["explain", "-f", "-", "--", text], POD));
    }
});
