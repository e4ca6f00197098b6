# SPDX-License-Identifier: Apache-2.0
"""Whose end lets a job start now."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import trestle


def plan_preemption(timeline: trestle.Timeline, job: trestle.QueuedJob, victims: Sequence[int],
                    options: trestle.PlaceOptions) -> tuple[list[int], trestle.Placement] | None:
    """Those of `victims` that end, and what the job has then; None when it cannot start even so.

    Victims are taken in the order given until the job fits; then each that is not needed is spared,
    the last that were taken first to be kept. The timeline stays. Complexity: two starts a victim.
    """
    trial = copy.copy(timeline)
    taken: list[trestle.TimedAllocation] = []
    placement = _fits(trial, job, options)
    for victim in victims:
        if placement is not None:
            break
        taken.append(trial.cancel(victim))
        placement = _fits(trial, job, options)
    if placement is None:
        return None
    needed: list[int] = []
    for one in taken:
        trial.reserve(one.allocation, range(trial.now(), one.period.stop))
        without = _fits(trial, job, options)
        if without is None:
            trial.cancel(one.allocation.owner)
            needed.append(one.allocation.owner)
        else:
            placement = without
    return needed, placement


def _fits(timeline: trestle.Timeline, job: trestle.QueuedJob,
          options: trestle.PlaceOptions) -> trestle.Placement | None:
    question = trestle.StartQuestion(duration=job.duration, not_beyond=timeline.now())
    start = trestle.earliest_start(timeline, job.request, question, options)
    return start.placement if isinstance(start, trestle.Start) else None
