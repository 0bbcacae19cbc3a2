//! Links of the documents: where they lead is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What is wrong with the links of all documents below a folder.
pub fn broken(root: &Path) -> Vec<String> {
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs", "tests"] {
        find(&root.join(folder), &mut pages);
    }
    let mut broken = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(page).expect("a page");
        for target in targets(&text) {
            if let Err(reason) = follow(page, &target) {
                broken.push(format!("{}: {target}: {reason}", page.display()));
            }
        }
    }
    assert!(pages.len() > 30, "{} pages", pages.len());
    broken
}

fn find(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            find(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

/// The lines of a page that are not in a fenced block.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    })
}

/// Where the links of a page lead, those in code left out.
fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(text) {
        let plain: String = line.split('`').step_by(2).collect();
        for part in plain.split("](").skip(1) {
            targets.extend(part.split_once(')').map(|(target, _)| target.to_owned()));
        }
    }
    targets
}

fn follow(page: &Path, target: &str) -> Result<(), String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(f, a)| (f, Some(a)));
    let path = match file {
        "" => page.to_owned(),
        _ => page.parent().expect("a page is in a folder").join(file),
    };
    if !path.exists() {
        return Err("there is no such file".to_owned());
    }
    let Some(anchor) = anchor else { return Ok(()) };
    let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    if anchors(&text).contains(anchor) {
        Ok(())
    } else {
        Err("no heading has this name".to_owned())
    }
}

/// The names of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for heading in prose(text).filter(|line| line.starts_with('#')) {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let name: String = heading
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                '-' | '_' => Some(c),
                _ => c.is_alphanumeric().then_some(c),
            })
            .collect();
        let mut number = 0;
        let mut unique = name.clone();
        while !anchors.insert(unique.clone()) {
            number += 1;
            unique = format!("{name}-{number}");
        }
    }
    anchors
}
