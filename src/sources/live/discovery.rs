//! What a cluster serves: one request where the server is new enough to answer it whole.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::client::Connection;
use super::error::LiveError;
use super::kinds::{KINDS, Kind, NODE_CLASS_GROUPS, Need, Resource};
use crate::model::gap::{Gap, GapKind};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
     application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/// The groups, their versions in the server's order, and each version's resources where they are known.
#[derive(Debug, Default)]
pub(super) struct Served {
    groups: BTreeMap<String, Vec<Version>>,
    /// Whether discovery was refused: then nothing is known to be absent.
    is_unknown: bool,
}

#[derive(Debug)]
struct Version {
    name: String,
    resources: Option<Vec<Resource>>,
}

impl Served {
    /// Asks the server.
    pub(super) async fn ask(connection: &Connection) -> Result<(Self, Vec<Gap>), LiveError> {
        let answer = connection.get("/apis", AGGREGATED, "the list of APIs").await?;
        if answer.status != 200 {
            let gap = Gap::new(
                GapKind::Forbidden,
                "the list of APIs",
                "discovery is not allowed, so that provider NodeClasses cannot be found",
            );
            let gap = gap.hint("bind the ClusterRole system:discovery");
            return Ok((Self { is_unknown: true, ..Self::default() }, vec![gap]));
        }
        let document: Document =
            serde_json::from_slice(&answer.body).map_err(|error| LiveError::Refused {
                server: connection.server.clone(),
                status: answer.status,
                what: "the list of APIs".to_owned(),
                detail: format!("this is not a Kubernetes API server ({error})"),
            })?;
        let mut served = Self { groups: document.groups(), is_unknown: false };
        served.complete_providers(connection).await?;
        Ok((served, Vec::new()))
    }

    /// Older servers name groups and versions only: their provider groups are asked for one by one.
    async fn complete_providers(&mut self, connection: &Connection) -> Result<(), LiveError> {
        for (group, versions) in &mut self.groups {
            if !is_provider_group(group) {
                continue;
            }
            for version in versions.iter_mut().filter(|version| version.resources.is_none()) {
                let path = format!("/apis/{group}/{}", version.name);
                let answer = connection.get(&path, "application/json", group).await?;
                let list = serde_json::from_slice::<ResourceList>(&answer.body).unwrap_or_default();
                let resources = list.resources.into_iter().map(|resource| Resource {
                    group: group.clone(),
                    version: version.name.clone(),
                    plural: resource.name,
                    kind: resource.kind,
                    is_namespaced: resource.namespaced,
                });
                version.resources = Some(resources.collect());
            }
        }
        Ok(())
    }

    /// What to read of the kinds that are needed, and what is not there to be read.
    pub(super) fn plan(&self, with_dump_only: bool) -> (Vec<Resource>, Vec<Gap>) {
        let (mut resources, mut gaps) = (Vec::new(), Vec::new());
        for kind in KINDS.iter().filter(|kind| with_dump_only || kind.need != Need::DumpOnly) {
            match self.find(kind) {
                Found::Served(version) => resources.push(Resource::of(kind, &version)),
                Found::Otherwise(served) => gaps.push(too_old(kind, &served)),
                Found::Absent if kind.need == Need::Always => gaps.push(absent(kind)),
                Found::Absent => {}
            }
        }
        resources.extend(self.node_classes());
        (resources, gaps)
    }

    fn find(&self, kind: &Kind) -> Found {
        if kind.group.is_empty() || self.is_unknown {
            return match kind.need {
                Need::IfServed if self.is_unknown => Found::Absent,
                _ => Found::Served(kind.versions[0].to_owned()),
            };
        }
        let Some(versions) = self.groups.get(kind.group) else { return Found::Absent };
        let serves = |version: &&Version| {
            let resources = version.resources.as_ref();
            resources.is_none_or(|resources| {
                resources.iter().any(|resource| resource.plural == kind.plural)
            })
        };
        let serving =
            versions.iter().filter(serves).map(|version| version.name.as_str()).collect::<Vec<_>>();
        match kind.versions.iter().find(|version| serving.contains(version)) {
            Some(version) => Found::Served((*version).to_owned()),
            None if serving.is_empty() => Found::Absent,
            None => Found::Otherwise(
                serving.into_iter().map(|version| format!("{}/{version}", kind.group)).collect(),
            ),
        }
    }

    fn node_classes(&self) -> Vec<Resource> {
        let mut found: BTreeMap<(String, String), Resource> = BTreeMap::new();
        for (group, versions) in self.groups.iter().filter(|(group, _)| is_provider_group(group)) {
            for resource in
                versions.iter().filter_map(|version| version.resources.as_ref()).flatten()
            {
                if resource.kind.ends_with("NodeClass") && !resource.plural.contains('/') {
                    // The server names its preferred version first.
                    found
                        .entry((group.clone(), resource.plural.clone()))
                        .or_insert_with(|| resource.clone());
                }
            }
        }
        found.into_values().collect()
    }
}

enum Found {
    Served(String),
    Otherwise(Vec<String>),
    Absent,
}

fn is_provider_group(group: &str) -> bool {
    group != "karpenter.sh"
        && (group.starts_with("karpenter.")
            || NODE_CLASS_GROUPS.iter().any(|(known, _)| *known == group))
}

fn too_old(kind: &Kind, served: &[String]) -> Gap {
    let understood = kind.versions.iter().map(|version| format!("{}/{version}", kind.group));
    let understood = understood.collect::<Vec<_>>().join(", ");
    Gap::new(
        GapKind::NotModelled,
        kind.plural,
        format!("the cluster serves them as {} only; understood: {understood}", served.join(", ")),
    )
}

fn absent(kind: &Kind) -> Gap {
    let (subject, group) = (kind.plural, kind.group);
    if group == "karpenter.sh" {
        return Gap::new(
            GapKind::Absent,
            format!("{subject}.{group}"),
            "the cluster does not have this kind: Karpenter is not installed, or older than v0.32",
        )
        .hint("kubectl get crd nodepools.karpenter.sh");
    }
    Gap::new(GapKind::Absent, format!("{subject}.{group}"), "the cluster does not serve this kind")
}

#[derive(Deserialize)]
struct Document {
    /// Of an APIGroupDiscoveryList.
    items: Option<Vec<Group>>,
    /// Of an APIGroupList.
    groups: Option<Vec<PlainGroup>>,
}

impl Document {
    fn groups(self) -> BTreeMap<String, Vec<Version>> {
        let mut groups = BTreeMap::new();
        for group in self.items.unwrap_or_default() {
            let name = group.metadata.name;
            let version = |version: GroupVersion| Version {
                resources: Some(
                    version
                        .resources
                        .into_iter()
                        .map(|resource| resource.named(&name, &version.version))
                        .collect(),
                ),
                name: version.version,
            };
            let versions = group.versions.into_iter().map(version).collect();
            groups.insert(name, versions);
        }
        for group in self.groups.unwrap_or_default() {
            let version =
                |version: PlainVersion| Version { name: version.version, resources: None };
            groups.insert(group.name, group.versions.into_iter().map(version).collect());
        }
        groups
    }
}

#[derive(Deserialize)]
struct Group {
    metadata: Name,
    #[serde(default)]
    versions: Vec<GroupVersion>,
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
struct GroupVersion {
    version: String,
    #[serde(default)]
    resources: Vec<ServedResource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServedResource {
    resource: String,
    scope: String,
    response_kind: Option<ResponseKind>,
}

impl ServedResource {
    fn named(self, group: &str, version: &str) -> Resource {
        Resource {
            group: group.to_owned(),
            version: version.to_owned(),
            plural: self.resource,
            kind: self.response_kind.map(|kind| kind.kind).unwrap_or_default(),
            is_namespaced: self.scope == "Namespaced",
        }
    }
}

#[derive(Deserialize)]
struct ResponseKind {
    kind: String,
}

#[derive(Deserialize)]
struct PlainGroup {
    name: String,
    #[serde(default)]
    versions: Vec<PlainVersion>,
}

#[derive(Deserialize)]
struct PlainVersion {
    version: String,
}

#[derive(Default, Deserialize)]
struct ResourceList {
    #[serde(default)]
    resources: Vec<PlainResource>,
}

#[derive(Deserialize)]
struct PlainResource {
    name: String,
    kind: String,
    namespaced: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(json: &str) -> Served {
        let document: Document = serde_json::from_str(json).expect("a discovery document");
        Served { groups: document.groups(), is_unknown: false }
    }

    #[test]
    fn an_older_version_is_read_and_an_unknown_one_is_a_gap() {
        let served = served(
            r#"{"kind":"APIGroupList","groups":[
                {"name":"karpenter.sh","versions":[{"version":"v1beta1"}]},
                {"name":"policy","versions":[{"version":"v1beta1"}]}]}"#,
        );
        let (resources, gaps) = served.plan(false);
        let pools =
            resources.iter().find(|resource| resource.plural == "nodepools").expect("NodePools");
        assert_eq!(pools.api_version(), "karpenter.sh/v1beta1");
        let budgets = gaps.iter().find(|gap| gap.subject == "poddisruptionbudgets").expect("a gap");
        assert_eq!(
            budgets.detail,
            "the cluster serves them as policy/v1beta1 only; understood: policy/v1"
        );
    }

    #[test]
    fn node_classes_are_found_by_their_kind_in_the_preferred_version() {
        let resource = |version: &str| {
            format!(
                r#"{{"version":"{version}","resources":[{{"resource":"ec2nodeclasses","scope":"Cluster",
                "responseKind":{{"group":"karpenter.k8s.aws","version":"{version}","kind":"EC2NodeClass"}}}}]}}"#
            )
        };
        let served = served(&format!(
            r#"{{"kind":"APIGroupDiscoveryList","items":[{{"metadata":{{"name":"karpenter.k8s.aws"}},
            "versions":[{},{}]}}]}}"#,
            resource("v1"),
            resource("v1beta1")
        ));
        let (resources, gaps) = served.plan(false);
        let classes =
            resources.iter().filter(|resource| resource.kind == "EC2NodeClass").collect::<Vec<_>>();
        assert_eq!(classes.len(), 1);
        assert_eq!(classes[0].path(None), "/apis/karpenter.k8s.aws/v1/ec2nodeclasses");
        let pools = gaps.iter().find(|gap| gap.subject == "nodepools.karpenter.sh").expect("a gap");
        assert_eq!(pools.kind, GapKind::Absent);
    }
}
