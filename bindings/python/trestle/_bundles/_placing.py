# SPDX-License-Identifier: Apache-2.0
"""Places demands on the nodes that are there, and launches nodes for the rest.

Nodes that are there are a Cluster, each resource a device with a share for each unit, and place()
chooses among them. Nodes to be launched are filled one kind at a time by `_filling.py`. What one
takes is repeated as often as there is demand for it.

Pitfall: a bundle also holds a thousandth of a core, since a request of the library has one. A node has
CORES of them, so it takes 1,000 times as many bundles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import trestle

from ._demand import (UNITS, Amounts, Demand, Mark, Node, NodeType, Source, Space, fits,
                      launched)
from ._filling import Kind, fill, share, weights

CORES = 64
_SHAPE = trestle.make_node(trestle.NodeDescription(name="node", cores_per_package=CORES)).shape


@dataclass
class Limits:
    """What may still be launched."""

    types: dict[str, NodeType]
    nodes_max: int | None
    """of all, with those that end; None: no limit"""
    largest: Callable[[NodeType], Mapping[str, float]]
    """what a node of the type has once it has grown"""
    spares_gpus: bool = True
    """a node with GPUs is the last choice for bundles without"""

    def room(self, kind: NodeType, nodes: Sequence[Node]) -> int:
        """How many more nodes of the type."""
        there = sum(node.type == kind.name for node in nodes)
        room = kind.launched_max - there
        return room if self.nodes_max is None else min(room, self.nodes_max - len(nodes))


class Placing:
    """Places demands of one source; `nodes` grows by what is launched."""

    def __init__(self, nodes: list[Node], space: Space, limits: Limits, source: Source) -> None:
        self.nodes = nodes
        self.space = space
        self.limits = limits
        self.source = source
        self._undo: list[Callable[[], None]] | None = None

    def place_all(self, demands: Sequence[Demand]) -> bool:
        """Places all of them or nothing."""
        undo: list[Callable[[], None]] = []
        self._undo = undo
        is_placed = not self.place(demands)
        if not is_placed:
            for step in reversed(undo):
                step()
        self._undo = None
        return is_placed

    def place(self, demands: Iterable[Demand]) -> list[tuple[Demand, int]]:
        """What finds no place, with the count of each."""
        rest = [_Rest(demand, self.space.units(demand.amounts), demand.count) for demand in demands]
        largest = tuple(map(max, zip(*(self.space.capacity(kind.amounts)
                                       for kind in self.limits.types.values()),
                                     *(node.left[self.source] for node in self.nodes),
                                     (0,) * len(self.space.names))))
        rest.sort(key=lambda one: (len(one.demand.apart), len(one.demand.selectors[:1]),
                                   share(one.asked, largest)), reverse=True)
        self._on_nodes(rest, [node for node in self.nodes if node.cause is None])
        self._by_growth(rest)
        self._by_launch(rest)
        return [(one.demand, one.count) for one in rest if one.count]

    def _enter(self, node: Node, asked: Amounts, apart: Iterable[Mark], count: int = 1) -> None:
        """The node has the bundles."""
        left = node.left[self.source]
        if self._undo is not None:
            used, marks = node.used.copy(), node.marks.copy()

            def undo() -> None:
                node.left[self.source], node.used, node.marks = left, used, marks

            self._undo.append(undo)
        node.left[self.source] = tuple(l - a * count for l, a in zip(left, asked))
        node.used.add(self.source)
        node.marks.update(apart)

    def _on_nodes(self, rest: list[_Rest], nodes: list[Node]) -> None:
        """Gives what there is, through place()."""
        nodes = [node for node in nodes
                 if any(fits(one.asked, node.left[self.source]) for one in rest if one.count)]
        if not nodes:
            return
        nodes.sort(key=self._order)
        cluster = trestle.Cluster.create(trestle.ClusterParts(self._described(nodes)))
        placer = trestle.Placer(trestle.PlaceOptions(policy=trestle.Policy.first_fit))
        owner = 1
        for one in rest:
            request = trestle.PreparedRequest(_request(one.asked))
            if one.demand.selectors or one.demand.apart:
                owner = self._one_by_one(one, request, cluster, placer, nodes, owner)
                continue
            jobs = [trestle.JobOrder(owner + place, request) for place in range(one.count)]
            placed = len(trestle.place_many(cluster, jobs, placer).placed)
            for place in range(placed):
                found = cluster.find_allocation(owner + place)
                assert found is not None
                self._enter(nodes[found.placement.nodes[0].node], one.asked, ())
            owner += placed
            one.count -= placed

    def _order(self, node: Node) -> tuple[bool, bool, bool, float]:
        """Nodes with GPUs come last, before them those that do not run yet, before them idle ones,
        which may then end. The fuller node comes first."""
        runs = node.is_launched and node.stage is None
        return self._has_spared_gpus(node.total), not runs, node.idle > 0, -node.utilization()

    def _described(self, nodes: Sequence[Node]) -> list[trestle.Node]:
        """The nodes, with what is left on them."""
        shapes: dict[Amounts, trestle.NodeShape] = {}
        found = []
        for place, node in enumerate(nodes):
            left = node.left[self.source]
            if left not in shapes:
                shapes[left] = _SHAPE.replace(devices=[
                    trestle.Device(name=f"r{at}", shares=units) for at, units in enumerate(left) if units])
            found.append(trestle.Node(str(place), shapes[left]))
        return found

    def _has_spared_gpus(self, amounts: Mapping[str, float]) -> bool:
        return self.limits.spares_gpus and amounts.get("GPU", 0) > 0

    def _one_by_one(self, one: _Rest, request: trestle.PreparedRequest, cluster: trestle.Cluster,
                    placer: trestle.Placer, nodes: Sequence[Node], owner: int) -> int:
        """Bundles with conditions on labels. The next owner."""
        ranks = [one.demand.rank(node.labels) for node in nodes]
        choices = sorted(set(ranks) - {0}, reverse=True) if one.demand.selectors else [0]
        for rank in choices:
            open_ = {place for place, found in enumerate(ranks)
                     if found == rank and not nodes[place].marks & one.demand.apart}
            while one.count and open_:
                placement = placer.place(cluster, request, candidates=trestle.NodeSet(open_))
                if not isinstance(placement, trestle.Placement):
                    break
                cluster.commit(trestle.Allocation(owner, request.request, placement))
                place = placement.nodes[0].node
                self._enter(nodes[place], one.asked, one.demand.apart)
                if one.demand.apart:
                    open_.remove(place)
                one.count -= 1
                owner += 1
        return owner

    def _taken(self, rest: Sequence[_Rest], room: Amounts, node: Node) -> list[tuple[_Rest, int]]:
        """What the node would take of what is left, if it had this room; empty: nothing."""
        found: list[tuple[_Rest, int]] = []
        marks = set(node.marks)
        open_: list[_Rest] = []
        for one in rest:
            if not one.count or not one.demand.accepts(node.labels) or not fits(one.asked, room):
                continue
            if not one.demand.apart:
                open_.append(one)
            elif not marks & one.demand.apart:
                marks |= one.demand.apart
                room = tuple(r - a for r, a in zip(room, one.asked))
                found.append((one, 1))
        open_.sort(key=lambda one: share(one.asked, room), reverse=True)
        kinds = [Kind(one.asked, one.count) for one in open_]
        counts = fill(kinds, room, weights(kinds, room))
        return found + [(one, count) for one, count in zip(open_, counts) if count]

    def _by_growth(self, rest: list[_Rest]) -> None:
        """Lets nodes grow that can, where that helps."""
        for node in self.nodes:
            most = node.resize.most() if node.resize is not None and node.cause is None else {}
            if not most or not any(one.count for one in rest):
                continue
            trial = node.copy()
            self.space.grow(trial, most)
            taken = self._taken(rest, trial.left[self.source], node)
            if taken:
                self._grow(node, most)
                for one, count in taken:
                    self._enter(node, one.asked, one.demand.apart, count)
                    one.count -= count

    def _grow(self, node: Node, most: Mapping[str, float]) -> None:
        before = node.copy()

        def undo() -> None:
            node.total, node.left, node.free = before.total, before.left, before.free
            node.grows = before.grows

        if self._undo is not None:
            self._undo.append(undo)
        self.space.grow(node, most)
        node.grows = True

    def _by_launch(self, rest: list[_Rest]) -> None:
        """Launches nodes, the best kind first, until nothing can be placed."""
        while any(one.count for one in rest):
            best: tuple[tuple[float, ...], NodeType, list[tuple[_Rest, int]]] | None = None
            for kind in self.limits.types.values():
                if self.limits.room(kind, self.nodes) <= 0:
                    continue
                node = launched(kind)
                room = self.space.capacity(self.limits.largest(kind))
                taken = self._taken(rest, room, node)
                if taken:
                    score = self._score(kind, room, taken)
                    if best is None or score > best[0]:
                        best = score, kind, taken
            if best is None:
                return
            self._launch(*best[1:])

    def _launch(self, kind: NodeType, taken: list[tuple[_Rest, int]]) -> None:
        """As many equal nodes as there is demand for."""
        times = min([self.limits.room(kind, self.nodes)] + [one.count // count for one, count in taken])
        if any(one.demand.apart for one, _ in taken):
            times = 1
        first = len(self.nodes)
        node = launched(kind)
        self.space.measure(node)
        self.space.grow(node, self.limits.largest(kind))
        for one, count in taken:
            self._enter(node, one.asked, one.demand.apart, count)
            one.count -= times * count
        self.nodes += [node, *(node.copy() for _ in range(times - 1))]

        def undo() -> None:
            del self.nodes[first:]

        if self._undo is not None:
            self._undo.append(undo)

    def _score(self, kind: NodeType, room: Amounts, taken: list[tuple[_Rest, int]]) -> tuple[float, ...]:
        """Higher: the better node to launch."""
        used = [sum(one.asked[place] * count for one, count in taken) for place in range(len(room))]
        named = dict(zip(self.space.names, used))
        fills = []
        for name, amount in self.limits.largest(kind).items():
            if amount > 0:
                part = min(named.get(name, 0) / (amount * UNITS), 1)
                fills.append(amount * part**3)
        asks_gpus = any("GPU" in one.demand.amounts for one, _ in taken)
        rank = max((one.demand.rank(kind.labels) for one, _ in taken), default=0)
        return (rank, asks_gpus or not self._has_spared_gpus(kind.amounts),
                sum(bool(named.get(name)) for name in kind.amounts),
                min(fills, default=0), sum(fills) / len(fills) if fills else 0,
                kind.recovered, kind.priority, kind.available)


@dataclass
class _Rest:
    """What is left of a demand."""

    demand: Demand
    asked: Amounts
    count: int


def _request(asked: Amounts) -> trestle.Request:
    return trestle.Request(milli_cpus=1, devices=[
        trestle.DeviceRequest(f"r{at}", shares=units) for at, units in enumerate(asked) if units])
