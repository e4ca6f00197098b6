# SPDX-License-Identifier: Apache-2.0
"""The jobs that may start, kept from pass to pass so that a pass costs about what changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import trestle

from ._states import Waiting


class Ready:
    """A JobQueue in which jobs stand in the order in which they came into the simulator's queue."""

    def __init__(self, discipline: trestle.Discipline, keeps_reservations: bool) -> None:
        self._queue = trestle.JobQueue(discipline, trestle.JobQueueOptions(
            places_reservations=False, reports_moves=False, keeps_reservations=keeps_reservations))
        self._jobs: dict[int, Waiting] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __contains__(self, job: int) -> bool:
        return job in self._jobs

    def jobs(self) -> Sequence[trestle.QueuedJob]:
        """All of them, in their turns."""
        return self._queue.jobs()

    def add(self, waiting: Waiting) -> None:
        """The job may start from now on."""
        self._queue.add(waiting.queued, waiting.place)
        self._jobs[waiting.queued.owner] = waiting

    def drop(self, job: int) -> None:
        """The job leaves the queue; one that is not there, or was started by schedule(), stays away."""
        if self._jobs.pop(job, None) is not None and job in self._queue:
            self._queue.remove(job)

    def become(self, jobs: Iterable[Waiting]) -> None:
        """These jobs and no others. Complexity: linear in the jobs."""
        wanted = {one.queued.owner: one for one in jobs}
        for job in self._jobs.keys() - wanted.keys():
            self.drop(job)
        for job, one in wanted.items():
            if job not in self._jobs:
                self.add(one)

    def schedule(self, timeline: trestle.Timeline, finder: trestle.StartFinder) -> trestle.QueuePass:
        """A pass. Requires: jobs that start are dropped behind it."""
        return self._queue.schedule(timeline, finder)

    def forget_reservations(self) -> None:
        """What was reserved cannot be kept."""
        self._queue.forget_reservations()
