# SPDX-License-Identifier: Apache-2.0
"""The one function that runs a simulation."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import trestle

from trestle.replay.run import AnyPolicy, find_policy

from ._impossible import impossible_jobs
from ._order import Order, order_of
from ._preemption import Preempts
from ._simulation import Runtime, Simulation, Slack
from .jobs import Job
from .result import Result
from .world import ElasticFleet, Incident


def simulate(cluster: trestle.Cluster, jobs: Iterable[Job],
             discipline: trestle.Discipline = trestle.Discipline.easy(), *,
             runtime: Runtime | None = None, preempts: Preempts | None = None,
             preemption: trestle.PreemptionRules = trestle.PreemptionRules(),
             arrays: Mapping[int, int] = {}, incidents: Iterable[Incident] = (),
             fleets: Iterable[ElasticFleet] = (), keeps_reservations: bool = True,
             keeps_reasons: bool = False, without_impossible: bool = False,
             options: trestle.PlaceOptions = trestle.PlaceOptions(),
             order: Order | str | None = None, policy: AnyPolicy | None = None,
             slack: Slack = 0) -> Result:
    """Runs the jobs on the cluster from second 0 until the last has ended. Both stay as they are.

    At each moment jobs that have ended give back first, then nodes come, then they go, then jobs
    arrive. Then schedule_pass() goes over those that may start. Equal arguments give equal results.

    runtime: seconds that a job takes where it was placed, 0 or more; in place of Job.runtime.
    preempts: preempts(waiting, running) is true when the first may end the second. Circles are
    rejected: no job may end a job that may end it, also through others.
    trestle.plan_preemption() chooses the victims by Job.preemption_cost. Among equals the lowest
    priority, then the latest start. The job starts in their place, at once or when the last of them has
    ended: at the latest when the longest Job.grace of theirs is over.
    preemption: what such plans may be, and how long they are looked for.
    arrays: by Job.array how many of its tasks may run at once; others are not throttled.
    keeps_reservations: under a discipline that reserves for all jobs none starts later than was
    once said. Exceptions are when nodes or devices go, jobs end others, or arrays are throttled,
    where another task may come first. False: as schedule_pass() says each time. keeps_reasons:
    JobResult.waited_for says how long each job waited for what. Every pass then costs time for
    every job that waits. without_impossible: jobs that impossible_jobs() names are left out, and
    are in Result.impossible; False: they end unstarted, with the reason. options: how places are
    chosen. policy: which node comes first, in place of that of the options: a name, a function of
    PolicyColumns, or a scoring expression as text. Whose place a job takes (`preempts`) is the
    options' choice. order: in which turn jobs are looked at. It is a function of WaitingJobs that
    returns a number for each job, lowest first. Or it is a FairShare, or a name among ORDERS. None:
    the discipline's. slack: under Discipline.slack_based() seconds by which the first reservation
    of a job may be put off, 0 or more. It is a number for all, or a function of the job.
    Errors: ValueError that names the argument. Those of eligible_jobs() and schedule_pass(), which
    name the owner, for conditions and a request that cannot be. What `runtime` and `preempts` raise.
    """
    given = tuple(jobs)
    impossible = impossible_jobs(cluster, given, options) if without_impossible else ()
    left_out = {one.job.id for one in impossible}
    result = Simulation(cluster, tuple(job for job in given if not left_out or job.id not in left_out),
                        discipline, runtime, preempts, preemption, dict(arrays), tuple(incidents),
                        tuple(fleets), keeps_reservations, keeps_reasons, options,
                        order_of(order, discipline),
                         find_policy(policy) if isinstance(policy, str) else policy,
                         slack).run()
    return dataclasses.replace(result, impossible=impossible) if impossible else result
