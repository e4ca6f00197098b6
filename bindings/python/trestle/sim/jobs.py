# SPDX-License-Identifier: Apache-2.0
"""What is simulated: jobs, on what terms they start and come back, and how they may end."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import trestle

OWNERS_MAX = 2**62
"""Job ids are below it; owners from here on are the simulator's own windows of maintenance."""


class DependencyKind(enum.Enum):
    """What has to happen to other jobs first, named as in Slurm."""

    after = "after"
    """all have started, or ended without a start"""
    afterany = "afterany"
    """all have ended"""
    afterok = "afterok"
    """all have completed"""
    afternotok = "afternotok"
    """all have ended, and one of them has not completed"""
    singleton = "singleton"
    """no job of this name runs, and none stands before this one in the queue"""


@dataclass(frozen=True)
class Dependency:
    """One condition on one or more jobs together; jobs that nobody knows do not count."""

    kind: DependencyKind
    jobs: tuple[int, ...] = ()
    """ids; none for singleton, else one or more"""
    delay: int = 0
    """seconds, counted from the last of the starts (after) or ends"""


class RetryEvent(enum.Enum):
    """What a job may outlive, named as in dstack."""

    no_capacity = "no_capacity"
    """it cannot start at once: it waits"""
    interruption = "interruption"
    """a node or device failed, was taken back or maintained, or the job was preempted"""
    error = "error"
    """the job itself failed"""


@dataclass(frozen=True)
class Retry:
    """When a job is put back into the queue, and for how long. By default as in Slurm.

    A job that was put back stands behind those that wait, and starts from its beginning.
    """

    on: frozenset[RetryEvent] = frozenset({RetryEvent.no_capacity, RetryEvent.interruption})
    duration: int | None = None
    """seconds that it waits for a start, from its arrival or from its last end; None: for ever"""
    delay: int = 0
    """seconds from an end until it may start again"""


class Outcome(enum.Enum):
    """How a job, or one attempt at it, ended."""

    completed = "completed"
    """its run time has passed"""
    failed = "failed"
    """of itself, when its run time had passed"""
    timed_out = "timed_out"
    """killed at its limit"""
    interrupted = "interrupted"
    """a node or device that it had failed, was taken back or maintained"""
    preempted = "preempted"
    """a job that may end it took its place"""
    no_capacity = "no_capacity"
    """it did not start for as long as it waits"""
    dependency = "dependency"
    """what it waited for cannot happen any more"""
    unstarted = "unstarted"
    """it still waited when nothing was left to happen"""


@dataclass(frozen=True)
class Job:
    """A job that arrives, with what a real one would not know of itself."""

    id: int
    """0 to OWNERS_MAX - 1, each once; the owner of what it gets"""
    arrival: int
    """seconds, 0 or more"""
    request: trestle.Request
    """share one object between equal jobs: passes are quicker"""
    limit: int
    """seconds, 1 or more; what the schedule counts with, and where it is killed"""
    runtime: int | None = None
    """seconds that it really takes; None: what simulate(runtime=...) says"""
    priority: int = 0
    """higher first, where that is the discipline's order"""
    failures: int = 0
    """so many attempts fail of themselves, at the end of their run time"""
    retry: Retry = Retry()
    begin: int | None = None
    """seconds; not before"""
    dependencies: tuple[Dependency, ...] = ()
    """all have to be met"""
    array: int | None = None
    """the array that it is a task of; simulate(arrays=...) has the throttles"""
    name: str = ""
    """that singleton goes by"""

    @property
    def has_terms(self) -> bool:
        """True when something besides resources may keep it from starting."""
        return bool(self.dependencies) or self.array is not None or self.begin is not None or bool(
            self.name)

    def deadline(self, since: int, is_first: bool) -> int | None:
        """The last moment at which it may start when it waits since then; None: there is none."""
        if is_first and RetryEvent.no_capacity not in self.retry.on:
            return max(since, self.begin or 0)
        return None if self.retry.duration is None else since + self.retry.duration


def check_jobs(jobs: tuple[Job, ...], has_runtime: bool) -> None:
    """Errors: ValueError that names the job and what was expected."""
    seen: set[int] = set()
    for job in jobs:
        wrong = _wrong_with(job, has_runtime)
        if wrong is None and job.id in seen:
            wrong = "stands twice; expected each id once"
        if wrong is not None:
            raise ValueError(f"jobs: job {job.id}: {wrong}")
        seen.add(job.id)


def _wrong_with(job: Job, has_runtime: bool) -> str | None:
    if not 0 <= job.id < OWNERS_MAX:
        return "expected an id from 0 to 2**62 - 1"
    if job.arrival < 0:
        return f"arrival {job.arrival}; expected 0 or more seconds"
    if job.limit < 1:
        return f"limit {job.limit}; expected 1 or more seconds"
    if job.runtime is None and not has_runtime:
        return "no runtime; expected one, or simulate(runtime=...)"
    if job.runtime is not None and job.runtime < 0:
        return f"runtime {job.runtime}; expected 0 or more seconds"
    if job.retry.delay < 0 or (job.retry.duration or 0) < 0 or job.failures < 0:
        return "expected 0 or more in retry.delay, retry.duration and failures"
    for one in job.dependencies:
        is_singleton = one.kind is DependencyKind.singleton
        if is_singleton == bool(one.jobs) or (is_singleton and not job.name):
            return f"{one.kind.value}; expected jobs, for singleton none and a name"
        if one.delay < 0 or (is_singleton and one.delay):
            return f"{one.kind.value} with a delay of {one.delay}; expected 0 or more seconds," \
                   " for singleton 0"
    return None
