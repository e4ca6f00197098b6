# SPDX-License-Identifier: Apache-2.0
"""The jobs that may start, kept from pass to pass so that a pass costs about what changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import trestle

from ._states import Waiting


class Ready:
    """A JobQueue in which jobs stand in the order in which they came into the simulator's queue."""

    def __init__(self, discipline: trestle.Discipline, places_reservations: bool) -> None:
        self._queue = trestle.JobQueue(discipline, trestle.JobQueueOptions(places_reservations))
        self._jobs: dict[int, Waiting] = {}
        self._started: dict[int, Waiting] = {}  # in the last pass

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
        """The job leaves the queue; one that is not there stays away."""
        if self._jobs.pop(job, None) is not None:
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
        """A pass; jobs that start leave the queue."""
        result = self._queue.schedule(timeline, finder)
        owners = [one.allocation.owner for one in result.starts]
        self._started = {owner: self._jobs.pop(owner) for owner in owners}
        return result

    def take_back(self, starts: Iterable[trestle.TimedAllocation]) -> None:
        """Those of the last pass do not start: they wait in their places."""
        for one in starts:
            self.add(self._started[one.allocation.owner])

    def reservations(self) -> Sequence[trestle.TimedAllocation]:
        """All as of the last pass."""
        return self._queue.reservations()
