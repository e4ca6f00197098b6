# SPDX-License-Identifier: Apache-2.0
"""Which devices a job gets on its chosen nodes (section 4.9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from .conf import Device, Gres, Node
from .node_fit import device_units, touched_sockets
from .options import GresWant, Job
from .state import Free, GresTaken, Units


@dataclass
class Host:
    """A chosen node with the cores the job got there."""

    node: Node
    free: Free
    cores: frozenset[int]
    tasks: int
    cpus: int
    taken: dict[str, Units] = field(default_factory=dict)
    counted: list[GresTaken] = field(default_factory=list)

    def cores_by_socket(self) -> list[int]:
        return [
            sum(c in self.cores for c in self.node.socket_cores(s))
            for s in range(self.node.sockets)
        ]


class _Picker:
    """Devices of one wanted (name, type) on one node, taken place by place."""

    def __init__(self, host: Host, spec: Gres, want: GresWant, job: Job) -> None:
        left = host.free.of(want.name)
        assert left is not None
        self.host, self.spec, self.want = host, spec, want
        self.enforce, self.cpus_per_task = job.enforce_binding, job.cpus_per_task
        self.devices = device_units(spec, want, left.units)
        self.chosen = host.taken.setdefault(want.name, {})
        self.mine: list[int] = []

    def _near(self, device: Device, socket: int | None) -> bool:
        near = touched_sockets(self.host.node, device)
        return not near if socket is None else socket in near

    def take(self, socket: int | None, count: int) -> int:
        """Up to that many devices of one socket (None: of no socket).

        Best linked to the first one taken comes first, then lowest index.
        """
        got = 0
        while got < count:
            left = [
                d
                for d, _ in self.devices
                if d.index not in self.chosen and self._near(d, socket)
            ]
            if not left:
                break
            best = max(left, key=lambda d: (self._links_to_first(d), -d.index))
            self.chosen[best.index] = 1
            self.mine.append(best.index)
            got += 1
        return got

    def _links_to_first(self, device: Device) -> int:
        if not self.mine or len(device.links) <= self.mine[0]:
            return 0
        return device.links[self.mine[0]]

    def used(self) -> list[int]:
        return [s for s, n in enumerate(self.host.cores_by_socket()) if n]

    def unused(self) -> list[int]:
        return [s for s, n in enumerate(self.host.cores_by_socket()) if not n]

    def take_in_order(self, sockets: list[int], count: int) -> int:
        got = 0
        for socket in sockets:
            got += self.take(socket, count - got)
        return got

    def take_anywhere(self, count: int) -> int:
        """Near devices first, then those of no place, then (unless bound) far ones."""
        got = self.take_in_order(self.used(), count)
        got += self.take(None, count - got)
        if not self.enforce:
            got += self.take_in_order(self.unused(), count - got)
        return got

    def per_node(self, count: int) -> bool:
        """In proportion to the cores on each socket, then from the rest."""
        cores = self.host.cores_by_socket()
        total = sum(cores)
        got = 0
        for socket in self.used():
            share = max(1, cores[socket] * count // total)
            got += self.take(socket, min(share, count - got))
        got += self.take(None, count - got)
        got += self.take_in_order(self.used(), count - got)
        if not self.enforce:
            got += self.take_in_order(self.unused(), count - got)
        return got == count

    def per_socket(self, count: int, sockets: int) -> bool:
        got = 0
        used = self.used()
        for socket in used[:sockets]:
            here = self.take(socket, count)
            got += here + self.take(None, count - here)
        for socket in self.unused()[: max(0, sockets - len(used))]:
            got += self.take(socket, count)
        return got > 0

    def per_task(self, count: int) -> bool:
        """What the tasks of each socket need, then from the rest."""
        needed = self.host.tasks * count
        cores = self.host.cores_by_socket()
        got = 0
        for socket in self.used():
            tasks = max(1, cores[socket] * self.host.node.threads // self.cpus_per_task)
            got += self.take(socket, min(tasks * count, needed - got))
        got += self.take_anywhere(needed - got)
        return got == needed

    def linked(self, count: int) -> None:
        """Among devices with a full matrix of links keep those best tied to the best pair."""
        if len(self.mine) <= count:
            return
        links = {d.index: d.links for d in self.spec.devices}
        pairs = [(links[a][b], -a, -b) for a in self.mine for b in self.mine if a < b]
        _, first, second = max(pairs)
        keep = {-first, -second} if count > 1 else {-first}
        for index in sorted(self.mine, key=lambda i: links[-first][i]):
            if len(self.mine) > count and index not in keep:
                self.mine.remove(index)
                del self.chosen[index]


def choose_devices(job: Job, hosts: list[Host], least_loaded: bool = False) -> bool:
    """Fill `taken` and `counted` of every host; False: the devices do not suffice."""
    for want in job.gres:
        if not want.counted:
            continue
        specs = [h.node.gres_named(want.name) for h in hosts]
        if any(s is None for s in specs):
            return False
        known = [s for s in specs if s is not None]
        if job.exclusive and not known[0].shared:
            continue  # the whole node: every device, see `whole_node`
        if not known[0].devices:
            _count_only(want, hosts, known)
        elif known[0].shared:
            if not all(_shared(job, want, h, s, least_loaded) for h, s in zip(hosts, known)):
                return False
        elif not _devices(job, want, hosts, known):
            return False
    return True


def _count_only(want: GresWant, hosts: list[Host], specs: list[Gres]) -> None:
    for host, spec in zip(hosts, specs):
        if not spec.no_consume:
            count = want.per_node or want.per_task * host.tasks or want.per_job
            host.counted.append(GresTaken(want.name, want.type, count))


def _shared(job: Job, want: GresWant, host: Host, spec: Gres, least_loaded: bool) -> bool:
    """Units of one device only: near ones first, then the one with the largest part free
    (LL_SHARED_GRES), then lowest index."""
    count = want.per_node or want.per_task * host.tasks or want.per_job
    picker = _Picker(host, spec, want, job)
    if least_loaded:
        picker.devices.sort(key=lambda pair: -Fraction(pair[1], pair[0].capacity))
    order = [*picker.used(), None, *([] if job.enforce_binding else picker.unused())]
    for socket in order:
        for device, units in picker.devices:
            if units >= count and picker._near(device, socket):
                picker.chosen[device.index] = count
                return True
    return False


def _devices(job: Job, want: GresWant, hosts: list[Host], specs: list[Gres]) -> bool:
    pickers = [_Picker(h, s, want, job) for h, s in zip(hosts, specs)]
    if want.per_node:
        return all(p.per_node(want.per_node) for p in pickers)
    if want.per_socket:
        return all(p.per_socket(want.per_socket, job.sockets_per_node) for p in pickers)
    if want.per_task:
        return all(p.per_task(want.per_task) for p in pickers)
    return _per_job(want, pickers)


def _per_job(want: GresWant, pickers: list[_Picker]) -> bool:
    """First sweep: near devices, one kept back for each later node. Second: anything left."""
    needed = want.per_job
    for later, picker in zip(range(len(pickers) - 1, -1, -1), pickers):
        most = max(1, needed - later)
        if want.cpus_per:
            most = min(most, max(1, picker.host.cpus // want.cpus_per))
        if all(len(d.links) == len(picker.spec.devices) for d in picker.spec.devices):
            got = picker.take_in_order(picker.used(), 1 << 20) + picker.take(None, 1 << 20)
            picker.linked(most)
            got = len(picker.mine)
        else:
            got = picker.take_in_order(picker.used(), most)
            got += picker.take(None, most - got)
        if got == 0:
            got += picker.take_anywhere(1)
        needed -= got
    for picker in pickers:
        if needed > 0:
            most = needed
            if want.cpus_per:
                room = picker.host.cpus // want.cpus_per - len(picker.mine)
                most = min(most, max(0, room))
            needed -= picker.take_anywhere(most)
    return needed <= 0


def whole_node(host: Host) -> None:
    """An exclusive job holds all GRES of its nodes (shares only when it asked for them)."""
    for spec in host.node.gres:
        if spec.devices and not spec.shared:
            host.taken[spec.name] = {d.index: 1 for d in spec.devices}
        if not spec.no_consume and not spec.shared:
            host.counted += [GresTaken(spec.name, kind, count) for kind, count in spec.counters]


def taken_gres(host: Host) -> tuple[GresTaken, ...]:
    """The host's devices grouped by name and type, in the node's order."""
    result: list[GresTaken] = []
    for spec in host.node.gres:
        units = host.taken.get(spec.name, {})
        for kind in dict.fromkeys(d.type for d in spec.devices):
            mine = sorted(
                (d.index, units[d.index])
                for d in spec.devices
                if d.type == kind and d.index in units
            )
            if mine:
                count = sum(n for _, n in mine)
                result.append(GresTaken(spec.name, kind, count, tuple(mine)))
    return (*result, *host.counted)
