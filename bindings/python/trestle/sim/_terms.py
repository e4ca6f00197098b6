# SPDX-License-Identifier: Apache-2.0
"""What jobs wait for besides resources: the state that eligible_jobs() is asked with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import trestle

from .jobs import OWNERS_MAX, Job, Outcome

_PHASES = {Outcome.completed: trestle.JobPhase.completed,
           Outcome.no_capacity: trestle.JobPhase.cancelled,
           Outcome.dependency: trestle.JobPhase.cancelled,
           Outcome.unstarted: trestle.JobPhase.cancelled}  # of others: failed


@dataclass(frozen=True)
class Look:
    """Who may start now."""

    eligible: Sequence[trestle.QueuedJob]
    never: Sequence[int]
    """ids"""
    until: int | None
    """the next moment at which a job may start because time has passed"""
    why: Mapping[int, str]
    """what the others wait for, by id"""


class Terms:
    """Terms of jobs in the queue or running, and records of those that somebody waits for.

    A job that others wait for and that has not arrived stands in the queue as one that is held. Of
    one that was put back a record of another owner says when it first started.
    """

    def __init__(self, jobs: Sequence[Job], queued: Mapping[int, trestle.QueuedJob],
                 arrays: Mapping[int, int]) -> None:
        """Errors: ValueError, those of eligible_jobs() for all jobs in the order of arrival."""
        self._arrays = [trestle.ArrayTerms(array, most) for array, most in arrays.items()]
        self._given = {job.id: job.terms() for job in jobs if job.has_terms}
        self._awaited = {other for terms in self._given.values()
                         for one in terms.dependencies for other in one.jobs}
        self._records: dict[int, trestle.JobRecord] = {}
        self._terms = self._given
        arrivals = sorted(jobs, key=lambda job: job.arrival)
        trestle.eligible_jobs([queued[job.id] for job in arrivals], self._state(), 0)
        self._expected = {job.id: queued[job.id] for job in arrivals if job.id in self._awaited}
        self._terms = {job: self._given.get(job, trestle.JobTerms(job)).replace(is_held=True)
                       for job in self._expected}
        self._waiting: set[int] = set()

    @property
    def are_any(self) -> bool:
        """True when somebody in the queue has terms."""
        return bool(self._waiting)

    def arrive(self, job: int) -> None:
        """It comes into the queue for the first time."""
        if self._expected.pop(job, None) is not None:
            del self._terms[job]
        if job in self._given:
            self._terms[job] = self._given[job]
            self._waiting.add(job)

    def start(self, job: int, now: int) -> None:
        """It leaves the queue for as long as it runs."""
        self._waiting.discard(job)
        if job in self._terms or job in self._awaited:
            self._records[job] = trestle.JobRecord(job, started=now)

    def put_back(self, job: int, period: range, rules: trestle.RequeueRules) -> None:
        """It has run for the period, and comes into the queue again."""
        self._records.pop(job, None)
        if job in self._awaited:
            self._remember_start(job, period.start)
        record = trestle.JobRecord(job, trestle.JobPhase.failed, period.start, period.stop)
        terms = self._terms.get(job, trestle.JobTerms(job))
        self._terms[job] = trestle.requeued(terms, record, rules)
        self._waiting.add(job)

    def end(self, job: int, outcome: Outcome, now: int) -> None:
        """It runs or waits no more."""
        self._waiting.discard(job)
        self._terms.pop(job, None)
        record = self._records.pop(job, None)
        if job in self._awaited:
            phase = _PHASES.get(outcome, trestle.JobPhase.failed)
            started = None if record is None else record.started
            self._records[job] = trestle.JobRecord(job, phase, started, now)

    def look(self, ahead: Sequence[trestle.QueuedJob], queue: Sequence[trestle.QueuedJob],
             now: int) -> Look:
        """Who of the queue may start behind those ahead of it, who will start in any case.
        Complexity: linear in it and in what has terms or records."""
        every = [*ahead, *queue, *self._expected.values()]
        found = trestle.eligible_jobs(every, self._state(), now)
        first, last = len(ahead), len(ahead) + len(queue)
        waiting = [one for one in found.waiting if first <= one.job < last]
        start_anyway = {one.owner for one in ahead}
        return Look([one for one in found.eligible if one.owner not in start_anyway],
                    [every[one.job].owner for one in found.never if first <= one.job < last],
                    min((one.until for one in waiting if one.until is not None), default=None),
                    {every[one.job].owner: one.why.reason for one in waiting})

    def _remember_start(self, job: int, start: int) -> None:
        """Who waits for its start need not wait again."""
        first = OWNERS_MAX + job
        if first in self._records:
            return
        self._records[first] = trestle.JobRecord(first, started=start)
        for some in (self._given, self._terms):
            for owner, terms in some.items():
                some[owner] = terms.replace(dependencies=[
                    one.replace(jobs=[first if other == job else other for other in one.jobs])
                    if one.kind is trestle.DependencyKind.after else one
                    for one in terms.dependencies])

    def _state(self) -> trestle.QueueState:
        return trestle.QueueState(self._terms.values(), self._records.values(), self._arrays)
