# SPDX-License-Identifier: Apache-2.0
"""A discrete-event simulator over schedule_pass: jobs in, their outcomes out.

    jobs = [sim.Job(id, arrival=60 * id, request=request, limit=3600, runtime=1800) for id in ...]
    result = sim.simulate(cluster, jobs, trestle.Discipline.easy())
    result.mean_wait(), result.utilisation()["cpu"], result.to_dataframe()
    print(result.summary())            # the numbers of a paper, as one table; METRICS defines them
    result.gantt().save("gantt.svg")   # and result.usage_plot()

Times are whole seconds from 0 on. There is no clock and no random number: equal arguments give equal
results. A job has its real run time. The schedule knows only its limit, at which it is killed.
jobs_of() makes jobs of any trace of trestle.traces. Moment by moment:

- jobs arrive, wait for dependencies (trestle.Dependency), begin times and throttles of arrays,
  start, take the place of others, and end. Those that failed, were interrupted or preempted come
  back as their Retry says;
- incidents take nodes and devices away: NodeFailure, DeviceFailure, Maintenance, SpotInterruption;
- an ElasticFleet orders nodes that waiting jobs want, and switches idle ones off.
"""

from ._from_swf import jobs_of_swf
from ._from_traces import Trace, jobs_of
from ._simulate import simulate
from ._impossible import ImpossibleJob, impossible_jobs
from ._order import ORDERS, FairShare, Order, WaitingJobs
from ._samples import Sample
from .events import Attempt, Event, EventKind, JobResult
from .jobs import OWNERS_MAX, Job, Outcome, Retry, RetryEvent
from .metrics import METRICS, Metric
from .result import Result
from .summary import Number, Summary
from .sweep import Estimate, Sweep, sweep
from .world import (DeviceFailure, ElasticFleet, Incident, Maintenance, NodeFailure,
                    SpotInterruption)

__all__ = [
    "Attempt", "DeviceFailure", "ElasticFleet", "Estimate", "Event", "EventKind", "FairShare",
    "ImpossibleJob", "Incident", "Job", "JobResult", "METRICS", "Maintenance", "Metric",
    "NodeFailure", "Number", "ORDERS", "OWNERS_MAX", "Order", "Outcome", "Result", "Retry", "RetryEvent", "Sample", "SpotInterruption",
    "Summary", "Sweep", "Trace", "WaitingJobs", "impossible_jobs", "jobs_of", "jobs_of_swf",
    "simulate", "sweep",
]
