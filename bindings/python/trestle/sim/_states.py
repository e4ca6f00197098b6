# SPDX-License-Identifier: Apache-2.0
"""A job that waits, and one that runs."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import trestle

from .jobs import Job


@dataclass(eq=False)
class Running:
    """A job that runs."""

    job: Job
    number: int
    start: int
    placement: trestle.Placement

    @functools.cached_property
    def nodes(self) -> frozenset[int]:
        """Where."""
        return frozenset(part.node for part in self.placement.nodes)


@dataclass
class Waiting:
    """A job in the queue."""

    job: Job  # with the begin of this wait
    queued: trestle.QueuedJob
    since: int
    is_promised: bool = False
