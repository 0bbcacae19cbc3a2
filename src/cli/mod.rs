//! The command line: one file a command, each with its `Args` and a `run`.

mod anonymise;
pub mod audit;
pub mod check;
pub mod cluster;
pub mod compare;
pub mod complete;
pub mod completion;
pub mod dump;
pub mod explain;
pub mod input;
pub mod instance_types;
pub mod io;
pub mod man;
pub mod manifests;
pub mod node;
pub mod nodeclaim;
pub mod outcome;
pub mod output;
pub mod question;
pub mod rbac;
pub mod record;
pub mod replay;
pub mod schema;
pub mod select;
pub mod simulate;
pub mod timings;
pub mod version;
pub mod why;
pub mod world;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use io::Io;
pub use outcome::{Failure, Outcome};

/// Why did my pod land there? Replays Karpenter's provisioning and kube-scheduler's choice, and says where they differ.
#[derive(Parser, Debug)]
#[command(
    name = "kubectl-landed",
    version,
    about,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, in the order in which help lists them: ask, before, collect, look inside, about.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Say why a pod landed where it did
    Explain(Box<explain::Args>),
    /// Say how all pods landed, and which nodes were launched in vain
    Audit(Box<audit::Args>),
    /// Say whom a node was launched for, where they went, and what becomes of it
    Node(Box<node::Args>),
    /// The same as node, by the name of the NodeClaim
    Nodeclaim(Box<nodeclaim::Args>),
    /// Say why two pods landed differently: only what differs
    Compare(Box<compare::Args>),
    /// Check manifests: what Karpenter and kube-scheduler will make of them
    Check(check::Args),
    /// Simulate workloads: which nodes Karpenter would launch, and where the pods would go
    Simulate(simulate::Args),
    /// Save what an answer needs from the cluster, redacted, for explain -f
    Dump(dump::Args),
    /// Record every change from now on, for explain -f to look at the very moment
    Record(record::Args),
    /// Replay one component over a dump, and print all that it says
    Replay(replay::Args),
    /// List the instance types that each NodePool may launch, and why not the others
    InstanceTypes(instance_types::Args),
    /// Say what a message of Karpenter or kube-scheduler means, or a cause's code
    Why(why::Args),
    /// Print the JSON Schema of a kind of document
    Schema(schema::Args),
    /// Print the least rights that suffice, as a ClusterRole
    Rbac(rbac::Args),
    /// Print a completion script for a shell, or kubectl's own helper
    Completion(completion::Args),
    /// Print what could stand next on the command line
    #[command(name = "__complete", hide = true)]
    Complete(complete::Args),
    /// Print this program's version and the upstream versions that it replays
    Version(version::Args),
}

/// The commands as help groups them; those that are not built in are not shown.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Ask", &["explain", "audit", "node", "nodeclaim", "compare"]),
    ("Before", &["check", "simulate"]),
    ("Collect", &["dump", "record"]),
    ("Look inside", &["replay", "instance-types", "why"]),
    ("About", &["schema", "rbac", "completion", "version"]),
];

/// The command line, with help that groups the commands: clap lists them in one row only.
fn command() -> clap::Command {
    let command = Cli::command();
    let mut template = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (heading, names) in GROUPS {
        template += &format!("\n{heading}:\n");
        for found in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = found.get_about().map(ToString::to_string).unwrap_or_default();
            template += &format!("  {:<16}{about}\n", found.get_name());
        }
    }
    template += "\nOptions:\n{options}\n\nWithout a command, the first word is a pod: kubectl landed web-1\n";
    command.help_template(template)
}

/// Runs the program on its arguments (the program's name first) and returns the exit code.
pub fn run(arguments: Vec<OsString>, io: &mut Io<'_>) -> u8 {
    let result = match parse(arguments) {
        Ok(cli) => dispatch(&cli, io),
        Err(error) => return usage(&error, io),
    };
    match result {
        Ok(outcome) => outcome.code(),
        Err(failure) => {
            report_failure(&failure, io);
            failure.code
        }
    }
}

fn dispatch(cli: &Cli, io: &mut Io<'_>) -> Result<Outcome, Failure> {
    match &cli.command {
        Command::Audit(args) => audit::run(args, io),
        Command::Node(args) => node::run(args, io),
        Command::Nodeclaim(args) => nodeclaim::run(args, io),
        Command::Compare(args) => compare::run(args, io),
        Command::Check(args) => check::run(args, io),
        Command::Simulate(args) => simulate::run(args, io),
        Command::Complete(args) => complete::run(args, io),
        Command::Completion(args) => completion::run(args, io),
        Command::Explain(args) => explain::run(args, io),
        Command::Dump(args) => dump::run(args, io),
        Command::InstanceTypes(args) => instance_types::run(args, io),
        Command::Rbac(args) => rbac::run(args, io),
        Command::Record(args) => record::run(args, io),
        Command::Replay(args) => replay::run(args, io),
        Command::Schema(args) => schema::run(args, io),
        Command::Why(args) => why::run(args, io),
        Command::Version(args) => version::run(args, io),
    }
}

/// Reads the arguments. Without a command, the first argument is a pod: `explain` is put in its place.
fn parse(mut arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut command = command();
    if arguments.first().is_some_and(|name| !name.to_string_lossy().contains("kubectl-")) {
        command = command.name("landed").bin_name("landed");
    } else {
        command = command.bin_name("kubectl landed");
    }
    if let Some(first) = arguments.get(1).map(|first| first.to_string_lossy().into_owned()) {
        let known = command.get_subcommands().any(|known| known.get_name() == first);
        let about_all = ["-h", "--help", "-V", "--version"].contains(&first.as_str());
        if !known && !about_all && command.find_subcommand("explain").is_some() {
            arguments.insert(1, "explain".into());
        }
    }
    let matches = command.try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

/// Help and version go to stdout with exit code 0, a wrong argument to stderr with 2.
fn usage(error: &clap::Error, io: &mut Io<'_>) -> u8 {
    let text = error.render();
    let (stream, code) = if error.use_stderr() { (&mut io.err, 2) } else { (&mut io.out, 0) };
    // Nobody reads any more: nothing is left to tell.
    let _ = write!(stream, "{text}");
    code
}

fn report_failure(failure: &Failure, io: &mut Io<'_>) {
    if failure.message.is_empty() {
        return;
    }
    // Nobody reads any more: nothing is left to tell.
    let _ = io.tell(&format!("error: {}", failure.message.replace('\n', " ")));
    if let Some(hint) = &failure.hint {
        let _ = io.tell(&format!("hint: {hint}"));
    }
}

/// Runs the program on this process's arguments, streams, environment and clock; returns the exit code.
#[expect(clippy::disallowed_methods, reason = "the only place that reads the environment")]
pub fn main() -> u8 {
    use std::io::IsTerminal;
    const VARIABLES: &[&str] = &[
        "COLUMNS",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "FORCE_COLOR",
        "TERM",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "KUBECONFIG",
        "KUBERC",
        "KUBECTL_KUBERC",
        "PATH",
        "HOME",
        "USERPROFILE",
        "KUBERNETES_SERVICE_HOST",
        "HTTPS_PROXY",
        "https_proxy",
        "HTTP_PROXY",
        "http_proxy",
        "NO_PROXY",
        "no_proxy",
        "CI",
        "GITHUB_STEP_SUMMARY",
    ];
    let variables = VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
        .collect::<Vec<_>>();
    let (stdout, stderr, stdin) = (std::io::stdout(), std::io::stderr(), std::io::stdin());
    let columns = variables
        .iter()
        .find(|(name, _)| name == "COLUMNS")
        .and_then(|(_, value)| value.parse().ok());
    let mut io = Io {
        out_is_terminal: stdout.is_terminal(),
        err_is_terminal: stderr.is_terminal(),
        out: &mut stdout.lock(),
        err: &mut stderr.lock(),
        input: &mut stdin.lock(),
        width: columns
            .or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))),
        variables,
        now: io::now(),
        leftovers: io::Leftovers::default(),
    };
    run(std::env::args_os().collect(), &mut io)
}
