# SPDX-License-Identifier: Apache-2.0
"""A result as pictures: which jobs had which nodes when, and how much was in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trestle
from trestle._svg import Svg, step_plot

if TYPE_CHECKING:
    from .result import Result

_SHOWN = ("cpu", "mem", "gres/gpu")


def _jobs(result: Result) -> str:
    return f"{len(result.jobs)} job{'' if len(result.jobs) == 1 else 's'}"


def gantt_of(result: Result, width: int) -> Svg:
    """The attempts as reservations of a timeline that begins at 0."""
    timeline = trestle.Timeline(trestle.Cluster.create(result.cluster.parts()), 0)
    names = []
    owners = len(result.attempts)
    for owner, one in enumerate(result.attempts):
        if one.seconds:
            timeline.reserve(trestle.Allocation(owner, one.job.request, one.placement), one.period)
            name = one.job.name or f"job {one.job.id}"
            names.append(trestle.svg.OwnerName(owner, name if one.number == 1 else
                                               f"{name}, attempt {one.number}"))
    for had in result.cluster.allocations():
        timeline.reserve(trestle.Allocation(had.owner + owners, had.request, had.placement),
                         range(max(1, result.end)))
        names.append(trestle.svg.OwnerName(had.owner + owners, f"owner {had.owner}"))
    options = trestle.svg.TimelinePictureOptions(
        width, _jobs(result), names, last=max(1, result.end))
    return trestle.svg.render_timeline(timeline, options)


def usage_of(result: Result, tres: tuple[str, ...], width: int) -> Svg:
    """A line for each resource, from 0 to 1."""
    there = result._capacity(dict.fromkeys(result.node_seconds(), 1))
    for one in tres:
        if not there.get(one):
            raise LookupError(f"tres: the cluster has no {one!r}; expected one of"
                              f" {', '.join(sorted(name for name in there if there[name]))}")
    samples = result.samples()
    lines = {name: [(one.at, one.tres.get(name, 0) / there[name]) for one in samples]
             for name in tres or [name for name in _SHOWN if there.get(name)]}
    lines["node"] = [(one.at, one.occupancy) for one in samples]
    nodes = result.cluster.node_count()
    title = f"{_jobs(result)} on {nodes} node{'' if nodes == 1 else 's'}"
    return step_plot(title, lines, result.end, width)
