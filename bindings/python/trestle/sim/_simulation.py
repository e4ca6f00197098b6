# SPDX-License-Identifier: Apache-2.0
"""The simulation itself: a moment's events, a pass, its starts, and on to the next moment."""

from __future__ import annotations

import heapq
import itertools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import trestle
from trestle._progress import Progress
from trestle.replay.run import AnyPolicy

from . import _incidents
from ._agenda import Agenda, Rank
from ._conditions import Conditions
from ._event_log import EventLog
from ._fleets import Fleets
from ._nodes import Nodes
from ._order import Order, Usage, WaitingJobs, positions
from ._preemption import Preemption, Preempts
from ._ready import Ready
from ._reservations import Reservations
from ._states import History, Running, Waiting
from .events import Attempt, EventKind, JobResult
from .jobs import Job, Outcome, RetryEvent, check_arrays, check_jobs, is_integer
from .result import Result
from .world import ElasticFleet, Incident, check_world

Runtime = Callable[[Job, trestle.Placement], int]
Slack = Union[int, Callable[[Job], int]]

_RETRIED = {Outcome.failed: RetryEvent.error, Outcome.interrupted: RetryEvent.interruption,
            Outcome.preempted: RetryEvent.interruption}


def _queued(job: Job) -> trestle.QueuedJob:
    """Errors: ValueError that names the job, for a request that is not valid."""
    try:
        return trestle.QueuedJob(job.id, job.request, job.limit, job.priority)
    except ValueError as error:
        raise ValueError(f"jobs: job {job.id}: {error}") from None


class Simulation:
    """The state of one simulation."""

    def __init__(self, cluster: trestle.Cluster, jobs: tuple[Job, ...],
                 discipline: trestle.Discipline, runtime: Runtime | None,
                 preempts: Preempts | None, preemption: trestle.PreemptionRules,
                 arrays: Mapping[int, int], incidents: Sequence[Incident],
                 fleets: Sequence[ElasticFleet], keeps_reservations: bool,
                 keeps_reasons: bool, options: trestle.PlaceOptions,
                 order: Order | None = None, policy: AnyPolicy | None = None,
                 slack: Slack = 0) -> None:
        check_jobs(jobs, runtime is not None, {one.owner for one in cluster.allocations()})
        check_arrays(arrays)
        check_world(cluster, incidents, fleets)
        self.now = 0
        self.nodes = Nodes(cluster, options, policy)
        self._jobs = {job.id: job for job in jobs}
        self.agenda = Agenda((job for job in jobs if job.preceding not in self._jobs), self._arrive)
        self.running: dict[int, Running] = {}
        self.events = EventLog()
        self.fleets = Fleets(fleets, discipline, self.nodes, self.agenda, self.events)
        self.reservations = Reservations(discipline, keeps_reservations)
        self._discipline = discipline
        self._slack = slack
        self._cluster = cluster
        self._runtime = runtime
        self._preemption = Preemption(self, preempts, preemption) if preempts is not None else None
        self._has_fleets = bool(fleets)
        self._queued = {job.id: _queued(job) for job in jobs}
        self._conditions = Conditions(jobs, self._queued, arrays)
        self._queue: dict[int, Waiting] = {}
        # A function may refuse a job whose like it takes later, and its failures name the job.
        looks_at_all = order is not None or keeps_reasons or callable(policy)
        self._ready = None if looks_at_all else Ready(discipline, self.reservations.are_kept)
        self._fresh: list[int] = []  # came into the queue since the last pass
        self._places = itertools.count()
        self._was_any_held_back = False  # in the last pass, by conditions or claims
        self._deadlines: list[tuple[int, int, int]] = []  # moment, job, since when it might start
        self._cancels: list[tuple[int, int]] = []  # moment, job
        self._attempts: list[Attempt] = []
        self._histories: dict[int, History] = {}  # of jobs that have arrived and not ended
        self._results: dict[int, JobResult] = {}
        self._order = order
        self._usage = Usage()
        self._keeps_reasons = keeps_reasons
        self._passes = 0
        self._last: tuple[Sequence[trestle.QueuedJob], trestle.PassResult] | None = None
        self._following: dict[int, list[Job]] = {}
        for job in jobs:
            if job.preceding in self._jobs:
                self._following.setdefault(job.preceding, []).append(job)
        for position, incident in enumerate(incidents):
            _incidents.enter(self, position, incident)

    def run(self) -> Result:
        """All of it."""
        with Progress("simulation", "job", len(self._jobs)) as progress:
            self._run(progress)
        self.fleets.close(self.now)
        return Result(self._cluster, tuple(self._results[job] for job in self._jobs),
                      tuple(self._attempts), tuple(self.events.rows),
                      {node: tuple(on) for node, on in self.fleets.powered.items()},
                      self.now, self._passes)

    def _run(self, progress: Progress) -> None:
        while len(self._results) < len(self._jobs):
            progress.reach(len(self._results))
            moment = self.agenda.next_moment()
            if moment is None:
                self._give_up()  # after which jobs that they precede may arrive
                continue
            self.now = moment
            self.nodes.timeline.advance(moment)
            self.agenda.run(moment)
            self._settle()

    def tell(self, kind: EventKind, *, node: int | None = None, device: int | None = None,
             nodes: Iterable[int] = ()) -> None:
        """Notes what happened to a node, or to each of some."""
        for one in nodes if node is None else (node,):
            self.events.add(self.now, kind, node=one, device=device)

    def job(self, id: int) -> Job:
        """The one with the id."""
        return self._jobs[id]

    def deadline(self, job: int) -> int | None:
        """Until when a job in the queue waits for a start; None: for ever."""
        return self._queue[job].deadline

    def drop_claims(self, is_hit: Callable[[Running], bool]) -> None:
        """Jobs that others make room for, and that cannot have their place, wait as before."""
        if self._preemption is not None:
            self._preemption.drop(is_hit)

    # The life of a job.

    def _arrive(self, job: Job) -> None:
        self.events.add(self.now, EventKind.arrival, job.id)
        self._histories[job.id] = History(self.now)
        self._conditions.arrive(job.id)
        self._enqueue(job)
        if job.cancelled_after is not None:
            heapq.heappush(self._cancels, (self.now + job.cancelled_after, job.id))
            self.agenda.wake(self.now + job.cancelled_after)

    def _enqueue(self, job: Job) -> None:
        self._queue[job.id] = Waiting(self._queued[job.id], next(self._places))
        self._fresh.append(job.id)
        if self._keeps_reasons:
            self._set_reason(job.id, "conditions")

    def _set_reason(self, job: int, reason: str) -> None:
        """Why the job waits from now on; empty: it waits no longer."""
        waiting = self._queue[job]
        if waiting.reason == reason:
            return
        if waiting.reason and self.now > waiting.reason_since:
            counts = self._histories[job].waited_for
            counts[waiting.reason] = counts.get(waiting.reason, 0) + self.now - waiting.reason_since
        waiting.reason, waiting.reason_since = reason, self.now

    def start(self, one: trestle.TimedAllocation) -> None:
        """The job leaves the queue, and has that from now on."""
        allocation = one.allocation
        owner, placement = allocation.owner, allocation.placement
        job = self._jobs[owner]
        seconds: Any = job.runtime if self._runtime is None else self._runtime(job, placement)
        if not is_integer(seconds) or seconds < 0:
            raise ValueError(f"runtime of job {owner}: {seconds!r}; expected 0 or more seconds")
        seconds = operator.index(seconds)
        self.nodes.timeline.reserve(allocation, one.period)
        self._leave_queue(owner)
        self._conditions.start(owner, self.now)
        history = self._histories[owner]
        history.attempts += 1
        if history.start is None:
            history.start = self.now
        running = Running(job, history.attempts, self.now, placement)
        self.running[owner] = running
        if self._order is not None:
            self._usage.change(self.now, job.user, placement, 1)
        if self._has_fleets:
            self.fleets.enter(running.nodes)
        self.events.add(self.now, EventKind.start, owner)
        outcome = Outcome.failed if history.failures < job.failures else (
            Outcome.cancelled if job.is_cancelled else Outcome.completed)
        if seconds > job.limit:
            seconds, outcome = job.limit, Outcome.timed_out
        self.stop_at(self.now + seconds, running, outcome, Rank.end)

    def stop_at(self, at: int, running: Running, outcome: Outcome, rank: Rank = Rank.loss) -> None:
        """Stops the job then, unless it has ended before."""
        self.agenda.add(at, rank, self._stop_if_running, running, outcome)

    def _stop_if_running(self, running: Running, outcome: Outcome) -> None:
        if self.running.get(running.job.id) is running:
            self.stop(running, outcome)

    def stop(self, running: Running, outcome: Outcome) -> None:
        """The attempt ends now; the job ends or waits again, as its retry says."""
        job = running.job
        del self.running[job.id]
        if self._order is not None:
            self._usage.change(self.now, job.user, running.placement, -1)
        if self.nodes.timeline.period_of(job.id) is not None:
            self.nodes.timeline.cancel(job.id)
        if self._has_fleets:
            self.fleets.leave(running.nodes, self.now)
        if self._preemption is not None:
            self._preemption.look_at_claims()
        self._attempts.append(Attempt(job, running.number, range(running.start, self.now), outcome,
                                      running.placement))
        history = self._histories[job.id]
        history.run = self.now - running.start
        history.failures += outcome is Outcome.failed
        if outcome is Outcome.completed or _RETRIED.get(outcome) not in job.retry.on:
            return self._end(job, outcome)
        self.events.add(self.now, EventKind.requeue, job.id, outcome=outcome)
        rules = trestle.RequeueRules(job.retry.delay, job.retry.requeues_max)
        self._conditions.put_back(job.id, range(running.start, self.now), rules)
        self._enqueue(job)

    def _end(self, job: Job, outcome: Outcome, note: str = "") -> None:
        if job.id in self._queue:
            self._leave_queue(job.id)
        self._conditions.end(job.id, outcome, self.now)
        history = self._histories.pop(job.id)
        self._results[job.id] = JobResult(
            job, outcome, history.start, self.now, history.attempts, history.run, history.arrival,
            tuple(sorted(history.waited_for.items())))
        self.events.add(self.now, EventKind.end, job.id, outcome=outcome, note=note)
        for after in self._following.pop(job.id, ()):
            self.agenda.add(self.now + after.think_time, Rank.arrival, self._arrive, after)

    def _leave_queue(self, job: int) -> None:
        if self._keeps_reasons:
            self._set_reason(job, "")
        del self._queue[job]
        if self._ready is not None:
            self._ready.drop(job)

    # A moment, behind its events.

    def _settle(self) -> None:
        is_done = False
        while not is_done:
            self._pass()
            if self._preemption is not None and self._preemption.settle():
                self._pass()
            is_done = not (self._deadlines or self._cancels) or not self._end_late()
        if self._has_fleets and self.fleets.settle(self.eligible(), self.now):
            self.reservations.forget()

    def _end_late(self) -> bool:
        """Ends those that wait no longer. True when there were any: others may start then."""
        was_any = False
        while self._deadlines and self._deadlines[0][0] <= self.now:
            _, job, since = heapq.heappop(self._deadlines)
            if job in self._queue and self._queue[job].since == since:
                self._end(self._jobs[job], Outcome.no_capacity)
                was_any = True
        claims = self._preemption.claims if self._preemption is not None else {}
        while self._cancels and self._cancels[0][0] <= self.now:
            _, job = heapq.heappop(self._cancels)
            if job in self._queue and self._histories[job].start is None and job not in claims:
                self._end(self._jobs[job], Outcome.cancelled)
                was_any = True
        return was_any

    def _pass(self) -> None:
        """Once, or until no job starts where others may wait for a start."""
        is_done = False
        while not is_done:
            result = self._decide()
            if result is None:
                return
            starts = result.starts
            for one in starts:
                self.start(one)
            for one in result.reservations:
                owner = one.allocation.owner
                waiting = self._queue[owner]
                if not waiting.is_reserved:
                    waiting.is_reserved = True
                    since = one.period.start
                    if self._discipline.is_slack_based:
                        self._promise(waiting, since)
                    self.events.add(self.now, EventKind.reservation, owner, until=since)
            is_done = not starts or not self._conditions.are_any
        if self.reservations.wakes_at is not None:
            self.agenda.wake(self.reservations.wakes_at)

    def _promise(self, waiting: Waiting, start: int) -> None:
        """The job has a reservation for then, which may be put off by its slack."""
        job = self._jobs[waiting.queued.owner]
        slack: Any = self._slack(job) if callable(self._slack) else self._slack
        if not is_integer(slack) or slack < 0:
            raise ValueError(f"slack of job {job.id}: {slack!r}; expected 0 or more seconds")
        start_by = min(start + operator.index(slack), trestle.END_OF_TIME)
        waiting.queued = waiting.queued.replace(start_by=start_by)
        if self._ready is not None and job.id in self._ready:
            self._ready.drop(job.id)
            self._ready.add(waiting)

    def _decide(self) -> trestle.PassResult | trestle.QueuePass | None:
        """What starts now, of those that may; None where none may."""
        self._fill_ready()
        queue = self._ready if self._ready is not None else self._in_turn(self.eligible())
        if not queue:
            return None
        self._passes += 1
        try:
            if isinstance(queue, Ready):
                return self.reservations.decide_ready(self.nodes.timeline, queue, self.nodes.finder)
            result = self.reservations.decide(self.nodes.timeline, queue, self.nodes.finder)
        except Exception as error:
            if callable(self.nodes.policy) and hasattr(error, "add_note"):
                error.add_note(f"policy: at {self.now} s, of {len(queue)} jobs that wait")
            raise
        self._last = queue, result
        if self._keeps_reasons:
            for wait in result.waiting:
                self._set_reason(queue[wait.job].owner, wait.why.constraint.name)
        return result

    def _fill_ready(self) -> None:
        """Jobs that came may start, unless conditions or claims hold any back."""
        if self._ready is None:
            return
        is_any_held_back = self._conditions.are_any or bool(
            self._preemption is not None and self._preemption.claims)
        if is_any_held_back or self._was_any_held_back:
            self._ready.become([self._queue[one.owner] for one in self.eligible()])
        else:
            came = [self._queue[job] for job in self._fresh if job in self._queue]
            self._begin_to_wait([one.queued for one in came])
            for one in came:
                self._ready.add(one)
        self._fresh.clear()
        self._was_any_held_back = is_any_held_back

    def _in_turn(self, queue: Sequence[trestle.QueuedJob]) -> Sequence[trestle.QueuedJob]:
        """As the caller's order has them."""
        if self._order is None or not queue:
            return queue
        since = (self._queue[one.owner].since for one in queue)
        waiting = WaitingJobs(self.now, tuple(self._jobs[one.owner] for one in queue),
                              tuple(self.now - (at or 0) for at in since), self._usage)
        return [queue[position] for position in positions(self._order, waiting)]

    def eligible(self) -> Sequence[trestle.QueuedJob]:
        """Those that may start and have no place yet; ends those that never will."""
        while True:
            claims = self._preemption.claims if self._preemption is not None else {}
            asleep = self._conditions.asleep
            queue = [one.queued for job, one in self._queue.items()
                     if job not in claims and job not in asleep]
            if not self._conditions.are_any:
                return self._begin_to_wait(queue)
            look = self._conditions.look([self._queued[job] for job in claims], queue, self.now)
            if not look.never:
                if look.until is not None:
                    self.agenda.wake(look.until)
                return self._begin_to_wait(look.eligible)
            for job in look.never:
                self._end(self._jobs[job], Outcome.dependency)

    def _begin_to_wait(self, queue: Sequence[trestle.QueuedJob]) -> Sequence[trestle.QueuedJob]:
        """Their time to wait runs from when they first may start."""
        for queued in queue:
            waiting = self._queue[queued.owner]
            if waiting.since is None:
                job = self._jobs[queued.owner]
                waiting.since = self.now
                waiting.deadline = job.deadline(self.now, self._histories[job.id].start is None)
                if waiting.deadline is not None:
                    heapq.heappush(self._deadlines, (waiting.deadline, job.id, self.now))
                    self.agenda.wake(waiting.deadline)
        return queue

    def _give_up(self) -> None:
        """Nothing happens any more: jobs that wait will never start."""
        if self._ready is not None:
            queue = self._ready.jobs()
            self._last = queue, trestle.schedule_pass(self.nodes.timeline, queue, self._discipline,
                                                      self.nodes.finder)
        queue, result = self._last or ((), trestle.PassResult())
        why = {queue[one.job].owner: one.why.reason for one in result.waiting}
        why.update(self._conditions.reasons([one.queued for one in self._queue.values()], self.now))
        for job in [self._jobs[job] for job in self._queue]:
            self._end(job, Outcome.unstarted, note=why.get(job.id, ""))
