//! A mini cluster for one test, its folder, and the programs that talk to it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The kinds whose rights are taken away one by one: those that the mini cluster serves.
pub const KINDS: &[(&str, &str)] = &[
    ("", "pods"),
    ("", "nodes"),
    ("", "events"),
    ("", "namespaces"),
    ("", "services"),
    ("", "replicationcontrollers"),
    ("", "persistentvolumeclaims"),
    ("", "persistentvolumes"),
    ("", "podtemplates"),
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("batch", "jobs"),
    ("batch", "cronjobs"),
    ("karpenter.sh", "nodepools"),
    ("karpenter.sh", "nodeclaims"),
    ("karpenter.kwok.sh", "kwoknodeclasses"),
    ("policy", "poddisruptionbudgets"),
    ("resource.k8s.io", "resourceclaims"),
    ("resource.k8s.io", "resourceslices"),
    ("scheduling.k8s.io", "priorityclasses"),
    ("storage.k8s.io", "csidrivers"),
    ("storage.k8s.io", "csinodes"),
    ("storage.k8s.io", "csistoragecapacities"),
    ("storage.k8s.io", "storageclasses"),
    ("storage.k8s.io", "volumeattachments"),
];

/// A cluster that goes away with its test.
pub struct Cluster {
    script: PathBuf,
    name: String,
    port: u16,
    state: PathBuf,
    /// Holds `kubectl-landed` and its completion helper, for PATH.
    programs: Folder,
}

impl Cluster {
    /// etcd, the API server and the scheduler.
    pub fn quick() -> Self {
        Self::start("landed-quick", 25_000, &["--control-plane-only"])
    }

    /// All of it, with Karpenter.
    pub fn full() -> Self {
        Self::start("landed-full", 25_100, &[])
    }

    #[expect(clippy::disallowed_methods, reason = "tests read the environment")]
    fn start(name: &str, port: u16, options: &[&str]) -> Self {
        let beside =
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/minicluster/minicluster");
        let script = std::env::var_os("LANDED_MINICLUSTER").map_or_else(beside, PathBuf::from);
        assert!(script.exists(), "no mini cluster at {}: set LANDED_MINICLUSTER", script.display());
        let cache = std::env::var_os("MINICLUSTER_CACHE").map(PathBuf::from);
        let home = || {
            PathBuf::from(std::env::var_os("HOME").expect("HOME")).join(".cache/landed-minicluster")
        };
        let state = cache.unwrap_or_else(home).join("run").join(name);
        let programs = Folder::new(&format!("programs-{name}"));
        let program = Path::new(env!("CARGO_BIN_EXE_kubectl-landed"));
        std::os::unix::fs::symlink(program, programs.path("kubectl-landed")).expect("a link");
        let helper = concat!(env!("CARGO_MANIFEST_DIR"), "/completions/kubectl_complete-landed");
        std::fs::copy(helper, programs.path("kubectl_complete-landed")).expect("a copy");
        let chmod =
            Command::new("chmod").args(["+x", &programs.path("kubectl_complete-landed")]).status();
        assert!(chmod.expect("chmod runs").success());
        let cluster = Self { script, name: name.to_owned(), port, state, programs };
        cluster.minicluster(&["down"]);
        cluster.minicluster(&[&["up"], options].concat());
        cluster
    }

    fn minicluster(&self, arguments: &[&str]) {
        let mut command = Command::new(&self.script);
        command
            .args(arguments)
            .env("MINICLUSTER_NAME", &self.name)
            .env("MINICLUSTER_PORT_BASE", self.port.to_string());
        // The servers inherit the streams: a pipe would never end.
        let status = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .expect("the mini cluster runs");
        assert!(status.success(), "minicluster {arguments:?}");
    }

    /// Stops one server and starts it again.
    pub fn restart(&self, component: &str) {
        self.minicluster(&["restart", component]);
    }

    /// Sends a signal to one of the servers that this test started.
    pub fn signal(&self, component: &str, signal: &str) {
        let pid = read(&self.state.join("pids").join(component));
        let kill = Command::new("kill").args([&format!("-{signal}"), pid.trim()]).status();
        assert!(kill.expect("kill runs").success(), "{component}");
    }

    /// The API server's address.
    pub fn server(&self) -> String {
        format!("https://127.0.0.1:{}", self.port + 2)
    }

    /// The kubeconfig of `nobody`, `viewer`, or `cert`.
    pub fn kubeconfig(&self, user: &str) -> String {
        self.state.join(format!("{user}.kubeconfig")).display().to_string()
    }

    fn prepared(&self, program: &str, arguments: &[&str]) -> Command {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs.0.display());
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .env("PATH", path)
            .env("HOME", &self.programs.0)
            .stdin(Stdio::null());
        command.env("KUBECONFIG", self.state.join("kubeconfig"));
        command
    }

    /// The program, ready to run.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.prepared(env!("CARGO_BIN_EXE_kubectl-landed"), arguments)
    }

    /// Runs the program.
    pub fn landed(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    /// Runs the program without a kubeconfig.
    pub fn landed_bare(&self, arguments: &[&str]) -> Output {
        self.command(arguments).env_remove("KUBECONFIG").output().expect("the program runs")
    }

    /// Runs kubectl, with the program on PATH.
    pub fn kubectl(&self, arguments: &[&str]) -> Output {
        self.prepared("kubectl", arguments).output().expect("kubectl runs")
    }

    /// Starts a recorder and waits until it records.
    pub fn record(&self, folder: &str) -> Child {
        let said = std::fs::File::create(self.programs.path("recorder")).expect("a file");
        let child = self.command(&["record", folder]).stderr(said).spawn().expect("it starts");
        self.wait_for("the recorder", || self.recorder_said().contains("recording "));
        child
    }

    /// What the last recorder has told so far.
    pub fn recorder_said(&self) -> String {
        read(Path::new(&self.programs.path("recorder")))
    }

    /// Applies objects, as text.
    pub fn apply(&self, text: &str) {
        let file = self.programs.path("objects");
        std::fs::write(&file, text).expect("written");
        let applied = self.kubectl(&["apply", "-f", &file]);
        assert!(applied.status.success(), "{}\n{text}", stderr(&applied));
    }

    /// Makes many pods that no node takes.
    pub fn many_pods(&self, count: usize) {
        let pods = (0..count).map(|number| {
            format!(
                r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"many-{number}","namespace":"shop"}},
                "spec":{{"schedulerName":"none","containers":[{{"name":"main","image":"example.invalid/web:1"}}]}}}}"#
            )
        });
        let file = self.programs.path("many");
        let list = pods.collect::<Vec<_>>().join(",");
        std::fs::write(&file, format!(r#"{{"apiVersion":"v1","kind":"List","items":[{list}]}}"#))
            .expect("written");
        let created = self.kubectl(&["create", "-f", &file]);
        assert!(created.status.success(), "{}", stderr(&created));
    }

    /// Waits until something holds, for a minute at most.
    pub fn wait_for(&self, what: &str, holds: impl Fn() -> bool) {
        self.wait_long(what, Duration::from_mins(1), holds);
    }

    /// Waits until something holds.
    pub fn wait_long(&self, what: &str, limit: Duration, holds: impl Fn() -> bool) {
        #[expect(clippy::disallowed_methods, reason = "the test waits for a real cluster")]
        let started = Instant::now();
        while !holds() {
            assert!(
                started.elapsed() < limit,
                "{}: {what} did not come within {limit:?}",
                self.name
            );
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// Waits until the API server answers.
    pub fn wait_ready(&self) {
        self.wait_for("the API server", || {
            self.kubectl(&["get", "--raw", "/readyz"]).status.success()
        });
    }

    /// Waits until a pod is bound.
    pub fn wait_bound(&self, namespace: &str, pod: &str) {
        self.wait_for("the binding", || {
            let get = self.kubectl(&[
                "get",
                "pod",
                pod,
                "-n",
                namespace,
                "-o",
                "jsonpath={.spec.nodeName}",
            ]);
            !stdout(&get).is_empty()
        });
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if thread::panicking() {
            // The first failure is the one to tell.
            let mut down = Command::new(&self.script);
            let _ =
                down.arg("down").env("MINICLUSTER_NAME", &self.name).stdout(Stdio::null()).status();
            return;
        }
        self.minicluster(&["down"]);
    }
}

/// A folder that is gone at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A new folder.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("landed-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).expect("a folder");
        Self(path)
    }

    /// The path of something in it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[expect(clippy::disallowed_methods, reason = "tests read files")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// What a program printed.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a program complained about.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All that a recording holds.
pub fn recorded(folder: &str) -> String {
    let Ok(entries) = std::fs::read_dir(folder) else { return String::new() };
    let mut files = entries.filter_map(|entry| Some(entry.ok()?.path())).collect::<Vec<_>>();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

/// Whether a recording holds some text.
pub fn holds(folder: &str, text: &str) -> bool {
    recorded(folder).contains(text)
}
