//! A small API server of our own, and the program that talks to it.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the server does with a request.
pub enum Reply {
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
pub struct Server {
    pub address: String,
    requests: Arc<Mutex<Vec<String>>>,
    headers: Arc<Mutex<Vec<String>>>,
    pub most_at_once: Arc<AtomicUsize>,
}

impl Server {
    /// `answer` gets the path with its query; what it leaves open is an empty list.
    pub fn start(answer: impl Fn(&str) -> Option<Reply> + Send + Sync + 'static) -> Self {
        Self::asking(move |path, _| answer(path))
    }

    /// `answer` gets the headers too, one a line.
    pub fn asking(answer: impl Fn(&str, &str) -> Option<Reply> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (requests, headers) =
            (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let (at_once, most_at_once) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let answer = Arc::new(answer);
        let (log, most) = (Arc::clone(&requests), Arc::clone(&most_at_once));
        let header_log = Arc::clone(&headers);
        thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
                let header_log = Arc::clone(&header_log);
                let (at_once, most) = (Arc::clone(&at_once), Arc::clone(&most));
                thread::spawn(move || {
                    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
                    while let Some((request, headers)) = read_request(&mut reader) {
                        log.lock().expect("a lock").push(request.clone());
                        header_log.lock().expect("a lock").push(headers.clone());
                        most.fetch_max(
                            at_once.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        let path = request.split(' ').nth(1).unwrap_or_default();
                        let reply = answer(path, &headers).unwrap_or_else(|| usual(path));
                        at_once.fetch_sub(1, Ordering::SeqCst);
                        if !send(&stream, reply) {
                            return;
                        }
                    }
                });
            }
        });
        Self { address, requests, headers, most_at_once }
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("a lock").clone()
    }

    /// Whether every request had a header.
    pub fn always_got(&self, header: &str) -> bool {
        let headers = self.headers.lock().expect("a lock");
        !headers.is_empty() && headers.iter().all(|all| all.lines().any(|line| line == header))
    }

    /// Runs the program against this server, and looks at what it asked for.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
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

/// The first line of a request, and its headers.
fn read_request(reader: &mut impl BufRead) -> Option<(String, String)> {
    let (mut first, mut headers) = (String::new(), String::new());
    reader.read_line(&mut first).ok().filter(|length| *length > 0)?;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|length| *length > 0)?;
        if header.trim().is_empty() {
            return Some((first.trim().to_owned(), headers));
        }
        headers += header.trim();
        headers.push('\n');
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

pub fn list(next: &str, names: &[&str]) -> String {
    let items = names.iter().map(|name| {
        format!(r#"{{"metadata":{{"name":"{name}","namespace":"a","uid":"{name}","resourceVersion":"5"}},"spec":{{}}}}"#)
    });
    let items = items.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"kind":"List","metadata":{{"continue":"{next}","resourceVersion":"7"}},"items":[{items}]}}"#
    )
}

pub fn forbidden(what: &str) -> Reply {
    Reply::Json(
        403,
        format!(
            r#"{{"kind":"Status","message":"{what} is forbidden: User \"u\" cannot list it"}}"#
        ),
    )
}

pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-landed"));
    command.env_clear().env("HOME", "/nonexistent").stdin(Stdio::null());
    command
}

pub fn run(arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
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
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("landed-live-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).expect("a folder");
        Self(path)
    }

    #[expect(clippy::disallowed_methods, reason = "a test reads what was written")]
    pub fn read(path: &Path) -> String {
        std::fs::read_to_string(path).expect("a file")
    }

    pub fn write(&self, name: &str, text: &str) -> String {
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

pub fn pods_in(dump: &str) -> Vec<String> {
    let dump: serde_json::Value = serde_json::from_str(dump).expect("JSON");
    let items = dump["items"].as_array().expect("items").iter();
    let pods = items.filter(|item| item["kind"] == "Pod");
    pods.map(|pod| pod["metadata"]["name"].as_str().expect("a name").to_owned()).collect()
}
