# SPDX-License-Identifier: Apache-2.0
"""What is in use: per node, changed only by committing, adopting or releasing allocations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .conf import Cluster, Gres, Node

Units = dict[int, int]  # device index -> units taken


@dataclass(frozen=True)
class GresTaken:
    """One type of one GRES name on one node; units is empty for a plain counter."""

    name: str
    type: str
    count: int
    units: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class NodeTaken:
    """What one allocation holds on one node."""

    node: int
    cores: frozenset[int]
    memory: int
    gres: tuple[GresTaken, ...] = ()
    partition: str = ""


@dataclass(frozen=True)
class FreeGres:
    """What is left of one GRES name on one node."""

    name: str
    units: tuple[int, ...]  # by device index: units left
    counters: tuple[tuple[str, int], ...]
    touched: bool  # some of it is in use


@dataclass(frozen=True)
class Free:
    """All that a decision may know of one node's use. Equal values give equal answers."""

    busy: frozenset[int]
    memory: int
    gres: tuple[FreeGres, ...]
    partition_cores: tuple[int, ...] = ()  # that jobs of the same partition hold, one by one

    def of(self, name: str) -> FreeGres | None:
        return next((g for g in self.gres if g.name == name), None)


@dataclass
class ClusterState:
    cluster: Cluster
    held: dict[str, tuple[NodeTaken, ...]] = field(default_factory=dict)

    def commit(self, tag: str, taken: tuple[NodeTaken, ...]) -> None:
        """Book an allocation, ours or one that Slurm made."""
        self.held[tag] = taken

    def release(self, tag: str) -> None:
        self.held.pop(tag, None)

    def free(self, partition: str = "") -> list[Free]:
        """What is left on every node, in index order."""
        free = [unused(node) for node in self.cluster.nodes]
        for allocation in self.held.values():
            for taken in allocation:
                node = self.cluster.nodes[taken.node]
                free[taken.node] = _less(node, free[taken.node], taken, partition)
        return free


def unused(node: Node) -> Free:
    """The node when nothing runs."""
    return Free(
        busy=frozenset(),
        memory=node.memory,
        gres=tuple(
            FreeGres(g.name, tuple(d.capacity for d in g.devices), g.counters, False)
            for g in node.gres
        ),
    )


def _less(node: Node, free: Free, taken: NodeTaken, partition: str) -> Free:
    gres = []
    for spec, left in zip(node.gres, free.gres):
        for item in taken.gres:
            if item.name == spec.name and not spec.no_consume:
                left = _less_gres(left, item)
            elif item.units and _same_silicon(spec, item.name):
                left = _less_counterpart(left, spec, item)
        gres.append(left)
    same = tuple(sorted(taken.cores)) if taken.partition == partition else ()
    return replace(
        free,
        busy=free.busy | taken.cores,
        memory=free.memory - taken.memory,
        gres=tuple(gres),
        partition_cores=free.partition_cores + same,
    )


def _same_silicon(spec: Gres, name: str) -> bool:
    """A gpu and the shares cut from it exclude each other."""
    return (spec.shared and name == "gpu") or (spec.name == "gpu" and name in ("shard", "mps"))


def _less_gres(left: FreeGres, item: GresTaken) -> FreeGres:
    if item.units:
        units = list(left.units)
        for index, count in item.units:
            units[index] -= count
        return replace(left, units=tuple(units), touched=True)
    counters = tuple(
        (kind, count - item.count if kind == item.type else count) for kind, count in left.counters
    )
    return replace(left, counters=counters, touched=left.touched or item.count > 0)


def _less_counterpart(left: FreeGres, spec: Gres, item: GresTaken) -> FreeGres:
    units = list(left.units)
    for index, _ in item.units:
        units[index] = 0
    return replace(left, units=tuple(units), touched=True)
