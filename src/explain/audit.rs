//! `audit`: the verdict on every pod that Karpenter had a part in, by class and cause, and the nodes launched in vain.
//!
//! A verdict costs little once the passes are replayed. A cause costs a replay of kube-scheduler on the state of its moment,
//! so of many equal pods (of one owner, planned by one pass, with one verdict) some are looked into and speak for the rest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;

use super::cause::{Cause, Class};
use super::{explain, in_vain, verdict};
use crate::model::names::{NamespaceName, PodKey};
use crate::reconstruct::intent::passes_with;
use crate::reconstruct::landing::outline;
use crate::reconstruct::relaxed::relaxed;
use crate::reconstruct::side_by_side::side_by_side;
use crate::reconstruct::stories::{OwnerKey, PodStory};
use crate::reconstruct::{Landing, World};

pub use in_vain::{InVain, Use};

/// The verdict on every pod that Karpenter had a part in.
pub struct Audit<'w> {
    /// The pods, by namespace and name.
    pub pods: Vec<Audited<'w>>,
    /// Pods that Karpenter had no part in: there was room when kube-scheduler looked, or a DaemonSet's.
    pub apart: usize,
    /// Pods that were gone before they were ever bound: nothing landed.
    pub gone: usize,
    /// The pods by class and cause, the larger groups first.
    pub groups: Vec<AuditGroup>,
    /// How many NodeClaims were launched for pods that are known.
    pub launches: usize,
    /// Those of them that got none of their pods, oldest first.
    pub in_vain: Vec<InVain>,
}

/// One pod's verdict.
pub struct Audited<'w> {
    /// The pod's story.
    pub pod: &'w PodStory,
    /// The verdict, the same as `explain` gives.
    pub class: Class,
}

/// Pods with one verdict and one cause.
pub struct AuditGroup {
    /// The verdict.
    pub class: Class,
    /// The strongest cause of the example; none where none was found, or where it is as intended.
    pub cause: Option<Cause>,
    /// The pods, by namespace and name.
    pub pods: Vec<PodKey>,
    /// How many pods each owner has among them, most first.
    pub owners: Vec<(OwnerKey, usize)>,
    /// One of them.
    pub example: PodKey,
    /// The example's answer in one sentence.
    pub summary: String,
    /// How many of the pods were looked into; the rest are equal to one that was.
    pub looked_into: usize,
}

/// Pods that are equal in what the verdict rests on.
type Cohort = (Class, Option<OwnerKey>, Option<usize>);

/// The verdicts of all pods, or of those of a namespace. How many threads work on it does not show.
pub fn audit<'w>(
    world: &'w World<'_>,
    namespace: Option<&NamespaceName>,
    threads: NonZero<usize>,
) -> Audit<'w> {
    prepare(world, namespace, threads);
    let mut pods = Vec::new();
    let (mut apart, mut gone) = (0, 0);
    let mut cohorts: BTreeMap<Cohort, Vec<usize>> = BTreeMap::new();
    for pod in &world.chronicle.pods {
        if !is_asked(world, pod, namespace) {
            continue;
        }
        if pod.is_gone_unbound() {
            gone += 1;
            continue;
        }
        let landing = outline(world, pod);
        let class = verdict::class(&landing);
        if class == Class::NotKarpenter {
            apart += 1;
            continue;
        }
        let pass = landing.intent.last().and_then(|planned| planned.pass);
        cohorts.entry((class, pod.owner.clone(), pass)).or_default().push(pods.len());
        pods.push(Audited { pod, class });
    }
    let groups = Causes::of(world, &pods, cohorts, threads).groups(&pods);
    let in_vain = in_vain::in_vain(world, namespace);
    let launches = in_vain::launches(world, namespace).count();
    Audit { pods, apart, gone, groups, launches, in_vain }
}

/// Replays the passes that the pods took part in and counts the pods of their owners: each once, side by side.
fn prepare(world: &World<'_>, namespace: Option<&NamespaceName>, threads: NonZero<usize>) {
    let asked = || world.chronicle.pods.iter().filter(|pod| is_asked(world, pod, namespace));
    let owners: BTreeSet<&OwnerKey> = asked().filter_map(|pod| pod.owner.as_ref()).collect();
    let mut passes: BTreeSet<usize> = BTreeSet::new();
    let mut known: BTreeSet<(usize, usize)> = BTreeSet::new();
    let siblings = owners.iter().flat_map(|owner| world.chronicle.pods_of(owner));
    let workloads = asked().chain(siblings).filter(|pod| !pod.is_daemon());
    for span in workloads.map(|pod| passes_with(world, pod)) {
        if known.insert((span.start, span.end)) {
            passes.extend(span);
        }
    }
    passes.extend((0..world.passes.len()).filter(|&at| !world.passes[at].created.is_empty()));
    let passes: Vec<usize> = passes.into_iter().collect();
    side_by_side(threads, passes.len(), |at| world.replay(passes[at]).is_some());
    let owners: Vec<&OwnerKey> = owners.into_iter().collect();
    side_by_side(threads, owners.len(), |at| world.group(owners[at]));
}

/// Whether a pod is asked about: of several that had a name the one that `explain` speaks of.
fn is_asked(world: &World<'_>, pod: &PodStory, namespace: Option<&NamespaceName>) -> bool {
    namespace.is_none_or(|namespace| pod.key.namespace == *namespace)
        && world.chronicle.pod(&pod.key).is_some_and(|asked| std::ptr::eq(asked, pod))
}

/// What was found of the causes.
struct Causes {
    /// For each pod the place of its cause, where one was found.
    of_pod: Vec<Option<usize>>,
    /// The causes, each with an example and its answer.
    found: Vec<(Class, Option<Cause>, PodKey, String)>,
    looked_into: BTreeSet<usize>,
}

/// Work that an audit may spend on causes, in objects looked at: each cause costs some rounds over all pods and nodes.
const WORK: usize = 1_500_000;
/// Even in the largest cluster so many cohorts are looked into.
const LEAST: usize = 12;

/// How many pods may be looked into.
pub(super) fn looks_into(world: &World<'_>) -> usize {
    let size = world.chronicle.pods.len() + world.snapshot.objects.nodes.len();
    WORK / size.max(1)
}

impl Causes {
    fn of(
        world: &World<'_>,
        pods: &[Audited<'_>],
        cohorts: BTreeMap<Cohort, Vec<usize>>,
        threads: NonZero<usize>,
    ) -> Self {
        let mut causes = Self {
            of_pod: vec![None; pods.len()],
            found: Vec::new(),
            looked_into: BTreeSet::new(),
        };
        let mut cohorts: Vec<(Cohort, Vec<usize>)> = cohorts.into_iter().collect();
        // Equal pods that changed places surprise nobody: they come last.
        cohorts.sort_by_key(|(cohort, pods)| (cohort.0 == Class::Swap, Reverse(pods.len())));
        let most = looks_into(world);
        let mut looked = 0;
        let mut chosen: Vec<usize> = Vec::new();
        let mut open: Vec<&(Cohort, Vec<usize>)> = cohorts.iter().collect();
        // One of each cohort first: the others are asked only when something is left.
        for round in 0.. {
            let may = if round == 0 { most.max(LEAST) } else { most };
            // What is as intended needs no replay.
            let costs = |cohort: &Cohort| cohort.0 != Class::AsIntended;
            open.retain(|(cohort, members)| {
                members.len() > round && (looked < may || !costs(cohort))
            });
            if open.is_empty() {
                break;
            }
            for (cohort, members) in &open {
                if costs(cohort) {
                    if looked >= may {
                        continue;
                    }
                    looked += 1;
                }
                chosen.push(members[round]);
            }
        }
        let waits = |pod: &&PodStory| pod.node.is_none() && pod.object.is_some();
        let waiting = chosen.iter().map(|&index| pods[index].pod).filter(waits);
        world.prepare_waiting(waiting.map(|pod| pod.key.clone()).collect());
        let found = side_by_side(threads, chosen.len(), |at| cause(world, &pods[chosen[at]]));
        for (index, found) in chosen.into_iter().zip(found) {
            causes.take_in(&pods[index], index, found);
        }
        for (cohort, members) in &cohorts {
            let speaks = members.iter().find_map(|&index| causes.of_pod[index]).or_else(|| {
                // Pods of another pass, yet of the same owner and with the same verdict.
                let alike =
                    |other: &&(Cohort, Vec<usize>)| other.0.0 == cohort.0 && other.0.1 == cohort.1;
                let others = cohorts.iter().filter(alike).flat_map(|(_, members)| members);
                others.copied().find_map(|index| causes.of_pod[index])
            });
            for &index in members {
                causes.of_pod[index] = causes.of_pod[index].or(speaks);
            }
        }
        causes
    }

    fn take_in(
        &mut self,
        audited: &Audited<'_>,
        index: usize,
        (cause, summary): (Option<Cause>, String),
    ) {
        let code = cause.as_ref().map(|cause| cause.code);
        let known = self.found.iter().position(|(class, found, ..)| {
            *class == audited.class && found.as_ref().map(|found| found.code) == code
        });
        let place = known.unwrap_or_else(|| {
            self.found.push((audited.class, cause, audited.pod.key.clone(), summary));
            self.found.len() - 1
        });
        self.of_pod[index] = Some(place);
        self.looked_into.insert(index);
    }

    fn groups(self, pods: &[Audited<'_>]) -> Vec<AuditGroup> {
        let mut members: BTreeMap<(Class, Option<usize>), Vec<usize>> = BTreeMap::new();
        for (index, pod) in pods.iter().enumerate() {
            members.entry((pod.class, self.of_pod[index])).or_default().push(index);
        }
        let mut groups: Vec<AuditGroup> = members
            .into_iter()
            .map(|((class, place), members)| {
                let found = place.and_then(|place| self.found.get(place));
                let first = members[0];
                AuditGroup {
                    class,
                    cause: found.and_then(|(_, cause, ..)| cause.clone()),
                    example: found.map_or_else(|| pods[first].pod.key.clone(), |it| it.2.clone()),
                    summary: found.map(|it| it.3.clone()).unwrap_or_default(),
                    owners: owners(pods, &members),
                    looked_into: members.iter().filter(|at| self.looked_into.contains(at)).count(),
                    pods: members.iter().map(|&index| pods[index].pod.key.clone()).collect(),
                }
            })
            .collect();
        groups.sort_by_key(|group| Reverse(group.pods.len()));
        groups
    }
}

/// The strongest cause that speaks for the verdict, and the answer in one sentence.
fn cause(world: &World<'_>, audited: &Audited<'_>) -> (Option<Cause>, String) {
    if audited.class == Class::AsIntended {
        let landing = outline(world, audited.pod);
        return (given_up(&landing), verdict::summary(&landing, audited.class));
    }
    let Some(landing) = crate::reconstruct::landing(world, &audited.pod.key) else {
        return (None, String::new());
    };
    let explanation = explain(landing);
    (explanation.causes.into_iter().next(), explanation.summary)
}

/// The soft rules that were given up for a pod that is where it was meant to be.
fn given_up(landing: &Landing<'_, '_>) -> Option<Cause> {
    let pass = landing.intent.last().and_then(|planned| planned.pass);
    let steps = relaxed(landing.world, landing.pod, pass);
    super::detectors::relaxed_cause(&steps, Class::AsIntended)
}

fn owners(pods: &[Audited<'_>], members: &[usize]) -> Vec<(OwnerKey, usize)> {
    let mut counts: BTreeMap<&OwnerKey, usize> = BTreeMap::new();
    for owner in members.iter().filter_map(|&index| pods[index].pod.owner.as_ref()) {
        *counts.entry(owner).or_default() += 1;
    }
    let mut counts: Vec<_> =
        counts.into_iter().map(|(owner, count)| (owner.clone(), count)).collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    counts
}
