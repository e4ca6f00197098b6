# SPDX-License-Identifier: Apache-2.0
"""Who may start now by dependencies, begin times and throttles, whatever there is to start on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .jobs import Dependency, DependencyKind, Job, Outcome


@dataclass
class Record:
    """A job that waits no more, or has not arrived: then all is None."""

    started: int | None = None
    ended: int | None = None
    outcome: Outcome | None = None


@dataclass
class Eligible:
    """The ids of a queue, each in one list or in none when it waits; all in the queue's order."""

    jobs: list[int] = field(default_factory=list)
    never: list[int] = field(default_factory=list)
    """with a dependency that cannot be met any more"""
    until: int | None = None
    """the next moment at which a job may start because time has passed"""


def eligible_jobs(queue: Iterable[Job], records: Mapping[int, Record], running: Iterable[Job],
                  arrays: Mapping[int, int], now: int) -> Eligible:
    """Who may start. `records` has all jobs that there are, whether they wait, run or have ended;
    `arrays` how many tasks of an array may run at once. Complexity: linear."""
    answer = Eligible()
    at_once = Counter(job.array for job in running if job.array is not None)
    names = {job.name for job in running if job.name}
    for job in queue:
        if not job.has_terms:
            answer.jobs.append(job.id)
            continue
        moments = [job.begin or 0]
        moments += [_moment(one, job, records, names) for one in job.dependencies]
        if job.name:
            names.add(job.name)
        moment = max(moments)
        if moment == _NEVER:
            answer.never.append(job.id)
        elif moment > now:
            if moment < _WAITS:
                answer.until = moment if answer.until is None else min(answer.until, moment)
        elif job.array is None or at_once[job.array] < arrays.get(job.array, _WAITS):
            answer.jobs.append(job.id)
            if job.array is not None:
                at_once[job.array] += 1
    return answer


_WAITS = 2**63
_NEVER = 2**63 + 1


def _moment(one: Dependency, job: Job, records: Mapping[int, Record], names: set[str]) -> int:
    """From when on the dependency is met; _WAITS, or _NEVER."""
    if one.kind is DependencyKind.singleton:
        return _WAITS if job.name in names else 0
    moments = [0]
    are_well = True
    for other in one.jobs:
        record = records.get(other)
        if record is None:
            continue
        moment = record.ended
        if one.kind is DependencyKind.after and record.started is not None:
            moment = record.started
        moments.append(_WAITS if moment is None else moment + one.delay)
        if record.ended is not None and record.outcome is not Outcome.completed:
            are_well = False
            if one.kind is DependencyKind.afterok:
                return _NEVER
    if one.kind is DependencyKind.afternotok and are_well and max(moments) < _WAITS:
        return _NEVER
    return max(moments)
