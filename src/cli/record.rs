//! `record`: a flight recorder. Watches the cluster and appends each change to a folder, so that `explain -f` can later
//! look at the very moment.

use std::path::PathBuf;
use std::time::Duration;

use super::cluster::{ClusterArgs, NamespaceArgs};
use super::{Failure, Io, Outcome};

/// Arguments of `record`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder to record into; an earlier recording in it goes on
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Most that the folder may hold: 500Mi, 2Gi
    #[arg(long, value_name = "SIZE", default_value = "1Gi", value_parser = size)]
    pub max_size: u64,
    /// For how long changes are kept: 90m, 24h, 7d; 0 for as long as --max-size allows
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = span)]
    pub keep: Duration,
    /// Keep every field: environment values, arguments, annotations, managedFields
    #[arg(long)]
    pub no_redact: bool,
    /// Namespaces to fall back to.
    #[command(flatten)]
    pub namespace: NamespaceArgs,
    /// The cluster.
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// Bytes: `1048576`, `500Mi`, `2Gi`, `500M`.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let unit: u64 = match &text[digits..] {
        "" => 1,
        "k" | "K" => 1000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        "Ki" | "KiB" => 1 << 10,
        "Mi" | "MiB" => 1 << 20,
        "Gi" | "GiB" => 1 << 30,
        _ => return Err("give bytes, or a number with Ki, Mi or Gi".to_owned()),
    };
    let number =
        text[..digits].parse::<u64>().map_err(|_| "give a number first: 500Mi".to_owned())?;
    let bytes = number.saturating_mul(unit);
    if bytes < 1 << 20 { Err("less than 1Mi holds no cluster".to_owned()) } else { Ok(bytes) }
}

/// A span: `0`, `45s`, `90m`, `24h`, `7d`.
fn span(text: &str) -> Result<Duration, String> {
    let wrong = || "give a number with s, m, h or d: 90m, 24h".to_owned();
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let unit = text.chars().last().ok_or_else(wrong)?;
    let number = text[..text.len() - unit.len_utf8()].parse::<u64>().map_err(|_| wrong())?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    Ok(Duration::from_secs(number.saturating_mul(seconds)))
}

/// Records until it is stopped.
#[cfg(feature = "live")]
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    live::run(args, io)
}

/// Without the feature `live` there is nothing to watch.
#[cfg(not(feature = "live"))]
pub fn run(_: &Args, _: &mut Io<'_>) -> Result<Outcome, Failure> {
    Err(super::cluster::no_live())
}

#[cfg(feature = "live")]
mod live {
    use std::collections::BTreeSet;
    use std::pin::Pin;
    use std::sync::Arc;

    use serde_json::Value;
    use tokio::sync::mpsc::channel;
    use tokio::time::{Duration, interval};

    use super::{Args, Failure, Io, Outcome};
    use crate::cli::cluster::ProgressLine;
    use crate::cli::io::now;
    use crate::render::counted;
    use crate::sources::export::{Redaction, Redactor};
    use crate::sources::live::{
        Connection, Gathered, Listed, LiveError, News, Progress, Take, Want, WatchFrom, gather,
        wait, watch, watched,
    };
    use crate::sources::recording::{Key, Limits, Step, Store};

    /// Objects as they are kept.
    type Page = Vec<Value>;

    pub(super) fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
        let options = args.cluster.options(io);
        let redaction = if args.no_redact { Redaction::Whole } else { Redaction::Redacted };
        let redactor = Redactor { redaction };
        let take: Take<Page> = Arc::new(move |resource, body| {
            redactor.objects(&resource.api_version(), &resource.kind, &body)
        });
        let ended = wait(async {
            let connection = Connection::open(&options).await?;
            let namespace =
                args.namespace.namespace.clone().or_else(|| connection.namespace.clone());
            let want = Want { everything: false, namespace };
            // One listener for all the time: a signal that comes between two of them would be lost.
            let stopped = stopped();
            tokio::pin!(stopped);
            let mut line = ProgressLine::new(io);
            let mut show = |progress: &Progress| line.show(progress, &mut *io.err);
            let gathered = tokio::select! {
                gathered = watched(&connection, gather(&connection, &want, &take), &mut show) => gathered,
                () = &mut stopped => Err(LiveError::Interrupted),
            };
            line.clear(&mut *io.err);
            let gathered = gathered?;
            let recorder =
                Recorder { args, redactor, io: &mut *io, written: 0, away: BTreeSet::new() };
            Ok(recorder.record(&connection, gathered, &take, stopped).await)
        });
        ended?
    }

    struct Recorder<'a, 'io> {
        args: &'a Args,
        redactor: Redactor,
        io: &'a mut Io<'io>,
        written: usize,
        /// What is not being watched at the moment.
        away: BTreeSet<String>,
    }

    impl Recorder<'_, '_> {
        async fn record(
            mut self,
            connection: &Connection,
            gathered: Gathered<Page>,
            take: &Take<Page>,
            mut stopped: Pin<&mut impl Future<Output = ()>>,
        ) -> Result<Outcome, Failure> {
            let mut store = self.open(connection, &gathered)?;
            for gap in &gathered.gaps {
                self.say(&format!("gap: {}: {}", gap.subject, gap.detail));
            }
            let mut from = Vec::new();
            for list in gathered.lists {
                self.listed(&mut store, &list)?;
                // Settings are read once.
                if list.resource_version.is_empty() {
                    continue;
                }
                from.push(WatchFrom {
                    resource: list.resource,
                    only_in: list.only_in,
                    resource_version: list.resource_version,
                });
            }
            self.say(&format!(
                "recording {} into {}; Ctrl-C ends it",
                connection.server,
                self.args.folder.display()
            ));

            let (sender, mut news) = channel(256);
            let mut tasks = watch(connection, from, take, &sender);
            drop(sender);
            let (mut second, mut ticks) = (interval(Duration::from_secs(1)), 0_u64);
            loop {
                tokio::select! {
                    biased;
                    () = &mut stopped => break,
                    Some(news) = news.recv() => self.take(&mut store, news)?,
                    _ = second.tick() => {
                        ticks += 1;
                        if ticks.is_multiple_of(10) && self.away.is_empty() {
                            store.alive(now()).map_err(|error| self.refused(&error))?;
                        }
                        if ticks.is_multiple_of(60) {
                            store.trim(now()).map_err(|error| self.refused(&error))?;
                        }
                        store.sync().map_err(|error| self.refused(&error))?;
                    }
                    Some(ended) = tasks.join_next() => {
                        if let Err(error) = ended && error.is_panic() {
                            std::panic::resume_unwind(error.into_panic());
                        }
                        if tasks.is_empty() {
                            return Err(Failure::new("nothing can be watched any more"));
                        }
                    }
                }
            }
            if self.away.is_empty() {
                store.alive(now()).map_err(|error| self.refused(&error))?;
            }
            store.sync().map_err(|error| self.refused(&error))?;
            let folder = self.args.folder.display().to_string();
            self.say(&format!(
                "recorded {}; next: kubectl landed explain POD -n NAMESPACE -f {folder}",
                counted(self.written, "change")
            ));
            Ok(Outcome::Done)
        }

        fn open(
            &self,
            connection: &Connection,
            gathered: &Gathered<Page>,
        ) -> Result<Store, Failure> {
            let keep = Some(self.args.keep).filter(|keep| !keep.is_zero());
            let limits = Limits { max_size: self.args.max_size, keep };
            let version = gathered.kubernetes_version.as_deref();
            Store::open(&self.args.folder, limits, version, &connection.server, now())
                .map_err(|error| self.refused(&error))
        }

        fn take(&mut self, store: &mut Store, news: News<Page>) -> Result<(), Failure> {
            match news {
                News::Change { resource, kind, object } => {
                    let step = match kind.as_str() {
                        "ADDED" => Step::Added,
                        "DELETED" => Step::Deleted,
                        _ => Step::Modified,
                    };
                    let kept = self.redactor.item(&resource.api_version(), &resource.kind, &object);
                    if let Some(object) = kept {
                        self.write(store, step, &object)?;
                    }
                }
                News::Again(list) => {
                    let what = list.resource.qualified();
                    store.broke(&what, now()).map_err(|error| self.refused(&error))?;
                    self.listed(store, &list)?;
                    self.say(&format!("the watch of {what} had expired: changes in between are missing, and it is listed anew"));
                }
                News::Away(resource, error) => {
                    if self.away.is_empty() {
                        self.say(&format!("waiting: {error}"));
                    }
                    self.away.insert(resource.qualified());
                }
                News::Back(resource) => {
                    if self.away.remove(&resource.qualified()) && self.away.is_empty() {
                        self.say("the API server is back: nothing was lost unless said otherwise");
                    }
                }
                News::Ended(resource, error) => {
                    let what = resource.qualified();
                    self.away.remove(&what);
                    store.broke(&what, now()).map_err(|error| self.refused(&error))?;
                    self.say(&format!("no longer recorded: {what}: {error}"));
                }
            }
            Ok(())
        }

        /// Writes a list: all that is new in it, and what is in it no longer.
        fn listed(&mut self, store: &mut Store, list: &Listed<Page>) -> Result<(), Failure> {
            let mut keys = BTreeSet::new();
            for object in list.pages.iter().flatten() {
                keys.insert(Key::of(object));
                self.write(store, Step::Listed, object)?;
            }
            let (kind, only_in) = (&list.resource.kind, list.only_in.as_deref());
            let gone = store.gone(kind, only_in, &|key| keys.contains(key), now());
            gone.map_err(|error| self.refused(&error))?;
            Ok(())
        }

        fn write(&mut self, store: &mut Store, step: Step, object: &Value) -> Result<(), Failure> {
            let is_written =
                store.change(step, object, now()).map_err(|error| self.refused(&error))?;
            self.written += usize::from(is_written && step != Step::Listed);
            Ok(())
        }

        fn refused(&self, error: &std::io::Error) -> Failure {
            Failure::new(format!("cannot record into {}: {error}", self.args.folder.display()))
        }

        /// A message on stderr; that nobody reads it ends nothing.
        fn say(&mut self, message: &str) {
            let _ = self.io.tell(message);
            let _ = self.io.err.flush();
        }
    }

    /// Ctrl-C, or the SIGTERM of a service manager: both end a recording in good order.
    async fn stopped() {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            if let Ok(mut terminate) = signal(SignalKind::terminate()) {
                tokio::select! {
                    _ = terminate.recv() => return,
                    _ = tokio::signal::ctrl_c() => return,
                }
            }
        }
        // Where no handler can be installed the default one ends the process, which loses nothing.
        let _ = tokio::signal::ctrl_c().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_spans_are_read() {
        assert_eq!(size("500Mi"), Ok(500 << 20));
        assert_eq!(size("2G"), Ok(2_000_000_000));
        assert!(size("Gi").is_err() && size("1k").is_err() && size("1Q").is_err());
        assert_eq!(span("24h"), Ok(Duration::from_hours(24)));
        assert_eq!(span("0"), Ok(Duration::ZERO));
        assert!(span("h").is_err() && span("").is_err() && span("3").is_err());
    }
}
