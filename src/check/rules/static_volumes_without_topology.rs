//! A class of static volumes that does not say where they are.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::model::labels;
use crate::model::storage::{BindingMode, PersistentVolume};

pub(super) const RULE: Rule = Rule {
    code: "static-volumes-without-topology",
    severity: Severity::Warning,
    finds: "a `WaitForFirstConsumer` class without `allowedTopologies` whose volumes exist already, in some zones",
    why: "For a claim that is not bound Karpenter knows only the class. Without `allowedTopologies` it launches a \
          node in any zone, kube-scheduler finds no volume there, and Karpenter goes on counting that node as the \
          pod's: the pod stays pending.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: static}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: a}
spec:
  storageClassName: static
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  csi: {driver: ebs.csi.aws.com, volumeHandle: vol-a}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}
";

const GOOD: &str = "\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: static}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
allowedTopologies:
- matchLabelExpressions:
  - {key: topology.kubernetes.io/zone, values: [us-east-1a]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: a}
spec:
  storageClassName: static
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  csi: {driver: ebs.csi.aws.com, volumeHandle: vol-a}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}
";

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(class) = context.decoded(manifest).storage_classes.first() else {
        return Vec::new();
    };
    let waits = class.binding_mode == Some(BindingMode::WaitForFirstConsumer);
    if !waits || !class.allowed_topologies.is_empty() {
        return Vec::new();
    }
    let is_zonal = |volume: &PersistentVolume| {
        let terms = volume.node_affinity.iter().flatten();
        terms.flat_map(|term| &term.match_expressions).any(|expression| {
            [labels::ZONE, labels::ZONE_BETA].contains(&&*expression.key)
                || expression.key.ends_with("/zone")
        })
    };
    let volumes = context.cluster.persistent_volumes.iter();
    let free = volumes.filter(|volume| {
        volume.storage_class_name.as_ref() == Some(&class.meta.name)
            && volume.claim.is_none()
            && is_zonal(volume)
    });
    let count = free.count();
    if count == 0 {
        return Vec::new();
    }
    let message = format!(
        "{count} free volumes of this class are tied to zones, but the class does not say which: Karpenter may launch in a zone without a volume"
    );
    vec![Problem::new(
        FieldPath::of("allowedTopologies"),
        message,
        "list the zones of the volumes in allowedTopologies",
    )]
}
