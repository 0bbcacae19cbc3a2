//! `Lineup`: which plugins run at which point for a profile, in which order, and how much their scores weigh.

use std::collections::BTreeSet;

use crate::model::gap::{Gap, GapKind};

use super::configuration::{PluginEntry, PluginSet, Profile};
use super::framework::Plugin;
use super::plugins::{DEFAULT_PREEMPTION, DYNAMIC_RESOURCES, NEUTRAL, PLUGINS, default_order};
use super::version::Version;

/// Which plugins run at which point, by their places in `PLUGINS`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lineup {
    /// PreEnqueue.
    pub(crate) pre_enqueue: Vec<usize>,
    /// PreFilter.
    pub(crate) pre_filter: Vec<usize>,
    /// Filter.
    pub(crate) filter: Vec<usize>,
    /// PostFilter.
    pub(crate) post_filter: Vec<usize>,
    /// PreScore.
    pub(crate) pre_score: BTreeSet<usize>,
    /// Score, with the weights.
    pub(crate) score: Vec<(usize, i64)>,
    /// What the profile names that is not modelled.
    pub(crate) gaps: Vec<Gap>,
}

/// The plugin at a place.
pub(crate) fn plugin(at: usize) -> &'static Plugin {
    &PLUGINS[at].0
}

impl Lineup {
    /// Works out what a profile runs in a release.
    pub(crate) fn of(profile: &Profile, version: &Version) -> Self {
        let sets = &profile.plugins;
        let defaults: Vec<PluginEntry> = default_order(version)
            .into_iter()
            .map(|at| PluginEntry { name: PLUGINS[at].0.name.to_owned(), weight: PLUGINS[at].1 })
            .collect();
        let multi_point = merged(&defaults, &sets.multi_point);
        let expand = |set: &PluginSet, implements: &dyn Fn(usize) -> bool| {
            expanded(&multi_point, set, implements)
        };
        let is = |name: &'static str| move |at: usize| PLUGINS[at].0.name == name;
        let (is_dra, is_preemption) = (is(DYNAMIC_RESOURCES), is(DEFAULT_PREEMPTION));
        let score = expand(&sets.score, &|at| plugin(at).score.is_some());
        let weight = |at: &usize| {
            let listed = sets.score.enabled.iter().chain(&multi_point);
            let mut entries = listed.filter(|entry| entry.name == plugin(*at).name);
            entries.next().map_or(1, |entry| if entry.weight == 0 { 1 } else { entry.weight })
        };
        Self {
            pre_enqueue: expand(&sets.pre_enqueue, &|at| plugin(at).pre_enqueue.is_some()),
            pre_filter: expand(&sets.pre_filter, &|at| has_pre_filter(at, version)),
            filter: expand(&sets.filter, &|at| plugin(at).filter.is_some()),
            post_filter: expand(&sets.post_filter, &|at| is_dra(at) || is_preemption(at)),
            pre_score: expand(&sets.pre_score, &|at| plugin(at).score.is_some())
                .into_iter()
                .collect(),
            score: score.iter().map(|at| (*at, weight(at))).collect(),
            gaps: unknown(profile),
        }
    }
}

/// Whether a plugin looks at the pod before any node, in a release.
pub(crate) fn has_pre_filter(at: usize, version: &Version) -> bool {
    plugin(at).pre_filter_since.is_some_and(|minor| version.since(minor))
}

fn place(name: &str) -> Option<usize> {
    PLUGINS.iter().position(|(plugin, _, _)| plugin.name == name)
}

/// The defaults with what a profile changes of them. As upstream's `mergePluginSet`.
fn merged(defaults: &[PluginEntry], custom: &PluginSet) -> Vec<PluginEntry> {
    let disabled = |name: &str| custom.disabled.iter().any(|it| it.name == name || it.name == "*");
    let own = |name: &str| custom.enabled.iter().find(|it| it.name == name);
    let kept = defaults.iter().filter(|it| !disabled(&it.name));
    let mut merged: Vec<PluginEntry> = kept.map(|it| own(&it.name).unwrap_or(it).clone()).collect();
    let more = custom.enabled.iter().filter(|it| !merged.iter().any(|other| other.name == it.name));
    let more: Vec<PluginEntry> = more.cloned().collect();
    merged.extend(more);
    merged
}

/// The plugins of one extension point. As upstream's `expandMultiPointPlugins`.
fn expanded(
    multi_point: &[PluginEntry],
    set: &PluginSet,
    implements: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let disabled = |name: &str| set.disabled.iter().any(|it| it.name == name);
    let places = |entries: &[PluginEntry]| -> Vec<usize> {
        let known = entries.iter().filter_map(|entry| place(&entry.name));
        known.filter(|at| implements(*at)).collect()
    };
    let specific = places(&set.enabled);
    if disabled("*") {
        return specific;
    }
    let mut general = places(multi_point);
    general.retain(|at| !disabled(plugin(*at).name));
    let (first, last): (Vec<usize>, Vec<usize>) =
        specific.iter().partition(|at| general.contains(at));
    general.retain(|at| !specific.contains(at));
    first.into_iter().chain(general).chain(last).collect()
}

/// Plugins that a profile enables and that no replay knows.
fn unknown(profile: &Profile) -> Vec<Gap> {
    let sets = &profile.plugins;
    let points = [
        &sets.multi_point,
        &sets.pre_enqueue,
        &sets.pre_filter,
        &sets.filter,
        &sets.post_filter,
        &sets.pre_score,
        &sets.score,
        &sets.reserve,
        &sets.permit,
    ];
    let names: BTreeSet<&str> =
        points.iter().flat_map(|set| &set.enabled).map(|entry| entry.name.as_str()).collect();
    let unknown = names.into_iter().filter(|name| place(name).is_none() && !NEUTRAL.contains(name));
    unknown
        .map(|name| {
            Gap::new(
                GapKind::NotModelled,
                format!("scheduler plugin {name}"),
                format!(
                    "the profile {} enables it; what it says of pods and nodes is not replayed",
                    profile.scheduler_name
                ),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube_scheduler::configuration::Configuration;

    fn lineup(plugins: &serde_json::Value, minor: u32) -> Lineup {
        let document = serde_json::json!({"profiles": [{"plugins": plugins}]});
        let configuration = Configuration::read(&document).expect("a configuration");
        let version = Version::of_minor(minor).expect("a release that is replayed");
        Lineup::of(&configuration.profiles[0], &version)
    }

    fn names(places: &[usize]) -> Vec<&'static str> {
        places.iter().map(|at| plugin(*at).name).collect()
    }

    fn weight(lineup: &Lineup, name: &str) -> Option<i64> {
        let mut found = lineup.score.iter().filter(|(at, _)| plugin(*at).name == name);
        found.next().map(|(_, weight)| *weight)
    }

    #[test]
    fn filters_are_in_the_order_of_the_release() {
        let none = serde_json::json!({});
        assert_eq!(
            names(&lineup(&none, 37).filter),
            [
                "NodeName",
                "NodeUnschedulable",
                "TaintToleration",
                "NodeAffinity",
                "NodePorts",
                "NodeResourcesFit",
                "VolumeRestrictions",
                "NodeVolumeLimits",
                "VolumeBinding",
                "VolumeZone",
                "PodTopologySpread",
                "InterPodAffinity",
                "DynamicResources",
                "NodeDeclaredFeatures",
            ]
        );
        let older = lineup(&none, 33).filter;
        assert_eq!(names(&older)[..2], ["NodeUnschedulable", "NodeName"]);
        assert_eq!(names(&older).last(), Some(&"InterPodAffinity"));
    }

    #[test]
    fn weights_come_from_the_score_list_then_from_multi_point_and_zero_means_one() {
        let taint = "TaintToleration";
        for (plugins, expected) in [
            (serde_json::json!({}), Some(3)),
            (serde_json::json!({"multiPoint": {"enabled": [{"name": taint}]}}), Some(1)),
            (
                serde_json::json!({"multiPoint": {"enabled": [{"name": taint, "weight": 7}]}}),
                Some(7),
            ),
            (
                serde_json::json!({
                    "multiPoint": {"enabled": [{"name": taint, "weight": 7}]},
                    "score": {"enabled": [{"name": taint, "weight": 2}]},
                }),
                Some(2),
            ),
            (serde_json::json!({"score": {"disabled": [{"name": taint}]}}), None),
            (serde_json::json!({"score": {"disabled": [{"name": "*"}]}}), None),
        ] {
            assert_eq!(weight(&lineup(&plugins, 37), taint), expected, "{plugins}");
        }
    }

    #[test]
    fn plugins_of_the_specific_list_come_first_and_unknown_ones_are_told() {
        let plugins = serde_json::json!({
            "filter": {"enabled": [{"name": "NodePorts"}, {"name": "Coscheduling"}]},
        });
        let lineup = lineup(&plugins, 37);
        assert_eq!(names(&lineup.filter)[..2], ["NodePorts", "NodeName"]);
        let subjects: Vec<&str> = lineup.gaps.iter().map(|gap| gap.subject.as_str()).collect();
        assert_eq!(subjects, ["scheduler plugin Coscheduling"]);
    }
}
