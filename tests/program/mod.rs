//! Runs the program on the recordings of `tests/stories`, for tests of its answers.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod run;

use std::fs;
use std::path::{Path, PathBuf};

use run::Shell;

/// Runs the program; its standard output, or its standard error when it fails.
pub fn run(arguments: &[String]) -> Result<String, String> {
    let run = Shell::default().run(arguments);
    if run.code == 0 { Ok(run.out) } else { Err(run.err) }
}

/// The folders of `tests/stories`.
pub fn recordings() -> Vec<PathBuf> {
    folders("stories")
}

/// The folders of one of the folders of `tests`.
pub fn folders(name: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let entries = fs::read_dir(root).expect("the folder");
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// One folder of `tests/stories`.
pub fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories").join(name)
}

/// Arguments with a recording as the input.
pub fn recorded(arguments: &[&str], folder: &Path, with_log: bool) -> Vec<String> {
    let mut all: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let path = |name: &str| folder.join(name).display().to_string();
    let mut files = vec!["after.json.gz", "events.json.gz"];
    if with_log {
        files.push("karpenter.log.gz");
    }
    all.extend(files.into_iter().flat_map(|file| ["-f".to_owned(), path(file)]));
    for (flag, file) in [
        ("--karpenter-settings", "karpenter-settings.json"),
        ("--scheduler-config", "scheduler-config.yaml"),
        ("--instance-types", "instance-types.json.gz"),
    ] {
        all.extend([flag.to_owned(), path(file)]);
    }
    all
}

/// The classes that agree with a recorder's verdict.
pub fn classes(verdict: &str) -> &'static [&'static str] {
    match verdict {
        "matched" => &["as-intended"],
        "preference-relaxed" => &["as-intended", "preference"],
        "soft-spread-overprovision" => &["preference"],
        "mid-launch-race" => &["race"],
        "binpack-mismatch" => &["packing"],
        "sibling-swap" => &["swap"],
        "preempted" => &["preempted"],
        "no-provisioning" => &["not-karpenter"],
        pending if pending.starts_with("pending") => &["constraint"],
        other => panic!("a verdict that the test does not know: {other}"),
    }
}
