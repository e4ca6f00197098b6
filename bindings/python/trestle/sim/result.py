# SPDX-License-Identifier: Apache-2.0
"""The result of a simulation and its measures. Sums are exact; ratios are float."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import trestle
from trestle import _optional
from trestle._svg import Svg

from ._demand import shares_of_gpu
from ._event_log import EventRow, events_of
from ._impossible import ImpossibleJob
from ._pictures import gantt_of, usage_of
from ._samples import Sample, fragments_of, samples_of, typical_of
from .events import Attempt, Event, JobResult
from .jobs import Job, Outcome
from .summary import Grouping, Models, Summarizer, Summary

__all__ = ["HOUR", "Result"]

HOUR = 3600


@dataclass(frozen=True, repr=False)
class Result:
    """All that happened, from second 0 to `end`. Times are seconds."""

    cluster: trestle.Cluster
    """as it was given"""
    jobs: tuple[JobResult, ...]
    """in the order in which they were given"""
    attempts: tuple[Attempt, ...]
    """in the order of their ends"""
    _events: tuple[EventRow, ...]
    elastic: Mapping[int, tuple[range, ...]]
    """nodes of elastic fleets: when they were on"""
    end: int
    """when the last job ended"""
    passes: int
    """how often schedule_pass() decided"""
    impossible: tuple[ImpossibleJob, ...] = ()
    """jobs that were left out because they have no place, if simulate() was asked to"""

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in its order. Complexity: linear at the first call."""
        return self._event_objects

    def summary(self, *, bound: int = 10, by: Mapping[str, Grouping] = {},
                price: Callable[[int], int] | None = None,
                job_watts: Callable[[Job, trestle.Placement], int] | None = None,
                node_watts: Callable[[int], int] | None = None,
                typical_jobs: Sequence[trestle.TypicalJob] = ()) -> Summary:
        """The numbers that a paper prints, as one table: METRICS has their definitions and units.

        Numbers of many jobs are of all, by size of demand, and by user where jobs have users.
        bound: seconds that shorter run times count as in slowdowns, 1 or more.
        by: more groups: a title, and a function from a job to the name of its group. `price`,
        job_watts, node_watts: as in cost() and joules(). Without them there is no cost and no
        energy. typical_jobs: what fragments are measured by, as typical_jobs() has them; none: they
        are not measured. Complexity: that of fragments().
        Errors: ValueError for a bound below 1.
        """
        if bound < 1:
            raise ValueError(f"bound {bound}; expected 1 or more seconds")
        return Summarizer(self, bound, by, Models(price, job_watts, node_watts, typical_jobs)).run()

    def samples(self) -> tuple[Sample, ...]:
        """What was in use over time, a sample for each moment at which that changes."""
        return tuple(samples_of(self))

    def typical_jobs(self) -> tuple[trestle.TypicalJob, ...]:
        """The kinds of jobs of this result and how often each is there, for fragments()."""
        return typical_of((one.job.request for one in self.jobs), shares_of_gpu(self.cluster))

    def fragments(self, typical_jobs: Sequence[trestle.TypicalJob]) -> list[tuple[int, float]]:
        """By moment, how many GPUs a job drawn from the typical ones could not use: the measure F of
        "Beware of Fragmentation". The nodes are as they were given: failures do not count.
        Errors: those of trestle.expected_fragments(). Complexity: its own for each moment."""
        return fragments_of(self, typical_jobs)

    def gantt(self, *, width: int = 960) -> Svg:
        """The attempts on the nodes over time, the first 2,048 nodes; a job's name or id and its
        attempt are on hover. Attempts of no length are left out."""
        return gantt_of(self, width)

    def usage_plot(self, tres: Sequence[str] = (), *, width: int = 960) -> Svg:
        """What part of each resource was in use over time, and of nodes; by default CPUs, memory and
        GPUs, those that the cluster has. Errors: LookupError for a TRES that it has none of."""
        return usage_of(self, tuple(tres), width)

    def _repr_svg_(self) -> str:
        return self.usage_plot().text

    def __repr__(self) -> str:
        return (f"<Result of {len(self.jobs)} jobs on {self.cluster.node_count()} nodes, {self.end} s,"
                f" {len(self.attempts)} attempts, {len(self._events)} events>")

    __str__ = __repr__

    def outcomes(self) -> dict[Outcome, int]:
        """How many jobs ended how, those that occur."""
        counts = Counter(one.outcome for one in self.jobs)
        return {outcome: counts[outcome] for outcome in Outcome if counts[outcome]}

    def mean_wait(self) -> float:
        """Seconds from arrival to first start, of jobs that started; 0 without any."""
        return _mean(one.wait for one in self.jobs)

    def mean_slowdown(self, bound: int = 10) -> float:
        """Of jobs that started, bounded as JobResult.slowdown; 0 without any."""
        return _mean(one.slowdown(bound) for one in self.jobs)

    def powered(self, node: int) -> tuple[range, ...]:
        """When the node was on: for an elastic one as it was, for others from 0 to `end`, failed
        or not. Errors: IndexError for a node that does not exist."""
        if not 0 <= node < self.cluster.node_count():
            raise IndexError(f"node {node}; expected one below {self.cluster.node_count()}")
        return self.elastic.get(node, (range(self.end),))

    def node_seconds(self) -> dict[int, int]:
        """By node how long it was on. Removed nodes are left out."""
        return {node: sum(on.stop - on.start for on in self.powered(node))
                for node in range(self.cluster.node_count())
                if self.cluster.class_of(node).state != trestle.NodeState.removed}

    def tres(self, attempt: Attempt) -> dict[str, int]:
        """What an attempt had of each TRES: CPUs, bytes, nodes, devices."""
        return {str(tres): count for tres, count in self._counts(attempt).items()}

    def tres_seconds(self) -> dict[str, int]:
        """What jobs had of each TRES times the time that they had it, attempts in vain too. A node
        that several share counts for each."""
        return _named(_total((counts, one.seconds) for one, counts in self._with_counts))

    def utilisation(self, counts: Callable[[Attempt], bool] = lambda attempt: True
                    ) -> dict[str, float]:
        """What attempts had of each TRES times the time, by what the nodes had to give while they
        were on, from 0 to 1. It counts the attempts that `counts` is true of. A node counts once,
        however many share it. What the cluster has none of is left out."""
        chosen = [(one, tres) for one, tres in self._with_counts if counts(one)]
        had = {**_named(_total((tres, one.seconds) for one, tres in chosen)),
               "node": _node_seconds_in_use(one for one, _ in chosen)}
        there = self._capacity(self.node_seconds())
        return {tres: had.get(tres, 0) / count for tres, count in there.items() if count}

    def cost(self, price: Callable[[int], int]) -> int:
        """Price times the time that nodes were on, jobs or not. `price(node)` is an integer an
        hour, as Offer.price in millionths of a US dollar; the sum is in that unit, rounded down."""
        return sum(price(node) * seconds for node, seconds in self.node_seconds().items()) // HOUR

    def billing(self, weights: trestle.slurm.BillingWeights,
                rule: trestle.slurm.BillingRule = trestle.slurm.BillingRule.sum) -> dict[int, int]:
        """By job what Slurm's billing is times seconds, attempts in vain too; 0 for none."""
        billed = {one.job.id: 0 for one in self.jobs}
        for one, had in self._with_counts:
            counts = trestle.TresCounts(had.items())
            billed[one.job.id] += trestle.slurm.billing_of(weights, counts, rule) * one.seconds
        return billed

    def joules(self, job_watts: Callable[[Job, trestle.Placement], int],
               node_watts: Callable[[int], int] = lambda node: 0) -> int:
        """Energy: `job_watts(job, placement)` for as long as each attempt ran, and beside it
        `node_watts(node)` for as long as each node was on."""
        jobs = sum(job_watts(one.job, one.placement) * one.seconds for one in self.attempts)
        return jobs + sum(node_watts(node) * seconds
                          for node, seconds in self.node_seconds().items())

    def to_dataframe(self) -> Any:
        """The events as a pandas.DataFrame, a row each: fields as columns, names of kinds and
        outcomes as text; missing ids and times are <NA>. Errors: ImportError without pandas, which
        is in the extra [sim]."""
        pandas = _optional.load("pandas", "sim")
        names = [field.name for field in fields(Event)]
        table = {name: [row[at] for row in self._events] for at, name in enumerate(names)}
        numbers = ("at", "job", "node", "device", "until")
        return pandas.DataFrame(table).astype({name: "Int64" for name in numbers})

    def jobs_dataframe(self) -> Any:
        """The jobs as a pandas.DataFrame, a row each. Columns are id, arrival, start, end, wait and
        run in seconds, attempts, slowdown, outcome, user, group. And seconds by what it waited for
        as text.
        Errors: as to_dataframe()."""
        pandas = _optional.load("pandas", "sim")
        numbers = ("id", "arrival", "start", "end", "wait", "run", "attempts")
        rows = [(one.job.id, one.arrival, one.start, one.end, one.wait, one.run, one.attempts,
                 one.slowdown(), one.outcome.value, one.job.user, one.job.group,
                 " ".join(f"{reason}={seconds}" for reason, seconds in one.waited_for))
                for one in self.jobs]
        frame = pandas.DataFrame(rows, columns=[*numbers, "slowdown", "outcome", "user", "group",
                                                "waited_for"])
        return frame.astype({name: "Int64" for name in numbers})

    @functools.cached_property
    def _event_objects(self) -> tuple[Event, ...]:
        return events_of(self._events)

    @functools.cached_property
    def _with_counts(self) -> list[tuple[Attempt, Counter[trestle.Tres]]]:
        """The attempts and what each had."""
        return [(one, self._counts(one)) for one in self.attempts]

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _capacity(self, times: Mapping[int, int]) -> dict[str, int]:
        """What nodes have of each TRES, that of each node so many times."""
        return _named(_total(
            (Counter(dict(trestle.capacity_of(self.cluster.class_of(node).shape).entries)), count)
            for node, count in times.items()))

    def _counts(self, attempt: Attempt) -> Counter[trestle.Tres]:
        counts: Counter[trestle.Tres] = Counter()
        for part in attempt.placement.nodes:
            shape = self.cluster.class_of(part.node).shape
            counts.update(dict(trestle.tres_of(shape, part).entries))
        for tres in counts:
            if tres.type == 'node':  # a node may serve several components
                counts[tres] = len({part.node for part in attempt.placement.nodes})
        return counts


def _total(weighted: Iterable[tuple[Counter[trestle.Tres], int]]) -> Counter[trestle.Tres]:
    total: Counter[trestle.Tres] = Counter()
    for counts, weight in weighted:
        for tres, count in counts.items():
            total[tres] += count * weight
    return total


def _node_seconds_in_use(attempts: Iterable[Attempt]) -> int:
    """How long each node was in use, by one job or several, together."""
    seconds = 0
    until: Counter[int] = Counter()
    for one in sorted(attempts, key=lambda one: one.period.start):
        for part in one.placement.nodes:
            first = max(one.period.start, until[part.node])
            seconds += max(0, one.period.stop - first)
            until[part.node] = max(first, one.period.stop)
    return seconds


def _named(counts: Counter[trestle.Tres]) -> dict[str, int]:
    return dict(sorted((str(tres), count) for tres, count in counts.items()))


def _mean(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0
