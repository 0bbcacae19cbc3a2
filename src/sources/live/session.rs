//! `Session`: a client and the credential that it has, renewed when it ends or is refused.

use std::time::Duration;

use kube::client::ClientBuilder;
use kube::{Client, Config};
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::error::LiveError;
use super::plugin::{Credential, Plugin};
use crate::model::time::Timestamp;

/// A plugin that failed is left alone for so long: a recorder has many watches that all would ask it.
const PAUSE: Duration = Duration::from_secs(5);

/// How a credential is had.
pub(super) struct Login {
    /// With all credentials but the plugin's.
    pub(super) config: Config,
    /// Asked for a credential where there is one.
    pub(super) plugin: Option<Plugin>,
}

/// A client that is logged in.
pub(super) struct Session {
    client: Client,
    expires: Option<Timestamp>,
    /// Which credential this is, counted from 0.
    number: u64,
    failed: Option<(Instant, LiveError)>,
}

impl Session {
    /// Logs in.
    pub(super) async fn begin(login: &Login) -> Result<Self, LiveError> {
        let (client, expires) = log_in(login).await?;
        Ok(Self { client, expires, number: 0, failed: None })
    }

    /// The client and its credential's number. A new credential is asked for where the old one has ended or is the one
    /// that was `refused`.
    pub(super) async fn client(
        &mut self,
        login: &Login,
        refused: Option<u64>,
    ) -> Result<(Client, u64), LiveError> {
        if !self.is_over() && refused != Some(self.number) {
            return Ok((self.client.clone(), self.number));
        }
        if let Some((when, error)) = &self.failed
            && when.elapsed() < PAUSE
        {
            return Err(error.clone());
        }
        match log_in(login).await {
            Ok((client, expires)) => {
                *self = Self { client, expires, number: self.number + 1, failed: None };
                Ok((self.client.clone(), self.number))
            }
            Err(error) => {
                self.failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    fn is_over(&self) -> bool {
        #[expect(clippy::disallowed_methods, reason = "a credential ends at a time of the clock")]
        let now = jiff::Timestamp::now();
        self.expires.is_some_and(|expires| expires.0 <= now)
    }
}

async fn log_in(login: &Login) -> Result<(Client, Option<Timestamp>), LiveError> {
    let mut config = login.config.clone();
    let mut expires = None;
    if let Some(plugin) = login.plugin.clone() {
        // It may take as long as somebody takes to type a password.
        let credential = spawn_blocking(move || plugin.run()).await;
        // A task that panicked is a bug of ours: the panic goes on.
        let credential: Credential =
            credential.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
        expires = credential.expires;
        config.auth_info.token = credential.user.token;
        config.auth_info.client_certificate_data = credential.user.client_certificate_data;
        config.auth_info.client_key_data = credential.user.client_key_data;
    }
    let client = ClientBuilder::try_from(config).map_err(|error| LiveError::unusable(&error))?;
    Ok((client.build(), expires))
}
