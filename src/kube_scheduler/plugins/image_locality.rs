//! `ImageLocality`: a node that has the pod's images need not pull them.

use crate::kube_scheduler::framework::{Cycle, MAX_NODE_SCORE, Normalize, Plugin, Scoring};
use crate::kube_scheduler::node_info::NodeInfo;
use crate::kube_scheduler::version::Version;
use crate::model::gap::{Gap, GapKind};
use crate::model::names::Str;
use crate::model::pod::{PodSpec, VolumeSource};

pub(crate) const PLUGIN: Plugin =
    Plugin { score: Some(score), gaps: Some(gaps), ..Plugin::named("ImageLocality") };

const MEBIBYTE: i64 = 1024 * 1024;
/// What is smaller counts as nothing.
const LOWEST: i64 = 23 * MEBIBYTE;
/// What is larger, for each container, counts as this much.
const HIGHEST_PER_CONTAINER: i64 = 1000 * MEBIBYTE;

fn score(cycle: &Cycle<'_>, nodes: &[&NodeInfo]) -> Scoring {
    let (images, count) = images(cycle.spec(), cycle.version());
    let mut sums = vec![0_i64; cycle.cluster.nodes.len()];
    for image in &images {
        let Some(state) = cycle.cluster.image(image) else { continue };
        let share = share(state.size, state.nodes.len(), cycle.cluster.nodes.len());
        for node in &state.nodes {
            sums[*node] = sums[*node].wrapping_add(share);
        }
    }
    let highest = HIGHEST_PER_CONTAINER.wrapping_mul(count);
    let scores = nodes.iter().map(|node| {
        if highest <= LOWEST {
            return 0;
        }
        let sum = sums[node.index].clamp(LOWEST, highest);
        MAX_NODE_SCORE.wrapping_mul(sum - LOWEST) / (highest - LOWEST)
    });
    Scoring::Scores(scores.collect(), Normalize::Not)
}

/// An image's size, less the fewer nodes have it, so that pods do not all go to the one node that does.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "upstream computes in floats and truncates"
)]
fn share(size: i64, nodes: usize, all: usize) -> i64 {
    (size as f64 * (nodes as f64 / all as f64)) as i64
}

/// The pod's images, and how many containers the sum is divided by.
pub(crate) fn images(spec: &PodSpec, version: &Version) -> (Vec<Str>, i64) {
    let containers = spec.init_containers.iter().chain(&spec.containers);
    let mut images: Vec<Str> =
        containers.map(|container| normalized(container.image.as_deref().unwrap_or(""))).collect();
    let mut count = images.len();
    if version.since(36) {
        images.extend(spec.volumes.iter().filter_map(|volume| match &volume.source {
            VolumeSource::Image { reference } => Some(normalized(reference)),
            _ => None,
        }));
        if version.since(37) {
            count = images.len();
        }
    }
    (images, i64::try_from(count).unwrap_or(i64::MAX))
}

/// The image's name with the tag `latest` when it has neither tag nor digest. As upstream's `normalizedImageName`.
fn normalized(image: &str) -> Str {
    let tagged = match (image.rfind(':'), image.rfind('/')) {
        (Some(colon), Some(slash)) => colon > slash,
        (Some(_), None) => true,
        (None, _) => false,
    };
    if tagged { image.into() } else { format!("{image}:latest").into() }
}

fn gaps(cycle: &Cycle<'_>) -> Vec<Gap> {
    let (images, _) = images(cycle.spec(), cycle.version());
    let differing = images
        .iter()
        .filter(|image| cycle.cluster.image(image).is_some_and(|state| state.sizes_differ));
    differing
        .map(|image| {
            Gap::new(
                GapKind::Assumed,
                format!("image {image}"),
                "nodes report different sizes of it: the scheduler keeps the first that it saw, here that of the first node by name",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_tag_means_latest() {
        for (image, expected) in [
            ("nginx", "nginx:latest"),
            ("nginx:1", "nginx:1"),
            ("localhost:5000/nginx", "localhost:5000/nginx:latest"),
            ("localhost:5000/nginx:1", "localhost:5000/nginx:1"),
            ("nginx@sha256:abc", "nginx@sha256:abc"),
            ("", ":latest"),
        ] {
            assert_eq!(&*normalized(image), expected, "{image}");
        }
    }

    #[test]
    fn an_image_counts_the_more_the_more_nodes_have_it() {
        use crate::kube_scheduler::plugin_tests::question;
        use crate::model::node::NodeImage;
        use crate::testing::{cluster, node, pod};
        let image = NodeImage { names: vec![Str::from("app:1")].into(), size: 300 * MEBIBYTE };
        let with = |name: &str| node(name).with(|node| node.images = vec![image.clone()]);
        let state = cluster([with("a"), with("b"), node("c"), node("d")], []);
        let pod = pod("p").spec(|spec| spec.containers[0].image = Some("app:1".into()));
        let question = question(state, pod);
        assert_eq!(question.score(&PLUGIN).map(|(raw, _)| raw), Some(vec![12, 12, 0, 0]));
    }
}
