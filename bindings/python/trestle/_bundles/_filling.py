# SPDX-License-Identifier: Apache-2.0
"""What one node should take: the bundles that leave least of what is scarce.

Pitfall: the search ends after STEPS_MAX looks, so the answer is the best that was seen. The first
one seen takes as many as fit of each kind, in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ._demand import Amounts

STEPS_MAX = 400
DEPTH_MAX = 12
"""Of so many kinds, the first ones, fewer than fit are tried, too."""
ENOUGH = 0.998
"""The share of the weighted room that is good enough."""
_LEAST = 1e-12


class Kind(NamedTuple):
    """Equal bundles that a node may take."""

    asked: Amounts
    most: int
    """of them"""


def weights(kinds: Sequence[Kind], room: Amounts) -> list[float]:
    """How much each resource counts, 1 in all: the square of the nodes that its demands fill."""
    filled = [0.0] * len(room)
    for kind in kinds:
        for place, units in enumerate(kind.asked):
            if units and room[place]:
                filled[place] += units * kind.most / room[place]
    most = max(filled, default=0) or 1
    squares = [(one / most) ** 2 for one in filled]
    return [one / (sum(squares) or 1) for one in squares]


def share(asked: Amounts, room: Amounts) -> float:
    """The largest part of the room that a bundle takes of a resource."""
    return max((units / all_ for units, all_ in zip(asked, room) if all_), default=0)


class _Search:
    """A depth-first search over how many of each kind the node takes."""

    def __init__(self, kinds: Sequence[Kind], room: Amounts, weigh: Sequence[float]) -> None:
        self.counts = [kind.most for kind in kinds]
        self.needs = [[(place, units) for place, units in enumerate(kind.asked) if units]
                      for kind in kinds]
        self.per_unit = [weigh[place] / units if units else 0 for place, units in enumerate(room)]
        self.worth = [sum(self.per_unit[place] * units for place, units in need)
                      for need in self.needs]
        self.left = list(room)
        self.enough = ENOUGH * sum(w for w, units in zip(weigh, room) if units)
        self.chosen = [0] * len(kinds)
        self.best = [0] * len(kinds)
        self.best_worth = -1.0
        self.steps = 0

    def look(self, at: int, worth: float) -> bool:
        """Decides about the kinds from `at` on. False: enough was found, or looked at."""
        self.steps += 1
        if at == min(len(self.counts), DEPTH_MAX):
            return self.finish(worth)
        bound = worth + sum(one * units for one, units in zip(self.per_unit, self.left))
        if bound <= self.best_worth + _LEAST:
            return self.steps < STEPS_MAX
        count = self.take_all(at)
        goes_on = self.look(at + 1, worth + self.worth[at] * count)
        while goes_on and count:
            count -= 1
            self.take(at, -1)
            goes_on = self.look(at + 1, worth + self.worth[at] * count)
        self.take(at, -count)
        return goes_on

    def take_all(self, at: int) -> int:
        """Takes as many of a kind as fit."""
        count = self.counts[at]
        for place, units in self.needs[at]:
            count = min(count, self.left[place] // units)
        self.take(at, count)
        return count

    def take(self, at: int, count: int) -> None:
        """`count` more of a kind; fewer where it is negative."""
        for place, units in self.needs[at]:
            self.left[place] -= units * count
        self.chosen[at] += count

    def finish(self, worth: float) -> bool:
        """Completes an answer by as many as fit of the kinds behind DEPTH_MAX."""
        behind = range(DEPTH_MAX, len(self.counts))
        for at in behind:
            worth += self.worth[at] * self.take_all(at)
        if worth > self.best_worth + _LEAST:
            self.best, self.best_worth = self.chosen.copy(), worth
        for at in behind:
            self.take(at, -self.chosen[at])
        return self.best_worth < self.enough and self.steps < STEPS_MAX


def fill(kinds: Sequence[Kind], room: Amounts, weigh: Sequence[float]) -> list[int]:
    """Of each kind, how many the node takes. Complexity: STEPS_MAX times the kinds and resources."""
    search = _Search(kinds, room, weigh)
    search.look(0, 0.0)
    return search.best
