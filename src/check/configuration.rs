//! `landed.yaml`: which rules are asked, how bad their findings are, and which files are left out.

use std::collections::BTreeMap;

use super::finding::Severity;
use super::position::Position;
use super::rule::Rule;
use super::rules::RULES;
use super::tree::{Content, Tree};
use super::yaml;

/// What a team has decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// The file it was read from.
    pub origin: String,
    /// Severities by code; `None` switches a rule off.
    pub rules: BTreeMap<String, Option<Severity>>,
    /// From which severity on findings fail a run.
    pub fail_on: Option<Severity>,
    /// Paths that are left out: a file, a folder, or a pattern with `*` for any text.
    pub exclude: Vec<String>,
    /// Findings that are ignored wherever they are.
    pub ignore: Vec<IgnoreRule>,
}

/// A finding that is ignored, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoreRule {
    /// The code.
    pub code: String,
    /// The object, as kubectl names it, with `*` for any text; none stands for every object.
    pub object: Option<String>,
    /// Why.
    pub reason: String,
    /// Where it stands in `landed.yaml`.
    pub position: Position,
}

/// What is wrong with a configuration, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {message}")]
pub struct ConfigurationError {
    /// Where.
    pub position: Position,
    /// What.
    pub message: String,
}

impl Configuration {
    /// Reads the text of a `landed.yaml`.
    pub fn parse(text: &str) -> Result<Self, ConfigurationError> {
        let reading = yaml::read(text);
        if let Some(damage) = reading.damages.into_iter().next() {
            return Err(ConfigurationError { position: damage.position, message: damage.message });
        }
        let mut configuration = Self::default();
        for document in &reading.documents {
            if document.entries().is_empty() {
                return Err(wrong(document, "a configuration is a map"));
            }
            for entry in document.entries() {
                match &*entry.key {
                    "rules" => configuration.read_rules(&entry.value)?,
                    "failOn" => configuration.fail_on = Some(severity(&entry.value)?),
                    "exclude" => configuration.exclude = texts(&entry.value)?,
                    "ignore" => configuration.read_ignores(&entry.value)?,
                    other => {
                        return Err(ConfigurationError {
                            position: entry.position,
                            message: format!(
                                "{other:?} is not known: rules, failOn, exclude, ignore are"
                            ),
                        });
                    }
                }
            }
        }
        Ok(configuration)
    }

    /// How bad a rule's findings are; `None`: it is not asked.
    pub fn severity_of(&self, rule: &Rule) -> Option<Severity> {
        self.rules.get(rule.code).copied().unwrap_or(Some(rule.severity))
    }

    /// Whether a file is left out.
    pub fn excludes(&self, file: &str) -> bool {
        let file = file.trim_start_matches("./");
        self.exclude.iter().any(|pattern| {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            matches_pattern(pattern, file)
                || file.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/'))
        })
    }

    fn read_rules(&mut self, tree: &Tree) -> Result<(), ConfigurationError> {
        for entry in tree.entries() {
            let position = entry.position;
            known(&entry.key).map_err(|message| ConfigurationError { position, message })?;
            let off = matches!(entry.value.content, Content::Bool(false))
                || entry.value.text() == Some("off");
            let set = if off { None } else { Some(severity(&entry.value)?) };
            self.rules.insert(entry.key.to_string(), set);
        }
        Ok(())
    }

    fn read_ignores(&mut self, tree: &Tree) -> Result<(), ConfigurationError> {
        for item in tree.items() {
            let text = |key: &str| item.get(key).and_then(Tree::text).map(str::to_owned);
            let code = text("code").ok_or_else(|| wrong(item, "an ignore needs a code"))?;
            known(&code).map_err(|message| wrong(item, &message))?;
            let reason = text("reason").filter(|reason| !reason.trim().is_empty());
            let reason = reason.ok_or_else(|| wrong(item, "an ignore needs a reason"))?;
            let object = text("object");
            self.ignore.push(IgnoreRule { code, object, reason, position: item.position });
        }
        Ok(())
    }
}

impl IgnoreRule {
    /// Whether it is about this rule and this object.
    pub fn covers(&self, code: &str, object: &str) -> bool {
        self.code == code
            && self.object.as_deref().is_none_or(|pattern| matches_pattern(pattern, object))
    }
}

/// Whether a rule of this code exists; else what to say, with the nearest that does.
pub(crate) fn known(code: &str) -> Result<(), String> {
    if RULES.iter().any(|rule| rule.code == code) {
        return Ok(());
    }
    let shared = |rule: &&Rule| {
        rule.code.split('-').filter(|word| code.split('-').any(|own| own == *word)).count()
    };
    let nearest = RULES.iter().rev().max_by_key(shared).filter(|rule| shared(rule) > 0);
    let hint = nearest.map(|rule| format!("; is {} meant?", rule.code)).unwrap_or_default();
    Err(format!("no rule has the code {code:?}{hint}"))
}

/// Whether a text is what a pattern with `*` for any text describes.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn severity(tree: &Tree) -> Result<Severity, ConfigurationError> {
    tree.text()
        .and_then(Severity::parse)
        .ok_or_else(|| wrong(tree, "a severity is error, warning, info, or off for a rule"))
}

fn texts(tree: &Tree) -> Result<Vec<String>, ConfigurationError> {
    let items = tree.items().iter();
    items
        .map(|item| item.text().map(str::to_owned).ok_or_else(|| wrong(item, "a path is text")))
        .collect()
}

fn wrong(tree: &Tree, message: &str) -> ConfigurationError {
    ConfigurationError { position: tree.position, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_says_what_is_asked_and_what_is_left_out() {
        let read = Configuration::parse(
            "failOn: warning\nrules:\n  requests-missing: off\n  custom-scheduler: error\nexclude: [charts/, '*.tpl.yaml']\nignore:\n- {code: hostname-pinned, object: 'pod/debug*', reason: by hand}\n",
        )
        .expect("a configuration");
        assert_eq!(read.fail_on, Some(Severity::Warning));
        assert_eq!(read.rules["requests-missing"], None);
        assert_eq!(read.rules["custom-scheduler"], Some(Severity::Error));
        assert!(read.excludes("./charts/a/b.yaml") && read.excludes("x/y.tpl.yaml"));
        assert!(!read.excludes("chartsy.yaml"));
        assert!(read.ignore[0].covers("hostname-pinned", "pod/debug-1"));
        assert!(!read.ignore[0].covers("hostname-pinned", "pod/web"));
    }

    #[test]
    fn what_is_wrong_gives_its_place() {
        for (text, expected) in [
            (
                "rules:\n  requests-gone: off\n",
                "2:3: no rule has the code \"requests-gone\"; is requests-missing meant?",
            ),
            ("ignore:\n- code: hostname-pinned\n", "2:3: an ignore needs a reason"),
            ("failon: error\n", "1:1: \"failon\" is not known: rules, failOn, exclude, ignore are"),
        ] {
            let error = Configuration::parse(text).expect_err(text);
            assert_eq!(error.to_string(), expected);
        }
    }
}
