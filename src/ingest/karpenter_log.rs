//! Lines of Karpenter's log: JSON, and the console format of a development build.

use serde_json::{Map, Value};

use crate::model::event::LogRecord;
use crate::model::names::Str;

const LEVELS: [&str; 6] = ["DEBUG", "INFO", "WARN", "ERROR", "FATAL", "PANIC"];

/// A line in JSON: `level`, `time` and `message`.
pub(crate) fn record(object: &Map<String, Value>) -> Option<LogRecord> {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let (level, message) = (text("level")?, text("message")?);
    let time = text("time").or_else(|| text("ts"))?;
    let level = level.to_ascii_uppercase();
    if !LEVELS.contains(&level.as_str()) {
        return None;
    }
    Some(LogRecord {
        time: time.parse().ok(),
        level: level.into(),
        message: message.into(),
        fields: object
            .iter()
            .filter(|(key, _)| !["level", "time", "message", "commit"].contains(&key.as_str()))
            .map(|(key, value)| (Str::from(key.as_str()), value.clone()))
            .collect(),
    })
}

/// A line of the console format: time, level, logger, message and a JSON object, between tabs. Anything may stand
/// before the time.
pub(crate) fn console(line: &str) -> Option<LogRecord> {
    let mut parts = line.split('\t');
    let time = parts.next()?.rsplit(' ').next()?.parse().ok()?;
    let level = parts.next()?;
    if !LEVELS.contains(&level) {
        return None;
    }
    let rest: Vec<&str> = parts.collect();
    let (fields, words) = match rest.split_last() {
        Some((last, words)) if last.starts_with('{') => {
            (serde_json::from_str::<Map<String, Value>>(last).ok()?, words)
        }
        _ => (Map::new(), &rest[..]),
    };
    let (message, before) = words.split_last()?;
    let mut fields: std::collections::BTreeMap<Str, Value> =
        fields.into_iter().map(|(key, value)| (Str::from(key), value)).collect();
    fields.remove("commit");
    if let Some(logger) = before.first() {
        fields.insert("logger".into(), Value::from(*logger));
    }
    Some(LogRecord { time: Some(time), level: level.into(), message: (*message).into(), fields })
}

#[cfg(test)]
mod tests {
    use crate::ingest::Collector;

    fn messages(lines: &str) -> Vec<String> {
        let mut collector = Collector::default();
        collector.text(lines.as_bytes(), "karpenter.log");
        let snapshot = collector.finish();
        assert_eq!(snapshot.gaps, []);
        snapshot.karpenter_log.iter().map(|record| record.message.to_string()).collect()
    }

    #[test]
    fn lines_are_found_in_whatever_they_come_wrapped_in() {
        let line = r#"{"level":"INFO","time":"2026-11-30T09:15:02.114Z","logger":"controller","message":"created nodeclaim","NodeClaim":{"name":"a-1"}}"#;
        let later = &line.replace("02.114Z", "03.114Z");
        let quoted = serde_json::Value::from(line).to_string();
        let quoted_later = serde_json::Value::from(later.as_str()).to_string();
        for wrapped in [
            format!("{line}\n{later}\n"),
            format!("[pod/karpenter-5d-x/controller] {line}\n[pod/karpenter-5d-x/controller] {later}\n"),
            format!("2026-11-30T09:15:02.114Z {line}\n2026-11-30T09:15:02.114Z {later}\n"),
            format!("2026-11-30T09:15:02.114Z stdout F {line}\n2026-11-30T09:15:02.114Z stdout F {later}\n"),
            format!("karpenter-5d-x controller {line}\nkarpenter-5d-x controller {later}\n"),
            format!(r#"{{"log":{quoted},"stream":"stdout","time":"2026-11-30T09:15:02Z"}}
{{"log":{quoted_later},"stream":"stdout","time":"2026-11-30T09:15:02Z"}}"#),
            format!(r#"{{"message":{quoted},"podName":"karpenter-5d-x","containerName":"controller"}}
{{"message":{quoted_later},"podName":"karpenter-5d-x","containerName":"controller"}}"#),
            format!(r#"{{"events":[{{"timestamp":1,"message":{quoted},"logStreamName":"x"}},{{"timestamp":1,"message":{quoted_later}}}]}}"#),
            format!(r#"{{"results":[[{{"field":"@timestamp","value":"x"}},{{"field":"@message","value":{quoted}}}],[{{"field":"@message","value":{quoted_later}}}]]}}"#),
            format!(r#"[{{"insertId":"1","jsonPayload":{line}}},{{"insertId":"2","jsonPayload":{later}}}]"#),
            format!(r#"{{"status":"success","data":{{"result":[{{"stream":{{}},"values":[["1",{quoted}],["2",{quoted_later}]]}}]}}}}"#),
            "2026-11-30T09:15:02.114Z\tINFO\tcontroller.provisioner\tcreated nodeclaim\t{\"NodeClaim\":{\"name\":\"a-1\"}}\n2026-11-30T09:15:03Z\tINFO\tcontroller\tcreated nodeclaim\n".to_owned(),
        ] {
            assert_eq!(messages(&wrapped), ["created nodeclaim", "created nodeclaim"], "{wrapped}");
        }
    }
}
