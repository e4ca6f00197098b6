# SPDX-License-Identifier: Apache-2.0
"""Ranks as nodes of a Cluster: cores and GPUs by position, ids of R by rank.

`scheduling.children` of R says which cores and GPUs lie together, as Flux's TreePool reads it: named
levels around leaves with `cores` and `gpus`. Levels that Trestle has become groups of cores; a GPU is
near the cores of its leaf.

Pitfall: an instance inside of a job counts its ranks anew, from 0, and the children do not. Where both
are equally many, they are matched in order.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import trestle

from ._document import Document, Part
from ._ids import ids_text, read_ids

_LEVELS = {"socket": trestle.HardwareLevel.package, "package": trestle.HardwareLevel.package,
           "die": trestle.HardwareLevel.die, "numa": trestle.HardwareLevel.numa,
           "l3": trestle.HardwareLevel.l3}
Topology = Mapping[str, Any]


class Group(NamedTuple):
    """What lies together."""

    level: str
    """empty: the node"""
    cores: frozenset[int]
    gpus: frozenset[int]


class Layout(NamedTuple):
    """A rank as a node: its cores and GPUs in order, by their ids."""

    cores: Sequence[int]
    gpus: Sequence[int]
    shape: trestle.NodeShape

    def placed(self, node: int, part: Part, tasks: int = 1) -> trestle.NodePlacement:
        """A part of R. Errors: ValueError for ids that the rank does not have."""
        return trestle.NodePlacement(
            node, tasks, trestle.CoreSet(_positions(self.cores, part.cores, "core")),
            devices=[trestle.DeviceShare(at) for at in _positions(self.gpus, part.gpus, "gpu")])

    def part(self, host: str, placed: trestle.NodePlacement) -> Part:
        """A part of a placement."""
        return Part(host, frozenset(self.cores[core] for core in placed.cores),
                    frozenset(self.gpus[share.device] for share in placed.devices))


class Nodes:
    """The ranks that have cores as nodes of a cluster, which knows what is free."""

    def __init__(self, resources: Document) -> None:
        """All up and free. Errors: ValueError for children that do not match R."""
        self.layouts = layouts(resources)
        self.ranks = list(self.layouts)
        self.node_of = {rank: node for node, rank in enumerate(self.ranks)}
        self.idle = trestle.Cluster.create(trestle.ClusterParts(
            [trestle.Node(str(rank), self.layouts[rank].shape) for rank in self.ranks]))
        self.cluster = copy.copy(self.idle)

    def copy(self) -> Nodes:
        """With a cluster of its own."""
        made = copy.copy(self)
        made.cluster = copy.copy(self.cluster)
        return made

    def mark(self, ranks: Iterable[int], state: trestle.NodeState) -> None:
        """Ranks take work, or not. Those without cores never do."""
        for rank in ranks:
            if rank in self.node_of:
                self.cluster.set_node_state(self.node_of[rank], state)

    def placement(self, given: Document) -> trestle.Placement:
        """Of R. Errors: ValueError for ranks and ids that are not there."""
        missing = sorted(rank for rank, part in given.parts.items() if part and rank not in self.node_of)
        if missing:
            raise ValueError(f"rank{missing[0]}; expected one of {ids_text(self.ranks) or 'none'}")
        return trestle.Placement([self.layouts[rank].placed(self.node_of[rank], part)
                                  for rank, part in sorted(given.parts.items()) if part])

    def whole(self, node: int, resources: Document, tasks: int) -> trestle.NodePlacement:
        """All that R has of a node."""
        rank = self.ranks[node]
        return self.layouts[rank].placed(node, resources.parts[rank], tasks)

    def parts(self, placement: trestle.Placement, resources: Document) -> dict[int, Part]:
        """A placement, by rank."""
        found = {}
        for placed in placement.nodes:
            rank = self.ranks[placed.node]
            found[rank] = self.layouts[rank].part(resources.parts[rank].host, placed)
        return found


def _positions(ids: Sequence[int], wanted: frozenset[int], name: str) -> list[int]:
    missing = sorted(wanted - set(ids))
    if missing:
        raise ValueError(f"{name}{missing[0]}; expected one of {ids_text(ids) or 'none'}")
    return [at for at, id in enumerate(ids) if id in wanted]


def layouts(resources: Document) -> dict[int, Layout]:
    """Of each rank that has cores. Errors: ValueError for children that do not match R."""
    topologies = topologies_of(resources)
    made: dict[tuple[Any, ...], Layout] = {}
    found = {}
    for rank, part in sorted(resources.parts.items()):
        if part.cores:
            topology = topologies.get(rank)
            key = (part.cores, part.gpus, id(topology))
            if key not in made:
                made[key] = _layout(part, topology, rank)
            found[rank] = made[key]
    return found


def topologies_of(resources: Document) -> dict[int, Topology]:
    """By rank; empty where R has no children. Errors: ValueError."""
    entries = _children(resources)
    by_rank: dict[int, Topology] = {}
    for place, entry in enumerate(entries):
        where = f"R: scheduling.children[{place}]"
        if not isinstance(entry, Mapping) or not isinstance(entry.get("topo"), Mapping):
            raise ValueError(f"{where}: expected an object with ranks and topo")
        for rank in read_ids(entry.get("ranks", ""), f"{where}.ranks"):
            by_rank[rank] = entry["topo"]
    if not by_rank or by_rank.keys() >= resources.parts.keys():
        return by_rank
    if len(by_rank) != len(resources.parts):
        raise ValueError(f"R: scheduling.children: {len(by_rank)} ranks; expected {len(resources.parts)}")
    return dict(zip(sorted(resources.parts), (by_rank[rank] for rank in sorted(by_rank))))


def _children(resources: Document) -> list[Any]:
    scheduling = resources.scheduling
    children = scheduling.get("children") if isinstance(scheduling, Mapping) else None
    if children is not None and not isinstance(children, list):
        raise ValueError("R: scheduling.children: expected a list")
    return children or []


def scheduling_of(resources: Document, ranks: frozenset[int]) -> Any:
    """The scheduling key for a part of the ranks: with their children alone."""
    if not _children(resources):
        return resources.scheduling
    by_topology: dict[int, tuple[Topology, list[int]]] = {}
    for rank, topology in sorted(topologies_of(resources).items()):
        if rank in ranks:
            by_topology.setdefault(id(topology), (topology, []))[1].append(rank)
    return {**resources.scheduling, "children": [{"ranks": ids_text(found), "topo": topology}
                                                 for topology, found in by_topology.values()]}


def _groups(topology: Topology, level: str, depth: int = 0) -> list[Group]:
    """The groups below, each before what it holds."""
    if depth > 16:
        raise ValueError("R: scheduling.children: more than 16 levels; expected fewer")
    cores = read_ids(topology.get("cores", ""), "R: scheduling.children: cores")
    gpus = read_ids(topology.get("gpus", ""), "R: scheduling.children: gpus")
    inner: list[Group] = []
    for name, members in topology.items():
        for member in members if isinstance(members, list) else []:
            if isinstance(member, Mapping):
                found = _groups(member, str(name), depth + 1)
                cores, gpus = cores | found[0].cores, gpus | found[0].gpus
                inner += found
    return [Group(level, cores, gpus), *inner]


def _layout(part: Part, topology: Topology | None, rank: int) -> Layout:
    cores, gpus = sorted(part.cores), sorted(part.gpus)
    place = {core: at for at, core in enumerate(cores)}
    groups = _groups(topology, "") if topology is not None else []
    known = [trestle.CoreSet(place[core] for core in group.cores if core in place) for group in groups]
    tree: list[trestle.CoreGroup] = []
    domains: list[trestle.MemoryDomain] = []
    for group, near in zip(groups, known):
        level = _LEVELS.get(group.level)
        if level is trestle.HardwareLevel.numa and len(near):
            domains.append(trestle.MemoryDomain(len(domains), cores=near))
        elif level is not None and len(near):
            tree.append(trestle.CoreGroup(level, sum(one.level is level for one in tree), near))
    near_gpu = {gpu: near for group, near in zip(groups, known) for gpu in group.gpus}
    shape = trestle.NodeShape(
        hardware=trestle.HardwareTree([trestle.Core([at]) for at in range(len(cores))], tree),
        memory=domains or [trestle.MemoryDomain(cores=trestle.CoreSet(range(len(cores))))],
        devices=[trestle.Device("gpu", index=at, cores=near_gpu.get(gpu, trestle.CoreSet()))
                 for at, gpu in enumerate(gpus)])
    try:
        trestle.check(shape)
    except ValueError as error:
        raise ValueError(f"R: rank {rank}: scheduling.children: {error}") from error
    return Layout(cores, gpus, shape)
