#!/usr/bin/env python3
"""Makes cluster.json: what `kubectl get … -o json` shows of a small EKS cluster with Karpenter.

Nothing was recorded: names and ids are invented. Numbers of NodeClaims follow Karpenter's documented formulas, worked
out here apart from the program; memory of nodes is that of machines measured in public (tests/instance_types).
"""
import gzip, json, math, os

here = os.path.dirname(os.path.abspath(__file__))
with gzip.open(os.path.join(here, "..", "aws-instance-types.tsv.gz"), "rt") as table:
    rows = [line.rstrip("\n").split("\t") for line in table]
facts = {row[0]: dict(zip(rows[0], row)) for row in rows[1:]}
MI, GI = 1 << 20, 1 << 30
REGION = "us-east-1"
ZONES = {"us-east-1a": "use1-az4", "us-east-1b": "use1-az6", "us-east-1c": "use1-az1"}
DISK = 80 * GI


def kept_cpu(vcpu):
    left, kept = vcpu * 1000, 0
    for size, part in ((1000, 600), (1000, 100), (2000, 50), (1 << 40, 25)):
        took = min(left, size)
        kept, left = kept + took * part // 10000, left - took
    return kept


def numbers(name, memory_mib=None):
    """capacity and allocatable, as Karpenter has them on AL2023 with an 80Gi disk."""
    fact = facts[name]
    vcpu, advertised = int(fact["vcpu"]), int(fact["mem_mib"]) - (64 if fact["arch"] == "arm64" else 0)
    pods = int(fact["eni"]) * (int(fact["ipv4_per_eni"]) - 1) + 2
    memory = memory_mib or advertised - math.ceil(advertised * 0.075)
    capacity = {
        "cpu": str(vcpu), "memory": f"{memory}Mi", "pods": str(pods), "ephemeral-storage": "80Gi",
        "vpc.amazonaws.com/pod-eni": fact["pod_eni"] or "0",
    }
    if capacity["vpc.amazonaws.com/pod-eni"] == "0":
        del capacity["vpc.amazonaws.com/pod-eni"]
    allocatable = dict(capacity)
    allocatable["cpu"] = f"{vcpu * 1000 - kept_cpu(vcpu)}m"
    allocatable["memory"] = f"{memory - (11 * pods + 255) - 100}Mi"
    allocatable["ephemeral-storage"] = f"{(80 - 1 - 8)}Gi"
    return capacity, allocatable


def type_labels(name):
    fact = facts[name]
    family, size = name.split(".")
    prefix = "karpenter.k8s.aws/instance-"
    labels = {
        "category": fact["category"], "generation": fact["generation"], "family": family, "size": size,
        "capability-flex": "false", "cpu": fact["vcpu"], "memory": fact["mem_mib"], "cpu-manufacturer": fact["cpu_mfr"],
        "cpu-sustained-clock-speed-mhz": fact["cpu_mhz"], "ebs-bandwidth": fact["ebs_mbps"],
        "network-bandwidth": fact["net_mbps"], "hypervisor": "nitro",
        "encryption-in-transit-supported": "true" if fact["enc_transit"] == "1" else "false",
    }
    if fact["nvme_gb"]:
        labels["local-nvme"] = fact["nvme_gb"]
    return {prefix + key: value for key, value in labels.items() if value}


def meta(name, uid, created, namespace=None, labels=None, **more):
    out = {"name": name, "uid": uid, "creationTimestamp": created, "resourceVersion": str(1000 + int(uid[-4:], 16))}
    if namespace:
        out["namespace"] = namespace
    if labels:
        out["labels"] = labels
    out.update(more)
    return out


serial = 0


def uid():
    global serial
    serial += 1
    return f"7d0c3f52-5b1e-4c7a-9d50-00000000{serial:04x}"


items = []
for namespace in ("default", "kube-system", "shop"):
    items.append({"apiVersion": "v1", "kind": "Namespace", "status": {"phase": "Active"},
                  "metadata": meta(namespace, uid(), "2026-05-02T08:00:00Z",
                                   labels={"kubernetes.io/metadata.name": namespace})})
items.append({
    "apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass",
    "metadata": meta("default", uid(), "2026-05-02T09:00:00Z"),
    "spec": {
        "role": "KarpenterNodeRole-shop", "amiSelectorTerms": [{"alias": "al2023@v20260710"}],
        "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "80Gi", "volumeType": "gp3"}}],
        "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "shop"}}],
        "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "shop"}}],
    },
    "status": {
        "subnets": [{"id": f"subnet-0{i}", "zone": zone, "zoneID": zone_id}
                    for i, (zone, zone_id) in enumerate(ZONES.items())],
        "amis": [{"id": "ami-0aa1", "name": "al2023-x86_64", "requirements": [
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}],
        "conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": "",
                        "lastTransitionTime": "2026-05-02T09:00:05Z"}],
    },
})
requirements = [
    {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["c", "m", "r"]},
    {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gt", "values": ["4"]},
    {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Lt", "values": ["17"]},
    {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
    {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
]
reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
ready = [{"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": "2026-05-02T09:01:00Z"}
         for kind in ("NodeClassReady", "Ready", "ValidationSucceeded")]
items.append({
    "apiVersion": "karpenter.sh/v1", "kind": "NodePool",
    "metadata": meta("general", uid(), "2026-05-02T09:00:30Z"),
    "spec": {"template": {"spec": {"nodeClassRef": reference, "requirements": requirements, "expireAfter": "720h"}},
             "disruption": {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "1m",
                            "budgets": [{"nodes": "10%"}]},
             "limits": {"cpu": "200"}},
    "status": {"conditions": ready},
})


def node(name, zone, kind, labels, capacity, allocatable, created, provider_id, taints=None):
    full = {
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/instance-type": kind, "topology.kubernetes.io/zone": zone,
        "topology.kubernetes.io/region": REGION, "topology.k8s.aws/zone-id": ZONES[zone], **labels,
    }
    items.append({
        "apiVersion": "v1", "kind": "Node", "metadata": meta(name, uid(), created, labels=full),
        "spec": {"providerID": provider_id, **({"taints": taints} if taints else {})},
        "status": {"capacity": capacity, "allocatable": allocatable,
                   "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "",
                                   "lastTransitionTime": created}],
                   "nodeInfo": {"kubeletVersion": "v1.33.2-eks-1", "osImage": "Amazon Linux 2023"}},
    })


# Two nodes of a managed node group: Karpenter has no part in them.
for number, zone in ((1, "us-east-1a"), (2, "us-east-1b")):
    capacity = {"cpu": "2", "memory": "7946292Ki", "pods": "29", "ephemeral-storage": "20893676Ki"}
    allocatable = {"cpu": "1930m", "memory": "7256116Ki", "pods": "29", "ephemeral-storage": "18181869946"}
    node(f"ip-10-0-{number}-10.ec2.internal", zone, "m5.large", {"eks.amazonaws.com/nodegroup": "system"},
         capacity, allocatable, "2026-05-02T08:10:00Z", f"aws:///{zone}/i-0sys{number}")


def claim(suffix, zone, kind, times, requests, types, memory_mib=None):
    name, number = f"general-{suffix}", 100 + len(items)
    node_name = f"ip-10-0-{number}-20.ec2.internal"
    created, launched, registered, initialized = times
    capacity, allocatable = numbers(kind, memory_mib)
    labels = {
        "karpenter.sh/nodepool": "general", "karpenter.sh/capacity-type": "on-demand",
        "karpenter.k8s.aws/ec2nodeclass": "default", "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": kind, "topology.kubernetes.io/zone": zone,
        "topology.kubernetes.io/region": REGION, "topology.k8s.aws/zone-id": ZONES[zone],
        "karpenter.k8s.aws/instance-tenancy": "default", **type_labels(kind),
    }
    listed = [r for r in requirements if r["key"] != "karpenter.sh/capacity-type"]
    listed += [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
               {"key": "karpenter.sh/nodepool", "operator": "In", "values": ["general"]},
               {"key": "karpenter.k8s.aws/ec2nodeclass", "operator": "In", "values": ["default"]},
               {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": sorted(types)}]
    conditions = [{"type": kind_, "status": "True", "reason": kind_, "message": "", "lastTransitionTime": moment}
                  for kind_, moment in (("Launched", launched), ("Registered", registered),
                                        ("Initialized", initialized), ("Ready", initialized))]
    provider_id = f"aws:///{zone}/i-0{suffix}"
    items.append({
        "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
        "metadata": meta(name, uid(), created, labels=labels,
                         annotations={"karpenter.sh/nodepool-hash-version": "v3"}),
        "spec": {"nodeClassRef": reference, "requirements": listed, "expireAfter": "720h",
                 "resources": {"requests": requests}},
        "status": {"providerID": provider_id, "nodeName": node_name, "imageID": "ami-0aa1", "capacity": capacity,
                   "allocatable": allocatable, "conditions": conditions},
    })
    real = (int(facts[kind]["mem_mib"]) - int(facts[kind]["mem_gap_mib"])) * 1024
    pods = int(capacity["pods"])
    seen = {"cpu": capacity["cpu"], "memory": f"{real}Ki", "pods": capacity["pods"],
            "ephemeral-storage": "83864556Ki"}
    usable = {"cpu": allocatable["cpu"], "memory": f"{real - (11 * pods + 255 + 100) * 1024}Ki",
              "pods": capacity["pods"], "ephemeral-storage": "76224326324"}
    node(node_name, zone, kind, {**labels, "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"},
         seen, usable, registered, provider_id)
    return node_name


amd64 = [n for n, f in facts.items() if f["arch"] == "amd64" and f["category"] in "cmr" and int(f["generation"]) > 4
         and int(f["vcpu"]) < 17 and f["doc_date"] == "2026-07-11"]


def fitting(cpu, mem):
    def fits(name):
        _, allocatable = numbers(name)
        return int(allocatable["cpu"][:-1]) >= cpu and int(allocatable["memory"][:-2]) >= mem
    return [name for name in amd64 if fits(name)]


day = "2026-07-20T"
first = claim("k2v8x", "us-east-1a", "c6i.xlarge",
              [day + t for t in ("10:00:01Z", "10:00:04Z", "10:00:31Z", "10:00:45Z")],
              {"cpu": "3190m", "memory": "2288Mi", "pods": "5"}, fitting(3190, 2288))
second = claim("q7m4z", "us-east-1b", "m6i.large",
               [day + t for t in ("10:20:01Z", "10:20:04Z", "10:20:30Z", "10:20:44Z")],
               {"cpu": "1650m", "memory": "4336Mi", "pods": "3"}, fitting(1650, 4336))


def pod(name, namespace, app, cpu, memory, node_name, created, owner=None, scheduled=None, priority=None, **spec):
    conditions = [{"type": "PodScheduled", "status": "True", "lastTransitionTime": scheduled or created}]
    items.append({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": meta(name, uid(), created, namespace, {"app": app},
                         **({"ownerReferences": [owner]} if owner else {})),
        "spec": {"nodeName": node_name, "schedulerName": "default-scheduler", "restartPolicy": "Always",
                 "priority": priority or 0,
                 "containers": [{"name": app, "image": f"registry.example/{app}:1",
                                 "resources": {"requests": {"cpu": cpu, "memory": memory}}}], **spec},
        "status": {"phase": "Running", "conditions": conditions, "startTime": scheduled or created},
    })


daemon_uid = uid()
daemon_spec = {"tolerations": [{"operator": "Exists"}]}
items.append({
    "apiVersion": "apps/v1", "kind": "DaemonSet",
    "metadata": meta("aws-node", daemon_uid, "2026-05-02T08:05:00Z", "kube-system"),
    "spec": {"selector": {"matchLabels": {"app": "aws-node"}},
             "template": {"metadata": {"labels": {"app": "aws-node"}},
                          "spec": {**daemon_spec, "containers": [
                              {"name": "aws-node", "image": "registry.example/aws-node:1",
                               "resources": {"requests": {"cpu": "150m", "memory": "240Mi"}}}]}}},
})
owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "aws-node", "uid": daemon_uid, "controller": True}
system = ["ip-10-0-1-10.ec2.internal", "ip-10-0-2-10.ec2.internal"]
starts = ["2026-05-02T08:10:10Z", "2026-05-02T08:10:10Z", day + "10:00:31Z", day + "10:20:30Z"]
for number, (name, start) in enumerate(zip(system + [first, second], starts)):
    pod(f"aws-node-{number}", "kube-system", "aws-node", "150m", "240Mi", name, start, owner, priority=2000001000,
        **daemon_spec)
for number, name in enumerate(system):
    pod(f"coredns-{number}", "kube-system", "coredns", "1500m", "4000Mi", name, "2026-05-02T08:11:00Z")
replica_uid = uid()
items.append({
    "apiVersion": "apps/v1", "kind": "ReplicaSet",
    "metadata": meta("web-6d9f", replica_uid, day + "10:00:00Z", "shop"),
    "spec": {"replicas": 4, "selector": {"matchLabels": {"app": "web"}},
             "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [
                 {"name": "web", "image": "registry.example/web:1",
                  "resources": {"requests": {"cpu": "760m", "memory": "512Mi"}}}]}}},
})
owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-6d9f", "uid": replica_uid, "controller": True}
for number in range(4):
    pod(f"web-6d9f-{number}", "shop", "web", "760m", "512Mi", first, day + "10:00:00Z", owner, day + "10:00:46Z")
for number in range(2):
    pod(f"cart-{number}", "shop", "cart", "750m", "2048Mi", second, day + "10:20:00Z", None, day + "10:20:45Z")


def event(name, target, namespace, reason, message, component, moment, kind="Normal"):
    items.append({
        "apiVersion": "v1", "kind": "Event", "metadata": meta(name, uid(), moment, namespace),
        "involvedObject": {"kind": "Pod", "namespace": namespace, "name": target, "apiVersion": "v1"},
        "reason": reason, "message": message, "source": {"component": component}, "type": kind,
        "firstTimestamp": moment, "lastTimestamp": moment, "count": 1,
    })


for number in range(2):
    target = f"cart-{number}"
    event(f"{target}.1", target, "shop", "FailedScheduling",
          "0/3 nodes are available: 1 Insufficient cpu, 3 Insufficient memory.", "default-scheduler",
          day + "10:20:00Z", "Warning")
    event(f"{target}.2", target, "shop", "Nominated", "Pod should schedule on: nodeclaim/general-q7m4z", "karpenter",
          day + "10:20:01Z")
    event(f"{target}.3", target, "shop", "Scheduled", f"Successfully assigned shop/{target} to {second}",
          "default-scheduler", day + "10:20:45Z")

items.sort(key=lambda item: (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"]))
with open(os.path.join(here, "cluster.json"), "w") as out:
    json.dump({"apiVersion": "v1", "kind": "List", "items": items, "metadata": {"resourceVersion": ""}}, out, indent=1)
    out.write("\n")
