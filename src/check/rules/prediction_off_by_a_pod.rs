//! Requests for which Karpenter's prediction of a machine and what the machine registers differ by a pod.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::misprediction::Misprediction;
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;
use crate::model::quantity::Quantity;
use crate::model::requests::{RequestRules, spec_requests};
use crate::model::resources::{CPU, MEMORY, Resources};
use crate::model::taint::Effect;

pub(super) const RULE: Rule = Rule {
    code: "prediction-off-by-a-pod",
    severity: Severity::Info,
    finds: "a workload of which a node takes more or fewer pods than Karpenter counts with",
    why: "Before a node is there Karpenter can only predict what it will offer; kube-scheduler goes by what the node \
          registers. Where that is more, Karpenter launches nodes that are not needed; where it is less, a pod that was \
          planned for a node does not fit it. NodeClaims and nodes of the cluster show both numbers.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata:
  name: general-x4k2p
  labels: {karpenter.sh/nodepool: general, node.kubernetes.io/instance-type: m5.xlarge}
spec:
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
  requirements: []
status:
  nodeName: ip-10-0-1-7
  providerID: i-1
  allocatable: {cpu: 4, memory: 14Gi, pods: 110}
---
apiVersion: v1
kind: Node
metadata:
  name: ip-10-0-1-7
  labels:
    karpenter.sh/nodepool: general
    karpenter.sh/registered: \"true\"
    karpenter.sh/initialized: \"true\"
    node.kubernetes.io/instance-type: m5.xlarge
    kubernetes.io/hostname: ip-10-0-1-7
    topology.kubernetes.io/zone: us-east-1a
spec: {providerID: i-1}
status:
  allocatable: {cpu: 4, memory: 15600Mi, pods: 110}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache}
spec:
  replicas: 6
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      containers:
      - {name: main, image: cache, resources: {requests: {cpu: 500m, memory: 5Gi}}}
";

const GOOD: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge]}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata:
  name: general-x4k2p
  labels: {karpenter.sh/nodepool: general, node.kubernetes.io/instance-type: m5.xlarge}
spec:
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
  requirements: []
status:
  nodeName: ip-10-0-1-7
  providerID: i-1
  allocatable: {cpu: 4, memory: 14Gi, pods: 110}
---
apiVersion: v1
kind: Node
metadata:
  name: ip-10-0-1-7
  labels:
    karpenter.sh/nodepool: general
    karpenter.sh/registered: \"true\"
    karpenter.sh/initialized: \"true\"
    node.kubernetes.io/instance-type: m5.xlarge
    kubernetes.io/hostname: ip-10-0-1-7
    topology.kubernetes.io/zone: us-east-1a
spec: {providerID: i-1}
status:
  allocatable: {cpu: 4, memory: 15600Mi, pods: 110}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache}
spec:
  replicas: 6
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec:
      containers:
      - {name: main, image: cache, resources: {requests: {cpu: 500m, memory: 4700Mi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    if !template.is_to_place() || template.replicas < 2 {
        return Vec::new();
    }
    let asked = spec_requests(&template.spec, RequestRules::default());
    let admits = |one: &&Misprediction| {
        let hard = one.node.taints.iter().filter(|taint| taint.effect != Effect::PreferNoSchedule);
        let tolerated = hard
            .clone()
            .all(|taint| template.spec.tolerations.iter().any(|it| it.tolerates(taint)));
        let labels = &one.node.meta.labels;
        let selected =
            template.spec.node_selector.iter().all(|(key, value)| labels.get(key) == Some(value));
        tolerated && selected
    };
    let found = context.mispredictions().iter().filter(admits).find_map(|one| {
        let (counted, by_prediction) = fitting(&one.predicted, &one.daemons, &asked)?;
        let (real, by_machine) = fitting(&one.registered, &one.daemons, &asked)?;
        let matters = counted != real && counted > 0 && template.replicas > counted.min(real);
        let name = if counted < real { by_prediction } else { by_machine };
        matters.then_some((one, counted, real, name))
    });
    let Some((one, counted, real, name)) = found else { return Vec::new() };
    let (predicted, registered) = (one.predicted.amount(name), one.registered.amount(name));
    let comes = if real > counted {
        "it launches nodes that are not needed"
    } else {
        "kube-scheduler leaves pods of each such node pending"
    };
    let message = format!(
        "on {} of nodepool/{} Karpenter counts with {counted} of these pods, the machine takes {real}: it predicts {predicted} of {name}, node/{} registered {registered}; {comes}",
        one.instance_type, one.node_pool, one.node.meta.name
    );
    let advice = match per_pod(&one.predicted, &one.daemons, name, real) {
        Some(amount) if real > counted => format!(
            "ask for at most {amount} of {name} each, or tell Karpenter what the machine offers (VM_MEMORY_OVERHEAD_PERCENT on AWS)"
        ),
        _ => "tell Karpenter what the machine offers (VM_MEMORY_OVERHEAD_PERCENT on AWS, spec.kubelet of the NodeClass), or leave some room in the requests".to_owned(),
    };
    vec![Problem::new(template.spec_path("containers"), message, advice)]
}

/// How many such pods fit, and which resource ends it; none where nothing is asked.
fn fitting(
    have: &Resources,
    daemons: &Resources,
    asked: &Resources,
) -> Option<(i64, &'static str)> {
    let of = |name: &'static str| {
        let (each, free) = (asked.amount(name), have.amount(name).minus(daemons.amount(name)));
        (!each.is_zero()).then(|| (free.nanos().max(0) / each.nanos(), name))
    };
    let (pods, name) = [MEMORY, CPU].into_iter().filter_map(of).min()?;
    Some((i64::try_from(pods).unwrap_or(i64::MAX), name))
}

/// What each of so many pods may ask for at most; whole Mi, or thousandths of a cpu.
fn per_pod(have: &Resources, daemons: &Resources, name: &str, pods: i64) -> Option<Quantity> {
    const MI: i64 = 1 << 20;
    let free = have.amount(name).minus(daemons.amount(name));
    let pods = (pods > 0).then_some(pods)?;
    Some(if name == MEMORY {
        Quantity::bytes(free.value() / pods / MI * MI)
    } else {
        Quantity::millis(free.milli_value() / pods)
    })
}
