# SPDX-License-Identifier: Apache-2.0
"""Rows as text, Markdown or JSON."""

import dataclasses
import json
from typing import List, Sequence

from .paper import Row

__all__ = ["FORMATS", "table"]

FORMATS = ("text", "markdown", "json")
_TITLES = ("paper", "measure", "published", "ours", "data", "seeds", "source", "CPU s")
_NOT_FOUND = "not found"


def _cells(row: Row) -> List[str]:
    published = _NOT_FOUND if row.published is None else row.published
    return [row.paper, row.measure, published, row.ours, row.data, row.seeds, row.source,
            f"{row.seconds:.1f}"]


def table(rows: Sequence[Row], form: str = "text") -> str:
    """All rows; `form` is text, markdown or json. Text names source, data and seeds once a paper.
    Errors: ValueError for another form."""
    if form == "json":
        return json.dumps([dataclasses.asdict(row) for row in rows], indent=1)
    if form == "markdown":
        lines = [list(_TITLES), ["---"] * len(_TITLES), *map(_cells, rows)]
        return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                         for line in lines)
    if form == "text":
        return "\n\n".join(_paper_text([row for row in rows if row.paper == name])
                           for name in dict.fromkeys(row.paper for row in rows))
    raise ValueError(f'form: "{form}", expected one of {", ".join(FORMATS)}')


def _paper_text(rows: Sequence[Row]) -> str:
    first = rows[0]
    lines = [list(_TITLES[1:4]), *(_cells(row)[1:4] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join([
        f"{first.paper}: {first.source}", f"  data: {first.data}",
        f"  seeds: {first.seeds}; {first.seconds:.1f} s of CPU time",
        *("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
          for line in lines)])
