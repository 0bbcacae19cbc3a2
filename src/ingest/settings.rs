//! Settings of the two components: from files that the user names, and from objects that tell of them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::model::snapshot::FoundSettings;

use super::wire::{List, Text, Texts};
use super::yaml::{YamlError, documents};

/// Variables of Karpenter's environment that are read; what else a Deployment sets is not looked at.
pub const VARIABLES: [&str; 17] = [
    "AWS_REGION",
    "BATCH_IDLE_DURATION",
    "BATCH_MAX_DURATION",
    "CLUSTER_NAME",
    "FEATURE_GATES",
    "IGNORE_DRA_REQUESTS",
    "INSTANCE_TYPES_FILE_PATH",
    "LEGACY_NODE_REPAIR",
    "MIN_VALUES_POLICY",
    "NETWORK_PLUGIN",
    "NETWORK_PLUGIN_MODE",
    "PREFERENCE_POLICY",
    "RESERVED_ENIS",
    "SCHEDULER_CONFIG",
    "VM_MEMORY_OVERHEAD_PERCENT",
    "CPU_REQUESTS",
    "ISOLATED_VPC",
];

/// Why settings could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Neither of the formats.
    #[error(
        "not settings of Karpenter: expected a JSON or YAML object, lines of NAME=VALUE, or its Deployment"
    )]
    NotSettings,
    /// The file could not be read as YAML or JSON.
    #[error("{0}")]
    Yaml(#[from] YamlError),
    /// Another kind of object.
    #[error("not a KubeSchedulerConfiguration but {0}")]
    OtherKind(String),
    /// A line that is not `NAME=VALUE`.
    #[error("line {0} is not NAME=VALUE")]
    Line(usize),
}

/// What a file of Karpenter's settings tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KarpenterSettings {
    /// The environment.
    pub environment: BTreeMap<String, String>,
    /// Its version, where the file tells, without a leading `v`.
    pub version: Option<String>,
    /// Kubernetes' version, where the file tells, without a leading `v`.
    pub kubernetes_version: Option<String>,
}

/// Reads `--karpenter-settings`: an object of variables, `NAME=VALUE` lines, a recording's `karpenter-settings.json`,
/// or the Deployment itself.
pub fn karpenter_settings(text: &str) -> Result<KarpenterSettings, SettingsError> {
    let text = text.trim_start_matches('\u{feff}');
    if let Some(environment) = lines_of_variables(text)? {
        return Ok(KarpenterSettings { environment, ..KarpenterSettings::default() });
    }
    let json = documents(text).next().ok_or(SettingsError::NotSettings)??;
    let value: Value = serde_json::from_slice(&json).map_err(|_| SettingsError::NotSettings)?;
    let Value::Object(map) = &value else { return Err(SettingsError::NotSettings) };
    if map.contains_key("kind") && map.contains_key("apiVersion") {
        return controller(&json).ok_or(SettingsError::NotSettings);
    }
    let version = |key: &str| {
        map.get(key).and_then(Value::as_str).map(|text| text.trim_start_matches('v').to_owned())
    };
    let is_recording = map.get("environment").is_some_and(Value::is_object);
    let variables = map.get("environment").and_then(Value::as_object).unwrap_or(map);
    Ok(KarpenterSettings {
        environment: variables
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), as_text(value)?)))
            .collect(),
        version: version("karpenterVersion").filter(|_| is_recording),
        kubernetes_version: version("kubernetesVersion").filter(|_| is_recording),
    })
}

/// Lines of `NAME=VALUE`, with comments and `export`; none when the text is something else.
fn lines_of_variables(text: &str) -> Result<Option<BTreeMap<String, String>>, SettingsError> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .peekable();
    let assignment = |line: &str| {
        let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
        let name = name.trim();
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let value = value.trim();
        let bare = ['"', '\'']
            .iter()
            .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
            .unwrap_or(value);
        is_name.then(|| (name.to_owned(), bare.to_owned()))
    };
    if lines.peek().is_none_or(|(_, line)| assignment(line).is_none()) {
        return Ok(None);
    }
    lines
        .map(|(number, line)| assignment(line).ok_or(SettingsError::Line(number)))
        .collect::<Result<BTreeMap<_, _>, _>>()
        .map(Some)
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Reads `--scheduler-config`: a KubeSchedulerConfiguration in YAML or JSON, or the ConfigMap that holds one.
pub fn scheduler_configuration(text: &str) -> Result<Value, SettingsError> {
    let mut other = None;
    for json in documents(text) {
        let value: Value = serde_json::from_slice(&json?).unwrap_or_default();
        let kind = value.get("kind").and_then(Value::as_str);
        match kind {
            Some("KubeSchedulerConfiguration") => return Ok(value),
            Some("ConfigMap") => {
                if let Some(found) = in_config_map(&value) {
                    return Ok(found);
                }
            }
            _ => {}
        }
        let what = kind.map_or("something without a kind".to_owned(), |kind| format!("a {kind}"));
        other.get_or_insert(what);
    }
    Err(SettingsError::OtherKind(other.unwrap_or_else(|| "an empty file".to_owned())))
}

/// The KubeSchedulerConfiguration in a ConfigMap's data.
fn in_config_map(value: &Value) -> Option<Value> {
    value.get("data")?.as_object()?.values().find_map(|text| {
        documents(text.as_str()?).filter_map(Result::ok).find_map(|json| {
            let value: Value = serde_json::from_slice(&json).ok()?;
            (value.get("kind")?.as_str()? == "KubeSchedulerConfiguration").then_some(value)
        })
    })
}

/// Whether a ConfigMap of this name may hold settings: no other is ever read.
pub(crate) fn is_settings_config_map(namespace: &str, name: &str) -> bool {
    name == "karpenter-global-settings"
        || (namespace == "kube-system" && name.contains("scheduler"))
        || name.starts_with("kube-scheduler")
}

/// Takes what a ConfigMap tells; its name was found fit by [`is_settings_config_map`].
pub(crate) fn take_config_map(json: &[u8], settings: &mut FoundSettings) {
    let Ok(value) = serde_json::from_slice::<Value>(json) else { return };
    if let Some(configuration) = in_config_map(&value) {
        settings.scheduler_configuration.get_or_insert(configuration);
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawController<'a> {
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    metadata: RawLabels<'a>,
    #[serde(borrow)]
    spec: RawControllerSpec<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawLabels<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    labels: Texts<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawControllerSpec<'a> {
    #[serde(borrow)]
    template: RawControllerTemplate<'a>,
    #[serde(borrow)]
    containers: List<RawControllerContainer<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawControllerTemplate<'a> {
    #[serde(borrow)]
    spec: RawControllerPod<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawControllerPod<'a> {
    #[serde(borrow)]
    containers: List<RawControllerContainer<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawControllerContainer<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    image: Text<'a>,
    #[serde(borrow)]
    env: List<RawVariable<'a>>,
    #[serde(borrow)]
    args: List<Text<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawVariable<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    value: Text<'a>,
}

/// Whether an object looks like Karpenter's controller by its name and labels alone.
pub(crate) fn is_controller(name: &str, label: Option<&str>) -> bool {
    label == Some("karpenter") || name == "karpenter" || name == "karpenter-controller"
}

/// What Karpenter's Deployment, or one of its pods, tells. None for anything else.
pub(crate) fn controller(json: &[u8]) -> Option<KarpenterSettings> {
    let raw: RawController<'_> = serde_json::from_slice(json).ok()?;
    let label = raw.metadata.labels.0.iter();
    let label = label.filter(|(key, _)| key.as_str() == "app.kubernetes.io/name");
    let label = label.map(|(_, value)| value.as_str()).next();
    if !["Deployment", "Pod"].contains(&raw.kind.as_str())
        || !is_controller(raw.metadata.name.as_str(), label)
    {
        return None;
    }
    let containers = raw.spec.template.spec.containers.0.iter().chain(&raw.spec.containers.0);
    let container = containers
        .max_by_key(|container| ["controller", "karpenter"].contains(&container.name.as_str()))?;
    let mut environment = BTreeMap::new();
    for variable in &container.env.0 {
        let name = variable.name.as_str();
        if VARIABLES.contains(&name) && !variable.value.is_empty() {
            environment.insert(name.to_owned(), variable.value.as_str().to_owned());
        }
    }
    for (name, value) in container.args.0.iter().filter_map(|flag| as_variable(flag.as_str())) {
        environment.insert(name, value);
    }
    let version = version_of_image(container.image.as_str());
    Some(KarpenterSettings { environment, version, kubernetes_version: None })
}

/// A flag of Karpenter's as the variable of the same meaning: `--preference-policy=Ignore`.
pub(crate) fn as_variable(flag: &str) -> Option<(String, String)> {
    let (name, value) = flag.trim_start_matches('-').split_once('=')?;
    let name = name.replace('-', "_").to_ascii_uppercase();
    VARIABLES.contains(&name.as_str()).then(|| (name, value.to_owned()))
}

/// The version in an image's tag: `…/controller:1.9.0@sha256:…`.
fn version_of_image(image: &str) -> Option<String> {
    let without_digest = image.split('@').next()?;
    let (_, tag) = without_digest.rsplit_once(':')?;
    let tag = tag.trim_start_matches('v');
    let is_version = tag.starts_with(|c: char| c.is_ascii_digit()) && tag.contains('.');
    is_version.then(|| tag.to_owned())
}

/// Takes what one of Karpenter's objects tells; what was found before stays.
pub(crate) fn take_controller(found: KarpenterSettings, settings: &mut FoundSettings) {
    if let Some(version) = found.version {
        settings.karpenter_version.get_or_insert(version);
    }
    let known = settings.karpenter_environment.get_or_insert_with(BTreeMap::new);
    for (name, value) in found.environment {
        known.entry(name).or_insert(value);
    }
}

/// Kubernetes' and Karpenter's versions from `kubectl version -o json|yaml`, a bundle's `version.yaml`, or a
/// recording's `versions.json`.
pub(crate) fn take_versions(value: &Value, settings: &mut FoundSettings) -> bool {
    let text = |path: &[&str]| {
        let found = path.iter().try_fold(value, |value, key| value.get(key))?.as_str()?;
        let plain = found.trim_start_matches('v');
        (plain.starts_with(|c: char| c.is_ascii_digit()) && plain.contains('.'))
            .then(|| plain.to_owned())
    };
    let kubernetes = text(&["serverVersion", "gitVersion"])
        .or_else(|| text(&["info", "gitVersion"]))
        .or_else(|| text(&["gitVersion"]))
        .or_else(|| text(&["kubernetes"]));
    let karpenter = text(&["karpenter"]);
    let found = kubernetes.is_some() || karpenter.is_some();
    if let Some(version) = kubernetes {
        settings.kubernetes_version.get_or_insert(version);
    }
    if let Some(version) = karpenter {
        settings.karpenter_version.get_or_insert(version);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_in_each_form() {
        let deployment = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"karpenter","namespace":"kube-system"},
            "spec":{"template":{"spec":{"containers":[{"name":"controller","image":"public.ecr.aws/karpenter/controller:1.9.0@sha256:ab",
            "env":[{"name":"PREFERENCE_POLICY","value":"Ignore"},{"name":"AWS_SECRET_ACCESS_KEY","value":"x"}]}]}}}}"#;
        for (text, version) in [
            (r#"{"PREFERENCE_POLICY":"Ignore"}"#, None),
            ("PREFERENCE_POLICY: Ignore\n", None),
            ("# mine\nexport PREFERENCE_POLICY=\"Ignore\"\n", None),
            (
                r#"{"karpenterVersion":"v1.9.0","environment":{"PREFERENCE_POLICY":"Ignore"}}"#,
                Some("1.9.0"),
            ),
            (deployment, Some("1.9.0")),
        ] {
            let settings = karpenter_settings(text).expect(text);
            let expected = BTreeMap::from([("PREFERENCE_POLICY".to_owned(), "Ignore".to_owned())]);
            assert_eq!(settings.environment, expected, "{text}");
            assert_eq!(settings.version.as_deref(), version, "{text}");
        }
    }

    #[test]
    fn a_line_that_is_no_setting_is_named() {
        assert_eq!(karpenter_settings("A=1\nwhat\n"), Err(SettingsError::Line(2)));
        assert_eq!(karpenter_settings("<html>"), Err(SettingsError::NotSettings));
    }

    #[test]
    fn a_scheduler_configuration_is_read_from_a_file_or_its_config_map() {
        let plain = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: []\n";
        let map = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: my-scheduler}}\ndata:\n  config.yaml: |\n    {}",
            plain.replace('\n', "\n    ")
        );
        for text in [plain, &map] {
            let value = scheduler_configuration(text).expect(text);
            assert_eq!(value["kind"], "KubeSchedulerConfiguration");
        }
        let other = scheduler_configuration("kind: Pod").expect_err("a pod");
        assert_eq!(other.to_string(), "not a KubeSchedulerConfiguration but a Pod");
    }
}
