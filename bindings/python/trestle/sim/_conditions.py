# SPDX-License-Identifier: Apache-2.0
"""What jobs wait for besides resources: the state that eligible_jobs() is asked with.

It gets the records that the jobs in question need. A job that waits only for others sleeps until one of
them changes, so a workflow costs what changes, not what waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import trestle

from .jobs import OWNERS_MAX, Job, Outcome

_PHASES = {Outcome.completed: trestle.JobPhase.completed,
           Outcome.cancelled: trestle.JobPhase.cancelled,
           Outcome.no_capacity: trestle.JobPhase.cancelled,
           Outcome.dependency: trestle.JobPhase.cancelled,
           Outcome.unstarted: trestle.JobPhase.cancelled}  # of others: failed
_AT_ENDS = (trestle.DependencyKind.afterany, trestle.DependencyKind.afterok)


@dataclass(frozen=True)
class Look:
    """Jobs that may start now."""

    eligible: Sequence[trestle.QueuedJob]
    never: Sequence[int]
    """ids"""
    until: int | None
    """the next moment at which a job may start because time has passed"""


class Conditions:
    """Conditions of jobs in the queue or running, and records of those that others wait for.

    A job that others wait for, and that has not arrived or sleeps, stands in the queue as one that
    is held. Of one that was put back a record of another owner says when it first started.
    """

    def __init__(self, jobs: Sequence[Job], queued: Mapping[int, trestle.QueuedJob],
                 arrays: Mapping[int, int]) -> None:
        """Errors: ValueError, those of eligible_jobs() for all jobs in the order of arrival."""
        self._arrays = [trestle.ArrayConditions(array, most) for array, most in arrays.items()]
        self._given = {job.id: job.conditions() for job in jobs if job.has_conditions}
        self._queued = queued
        arrivals = [job.id for job in sorted(jobs, key=lambda job: job.arrival)]
        trestle.eligible_jobs([queued[job] for job in arrivals],
                              trestle.QueueState(self._given.values(), (), self._arrays), 0)
        self._needs = {job.id: {other for one in job.dependencies for other in one.jobs}
                       for job in jobs if job.dependencies}
        self._dependants: dict[int, list[int]] = {}
        for job, needs in self._needs.items():
            for other in needs:
                self._dependants.setdefault(other, []).append(job)
        self._open = {job: len(needs & queued.keys()) for job, needs in self._needs.items()}
        """By job how many of its needs have not ended"""
        self._restless = _find_restless(jobs, self._open, self._dependants)
        self._patient = {job.id for job in jobs if not job.is_any_of and all(
            one.kind in _AT_ENDS for one in job.dependencies)}
        self._expected = {job: None for job in arrivals if job in self._dependants}
        self._concerned = {*self._given, *self._dependants, *self._restless}
        """jobs that matter here; all others pass by"""
        self._conditions: dict[int, trestle.StartConditions] = {}
        self._records: dict[int, trestle.JobRecord] = {}
        self._awake: set[int] = set()  # of those in the queue that have conditions
        self._asleep: set[int] = set()
        self._running: set[int] = set()  # of the restless
        self._told: tuple[trestle.QueueState, Sequence[trestle.QueuedJob]] | None = None

    @property
    def are_any(self) -> bool:
        """True when a job in the queue has conditions."""
        return bool(self._awake or self._asleep)

    @property
    def asleep(self) -> Set[int]:
        """Jobs in the queue that wait for others, as long as these do not change."""
        return self._asleep

    def arrive(self, job: int) -> None:
        """It comes into the queue for the first time."""
        if job not in self._concerned:
            return
        self._expected.pop(job, None)
        if job in self._given:
            self._conditions[job] = self._given[job]
            self._awake.add(job)
        self._changes(job)

    def start(self, job: int, now: int) -> None:
        """It leaves the queue for as long as it runs."""
        if job not in self._concerned:
            return
        self._awake.discard(job)
        if job in self._restless:
            self._running.add(job)
        if job in self._restless or job in self._dependants:
            self._records[job] = trestle.JobRecord(job, started=now)
        self._wake(other for other in self._dependants.get(job, ()) if other not in self._patient)
        self._changes(job)

    def put_back(self, job: int, period: range, rules: trestle.RequeueRules) -> None:
        """It has run for the period, and comes into the queue again."""
        self._concerned.add(job)
        self._running.discard(job)
        self._records.pop(job, None)
        if job in self._dependants:
            self._remember_start(job, period.start)
        record = trestle.JobRecord(job, trestle.JobPhase.failed, period.start, period.stop)
        conditions = self._conditions.get(job, trestle.StartConditions(job))
        self._conditions[job] = trestle.requeued(conditions, record, rules)
        self._awake.add(job)
        self._wake(other for other in self._dependants.get(job, ()) if other not in self._patient)
        self._changes(job)

    def end(self, job: int, outcome: Outcome, now: int) -> None:
        """It runs or waits no more."""
        if job not in self._concerned:
            return
        for some in (self._awake, self._asleep, self._running):
            some.discard(job)
        record = self._records.pop(job, None)
        if job in self._dependants:
            phase = _PHASES.get(outcome, trestle.JobPhase.failed)
            started = None if record is None else record.started
            self._records[job] = trestle.JobRecord(job, phase, started, now)
        for other in self._dependants.get(job, ()):
            self._open[other] -= 1
            if not self._open[other] or outcome is not Outcome.completed or (
                    other not in self._patient):
                self._wake([other])
        self._changes(job)
        self._conditions.pop(job, None)

    def look(self, ahead: Sequence[trestle.QueuedJob], queue: Sequence[trestle.QueuedJob],
             now: int) -> Look:
        """Jobs of the queue that may start behind those ahead of it, which start in any case.
        Requires: all that do not sleep are in one or the other.
        Complexity: linear in it and in what jobs with conditions need."""
        every = [*ahead, *queue]
        found = self._ask(every, now)
        waiting = [one for one in found.waiting if len(ahead) <= one.job < len(every)]
        start_anyway = {one.owner for one in ahead}
        look = Look([one for one in found.eligible if one.owner not in start_anyway],
                    [every[one.job].owner for one in found.never
                     if len(ahead) <= one.job < len(every)],
                    min((one.until for one in waiting if one.until is not None), default=None))
        tired = {every[one.job].owner for one in waiting if one.until is None} - self._restless
        if tired:
            self._awake -= tired
            self._asleep |= tired
            self._told = None
        return look

    def reasons(self, queue: Sequence[trestle.QueuedJob], now: int) -> Mapping[int, str]:
        """What the jobs wait for that may not start, by id. Requires: all are in the queue."""
        self._wake(list(self._asleep))
        return {queue[one.job].owner: one.why.reason for one in self._ask(queue, now).waiting
                if one.job < len(queue)}

    def _ask(self, queue: Sequence[trestle.QueuedJob], now: int) -> trestle.EligibleJobs:
        """Behind the queue stand the jobs that others in it need."""
        if self._told is None:
            self._told = self._tell()
        state, behind = self._told
        return trestle.eligible_jobs([*queue, *behind], state, now)

    def _tell(self) -> tuple[trestle.QueueState, Sequence[trestle.QueuedJob]]:
        """What jobs that are awake need, and those that they depend on."""
        conditions = {job: self._conditions[job] for job in self._awake}
        held: dict[int, trestle.StartConditions] = {}
        recorded: set[int] = set()
        if not self._restless.isdisjoint(self._awake):
            held = {job: self._given[job].replace(is_held=True) for job in self._expected
                    if job in self._restless}
            recorded |= self._running
            conditions.update((job, self._conditions[job]) for job in self._running)
        for job in (*conditions, *held):
            recorded |= self._needs.get(job, set())
        for job in recorded - held.keys():
            if job in self._asleep or job in self._expected:
                held[job] = trestle.StartConditions(job, is_held=True)
        state = trestle.QueueState([*conditions.values(), *held.values()],
                                   [self._records[job] for job in recorded if job in self._records],
                                   self._arrays)
        return state, [self._queued[job] for job in held]

    def _changes(self, job: int) -> None:
        if job in self._conditions or job in self._dependants:
            self._told = None

    def _wake(self, jobs: Iterable[int]) -> None:
        for job in jobs:
            if job in self._asleep:
                self._asleep.remove(job)
                self._awake.add(job)
                self._told = None

    def _remember_start(self, job: int, start: int) -> None:
        """A job that waits for its start need not wait again."""
        first = OWNERS_MAX + job
        if first in self._records:
            return
        self._records[first] = trestle.JobRecord(first, started=start)
        for owner in self._dependants[job]:
            self._needs[owner].add(first)
            for some in (self._given, self._conditions):
                if owner in some:
                    conditions = some[owner]
                    some[owner] = conditions.replace(dependencies=[
                        one.replace(jobs=[first if other == job else other for other in one.jobs])
                        if one.kind is trestle.DependencyKind.after else one
                        for one in conditions.dependencies])


def _find_restless(jobs: Sequence[Job], open_needs: Mapping[int, int],
                   dependants: Mapping[int, Sequence[int]]) -> set[int]:
    """Jobs that depend on more than the ends of the jobs they need. They have a name, are in an
    array or wait for one. Also those that may come to wait for themselves, or for such."""
    left = {job.id: open_needs.get(job.id, 0) + any(
        not one.jobs or one.array is not None for one in job.dependencies) for job in jobs}
    free = [job for job, count in left.items() if not count]
    for one in free:
        for job in dependants.get(one, ()):
            left[job] -= 1
            if not left[job]:
                free.append(job)
    return left.keys() - set(free) | {
        job.id for job in jobs if job.name or job.array is not None}
