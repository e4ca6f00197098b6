# SPDX-License-Identifier: Apache-2.0
"""Rows of one dataclass as tables: Markdown, LaTeX, HTML."""

from __future__ import annotations

import html as escapes
from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import Any


def cell(value: object) -> str:
    """What a table shows: numbers with six digits at most, nothing for None."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) and abs(value) < 1e6 else (
        f"{value:.0f}" if isinstance(value, float) else str(value))


def _columns(kind: Any, rows: Sequence[Any]) -> tuple[list[str], list[bool], list[list[str]]]:
    """Names of the columns, which of them are numbers, cells by row."""
    names = [field.name for field in fields(kind)]
    are_numbers = ["str" not in str(field.type) for field in fields(kind)]
    return names, are_numbers, [[cell(value) for value in astuple(row)] for row in rows]


def markdown(kind: Any, rows: Sequence[Any]) -> str:
    """A table in GitHub's Markdown, columns aligned."""
    names, are_numbers, cells = _columns(kind, rows)
    cells = [[text.replace("|", "\\|") for text in row] for row in cells]
    widths = [max(len(text) for text in column) for column in zip(names, *cells)]
    line = ["-" * (width - 1) + ":" if is_number else "-" * width
            for width, is_number in zip(widths, are_numbers)]

    def shown(row: Sequence[str]) -> str:
        padded = (text.rjust(width) if is_number else text.ljust(width)
                  for text, width, is_number in zip(row, widths, are_numbers))
        return f"| {' | '.join(padded)} |"
    return "\n".join([shown(names), shown(line), *map(shown, cells)]) + "\n"


_LATEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
          "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
          "<": r"\textless{}", ">": r"\textgreater{}"}


def latex(kind: Any, rows: Sequence[Any]) -> str:
    """A tabular with the rules of booktabs."""
    names, are_numbers, cells = _columns(kind, rows)
    shape = "".join("r" if is_number else "l" for is_number in are_numbers)

    def shown(row: Sequence[str]) -> str:
        return " & ".join("".join(_LATEX.get(one, one) for one in text) for text in row) + r" \\"
    return "\n".join([rf"\begin{{tabular}}{{{shape}}}", r"\toprule", shown(names), r"\midrule",
                      *map(shown, cells), r"\bottomrule", r"\end{tabular}"]) + "\n"


def html(kind: Any, rows: Sequence[Any]) -> str:
    """A table of HTML."""
    names, are_numbers, cells = _columns(kind, rows)

    def shown(row: Sequence[str], tag: str) -> str:
        parts = (f'<{tag} style="text-align:{"right" if is_number else "left"}">'
                 f"{escapes.escape(text)}</{tag}>" for text, is_number in zip(row, are_numbers))
        return f"<tr>{''.join(parts)}</tr>"
    return "\n".join(["<table>", f"<thead>{shown(names, 'th')}</thead>", "<tbody>",
                      *(shown(row, "td") for row in cells), "</tbody>", "</table>"]) + "\n"
