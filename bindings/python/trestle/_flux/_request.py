# SPDX-License-Identifier: Apache-2.0
"""What a jobspec asks (RFC 14 and RFC 25 of Flux), and which ranks its constraint allows (RFC 31)."""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._short import short_repr
from ._document import Document
from ._ids import read_hosts, read_ids

VALUES_MAX = 65_536
DEPTH_MAX = 64
_RANGE = re.compile(r"(\d+)(?:-(\d+)|(\+))?(?::(\d+))?(?::([+*^]))?")


@dataclass(frozen=True)
class Count:
    """How many: any from `min` to `max`, or only some of these."""

    min: int
    max: int | None
    """None: no limit"""
    values: tuple[int, ...] | None = None
    """rising; None: all of them"""

    def scaled(self, factor: int) -> Count:
        """So many times as many."""
        return Count(self.min * factor, None if self.max is None else self.max * factor,
                     None if self.values is None else tuple(value * factor for value in self.values))

    def up_to(self, most: int) -> Sequence[int]:
        """The counts that are not above `most`, rising."""
        last = most if self.max is None else min(most, self.max)
        return (range(self.min, last + 1) if self.values is None
                else self.values[:bisect.bisect_right(self.values, last)])


def read_count(value: Any, where: str) -> Count:
    """A number, a text as `2-8:2:*`, `2+` or `1,7-9`, or an object. Errors: ValueError."""
    least: Any
    most: Any
    if isinstance(value, int) and not isinstance(value, bool):
        least, most, step, operator = value, value, 1, "+"
    elif isinstance(value, Mapping):
        least, most = value.get("min", 1), value.get("max")
        step, operator = value.get("operand", 1), value.get("operator", "+")
        if not all(isinstance(one, int) and not isinstance(one, bool)
                   for one in (least, step, *([] if most is None else [most]))):
            raise ValueError(f"{where}: count {dict(value)!r}; expected whole numbers")
    elif isinstance(value, str):
        text = value.strip().removeprefix("[").removesuffix("]")
        if "," in text:
            ids = tuple(sorted(read_ids(text, f"{where}: count")))
            return _checked(Count(ids[0], ids[-1], ids), where)
        match = _RANGE.fullmatch(text)
        if match is None:
            raise ValueError(f"{where}: count {value!r}; expected as 4, 2-8, 2+, 2-8:2:* or 1,7-9")
        least = int(match[1])
        most = int(match[2]) if match[2] else None if match[3] else least
        step, operator = int(match[4] or 1), match[5] or "+"
    else:
        raise ValueError(f"{where}: count {value!r}; expected a number, a text or an object")
    if operator == "+" and step == 1:
        return _checked(Count(least, most), where)
    return _checked(Count(least, most, _steps(least, most, step, operator, where)), where)


def _checked(count: Count, where: str) -> Count:
    if count.min < 1 or (count.max is not None and count.max < count.min):
        raise ValueError(f"{where}: count from {count.min} to {count.max}; expected 1 or more, rising")
    return count


def _steps(least: int, most: int | None, step: int, operator: str, where: str) -> tuple[int, ...]:
    if most is None:
        raise ValueError(f"{where}: count with steps and no max; expected a max")
    if operator not in ("+", "*", "^") or step < (1 if operator == "+" else 2) or (
            operator == "^" and least < 2):
        raise ValueError(f"{where}: count from {least} by {operator}{step}; expected steps that rise")
    values = []
    value = least
    while value <= most:
        values.append(value)
        if len(values) > VALUES_MAX:
            raise ValueError(f"{where}: count has more than {VALUES_MAX} values; expected fewer")
        value = value + step if operator == "+" else value * step if operator == "*" else value**step
    return tuple(values)


@dataclass(frozen=True, repr=False)
class ResourceRequest:
    """What a job asks. The names are those of Flux's own pools, which schedulers read."""

    node_count: Count | None
    """None: the slots may lie anywhere"""
    slot_count: Count
    """of each node; without nodes, of all"""
    slot_size: int
    """cores of each slot"""
    gpu_per_slot: int
    duration: float
    """seconds; 0: no limit"""
    constraint: Any
    exclusive: bool
    """whole nodes"""
    jobspec: Any

    __repr__ = short_repr

    @property
    def nnodes(self) -> int:
        """The fewest nodes; 0 where only slots are asked."""
        return self.node_count.min if self.node_count is not None else 0

    @property
    def nnodes_max(self) -> int | None:
        """The most; None: no limit."""
        return self.node_count.max if self.node_count is not None else 0

    @property
    def nslots(self) -> int:
        """The fewest slots in all."""
        return self.slot_count.min * (self.nnodes or 1)

    @property
    def nslots_max(self) -> int | None:
        """The most; None: no limit."""
        most = self.slot_count.max
        if self.node_count is None or most is None:
            return most
        return None if self.node_count.max is None else most * self.node_count.max

    @property
    def ncores(self) -> int:
        """The fewest cores in all."""
        return self.nslots * self.slot_size

    @property
    def ngpus(self) -> int:
        """The fewest GPUs in all."""
        return self.nslots * self.gpu_per_slot


class _Walk:
    """The counts of a jobspec's resources, from the outside in."""

    def __init__(self) -> None:
        self.nodes: Count | None = None
        self.slots: Count | None = None
        self.slot_is_outside = False
        self.cores = 0
        self.gpus = 0
        self.is_exclusive = False

    def enter(self, vertices: Any, factor: int, where: str, depth: int = 0) -> None:
        """`factor` is how many there are of what holds these, since the node or slot."""
        if depth > DEPTH_MAX:
            raise ValueError(f"jobspec: resources: more than {DEPTH_MAX} levels; expected fewer")
        if not isinstance(vertices, list):
            raise ValueError(f"{where}: expected a list of resources")
        for place, vertex in enumerate(vertices):
            here = f"{where}[{place}]"
            if not isinstance(vertex, Mapping) or not isinstance(vertex.get("type"), str):
                raise ValueError(f"{here}: expected an object with a type")
            count = read_count(vertex.get("count", 1), here)
            self.is_exclusive |= vertex["type"] in ("node", "slot") and bool(vertex.get("exclusive"))
            inner = self._count(vertex, count, factor, here)
            if "with" in vertex:
                self.enter(vertex["with"], inner, f"{here}.with", depth + 1)

    def _count(self, vertex: Mapping[str, Any], count: Count, factor: int, here: str) -> int:
        """The factor of what this one holds."""
        kind = vertex["type"]
        if kind == "node":
            if self.nodes is not None:
                raise ValueError(f"{here}: a second node; expected one")
            self.slot_is_outside = self.slots is not None
            outer = Count(1, 1) if self.slots is None else self.slots
            self.nodes = _times(outer.scaled(factor), count, here)
            return 1
        if kind == "slot":
            if self.slots is not None:
                raise ValueError(f"{here}: a second slot; expected one")
            self.slots = count.scaled(factor)
            return 1
        if count.min != count.max:
            raise ValueError(f"{here}: a range of {kind}; expected one number: nodes and slots have ranges")
        if kind == "core":
            self.cores += count.min * factor
        elif kind == "gpu":
            self.gpus += count.min * factor
        elif "with" not in vertex:
            raise ValueError(f"{here}: resource type {kind}; expected node, slot, core or gpu")
        return factor * count.min


def _times(outer: Count, inner: Count, here: str) -> Count:
    if inner.min == inner.max:
        return outer.scaled(inner.min)
    if outer.min == outer.max:
        return inner.scaled(outer.min)
    raise ValueError(f"{here}: a range inside of a range; expected one of them")


def read_request(jobspec: Any) -> ResourceRequest:
    """The request of a jobspec, canonical or version 1. Errors: ValueError with the key."""
    if not isinstance(jobspec, Mapping) or not jobspec.get("resources"):
        raise ValueError("jobspec: no resources; expected a list of them")
    walk = _Walk()
    walk.enter(jobspec["resources"], 1, "jobspec: resources")
    attributes = jobspec.get("attributes") or {}
    system = attributes.get("system") if isinstance(attributes, Mapping) else None
    if jobspec.get("version") == 1 and (not isinstance(system, Mapping) or system.get("duration") is None):
        raise ValueError("jobspec: attributes.system.duration: expected one in version 1")
    system = system if isinstance(system, Mapping) else {}
    duration = system.get("duration") or 0
    if isinstance(duration, bool) or not isinstance(duration, (int, float)) or not 0 <= duration < 1e15:
        raise ValueError(f"jobspec: attributes.system.duration: {duration!r}; expected seconds, 0 or more")
    if walk.slots is None:
        raise ValueError("jobspec: resources: no slot; expected one")
    if not walk.cores and not walk.is_exclusive:
        raise ValueError("jobspec: resources: a slot without cores; expected one or more")
    nodes, slots = walk.nodes, walk.slots
    if walk.slot_is_outside or (walk.is_exclusive and nodes is None):
        nodes, slots = nodes if walk.slot_is_outside else slots, Count(1, 1)
    return ResourceRequest(nodes, slots, walk.cores, walk.gpus, float(duration),
                           system.get("constraints") or None, walk.is_exclusive, jobspec)


def allowed(constraint: Any, resources: Document, depth: int = 0) -> frozenset[int]:
    """The ranks that satisfy a constraint. Errors: ValueError for one that RFC 31 does not have."""
    ranks = frozenset(resources.parts)
    if constraint is None:
        return ranks
    if depth > DEPTH_MAX:
        raise ValueError(f"constraint: more than {DEPTH_MAX} levels; expected fewer")
    if not isinstance(constraint, Mapping):
        raise ValueError(f"constraint: {constraint!r}; expected an object")
    for name, values in constraint.items():
        if isinstance(values, str) and name in ("hostlist", "ranks"):
            values = [values]
        if not isinstance(values, list):
            raise ValueError(f"constraint: {name}: expected a list")
        ranks &= _allowed_by(name, values, resources, depth)
    return ranks


def _allowed_by(name: str, values: list[Any], resources: Document,
                depth: int) -> frozenset[int]:
    ranks = frozenset(resources.parts)
    if name == "properties":
        for one in values:
            if not isinstance(one, str) or not one.lstrip("^"):
                raise ValueError(f"constraint: properties: {one!r}; expected a name, or ^ and a name")
            found = resources.properties.get(one.removeprefix("^"), frozenset())
            ranks = ranks - found if one.startswith("^") else ranks & found
        return ranks
    if name == "hostlist":
        hosts = set(read_hosts(values, "constraint: hostlist"))
        return frozenset(rank for rank in ranks if resources.parts[rank].host in hosts)
    if name == "ranks":
        return ranks & frozenset().union(*(read_ids(one, "constraint: ranks") for one in values))
    if name not in ("and", "or", "not"):
        raise ValueError(f"constraint: {name}; expected properties, hostlist, ranks, and, or, not")
    inner = [allowed(one, resources, depth + 1) for one in values]
    if name == "and":
        return ranks.intersection(*inner)
    if name == "or":
        return frozenset().union(*inner)
    if not inner:
        raise ValueError("constraint: not: expected one constraint or more")
    return ranks - ranks.intersection(*inner)
