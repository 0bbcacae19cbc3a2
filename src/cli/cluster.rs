//! kubectl's connection flags, and reading a running cluster with them.

use std::path::PathBuf;
use std::time::Duration;

#[cfg(not(feature = "live"))]
use super::{Failure, Io};
#[cfg(not(feature = "live"))]
use crate::model::snapshot::Snapshot;

/// kubectl's connection flags.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterArgs {
    /// Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig to use
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// Cluster of the kubeconfig to use
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub cluster: Option<String>,
    /// User of the kubeconfig to use
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub user: Option<String>,
    /// User to impersonate
    #[arg(long = "as", value_name = "USER", hide_short_help = true)]
    pub impersonate: Option<String>,
    /// Group to impersonate; may be repeated
    #[arg(
        long = "as-group",
        value_name = "GROUP",
        requires = "impersonate",
        hide_short_help = true
    )]
    pub impersonate_groups: Vec<String>,
    /// UID to impersonate
    #[arg(long = "as-uid", value_name = "UID", requires = "impersonate", hide_short_help = true)]
    pub impersonate_uid: Option<String>,
    /// Address and port of the API server
    #[arg(short, long, value_name = "URL", hide_short_help = true)]
    pub server: Option<String>,
    /// Bearer token for the API server
    #[arg(long, value_name = "TOKEN", hide_short_help = true)]
    pub token: Option<String>,
    /// Time allowed for one request: 5s, 2m, bare seconds, 0 for no limit [default: 30s of silence]
    #[arg(long, value_name = "TIME", value_parser = request_timeout, hide_short_help = true)]
    pub request_timeout: Option<Duration>,
    /// Accept any certificate of the API server; insecure
    #[arg(long, hide_short_help = true)]
    pub insecure_skip_tls_verify: bool,
    /// Name that the API server's certificate must carry
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub tls_server_name: Option<String>,
    /// Certificate authority of the API server
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub certificate_authority: Option<PathBuf>,
}

/// kubectl's `-n` and `-A`.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct NamespaceArgs {
    /// Namespace [default: the context's, else default]
    #[arg(short, long, value_name = "NAME", value_parser = namespace)]
    pub namespace: Option<String>,
    /// All namespaces; wins over -n
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,
}

fn namespace(text: &str) -> Result<String, String> {
    let is_label = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !text.is_empty() && text.len() <= 63 && text.bytes().all(is_label) {
        return Ok(text.to_owned());
    }
    Err("a namespace is made of lower-case letters, digits and dashes".to_owned())
}

/// A time as kubectl's `--request-timeout` takes it: `0`, `30`, `5s`, `1m30s`, `500ms`.
fn request_timeout(text: &str) -> Result<Duration, String> {
    let wrong = || "give a number of seconds, or a number with ms, s, m or h: 5s, 1m30s".to_owned();
    if let Ok(seconds) = text.parse::<u32>() {
        return Ok(Duration::from_secs(seconds.into()));
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest
            .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .ok_or_else(wrong)?;
        let number = rest[..digits].parse::<f64>().map_err(|_| wrong())?;
        let unit_ends = rest[digits..]
            .find(|letter: char| letter.is_ascii_digit())
            .map_or(rest.len(), |at| digits + at);
        let seconds = match &rest[digits..unit_ends] {
            "ms" => number / 1000.0,
            "s" => number,
            "m" => number * 60.0,
            "h" => number * 3600.0,
            _ => return Err(wrong()),
        };
        total += Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
        rest = &rest[unit_ends..];
    }
    if text.is_empty() { Err(wrong()) } else { Ok(total) }
}

#[cfg(feature = "live")]
pub use connected::{ProgressLine, read_cluster, read_snapshot};

/// Without the feature `live` no cluster can be read.
#[cfg(not(feature = "live"))]
pub fn read_snapshot(
    _: &ClusterArgs,
    _: &NamespaceArgs,
    _: &mut Io<'_>,
) -> Result<(Snapshot, String), Failure> {
    Err(no_live())
}

/// What a build without the feature `live` says.
#[cfg(not(feature = "live"))]
pub(super) fn no_live() -> Failure {
    Failure::new("this build reads no running cluster").hint("read a dump with -f FILE")
}

#[cfg(feature = "live")]
mod connected {
    use std::sync::atomic::Ordering;

    use super::{ClusterArgs, Duration, NamespaceArgs, PathBuf};
    use crate::cli::io::Leftovers;
    use crate::cli::{Failure, Io};
    use crate::model::snapshot::Snapshot;
    use crate::sources::live::{
        Connection, Gathered, Kuberc, LiveError, Options, Progress, ProxyEnvironment,
        RequestTimeout, Take, Want, decode, gather, snapshot, wait, watched,
    };

    impl ClusterArgs {
        /// The flags, with what the environment adds to them.
        pub fn options(&self, io: &Io<'_>) -> Options {
            let variable = |name: &str| io.variable(name).map(str::to_owned);
            let either =
                |name: &str| variable(name).or_else(|| variable(&name.to_ascii_lowercase()));
            let default_kubeconfigs = if let Some(list) = variable("KUBECONFIG") {
                std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect()
            } else {
                of_home(io, "config").into_iter().collect()
            };
            Options {
                kubeconfig: self.kubeconfig.clone(),
                default_kubeconfigs,
                context: self.context.clone(),
                cluster: self.cluster.clone(),
                user: self.user.clone(),
                impersonate: self.impersonate.clone(),
                impersonate_groups: self.impersonate_groups.clone(),
                impersonate_uid: self.impersonate_uid.clone(),
                server: self.server.clone(),
                token: self.token.clone(),
                accept_any_certificate: self.insecure_skip_tls_verify,
                tls_server_name: self.tls_server_name.clone(),
                certificate_authority: self.certificate_authority.clone(),
                request_timeout: match self.request_timeout {
                    None => RequestTimeout::Unset,
                    Some(Duration::ZERO) => RequestTimeout::Never,
                    Some(limit) => RequestTimeout::After(limit),
                },
                proxies: ProxyEnvironment {
                    https: either("HTTPS_PROXY"),
                    http: either("HTTP_PROXY"),
                    none: either("NO_PROXY"),
                },
                is_in_cluster: variable("KUBERNETES_SERVICE_HOST").is_some(),
                kuberc: kuberc(io),
                never_asks: false,
            }
        }
    }

    /// A file in the home folder's `.kube`.
    fn of_home(io: &Io<'_>, name: &str) -> Option<PathBuf> {
        let home = io.variable("HOME").or_else(|| io.variable("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".kube").join(name))
    }

    /// kubectl's preferences, as its `LoadKuberc` finds them.
    fn kuberc(io: &Io<'_>) -> Kuberc {
        let named = io.variable("KUBERC");
        let is_off = named == Some("off") || io.variable("KUBECTL_KUBERC") == Some("false");
        let file = named.map(PathBuf::from).or_else(|| of_home(io, "kuberc"));
        let search_path = io.variable("PATH").map(std::env::split_paths);
        Kuberc {
            file: file.filter(|_| !is_off),
            is_named: named.is_some(),
            search_path: search_path.into_iter().flatten().collect(),
        }
    }

    /// Reads all that is wanted from the cluster, and then what `more` asks for, with a line of progress where somebody
    /// watches.
    pub fn read_cluster<T: Send + 'static, U>(
        args: &ClusterArgs,
        want: Want,
        take: &Take<T>,
        io: &mut Io<'_>,
        more: impl AsyncFnOnce(&Connection) -> Result<U, LiveError>,
    ) -> Result<(Gathered<T>, U), Failure> {
        let options = args.options(io);
        let mut line = ProgressLine::new(io);
        let result = wait(async {
            let connection = Connection::open(&options).await?;
            let want =
                Want { namespace: want.namespace.or_else(|| connection.namespace.clone()), ..want };
            let mut show = |progress: &Progress| line.show(progress, &mut *io.err);
            let work = async {
                let gathered = gather(&connection, &want, take).await?;
                let more = more(&connection).await?;
                Ok((gathered, more))
            };
            watched(&connection, work, &mut show).await
        });
        line.clear(&mut *io.err);
        exit_on_ctrl_c(io.leftovers.clone());
        result.map_err(Failure::from)
    }

    /// Reads what an answer needs from the cluster. Also returns the namespace that a bare name stands in.
    pub fn read_snapshot(
        args: &ClusterArgs,
        namespace: &NamespaceArgs,
        io: &mut Io<'_>,
    ) -> Result<(Snapshot, String), Failure> {
        let want = Want { everything: false, namespace: namespace.namespace.clone() };
        let (gathered, (server, of_context)) =
            read_cluster(args, want, &decode(), io, async |connection| {
                Ok((connection.server.clone(), connection.namespace.clone()))
            })?;
        let chosen =
            namespace.namespace.clone().or(of_context).unwrap_or_else(|| "default".to_owned());
        Ok((snapshot(gathered, &server, io.now), chosen))
    }

    /// A handler for Ctrl-C stays for as long as the process lives: after the reading, it ends the program at once.
    fn exit_on_ctrl_c(leftovers: Leftovers) {
        let wait_for_it = move || {
            let interrupted = wait(async {
                tokio::signal::ctrl_c()
                    .await
                    .map_err(|error| LiveError::Configuration(error.to_string()))
            });
            if interrupted.is_ok() {
                leftovers.remove();
                std::process::exit(130);
            }
        };
        // Without the thread Ctrl-C does nothing in the second that the replay takes.
        let _ = std::thread::Builder::new().name("ctrl-c".to_owned()).spawn(wait_for_it);
    }

    /// One line on a terminal, from half a second on.
    pub struct ProgressLine {
        is_shown: bool,
        ticks: u32,
    }

    impl ProgressLine {
        /// A line that is not there yet.
        pub fn new(io: &Io<'_>) -> Self {
            let is_shown = io.err_is_terminal && io.variable("CI").is_none();
            Self { is_shown, ticks: 0 }
        }

        /// Called ten times a second.
        pub fn show(&mut self, progress: &Progress, err: &mut dyn std::io::Write) {
            self.ticks += 1;
            if !self.is_shown || self.ticks < 6 {
                return;
            }
            let (lists, total) = (
                progress.lists.load(Ordering::Relaxed),
                progress.lists_total.load(Ordering::Relaxed),
            );
            let objects = progress.objects.load(Ordering::Relaxed);
            let put_off = match progress.put_off.load(Ordering::Relaxed) {
                0 => String::new(),
                seconds => format!(", asked to wait {seconds}s"),
            };
            // The terminal is gone: nothing is left to tell.
            let _ = write!(
                err,
                "\r\x1b[Kreading the cluster: {objects} objects, {lists} of {total} lists{put_off}"
            );
            let _ = err.flush();
        }

        /// Leaves nothing of it.
        pub fn clear(&self, err: &mut dyn std::io::Write) {
            if self.is_shown && self.ticks >= 6 {
                let _ = write!(err, "\r\x1b[K");
                let _ = err.flush();
            }
        }
    }

    impl From<LiveError> for Failure {
        fn from(error: LiveError) -> Self {
            if error == LiveError::Interrupted {
                return Self::new(String::new()).code(130);
            }
            let failure = Self::new(error.to_string());
            match error.hint() {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_timeout_is_read_as_kubectl_reads_it() {
        for (text, millis) in [
            ("0", Some(0)),
            ("30", Some(30_000)),
            ("5s", Some(5_000)),
            ("2m", Some(120_000)),
            ("1m30s", Some(90_000)),
            ("500ms", Some(500)),
            ("1.5s", Some(1_500)),
            ("", None),
            ("5x", None),
            ("s", None),
            ("-1s", None),
        ] {
            let read = request_timeout(text).ok().map(|time| time.as_millis());
            assert_eq!(read, millis, "{text:?}");
        }
    }
}
