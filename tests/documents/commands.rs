//! `docs/cli.md`: every command and flag, from the same source as `--help`.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Arg, Command, CommandFactory};
use landed::cli::Cli;

/// Flags of one heading of help: the heading, then a line a flag.
type Group = (String, Vec<String>);

/// The page.
pub fn page() -> String {
    let mut root = Cli::command().bin_name("kubectl landed");
    root.build();
    let mut commands: Vec<(String, &Command)> = Vec::new();
    collect(&root, "kubectl landed", &mut commands);
    // Flags that several commands share stand once, at the end.
    let mut users: BTreeMap<Group, Vec<&str>> = BTreeMap::new();
    for (name, command) in &commands {
        for group in groups(command).into_iter().filter(|(heading, _)| heading != "Options") {
            users.entry(group).or_default().push(name);
        }
    }
    // Of several forms of a heading the one that most commands have.
    let is_shared = |group: &Group| {
        let forms = users.iter().filter(|((heading, _), _)| *heading == group.0);
        let most = forms.max_by_key(|(_, users)| users.len()).map(|(form, _)| form);
        users.get(group).is_some_and(|users| users.len() > 1) && most == Some(group)
    };

    let mut page = String::from(
        "# Commands\n\nEvery command and flag. Made from the command line itself; do not edit. Without a command, `kubectl landed POD` is \
         `kubectl landed explain POD`.\n\n",
    );
    for (name, command) in &commands {
        page += &format!("- [{name}](#{}): {}\n", name.replace(' ', "-"), about(command));
    }
    let mut shared: Vec<Group> = Vec::new();
    for (name, command) in &commands {
        let usage = (*command).clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ");
        page += &format!("\n## {name}\n\n{}.\n\n```text\n{usage}\n```\n", about(command));
        let operands: Vec<&Arg> = command.get_positionals().collect();
        if !operands.is_empty() {
            page += "\n| Argument | Meaning |\n|---|---|\n";
            for operand in operands {
                page += &row(operand);
            }
        }
        let mut also = Vec::new();
        for group in groups(command) {
            if is_shared(&group) {
                also.push(format!("[{0}](#{1})", group.0, group.0.to_lowercase()));
                if !shared.contains(&group) {
                    shared.push(group);
                }
                continue;
            }
            page += &format!("\n| {} | Meaning |\n|---|---|\n{}", group.0, group.1.concat());
        }
        if !also.is_empty() {
            page += &format!("\nAlso the flags of {}.\n", also.join(", "));
        }
        if let Some(examples) = command.get_after_help() {
            let text = examples.to_string();
            page += &match text.strip_prefix("Examples:\n") {
                Some(examples) => {
                    let lines: Vec<&str> = examples.lines().map(str::trim_start).collect();
                    format!("\n```sh\n{}\n```\n", lines.join("\n"))
                }
                None => format!("\n```text\n{text}\n```\n"),
            };
        }
    }
    for (heading, flags) in shared {
        page += &format!("\n## {heading}\n\n| Flag | Meaning |\n|---|---|\n{}", flags.concat());
    }
    page
}

fn collect<'c>(command: &'c Command, name: &str, into: &mut Vec<(String, &'c Command)>) {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let name = format!("{name} {}", sub.get_name());
        into.push((name.clone(), sub));
        collect(sub, &name, into);
    }
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// The flags by the heading of help under which they stand, in the order of help.
fn groups(command: &Command) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut seen = BTreeSet::new();
    let flags = command.get_arguments().filter(|arg| {
        !arg.is_positional()
            && !arg.is_hide_set()
            && !["help", "version"].contains(&arg.get_id().as_str())
    });
    for flag in flags.filter(|flag| seen.insert(flag.get_id().clone())) {
        let heading = flag.get_help_heading().unwrap_or("Options").to_owned();
        match groups.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, rows)) => rows.push(row(flag)),
            None => groups.push((heading, vec![row(flag)])),
        }
    }
    groups
}

fn row(arg: &Arg) -> String {
    let values: Vec<String> =
        arg.get_value_names().into_iter().flatten().map(ToString::to_string).collect();
    let takes = arg.get_action().takes_values();
    let name = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (None, Some(long)) => format!("--{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, None) => values.join(" "),
    };
    let value = if takes && !arg.is_positional() {
        format!(
            " {}",
            values.iter().map(|value| format!("<{value}>")).collect::<Vec<_>>().join(" ")
        )
    } else {
        String::new()
    };
    let mut meaning = arg.get_help().map(ToString::to_string).unwrap_or_default();
    if takes {
        let possible: Vec<String> = arg
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| value.get_name().to_owned())
            .collect();
        if !possible.is_empty() && !possible.iter().all(|value| meaning.contains(value.as_str())) {
            meaning += &format!(": {}", possible.join(", "));
        }
        let default: Vec<String> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy().into()).collect();
        if !default.is_empty() {
            meaning += &format!(" [default: {}]", default.join(" "));
        }
    }
    let cell = |text: &str| text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ");
    format!("| `{}` | {} |\n", format!("{name}{value}").replace('|', "\\|"), cell(&meaning))
}
