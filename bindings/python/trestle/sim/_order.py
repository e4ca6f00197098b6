# SPDX-License-Identifier: Apache-2.0
"""Orders of the queue: in which turn jobs that wait are looked at, as the caller likes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import trestle

from trestle._short import short_repr
from .jobs import Job


class Usage:
    """CPU-seconds of each user, with or without decay. A user's CPUs are the cores that jobs have."""

    def __init__(self) -> None:
        self._changes: list[tuple[int, str, int]] = []  # moment, user, cores more or less
        self._known: dict[float | None, _Decayed] = {}

    def change(self, at: int, user: str, placement: trestle.Placement, sign: int) -> None:
        """A job of the user starts, or with sign -1 ends."""
        cores = sum(len(part.cores) for part in placement.nodes)
        self._changes.append((at, user, sign * cores))

    def at(self, now: int, half_life: float | None) -> Mapping[str, float]:
        """What users have used until now, by user; what is `half_life` seconds old counts half."""
        decayed = self._known.setdefault(half_life, _Decayed(half_life))
        decayed.follow(self._changes, now)
        return decayed.used


@dataclass
class _Decayed:
    half_life: float | None
    used: dict[str, float] = field(default_factory=dict)
    _cores: dict[str, int] = field(default_factory=dict)
    _at: int = 0
    _entered: int = 0

    def follow(self, changes: Sequence[tuple[int, str, int]], now: int) -> None:
        for at, user, cores in changes[self._entered:]:
            self._go_to(at)
            self.used.setdefault(user, 0.0)
            self._cores[user] = self._cores.get(user, 0) + cores
        self._entered = len(changes)
        self._go_to(now)

    def _go_to(self, now: int) -> None:
        seconds = now - self._at
        if seconds == 0:
            return
        self._at = now
        left, per_core = 1.0, float(seconds)
        if self.half_life is not None:
            left = 2.0 ** (-seconds / self.half_life)
            per_core = (1.0 - left) * self.half_life / math.log(2)
        for user, used in self.used.items():
            self.used[user] = used * left + self._cores[user] * per_core


@dataclass(frozen=True, repr=False)
class WaitingJobs:
    """The jobs that may start now, as an order sees them: one entry a job, in the order in which they
    came. What a job really takes is in `jobs` too; an order that uses it knows the future."""

    now: int
    """seconds"""
    jobs: tuple[Job, ...]
    waited: tuple[int, ...]
    """seconds since each might have started for the first time"""
    _usage: Usage

    __repr__ = short_repr

    def usage(self, half_life: float | None = None) -> tuple[float, ...]:
        """CPU-seconds that the user of each job has had; with `half_life`, what is so many seconds
        old counts half. Jobs of no user count as those of one."""
        used = self.usage_by_user(half_life)
        return tuple(used.get(job.user, 0.0) for job in self.jobs)

    def usage_by_user(self, half_life: float | None = None) -> Mapping[str, float]:
        """The same by user, of all that have run anything."""
        return self._usage.at(self.now, half_life)


Order = Callable[[WaitingJobs], Sequence[float]]
"""A number for each job: the lowest has the first turn, and between equal ones the first that came."""


@dataclass(frozen=True, repr=False)
class FairShare:
    """An order by what users have had of late and how long their jobs have waited.

    A job's priority is fair_weight * 2 ** (-used / share) + age_weight * age, highest first. `used`
    is its user's part of all CPU-seconds, decayed by `half_life`. `share` the user's part of all
    shares. `age` rises from 0 to 1 while it waits for `age_max` seconds. This is the classic form of
    Slurm's multifactor priority with two of its factors.
    """

    half_life: float = 7 * 86400
    """seconds, more than 0"""
    shares: Mapping[str, float] = field(default_factory=dict)
    """by user, more than 0; a user without an entry has 1"""
    fair_weight: float = 1.0
    age_weight: float = 0.1
    age_max: float = 7 * 86400
    """seconds, more than 0"""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        for name in ("half_life", "age_max"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name}: {value!r}, expected seconds, more than 0")
        for user, share in self.shares.items():
            if not (math.isfinite(share) and share > 0):
                raise ValueError(f"shares: {user!r}: {share!r}, expected a number above 0")

    def __call__(self, queue: WaitingJobs) -> Sequence[float]:
        used = queue.usage_by_user(self.half_life)
        users = {*used, *self.shares, *(job.user for job in queue.jobs)}
        all_used = sum(used.values()) or 1.0
        all_shares = sum(self.shares.get(user, 1.0) for user in users)
        fair = {user: 2.0 ** (-(used.get(user, 0.0) / all_used)
                              / (self.shares.get(user, 1.0) / all_shares)) for user in users}
        return [-self.fair_weight * fair[job.user]
                - self.age_weight * min(waited / self.age_max, 1.0)
                for job, waited in zip(queue.jobs, queue.waited)]


def _least_nodes(queue: WaitingJobs) -> Sequence[float]:
    return [int(job.request.nodes.min or 1) for job in queue.jobs]


def _area(queue: WaitingJobs) -> Sequence[float]:
    return [int(job.request.nodes.min or 1) * job.limit for job in queue.jobs]


def _named(key: Callable[[WaitingJobs], Sequence[float]], sign: int) -> Order:
    return lambda queue: [sign * value for value in key(queue)]


ORDERS: Mapping[str, Order] = {
    "first_come": lambda queue: [0] * len(queue.jobs),
    "by_priority": lambda queue: [-job.priority for job in queue.jobs],
    "shortest_first": lambda queue: [job.limit for job in queue.jobs],
    "longest_first": lambda queue: [-job.limit for job in queue.jobs],
    "fewest_nodes_first": _named(_least_nodes, 1),
    "most_nodes_first": _named(_least_nodes, -1),
    "smallest_area_first": _named(_area, 1),
    "largest_area_first": _named(_area, -1),
    "fair_share": FairShare(),
}
"""Orders by name. Nodes are the fewest that a job takes, an area nodes times limit."""


def order_of(order: Order | str | None, discipline: trestle.Discipline) -> Order | None:
    """Errors: ValueError for a name that is none, and beside an order of the discipline."""
    if order is None:
        return None
    if discipline.order is not trestle.QueueOrder.as_queued:
        raise ValueError(f"order: beside discipline.order {discipline.order.name},"
                         " expected as_queued there")
    if not isinstance(order, str):
        return order
    if order not in ORDERS:
        raise ValueError(f"order: {order!r}, expected a function or one of {', '.join(ORDERS)}")
    return ORDERS[order]


def positions(order: Order, queue: WaitingJobs) -> list[int]:
    """The jobs in their turns. Errors: ValueError that names moment and job; what the order raises."""
    where = f"order: at {queue.now} s"
    try:
        keys = list(order(queue))
    except Exception as error:
        if hasattr(error, "add_note"):
            error.add_note(f"{where}, of {len(queue.jobs)} jobs that wait")
        raise
    if len(keys) != len(queue.jobs):
        raise ValueError(f"{where}: {len(keys)} numbers, expected one for each of"
                         f" {len(queue.jobs)} jobs")
    for job, key in zip(queue.jobs, keys):
        try:
            is_number = math.isfinite(key)
        except (TypeError, ValueError, OverflowError):
            is_number = False
        if not is_number:
            raise ValueError(f"{where}: job {job.id}: {key!r}, expected a finite number")
    return sorted(range(len(keys)), key=keys.__getitem__)
