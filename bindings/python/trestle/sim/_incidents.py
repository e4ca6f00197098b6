# SPDX-License-Identifier: Apache-2.0
"""What incidents do to a simulation, moment by moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import trestle

from ._agenda import Rank
from .events import EventKind
from .jobs import OWNERS_MAX, Outcome
from .world import DeviceFailure, Incident, Maintenance, NodeFailure, SpotInterruption

if TYPE_CHECKING:
    from ._simulation import Simulation
    from ._states import Running

_FAILED = "failed"


def enter(simulation: Simulation, position: int, incident: Incident) -> None:
    """Puts into the agenda what the incident does. Requires: check_world() accepts it."""
    if isinstance(incident, NodeFailure):
        _enter_node(simulation, incident)
    elif isinstance(incident, DeviceFailure):
        _enter_device(simulation, incident)
    elif isinstance(incident, Maintenance):
        _enter_maintenance(simulation, OWNERS_MAX + position, incident)
    else:
        _enter_spot(simulation, incident)


def _enter_node(simulation: Simulation, one: NodeFailure) -> None:
    def fail() -> None:
        simulation.nodes.take_out(one.node, _FAILED)
        _interrupt(simulation, lambda running: one.node in running.nodes)
        simulation.tell(EventKind.node_down, node=one.node)

    def repair() -> None:
        simulation.nodes.put_back(one.node, _FAILED)
        simulation.tell(EventKind.node_up, node=one.node)

    simulation.agenda.add(one.at, Rank.loss, fail)
    if one.repaired is not None:
        simulation.agenda.add(one.repaired, Rank.back, repair)


def _enter_device(simulation: Simulation, one: DeviceFailure) -> None:
    def has_it(running: Running) -> bool:
        return any(part.node == one.node and one.device in part.device_set()
                   for part in running.placement.nodes)

    def fail() -> None:
        _interrupt(simulation, has_it)
        simulation.nodes.set_device(one.node, one.device, True)
        simulation.tell(EventKind.device_down, node=one.node, device=one.device)

    def repair() -> None:
        simulation.nodes.set_device(one.node, one.device, False)
        simulation.tell(EventKind.device_up, node=one.node, device=one.device)

    simulation.agenda.add(one.at, Rank.loss, fail)
    if one.repaired is not None:
        simulation.agenda.add(one.repaired, Rank.back, repair)


def _enter_maintenance(simulation: Simulation, owner: int, one: Maintenance) -> None:
    first = one.period.start
    nodes = set(one.nodes)

    def reaches_into(running: Running) -> bool:
        period = simulation.nodes.timeline.period_of(running.job.id)
        return period is not None and period.stop > first and not nodes.isdisjoint(running.nodes)

    def announce() -> None:
        timeline = simulation.nodes.timeline
        for running in [one for one in simulation.running.values() if reaches_into(one)]:
            if first == simulation.now:
                simulation.stop(running, Outcome.interrupted)
            else:
                timeline.set_end(running.job.id, first)
                simulation.stop_at(first, running, Outcome.interrupted)
        simulation.drop_claims(reaches_into)
        window = trestle.whole_nodes(timeline.cluster(), one.nodes)
        timeline.reserve(trestle.Allocation(owner, placement=window), one.period)
        simulation.reservations.forget()

    def begin() -> None:
        simulation.tell(EventKind.maintenance_begin, nodes=one.nodes)

    def end() -> None:
        simulation.tell(EventKind.maintenance_end, nodes=one.nodes)

    simulation.agenda.add(min(one.announced, first), Rank.loss, announce)
    simulation.agenda.add(first, Rank.loss, begin)
    simulation.agenda.add(one.period.stop, Rank.back, end)


def _enter_spot(simulation: Simulation, one: SpotInterruption) -> None:
    def take_back() -> None:
        if simulation.fleets.is_on(one.node):
            _interrupt(simulation, lambda running: one.node in running.nodes)
            simulation.fleets.switch_off(one.node, simulation.now)

    simulation.agenda.add(one.at, Rank.loss, take_back)


def _interrupt(simulation: Simulation, is_hit: Callable[[Running], bool]) -> None:
    for running in [one for one in simulation.running.values() if is_hit(one)]:
        simulation.stop(running, Outcome.interrupted)
    simulation.drop_claims(is_hit)
    simulation.reservations.forget()
