//! What people really have is read: each format, each damage, with its exact message.

use landed::ingest::snapshot_from_json;
use landed::model::gap::GapKind;

#[test]
fn a_list_is_read_in_the_order_of_namespace_and_name() {
    let snapshot = snapshot_from_json(
        br#"{"apiVersion":"v1","kind":"List","items":[
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"b","namespace":"x"},"spec":{"containers":null}},
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"x"}},
        {"apiVersion":"v1","kind":"Node","metadata":{"name":"n","creationTimestamp":null}},
        {"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"p":1}}]}"#,
    );
    let names: Vec<_> = snapshot.objects.pods.iter().map(|pod| pod.key().to_string()).collect();
    assert_eq!(names, ["x/a", "x/b"]);
    assert_eq!(snapshot.objects.nodes.len(), 1);
    assert!(snapshot.gaps.is_empty(), "{:?}", snapshot.gaps);
}

#[test]
fn items_of_a_typed_list_take_its_kind() {
    let snapshot = snapshot_from_json(
        br#"{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"7"},"items":[
        {"metadata":{"name":"a","namespace":"x"},"spec":{"nodeName":"n"}}]}"#,
    );
    assert_eq!(snapshot.objects.pods[0].node_name.as_ref().map(|name| name.as_str()), Some("n"));
}

#[test]
fn an_unreadable_object_is_a_gap_with_its_name() {
    let snapshot = snapshot_from_json(
        br#"{"apiVersion":"v1","kind":"List","items":[
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"bad","namespace":"x"},"spec":{"containers":[{"resources":{"requests":{"cpu":"1x"}}}]}},
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"good","namespace":"x"}}]}"#,
    );
    assert_eq!(snapshot.objects.pods.len(), 1);
    let gap = &snapshot.gaps[0];
    assert_eq!((gap.kind, gap.subject.as_str()), (GapKind::Unreadable, "pod/bad in namespace x"));
    assert!(gap.detail.contains("not a quantity: \"1x\""), "{}", gap.detail);
}

#[test]
fn the_newest_state_of_an_object_wins_and_the_conflict_is_noted() {
    let pod = |version: u32, node: &str| {
        format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"a","namespace":"x","uid":"u","resourceVersion":"{version}"}},"spec":{{"nodeName":"{node}"}}}}"#
        )
    };
    for json in [pod(9, "new") + &pod(10, "newest"), pod(10, "newest") + &pod(9, "new")] {
        let snapshot = snapshot_from_json(json.as_bytes());
        assert_eq!(snapshot.objects.pods.len(), 1);
        let node = snapshot.objects.pods[0].node_name.as_ref().map(|name| name.as_str());
        assert_eq!(node, Some("newest"));
        assert_eq!(snapshot.gaps[0].kind, GapKind::Conflict);
    }
}
