# SPDX-License-Identifier: Apache-2.0
"""What is still to happen, by moment."""

from __future__ import annotations

import enum
import heapq
from collections.abc import Callable


class Rank(enum.IntEnum):
    """The order at one moment: what is given back comes first, then what is taken, then arrivals.

    So a job that ends as its node fails has ended well, and one that arrives then does not get it.
    """

    end = 0
    back = 1
    loss = 2
    claim = 3
    arrival = 4
    wake = 5


class Agenda:
    """Actions by moment, rank, and the order in which they were entered."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, Rank, int, Callable[[], None]]] = []
        self._entered = 0

    def add(self, at: int, rank: Rank, action: Callable[[], None]) -> None:
        """Enters an action for a moment in seconds."""
        heapq.heappush(self._heap, (at, rank, self._entered, action))
        self._entered += 1

    def wake(self, at: int) -> None:
        """Lets there be a pass at this moment."""
        self.add(at, Rank.wake, _nothing)

    def next_moment(self) -> int | None:
        """The first moment at which something happens; None: nothing does any more."""
        return self._heap[0][0] if self._heap else None

    def run(self, at: int) -> None:
        """Does all that is entered for the moment, also what is entered meanwhile."""
        while self._heap and self._heap[0][0] == at:
            heapq.heappop(self._heap)[3]()


def _nothing() -> None:
    """Only the moment matters."""
