# SPDX-License-Identifier: Apache-2.0
"""How much a job asks, and how much an attempt has: in GPUs and CPUs, with parts of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import trestle

from .jobs import Job

GPU = "gpu"


@dataclass(frozen=True)
class Amount:
    """GPUs and CPUs; parts of them are fractions."""

    gpus: float = 0
    cpus: float = 0


def gpus_of(shape: trestle.NodeShape) -> int:
    """GPUs that a node of the shape gives: those that did not fail and are not drained."""
    counts = dict(trestle.capacity_of(shape).entries)
    return next((count for tres, count in counts.items() if str(tres) == f"gres/{GPU}"), 0)


def gpus_in(shape: trestle.NodeShape, part: trestle.NodePlacement) -> float:
    """GPUs of a part of a placement; a share counts as a part, an instance by its memory slices."""
    total = 0.0
    for share in part.devices:
        device = shape.devices[share.device]
        if device.name != GPU:
            continue
        if share.slice is not None and device.slicing is not None:
            total += share.slice.size / device.slicing.geometry.memory_slices
        else:
            total += share.shares / device.shares
    return total


def amount_of(cluster: trestle.Cluster, placement: trestle.Placement) -> Amount:
    """What a placement has."""
    gpus = cpus = 0.0
    for part in placement.nodes:
        shape = cluster.class_of(part.node).shape
        gpus += gpus_in(shape, part)
        cpus += len(trestle.threads_of(shape, part)) + part.milli_cpus / 1000
    return Amount(gpus, cpus)


def _low(range: trestle.Range[int], otherwise: int) -> int:
    """The least that a range accepts."""
    if range.min is not None:
        return range.min
    return otherwise if range.max is None else min(otherwise, range.max)


def asked_of(cluster: trestle.Cluster, request: trestle.Request) -> Amount:
    """The least that a request accepts. A whole node counts as the first node of the cluster, a
    share of a GPU by the shares of the first GPU."""
    nodes = max(1, _low(request.nodes, 1))
    tasks = nodes if request.tasks is None else request.tasks
    shapes = (cluster.class_of(node).shape for node in range(cluster.node_count()))
    shape = next(shapes, trestle.NodeShape())
    gpus = sum(_asked_gpus(one, nodes, tasks, cluster) for one in request.devices)
    cpus = tasks * (_low(request.cpus_per_task, 1) + request.milli_cpus / 1000)
    if request.exclusivity == trestle.Exclusivity.whole_node:
        gpus, cpus = max(gpus, nodes * gpus_of(shape)), max(cpus, nodes * shape.cpu_count())
    more = [asked_of(cluster, one) for one in request.components]
    return Amount(gpus + sum(one.gpus for one in more), cpus + sum(one.cpus for one in more))


def _asked_gpus(one: trestle.DeviceRequest, nodes: int, tasks: int,
                cluster: trestle.Cluster) -> float:
    if one.name != GPU:
        return 0
    times = times_of(one, nodes, tasks)
    count = times * _low(one.count, 1)
    if one.shares:
        whole = shares_of_gpu(cluster)
        return (count if one.shares_per == trestle.Per.device else times) * one.shares / whole
    return count


def times_of(one: trestle.DeviceRequest, nodes: int, tasks: int) -> int:
    """How often a job of so many nodes and tasks has the count of the request."""
    return {trestle.Per.job: 1, trestle.Per.task: tasks}.get(one.per, nodes)


def shares_of_gpu(cluster: trestle.Cluster) -> int:
    """Into how many shares the first GPU of the cluster can be cut; 1 without any."""
    for node in range(cluster.node_count()):
        for device in cluster.class_of(node).shape.devices:
            if device.name == GPU:
                return device.shares
    return 1


def size_class(count: float) -> str:
    """`0`, `<1`, `1`, `2`, `3-4`, `5-8`, ...: doubled from class to class."""
    if count < 1:
        return "0" if count == 0 else "<1"
    most = 1 << math.ceil(math.log2(math.ceil(count)))
    least = most // 2 + 1
    return str(most) if least >= most else f"{least}-{most}"


class Demands:
    """What each job of a result demands: what its first attempt had, else what it asks at least."""

    def __init__(self, cluster: trestle.Cluster,
                 first: Iterable[tuple[int, trestle.Placement]]) -> None:
        self._cluster = cluster
        self._had: dict[int, Amount] = {}
        self._asked: dict[trestle.Request, Amount] = {}
        for job, placement in first:
            if job not in self._had:
                self._had[job] = amount_of(cluster, placement)

    def of(self, job: Job) -> Amount:
        """Of one job."""
        had = self._had.get(job.id)
        if had is not None:
            return had
        if job.request not in self._asked:
            self._asked[job.request] = asked_of(self._cluster, job.request)
        return self._asked[job.request]
