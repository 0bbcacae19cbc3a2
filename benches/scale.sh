#!/usr/bin/env bash
# Measures landed on dumps of large clusters, beside jq on the same file: the tables of docs/performance.md.
#
#   cargo build --release && benches/scale.sh [FOLDER] [NODES...]
#
# Needs python3, jq, gzip, zstd and GNU time. FOLDER (default: /tmp/landed-scale) keeps the dumps: 220 MB for 500 nodes,
# 2.2 GB for 5000. RUNS: how often each is run, the quickest counts (default 5). BINARY: what is measured.
set -euo pipefail

folder=${1:-/tmp/landed-scale}
shift || true
sizes=("$@")
[[ ${#sizes[@]} -gt 0 ]] || sizes=(500 5000)
here=$(cd "$(dirname "$0")" && pwd)
binary=${BINARY:-$here/../target/release/kubectl-landed}
runs=${RUNS:-5}
mkdir -p "$folder"

# Prints the quickest of some runs: seconds of the wall clock, of both kinds of processor time, peak memory in MB.
quickest() {
    local log
    log=$(mktemp)
    for _ in $(seq "$runs"); do
        /usr/bin/time -a -o "$log" -f '%e %U %S %M' "$@" > /dev/null
    done
    sort -n "$log" | awk 'NR == 1 { printf "%8.2f s  %8.2f s  %8.1f MB", $1, $2 + $3, $4 * 1024 / 1e6 }'
    rm -f "$log"
}

line() {
    local what=$1
    shift
    printf '%-58s' "$what"
    quickest "$@"
    printf '\n'
}

echo "$(uname -m), $(nproc) cores, $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo); load $(cut -d' ' -f1 /proc/loadavg)"
printf '%-58s%10s  %10s  %11s\n' '' 'wall' 'processor' 'peak memory'
for nodes in "${sizes[@]}"; do
    dump=$folder/$nodes.json
    [[ -s $dump ]] || python3 "$here/big-dump.py" --nodes "$nodes" --pods-per-node 30 > "$dump"
    [[ -s $dump.gz ]] || gzip -1 -c "$dump" > "$dump.gz"
    [[ -s $dump.zst ]] || zstd -q -3 "$dump" -o "$dump.zst"
    cat "$dump" > /dev/null
    echo "$nodes nodes, $((nodes * 30)) pods: $(($(stat -L -c %s "$dump") / 1000000)) MB"
    line "  jq -c '.items|length'" jq -c '.items|length' "$dump"
    line '  explain of a bound pod' "$binary" explain -n shop pod/web-0 -f "$dump"
    line '  explain of a bound pod, gzip' "$binary" explain -n shop pod/web-0 -f "$dump.gz"
    line '  explain of a bound pod, zstd' "$binary" explain -n shop pod/web-0 -f "$dump.zst"
    line '  explain of a pending pod' "$binary" explain -n default pod/subject-0 -f "$dump"
    line '  replay kube-scheduler of a pending pod' "$binary" replay kube-scheduler --pods default/subject-0 -f "$dump"
    "$binary" replay kube-scheduler --pods default/subject-0 -f "$dump" --timings 2>&1 > /dev/null | sed 's/^/    /'
done
