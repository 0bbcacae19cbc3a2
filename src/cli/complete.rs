//! `__complete`: what could stand next on the command line, one candidate a line, as kubectl asks for it.
//!
//! Never an error and never a question: what cannot be known in a moment is left out.

use clap::{Command, CommandFactory, ValueHint};

use super::{Cli, Failure, Io, Outcome};
use crate::render::safe;

/// Arguments of `__complete`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The words after `kubectl landed`; the last one is being written
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// What the word that is being written names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    /// One of these, with what each means.
    These(Vec<(String, String)>),
    /// A file or folder: the shell knows better.
    File,
    /// A context of the kubeconfig.
    Context,
    /// Objects of the cluster: the path of their list, and what stands before each name.
    Objects { resource: &'static str, is_namespaced: bool, before: &'static str },
    /// Nothing is known.
    Nothing,
}

/// Says that no file is meant, as kubectl's completion understands it.
const NO_FILES: &str = ":4";

/// Prints candidates.
pub fn run(args: &Args, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    let (before, current) = match args.words.split_last() {
        Some((current, before)) => (before, current.as_str()),
        None => (&[][..], ""),
    };
    let wanted = wanted(&Cli::command(), before, current);
    let mut candidates = match &wanted {
        Wanted::File => return Ok(Outcome::Done),
        Wanted::These(these) => these.clone(),
        Wanted::Context | Wanted::Objects { .. } => {
            names(&wanted, before, io).into_iter().map(|name| (name, String::new())).collect()
        }
        Wanted::Nothing => Vec::new(),
    };
    // The first word may be a command as well as a pod.
    if before.is_empty() && matches!(wanted, Wanted::Objects { .. }) {
        candidates.splice(0..0, commands(&Cli::command()));
    }
    for (candidate, help) in
        candidates.iter().filter(|(candidate, _)| candidate.starts_with(current))
    {
        // No shell shall see what a terminal would obey.
        let candidate = safe(candidate);
        if help.is_empty() {
            writeln!(io.out, "{candidate}")?;
        } else {
            writeln!(io.out, "{candidate}\t{help}")?;
        }
    }
    writeln!(io.out, "{NO_FILES}")?;
    Ok(Outcome::Done)
}

fn wanted(root: &Command, before: &[String], current: &str) -> Wanted {
    let chosen = before.iter().find_map(|word| root.find_subcommand(word));
    let command = chosen.or_else(|| root.find_subcommand("explain")).unwrap_or(root);
    if let Some(flag) = before.last().filter(|word| word.starts_with('-'))
        && let Some(wanted) = value_of(command, flag)
    {
        return wanted;
    }
    if current.starts_with('-') {
        return Wanted::These(flags(command));
    }
    let objects =
        |resource, is_namespaced, before| Wanted::Objects { resource, is_namespaced, before };
    for (prefix, resource) in [
        ("pod/", "/api/v1/pods"),
        ("deploy/", "/apis/apps/v1/deployments"),
        ("rs/", "/apis/apps/v1/replicasets"),
        ("sts/", "/apis/apps/v1/statefulsets"),
        ("ds/", "/apis/apps/v1/daemonsets"),
    ] {
        if current.starts_with(prefix) {
            return objects(resource, true, prefix);
        }
    }
    match chosen.map_or("explain", Command::get_name) {
        "explain" | "compare" => objects("/api/v1/pods", true, ""),
        "node" => objects("/api/v1/nodes", false, ""),
        "nodeclaim" => objects("/apis/karpenter.sh/v1/nodeclaims", false, ""),
        "record" => Wanted::File,
        _ => positional(command),
    }
}

/// The values that a command's own argument may have.
fn positional(command: &Command) -> Wanted {
    let values = command.get_positionals().flat_map(clap::Arg::get_possible_values);
    let values =
        values.map(|value| (value.get_name().to_owned(), String::new())).collect::<Vec<_>>();
    if values.is_empty() { Wanted::Nothing } else { Wanted::These(values) }
}

/// What stands behind a flag; none where the flag takes no value.
fn value_of(command: &Command, flag: &str) -> Option<Wanted> {
    let name = flag.trim_start_matches('-');
    let argument = command.get_arguments().find(|argument| {
        let short = argument.get_short().map(String::from);
        argument.get_long() == Some(name) || short.as_deref() == Some(name)
    })?;
    if !argument.get_action().takes_values() {
        return None;
    }
    let objects = |resource| Wanted::Objects { resource, is_namespaced: false, before: "" };
    Some(match argument.get_long().unwrap_or_default() {
        "namespace" => objects("/api/v1/namespaces"),
        "context" => Wanted::Context,
        // A flag of type PathBuf has it.
        _ if argument.get_value_hint() == ValueHint::AnyPath => Wanted::File,
        _ => {
            let values = argument.get_possible_values();
            let values = values
                .iter()
                .map(|value| (value.get_name().to_owned(), String::new()))
                .collect::<Vec<_>>();
            if values.is_empty() { Wanted::Nothing } else { Wanted::These(values) }
        }
    })
}

fn flags(command: &Command) -> Vec<(String, String)> {
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let named = shown.filter_map(|argument| {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        Some((format!("--{}", argument.get_long()?), help))
    });
    named.collect()
}

fn commands(root: &Command) -> Vec<(String, String)> {
    let shown = root.get_subcommands().filter(|command| !command.is_hide_set());
    shown
        .map(|command| {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            (command.get_name().to_owned(), about)
        })
        .collect()
}

#[cfg(not(feature = "live"))]
fn names(_: &Wanted, _: &[String], _: &Io<'_>) -> Vec<String> {
    Vec::new()
}

#[cfg(feature = "live")]
fn names(wanted: &Wanted, before: &[String], io: &Io<'_>) -> Vec<String> {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use clap::FromArgMatches;

    use super::cluster::{ClusterArgs, NamespaceArgs};
    use crate::sources::live::{Connection, contexts, names, wait};

    /// Nobody waits longer for a completion; a credential plugin alone may take a second.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// The flags that choose a cluster, among all others.
    #[derive(clap::Parser)]
    #[command(ignore_errors = true, disable_help_flag = true)]
    struct Flags {
        #[command(flatten)]
        cluster: ClusterArgs,
        #[command(flatten)]
        namespace: NamespaceArgs,
    }

    let words = std::iter::once("landed").chain(before.iter().map(String::as_str));
    let Ok(matches) = Flags::command().try_get_matches_from(words) else { return Vec::new() };
    let Ok(flags) = Flags::from_arg_matches(&matches) else { return Vec::new() };
    let mut options = flags.cluster.options(io);
    options.never_asks = true;
    let (resource, is_namespaced, prefix) = match wanted {
        Wanted::Context => return contexts(&options).map(|(names, _)| names).unwrap_or_default(),
        Wanted::Objects { resource, is_namespaced, before } => (*resource, *is_namespaced, *before),
        _ => return Vec::new(),
    };
    let namespace = flags.namespace.namespace;
    let (sender, receiver) = channel();
    // In a thread of its own: a credential plugin may take its time, and the end of the process ends it.
    let ask = move || {
        let found = wait(async {
            let connection = Connection::open(&options).await?;
            let mut path = resource.to_owned();
            if is_namespaced && let Some((version, plural)) = resource.rsplit_once('/') {
                let of_context = connection.namespace.as_deref().unwrap_or("default");
                let namespace = namespace.as_deref().unwrap_or(of_context);
                path = format!("{version}/namespaces/{namespace}/{plural}");
            }
            names(&connection, &path).await
        });
        // The one who asked may have given up.
        let _ = sender.send(found.unwrap_or_default());
    };
    if std::thread::Builder::new().spawn(ask).is_err() {
        return Vec::new();
    }
    let found = receiver.recv_timeout(PATIENCE).unwrap_or_default();
    found.into_iter().map(|name| format!("{prefix}{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Wanted {
        let words = words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let (current, before) = words.split_last().expect("a word");
        wanted(&Cli::command(), before, current)
    }

    #[test]
    fn the_word_before_decides_what_is_offered() {
        let pods = Wanted::Objects { resource: "/api/v1/pods", is_namespaced: true, before: "" };
        let spaces =
            Wanted::Objects { resource: "/api/v1/namespaces", is_namespaced: false, before: "" };
        assert_eq!(asked(&["we"]), pods);
        assert_eq!(asked(&["dump", "-n", ""]), spaces);
        assert_eq!(asked(&["dump", "--context", ""]), Wanted::Context);
        assert_eq!(asked(&["dump", "-o", ""]), Wanted::File);
        assert_eq!(asked(&["explain", "--prices", ""]), Wanted::File);
        assert_eq!(asked(&["check", "--against", ""]), Wanted::File);
        let Wanted::These(flags) = asked(&["dump", "--inc"]) else { panic!("flags are known") };
        assert!(flags.iter().any(|(flag, help)| flag == "--include-logs" && !help.is_empty()));
        let Wanted::These(shells) = asked(&["completion", ""]) else { panic!("shells are known") };
        assert_eq!(shells[0].0, "bash");
    }
}
