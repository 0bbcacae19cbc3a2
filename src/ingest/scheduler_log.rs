//! kube-scheduler's log: the few lines that tell of an attempt, in klog's text and JSON.

use serde_json::{Map, Value};

use crate::model::event::SchedulerLogRecord;
use crate::model::names::{NodeName, PodKey};
use crate::model::time::{Span, Timestamp};

/// The lines that are kept.
const MESSAGES: [&str; 7] = [
    "Attempting to schedule pod",
    "Successfully bound pod to node",
    "Unable to schedule pod; no fit; waiting",
    "Unable to schedule pod; no nodes are registered to the cluster; waiting",
    "Error scheduling pod; retrying",
    "Preempting pod",
    "Updating nominated node name",
];

/// A year far enough back that a moment in it shows: klog writes none. [`set_years`] puts the right one.
const NO_YEAR: i16 = 1904;

/// A line as klog writes it: `I1201 05:27:54.001699 4039 schedule_one.go:117] "Attempting to schedule pod" pod="a/b"`.
pub(crate) fn klog(line: &str) -> Option<SchedulerLogRecord> {
    let (head, rest) = line.split_once("] \"")?;
    let head = &head[head.rfind(['I', 'W', 'E', 'F'].as_slice()).filter(|at| {
        // The letter that begins klog's head is followed by month and day.
        head.as_bytes().get(at + 1..at + 5).is_some_and(|day| day.iter().all(u8::is_ascii_digit))
    })?..];
    let (message, values) = rest.split_once('"')?;
    if !MESSAGES.contains(&message) {
        return None;
    }
    let mut words = head.split_whitespace();
    let (day, clock) = (words.next()?, words.next()?);
    let time = format!("{NO_YEAR}-{}-{}T{clock}Z", day.get(1..3)?, day.get(3..5)?);
    Some(SchedulerLogRecord {
        time: time.parse().ok()?,
        pod: PodKey::parse(quoted(values, "pod")?)?,
        message: text_of(message, quoted(values, "err")).into(),
        node: quoted(values, "node").map(NodeName::from),
    })
}

/// A line of `--logging-format=json`.
pub(crate) fn json(object: &Map<String, Value>) -> Option<SchedulerLogRecord> {
    let message = object.get("msg")?.as_str()?;
    if !MESSAGES.contains(&message) {
        return None;
    }
    let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let pod = object.get("pod")?;
    let pod = match pod {
        Value::String(key) => PodKey::parse(key)?,
        _ => PodKey::new(text(pod, "namespace")?, text(pod, "name")?),
    };
    let node = object.get("node").and_then(|node| match node {
        Value::String(name) => Some(name.clone()),
        _ => text(node, "name"),
    });
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds of this era fit")]
    let micros = (object.get("ts")?.as_f64()? * 1e3).round() as i128;
    Some(SchedulerLogRecord {
        time: Timestamp::from_seconds(0).plus(Span(micros * 1000)),
        pod,
        message: text_of(message, object.get("err").and_then(Value::as_str)).into(),
        node: node.map(NodeName::from),
    })
}

fn text_of(message: &str, error: Option<&str>) -> String {
    error.map_or_else(|| message.to_owned(), |error| format!("{message}: {error}"))
}

/// The value of `key="value"`.
fn quoted<'l>(values: &'l str, key: &str) -> Option<&'l str> {
    let (_, rest) = values.split_once(&format!(" {key}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// Gives the lines of a log without a year the one that brings them nearest to a moment that is known.
pub(crate) fn set_years(records: &mut [SchedulerLogRecord], near: Option<Timestamp>) {
    let year = near.map_or(2026, |near| near.0.to_zoned(jiff::tz::TimeZone::UTC).year());
    for record in records {
        let time = record.time.0.to_zoned(jiff::tz::TimeZone::UTC);
        if time.year() != NO_YEAR {
            continue;
        }
        let candidates = [year - 1, year, year + 1].into_iter().filter_map(|year| {
            let moved = time.with().year(year).build().ok()?;
            Some(Timestamp(moved.timestamp()))
        });
        let distance = |moment: &Timestamp| near.map_or(0, |near| moment.since(near).0.abs());
        if let Some(nearest) = candidates.min_by_key(distance) {
            record.time = nearest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_read_from_both_formats() {
        let mut read = vec![
            klog(r#"I1231 23:59:54.001699    4039 schedule_one.go:117] "Successfully bound pod to node" pod="a/b" node="n" evaluatedNodes=1 feasibleNodes=1"#).expect("a line of klog"),
            json(serde_json::json!({"ts": 1_798_761_594_001.699, "msg": "Successfully bound pod to node",
                "pod": {"name": "b", "namespace": "a"}, "node": "n"}).as_object().expect("an object")).expect("a line of JSON"),
        ];
        set_years(&mut read, "2027-01-01T00:10:00Z".parse().ok());
        for record in read {
            assert_eq!(record.pod, PodKey::new("a", "b"));
            assert_eq!(record.node, Some(NodeName::from("n")));
            assert_eq!(record.time.to_string(), "2026-12-31T23:59:54.001699Z");
        }
    }

    #[test]
    fn other_lines_are_passed_over() {
        for line in [
            r#"I1201 05:27:54.1 4039 fit.go:1] "Plugin scored node for pod" pod="a/b" node="n""#,
            "plain text",
            r#"x] "Attempting to schedule pod" pod="a/b""#,
        ] {
            assert_eq!(klog(line), None, "{line}");
        }
    }
}
