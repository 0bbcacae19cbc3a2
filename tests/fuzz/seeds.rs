//! Documents to begin with: the smaller cases of `tests/cases`, and questions of `tests/conformance`.

use std::io::Read;
use std::sync::LazyLock;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// Dumps of clusters in which something surprising happened.
#[allow(dead_code, reason = "not every target uses both")]
pub static DUMPS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    macro_rules! dumps {
        ($($name:literal),+) => { [$(&include_bytes!(concat!("../cases/", $name, "/snapshot.json.gz"))[..]),+] };
    }
    let packed = dumps!(
        "01-preferred-family-hardened",
        "02-freed-capacity-race",
        "04-daemonset-limits-only",
        "06-weight-not-consulted",
        "07-existing-pods-anti-affinity",
        "09-volume-attach-limit",
        "10-dra-claim-ignored",
        "13-prefers-no-karpenter-node",
        "14-overhead-overestimated"
    );
    let mut dumps: Vec<Value> = packed.iter().map(|packed| document(unpacked(packed))).collect();
    dumps.push(document(unpacked(include_bytes!("../stories/04-mid-launch-race/after.json.gz"))));
    dumps
});

/// Questions that were asked of the two components.
#[allow(dead_code, reason = "not every target uses both")]
pub static QUESTIONS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let packed = [
        &include_bytes!("../conformance/edges-karpenter.jsonl.gz")[..],
        include_bytes!("../conformance/edges-kube-scheduler.jsonl.gz"),
    ];
    let lines = packed.iter().flat_map(|packed| {
        let text = unpacked(packed);
        text.lines().filter(|line| line.len() < 8192).step_by(5).map(document).collect::<Vec<_>>()
    });
    lines.map(|case| case["snapshot"].clone()).collect()
});

fn document(text: impl AsRef<str>) -> Value {
    serde_json::from_str(text.as_ref()).expect("a JSON document of ours")
}

fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(packed).read_to_string(&mut text).expect("a file of ours");
    text
}
