# SPDX-License-Identifier: Apache-2.0
"""Inside how small a part of the cluster a placement lies."""

from __future__ import annotations

from collections.abc import Sequence

import trestle

SCOPES = ("numa", "socket", "switch")


class Locality:
    """Answers for the placements of one cluster."""

    def __init__(self, cluster: trestle.Cluster) -> None:
        self._cluster = cluster
        trees = cluster.parts().network.trees
        self._switch_of = {node: position for position, switch in enumerate(trees[0].switches)
                           for node in switch.nodes} if trees else {}

    @property
    def scopes(self) -> Sequence[str]:
        """Those that the cluster knows; a cluster without a tree has no switches."""
        return SCOPES if self._switch_of else SCOPES[:2]

    def is_inside(self, placement: trestle.Placement, scope: str) -> bool:
        """True when all of it lies inside one."""
        nodes = {part.node for part in placement.nodes}
        if scope == "switch":
            switches = {self._switch_of.get(node) for node in nodes}
            return len(switches) == 1 and None not in switches
        return len(nodes) == 1 and all(self._is_in_one(part, scope) for part in placement.nodes)

    def _is_in_one(self, part: trestle.NodePlacement, scope: str) -> bool:
        shape = self._cluster.class_of(part.node).shape
        domains = [shape.memory[share.domain].cores for share in part.memory]
        if scope == "numa":
            groups = [one.cores for one in shape.memory if one.cores]
            if len(domains) > 1:
                return False
        else:
            groups = [one.cores for one in shape.hardware.groups
                      if one.level == trestle.HardwareLevel.package]
        near = [shape.devices[share.device].cores for share in part.devices] + domains
        return len(groups) < 2 or any(
            part.cores <= group and all(cores.is_empty() or cores.intersects(group)
                                        for cores in near) for group in groups)
