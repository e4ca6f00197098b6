# SPDX-License-Identifier: Apache-2.0
"""Passes whose reservations are kept.

schedule_pass makes all reservations anew, and may make a later one: on the nodes that are left another
order of ends leaves another hole. Under a discipline that reserves for all, no job shall start later
than was once said. So the reservations of the last pass are held. Where one would be later now, all
that are held stand. Each job in its turn moves up as far as the others leave it. A job that may not
start any more, as a task of a throttled array when another comes first, loses its reservation.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import trestle

from ._ready import Ready


class Reservations:
    """The reservations that are held."""

    wakes_at: int | None = None
    """A held start, at which there has to be a pass though nothing else happens; or None."""

    def __init__(self, discipline: trestle.Discipline, is_kept: bool) -> None:
        self._discipline = discipline
        self.are_kept = is_kept and discipline.reservations_max is None and (
            not discipline.is_slack_based)
        """what is reserved is held from pass to pass"""
        self._held: dict[int, trestle.TimedAllocation] = {}
        self._forgets = False  # before the next pass of a queue that is kept

    def forget(self) -> None:
        """What was reserved cannot be kept: less is there than was."""
        self._held.clear()
        self._forgets = True

    def put_off(self, by: int) -> None:
        """Jobs end by so much later than was thought: so does begin all that decide() holds."""
        self._held = {owner: one.replace(period=range(one.period.start + by, one.period.stop + by))
                      for owner, one in self._held.items()}

    def decide(self, timeline: trestle.Timeline, queue: Sequence[trestle.QueuedJob],
               finder: trestle.StartFinder) -> trestle.PassResult:
        """A pass; no job in the queue starts or is reserved to start later than is held."""
        self.wakes_at = None
        result = trestle.schedule_pass(timeline, queue, self._discipline, finder)
        if not self.are_kept:
            return result
        held = [self._held[job.owner] for job in queue if job.owner in self._held]
        if held:
            reserved = {one.allocation.owner: one.period.start for one in result.reservations}
            reserved.update((one.allocation.owner, timeline.now()) for one in result.starts)
            if any(reserved.get(one.allocation.owner, trestle.END_OF_TIME) > one.period.start
                   for one in held):
                result = self._around(timeline, queue, finder)
        self._held = {one.allocation.owner: one for one in result.reservations}
        return result

    def decide_ready(self, timeline: trestle.Timeline, ready: Ready,
                     finder: trestle.StartFinder) -> trestle.QueuePass:
        """The same for a queue that keeps its reservations itself. Requires: as Ready.schedule()."""
        if self._forgets:
            ready.forget_reservations()
            self._forgets = False
        result = ready.schedule(timeline, finder)
        self.wakes_at = result.wake_at
        return result

    def _around(self, timeline: trestle.Timeline, queue: Sequence[trestle.QueuedJob],
                finder: trestle.StartFinder) -> trestle.PassResult:
        """With all held as it is, each job in its turn may come earlier, as others leave it."""
        plan = copy.copy(timeline)
        held = {job.owner: self._held[job.owner] for job in queue if job.owner in self._held}
        for one in held.values():
            plan.reserve(one.allocation, one.period)
        starts: list[trestle.TimedAllocation] = []
        reservations: list[trestle.TimedAllocation] = []
        for job in self._turns(queue):
            mine = held.get(job.owner)
            if mine is not None:
                plan.cancel(job.owner)
            if mine is None:
                alone = trestle.schedule_pass(plan, [job], self._discipline, finder)
                best = next(iter((*alone.starts, *alone.reservations)), None)
            else:
                best = self._earlier(plan, job, mine, finder)
            if best is not None:
                plan.reserve(best.allocation, best.period)
                (starts if best.period.start == timeline.now() else reservations).append(best)
        self.wakes_at = min((one.period.start for one in reservations), default=None)
        return trestle.PassResult(starts, reservations)

    def _earlier(self, plan: trestle.Timeline, job: trestle.QueuedJob, mine: trestle.TimedAllocation,
                 finder: trestle.StartFinder) -> trestle.TimedAllocation:
        """The earliest start of the job, which is in the plan no more; what it has where that is none."""
        if mine.period.start == plan.now():
            return mine
        question = trestle.StartQuestion(duration=job.duration, not_beyond=mine.period.start - 1,
                                         spares_idle=self._discipline.spares_idle)
        found = finder.earliest_start(plan, job.request, question)
        if not isinstance(found, trestle.Start):
            return mine
        return trestle.TimedAllocation(
            mine.allocation.replace(placement=found.placement), found.period)

    def _turns(self, queue: Sequence[trestle.QueuedJob]) -> Sequence[trestle.QueuedJob]:
        if self._discipline.order is trestle.QueueOrder.by_priority:
            return sorted(queue, key=lambda job: -job.priority)
        if self._discipline.order is trestle.QueueOrder.shortest_first:
            return sorted(queue, key=lambda job: job.duration or 0)
        return queue
