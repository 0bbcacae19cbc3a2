#!/usr/bin/env python3
"""Write the dump of a cluster whose nodes Karpenter launched in waves, for timing `audit`.

    launch-waves.py --waves 160 --nodes-per-wave 30 [--interval 22] [--soft] [--seed 1] > waves.json

Each wave is a burst of pods that fills its new nodes, with the events of an hour: FailedScheduling, Nominated, Scheduled. One pod in
fifty changed places with another of its wave. With --soft half of the pods would rather be spread over zones. 160 waves of 30 nodes
are 4,800 nodes and 148,800 pods: 1.1 GB.
"""
import argparse, datetime, importlib.util, json, os, random, sys

spec = importlib.util.spec_from_file_location("big_dump", os.path.join(os.path.dirname(os.path.abspath(__file__)), "big-dump.py"))
big = importlib.util.module_from_spec(spec)
spec.loader.exec_module(big)

TYPE, PER_NODE = "c-16x-amd64-linux", 31
START = datetime.datetime(2026, 3, 1, 10, 0, 0, tzinfo=datetime.timezone.utc)


def stamp(seconds, fine=False):
    at = START + datetime.timedelta(seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if fine else "%Y-%m-%dT%H:%M:%SZ")


def event(r, pod, reason, message, at, reporter, fine):
    e = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": f"{pod['metadata']['name']}.{r.getrandbits(60):x}", "namespace": pod["metadata"]["namespace"], "uid": big.uid(r), "creationTimestamp": stamp(at)},
         "involvedObject": {"apiVersion": "v1", "kind": "Pod", "name": pod["metadata"]["name"], "namespace": pod["metadata"]["namespace"], "uid": pod["metadata"]["uid"]},
         "reason": reason, "message": message, "reportingComponent": reporter, "reportingInstance": reporter, "type": "Normal"}
    if fine:
        return {**e, "eventTime": stamp(at, True), "firstTimestamp": None, "lastTimestamp": None, "action": "Scheduling", "source": {}}
    return {**e, "eventTime": None, "firstTimestamp": stamp(at), "lastTimestamp": stamp(at), "count": 1, "source": {"component": reporter}}


def claim(r, name, node, at, requests):
    conditions = [("Launched", at + 2), ("Registered", at + 14), ("Initialized", at + 16), ("Ready", at + 16)]
    labels = {big.POOL: "general", big.CAP: "on-demand", "node.kubernetes.io/instance-type": TYPE, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", big.ZONE: "test-zone-a", "karpenter.kwok.sh/kwoknodeclass": "default"}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": name, "uid": big.uid(r), "generation": 1, "creationTimestamp": stamp(at), "labels": labels},
            "spec": {"expireAfter": "Never", "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}, "resources": {"requests": requests},
                     "requirements": [{"key": big.POOL, "operator": "In", "values": ["general"]}, {"key": big.CAP, "operator": "In", "values": ["on-demand"]}, {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [TYPE]}]},
            "status": {"nodeName": node, "providerID": f"kwok://{node}", "capacity": {"cpu": "16", "memory": "32Gi", "pods": "110"}, "allocatable": {"cpu": "15900m", "memory": "32758Mi", "pods": "110", "ephemeral-storage": "20Gi"},
                       "conditions": [{"type": t, "status": "True", "reason": t, "message": "", "observedGeneration": 1, "lastTransitionTime": stamp(when)} for t, when in conditions]}}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--waves", type=int, default=20)
    ap.add_argument("--nodes-per-wave", type=int, default=10)
    ap.add_argument("--interval", type=int, default=22)
    ap.add_argument("--owners", type=int, default=300)
    ap.add_argument("--soft", action="store_true")
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    r, out = random.Random(a.seed), sys.stdout
    first = True

    def emit(o):
        nonlocal first
        out.write(("" if first else ",\n") + json.dumps(o, separators=(",", ":")))
        first = False

    out.write('{"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": [\n')
    emit({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "uid": big.uid(r), "creationTimestamp": stamp(-3600), "labels": {"kubernetes.io/metadata.name": "shop"}}, "status": {"phase": "Active"}})
    emit({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "general", "uid": big.uid(r), "creationTimestamp": stamp(-3600), "generation": 1},
          "spec": {"template": {"metadata": {}, "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}, "expireAfter": "Never", "requirements": [
              {"key": big.CAP, "operator": "In", "values": ["on-demand"]}, {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [TYPE]}]}}, "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "1h"}},
          "status": {"conditions": [{"type": t, "status": "True", "reason": t, "message": "", "lastTransitionTime": stamp(-3600), "observedGeneration": 1} for t in ("ValidationSucceeded", "NodeClassReady", "NodeRegistrationHealthy", "Ready")]}})
    number = 0
    for wave in range(a.waves):
        at = wave * a.interval
        names = sorted(f"general-{wave:04d}{i:03d}" for i in range(a.nodes_per_wave))
        places = [place for place in range(a.nodes_per_wave) for _ in range(PER_NODE)]
        planned = list(places)
        for _ in range(len(places) // 100):
            i, j = r.randrange(len(places)), r.randrange(len(places))
            places[i], places[j] = places[j], places[i]
        requests = {"cpu": f"{PER_NODE * 500}m", "memory": f"{PER_NODE * 544}Mi", "pods": str(PER_NODE)}
        for name in names:
            node = big.node(r, f"node-{name}", r.choice(["test-zone-a", "test-zone-b", "test-zone-c"]), (TYPE, 16, 32))
            node["metadata"]["creationTimestamp"] = stamp(at + 13)
            for condition in node["status"]["conditions"]:
                condition["lastTransitionTime"] = stamp(at + 15)
            emit(node)
            emit(claim(r, name, f"node-{name}", at + 2, requests))
        # The queue takes equal pods by their creation, then by UID.
        pods = []
        for i in range(len(places)):
            app = f"app-{(wave * 7 + i * 5 // len(places)) % a.owners:03d}"
            pod = big.pod(r, f"{app}-{number}", "shop", app, None, "480m", "512Mi")
            pod["metadata"].pop("managedFields")
            pod["metadata"]["creationTimestamp"] = stamp(at)
            for soft in ("topologySpreadConstraints", "affinity"):
                if not a.soft or soft == "affinity":
                    pod["spec"].pop(soft, None)
            pods.append(pod)
            number += 1
        pods.sort(key=lambda pod: pod["metadata"]["uid"])
        for i, pod in enumerate(pods):
            node, meant = f"node-{names[places[i]]}", names[planned[i]]
            bound = at + 18.2 + i * 0.004
            pod["spec"]["nodeName"] = node
            pod["status"] = {"phase": "Running", "startTime": stamp(bound), "qosClass": "Burstable", "conditions": [
                {"type": t, "status": "True", "lastProbeTime": None, "lastTransitionTime": stamp(bound)} for t in ("Initialized", "Ready", "ContainersReady", "PodScheduled")]}
            emit(pod)
            emit(event(r, pod, "FailedScheduling", "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.", at + 0.2 + i * 0.0005, "default-scheduler", True))
            emit(event(r, pod, "Nominated", f"Pod should schedule on: nodeclaim/{meant}", at + 2, "karpenter", False))
            emit(event(r, pod, "Scheduled", f"Successfully assigned shop/{pod['metadata']['name']} to {node}", bound, "default-scheduler", True))
    out.write("\n]}\n")


if __name__ == "__main__":
    main()
