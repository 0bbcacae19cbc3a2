//! The tables of `docs/report.md`: every field of every kind of document, from the published schemas.

use std::collections::BTreeMap;

use landed::report::SCHEMAS;
use serde_json::Value;

/// The tables, the kinds first, then the parts that they are made of.
pub fn tables() -> String {
    let mut kinds = Vec::new();
    let mut parts: BTreeMap<String, Value> = BTreeMap::new();
    for schema in &SCHEMAS {
        let schema = (schema.schema)().as_value().clone();
        for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
            let known = parts.entry(name.clone()).or_insert_with(|| part.clone());
            assert_eq!(known, part, "{name} has one meaning in all documents");
        }
        kinds.push((schema["title"].as_str().expect("a title").to_owned(), schema));
    }
    parts.retain(|name, _| kinds.iter().all(|(kind, _)| kind != name));
    let mut text = String::new();
    for (name, part) in &kinds {
        text += &table(name, part);
    }
    for (name, part) in &parts {
        text += &table(name, part);
    }
    text
}

fn table(name: &str, part: &Value) -> String {
    let mut text = format!("\n### {name}\n\n{}\n", about(part));
    if let Some(fields) = part["properties"].as_object() {
        let required: Vec<&str> =
            part["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        text += "\n| Field | Type | Meaning |\n|---|---|---|\n";
        for (field, of) in fields {
            let optional = if required.contains(&field.as_str()) { "" } else { ", may be absent" };
            text += &format!("| `{field}` | {}{optional} | {} |\n", kind(of), about(of));
        }
    }
    if let Some(values) = part["oneOf"].as_array() {
        text += "\n| Value | Meaning |\n|---|---|\n";
        for value in values {
            text += &format!("| {} | {} |\n", constants(value), about(value));
        }
    }
    text
}

fn about(part: &Value) -> String {
    part["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

fn constants(value: &Value) -> String {
    match (&value["const"], value["enum"].as_array()) {
        (Value::Null, Some(all)) => {
            let all: Vec<String> = all.iter().map(|value| format!("`{}`", word(value))).collect();
            all.join(", ")
        }
        (only, _) => format!("`{}`", word(only)),
    }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// A type in words: `list of [Cause](#cause)`.
fn kind(of: &Value) -> String {
    if let Some(name) = of["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(several) = of["anyOf"].as_array() {
        return several.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    if let Some(several) = of["type"].as_array() {
        return several.iter().map(word).collect::<Vec<_>>().join(" or ");
    }
    match of["type"].as_str() {
        Some("array") => format!("list of {}", kind(&of["items"])),
        Some("object") if of["additionalProperties"].is_object() => {
            format!("map of {}", kind(&of["additionalProperties"]))
        }
        Some(name) => name.to_owned(),
        None => "anything".to_owned(),
    }
}
