//! Bad input of every kind: a clear error or a named gap, in bounded time and memory, and never a panic.
//!
//! Each row runs the program itself, with less memory than an input that expands would take.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// What comes of an input.
enum Expected {
    /// Exit code 1 and this one line.
    Error(&'static str),
    /// An answer, with a gap in which this stands.
    Gap(&'static str),
    /// An answer in which this stands.
    Answer(&'static str),
}
use Expected::{Answer, Error, Gap};

/// The most memory that a run may take, in KiB.
const MEMORY: u64 = 1 << 20;
/// The most processor time that a run may take, in seconds.
const SECONDS: u64 = 60;

/// How a run ended.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Explains the pod `web` in the namespace `shop`, from a path.
fn explain(path: &Path) -> Ended {
    let command = format!(
        "ulimit -v {MEMORY} -t {SECONDS} 2>/dev/null; exec '{}' explain -n shop web -o json -f \"$1\"",
        env!("CARGO_BIN_EXE_kubectl-landed")
    );
    let output = Command::new("sh")
        .args(["-c", &command, "sh"])
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = |bytes| String::from_utf8(bytes).expect("what is printed is text");
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn check(name: &str, path: &Path, expected: &Expected) {
    let ended = explain(path);
    let (code, out, err) = (ended.code, &ended.out, &ended.err);
    match expected {
        Error(line) => {
            assert_eq!(code, Some(1), "{name}: {err}");
            let mut lines = err.lines();
            let first = lines.next().unwrap_or_default();
            assert!(first.starts_with("error: ") && first.contains(line), "{name}: {err}");
            assert!(lines.all(|line| line.starts_with("hint: ")), "{name}: {err}");
            assert_eq!(out, "", "{name}");
        }
        Gap(text) => {
            assert_eq!((code, err.as_str()), (Some(0), ""), "{name}");
            let answer: Value = serde_json::from_str(out).expect(name);
            let gaps: Vec<String> = answer["gaps"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|gap| format!("{}: {}", gap["subject"], gap["detail"]))
                .collect();
            assert!(gaps.iter().any(|gap| gap.contains(text)), "{name}: {gaps:#?}");
        }
        Answer(text) => {
            assert_eq!((code, err.as_str()), (Some(0), ""), "{name}");
            assert!(out.contains(text), "{name}: {out}");
        }
    }
    let raw = |c: char| c != '\n' && c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    assert_eq!((out.find(raw), err.find(raw)), (None, None), "{name}");
}

/// An empty folder of its own for a row.
fn folder(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name.replace(' ', "-"));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).expect("a folder");
    root
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder(name).join("dump");
    fs::write(&path, bytes).expect("a file");
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn node() -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "1", "creationTimestamp": "2026-12-01T00:00:00Z",
        "labels": {"kubernetes.io/hostname": "n", "topology.kubernetes.io/zone": "a"}},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}], "nodeInfo": {"kubeletVersion": "v1.36.1"}}})
}

fn pod() -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "uid": "2",
            "creationTimestamp": "2026-12-01T00:00:01Z", "labels": {"app": "web"}},
        "spec": {"nodeName": "n", "containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]},
        "status": {"phase": "Running", "conditions": [{"type": "PodScheduled", "status": "True",
            "lastTransitionTime": "2026-12-01T00:00:02Z"}]}})
}

fn list(items: &[Value]) -> Vec<u8> {
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string().into_bytes()
}

/// The node, and the pod with something else at a place of it.
fn with(pointer: &str, value: Value) -> Vec<u8> {
    let mut pod = pod();
    set(&mut pod, pointer, value);
    list(&[node(), pod])
}

/// Puts a value at a place, and what is missing on the way there.
fn set(object: &mut Value, pointer: &str, value: Value) {
    let mut at = object;
    for key in pointer.trim_start_matches('/').split('/') {
        at = match key.parse::<usize>() {
            Ok(index) => &mut at[index],
            Err(_) => &mut at[key.replace("~1", "/")],
        };
    }
    *at = value;
}

/// An archive with one file; its header says that it has some other size.
fn tar(path: &str, content: &[u8], size: u64) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_gnu_mut().expect("a GNU header").name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_size(size);
    header.set_mode(0o644);
    header.set_cksum();
    let mut archive = header.as_bytes().to_vec();
    archive.extend_from_slice(content);
    archive.resize(archive.len().next_multiple_of(512), 0);
    if size == content.len() as u64 {
        archive.resize(archive.len() + 1024, 0);
    }
    archive
}

/// Lists of lists, each nine times the one before.
fn laughs() -> Vec<u8> {
    let mut text = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\na: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (before, now) in ('a'..'m').zip('b'..='m') {
        let aliases = vec![format!("*{before}"); 9].join(",");
        let _ = writeln!(text, "{now}: &{now} [{aliases}]");
    }
    text.into_bytes()
}

fn yaml_of(value: &Value) -> String {
    // JSON is YAML; the first line shows that it is meant as such.
    format!("---\n{value}\n")
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of all kinds")]
fn every_bad_input_is_told_in_a_line_or_as_a_gap() {
    let good = || list(&[node(), pod()]);
    let in_utf16 = |text: &[u8]| -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let constraints: Vec<Value> = (0..10_000)
        .map(|number| {
            json!({"maxSkew": 1, "topologyKey": format!("key-{number}"), "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": "web"}}})
        })
        .collect();
    let owner = |kind: &str, name: &str, uid: &str| json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": true}]);
    let mut cycle = vec![node(), pod()];
    set(&mut cycle[1], "/metadata/ownerReferences", owner("ReplicaSet", "a", "5"));
    for (name, uid, of, of_uid) in [("a", "5", "b", "6"), ("b", "6", "a", "5")] {
        cycle.push(json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name, "namespace": "shop", "uid": uid,
            "ownerReferences": owner("ReplicaSet", of, of_uid)}}));
    }
    let twice = |pointer: &str, value: Value| {
        let mut other = pod();
        set(&mut other, pointer, value);
        list(&[node(), pod(), other])
    };
    let hostile = "web\u{1b}]0;owned\u{7}\u{202e}\u{9b}2J";
    let rows: Vec<(&str, Vec<u8>, Expected)> = vec![
        // Archives and compression.
        (
            "a bomb of gzip",
            gzip(&[b"{\"kind\":\"".as_slice(), &vec![b'x'; 70 << 20]].concat()),
            Error("longer than 64 MiB"),
        ),
        (
            "gzip over and over",
            gzip(&gzip(&gzip(&gzip(&good())))),
            Error("compressed over and over"),
        ),
        ("a truncated gzip", gzip(&good())[..100].to_vec(), Error("cannot read ")),
        ("a tar of a huge size", tar("pods.json", &good(), 8 << 30), Gap("pods.json")),
        ("a tar that ends early", tar("pods.json", &good(), 100_000), Gap("pods.json")),
        (
            "a path that points outside",
            tar("../../../outside.json", &good(), good().len() as u64),
            Answer("\"web\""),
        ),
        (
            "an absolute path",
            tar("/etc/outside.json", &good(), good().len() as u64),
            Answer("\"web\""),
        ),
        (
            "a zip",
            b"PK\x03\x04....".to_vec(),
            Error("is a zip archive: unpack it and give the folder"),
        ),
        // Texts.
        ("an empty file", Vec::new(), Error("is empty")),
        (
            "a web page",
            b"<!DOCTYPE html><html><title>Sign in</title>".to_vec(),
            Error("is an HTML or XML page and not a dump"),
        ),
        (
            "no UTF-8",
            [&b"\xf0\x28\x8c\x28\xff"[..], &[0xff; 100]].concat(),
            Error("is neither JSON nor YAML nor a log"),
        ),
        (
            "no UTF-8 within",
            String::from_utf8(good())
                .expect("text")
                .replace("\"app\":\"web\"", "\"app\":\"\u{1}\"")
                .into_bytes()
                .iter()
                .map(|byte| if *byte == 1 { 0xff } else { *byte })
                .collect(),
            Gap("\"pod/web in namespace shop\": \"holds bytes that are no UTF-8"),
        ),
        (
            "no UTF-8 within YAML",
            [
                b"# \xff\n".as_slice(),
                yaml_of(&pod()).as_bytes(),
                b"---\n",
                yaml_of(&node()).as_bytes(),
            ]
            .concat(),
            Gap("holds bytes that are no UTF-8"),
        ),
        ("a byte order mark", [b"\xef\xbb\xbf".as_slice(), &good()].concat(), Answer("\"web\"")),
        ("UTF-16", in_utf16(&good()), Answer("\"web\"")),
        (
            "UTF-16 of half a letter",
            {
                let mut text = in_utf16(&good());
                text.pop();
                text
            },
            Gap("cut off"),
        ),
        ("bytes of zero", vec![0; 4096], Error("is not text and not an archive that is known")),
        ("zeros behind", [good(), vec![0; 4096]].concat(), Gap("not readable as JSON")),
        ("aliases that explode", laughs(), Error("aliases")),
        (
            "YAML without a bottom",
            [b"apiVersion: v1\nkind: List\nitems: ".as_slice(), &vec![b'['; 100_000]].concat(),
            Error("recursion limit exceeded"),
        ),
        (
            "JSON without a bottom",
            [b"{\"items\":[".as_slice(), &b"{\"a\":".repeat(100_000)].concat(),
            Error("cut off"),
        ),
        (
            "JSON without a bottom, closed",
            [
                b"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":".as_slice(),
                &b"[".repeat(100_000),
                &b"]".repeat(100_000),
                b"}",
                &good(),
            ]
            .concat(),
            Gap("cannot be read and is left out"),
        ),
        (
            "YAML that is cut off",
            yaml_of(&pod()).as_bytes()[..200].to_vec(),
            Error("not readable as YAML"),
        ),
        (
            "a line without an end",
            [&[b'I'; 1][..], &vec![b'x'; 17 << 20]].concat(),
            Error("a line longer than 16 MiB"),
        ),
        // Numbers and dates.
        (
            "a quantity of 10^30",
            with("/spec/containers/0/resources/requests/cpu", "1e30".into()),
            Answer("9223372036854775807"),
        ),
        (
            "a quantity below zero",
            with("/spec/containers/0/resources/requests/cpu", "-5".into()),
            Answer("\"web\""),
        ),
        (
            "a quantity of a billionth",
            with("/spec/containers/0/resources/requests/cpu", "1e-9".into()),
            Answer("\"web\""),
        ),
        (
            "no quantity",
            with("/spec/containers/0/resources/requests/cpu", "one".into()),
            Error("not a quantity: \"one\""),
        ),
        (
            "a date before 1970",
            with("/metadata/creationTimestamp", "1066-10-14T09:00:00Z".into()),
            Answer("\"web\""),
        ),
        (
            "a date far ahead",
            with("/metadata/creationTimestamp", "9999-12-31T23:59:59Z".into()),
            Answer("\"web\""),
        ),
        (
            "a date of no calendar",
            with("/metadata/creationTimestamp", "2026-02-31T25:00:00Z".into()),
            Answer("\"web\""),
        ),
        // Objects.
        (
            "10,000 constraints",
            with("/spec/topologySpreadConstraints", constraints.into()),
            Answer("\"web\""),
        ),
        ("owners in a circle", list(&cycle), Answer("\"web\"")),
        (
            "one name twice",
            twice("/metadata/uid", "3".into()),
            Gap("given more than once in different states"),
        ),
        ("one UID twice", twice("/metadata/name", "other".into()), Answer("\"web\"")),
        ("a name that a terminal obeys", with("/spec/nodeName", hostile.into()), Answer("\\u001b")),
        (
            "a wrong type",
            with("/spec/containers", 7.into()),
            Error("pod/web in namespace shop cannot be read and is left out"),
        ),
        (
            "a wrong type of labels",
            with("/metadata/labels", json!([1])),
            Error("pod/web in namespace shop cannot be read and is left out"),
        ),
        ("a pod that is not there", list(&[node()]), Error("pod/web is not in namespace shop")),
        ("no nodes", list(&[pod()]), Error("the input holds no nodes")),
        (
            "a Secret alone",
            list(&[
                json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "web"}, "data": {"a": "eA=="}}),
            ]),
            Error("no pods, nodes, NodePools or events in "),
        ),
    ];
    assert!(rows.len() >= 24);
    let failed = rows.iter().filter(|(name, bytes, expected)| {
        // Each row that fails is told, not only the first.
        std::panic::catch_unwind(|| check(name, &file(name, bytes), expected)).is_err()
    });
    assert_eq!(failed.map(|(name, ..)| *name).collect::<Vec<_>>(), Vec::<&str>::new());
    let outside = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside.json");
    assert!(!outside.exists() && !Path::new("/etc/outside.json").exists());
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_told() {
    let root = folder("links");
    fs::write(root.join("dump.json"), list(&[node(), pod()])).expect("a file");
    std::os::unix::fs::symlink(&root, root.join("again")).expect("a link");
    check("a link that leads back", &root, &Gap("again"));

    let root = folder("pipe");
    fs::write(root.join("dump.json"), list(&[node(), pod()])).expect("a file");
    let made = Command::new("mkfifo").arg(root.join("pipe.json")).status();
    if made.is_ok_and(|status| status.success()) {
        check("a pipe in a folder", &root, &Gap("pipe.json"));
    }
    check("a folder without files", &folder("nothing"), &Error("at its top level"));
    check(
        "no file",
        Path::new("/no/such/file"),
        &Error("cannot open /no/such/file: no such file or directory"),
    );
    if Path::new("/proc/self/mem").exists() {
        check(
            "a file that cannot be read",
            Path::new("/proc/self/mem"),
            &Error("cannot read /proc/self/mem: "),
        );
    }
}
