//! From kubeconfig files and flags to a client's configuration, by kubectl's rules.

use std::path::PathBuf;
use std::time::Duration;

use k8s_openapi::ByteString;
use kube::config::{AuthInfo, Cluster, Config, ExecAuthCluster};

use super::error::{LiveError, causes};
use super::kubeconfig::{chosen_cluster, chosen_context, chosen_user, read_files};
use super::kuberc::Kuberc;
use super::plugin::Plugin;
use super::proxy::{ProxyEnvironment, proxy_for};

/// How to reach a cluster: kubectl's connection flags, and the environment that they stand in.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--kubeconfig`: this file alone.
    pub kubeconfig: Option<PathBuf>,
    /// Where kubeconfigs are otherwise: `KUBECONFIG`'s list, or the one in the home folder.
    pub default_kubeconfigs: Vec<PathBuf>,
    /// `--context`.
    pub context: Option<String>,
    /// `--cluster`.
    pub cluster: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--as`.
    pub impersonate: Option<String>,
    /// `--as-group`.
    pub impersonate_groups: Vec<String>,
    /// `--as-uid`.
    pub impersonate_uid: Option<String>,
    /// `--server`.
    pub server: Option<String>,
    /// `--token`.
    pub token: Option<String>,
    /// `--insecure-skip-tls-verify`.
    pub accept_any_certificate: bool,
    /// `--tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `--certificate-authority`.
    pub certificate_authority: Option<PathBuf>,
    /// `--request-timeout`.
    pub request_timeout: RequestTimeout,
    /// Proxies that the environment names.
    pub proxies: ProxyEnvironment,
    /// Whether the environment says that this is a pod of a cluster.
    pub is_in_cluster: bool,
    /// Which credential plugins may be run.
    pub kuberc: Kuberc,
    /// Whether a credential plugin must do without asking anybody.
    pub never_asks: bool,
}

/// How long one request may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestTimeout {
    /// Nothing was asked for: the server may be slow, but not silent for [`SILENCE`].
    #[default]
    Unset,
    /// `0`: wait for ever.
    Never,
    /// From the request to the end of its answer.
    After(Duration),
}

/// How long a server may stay silent when no time-out was asked for.
pub const SILENCE: Duration = Duration::from_secs(30);

/// What a client needs to know.
pub(super) struct Resolved {
    /// With all credentials but a plugin's.
    pub(super) config: Config,
    pub(super) server: String,
    pub(super) namespace: Option<String>,
    pub(super) plugin: Option<Plugin>,
}

/// The names of the contexts, and the one that is selected: for completion.
pub fn contexts(options: &Options) -> Result<(Vec<String>, Option<String>), LiveError> {
    let kubeconfig = read_files(options)?.unwrap_or_default();
    let names = kubeconfig.contexts.iter().map(|context| context.name.clone()).collect();
    Ok((names, kubeconfig.current_context))
}

pub(super) fn resolve(options: &Options) -> Result<Resolved, LiveError> {
    let kubeconfig = read_files(options)?;
    if kubeconfig.is_none() && options.server.is_none() {
        return resolve_in_cluster(options);
    }
    let kubeconfig = kubeconfig.unwrap_or_default();
    let context = chosen_context(&kubeconfig, options)?;
    let mut user = chosen_user(&kubeconfig, &context, options)?;
    override_user(&mut user, options);
    let cluster = chosen_cluster(&kubeconfig, &context, &user, options)?;
    let plugin = match user.exec.take().filter(|_| !has_credentials(&user)) {
        Some(exec) => Some(Plugin::of(exec, &cluster, options.kuberc.clone(), options.never_asks)?),
        None => None,
    };
    let server = cluster.server.clone().unwrap_or_default();
    let url = server.parse().map_err(|error| {
        LiveError::Configuration(format!("the server {server:?} is not an address: {error}"))
    })?;
    // Not from a whole kubeconfig: that way would stop at a NO_PROXY that Go's programs take.
    let mut config = Config::new(url);
    config.root_cert = root_certificates(&cluster)?;
    config.accept_invalid_certs = cluster.insecure_skip_tls_verify.unwrap_or_default();
    config.disable_compression = cluster.disable_compression.unwrap_or_default();
    config.tls_server_name = cluster.tls_server_name;
    config.auth_info = user;
    let namespace = context.namespace.filter(|namespace| !namespace.is_empty());
    finish(config, server, namespace, plugin, cluster.proxy_url.as_deref(), options)
}

/// Whether a user has credentials of its own: then no plugin is asked.
fn has_credentials(user: &AuthInfo) -> bool {
    let has_token = user.token.is_some() || user.token_file.is_some();
    let has_certificate =
        user.client_certificate.is_some() || user.client_certificate_data.is_some();
    has_token || has_certificate || user.username.is_some() || user.auth_provider.is_some()
}

/// The certificates of the cluster's authority, in DER.
fn root_certificates(cluster: &Cluster) -> Result<Option<Vec<Vec<u8>>>, LiveError> {
    let wrong = |detail: &str| {
        let of = cluster.certificate_authority.as_deref().unwrap_or("certificate-authority-data");
        LiveError::Configuration(format!("the certificate authority {of} cannot be used: {detail}"))
    };
    let pem = ExecAuthCluster::try_from(cluster)
        .map_err(|error| wrong(causes(&error).last().map_or("", String::as_str)))?
        .certificate_authority_data;
    let Some(pem) = pem else { return Ok(None) };
    let mut certificates = Vec::new();
    for block in String::from_utf8_lossy(&pem).split("-----BEGIN CERTIFICATE-----").skip(1) {
        let base64 = block.split("-----END").next().unwrap_or_default();
        let base64 = base64.split_whitespace().collect::<String>();
        let certificate = serde_json::from_value::<ByteString>(base64.into())
            .map_err(|_| wrong("it is not PEM"))?;
        certificates.push(certificate.0);
    }
    if certificates.is_empty() {
        return Err(wrong("there is no certificate in it"));
    }
    Ok(Some(certificates))
}

fn resolve_in_cluster(options: &Options) -> Result<Resolved, LiveError> {
    if !options.is_in_cluster {
        let looked_at = options.default_kubeconfigs.iter().map(|path| path.display().to_string());
        let looked_at = looked_at.collect::<Vec<_>>().join(", ");
        let looked_at =
            if looked_at.is_empty() { "$HOME/.kube/config".to_owned() } else { looked_at };
        return Err(LiveError::NoKubeconfig { looked_at });
    }
    // Who asks for another cluster shall not get this one.
    for (what, name) in
        [("context", &options.context), ("cluster", &options.cluster), ("user", &options.user)]
    {
        if let Some(name) = name {
            return Err(LiveError::Unknown { what, name: name.clone(), known: Vec::new() });
        }
    }
    let mut config = Config::incluster().map_err(|error| LiveError::no_account(&error))?;
    override_user(&mut config.auth_info, options);
    let server = config.cluster_url.to_string().trim_end_matches('/').to_owned();
    let namespace = Some(config.default_namespace.clone());
    finish(config, server, namespace, None, None, options)
}

/// The settings that the library's defaults get wrong for a program that somebody waits for.
fn finish(
    mut config: Config,
    server: String,
    namespace: Option<String>,
    plugin: Option<Plugin>,
    proxy: Option<&str>,
    options: &Options,
) -> Result<Resolved, LiveError> {
    // Its own retries go on for minutes, in silence: a dead server would look like a hang.
    config.default_retry = false;
    config.connect_timeout = Some(match options.request_timeout {
        RequestTimeout::After(limit) => limit.min(Duration::from_secs(15)),
        RequestTimeout::Unset | RequestTimeout::Never => Duration::from_secs(15),
    });
    // It compares NO_PROXY with the proxy's own address.
    config.proxy_url = proxy_for(&config.cluster_url, proxy, &options.proxies)
        .map_err(LiveError::Configuration)?;
    let agent = concat!("landed/", env!("CARGO_PKG_VERSION"));
    config.headers.push((http::header::USER_AGENT, http::HeaderValue::from_static(agent)));
    Ok(Resolved { config, server, namespace, plugin })
}

fn override_user(user: &mut AuthInfo, options: &Options) {
    if let Some(token) = &options.token {
        let token = serde_json::json!({ "token": token });
        let given = serde_json::from_value::<AuthInfo>(token).unwrap_or_default();
        *user = AuthInfo {
            token: given.token,
            token_file: None,
            exec: None,
            auth_provider: None,
            username: None,
            password: None,
            ..std::mem::take(user)
        };
    }
    if let Some(name) = &options.impersonate {
        user.impersonate = Some(name.clone());
        user.impersonate_groups = None;
        user.impersonate_uid = None;
        user.impersonate_user_extra = None;
    }
    if !options.impersonate_groups.is_empty() {
        user.impersonate_groups = Some(options.impersonate_groups.clone());
    }
    if let Some(uid) = &options.impersonate_uid {
        user.impersonate_uid = Some(uid.clone());
    }
}
