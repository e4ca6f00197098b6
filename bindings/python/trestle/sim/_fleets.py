# SPDX-License-Identifier: Apache-2.0
"""Elastic fleets: which nodes are on, ordered or off, and what they are ordered for."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Sequence

import trestle

from ._agenda import Agenda, Rank
from ._event_log import EventLog
from ._nodes import Nodes
from .events import EventKind
from .world import ElasticFleet

_OFF = "off"


class Fleets:
    """All fleets of a simulation. A node is on, ordered, or off."""

    def __init__(self, fleets: Sequence[ElasticFleet], discipline: trestle.Discipline,
                 nodes: Nodes, agenda: Agenda, events: EventLog) -> None:
        self.powered: dict[int, list[range]] = {}
        """By node when it was on, in seconds; the last period may be missing until close()."""
        self._nodes, self._agenda, self._events = nodes, agenda, events
        self._fleets = fleets
        self._discipline = discipline
        self._finder = trestle.StartFinder(nodes.options, nodes.policy)  # of trials
        self._of = {node: at for at, fleet in enumerate(fleets) for node in fleet.nodes}
        self._on: dict[int, int] = {}  # since when
        self._ordered: set[int] = set()
        self._on_count = [0] * len(fleets)
        self._ordered_count = [0] * len(fleets)
        self._jobs: Counter[int] = Counter()
        self._idle: dict[int, int] = {}  # since when
        for fleet in fleets:
            for position, node in enumerate(fleet.nodes):
                self.powered[node] = []
                if position < fleet.nodes_min:
                    self._switch_on(node, 0)
                else:
                    nodes.take_out(node, _OFF)

    def enter(self, nodes: Iterable[int]) -> None:
        """A job starts on the nodes."""
        for node in nodes:
            self._jobs[node] += 1
            self._idle.pop(node, None)

    def leave(self, nodes: Iterable[int], now: int) -> None:
        """A job ends on the nodes."""
        for node in nodes:
            self._jobs[node] -= 1
            if self._jobs[node] == 0 and node in self._on:
                self._rest(node, now)

    def is_on(self, node: int) -> bool:
        """True when jobs may have the node, as far as its fleet goes."""
        return node in self._on

    def switch_off(self, node: int, now: int) -> None:
        """The node is off. Requires: it is on, and no job has anything on it."""
        self.powered[node].append(range(self._on.pop(node), now))
        self._on_count[self._of[node]] -= 1
        self._idle.pop(node, None)
        self._nodes.take_out(node, _OFF)
        self._events.add(now, EventKind.node_off, node=node)

    def close(self, now: int) -> None:
        """The end of the simulation."""
        for node, since in self._on.items():
            self.powered[node].append(range(since, now))

    def settle(self, waiting: Sequence[trestle.QueuedJob], now: int) -> bool:
        """Orders what waiting jobs want and the fleets' minima, and switches off what has failed or
        was idle too long. True when something was switched off."""
        failed = [node for node in self._on if self._has_failed(node)]
        for node in failed:
            self.switch_off(node, now)
        sound = Counter(self._of[node] for node in self._ordered if not self._has_failed(node))
        for at, fleet in enumerate(self._fleets):
            more = min(fleet.nodes_min - self._on_count[at] - sound[at], self._room(at))
            if more > 0:
                for node in self._off(fleet)[:more]:
                    self._order(node, now)
        wanted = self._order_for(waiting, now) if waiting else set()
        idle = [node for node, since in self._idle.items()
                if node not in wanted and self._is_over(node, since, now)]
        was_off = bool(failed)
        for node in sorted(idle, reverse=True):
            at = self._of[node]
            if self._on_count[at] > self._fleets[at].nodes_min:
                self.switch_off(node, now)
                was_off = True
        return was_off

    def _order_for(self, waiting: Sequence[trestle.QueuedJob], now: int) -> set[int]:
        """As if what is ordered were on; then, for those left, as if all were that may be. Returns
        the nodes that are wanted, now or as reserved."""
        wanted: set[int] = set()
        trial = copy.copy(self._nodes.timeline)
        spare = self._spare(trial, waiting)
        for more in (self._ordered, spare):
            self._nodes.open_in(trial, sorted(more), _OFF)
            result = trestle.schedule_pass(trial, waiting, self._discipline, self._finder)
            for one in result.starts:
                trial.reserve(one.allocation, one.period)
            if more is spare:
                for node in sorted(spare & _nodes_of(result.starts)):
                    self._order(node, now)
            wanted |= _nodes_of((*result.starts, *result.reservations))
            waiting = [job for job in waiting if trial.period_of(job.owner) is None]
        return wanted

    def _order(self, node: int, now: int) -> None:
        self._ordered.add(node)
        self._ordered_count[self._of[node]] += 1
        self._events.add(now, EventKind.ordered, node=node)
        at = now + self._fleet_of(node).provisioning
        self._agenda.add(at, Rank.back, lambda: self._arrive(node, at))

    def _arrive(self, node: int, now: int) -> None:
        self._ordered.remove(node)
        self._ordered_count[self._of[node]] -= 1
        self._nodes.put_back(node, _OFF)
        self._switch_on(node, now)
        self._events.add(now, EventKind.node_on, node=node)

    def _switch_on(self, node: int, now: int) -> None:
        self._on[node] = now
        self._on_count[self._of[node]] += 1
        self._rest(node, now)

    def _rest(self, node: int, now: int) -> None:
        self._idle[node] = now
        idle = self._fleet_of(node).idle
        if idle is not None:
            self._agenda.wake(now + idle)

    def _is_over(self, node: int, since: int, now: int) -> bool:
        idle = self._fleet_of(node).idle
        return idle is not None and since + idle <= now

    def _fleet_of(self, node: int) -> ElasticFleet:
        return self._fleets[self._of[node]]

    def _off(self, fleet: ElasticFleet) -> list[int]:
        """What may be ordered: off, and not failed."""
        return [node for node in fleet.nodes if node not in self._on and node not in self._ordered
                and not self._has_failed(node)]

    def _room(self, at: int) -> int:
        """How many nodes of the fleet there may be ordered."""
        return self._fleets[at].most - self._on_count[at] - self._ordered_count[at]

    def _has_failed(self, node: int) -> bool:
        return self._nodes.is_out(node, besides=_OFF)

    def _spare(self, timeline: trestle.Timeline, waiting: Sequence[trestle.QueuedJob]) -> set[int]:
        """What there may be besides. Where not all may be, of each fleet first those on which jobs
        that are not too large for it would start if all were."""
        fleets = [(dict.fromkeys(self._off(fleet)), self._room(at))
                  for at, fleet in enumerate(self._fleets)]
        wanted: dict[int, None] = {}  # in the order of starts
        if any(0 < room < len(off) for off, room in fleets):
            trial = copy.copy(timeline)
            for off, room in fleets:
                self._nodes.open_in(trial, off if room else (), _OFF)
            too_large = {-1}
            while too_large:
                waiting = [job for job in waiting if job.owner not in too_large]
                result = trestle.schedule_pass(trial, waiting, self._discipline, self._finder)
                too_large = {one.allocation.owner for one in result.starts for off, room in fleets
                             if len(_nodes_of([one]) & off.keys()) > room}
            wanted = dict.fromkeys(node for one in result.starts
                                   for node in sorted(_nodes_of([one])))
        return {node for off, room in fleets
                for node in [*(node for node in wanted if node in off),
                             *(node for node in off if node not in wanted)][:room]}


def _nodes_of(allocations: Iterable[trestle.TimedAllocation]) -> set[int]:
    return {part.node for one in allocations for part in one.allocation.placement.nodes}
