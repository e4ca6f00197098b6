# SPDX-License-Identifier: Apache-2.0
"""What SIMULATION_BEGINS says there is: hosts as nodes of a cluster."""

from __future__ import annotations

from collections.abc import Iterable

import trestle

from ._reading import At

STATES = ("idle", "computing", "sleeping", "switching_on", "switching_off")
_AWAKE = STATES[:2]
_HOST = trestle.Cluster.from_text("1 x (1c)").class_of(0).shape


class Platform:
    """The idle cluster, and which of its nodes is which resource. Nodes follow the resources' ids.
    """

    def __init__(self, data: At) -> None:
        """Errors: BadMessage."""
        hosts = _hosts(data)
        self.ids = sorted(hosts)
        """Of each node, the resource."""
        self.node_of: dict[int, int | None] = {id: node for node, id in enumerate(self.ids)}
        """Of each resource, the node; None: storage."""
        self._sleep_states = [_sleep_states(hosts[id]) for id in self.ids]
        self.asleep = [node for node, id in enumerate(self.ids) if not _is_awake(hosts[id])]
        for one in _listed(data, "storage_resources"):
            storage = one.get("id")
            if storage.count(0) in self.node_of:
                raise storage.bad(f"{storage.value} stands twice; expected each resource once")
            self.node_of[storage.value] = None
        names: dict[str, int] = {}
        nodes = []
        for id in self.ids:
            name = hosts[id].find("name")
            nodes.append(trestle.Node(str(id) if name is None else name.text(), _HOST,
                                      features=_features(hosts[id])))
            if names.setdefault(nodes[-1].name, id) != id:
                raise hosts[id].bad(f"name {nodes[-1].name} is that of resource"
                                    f" {names[nodes[-1].name]} too; expected another")
        self.cluster = trestle.Cluster.create(trestle.ClusterParts(nodes))

    def nodes(self, resources: At) -> list[int]:
        """Of an interval set of resources, those that compute. Errors: BadMessage."""
        found = (self.node_of[id] for id in resources.resources(self.node_of))
        return [node for node in found if node is not None]

    def text(self, nodes: Iterable[int]) -> str:
        """The resources as an interval set, in its canonical form."""
        runs = trestle.NodeSet(self.ids[node] for node in nodes).intervals()
        return " ".join(str(run.start) if len(run) == 1 else f"{run.start}-{run.stop - 1}"
                        for run in runs)

    def takes_work(self, node: int, state: At) -> bool:
        """True for a state, by name or number, in which the node computes. Errors: BadMessage."""
        value = state.value
        if isinstance(value, str) and value in STATES:
            return value in _AWAKE
        if isinstance(value, str) and value.isascii() and value.isdigit():
            return int(value[:9]) not in self._sleep_states[node]
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value not in self._sleep_states[node]
        raise state.unlike(f"the number of a power state, or one of {', '.join(STATES)}")


def _listed(data: At, name: str) -> list[At]:
    found = data.find(name)
    return [] if found is None else found.each()


def _hosts(data: At) -> dict[int, At]:
    """By id. Where they are counted alone, from 0 on."""
    counted = data.find("nb_compute_resources") or data.find("nb_resources")
    listed = data.find("compute_resources")
    if listed is None:
        if counted is None:
            raise data.bad("no compute_resources; expected a list of them, or how many there are")
        return {id: At({"id": id}, counted.where) for id in range(counted.count(1, 1_000_000))}
    hosts: dict[int, At] = {}
    for one in listed.each():
        id = one.get("id")
        if id.count(0) in hosts:
            raise id.bad(f"{id.value} stands twice; expected each resource once")
        hosts[id.value] = one
    if not hosts:
        raise listed.unlike("one or more")
    exact = data.find("nb_compute_resources")
    if exact is not None and exact.count(0) != len(hosts):
        raise exact.unlike(f"{len(hosts)}, as many as compute_resources has")
    return hosts


def _is_awake(host: At) -> bool:
    state = host.find("state")
    return state is None or state.choice(STATES) in _AWAKE


def _features(host: At) -> list[str]:
    properties = host.find("properties")
    found = []
    for name, value in ({} if properties is None else properties.members()).items():
        if not isinstance(value.value, (str, int, float)):
            raise value.unlike("a text or a number")
        found.append(f"{name}={value.value}")
    return found


def _sleep_states(host: At) -> frozenset[int]:
    """Power states of a property as `13:14:15,16:17:18`: of each three the first is asleep, the
    others lead there and back."""
    properties = host.find("properties")
    states = None if properties is None else properties.find("sleep_pstates")
    if states is None:
        return frozenset()
    words = [word.strip() for one in states.text().split(",") for word in one.split(":")]
    if len(words) % 3 or not all(word.isascii() and word.isdigit() for word in words):
        raise states.unlike("power states as 13:14:15")
    return frozenset(int(word[:9]) for word in words)
