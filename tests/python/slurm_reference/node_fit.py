# SPDX-License-Identifier: Apache-2.0
"""What one node can give to a job. Nothing here knows of another node.

`offer` is the first look (sections 4.3 and 4.5 of the notes): free cores, CPUs after every
limit, GRES by socket. `narrow` is the second (4.6), made each time the node is considered:
cores and GRES are matched by socket and the number of tasks is bounded. Both are pure in
(node, what is free on it, job, parameters) plus the few numbers in `Bounds`, so their answers
may be kept per distinct node state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .conf import Device, Gres, Node, Parameters, spec_order
from .options import GresWant, Job
from .state import Free

NO_LIMIT = 1 << 30


@dataclass(frozen=True)
class SocketGres:
    """Free GRES of one wanted (name, type), by place. Units of shared devices count as one."""

    want: GresWant
    anywhere: int  # no affinity, or affine to every socket; counters too
    by_socket: tuple[int, ...]
    total: int
    placed: bool  # devices with an index, as opposed to a bare number


@dataclass(frozen=True)
class Offer:
    """A node's first answer."""

    cores: frozenset[int]
    cpus: int
    gres: tuple[SocketGres, ...]
    memory: int
    near_gpus: int  # GPUs on sockets with free cores, no more than asked for in all


@dataclass(frozen=True)
class Bounds:
    """What a node must know of the rest: the pass and how many tasks it may take."""

    first_pass: bool
    min_tasks: int
    max_tasks: int


@dataclass(frozen=True)
class Narrowed:
    """A node's answer under bounds."""

    cores: frozenset[int]
    cpus: int
    max_tasks: int
    hard_task_limit: bool  # a count per task: no node may hold more tasks than devices allow
    gres_min_cpus: int
    bound_cpus: int = 0  # enforce-binding: CPUs of the most tasks, given if the cap allows
    gres: tuple[tuple[GresWant, int], ...] = ()  # devices the job can use here


def cpus_per_core(node: Node, job: Job) -> int:
    """Hardware threads of a core that the job counts as CPUs."""
    threads = node.threads
    if job.ntasks_per_core:
        threads = min(threads, job.ntasks_per_core * job.cpus_per_task)
    if job.threads_per_core:
        threads = min(threads, job.threads_per_core)
    return threads


def charged_threads(node: Node, job: Job) -> int:
    """CPUs of an allocated core for which memory per CPU is charged."""
    return min(node.threads, job.threads_per_core) if job.threads_per_core else node.threads


def allocation_unit(node: Node, job: Job, parameters: Parameters) -> int:
    """CPUs that come and go together when a node is given less than it has."""
    unit = cpus_per_core(node, job)
    if parameters.consumable == "socket":
        unit *= node.cores_per_socket
    return unit


def usable_cores(node: Node, job: Job, parameters: Parameters) -> frozenset[int]:
    """All cores less those set aside by the node or by the job's own --core-spec."""
    every = frozenset(range(node.cores))
    if job.core_spec is None:
        return every - node.spec_cores
    if not parameters.allow_spec_use:
        return every - node.spec_cores
    aside = set(node.spec_cores)
    for core in spec_order(node.sockets, node.cores_per_socket, parameters.spec_first):
        if len(aside) > job.core_spec:
            aside.discard(core)
        elif len(aside) < job.core_spec:
            aside.add(core)
    return every - aside


# --- first look -------------------------------------------------------------------------


def offer(
    node: Node,
    free: Free,
    job: Job,
    parameters: Parameters,
    max_cpus: int | None,
    max_cpus_per_socket: int | None = None,
) -> Offer | None:
    """The node's first answer; None: it cannot take part."""
    if not _static_limits(node, job):
        return None
    cores = usable_cores(node, job, parameters) - free.busy
    if job.whole_node and (free.busy or any(g.touched for g in free.gres)):
        return None
    if parameters.consumable == "socket":
        cores = _whole_sockets(node, cores, free.busy)
    gres = _socket_gres(node, free, job)
    if gres is None:
        return None
    room = _cpu_room(node, job, free, max_cpus)
    cut = _cut_sockets(node, free, cores, max_cpus_per_socket)
    if job.whole_node and cut != cores:
        return None
    cores = cut
    kept = _kept_cores(node, cores, job, parameters, room)
    if kept is None:
        return None
    cores, cpus = kept
    gres = _usable_gres(node, gres, job, cores, cpus, free.memory)
    if gres is None:
        return None
    cpus = _memory_trim(node, cpus, free, job, parameters)
    if cpus <= 0:
        return None
    return Offer(cores, cpus, gres, free.memory, _near_gpus(node, gres, cores))


def _near_gpus(node: Node, gres: tuple[SocketGres, ...], cores: frozenset[int]) -> int:
    """What the node's weight is lowered by: more GPUs near free cores go first."""
    sockets = by_socket(node, cores)
    near = 0
    for found in gres:
        if found.want.name == "gpu":
            want = found.want
            each = want.per_socket or NO_LIMIT
            count = sum(min(n, each) for n, s in zip(found.by_socket, sockets) if s)
            near += min(count + found.anywhere, want.per_node or want.per_job or NO_LIMIT)
    return min(near, 255)


def _static_limits(node: Node, job: Job) -> bool:
    return (
        job.sockets_per_node <= node.sockets
        and job.cores_per_socket <= node.cores_per_socket
        and job.threads_per_core <= node.threads
        and job.tmp_disk == 0
    )


def _whole_sockets(node: Node, cores: frozenset[int], busy: frozenset[int]) -> frozenset[int]:
    """Under CR_Socket a socket with any used core gives nothing."""
    taken = {node.socket_of(c) for c in busy}
    return frozenset(c for c in cores if node.socket_of(c) not in taken)


def by_socket(node: Node, cores: frozenset[int]) -> list[list[int]]:
    """Cores of each socket in index order."""
    return [[c for c in node.socket_cores(s) if c in cores] for s in range(node.sockets)]


def _cpu_room(node: Node, job: Job, free: Free, max_cpus: int | None) -> int:
    """CPUs that MaxCPUsPerNode leaves."""
    if max_cpus is None:
        return NO_LIMIT
    return max_cpus - len(free.partition_cores) * node.threads


def _cut_sockets(
    node: Node, free: Free, cores: frozenset[int], max_cpus: int | None
) -> frozenset[int]:
    """The first cores of each socket that MaxCPUsPerSocket leaves."""
    if max_cpus is None:
        return cores
    left: list[int] = []
    for s, socket in enumerate(by_socket(node, cores)):
        used = sum(node.socket_of(c) == s for c in free.partition_cores)
        left += socket[: max(0, (max_cpus - used * node.threads) // node.threads)]
    return frozenset(left)


def _kept_cores(
    node: Node,
    cores: frozenset[int],
    job: Job,
    parameters: Parameters,
    room: int,
) -> tuple[frozenset[int], int] | None:
    """Cores and CPUs after the job's limits per socket, core and node."""
    threads = cpus_per_core(node, job)
    sockets = by_socket(node, cores)
    if job.cores_per_socket:
        sockets = [s if len(s) >= job.cores_per_socket else [] for s in sockets]
    if job.sockets_per_node and sum(bool(s) for s in sockets) < job.sockets_per_node:
        return None
    free_cpus = min(sum(len(s) * threads for s in sockets), room)
    per_socket = [len(s) * threads for s in sockets]
    if job.ntasks_per_socket:
        tasks = sum(min(c, job.ntasks_per_socket) for c in per_socket)
    else:
        tasks = free_cpus
    if job.ntasks_per_node and not job.whole_node:
        tasks = min(tasks, job.ntasks_per_node)
    cpus = min(free_cpus, tasks)
    if job.ntasks_per_core == 1 and job.cpus_per_task > threads:
        whole = -(-job.cpus_per_task // threads) * threads
        tasks = min(tasks, free_cpus // whole)
        cpus = tasks * job.cpus_per_task
    elif job.cpus_per_task > 1:
        tasks = min(tasks, free_cpus // job.cpus_per_task)
        cpus = free_cpus
    if job.whole_node:
        cpus = free_cpus
    cpus = max(cpus, min(free_cpus, job.min_cpus_per_node))
    if tasks <= 0 or tasks < job.ntasks_per_node or job.min_cpus_per_node > free_cpus:
        return None
    if job.whole_node:
        if room < sum(per_socket):
            return None
        return frozenset(c for s in sockets for c in s), cpus
    return _limit_sockets(sockets, cpus, job, threads, parameters.consumable == "socket")


def _limit_sockets(
    sockets: list[list[int]], cpus: int, job: Job, threads: int, whole_sockets: bool
) -> tuple[frozenset[int], int]:
    """--ntasks-per-socket leaves that many tasks' worth of whole cores on each socket."""
    kept = sockets
    if job.ntasks_per_socket:
        most = -(-job.ntasks_per_socket * job.cpus_per_task // threads)
        kept = [s[:most] for s in sockets]
        cpus = sum(len(s) for s in kept) * threads
        if whole_sockets:
            kept = sockets
    return frozenset(c for s in kept for c in s), cpus


def device_units(gres: Gres, want: GresWant, left: tuple[int, ...]) -> list[tuple[Device, int]]:
    """Devices of the wanted type with the units they still have."""
    return [
        (d, units)
        for d, units in zip(gres.devices, left)
        if units > 0 and want.type in ("", d.type)
    ]


def touched_sockets(node: Node, device: Device) -> list[int]:
    """Sockets the device is near; empty for one that is near to all."""
    if device.cores is None:
        return []
    near = sorted({node.socket_of(c) for c in device.cores})
    return [] if len(near) == node.sockets else near


def _socket_gres(node: Node, free: Free, job: Job) -> tuple[SocketGres, ...] | None:
    result = []
    for want in job.gres:
        if not want.counted:
            continue
        spec, left = node.gres_named(want.name), free.of(want.name)
        if spec is None or left is None:
            return None
        found = _one_socket_gres(node, spec, left.units, left.counters, want)
        if want.per_socket:
            found = _per_socket_only(found, want.per_socket)
        if found.total < max(want.per_node, want.per_task, 1):
            return None
        result.append(found)
    return tuple(result)


def _one_socket_gres(
    node: Node,
    spec: Gres,
    left: tuple[int, ...],
    counters: tuple[tuple[str, int], ...],
    want: GresWant,
) -> SocketGres:
    anywhere = sum(n for t, n in counters if want.type in ("", t))
    sockets = [0] * node.sockets
    total = anywhere
    for device, units in device_units(spec, want, left):
        near = touched_sockets(node, device)
        if spec.shared:
            if not near:
                anywhere = max(anywhere, units)
            for socket in near:
                sockets[socket] = max(sockets[socket], units)
            total += units
            continue
        anywhere += units if not near else 0
        for socket in near:
            sockets[socket] += units
        total += units
    return SocketGres(want, anywhere, tuple(sockets), total, bool(spec.devices))


def _per_socket_only(found: SocketGres, per_socket: int) -> SocketGres:
    """A count per socket: a socket with fewer gives nothing."""
    sockets = tuple(n if n >= per_socket else 0 for n in found.by_socket)
    return replace(found, by_socket=sockets, total=sum(sockets) + found.anywhere)


def least_gres(want: GresWant, job: Job) -> int:
    """The fewest devices that make the node worth looking at."""
    if want.per_node:
        return want.per_node
    if want.per_socket:
        return want.per_socket * job.sockets_per_node
    if want.per_task:
        return want.per_task * max(1, job.ntasks_per_node)
    return 1


def _usable_gres(
    node: Node,
    gres: tuple[SocketGres, ...],
    job: Job,
    cores: frozenset[int],
    cpus: int,
    memory: int,
) -> tuple[SocketGres, ...] | None:
    """GRES left when those that cannot be reached, fed with CPUs or with memory are gone."""
    result = []
    for found in gres:
        want = found.want
        if job.enforce_binding and found.placed:
            sockets = tuple(
                n if s else 0 for n, s in zip(found.by_socket, by_socket(node, cores))
            )
            lost = sum(found.by_socket) - sum(sockets)
            found = replace(found, by_socket=sockets, total=found.total - lost)
        most = found.total
        if want.cpus_per:
            most = min(most, cpus // want.cpus_per)
        if want.mem_per:
            most = min(most, memory // want.mem_per)
        if most < least_gres(want, job):
            return None
        result.append(replace(found, total=most))
    return tuple(result)


def _memory_trim(node: Node, cpus: int, free: Free, job: Job, parameters: Parameters) -> int:
    """CPUs that the node's free memory can serve."""
    if job.mem_per_cpu is not None:
        unit = allocation_unit(node, job, parameters)
        charged = 1  # CPUs charged for each CPU counted: whole cores under --ntasks-per-core
        if parameters.consumable == "cpu":
            unit = 1
        else:
            charged = charged_threads(node, job) // cpus_per_core(node, job)
        while cpus > 0 and job.mem_per_cpu * cpus * charged > free.memory:
            cpus -= unit
        if job.cpus_per_task > 1:
            cpus -= cpus % job.cpus_per_task
        return 0 if cpus < max(1, job.ntasks_per_node) else cpus
    if job.memory == 0:
        return cpus if free.memory == node.memory else 0
    if job.memory is not None and job.memory > free.memory:
        return 0
    return cpus


# --- second look ------------------------------------------------------------------------


def narrow(
    node: Node, first: Offer, job: Job, parameters: Parameters, bounds: Bounds
) -> Narrowed | None:
    """The node's answer under bounds; None: not in this pass."""
    threads = cpus_per_core(node, job)
    most = first.cpus // job.cpus_per_task
    if job.overcommit and most:
        most = NO_LIMIT
    most = min(bounds.max_tasks, most)
    if most < bounds.min_tasks or most == 0:
        return None
    if not first.gres:
        return Narrowed(first.cores, first.cpus, most, False, 0)
    whole_sockets = parameters.consumable == "socket"
    work = _Matching(node, first, job, bounds, threads, most, whole_sockets)
    return work.run()


class _Matching:
    """Cores against GRES on one node: which sockets are needed, how many tasks, which cores."""

    def __init__(
        self,
        node: Node,
        first: Offer,
        job: Job,
        bounds: Bounds,
        threads: int,
        most: int,
        whole_sockets: bool,
    ) -> None:
        self.node, self.first, self.job, self.bounds = node, first, job, bounds
        self.threads = threads
        self.tasks = most
        self.sockets = by_socket(node, first.cores)
        self.required: set[int] = set()
        self.gres_cpus = 0
        self.hard = False
        self.whole_sockets = whole_sockets

    def run(self) -> Narrowed | None:
        strict = self.job.enforce_binding or self.bounds.first_pass
        for found in self.first.gres:
            if found.placed and not self._one(found, strict):
                return None
        if self.tasks < max(1, self.bounds.min_tasks):
            return None
        if strict and self.required:
            self.sockets = [s if i in self.required else [] for i, s in enumerate(self.sockets)]
        needed = self._find_tasks()
        if needed is None:
            return None
        if not self.job.whole_node:
            self._drop_surplus(needed)
        cores = frozenset(c for s in self.sockets for c in s)
        if self.job.whole_node:
            cores = self.first.cores
        cpus = min(self.first.cpus, len(cores) * self.threads)
        served = needed * self.threads if self.required else cpus
        bound = needed * self.threads if self.job.enforce_binding else 0
        return Narrowed(
            cores,
            cpus,
            self.tasks,
            self.hard,
            self.gres_cpus,
            bound,
            self._usable_gres(served),
        )

    def _usable_gres(self, cpus: int) -> tuple[tuple[GresWant, int], ...]:
        """Devices the job can use here: a count per task only for tasks on whole cores."""
        whole = self.job.cpus_per_task
        if self.threads % whole:
            whole = -(-whole // self.threads) * self.threads
        counts = []
        for found in self.first.gres:
            count = found.total
            if found.want.per_task and not self.job.overcommit:
                count = min(count, max(1, cpus // whole) * found.want.per_task)
            counts.append((found.want, count))
        return tuple(counts)

    def _cpus_per_gres(self, want: GresWant) -> int:
        """CPUs each device brings with it: asked for, or in the first pass what tasks imply."""
        job = self.job
        if want.cpus_per or job.overcommit:
            return want.cpus_per
        if job.ntasks_per_gpu and want.name == "gpu":
            return job.ntasks_per_gpu * job.cpus_per_task
        if not self.bounds.first_pass or not want.per_job:
            return 0
        if job.tasks % want.per_job == 0:
            return job.tasks // want.per_job * job.cpus_per_task
        if want.per_job % job.tasks == 0:
            per_task = want.per_job // job.tasks
            if job.cpus_per_task % per_task == 0:
                return job.cpus_per_task // per_task
        return 0

    def _one(self, found: SocketGres, strict: bool) -> bool:
        """Sockets needed for one GRES; False: the node cannot serve it."""
        want, job = found.want, self.job
        per = self._cpus_per_gres(want)
        least_tasks = 1 if job.overcommit else max(1, self.bounds.min_tasks)
        least = least_tasks * job.cpus_per_task
        least_cores = -(-least // self.threads)
        enough = (
            want.per_node or want.per_socket * job.sockets_per_node or want.per_job or NO_LIMIT
        )
        order = sorted(range(self.node.sockets), key=lambda s: -len(self.sockets[s]))
        reach = found.anywhere
        strip = (self.bounds.first_pass or want.per_socket > 0) and not found.anywhere
        if found.anywhere:
            self.required.update(s for s in order if self.sockets[s])
        for socket in order:
            if reach >= enough:
                break
            count = min(found.by_socket[socket], want.per_socket or NO_LIMIT)
            if strict and per:
                count = min(count, len(self.sockets[socket]) * self.threads // per)
            if count and (self.sockets[socket] or not strict):
                self.required.add(socket)
                reach += count
            elif count == 0 and strip and socket not in self.required:
                self._strip(socket, least_cores)
        reach = found.total if want.per_socket else min(reach, found.total)
        if reach < least_gres(want, job):
            return False
        self._bound_tasks(found, reach, enough)
        return True

    def _strip(self, socket: int, least_cores: int) -> None:
        while self.sockets[socket] and sum(map(len, self.sockets)) > least_cores:
            self.sockets[socket].pop()

    def _bound_tasks(self, found: SocketGres, reach: int, enough: int) -> None:
        want, job = found.want, self.job
        if want.per_task:
            self.tasks = min(self.tasks, reach // want.per_task)
            self.hard = True
        if want.cpus_per and not want.per_job:
            self.gres_cpus = max(self.gres_cpus, min(reach, enough) * want.cpus_per)

    def _find_tasks(self) -> int | None:
        """Cores for the largest number of tasks that the cores left can hold."""
        have = sum(map(len, self.sockets))
        while self.tasks >= max(1, self.bounds.min_tasks):
            tasks = 1 if self.job.overcommit else self.tasks
            needed = -(-tasks * self.job.cpus_per_task // self.threads)
            if self.job.ntasks_per_core == 1:
                needed = tasks * -(-self.job.cpus_per_task // self.threads)
            needed = max(needed, -(-self.gres_cpus // self.node.threads))
            if self.job.enforce_binding and not any(g.want.per_socket for g in self.first.gres):
                needed = max(needed, len(self.required))
                self.gres_cpus = max(self.gres_cpus, len(self.required) * self.threads)
            if needed <= have:
                return max(needed, -(-self.job.min_cpus_per_node // self.threads))
            if self.job.overcommit:
                return None  # fewer tasks need no fewer cores
            self.tasks -= 1
        return None

    def _drop_surplus(self, needed: int) -> None:
        """Leave as many cores as needed: first from sockets without need, then evenly."""
        surplus = sum(map(len, self.sockets)) - needed
        if self.required:
            for socket in range(self.node.sockets):
                while surplus > 0 and socket not in self.required and len(self.sockets[socket]) > 1:
                    self.sockets[socket].pop()
                    surplus -= 1
        while surplus > 0 and self.required and not self.whole_sockets:
            fullest = max(sorted(self.required), key=lambda s: len(self.sockets[s]))
            if not self.sockets[fullest]:
                break
            self.sockets[fullest].pop()
            surplus -= 1
