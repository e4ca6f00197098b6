# SPDX-License-Identifier: Apache-2.0
"""The numbers that a paper prints, as one table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

import trestle
from trestle._short import short_repr
from trestle import _optional
from trestle._progress import over

from ._demand import GPU, Demands, gpus_of, size_class
from ._fairness import fairness_of, jain
from ._locality import Locality
from ._samples import over_time
from ._table import html, latex, markdown
from .events import JobResult
from .jobs import Job, Outcome
from .metrics import METRICS

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Grouping", "Models", "Number", "Summarizer", "Summary", "percentile"]

Grouping = Callable[[Job], object]


@dataclass(frozen=True, repr=False)
class Number:
    """A row of a summary: one metric of all jobs, or of what `of` names."""

    metric: str
    """a key of METRICS"""
    of: str
    """`all`; a group, as `user 7` or `size gpu 3-4`; a resource, an outcome, a scope, a reason"""
    unit: str
    value: float
    """of a metric of many jobs or moments the mean"""
    p50: float | None = None
    """percentiles, between ranks by linear interpolation; None where there is one number alone"""
    p90: float | None = None
    p99: float | None = None
    max: float | None = None

    __repr__ = short_repr


@dataclass(frozen=True)
class Summary:
    """The rows, in the order of METRICS. A notebook shows them as a table, and so does str()."""

    rows: tuple[Number, ...]

    def find(self, metric: str, of: str = "all") -> Number:
        """The row. Errors: LookupError that lists the rows."""
        here = [row for row in self.rows if row.metric == metric]
        for row in here:
            if row.of == of:
                return row
        if not here:
            names = ", ".join(dict.fromkeys(row.metric for row in self.rows))
            raise LookupError(f"summary: no metric {metric!r}; expected one of {names}")
        raise LookupError(f"summary: no {metric} of {of!r}; expected one of"
                          f" {', '.join(row.of for row in here)}")

    def to_dataframe(self) -> Any:
        """The rows as a pandas.DataFrame; what is missing is NaN. Errors: ImportError without
        pandas, which is in the extra [sim]."""
        pandas = _optional.load("pandas", "sim")
        names = [field.name for field in fields(Number)]
        frame = pandas.DataFrame([astuple(row) for row in self.rows], columns=names)
        return frame.astype({name: float for name in ("value", "p50", "p90", "p99", "max")})

    def to_markdown(self) -> str:
        """A table in GitHub's Markdown, numbers with six digits at most."""
        return markdown(Number, self.rows)

    def to_latex(self) -> str:
        """A LaTeX tabular, with the rules of the package booktabs."""
        return latex(Number, self.rows)

    def _repr_html_(self) -> str:
        return html(Number, self.rows)

    def __str__(self) -> str:
        return self.to_markdown()

    def __repr__(self) -> str:
        return f"<Summary of {len(self.rows)} rows>"


def percentile(values: Sequence[float], percent: float) -> float:
    """Of values in rising order, at least one; between two ranks by linear interpolation."""
    at = (len(values) - 1) * percent / 100
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


@dataclass(frozen=True, repr=False)
class Models:
    """What the caller adds to a result: power, price, expected jobs."""

    price: Callable[[int], int] | None = None
    job_watts: Callable[[Job, trestle.Placement], int] | None = None
    node_watts: Callable[[int], int] | None = None
    typical_jobs: Sequence[trestle.TypicalJob] = ()

    __repr__ = short_repr


class Summarizer:
    """Makes the summary of one result."""

    def __init__(self, result: Result, bound: int, by: Mapping[str, Grouping],
                 models: Models) -> None:
        self._result, self._bound, self._models = result, bound, models
        self._rows: list[Number] = []
        self._started = [one for one in result.jobs if one.start is not None]
        self._attempts = sorted(result.attempts, key=lambda one: one.number)
        demands = Demands(result.cluster, ((one.job.id, one.placement) for one in self._attempts))
        amounts = {one.job.id: demands.of(one.job) for one in result.jobs}
        self._measured = GPU if any(one.gpus for one in amounts.values()) else "cpu"
        self._demand = {job: one.gpus if self._measured == GPU else one.cpus
                        for job, one in amounts.items()}
        groupings = {"size": self._size, **by}
        if any(one.job.user for one in result.jobs):
            groupings.setdefault("user", lambda job: job.user)
        self._groupings = groupings

    def run(self) -> Summary:
        """All of it."""
        for outcome, count in self._result.outcomes().items():
            self._add("jobs", count, outcome.value)
        parts = (self._add_jobs, self._add_use, self._add_gpus, self._add_attempts, self._add_places,
                 self._add_waits, self._add_models)
        for add in over(parts, "summary", "part"):
            add()
        order = list(METRICS)
        return Summary(tuple(sorted(self._rows, key=lambda row: order.index(row.metric))))

    def _size(self, job: Job) -> str:
        return f"{self._measured} {size_class(self._demand[job.id])}"

    def _add(self, metric: str, value: float, of: str = "all", most: float | None = None) -> None:
        self._rows.append(Number(metric, of, METRICS[metric].unit, float(value), max=most))

    def _add_many(self, metric: str, of: str, values: Iterable[float]) -> None:
        known = sorted(values)
        if known:
            p50, p90, p99 = (percentile(known, percent) for percent in (50, 90, 99))
            self._rows.append(Number(metric, of, METRICS[metric].unit, sum(known) / len(known), p50,
                                     p90, p99, float(known[-1])))

    def _add_over_time(self, metric: str, spans: Iterable[tuple[float, int]]) -> None:
        mean, most = over_time(spans)
        self._add(metric, mean, most=most)

    def _groups(self, jobs: Sequence[JobResult]) -> Iterator[tuple[str, list[JobResult]]]:
        """All jobs, then each group of each grouping, those by size from small to large."""
        yield "all", list(jobs)
        for title, key in self._groupings.items():
            found: dict[str, list[JobResult]] = {}
            for one in sorted(jobs, key=lambda one: self._demand[one.job.id]):
                found.setdefault(str(key(one.job)), []).append(one)
            names = found if title == "size" else sorted(found, key=_natural)
            for name in names:
                yield f"{title} {name}", found[name]

    def _add_jobs(self) -> None:
        fair = fairness_of(self._result.jobs, self._demand, self._capacity())
        slow = {one.job.id: one.slowdown(self._bound) or 1.0 for one in self._started}
        for of, jobs in self._groups(self._started):
            self._add_many("wait", of, (one.wait or 0 for one in jobs))
            self._add_many("response", of, (one.response for one in jobs))
            self._add_many("slowdown", of, (slow[one.job.id] for one in jobs))
            self._add_many("finish_time_fairness", of,
                           (fair[one.job.id] for one in jobs if one.job.id in fair))
        users: dict[str, list[float]] = {}
        for one in self._started:
            users.setdefault(one.job.user, []).append(slow[one.job.id])
        if slow:
            has_users = any(users)
            self._add("jain_index", jain([sum(row) / len(row) for row in users.values()]
                                         if has_users else list(slow.values())),
                      "users" if has_users else "jobs")
        arrivals = [one.arrival for one in self._result.jobs]
        if arrivals:
            self._add("makespan", self._result.end - min(arrivals))

    def _capacity(self) -> float:
        cluster = self._result.cluster
        of = gpus_of if self._measured == GPU else trestle.NodeShape.cpu_count
        return sum(of(cluster.class_of(node).shape) for node in self._result.node_seconds())

    def _add_use(self) -> None:
        useful = self._result.utilisation(lambda one: one.outcome is Outcome.completed)
        for tres, value in self._result.utilisation().items():
            self._add("utilisation", value, tres)
            self._add("goodput", useful[tres], tres)

    def _add_gpus(self) -> None:
        samples = self._result.samples()
        lasting = [(one, after.at - one.at) for one, after in zip(samples, samples[1:])]
        self._add_over_time("occupancy", ((one.occupancy, seconds) for one, seconds in lasting
                                          if one.nodes_on))
        if not any(one.gpus_on for one in samples):
            return
        self._add_over_time("gpu_allocation", ((one.gpu_allocation, seconds) for one, seconds in lasting
                                               if one.gpus_on))
        there = sum(one.gpus_on * seconds for one, seconds in lasting)
        had = sum(one.gpus * seconds for one, seconds in lasting)
        self._add("gpu_occupancy", had / there if there else 0.0)
        self._add_over_time("fragmented_nodes", ((one.fragmented_nodes, seconds)
                                                 for one, seconds in lasting if one.gpu_nodes_on))

    def _add_attempts(self) -> None:
        counts = Counter(one.outcome for one in self._attempts)
        self._add("preemptions", counts[Outcome.preempted])
        self._add("interruptions", counts[Outcome.interrupted])
        nodes: dict[int, set[int]] = {}
        moved = 0
        for one in self._attempts:
            now = {part.node for part in one.placement.nodes}
            moved += nodes.get(one.job.id, now) != now
            nodes[one.job.id] = now
        self._add("migrations", moved)
        self._add_many("attempts", "all", (one.attempts for one in self._result.jobs))

    def _add_places(self) -> None:
        for of, jobs in self._groups(self._result.jobs):
            if of == "all" or of.startswith("size "):
                self._add("allocation_ratio",
                          sum(one.start is not None for one in jobs) / len(jobs) if jobs else 0.0,
                          of)
        last = {one.job.id: one for one in self._attempts}
        places = Locality(self._result.cluster)
        for scope in places.scopes if last else ():
            inside = sum(places.is_inside(one.placement, scope) for one in last.values())
            self._add("locality", inside / len(last), scope)

    def _add_waits(self) -> None:
        total: Counter[str] = Counter()
        for one in self._result.jobs:
            total.update(dict(one.waited_for))
        for reason, seconds in sorted(total.items()):
            self._add("waited_for", seconds, reason)

    def _add_models(self) -> None:
        models, result = self._models, self._result
        if models.job_watts is not None or models.node_watts is not None:
            self._add("energy", result.joules(models.job_watts or (lambda job, placement: 0),
                                              models.node_watts or (lambda node: 0)))
        if models.price is not None:
            self._add("cost", result.cost(models.price))
        if models.typical_jobs:
            rows = result.fragments(models.typical_jobs)
            whole = self._gpus_given()
            ends = [at for at, _ in rows[1:]] + [result.end]
            if whole and ends[-1] > rows[0][0]:
                self._add_over_time("fragments", ((value / whole, end - at)
                                                  for (at, value), end in zip(rows, ends)))

    def _gpus_given(self) -> int:
        cluster = self._result.cluster
        return sum(gpus_of(cluster.class_of(node).shape) for node in range(cluster.node_count()))


def _natural(name: str) -> tuple[int, str]:
    """Numbers by their value, before other names."""
    return (int(name), "") if name.isdecimal() else (2**63, name)
