# SPDX-License-Identifier: Apache-2.0
"""The same simulation with several seeds: means of its numbers with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

from trestle._short import short_repr
from trestle import _optional
from trestle._progress import Progress

from ._table import html, latex, markdown
from .result import Result
from .summary import Summary

__all__ = ["Estimate", "Sweep", "half_width", "sweep"]

# Student's t for 95 % of both sides, by degrees of freedom from 1.
_T = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010,
      2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739,
      2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423)
_Z = 1.959964  # the same of the normal distribution


@dataclass(frozen=True, repr=False)
class Estimate:
    """A number of summaries over seeds."""

    metric: str
    of: str
    statistic: str
    """the column of Number: value, p50, p90, p99 or max"""
    unit: str
    mean: float
    half_width: float | None
    """of the 95 % confidence interval mean ± half_width by Student's t; None of one seed alone"""
    seeds: int
    """that have the number: a group may be missing in some"""

    __repr__ = short_repr


@dataclass(frozen=True)
class Sweep:
    """The estimates, in the order of a summary. str() is the Markdown of the values."""

    rows: tuple[Estimate, ...]
    summaries: tuple[Summary, ...]
    """by seed, in their order"""

    def find(self, metric: str, of: str = "all", statistic: str = "value") -> Estimate:
        """The row. Errors: LookupError."""
        for row in self.rows:
            if (row.metric, row.of, row.statistic) == (metric, of, statistic):
                return row
        raise LookupError(f"sweep: no {statistic} of {metric} of {of!r}")

    def to_dataframe(self) -> Any:
        """The rows as a pandas.DataFrame. Errors: ImportError without pandas, which is in the extra
        [sim]."""
        pandas = _optional.load("pandas", "sim")
        return pandas.DataFrame([astuple(row) for row in self.rows],
                                columns=[field.name for field in fields(Estimate)])

    def to_markdown(self) -> str:
        """A table in GitHub's Markdown."""
        return markdown(Estimate, self.rows)

    def to_latex(self) -> str:
        """A LaTeX tabular, with the rules of the package booktabs."""
        return latex(Estimate, self.rows)

    def _repr_html_(self) -> str:
        return html(Estimate, self.rows)

    def __str__(self) -> str:
        return markdown(Estimate, [row for row in self.rows if row.statistic == "value"])

    def __repr__(self) -> str:
        return f"<Sweep of {len(self.summaries)} seeds, {len(self.rows)} rows>"


def half_width(values: Sequence[float]) -> float | None:
    """Half of the 95 % confidence interval of the mean, by Student's t; None of less than two.
    Above 30 degrees of freedom, t is expanded from the normal distribution, to four digits."""
    count = len(values)
    if count < 2:
        return None
    mean = sum(values) / count
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1))
    free = count - 1
    t = _T[free - 1] if free <= len(_T) else _Z + (_Z**3 + _Z) / (4 * free) + (
        5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / (96 * free * free)
    return t * deviation / math.sqrt(count)


def sweep(run: Callable[[int], Result | Summary], seeds: Iterable[int]) -> Sweep:
    """Runs `run(seed)` for each seed, and estimates each number of the summaries.

    A Result stands for its summary(). Seeds are in their order; equal ones are refused, since they
    would make intervals too narrow. A progress bar appears on a terminal after a second.
    Errors: ValueError without a seed or for one that stands twice; TypeError for another result of
    `run`; what `run` raises.
    """
    given = list(seeds)
    if not given:
        raise ValueError("seeds: empty, expected one or more")
    for seed in given:
        if given.count(seed) > 1:
            raise ValueError(f"seeds: {seed} stands twice; expected each once")
    summaries = []
    with Progress("sweep", "seed", len(given)) as progress:
        for done, seed in enumerate(given):
            progress.reach(done)
            one = run(seed)
            if not isinstance(one, (Result, Summary)):
                raise TypeError(f"run({seed}): {type(one).__name__}; expected a Result or a Summary")
            summaries.append(one.summary() if isinstance(one, Result) else one)
    found: dict[tuple[str, str, str, str], list[float]] = {}
    for summary in summaries:
        for row in summary.rows:
            for statistic in ("value", "p50", "p90", "p99", "max"):
                value = getattr(row, statistic)
                if value is not None:
                    key = row.metric, row.of, statistic, row.unit
                    found.setdefault(key, []).append(value)
    order = list(dict.fromkeys(row.metric for summary in summaries for row in summary.rows))
    rows = [Estimate(*key, sum(values) / len(values), half_width(values), len(values))
            for key, values in found.items()]
    rows.sort(key=lambda row: order.index(row.metric))
    return Sweep(tuple(rows), tuple(summaries))
