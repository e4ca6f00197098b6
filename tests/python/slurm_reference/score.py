# SPDX-License-Identifier: Apache-2.0
"""Run every recording, predict each answer, and count how often it is Slurm's.

    python score.py DIR [FILE-PART]

After each request the recorded answer is adopted, so that one miss does not breed others.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    here = Path(__file__).resolve().parent
    sys.path[:] = [p for p in sys.path if Path(p).resolve() != here]  # select.py hides a module
    sys.path.insert(0, str(here.parent))
    from slurm_reference.conf import Cluster, read_cluster
    from slurm_reference.select import Decision, select
    from slurm_reference.state import ClusterState, GresTaken, NodeTaken
else:
    from .conf import Cluster, read_cluster
    from .select import Decision, select
    from .state import ClusterState, GresTaken, NodeTaken


def adopted(cluster: Cluster, result: dict[str, Any], partition: str) -> tuple[NodeTaken, ...]:
    """A recorded allocation as the model's value."""
    taken = []
    for entry in result["nodes"]:
        node = cluster.node_named(entry["node"])
        assert node is not None
        cores = frozenset(c // node.threads for c in entry["cpu_ids"])
        gres = tuple(
            _gres(cluster, node.index, g) for g in entry["gres"] if g["count"]
        )
        taken.append(NodeTaken(node.index, cores, entry["mem_mb"], gres, partition))
    return tuple(taken)


def _gres(cluster: Cluster, node: int, entry: dict[str, Any]) -> GresTaken:
    spec = cluster.nodes[node].gres_named(entry["name"])
    assert spec is not None
    idx = entry.get("idx") or []
    each = entry["count"] // len(idx) if idx else 0
    kind = entry.get("type") or ""
    if spec.shared:
        kind = spec.devices[idx[0]].type
    return GresTaken(spec.name, kind, entry["count"], tuple((i, each) for i in idx))


def coarse(cluster: Cluster, nodes: tuple[NodeTaken, ...]) -> list[tuple[Any, ...]]:
    """Per node: CPUs, memory, counts by GRES; names left out."""
    return sorted(
        (
            len(t.cores) * cluster.nodes[t.node].threads,
            t.memory,
            tuple(sorted((g.name, g.type, g.count) for g in t.gres)),
        )
        for t in nodes
    )


def exact(nodes: tuple[NodeTaken, ...]) -> list[tuple[Any, ...]]:
    """Everything: node, cores, memory, devices."""
    return sorted(
        (
            t.node,
            tuple(sorted(t.cores)),
            t.memory,
            tuple(sorted((g.name, g.type, g.count, g.units) for g in t.gres)),
        )
        for t in nodes
    )


def show(cluster: Cluster, verdict: str, reason: str, nodes: tuple[NodeTaken, ...]) -> str:
    if verdict != "allocated":
        return f"{verdict} {reason}"
    parts = []
    for t in sorted(nodes, key=lambda t: t.node):
        gres = " ".join(f"{g.name}:{g.type}={[i for i, _ in g.units] or g.count}" for g in t.gres)
        cores = ",".join(str(c) for c in sorted(t.cores))
        parts.append(f"{cluster.nodes[t.node].name} cores {cores} m{t.memory} {gres}".rstrip())
    return "; ".join(parts)


def run_file(path: Path) -> tuple[int, int, int, list[str]]:
    data = json.loads(path.read_text())
    text = data["cluster"]
    cluster = read_cluster(text["slurm_conf"], text["gres_conf"], text["topology_conf"])
    state = ClusterState(cluster)
    total = coarse_hits = exact_hits = 0
    misses = []
    for step in data["steps"]:
        if step["op"] == "release":
            state.release(step["tag"])
            continue
        result = step["result"]
        partition = _partition(step["opts"], cluster)
        want = adopted(cluster, result, partition) if result["status"] == "allocated" else ()
        if not result.get("suspect"):
            got = select(state, step["opts"])
            total += 1
            same_coarse, same_exact = compare(cluster, result, want, got)
            coarse_hits += same_coarse
            exact_hits += same_exact
            if not same_exact:
                mark = "~" if same_coarse else "X"
                expected = show(cluster, result["status"], result.get("reason", ""), want)
                found = show(cluster, got.verdict, got.reason, got.nodes)
                misses.append(
                    f"{mark} {path.stem} {step['tag']}: {step['opts']}\n"
                    f"    expected {expected}\n    got      {found}"
                )
        if want:
            state.commit(step["tag"], want)
    return total, coarse_hits, exact_hits, misses


def _partition(opts: str, cluster: Cluster) -> str:
    words = opts.split()
    if "-p" in words:
        return words[words.index("-p") + 1].split(",")[0]
    default = cluster.partition_named(None)
    return default.name if default else ""


def compare(
    cluster: Cluster, result: dict[str, Any], want: tuple[NodeTaken, ...], got: Decision
) -> tuple[bool, bool]:
    if result["status"] != got.verdict:
        return False, False
    if got.verdict == "pending":
        return True, result["reason"] == got.reason
    if got.verdict == "refused":
        return True, True
    return coarse(cluster, want) == coarse(cluster, got.nodes), exact(want) == exact(got.nodes)


def main(arguments: list[str]) -> int:
    directory = Path(arguments[0])
    part = arguments[1] if len(arguments) > 1 else ""
    sums = [0, 0, 0]
    misses: list[str] = []
    print(f"{'file':32} {'cases':>5} {'coarse':>7} {'exact':>7}")
    for path in sorted((p for p in directory.glob("*.json") if part in p.stem)):
        total, first, second, missed = run_file(path)
        print(f"{path.stem:32} {total:5} {first:7} {second:7}")
        sums = [a + b for a, b in zip(sums, (total, first, second))]
        misses += missed
    total = max(sums[0], 1)
    print(f"{'all':32} {sums[0]:5} {sums[1]:7} {sums[2]:7}")
    print(f"coarse {100 * sums[1] / total:.2f} %, exact {100 * sums[2] / total:.2f} %\n")
    print("\n".join(misses))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
