//! `node`, `nodeclaim`: for which pods a node was launched, where each of them went and why, and what becomes of the node.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::audit::looks_into;
use super::cause::{Cause, Class};
use super::in_vain::ended;
use super::prices::Prices;
use super::{explain, verdict, words};
use crate::karpenter::disruption::{Memory, NodeDisruption, assess};
use crate::model::names::{NodeClaimName, NodeName, PodKey};
use crate::model::pod::Pod;
use crate::model::time::{Span, Timestamp};
use crate::reconstruct::landing::outline;
use crate::reconstruct::room::{Room, rooms};
use crate::reconstruct::stories::{ClaimStory, NodeStory, PodStory};
use crate::reconstruct::{World, landing};

/// A node and its claim, also of one that is gone.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'w> {
    /// The NodeClaim.
    pub claim: Option<&'w ClaimStory>,
    /// The Node.
    pub node: Option<&'w NodeStory>,
}

impl<'w> Subject<'w> {
    /// The node of this name.
    pub fn node(world: &'w World<'_>, name: &str) -> Option<Self> {
        let node = world.chronicle.nodes.get(name);
        let of_node = node.and_then(|node| world.chronicle.claims.get(node.claim.as_ref()?));
        // Of a node that is gone its claim may be all that is remembered.
        let named = || world.chronicle.claims.values().find(|claim| is_of(claim, name));
        let claim = of_node.or_else(named);
        (node.is_some() || claim.is_some()).then_some(Self { claim, node })
    }

    /// The NodeClaim of this name.
    pub fn claim(world: &'w World<'_>, name: &str) -> Option<Self> {
        let claim = world.chronicle.claims.get(name)?;
        let node = claim.node.as_ref().and_then(|node| world.chronicle.nodes.get(node));
        Some(Self { claim: Some(claim), node })
    }

    /// The Node's name, where that is known.
    pub fn node_name(&self) -> Option<&'w NodeName> {
        self.node.map(|node| &node.name).or(self.claim.and_then(|claim| claim.node.as_ref()))
    }

    /// As kubectl would name it.
    pub fn title(&self) -> String {
        match (self.node_name(), self.claim) {
            (Some(node), _) => words::node(node),
            (None, Some(claim)) => format!("nodeclaim/{}", claim.name),
            (None, None) => "the node".to_owned(),
        }
    }

    /// Whether the Node or the NodeClaim is there.
    pub fn is_there(&self) -> bool {
        self.claim.is_some_and(|claim| claim.object.is_some())
            || self.node.is_some_and(|node| node.object.is_some())
    }
}

fn is_of(claim: &ClaimStory, node: &str) -> bool {
    claim.node.as_ref().is_some_and(|own| own.as_str() == node)
}

/// What is to say of a node.
pub struct NodeAnswer<'w> {
    /// Which.
    pub subject: Subject<'w>,
    /// The answer in one or two sentences.
    pub summary: String,
    /// What it costs an hour; an estimate.
    pub price: Option<f64>,
    /// Until when it was there; none while it is.
    pub ended: Option<Timestamp>,
    /// Pods that Karpenter meant for it and pods that ran on it, DaemonSets' apart: those it was launched for first.
    pub pods: Vec<NodePod<'w>>,
    /// What runs on it now, DaemonSets' pods too.
    pub running: Vec<Arc<Pod>>,
    /// What it has, and what is left of it now.
    pub room: Option<Room>,
    /// What Karpenter's disruption makes of it now; none for a node that is gone, or that is not asked about.
    pub disruption: Option<NodeDisruption>,
}

/// A pod that was meant for a node, or ran on it.
pub struct NodePod<'w> {
    /// The pod.
    pub pod: &'w PodStory,
    /// How it has to do with the node.
    pub part: Part,
    /// Whether an event says that Karpenter meant the pod for the node; otherwise a replay does.
    pub is_recorded: bool,
    /// Whether it was bound to the node.
    pub is_here: bool,
    /// The verdict on the pod.
    pub class: Class,
    /// The strongest cause, where it was looked into.
    pub cause: Option<Cause>,
    /// The answer for the pod in one sentence.
    pub summary: String,
}

/// How a pod has to do with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The node was launched for it.
    LaunchedFor,
    /// A later pass meant it for the node.
    PlannedLater,
    /// It ran there; Karpenter had meant it for another node.
    MeantElsewhere,
    /// It ran there; Karpenter had not planned for it, or the input does not tell.
    Unplanned,
}

/// At most so many pods are looked into for their causes.
const MOST_CAUSES: usize = 24;

/// Answers for a node.
pub fn node_answer<'w>(world: &'w World<'_>, subject: Subject<'w>) -> NodeAnswer<'w> {
    let name = subject.node_name();
    let launched = subject.claim.map(|claim| world.launch(&claim.name)).unwrap_or_default();
    let later = planned_later(world, &subject);
    let mut pods: Vec<NodePod<'w>> = Vec::new();
    let mut left = looks_into(world).clamp(4, MOST_CAUSES);
    for pod in &world.chronicle.pods {
        let is_here = name.is_some() && pod.node.as_ref() == name;
        let planned = launched.contains(&pod.key) || later.contains(&pod.key);
        let is_asked =
            || world.chronicle.pod(&pod.key).is_some_and(|asked| std::ptr::eq(asked, pod));
        if pod.is_daemon() || !(is_here || planned) || !is_asked() {
            continue;
        }
        pods.push(node_pod(world, &subject, pod, (&launched, &later), is_here));
    }
    pods.sort_by(|a, b| (a.part, !a.is_here, &a.pod.key).cmp(&(b.part, !b.is_here, &b.pod.key)));
    for pod in pods.iter_mut().filter(|pod| !pod.is_here && pod.class != Class::AsIntended) {
        if left == 0 {
            break;
        }
        left -= 1;
        if let Some(landing) = landing(world, &pod.pod.key) {
            let explanation = explain(landing);
            pod.cause = explanation.causes.into_iter().next();
            pod.summary = explanation.summary;
        }
    }
    let running: Vec<Arc<Pod>> = world
        .snapshot
        .objects
        .pods
        .iter()
        .filter(|pod| name.is_some() && pod.node_name.as_ref() == name && !pod.is_terminal())
        .cloned()
        .collect();
    let room = name.and_then(|name| {
        world.snapshot.objects.node(name)?;
        rooms(&world.snapshot.objects).remove(name)
    });
    let ended = if subject.is_there() {
        subject.claim.and_then(|claim| claim.deleted).map(|moment| moment.at)
    } else {
        subject
            .claim
            .and_then(|claim| ended(world, claim))
            .or(subject.node.and_then(|node| node.deleted).map(|moment| moment.at))
    };
    NodeAnswer {
        summary: summary(&subject, &pods, ended),
        price: subject.claim.and_then(|claim| Prices::of(world).of_claim(claim)),
        disruption: disruption(world, &subject),
        subject,
        ended,
        pods,
        running,
        room,
    }
}

/// What Karpenter's disruption makes of a node now.
fn disruption(world: &World<'_>, subject: &Subject<'_>) -> Option<NodeDisruption> {
    let name = match (subject.claim, subject.node) {
        (Some(claim), _) if claim.object.is_some() => claim.name.as_str(),
        (_, Some(node)) if node.object.is_some() => node.name.as_str(),
        _ => return None,
    };
    let mut state = world.snapshot.objects.clone();
    state.at = world.snapshot.taken_at;
    let settings = world.setup.karpenter;
    let memory = state
        .at
        .map(|at| Memory::from_events(&world.snapshot.events, at, settings))
        .unwrap_or_default();
    // What is not modelled is not told.
    assess(&state, world.setup.provider, settings, &memory, name).ok().flatten()
}

fn node_pod<'w>(
    world: &'w World<'_>,
    subject: &Subject<'_>,
    pod: &'w PodStory,
    (launched, later): (&BTreeSet<PodKey>, &BTreeSet<PodKey>),
    is_here: bool,
) -> NodePod<'w> {
    let outline = outline(world, pod);
    let class = verdict::class(&outline);
    let part = if launched.contains(&pod.key) {
        Part::LaunchedFor
    } else if later.contains(&pod.key) {
        Part::PlannedLater
    } else if outline.intended().is_some_and(|place| place.node.as_ref() != subject.node_name()) {
        Part::MeantElsewhere
    } else {
        Part::Unplanned
    };
    NodePod {
        part,
        is_recorded: pod
            .nominations
            .iter()
            .any(|nomination| names(subject, nomination.claim.as_ref(), nomination.node.as_ref())),
        is_here,
        class,
        cause: None,
        summary: verdict::summary(&outline, class),
        pod,
    }
}

fn names(subject: &Subject<'_>, claim: Option<&NodeClaimName>, node: Option<&NodeName>) -> bool {
    let same_claim = claim.is_some() && claim == subject.claim.map(|claim| &claim.name);
    same_claim || (node.is_some() && node == subject.node_name())
}

/// Pods that events, or the passes while the node came up, mean for the node.
fn planned_later(world: &World<'_>, subject: &Subject<'_>) -> BTreeSet<PodKey> {
    // Later plans for a node that has long been there are kube-scheduler's business as much as Karpenter's.
    const COMING_UP: Span = Span::seconds(30);
    let named = world.chronicle.pods.iter().filter(|pod| {
        pod.nominations
            .iter()
            .any(|nomination| names(subject, nomination.claim.as_ref(), nomination.node.as_ref()))
    });
    let mut later: BTreeSet<PodKey> = named.map(|pod| pod.key.clone()).collect();
    let Some(claim) = subject.claim else { return later };
    let Some(created) = claim.created else { return later };
    let until = claim
        .initialized
        .map(|moment| moment.at.plus(COMING_UP))
        .or(claim.deleted.map(|moment| moment.at))
        .or(world.snapshot.taken_at);
    for (index, pass) in world.passes.iter().enumerate() {
        if pass.time < created.at || until.is_some_and(|until| pass.time > until) {
            continue;
        }
        for (pod, places) in world.replay(index).iter().flat_map(|replay| &replay.places) {
            // Where claims cannot be told apart, nothing is said of a single one.
            if places.len() == 1
                && places.iter().any(|place| place.claim.as_ref() == Some(&claim.name))
            {
                later.insert(pod.clone());
            }
        }
    }
    later
}

/// The answer in one or two sentences.
fn summary(subject: &Subject<'_>, pods: &[NodePod<'_>], ended: Option<Timestamp>) -> String {
    let title = subject.title();
    if subject.claim.is_none() {
        return format!("{title} has no NodeClaim: Karpenter did not launch it.");
    }
    let launched: Vec<&NodePod<'_>> =
        pods.iter().filter(|pod| pod.part == Part::LaunchedFor).collect();
    let others = pods.iter().filter(|pod| pod.is_here && pod.part != Part::LaunchedFor).count();
    let was = if subject.is_there() { "" } else { ", which is gone," };
    if launched.is_empty() {
        let ran = if others > 0 {
            format!("; {} ran on it", words::count(others, "pod"))
        } else {
            String::new()
        };
        return format!("The input does not tell for which pods {title}{was} was launched{ran}.");
    }
    let here = launched.iter().filter(|pod| pod.is_here).count();
    let waiting = launched.iter().filter(|pod| is_waiting(pod.pod)).count();
    let elsewhere: BTreeSet<String> = launched
        .iter()
        .filter(|pod| !pod.is_here)
        .filter_map(|pod| pod.pod.node.as_ref().map(words::node))
        .collect();
    let elsewhere: Vec<String> = elsewhere.into_iter().collect();
    let count = words::count(launched.len(), "pod");
    let mut text = format!("{title}{was} was launched for {count}: ");
    let mut parts = Vec::new();
    if here == launched.len() {
        parts.push(if here == 1 { "it came".to_owned() } else { "all came".to_owned() });
    } else if here > 0 {
        parts.push(format!("{here} came"));
    } else {
        parts.push("none came".to_owned());
    }
    let gone_there = launched.iter().filter(|pod| !pod.is_here && pod.pod.node.is_some()).count();
    if gone_there > 0 {
        parts.push(format!("{gone_there} went to {}", words::list(&elsewhere, 3)));
    }
    if waiting > 0 {
        parts.push(format!("{waiting} still wait{}", if waiting == 1 { "s" } else { "" }));
    }
    text += &parts.join(", ");
    text += ".";
    if here == 0 && others == 0 && waiting == 0 {
        text += " It stayed empty.";
    } else if others > 0 {
        let verb = if others == 1 { "was" } else { "were" };
        text += &format!(
            " {} that it was not launched for {verb} bound to it.",
            words::count(others, "pod")
        );
    }
    let created = subject.claim.and_then(|claim| claim.created);
    if let (Some(ended), Some(created)) = (ended, created) {
        text += &format!(" It was there for {}.", ended.since(created.at));
    }
    text
}

fn is_waiting(pod: &PodStory) -> bool {
    pod.object.as_ref().is_some_and(|pod| pod.node_name.is_none() && !pod.is_terminal())
}
