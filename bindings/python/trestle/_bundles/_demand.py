# SPDX-License-Identifier: Apache-2.0
"""Demands, kinds of nodes, and nodes."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

UNITS = 10_000
"""An amount of 1 has so many units, as in Ray's own counts."""
AMOUNT_MAX = 1e13
"""Shares of devices have 63 bits for all of a node."""
Amounts = tuple[int, ...]
"""Units of each resource of a Space."""
Mark = tuple[str, str]
"""A label and its value."""


class LabelTest(NamedTuple):
    """A condition on one label."""

    label: str
    values: frozenset[str]
    is_wanted: bool
    """False: the label has none of the values, or is absent"""

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether labels satisfy it."""
        return (labels.get(self.label) in self.values) is self.is_wanted


Selector = tuple[LabelTest, ...]
"""All of them."""


@dataclass(frozen=True)
class Demand:
    """Equal bundles. Each lies on one node."""

    amounts: Mapping[str, float]
    count: int = 1
    selectors: tuple[Selector, ...] = ()
    """the first that holds counts most; empty: any node"""
    apart: frozenset[Mark] = frozenset()
    """not on a node that has one of these labels, which the bundle brings to its node"""
    item: Any = None
    """the caller's"""

    def rank(self, labels: Mapping[str, str]) -> int:
        """How many selectors from the first one that holds; 0: none does, or there are none."""
        for place, selector in enumerate(self.selectors):
            if all(test.holds(labels) for test in selector):
                return len(self.selectors) - place
        return 0

    def accepts(self, labels: Mapping[str, str]) -> bool:
        """Whether a node with these labels may take it."""
        return not self.selectors or self.rank(labels) > 0


@dataclass(frozen=True)
class NodeType:
    """Nodes that can be launched."""

    name: str
    amounts: Mapping[str, float]
    launched_min: int = 0
    launched_max: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    priority: int = 0
    idle_max: float | None = None
    """seconds; None: as for the cluster"""
    config_hash: str = ""
    recovered: float = 1.0
    """how long ago a launch failed, as a share of the time after which that is forgotten"""
    available: float = 1.0
    """how likely a launch is to succeed, by the last ones"""


class Source(enum.Enum):
    """Where demands come from. Each counts for itself."""

    pending = 0
    constraint = 1
    """what the cluster shall be able to take, in use or not"""


class Stage(enum.Enum):
    """Of an instance that is not running yet, how far it is. The earlier ends more cheaply."""

    queued = 0
    allocated = 1
    installing = 2
    other = 3
    """its launch cannot be ended"""


class Cause(enum.Enum):
    """Why an instance ends."""

    outdated = 0
    type_max = 1
    cluster_max = 2
    idle = 3


class Resize:
    """How a node may grow while it runs: what _plan.py needs to know, and may ask for."""

    def current(self) -> Mapping[str, float]:
        """What it will have, while it changes; empty: it does not."""
        raise NotImplementedError

    def most(self) -> Mapping[str, float]:
        """What it could have; empty: no more than now."""
        raise NotImplementedError

    def grow(self) -> None:
        """Asks for most()."""
        raise NotImplementedError


@dataclass
class Node:
    """An instance, or one to be launched, which has no `item`."""

    type: str
    total: dict[str, float]
    free: dict[Source, dict[str, float]]
    labels: Mapping[str, str] = field(default_factory=dict)
    item: Any = None
    is_head: bool = False
    stage: Stage | None = None
    """None: it runs, or is to be launched"""
    idle: float = 0
    """seconds"""
    config_hash: str = ""
    resize: Resize | None = None
    cause: Cause | None = None
    """of its end"""
    idle_max: float = 0
    """the limit that it exceeded, in seconds"""
    used: set[Source] = field(default_factory=set)
    marks: set[Mark] = field(default_factory=set)
    left: dict[Source, Amounts] = field(default_factory=dict)
    """units that are free, set by Space.measure()"""
    grows: bool = False
    """it is to be given what `resize` calls most()"""

    def copy(self) -> Node:
        """One that changes by itself."""
        return replace(self, total=dict(self.total), left=dict(self.left), used=set(self.used),
                       marks=set(self.marks),
                       free={source: dict(amounts) for source, amounts in self.free.items()})

    @property
    def is_launched(self) -> bool:
        """True: there is an instance."""
        return self.item is not None

    def utilization(self) -> float:
        """The mean over its resources of the part in use."""
        free = self.free[Source.pending]
        parts = [(total - free.get(name, 0)) / total for name, total in self.total.items() if total > 0]
        return sum(parts) / len(parts) if parts else 0


class Space:
    """The resources that demands name, in order. A node that does not list a name has `missing(name)`
    of it."""

    def __init__(self, demands: Iterable[Demand], missing: Callable[[str], float]) -> None:
        self.names = sorted({name for demand in demands
                             for name, amount in demand.amounts.items() if amount > 0})
        self._missing = [missing(name) for name in self.names]

    def units(self, amounts: Mapping[str, float]) -> Amounts:
        """What a bundle asks."""
        return tuple(round(amounts.get(name, 0) * UNITS) for name in self.names)

    def capacity(self, amounts: Mapping[str, float]) -> Amounts:
        """What a node has. More than AMOUNT_MAX counts as that."""
        return tuple(round(min(amounts.get(name, missing), AMOUNT_MAX) * UNITS)
                     for name, missing in zip(self.names, self._missing))

    def measure(self, node: Node) -> None:
        """Sets what is left on the node."""
        node.left = {source: self.capacity(free) for source, free in node.free.items()}

    def grow(self, node: Node, amounts: Mapping[str, float]) -> None:
        """The node has these amounts in all; what is left changes by the difference."""
        for name, amount in amounts.items():
            more = amount - node.total.get(name, 0)
            node.total[name] = max(0.0, amount)
            for source, free in node.free.items():
                free[name] = max(0.0, free.get(name, 0) + more)
            if name in self.names:
                place, units = self.names.index(name), round(more * UNITS)
                for source, left in node.left.items():
                    node.left[source] = (*left[:place], max(0, left[place] + units), *left[place + 1:])


def fits(asked: Amounts, left: Amounts) -> bool:
    """Whether a bundle fits."""
    return all(a <= b for a, b in zip(asked, left))


def launched(kind: NodeType) -> Node:
    """A node of the type, to be launched."""
    return Node(kind.name, dict(kind.amounts), {source: dict(kind.amounts) for source in Source},
                kind.labels, marks=set(kind.labels.items()))


def total_of(nodes: Sequence[Node]) -> dict[str, float]:
    """The sum of what nodes have that do not end."""
    sums: dict[str, float] = {}
    for node in nodes:
        if node.cause is None:
            for name, amount in node.total.items():
                sums[name] = sums.get(name, 0) + amount
    return sums
