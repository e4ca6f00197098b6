# SPDX-License-Identifier: Apache-2.0
"""What happened: events, attempts, and the outcome of each job."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import trestle
from trestle._short import short_repr

from .jobs import Job, Outcome

__all__ = ["Attempt", "Event", "EventKind", "JobResult"]


class EventKind(enum.Enum):
    """What happened. Of a job: arrival to end. Of a node: the rest."""

    arrival = "arrival"
    reservation = "reservation"
    """the first time in this wait that a start was announced, which is `until`"""
    start = "start"
    preempt = "preempt"
    """its end for another job is announced, at `until`; not for jobs that end at once"""
    requeue = "requeue"
    """an attempt ended as `outcome`, and the job waits again"""
    end = "end"
    """for good, as `outcome`"""
    node_down = "node_down"
    node_up = "node_up"
    device_down = "device_down"
    device_up = "device_up"
    maintenance_begin = "maintenance_begin"
    maintenance_end = "maintenance_end"
    ordered = "ordered"
    """an elastic node begins to be provisioned"""
    node_on = "node_on"
    """it can be had"""
    node_off = "node_off"
    """it was idle, was taken back, or failed"""


@dataclass(frozen=True, repr=False)
class Event:
    """One thing that happened, in the order in which it did."""

    at: int
    """seconds"""
    kind: EventKind
    job: int | None = None
    """id"""
    node: int | None = None
    device: int | None = None
    outcome: Outcome | None = None
    """of end and requeue"""
    until: int | None = None
    """seconds; the reserved start of a reservation, the end of a preempt"""
    note: str = ""
    """of a job that never started: the last reason"""

    __repr__ = short_repr


@dataclass(frozen=True, repr=False)
class Attempt:
    """One time that a job ran."""

    job: Job
    number: int
    """from 1"""
    period: range
    """seconds; may be empty"""
    outcome: Outcome
    placement: trestle.Placement

    __repr__ = short_repr

    @property
    def seconds(self) -> int:
        """How long it ran."""
        return self.period.stop - self.period.start


@dataclass(frozen=True, repr=False)
class JobResult:
    """The outcome of a job."""

    job: Job
    outcome: Outcome
    start: int | None
    """seconds, of the first attempt; None: it never ran"""
    end: int
    """seconds"""
    attempts: int
    run: int
    """seconds of the last attempt; 0 without one"""
    arrival: int
    """seconds; that of the job, or when its preceding job let it come"""
    waited_for: tuple[tuple[str, int], ...] = ()
    """seconds by what the job waited for, if simulate() was asked to keep reasons. Keys are names
    of trestle.Constraint, and `conditions` for dependencies, begin times, holds and arrays"""

    __repr__ = short_repr

    @property
    def wait(self) -> int | None:
        """Seconds from the arrival to the first start, or None."""
        return None if self.start is None else self.start - self.arrival

    @property
    def response(self) -> int:
        """Seconds from the arrival to the end."""
        return self.end - self.arrival

    def slowdown(self, bound: int = 10) -> float | None:
        """Time in the system by run time, at least 1; run times below `bound` seconds count as so
        many. None without a start. Errors: ValueError for a bound below 1."""
        if bound < 1:
            raise ValueError(f"bound {bound}; expected 1 or more seconds")
        if self.start is None:
            return None
        return max(1.0, self.response / max(self.run, bound))
