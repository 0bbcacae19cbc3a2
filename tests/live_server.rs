//! What the client does when an API server pages, forbids, puts off, breaks off, hangs: against a small server of our own.
#![cfg(all(feature = "live", unix))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the server does with a request.
enum Reply {
    /// Answers.
    Json(u16, String),
    /// Answers that it wants to be left alone for some seconds.
    PutOff(u32),
    /// Promises more than it sends, and hangs up.
    CutOff(&'static str),
    /// Says nothing for a long time.
    Silence,
    /// Answers in lines, and hangs up after them or goes on waiting.
    Lines(Vec<String>, bool),
}

/// A server on a port of its own, and every request that it got.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
    most_at_once: Arc<AtomicUsize>,
}

impl Server {
    /// `answer` gets the path with its query; what it leaves open is an empty list.
    fn start(answer: impl Fn(&str) -> Option<Reply> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (at_once, most_at_once) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let answer = Arc::new(answer);
        let (log, most) = (Arc::clone(&requests), Arc::clone(&most_at_once));
        thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
                let (at_once, most) = (Arc::clone(&at_once), Arc::clone(&most));
                thread::spawn(move || {
                    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
                    while let Some(request) = read_request(&mut reader) {
                        log.lock().expect("a lock").push(request.clone());
                        most.fetch_max(
                            at_once.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        let path = request.split(' ').nth(1).unwrap_or_default();
                        let reply = answer(path).unwrap_or_else(|| usual(path));
                        at_once.fetch_sub(1, Ordering::SeqCst);
                        if !send(&stream, reply) {
                            return;
                        }
                    }
                });
            }
        });
        Self { address, requests, most_at_once }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("a lock").clone()
    }

    /// Runs the program against this server, and looks at what it asked for.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let server = ["--server", &self.address];
        let result = run(&[arguments, &server].concat(), &[]);
        for request in self.requests() {
            assert!(request.starts_with("GET "), "only GET: {request}");
            assert!(!request.contains("/secrets"), "never a Secret: {request}");
            let is_list = request.contains("/configmaps?") || request.contains("/configmaps ");
            assert!(!is_list, "ConfigMaps only by name: {request}");
        }
        result
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<String> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|length| *length > 0)?;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|length| *length > 0)?;
        if header.trim().is_empty() {
            return Some(first.trim().to_owned());
        }
    }
}

/// Whether the connection can be used again.
fn send(mut stream: &TcpStream, reply: Reply) -> bool {
    let head = |status: u16, more: &str| {
        format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{more}\r\n")
    };
    let (text, goes_on) = match reply {
        Reply::Json(status, body) => {
            (head(status, &format!("Content-Length: {}\r\n", body.len())) + &body, true)
        }
        Reply::PutOff(seconds) => {
            (head(429, &format!("Retry-After: {seconds}\r\nContent-Length: 0\r\n")), true)
        }
        Reply::CutOff(body) => (head(200, "Content-Length: 100000\r\n") + body, false),
        Reply::Silence => {
            thread::sleep(Duration::from_secs(20));
            return false;
        }
        Reply::Lines(lines, waits) => {
            let text = head(200, "") + &lines.concat();
            if stream.write_all(text.as_bytes()).is_ok() && waits {
                thread::sleep(Duration::from_secs(20));
            }
            return false;
        }
    };
    stream.write_all(text.as_bytes()).is_ok() && goes_on
}

fn usual(path: &str) -> Reply {
    let body = match path.split('?').next().unwrap_or_default() {
        "/version" => r#"{"gitVersion":"v1.37.2"}"#.to_owned(),
        "/apis" => GROUPS.to_owned(),
        path if path.starts_with("/apis/karpenter.kwok.sh") => r#"{"resources":[]}"#.to_owned(),
        _ if path.contains("watch=1") => return Reply::Lines(Vec::new(), true),
        _ => list("", &[]),
    };
    Reply::Json(200, body)
}

const GROUPS: &str = r#"{"kind":"APIGroupList","groups":[
    {"name":"apps","versions":[{"version":"v1"}]},{"name":"batch","versions":[{"version":"v1"}]},
    {"name":"policy","versions":[{"version":"v1"}]},{"name":"storage.k8s.io","versions":[{"version":"v1"}]},
    {"name":"scheduling.k8s.io","versions":[{"version":"v1"}]},{"name":"karpenter.sh","versions":[{"version":"v1"}]}]}"#;

fn list(next: &str, names: &[&str]) -> String {
    let items = names.iter().map(|name| {
        format!(r#"{{"metadata":{{"name":"{name}","namespace":"a","uid":"{name}","resourceVersion":"5"}},"spec":{{}}}}"#)
    });
    let items = items.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"kind":"List","metadata":{{"continue":"{next}","resourceVersion":"7"}},"items":[{items}]}}"#
    )
}

fn forbidden(what: &str) -> Reply {
    Reply::Json(
        403,
        format!(
            r#"{{"kind":"Status","message":"{what} is forbidden: User \"u\" cannot list it"}}"#
        ),
    )
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-landed"));
    command.env_clear().env("HOME", "/nonexistent").stdin(Stdio::null());
    command
}

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let output = program()
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .expect("the program runs");
    let Output { status, stdout, stderr } = output;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (status.code().expect("an exit code"), text(stdout), text(stderr))
}

/// A folder that is gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("landed-live-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).expect("a folder");
        Self(path)
    }

    #[expect(clippy::disallowed_methods, reason = "a test reads what was written")]
    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).expect("a file")
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn pods_in(dump: &str) -> Vec<String> {
    let dump: serde_json::Value = serde_json::from_str(dump).expect("JSON");
    let items = dump["items"].as_array().expect("items").iter();
    let pods = items.filter(|item| item["kind"] == "Pod");
    pods.map(|pod| pod["metadata"]["name"].as_str().expect("a name").to_owned()).collect()
}

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
fn a_kubeconfig_that_cannot_be_used_is_told_before_anything_is_asked() {
    let folder = Folder::new("kubeconfig");
    let first = folder
        .write("first", "current-context: one\ncontexts: [{name: one, context: {cluster: c}}]\n");
    let second = folder.write(
        "second",
        "contexts: [{name: two, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:9'}}]\n",
    );
    let broken = folder.write("broken", "contexts: {");
    let list = format!("{first}:{}:{second}", folder.0.join("absent").display());
    for (variables, arguments, error) in [
        (&[][..], &[][..], "no kubeconfig: none of /nonexistent/.kube/config exists"),
        (
            &[("KUBECONFIG", list.as_str())],
            &["--context", "three"],
            "there is no context \"three\" in the kubeconfig; there are: one, two",
        ),
        (&[("KUBECONFIG", list.as_str())], &["--user", "u"], "there is no user \"u\""),
        (
            &[("KUBECONFIG", second.as_str())],
            &[],
            "the kubeconfig selects no context; there are: two",
        ),
        (&[("KUBECONFIG", broken.as_str())], &[], "cannot be read"),
        // The first file's context, the second file's cluster: nothing listens there.
        (&[("KUBECONFIG", list.as_str())], &[], "cannot reach the API server http://127.0.0.1:9"),
    ] {
        let (code, out, err) = run(&[&["dump", "-o", "-"], arguments].concat(), variables);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.contains(error), "{error:?} is not in {err}");
    }
}

#[test]
fn a_credential_plugin_gives_the_token_and_its_failure_is_named() {
    let server = Server::start(|_| None);
    let folder = Folder::new("plugin");
    let plugin = folder.write(
        "plugin.sh",
        "[ \"$ANSWER\" = yes ] || { echo 'session expired: run login' >&2; exit 3; }\n\
         echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t\"}}'\n",
    );
    let kubeconfig = |answer: &str, command: &str| {
        format!(
            "current-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n\
             clusters: [{{name: c, cluster: {{server: '{}'}}}}]\n\
             users: [{{name: u, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1, command: {command}, args: ['{plugin}'], \
             interactiveMode: IfAvailable, installHint: install it first, env: [{{name: ANSWER, value: '{answer}'}}]}}}}}}]\n",
            server.address
        )
    };
    let good = folder.write("good", &kubeconfig("yes", "sh"));
    let (code, _, err) =
        run(&["dump", "-o", "-", "--kubeconfig", &good], &[("PATH", "/bin:/usr/bin")]);
    assert_eq!(code, 0, "{err}");
    let bad = folder.write("bad", &kubeconfig("hunter2", "sh"));
    let (code, _, err) =
        run(&["dump", "-o", "-", "--kubeconfig", &bad], &[("PATH", "/bin:/usr/bin")]);
    assert_eq!(code, 1);
    assert!(
        err.contains("session expired: run login") && err.contains("hint: install it first"),
        "{err}"
    );
    assert!(!err.contains("hunter2"), "its environment may be secret: {err}");
    let absent = folder.write("absent", &kubeconfig("yes", "no-such-plugin"));
    let (_, _, err) =
        run(&["dump", "-o", "-", "--kubeconfig", &absent], &[("PATH", "/bin:/usr/bin")]);
    assert!(err.contains("the credential plugin \"no-such-plugin\""), "{err}");
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
    assert!(err.contains("proved: 1 pods have the same verdict"), "{err}");
    assert_eq!(pods_in(&anonymous).len(), 1);
}
