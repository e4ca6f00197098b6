# SPDX-License-Identifier: Apache-2.0
"""Boxes of nodes on a torus of 4,096, under a queue that never runs dry: use of the nodes.

Three ways to place a job: the box that it asks for, turned in any way. Any box of as many nodes
(the study folds a job's shape). And on cubes of 64 nodes that optical switches join at will, small
jobs in a box inside one cube.
"""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Iterator
from typing import List, Optional, Tuple

import trestle

from .._rng import Rng
from .loop import occupancy
from .paper import Found, Options, Paper

__all__ = ["PAPER", "measure"]

_Shape = Tuple[int, int, int]
_SEEDS = (1, 2, 3)


@functools.lru_cache(maxsize=None)
def _boxes(nodes: int, side: int) -> Tuple[_Shape, ...]:
    """Boxes of so many nodes with sides that are powers of two up to `side`, rising in each; the
    compact ones first."""
    sides = [2**k for k in range(side.bit_length())]
    found = [(a, b, nodes // (a * b)) for a in sides for b in sides
             if a <= b and nodes % (a * b) == 0 and b <= nodes // (a * b) <= side]
    return tuple(sorted(found, key=sum))


def _jobs(seed: int, side: int) -> Iterator[Tuple[_Shape, float]]:
    """8 nodes to a quarter of the torus, each power of two as likely, and each box of it. Run times
    are exponential with a mean of 1."""
    rng = Rng(seed)
    least, most = 3, 3 * side.bit_length() - 5
    while True:
        boxes = _boxes(2 ** (least + rng.below(most - least + 1)), side)
        yield boxes[rng.below(len(boxes))], -math.log(1 - rng.uniform())


@functools.lru_cache(maxsize=None)
def _request(topology: trestle.TopologyRequest, nodes: int) -> trestle.PreparedRequest:
    return trestle.PreparedRequest(trestle.Request(
        nodes=nodes, tasks=nodes, exclusivity=trestle.Exclusivity.whole_node, topology=topology))


def _nodes(count: int) -> Tuple[trestle.Node, ...]:
    return trestle.make_nodes(trestle.NodeDescription("n", memory=trestle.gib(1)), count)


def _torus(side: int) -> trestle.Cluster:
    """One torus of that side."""
    one = trestle.Torus("pod", trestle.TorusShape(side, side, side), range(side**3))
    return trestle.Cluster.create(trestle.ClusterParts(
        nodes=_nodes(side**3),
        network=trestle.Network(toruses=[trestle.TorusTopology("pod", [one])])))


def _cubes(count: int) -> trestle.Cluster:
    """Cubes of 4 x 4 x 4, each a block, that any job may join."""
    ranges = [range(64 * at, 64 * at + 64) for at in range(count)]
    cubes = [trestle.Torus(f"c{at}", trestle.TorusShape(4, 4, 4), nodes)
             for at, nodes in enumerate(ranges)]
    blocks = [trestle.NetworkBlock(f"c{at}", trestle.NodeSet(nodes))
              for at, nodes in enumerate(ranges)]
    return trestle.Cluster.create(trestle.ClusterParts(
        nodes=_nodes(64 * count),
        network=trestle.Network(toruses=[trestle.TorusTopology("cubes", cubes)],
                                blocks=[trestle.BlockTopology("joined", blocks)])))


class _Placing:
    """One of the three ways."""

    def __init__(self, way: str, side: int) -> None:
        self._way, self._side = way, side
        self._placer = trestle.Placer()

    def __call__(self, cluster: trestle.Cluster, box: _Shape) -> Optional[trestle.Placement]:
        nodes = math.prod(box)
        if self._way == "cubes" and nodes > 64:
            return self._place(cluster, trestle.TopologyRequest("joined", segment_size=64), nodes)
        side = 4 if self._way == "cubes" else self._side
        boxes = (box,) if self._way == "as asked" else _boxes(nodes, side)
        for one in boxes:
            topology = trestle.TopologyRequest(shape=trestle.TorusShape(*one))
            placement = self._place(cluster, topology, nodes)
            if placement is not None:
                return placement
        return None

    def _place(self, cluster: trestle.Cluster, topology: trestle.TopologyRequest,
               nodes: int) -> Optional[trestle.Placement]:
        answer = self._placer.place(cluster, _request(topology, nodes))
        return answer if isinstance(answer, trestle.Placement) else None


def measure(options: Options) -> List[Found]:
    """Nodes in use for each way, and how much more than the first the others have."""
    side, seeds, starts = (8, (1,), 150) if options.is_quick else (16, _SEEDS, 1000)
    used = {}
    for way in ("as asked", "folded", "cubes"):
        cluster = _cubes(side**3 // 64) if way == "cubes" else _torus(side)
        used[way] = sum(
            occupancy(copy.copy(cluster), _jobs(seed, side), _Placing(way, side), starts)
            for seed in seeds) / len(seeds) * 100
    base = used["as asked"]
    return [
        Found("nodes in use, box as asked, fixed torus", None, f"{base:.1f} %"),
        Found("nodes in use, any box of as many nodes, fixed torus", None,
              f"{used['folded']:.1f} % ({used['folded'] - base:+.1f} points)"),
        Found("nodes in use, cubes of 64 that are joined at will", "+57 points, the most",
              f"{used['cubes']:.1f} % ({used['cubes'] - base:+.1f} points)")]


PAPER = Paper(
    "torus", "RFold, arXiv:2510.03891",
    "16 x 16 x 16 torus; the study's trace is not public: our own generator, boxes of 8 to 1,024 "
    "nodes, first come first served", "1 to 3", measure,
    "8 x 8 x 8 torus, 150 jobs")
