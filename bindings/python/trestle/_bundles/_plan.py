# SPDX-License-Identifier: Apache-2.0
"""One decision: which instances end, what is launched, and which demands find no place.

The steps are those of Ray's autoscaler v2, in its order. Instances of an old configuration end. The
least count of each type is launched. What exceeds the most of a type or of the cluster ends.
Constraints, gangs and bundles are placed; then what is idle for too long and not needed ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._demand import Cause, Demand, Node, NodeType, Source, Space, Stage, launched
from ._placing import Limits, Placing


@dataclass
class Gang:
    """Demands that are placed together or not at all."""

    alternatives: Sequence[Sequence[Demand]]
    """the first that can be placed is"""
    item: Any = None
    """the caller's"""

    def order(self) -> tuple[int, int]:
        """The largest has its turn first."""
        demands = self.alternatives[0] if self.alternatives else ()
        return (sum(len(one.apart) * one.count for one in demands), sum(one.count for one in demands))


@dataclass
class Question:
    """A state of the cluster, and what is asked of it."""

    types: Mapping[str, NodeType]
    nodes: list[Node]
    demands: Sequence[Demand] = ()
    gangs: Sequence[Gang] = ()
    constraints: Sequence[Gang] = ()
    nodes_max: int | None = None
    idle_max: float | None = None
    """seconds; None: nothing ends for it"""
    pending_idle_max: float | None = None
    """likewise for what does not run yet and is not needed"""
    checks_config: bool = True
    spares_gpus: bool = True
    largest: Callable[[NodeType], Mapping[str, float]] = lambda kind: kind.amounts
    missing: Callable[[str], float] = lambda name: 0.0


@dataclass
class Answer:
    """What is to be done."""

    nodes: list[Node]
    """all: to be launched without an item, to end with a cause"""
    demands: list[tuple[Demand, int]] = field(default_factory=list)
    """with no place, and how many of each"""
    gangs: list[Gang] = field(default_factory=list)
    constraints: list[Gang] = field(default_factory=list)


class Planner:
    """Decides. It remembers since when instances that do not run yet are not needed.

    Instances of a type are alike, so it counts for each type. At the moments in the list one more
    was not needed, and none of them was since.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._clock = clock
        self._unneeded: dict[str, list[float]] = {}

    def answer(self, question: Question) -> Answer:
        """The decision. The nodes of the question change."""
        nodes = question.nodes
        gangs = [*question.gangs, *question.constraints]
        space = Space([*question.demands, *(demand for gang in gangs for alternative in gang.alternatives
                                            for demand in alternative)], question.missing)
        for node in nodes:
            node.marks = set(node.labels.items())
            space.measure(node)
            if node.resize is not None:
                space.grow(node, node.resize.current())
        if question.checks_config:
            _end_outdated(question)
        _launch_least(question, space)
        _end_beyond_types(question)
        _end_beyond_cluster(question)

        limits = Limits(dict(question.types), question.nodes_max, question.largest, question.spares_gpus)
        answer = Answer(nodes)
        for_later = Placing(nodes, space, limits, Source.constraint)
        answer.constraints = [one for one in question.constraints if not _placed(for_later, one)]
        now = Placing(nodes, space, limits, Source.pending)
        answer.gangs = [one for one in sorted(question.gangs, key=Gang.order, reverse=True)
                        if not _placed(now, one)]
        answer.demands = now.place(question.demands)
        if question.pending_idle_max is not None:
            self._count_unneeded(nodes)
        self._end_idle(question)
        for node in nodes:
            if node.grows and node.resize is not None and node.cause is None:
                node.resize.grow()
        return answer

    def _count_unneeded(self, nodes: Sequence[Node]) -> None:
        """Says of instances that do not run yet for how long they are idle."""
        now = self._clock()
        by_type: dict[str, list[Node]] = {}
        for node in nodes:
            if _may_end(node) and node.stage is not None and not node.used:
                by_type.setdefault(node.type, []).append(node)
        before = self._unneeded
        self._unneeded = {}
        for name, unneeded in by_type.items():
            moments = before.get(name, [])[:len(unneeded)]
            moments += [now] * (len(unneeded) - len(moments))
            self._unneeded[name] = moments
            unneeded.sort(key=lambda node: node.stage.value if node.stage else 0)
            for node, moment in zip(unneeded, moments):
                node.idle = now - moment

    def _end_idle(self, question: Question) -> None:
        """Ends what is idle for longer than its limit, needed by nothing, and above the least count."""
        counts: dict[str, int] = {}
        for node in question.nodes:
            if node.cause is None:
                counts[node.type] = counts.get(node.type, 0) + 1
        for node in sorted(filter(_may_end, question.nodes), key=_ends_first):
            kind = question.types.get(node.type)
            limit = question.idle_max if kind is None or kind.idle_max is None else kind.idle_max
            if node.stage is not None:
                limit = question.pending_idle_max
            if node.used or limit is None or node.idle <= limit:
                continue
            if counts[node.type] <= (kind.launched_min if kind is not None else 0):
                continue
            counts[node.type] -= 1
            node.cause, node.idle_max = Cause.idle, limit
            if node.stage is not None:
                del self._unneeded[node.type][0]  # the longest of its type, which ends first


def _may_end(node: Node) -> bool:
    """Whether an instance can be ended for being idle."""
    return node.is_launched and not node.is_head and node.cause is None and node.stage is not Stage.other


def _placed(placing: Placing, gang: Gang) -> bool:
    return any(placing.place_all(alternative) for alternative in gang.alternatives)


def _end_outdated(question: Question) -> None:
    """Ends instances whose type is gone or has another configuration."""
    for node in question.nodes:
        kind = question.types.get(node.type)
        is_current = kind is not None and (
            not kind.config_hash or kind.config_hash == node.config_hash
            or (node.stage is not None and not node.config_hash))
        if not node.is_head and node.cause is None and not is_current:
            node.cause = Cause.outdated


def _launch_least(question: Question, space: Space) -> None:
    """Launches up to the least count of each type."""
    counts: dict[str, int] = {}
    for node in question.nodes:
        if node.cause is None:
            counts[node.type] = counts.get(node.type, 0) + 1
    for name, kind in question.types.items():
        for _ in range(kind.launched_min - counts.get(name, 0)):
            node = launched(kind)
            space.measure(node)
            question.nodes.append(node)


def _end_beyond_types(question: Question) -> None:
    for name, kind in question.types.items():
        _end_some(question.nodes, [node for node in question.nodes if node.type == name],
                  kind.launched_max, Cause.type_max)


def _end_beyond_cluster(question: Question) -> None:
    if question.nodes_max:
        _end_some(question.nodes, question.nodes, question.nodes_max, Cause.cluster_max)


def _end_some(all_: list[Node], nodes: Sequence[Node], most: int, cause: Cause) -> None:
    """Ends nodes until `most` are left; what is yet to be launched is not launched."""
    kept = [node for node in nodes if node.cause is None]
    extra = len(kept) - most
    if extra <= 0:
        return
    for node in sorted((node for node in kept if not node.is_head), key=_ends_first)[:extra]:
        if node.is_launched:
            node.cause = cause
        else:
            all_[:] = [one for one in all_ if one is not node]


def _ends_first(node: Node) -> tuple[bool, bool, float, int, float]:
    """What is not there yet, then what does not run yet, the longest idle, the least far, the least
    used."""
    stage = node.stage.value if node.stage is not None else len(Stage)
    return (node.is_launched, node.is_launched and node.stage is None, -node.idle, stage,
            node.utilization())
