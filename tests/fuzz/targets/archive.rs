//! Archives: the bytes themselves, or files of a tar packed anew, so that checksums hold.
#![no_main]

use std::io::Write;

use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;

#[path = "../run.rs"]
mod run;

const PATHS: [&str; 8] = [
    "nodes.json",
    "shop/pods.yaml",
    "a.landed.jsonl",
    "shop/events.json",
    "pods-errors.json",
    "secrets.json",
    "x.log",
    "a.tgz",
];

fuzz_target!(|bytes: &[u8]| {
    let Some((how, rest)) = bytes.split_first() else { return };
    let packed = match how % 4 {
        0 => rest.to_vec(),
        1 => gzip(rest),
        2 => gzip(&tar_of(rest)),
        _ => tar_of(rest),
    };
    run::check(&run::run(&["explain", "-A", "-l", "!x", "-f", "-"], &packed));
});

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn tar_of(bytes: &[u8]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for part in bytes.split(|byte| *byte == 0xff) {
        let Some((first, content)) = part.split_first() else { continue };
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let path = PATHS[usize::from(*first) % PATHS.len()];
        archive.append_data(&mut header, path, content).expect("memory");
    }
    archive.into_inner().expect("memory")
}
