# SPDX-License-Identifier: Apache-2.0
"""Jobs that have no place even while nothing else runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import trestle
from trestle._short import short_repr

from .jobs import Job


@dataclass(frozen=True, repr=False)
class ImpossibleJob:
    """A job without a place, and why."""

    job: Job
    why: trestle.Refusal

    __repr__ = short_repr

    def __str__(self) -> str:
        return f"job {self.job.id}: {self.why}"


def impossible_jobs(cluster: trestle.Cluster, jobs: Iterable[Job],
                    options: trestle.PlaceOptions = trestle.PlaceOptions()
                    ) -> tuple[ImpossibleJob, ...]:
    """The jobs for which the cluster as it is has no place, in their order.

    What owners of the cluster have stays theirs. A request that is not valid counts too. Each
    distinct request is placed once.
    """
    known: dict[trestle.Request, trestle.Refusal | None] = {}
    found = []
    for job in jobs:
        if job.request not in known:
            known[job.request] = _refusal(cluster, job.request, options)
        why = known[job.request]
        if why is not None:
            found.append(ImpossibleJob(job, why))
    return tuple(found)


def _refusal(cluster: trestle.Cluster, request: trestle.Request,
             options: trestle.PlaceOptions) -> trestle.Refusal | None:
    try:
        verdict = trestle.place(cluster, request, options)
    except ValueError as error:
        return trestle.Refusal(trestle.Constraint.invalid, str(error))
    return verdict if isinstance(verdict, trestle.Refusal) else None
