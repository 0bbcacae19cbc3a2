//! `Patch`: edits as a command and as a difference in YAML, one an object.

use serde_json::{Value, json};

use super::change::{Change, Edit, Field};
use super::owner::Template;

/// What is changed in one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// The object, as kubectl names it.
    pub object: String,
    /// The command that makes the change; where the API server takes none, what to do instead.
    pub command: String,
    /// Whether `command` is a command.
    pub is_command: bool,
    /// The kind of patch: `json`; `None` for a setting.
    pub kind: Option<&'static str>,
    /// The patch; null for a setting.
    pub body: Value,
    /// The change as YAML, the lines that go marked with `-` and those that come with `+`.
    pub diff: String,
}

/// The object of an edit, as kubectl names it.
pub fn object(edit: &Edit, template: &Template) -> String {
    match &edit.change {
        Change::Pod(_) => template.object.clone(),
        Change::Pool(name, _) | Change::StartupTaint(name, _) => format!("nodepool/{name}"),
        Change::Preferences(_) => "deployment/karpenter".to_owned(),
    }
}

/// The fields of an edit with the whole way to them.
pub fn fields(edit: &Edit, template: &Template) -> Vec<Field> {
    let above: Vec<String> = match &edit.change {
        Change::Pod(_) => template.path.iter().map(|part| (*part).to_owned()).collect(),
        Change::Pool(..) | Change::StartupTaint(..) => vec!["spec".to_owned()],
        Change::Preferences(_) => Vec::new(),
    };
    let whole = |field: &Field| Field {
        path: above.iter().chain(&field.path).cloned().collect(),
        ..field.clone()
    };
    edit.fields.iter().map(whole).collect()
}

/// The patches of some edits: the edits of one object together.
pub fn patches(edits: &[Edit], template: &Template) -> Vec<Patch> {
    let mut objects: Vec<String> = Vec::new();
    for edit in edits {
        let name = object(edit, template);
        if !objects.contains(&name) {
            objects.push(name);
        }
    }
    let each = objects.into_iter().map(|name| {
        let own: Vec<&Edit> = edits.iter().filter(|edit| object(edit, template) == name).collect();
        patch(name, &own, template)
    });
    each.collect()
}

fn patch(object: String, edits: &[&Edit], template: &Template) -> Patch {
    let fields: Vec<Field> = edits.iter().flat_map(|edit| fields(edit, template)).collect();
    let diff = diff(&fields);
    if let Some(Change::Preferences(policy)) = edits.first().map(|edit| &edit.change) {
        return Patch {
            object,
            command: format!(
                "kubectl set env -n kube-system deployment/karpenter PREFERENCE_POLICY={policy:?}"
            ),
            is_command: true,
            kind: None,
            body: Value::Null,
            diff,
        };
    }
    let body: Vec<Value> = fields.iter().map(operation).collect();
    let body = Value::Array(body);
    let is_pod = matches!(edits.first().map(|edit| &edit.change), Some(Change::Pod(_)));
    let can_be_patched = !is_pod || template.can_be_patched;
    let (kind, name) = object.split_once('/').unwrap_or(("pod", &object));
    let command = if can_be_patched {
        let scope = if is_pod { format!(" -n {}", template.namespace) } else { String::new() };
        format!("kubectl patch {kind} {name}{scope} --type=json -p {}", quoted(&body.to_string()))
    } else {
        format!(
            "the pod template of {object} cannot be changed once made: change its manifest, delete it and create it anew"
        )
    };
    Patch { object, command, is_command: can_be_patched, kind: Some("json"), body, diff }
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// One operation of a JSON patch (RFC 6902).
fn operation(field: &Field) -> Value {
    let path: String = field
        .path
        .iter()
        .flat_map(|part| ["/".to_owned(), part.replace('~', "~0").replace('/', "~1")])
        .collect();
    match (&field.before, &field.after) {
        (_, None) => json!({"op": "remove", "path": path}),
        (None, Some(after)) => json!({"op": "add", "path": path, "value": after}),
        (Some(_), Some(after)) => json!({"op": "replace", "path": path, "value": after}),
    }
}

/// The fields as YAML below each other, each with the way to it.
fn diff(fields: &[Field]) -> String {
    let mut out = String::new();
    let mut open: Vec<&str> = Vec::new();
    for field in fields {
        let Some((last, way)) = field.path.split_last() else { continue };
        let way: Vec<&str> = way.iter().map(String::as_str).collect();
        let common = open.iter().zip(&way).take_while(|(a, b)| a == b).count();
        for (depth, part) in way.iter().enumerate().skip(common) {
            let line = if is_index(part) {
                format!("- # [{part}]")
            } else {
                format!("{}:", scalar(&json!(part)))
            };
            line_at(&mut out, ' ', depth, &line);
        }
        open = way;
        let depth = open.len();
        for (sign, value) in [('-', &field.before), ('+', &field.after)] {
            let Some(value) = value else { continue };
            if last == "-" || is_index(last) {
                write_item(&mut out, sign, depth, value);
            } else {
                write_entry(&mut out, sign, depth, last, value);
            }
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn is_index(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

fn line_at(out: &mut String, sign: char, depth: usize, line: &str) {
    out.push(sign);
    out.push(' ');
    out.push_str(&"  ".repeat(depth));
    out.push_str(line);
    out.push('\n');
}

fn write_entry(out: &mut String, sign: char, depth: usize, key: &str, value: &Value) {
    let key = scalar(&json!(key));
    match value {
        Value::Object(map) if !map.is_empty() => {
            line_at(out, sign, depth, &format!("{key}:"));
            for (key, value) in map {
                write_entry(out, sign, depth + 1, key, value);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            line_at(out, sign, depth, &format!("{key}:"));
            for value in list {
                write_item(out, sign, depth, value);
            }
        }
        value => line_at(out, sign, depth, &format!("{key}: {}", scalar(value))),
    }
}

fn write_item(out: &mut String, sign: char, depth: usize, value: &Value) {
    let Value::Object(map) = value else {
        line_at(out, sign, depth, &format!("- {}", scalar(value)));
        return;
    };
    let mut inner = String::new();
    for (key, value) in map {
        write_entry(&mut inner, sign, depth + 1, key, value);
    }
    // The first line of an item carries its dash, two columns before its keys.
    let dash = 2 + depth * 2;
    for (index, line) in inner.lines().enumerate() {
        if index == 0 && line.len() > dash {
            out.push_str(&format!("{}- {}\n", &line[..dash], &line[dash + 2..]));
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
}

/// A scalar as YAML: plain where no reader can take it for something else.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._/".contains(c);
            let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
            let word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
                .contains(&text.to_lowercase().as_str());
            if starts && !word && text.chars().all(plain) {
                text.clone()
            } else {
                value.to_string()
            }
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_reads_as_yaml() {
        let fields = [
            Field::add(&["spec", "nodeSelector"], json!({"zone": "a", "on": "1"})),
            Field::remove(
                &["spec", "topologySpreadConstraints", "0"],
                json!({"maxSkew": 1, "topologyKey": "zone"}),
            ),
            Field::replace(&["spec", "limits", "cpu"], json!("8"), json!("16")),
        ];
        let text = "  spec:
+   nodeSelector:
+     \"on\": \"1\"
+     zone: a
    topologySpreadConstraints:
-     - maxSkew: 1
-       topologyKey: zone
    limits:
-     cpu: \"8\"
+     cpu: \"16\"";
        assert_eq!(diff(&fields), text);
        assert_eq!(
            operation(&Field::remove(&["spec", "a/b", "0"], json!(1))),
            json!({"op": "remove", "path": "/spec/a~1b/0"})
        );
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
