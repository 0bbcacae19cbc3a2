//! Names: where each pod is, as kubectl would name it.

use super::text;
use crate::report::Report;

/// One `node/NAME` a line; a pod that is nowhere has no line. Of instance types, those that may be launched.
pub(crate) fn render(report: &Report) -> String {
    if let Report::InstanceTypeList(list) = report {
        let items = list.node_pools.iter().flat_map(|pool| &pool.items);
        let names: std::collections::BTreeSet<&str> = items.map(|it| it.name.as_str()).collect();
        return names.into_iter().map(|name| text::safe(name) + "\n").collect();
    }
    let actual = report.explanations().iter().filter_map(|item| item.actual.as_ref()?.object());
    actual.map(|name| text::safe(&name) + "\n").collect()
}
