# SPDX-License-Identifier: Apache-2.0
"""A vectorised Gymnasium environment: many queues in time, an action is the job that starts next.

    env = QueueVectorEnv(8, cluster, [trestle.Request(tasks=4), ...], jobs=poisson_jobs(1000))
    observations, infos = env.reset(seed=1)
    observations, rewards, ended, _, infos = env.step(actions)

Where a job runs is the choice of Placer. When it starts is the agent's. gym_env has the environment
in which the agent chooses the node. Needs gymnasium and NumPy, in the extra [rl].
"""

from __future__ import annotations

import copy
import heapq
from collections.abc import Iterable, Sequence
from typing import Any

import trestle
from trestle import _optional
from trestle._arrivals import amounts, next_arrival
from trestle.gym_env import Arrival, Jobs, poisson_jobs

__all__ = ["QueueVectorEnv"]

_gymnasium = _optional.load("gymnasium", "rl")
_vector = _optional.load("gymnasium.vector", "rl")
_numpy = _optional.load("numpy", "rl")
_VectorEnv: Any = _vector.VectorEnv


class _Episode:
    """One cluster, its queue and its clock."""

    def __init__(self, cluster: trestle.Cluster, prepared: Sequence[trestle.PreparedRequest],
                 options: trestle.PlaceOptions, arrivals: Any, idle: Any) -> None:
        self.cluster, self._idle = copy.copy(cluster), idle
        self.free = _numpy.zeros(idle.shape, "float32")  # the free share of each amount of a node
        self._look(range(len(idle)))
        self._prepared, self._placer = prepared, trestle.Placer(options)
        self._arrivals, self._arrived = iter(arrivals), 0
        self.now = 0
        self.queue: list[Arrival] = []
        self._ends: list[tuple[int, int]] = []
        self._owner = 1 + max((one.owner for one in cluster.allocations()), default=0)
        self._found: dict[int, trestle.Placement | None] = {}  # by request, on the cluster as it is
        self._coming = self._next(0)
        if self._coming is None:
            raise ValueError("jobs: expected one or more in an episode")
        self._go_on_to(self._coming[1])

    @property
    def has_ended(self) -> bool:
        """Every job has started."""
        return not self.queue and self._coming is None

    def room(self, kind: int) -> trestle.Placement | None:
        """Where a job of this request would run now."""
        if kind not in self._found:
            answer = self._placer.place(self.cluster, self._prepared[kind])
            self._found[kind] = answer if isinstance(answer, trestle.Placement) else None
        return self._found[kind]

    def step(self, slot: int | None) -> float:
        """Starts the job in this place of the queue if it has room; else, and for None, waits.
        Minus the seconds that jobs wait, all together."""
        moments = [self._coming[1]] if self._coming is not None else []
        moments += [self._ends[0][0]] if self._ends else []
        placement = None
        if slot is not None and slot < len(self.queue):
            placement = self.room(self.queue[slot][0])
        if placement is None and not moments:  # the cluster is as it was given: each job fits
            slot, placement = 0, self.room(self.queue[0][0])
        if slot is not None and placement is not None:
            _, _, seconds = self.queue.pop(slot)
            self.cluster.adopt(self._owner, placement)
            heapq.heappush(self._ends, (self.now + seconds, self._owner))
            self._owner += 1
            self._changed(placement)
            if self._coming is not None and not self.queue:
                self._go_on_to(self._coming[1])
            return 0.0
        waited = len(self.queue) * (min(moments) - self.now)
        self._go_on_to(min(moments))
        return -float(waited)

    def _go_on_to(self, moment: int) -> None:
        """Jobs end and arrive up to the moment, and on to the next arrival if none waits then."""
        self.now = moment
        while self._ends and self._ends[0][0] <= self.now:
            self._changed(self.cluster.release(heapq.heappop(self._ends)[1]).placement)
        while self._coming is not None and self._coming[1] <= self.now:
            self.queue.append(self._coming)
            self._coming = self._next(self._coming[1])
        if not self.queue and self._coming is not None:
            self._go_on_to(self._coming[1])

    def _changed(self, placement: trestle.Placement) -> None:
        """This was given to a job, or back."""
        self._found.clear()
        self._look(part.node for part in placement.nodes)

    def _look(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            self.free[node] = [left / there if there else 0 for left, there in zip(
                amounts(self.cluster.free(node)), self._idle[node])]

    def _next(self, since: int) -> Arrival | None:
        found = next_arrival(self._arrivals, self._arrived, since, len(self._prepared))
        self._arrived += 1
        return found


class QueueVectorEnv(_VectorEnv):  # type: ignore[misc]  # gymnasium need not be there
    """Action s of `slots` starts the s-th waiting job, if it has room now. Action `slots`, an empty
    slot or one without room waits for the next arrival or end.

    An observation is `free`, of each node the free share of cores, memory and devices. Of each slot
    it is `kind`, 1 + the request or 0 for none, `waited` and `runtime` in seconds. `waiting`, all
    jobs of the queue; and `time`, seconds since the episode began. A reward is minus the seconds
    that jobs wait in this step, all together. `infos["action_mask"]`, also action_masks(), has 1
    for jobs that have room and for waiting. An episode ends when each job has started; the next
    step begins another one, whatever the action. Where no arrival or end is to come, waiting starts
    the first job. Equal seeds and actions give equal episodes.
    """

    metadata = {"autoreset_mode": _vector.AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int, cluster: trestle.Cluster, requests: Sequence[trestle.Request],
                 jobs: Jobs = poisson_jobs(1000), slots: int = 16,
                 options: trestle.PlaceOptions = trestle.PlaceOptions(
                     trestle.Policy.best_fit)) -> None:
        """`options` say where jobs go. Errors: ValueError for no environment, slot or request, and
        for a request that does not fit on the idle cluster."""
        if num_envs < 1 or slots < 1 or not requests:
            raise ValueError(f"{num_envs} environments, {slots} slots, {len(requests)} requests;"
                             " expected 1 or more of each")
        self._prepared = [trestle.PreparedRequest(one) for one in requests]
        for position, one in enumerate(self._prepared):
            refused = trestle.place(cluster, one, options)
            if not refused:
                raise ValueError(f"requests[{position}]: expected what fits on the cluster as it is"
                                 f" given; {refused}")
        self.num_envs, self._slots = num_envs, slots
        self._cluster, self._jobs, self._options = cluster, jobs, options
        count = cluster.node_count()
        idle = trestle.Cluster.create(cluster.parts())
        self._idle = _numpy.array([amounts(idle.free(node)) for node in range(count)])
        spaces, most = _gymnasium.spaces, _numpy.finfo("float32").max
        self.single_action_space = spaces.Discrete(slots + 1)
        self.single_observation_space = spaces.Dict({
            "free": spaces.Box(0, 1, (count, 3), _numpy.float32),
            "kind": spaces.MultiDiscrete([len(requests) + 1] * slots),
            "waited": spaces.Box(0, most, (slots,), _numpy.float32),
            "runtime": spaces.Box(0, most, (slots,), _numpy.float32),
            "waiting": spaces.Box(0, most, (1,), _numpy.float32),
            "time": spaces.Box(0, most, (1,), _numpy.float32)})
        batch = _vector.utils.batch_space
        self.action_space = batch(self.single_action_space, num_envs)
        self.observation_space = batch(self.single_observation_space, num_envs)
        self._random: list[Any] = []
        self._episodes: list[_Episode] = []

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """New episodes; environment i has the seed `seed` + i, or that of a list. `options` are not
        used. Errors: ValueError for a list of another length, for an episode without jobs, and for
        a job that is no Arrival."""
        seeds: list[int | None] = [None] * self.num_envs
        if isinstance(seed, int):
            seeds = [seed + at for at in range(self.num_envs)]
        elif seed is not None:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {len(seeds)} of them; expected {self.num_envs}")
        self._random = [
            self._random[at] if one is None and self._random
            else _gymnasium.utils.seeding.np_random(one)[0] for at, one in enumerate(seeds)]
        self._episodes = [self._begin(at) for at in range(self.num_envs)]
        return self.observations(), {"action_mask": self.action_masks()}

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        """One action for each environment. Errors: ValueError for actions that are none, and
        nothing has happened then; gymnasium.error.ResetNeeded before reset(). What `jobs` raises
        passes; call reset() then."""
        if not self._episodes:
            raise _gymnasium.error.ResetNeeded("step: expected reset() before")
        given = _numpy.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu" or not (
                (given >= 0) & (given <= self._slots)).all():
            raise ValueError(f"actions {actions!r}; expected {self.num_envs} integers from 0 to"
                             f" {self._slots}")
        rewards = _numpy.zeros(self.num_envs, "float64")
        for at, slot in enumerate(given.tolist()):
            if self._episodes[at].has_ended:
                self._episodes[at] = self._begin(at)
            else:
                rewards[at] = self._episodes[at].step(slot if slot < self._slots else None)
        ended = _numpy.array([one.has_ended for one in self._episodes])
        infos = {"action_mask": self.action_masks()}
        return self.observations(), rewards, ended, _numpy.zeros(self.num_envs, bool), infos

    def action_masks(self) -> Any:
        """int8, a row for each environment; 1 where the job has room, and for waiting."""
        masks = _numpy.zeros((self.num_envs, self._slots + 1), "int8")
        masks[:, -1] = 1
        for row, one in zip(masks, self._episodes):
            for slot, (kind, _, _) in enumerate(one.queue[:self._slots]):
                row[slot] = one.room(kind) is not None
        return masks

    def observations(self) -> dict[str, Any]:
        """What there is now, a row for each environment."""
        shape = (self.num_envs, self._slots)
        kind = _numpy.zeros(shape, "int64")
        waited, runtime = _numpy.zeros(shape, "float32"), _numpy.zeros(shape, "float32")
        for at, one in enumerate(self._episodes):
            for slot, (request, arrival, seconds) in enumerate(one.queue[:self._slots]):
                kind[at, slot] = request + 1
                waited[at, slot], runtime[at, slot] = one.now - arrival, seconds
        return {
            "free": _numpy.stack([one.free for one in self._episodes]),
            "kind": kind, "waited": waited, "runtime": runtime,
            "waiting": _numpy.array([[len(one.queue)] for one in self._episodes], "float32"),
            "time": _numpy.array([[one.now] for one in self._episodes], "float32")}

    def _begin(self, at: int) -> _Episode:
        return _Episode(self._cluster, self._prepared, self._options,
                        self._jobs(self._random[at], len(self._prepared)), self._idle)
