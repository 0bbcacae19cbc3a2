//! `check` and `simulate` as they are run: exit codes, and what goes to which stream.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[path = "program/run.rs"]
mod program;

use std::path::{Path, PathBuf};

use landed::check::RULES;
use program::Shell;

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// Runs the program: exit code, stdout, stderr.
fn landed(arguments: &[&str], input: &str) -> (u8, String, String) {
    let shell = Shell { input: input.as_bytes(), width: Some(100), ..Shell::default() };
    let run = shell.run(arguments);
    (run.code, run.out, run.err)
}

fn bad(code: &str) -> &'static str {
    RULES.iter().find(|rule| rule.code == code).expect(code).bad
}

const GOOD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - {name: main, image: c, resources: {requests: {cpu: 1, memory: 1Gi}}}\n";

#[test]
fn exit_codes_tell_findings_from_what_could_not_be_checked() {
    let folder = folder("exit-codes");
    let error = write(&folder, "error.yaml", bad("hostname-pinned"));
    let warning = write(&folder, "warning.yaml", bad("custom-scheduler"));
    let info = write(&folder, "info.yaml", bad("limits-without-requests"));
    let broken = write(&folder, "broken.yaml", "kind: [\n");
    let good = write(&folder, "good.yaml", GOOD);
    for (case, arguments, code) in [
        ("nothing", vec!["-f", &*good], 0),
        ("an error", vec!["-f", &*error], 1),
        ("a warning does not fail by default", vec!["-f", &*warning], 0),
        ("a warning fails on demand", vec!["-f", &*warning, "--fail-on", "warning"], 1),
        ("an info fails on demand", vec!["-f", &*info, "--fail-on", "info"], 1),
        ("never", vec!["-f", &*error, "--fail-on", "never"], 0),
        ("a broken file", vec!["-f", &*good, "-f", &*broken], 2),
        ("a file that is not there", vec!["-f", "no-such-file.yaml"], 2),
        ("a wrong format", vec!["-f", &*good, "-o", "xml"], 2),
        ("no file", vec![], 2),
    ] {
        let arguments: Vec<&str> = ["check"].into_iter().chain(arguments).collect();
        assert_eq!(landed(&arguments, "").0, code, "{case}");
    }
}

#[test]
fn a_broken_file_is_shown_with_its_line_and_the_others_are_checked() {
    let folder = folder("broken");
    let broken = write(&folder, "a.yaml", "kind: Pod\nspec: [1\n");
    write(&folder, "b.yaml", bad("hostname-pinned"));
    let (code, out, _) = landed(&["check", "-f", &folder.display().to_string()], "");
    assert_eq!(code, 2);
    assert!(out.contains(&format!("{broken}:")), "{out}");
    assert!(out.contains("error[hostname-pinned]"), "{out}");
}

#[test]
fn stdin_is_read_and_every_format_goes_to_stdout() {
    let input = bad("custom-scheduler");
    for (format, beginning) in [
        ("table", "stdin:5:3: warning[custom-scheduler] pod/etl\n"),
        ("json", "{\n  \"apiVersion\": \"landed.dev/v1alpha1\",\n  \"kind\": \"CheckReport\""),
        ("yaml", "apiVersion: landed.dev/v1alpha1\nkind: CheckReport\n"),
        ("markdown", "### landed check\n\n**1 warning in 1 object**\n"),
        ("github", "::warning file=stdin,line=5,col=3,title=custom-scheduler::"),
        ("sarif", "{\n  \"$schema\""),
        ("junit", "<?xml version=\"1.0\""),
    ] {
        let (code, out, err) = landed(&["check", "-f", "-", "-o", format], input);
        assert_eq!((code, &*err), (0, ""), "{format}");
        assert!(out.starts_with(beginning), "{format}: {out}");
    }
}

/// GitHub shows ten annotations of each severity; the summary of the run has them all. Nothing else writes there.
#[test]
fn in_a_workflow_the_findings_are_added_to_the_summary_of_the_run() {
    let folder = folder("summary");
    let manifest = write(&folder, "a|b.yaml", bad("hostname-pinned"));
    let summary = write(&folder, "summary.md", "before\n");
    let run = |format, path: &str| {
        let variables = [("GITHUB_STEP_SUMMARY", path)];
        Shell { variables: &variables, ..Shell::default() }
            .run(&["check", "-f", &manifest, "-o", format])
    };
    let (annotated, markdown) = (run("github", &summary), run("markdown", &summary));
    assert_eq!((annotated.code, annotated.err.as_str()), (1, ""));
    let text = std::fs::read_to_string(&summary).expect("the summary");
    assert_eq!(text, format!("before\n{}", markdown.out));
    assert!(text.contains("| error | `hostname-pinned` | `pod/db` |"), "{text}");
    assert!(text.contains("a\\|b.yaml:"), "a bar ends no cell: {text}");
    let nowhere = run("github", "/no/such/folder/summary.md");
    assert_eq!((nowhere.code, nowhere.out), (1, annotated.out));
    assert!(nowhere.err.starts_with("cannot write the summary /no/such/folder"), "{}", nowhere.err);
}

#[test]
fn a_baseline_is_written_and_then_hides_what_it_knows() {
    let folder = folder("baseline");
    let file = write(&folder, "a.yaml", bad("hostname-pinned"));
    let baseline = folder.join("baseline.json").display().to_string();
    assert_eq!(landed(&["check", "-f", &file, "--write-baseline", &baseline], "").0, 0);
    let (code, out, _) = landed(&["check", "-f", &file, "--baseline", &baseline], "");
    assert_eq!(code, 0);
    assert!(out.contains("1 known from the baseline"), "{out}");
    assert_eq!(landed(&["check", "-f", &file, "--baseline", &file], "").0, 2, "not a baseline");
}

#[test]
fn a_configuration_decides_and_its_own_ignores_must_be_used() {
    let folder = folder("configuration");
    let file = write(&folder, "a.yaml", bad("hostname-pinned"));
    let text = "failOn: info\nignore:\n- {code: hostname-pinned, object: pod/db, reason: a licence}\n- {code: custom-scheduler, reason: gone}\n";
    let configuration = write(&folder, "landed.yaml", text);
    let (code, out, _) = landed(&["check", "-f", &file, "--config", &configuration], "");
    assert_eq!(code, 1);
    assert!(out.contains(&format!("{configuration}:4:3: warning[unused-ignore]")), "{out}");
    assert!(out.contains("1 warning in 1 object; 1 ignored with a reason"), "{out}");
    let wrong = write(&folder, "wrong.yaml", "rules: {no-such: off}\n");
    let (code, _, err) = landed(&["check", "-f", &file, "--config", &wrong], "");
    assert_eq!(code, 2);
    assert!(err.contains("wrong.yaml:1:9: no rule has the code \"no-such\""), "{err}");
}

#[test]
fn simulate_says_what_is_launched_and_what_is_missing() {
    let plan = |name: &str| format!("{}/tests/plan/{name}", env!("CARGO_MANIFEST_DIR"));
    let (pools, workload) =
        (plan("01-soft-zone-spread/pools.yaml"), plan("01-soft-zone-spread/workload.yaml"));
    let types = plan("instance-types.json.gz");
    let given =
        ["simulate", "deploy/web", "-f", &pools, "-f", &workload, "--instance-types", &types];
    let (code, out, _) = landed(&given, "");
    assert_eq!(code, 0, "{out}");
    assert!(out.starts_with("deployment/web in default: 9 pods\n"), "{out}");
    assert!(out.contains("  3 new nodes, $0.6515 an hour\n"), "{out}");
    assert!(out.contains("  1 new node, $0.2172 an hour\n"), "{out}");
    let more: Vec<&str> = given.iter().copied().chain(["--replicas", "90", "-o", "json"]).collect();
    let (_, out, _) = landed(&more, "");
    let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["workloads"][0]["replicas"], 90);
    let (code, out, err) = landed(&["simulate", "-f", &workload], "");
    assert_eq!((code, &*out), (2, ""));
    assert!(err.starts_with("error: cannot simulate: there is no NodePool"), "{err}");
    assert!(
        landed(&["simulate", "deploy/other", "-f", &workload], "")
            .2
            .contains("deploy/other is not in these files")
    );
}
