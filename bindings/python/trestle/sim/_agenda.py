# SPDX-License-Identifier: Apache-2.0
"""What is still to happen, by moment."""

from __future__ import annotations

import enum
import heapq
import operator
from collections.abc import Callable, Iterable
from typing import Any

from .jobs import Job


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
    """Actions by moment, rank, and the order in which they were entered. Arrivals that are known
    from the beginning come before those that are entered."""

    def __init__(self, arrivals: Iterable[Job], arrive: Callable[[Job], None]) -> None:
        self._heap: list[tuple[int, Rank, int, Callable[..., None], tuple[Any, ...]]] = []
        self._entered = 0
        self._arrivals = sorted(arrivals, key=operator.attrgetter("arrival"))
        self._arrivals.reverse()  # the next is the last
        self._arrive = arrive

    def add(self, at: int, rank: Rank, action: Callable[..., None], *arguments: Any) -> None:
        """Enters an action for a moment in seconds."""
        heapq.heappush(self._heap, (at, rank, self._entered, action, arguments))
        self._entered += 1

    def wake(self, at: int) -> None:
        """Lets there be a pass at this moment."""
        self.add(at, Rank.wake, _nothing)

    def next_moment(self) -> int | None:
        """The first moment at which something happens; None: nothing does any more."""
        if not self._arrivals:
            return self._heap[0][0] if self._heap else None
        arrival = self._arrivals[-1].arrival
        return min(arrival, self._heap[0][0]) if self._heap else arrival

    def run(self, at: int) -> None:
        """Does all that is entered for the moment, also what is entered meanwhile."""
        heap, arrivals = self._heap, self._arrivals
        while True:
            is_arrival = arrivals and arrivals[-1].arrival == at
            if heap and heap[0][0] == at and not (is_arrival and heap[0][1] >= Rank.arrival):
                _, _, _, action, arguments = heapq.heappop(heap)
                action(*arguments)
            elif is_arrival:
                self._arrive(arrivals.pop())
            else:
                return


def _nothing() -> None:
    """Only the moment matters."""
