# SPDX-License-Identifier: Apache-2.0
"""Jobs of a log in the Standard Workload Format."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Union

import trestle

from .._progress import over
from .jobs import Job

if TYPE_CHECKING:
    from trestle.traces.swf import SwfJob, SwfLog

Field = Union[str, "Callable[[SwfJob], float]"]

FAILED, COMPLETED, CANCELLED = 0, 1, 5
_KIBIBYTES = ("memory", "requested_memory")


def jobs_of_swf(log: SwfLog, processors_per_node: int = 1, *, gpus: Field | None = None,
                cores: Field | None = None, memory: Field | None = None,
                nodes: Field | None = None, has_feedback: bool = False) -> tuple[Job, ...]:
    """The jobs of the log that say when they came, how large they were and how long they ran.

    Without a field each has whole nodes, as many as its processors need. With any of gpus, cores and
    memory it shares nodes, and has that. A field is the name of one of SwfJob, or a function of it:

    gpus: GPUs of the job, on its nodes together; 0 or -1: none.
    cores: CPUs of the job, on its nodes together; 0 or -1, and without this field: one a node.
    memory: bytes for each of its CPUs, or for each GPU where its cores are not known. The fields `memory` and
    `requested_memory` are KiB, as in the format.
    nodes: how many nodes; without it as many as the CPUs and GPUs take, one or more.

    Its limit is the time that it requested, where that is not known its run time, and at least 1 s.
    It may have run longer. Times are rounded up to seconds; ids are the log's numbers, users and
    groups too. Lines of parts of a job are left out: its own has their sum. A job of status 0 fails
    when its run time has passed, and one of status 5 is cancelled then. One that was cancelled
    before it ran is cancelled after its wait time, if it waits still.
    has_feedback: a job with a preceding job arrives its think time after that one's end.
    Errors: ValueError for less than 1 processor a node, for a number that stands twice, and for an
    unknown field. The same for a function's result that is no number, with the job.
    """
    if processors_per_node < 1:
        raise ValueError(f"processors_per_node {processors_per_node}; expected 1 or more")
    sizes = _Sizes(processors_per_node, gpus, cores, memory, nodes)
    jobs: dict[int, Job] = {}
    for one in over(log.jobs, "jobs of the log", "job"):
        job = _job_of(one, sizes)
        if job is None:
            continue
        if one.number in jobs:
            raise ValueError(f"log: job {one.number} stands twice")
        jobs[one.number] = _with_feedback(job, one) if has_feedback else job
    return tuple(jobs.values())


def _job_of(one: SwfJob, sizes: _Sizes) -> Job | None:
    never_ran = one.status == CANCELLED and one.run_time <= 0
    if one.is_part or one.submit_time < 0 or (one.run_time < 0 and not never_ran):
        return None
    request = sizes.request(one)
    if request is None:
        return None
    run_time = max(0.0, one.run_time)
    limit = one.requested_time if one.requested_time > 0 else run_time
    return Job(one.number, math.ceil(one.submit_time), request, max(1, math.ceil(limit)),
               math.ceil(run_time), failures=int(one.status == FAILED),
               user=_name(one.user), group=_name(one.group),
               is_cancelled=one.status == CANCELLED,
               cancelled_after=math.ceil(one.wait_time)
               if never_ran and one.wait_time >= 0 else None)


def _with_feedback(job: Job, one: SwfJob) -> Job:
    if one.preceding_job < 0:
        return job
    return dataclasses.replace(job, preceding=one.preceding_job,
                               think_time=max(0, math.ceil(one.think_time)))


def _name(number: int) -> str:
    return "" if number < 0 else str(number)


class _Sizes:
    """What jobs of a log ask; equal ones share a request."""

    def __init__(self, processors_per_node: int, gpus: Field | None, cores: Field | None,
                 memory: Field | None, nodes: Field | None) -> None:
        self._per_node = processors_per_node
        self._fields = {"gpus": gpus, "cores": cores, "memory": memory, "nodes": nodes}
        self._are_whole = gpus is None and cores is None and memory is None
        self._known: dict[tuple[int, ...], trestle.Request] = {}

    def request(self, one: SwfJob) -> trestle.Request | None:
        """None where the log does not say how large the job was."""
        nodes = self._count("nodes", one)
        if self._are_whole:
            if not nodes and one.size < 1:
                return None
            key: tuple[int, ...] = (nodes or -(-one.size // self._per_node),)
        else:
            key = (nodes, *(self._count(name, one) for name in ("gpus", "cores", "memory")))
            if not any(key[1:3]):
                return None
        if key not in self._known:
            self._known[key] = _whole_nodes(key[0]) if self._are_whole else _shared(*key)
        return self._known[key]

    def _count(self, name: str, one: SwfJob) -> int:
        """What the field says, rounded up; 0 where there is no such field, or it is not known."""
        field = self._fields[name]
        if field is None:
            return 0
        if isinstance(field, str):
            known = [each.name for each in dataclasses.fields(one) if each.name != "more"]
            if field not in known and field != "size":
                raise ValueError(f"{name}: {field!r}; expected one of {', '.join(known)}, size, or a"
                                 " function")
            value: float = getattr(one, field)
            return max(0, math.ceil(value * 1024 if field in _KIBIBYTES and value > 0 else value))
        told = field(one)
        if not isinstance(told, (int, float)) or not math.isfinite(told):
            raise ValueError(f"{name} of job {one.number}: {told!r}; expected a number")
        return max(0, math.ceil(told))


def _whole_nodes(nodes: int) -> trestle.Request:
    return trestle.Request(nodes=nodes, exclusivity=trestle.Exclusivity.whole_node)


def _shared(nodes: int, gpus: int, cores: int, memory: int) -> trestle.Request:
    request = trestle.Request(
        nodes=nodes if nodes else trestle.Range.at_least(1), tasks=cores or None, cpus_per_task=1,
        devices=[trestle.DeviceRequest(count=gpus, per=trestle.Per.job)] if gpus else ())
    if memory:
        request = request.replace(memory=memory,
                                  memory_per=trestle.Per.cpu if cores else trestle.Per.device)
    return request
