//! Against a REAL API server: ../shared/minicluster starts one on 127.0.0.1. `.ci/run` runs these when it is there:
//! `LANDED_MINICLUSTER=…/minicluster cargo test --test live -- --ignored --test-threads=1`.
#![cfg(all(feature = "live", unix))]

#[path = "live/cluster.rs"]
mod cluster;
#[path = "live/commands.rs"]
mod commands;
#[path = "live/story.rs"]
mod story;

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cluster::{Cluster, Folder, KINDS, stderr, stdout};

/// One node with room and one that is full, and a pod that only the first can take.
const OBJECTS: &str = r#"{"apiVersion":"v1","kind":"List","items":[
    {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}},
    {"apiVersion":"v1","kind":"Node","metadata":{"name":"small","labels":{"kubernetes.io/hostname":"small"}},
     "status":{"capacity":{"cpu":"1","memory":"1Gi","pods":"10"},"allocatable":{"cpu":"1","memory":"1Gi","pods":"10"},
     "conditions":[{"type":"Ready","status":"True","reason":"up","lastTransitionTime":"2026-01-01T00:00:00Z"}]}},
    {"apiVersion":"v1","kind":"Node","metadata":{"name":"large","labels":{"kubernetes.io/hostname":"large"}},
     "status":{"capacity":{"cpu":"8","memory":"8Gi","pods":"10"},"allocatable":{"cpu":"8","memory":"8Gi","pods":"10"},
     "conditions":[{"type":"Ready","status":"True","reason":"up","lastTransitionTime":"2026-01-01T00:00:00Z"}]}},
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},
     "spec":{"containers":[{"name":"main","image":"example.invalid/web:1","env":[{"name":"PASSWORD","value":"hunter2"}],
     "resources":{"requests":{"cpu":"4"}}}]}}]}"#;

#[test]
#[ignore = "needs a real API server: ../shared/minicluster"]
fn the_plugin_answers_through_kubectl_itself() {
    let cluster = Cluster::quick();
    cluster.apply(OBJECTS);
    cluster.wait_bound("shop", "web");
    let kubectl = cluster.kubectl(&["landed", "web", "-n", "shop"]);
    assert_eq!(kubectl.status.code(), Some(0), "{}", stderr(&kubectl));
    assert!(stdout(&kubectl).contains("large"), "{}", stdout(&kubectl));
    // kubectl gives the exit code on.
    let absent = cluster.kubectl(&["landed", "wbe", "-n", "shop"]);
    assert_eq!(absent.status.code(), Some(1), "{}", stdout(&absent));
    assert!(stderr(&absent).contains("web"), "the nearest name: {}", stderr(&absent));
    // The same from a dump.
    let folder = Folder::new("dump");
    for name in ["d.json", "d.tar.gz", "d.tar.zst", "d"] {
        let path = folder.path(name);
        let dumped = cluster.landed(&["dump", "-o", &path]);
        assert_eq!(dumped.status.code(), Some(0), "{}", stderr(&dumped));
        let offline = cluster.landed(&["web", "-n", "shop", "-f", &path]);
        assert_eq!(offline.status.code(), Some(0), "{name}: {}", stderr(&offline));
        assert!(stdout(&offline).contains("large"), "{name}: {}", stdout(&offline));
    }
    let text = cluster.landed(&["dump", "-o", "-"]);
    assert!(stdout(&text).contains("PASSWORD") && !stdout(&text).contains("hunter2"));
    let whole = cluster.landed(&["dump", "-o", "-", "--no-redact"]);
    assert!(stdout(&whole).contains("hunter2"));
}

#[test]
#[ignore = "needs a real API server: ../shared/minicluster"]
fn kubectl_completes_names_of_the_cluster() {
    let cluster = Cluster::quick();
    cluster.apply(OBJECTS);
    let done = cluster.kubectl(&["__complete", "landed", "-n", "shop", "we"]);
    assert!(stdout(&done).lines().any(|line| line == "web"), "{}{}", stdout(&done), stderr(&done));
    let done = cluster.kubectl(&["__complete", "landed", "explain", "-n", "sh"]);
    assert!(stdout(&done).lines().any(|line| line == "shop"), "{}{}", stdout(&done), stderr(&done));
    let done = cluster.kubectl(&["__complete", "landed", "dump", "--context", ""]);
    assert!(
        stdout(&done).lines().any(|line| line == "minicluster"),
        "{}{}",
        stdout(&done),
        stderr(&done)
    );
}

#[test]
#[ignore = "needs a real API server: ../shared/minicluster"]
fn the_documented_role_suffices_and_each_right_that_is_taken_away_is_a_named_gap() {
    let cluster = Cluster::quick();
    cluster.apply(OBJECTS);
    cluster.wait_bound("shop", "web");
    let role = cluster.landed(&["rbac", "--user", "nobody"]);
    cluster.apply(&stdout(&role));
    let reader = cluster.kubeconfig("nobody");
    let dump = |arguments: &[&str]| {
        cluster.landed(&[&["dump", "-o", "-", "--kubeconfig", &reader], arguments].concat())
    };
    cluster.wait_for("the role", || dump(&[]).status.success());
    let all = dump(&[]);
    assert!(!stderr(&all).contains("not allowed"), "{}", stderr(&all));
    let answer = cluster.landed(&["web", "-n", "shop", "--kubeconfig", &reader]);
    assert_eq!(answer.status.code(), Some(0), "{}", stderr(&answer));

    for (group, plural) in KINDS {
        let without = stdout(&role).replacen(&format!("{plural}, "), "", 1);
        let without = if without == stdout(&role) {
            without.replacen(&format!(", {plural}]"), "]", 1)
        } else {
            without
        };
        let without = without.replacen(&format!("[{plural}]"), "[nothing]", 1);
        assert_ne!(without, stdout(&role), "{plural}");
        cluster.apply(&without);
        let qualified =
            if group.is_empty() { (*plural).to_owned() } else { format!("{plural}.{group}") };
        let gap = format!("gap: {qualified}: ");
        cluster.wait_for(&format!("the gap of {qualified}"), || stderr(&dump(&[])).contains(&gap));
        let told = dump(&[]);
        assert_eq!(told.status.code(), Some(0), "{qualified}: {}", stderr(&told));
        let advised = format!("resources: [\"{plural}\"]");
        assert!(stderr(&told).contains(&advised), "{qualified}: {}", stderr(&told));
        let gaps = stderr(&told).lines().filter(|line| line.starts_with("gap: ")).count();
        assert_eq!(gaps, 1, "{qualified}: {}", stderr(&told));
    }
    // Without any right: an error that names the next step.
    cluster.kubectl(&["delete", "clusterrolebinding", "landed"]);
    cluster.wait_for("no right at all", || !dump(&[]).status.success());
    let nothing = dump(&[]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(
        stderr(&nothing).contains("forbids reading")
            && stderr(&nothing).contains("kubectl landed rbac")
    );
}

#[test]
#[ignore = "needs a real API server: ../shared/minicluster"]
fn credentials_and_certificates_that_do_not_fit_are_named() {
    let cluster = Cluster::quick();
    let certificate = cluster.kubeconfig("cert");
    let good = cluster.landed(&["dump", "-o", "-", "--kubeconfig", &certificate]);
    assert_eq!(good.status.code(), Some(0), "{}", stderr(&good));
    let expired = cluster.landed(&["dump", "-o", "-", "--token", "expired"]);
    assert!(stderr(&expired).contains("401"), "{}", stderr(&expired));
    let other = cluster.landed(&["dump", "-o", "-", "--tls-server-name", "other.example"]);
    assert!(stderr(&other).contains("certificate of the API server"), "{}", stderr(&other));
    let server = cluster.server();
    let unknown = cluster.landed_bare(&["dump", "-o", "-", "--server", &server, "--token", "t"]);
    assert!(stderr(&unknown).contains("certificate of the API server"), "{}", stderr(&unknown));
    let any = cluster.landed(&["dump", "-o", "-", "--insecure-skip-tls-verify"]);
    assert_eq!(any.status.code(), Some(0), "{}", stderr(&any));
    let as_nobody = cluster.landed(&[
        "dump",
        "-o",
        "-",
        "--as",
        "nobody-at-all",
        "--as-group",
        "system:authenticated",
    ]);
    assert!(stderr(&as_nobody).contains("nobody-at-all"), "{}", stderr(&as_nobody));
}

#[test]
#[ignore = "needs a real API server: ../shared/minicluster"]
fn a_server_that_stops_within_a_list_is_an_error_in_time() {
    let cluster = Cluster::quick();
    cluster.apply(OBJECTS);
    cluster.many_pods(3000);
    // Frozen, it accepts connections and says nothing: the worst way to be dead.
    cluster.signal("kube-apiserver", "STOP");
    #[expect(clippy::disallowed_methods, reason = "the test looks at the clock")]
    let started = Instant::now();
    let frozen = cluster.landed(&["dump", "-o", "-", "--request-timeout", "3s"]);
    cluster.signal("kube-apiserver", "CONT");
    assert_eq!(frozen.status.code(), Some(1), "{}", stderr(&frozen));
    assert!(
        stderr(&frozen).contains("did not answer within 3s")
            || stderr(&frozen).contains("cannot reach"),
        "{}",
        stderr(&frozen)
    );
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    // Frozen while it answers.
    let mut reading = cluster.command(&["dump", "-o", "-", "--request-timeout", "5s"]);
    let mut reading =
        reading.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    thread::sleep(Duration::from_millis(60));
    cluster.signal("kube-apiserver", "STOP");
    thread::sleep(Duration::from_secs(8));
    let ended = reading.try_wait().expect("a child");
    cluster.signal("kube-apiserver", "CONT");
    let ended = ended.unwrap_or_else(|| {
        panic!("it still waits 8 s after a time-out of 5 s: {:?}", reading.kill())
    });
    let mut err = String::new();
    reading.stderr.take().expect("a pipe").read_to_string(&mut err).expect("UTF-8");
    assert!(ended.success() || err.starts_with("error: "), "{err}");
    cluster.wait_ready();
}

#[test]
#[ignore = "needs a real API server: ../shared/minicluster"]
fn a_server_that_is_killed_within_a_list_leaves_an_error_and_no_half_a_dump() {
    let cluster = Cluster::quick();
    cluster.apply(OBJECTS);
    cluster.many_pods(3000);
    let folder = Folder::new("killed");
    let mut cut = 0;
    for delay in [20, 60, 150] {
        let target = folder.path("d.tar.zst");
        let mut reading = cluster.command(&["dump", "-o", &target, "--request-timeout", "5s"]);
        let mut reading = reading.stderr(Stdio::piped()).spawn().expect("it starts");
        thread::sleep(Duration::from_millis(delay));
        cluster.signal("kube-apiserver", "KILL");
        #[expect(clippy::disallowed_methods, reason = "the test looks at the clock")]
        let killed = Instant::now();
        let mut err = String::new();
        reading.stderr.take().expect("a pipe").read_to_string(&mut err).expect("UTF-8");
        let ended = reading.wait().expect("a child");
        assert!(killed.elapsed() < Duration::from_secs(15), "{:?}: {err}", killed.elapsed());
        cluster.restart("kube-apiserver");
        cluster.wait_ready();
        let left = std::fs::read_dir(&folder.0).expect("a folder").count();
        if ended.success() {
            // It was quicker than the signal: then the dump is whole.
            let answer = cluster.landed(&["web", "-n", "shop", "-f", &target]);
            assert_eq!(answer.status.code(), Some(0), "{}", stderr(&answer));
            std::fs::remove_file(&target).expect("the dump");
        } else {
            cut += 1;
            assert!(err.starts_with("error: ") && err.contains("hint: "), "{err}");
            assert!(err.contains("cannot reach") || err.contains(" broke "), "{err}");
            assert_eq!(left, 0, "{err}");
        }
    }
    assert!(cut > 0, "the server was never killed in time");
}

#[test]
#[ignore = "needs a real API server: ../shared/minicluster"]
fn a_recorder_survives_its_server_and_loses_nothing_that_was_recorded() {
    let cluster = Cluster::quick();
    cluster.apply(OBJECTS);
    let folder = Folder::new("record");
    let target = folder.path("flight");
    let mut recorder = cluster.record(&target);
    cluster.apply(&pod("first"));
    cluster.wait_for("the first pod in the recording", || cluster::holds(&target, "\"first\""));
    let before = cluster::recorded(&target);
    cluster.signal("kube-apiserver", "KILL");
    cluster.wait_for("the recorder to notice", || cluster.recorder_said().contains("waiting: "));
    cluster.restart("kube-apiserver");
    cluster.wait_ready();
    cluster.apply(&pod("second"));
    cluster.wait_for("the second pod in the recording", || cluster::holds(&target, "\"second\""));
    cluster.wait_for("the recorder to tell", || cluster.recorder_said().contains(" is back"));
    // What was recorded stays as it was, and the recorder is known to have been there all the time.
    assert!(cluster::recorded(&target).starts_with(&before));
    cluster.wait_for("a sign of life", || {
        cluster::recorded(&target)[before.len()..].contains("ALIVE")
    });
    // Killed without a chance to tidy up.
    recorder.kill().expect("a child");
    recorder.wait().expect("a child");
    let mut recorder = cluster.record(&target);
    cluster.apply(&pod("third"));
    cluster.wait_for("the third pod in the recording", || cluster::holds(&target, "\"third\""));
    let kill = Command::new("kill")
        .args(["-INT", &recorder.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(kill.success());
    assert_eq!(recorder.wait().expect("a child").code(), Some(0));
    for name in ["first", "second", "third"] {
        let answer = cluster.landed(&[name, "-n", "shop", "-f", &target]);
        assert_eq!(answer.status.code(), Some(0), "{name}: {}", stderr(&answer));
    }
}

#[test]
#[ignore = "needs a real API server: ../shared/minicluster"]
fn manifests_are_checked_against_the_running_cluster() {
    let cluster = Cluster::quick();
    cluster.apply(POOL);
    let folder = Folder::new("check");
    let check = |zone: &str| {
        let manifest = folder.path("deploy.yaml");
        std::fs::write(&manifest, DEPLOYMENT.replace("ZONE", zone)).expect("written");
        let options = ["--against", "live", "--fail-on", "warning", "-o", "json"];
        let output = cluster.landed(&[&["check", "-f", &manifest][..], &options].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)));
        assert_eq!(report["metadata"]["input"]["kind"], "live", "{report}");
        (output.status.code(), report["findings"].to_string())
    };
    assert_eq!(check("test-zone-a"), (Some(0), "[]".to_owned()));
    let (code, findings) = check("test-zone-z");
    assert_eq!(code, Some(1), "{findings}");
    assert!(findings.contains("zone-without-offering"), "{findings}");
    // A cluster that cannot be read is not a clean bill.
    cluster.signal("kube-apiserver", "KILL");
    let options = ["--against", "live", "--request-timeout", "2s"];
    let manifest = folder.path("deploy.yaml");
    let unread = cluster.landed(&[&["check", "-f", &manifest][..], &options].concat());
    assert_eq!(unread.status.code(), Some(2), "{}", stdout(&unread));
    assert!(stderr(&unread).contains("cannot reach the API server"), "{}", stderr(&unread));
}

const POOL: &str = r#"{"apiVersion":"v1","kind":"List","items":[
    {"apiVersion":"karpenter.kwok.sh/v1alpha1","kind":"KWOKNodeClass","metadata":{"name":"default"}},
    {"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"general"},"spec":{"template":{"spec":{
     "nodeClassRef":{"group":"karpenter.kwok.sh","kind":"KWOKNodeClass","name":"default"},
     "requirements":[{"key":"kubernetes.io/arch","operator":"In","values":["amd64"]}]}}}}]}"#;

const DEPLOYMENT: &str = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3,
    "selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{
    "nodeSelector":{"topology.kubernetes.io/zone":"ZONE"},"containers":[{"name":"main","image":"example.invalid/web:1",
    "resources":{"requests":{"cpu":"1","memory":"256Mi"}}}]}}}}"#;

fn pod(name: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","namespace":"shop"}},
        "spec":{{"containers":[{{"name":"main","image":"example.invalid/web:1"}}]}}}}"#
    )
}
