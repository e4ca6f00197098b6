# SPDX-License-Identifier: Apache-2.0
"""How fairly jobs and users were served."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Mapping, Sequence

from .events import JobResult


def jain(values: Sequence[float]) -> float:
    """Jain's index of the values: 1 when all are alike, 1/n when one has everything."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else 1.0


def fairness_of(jobs: Sequence[JobResult], demand: Mapping[int, float],
                capacity: float) -> dict[int, float]:
    """By job the finish-time fairness, as METRICS defines it; of jobs that ran for a second or
    more. `demand` and `capacity` are of one resource."""
    changes: dict[int, float] = {}
    for one in jobs:
        changes[one.arrival] = changes.get(one.arrival, 0.0) + demand[one.job.id]
        changes[one.end] = changes.get(one.end, 0.0) - demand[one.job.id]
    moments = sorted(changes)
    loads = list(itertools.accumulate(changes[at] for at in moments))
    shares = [max(1.0, load / capacity) if capacity else 1.0 for load in loads]
    spans = [after - at for at, after in zip(moments, moments[1:])]
    until = [0.0, *itertools.accumulate(share * span for share, span in zip(shares, spans))]
    fair = {}
    for one in jobs:
        if one.run >= 1 and one.end > one.arrival:
            first, last = (bisect.bisect_left(moments, at) for at in (one.arrival, one.end))
            contention = (until[last] - until[first]) / (one.end - one.arrival)
            fair[one.job.id] = one.response / (one.run * contention)
    return fair
