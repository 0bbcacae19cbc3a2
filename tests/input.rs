//! What people really have is read: each format, each damage, with its exact message.

#[path = "program/run.rs"]
mod program;

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
    assert_eq!(
        snapshot.objects.pods[0].node_name.as_ref().map(landed::model::names::NodeName::as_str),
        Some("n")
    );
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
        let node =
            snapshot.objects.pods[0].node_name.as_ref().map(landed::model::names::NodeName::as_str);
        assert_eq!(node, Some("newest"));
        assert_eq!(snapshot.gaps[0].kind, GapKind::Conflict);
    }
}

mod files {
    //! Folders, archives and damaged files.

    use std::fs;
    use std::io::{Read, Write};
    use std::path::{Path, PathBuf};

    use super::program::Shell;
    use landed::ingest::stream;
    use landed::ingest::{Collector, Ends};
    use landed::model::gap::GapKind;
    use landed::model::snapshot::Snapshot;
    use landed::sources::{Files, SourceError, load};

    const NODE: &str = r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","uid":"1"},"status":{"nodeInfo":{"kubeletVersion":"v1.36.1"}}}"#;
    const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"shop","uid":"2"},"spec":{"nodeName":"n"}}"#;
    const POOL: &str = r#"{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"general","uid":"3"}}"#;
    const EVENT: &str = r#"{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"shop","uid":"4"},"involvedObject":{"kind":"Pod","name":"web-0","namespace":"shop"},"reason":"Scheduled","eventTime":"2026-12-01T05:27:54.011335Z"}"#;
    const LOG: &str =
        r#"{"level":"INFO","time":"2026-11-30T09:15:02.114Z","message":"created nodeclaim"}"#;
    const SECRET: &str = r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"db"},"data":{"password":"eA=="}}"#;

    /// A folder of its own for a test.
    fn folder(name: &str, files: &[(&str, String)]) -> PathBuf {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("input").join(name);
        let _ = fs::remove_dir_all(&root);
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        root
    }

    fn file(name: &str, bytes: &[u8]) -> PathBuf {
        let root = folder(name, &[("x", String::new())]);
        let path = root.join(name);
        fs::write(&path, bytes).expect("a file");
        path
    }

    fn read(path: &Path) -> Result<Snapshot, SourceError> {
        let files = Files { paths: vec![path.to_owned()], recursive: false };
        load(&files, &mut std::io::empty())
    }

    fn list(kind: &str, items: &[&str]) -> String {
        format!(
            r#"{{"kind":"{kind}","apiVersion":"v1","metadata":{{}},"items":[{}]}}"#,
            items.join(",")
        )
    }

    /// The same as YAML, as kubectl prints it.
    fn yaml(json: &str) -> String {
        fn write(value: &serde_json::Value, indent: usize, out: &mut String) {
            let pad = " ".repeat(indent);
            match value {
                serde_json::Value::Object(map) if !map.is_empty() => {
                    for (key, value) in map {
                        out.push_str(&format!("\n{pad}{key}:"));
                        write(value, indent + 2, out);
                    }
                }
                serde_json::Value::Array(list) if !list.is_empty() => {
                    for value in list {
                        out.push_str(&format!("\n{pad}-"));
                        write(value, indent + 2, out);
                    }
                }
                value => out.push_str(&format!(" {value}")),
            }
        }
        let mut out = String::new();
        write(&serde_json::from_str(json).expect("JSON"), 0, &mut out);
        out.trim_start().to_owned() + "\n"
    }

    #[expect(clippy::too_many_lines, reason = "one table of all layouts")]
    /// Each layout, with a pod, a node, a NodePool and an event in it, and a Secret that must not be opened.
    fn layouts() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
        let broken = || "{ this secret must never be opened".to_owned();
        vec![
            (
                "cluster-info dump",
                vec![
                    ("nodes.json", list("NodeList", &[NODE])),
                    ("kube-system/pods.json", list("PodList", &[])),
                    ("kube-system/karpenter-5d/logs.txt", format!("{LOG}\n")),
                    ("shop/pods.json", list("PodList", &[POD])),
                    ("shop/events.json", list("EventList", &[EVENT])),
                    ("shop/web-0/logs.txt", format!("{LOG}\n")),
                    ("nodepools.json", POOL.to_owned()),
                ],
            ),
            (
                "crust-gather",
                vec![
                    ("gather/version.yaml", "gitVersion: v1.36.1\n".to_owned()),
                    ("gather/cluster/v1/node/n.yaml", yaml(NODE)),
                    ("gather/cluster/karpenter.sh-v1/nodepool/general.yaml", yaml(POOL)),
                    ("gather/namespaces/shop/v1/pod/web-0.yaml", yaml(POD)),
                    ("gather/namespaces/shop/v1/event/e.yaml", yaml(EVENT)),
                    ("gather/namespaces/shop/v1/secret/db.yaml", broken()),
                    (
                        "gather/namespaces/kube-system/v1/pod/karpenter-5d/controller/current.log",
                        format!("{LOG}\n"),
                    ),
                ],
            ),
            (
                "must-gather",
                vec![
                    ("must-gather/image/version", "openshift".to_owned()),
                    ("must-gather/image/cluster-scoped-resources/core/nodes/n.yaml", yaml(NODE)),
                    (
                        "must-gather/image/cluster-scoped-resources/karpenter.sh/nodepools.yaml",
                        yaml(&list("List", &[POOL])),
                    ),
                    (
                        "must-gather/image/namespaces/shop/core/pods.yaml",
                        yaml(&list("PodList", &[POD])),
                    ),
                    (
                        "must-gather/image/namespaces/shop/core/events.yaml",
                        yaml(&list("EventList", &[EVENT])),
                    ),
                    ("must-gather/image/namespaces/shop/core/secrets.yaml", broken()),
                    (
                        "must-gather/image/namespaces/kube-system/pods/karpenter-5d/controller/controller/logs/current.log",
                        format!("2026-11-30T09:15:02.114Z {LOG}\n"),
                    ),
                ],
            ),
            (
                "support-bundle",
                vec![
                    (
                        "b/version.yaml",
                        "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n".to_owned(),
                    ),
                    ("b/cluster-resources/nodes.json", list("NodeList", &[NODE])),
                    ("b/cluster-resources/pods/shop.json", list("PodList", &[POD])),
                    ("b/cluster-resources/events/shop.json", list("EventList", &[EVENT])),
                    (
                        "b/cluster-resources/custom-resources/nodepools.karpenter.sh.json",
                        format!("[{POOL}]"),
                    ),
                    ("b/cluster-resources/pods-errors.json", r#"["pods is forbidden"]"#.to_owned()),
                    (
                        "b/cluster-resources/pods/logs/kube-system/karpenter-5d/controller.log",
                        format!("{LOG}\n"),
                    ),
                ],
            ),
            (
                "support-bundle-kit",
                vec![
                    ("metadata.yaml", "projectName: x\n".to_owned()),
                    ("yamls/cluster/v1/nodes.yaml", yaml(&list("NodeList", &[NODE]))),
                    ("yamls/cluster/karpenter.sh/v1/nodepools.yaml", yaml(&list("List", &[POOL]))),
                    ("yamls/namespaced/shop/v1/pods.yaml", yaml(&list("PodList", &[POD]))),
                    ("yamls/namespaced/shop/v1/events.yaml", yaml(&list("EventList", &[EVENT]))),
                    (
                        "yamls/namespaced/shop/events.k8s.io/v1/events.yaml",
                        yaml(&list("EventList", &[EVENT])),
                    ),
                    ("yamls/namespaced/shop/v1/secrets.yaml", broken()),
                    ("logs/kube-system/karpenter-5d/controller.log", format!("{LOG}\n")),
                ],
            ),
            (
                "velero",
                vec![
                    ("resources/nodes/cluster/n.json", NODE.to_owned()),
                    ("resources/pods/namespaces/shop/web-0.json", POD.to_owned()),
                    ("resources/nodepools.karpenter.sh/cluster/general.json", POOL.to_owned()),
                    ("resources/events/namespaces/shop/e.json", EVENT.to_owned()),
                    ("resources/secrets/namespaces/shop/db.json", broken()),
                    ("karpenter.log", format!("{LOG}\n")),
                ],
            ),
        ]
    }

    fn check_bundle(name: &str, snapshot: &Snapshot) {
        let lists = &snapshot.objects;
        let counts = [
            lists.nodes.len(),
            lists.pods.len(),
            lists.node_pools.len(),
            snapshot.events.len(),
            snapshot.karpenter_log.len(),
        ];
        assert_eq!(counts, [1; 5], "{name}: {:?}", snapshot.gaps);
        assert_eq!(snapshot.settings.kubernetes_version.as_deref(), Some("1.36.1"), "{name}");
        let damaged = snapshot.gaps.iter().find(|gap| {
            [GapKind::Damaged, GapKind::Unreadable, GapKind::Conflict].contains(&gap.kind)
        });
        assert_eq!(damaged, None, "{name}");
        let is_told = snapshot.gaps.iter().any(|gap| gap.kind == GapKind::Forbidden);
        assert_eq!(is_told, name.starts_with("support-bundle") && !name.contains("kit"), "{name}");
    }

    #[test]
    fn every_layout_is_read_as_a_folder_and_packed() {
        for (name, files) in layouts() {
            let root = folder(name, &files);
            check_bundle(name, &read(&root).expect(name));

            let mut packed = tar::Builder::new(Vec::new());
            packed.append_dir_all("top", &root).expect("an archive");
            let packed = packed.into_inner().expect("an archive");
            for (end, bytes) in
                [("tar", packed.clone()), ("tgz", gzip(&packed)), ("tzst", zstd(&packed))]
            {
                let path = file(&format!("{name}.{end}"), &bytes);
                check_bundle(name, &read(&path).expect(name));
            }
        }
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn every_way_to_write_a_list_is_read() {
        let objects = [NODE, POD, POOL, SECRET];
        let json = list("List", &objects);
        let indented = |json: &str| {
            let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
            serde_json::to_string_pretty(&value).expect("JSON")
        };
        let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
            let mut out = mark.to_vec();
            out.extend(json.encode_utf16().flat_map(bytes));
            out
        };
        let stdout_of_a_dump = format!(
            "{}\n{}\n==== START logs for container main of pod shop/web-0 ====\n{LOG}\nnot json\n==== END logs for container main of pod shop/web-0 ====\n{POOL}\n",
            list("NodeList", &[NODE]),
            list("PodList", &[POD]),
        );
        for (name, bytes) in [
            ("list.json", json.clone().into_bytes()),
            ("indented.json", indented(&json).into_bytes()),
            ("lines.json", objects.join("\n").into_bytes()),
            ("concatenated.json", objects.concat().into_bytes()),
            ("array.json", format!("[{}]", objects.join(",")).into_bytes()),
            ("list.yaml", yaml(&json).into_bytes()),
            ("documents.yaml", objects.map(yaml).join("---\n").into_bytes()),
            ("list.json.gz", gzip(json.as_bytes())),
            ("list.json.zst", zstd(json.as_bytes())),
            ("list.yaml.gz", gzip(yaml(&json).as_bytes())),
            ("bom.json", [b"\xef\xbb\xbf", json.as_bytes()].concat()),
            ("little.json", utf16([0xff, 0xfe], u16::to_le_bytes)),
            ("big.json", utf16([0xfe, 0xff], u16::to_be_bytes)),
            ("banner.json", format!("Switched to context \"x\".\n{json}").into_bytes()),
            ("dump.txt", stdout_of_a_dump.into_bytes()),
        ] {
            let snapshot =
                read(&file(name, &bytes)).unwrap_or_else(|error| panic!("{name}: {error}"));
            let lists = &snapshot.objects;
            let counts = [lists.nodes.len(), lists.pods.len(), lists.node_pools.len()];
            assert_eq!(counts, [1; 3], "{name}: {:?}", snapshot.gaps);
            assert_eq!(snapshot.karpenter_log, [], "{name}");
            assert!(!format!("{snapshot:?}").contains("eA=="), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_in_one_line() {
        let truncated = &gzip(list("List", &[NODE; 100]).as_bytes())[..60];
        for (name, bytes, expected) in [
            ("empty.json", &b" \n"[..], "empty.json is empty"),
            ("cut.json.gz", truncated, "cannot read "),
            (
                "page.html",
                b"<!DOCTYPE html><html>",
                "page.html is an HTML or XML page and not a dump",
            ),
            (
                "picture.png",
                b"\x89PNG\0\0\0",
                "picture.png is not text and not an archive that is known",
            ),
            (
                "words.txt",
                b"just words\n",
                "words.txt is neither JSON nor YAML nor a log that is known",
            ),
            (
                "bundle.zip",
                b"PK\x03\x04...",
                "bundle.zip is a zip archive: unpack it and give the folder",
            ),
            (
                "other.json",
                br#"{"apiVersion":"v1","kind":"Secret"}"#,
                "no pods, nodes, NodePools or events in ",
            ),
        ] {
            let error = read(&file(name, bytes)).expect_err(name);
            let text = error.to_string();
            assert!(text.contains(expected) && !text.contains('\n'), "{name}: {text}");
        }
        let missing = read(Path::new("/no/such/file")).expect_err("no file");
        assert_eq!(missing.to_string(), "cannot open /no/such/file: no such file or directory");
        let root = folder("nothing", &[("below/nodes.json", NODE.to_owned())]);
        let error = read(&root).expect_err("nothing at the top level");
        assert!(error.hint().is_some_and(|hint| hint.starts_with("-R -f ")), "{error}");
    }

    #[test]
    fn a_file_that_is_cut_off_gives_what_is_whole_and_says_so() {
        let whole = list("List", &[NODE, POD, POOL]);
        let cut = &whole.as_bytes()[..whole.len() - 30];
        let snapshot = read(&file("cut.json", cut)).expect("the first objects");
        assert_eq!((snapshot.objects.nodes.len(), snapshot.objects.pods.len()), (1, 1));
        let gap = snapshot.gaps.iter().find(|gap| gap.kind == GapKind::Damaged).expect("a gap");
        assert!(gap.detail.contains("the file is cut off"), "{gap:?}");
        assert!(gap.subject.ends_with("cut.json"), "{gap:?}");
    }

    #[test]
    fn something_endless_ends_the_reading() {
        let line = [b"{\"kind\":\"".as_slice(), &vec![b'x'; 70 << 20]].concat();
        let snapshot = read(&file("endless.json", &[NODE.as_bytes(), b"\n", &line].concat()));
        let snapshot = snapshot.expect("the first object");
        let gap = snapshot.gaps.iter().find(|gap| gap.kind == GapKind::Damaged).expect("a gap");
        assert!(gap.detail.contains("longer than 64 MiB"), "{gap:?}");
    }

    /// Threads, and how the ends of objects are found, do not show.
    #[test]
    fn any_number_of_threads_gives_the_same_snapshot() {
        let pods: Vec<serde_json::Value> = (0..3000)
            .map(|number| {
                let mut pod: serde_json::Value = serde_json::from_str(POD).expect("JSON");
                pod["metadata"]["name"] = format!("web-{number}").into();
                pod["metadata"]["uid"] = format!("uid-{number}").into();
                pod["metadata"]["annotations"] =
                    serde_json::json!({"long": "}\n        }".repeat(20)});
                pod
            })
            .collect();
        let json = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": pods});
        let mut seen = Vec::new();
        for text in [json.to_string(), serde_json::to_string_pretty(&json).expect("JSON")] {
            for ends in [Ends::Counted, Ends::Guessed] {
                for threads in [1, 2, 5] {
                    let (collector, _) =
                        stream::read(&mut text.as_bytes(), "x", ends, threads).expect("memory");
                    let mut all = Collector::default();
                    all.absorb(collector);
                    let snapshot = all.finish();
                    assert_eq!(snapshot.objects.pods.len(), 3000);
                    seen.push(format!("{snapshot:?}"));
                }
            }
        }
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn a_wrong_guess_is_made_good() {
        // Indented at its edges, but an inner brace stands where an object's end is expected.
        let item = |name: &str| {
            format!(
                "    {{\n \"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{{\n\"name\":\"{name}\",\"namespace\":\"x\"\n    }},\n    \"spec\":{{\"nodeName\":\"n\"}}}}"
            )
        };
        let text = format!(
            "{{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n{},\n{}\n]}}",
            item("a"),
            item("b")
        );
        let snapshot = read(&file("odd.json", text.as_bytes())).expect("two pods");
        let nodes: Vec<_> =
            snapshot.objects.pods.iter().filter_map(|pod| pod.node_name.as_ref()).collect();
        assert_eq!(nodes.len(), 2, "{:?}", snapshot.gaps);
    }

    /// What the path of a file speaks of keeps it closed; that is said, once a folder.
    #[test]
    fn what_is_not_opened_for_its_path_is_told() {
        let root = folder(
            "guarded",
            &[
                ("namespaces/shop/core/pods.json", list("PodList", &[POD])),
                ("namespaces/shop/core/secrets.json", SECRET.to_owned()),
                ("namespaces/external-secrets/core/pods.json", list("PodList", &[POD])),
                ("namespaces/external-secrets/core/nodes.json", list("NodeList", &[NODE])),
            ],
        );
        let snapshot = read(&root).expect("a snapshot");
        assert!(snapshot.objects.nodes.is_empty());
        let told: Vec<&str> = snapshot
            .gaps
            .iter()
            .filter(|gap| gap.kind == GapKind::Damaged)
            .map(|gap| gap.detail.as_str())
            .collect();
        assert_eq!(
            told,
            [
                "not opened, since the path speaks of secrets: namespaces/external-secrets/core/nodes.json, namespaces/external-secrets/core/pods.json"
            ]
        );
        let root = folder("guarded-alone", &[("secret-dump.json", list("NodeList", &[NODE]))]);
        let error = read(&root).expect_err("nothing is read").to_string();
        assert!(error.contains("not opened") && error.contains("secret-dump.json"), "{error}");
        assert!(read(&root.join("secret-dump.json")).is_ok(), "a file that is named is read");
    }

    /// A line of a gigabyte, which never lies anywhere: reading ends where nothing more can come of it.
    #[test]
    fn a_line_of_a_gigabyte_is_not_kept() {
        for (begins, told) in [
            ("I1201 05:27:54.1 1 a.go:1] ", "a line longer than 16 MiB"),
            (
                r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":""#,
                "something longer than 64 MiB",
            ),
        ] {
            let mut stream = begins.as_bytes().chain(std::io::repeat(b'x').take(1 << 30));
            let files = Files { paths: vec!["-".into()], recursive: false };
            let error = load(&files, &mut stream).expect_err("nothing is read").to_string();
            assert!(error.contains(told), "{error}");
            // Most of it was never asked for.
            assert!(std::io::copy(&mut stream, &mut std::io::sink()).expect("a count") > 1 << 29);
        }
    }

    /// A dump of a release that is not replayed is answered by the nearest one's rules, and that is said; where the user asks
    /// for it, or the answer has no place to say so, it is refused.
    #[test]
    fn a_release_of_karpenter_that_is_not_replayed_is_told() {
        let deployment = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"karpenter","namespace":"kube-system","labels":{"app.kubernetes.io/name":"karpenter","app.kubernetes.io/version":"1.0.6"}},"spec":{"template":{"spec":{"containers":[{"name":"controller","image":"example.com/karpenter/controller:1.0.6"}]}}}}"#;
        let path = file("old.json", list("List", &[NODE, POD, POOL, deployment]).as_bytes());
        let path = path.to_str().expect("text");
        let ask = |arguments: &[&str]| Shell::default().run(arguments);
        let answer = ask(&["explain", "-n", "shop", "web-0", "-f", path, "-o", "json"]);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""));
        let told = "Karpenter 1.0.6 is not replayed: only 1.1 to 1.15 are; the rules of 1.1.0 stand for it";
        assert!(answer.out.contains(told), "{}", answer.out);
        let refused = "Karpenter 1.0.6 is not replayed: only 1.1 to 1.15 are";
        for arguments in [
            &["explain", "web-0", "-n", "shop", "--karpenter-version", "1.0.6", "-f", path][..],
            &["replay", "karpenter", "--karpenter-version", "1.0.6", "-f", path],
            &["replay", "karpenter", "-f", path],
        ] {
            let run = ask(arguments);
            assert!(run.code != 0 && run.out.is_empty(), "{arguments:?}");
            assert!(run.err.starts_with("error: ") && run.err.contains(refused), "{}", run.err);
        }
        assert_eq!(ask(&["replay", "karpenter", "--karpenter-version", "1.1", "-f", path]).code, 0);
    }
}
