# SPDX-License-Identifier: Apache-2.0
"""Passes whose promises are kept.

schedule_pass makes all promises anew, and may make a later one: on the nodes that are left another
order of ends leaves another hole. Under a discipline that promises to all, nobody shall start later
than was once said. So the promises of the last pass are held; where a new one is later, the held
ones stand, and the pass is made around them.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import trestle


class Promises:
    """The promises that are held."""

    wakes_at: int | None = None
    """A held start, at which nothing else may happen: there has to be a pass. None: there is none."""

    def __init__(self, discipline: trestle.Discipline, is_kept: bool) -> None:
        self._discipline = discipline
        self._holds = is_kept and discipline.promises_max is None
        self._held: dict[int, trestle.TimedAllocation] = {}

    def forget(self) -> None:
        """What was promised cannot be kept: less is there than was."""
        self._held.clear()

    def decide(self, timeline: trestle.Timeline, queue: Sequence[trestle.QueuedJob],
               finder: trestle.StartFinder) -> trestle.PassResult:
        """A pass; nobody who waits starts or is promised to start later than is held."""
        self.wakes_at = None
        result = trestle.schedule_pass(timeline, queue, self._discipline, finder)
        if not self._holds:
            return result
        held = [self._held[job.owner] for job in queue if job.owner in self._held]
        if held:
            promised = {one.allocation.owner: one.period.start for one in result.promises}
            promised.update((one.allocation.owner, timeline.now()) for one in result.starts)
            if any(promised.get(one.allocation.owner, trestle.END_OF_TIME) > one.period.start
                   for one in held):
                result = self._around(timeline, queue, held, finder)
        self._held = {one.allocation.owner: one for one in result.promises}
        return result

    def _around(self, timeline: trestle.Timeline, queue: Sequence[trestle.QueuedJob],
                held: Sequence[trestle.TimedAllocation],
                finder: trestle.StartFinder) -> trestle.PassResult:
        """The held ones as they are, and a pass over the others."""
        plan = copy.copy(timeline)
        for one in held:
            plan.reserve(one.allocation, one.period)
        others = [job for job in queue if job.owner not in self._held]
        rest = trestle.schedule_pass(plan, others, self._discipline, finder)
        now = [one for one in held if one.period.start == timeline.now()]
        later = [one for one in held if one.period.start > timeline.now()]
        self.wakes_at = min((one.period.start for one in later), default=None)
        return trestle.PassResult([*now, *rest.starts], [*later, *rest.promises], rest.waiting)
