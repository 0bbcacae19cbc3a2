//! What the client does when an API server pages, forbids, puts off, breaks off, hangs: against a small server of our own.
#![cfg(all(feature = "live", unix))]

#[path = "live_server/login.rs"]
mod login;
#[path = "live_server/server.rs"]
mod server;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use server::{Folder, Reply, Server, forbidden, list, pods_in, program, run};

#[test]
fn a_list_is_read_page_by_page_and_four_at_a_time() {
    let server = Server::start(|path| {
        thread::sleep(Duration::from_millis(15));
        if !path.starts_with("/api/v1/pods?") {
            return None;
        }
        assert!(path.contains("limit=500"), "{path}");
        let next = path.split("continue=").nth(1).unwrap_or_default();
        let (next, name) = match next {
            "" => ("a/b=", "one"),
            "a%2Fb%3D" => ("c", "two"),
            _ => ("", "three"),
        };
        Some(Reply::Json(200, list(next, &[name])))
    });
    let (code, out, err) = server.run(&["dump", "-o", "-"]);
    assert_eq!(
        (code, pods_in(&out)),
        (0, vec!["one".to_owned(), "two".to_owned(), "three".to_owned()]),
        "{err}"
    );
    let most = server.most_at_once.load(Ordering::SeqCst);
    assert!((2..=4).contains(&most), "{most} requests at once");
}

#[test]
fn a_list_that_expires_is_begun_anew_and_nothing_is_doubled() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |path| {
        let (first, rest) = (path.starts_with("/api/v1/pods?"), path.contains("continue="));
        match (first, rest) {
            (true, false) => Some(Reply::Json(200, list("c", &["one"]))),
            (true, true) if asked.fetch_add(1, Ordering::SeqCst) == 0 => Some(Reply::Json(
                410,
                r#"{"kind":"Status","metadata":{"continue":"x"},"code":410}"#.to_owned(),
            )),
            (true, true) => Some(Reply::Json(200, list("", &["two"]))),
            _ => None,
        }
    });
    let (code, out, err) = server.run(&["dump", "-o", "-"]);
    assert_eq!((code, pods_in(&out)), (0, vec!["one".to_owned(), "two".to_owned()]), "{err}");
}

#[test]
fn what_may_not_be_read_is_a_gap_with_the_rule_that_would_help() {
    let server = Server::start(|path| match path {
        path if path.starts_with("/api/v1/nodes?") => Some(forbidden("nodes")),
        path if path.starts_with("/api/v1/pods?") => Some(forbidden("pods")),
        path if path.starts_with("/api/v1/namespaces/shop/pods?") => {
            Some(Reply::Json(200, list("", &["web"])))
        }
        path if path.starts_with("/apis/karpenter.sh/v1/nodepools?") => {
            Some(Reply::Json(404, "{}".to_owned()))
        }
        path if path.starts_with("/apis/karpenter.sh/v1/nodeclaims?") => {
            Some(Reply::Json(500, "{}".to_owned()))
        }
        _ => None,
    });
    let (code, out, err) = server.run(&["dump", "-o", "-", "-n", "shop"]);
    assert_eq!((code, pods_in(&out)), (0, vec!["web".to_owned()]), "{err}");
    for words in [
        "gap: nodes: not allowed to list them: nodes is forbidden",
        "  resources: [\"nodes\"]",
        "gap: pods: only those of namespace shop could be read",
        "gap: nodepools.karpenter.sh: the cluster does not serve karpenter.sh/v1",
        "gap: nodeclaims.karpenter.sh: ",
    ] {
        assert!(err.contains(words), "{words:?} is not in {err}");
    }
}

#[test]
fn errors_name_the_cause_and_the_next_step() {
    for (case, reply, arguments, error, hint) in [
        (
            "nothing allowed",
            (|_| Some(forbidden("all"))) as fn(&str) -> Option<Reply>,
            &[][..],
            "forbids reading",
            "kubectl landed rbac",
        ),
        (
            "expired token",
            |_| Some(Reply::Json(401, "{}".to_owned())),
            &[],
            "does not accept the credentials (401",
            "log in again",
        ),
        (
            "another server",
            |_| Some(Reply::Json(200, "<html>".to_owned())),
            &[],
            "not a Kubernetes API server",
            "kubectl get --raw /version",
        ),
        (
            "silence",
            |_| Some(Reply::Silence),
            &["--request-timeout", "1s"],
            "did not answer within 1s",
            "--request-timeout",
        ),
        (
            "cut off",
            |_| Some(Reply::CutOff("{")),
            &["--request-timeout", "5s"],
            "broke while reading",
            "run it again",
        ),
        (
            "overload",
            |_| Some(Reply::PutOff(1)),
            &["--request-timeout", "2"],
            "is overloaded",
            "try again later",
        ),
        (
            "put off for too long",
            |_| Some(Reply::PutOff(3600)),
            &["--request-timeout", "2"],
            "is overloaded",
            "try again later",
        ),
    ] {
        let server = Server::start(reply);
        let (code, out, err) = server.run(&[&["dump", "-o", "-"], arguments].concat());
        assert_eq!((code, out.as_str()), (1, ""), "{case}: {err}");
        assert!(err.starts_with("error: ") && err.contains(error), "{case}: {err}");
        assert!(err.contains("hint: ") && err.contains(hint), "{case}: {err}");
    }
}

#[test]
fn a_server_that_asks_for_a_pause_gets_it_and_is_read() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |path| {
        let is_first =
            path.starts_with("/api/v1/nodes?") && asked.fetch_add(1, Ordering::SeqCst) == 0;
        is_first.then_some(Reply::PutOff(1))
    });
    let (code, _, err) = server.run(&["dump", "-o", "-"]);
    assert_eq!(code, 0, "{err}");
    let nodes = server.requests().iter().filter(|request| request.contains("/nodes?")).count();
    assert_eq!(nodes, 2);
}

#[test]
fn a_dump_is_for_its_owner_alone_and_reads_back() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start(|path| {
        path.starts_with("/api/v1/pods?").then(|| Reply::Json(200, list("", &["web"])))
    });
    let folder = Folder::new("dump");
    for name in ["d.json", "d.json.gz", "d.tar", "d.tar.gz", "d.tar.zst", "d"] {
        let path = folder.0.join(name);
        let text = path.display().to_string();
        let (code, _, err) = server.run(&["dump", "-o", &text]);
        assert_eq!(code, 0, "{name}: {err}");
        let mode = std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode, if name == "d" { 0o700 } else { 0o600 }, "{name}");
    }
    let (code, _, err) = server.run(&["dump", "-o", &folder.0.join("d").display().to_string()]);
    assert_eq!(code, 1);
    assert!(err.contains("is not empty"), "{err}");
    let left = std::fs::read_dir(&folder.0).expect("a folder").filter_map(Result::ok);
    let left = left.filter(|entry| entry.file_name().to_string_lossy().contains("partial")).count();
    assert_eq!(left, 0, "nothing half-written is left");
}

#[test]
fn a_completion_that_takes_too_long_is_nothing() {
    let server = Server::start(|path| match path {
        path if path.contains("/namespaces/slow/") => Some(Reply::Silence),
        path if path.contains("/namespaces/shop/pods?") => {
            Some(Reply::Json(200, list("", &["web-1", "web-2", "db"])))
        }
        _ => None,
    });
    let complete = |namespace: &str| {
        run(&["__complete", "--server", &server.address, "-n", namespace, "web"], &[])
    };
    assert_eq!(complete("shop"), (0, "web-1\nweb-2\n:4\n".to_owned(), String::new()));
    assert_eq!(complete("slow"), (0, ":4\n".to_owned(), String::new()));
}

/// Everything that a recording holds.
fn recorded(folder: &Path) -> String {
    let mut files = std::fs::read_dir(folder).map_or_else(
        |_| Vec::new(),
        |entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
    );
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files.iter().map(|path| Folder::read(path)).collect()
}

#[test]
fn a_recorder_goes_on_after_a_drop_and_says_what_it_missed() {
    let change = |kind: &str, name: &str, version: u32| {
        format!(
            "{{\"type\":\"{kind}\",\"object\":{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{{\"name\":\"{name}\",\
             \"namespace\":\"a\",\"resourceVersion\":\"{version}\"}},\"spec\":{{}}}}}}\n"
        )
    };
    let expired = "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410}}\n".to_owned();
    let lists = AtomicUsize::new(0);
    let server = Server::start(move |path| {
        if !path.starts_with("/api/v1/pods?") {
            return None;
        }
        if !path.contains("watch=1") {
            let names = if lists.fetch_add(1, Ordering::SeqCst) == 0 {
                &["old", "stays"][..]
            } else {
                &["stays", "late"]
            };
            return Some(Reply::Json(200, list("", names)));
        }
        let version = path.split("resourceVersion=").nth(1).and_then(|rest| rest.split('&').next());
        Some(match (version, lists.load(Ordering::SeqCst)) {
            // The server closes the watch within a line: it comes again.
            (Some("7"), 1) => Reply::Lines(
                vec![change("ADDED", "one", 8), change("ADDED", "two", 9)[..30].to_owned()],
                false,
            ),
            (Some("8"), _) => Reply::Lines(vec![change("ADDED", "two", 9), expired.clone()], false),
            _ => Reply::Lines(Vec::new(), true),
        })
    });
    let folder = Folder::new("record");
    let target = folder.0.join("flight");
    let mut child = program()
        .args(["record", &target.display().to_string(), "--server", &server.address])
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    for _ in 0..200 {
        if recorded(&target).contains("\"late\"") {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let mut err = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{err}");
    let text = recorded(&target);
    for (name, kind, times) in [
        ("one", "ADDED", 1),
        ("two", "ADDED", 1),
        ("late", "LISTED", 1),
        ("one", "DELETED", 1),
        ("old", "DELETED", 1),
    ] {
        let found = text
            .lines()
            .filter(|line| {
                line.contains(&format!("{{\"type\":\"{kind}\""))
                    && line.contains(&format!("\"name\":\"{name}\""))
            })
            .count();
        assert_eq!(found, times, "{kind} {name} in {text}");
    }
    assert!(text.contains("\"type\":\"BREAK\"") && text.contains("\"what\":\"pods\""), "{text}");
    assert!(err.contains("the watch of pods had expired") && err.contains("recorded "), "{err}");
}

#[test]
fn a_stopped_reader_leaves_nothing() {
    let server = Server::start(|path| path.starts_with("/api/v1/pods?").then_some(Reply::Silence));
    let folder = Folder::new("ctrl-c");
    let mut child = program()
        .args([
            "dump",
            "-o",
            &folder.0.join("d.json").display().to_string(),
            "--server",
            &server.address,
        ])
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    while !server.requests().iter().any(|request| request.contains("/pods?")) {
        thread::sleep(Duration::from_millis(20));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 0);
}

#[test]
fn karpenters_log_joins_a_dump_where_rights_allow() {
    let server = Server::start(|path| {
        let is_log = path.starts_with("/api/v1/namespaces/a/pods/karpenter-0/log?");
        let reply = match path {
            path if path.starts_with("/api/v1/pods?labelSelector=") => {
                Reply::Json(200, list("", &["karpenter-0", "karpenter-1"]))
            }
            _ if is_log => Reply::Json(
                200,
                "{\"level\":\"INFO\",\"message\":\"created nodeclaim\"}".to_owned(),
            ),
            path if path.contains("/pods/karpenter-1/log?") => forbidden("pods/log"),
            _ => return None,
        };
        Some(reply)
    });
    let folder = Folder::new("logs");
    let target = folder.0.join("d");
    let (code, _, err) =
        server.run(&["dump", "--include-logs", "-o", &target.display().to_string()]);
    assert_eq!(code, 0, "{err}");
    assert!(Folder::read(&target.join("karpenter.log")).contains("created nodeclaim"));
    assert!(
        err.contains("gap: log of pod/karpenter-1") && err.contains("resources: [\"pods/log\"]"),
        "{err}"
    );
    let (code, _, err) = server.run(&["dump", "--include-logs", "-o", "-"]);
    assert_eq!(code, 2, "{err}");
}

#[test]
fn a_dump_that_is_there_already_is_redacted_and_anonymised() {
    let folder = Folder::new("offline");
    let old = folder.write(
        "old.yaml",
        "apiVersion: v1\nkind: List\nitems:\n\
         - {apiVersion: v1, kind: Secret, metadata: {name: s, namespace: acme}, data: {a: aHVudGVyMg==}}\n\
         - {apiVersion: v1, kind: Node, metadata: {name: acme-node}, status: {allocatable: {cpu: '4', pods: '10'}}}\n\
         - apiVersion: v1\n  kind: Pod\n  metadata: {name: acme-web, namespace: acme, creationTimestamp: '2026-12-01T08:00:00Z'}\n  \
         spec:\n    nodeName: acme-node\n    containers: [{name: main, image: acme/web, args: [hunter2], env: [{name: A, value: hunter2}]}]\n  \
         status: {phase: Running, conditions: [{type: PodScheduled, status: 'True', lastTransitionTime: '2026-12-01T08:00:01Z'}]}\n",
    );
    let (code, redacted, err) = run(&["dump", "-f", &old, "-o", "-"], &[]);
    assert_eq!(code, 0, "{err}");
    assert!(
        redacted.contains("acme-web")
            && !redacted.contains("hunter2")
            && !redacted.contains("Secret"),
        "{redacted}"
    );
    let (code, anonymous, err) = run(&["dump", "-f", &old, "--anonymise", "-o", "-"], &[]);
    assert_eq!(code, 0, "{err}");
    assert!(!anonymous.contains("acme") && !anonymous.contains("hunter2"), "{anonymous}");
    assert!(err.contains("proved: 1 pod has the same verdict under its new name"), "{err}");
    assert_eq!(pods_in(&anonymous).len(), 1);
}
