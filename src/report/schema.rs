//! The contract's JSON Schemas, made from its types.

use schemars::Schema;

use super::{
    Audit, CheckReport, Comparison, Explanation, ExplanationList, InstanceTypeList, NodeReport,
    Simulation,
};

/// A kind of document and its schema.
pub struct DocumentSchema {
    /// The document's `kind`.
    pub kind: &'static str,
    /// What the document is.
    pub about: &'static str,
    /// Makes its schema.
    pub schema: fn() -> Schema,
}

/// Every kind of document, in the order in which help lists them.
pub const SCHEMAS: [DocumentSchema; 8] = [
    DocumentSchema {
        kind: "Explanation",
        about: "explain: one pod",
        schema: || schemars::schema_for!(Explanation),
    },
    DocumentSchema {
        kind: "ExplanationList",
        about: "explain: several pods",
        schema: || schemars::schema_for!(ExplanationList),
    },
    DocumentSchema {
        kind: "Audit",
        about: "audit: every pod's verdict, and the nodes launched in vain",
        schema: || schemars::schema_for!(Audit),
    },
    DocumentSchema {
        kind: "NodeReport",
        about: "node, nodeclaim: for which pods a node was launched, and what became of it",
        schema: || schemars::schema_for!(NodeReport),
    },
    DocumentSchema {
        kind: "Comparison",
        about: "compare: why two pods landed differently",
        schema: || schemars::schema_for!(Comparison),
    },
    DocumentSchema {
        kind: "CheckReport",
        about: "check: what was found in manifests",
        schema: || schemars::schema_for!(CheckReport),
    },
    DocumentSchema {
        kind: "Simulation",
        about: "simulate: what Karpenter and kube-scheduler would make of workloads",
        schema: || schemars::schema_for!(Simulation),
    },
    DocumentSchema {
        kind: "InstanceTypeList",
        about: "instance-types: what each NodePool may launch",
        schema: || schemars::schema_for!(InstanceTypeList),
    },
];

impl DocumentSchema {
    /// The schema as JSON, indented, with a line break at its end.
    pub fn text(&self) -> String {
        let schema = (self.schema)();
        let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
        text + "\n"
    }
}
