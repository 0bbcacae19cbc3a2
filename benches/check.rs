//! How long `check` takes for a thousand manifests: `cargo bench --bench check --no-default-features`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench reads the clock and prints"
)]

use std::time::Instant;

use landed::check::{Examination, File, examine};

fn manifest(index: usize) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-{index}
spec:
  replicas: 3
  selector:
    matchLabels:
      app: web-{index}
  template:
    metadata:
      labels:
        app: web-{index}
    spec:
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: topology.kubernetes.io/zone
        whenUnsatisfiable: ScheduleAnyway
        labelSelector:
          matchLabels:
            app: web-{index}
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                app: web-{index}
      nodeSelector:
        topology.kubernetes.io/zone: us-east-1a
      containers:
      - name: main
        image: example.invalid/web:1
        env:
        - name: A
          value: \"1\"
        ports:
        - containerPort: 8080
        resources:
          requests:
            cpu: 500m
            memory: 256Mi
"
    )
}

fn main() {
    let files: Vec<File> = (0..1000)
        .map(|index| File { name: format!("deploy/{index}.yaml"), text: manifest(index) })
        .collect();
    for _ in 0..5 {
        let files = files.clone();
        let start = Instant::now();
        let examined =
            examine(Examination { files, namespace: "default".into(), ..Examination::default() });
        println!("1,000 manifests, {} findings: {:?}", examined.findings.len(), start.elapsed());
    }
}
