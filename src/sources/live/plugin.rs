//! `Plugin`: the kubeconfig's credential plugin, run once for each credential. As client-go's `exec.Authenticator`.
//!
//! kube would run it too, three times a start, and would neither ask it again after a 401 nor renew a certificate.

use std::io::IsTerminal;
use std::process::{Command, Stdio};

use k8s_openapi::ByteString;
use kube::config::{AuthInfo, Cluster, ExecAuthCluster, ExecConfig, ExecInteractiveMode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::LiveError;
use super::kuberc::{self, Kuberc};
use crate::model::time::Timestamp;

/// A program that prints credentials.
#[derive(Clone, Debug)]
pub(super) struct Plugin {
    exec: ExecConfig,
    /// What it is told of the cluster, where it asks for that.
    cluster: Option<ExecAuthCluster>,
    kuberc: Kuberc,
    never_asks: bool,
}

/// What a plugin printed.
pub(super) struct Credential {
    /// A token, or a certificate and its key.
    pub(super) user: AuthInfo,
    /// None: for as long as the server takes it.
    pub(super) expires: Option<Timestamp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExecCredential {
    #[serde(default)]
    api_version: String,
    status: Option<Status>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    expiration_timestamp: Option<String>,
    token: String,
    client_certificate_data: String,
    client_key_data: String,
}

impl Plugin {
    /// The plugin of a user.
    pub(super) fn of(
        exec: ExecConfig,
        cluster: &Cluster,
        kuberc: Kuberc,
        never_asks: bool,
    ) -> Result<Self, LiveError> {
        let cluster = exec.provide_cluster_info.then(|| ExecAuthCluster::try_from(cluster));
        let cluster = cluster.transpose().map_err(|error| LiveError::unusable(&error))?;
        Ok(Self { exec, cluster, kuberc, never_asks })
    }

    /// Runs the program to its end: this blocks.
    pub(super) fn run(&self) -> Result<Credential, LiveError> {
        let name = self.exec.command.as_deref().unwrap_or_default();
        if name.is_empty() {
            return Err(self.failed("it has no command"));
        }
        let is_interactive = self.is_interactive()?;
        let program = kuberc::allowed(&self.kuberc, name).map_err(|detail| self.failed(detail))?;
        let mut command = Command::new(program);
        command.args(self.exec.args.iter().flatten());
        for variable in self.exec.env.iter().flatten() {
            if let (Some(name), Some(value)) = (variable.get("name"), variable.get("value")) {
                command.env(name, value);
            }
        }
        command.env("KUBERNETES_EXEC_INFO", self.info(is_interactive).to_string());
        for name in self.exec.drop_env.iter().flatten() {
            command.env_remove(name);
        }
        if is_interactive {
            command.stdin(Stdio::inherit()).stderr(Stdio::inherit());
        } else {
            // Standard input may be a manifest.
            command.stdin(Stdio::null()).stderr(Stdio::piped());
        }
        let output = command.stdout(Stdio::piped()).output().map_err(|error| {
            let is_absent = error.kind() == std::io::ErrorKind::NotFound;
            let detail =
                if is_absent { "there is no such program".to_owned() } else { error.to_string() };
            self.failed(detail)
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
            let last = last.map_or_else(String::new, |line| format!(": {line}"));
            return Err(self.failed(format!("{}{last}", output.status)));
        }
        self.read(&output.stdout)
    }

    /// Whether it may ask the user something.
    fn is_interactive(&self) -> Result<bool, LiveError> {
        let is_possible = !self.never_asks && std::io::stdin().is_terminal();
        match self.exec.interactive_mode {
            Some(ExecInteractiveMode::Never) => Ok(false),
            Some(ExecInteractiveMode::Always) if !is_possible => {
                Err(self.failed("it wants to ask something, and standard input is not a terminal"))
            }
            Some(ExecInteractiveMode::Always) => Ok(true),
            Some(ExecInteractiveMode::IfAvailable) | None => Ok(is_possible),
        }
    }

    fn info(&self, is_interactive: bool) -> Value {
        let mut spec = json!({ "interactive": is_interactive });
        if let Some(cluster) = &self.cluster {
            spec["cluster"] = serde_json::to_value(cluster).unwrap_or_default();
        }
        json!({
            "apiVersion": self.exec.api_version.as_deref().unwrap_or_default(),
            "kind": "ExecCredential",
            "spec": spec,
        })
    }

    fn read(&self, printed: &[u8]) -> Result<Credential, LiveError> {
        let text = String::from_utf8_lossy(printed);
        let document = crate::ingest::yaml::documents(&text).next();
        let credential = document
            .and_then(Result::ok)
            .and_then(|json| serde_json::from_slice::<ExecCredential>(&json).ok())
            // Neither what it printed nor an error that quotes it may be shown: it is a credential.
            .ok_or_else(|| self.failed("what it printed is not an ExecCredential"))?;
        let expected = self.exec.api_version.as_deref().unwrap_or_default();
        if credential.api_version != expected {
            return Err(self.failed(format!(
                "it printed version {:?}, and the kubeconfig wants {expected:?}",
                credential.api_version
            )));
        }
        let status = credential.status.unwrap_or_default();
        let expires = status.expiration_timestamp.map(|text| text.parse::<Timestamp>());
        let expires = expires
            .transpose()
            .map_err(|_| self.failed("its expirationTimestamp is not a time"))?;
        let mut user = json!({});
        if !status.token.is_empty() {
            user["token"] = status.token.into();
        }
        match (status.client_certificate_data.is_empty(), status.client_key_data.is_empty()) {
            (false, false) => {
                for (name, pem) in [
                    ("client-certificate-data", status.client_certificate_data),
                    ("client-key-data", status.client_key_data),
                ] {
                    user[name] = json!(ByteString(pem.into_bytes()));
                }
            }
            (true, true) if user.get("token").is_none() => {
                return Err(self.failed("it printed neither a token nor a certificate"));
            }
            (true, true) => {}
            _ => return Err(self.failed("it printed only one of certificate and key")),
        }
        // It is made of the three fields that are set here.
        Ok(Credential { user: serde_json::from_value(user).unwrap_or_default(), expires })
    }

    /// Names the program alone: its arguments and its environment may hold credentials.
    fn failed(&self, detail: impl Into<String>) -> LiveError {
        LiveError::Plugin {
            plugin: self.exec.command.clone().unwrap_or_default(),
            detail: detail.into(),
            install_hint: self.exec.install_hint.clone(),
        }
    }
}
