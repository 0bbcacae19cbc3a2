//! From kubeconfig files and flags to a client's configuration, by kubectl's rules.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::config::{
    AuthInfo, Cluster, Config, Context, ExecInteractiveMode, KubeConfigOptions, Kubeconfig,
    NamedAuthInfo, NamedCluster, NamedContext,
};

use super::error::{LiveError, causes};
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
    pub(super) config: Config,
    pub(super) server: String,
    pub(super) namespace: Option<String>,
    pub(super) plugin: Option<Plugin>,
}

/// The credential plugin of the chosen user.
#[derive(Clone)]
pub(super) struct Plugin {
    pub(super) command: String,
    pub(super) install_hint: Option<String>,
}

/// The names of the contexts, and the one that is selected: for completion.
pub fn contexts(options: &Options) -> Result<(Vec<String>, Option<String>), LiveError> {
    let kubeconfig = read_files(options)?.unwrap_or_default();
    let names = kubeconfig.contexts.iter().map(|context| context.name.clone()).collect();
    Ok((names, kubeconfig.current_context))
}

pub(super) async fn resolve(options: &Options) -> Result<Resolved, LiveError> {
    let kubeconfig = read_files(options)?;
    if kubeconfig.is_none() && options.server.is_none() {
        return resolve_in_cluster(options);
    }
    let kubeconfig = kubeconfig.unwrap_or_default();
    let context = chosen_context(&kubeconfig, options)?;
    let cluster = chosen_cluster(&kubeconfig, &context, options)?;
    let mut user = chosen_user(&kubeconfig, &context, options)?;
    override_user(&mut user, options);
    let plugin = user.exec.as_ref().map(|exec| Plugin {
        command: exec.command.clone().unwrap_or_default(),
        install_hint: exec.install_hint.clone(),
    });
    let namespace = context.namespace.clone().filter(|namespace| !namespace.is_empty());
    let proxy = cluster.proxy_url.clone();
    let server = cluster.server.clone().unwrap_or_default();

    let one = Kubeconfig {
        clusters: vec![NamedCluster {
            name: "the".to_owned(),
            cluster: Some(Cluster { proxy_url: None, ..cluster }),
            ..NamedCluster::default()
        }],
        auth_infos: vec![NamedAuthInfo {
            name: "the".to_owned(),
            auth_info: Some(user),
            ..NamedAuthInfo::default()
        }],
        contexts: vec![NamedContext {
            name: "the".to_owned(),
            context: Some(Context {
                cluster: "the".to_owned(),
                user: Some("the".to_owned()),
                ..context
            }),
            ..NamedContext::default()
        }],
        current_context: Some("the".to_owned()),
        ..Kubeconfig::default()
    };
    let config = Config::from_custom_kubeconfig(one, &KubeConfigOptions::default()).await.map_err(
        |error| {
            LiveError::Configuration(format!(
                "the kubeconfig cannot be used: {}",
                causes(&error).join(": ")
            ))
        },
    )?;
    finish(config, server, namespace, plugin, proxy.as_deref(), options)
}

fn resolve_in_cluster(options: &Options) -> Result<Resolved, LiveError> {
    if !options.is_in_cluster {
        let looked_at = options.default_kubeconfigs.iter().map(|path| path.display().to_string());
        let looked_at = looked_at.collect::<Vec<_>>().join(", ");
        let looked_at =
            if looked_at.is_empty() { "$HOME/.kube/config".to_owned() } else { looked_at };
        return Err(LiveError::NoKubeconfig { looked_at });
    }
    let mut config = Config::incluster().map_err(|error| {
        let detail = causes(&error).join(": ");
        LiveError::Configuration(format!("the pod's service account cannot be used: {detail}"))
    })?;
    override_user(&mut config.auth_info, options);
    let server = config.cluster_url.to_string();
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

/// All kubeconfig files as one: none where there is no file.
fn read_files(options: &Options) -> Result<Option<Kubeconfig>, LiveError> {
    if let Some(path) = &options.kubeconfig {
        return read_file(path).map(Some);
    }
    // As kubectl: a file of the list that is not there is passed over.
    let mut merged: Option<Kubeconfig> = None;
    for path in options.default_kubeconfigs.iter().filter(|path| path.exists()) {
        let next = read_file(path)?;
        merged = Some(match merged {
            None => next,
            Some(first) => first.merge(next).map_err(|error| {
                LiveError::Configuration(format!("kubeconfig {}: {error}", path.display()))
            })?,
        });
    }
    Ok(merged)
}

fn read_file(path: &Path) -> Result<Kubeconfig, LiveError> {
    let mut kubeconfig = Kubeconfig::read_from(path).map_err(|error| {
        let detail = causes(&error).last().cloned().unwrap_or_default();
        LiveError::Configuration(format!("kubeconfig {} cannot be read: {detail}", path.display()))
    })?;
    // An empty value is no value, so that a later file may give one.
    kubeconfig.current_context = kubeconfig.current_context.filter(|name| !name.is_empty());
    Ok(kubeconfig)
}

fn chosen_context(kubeconfig: &Kubeconfig, options: &Options) -> Result<Context, LiveError> {
    let known =
        || kubeconfig.contexts.iter().map(|context| context.name.clone()).collect::<Vec<_>>();
    let Some(name) = options.context.as_ref().or(kubeconfig.current_context.as_ref()) else {
        // With an address, or with a cluster by name, kubectl needs no context.
        if options.server.is_some() || options.cluster.is_some() {
            return Ok(Context::default());
        }
        return Err(LiveError::NoContext(known()));
    };
    let found = kubeconfig.contexts.iter().find(|context| &context.name == name);
    found.and_then(|named| named.context.clone()).ok_or_else(|| LiveError::Unknown {
        what: "context",
        name: name.clone(),
        known: known(),
    })
}

fn chosen_cluster(
    kubeconfig: &Kubeconfig,
    context: &Context,
    options: &Options,
) -> Result<Cluster, LiveError> {
    let name = options.cluster.as_ref().unwrap_or(&context.cluster);
    let found = kubeconfig.clusters.iter().find(|cluster| &cluster.name == name);
    let mut cluster = match found.and_then(|named| named.cluster.clone()) {
        Some(cluster) => cluster,
        None if options.server.is_some() && options.cluster.is_none() => Cluster::default(),
        None => {
            let known = kubeconfig.clusters.iter().map(|cluster| cluster.name.clone()).collect();
            return Err(LiveError::Unknown { what: "cluster", name: name.clone(), known });
        }
    };
    if let Some(server) = &options.server {
        let has_scheme = server.contains("://");
        cluster.server = Some(if has_scheme { server.clone() } else { format!("http://{server}") });
    }
    if let Some(authority) = &options.certificate_authority {
        cluster.certificate_authority = Some(authority.display().to_string());
        cluster.certificate_authority_data = None;
    }
    if let Some(name) = &options.tls_server_name {
        cluster.tls_server_name = Some(name.clone());
    }
    if options.accept_any_certificate {
        cluster.insecure_skip_tls_verify = Some(true);
        cluster.certificate_authority = None;
        cluster.certificate_authority_data = None;
    }
    if cluster.server.as_ref().is_none_or(String::is_empty) {
        return Err(LiveError::Configuration(format!(
            "cluster {name:?} of the kubeconfig has no server"
        )));
    }
    Ok(cluster)
}

fn chosen_user(
    kubeconfig: &Kubeconfig,
    context: &Context,
    options: &Options,
) -> Result<AuthInfo, LiveError> {
    let Some(name) =
        options.user.as_ref().or(context.user.as_ref()).filter(|name| !name.is_empty())
    else {
        return Ok(AuthInfo::default());
    };
    let found = kubeconfig.auth_infos.iter().find(|user| &user.name == name);
    match found {
        Some(named) => Ok(named.auth_info.clone().unwrap_or_default()),
        // As kubectl: a context may name a user that is not there, a flag may not.
        None if options.user.is_none() => Ok(AuthInfo::default()),
        None => Err(LiveError::Unknown {
            what: "user",
            name: name.clone(),
            known: kubeconfig.auth_infos.iter().map(|user| user.name.clone()).collect(),
        }),
    }
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
    if let Some(exec) = &mut user.exec {
        let must_ask = exec.interactive_mode == Some(ExecInteractiveMode::Always);
        if options.never_asks || !must_ask && !std::io::stdin().is_terminal() {
            // There is nobody to ask, and standard input may be a manifest.
            exec.interactive_mode = Some(ExecInteractiveMode::Never);
        }
    }
}
