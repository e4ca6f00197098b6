# SPDX-License-Identifier: Apache-2.0
"""Jobs of a log in the Standard Workload Format."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import trestle

from .jobs import Job

if TYPE_CHECKING:
    from trestle.traces.swf import SwfLog


def jobs_of_swf(log: SwfLog, processors_per_node: int = 1) -> tuple[Job, ...]:
    """The jobs of the log that say when they came, how large they were and how long they ran.

    Each has whole nodes, as many as its processors need. Its limit is the time that it requested,
    where that is not known its run time, and at least 1 s; it may have run longer. Times are
    rounded up to seconds; ids are the log's numbers. Lines of parts of a job are left out: its own
    has their sum.
    Errors: ValueError for less than 1 processor a node, and for a number that stands twice.
    """
    if processors_per_node < 1:
        raise ValueError(f"processors_per_node {processors_per_node}; expected 1 or more")
    requests: dict[int, trestle.Request] = {}
    jobs: dict[int, Job] = {}
    for one in log.jobs:
        if one.is_part or one.submit_time < 0 or one.run_time < 0 or one.size < 1:
            continue
        if one.number in jobs:
            raise ValueError(f"log: job {one.number} stands twice")
        nodes = -(-one.size // processors_per_node)
        request = requests.setdefault(nodes, trestle.Request(
            nodes=nodes, exclusivity=trestle.Exclusivity.whole_node))
        limit = one.requested_time if one.requested_time > 0 else one.run_time
        jobs[one.number] = Job(one.number, math.ceil(one.submit_time), request,
                               max(1, math.ceil(limit)), math.ceil(one.run_time))
    return tuple(jobs.values())
