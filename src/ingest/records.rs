//! Lines of logs, and what they come wrapped in: exports of clouds, container runtimes, `kubectl logs`.

use serde_json::{Map, Value};

use super::collect::Collector;
use super::{audit, karpenter_log, scheduler_log};

/// How deep wrappers may stand in each other.
const DEEPEST: usize = 12;

/// Fields in which exports and runtimes keep the line itself.
const LINE_FIELDS: [&str; 7] =
    ["message", "log", "line", "textPayload", "@message", "LogEntry", "MESSAGE"];

/// Fields that hold a list of further records, or one record as an object or as text.
const RECORD_FIELDS: [&str; 10] = [
    "events",
    "entries",
    "logEvents",
    "records",
    "results",
    "items",
    "jsonPayload",
    "protoPayload",
    "properties",
    "data",
];

impl Collector {
    /// Reads one line of any log; whether something was found in it.
    pub(crate) fn line(&mut self, line: &str) -> bool {
        self.line_at(line, 0)
    }

    fn line_at(&mut self, line: &str, depth: usize) -> bool {
        let line = line.trim();
        if line.is_empty() || depth > DEEPEST {
            return false;
        }
        if let Some(record) = scheduler_log::klog(line) {
            self.snapshot.scheduler_log.push(record);
            return true;
        }
        if let Some(record) = karpenter_log::console(line) {
            self.snapshot.karpenter_log.push(record);
            return true;
        }
        // What stands before the brace is a prefix: a pod's name, a time, `stdout F`.
        let Some(start) = line.find('{') else { return false };
        match serde_json::from_str::<Map<String, Value>>(&line[start..]) {
            Ok(object) => self.record(object, depth + 1),
            Err(_) => false,
        }
    }

    /// Reads one record of a log, or what wraps some; whether something was found in it.
    pub(crate) fn record(&mut self, object: Map<String, Value>, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        if audit::is_entry(&object) {
            self.snapshot.audit_log.extend(audit::entry(&object));
            return true;
        }
        if audit::is_google_entry(&object) {
            self.snapshot.audit_log.extend(audit::google_entry(&object));
            return true;
        }
        if let Some(record) = scheduler_log::json(&object) {
            self.snapshot.scheduler_log.push(record);
            return true;
        }
        let mut found = false;
        for field in LINE_FIELDS {
            if let Some(Value::String(line)) = object.get(field)
                && line.contains('{')
            {
                found |= self.line_at(line, depth + 1);
            }
        }
        if found {
            return true;
        }
        if let Some(record) = karpenter_log::record(&object) {
            self.snapshot.karpenter_log.push(record);
            return true;
        }
        for (field, value) in object {
            if RECORD_FIELDS.contains(&field.as_str()) || field == "result" || field == "values" {
                found |= self.records(value, depth + 1);
            }
        }
        found
    }

    /// Reads what may hold records at any place: lists, lists of name and value, pairs of time and line.
    fn records(&mut self, value: Value, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        match value {
            Value::Object(object) => {
                let is_named_value = object.get("field").is_some_and(Value::is_string);
                match object.get("value") {
                    Some(Value::String(line)) if is_named_value => self.line_at(line, depth + 1),
                    _ => self.record(object, depth),
                }
            }
            Value::Array(list) => {
                let mut found = false;
                for entry in list {
                    found |= self.records(entry, depth + 1);
                }
                found
            }
            Value::String(line) if line.contains('{') => self.line_at(&line, depth + 1),
            _ => false,
        }
    }

    /// Reads an element of a top-level array that is no Kubernetes object; whether something was found in it.
    pub(crate) fn loose(&mut self, value: Value) -> bool {
        self.records(value, 0)
    }
}
