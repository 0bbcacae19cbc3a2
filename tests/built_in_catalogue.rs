//! The built-in catalogue is made from the full tables in `instance_types/`: `UPDATE=1` makes it anew.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use landed::instance_types::aws::capacity::capacity;
use landed::instance_types::aws::node_class::Ec2NodeClass;
use landed::instance_types::aws::overhead::overhead;
use landed::instance_types::aws::settings::AwsSettings;
use landed::instance_types::built_in;

/// The columns that the program uses, by table. An empty list stands for all of them.
const TABLES: [(&str, &[&str]); 3] = [
    (
        "aws-instance-types",
        &[
            "name",
            "vcpu",
            "mem_mib",
            "arch",
            "hypervisor",
            "cpu_mfr",
            "cpu_mhz",
            "gpu_mfr",
            "gpu_name",
            "gpu_count",
            "gpu_mem_mib",
            "acc_mfr",
            "acc_name",
            "acc_count",
            "neuron",
            "neuroncore",
            "nvme_gb",
            "eni",
            "ipv4_per_eni",
            "pod_eni",
            "net_mbps",
            "ebs_mbps",
            "efa",
            "enc_transit",
            "doc_date",
            "first_doc",
        ],
    ),
    ("aws-prices", &[]),
    ("azure-vm-sizes", &[]),
];

#[test]
fn the_built_in_tables_are_those_of_the_full_ones() {
    for (name, columns) in TABLES {
        let wanted = only(&unpacked(&full(name)), columns);
        let path = root().join(format!("src/instance_types/data/{name}.tsv.gz"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, packed(&wanted)).expect("the table can be written");
        }
        assert_eq!(unpacked(&path), wanted, "{name}: run with UPDATE=1");
    }
}

#[test]
fn the_built_in_tables_stay_below_a_megabyte() {
    let sizes = TABLES.map(|(name, _)| {
        let path = root().join(format!("src/instance_types/data/{name}.tsv.gz"));
        fs::metadata(path).expect("a built-in table").len()
    });
    assert!(sizes.iter().sum::<u64>() < 100_000, "{sizes:?}");
}

/// What pods can use of every machine is what Karpenter's own documentation says.
#[test]
fn allocatable_is_as_documented_for_every_type() {
    let table = unpacked(&full("aws-instance-types"));
    let header: Vec<&str> = table.lines().next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| header.iter().position(|column| *column == name).expect("a column");
    let columns = ["name", "doc_cpu_m", "doc_mem_mib", "doc_pods"].map(column);
    let (class, settings) = (Ec2NodeClass::default(), AwsSettings::default());
    let mut rows = 0;
    let mut wrong = Vec::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, cpu, memory, pods] = columns.map(|column| cells[column]);
        let documented = format!("{cpu}m {memory}Mi {pods} 17Gi");
        let facts = &built_in::aws().get(name).expect("a built-in type").facts;
        let mut free = capacity(facts, &class, &settings);
        let kept = overhead(facts, &class, &settings);
        for kept in [&kept.kube_reserved, &kept.system_reserved, &kept.eviction_threshold] {
            free.subtract(kept);
        }
        let mib = free.amount("memory").value() / (1 << 20);
        let computed = format!(
            "{}m {mib}Mi {} {}",
            free.amount("cpu").milli_value(),
            free.amount("pods"),
            free.amount("ephemeral-storage")
        );
        rows += 1;
        if computed != documented || free.amount("memory").value() % (1 << 20) != 0 {
            wrong.push(format!("{name}: {computed}, documented {documented}"));
        }
    }
    assert_eq!(rows, 1384);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same table with some of its columns.
fn only(table: &str, columns: &[&str]) -> String {
    if columns.is_empty() {
        return table.to_owned();
    }
    let header: Vec<&str> = table.lines().next().unwrap_or_default().split('\t').collect();
    let kept: Vec<usize> = columns
        .iter()
        .map(|column| header.iter().position(|name| name == column).expect("a known column"))
        .collect();
    let mut text = String::new();
    for line in table.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let line: Vec<&str> = kept.iter().map(|&index| cells[index]).collect();
        text.push_str(&line.join("\t"));
        text.push('\n');
    }
    text
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn full(name: &str) -> PathBuf {
    root().join(format!("tests/instance_types/{name}.tsv.gz"))
}

fn unpacked(path: &Path) -> String {
    let packed = fs::read(path).unwrap_or_default();
    let mut text = String::new();
    // A table that is not there yet reads as empty, and the comparison fails.
    let _ = flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut text);
    text
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text.as_bytes()).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}
