# SPDX-License-Identifier: Apache-2.0
"""What recorded cases have in common, whichever system they were recorded of."""

from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterable, List, Sequence, Tuple

from .._short import short_repr

__all__ = ["Row", "Score", "report", "report_values", "rows_by_cluster", "rows_by_kind", "rows_by_option",
           "rows_by_release", "table"]


@dataclass(frozen=True, repr=False)
class Score:
    """One case: what was asked where, and how the answer compares with the recorded one."""

    cluster: str
    options: Tuple[str, ...]  # those that the request uses
    name: str  # of the case, for a list of misses
    expected: str
    answer: str  # empty: there is none
    is_coarse: bool  # see each kind of case
    is_exact: bool
    release: str = ""  # of Slurm, of a decision of Slurm
    is_verdict: bool = True  # allocated, pending or refused is the same
    has_warning: bool = False  # the answer names something that it does not look at
    unadopted: str = ""  # why the recorded allocation could not be entered; else empty
    is_beside_unadopted: bool = False  # answered where such an allocation was missing

    __repr__ = short_repr

    @property
    def kind(self) -> str:
        """What agrees at most: nothing, the verdict, the counts, or everything."""
        if self.is_exact:
            return "exact"
        if self.is_coarse:
            return "other nodes, CPUs, devices or reason"
        return "other counts" if self.is_verdict else "other verdict"


@dataclass(frozen=True, repr=False)
class Row:
    """A line of a table."""

    name: str
    cases: int
    answered: int
    coarse: int
    exact: int

    __repr__ = short_repr


def _row(name: str, scores: Iterable[Score]) -> Row:
    group = list(scores)
    return Row(name, len(group), sum(one.answer != "" for one in group),
               sum(one.is_coarse for one in group), sum(one.is_exact for one in group))


def rows_by_cluster(scores: Sequence[Score]) -> List[Row]:
    """A row for each cluster, by name."""
    groups: Dict[str, List[Score]] = {}
    for one in scores:
        groups.setdefault(one.cluster, []).append(one)
    return [_row(name, groups[name]) for name in sorted(groups)]


def rows_by_option(scores: Sequence[Score]) -> List[Row]:
    """A row for each option; a case with several of them stands in several rows."""
    groups: Dict[str, List[Score]] = {}
    for one in scores:
        for option in one.options:
            groups.setdefault(option, []).append(one)
    return [_row(name, groups[name]) for name in sorted(groups)]


def _rows_by(scores: Sequence[Score], field: str) -> List[Row]:
    names = sorted({getattr(one, field) for one in scores if getattr(one, field)})
    return [_row(name, (one for one in scores if getattr(one, field) == name)) for name in names]


def rows_by_release(scores: Sequence[Score]) -> List[Row]:
    """A row for each release of Slurm; cases of no release are in none."""
    return _rows_by(scores, "release")


def rows_by_kind(scores: Sequence[Score]) -> List[Row]:
    """A row for each kind of agreement or error."""
    return _rows_by(scores, "kind")


def table(title: str, rows: Sequence[Row]) -> str:
    """The rows as Markdown that stands in columns."""
    width = max([len(title)] + [len(row.name) for row in rows])
    lines = [f"| {title.ljust(width)} | cases | answered | coarse | exact |",
             f"|{'-' * (width + 2)}|------:|---------:|-------:|------:|"]
    lines += [f"| {row.name.ljust(width)} | {row.cases:5} | {row.answered:8} | {row.coarse:6} "
              f"| {row.exact:5} |" for row in rows]
    return "\n".join(lines)


def report_values(scores: Sequence[Score], misses_max: int) -> Dict[str, Any]:
    """What report() says, as values for JSON."""
    misses = [one for one in scores if one.answer and not one.is_exact]
    tables = {"release": rows_by_release, "kind": rows_by_kind, "cluster": rows_by_cluster,
              "option": rows_by_option}
    return {**asdict(_row("all", scores)), "warnings": sum(one.has_warning for one in scores),
            "unadopted": [{"name": one.name, "why": one.unadopted} for one in scores
                          if one.unadopted],
            "beside_unadopted": sum(one.is_beside_unadopted for one in scores),
            **{f"by_{name}": [asdict(row) for row in rows(scores)] for name, rows in tables.items()},
            "differing": len(misses),
            "misses": [{"name": one.name, "is_coarse": one.is_coarse, "recorded": one.expected,
                        "answered": one.answer} for one in misses[:misses_max]]}


def _unadopted_parts(scores: Sequence[Score]) -> List[str]:
    names = [f"{one.name}\n  {one.unadopted}" for one in scores if one.unadopted]
    beside = sum(one.is_beside_unadopted for one in scores)
    if not names:
        return []
    return [f"{len(names)} recorded allocations could not be entered; {beside} requests were "
            "answered without them:\n" + "\n".join(names)]


def report(scores: Sequence[Score], misses_max: int) -> str:
    """The sum, allocations that could not be entered, tables, and the first cases that differ."""
    total = _row("all", scores)
    parts = [f"{total.cases} cases, {total.answered} answered: {total.coarse} agree coarsely, "
             f"{total.exact} exactly. "
             f"{sum(one.has_warning for one in scores)} answers carry a warning.",
             *_unadopted_parts(scores),
             *([table("release", rows_by_release(scores))] if rows_by_release(scores) else []),
             table("kind", rows_by_kind(scores)),
             table("cluster", rows_by_cluster(scores)), table("option", rows_by_option(scores))]
    misses = [one for one in scores if one.answer and not one.is_exact]
    for one in misses[:misses_max]:
        kind = "coarse" if one.is_coarse else "differs"
        parts.append(f"{one.name} ({kind})\n  recorded: {one.expected}\n  answered: {one.answer}")
    if len(misses) > misses_max:
        parts.append(f"and {len(misses) - misses_max} more that differ")
    return "\n\n".join(parts)
