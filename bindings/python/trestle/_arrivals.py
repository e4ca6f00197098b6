# SPDX-License-Identifier: Apache-2.0
"""What the environments have in common: jobs as they arrive, and what a node has left."""

import operator
from typing import Any, Iterator, Optional, Tuple

import trestle


def next_arrival(arrivals: Iterator[Tuple[int, int, int]], position: int, since: int,
                 requests: int) -> Optional[Tuple[int, int, int]]:
    """The next of them, checked, or None behind the last. Errors: ValueError for what is no
    Arrival of so many requests, or is before `since`; it names the position."""
    try:
        given: Any = next(arrivals)
    except StopIteration:
        return None
    try:
        kind, now, seconds = map(operator.index, given)
        is_one = 0 <= kind < requests and since <= now and seconds >= 0
    except (TypeError, ValueError):
        is_one = False
    if not is_one:
        raise ValueError(
            f"jobs: arrival {position}: {given!r}; expected three integers: a request below"
            f" {requests}, a moment from {since} on, and 0 or more seconds")
    return kind, now, seconds


def amounts(free: trestle.FreeState) -> Tuple[int, int, int]:
    """Cores, bytes and shares of devices."""
    return len(free.cores), sum(free.memory), sum(free.shares)
