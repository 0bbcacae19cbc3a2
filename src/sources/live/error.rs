//! `LiveError`: why a cluster could not be read, and what to do next.

use std::error::Error;
use std::io::ErrorKind;
use std::time::Duration;

/// Why a cluster could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// There is no kubeconfig, and this is not a pod of a cluster.
    #[error("no kubeconfig: none of {looked_at} exists, and this does not run inside a cluster")]
    NoKubeconfig {
        /// The files that were looked for.
        looked_at: String,
    },
    /// A kubeconfig or a flag could not be used.
    #[error("{0}")]
    Configuration(String),
    /// This is a pod of a cluster, and its service account could not be used.
    #[error("no kubeconfig, and the pod's service account cannot be used: {0}")]
    ServiceAccount(String),
    /// The context, cluster or user that was asked for is not in the kubeconfig.
    #[error("there is no {what} {name:?} in the kubeconfig{}", known_as(.known))]
    Unknown {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// The names that are there.
        known: Vec<String>,
    },
    /// No context was asked for and the kubeconfig selects none.
    #[error("the kubeconfig selects no context{}", known_as(.0))]
    NoContext(Vec<String>),
    /// The kubeconfig's credential plugin did not give a credential.
    #[error("the credential plugin {plugin:?} of the kubeconfig failed: {detail}")]
    Plugin {
        /// The program.
        plugin: String,
        /// What it said.
        detail: String,
        /// The kubeconfig's own hint on how to install it.
        install_hint: Option<String>,
    },
    /// The user gets credentials in a way that kubectl has given up.
    #[error(
        "user {user:?} of the kubeconfig has the auth-provider {provider:?}, which kubectl no longer knows either"
    )]
    AuthProvider {
        /// The user.
        user: String,
        /// What provides for it.
        provider: String,
    },
    /// Nothing answers at the server's address.
    #[error("cannot reach the API server {server}: {detail}")]
    Unreachable {
        /// The address.
        server: String,
        /// What the system said.
        detail: String,
    },
    /// The server's certificate is not trusted.
    #[error("the certificate of the API server {server} is not accepted: {detail}")]
    Certificate {
        /// The address.
        server: String,
        /// What is wrong with it.
        detail: String,
    },
    /// No answer within the time allowed.
    #[error("the API server {server} did not answer within {} while reading {what}", seconds(.after))]
    Timeout {
        /// The address.
        server: String,
        /// The time allowed.
        after: Duration,
        /// What was being read.
        what: String,
    },
    /// The server does not accept the credentials.
    #[error("the API server {server} does not accept the credentials (401 Unauthorized)")]
    Unauthorized {
        /// The address.
        server: String,
    },
    /// Nothing may be read at all.
    #[error("the API server {server} forbids reading {what}: {detail}")]
    Forbidden {
        /// The address.
        server: String,
        /// What was being read.
        what: String,
        /// What the server said.
        detail: String,
    },
    /// The server asked to come back later, too often.
    #[error("the API server {server} is overloaded: it still puts off reading {what} after {}", seconds(.waited))]
    Throttled {
        /// The address.
        server: String,
        /// What was being read.
        what: String,
        /// How long was waited as it asked.
        waited: Duration,
    },
    /// The connection broke off within an answer.
    #[error("the connection to the API server {server} broke while reading {what}: {detail}")]
    Broken {
        /// The address.
        server: String,
        /// What was being read.
        what: String,
        /// What happened.
        detail: String,
    },
    /// An answer that is not one of a Kubernetes API server.
    #[error("{server} answered {status} while reading {what}: {detail}")]
    Refused {
        /// The address.
        server: String,
        /// The HTTP status.
        status: u16,
        /// What was being read.
        what: String,
        /// What the server said.
        detail: String,
    },
    /// The user pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

impl LiveError {
    /// Something in the kubeconfig that the client cannot use.
    pub(super) fn unusable(error: &(dyn Error + 'static)) -> Self {
        Self::Configuration(format!("the kubeconfig cannot be used: {}", in_one(error)))
    }

    /// Something of the service account that a pod is given.
    pub(super) fn no_account(error: &(dyn Error + 'static)) -> Self {
        Self::ServiceAccount(in_one(error))
    }

    /// The next step to try.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoKubeconfig { .. } => {
                "give one with --kubeconfig FILE, or read a dump with -f FILE".to_owned()
            }
            Self::ServiceAccount(_) => {
                "mount its token (automountServiceAccountToken), or give --kubeconfig FILE".to_owned()
            }
            Self::Configuration(_) => "kubectl config view".to_owned(),
            Self::Unknown { what: "context", .. } => "kubectl config get-contexts".to_owned(),
            Self::Unknown { what, .. } => format!("kubectl config get-{what}s"),
            Self::NoContext(_) => "kubectl config use-context NAME, or give --context NAME".to_owned(),
            Self::Plugin { install_hint, .. } => match install_hint {
                Some(hint) => hint.clone(),
                None => "kubectl get namespaces (does kubectl get a credential?)".to_owned(),
            },
            Self::AuthProvider { provider, .. } => match provider.as_str() {
                "gcp" => "install gke-gcloud-auth-plugin, then: gcloud container clusters get-credentials NAME".to_owned(),
                "azure" => "kubelogin convert-kubeconfig".to_owned(),
                _ => "use a credential plugin instead (exec in the kubeconfig)".to_owned(),
            },
            Self::Unreachable { .. } => {
                "kubectl cluster-info (is this the right --context, and is the network or VPN up?)".to_owned()
            }
            Self::Certificate { .. } => {
                "check certificate-authority and tls-server-name of the cluster: kubectl config view --minify".to_owned()
            }
            Self::Timeout { .. } => {
                "raise --request-timeout, or see whether the server is up: kubectl get --raw /readyz".to_owned()
            }
            Self::Unauthorized { .. } => {
                "log in again (the token may have expired), then: kubectl auth whoami".to_owned()
            }
            Self::Forbidden { .. } => {
                "the least rights that suffice: kubectl landed rbac".to_owned()
            }
            Self::Throttled { .. } => "try again later, or read a dump with -f".to_owned(),
            Self::Broken { .. } => "run it again: nothing was changed and nothing half-read is used".to_owned(),
            Self::Refused { .. } => "is this address a Kubernetes API server? kubectl get --raw /version".to_owned(),
            Self::Interrupted => return None,
        })
    }
}

fn known_as(known: &[String]) -> String {
    if known.is_empty() {
        return " (it is empty)".to_owned();
    }
    let shown = known.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = known.len().saturating_sub(8);
    if more == 0 {
        format!("; there are: {shown}")
    } else {
        format!("; there are: {shown} and {more} more")
    }
}

fn seconds(span: &Duration) -> String {
    let seconds = span.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds:.0}s") } else { format!("{seconds:.1}s") }
}

/// What a request failed with before any answer came.
pub(super) fn connection_failed(
    server: &str,
    what: &str,
    error: &(dyn Error + 'static),
) -> LiveError {
    let (server, what) = (server.to_owned(), what.to_owned());
    let chain = causes(error);
    let detail = chain.last().cloned().unwrap_or_default();
    // rustls' own error type is not reachable here: its words are.
    if let Some(text) = chain
        .iter()
        .find(|text| text.contains("certificate") || text.contains("not valid for name"))
    {
        return LiveError::Certificate { server, detail: text.clone() };
    }
    match io_kind(error) {
        Some(ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe) => {
            LiveError::Broken { server, what, detail }
        }
        _ if chain
            .iter()
            .any(|text| text.contains("connection closed before message completed")) =>
        {
            LiveError::Broken { server, what, detail }
        }
        Some(ErrorKind::TimedOut) => {
            LiveError::Unreachable { server, detail: "no connection in time".to_owned() }
        }
        _ => LiveError::Unreachable { server, detail },
    }
}

/// An error and its causes on one line. An outer error often repeats the inner one.
fn in_one(error: &(dyn Error + 'static)) -> String {
    let mut causes = causes(error);
    causes.dedup_by(|inner, outer| outer.contains(inner.as_str()));
    causes.join(": ")
}

/// The texts of an error and of all that caused it, the outermost first.
pub(super) fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut texts = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        // Without the system's number of the error.
        let text = error.to_string();
        texts.push(text.split(" (os error").next().unwrap_or_default().to_owned());
        next = error.source();
    }
    texts
}

fn io_kind(error: &(dyn Error + 'static)) -> Option<ErrorKind> {
    let mut kind = None;
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            kind = Some(io.kind());
        }
        next = error.source();
    }
    kind
}
