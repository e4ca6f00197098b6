# SPDX-License-Identifier: Apache-2.0
"""What happens to the cluster: failures, maintenance, nodes that come and go. In seconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Union

import trestle
from trestle._short import short_repr

from .jobs import is_integer

__all__ = [
    "DeviceFailure", "ElasticFleet", "Incident", "Maintenance", "NodeFailure", "SpotInterruption",
    "check_world",
]


@dataclass(frozen=True)
class NodeFailure:
    """A node goes down, and its jobs are interrupted. The schedule does not know the repair.

    One of an elastic fleet is switched off, and may be ordered again when it is repaired.
    """

    node: int
    at: int
    repaired: int | None = None
    """None: never"""


@dataclass(frozen=True)
class DeviceFailure:
    """A device fails, and the jobs that have a part of it are interrupted; others run on."""

    node: int
    device: int
    at: int
    repaired: int | None = None
    """None: never"""


@dataclass(frozen=True, repr=False)
class Maintenance:
    """No job has the nodes in the period. Jobs that reach into it when it is announced are
    interrupted at its start; later ones are not started where they would."""

    nodes: trestle.NodeSet
    period: range
    announced: int = 0
    """from when on the schedule knows, at the latest from the period's start on"""

    __repr__ = short_repr


@dataclass(frozen=True)
class SpotInterruption:
    """A node of an elastic fleet is taken back: its jobs are interrupted, and it is off, to be
    provisioned anew when it is wanted. Nothing where it is off or being provisioned."""

    node: int
    at: int


_INCIDENTS = (NodeFailure, DeviceFailure, Maintenance, SpotInterruption)
Incident = Union[NodeFailure, DeviceFailure, Maintenance, SpotInterruption]


@dataclass(frozen=True, repr=False)
class ElasticFleet:
    """Nodes of the cluster that are on when they are wanted. The first `nodes_min` are on at 0.

    A node is ordered when a job that waits could start now if the node were on, and not on nodes
    ordered before alone. Until it is there the schedule does not count on it. No job is reserved a
    start on it, and others may have the nodes that are on. A node that a job is reserved stays on.
    Nodes that have failed are not ordered, and do not count as the minimum.
    """

    nodes: trestle.NodeSet
    nodes_min: int = 0
    """always on, or being provisioned"""
    nodes_max: int | None = None
    """at most on or being provisioned; None: all"""
    provisioning: int = 0
    """seconds from the order until jobs may have the node"""
    idle: int | None = None
    """seconds without a job until the node is off; None: never"""

    __repr__ = short_repr

    @property
    def most(self) -> int:
        """nodes_max, or how many nodes there are."""
        return len(self.nodes) if self.nodes_max is None else self.nodes_max


def check_world(cluster: trestle.Cluster, incidents: Sequence[Incident],
                fleets: Sequence[ElasticFleet]) -> None:
    """Errors: ValueError that names the argument, its position and what was expected."""
    elastic: set[int] = set()
    for position, fleet in enumerate(fleets):
        where = f"fleets[{position}]"
        if not isinstance(fleet, ElasticFleet):
            raise ValueError(f"{where}: {fleet!r}; expected an ElasticFleet")
        _check_integers(fleet, where)
        _check_nodes(cluster, fleet.nodes, where)
        if not 0 <= fleet.nodes_min <= fleet.most <= len(fleet.nodes):
            raise ValueError(f"{where}: expected 0 <= nodes_min <= nodes_max <= {len(fleet.nodes)}")
        if fleet.provisioning < 0 or (fleet.idle or 0) < 0:
            raise ValueError(f"{where}: expected 0 or more seconds")
        twice = elastic.intersection(fleet.nodes)
        if twice:
            raise ValueError(f"{where}: node {min(twice)} is in two fleets")
        elastic.update(fleet.nodes)
    taken: dict[object, list[range]] = {}
    used = {part.node: had.owner for had in cluster.allocations() for part in had.placement.nodes}
    for position, one in enumerate(incidents):
        where = f"incidents[{position}]"
        if not isinstance(one, _INCIDENTS):
            raise ValueError(f"{where}: {one!r}; expected one of"
                             f" {', '.join(kind.__name__ for kind in _INCIDENTS)}")
        _check_integers(one, where)
        _check_nodes(cluster, one.nodes if isinstance(one, Maintenance) else [one.node], where)
        if isinstance(one, SpotInterruption):
            if one.node not in elastic:
                raise ValueError(f"{where}: node {one.node} is in no fleet")
            _check_period(range(one.at, one.at + 1), where)
            continue
        if isinstance(one, DeviceFailure):
            devices = len(cluster.class_of(one.node).shape.devices)
            if not 0 <= one.device < devices:
                raise ValueError(f"{where}: device {one.device}; node {one.node} has {devices}")
        if isinstance(one, Maintenance):
            for node in sorted(used.keys() & set(one.nodes)):
                raise ValueError(f"{where}: node {node} is used by owner {used[node]} of the"
                                 " cluster, which never ends")
        _check_apart(one, where, taken)


def _check_integers(one: Incident | ElasticFleet, where: str) -> None:
    for field in fields(one):
        value = getattr(one, field.name)
        if field.name not in ("nodes", "period") and not is_integer(value) and (
                value is not None or field.default is not None):
            raise ValueError(f"{where}: {field.name} {value!r}; expected an integer")
        if is_integer(value) and value > trestle.END_OF_TIME:
            raise ValueError(f"{where}: {field.name} {value}; expected at most 2**63 - 1")
    if isinstance(one, Maintenance) and not isinstance(one.period, range):
        raise ValueError(f"{where}: period {one.period!r}; expected a range")


def _check_nodes(cluster: trestle.Cluster, nodes: Iterable[int], where: str) -> None:
    for node in nodes:
        if not 0 <= node < cluster.node_count():
            raise ValueError(f"{where}: node {node}; expected one below {cluster.node_count()}")


def _check_period(period: range, where: str) -> None:
    if period.step != 1 or not 0 <= period.start < period.stop <= trestle.END_OF_TIME:
        raise ValueError(f"{where}: {period}; expected moments from 0 to 2**63 - 1, the first"
                         " before the last")


def _check_apart(one: NodeFailure | DeviceFailure | Maintenance, where: str,
                 taken: dict[object, list[range]]) -> None:
    """What is down is not taken down again, and no window overlaps another."""
    if isinstance(one, Maintenance):
        period, units = one.period, [("window", node) for node in one.nodes]
        if one.announced < 0:
            raise ValueError(f"{where}: announced {one.announced}; expected 0 or more")
    else:
        last = trestle.END_OF_TIME if one.repaired is None else one.repaired
        period = range(one.at, last)
        units = [(type(one).__name__, one.node)]
        if isinstance(one, DeviceFailure):
            units = [(f"device {one.device}", one.node)]
    _check_period(period, where)
    for unit in units:
        for other in taken.setdefault(unit, []):
            if period.start < other.stop and other.start < period.stop:
                raise ValueError(f"{where}: overlaps another of node {unit[1]}, {other}")
        taken[unit].append(period)
