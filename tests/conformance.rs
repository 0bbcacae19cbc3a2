//! Replays every recorded question and compares the answer with upstream's.
//!
//! The rules are those of the referees' own comparison: everything counts but the wording of Karpenter's errors and the
//! order of its new claims; scores of zero and scorers that were skipped may be left out.

#![expect(clippy::disallowed_methods, reason = "tests read the recorded answers")]
#![expect(clippy::print_stdout, reason = "the counts are what one runs this for")]

#[path = "conformance/compare.rs"]
mod compare;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use flate2::read::MultiGzDecoder;
use landed::cli::input::{Input, InputArgs};
use landed::cli::replay;
use landed::ingest;
use landed::kube_scheduler::Scheduler;
use landed::model::names::PodKey;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// One recorded question with upstream's answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case<'a> {
    name: String,
    unbind: Vec<String>,
    settings: BTreeMap<String, String>,
    #[serde(default)]
    scheduler_config: Option<Value>,
    #[serde(borrow)]
    instance_types: &'a RawValue,
    #[serde(borrow)]
    snapshot: &'a RawValue,
    scheduler: Vec<Value>,
    karpenter: Value,
    #[serde(default)]
    scheduler_version: Option<String>,
    #[serde(default)]
    karpenter_version: Option<String>,
}

/// What was found in one file.
#[derive(Default)]
struct Tally {
    scheduler: [usize; 2],
    karpenter: [usize; 2],
    kinds: BTreeMap<String, usize>,
    examples: Vec<String>,
}

#[test]
fn both_replays_agree_with_upstream() {
    let files = files();
    let next = AtomicUsize::new(0);
    let tallies: Mutex<BTreeMap<PathBuf, Tally>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tally = compare_file(file);
                    tallies.lock().expect("no thread panics").insert(file.clone(), tally);
                }
            });
        }
    });
    let tallies = tallies.into_inner().expect("no thread panics");
    let failed = report(&tallies);
    assert_eq!(failed, 0, "answers that differ from upstream's");
}

/// The share of the recorded answers that is in the repository, and all of them where they are at hand.
fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("LANDED_SHARED")
        .map_or_else(|| root.join("../shared"), PathBuf::from)
        .canonicalize();
    let mut folders = vec![root.join("tests/conformance")];
    if let Ok(shared) = shared {
        let parts = ["corpus", "corpus-edges", "corpus-real", "corpus-versions"];
        folders.extend(parts.map(|part| shared.join(part)));
    }
    let mut files: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| folder.read_dir().ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".jsonl.gz"))
        .collect();
    let wanted = std::env::var("LANDED_CORPUS").unwrap_or_default();
    files.retain(|file| file.to_string_lossy().contains(&wanted));
    files.sort();
    files
}

fn compare_file(path: &Path) -> Tally {
    let file = File::open(path).expect("a file of recorded answers");
    let mut tally = Tally::default();
    let engine = std::env::var("LANDED_ENGINE").unwrap_or_default();
    for line in BufReader::new(MultiGzDecoder::new(file)).lines() {
        let line = line.expect("a line of text");
        let case: Case<'_> = serde_json::from_str(&line).expect("a recorded case");
        let asked_scheduler = engine != "karpenter" && !case.scheduler.is_empty();
        let answers = case.karpenter["answers"].as_array();
        let asked_karpenter =
            engine != "kube-scheduler" && answers.is_some_and(|answers| !answers.is_empty());
        if !asked_scheduler && !asked_karpenter {
            continue;
        }
        let input = input(&case);
        if asked_scheduler {
            compare_scheduler(&case, &input, &mut tally);
        }
        if asked_karpenter {
            compare_karpenter(&case, &input, &mut tally);
        }
    }
    tally
}

fn input(case: &Case<'_>) -> Result<Input, String> {
    let mut snapshot = ingest::snapshot_from_json(case.snapshot.get().as_bytes());
    // The referee measured ages by its clock, long after the moment that the snapshot shows.
    snapshot.objects.at = "2026-12-01T00:00:00Z".parse().ok();
    let settings = &mut snapshot.settings;
    settings.karpenter_environment = Some(case.settings.clone());
    settings.scheduler_configuration.clone_from(&case.scheduler_config);
    let types = ingest::instance_types(case.instance_types.get().as_bytes());
    settings.instance_types = Some(types.map_err(|error| error.to_string())?);
    let version = |text: &Option<String>| text.clone().unwrap_or_default();
    let args = InputArgs {
        scheduler_version: version(&case.scheduler_version).parse().ok(),
        karpenter_version: version(&case.karpenter_version).parse().ok(),
        ..InputArgs::default()
    };
    args.settle(snapshot, "default".to_owned()).map_err(|failure| failure.message)
}

fn compare_scheduler(case: &Case<'_>, input: &Result<Input, String>, tally: &mut Tally) {
    let keys: Vec<PodKey> = case.scheduler.iter().map(|want| key(&want["pod"])).collect();
    let answers = input.as_ref().map_err(Clone::clone).and_then(|input| {
        let state = &input.snapshot.objects;
        let version = input.scheduler_version.clone();
        let mut scheduler = Scheduler::new(state, &input.scheduler, version);
        let answers = replay::kube_scheduler::answers(&mut scheduler, &keys);
        let answers = answers.map_err(|failure| failure.message)?;
        Ok(serde_json::to_value(answers).expect("plain values"))
    });
    for want in &case.scheduler {
        let differences = match &answers {
            Err(message) => vec![format!("error: {message}")],
            Ok(answers) => {
                let mut ours = answers.as_array().into_iter().flatten();
                compare::scheduler(want, ours.find(|ours| ours["pod"] == want["pod"]))
            }
        };
        let asked = format!("{} {}", case.name, want["pod"].as_str().unwrap_or_default());
        tally.scheduler[usize::from(!differences.is_empty())] += 1;
        tally.note("kube-scheduler", &asked, differences);
    }
}

fn compare_karpenter(case: &Case<'_>, input: &Result<Input, String>, tally: &mut Tally) {
    let unbind: Vec<PodKey> =
        case.unbind.iter().map(|text| PodKey::parse(text).expect("namespace/name")).collect();
    let answers = input.as_ref().map_err(Clone::clone).and_then(|input| {
        let answers = replay::karpenter::answers(input, &unbind);
        let answers = answers.map_err(|failure| failure.message)?;
        Ok(serde_json::to_value(answers).expect("plain values"))
    });
    let differences = match answers {
        Err(message) => vec![format!("error: {message}")],
        Ok(answers) => compare::karpenter(asked_again(case).unwrap_or(&case.karpenter), &answers),
    };
    tally.karpenter[usize::from(!differences.is_empty())] += 1;
    tally.note("karpenter", &case.name, differences);
}

/// What upstream answered to a question that was asked more often than the recording had: rare answers show late.
fn asked_again(case: &Case<'_>) -> Option<&'static Value> {
    static AGAIN: LazyLock<Value> = LazyLock::new(|| {
        serde_json::from_str(include_str!("conformance/asked-again.json"))
            .expect("recorded answers")
    });
    let again = AGAIN.get(&case.name)?;
    (again["karpenterVersion"].as_str() == case.karpenter_version.as_deref())
        .then(|| &again["karpenter"])
}

fn key(pod: &Value) -> PodKey {
    PodKey::parse(pod.as_str().unwrap_or_default()).expect("namespace/name")
}

impl Tally {
    fn note(&mut self, engine: &str, asked: &str, differences: Vec<String>) {
        if differences.is_empty() {
            return;
        }
        if self.examples.len() < 3 {
            self.examples.push(format!("{engine} {asked}: {}", differences.join(", ")));
        }
        for difference in differences {
            *self.kinds.entry(format!("{engine}: {difference}")).or_default() += 1;
        }
    }
}

/// Prints the counts of each file; returns how many answers differ.
fn report(tallies: &BTreeMap<PathBuf, Tally>) -> usize {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut scheduler, mut karpenter) = ([0, 0], [0, 0]);
    for (file, tally) in tallies {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
        let name = file.file_name().unwrap_or_default();
        println!(
            "{}/{}: kube-scheduler {} of {}, karpenter {} of {}",
            folder.display(),
            name.display(),
            tally.scheduler[0],
            tally.scheduler.iter().sum::<usize>(),
            tally.karpenter[0],
            tally.karpenter.iter().sum::<usize>(),
        );
        for example in &tally.examples {
            println!("    {example}");
        }
        for (kind, count) in &tally.kinds {
            *kinds.entry(kind).or_default() += count;
        }
        for side in 0..2 {
            scheduler[side] += tally.scheduler[side];
            karpenter[side] += tally.karpenter[side];
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (kind, count) in kinds.iter().take(40) {
        println!("{count:6} {kind}");
    }
    println!(
        "kube-scheduler: {} of {} agree; karpenter: {} of {} agree",
        scheduler[0],
        scheduler[0] + scheduler[1],
        karpenter[0],
        karpenter[0] + karpenter[1]
    );
    scheduler[1] + karpenter[1]
}
