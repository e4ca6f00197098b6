# SPDX-License-Identifier: Apache-2.0
"""One replay: jobs arrive in an order, each is placed or dropped, none leaves."""

import importlib
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Sequence, Union

import trestle

from ..traces.orders import Order
from .fragments import Fragments
from .workload import Workload

PolicyFunction = Callable[[trestle.PolicyColumns], Any]
AnyPolicy = Union[str, trestle.Policy, PolicyFunction]


@dataclass(frozen=True)
class Curve:
    """What a replay came to. Percentages are of all that the nodes have of what is measured, by how
    many per cent of it had been asked for, rounded; each the mean of the arrivals in that per cent."""

    policy: str
    order: str
    placed: int  # jobs
    dropped: int
    allocated_percent: Mapping[int, float]
    fragment_percent: Mapping[int, float]  # of GPUs; empty where CPUs are measured


def find_policy(text: str) -> Union[trestle.Policy, PolicyFunction]:
    """A policy by its name, or `module:function`, a function from PolicyColumns to scores.

    Errors: ValueError that lists the names; those of the import.
    """
    module, colon, function = text.partition(":")
    if colon:
        found: PolicyFunction = getattr(importlib.import_module(module), function)
        return found
    names = [policy.name for policy in trestle.Policy]
    if text not in names:
        raise ValueError(f'policy: "{text}", expected one of {", ".join(names)}, or module:function')
    return trestle.Policy[text]


def _placer(workload: Workload, policy: Union[trestle.Policy, PolicyFunction], order: Order
            ) -> trestle.Placer:
    """As the study measures: scores in a hundred steps, the trace's own jobs as typical ones."""
    known = (workload.demanding_jobs() if policy == trestle.Policy.future_fit
             else workload.typical_jobs())
    options = trestle.PolicyOptions(score_steps=100, typical_jobs=known, seed=order.seed)
    if isinstance(policy, trestle.Policy):
        return trestle.Placer(trestle.PlaceOptions(policy, options))
    return trestle.Placer(trestle.PlaceOptions(policy_options=options), policy=policy)


def replay(workload: Workload, order: Order, policy: AnyPolicy) -> Curve:
    """Lets the jobs arrive. The same arguments give the same curve.

    `policy` is a name, a Policy, or a function of the caller's. Measured as in the study "Beware of
    Fragmentation" (USENIX ATC 2023). Errors: ValueError for an order of other jobs or nodes.
    """
    if sorted(order.ranks) != list(range(len(workload.nodes))):
        raise ValueError(f"order {order.name}: ranks are no permutation of "
                         f"{len(workload.nodes)} nodes")
    if not all(0 <= at < len(workload.jobs) for at in order.arrivals):
        raise ValueError(f"order {order.name}: an arrival is none of {len(workload.jobs)} jobs")
    chosen = find_policy(policy) if isinstance(policy, str) else policy
    name = policy if isinstance(policy, str) else getattr(
        policy, "name", getattr(policy, "__name__", "policy"))
    by_rank = sorted(range(len(order.ranks)), key=order.ranks.__getitem__)
    cluster = trestle.Cluster.create(
        trestle.ClusterParts(nodes=[workload.nodes[at] for at in by_rank]))
    jobs = [trestle.JobOrder(owner, workload.jobs[at].request)
            for owner, at in enumerate(order.arrivals)]
    done = trestle.place_many(cluster, jobs, _placer(workload, chosen, order),
                              trestle.PlaceManyOptions(trestle.OnFailure.skip))
    placements = {one.owner: one.placement for one in cluster.allocations()}
    arrived = _percent_arrived(workload, order)
    return Curve(name, order.name, len(done.placed), len(jobs) - len(done.placed),
                 _cells(arrived, _allocated(workload, order, placements)),
                 _cells(arrived, _fragments(workload, by_rank, len(jobs), placements)))


def _percent_arrived(workload: Workload, order: Order) -> List[int]:
    """After each arrival, rounded."""
    total = 0
    percents = []
    for at in order.arrivals:
        total += workload.sizes[at]
        percents.append(round(total * 100 / workload.capacity))
    return percents


def _allocated(workload: Workload, order: Order, placements: Mapping[int, object]) -> List[float]:
    """Per cent after each arrival."""
    total = 0
    percents = []
    for owner, at in enumerate(order.arrivals):
        if owner in placements:
            total += workload.sizes[at]
        percents.append(total * 100 / workload.capacity)
    return percents


def _fragments(workload: Workload, nodes: Sequence[int], jobs: int,
               placements: Mapping[int, trestle.Placement]) -> List[float]:
    """Per cent after each arrival; nothing where CPUs are measured."""
    if workload.measured != "gpu":
        return []
    state = Fragments(workload, nodes)
    for owner in range(jobs):
        state.arrive(placements.get(owner))
    percents: List[float] = (state.cluster() * 100 / workload.capacity).tolist()
    return percents


def _cells(arrived: Sequence[int], percents: Sequence[float]) -> Dict[int, float]:
    """The means of percents, each rounded to hundredths, by how many per cent had arrived."""
    rows: Dict[int, List[float]] = {}
    for at, percent in zip(arrived, percents):
        rows.setdefault(at, []).append(round(percent, 2))
    return {at: round(sum(row) / len(row), 2) for at, row in rows.items()}
