//! The built-in catalogue is made from the full tables in `instance_types/`: `UPDATE=1` makes it anew.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

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
