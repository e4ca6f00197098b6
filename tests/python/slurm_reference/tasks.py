# SPDX-License-Identifier: Apache-2.0
"""Tasks to nodes, and CPUs to cores (section 4.8)."""

from __future__ import annotations

from dataclasses import dataclass

from .conf import Node, Parameters
from .node_fit import by_socket, cpus_per_core
from .options import Job


@dataclass(frozen=True)
class NodeShare:
    """A chosen node: cores it may use, CPUs it was chosen for, and its bounds."""

    node: Node
    cores: frozenset[int]
    cpus: int
    task_limit: int | None = None  # devices allow no more tasks here
    gres_min_cpus: int = 0


@dataclass(frozen=True)
class Placed:
    """Tasks and CPUs given to one node."""

    tasks: int
    cpus: int
    gres_cpus: int  # hardware threads that the devices bring with them, if more


def distribute(job: Job, shares: list[NodeShare]) -> list[Placed] | None:
    """Tasks and CPUs for each chosen node, in the order of the nodes."""
    if job.ntasks_per_node:
        return _fixed(job, shares)
    if job.ntasks is None:
        total = len(shares)
    else:
        total = job.ntasks
    if job.overcommit:
        return _overcommitted(job, shares, total)
    if job.plane:
        work = _Spreading(job, shares, total)
        work.planes(job.plane)
    else:
        work = _Spreading(job, shares, total)
        work.one_each()
        work.top_up()
        work.rounds()
    if not work.overfill():
        return None
    return work.placed()


def _overcommitted(job: Job, shares: list[NodeShare], total: int) -> list[Placed] | None:
    """CPUs for one task a node; the tasks are dealt evenly, as far as devices allow."""
    tasks = [0] * len(shares)
    while total:
        before = total
        for n, share in enumerate(shares):
            if total and (share.task_limit is None or tasks[n] < share.task_limit):
                tasks[n] += 1
                total -= 1
        if total == before:
            return None
    return [
        Placed(t, max(min(job.cpus_per_task, s.cpus), job.min_cpus_per_node), s.gres_min_cpus)
        for t, s in zip(tasks, shares)
    ]


def _fixed(job: Job, shares: list[NodeShare]) -> list[Placed]:
    cpus = job.ntasks_per_node * job.cpus_per_task
    return [
        Placed(job.ntasks_per_node, max(cpus, job.min_cpus_per_node), s.gres_min_cpus)
        for s in shares
    ]


class _Spreading:
    """Tasks handed out one after another; CPUs of a node never exceed what it was chosen for."""

    def __init__(self, job: Job, shares: list[NodeShare], total: int) -> None:
        self.job, self.shares, self.left = job, shares, total
        self.tasks = [0] * len(shares)
        self.cpus = [0] * len(shares)

    def _give(self, n: int) -> None:
        room = self.shares[n].cpus - self.cpus[n]
        self.cpus[n] += min(self.job.cpus_per_task, max(room, 0))
        self.tasks[n] += 1
        self.left -= 1

    def _may(self, n: int) -> bool:
        share = self.shares[n]
        limit = share.task_limit
        return (
            self.left > 0
            and share.cpus - self.cpus[n] >= self.job.cpus_per_task
            and (limit is None or self.tasks[n] < limit)
        )

    def one_each(self) -> None:
        for n in range(len(self.shares)):
            if self.left:
                self._give(n)

    def top_up(self) -> None:
        """Fill cores that are partly used before a new one is opened."""
        for n, share in enumerate(self.shares):
            threads = cpus_per_core(share.node, self.job)
            spare = -self.cpus[n] % threads
            for _ in range(spare // self.job.cpus_per_task):
                if self._may(n):
                    self._give(n)

    def rounds(self) -> None:
        """Round after round, a core's worth of tasks for each node."""
        moved = True
        while self.left and moved:
            moved = False
            for n, share in enumerate(self.shares):
                threads = cpus_per_core(share.node, self.job)
                for _ in range(max(1, threads // self.job.cpus_per_task)):
                    if self._may(n):
                        self._give(n)
                        moved = True

    def overfill(self) -> bool:
        """Tasks that found no CPUs share those of others, as far as devices per task allow."""
        while self.left:
            before = self.left
            for n, share in enumerate(self.shares):
                limit = share.task_limit
                if self.left and (limit is None or self.tasks[n] < limit):
                    self._give(n)
            if self.left == before:
                return False
        return True

    def planes(self, size: int) -> None:
        moved = True
        while self.left and moved:
            moved = False
            for n in range(len(self.shares)):
                for _ in range(size):
                    if self._may(n) or (self.left and not self.tasks[n]):
                        self._give(n)
                        moved = True

    def placed(self) -> list[Placed]:
        return [
            Placed(t, max(c, self.job.min_cpus_per_node), s.gres_min_cpus)
            for t, c, s in zip(self.tasks, self.cpus, self.shares)
        ]


def choose_cores(
    node: Node, cores: frozenset[int], place: Placed, job: Job, parameters: Parameters
) -> frozenset[int]:
    """Which of the cores serve the tasks and devices placed on the node."""
    level = job.second_level
    if not level:
        level = "block" if parameters.block_cores_by_default else "cyclic"
    if parameters.consumable == "cpu":
        level = "block"
    sockets = by_socket(node, cores)
    threads = cpus_per_core(node, job)
    cpus = max(place.cpus, -(-place.gres_cpus // node.threads) * threads)
    needed = min(-(-cpus // threads), len(cores))
    if job.ntasks_per_socket or level == "cyclic":
        chosen = _cyclic(sockets, cpus, job, threads)
    else:
        chosen = _block(sockets, needed)
    if parameters.consumable == "socket":
        touched = {node.socket_of(c) for c in chosen}
        chosen = {c for c in cores if node.socket_of(c) in touched}
    return frozenset(chosen)


def _block(sockets: list[list[int]], needed: int) -> set[int]:
    """Fewest sockets, of those the ones with fewest free cores, filled best fit first."""
    by_size = sorted(range(len(sockets)), key=lambda s: -len(sockets[s]))
    count, have = 0, 0
    while have < needed and count < len(by_size):
        have += len(sockets[by_size[count]])
        count += 1
    pool = _smallest_group(sockets, count, needed)
    chosen: set[int] = set()
    while needed > 0 and pool:
        fitting = [s for s in pool if len(sockets[s]) >= needed]
        if fitting:
            best = min(fitting, key=lambda s: len(sockets[s]))
        else:
            best = max(pool, key=lambda s: len(sockets[s]))
        pool.remove(best)
        take = sockets[best][:needed]
        chosen.update(take)
        needed -= len(take)
    return chosen


def _smallest_group(sockets: list[list[int]], count: int, needed: int) -> list[int]:
    """The group of that many sockets with enough free cores and fewest of them."""
    from itertools import combinations

    groups = [
        (sum(len(sockets[s]) for s in group), group)
        for group in combinations(range(len(sockets)), count)
    ]
    enough = [g for g in groups if g[0] >= needed]
    best = min(enough, key=lambda g: g[0]) if enough else groups[-1]
    return list(best[1])


def _cyclic(sockets: list[list[int]], cpus: int, job: Job, threads: int) -> set[int]:
    """Whole tasks socket after socket while a task fits in one, the rest a core at a time."""
    left = _without_avoided(sockets, cpus, job, threads)
    tasks_left = [job.ntasks_per_socket or len(s) * threads for s in sockets]
    chosen: set[int] = set()
    if job.cpus_per_task > 1:
        alone = job.ntasks_per_core == 1
        cpus = _whole_tasks(left, tasks_left, chosen, cpus, job.cpus_per_task, threads, alone)
    while cpus > 0 and any(left):
        for socket in left:
            if cpus > 0 and socket:
                chosen.add(socket.pop(0))
                cpus -= threads
    return chosen


def _without_avoided(
    sockets: list[list[int]], cpus: int, job: Job, threads: int
) -> list[list[int]]:
    """With --ntasks-per-socket the first sockets are left out while the later ones suffice."""
    left = [list(s) for s in sockets]
    if not job.ntasks_per_socket:
        return left
    most = job.ntasks_per_socket * job.cpus_per_task
    room = [len(s) * threads for s in sockets]
    for s, here in enumerate(room):
        if sum(room) > cpus:
            room[s] = min(here, most)
    for s, here in enumerate(room):
        if sum(room) > cpus and sum(room) - here >= cpus:
            room[s] = 0
            left[s] = []
    return left


def _whole_tasks(
    left: list[list[int]],
    tasks_left: list[int],
    chosen: set[int],
    cpus: int,
    per_task: int,
    threads: int,
    alone: bool,
) -> int:
    for socket, cores in enumerate(left):
        fit = min(len(cores) * threads // per_task, tasks_left[socket], cpus // per_task)
        take = -(-fit * per_task // threads)
        if alone:
            take = fit * -(-per_task // threads)
        chosen.update(cores[:take])
        del cores[:take]
        cpus -= fit * per_task
    return cpus
