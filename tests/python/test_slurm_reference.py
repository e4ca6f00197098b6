# SPDX-License-Identifier: Apache-2.0
"""The reference model of Slurm's choice on one small cluster: a row a rule."""

from __future__ import annotations

import pytest

from slurm_reference.conf import Cluster, read_cluster
from slurm_reference.select import select
from slurm_reference.state import ClusterState

SLURM_CONF = """
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
DefMemPerCPU=1000
NodeName=n[0-3] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000 Gres=gpu:a100:4
PartitionName=p Nodes=ALL Default=YES
"""
GRES_CONF = """
NodeName=n[0-3] Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-7
NodeName=n[0-3] Name=gpu Type=a100 File=/dev/nvidia[2-3] Cores=8-15
"""


@pytest.fixture
def cluster() -> Cluster:
    return read_cluster(SLURM_CONF, GRES_CONF, "")


def answer(state: ClusterState, opts: str) -> str:
    """Nodes, cores and devices of the answer, or the verdict."""
    decision = select(state, opts)
    if decision.verdict == "refused":
        return "refused"
    if decision.verdict == "pending":
        return f"pending {decision.reason}"
    parts = []
    for taken in decision.nodes:
        cores = ",".join(str(c) for c in sorted(taken.cores))
        devices = [i for g in taken.gres for i, _ in g.units]
        parts.append(f"n{taken.node}:{cores} {taken.memory} {devices}")
    return "; ".join(parts)


@pytest.mark.parametrize(
    ("opts", "expected", "reason"),
    [
        ("-n 3", "n0:0,8 4000 []", "cores of the two sockets in turn, whole cores charged"),
        ("-c 3", "n0:0,1 4000 []", "a task of several CPUs stays on one socket"),
        ("-N 3 -n 10", "n0:0,1,8 6000 []; n1:0 2000 []; n2:0 2000 []", "a core for later nodes"),
        ("-n 129", "pending PartitionConfig", "more CPUs than the partition has"),
        ("-N 2 -n 65", "refused", "two nodes never hold 65 CPUs"),
        ("--gres=gpu:1 -n 17", "n0:0,1,2,3,4,5,6,7 16000 [0]; n1:0 2000 [0]", "first pass"),
        ("--gres=gpu:1 -c 17", "n0:0,1,2,3,4,5,6,7,8 18000 [0]", "relaxed pass"),
        ("--gpus-per-task=2 -n 2", "n0:8 2000 [0, 1, 2, 3]", "surplus leaves socket 0 first"),
        ("-G 5", "n0:0 2000 [0, 1, 2]; n1:0 2000 [0, 1]", "near devices first, then any"),
        ("-G 3 -N 4", "refused", "fewer devices than nodes"),
    ],
)
def test_an_idle_cluster_answers_as_slurm_did(
    cluster: Cluster, opts: str, expected: str, reason: str
) -> None:
    assert answer(ClusterState(cluster), opts) == expected, reason


def test_the_tightest_node_that_suffices_is_taken(cluster: Cluster) -> None:
    state = ClusterState(cluster)
    state.commit("a", select(state, "-w n2 -c 4 --mem=100").nodes)
    assert answer(state, "-c 4 --mem=100") == "n2:2,3 100 []"


def test_a_release_gives_everything_back(cluster: Cluster) -> None:
    state = ClusterState(cluster)
    before = state.free()
    state.commit("a", select(state, "--exclusive -N 4").nodes)
    assert answer(state, "-n 1") == "pending Resources"
    state.release("a")
    assert state.free() == before


NARROW_CONF = """
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=pack_serial_at_end,spec_cores_first
AllowSpecResourcesUsage=YES
GresTypes=gpu
DefMemPerCPU=100
NodeName=n[0-2] Sockets=2 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=16000 CoreSpecCount=2
PartitionName=p Nodes=ALL Default=YES
PartitionName=two Nodes=ALL MinNodes=2
PartitionName=few Nodes=ALL MaxCPUsPerSocket=2
"""


@pytest.mark.parametrize(
    ("opts", "expected", "reason"),
    [
        ("-n 1", "n2:1 100 []", "pack_serial_at_end: the last node, spec_cores_first: core 0"),
        ("-n 2", "n0:1,5 200 []", "two CPUs are not one"),
        ("-S 3 -w n0", "n0:2,3,5,6,7 500 []", "one more core, from the first socket on"),
        ("-p two", "n0:1 100 []; n1:1 100 []", "MinNodes"),
        ("-p two -N 1", "pending PartitionConfig", "fewer than MinNodes"),
        ("-p two -n 1", "refused", "a node has no task"),
        ("-p few -n 5", "n0:1,2,5,6 400 []; n1:1 100 []", "MaxCPUsPerSocket"),
        ("-p few -n 13", "pending PartitionConfig", "more CPUs than the sockets may give"),
        ("-N 2 -n 90 -c 2 -O", "n0:1,2 200 []; n1:1,2 200 []", "CPUs of one task a node"),
    ],
)
def test_rules_that_no_recording_shows(opts: str, expected: str, reason: str) -> None:
    assert answer(ClusterState(read_cluster(NARROW_CONF, "", "")), opts) == expected, reason
