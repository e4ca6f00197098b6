# SPDX-License-Identifier: Apache-2.0
"""What is simulated: jobs, the conditions of their starts and retries, and their possible ends."""

from __future__ import annotations

import enum
import operator
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import trestle
from trestle._short import short_repr

__all__ = [
    "Job", "OWNERS_MAX", "Outcome", "Retry", "RetryEvent", "check_arrays", "check_jobs",
    "is_integer",
]

OWNERS_MAX = 2**62
"""Job ids are below it; owners from here on are the simulator's own."""

# What the library takes: a moment or count in 63 bits, the number of an array in 64.
_ANY = (0, trestle.END_OF_TIME)
_BOUNDS = {"arrival": _ANY, "limit": (1, trestle.END_OF_TIME), "runtime": _ANY, "begin": _ANY,
           "priority": (-2**63, 2**63 - 1), "failures": _ANY, "preemption_cost": _ANY,
           "grace": _ANY, "array": (0, 2**64 - 1), "cancelled_after": _ANY, "think_time": _ANY,
           "preceding": (0, OWNERS_MAX - 1)}
_RETRY_BOUNDS = {"delay": _ANY, "duration": _ANY, "requeues_max": _ANY}


class RetryEvent(enum.Enum):
    """What a job may outlive, named as in dstack."""

    no_capacity = "no_capacity"
    """it cannot start at once: it waits"""
    interruption = "interruption"
    """a node or device failed, was taken back or maintained, or the job was preempted"""
    error = "error"
    """the job itself failed"""


@dataclass(frozen=True, repr=False)
class Retry:
    """When a job is put back into the queue, and for how long. By default as in Slurm.

    A job that was put back stands behind those that wait, and starts from its beginning.
    """

    on: frozenset[RetryEvent] = frozenset({RetryEvent.no_capacity, RetryEvent.interruption})
    duration: int | None = None
    """seconds that it waits for a start from the moment at which it may start. Waits for
    dependencies, a begin time or a delay do not count. None: for ever"""
    delay: int = 0
    """seconds from an end until it may start again"""
    requeues_max: int | None = None
    """a job that comes back more often is held; None: none"""

    __repr__ = short_repr


class Outcome(enum.Enum):
    """How a job, or one attempt at it, ended."""

    completed = "completed"
    """its run time has passed"""
    failed = "failed"
    """of itself, when its run time had passed"""
    cancelled = "cancelled"
    """by its user, when its run time had passed or before it started"""
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


@dataclass(frozen=True, repr=False)
class Job:
    """A job that arrives, with its real run time and outcome."""

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
    """so many attempts fail of themselves, at the end of their run time; what others end before
    does not count"""
    retry: Retry = Retry()
    begin: int | None = None
    """seconds; not before"""
    is_held: bool = False
    """it arrives, and never starts"""
    dependencies: tuple[trestle.Dependency, ...] = ()
    """on ids; an unknown one does not count, and only `completed` is a good end"""
    is_any_of: bool = False
    """one of the dependencies is enough; else all have to be met"""
    array: int | None = None
    """the array that it is a task of; simulate(arrays=...) has the throttles"""
    name: str = ""
    """the name by which `singleton` finds jobs"""
    preemption_cost: int = 1
    """of its end where a job takes its place; 0 or more, those of several add up"""
    grace: int = 0
    """seconds that it still has after the announcement that a job takes its place"""
    user: str = ""
    """for summaries; empty: unknown"""
    group: str = ""
    """for summaries, as `user`"""
    is_cancelled: bool = False
    """its user cancels it when its run time has passed; else it would have completed then"""
    cancelled_after: int | None = None
    """seconds from its arrival after which its user cancels it if it has no place yet"""
    preceding: int | None = None
    """id of the job whose end lets it arrive, `think_time` later, whatever `arrival` says; `arrival`
    counts where that job is not simulated"""
    think_time: int = 0
    """seconds"""

    __repr__ = short_repr

    @property
    def has_conditions(self) -> bool:
        """True when something besides resources may keep it from starting."""
        return bool(self.dependencies or self.name or self.is_held) or (
            self.array is not None or self.begin is not None)

    def conditions(self) -> trestle.StartConditions:
        """What it waits for besides resources."""
        return trestle.StartConditions(self.id, self.dependencies, self.is_any_of, self.begin,
                                self.is_held, self.array, self.name)

    def deadline(self, since: int, is_first: bool) -> int | None:
        """The last moment at which it starts when it may since then; None: there is none."""
        if is_first and RetryEvent.no_capacity not in self.retry.on:
            return since
        return None if self.retry.duration is None else since + self.retry.duration


def check_jobs(jobs: tuple[Job, ...], has_runtime: bool, owners: Collection[int]) -> None:
    """`owners` have something of the cluster. Errors: ValueError that names the job and what was
    expected."""
    if not _are_plain(jobs, has_runtime, owners):
        _check_each(jobs, has_runtime, owners)
    _check_preceding({job.id: job.preceding for job in jobs})


def _check_each(jobs: tuple[Job, ...], has_runtime: bool, owners: Collection[int]) -> None:
    seen: set[int] = set()
    for position, job in enumerate(jobs):
        if not isinstance(job, Job):
            raise ValueError(f"jobs[{position}]: {job!r}; expected a Job")
        wrong = _wrong_type(job) or _wrong_with(job, has_runtime)
        if wrong is None and job.id in seen:
            wrong = "stands twice; expected each id once"
        if wrong is None and job.id in owners:
            wrong = "an owner of this id has something of the cluster; expected another id"
        if wrong is not None:
            raise ValueError(f"jobs: job {job.id}: {wrong}")
        seen.add(job.id)


def _are_plain(jobs: tuple[Job, ...], has_runtime: bool, owners: Collection[int]) -> bool:
    """True when a look at each job finds nothing wrong, as columns show: that is quicker."""
    if set(map(type, jobs)) - {Job}:
        return False
    for name, (least, most) in {"id": (0, OWNERS_MAX - 1), **_BOUNDS}.items():
        values = [*map(operator.attrgetter(name), jobs)]
        kinds = set(map(type, values))
        is_absent = name in _MAYBE_INTEGERS and (has_runtime or name != "runtime")
        if kinds - ({int, type(None)} if is_absent else {int}):
            return False
        distinct = set(values) - {None}
        if distinct and not (least <= min(distinct) and max(distinct) <= most):
            return False
        if name == "id" and (len(distinct) < len(jobs) or not distinct.isdisjoint(owners)):
            return False
    for name, kind in _OTHERS:
        if set(map(type, map(operator.attrgetter(name), jobs))) - {kind}:
            return False
    retries = {id(job.retry): job for job in jobs}
    return all(_wrong_retry(job.retry) is None for job in retries.values())


def _check_preceding(preceding: Mapping[int, int | None]) -> None:
    """Errors: ValueError for jobs that precede each other in a circle."""
    ends: set[int] = set()
    for job in preceding:
        path: dict[int, None] = {}
        at: int | None = job
        while at is not None and at not in ends and at in preceding:
            if at in path:
                raise ValueError(f"jobs: job {at}: preceding {preceding[at]}; expected no circles")
            path[at] = None
            at = preceding[at]
        ends.update(path)


def check_arrays(arrays: Mapping[int, int]) -> None:
    """Errors: ValueError that names the array and what was expected."""
    for array, most in arrays.items():
        if not is_integer(array) or not 0 <= array < 2**64:
            raise ValueError(f"arrays: array {array!r}; expected an integer from 0 to 2**64 - 1")
        if not is_integer(most) or not 1 <= most < 2**63:
            raise ValueError(f"arrays: array {array}: {most!r} tasks at once; expected an integer"
                             " from 1 to 2**63 - 1")


def is_integer(value: object) -> bool:
    """True for int and what may stand for one, as integers of NumPy."""
    try:
        operator.index(value)  # type: ignore[arg-type]  # that is the question
    except TypeError:
        return False
    return True


_INTEGERS = ("id", "arrival", "limit", "priority", "failures", "preemption_cost", "grace", "think_time")
_MAYBE_INTEGERS = ("runtime", "begin", "array", "cancelled_after", "preceding")
_OTHERS = (("request", trestle.Request), ("retry", Retry), ("name", str), ("user", str), ("group", str))


def _wrong_integer(job: Job) -> str | None:
    for name in _INTEGERS:
        if not is_integer(getattr(job, name)):
            return f"{name} {getattr(job, name)!r}; expected an integer"
    for name in _MAYBE_INTEGERS:
        if getattr(job, name) is not None and not is_integer(getattr(job, name)):
            return f"{name} {getattr(job, name)!r}; expected an integer or None"
    return None


def _wrong_type(job: Job) -> str | None:
    wrong = _wrong_integer(job)
    if wrong is not None:
        return wrong
    for name, kind in _OTHERS:
        if not isinstance(getattr(job, name), kind):
            return f"{name} {getattr(job, name)!r}; expected a {kind.__name__}"
    return _wrong_retry_type(job.retry)


def _wrong_retry_type(retry: Retry) -> str | None:
    if not isinstance(retry.on, Collection) or not all(
            isinstance(one, RetryEvent) for one in retry.on):
        return f"retry.on {retry.on!r}; expected a set of RetryEvent"
    for name in ("delay", "duration", "requeues_max"):
        value = getattr(retry, name)
        if not is_integer(value) and (value is not None or name == "delay"):
            return f"retry.{name} {value!r}; expected an integer"
    return None


def _wrong_with(job: Job, has_runtime: bool) -> str | None:
    if not 0 <= job.id < OWNERS_MAX:
        return "expected an id from 0 to 2**62 - 1"
    if job.runtime is None and not has_runtime:
        return "no runtime; expected one, or simulate(runtime=...)"
    return _wrong_bounds(job, "", _BOUNDS) or _wrong_bounds(job.retry, "retry.", _RETRY_BOUNDS)


def _wrong_retry(retry: Retry) -> str | None:
    return _wrong_retry_type(retry) or _wrong_bounds(retry, "retry.", _RETRY_BOUNDS)


def _wrong_bounds(of: object, prefix: str, all_bounds: Mapping[str, tuple[int, int]]) -> str | None:
    for name, (least, most) in all_bounds.items():
        value = getattr(of, name)
        if value is not None and not least <= value <= most:
            expected = f"{least} or more" if value < least else f"at most {most}"
            return f"{prefix}{name} {value}; expected {expected}"
    return None
