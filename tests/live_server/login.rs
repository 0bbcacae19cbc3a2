//! Kubeconfigs, credentials, plugins and proxies: how the program gets to a server at all.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use super::server::{Folder, Reply, Server, run};

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

/// A plugin that gives the tokens t1, t2, …, each for as long as it is told, and notes that it was run.
struct Plugin {
    folder: Folder,
    script: String,
}

impl Plugin {
    fn new(name: &str, expires: &str) -> Self {
        let folder = Folder::new(name);
        let runs = folder.0.join("runs").display().to_string();
        let script = folder.write(
            "plugin.sh",
            &format!(
                "echo \"$KUBERNETES_EXEC_INFO\" >> '{runs}'\nn=$(wc -l < '{runs}' | tr -d ' ')\n\
                 echo \"{{apiVersion: client.authentication.k8s.io/v1, kind: ExecCredential, status: {{token: t$n{expires}}}}}\"\n"
            ),
        );
        Self { folder, script }
    }

    /// A kubeconfig with it. `more` stands in the user's `exec`.
    fn kubeconfig(&self, server: &str, more: &str) -> String {
        let text = format!(
            "current-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n\
             clusters: [{{name: c, cluster: {{server: '{server}'}}}}]\n\
             users: [{{name: u, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1, command: sh, args: ['{}']{more}}}}}}}]\n",
            self.script
        );
        self.folder.write("kubeconfig", &text)
    }

    /// What it was told each time.
    fn runs(&self) -> Vec<String> {
        let runs = self.folder.0.join("runs");
        if !runs.exists() {
            return Vec::new();
        }
        Folder::read(&runs).lines().map(str::to_owned).collect()
    }
}

const PATH: (&str, &str) = ("PATH", "/bin:/usr/bin");

#[test]
fn a_credential_plugin_is_run_once_and_told_what_client_go_tells_it() {
    let server = Server::start(|_| None);
    let plugin = Plugin::new("plugin-once", "");
    let kubeconfig = plugin.kubeconfig(&server.address, ", provideClusterInfo: true");
    let (code, _, err) = run(&["dump", "-o", "-", "--kubeconfig", &kubeconfig], &[PATH]);
    assert_eq!(code, 0, "{err}");
    let runs = plugin.runs();
    assert_eq!(runs.len(), 1, "{runs:?}");
    let told: serde_json::Value = serde_json::from_str(&runs[0]).expect("JSON");
    assert_eq!(told["apiVersion"], "client.authentication.k8s.io/v1");
    assert_eq!(told["kind"], "ExecCredential");
    assert_eq!(told["spec"]["interactive"], false, "standard input is not a terminal");
    assert_eq!(told["spec"]["cluster"]["server"], server.address.as_str());
    assert!(server.always_got("authorization: Bearer t1"));
    // Who has a token asks for none.
    let (code, _, err) =
        run(&["dump", "-o", "-", "--kubeconfig", &kubeconfig, "--token", "given"], &[PATH]);
    assert_eq!((code, plugin.runs().len()), (0, 1), "{err}");
}

#[test]
fn a_credential_that_has_ended_or_is_refused_is_renewed() {
    let pods = || Some(Reply::Json(200, super::server::list("", &["web"])));
    // Its end has come before it is used: each request asks again.
    let server = Server::start(move |path| pods().filter(|_| path.starts_with("/api/v1/pods?")));
    let plugin = Plugin::new("plugin-ended", ", expirationTimestamp: '2020-01-01T00:00:00Z'");
    let kubeconfig = plugin.kubeconfig(&server.address, "");
    let (code, _, err) = run(&["dump", "-o", "-", "--kubeconfig", &kubeconfig], &[PATH]);
    assert_eq!(code, 0, "{err}");
    assert!(plugin.runs().len() > server.requests().len(), "{:?}", plugin.runs().len());
    // The server takes the second alone; four lists at a time are refused, and one asks for all of them.
    let server = Server::asking(|_, headers| {
        (!headers.contains("Bearer t2")).then(|| Reply::Json(401, "{}".to_owned()))
    });
    let plugin = Plugin::new("plugin-refused", ", expirationTimestamp: '2999-01-01T00:00:00Z'");
    let kubeconfig = plugin.kubeconfig(&server.address, "");
    let (code, _, err) = run(&["dump", "-o", "-", "--kubeconfig", &kubeconfig], &[PATH]);
    assert_eq!((code, plugin.runs().len()), (0, 2), "{err}");
    // It takes none: that is told, and it is not asked for ever.
    let server = Server::start(|_| Some(Reply::Json(401, "{}".to_owned())));
    let plugin = Plugin::new("plugin-in-vain", "");
    let kubeconfig = plugin.kubeconfig(&server.address, "");
    let (code, _, err) = run(&["dump", "-o", "-", "--kubeconfig", &kubeconfig], &[PATH]);
    assert_eq!(code, 1);
    assert!(err.contains("does not accept the credentials (401"), "{err}");
    assert!(plugin.runs().len() <= 4, "{}", plugin.runs().len());
}

#[test]
fn a_plugin_that_gives_nothing_of_use_is_one_clear_line() {
    let folder = Folder::new("plugin-wrong");
    let version = "apiVersion: client.authentication.k8s.io/v1";
    for (case, printed, error) in [
        ("no status", format!("{{{version}, kind: ExecCredential}}"), "neither a token nor"),
        ("empty", format!("{{{version}, status: {{}}}}"), "neither a token nor"),
        ("half", format!("{{{version}, status: {{clientKeyData: hunter2}}}}"), "only one of"),
        ("old", "{apiVersion: v1alpha1, status: {token: hunter2}}".to_owned(), "\"v1alpha1\""),
        ("text", "hunter2".to_owned(), "not an ExecCredential"),
        (
            "no time",
            format!("{{{version}, status: {{token: hunter2, expirationTimestamp: soon}}}}"),
            "expirationTimestamp",
        ),
    ] {
        let kubeconfig = folder.write(
            "kubeconfig",
            &format!(
                "current-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n\
                 clusters: [{{name: c, cluster: {{server: 'http://127.0.0.1:9'}}}}]\n\
                 users: [{{name: u, user: {{exec: {{{version}, command: echo, args: ['{printed}']}}}}}}]\n"
            ),
        );
        let (code, out, err) = run(&["dump", "-o", "-", "--kubeconfig", &kubeconfig], &[PATH]);
        assert_eq!((code, out.as_str()), (1, ""), "{case}: {err}");
        let start = "error: the credential plugin \"echo\" of the kubeconfig failed: ";
        assert!(err.starts_with(start) && err.contains(error), "{case}: {err}");
        assert!(!err.contains("hunter2"), "{case}: a credential is shown: {err}");
        assert_eq!(err.lines().count(), 2, "{case}: {err}");
    }
    let asking = folder.write(
        "asking",
        "current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n\
         clusters: [{name: c, cluster: {server: 'http://127.0.0.1:9'}}]\n\
         users: [{name: u, user: {exec: {command: echo, interactiveMode: Always}}}]\n",
    );
    let (_, _, err) = run(&["dump", "-o", "-", "--kubeconfig", &asking], &[PATH]);
    assert!(err.contains("standard input is not a terminal"), "{err}");
}

#[test]
fn kubectls_policy_says_which_plugins_are_run() {
    let server = Server::start(|_| None);
    let plugin = Plugin::new("kuberc", "");
    let kubeconfig = plugin.kubeconfig(&server.address, "");
    let policy = |name: &str, text: &str| {
        let head = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n";
        plugin.folder.write(name, &format!("{head}{text}"))
    };
    let absent = plugin.folder.0.join("absent").display().to_string();
    let deny = policy("deny", "credentialPluginPolicy: DenyAll\n");
    let list = |name: &str, command: &str| {
        policy(
            name,
            &format!(
                "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{{{command}}}]\n"
            ),
        )
    };
    let (other, old, new) =
        (list("other", "command: aws"), list("old", "name: sh"), list("new", "command: sh"));
    let empty = policy("empty", "credentialPluginPolicy: Allowlist\n");
    for (file, error) in [
        ("off", None),
        (absent.as_str(), Some("cannot be read")),
        (&deny, Some("credentialPluginPolicy: DenyAll")),
        (&other, Some("sh is not in credentialPluginAllowlist of ")),
        (&empty, Some("is no policy")),
        (&old, None),
        (&new, None),
    ] {
        let before = plugin.runs().len();
        let (code, _, err) =
            run(&["dump", "-o", "-", "--kubeconfig", &kubeconfig], &[PATH, ("KUBERC", file)]);
        let ran = plugin.runs().len() - before;
        match error {
            None => assert_eq!((code, ran), (0, 1), "{file}: {err}"),
            Some(error) => {
                assert_eq!((code, ran), (1, 0), "{file}: {err}");
                assert!(err.contains(error), "{file}: {err}");
            }
        }
    }
}

#[test]
fn an_auth_provider_that_kubectl_has_given_up_is_named_with_what_took_its_place() {
    let folder = Folder::new("auth-provider");
    for (provider, hint) in [
        ("gcp", "gke-gcloud-auth-plugin"),
        ("azure", "kubelogin convert-kubeconfig"),
        ("acme", "credential plugin"),
    ] {
        let ran = folder.0.join("ran");
        let kubeconfig = folder.write(
            "kubeconfig",
            &format!(
                "current-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n\
                 clusters: [{{name: c, cluster: {{server: 'http://127.0.0.1:9'}}}}]\n\
                 users: [{{name: u, user: {{auth-provider: {{name: {provider}, config: {{cmd-path: touch, cmd-args: '{}'}}}}}}}}]\n",
                ran.display()
            ),
        );
        let (code, _, err) = run(&["dump", "-o", "-", "--kubeconfig", &kubeconfig], &[PATH]);
        assert_eq!(code, 1, "{err}");
        assert!(err.contains(&format!("the auth-provider \"{provider}\"")), "{err}");
        assert!(err.contains("hint: ") && err.contains(hint), "{err}");
        assert!(!ran.exists(), "{provider}: what it names was run");
    }
}

#[test]
fn who_is_asked_for_is_told_to_the_server() {
    let server = Server::start(|_| None);
    let (code, _, err) = server.run(&[
        "dump",
        "-o",
        "-",
        "--as",
        "jane",
        "--as-group",
        "dev",
        "--as-group",
        "ops",
        "--as-uid",
        "7",
    ]);
    assert_eq!(code, 0, "{err}");
    for header in [
        "impersonate-user: jane",
        "impersonate-group: dev",
        "impersonate-group: ops",
        "impersonate-uid: 7",
    ] {
        assert!(server.always_got(header), "{header}");
    }
    let server = Server::start(|_| None);
    let (code, _, err) = server.run(&["dump", "-o", "-", "--token", "t"]);
    assert_eq!(code, 0, "{err}");
    assert!(server.always_got("authorization: Bearer t"));
    let agent = concat!("user-agent: landed/", env!("CARGO_PKG_VERSION"));
    assert!(server.always_got(agent));
}

/// A proxy that takes every request to one server, and what it was asked for.
struct Proxy {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
    carried: Arc<AtomicUsize>,
}

impl Proxy {
    fn to(server: &Server, answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let target = server.address.trim_start_matches("http://").to_owned();
        let (asked, carried) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (log, count) = (Arc::clone(&asked), Arc::clone(&carried));
        thread::spawn(move || {
            for mut client in listener.incoming().filter_map(Result::ok) {
                let mut head = String::new();
                let mut reader = BufReader::new(client.try_clone().expect("a stream"));
                while !head.ends_with("\r\n\r\n")
                    && reader.read_line(&mut head).is_ok_and(|n| n > 0)
                {}
                log.lock().expect("a lock").push(head);
                let _ = write!(client, "HTTP/1.1 {answer}\r\n\r\n");
                if !answer.starts_with("200") {
                    continue;
                }
                count.fetch_add(1, Ordering::SeqCst);
                let server = TcpStream::connect(&target).expect("the server is there");
                for (mut from, mut to) in
                    [(&client, &server), (&server, &client)].map(|(from, to)| {
                        (from.try_clone().expect("a stream"), to.try_clone().expect("a stream"))
                    })
                {
                    thread::spawn(move || std::io::copy(&mut from, &mut to));
                }
            }
        });
        Self { address, asked, carried }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("a lock").clone()
    }
}

#[test]
fn a_proxy_of_the_kubeconfig_or_of_the_environment_is_gone_through() {
    let server = Server::start(|_| None);
    let folder = Folder::new("proxy");
    let kubeconfig = |name: &str, more: &str| {
        let text = format!(
            "current-context: c\ncontexts: [{{name: c, context: {{cluster: c}}}}]\n\
             clusters: [{{name: c, cluster: {{server: 'http://cluster.example:8080'{more}}}}}]\n"
        );
        folder.write(name, &text)
    };
    let dump = |kubeconfig: &str, variables: &[(&str, &str)]| {
        run(&["dump", "-o", "-", "--request-timeout", "2s", "--kubeconfig", kubeconfig], variables)
    };
    let proxy = Proxy::to(&server, "200 OK");
    let named = kubeconfig("named", &format!(", proxy-url: 'http://u:p%40ss@{}'", proxy.address));
    // NO_PROXY is for the environment's proxy alone, and may be written as Go's programs take it.
    let (code, _, err) = dump(&named, &[("NO_PROXY", "*,,")]);
    assert_eq!(code, 0, "{err}");
    assert!(proxy.carried.load(Ordering::SeqCst) > 0);
    let first = &proxy.asked()[0];
    assert!(first.starts_with("CONNECT cluster.example:8080 "), "{first}");
    assert!(first.to_lowercase().contains("proxy-authorization: basic dtpwqhnz"), "{first}");

    let plain = kubeconfig("plain", "");
    let proxy = Proxy::to(&server, "200 OK");
    let through = |none: &str| {
        let before = proxy.carried.load(Ordering::SeqCst);
        let (code, _, err) = dump(
            &plain,
            &[("HTTP_PROXY", &proxy.address), ("HTTPS_PROXY", "proxy:3128"), ("NO_PROXY", none)],
        );
        assert!(code == 0 || err.contains("cannot reach the API server"), "{none}: {err}");
        proxy.carried.load(Ordering::SeqCst) > before
    };
    assert!(through("") && through("localhost,, .other,") && through("<local>;x"));
    assert!(!through("cluster.example") && !through(".example, ") && !through("*"));

    let proxy = Proxy::to(&server, "407 Proxy Authentication Required");
    let (code, _, err) = dump(&plain, &[("HTTP_PROXY", &proxy.address)]);
    assert_eq!(code, 1);
    assert!(err.contains("proxy") && err.contains(&proxy.address), "{err}");
    let odd = kubeconfig("odd", ", proxy-url: 'ftp://x'");
    let (_, _, err) = dump(&odd, &[]);
    assert!(err.contains("ftp://x"), "{err}");
}
