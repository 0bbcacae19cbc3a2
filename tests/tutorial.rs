//! What the documents show is what the program prints: every `console` block of the tutorial, the README and the pages of causes
//! is run, and its output compared. A line `…` stands for any number of lines that are left out.
//!
//! `UPDATE=1 cargo test --test tutorial` writes the output anew: under a command without any, and where what stands there is no
//! longer so, the same lines, found again by the first of them.

#![expect(clippy::disallowed_methods, reason = "tests read files and run programs")]
#![expect(clippy::print_stderr, reason = "a test that skips says so")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A folder of its own, with the documents in it, where `kubectl landed` is this build.
struct Shell {
    folder: PathBuf,
}

impl Shell {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // What an earlier run left.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("bin")).expect("a folder");
        for part in ["docs", "tests"] {
            symlink(format!("{ROOT}/{part}"), folder.join(part)).expect("a link");
        }
        let kubectl = folder.join("bin/kubectl");
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = landed ] || exit 9\nshift\nexec {} \"$@\"\n",
            env!("CARGO_BIN_EXE_kubectl-landed")
        );
        fs::write(&kubectl, script).expect("a script");
        fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).expect("a mode");
        Self { folder }
    }

    /// What a command prints, on both streams, in a pipe of 80 columns.
    fn run(&self, command: &str) -> String {
        let path = format!(
            "{}/bin:{}",
            self.folder.display(),
            std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".into())
        );
        let output = Command::new("sh")
            .args(["-c", &format!("{{ {command}\n}} 2>&1")])
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", path)
            .env("HOME", &self.folder)
            .env("TMPDIR", &self.folder)
            .env("COLUMNS", "80")
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        String::from_utf8(output.stdout).expect("text")
    }
}

/// Whether `shown` is `printed` with lines left out where a `…` stands alone.
fn agrees(shown: &[&str], printed: &[&str]) -> bool {
    let parts: Vec<&[&str]> = shown.split(|line| *line == "…").collect();
    let (first, rest) = parts.split_first().expect("a split has a part");
    let Some(mut left) = printed.strip_prefix(*first) else { return false };
    let Some((last, middle)) = rest.split_last() else { return left.is_empty() };
    for part in middle {
        let Some(at) = position(left, part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

fn position(lines: &[&str], part: &[&str]) -> Option<usize> {
    (0..=lines.len().checked_sub(part.len())?).find(|&at| lines[at..].starts_with(part))
}

/// The shown lines written anew from what is printed: each part by its first line, in the same number of lines.
fn renewed(shown: &[&str], printed: &[&str]) -> Option<Vec<String>> {
    if shown.is_empty() || !shown.contains(&"…") {
        return Some(printed.iter().map(ToString::to_string).collect());
    }
    let mut lines: Vec<String> = Vec::new();
    let mut left = printed;
    for (index, part) in shown.split(|line| *line == "…").enumerate() {
        if index > 0 {
            lines.push("…".to_owned());
        }
        let Some(first) = part.first() else { continue };
        let at = if index == 0 { 0 } else { left.iter().position(|line| line == first)? };
        let end = (at + part.len()).min(left.len());
        lines.extend(left[at..end].iter().map(ToString::to_string));
        left = &left[end..];
    }
    Some(lines)
}

/// The first lines of the cause of a code, as `explain` prints them, with what goes before and comes after left out.
fn cause(shell: &Shell, command: &str, code: &str, printed: &[&str]) -> Vec<String> {
    const SHOWN: usize = 14;
    let json = shell.run(&format!("{command} -o json"));
    let answer: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let causes = answer["causes"].as_array().expect("causes");
    let index = causes.iter().position(|cause| cause["code"] == code);
    let index = index.unwrap_or_else(|| panic!("{command} does not give {code}"));
    let head = format!("  {}. ", index + 1);
    let start = printed.iter().position(|line| line.starts_with(&head)).expect("the cause");
    let ends = |line: &str| {
        line.is_empty()
            || line.starts_with(&format!("  {}. ", index + 2))
            || line.starts_with("     more: ")
    };
    let item: Vec<&str> = printed[start..].iter().take_while(|line| !ends(line)).copied().collect();
    let mut lines = vec!["…".to_owned(), "Why".to_owned()];
    if index > 0 {
        lines.push("…".to_owned());
    }
    lines.extend(item.iter().take(SHOWN).map(ToString::to_string));
    lines.push("…".to_owned());
    lines
}

/// Runs every block of a page; returns the page as it should be, and what is not so.
fn check(page: &str, text: &str, shell: &Shell) -> (String, Vec<String>) {
    let mut new = String::new();
    let mut wrong = Vec::new();
    let code = page.strip_prefix("docs/causes/").and_then(|name| name.strip_suffix(".md"));
    let mut rest = text;
    while let Some((before, block)) = rest.split_once("```console\n") {
        new += before;
        new += "```console\n";
        let (block, after) = block.split_once("```").expect("a block ends");
        rest = after;
        for part in block
            .split_inclusive('\n')
            .collect::<Vec<_>>()
            .chunk_by(|_, line| !line.starts_with("$ "))
        {
            let (prompt, shown) = part.split_first().expect("a chunk has a line");
            let Some(command) = prompt.trim_end().strip_prefix("$ ") else {
                wrong.push(format!("{page}: a block begins with a command, not with {prompt}"));
                continue;
            };
            let shown: Vec<&str> = shown.iter().map(|line| line.trim_end_matches('\n')).collect();
            let printed = shell.run(command);
            let printed: Vec<&str> = printed.lines().collect();
            let lines = if agrees(&shown, &printed) && !(shown.is_empty() && code.is_some()) {
                shown.iter().map(ToString::to_string).collect()
            } else {
                wrong.push(format!("{page}: {command}\nprints\n{}", printed.join("\n")));
                match code {
                    Some(code) => cause(shell, command, code, &printed),
                    None => renewed(&shown, &printed)
                        .unwrap_or_else(|| shown.iter().map(ToString::to_string).collect()),
                }
            };
            new += prompt;
            for line in lines {
                new += &line;
                new.push('\n');
            }
        }
        new += "```";
    }
    (new + rest, wrong)
}

fn has_jq() -> bool {
    Command::new("jq").arg("--version").output().is_ok()
}

fn compare(pages: &[String], shell: &Shell) {
    let mut all = Vec::new();
    for page in pages {
        let path = format!("{ROOT}/{page}");
        let text = fs::read_to_string(&path).expect("the page is there");
        if text.contains("| jq ") && !has_jq() {
            eprintln!("skipped: {page}: no jq here (apt-get install jq)");
            continue;
        }
        let (new, wrong) = check(page, &text, shell);
        if std::env::var_os("UPDATE").is_some() && new != text {
            fs::write(&path, &new).expect("the page can be written");
            let (_, still) = check(page, &new, shell);
            all.extend(still);
        } else {
            all.extend(wrong);
        }
    }
    assert!(
        all.is_empty(),
        "UPDATE=1 cargo test --test tutorial writes it anew, then read it:\n{}",
        all.join("\n\n")
    );
}

#[test]
fn the_tutorial_shows_what_is_printed() {
    compare(&["docs/tutorial.md".into()], &Shell::new("tutorial"));
}

#[test]
fn the_readme_shows_what_is_printed() {
    compare(&["README.md".into()], &Shell::new("readme"));
}

#[test]
fn the_pages_of_causes_show_what_is_printed() {
    let folder = fs::read_dir(format!("{ROOT}/docs/causes")).expect("the pages are there");
    let mut pages: Vec<String> = folder
        .map(|file| format!("docs/causes/{}", file.expect("a file").file_name().display()))
        .collect();
    pages.sort();
    compare(&pages, &Shell::new("causes"));
}

#[test]
fn lines_are_left_out_only_where_it_says_so() {
    let printed = ["a", "b", "c", "d", "c", "e"];
    for (shown, expected) in [
        (&["a", "b", "c", "d", "c", "e"][..], true),
        (&["a", "b"], false),
        (&["a", "…"], true),
        (&["…", "c", "e"], true),
        (&["…", "c", "…", "e"], true),
        (&["…", "c", "d", "…", "c", "…"], true),
        (&["…", "d", "…", "d", "…"], false),
        (&["b", "…"], false),
        (&["a", "…", "e", "…"], true),
        (&["…"], true),
    ] {
        assert_eq!(agrees(shown, &printed), expected, "{shown:?}");
    }
    assert_eq!(
        renewed(&["…", "c", "x", "…", "e"], &printed),
        Some(["…", "c", "d", "…", "e"].map(String::from).to_vec())
    );
}
