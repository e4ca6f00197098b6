# SPDX-License-Identifier: Apache-2.0
"""Fragments: what of the GPUs left a job drawn from the typical ones cannot use.

The measure F of "Beware of Fragmentation". Of a node: all thousandths of GPUs that are left, when
it cannot host the job by CPUs, GPUs and their models. Memory plays no part. Else those on GPUs that
have too little left for it.
"""

from typing import Any, List, Optional, Sequence

import trestle

from .. import _optional
from .workload import Workload

__all__ = ["Fragments"]


class Fragments:
    """Keeps the state of nodes while jobs arrive, then has F of the cluster after each."""

    def __init__(self, workload: Workload, nodes: Sequence[int]) -> None:
        """`nodes`: for each node id of the placements, its position in the workload."""
        self._numpy: Any = _optional.load("numpy", "sim")
        self._typical = workload.typical_jobs
        self._shapes = [workload.nodes[at].shape for at in nodes]
        units = [workload.units[at] for at in nodes]
        self._place_of = [{device: i for i, device in enumerate(one.gpus)} for one in units]
        width = max(len(one.gpus) for one in units)
        self._types = sorted({name for one in units for name in one.gpus.values()})
        kind_of = {name: i for i, name in enumerate(self._types)}
        self._kinds = [[kind_of[name] for name in one.gpus.values()]
                       + [len(self._types)] * (width - len(one.gpus)) for one in units]
        # States, each of one node, in the order in which they came to be; idle nodes first.
        self._cpus = [1000 * one.cpus for one in units]
        self._left = [[1000] * len(one.gpus) + [0] * (width - len(one.gpus)) for one in units]
        self._node = list(range(len(units)))
        self._before = [-1] * len(units)
        self._state_of = list(range(len(units)))
        self._events: List[int] = []  # states there are after each arrival

    def arrive(self, placement: Optional[trestle.Placement] = None) -> None:
        """A job arrived, and was placed so or not at all."""
        for part in placement.nodes if placement else ():
            node = part.node
            before = self._state_of[node]
            left = self._left[before].copy()
            for share in part.devices:
                if share.device in self._place_of[node]:
                    left[self._place_of[node][share.device]] -= share.shares
            cpus = self._cpus[before] - part.milli_cpus
            if part.cores:
                cpus -= 1000 * len(trestle.threads_of(self._shapes[node], part))
            self._state_of[node] = len(self._cpus)
            self._cpus.append(cpus)
            self._left.append(left)
            self._node.append(node)
            self._before.append(before)
        self._events.append(len(self._cpus))

    def cluster(self) -> Any:
        """float64: F of the cluster after each arrival, in thousandths of GPUs."""
        numpy = self._numpy
        each = self._of_states()
        idle = len(self._shapes)
        before = numpy.asarray(self._before[idle:], dtype=numpy.int64)
        changes = numpy.concatenate([each[:idle].sum(keepdims=True), each[idle:] - each[before]])
        return numpy.cumsum(changes)[numpy.asarray(self._events, dtype=numpy.int64) - idle]

    def _of_states(self) -> Any:
        """float64: F of each state. Columns are states, so that NumPy adds whole rows."""
        numpy = self._numpy
        cpus = numpy.asarray(self._cpus, dtype=numpy.int64)
        left = numpy.ascontiguousarray(numpy.asarray(self._left, dtype=numpy.int32).T)
        kinds = numpy.ascontiguousarray(numpy.asarray(self._kinds, dtype=numpy.int64)[self._node].T)
        every = left.sum(axis=0)
        total = numpy.zeros(len(cpus))
        seen = sum(job.seen for job in self._typical)
        for job in self._typical:
            if job.devices == 0:
                total += job.seen / seen * every
                continue
            can_use = left >= job.thousandths
            if job.types:
                can_use &= numpy.array([name in job.types for name in self._types] + [False])[kinds]
            hosts = (can_use.sum(axis=0) >= job.devices) & (cpus >= job.cpus)
            unused = every - (left * can_use).sum(axis=0) * hosts
            total += job.seen / seen * unused
        return total
