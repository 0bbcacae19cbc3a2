//! What is made from the command line matches it: completions, manual pages, the role. `UPDATE=1 cargo test --test shells`
//! writes them anew. And the krew manifest is one that krew takes.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use landed::cli::{completion, man, rbac};
use landed::ingest::yaml;
use serde_json::Value;

fn compare(path: &str, expected: &[u8]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(&path, expected).expect("the file can be written");
    }
    let found = std::fs::read(&path).unwrap_or_default();
    assert!(
        found == expected,
        "{} is not what the command line says: run UPDATE=1 cargo test --test shells",
        path.display()
    );
}

#[test]
fn completions() {
    for (shell, file) in [
        ("bash", "kubectl-landed.bash"),
        ("zsh", "_kubectl-landed"),
        ("fish", "kubectl-landed.fish"),
        ("powershell", "kubectl-landed.ps1"),
        ("kubectl", "kubectl_complete-landed"),
    ] {
        compare(&format!("completions/{file}"), &completion::script(shell));
    }
}

#[test]
fn manual_pages() {
    let pages = man::pages().expect("pages are text");
    let expected = pages.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
    for (name, text) in &pages {
        compare(&format!("docs/man/{name}"), text);
    }
    let folder =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/man")).expect("a folder");
    let found = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert_eq!(found.collect::<BTreeSet<_>>(), expected, "a page of a command that is no more");
}

#[test]
fn the_role() {
    let args = rbac::Args { record: true, logs: true, user: None, group: None };
    compare("docs/rbac.yaml", rbac::manifest(&args).as_bytes());
}

#[test]
fn krew_takes_the_manifest() {
    let template = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.krew.yaml"))
        .expect("a template");
    let home = env!("CARGO_PKG_REPOSITORY");
    let lines = template.lines().map(|line| {
        if line.contains("{{addURIAndSha") {
            assert!(line.contains(&format!("\"{home}/releases/download/")), "{line}");
            return format!(
                "    uri: https://example.com/landed.tar.gz\n    sha256: {}",
                "a".repeat(64)
            );
        }
        line.replace("{{ .TagName }}", concat!("v", env!("CARGO_PKG_VERSION")))
    });
    let manifest = lines.collect::<Vec<_>>().join("\n");
    let document = yaml::documents(&manifest).next().expect("a document").expect("YAML");
    let manifest: Value = serde_json::from_slice(&document).expect("JSON");
    assert_eq!(manifest["apiVersion"], "krew.googlecontainertools.github.com/v1alpha2");
    assert_eq!(manifest["kind"], "Plugin");
    assert_eq!(manifest["metadata"]["name"], "landed");
    let spec = &manifest["spec"];
    assert_eq!(spec["homepage"], home);
    let short = spec["shortDescription"].as_str().expect("a short description");
    assert!(!short.contains('\n') && short.len() <= 50, "{short}");
    assert!(
        !spec["description"].as_str().expect("a description").contains("--"),
        "no list of flags"
    );
    let mut seen = BTreeSet::new();
    for platform in spec["platforms"].as_array().expect("platforms") {
        let labels = &platform["selector"]["matchLabels"];
        let pair =
            (labels["os"].as_str().expect("an os"), labels["arch"].as_str().expect("an arch"));
        assert!(
            ["linux", "darwin", "windows"].contains(&pair.0)
                && ["amd64", "arm64"].contains(&pair.1),
            "{pair:?}"
        );
        assert!(seen.insert(pair), "two selectors overlap: {pair:?}");
        let bin = platform["bin"].as_str().expect("a program");
        assert_eq!(bin, if pair.0 == "windows" { "kubectl-landed.exe" } else { "kubectl-landed" });
        assert!(
            platform["uri"].is_string()
                && platform["sha256"].as_str().is_some_and(|sum| sum.len() == 64)
        );
    }
    // What krew installs has to hold the licence.
    assert!(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/LICENSE").exists());
}
