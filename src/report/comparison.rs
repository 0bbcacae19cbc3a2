//! `Comparison`: why two pods landed differently; only what differs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApiVersion, Explanation, Gap, Metadata, Node, Placement, Verdict};
use crate::explain::{self, demands};
use crate::model::time::Timestamp;
use crate::reconstruct::stories::PodStory;

/// Two pods side by side: only the rows that differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The version of the contract.
    pub api_version: ApiVersion,
    /// Always `Comparison`.
    pub kind: ComparisonKind,
    /// What answered, and from what.
    #[serde(default)]
    pub metadata: Metadata,
    /// Why they landed differently, in one or two sentences.
    pub summary: String,
    /// The two pods, in the order asked.
    pub pods: [ComparedPod; 2],
    /// Whether both ask for the same: their specs differ in nothing that decides where a pod goes.
    pub same_demands: bool,
    /// What differs, section by section in the order of [`Section`].
    pub rows: Vec<ComparisonRow>,
    /// What could not be read, or is not in the input.
    pub gaps: Vec<Gap>,
}

/// The kind of a [`Comparison`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ComparisonKind {
    /// Two pods side by side.
    #[default]
    Comparison,
}

/// One of the two pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedPod {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Where it is, as kubectl names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The answer for it.
    pub verdict: Verdict,
}

/// One thing that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonRow {
    /// What it belongs to.
    pub section: Section,
    /// What it is.
    pub label: String,
    /// Its values for the two pods; null where there is none.
    pub values: [Option<String>; 2],
}

/// What a row belongs to. Further values may be added.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// Where the pods were meant to go, and where they are.
    #[default]
    Places,
    /// The verdicts and causes.
    Causes,
    /// What kube-scheduler made of the two nodes at each pod's moment.
    Scores,
    /// The soft rules that Karpenter gave up.
    Relaxations,
    /// When things happened.
    Times,
    /// What the pods ask for.
    Demands,
}

impl Comparison {
    /// The comparison of two explanations.
    pub fn of(explained: [&explain::Explanation<'_, '_>; 2]) -> Self {
        let reports = explained.map(Explanation::from);
        let stories = explained.map(|explanation| explanation.landing.pod);
        let demands = demands_of(stories);
        let same_demands = demands.iter().all(|row| row.label == "metadata.labels");
        let mut rows = Rows::default();
        rows.places(&reports);
        rows.causes(&reports);
        rows.scores(&reports);
        rows.relaxations(&reports);
        rows.times(&reports);
        rows.rows.extend(demands);
        let [a, _] = &reports;
        let mut gaps = a.gaps.clone();
        gaps.extend(reports[1].gaps.iter().filter(|gap| !a.gaps.contains(gap)).cloned());
        Self {
            metadata: a.metadata.clone(),
            summary: summary(&reports, same_demands),
            pods: reports.each_ref().map(|report| ComparedPod {
                namespace: report.pod.namespace.clone(),
                name: report.pod.name.clone(),
                actual: report.actual.as_ref().and_then(Placement::object),
                verdict: report.verdict.clone(),
            }),
            same_demands,
            rows: rows.rows,
            gaps,
            ..Self::default()
        }
    }
}

/// The answer in words: where both are, and whether their demands explain that.
fn summary(reports: &[Explanation; 2], same_demands: bool) -> String {
    let place = |report: &Explanation| {
        let place = report.actual.as_ref().and_then(Placement::object);
        let nowhere = if report.pod.gone { "is gone" } else { "is pending" };
        place.map_or_else(|| nowhere.to_owned(), |place| format!("runs on {place}"))
    };
    let told = |report: &Explanation| {
        format!(
            "{}/{} {} ({})",
            report.pod.namespace,
            report.pod.name,
            place(report),
            report.verdict.class.as_str()
        )
    };
    let [a, b] = reports;
    let same_place = match (&a.actual, &b.actual) {
        (Some(a), Some(b)) => a.is_same_place(b),
        (None, None) => true,
        _ => false,
    };
    let demands = match (same_demands, same_place) {
        (true, false) => {
            "Both ask for the same: what differs is the moment, and what stood where then."
        }
        (true, true) => "Both ask for the same.",
        (false, _) => "They do not ask for the same.",
    };
    let joint = if same_place { "and so does the other" } else { "" };
    if same_place && a.verdict.class == b.verdict.class {
        return format!("{}, {joint}, {}/{}. {demands}", told(a), b.pod.namespace, b.pod.name);
    }
    format!("{}, {}. {demands}", told(a), told(b))
}

/// What the pods ask for.
fn demands_of(stories: [&PodStory; 2]) -> Vec<ComparisonRow> {
    let [Some(a), Some(b)] = stories.map(PodStory::unbound) else {
        return Vec::new();
    };
    let differences = demands::differences(a, b).into_iter();
    differences
        .map(|(label, values)| ComparisonRow {
            section: Section::Demands,
            label: label.to_owned(),
            values: values.map(|value| Some(value).filter(|value| !value.is_empty())),
        })
        .collect()
}

/// Rows that differ.
#[derive(Default)]
struct Rows {
    rows: Vec<ComparisonRow>,
}

impl Rows {
    fn add(&mut self, section: Section, label: impl Into<String>, values: [Option<String>; 2]) {
        if values[0] != values[1] {
            self.rows.push(ComparisonRow { section, label: label.into(), values });
        }
    }

    fn places(&mut self, reports: &[Explanation; 2]) {
        type Read = fn(&Explanation) -> Option<&Placement>;
        type Property = fn(&Placement) -> Option<String>;
        let places: [(&str, Read); 3] = [
            ("intended", |report| report.intended.as_ref()),
            ("scheduler's pick", |report| report.scheduler_pick.as_ref()),
            ("actual", |report| report.actual.as_ref()),
        ];
        let properties: [(&str, Property); 6] = [
            ("", Placement::object),
            (" nodepool", |place| place.node_pool.clone()),
            (" instance type", |place| place.instance_type.clone()),
            (" zone", |place| place.zone.clone()),
            (" capacity type", |place| place.capacity_type.clone()),
            (" launched for it", |place| place.launched_for_batch.map(yes_or_no)),
        ];
        for (label, read) in places {
            for (property, text) in properties {
                let values = reports.each_ref().map(|report| read(report).and_then(text));
                self.add(Section::Places, format!("{label}{property}"), values);
            }
        }
    }

    fn causes(&mut self, reports: &[Explanation; 2]) {
        let of = |text: fn(&Explanation) -> Option<String>| reports.each_ref().map(text);
        self.add(
            Section::Causes,
            "class",
            of(|report| Some(report.verdict.class.as_str().to_owned())),
        );
        self.add(
            Section::Causes,
            "causes",
            of(|report| {
                let codes: Vec<&str> =
                    report.causes.iter().map(|cause| cause.code.as_str()).collect();
                Some(codes.join(", ")).filter(|codes| !codes.is_empty())
            }),
        );
        self.add(
            Section::Causes,
            "confidence",
            of(|report| report.verdict.confidence.map(|confidence| confidence.as_str().to_owned())),
        );
        self.add(
            Section::Causes,
            "why",
            of(|report| report.causes.first().map(|cause| cause.summary.clone())),
        );
    }

    /// What kube-scheduler made of both pods' nodes, at the moment of each.
    fn scores(&mut self, reports: &[Explanation; 2]) {
        let mut nodes: Vec<&str> =
            reports.iter().filter_map(|report| report.actual.as_ref()?.node.as_deref()).collect();
        nodes.dedup();
        for node in nodes {
            let seen = reports
                .each_ref()
                .map(|report| report.nodes.iter().find(|seen| seen.name == *node));
            self.add(Section::Scores, format!("node/{node}"), seen.map(|seen| Some(stood(seen))));
            let mut plugins: Vec<&str> = Vec::new();
            for score in seen.iter().flatten().flat_map(|node| &node.scores) {
                if !plugins.contains(&score.plugin.as_str()) {
                    plugins.push(&score.plugin);
                }
            }
            // Points beside a refusal say nothing.
            if seen.iter().flatten().filter(|node| node.feasible).count() < 2 {
                continue;
            }
            for plugin in plugins {
                let points = seen.map(|node| {
                    let score = node?.scores.iter().find(|score| score.plugin == plugin)?;
                    Some(score.weighted.to_string())
                });
                self.add(Section::Scores, format!("node/{node} {plugin}"), points);
            }
        }
    }

    fn relaxations(&mut self, reports: &[Explanation; 2]) {
        let given_up = reports.each_ref().map(|report| {
            let steps: Vec<&str> =
                report.relaxations.iter().map(|step| step.summary.as_str()).collect();
            Some(steps.join("; ")).filter(|steps| !steps.is_empty())
        });
        self.add(Section::Relaxations, "given up", given_up);
    }

    fn times(&mut self, reports: &[Explanation; 2]) {
        let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
        let of = |read: fn(&Explanation) -> Option<Timestamp>| {
            reports.each_ref().map(|report| text(read(report)))
        };
        self.add(Section::Times, "created", of(|report| report.pod.created));
        self.add(Section::Times, "planned", of(|report| report.intended.as_ref()?.time));
        self.add(Section::Times, "bound", of(|report| report.pod.bound));
        let waited = reports
            .each_ref()
            .map(|report| Some(report.pod.bound?.since(report.pod.created?).to_string()));
        self.add(Section::Times, "waited", waited);
        let ready = reports.each_ref().map(|report| {
            let node = report.actual.as_ref()?.node.as_ref()?;
            text(report.nodes.iter().find(|seen| seen.name == *node)?.ready)
        });
        self.add(Section::Times, "its node was ready", ready);
    }
}

fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

/// How a node stood when a pod was decided on.
fn stood(node: Option<&Node>) -> String {
    let Some(node) = node else { return "was not there".to_owned() };
    if let Some(total) = node.total {
        let free = node.free.as_ref().and_then(|free| free.cpu.clone());
        let free = free.map(|cpu| format!(", {cpu} cpu free")).unwrap_or_default();
        return format!("total {total}{free}");
    }
    let first = node.refusals.iter().find(|refusal| refusal.first).or(node.refusals.first());
    match first {
        Some(refusal) => format!("refused: {}", refusal.reasons.join(", ")),
        None => "was not looked at".to_owned(),
    }
}
