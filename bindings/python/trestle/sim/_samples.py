# SPDX-License-Identifier: Apache-2.0
"""What was in use over time: between two moments nothing changes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trestle
from trestle._progress import over
from trestle._short import short_repr

from ._demand import GPU, gpus_in, gpus_of, times_of

if TYPE_CHECKING:
    from .result import Result

_EXACT = 1e-9  # what sums of parts of a GPU may be off


@dataclass(frozen=True, repr=False)
class Sample:
    """What was in use from one moment until that of the next sample."""

    at: int
    """seconds"""
    tres: Mapping[str, int]
    """of each TRES what jobs have: CPUs, bytes, devices"""
    nodes: int
    """with a job"""
    nodes_on: int
    gpus: float
    """allocated; a part of a GPU counts as a part"""
    gpus_on: int
    """of nodes that are on"""
    fragmented: int
    """nodes with some of their GPUs allocated, and not all"""
    gpu_nodes_on: int

    __repr__ = short_repr

    @property
    def occupancy(self) -> float:
        """Nodes with a job by nodes that are on; 0 where none is."""
        return _ratio(self.nodes, self.nodes_on)

    @property
    def gpu_allocation(self) -> float:
        """Allocated GPUs by GPUs of nodes that are on (GAR); 0 where there are none."""
        return _ratio(self.gpus, self.gpus_on)

    @property
    def fragmented_nodes(self) -> float:
        """Nodes with some GPUs allocated, by nodes with GPUs that are on (GFR); 0 without any."""
        return _ratio(self.fragmented, self.gpu_nodes_on)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


class _State:
    """What is in use at a moment."""

    def __init__(self, result: Result) -> None:
        self._result = result
        cluster = result.cluster
        self._shapes = [cluster.class_of(node).shape for node in range(cluster.node_count())]
        by_shape = {shape: gpus_of(shape) for shape in set(self._shapes)}
        self.gpus_of = [by_shape[shape] for shape in self._shapes]
        self.tres: Counter[str] = Counter()
        self.jobs: Counter[int] = Counter()
        self._gpus: Counter[int] = Counter()
        self.nodes = self.nodes_on = self.gpus_on = self.gpu_nodes_on = self.fragmented = 0
        self.gpus = 0.0

    def power(self, node: int, sign: int) -> None:
        """The node goes on (1) or off (-1)."""
        self.nodes_on += sign
        self.gpus_on += sign * self.gpus_of[node]
        self.gpu_nodes_on += sign * bool(self.gpus_of[node])

    def change(self, placement: trestle.Placement, tres: Mapping[str, int], sign: int) -> None:
        """A job starts (1) or ends (-1)."""
        for name, count in tres.items():
            self.tres[name] += sign * count
        for part in placement.nodes:
            node = part.node
            was, was_cut = self.jobs[node] > 0, self._is_cut(node)
            gpus = gpus_in(self._shapes[node], part)
            self.jobs[node] += sign
            self._gpus[node] += sign * gpus  # type: ignore[assignment]  # parts of GPUs
            self.gpus += sign * gpus
            self.nodes += (self.jobs[node] > 0) - was
            self.fragmented += self._is_cut(node) - was_cut

    def _is_cut(self, node: int) -> bool:
        return _EXACT < self._gpus[node] < self.gpus_of[node] - _EXACT

    def sample(self, at: int) -> Sample:
        """It as a value."""
        tres = {name: count for name, count in sorted(self.tres.items()) if count and name != "node"}
        gpus = round(self.gpus, 6)
        return Sample(at, tres, self.nodes, self.nodes_on, gpus, self.gpus_on, self.fragmented,
                      self.gpu_nodes_on)


def samples_of(result: Result) -> Iterator[Sample]:
    """A sample for each moment at which something changes, from 0 on; the last is that of the end."""
    state = _State(result)
    changes: list[tuple[int, int, Callable[[], None]]] = []

    def enter(at: int, rank: int, change: Callable[..., None], *arguments: object) -> None:
        changes.append((at, rank, lambda: change(*arguments)))

    for node in result.node_seconds():
        for on in result.powered(node):
            if on.start < on.stop:
                enter(on.start, 0, state.power, node, 1)
                enter(on.stop, 2, state.power, node, -1)
    for one, had in over(result._with_counts, "samples", "attempt"):
        if one.seconds:
            tres = {str(name): count for name, count in had.items()}
            enter(one.period.start, 1, state.change, one.placement, tres, 1)
            enter(one.period.stop, 0, state.change, one.placement, tres, -1)
    changes.sort(key=lambda change: change[:2])
    for at, group in itertools.groupby(changes, key=lambda change: change[0]):
        for _, _, change in group:
            change()
        yield state.sample(at)


def over_time(spans: Iterable[tuple[float, int]]) -> tuple[float, float]:
    """The mean over time and the greatest, of values and the seconds that each lasts; those that do
    not last are left out. 0 without any."""
    total = weight = most = 0.0
    for value, seconds in spans:
        if seconds > 0:
            total, weight, most = total + value * seconds, weight + seconds, max(most, value)
    return _ratio(total, weight), most


def typical_of(requests: Iterable[trestle.Request], shares: int) -> tuple[trestle.TypicalJob, ...]:
    """Each kind of request, as one node gives its part of it, and how often it is there. A GPU has
    so many shares."""
    kinds: Counter[tuple[int, int, int, tuple[str, ...]]] = Counter()
    for request in requests:
        nodes = max(1, request.nodes.min or 1)
        tasks = -(-(nodes if request.tasks is None else request.tasks) // nodes)
        cpus = tasks * (1000 * (request.cpus_per_task.min or 0) + request.milli_cpus)
        devices, thousandths = 0, 1000
        types: tuple[str, ...] = ()
        for one in request.devices:
            if one.name == GPU:
                times = times_of(one, nodes, tasks * nodes)
                devices, types = -(-(one.count.min or 1) * times // nodes), one.types
                thousandths = one.shares * 1000 // shares if one.shares else 1000
        kinds[cpus, devices, thousandths, types] += 1
    return tuple(trestle.TypicalJob(cpus, devices, thousandths, types, seen)
                 for (cpus, devices, thousandths, types), seen in sorted(kinds.items()))


def fragments_of(result: Result, typical: Sequence[trestle.TypicalJob]) -> list[tuple[int, float]]:
    """By moment, GPUs that a typical job could not use, of the nodes as they were given."""
    options = trestle.PolicyOptions(typical_jobs=typical)
    cluster = trestle.Cluster.create(result.cluster.parts())
    for had in result.cluster.allocations():
        cluster.adopt(had.owner + len(result.attempts), had.placement)
    moments = []
    for owner, one in enumerate(result.attempts):
        if one.seconds:
            moments += [(one.period.stop, 0, owner), (one.period.start, 1, owner)]
    first = [] if any(at == 0 for at, _, _ in moments) else [
        (0, trestle.expected_fragments(cluster, options) / 1e6)]
    rows = first
    moments.sort()
    for (at, is_start, owner), behind in zip(over(moments, "fragments", "change"), [*moments[1:], None]):
        if is_start:
            cluster.adopt(owner, result.attempts[owner].placement)
        else:
            cluster.release(owner)
        if behind is None or behind[0] != at:
            rows.append((at, trestle.expected_fragments(cluster, options) / 1e6))
    return rows
