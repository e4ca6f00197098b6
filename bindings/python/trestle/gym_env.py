# SPDX-License-Identifier: Apache-2.0
"""A Gymnasium environment: jobs come one by one, an action is the node that the job gets.

    env = PlacementEnv(cluster, [trestle.Request(tasks=4), ...], jobs=poisson_jobs(1000))
    observation, info = env.reset(seed=1)
    observation, reward, ended, _, info = env.step(env.action_space.sample(info["action_mask"]))

Cores, memory and devices on the node are chosen by Placer, which also says what the mask says.
Needs gymnasium and NumPy, in the extra [rl].
"""

from __future__ import annotations

import copy
import heapq
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import trestle
from trestle import _optional
from trestle._arrivals import amounts, next_arrival

__all__ = ["Answer", "Arrival", "Jobs", "LOOKS_MAX", "PlacementEnv", "poisson_jobs"]

_gymnasium = _optional.load("gymnasium", "rl")
_numpy = _optional.load("numpy", "rl")
_Env: Any = _gymnasium.Env

Arrival = tuple[int, int, int]
"""Position of the request, moment and run time of a job, 0 or more seconds; moments never go back.
"""
Jobs = Callable[[Any, int], Iterable[Arrival]]
"""jobs(random, requests) draws an episode from a numpy.random.Generator for so many requests."""
Answer = tuple[dict[str, Any], dict[str, Any]]
LOOKS_MAX = 100_000
"""States of nodes, and placements on them, that are remembered."""


def poisson_jobs(count: int, gap: float = 60, runtime: float = 3600) -> Jobs:
    """Jobs with requests drawn evenly; gaps and run times, at least 1 s, are exponential with these
    means in seconds. Errors: ValueError that names the argument from which nothing can be drawn."""
    if _index(count) < 1:
        raise ValueError(f"count {count!r}; expected an integer of 1 or more")
    if not (math.isfinite(gap) and gap >= 0):
        raise ValueError(f"gap {gap}; expected 0 or more seconds")
    if not (math.isfinite(runtime) and runtime > 0):
        raise ValueError(f"runtime {runtime}; expected more than 0 seconds")

    def draw(random: Any, requests: int) -> Iterable[Arrival]:
        moments = random.exponential(gap, count).cumsum().astype("int64").tolist()
        seconds = (random.exponential(runtime, count).astype("int64") + 1).tolist()
        return zip(random.integers(requests, size=count).tolist(), moments, seconds)
    return draw


def _index(value: Any) -> int:
    """The integer that the value stands for, -1 where it is none."""
    try:
        return operator.index(value)
    except TypeError:
        return -1


class _Look(NamedTuple):
    """At a node: the observation of it, which jobs fit, and what each would have."""

    free: Any
    room: Any
    """the same object for equal ones"""
    parts: Sequence[Any]
    placements: dict[tuple[int, int], trestle.Placement]
    """by request and node, of those that were asked for"""


class PlacementEnv(_Env):  # type: ignore[misc]  # gymnasium need not be there
    """Action N of N nodes drops the job; so does a node that has no room for it.

    An observation has `free` and `kind`. The first is the free share of cores, memory and devices
    of each node (0 for none there). The second is the request of the job that is to be placed. A
    reward is the value of a job that was placed. info["action_mask"], also action_masks(), has 1
    where the job has room. An episode ends with the last job. Equal seeds and actions give equal
    episodes. `cluster` is the present cluster, to be read.
    """

    def __init__(self, cluster: trestle.Cluster, requests: Sequence[trestle.Request],
                 jobs: Jobs = poisson_jobs(1000),
                 values: Sequence[float] | None = None,
                 options: trestle.PlaceOptions = trestle.PlaceOptions()) -> None:
        """`values` are of requests, by default 1 each. Errors: ValueError without requests, and for
        other than one finite value for each. The same for a request that fits on no idle node or
        has counts of the cluster, and for a partition with max_cpus_per_node."""
        self._values = [1.0] * len(requests) if values is None else [float(one) for one in values]
        if not requests or len(requests) != len(self._values):
            raise ValueError(f"{len(requests)} requests, {len(self._values)} values; expected as"
                             " many, 1 or more")
        for position, value in enumerate(self._values):
            if not math.isfinite(value):
                raise ValueError(f"values[{position}]: {value}; expected a finite number")
        count = cluster.node_count()
        self._given, self._requests, self._jobs = cluster, tuple(requests), jobs
        self._has_ended = True  # until reset()
        self._only = [trestle.NodeSet([node]) for node in range(count)]
        self._placer = trestle.Placer(options)
        idle = trestle.Cluster.create(cluster.parts())
        fits = [[bool(self._placer.place(idle, one, only)) for one in requests]
                for only in self._only]
        limited = [one.name for one in cluster.partitions() if one.max_cpus_per_node is not None]
        if limited:
            raise ValueError(f"cluster: partitions {', '.join(limited)} limit the CPUs of a node to"
                             " all their jobs; expected none that do")
        for position, request in enumerate(requests):
            if request.cluster_counts or not any(here[position] for here in fits):
                raise ValueError(f"requests[{position}]: expected what fits on one idle node, and"
                                 " no counts of the cluster")
        self._idle = [amounts(idle.free(node)) for node in range(count)]
        alike: dict[Any, dict[trestle.FreeState, _Look]] = {}
        self._known = [alike.setdefault(
            (cluster.class_of(node), *here, *(node in one.nodes for one in cluster.partitions())),
            {}) for node, here in enumerate(fits)]
        """Of each node, by what is free; one for nodes alike"""
        self._kept = 0  # in all of these
        self._rooms: dict[bytes, Any] = {}
        self._kinds = [_numpy.int64(kind) for kind in range(len(requests))]
        self.action_space = _gymnasium.spaces.Discrete(count + 1)
        self.observation_space = _gymnasium.spaces.Dict({
            "free": _gymnasium.spaces.Box(0, 1, (count, 3), _numpy.float32),
            "kind": _gymnasium.spaces.Discrete(len(requests))})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Answer:
        """The first job of a new episode, on the cluster as it was given; `options` are not used.
        Errors: ValueError for an episode without jobs, and for a first one that is no Arrival."""
        super().reset(seed=seed)
        self._has_ended = True
        self.cluster = copy.copy(self._given)
        self._arrivals = iter(self._jobs(self.np_random, len(self._requests)))
        self._arrived, self._job = 0, (0, 0, 0)
        self._ends: list[tuple[int, int, int]] = []  # moment, owner, node
        self._owner = 1 + max((one.owner for one in self._given.allocations()), default=0)
        self._free = _numpy.zeros((len(self._idle), 3), "float32")
        self._room = _numpy.zeros((len(self._requests), len(self._idle) + 1), "int8")
        self._looks: list[Any] = [None] * len(self._idle)
        self._room[:, -1] = 1
        for node in range(len(self._idle)):
            self._look(node)
        first = self._next_arrival()
        if first is None:
            raise ValueError("jobs: expected one or more in an episode")
        self._go_on_to(first)
        self._has_ended = False
        return self.observation(), {"action_mask": self.action_masks()}

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Places the job or drops it, and goes on to the moment of the next. Errors: ValueError for
        an action that is none, and for a next job that is no Arrival; gymnasium.error.ResetNeeded
        before reset() and after the end. What `jobs` raises passes, nothing is placed then, and the
        episode has ended."""
        if self._has_ended:
            raise _gymnasium.error.ResetNeeded("step: the episode has ended; expected reset()")
        node, last = _index(action), len(self._idle)
        if not 0 <= node <= last:
            raise ValueError(f"action {action!r}; expected an integer from 0 to {last}")
        self._has_ended = True  # should there be no next job
        coming = self._next_arrival()
        (kind, now, seconds), reward = self._job, 0.0
        if node < last and self._looks[node].parts[kind] is not None:
            self.cluster.adopt(self._owner, self._placement(node, kind))
            heapq.heappush(self._ends, (now + seconds, self._owner, node))
            self._owner += 1
            self._look(node)
            reward = self._values[kind]
        if coming is not None:
            self._go_on_to(coming)
            self._has_ended = False
        info = {"action_mask": self.action_masks()}
        return self.observation(), reward, self._has_ended, False, info

    def action_masks(self) -> Any:
        """int8 for each action; 1 where the job has room, and for dropping it."""
        return self._room[self._job[0]].copy()

    def _next_arrival(self) -> Arrival | None:
        """The next job, checked, or None when there is none."""
        found = next_arrival(self._arrivals, self._arrived, self._job[1], len(self._requests))
        self._arrived += found is not None
        return found

    def _go_on_to(self, job: Arrival) -> None:
        """To the moment at which it arrives."""
        self._job = job
        while self._ends and self._ends[0][0] <= job[1]:
            _, owner, node = heapq.heappop(self._ends)
            self.cluster.release(owner)
            self._look(node)

    def _look(self, node: int) -> None:
        """What the node has left, and which jobs fit there, from a node with the same state."""
        state = self.cluster.free(node)
        look = self._known[node].get(state)
        if look is None:
            self._make_room()
            look = self._known[node][state] = self._new_look(node, state)
        before, self._looks[node] = self._looks[node], look
        self._free[node] = look.free
        if before is None or look.room is not before.room:
            self._room[:, node] = look.room

    def _new_look(self, node: int, state: trestle.FreeState) -> _Look:
        found = [self._placer.place(self.cluster, one, self._only[node]) for one in self._requests]
        free = [a / b if b else 0 for a, b in zip(amounts(state), self._idle[node])]
        room = bytes(bool(one) for one in found)
        return _Look(_numpy.array(free, "float32"),
                     self._rooms.setdefault(room, _numpy.frombuffer(room, "int8")),
                     [one.nodes[0] if isinstance(one, trestle.Placement) else None
                      for one in found], {})

    def _placement(self, node: int, kind: int) -> trestle.Placement:
        """What the request has on the node. Requires: there is room."""
        look = self._looks[node]
        placement = look.placements.get((kind, node))
        if placement is None:
            self._make_room()
            placement = look.placements[kind, node] = trestle.Placement(
                [look.parts[kind].replace(node=node)])
        return placement  # type: ignore[no-any-return]  # looks are Any until reset()

    def _make_room(self) -> None:
        """For one more to be remembered."""
        self._kept += 1
        if self._kept > LOOKS_MAX:
            self._kept = 1
            for known in self._known:
                known.clear()

    def observation(self) -> dict[str, Any]:
        """What is free now, and the kind of the job that is to be placed."""
        return {"free": self._free.copy(), "kind": self._kinds[self._job[0]]}
