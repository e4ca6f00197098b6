# SPDX-License-Identifier: Apache-2.0
"""Results of replays as files: JSON, CSV, Parquet."""

import csv
import io
import json
import math
import pathlib
from typing import Any, Dict, Iterable, List, Mapping, Sequence

from .. import _optional
from ..traces.rows import PathLike
from .run import Curve

__all__ = ["FORMATS", "by_policy", "check_format", "mean_of", "rows_of", "table", "write"]

FORMATS = (".json", ".csv", ".parquet")


def mean_of(rows: Sequence[Mapping[int, float]]) -> Dict[int, float]:
    """The means by key, rounded to hundredths; rising. A row that passes over a key, as a small
    cluster does, still has what it had before. Keys before the first of a row are left out."""
    means: Dict[int, float] = {}
    now: List[float] = [math.nan] * len(rows)
    for key in sorted(set().union(*rows)):
        now = [row.get(key, before) for row, before in zip(rows, now)]
        if not any(map(math.isnan, now)):
            means[key] = round(sum(now) / len(now), 2)
    return means


def by_policy(curves: Iterable[Curve]) -> Dict[str, Dict[str, Dict[int, float]]]:
    """`allocated_percent` and `fragment_percent` of each policy, the means of its orders.

    Errors: ValueError for a policy that stands twice in one order: replay(name=...) tells them
    apart.
    """
    found: Dict[str, Dict[str, Curve]] = {}
    for curve in curves:
        by_order = found.setdefault(curve.policy, {})
        if curve.order in by_order:
            raise ValueError(f"policy {curve.policy}, order {curve.order}: stands twice; expected"
                             " each once, by replay(name=...)")
        by_order[curve.order] = curve
    return {policy: {"allocated_percent": mean_of([one.allocated_percent for one in of.values()]),
                     "fragment_percent": mean_of([one.fragment_percent for one in of.values()])}
            for policy, of in found.items()}


def rows_of(curves: Iterable[Curve]) -> List[Dict[str, Any]]:
    """A row for each policy, order and per cent arrived, for CSV, Parquet or a DataFrame."""
    return [{"policy": curve.policy, "order": curve.order, "arrived_percent": arrived,
             "allocated_percent": curve.allocated_percent[arrived],
             "fragment_percent": curve.fragment_percent.get(arrived)}
            for curve in curves for arrived in sorted(curve.allocated_percent)]


def write(path: PathLike, curves: Sequence[Curve]) -> None:
    """Writes a file; its ending says in which format. JSON has by_policy(), the others rows_of().

    Errors: ValueError for another ending, and that of by_policy(); ImportError for Parquet without
    pyarrow; OSError.
    """
    path = pathlib.Path(path)
    check_format(path)
    rows = rows_of(curves)
    if path.suffix == ".json":
        path.write_text(json.dumps(by_policy(curves), indent=1) + "\n", encoding="utf-8")
    elif path.suffix == ".csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(text.getvalue(), encoding="utf-8")
    else:
        pyarrow, parquet = (_optional.load(name, "sim") for name in ("pyarrow", "pyarrow.parquet"))
        parquet.write_table(pyarrow.Table.from_pylist(rows), str(path))


def check_format(path: PathLike) -> None:
    """Errors: ValueError for an ending that write() does not know; ImportError as write()."""
    suffix = pathlib.Path(path).suffix
    if suffix not in FORMATS:
        raise ValueError(f"{path}: expected an ending of {', '.join(FORMATS)}")
    if suffix == ".parquet":
        _optional.load("pyarrow", "sim")


def table(curves: Iterable[Curve],
          arrived: Sequence[int] = (80, 90, 95, 100, 110, 120, 130)) -> str:
    """What is allocated by policy, as text. Numbers are means of the orders in per cent, when so
    many per cent had arrived. Where a small cluster passes over that, it is the last before."""
    means = by_policy(curves)
    title = "allocated %, arrived"
    width = max([len(policy) for policy in means] + [len(title)])
    lines = [" ".join([title.ljust(width)] + [f"{at:>6}" for at in arrived])]
    for policy, both in means.items():
        cells = both["allocated_percent"]
        before = [max((key for key in cells if key <= at), default=None) for at in arrived]
        shown = ["-" if key is None else f"{cells[key]:.2f}" for key in before]
        lines.append(" ".join([policy.ljust(width)] + [f"{cell:>6}" for cell in shown]))
    return "\n".join(lines)
