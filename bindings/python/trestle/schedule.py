# SPDX-License-Identifier: Apache-2.0
"""Time: timelines, the start of a request, passes over a queue, preemption and moves.

    timeline = trestle.schedule.Timeline(cluster)
    start = trestle.schedule.earliest_start(timeline, request)

All names are in `trestle` too, where pickles and reprs find them.
"""

from . import (  # noqa: F401
    AFTER_RESERVATION, Advance, ArrayConditions, BEFORE_RESERVATION, CompactionPlan,
    CompactionRules, ConstraintCount, Dependency, DependencyKind, Discipline, END_OF_TIME,
    EligibleJobs, Explanation, FragmentationPlan, JobPhase, JobQueue, JobQueueOptions,
    JobRecord, Move,
    OUTSIDE_OF_RESERVATION, OwnerPeriod, PassResult, PlaceChangeKind, PlaceRelaxation,
    PreemptionPlan, PreemptionRules, QueueOrder, QueuePass, QueueState, QueuedJob, RequeueRules,
    ReservationChange, SavedQueue, Start, StartConditions, StartFinder, StartQuestion,
    TimedAllocation, Timeline, TimelineDiff, TimelineParts, TimelineTrial, Victim, WaitingJob,
    check_cycles, earliest_start, eligible_jobs, expected_fragments, explain, plan_compaction,
    plan_defragmentation, plan_preemption, render_timeline, requeued, reservation_timeline,
    schedule_pass, whole_nodes,
)

__all__ = [
    "AFTER_RESERVATION", "Advance", "ArrayConditions", "BEFORE_RESERVATION", "CompactionPlan",
    "CompactionRules", "ConstraintCount", "Dependency", "DependencyKind", "Discipline",
    "END_OF_TIME", "EligibleJobs", "Explanation", "FragmentationPlan", "JobPhase", "JobQueue",
    "JobQueueOptions", "JobRecord", "Move", "OUTSIDE_OF_RESERVATION", "OwnerPeriod", "PassResult", "PlaceChangeKind",
    "PlaceRelaxation", "PreemptionPlan", "PreemptionRules", "QueueOrder", "QueuePass",
    "QueueState", "QueuedJob", "RequeueRules", "ReservationChange", "SavedQueue", "Start", "StartConditions",
    "StartFinder", "StartQuestion", "TimedAllocation", "Timeline", "TimelineDiff",
    "TimelineParts", "TimelineTrial", "Victim", "WaitingJob", "check_cycles", "earliest_start",
    "eligible_jobs", "expected_fragments", "explain", "plan_compaction", "plan_defragmentation",
    "plan_preemption", "render_timeline", "requeued", "reservation_timeline", "schedule_pass",
    "whole_nodes",
]
