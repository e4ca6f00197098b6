# SPDX-License-Identifier: Apache-2.0
"""Racks of 18 nodes with one NVLink domain each: what segments leave usable, and what they cost.

A job of segment s takes its nodes in groups of s, each inside one rack.
"""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Iterator, Sequence
from typing import List, Optional, Tuple

import trestle

from .._rng import Rng
from .loop import occupancy
from .paper import Found, Options, Paper

__all__ = ["PAPER", "RACK", "expected_usable", "measure", "racks", "usable", "with_failures"]

RACK = 18
_SEEDS = (1, 2, 3)
_SEGMENTS = (1, 9, 16, 18)
_FAILED = (0.01, 0.05)
# Nodes of a job and how many in a hundred: many small ones, most of the nodes in large ones.
_MIX = ((1, 40), (2, 15), (4, 15), (8, 10), (16, 8), (32, 6), (64, 4), (128, 2))


def racks(count: int) -> trestle.Cluster:
    """So many idle racks."""
    nodes = trestle.make_nodes(trestle.NodeDescription("n", memory=trestle.gib(1)), count * RACK)
    blocks = [trestle.NetworkBlock(f"r{at}", trestle.NodeSet(range(RACK * at, RACK * at + RACK)))
              for at in range(count)]
    return trestle.Cluster.create(trestle.ClusterParts(
        nodes=nodes, network=trestle.Network(blocks=[trestle.BlockTopology("racks", blocks)])))


@functools.lru_cache(maxsize=None)
def _request(nodes: int, segment: int) -> trestle.PreparedRequest:
    topology = trestle.TopologyRequest(segment_size=segment) if segment > 1 else (
        trestle.TopologyRequest())
    return trestle.PreparedRequest(trestle.Request(
        nodes=nodes, tasks=nodes, exclusivity=trestle.Exclusivity.whole_node, topology=topology))


def usable(cluster: trestle.Cluster, segment: int) -> float:
    """The share of all nodes that jobs of one segment can have: placed until none fits."""
    placer, placed = trestle.Placer(), 0
    with cluster.trial():
        while True:
            placement = placer.place(cluster, _request(segment, segment))
            if not isinstance(placement, trestle.Placement):
                return placed * segment / cluster.node_count()
            placed += 1
            cluster.adopt(placed, placement)


def expected_usable(segment: int, failed: float) -> float:
    """The same in closed form, the mean where nodes fail independently."""
    return sum(math.comb(RACK, up) * (1 - failed)**up * failed**(RACK - up)
               * (up // segment * segment) for up in range(RACK + 1)) / RACK


def with_failures(cluster: trestle.Cluster, failed: float, seed: int) -> trestle.Cluster:
    """A copy in which each node has failed with these odds."""
    rng, changed = Rng(seed), copy.copy(cluster)
    for node in range(cluster.node_count()):
        if rng.uniform() < failed:
            changed.set_node_health(node, trestle.Health.failure)
    return changed


def _jobs(seed: int) -> Iterator[Tuple[int, float]]:
    rng = Rng(seed)
    while True:
        draw = rng.below(sum(weight for _, weight in _MIX))
        for nodes, weight in _MIX:
            if draw < weight:
                break
            draw -= weight
        yield nodes, -math.log(1 - rng.uniform())


def _segment_of(nodes: int) -> int:
    """As recommended: 16 for 32 nodes (128 GPUs) and more, 4 for 8 and 16, else any nodes."""
    return 16 if nodes >= 32 else 4 if nodes >= 8 else 1


class _Placing:
    """With segments, or on any nodes."""

    def __init__(self, has_segments: bool) -> None:
        self._has_segments = has_segments
        self._placer = trestle.Placer()

    def __call__(self, cluster: trestle.Cluster, nodes: int) -> Optional[trestle.Placement]:
        segment = _segment_of(nodes) if self._has_segments else 1
        answer = self._placer.place(cluster, _request(nodes, segment))
        return answer if isinstance(answer, trestle.Placement) else None


def measure(options: Options) -> List[Found]:
    """Usable nodes by segment and failures, and nodes in use with segments and without."""
    seeds: Sequence[int] = _SEEDS
    count, starts, ahead = 278, 4_000, 100
    if options.is_quick:
        seeds, count, starts, ahead = _SEEDS[:1], 20, 400, 20
    idle = racks(count)
    found = []
    for failed in _FAILED:
        broken = [with_failures(idle, failed, seed) for seed in seeds]
        for segment in _SEGMENTS:
            share = sum(usable(one, segment) for one in broken) / len(broken)
            found.append(Found(
                f"usable nodes, segment {segment}, {100 * failed:.0f} % of nodes failed", None,
                f"{100 * share:.1f} %"
                f" ({100 * expected_usable(segment, failed):.1f} % in closed form)"))
    used = [sum(occupancy(copy.copy(idle), _jobs(seed), _Placing(has_segments), starts, ahead)
                for seed in seeds) / len(seeds) for has_segments in (True, False)]
    found.append(Found("nodes in use with segments, without topology", "within 1 % of each other",
                       f"{100 * used[0]:.1f} %, {100 * used[1]:.1f} %"))
    return found


PAPER = Paper(
    "nvl72", "NVIDIA, Unlock Exascale Performance on GB200 NVL72 with Slurm Topology-Aware Job "
    "Scheduling, 2026",
    "278 racks of 18 nodes (5,004); failures and jobs from our own generator, 100 jobs of the "
    "queue are looked at", "1 to 3", measure,
    "20 racks of 18 nodes, 400 jobs, 20 of the queue are looked at")
