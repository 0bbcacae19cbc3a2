//! How long `check` takes for a thousand manifests: `cargo bench --bench check --no-default-features`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench reads the clock and prints"
)]

use std::sync::Arc;
use std::time::Instant;

use landed::check::{Examination, File, Surroundings, examine};
use landed::karpenter::CloudProvider;
use landed::karpenter::providers::Kwok;

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
        topology.kubernetes.io/zone: test-zone-a
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

fn examination(files: &[File], provider: Option<Arc<dyn CloudProvider>>) -> Examination {
    Examination {
        files: files.to_vec(),
        namespace: "default".into(),
        surroundings: Surroundings { provider, ..Surroundings::default() },
        ..Examination::default()
    }
}

fn measure(what: &str, files: &[File], provider: Option<&Arc<dyn CloudProvider>>) {
    for _ in 0..3 {
        let examination = examination(files, provider.cloned());
        let start = Instant::now();
        let examined = examine(examination);
        println!("{what}: {} findings, {:?}", examined.findings.len(), start.elapsed());
    }
}

fn main() {
    let mut files: Vec<File> = (0..1000)
        .map(|index| File { name: format!("deploy/{index}.yaml"), text: manifest(index) })
        .collect();
    measure("1,000 manifests", &files, None);
    let pools = include_str!("../tests/plan/16-large/pools.yaml");
    files.push(File { name: "pools.yaml".into(), text: pools.into() });
    let kwok: Arc<dyn CloudProvider> = Arc::new(Kwok::built_in());
    measure("1,000 manifests and NodePools", &files, Some(&kwok));
}
