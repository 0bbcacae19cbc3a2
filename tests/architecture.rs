//! Imports follow the arrows of `docs/architecture.md`, and the core touches no clock, file, environment or stream.

#![expect(clippy::disallowed_methods, reason = "tests read the source files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each module may use of ours. There is no way back.
const ARROWS: [(&str, &[&str]); 13] = [
    ("model", &[]),
    ("karpenter", &["model"]),
    ("kube_scheduler", &["model"]),
    ("instance_types", &["model", "karpenter"]),
    ("ingest", &["model"]),
    ("sources", &["model", "ingest"]),
    ("reconstruct", &["model", "karpenter", "kube_scheduler", "instance_types"]),
    ("explain", &["model", "karpenter", "kube_scheduler", "instance_types", "reconstruct"]),
    ("check", &["model", "karpenter", "kube_scheduler", "instance_types", "ingest"]),
    (
        "report",
        &[
            "model",
            "karpenter",
            "kube_scheduler",
            "instance_types",
            "reconstruct",
            "explain",
            "check",
        ],
    ),
    ("render", &["model", "report"]),
    ("testing", &["model", "karpenter", "kube_scheduler", "instance_types", "ingest"]),
    (
        "cli",
        &[
            "model",
            "karpenter",
            "kube_scheduler",
            "instance_types",
            "ingest",
            "sources",
            "reconstruct",
            "explain",
            "check",
            "report",
            "render",
        ],
    ),
];

/// What only the edges may touch.
const IMPURE: [&str; 9] = [
    "std::fs",
    "std::env::",
    "std::net",
    "std::process",
    "Instant::now",
    "SystemTime::now",
    "Timestamp::now",
    "tokio::",
    "kube::",
];
const EDGES: [&str; 3] = ["cli", "sources", "main"];

#[test]
fn imports_follow_the_arrows() {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.into_iter().collect();
    let mut wrong = Vec::new();
    for (module, file, text) in sources() {
        let Some(allowed) = allowed.get(module.as_str()) else {
            if !["lib", "main"].contains(&module.as_str()) {
                wrong.push(format!("{module} is not in the table of arrows"));
            }
            continue;
        };
        for used in used_modules(&text) {
            let in_tests = used == "testing";
            if used != module && !in_tests && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{} uses {used}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_core_touches_no_clock_file_or_environment() {
    let mut wrong = Vec::new();
    for (module, file, text) in sources() {
        if EDGES.contains(&module.as_str()) {
            continue;
        }
        for (number, line) in
            text.lines().enumerate().take_while(|(_, line)| !line.contains("#[cfg(test)]"))
        {
            let code = line.split("//").next().unwrap_or_default();
            for impure in IMPURE.iter().filter(|impure| code.contains(**impure)) {
                wrong.push(format!("{}:{}: {impure}", file.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The top-level modules of ours that a file names: `crate::x::…`, also in groups.
fn used_modules(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default();
        for part in code.split("crate::").skip(1) {
            let name: String =
                part.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            if !name.is_empty() && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// Each source file: its top-level module, its path, its text.
fn sources() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files
        .into_iter()
        .map(|file| {
            let relative = file.strip_prefix(&root).expect("a file below src");
            let module =
                relative.components().next().expect("a first part").as_os_str().to_string_lossy();
            let module = module.trim_end_matches(".rs").to_owned();
            let text = fs::read_to_string(&file).expect("a readable source file");
            (module, file, text)
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
