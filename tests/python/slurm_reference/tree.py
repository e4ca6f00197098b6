# SPDX-License-Identifier: Apache-2.0
"""Nodes under a tree of switches (section 5.2)."""

from __future__ import annotations

from .choice import Choice, NoFit, TooManySwitches
from .conf import Switch


def tree(work: Choice) -> None:
    """Leaf after leaf: the closest to those taken, among those the tightest that is enough."""
    q = work.question
    below = _reachable(work)
    work.usable = {i: n for i, n in work.usable.items() if i in below or i in work.picks}
    if not work.done():
        last = _take_lower_weights(work)
        _fill_leaves(work, last)
    if q.job.switches and work.accepted():
        leaves = {q.nodes[i].leaf for i in work.picks}
        if len(leaves) > q.job.switches:
            raise TooManySwitches


def _reachable(work: Choice) -> frozenset[int]:
    """Nodes under the top switch: the highest that holds what is required, or has enough."""
    q = work.question
    best: Switch | None = None
    for switch in q.switches:
        inside = [i for i in work.usable if i in switch.nodes]
        if not all(i in switch.nodes for i in q.required):
            continue
        cpus = sum(work.usable[i].cpus for i in inside)
        if len(inside) < q.min_nodes or cpus < q.job.min_cpus:
            continue
        if best is None or switch.level >= best.level:
            best = switch
    if best is None:
        raise NoFit
    return best.nodes


def _take_lower_weights(work: Choice) -> set[int]:
    """Cheap nodes are all taken while they do not suffice; returns those to choose among."""
    groups: dict[tuple[int, int], list[int]] = {}
    for i in sorted(work.usable):
        if work.free(i):
            groups.setdefault(work.weight(i), []).append(i)
    for weight in sorted(groups):
        group = groups[weight]
        cpus = sum(work.usable[i].cpus for i in group)
        enough = (
            cpus >= work.rem_cpus and len(group) >= work.rem_nodes and work.gres_enough(group)
        )
        if enough or weight == max(groups):
            return set(group)
        for i in group:
            work.try_take(i)
    return set()


def _fill_leaves(work: Choice, group: set[int]) -> None:
    q = work.question
    leaves = [s for s in range(len(q.switches)) if q.switches[s].level == 0]
    visited = [s for s in leaves if any(i in q.switches[s].nodes for i in work.picks)]
    for leaf in visited:
        _take_leaf(work, leaf, group)
    while not work.done() and work.max_nodes > 0:
        left = [
            s for s in leaves if any(work.free(i) and i in group for i in q.switches[s].nodes)
        ]
        left = [s for s in left if s not in visited]
        if not left:
            break
        best = left[0]
        for leaf in left[1:]:
            if _closer(work, leaf, best, visited, group):
                best = leaf
        _take_leaf(work, best, group)
        visited.append(best)


def _take_leaf(work: Choice, leaf: int, group: set[int]) -> None:
    nodes = work.question.switches[leaf].nodes
    work.take_all([i for i in sorted(nodes) if i in group])


def _closer(work: Choice, leaf: int, best: int, visited: list[int], group: set[int]) -> bool:
    switches = work.question.switches
    far = sum(_distance(switches, leaf, v) for v in visited)
    best_far = sum(_distance(switches, best, v) for v in visited)
    order = _compare(work, leaf, best, group)
    return (far < best_far and order >= 0) or (far == best_far and order > 0)


def _compare(work: Choice, a: int, b: int, group: set[int]) -> int:
    """Positive: switch a is the better one for the nodes still needed."""
    switches, needed = work.question.switches, work.rem_nodes

    def count(s: int) -> int:
        return sum(work.free(i) and i in group for i in switches[s].nodes)

    while True:
        fit_a, fit_b = count(a) >= needed, count(b) >= needed
        if fit_a and fit_b:
            return count(b) - count(a)
        if fit_a or fit_b:
            return 1 if fit_a else -1
        up_a, up_b = switches[a].parent, switches[b].parent
        if up_a == up_b or up_a < 0 or up_b < 0:
            return count(a) - count(b)
        a, b = up_a, up_b


def _distance(switches: tuple[Switch, ...], a: int, b: int) -> int:
    """Edges between two switches; far apart if no tree joins them."""
    up: dict[int, int] = {}
    steps = 0
    while a >= 0:
        up[a] = steps
        a, steps = switches[a].parent, steps + 1
    steps = 0
    while b >= 0:
        if b in up:
            return steps + up[b]
        b, steps = switches[b].parent, steps + 1
    return 1 << 20
