//! Kubeconfig files as one, and what is chosen from them: as client-go's `clientcmd` merges files and flags.

use std::path::Path;

use kube::config::{AuthInfo, Cluster, Context, Kubeconfig};

use super::config::Options;
use super::error::{LiveError, causes};

/// All kubeconfig files as one: none where there is no file.
pub(super) fn read_files(options: &Options) -> Result<Option<Kubeconfig>, LiveError> {
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

pub(super) fn chosen_context(
    kubeconfig: &Kubeconfig,
    options: &Options,
) -> Result<Context, LiveError> {
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

pub(super) fn chosen_cluster(
    kubeconfig: &Kubeconfig,
    context: &Context,
    user: &AuthInfo,
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
    // As client-go's `getCluster`: a flag takes what goes with it along.
    if let Some(authority) = &options.certificate_authority {
        cluster.certificate_authority = Some(authority.display().to_string());
        cluster.certificate_authority_data = None;
        cluster.insecure_skip_tls_verify = None;
    }
    if options.accept_any_certificate {
        cluster.insecure_skip_tls_verify = Some(true);
        cluster.certificate_authority = None;
        cluster.certificate_authority_data = None;
    }
    if options.tls_server_name.is_some() || options.server.is_some() {
        cluster.tls_server_name.clone_from(&options.tls_server_name);
    }
    if let Some(server) = options.server.as_ref().or(cluster.server.as_ref()) {
        cluster.server = Some(with_scheme(server, &cluster, user));
    }
    if cluster.server.as_ref().is_none_or(String::is_empty) {
        return Err(LiveError::Configuration(format!(
            "cluster {name:?} of the kubeconfig has no server"
        )));
    }
    Ok(cluster)
}

pub(super) fn chosen_user(
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
        Some(named) => {
            let user = named.auth_info.clone().unwrap_or_default();
            match &user.auth_provider {
                // kube would still run what it names.
                Some(provider) if provider.name != "oidc" && options.token.is_none() => {
                    Err(LiveError::AuthProvider {
                        user: name.clone(),
                        provider: provider.name.clone(),
                    })
                }
                _ => Ok(user),
            }
        }
        // As kubectl: a context may name a user that is not there, a flag may not.
        None if options.user.is_none() => Ok(AuthInfo::default()),
        None => Err(LiveError::Unknown {
            what: "user",
            name: name.clone(),
            known: kubeconfig.auth_infos.iter().map(|user| user.name.clone()).collect(),
        }),
    }
}

/// As client-go's `DefaultServerURL`: an address without a scheme is https where anything is said of certificates.
fn with_scheme(server: &str, cluster: &Cluster, user: &AuthInfo) -> String {
    if server.is_empty() || server.contains("://") {
        return server.to_owned();
    }
    let has_authority = cluster.certificate_authority.is_some()
        || cluster.certificate_authority_data.is_some()
        || cluster.insecure_skip_tls_verify == Some(true);
    let has_certificate =
        user.client_certificate.is_some() || user.client_certificate_data.is_some();
    let scheme = if has_authority || has_certificate { "https" } else { "http" };
    format!("{scheme}://{server}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A context with a cluster of some fields.
    fn chosen(cluster: &serde_json::Value, options: &Options) -> Cluster {
        let kubeconfig = serde_json::json!({ "clusters": [{ "name": "c", "cluster": cluster }] });
        let kubeconfig = serde_json::from_value(kubeconfig).expect("a kubeconfig");
        let context = Context { cluster: "c".to_owned(), ..Context::default() };
        chosen_cluster(&kubeconfig, &context, &AuthInfo::default(), options).expect("a cluster")
    }

    #[test]
    fn a_flag_takes_what_goes_with_it_along() {
        let file = || {
            serde_json::json!({ "server": "https://a", "tls-server-name": "a.example",
            "insecure-skip-tls-verify": true })
        };
        let server = Options { server: Some("b:6443".to_owned()), ..Options::default() };
        let cluster = chosen(&file(), &server);
        assert_eq!(cluster.server.as_deref(), Some("https://b:6443"));
        assert_eq!(cluster.tls_server_name, None, "it was for the other server");
        let cluster = chosen(&serde_json::json!({ "server": "https://a" }), &server);
        assert_eq!(cluster.server.as_deref(), Some("http://b:6443"));
        let authority = Options { certificate_authority: Some("/ca".into()), ..Options::default() };
        let cluster = chosen(&file(), &authority);
        assert_eq!(cluster.insecure_skip_tls_verify, None, "a certificate is to be checked");
        assert_eq!(cluster.tls_server_name.as_deref(), Some("a.example"));
        let any = Options { accept_any_certificate: true, ..Options::default() };
        let cluster =
            chosen(&serde_json::json!({ "server": "a", "certificate-authority": "/ca" }), &any);
        assert_eq!(cluster.server.as_deref(), Some("https://a"));
        assert_eq!(cluster.certificate_authority, None);
    }
}
