# SPDX-License-Identifier: Apache-2.0
"""A cluster under a queue that never runs dry: how much of it is in use."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import List, Optional, Tuple, TypeVar

import trestle

from .._progress import Progress

__all__ = ["occupancy"]

_J = TypeVar("_J")


def occupancy(cluster: trestle.Cluster, jobs: Iterator[Tuple[_J, float]],
              place: Callable[[trestle.Cluster, _J], Optional[trestle.Placement]], starts: int,
              ahead: int = 1) -> float:
    """The share of nodes in use, in the mean over time, after the first fifth of the starts.

    `jobs` has a job and its run time, each on whole nodes. The queue holds `ahead` jobs: the first
    that fits starts. With one, a job waits for all before it.
    """
    nodes = cluster.node_count()
    queue = [next(jobs) for _ in range(ahead)]
    ends: List[Tuple[float, int, int]] = []
    now = area = begun = 0.0
    busy = started = 0
    with Progress("queue", "start", starts) as progress:
        while started < starts:
            progress.reach(started)
            at, placement = 0, None
            for at, (job, _) in enumerate(queue):
                placement = place(cluster, job)
                if placement is not None:
                    break
            if placement is not None:
                started += 1
                cluster.adopt(started, placement)
                busy += len(placement.nodes)
                heapq.heappush(ends, (now + queue.pop(at)[1], started, len(placement.nodes)))
                queue.append(next(jobs))
                if started == starts // 5:
                    area, begun = 0.0, now
                continue
            end, owner, count = heapq.heappop(ends)
            area += busy * (end - now)
            now, busy = end, busy - count
            cluster.release(owner)
    return area / (now - begun) / nodes
