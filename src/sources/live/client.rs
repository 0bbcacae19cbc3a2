//! `Connection`: one cluster, read with GET alone, within time limits, a few requests at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use http::Response;
use http::header::{ACCEPT, HeaderMap, RETRY_AFTER};
use http_body_util::BodyExt;
use kube::client::{AuthError, Body};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, sleep, timeout_at};

use super::config::{Options, RequestTimeout, SILENCE, resolve};
use super::error::{LiveError, causes, connection_failed};
use super::session::{Login, Session};

/// Requests in flight at once.
const IN_FLIGHT: usize = 4;
/// How often a request is tried in all.
const ATTEMPTS: u32 = 4;
/// How long a server may put a request off, added up.
const PATIENCE: Duration = Duration::from_mins(1);

/// What has been read so far: for a progress line.
#[derive(Debug, Default)]
pub struct Progress {
    /// Lists that are complete.
    pub lists: AtomicUsize,
    /// Lists that there are.
    pub lists_total: AtomicUsize,
    /// Objects read.
    pub objects: AtomicU64,
    /// For how many seconds the server last asked to be left alone; 0 when it does not.
    pub put_off: AtomicU64,
}

/// One cluster. Can send GET requests and nothing else.
#[derive(Clone)]
pub struct Connection {
    login: Arc<Login>,
    session: Arc<Mutex<Session>>,
    /// The server's address.
    pub server: String,
    /// The namespace of the context, where it has one.
    pub namespace: Option<String>,
    timeout: RequestTimeout,
    permits: Arc<Semaphore>,
    /// What has been read so far.
    pub progress: Arc<Progress>,
}

/// An answer: its status and the whole of its body.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Connection {
    /// Reads the kubeconfig and gets credentials; sends nothing to the cluster yet.
    pub async fn open(options: &Options) -> Result<Self, LiveError> {
        let resolved = resolve(options)?;
        let login = Arc::new(Login { config: resolved.config, plugin: resolved.plugin });
        let session = Session::begin(&login).await?;
        Ok(Self {
            login,
            session: Arc::new(Mutex::new(session)),
            server: resolved.server,
            namespace: resolved.namespace,
            timeout: options.request_timeout,
            permits: Arc::new(Semaphore::new(IN_FLIGHT)),
            progress: Arc::default(),
        })
    }

    /// Reads a path. `what` names it in errors. Statuses that say something about the path are answers; what says
    /// that the server cannot answer is an error.
    pub(super) async fn get(
        &self,
        path: &str,
        accept: &str,
        what: &str,
    ) -> Result<Answer, LiveError> {
        // Waited between attempts, and spent on those that failed.
        let (mut waited, mut spent) = (Duration::ZERO, Duration::ZERO);
        let mut attempt = 1;
        loop {
            let result = {
                // The semaphore is never closed.
                let _permit = self.permits.acquire().await;
                let started = Instant::now();
                let result = self.get_once(path, accept, what).await;
                spent += started.elapsed();
                result
            };
            let (pause, result) = match result {
                Ok((answer, headers)) => match answer.status {
                    429 | 503 => {
                        (retry_after(&headers).unwrap_or_else(|| backoff(attempt)), Ok(answer))
                    }
                    500 | 502 | 504 => (backoff(attempt), Ok(answer)),
                    _ => return self.accept(answer, what),
                },
                Err(error @ (LiveError::Unreachable { .. } | LiveError::Broken { .. })) => {
                    (backoff(attempt), Err(error))
                }
                Err(error) => return Err(error),
            };
            let is_throttled = matches!(&result, Ok(answer) if answer.status == 429);
            // A server that answers is waited for as it asks; one that does not is dead within the time-out.
            let is_over = match &result {
                Ok(_) => waited + pause > self.patience(),
                Err(_) => spent + waited + pause > self.patience().min(SILENCE),
            };
            if attempt >= ATTEMPTS && !is_throttled || is_over {
                let answer = result?;
                if is_throttled {
                    return Err(LiveError::Throttled {
                        server: self.server.clone(),
                        what: what.to_owned(),
                        waited,
                    });
                }
                return self.accept(answer, what);
            }
            self.progress.put_off.store(pause.as_secs(), Ordering::Relaxed);
            sleep(pause).await;
            self.progress.put_off.store(0, Ordering::Relaxed);
            waited += pause;
            attempt += 1;
        }
    }

    /// Reads a path that is answered line by line for as long as it lasts. None: what it starts from is too old (410).
    pub(super) async fn lines(
        &self,
        path: &str,
        what: &str,
        silence: Duration,
    ) -> Result<Option<Lines>, LiveError> {
        let (response, _) = self.send(path, "application/json", what).await?;
        let status = response.status().as_u16();
        let lines = Lines {
            body: response.into_body(),
            buffer: Vec::new(),
            connection: self.clone(),
            what: what.to_owned(),
            silence,
        };
        match status {
            200 => Ok(Some(lines)),
            410 => Ok(None),
            _ => {
                let body = lines.rest().await?;
                let (server, what, detail) =
                    (self.server.clone(), what.to_owned(), status_message(&body));
                Err(match status {
                    401 => LiveError::Unauthorized { server },
                    403 => LiveError::Forbidden { server, what, detail },
                    status => LiveError::Refused { server, status, what, detail },
                })
            }
        }
    }

    fn patience(&self) -> Duration {
        match self.timeout {
            RequestTimeout::After(limit) => limit,
            RequestTimeout::Unset | RequestTimeout::Never => PATIENCE,
        }
    }

    fn accept(&self, answer: Answer, what: &str) -> Result<Answer, LiveError> {
        match answer.status {
            200..300 | 403 | 404 | 405 | 410 => Ok(answer),
            401 => Err(LiveError::Unauthorized { server: self.server.clone() }),
            status => Err(LiveError::Refused {
                server: self.server.clone(),
                status,
                what: what.to_owned(),
                detail: status_message(&answer.body),
            }),
        }
    }

    async fn get_once(
        &self,
        path: &str,
        accept: &str,
        what: &str,
    ) -> Result<(Answer, HeaderMap), LiveError> {
        let (response, clock) = self.send(path, accept, what).await?;
        let (parts, mut body) = response.into_parts();
        let mut bytes = Vec::new();
        while let Some(frame) = self.within(clock.next(), what, body.frame()).await? {
            let frame = frame.map_err(|error| LiveError::Broken {
                server: self.server.clone(),
                what: what.to_owned(),
                detail: causes(&error).last().cloned().unwrap_or_default(),
            })?;
            if let Some(data) = frame.data_ref() {
                bytes.extend_from_slice(data);
            }
        }
        Ok((Answer { status: parts.status.as_u16(), body: bytes }, parts.headers))
    }

    /// Sends a request. One that the server refuses for its credential is sent again with a new one where a plugin gives
    /// it.
    async fn send(
        &self,
        path: &str,
        accept: &str,
        what: &str,
    ) -> Result<(Response<Body>, Deadline), LiveError> {
        let mut refused = None;
        loop {
            let (client, number) = self.session.lock().await.client(&self.login, refused).await?;
            let clock = Deadline::start(self.timeout);
            let request = http::Request::get(path).header(ACCEPT, accept).body(Body::empty());
            let request =
                request.map_err(|error| LiveError::Configuration(format!("{path}: {error}")))?;
            let answer = self.within(clock.next(), what, client.send(request)).await?;
            let response = answer.map_err(|error| self.failed(what, error))?;
            if response.status() != 401 || refused.is_some() || self.login.plugin.is_none() {
                return Ok((response, clock));
            }
            refused = Some(number);
        }
    }

    async fn within<T>(
        &self,
        limit: Option<(Instant, Duration)>,
        what: &str,
        work: impl Future<Output = T>,
    ) -> Result<T, LiveError> {
        let Some((deadline, after)) = limit else { return Ok(work.await) };
        timeout_at(deadline, work).await.map_err(|_| LiveError::Timeout {
            server: self.server.clone(),
            after,
            what: what.to_owned(),
        })
    }

    fn failed(&self, what: &str, error: kube::Error) -> LiveError {
        let failed = match error {
            kube::Error::Auth(error) => LiveError::unusable(&error),
            kube::Error::Service(error) => match error.downcast::<AuthError>() {
                Ok(error) => LiveError::unusable(&*error),
                Err(error) => connection_failed(&self.server, what, &*error),
            },
            error => connection_failed(&self.server, what, &error),
        };
        match (failed, &self.login.config.proxy_url) {
            (LiveError::Unreachable { server, detail }, Some(proxy)) => {
                let detail = format!("through the proxy {}: {detail}", address_of(proxy));
                LiveError::Unreachable { server, detail }
            }
            (failed, _) => failed,
        }
    }
}

/// An answer that comes line by line.
pub(super) struct Lines {
    body: Body,
    buffer: Vec<u8>,
    connection: Connection,
    what: String,
    silence: Duration,
}

impl Lines {
    /// The next line; none at the end. A line that the end cuts off is dropped: it comes again with the next watch.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, LiveError> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.buffer[searched..].iter().position(|byte| *byte == b'\n') {
                let rest = self.buffer.split_off(searched + end + 1);
                return Ok(Some(std::mem::replace(&mut self.buffer, rest)));
            }
            searched = self.buffer.len();
            let limit = Some((Instant::now() + self.silence, self.silence));
            let frame = self.connection.within(limit, &self.what, self.body.frame()).await?;
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|error| LiveError::Broken {
                server: self.connection.server.clone(),
                what: self.what.clone(),
                detail: causes(&error).last().cloned().unwrap_or_default(),
            })?;
            if let Some(data) = frame.data_ref() {
                self.buffer.extend_from_slice(data);
            }
        }
    }

    /// All that is left, of an answer that turned out to be short.
    async fn rest(mut self) -> Result<Vec<u8>, LiveError> {
        let mut all = Vec::new();
        while let Some(line) = self.next().await? {
            all.extend(line);
        }
        all.extend(self.buffer);
        Ok(all)
    }
}

/// When a request has to be done, or at least has to show life.
struct Deadline {
    limit: RequestTimeout,
    started: Instant,
}

impl Deadline {
    fn start(limit: RequestTimeout) -> Self {
        Self { limit, started: Instant::now() }
    }

    /// The moment by which the next step has to be done, and the span to name when it is not.
    fn next(&self) -> Option<(Instant, Duration)> {
        match self.limit {
            RequestTimeout::Never => None,
            RequestTimeout::After(limit) => Some((self.started + limit, limit)),
            RequestTimeout::Unset => Some((Instant::now() + SILENCE, SILENCE)),
        }
    }
}

fn backoff(attempt: u32) -> Duration {
    Duration::from_millis(200 * 3_u64.pow(attempt.min(4) - 1))
}

/// `Retry-After` in seconds, as API servers send it.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The `message` of a Status, or the beginning of whatever else was answered.
pub(super) fn status_message(body: &[u8]) -> String {
    #[derive(serde::Deserialize)]
    struct Status {
        message: String,
    }
    if let Ok(status) = serde_json::from_slice::<Status>(body) {
        return status.message;
    }
    let text = String::from_utf8_lossy(&body[..body.len().min(120)]);
    let line = text.lines().next().unwrap_or_default().trim();
    if line.is_empty() { "no reason given".to_owned() } else { line.to_owned() }
}

/// A proxy without its password.
fn address_of(proxy: &http::Uri) -> String {
    let host = proxy.host().unwrap_or_default();
    proxy.port_u16().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
