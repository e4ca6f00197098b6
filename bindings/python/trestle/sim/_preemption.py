# SPDX-License-Identifier: Apache-2.0
"""Jobs that start in the place of others, at once or when the time of these is over."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING

import trestle

from ._agenda import Rank
from ._states import Running
from .events import EventKind
from .jobs import Job, Outcome

if TYPE_CHECKING:
    from ._simulation import Simulation

Preempts = Callable[[Job, Job], bool]


class Preemption:
    """Which jobs may end which, and the places that wait for the end of those that have them."""

    def __init__(self, simulation: Simulation, preempts: Preempts,
                 rules: trestle.PreemptionRules) -> None:
        self._simulation, self._preempts, self._rules = simulation, preempts, rules
        self.claims: dict[int, Running] = {}
        """Jobs that will start when others have ended, in the queue until then"""
        self._ended: dict[int, set[int]] = {}  # by job: the jobs that it has ended

    def settle(self) -> bool:
        """Each job that may start, by priority, takes the place of others where it can. True when
        one did."""
        simulation = self._simulation
        was_any = False
        for queued in sorted(simulation.eligible(), key=lambda one: -one.priority):
            plan = self._plan(queued)
            if plan is None or not plan.victims:  # or the discipline keeps it waiting
                continue
            was_any = True
            simulation.reservations.forget()
            for victim in plan.victims:
                self._check_order(queued.owner, victim.owner)
                self._end(simulation.running[victim.owner])
            start = simulation.now + plan.grace
            one = trestle.TimedAllocation(
                trestle.Allocation(queued.owner, queued.request, plan.placement),
                range(start, start + simulation.job(queued.owner).limit))
            if plan.grace:
                self._claim(one)
            else:
                simulation.start(one)
        return was_any

    def look_at_claims(self) -> None:
        """A job has ended: claims with a free place start, before others are asked."""
        simulation = self._simulation

        def look() -> None:
            for claim in list(self.claims.values()):
                self._begin_early(claim)
        if self.claims:
            simulation.agenda.add(simulation.now, Rank.claim, look)

    def drop(self, is_hit: Callable[[Running], bool]) -> None:
        """Jobs whose place is not what it was wait as before."""
        for claim in [one for one in self.claims.values() if is_hit(one)]:
            self._give_up(claim)

    def _plan(self, queued: trestle.QueuedJob) -> trestle.PreemptionPlan | None:
        simulation = self._simulation
        timeline, now = simulation.nodes.timeline, simulation.now
        job = simulation.job(queued.owner)
        victims = sorted((one for one in simulation.running.values()
                          if not one.is_notified and self._preempts(job, one.job)),
                         key=lambda one: (one.job.priority, -one.start, one.job.id))
        if not victims or (job.request.cluster_counts and self.claims):  # a claim has counts too
            return None
        rules, deadline = self._rules, simulation.deadline(queued.owner)
        if deadline is not None:
            patience = deadline - now
            rules = rules.replace(grace_max=patience if rules.grace_max is None
                                  else min(rules.grace_max, patience))
        last = now + max(one.job.grace for one in victims) + job.limit
        later = [part.node for one in timeline.reservations() if now < one.period.start < last
                 for part in one.allocation.placement.nodes]
        cluster = timeline.cluster()
        free = trestle.NodeSet(range(cluster.node_count())) - trestle.NodeSet(later)
        plan = trestle.plan_preemption(
            cluster, job.request,
            [trestle.Victim(one.job.id, one.job.preemption_cost, one.job.grace) for one in victims],
            rules, simulation.nodes.options, free if later else None)
        return plan if isinstance(plan, trestle.PreemptionPlan) else None

    def _check_order(self, job: int, victim: int) -> None:
        """Jobs that may end each other, at once or in a circle, would do so for ever."""
        below, seen = [victim], {victim}
        while below:
            new = self._ended.get(below.pop(), set()) - seen
            if job in new:
                raise ValueError(f"preempts: job {job} ends job {victim}, which has ended it,"
                                 " also through others; expected no circles")
            seen |= new
            below.extend(new)
        self._ended.setdefault(job, set()).add(victim)

    def _end(self, victim: Running) -> None:
        simulation, grace = self._simulation, victim.job.grace
        if not grace:
            return simulation.stop(victim, Outcome.preempted)
        victim.is_notified = True
        end = simulation.now + grace
        simulation.events.add(simulation.now, EventKind.preempt, victim.job.id, until=end)
        period = simulation.nodes.timeline.period_of(victim.job.id)
        if period is not None and end < period.stop:
            simulation.nodes.timeline.set_end(victim.job.id, end)
        simulation.stop_at(end, victim, Outcome.preempted)

    def _claim(self, one: trestle.TimedAllocation) -> None:
        simulation, allocation = self._simulation, one.allocation
        simulation.nodes.timeline.reserve(allocation, one.period)
        job = simulation.job(allocation.owner)
        claim = Running(job, 0, one.period.start, allocation.placement)  # starts then or before
        self.claims[job.id] = claim
        simulation.fleets.enter(claim.nodes)

        def begin() -> None:
            if self.claims.get(job.id) is claim:
                self._give_up(claim)
                simulation.start(one)
        simulation.agenda.add(claim.start, Rank.claim, begin)

    def _begin_early(self, claim: Running) -> None:
        """Starts the job when its place is free from now on."""
        simulation, job = self._simulation, claim.job
        one = trestle.TimedAllocation(
            trestle.Allocation(job.id, job.request, claim.placement),
            range(simulation.now, simulation.now + job.limit))
        trial = copy.copy(simulation.nodes.timeline)
        trial.cancel(job.id)
        try:
            trial.reserve(one.allocation, one.period)
        except trestle.Error:
            return  # others have some of it
        self._give_up(claim)
        simulation.reservations.forget()  # they were made around a later start
        simulation.start(one)

    def _give_up(self, claim: Running) -> None:
        del self.claims[claim.job.id]
        self._simulation.nodes.timeline.cancel(claim.job.id)
        self._simulation.fleets.leave(claim.nodes, self._simulation.now)
