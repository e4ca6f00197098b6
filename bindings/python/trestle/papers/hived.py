# SPDX-License-Identifier: Apache-2.0
"""Virtual clusters made of cells: a tenant always gets the cells that it reserved.

A cell is a GPU, a pair, the GPUs of a socket, a host, or four hosts of a rack. Free cells are split
and joined as buddies. A tenant reserves cells. As soon as it uses a part of one, a physical cell of
that level is bound to it. It is freed when no part is in use. Beside it the same requests where
tenants reserve numbers of GPUs only. Every cell is entered into a Cluster, which refuses a GPU that
another has.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple

import trestle

from .._progress import over
from .._rng import Rng
from .paper import Found, Options, Paper

__all__ = ["Cells", "PAPER", "SIZES", "Tenant", "hosts", "measure", "with_cells", "with_counts"]

SIZES = (1, 2, 4, 8, 32)
"""GPUs of a cell by its level."""
_TOP = len(SIZES) - 1
_RACKS = 16
_HOST = 3
_TENANTS: Tuple[Dict[int, int], ...] = ({4: 6}, {4: 4, 3: 4}, {4: 3, 3: 2, 2: 8}, {2: 2, 1: 4})
"""Cells that each reserves, by level: together all 512 GPUs."""


class Cells:
    """Free cells by level, each known by its first GPU: the buddy allocator."""

    def __init__(self) -> None:
        # Keys of a dict keep their order, so the last one freed is the next one taken.
        self._free: List[Dict[int, None]] = [{} for _ in SIZES]

    def add(self, level: int, first: int) -> None:
        """One more, which is joined with others to no higher level than they were added at."""
        self._free[level][first] = None

    def take(self, level: int) -> Optional[int]:
        """A cell, split off the smallest that is large enough; None without one."""
        at = next((one for one in range(level, len(SIZES)) if self._free[one]), None)
        if at is None:
            return None
        first, _ = self._free[at].popitem()
        while at > level:
            at -= 1
            for other in range(first + SIZES[at], first + SIZES[at + 1], SIZES[at]):
                self._free[at][other] = None
        return first

    def give_back(self, level: int, first: int) -> None:
        """Joins the cell with its buddies where all are free."""
        while level < _TOP:
            whole = first // SIZES[level + 1] * SIZES[level + 1]
            buddies = [one for one in range(whole, whole + SIZES[level + 1], SIZES[level])
                       if one != first]
            if not all(one in self._free[level] for one in buddies):
                break
            for one in buddies:
                del self._free[level][one]
            first, level = whole, level + 1
        self._free[level][first] = None


class Tenant:
    """What it reserved, as cells of its own that are bound to physical ones while in use."""

    def __init__(self, reserved: Dict[int, int]) -> None:
        self._levels = [level for level in sorted(reserved) for _ in range(reserved[level])]
        self._cells = Cells()
        for at, level in enumerate(self._levels):  # apart, so that they are never joined
            self._cells.add(level, at * SIZES[_TOP])
        self._bound: Dict[int, Tuple[int, int]] = {}  # first physical GPU, cells in use inside
        self.top = self._levels[-1]

    def take(self, level: int) -> Optional[int]:
        """A cell of its own, or None when it has used up what it reserved."""
        return self._cells.take(level)

    def bind(self, level: int, cell: int, physical: Cells) -> Optional[int]:
        """The first physical GPU of a cell that was taken; None, and the cell is free again, breaks
        the guarantee."""
        at, inside = divmod(cell, SIZES[_TOP])
        if at not in self._bound:
            first = physical.take(self._levels[at])
            if first is None:
                self._cells.give_back(level, cell)
                return None
            self._bound[at] = first, 0
        first, count = self._bound[at]
        self._bound[at] = first, count + 1
        return first + inside

    def give_back(self, level: int, cell: int, physical: Cells) -> None:
        """Frees a cell, and the physical one around it when nothing else is in use there."""
        self._cells.give_back(level, cell)
        at = cell // SIZES[_TOP]
        first, count = self._bound[at]
        self._bound[at] = first, count - 1
        if count == 1:
            del self._bound[at]
            physical.give_back(self._levels[at], first)


def hosts(racks: int) -> trestle.Cluster:
    """Hosts of 8 GPUs, four below a switch."""
    gpus = trestle.DeviceDescription("gpu", count=8, nearness=trestle.Nearness.anywhere)
    text = trestle.NodeDescription("h", cores_per_package=8, memory=trestle.gib(8), devices=[gpus])
    switches = [trestle.Switch(name=f"r{at}", nodes=trestle.NodeSet(range(4 * at, 4 * at + 4)))
                for at in range(racks)]
    return trestle.Cluster.create(trestle.ClusterParts(
        nodes=trestle.make_nodes(text, 4 * racks),
        network=trestle.Network(trees=[trestle.TreeTopology("racks", switches)])))


def _placement(first: int, level: int) -> trestle.Placement:
    """All GPUs of a cell."""
    parts = []
    for host in range(first // 8, -(-(first + SIZES[level]) // 8)):
        on_host = range(max(first, 8 * host), min(first + SIZES[level], 8 * host + 8))
        parts.append(trestle.NodePlacement(
            node=host, devices=[trestle.DeviceShare(gpu - 8 * host, 1) for gpu in on_host]))
    return trestle.Placement(parts)


class _Draw:
    """The random operations: tenant, a level to take or a cell to free."""

    def __init__(self, seed: int, tops: Sequence[int]) -> None:
        self._rng, self._tops = Rng(seed), tops

    def tenant(self) -> int:
        return self._rng.below(len(self._tops))

    def is_taking(self) -> bool:
        return self._rng.below(100) < 55

    def level(self, tenant: int) -> int:
        return self._rng.below(self._tops[tenant] + 1)

    def one_of(self, count: int) -> int:
        return self._rng.below(count)


def with_cells(operations: int, seed: int) -> Tuple[int, int]:
    """Requests inside of what was reserved, and how many of them were refused."""
    physical, cluster = Cells(), hosts(_RACKS)
    for rack in range(_RACKS):
        physical.add(_TOP, rack * SIZES[_TOP])
    tenants = [Tenant(reserved) for reserved in _TENANTS]
    draw = _Draw(seed, [one.top for one in tenants])
    held: List[List[Tuple[int, int, int]]] = [[] for _ in tenants]  # level, cell, owner
    placements: Dict[Tuple[int, int], trestle.Placement] = {}
    asked = refused = 0
    for owner in over(range(operations), "hived", "operation"):
        at = draw.tenant()
        tenant, mine = tenants[at], held[at]
        if draw.is_taking():
            level = draw.level(at)
            cell = tenant.take(level)
            if cell is None:
                continue  # more than it reserved
            asked += 1
            first = tenant.bind(level, cell, physical)
            if first is None:
                refused += 1
                continue
            if (first, level) not in placements:
                placements[first, level] = _placement(first, level)
            cluster.adopt(owner, placements[first, level])  # refuses a GPU that another has
            mine.append((level, cell, owner))
        elif mine:
            place = draw.one_of(len(mine))
            mine[place], mine[-1] = mine[-1], mine[place]
            level, cell, owner_then = mine.pop()
            cluster.release(owner_then)
            tenant.give_back(level, cell, physical)
    return asked, refused


def with_counts(operations: int, seed: int) -> Tuple[int, int]:
    """The same where tenants reserve numbers of GPUs and jobs go where best_fit says."""
    cluster = hosts(_RACKS)
    left = [sum(SIZES[level] * count for level, count in one.items()) for one in _TENANTS]
    draw = _Draw(seed, [max(one) for one in _TENANTS])
    held: List[List[Tuple[int, int]]] = [[] for _ in _TENANTS]  # level, owner
    placer = trestle.Placer(trestle.PlaceOptions("best_fit"))
    requests = [trestle.PreparedRequest(trestle.Request(
        nodes=max(1, size // 8), tasks=max(1, size // 8), cpus_per_task=0, milli_cpus=1,
        devices=[trestle.DeviceRequest(count=min(size, 8))],
        topology=trestle.TopologyRequest(level=0))) for size in SIZES]
    asked = refused = 0
    for owner in over(range(operations), "hived", "operation"):
        at = draw.tenant()
        if draw.is_taking():
            level = draw.level(at)
            if SIZES[level] > left[at]:
                continue
            asked += 1
            placement = placer.place(cluster, requests[level])
            if not isinstance(placement, trestle.Placement):
                refused += 1
                continue
            cluster.adopt(owner, placement)
            left[at] -= SIZES[level]
            held[at].append((level, owner))
        elif held[at]:
            place = draw.one_of(len(held[at]))
            held[at][place], held[at][-1] = held[at][-1], held[at][place]
            level, owner_then = held[at].pop()
            cluster.release(owner_then)
            left[at] += SIZES[level]
    return asked, refused


def measure(options: Options) -> List[Found]:
    """Refused requests inside of what a tenant reserved."""
    operations = 20_000 if options.is_quick else 1_000_000
    asked, refused = with_cells(operations, 1)
    asked_there, refused_there = with_counts(operations, 1)
    return [
        Found(f"guarantees broken in {operations:,} operations, cells",
              "0: no tenant waits for what it reserved", f"{refused:,} of {asked:,} requests"),
        Found(f"the same in {operations:,} operations, numbers of GPUs", None,
              f"{refused_there:,} of {asked_there:,} requests")]


PAPER = Paper(
    "hived", "Zhao et al., HiveD: Sharing a GPU Cluster for Deep Learning with Guarantees, "
    "OSDI 2020",
    "512 GPUs in 16 racks, four tenants that reserve all of them; own random operations", "1",
    measure, "512 GPUs in 16 racks, 20,000 operations")
