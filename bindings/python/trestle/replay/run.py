# SPDX-License-Identifier: Apache-2.0
"""One replay: jobs arrive in an order, each is placed or dropped, none leaves."""

import copy
import importlib
import itertools
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

import trestle

from .. import _optional
from .._progress import over
from .._short import short_repr
from ..traces.orders import Order
from .fragments import Fragments
from .workload import Workload

__all__ = ["AnyPolicy", "Arrivals", "Curve", "PolicyFunction", "find_policy", "replay"]

_PART = 1000  # jobs that are placed at a time, so that progress can be shown

PolicyFunction = Callable[[trestle.PolicyColumns], Any]
AnyPolicy = Union[str, trestle.Policy, PolicyFunction]


@dataclass(frozen=True, repr=False)
class Curve:
    """What a replay came to.

    Percentages are of all that the nodes have of what is measured, by how many per cent of it had
    been asked for, rounded. Each is the mean of the arrivals in that per cent.
    """

    policy: str
    order: str
    placed: int  # jobs
    dropped: int
    allocated_percent: Mapping[int, float]
    fragment_percent: Mapping[int, float]  # of GPUs; empty where CPUs are measured

    __repr__ = short_repr


def find_policy(text: str) -> AnyPolicy:
    """A policy by its name, a scoring expression, or `module:function`, a function from
    PolicyColumns to scores.

    Errors: ValueError that says what is wrong with an expression, and lists names and columns where
    the text is a word; those of the import.
    """
    module, colon, function = text.partition(":")
    if colon:
        found: Any = getattr(importlib.import_module(module), function, None)
        if not callable(found):
            raise ValueError(f'policy: "{text}", {module} has no such function')
        named: PolicyFunction = found
        return named
    return trestle.PlaceOptions(policy=text).policy


class Arrivals:
    """An order of a workload, ready for any number of policies."""

    def __init__(self, workload: Workload, order: Order) -> None:
        """Errors: ValueError for an order of other jobs or nodes; ImportError where fragments are
        counted and NumPy is not there."""
        if workload.measured == "gpu":
            _optional.load("numpy", "sim")
        if sorted(order.ranks) != list(range(len(workload.nodes))):
            raise ValueError(f"order {order.name}: ranks are no permutation of "
                             f"{len(workload.nodes)} nodes")
        if not all(0 <= at < len(workload.jobs) for at in order.arrivals):
            raise ValueError(f"order {order.name}: an arrival is none of {len(workload.jobs)} jobs")
        self.workload, self.order = workload, order
        # Node ids settle ties, so they are ranks; owners are positions in the order.
        self._by_rank = sorted(range(len(order.ranks)), key=order.ranks.__getitem__)
        self._idle = trestle.Cluster.create(
            trestle.ClusterParts(nodes=[workload.nodes[at] for at in self._by_rank]))
        self._jobs = [trestle.JobOrder(owner, workload.jobs[at].request)
                      for owner, at in enumerate(order.arrivals)]
        self._sizes = [workload.sizes[at] for at in order.arrivals]
        self._arrived = [round(total * 100 / workload.capacity)
                         for total in itertools.accumulate(self._sizes)]

    def replay(self, policy: AnyPolicy, *, name: Optional[str] = None,
               fragments: bool = True) -> Curve:
        """Lets the jobs arrive at the idle cluster; see replay(). `fragments` takes a fifth of the
        time; without it `fragment_percent` is empty."""
        chosen = find_policy(policy) if isinstance(policy, str) else policy
        if name is None:
            name = policy if isinstance(policy, str) else getattr(
                policy, "name", getattr(policy, "__name__", "policy"))
        cluster = copy.copy(self._idle)
        placer, skipping = self._placer(chosen), trestle.PlaceManyOptions(trestle.OnFailure.skip)
        parts = [self._jobs[at:at + _PART] for at in range(0, len(self._jobs), _PART)]
        placed = sum(len(trestle.place_many(cluster, part, placer, skipping).placed)
                     for part in over(parts, "replay", "thousand jobs"))
        placements = {one.owner: one.placement for one in cluster.allocations()}
        return Curve(name, self.order.name, placed, len(self._jobs) - placed,
                     self._cells(self._allocated(placements)),
                     self._cells(self._fragments(placements) if fragments else []))

    def _placer(self, policy: AnyPolicy) -> trestle.Placer:
        """As the study measures: scores in a hundred steps, jobs of the trace as typical ones."""
        known = (self.workload.demanding_jobs if policy == trestle.Policy.future_fit
                 else self.workload.typical_jobs)
        options = trestle.PolicyOptions(score_steps=100, typical_jobs=known, seed=self.order.seed)
        return trestle.Placer(trestle.PlaceOptions(policy_options=options), policy=policy)

    def _allocated(self, placements: Mapping[int, object]) -> List[float]:
        """Per cent after each arrival."""
        given = itertools.accumulate(
            size if owner in placements else 0 for owner, size in enumerate(self._sizes))
        return [total * 100 / self.workload.capacity for total in given]

    def _fragments(self, placements: Mapping[int, trestle.Placement]) -> List[float]:
        """Per cent after each arrival; nothing where CPUs are measured."""
        if self.workload.measured != "gpu":
            return []
        state = Fragments(self.workload, self._by_rank)
        for owner in range(len(self._jobs)):
            state.arrive(placements.get(owner))
        percents: List[float] = (state.cluster() * 100 / self.workload.capacity).tolist()
        return percents

    def _cells(self, percents: Sequence[float]) -> Dict[int, float]:
        """The means of percents, each rounded to hundredths, by how many per cent had arrived."""
        rows: Dict[int, List[float]] = {}
        for at, percent in zip(self._arrived, percents):
            rows.setdefault(at, []).append(round(percent, 2))
        return {at: round(sum(row) / len(row), 2) for at, row in rows.items()}


def replay(workload: Workload, order: Order, policy: AnyPolicy, *,
           name: Optional[str] = None) -> Curve:
    """Lets the jobs arrive. The same arguments give the same curve.

    `policy` is a name, a Policy, a scoring expression as text, or a function of the caller's. `name`
    is what the curve calls it, by default as it calls itself, which lambdas all do alike. Measured as in the study "Beware of
    Fragmentation" (USENIX ATC 2023). For several policies Arrivals is faster.
    Errors: ValueError for an order of other jobs or nodes, and for an unknown policy.
    """
    return Arrivals(workload, order).replay(policy, name=name)
