# SPDX-License-Identifier: Apache-2.0
"""Which nodes and devices take work, in the timeline."""

from __future__ import annotations

from collections.abc import Iterable

import trestle
from trestle.replay.run import AnyPolicy


class Nodes:
    """A timeline whose nodes are out for reasons: one is up again when the last has gone."""

    def __init__(self, cluster: trestle.Cluster, options: trestle.PlaceOptions,
                 policy: AnyPolicy | None = None) -> None:
        self.timeline = trestle.Timeline(cluster)
        self.options = options
        self.policy = policy
        self.finder = trestle.StartFinder(options, policy)
        self._given = cluster
        self._reasons: dict[int, set[str]] = {}

    def take_out(self, node: int, reason: str) -> None:
        """The node takes no work; what runs there stays."""
        self._reasons.setdefault(node, set()).add(reason)
        self._set_state(node, trestle.NodeState.down)

    def put_back(self, node: int, reason: str) -> None:
        """The node is what it was given as, unless there are other reasons."""
        self._reasons[node].remove(reason)
        if not self._reasons[node]:
            self._set_state(node, self._given.class_of(node).state)

    def is_out(self, node: int, *, besides: str) -> bool:
        """True when the node is out for another reason than this, or for more."""
        return bool(self._reasons.get(node, set()) - {besides})

    def open_in(self, timeline: trestle.Timeline, nodes: Iterable[int], reason: str) -> None:
        """In another timeline those nodes are put back that have this reason alone."""
        for node in nodes:
            if self._reasons.get(node) == {reason}:
                _change_state(timeline, node, self._given.class_of(node).state)

    def set_device(self, node: int, device: int, failed: bool) -> None:
        """The device takes no work, or is what it was given as. No job may have a part of it that
        failed. Complexity: linear in nodes and owners, as shapes of nodes do not change."""
        cluster = self.timeline.cluster()
        parts = cluster.parts()
        nodes = list(parts.nodes)
        devices = list(nodes[node].shape.devices)
        devices[device] = devices[device].replace(health=trestle.Health.failure) if failed else (
            self._given.class_of(node).shape.devices[device])
        nodes[node] = nodes[node].replace(shape=nodes[node].shape.replace(devices=devices))
        changed = trestle.Cluster.create(parts.replace(nodes=nodes))
        for one in cluster.allocations():
            changed.commit(one)
        self.timeline = trestle.Timeline.create(changed, self.timeline.parts())

    def _set_state(self, node: int, state: trestle.NodeState) -> None:
        _change_state(self.timeline, node, state)


def _change_state(timeline: trestle.Timeline, node: int, state: trestle.NodeState) -> None:
    timeline.change_cluster(lambda cluster: cluster.set_node_state(node, state))
