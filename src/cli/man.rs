//! Manual pages, from the same source as `--help`.

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::Cli;

/// The pages by file name: one for the program, one for each command.
pub fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut root = Cli::command().bin_name("kubectl landed");
    root.build();
    let mut pages = vec![page(&root, "kubectl-landed")?];
    for command in root.get_subcommands().filter(|command| !command.is_hide_set()) {
        pages.push(page(command, &format!("kubectl-landed-{}", command.get_name()))?);
    }
    Ok(pages)
}

fn page(command: &Command, name: &str) -> std::io::Result<(String, Vec<u8>)> {
    let mut text = Vec::new();
    // Without a date: the same source gives the same page on every day.
    Man::new(command.clone()).title(name.to_uppercase()).render(&mut text)?;
    Ok((format!("{name}.1"), text))
}
