//! Which kinds of difference there are between upstream's answer and ours.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Between two answers of kube-scheduler for one pod. `None`: there is no answer of ours.
pub fn scheduler(want: &Value, got: Option<&Value>) -> Vec<String> {
    let Some(got) = got else { return vec!["missing answer".to_owned()] };
    if !text(want, "error").is_empty() {
        return Vec::new();
    }
    let mut out = BTreeSet::new();
    for key in ["feasible", "best", "victims"] {
        if sorted(&want[key]) != sorted(&got[key]) {
            out.insert(key.to_owned());
        }
    }
    for key in ["pick", "message", "nominated"] {
        // Up to 1.34 a tie is broken at random: the referee names no pick.
        let is_named = key != "pick" || want.get("pick").is_some();
        if text(want, key) != text(got, key) && is_named {
            out.insert(key.to_owned());
        }
    }
    if want.get("preEnqueue").is_some() != got.get("preEnqueue").is_some() {
        out.insert("preEnqueue".to_owned());
    }
    if codes(&want["preFilter"]) != codes(&got["preFilter"]) {
        out.insert("preFilter".to_owned());
    }
    let ours: BTreeMap<&str, &Value> =
        list(&got["nodes"]).map(|node| (text(node, "name"), node)).collect();
    let skipped: BTreeSet<&String> = object(&want["preScore"]).map(|(plugin, _)| plugin).collect();
    for theirs in list(&want["nodes"]) {
        match ours.get(text(theirs, "name")) {
            Some(ours) => nodes(theirs, ours, &skipped, &mut out),
            None => {
                out.insert("node missing".to_owned());
            }
        }
    }
    out.into_iter().collect()
}

fn nodes(theirs: &Value, ours: &Value, skipped: &BTreeSet<&String>, out: &mut BTreeSet<String>) {
    differing(&codes(&theirs["rejected"]), &codes(&ours["rejected"]), "filter", out);
    if text(theirs, "first") != text(ours, "first") {
        out.insert("first filter".to_owned());
    }
    let of = |node: &Value| scores(&node["scores"], skipped);
    differing(&of(theirs), &of(ours), "score", out);
    if theirs.get("total") != ours.get("total") {
        out.insert("total".to_owned());
    }
}

/// Names every key whose values differ, or that only one side has.
fn differing<V: PartialEq>(
    a: &BTreeMap<String, V>,
    b: &BTreeMap<String, V>,
    what: &str,
    out: &mut BTreeSet<String>,
) {
    for key in a.keys().chain(b.keys()) {
        if a.get(key) != b.get(key) {
            out.insert(format!("{what} {key}"));
        }
    }
}

/// Code, reasons and nodes by plugin; what is skipped does not count.
fn codes(verdicts: &Value) -> BTreeMap<String, (String, Vec<String>, Vec<String>)> {
    object(verdicts)
        .filter(|(_, verdict)| text(verdict, "code") != "Skip")
        .map(|(plugin, verdict)| {
            let code = text(verdict, "code").to_owned();
            (plugin.clone(), (code, sorted(&verdict["reasons"]), sorted(&verdict["nodes"])))
        })
        .collect()
}

/// Raw, normalised and weighted score by plugin, without zeros and what was skipped.
fn scores(scores: &Value, skipped: &BTreeSet<&String>) -> BTreeMap<String, [i64; 3]> {
    object(scores)
        .filter(|(plugin, _)| !skipped.contains(plugin))
        .map(|(plugin, score)| {
            let number = |key: &str| score[key].as_i64().expect("a score is an integer");
            (plugin.clone(), [number("raw"), number("normalized"), number("weighted")])
        })
        .filter(|(_, values)| *values != [0, 0, 0])
        .collect()
}

/// Between the outcomes of one of Karpenter's passes.
pub fn karpenter(want: &Value, got: &Value) -> Vec<String> {
    let outcomes = |side: &Value| -> BTreeMap<String, Value> {
        list(&side["answers"]).map(|answer| (canonical(answer), answer.clone())).collect()
    };
    let (theirs, ours) = (outcomes(want), outcomes(got));
    let shared: Vec<&String> = theirs.keys().filter(|key| ours.contains_key(*key)).collect();
    let mut out = BTreeSet::new();
    if theirs.len() == 1 {
        if ours.keys().ne(theirs.keys()) {
            out.insert(if shared.is_empty() { "outcome" } else { "too many outcomes" });
        }
    } else if shared.len() != theirs.len() {
        out.insert(if shared.is_empty() { "outcome of several" } else { "outcome missed" });
    }
    for key in shared {
        let (theirs_one, ours_one) = (&theirs[key], &ours[key]);
        if !is_in_order(theirs_one, ours_one) {
            out.insert("instance type order");
        }
        if theirs.len() == 1 && relaxed(theirs_one) != relaxed(ours_one) {
            out.insert("relaxations");
        }
    }
    out.into_iter().map(str::to_owned).collect()
}

/// One outcome, free of what upstream leaves to chance or to a set's order.
fn canonical(answer: &Value) -> String {
    let mut claims: Vec<String> = list(&answer["newNodeClaims"])
        .map(|claim| {
            let mut requirements: Vec<String> = list(&claim["requirements"])
                .map(|requirement| {
                    let mut requirement = requirement.clone();
                    requirement["values"] = sorted(&requirement["values"]).into();
                    requirement.to_string()
                })
                .collect();
            requirements.sort();
            serde_json::json!({
                "pool": claim["nodePool"], "pods": sorted(&claim["pods"]), "types": sorted(&claim["instanceTypes"]),
                "requests": claim["requests"], "requirements": requirements,
            })
            .to_string()
        })
        .collect();
    claims.sort();
    let mut nodes: Vec<String> = list(&answer["existingNodes"])
        .map(|node| serde_json::json!([node["name"], sorted(&node["pods"])]).to_string())
        .collect();
    nodes.sort();
    let errors: Vec<&String> = object(&answer["podErrors"]).map(|(pod, _)| pod).collect();
    serde_json::json!([claims, nodes, errors]).to_string()
}

/// Whether the cheapest-first order of instance types agrees, claim by claim.
fn is_in_order(want: &Value, got: &Value) -> bool {
    let key = |claim: &Value| (text(claim, "nodePool").to_owned(), sorted(&claim["pods"]));
    let ours: BTreeMap<_, &Value> =
        list(&got["newNodeClaims"]).map(|claim| (key(claim), &claim["instanceTypes"])).collect();
    list(&want["newNodeClaims"])
        .all(|claim| ours.get(&key(claim)).is_some_and(|types| **types == claim["instanceTypes"]))
}

/// The pods that gave something up.
fn relaxed(answer: &Value) -> BTreeSet<&str> {
    list(&answer["relaxations"]).map(|relaxation| text(relaxation, "pod")).collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn sorted(value: &Value) -> Vec<String> {
    let mut texts: Vec<String> = list(value).filter_map(Value::as_str).map(str::to_owned).collect();
    texts.sort();
    texts
}
