# SPDX-License-Identifier: Apache-2.0
"""Jobs of any trace that trestle.traces reads."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Union

import trestle
from trestle.traces.gpu_jobs import GpuJob, JobTable
from trestle.traces.openb import Pod
from trestle.traces.swf import SwfLog

from .._progress import over
from ._from_swf import _shared, _whole_nodes, jobs_of_swf
from .jobs import Job

Trace = Union[SwfLog, JobTable, Iterable[GpuJob], Iterable[Pod]]

_FAILED = ("failed", "node_fail", "out_of_memory", "boot_fail", "error")
_CANCELLED = ("cancelled", "canceled", "killed", "revoked")


def jobs_of(trace: Trace, *, gpu_shares: int = 1, keeps_gpu_types: bool = False) -> tuple[Job, ...]:
    """The jobs of a trace, whichever loader of trestle.traces read it. That is a log in the Standard
    Workload Format, a table or a list of GpuJob, or pods of openb. See jobs_of_swf() for the rules of
    logs and more options.

    The id of a GpuJob or a pod is its place in the trace, from 0. Second 0 is the first arrival;
    a job without a time of submission arrives at its start. Times are rounded up to seconds. A job
    has its nodes, CPUs, GPUs and memory, its user and group. It has whole nodes where only their
    number is known, and one CPU a node where only its GPUs are. CPUs of each of several instances are
    rounded up. Its limit is the one of the trace,
    else its run time, and at least 1 s. A failed job fails when its run time has passed, and a
    cancelled one is cancelled then, or while it waits if it never ran. Jobs without a known arrival,
    run time or size are left out.

    gpu_shares: into how many shares a GPU of the cluster can be cut. Parts of a GPU become as many of
    them as they need; with 1 they are whole GPUs.
    keeps_gpu_types: a job runs on GPUs of the type that the trace names, a pod on one of its models.
    Errors: ValueError for less than 1 share, TypeError for another kind of trace or of row.
    """
    if gpu_shares < 1:
        raise ValueError(f"gpu_shares {gpu_shares}; expected 1 or more")
    if isinstance(trace, SwfLog):
        return jobs_of_swf(trace)
    rows = _rows_of(trace)
    requests = _Requests(gpu_shares, keeps_gpu_types)
    arrivals = [_arrival(one) for one in rows]
    first = min((at for at in arrivals if at is not None), default=0)
    jobs = []
    for id, (one, at) in enumerate(over(list(zip(rows, arrivals)), "jobs of the trace", "job")):
        if at is None:
            continue
        job = _job_of(id, one, at, math.ceil(at - first), requests)
        if job is not None:
            jobs.append(job)
    return tuple(jobs)


def _rows_of(trace: object) -> list[GpuJob | Pod]:
    rows = trace.jobs if isinstance(trace, JobTable) else trace
    if not isinstance(rows, Iterable):
        raise TypeError(f"trace: {type(trace).__name__}; expected a SwfLog, a JobTable, or a list of"
                        " GpuJob or Pod")
    found = list(rows)
    for position, one in enumerate(found):
        if not isinstance(one, (GpuJob, Pod)):
            raise TypeError(f"trace[{position}]: {type(one).__name__}; expected a GpuJob or a Pod")
    return found


def _arrival(one: GpuJob | Pod) -> float | None:
    if isinstance(one, Pod):
        return one.created
    return one.started if one.submitted is None else one.submitted


def _run_time(one: GpuJob | Pod) -> float | None:
    if isinstance(one, GpuJob):
        return one.run_time
    start = one.created if one.scheduled is None else one.scheduled
    return None if one.deleted is None or start is None else one.deleted - start


def _job_of(id: int, one: GpuJob | Pod, at: float, arrival: int, requests: _Requests) -> Job | None:
    run, state = _run_time(one), ""
    user = group = ""
    limit = ended = None
    if isinstance(one, GpuJob):
        state = (one.state.lower().replace(",", " ").split() or [""])[0]
        user, group, limit, ended = one.user, one.group, one.limit, one.ended
    is_cancelled = state in _CANCELLED
    never_ran = run is None and is_cancelled and ended is not None
    if never_ran:
        run = 0
    if run is None or run < 0:
        return None
    request = requests.of_pod(one) if isinstance(one, Pod) else requests.of_job(one)
    if request is None:
        return None
    return Job(id, arrival, request, max(1, math.ceil(limit if limit else run)), math.ceil(run),
               failures=int(state in _FAILED), user=user, group=group, is_cancelled=is_cancelled,
               cancelled_after=max(0, math.ceil(ended - at)) if never_ran and ended is not None
               else None)


class _Requests:
    """What jobs ask; equal ones share a request."""

    def __init__(self, gpu_shares: int, keeps_types: bool) -> None:
        self._shares, self._keeps_types = gpu_shares, keeps_types
        self._known: dict[trestle.Request, trestle.Request] = {}

    def _same(self, request: trestle.Request) -> trestle.Request:
        return self._known.setdefault(request, request)

    def of_pod(self, pod: Pod) -> trestle.Request:
        """One task: thousandths of CPUs, and GPUs or a part of one."""
        return self._same(self._tasks(
            1, Fraction(pod.milli_cpus, 1000), Fraction(pod.gpus * pod.thousandths, 1000), pod.gpus,
            trestle.mib(pod.mebibytes), pod.models))

    def of_job(self, one: GpuJob) -> trestle.Request | None:
        """None where the trace does not say how large the job was."""
        cpus, gpus, memory = one.cpus or 0, one.gpus or 0, one.memory or 0
        if not cpus and not gpus:
            return self._same(_whole_nodes(one.nodes)) if one.nodes else None
        parts = one.tasks or one.nodes or 0
        types = tuple(name for name in one.gpu_type.split(",") if name)
        is_even = bool(one.tasks) or (parts > 0 and cpus % parts == 0 and gpus % parts == 0)
        if not is_even and (parts != 1):
            request = _shared(parts, math.ceil(gpus), math.ceil(cpus), 0)
            if memory:
                size = memory // (math.ceil(cpus) or math.ceil(gpus))
                request = request.replace(memory=size, memory_per=trestle.Per.cpu if cpus
                                          else trestle.Per.device)
            return self._same(request)
        each = Fraction(gpus).limit_denominator(1_000_000) / parts
        cpus_each = Fraction(cpus).limit_denominator(1_000_000) / parts or Fraction(1)
        if not one.tasks or parts == 1:
            request = self._tasks(parts, cpus_each, each, math.ceil(each), memory // parts, types)
            return self._same(request.replace(nodes=parts))
        cpus_each = Fraction(math.ceil(cpus_each))
        request = self._tasks(parts, cpus_each, each, math.ceil(each),
                              memory // (parts * int(cpus_each)), types)
        if memory:  # a node may have several of them
            request = request.replace(memory_per=trestle.Per.cpu)
        return self._same(request.replace(nodes=trestle.Range.at_least(1)))

    def _tasks(self, tasks: int, cpus: Fraction, gpus: Fraction, count: int, memory: int,
               types: tuple[str, ...]) -> trestle.Request:
        """So many tasks, each with the CPUs, the GPUs, which are parts of `count`, and a node's memory."""
        whole = cpus.denominator == 1
        shares = math.ceil(gpus / count * self._shares) if count else 0
        device = trestle.DeviceRequest(
            count=count, per=trestle.Per.task, types=types if self._keeps_types else (),
            shares=shares if shares < self._shares else 0)
        request = trestle.Request(
            tasks=tasks, cpus_per_task=int(cpus) if whole else 0,
            milli_cpus=0 if whole else math.ceil(cpus * 1000), devices=[device] if count else ())
        return request.replace(memory=memory) if memory else request
