# SPDX-License-Identifier: Apache-2.0
"""The scheduler that Batsim talks to, without a socket."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import trestle

from ..sim._nodes import Nodes
from ..sim._reservations import Reservations
from ._platform import Platform
from ._reading import SECOND, SECONDS_MAX, At, parse, ticks

__all__ = ["RequestOf", "Scheduler"]

RequestOf = Callable[[Mapping[str, Any]], trestle.Request]
_SLACK = 10
"""Ticks. Moments of Batsim are floats: the end of a walltime may come out that much late."""
_ENDS = ("COMPLETED_SUCCESSFULLY", "COMPLETED_FAILED", "COMPLETED_WALLTIME_REACHED",
         "COMPLETED_KILLED", "COMPLETED_RESOURCE_FAILED")


@dataclass
class _Job:
    """One that waits or runs."""

    name: str
    queued: trestle.QueuedJob
    is_limited: bool
    """Batsim ends it at its walltime."""
    end: int = 0
    """At the latest, as far as is known; in ticks. For running jobs, as are the nodes."""
    nodes: list[int] = field(default_factory=list)


class Scheduler:
    """Answers the messages of one simulation, in their order.

    discipline: how a pass goes over the queue. walltime_default: seconds, the estimate of a job
    that has no walltime. options: how hosts are chosen. request: what a job asks for, from its JSON
    object, with fields of the user's own. By default `res` hosts. Share one object between equal
    jobs: passes are quicker. keeps_reservations: as in trestle.sim.simulate(); reservations are
    also made anew when a job outlives its estimate. Errors: ValueError for walltime_default.
    """

    def __init__(self, discipline: trestle.Discipline = trestle.Discipline.easy(), *,
                 walltime_default: float = 86_400,
                 options: trestle.PlaceOptions = trestle.PlaceOptions(),
                 request: RequestOf | None = None, keeps_reservations: bool = True) -> None:
        if not isinstance(discipline, trestle.Discipline):
            raise TypeError(f"discipline: {discipline!r}; expected a Discipline, as"
                            " Discipline.easy()")
        if not 0 < walltime_default <= SECONDS_MAX:
            raise ValueError(f"walltime_default: {walltime_default}; expected seconds above 0, at"
                             f" most {SECONDS_MAX}")
        self.is_over = False
        """SIMULATION_ENDS has come: there is nothing more to answer."""
        self._discipline = discipline
        self._walltime_default = walltime_default
        self._options = options
        self._placer = trestle.Placer(options)
        self._request_of = request or (lambda job: _hosts_alone(job["res"]))
        self._reservations = Reservations(discipline, keeps_reservations)
        self._platform: Platform | None = None
        self._nodes: Nodes | None = None
        self._forwards_unknown = False
        self._seconds: float = 0
        self._now = 0
        self._owners = 0
        self._jobs: dict[str, _Job | None] = {}
        """All that ever were; None: it has ended."""
        self._queue: dict[int, _Job] = {}
        self._running: dict[int, _Job] = {}
        self._reserved: dict[int, int] = {}
        self._out: set[tuple[int, str]] = set()
        self._calls: set[int] = set()

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a message, as the next in the conversation.

        Errors: BadMessage for one that the protocol does not know or that does not follow from
        those before; what `request` raises. The state is then as before the message.
        """
        draft = _Draft(self, At(message))
        for step in draft.steps:
            step()
        self._seconds = draft.now
        events = draft.replies
        if self.is_over:
            events = []
        elif self._nodes is not None:
            self._advance(self._nodes, ticks(draft.now))
            events += self._pass(self._nodes)
            events += [self._estimate(self._nodes, *query) for query in draft.queries]
        return {"now": draft.now, "events": [
            {"timestamp": draft.now, "type": kind, "data": data} for kind, data in events]}

    def answer_text(self, text: str | bytes) -> str:
        """The same from JSON to JSON. Errors: as above; BadMessage for what is no JSON."""
        return json.dumps(self.answer(parse(text)))

    def reservations(self) -> dict[str, float]:
        """The reserved starts of the last pass, in seconds by job id."""
        return {self._queue[owner].name: start / SECOND
                for owner, start in self._reserved.items()}

    # Steps: what events do when all of the message is as it has to be.

    def _begin(self, platform: Platform, forwards_unknown: bool) -> None:
        self._platform = platform
        self._nodes = Nodes(platform.cluster, self._options)
        self._forwards_unknown = forwards_unknown
        for node in platform.asleep:
            self._set_out(node, "asleep", True)

    def _end(self) -> None:
        self.is_over = True

    def _enter(self, job: _Job | None, name: str) -> None:
        self._jobs[name] = job
        if job is not None:
            self._queue[job.queued.owner] = job
        self._owners += 1

    def _stop(self, job: _Job) -> None:
        owner = job.queued.owner
        del self._running[owner]
        assert self._nodes is not None
        self._nodes.timeline.cancel(owner)
        self._jobs[job.name] = None

    def _set_out(self, node: int, reason: str, is_out: bool) -> None:
        assert self._nodes is not None
        if is_out == ((node, reason) in self._out):
            return
        if is_out:
            self._out.add((node, reason))
            self._nodes.take_out(node, reason)
            self._reservations.forget()
        else:
            self._out.remove((node, reason))
            self._nodes.put_back(node, reason)

    def _called(self) -> None:
        if self._calls:
            self._calls.remove(min(self._calls))

    # A moment, behind its events.

    def _advance(self, nodes: Nodes, now: int) -> None:
        first = min(self._reserved.values(), default=now)
        if first < now <= first + _SLACK:
            now = first
        now = max(now, self._now)
        if first < now:
            self._reservations.forget()  # it could not be kept
        late = {owner: job for owner, job in self._running.items() if job.end <= now}
        if late:
            by = now + 1 - min(job.end for job in late.values())
            if by <= _SLACK and all(job.is_limited for job in late.values()):
                self._reservations.put_off(by)  # their ends are still to come
            else:
                self._reservations.forget()
        for owner, job in late.items():
            job.end = now + 1
            nodes.timeline.set_end(owner, job.end)
        nodes.timeline.advance(now)
        self._now = now

    def _pass(self, nodes: Nodes) -> list[tuple[str, dict[str, Any]]]:
        """The jobs that start, and when to be called."""
        assert self._platform is not None
        self._reserved = {}
        if not self._queue:
            return []
        events: list[tuple[str, dict[str, Any]]] = []
        queue = [job.queued for job in self._queue.values()]
        result = self._reservations.decide(nodes.timeline, queue, nodes.finder)
        for one in result.starts:
            nodes.timeline.reserve(one.allocation, one.period)
            job = self._queue.pop(one.allocation.owner)
            job.end = one.period.stop
            job.nodes = [part.node for part in one.allocation.placement.nodes]
            self._running[one.allocation.owner] = job
            events.append(("EXECUTE_JOB", {"job_id": job.name,
                                           "alloc": self._platform.text(job.nodes)}))
        self._reserved = {one.allocation.owner: one.period.start for one in result.reservations}
        wake = self._reservations.wakes_at
        if wake is not None and wake not in self._calls and not any(
                job.end <= wake and job.is_limited for job in self._running.values()):
            self._calls.add(wake)
            events.append(("CALL_ME_LATER", {
                "timestamp": max(wake / SECOND, self._seconds + 1 / SECOND)}))
        return events

    def _estimate(self, nodes: Nodes, name: str, request: trestle.Request,
                  duration: int) -> tuple[str, dict[str, Any]]:
        """When the job could start, all that wait before it as reserved."""
        queue = [job.queued for job in self._queue.values()]
        queue.append(trestle.QueuedJob(self._owners, request, duration))
        result = trestle.schedule_pass(nodes.timeline, queue, self._discipline.replace(
            reservations_max=None, depth=None, horizon=None), nodes.finder)
        starts = [one.period.start for one in (*result.starts, *result.reservations)
                  if one.allocation.owner == self._owners]
        wait = (starts[0] - self._now) / SECOND if starts else -1
        return "ANSWER", {"estimate_waiting_time": {"job_id": name,
                                                    "estimated_waiting_time": wait}}


class _Draft:
    """What a message does, as far as it is read: steps that are still to be taken."""

    def __init__(self, scheduler: Scheduler, message: At) -> None:
        """Errors: BadMessage; the scheduler stays as it is."""
        self._scheduler = scheduler
        self._platform = scheduler._platform
        self._is_over = scheduler.is_over
        self._forwards_unknown = scheduler._forwards_unknown
        self._owners = scheduler._owners
        self._changed: dict[str, _Job | None] = {}
        self.steps: list[Callable[[], None]] = []
        self.replies: list[tuple[str, dict[str, Any]]] = []
        self.queries: list[tuple[str, trestle.Request, int]] = []
        now = message.get("now")
        self.now = now.seconds()
        if self.now < scheduler._seconds:
            raise now.unlike(f"{scheduler._seconds}, the last message's, or more")
        before: float = 0
        for event in message.get("events").each():
            if self._is_over:
                raise event.bad("the simulation is over; expected no more events")
            moment = event.get("timestamp")
            if not before <= moment.seconds() <= self.now:
                raise moment.unlike(f"seconds from {before}, of the event before, to {self.now},"
                                    " now of the message")
            before = moment.value
            kind = event.get("type").choice(tuple(_HANDLERS))
            if self._platform is None and kind != "SIMULATION_BEGINS":
                raise event.bad(f"{kind}; expected SIMULATION_BEGINS first")
            data = event.get("data")
            data.members()
            _HANDLERS[kind](self, data)

    def _do(self, step: Callable[..., None], *values: Any) -> None:
        self.steps.append(functools.partial(step, *values))

    def _places(self) -> Platform:
        assert self._platform is not None  # SIMULATION_BEGINS is the first event
        return self._platform

    def _find(self, name: str) -> _Job | None:
        return self._changed.get(name) if name in self._changed else (
            self._scheduler._jobs.get(name))

    def begins(self, data: At) -> None:
        """SIMULATION_BEGINS."""
        if self._platform is not None:
            raise data.bad("SIMULATION_BEGINS again; expected it once")
        config = data.find("config") or At({})
        unknown = config.find("forward-unknown-events") or data.find("forward-unknown-events")
        dynamic = config.find("dynamic-jobs-enabled")
        self._forwards_unknown = unknown is not None and unknown.flag()
        self._platform = Platform(data)
        if dynamic is not None and dynamic.flag():
            self.replies.append(("NOTIFY", {"type": "registration_finished"}))
        self._do(self._scheduler._begin, self._platform, self._forwards_unknown)

    def ends(self, data: At) -> None:
        """SIMULATION_ENDS."""
        self._is_over = True
        self._do(self._scheduler._end)

    def submitted(self, data: At) -> None:
        """JOB_SUBMITTED."""
        id = data.get("job_id")
        name = id.text()
        if name in self._changed or name in self._scheduler._jobs:
            raise id.bad(f"{name} was submitted before; expected another id")
        if data.find("job") is None:
            raise data.bad(f"no job; expected that of {name}: Batsim has to be run without Redis")
        request, walltime = self._asked(data.get("job"), name)
        owner, self._owners = self._owners, self._owners + 1
        duration = max(1, ticks(walltime or self._scheduler._walltime_default))
        job: _Job | None = _Job(name, trestle.QueuedJob(owner, request, duration),
                                walltime is not None)
        if not self._fits(request):
            job = None
            self.replies.append(("REJECT_JOB", {"job_id": name}))
        self._changed[name] = job
        self._do(self._scheduler._enter, job, name)

    def _asked(self, job: At, name: str) -> tuple[trestle.Request, float | None]:
        job.get("res").count(1)
        walltime = job.find("walltime")
        seconds = None if walltime is None else walltime.walltime()
        request = self._scheduler._request_of(job.value)
        if not isinstance(request, trestle.Request):
            raise ValueError(f"request of {name}: {request!r}; expected a Request")
        trestle.check(request)
        return request, seconds

    def _fits(self, request: trestle.Request) -> bool:
        return bool(self._scheduler._placer.place(self._places().cluster, request))

    def completed(self, data: At) -> None:
        """JOB_COMPLETED."""
        job = self._runs(data.get("job_id"))
        state = data.find("job_state")
        if state is not None:
            state.choice(_ENDS)
        alloc = data.find("alloc")
        if alloc is not None and self._places().nodes(alloc) != sorted(job.nodes):
            raise alloc.unlike(f"{self._places().text(job.nodes)}, as the job was executed on")
        self._stop(job)

    def _runs(self, id: At) -> _Job:
        job = self._find(id.text())
        if job is None or job.queued.owner not in self._scheduler._running:
            raise id.unlike("a job that runs")
        return job

    def _stop(self, job: _Job) -> None:
        self._changed[job.name] = None
        self._do(self._scheduler._stop, job)

    def killed(self, data: At) -> None:
        """JOB_KILLED: those that JOB_COMPLETED has not named before end now."""
        for id in data.get("job_ids").each():
            if self._find(id.text()) is not None:
                self._stop(self._runs(id))
            elif id.value not in self._changed and id.value not in self._scheduler._jobs:
                raise id.unlike("a job that was submitted")

    def notified(self, data: At) -> None:
        """NOTIFY."""
        kind = data.get("type")
        if kind.value in ("event_machine_unavailable", "event_machine_available"):
            for node in self._places().nodes(data.get("resources")):
                self._do(self._scheduler._set_out, node, "unavailable",
                         kind.value == "event_machine_unavailable")
        elif not self._forwards_unknown:
            kind.choice(_NOTICES)
        else:
            kind.text()

    def state_changed(self, data: At) -> None:
        """RESOURCE_STATE_CHANGED."""
        state = data.get("state")
        for node in self._places().nodes(data.get("resources")):
            self._do(self._scheduler._set_out, node, "asleep",
                     not self._places().takes_work(node, state))

    def called(self, data: At) -> None:
        """REQUESTED_CALL."""
        self._do(self._scheduler._called)

    def queried(self, data: At) -> None:
        """QUERY."""
        for kind, what in data.get("requests").members().items():
            if kind != "estimate_waiting_time":
                raise what.bad(f"{kind}; expected estimate_waiting_time")
            name = what.get("job_id").text()
            request, walltime = self._asked(what.get("job"), name)
            self.queries.append((name, request, max(1, ticks(
                walltime or self._scheduler._walltime_default))))

    def ignored(self, data: At) -> None:
        """ANSWER: nothing was asked."""


_NOTICES = ("no_more_static_job_to_submit", "no_more_external_event_to_occur",
            "event_machine_unavailable", "event_machine_available")
_HANDLERS: dict[str, Callable[[_Draft, At], None]] = {
    "SIMULATION_BEGINS": _Draft.begins, "SIMULATION_ENDS": _Draft.ends,
    "JOB_SUBMITTED": _Draft.submitted, "JOB_COMPLETED": _Draft.completed,
    "JOB_KILLED": _Draft.killed, "RESOURCE_STATE_CHANGED": _Draft.state_changed,
    "REQUESTED_CALL": _Draft.called, "NOTIFY": _Draft.notified, "QUERY": _Draft.queried,
    "ANSWER": _Draft.ignored}


@functools.lru_cache(1024)
def _hosts_alone(hosts: int) -> trestle.Request:
    return trestle.Request(nodes=hosts, exclusivity=trestle.Exclusivity.whole_node)
