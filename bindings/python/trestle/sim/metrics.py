# SPDX-License-Identifier: Apache-2.0
"""The numbers of a summary: what each means, its unit, and the paper that it is known from."""

from __future__ import annotations

from dataclasses import dataclass

from trestle._short import short_repr

__all__ = ["METRICS", "Metric"]


@dataclass(frozen=True, repr=False)
class Metric:
    """One number that a summary has."""

    name: str
    unit: str
    """empty: a ratio or a count"""
    definition: str
    source: str = ""
    """the paper that it is known from; empty: ours. `definition` is what is computed: it was not
    compared with the text of the paper"""

    __repr__ = short_repr


_FEITELSON = "Feitelson, Metrics for parallel job scheduling and their convergence, JSSPP 2001"
_KANT = "Kant: an efficient unified scheduling system for large-scale AI clusters, 2025"

_ALL = (
    Metric("jobs", "jobs", "Jobs that were given, by how they ended."),
    Metric("wait", "s", "From arrival to first start, of jobs that started."),
    Metric("response", "s", "From arrival to the end for good, of jobs that started.", _FEITELSON),
    Metric("slowdown", "", "Response by the run time of the last attempt, which counts as at least"
           " `bound` seconds; at least 1. Of jobs that started.", _FEITELSON),
    Metric("finish_time_fairness", "", "Response by what the job would take with an equal share:"
           " its last run time times the mean, over its time in the system, of what all jobs there"
           " demand by what the cluster has, at least 1. Above 1: less than a fair share. Of jobs"
           " that started and ran for a second or more. The demand is GPUs, or CPUs where no job"
           " has GPUs.", "Themis, NSDI 2020; Shockwave, NSDI 2023"),
    Metric("jain_index", "", "(sum x)^2 / (n sum x^2) of the mean slowdown x of each of n users; of"
           " each job where no job has a user. 1: all alike; 1/n: one has it all.",
           "Jain, Chiu, Hawe, DEC-TR-301, 1984"),
    Metric("makespan", "s", "From the first arrival to the last end."),
    Metric("utilisation", "", "What jobs had of a resource times the time, by what nodes had while"
           " they were on."),
    Metric("occupancy", "", "Nodes with a job by nodes that are on, the mean over time."),
    Metric("goodput", "", "As utilisation, of attempts that completed alone: what was of use."),
    Metric("gpu_allocation", "", "Allocated GPUs by GPUs of nodes that are on (GAR), the mean over"
           " time and the greatest. A part of a GPU counts as a part.", _KANT),
    Metric("gpu_occupancy", "", "Allocated GPUs times the time, by GPUs of nodes while they were on"
           " (SOR).", _KANT),
    Metric("fragmented_nodes", "", "Nodes whose GPUs are partly allocated, by nodes with GPUs that"
           " are on (GFR): the mean over time and the greatest.", _KANT),
    Metric("fragments", "", "GPUs that a job drawn from the typical ones could not use, by all GPUs"
           " (F): the mean over time and the greatest.", "Beware of Fragmentation, USENIX ATC 2023"),
    Metric("preemptions", "attempts", "Attempts that ended for another job."),
    Metric("interruptions", "attempts", "Attempts that ended with a node or device."),
    Metric("migrations", "attempts", "Attempts on other nodes than the attempt before."),
    Metric("attempts", "", "Attempts of each job, of all jobs."),
    Metric("allocation_ratio", "", "Jobs that started by jobs, of one size of demand."),
    Metric("locality", "", "Jobs whose last attempt lay inside one NUMA domain, socket or leaf"
           " switch, by jobs that started. Cores, memory and devices count; a device that is near"
           " to all cores is inside everything. The switch: of the first tree of the network."),
    Metric("waited_for", "s", "How long jobs waited for what, together. The reason is that of the"
           " last pass over the queue."),
    Metric("energy", "J", "Result.joules() of the model that was given."),
    Metric("cost", "", "Result.cost() of the price that was given, in its unit."),
)

METRICS: dict[str, Metric] = {one.name: one for one in _ALL}
"""By name, in the order of a summary."""
