# SPDX-License-Identifier: Apache-2.0
"""Fragments: what of the GPUs left a job drawn from the typical ones cannot use.

The measure F of "Beware of Fragmentation". Of a node: all thousandths of GPUs that are left, when it
cannot host the job by CPUs, GPUs and their models (memory plays no part); else those on GPUs that
have too little left for it.
"""

from typing import Any, Dict, List, Optional, Sequence

import trestle

from .. import _optional


class Fragments:
    """Keeps the state of nodes while jobs arrive, then has F of the cluster after each."""

    def __init__(self, nodes: Sequence[trestle.Node],
                 typical_jobs: Sequence[trestle.TypicalJob]) -> None:
        self._numpy: Any = _optional.load("numpy", "sim")
        self._typical = typical_jobs
        self._gpus = [[at for at, device in enumerate(node.shape.devices) if device.name == "gpu"]
                      for node in nodes]
        self._width = max((len(gpus) for gpus in self._gpus), default=0)
        types: Dict[str, int] = {}
        kinds = [[types.setdefault(node.shape.devices[at].type, len(types)) for at in gpus]
                 for node, gpus in zip(nodes, self._gpus)]
        self._types = types
        self._kinds = [row + [len(types)] * (self._width - len(row)) for row in kinds]
        self._shapes = [node.shape for node in nodes]
        # States, each of one node, in the order in which they came to be; first those of idle nodes.
        self._cpus = [1000 * node.shape.cpu_count() for node in nodes]
        self._left = [[1000] * len(gpus) + [0] * (self._width - len(gpus)) for gpus in self._gpus]
        self._node = list(range(len(nodes)))
        self._before = [-1] * len(nodes)
        self._state_of = list(range(len(nodes)))
        self._events: List[int] = []  # states there are after each arrival

    def arrive(self, placement: Optional[trestle.Placement] = None) -> None:
        """A job arrived, and was placed so or not at all."""
        for part in placement.nodes if placement else ():
            node = part.node
            before = self._state_of[node]
            left = self._left[before].copy()
            for share in part.devices:
                if share.device in self._gpus[node]:
                    left[self._gpus[node].index(share.device)] -= share.shares
            cpus = self._cpus[before] - part.milli_cpus
            if part.cores:
                cpus -= 1000 * trestle.threads_of(self._shapes[node], part).count()
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
        idle = len(self._gpus)
        before = numpy.asarray(self._before[idle:], dtype=numpy.int64)
        totals = each[:idle].sum() + numpy.concatenate([[0], numpy.cumsum(each[idle:] - each[before])])
        return totals[numpy.asarray(self._events, dtype=numpy.int64) - idle]

    def _of_states(self) -> Any:
        """float64: F of each state."""
        numpy = self._numpy
        cpus = numpy.asarray(self._cpus, dtype=numpy.int64)
        left = numpy.asarray(self._left, dtype=numpy.int64).reshape(len(cpus), self._width)
        kinds = numpy.asarray(self._kinds, dtype=numpy.int64).reshape(-1, self._width)[self._node]
        every = left.sum(axis=1)
        total = numpy.zeros(len(cpus))
        seen = sum(job.seen for job in self._typical)
        for job in self._typical:
            if job.devices == 0:
                total += job.seen / seen * every
                continue
            allowed = numpy.array([not job.types or name in job.types for name in self._types]
                                  + [False])  # the last one: there is no such GPU
            can_use = (left >= job.thousandths) & allowed[kinds]
            hosts = (can_use.sum(axis=1) >= job.devices) & (cpus >= job.cpus)
            unused = every - numpy.where(hosts, (left * can_use).sum(axis=1), 0)
            total += job.seen / seen * unused
        return total
