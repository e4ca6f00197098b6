# SPDX-License-Identifier: Apache-2.0
"""A job that waits, and one that runs."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import trestle

from .jobs import Job


@dataclass(eq=False)
class Running:
    """A job that runs, or has the place of others whose end it waits for."""

    job: Job
    number: int
    start: int
    placement: trestle.Placement
    is_notified: bool = False  # that it ends, for another job

    @functools.cached_property
    def nodes(self) -> frozenset[int]:
        """Where."""
        return frozenset(part.node for part in self.placement.nodes)


@dataclass(eq=False, slots=True)
class History:
    """What a job has been through, until it ends."""

    arrival: int
    start: int | None = None
    """of the first attempt"""
    attempts: int = 0
    failures: int = 0
    run: int = 0
    """seconds of the last attempt"""
    waited_for: dict[str, int] = field(default_factory=dict)
    """seconds by reason"""


@dataclass(eq=False, slots=True)
class Waiting:
    """A job in the queue."""

    queued: trestle.QueuedJob
    place: int
    """among all that came into the queue"""
    since: int | None = None
    """when it first might have started"""
    deadline: int | None = None
    is_reserved: bool = False
    reason: str = ""
    """why it waits, since `reason_since`; empty where reasons are not kept"""
    reason_since: int = 0
