//! A pod with more volumes than a node attaches.

use crate::check::claims;
use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::rule::{Look, Rule};
use crate::check::template::Template;

pub(super) const RULE: Rule = Rule {
    code: "volumes-beyond-attach-limit",
    severity: Severity::Warning,
    finds: "a pod with more volumes of one driver than any node of the cluster attaches",
    why: "A node attaches only so many volumes of a driver; its CSINode says how many. kube-scheduler refuses it \
          beyond that, however much cpu and memory are free, and counts the volumes of the pods that are there too.",
    bad: BAD,
    good: GOOD,
    look: Look::Template(look),
};

const BAD: &str = "\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: gp3}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: ip-10-0-1-7}
spec:
  drivers:
  - {name: ebs.csi.aws.com, nodeID: i-1, topologyKeys: [], allocatable: {count: 2}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: broker}
spec:
  selector: {matchLabels: {app: broker}}
  template:
    metadata: {labels: {app: broker}}
    spec:
      containers:
      - {name: main, image: broker, resources: {requests: {cpu: 500m, memory: 1Gi}}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: gp3, accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}
  - metadata: {name: log}
    spec: {storageClassName: gp3, accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}
  - metadata: {name: index}
    spec: {storageClassName: gp3, accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}
";

const GOOD: &str = "\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: gp3}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: ip-10-0-1-7}
spec:
  drivers:
  - {name: ebs.csi.aws.com, nodeID: i-1, topologyKeys: [], allocatable: {count: 2}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: broker}
spec:
  selector: {matchLabels: {app: broker}}
  template:
    metadata: {labels: {app: broker}}
    spec:
      containers:
      - {name: main, image: broker, resources: {requests: {cpu: 500m, memory: 1Gi}}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: gp3, accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}
  - metadata: {name: log}
    spec: {storageClassName: gp3, accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}
";

fn look(context: &Context, template: &Template) -> Vec<Problem> {
    let brought = claims::volumes_by_driver(template, &context.cluster);
    let beyond = brought.iter().filter_map(|(driver, count)| {
        let most = context.attach_limits().get(driver).copied().flatten()?;
        (*count > most).then_some((driver, count, most))
    });
    let problem = |(driver, count, most)| {
        let message = format!(
            "each pod brings {count} volumes of {driver}, and no node of the cluster attaches more than {most}: kube-scheduler refuses all of them"
        );
        let advice =
            "use fewer volumes, or let a NodePool launch machines that attach more of them";
        Problem::new(template.spec_path("volumes"), message, advice)
    };
    beyond.map(problem).collect()
}
