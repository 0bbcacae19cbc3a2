//! A class of zonal volumes that are made before the pod has a place.

use crate::check::context::Context;
use crate::check::finding::{Problem, Severity};
use crate::check::manifest::Manifest;
use crate::check::position::FieldPath;
use crate::check::rule::{Look, Rule};
use crate::model::storage::BindingMode;

pub(super) const RULE: Rule = Rule {
    code: "immediate-binding-zonal",
    severity: Severity::Error,
    finds: "a StorageClass of a zonal driver, or with `allowedTopologies`, that binds immediately",
    why: "With `Immediate` the volume is made in some zone as soon as the claim exists. Karpenter refuses pods \
          whose claim is not bound yet, and afterwards the pod can only run in the zone that chance gave the \
          volume, whatever else it asks for. `Immediate` is also what a class without `volumeBindingMode` gets.",
    bad: BAD,
    good: GOOD,
    look: Look::Manifest(look),
};

const BAD: &str = "\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: ssd}
provisioner: ebs.csi.aws.com
volumeBindingMode: Immediate
";

const GOOD: &str = "\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: ssd}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
";

/// Drivers whose volumes live in one zone.
const ZONAL: [&str; 8] = [
    "ebs.csi.aws.com",
    "kubernetes.io/aws-ebs",
    "pd.csi.storage.gke.io",
    "kubernetes.io/gce-pd",
    "disk.csi.azure.com",
    "kubernetes.io/azure-disk",
    "cinder.csi.openstack.org",
    "kubernetes.io/cinder",
];

fn look(context: &Context, manifest: &Manifest) -> Vec<Problem> {
    let Some(class) = context.decoded(manifest).storage_classes.first() else {
        return Vec::new();
    };
    let is_zonal = class.provisioner.as_deref().is_some_and(|driver| ZONAL.contains(&driver))
        || !class.allowed_topologies.is_empty();
    if !is_zonal || class.binding_mode == Some(BindingMode::WaitForFirstConsumer) {
        return Vec::new();
    }
    vec![Problem::new(
        FieldPath::of("volumeBindingMode"),
        "volumes of this class are made in a zone before the pod has one: Karpenter refuses its pods until then, and the zone is chance",
        "set volumeBindingMode: WaitForFirstConsumer",
    )]
}
