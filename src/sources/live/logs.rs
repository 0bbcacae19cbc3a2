//! Karpenter's own log, where rights allow.

use serde::Deserialize;

use super::client::{Connection, status_message};
use super::error::LiveError;
use super::list::percent_encode;
use crate::model::gap::{Gap, GapKind};

/// How far back: a decision is asked about while its nodes are still there.
const SINCE_SECONDS: u32 = 24 * 3600;
/// At most this much of each pod's log: some tens of thousands of lines.
const LIMIT_BYTES: u32 = 32 << 20;
/// The labels under which Karpenter's pods are found.
const SELECTOR: &str = "app.kubernetes.io/name=karpenter";

#[derive(Default, Deserialize)]
struct Pods {
    #[serde(default)]
    items: Vec<Pod>,
}

#[derive(Deserialize)]
struct Pod {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
    namespace: String,
}

/// The log of all of Karpenter's pods, one after the other, and what could not be read.
pub async fn karpenter_log(connection: &Connection) -> Result<(Vec<u8>, Vec<Gap>), LiveError> {
    let path = format!("/api/v1/pods?labelSelector={}", percent_encode(SELECTOR));
    let answer = connection.get(&path, "application/json", "Karpenter's pods").await?;
    if answer.status != 200 {
        return Ok((
            Vec::new(),
            vec![refused("Karpenter's pods", &status_message(&answer.body), "pods")],
        ));
    }
    let pods = serde_json::from_slice::<Pods>(&answer.body).unwrap_or_default().items;
    if pods.is_empty() {
        let detail = format!("no pod has the label {SELECTOR}, so its log is not in the dump");
        return Ok((Vec::new(), vec![Gap::new(GapKind::Missing, "Karpenter's log", detail)]));
    }
    let (mut log, mut gaps) = (Vec::new(), Vec::new());
    for Pod { metadata: Metadata { name, namespace } } in pods {
        let subject = format!("log of pod/{name} in namespace {namespace}");
        let path = format!(
            "/api/v1/namespaces/{namespace}/pods/{name}/log?container=controller&sinceSeconds={SINCE_SECONDS}&limitBytes={LIMIT_BYTES}"
        );
        match connection.get(&path, "*/*", &subject).await {
            Ok(answer) if answer.status == 200 => {
                log.extend_from_slice(&answer.body);
                if log.last().is_some_and(|last| *last != b'\n') {
                    log.push(b'\n');
                }
            }
            Ok(answer) => gaps.push(refused(&subject, &status_message(&answer.body), "pods/log")),
            Err(LiveError::Refused { detail, .. }) => {
                gaps.push(Gap::new(GapKind::Unreadable, subject, detail));
            }
            Err(error) => return Err(error),
        }
    }
    Ok((log, gaps))
}

fn refused(subject: &str, words: &str, resource: &str) -> Gap {
    let rule = format!(
        "add to the role:\n- apiGroups: [\"\"]\n  resources: [\"{resource}\"]\n  verbs: [\"get\", \"list\"]"
    );
    Gap::new(GapKind::Forbidden, subject, words.to_owned()).hint(rule)
}
