# SPDX-License-Identifier: Apache-2.0
"""PWR with FGD on the openb trace: watts of the cluster against plain FGD, at equal arrivals.

A score is a function of one node, so the watts that a job adds are scaled. The scale is the most
and the least that it could add on any node. The authors' plug-in scales by the nodes that fit at
the time. The node is chosen by this score, the GPU of a shared one by the policy fgd, as in their
simulator.
"""

from __future__ import annotations

import copy
import itertools
import math
from dataclasses import dataclass
from typing import Any, Dict, List, Sequence, Tuple

import trestle

from .. import _optional, replay
from .._progress import over
from ..replay.workload import GPU_SHARES, Workload
from ..traces.orders import Order
from .paper import Found, Options, Paper

__all__ = ["PAPER", "PowerAware", "measure"]

_SEEDS = range(42, 52)

# The model of the authors' plug-in. A GPU takes its full watts as soon as any part of it is taken.
# A CPU package does as soon as one of its cores is taken.
_GPU_WATTS = {"T4": (10, 70), "A10": (30, 150), "P100": (25, 250), "V100M16": (30, 300),
              "V100M32": (30, 300), "G2": (25, 250), "G3": (25, 250)}
_CPU = {"T4": (20, 165, 24), "P100": (15, 120, 16), "V100M16": (20, 185, 16),
        "V100M32": (20, 185, 16), "A10": (20, 270, 32), "G2": (20, 270, 32), "G3": (20, 270, 32)}
"""By the model of GPU beside it: idle and full watts of a package, and its cores."""


class _Kinds:
    """Watts of nodes, by the model of their GPUs and their CPUs."""

    def __init__(self, shapes: Sequence[trestle.NodeShape]) -> None:
        self.position = {shape: at for at, shape in enumerate(dict.fromkeys(shapes))}
        self.models = [next(one.type for one in shape.devices if one.name == "gpu")
                       for shape in self.position]
        self._gpus = [len(shape.devices) for shape in self.position]
        self._cpus = [shape.cpu_count() for shape in self.position]

    def watts(self, kind: int, milli_cpus: int, busy: int) -> int:
        """Of a node of this kind, by thousandths of CPUs left and GPUs in use."""
        idle, full, cores = _CPU[self.models[kind]]
        gpu_idle, gpu_full = _GPU_WATTS[self.models[kind]]
        there = -(-self._cpus[kind] // 2)  # cores of two threads
        working = -(-(there - milli_cpus // 2000) // cores)
        return (full * working + idle * (-(-there // cores) - working) + gpu_full * busy
                + gpu_idle * (self._gpus[kind] - busy))

    def watts_of(self, kind: int, free: trestle.FreeState) -> int:
        """Of one node of the trace, whose jobs hold no CPUs as cores."""
        busy = sum(one < GPU_SHARES for one in free.shares)
        return self.watts(kind, self._cpus[kind] * 1000 - free.held_milli_cpus, busy)

    def least_and_most(self, gpus: int, is_part: bool) -> Tuple[int, int]:
        """What a job can add to a node: the watts of its GPUs, and one more package at most."""
        more = [gpus * (_GPU_WATTS[model][1] - _GPU_WATTS[model][0])
                for model, there in zip(self.models, self._gpus) if there >= gpus]
        package = max(_CPU[model][1] - _CPU[model][0] for model in self.models)
        return 0 if is_part else min(more), max(more) + package


_State = Tuple[int, int, Tuple[int, ...]]
"""Kind of node, thousandths of CPUs left, thousandths left of each GPU, rising."""


class _Fragments:
    """F of a node, as trestle.replay.fragments has it, remembered by state."""

    def __init__(self, jobs: Sequence[trestle.TypicalJob], models: Sequence[str]) -> None:
        self._numpy: Any = _optional.load("numpy", "sim")
        numpy = self._numpy
        self._seen = numpy.array([one.seen for one in jobs]) / sum(one.seen for one in jobs)
        self._cpus = numpy.array([one.cpus for one in jobs])
        self._devices = numpy.array([one.devices for one in jobs])
        self._parts = numpy.array([one.thousandths for one in jobs])
        self._allowed = numpy.array([[not one.types or model in one.types for one in jobs]
                                     for model in models])
        self._known: Dict[_State, float] = {}

    def of(self, states: Sequence[_State]) -> List[float]:
        """Of each state."""
        new = [one for one in dict.fromkeys(states) if one not in self._known]
        if new:
            self._known.update(zip(new, self._work_out(new)))
        return [self._known[one] for one in states]

    def _work_out(self, states: Sequence[_State]) -> List[float]:
        numpy = self._numpy
        most = max(len(left) for _, _, left in states)
        left = numpy.array([one + (0,) * (most - len(one)) for _, _, one in states])
        allowed = self._allowed[[kind for kind, _, _ in states]]
        cpus = numpy.array([one for _, one, _ in states])
        can_use = (left[:, None, :] >= self._parts[None, :, None]) & allowed[:, :, None]
        hosts = ((can_use.sum(2) >= self._devices) & (cpus[:, None] >= self._cpus)
                 & (self._devices > 0))
        used = numpy.where(hosts, (left[:, None, :] * can_use).sum(2), 0)
        lost: List[float] = ((left.sum(1)[:, None] - used) * self._seen).sum(1).tolist()
        return lost


class PowerAware:
    """A policy: alpha times PWR and the rest FGD, each cut to whole hundredths."""

    def __init__(self, workload: Workload, alpha: float) -> None:
        self._numpy: Any = _optional.load("numpy", "sim")
        self._alpha = alpha
        self._kinds = _Kinds([node.shape for node in workload.nodes])
        self._fragments = _Fragments(workload.typical_jobs, self._kinds.models)

    def __call__(self, columns: trestle.PolicyColumns) -> Any:
        of_class = [self._kinds.position[one.shape] for one in columns.classes]
        rows = zip(columns.node_class.tolist(), columns.milli_cpus_before.tolist(),
                   columns.milli_cpus_after.tolist(), columns.each_device_before.tolist(),
                   columns.each_device_after.tolist())
        return self._numpy.array([
            self._score(of_class[kind], before, after, [one for one in left if one >= 0],
                        [one for one in then if one >= 0])
            for kind, before, after, left, then in rows])

    def _score(self, kind: int, milli_cpus: int, milli_cpus_after: int, left: List[int],
               left_after: List[int]) -> float:
        asked = sum(left) - sum(left_after)
        is_part = 0 < asked < GPU_SHARES
        # For a part of a GPU, FGD and PWR each look at the GPU that is best for them.
        ways = [left_after] if not is_part else [
            [*left[:at], left[at] - asked, *left[at + 1:]]
            for at in range(len(left)) if left[at] >= asked]
        states = [(kind, milli_cpus_after, tuple(sorted(way))) for way in ways]
        now, *then = self._fragments.of([(kind, milli_cpus, tuple(sorted(left))), *states])
        busy = sum(one < GPU_SHARES for one in left)
        busy_after = min(sum(one < GPU_SHARES for one in way) for way in ways)
        added = (self._kinds.watts(kind, milli_cpus_after, busy_after)
                 - self._kinds.watts(kind, milli_cpus, busy))
        least, most = self._kinds.least_and_most(-(-asked // GPU_SHARES), is_part)
        power = int(100 * min(1.0, max(0.0, (most - added) / (most - least))))
        fgd = int(100 / (1 + math.exp((min(then) - now) / 1000)))
        return self._alpha * power + (1 - self._alpha) * fgd


@dataclass(frozen=True)
class _Way:
    """A weight of PWR while less than `until` per cent are allocated, then a policy of Trestle's,
    which also chooses the GPU inside a node."""

    alpha: float
    until: int = 101
    then: trestle.Policy = trestle.Policy.fgd

    @property
    def name(self) -> str:
        mixed = f"{self.alpha:g} PWR + {1 - self.alpha:g} FGD"
        return mixed if self.until > 100 else (
            f"{mixed} until {self.until} % are allocated, then {self.then.name}")


_PLAIN = _Way(0, 0)
"""FGD alone."""
_WAYS: Sequence[_Way] = (_Way(0.05), _Way(0.1), _Way(0.05, 40, trestle.Policy.future_fit))


class _Replay:
    """An order of arrival, and the watts of the cluster after each per cent of it."""

    def __init__(self, workload: Workload, order: Order) -> None:
        self._workload = workload
        by_rank = sorted(range(len(order.ranks)), key=order.ranks.__getitem__)
        nodes = [workload.nodes[at] for at in by_rank]
        self._idle = trestle.Cluster.create(trestle.ClusterParts(nodes=nodes))
        self._kinds = _Kinds([node.shape for node in nodes])
        self._kind = [self._kinds.position[node.shape] for node in nodes]
        known: Dict[trestle.Request, trestle.PreparedRequest] = {}
        self._jobs = []
        for at in order.arrivals:
            job = workload.jobs[at]
            if job.request not in known:
                known[job.request] = trestle.PreparedRequest(job.request)
            self._jobs.append((known[job.request], job.all_thousandths, job.thousandths))

    def run(self, way: _Way, percent: int) -> Tuple[Dict[int, int], float]:
        """Watts by how many per cent have arrived, up to `percent`, and what is allocated then."""
        early, late = self._placers(way)
        cluster = copy.copy(self._idle)
        watts = sum(self._node(cluster, node) for node in range(cluster.node_count()))
        found: Dict[int, int] = {}
        arrived = allocated = 0
        for owner, (request, thousandths, part) in enumerate(self._jobs):
            is_early = allocated * 100 < way.until * self._workload.capacity
            placement = (early if is_early else late).place(cluster, request)
            if placement and is_early and 0 < part < GPU_SHARES:
                placement = late.place(
                    cluster, request, trestle.NodeSet([placement.nodes[0].node]))
            if isinstance(placement, trestle.Placement):
                node = placement.nodes[0].node
                watts -= self._node(cluster, node)
                cluster.adopt(owner, placement)
                watts += self._node(cluster, node)
                allocated += thousandths
            arrived += thousandths
            at = round(arrived * 100 / self._workload.capacity)
            if at > percent:
                break
            found[at] = watts
        return found, allocated * 100 / self._workload.capacity

    def _placers(self, way: _Way) -> Tuple[trestle.Placer, trestle.Placer]:
        known = (self._workload.demanding_jobs if way.then == trestle.Policy.future_fit
                 else self._workload.typical_jobs)
        options = trestle.PolicyOptions(score_steps=100, typical_jobs=known)
        return (trestle.Placer(policy=PowerAware(self._workload, way.alpha)),
                trestle.Placer(trestle.PlaceOptions(way.then, options)))

    def _node(self, cluster: trestle.Cluster, node: int) -> int:
        return self._kinds.watts_of(self._kind[node], cluster.free(node))


def measure(options: Options) -> List[Found]:
    """For each way: watts saved against FGD, and what is allocated."""
    folder = options.openb()
    workload = replay.load([folder / "openb_node_list_gpu_node.csv"],
                           folder / "openb_pod_list_default.csv")
    seeds, ways, percent = _SEEDS, _WAYS, 100
    if options.is_quick:
        seeds, ways, percent = _SEEDS[:1], _WAYS[:1], 5
    replays = [_Replay(workload, workload.order(str(seed))) for seed in seeds]
    runs = [(way, one) for way in (_PLAIN, *ways) for one in replays]
    done = [one.run(way, percent) for way, one in over(runs, "pwr", "replay")]
    plain, *others = (done[at:at + len(replays)] for at in range(0, len(done), len(replays)))
    return [row for way, ours in zip(ways, others) for row in _rows(way, percent, plain, ours)]


def _rows(way: _Way, percent: int, plain: Sequence[Tuple[Dict[int, int], float]],
          ours: Sequence[Tuple[Dict[int, int], float]]) -> List[Found]:
    count = len(plain)
    saved = {at: sum(100 - 100 * mine[0][at] / theirs[0][at]
                     for mine, theirs in zip(ours, plain)) / count
             for at in range(1, percent + 1)
             if all(at in one[0] for one in itertools.chain(plain, ours))}
    best = max(saved, key=saved.__getitem__)
    allocated = [sum(one[1] for one in runs) / count for runs in (ours, plain)]
    return [
        Found(f"power saved, {way.name}", "up to 20 %",
              f"up to {saved[best]:.1f} % (at {best} % arrived), mean of all arrivals"
              f" {sum(saved.values()) / len(saved):.1f} %"),
        Found(f"allocated GPUs, {way.name}; FGD", "comparable",
              f"{allocated[0]:.2f} %; {allocated[1]:.2f} %")]


PAPER = Paper(
    "pwr", "Lettich et al., Power- and Fragmentation-aware Online Scheduling for GPU Datacenters, "
    "CCGrid 2025, arXiv:2412.17484",
    "openb trace, orders of arrival are our own draws; watts as in the authors' plug-in",
    "42 to 51", measure, "openb trace, the first 5 % of one order")
