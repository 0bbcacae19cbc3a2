//! Which proxy a connection goes through: as Go's programs, and so kubectl, decide it.

use std::net::IpAddr;

use http::Uri;

/// The environment variables that matter.
#[derive(Clone, Debug, Default)]
pub struct ProxyEnvironment {
    /// `HTTPS_PROXY`.
    pub https: Option<String>,
    /// `HTTP_PROXY`.
    pub http: Option<String>,
    /// `NO_PROXY`.
    pub none: Option<String>,
}

/// The proxy of a server: the kubeconfig's, else the environment's unless `NO_PROXY` names the server.
pub(super) fn proxy_for(
    server: &Uri,
    of_kubeconfig: Option<&str>,
    environment: &ProxyEnvironment,
) -> Result<Option<Uri>, String> {
    if let Some(proxy) = of_kubeconfig.filter(|proxy| !proxy.is_empty()) {
        return parse(proxy).map(Some);
    }
    let host = server.host().unwrap_or_default().trim_matches(['[', ']']).to_ascii_lowercase();
    let is_https = server.scheme_str() == Some("https");
    let Some(proxy) = (if is_https { &environment.https } else { &environment.http }) else {
        return Ok(None);
    };
    let port = server.port_u16().unwrap_or(if is_https { 443 } else { 80 });
    if proxy.is_empty() || is_local(&host) {
        return Ok(None);
    }
    let exempt = environment.none.as_deref().unwrap_or_default();
    if exempt.split(',').any(|entry| exempts(entry.trim(), &host, port)) {
        return Ok(None);
    }
    parse(proxy).map(Some)
}

fn is_local(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn parse(proxy: &str) -> Result<Uri, String> {
    let address = if proxy.contains("://") { proxy.to_owned() } else { format!("http://{proxy}") };
    // Names are always resolved by the proxy, which is what the `h` asks for.
    let address = address.replacen("socks5h://", "socks5://", 1);
    address.parse().map_err(|error| format!("the proxy {proxy:?} is not an address: {error}"))
}

/// Whether one entry of `NO_PROXY` names a host.
fn exempts(entry: &str, host: &str, port: u16) -> bool {
    let entry = entry.to_ascii_lowercase();
    if entry.is_empty() {
        return false;
    }
    if entry == "*" {
        return true;
    }
    let address = host.parse::<IpAddr>().ok();
    if let Some((network, bits)) = entry.split_once('/') {
        return matches!((address, network.parse(), bits.parse()),
            (Some(address), Ok(network), Ok(bits)) if is_within(address, network, bits));
    }
    let (name, wanted_port) = match entry.rsplit_once(':') {
        Some((name, digits)) if !name.contains(':') || name.ends_with(']') => {
            let Ok(digits) = digits.parse::<u16>() else { return false };
            (name.trim_matches(['[', ']']).to_owned(), Some(digits))
        }
        _ => (entry.clone(), None),
    };
    if wanted_port.is_some_and(|wanted| wanted != port) {
        return false;
    }
    if let Ok(wanted) = name.parse::<IpAddr>() {
        return address == Some(wanted);
    }
    let domain = name.strip_prefix('*').unwrap_or(&name);
    match domain.strip_prefix('.') {
        Some(_) => host.ends_with(domain),
        None => {
            host == domain || host.strip_suffix(domain).is_some_and(|front| front.ends_with('.'))
        }
    }
}

fn is_within(address: IpAddr, network: IpAddr, bits: u32) -> bool {
    let (address, network, width) = match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            (u128::from(u32::from(address)), u128::from(u32::from(network)), 32_u32)
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => {
            (u128::from(address), u128::from(network), 128)
        }
        _ => return false,
    };
    let Some(shift) = width.checked_sub(bits) else { return false };
    shift == 128 || address >> shift == network >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(server: &str, none: &str) -> Option<String> {
        let environment = ProxyEnvironment {
            https: Some("proxy.example:3128".to_owned()),
            http: None,
            none: Some(none.to_owned()),
        };
        let server = server.parse().expect("an address");
        proxy_for(&server, None, &environment).expect("a proxy").map(|proxy| proxy.to_string())
    }

    #[test]
    fn no_proxy_is_compared_with_the_server_and_not_with_the_proxy() {
        let through = Some("http://proxy.example:3128/".to_owned());
        for (server, none, expected) in [
            ("https://10.0.0.1:6443", "", through.clone()),
            ("https://10.0.0.1:6443", "proxy.example", through.clone()),
            ("https://10.0.0.1:6443", "10.0.0.0/8", None),
            ("https://10.0.0.1:6443", "10.0.0.1:443", through.clone()),
            ("https://10.0.0.1:6443", "10.0.0.1:6443", None),
            ("https://api.corp.example", "corp.example", None),
            ("https://corp.example", ".corp.example", through.clone()),
            ("https://apicorp.example", "corp.example", through.clone()),
            ("https://api.corp.example", "*.corp.example", None),
            ("https://anything.example", "*", None),
            ("https://[2001:db8::1]:6443", "2001:db8::/32", None),
            ("https://127.0.0.1:6443", "", None),
            ("http://10.0.0.1:8080", "", None),
        ] {
            assert_eq!(proxy(server, none), expected, "{server} with NO_PROXY={none}");
        }
    }

    #[test]
    fn the_kubeconfigs_proxy_wins_and_is_not_exempted() {
        let environment =
            ProxyEnvironment { none: Some("*".to_owned()), ..ProxyEnvironment::default() };
        let server = "https://10.0.0.1".parse().expect("an address");
        let found = proxy_for(&server, Some("socks5h://127.0.0.1:1080"), &environment);
        assert_eq!(
            found.expect("a proxy").map(|uri| uri.to_string()).as_deref(),
            Some("socks5://127.0.0.1:1080/")
        );
    }
}
