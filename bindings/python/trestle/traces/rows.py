# SPDX-License-Identifier: Apache-2.0
"""Files of rows, read as a whole: each bad row is reported, with the number of its line."""

import csv
import gzip
import io
import pathlib
import zlib
from dataclasses import dataclass
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from .._short import short_repr
from .._progress import over

__all__ = ["BadRow", "BadRows", "PathLike", "Problems", "Row", "read_table", "read_text"]

PathLike = Union[str, pathlib.Path]


@dataclass(frozen=True, repr=False)
class BadRow:
    """What is wrong with one line of a file."""

    file: str
    line: int  # counts from 1; 0: the file as a whole
    message: str

    __repr__ = short_repr

    def __str__(self) -> str:
        at = f"{self.file}:{self.line}" if self.line else self.file
        return f"{at}: {self.message}"


_LINES_MAX = 100  # of a message


class BadRows(ValueError):
    """All that is wrong with a file. `rows` has each BadRow, str() a line for each of the first 100
    and a line that says how many more there are."""

    def __init__(self, rows: Iterable[BadRow]) -> None:
        self.rows = tuple(rows)
        lines = [str(row) for row in self.rows[:_LINES_MAX]]
        if len(self.rows) > _LINES_MAX:
            lines.append(f"{self.rows[0].file}: {len(self.rows) - _LINES_MAX} more bad rows")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> Tuple[type, Tuple[Tuple[BadRow, ...]]]:
        return type(self), (self.rows,)


class Problems:
    """Collects the bad rows of one file."""

    def __init__(self, path: PathLike) -> None:
        self.file = pathlib.Path(path).name
        self.rows: List[BadRow] = []

    def add(self, line: int, message: str) -> None:
        """One more."""
        self.rows.append(BadRow(self.file, line, message))

    def number(self, line: int, what: str, text: str, least: int, most: int) -> int:
        """A whole number; where it is none, `least` after a note."""
        digits = text[1:] if text[:1] == "-" else text
        is_number = digits.isascii() and digits.isdigit() and len(digits) < 20
        if is_number and least <= int(text) <= most:
            return int(text)
        self.add(line, f'{what}: "{text}", expected a number from {least} to {most}')
        return least

    def raise_any(self) -> None:
        """Raises BadRows if there is anything to report."""
        if self.rows:
            raise BadRows(self.rows)


def read_text(path: PathLike) -> str:
    """A file of UTF-8, `.gz` or plain. Errors: those of open(); BadRows for other bytes."""
    path = pathlib.Path(path)
    data = path.read_bytes()
    try:
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        return data.decode("utf-8-sig")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadRows([BadRow(path.name, 0, f"no gzip: {error}")]) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadRows([BadRow(path.name, line, "not UTF-8")]) from error


@dataclass(frozen=True, repr=False)
class Row:
    """A row of a table: its line and its cells by column."""

    line: int
    cells: Dict[str, str]

    __repr__ = short_repr

    def get(self, column: str) -> str:
        """The cell, without blanks around it; empty where the table has no such column."""
        return (self.cells.get(column) or "").strip()


def read_table(path: PathLike, wanted: Sequence[str], problems: Problems) -> Iterator[Row]:
    """The rows of a CSV file whose first line names the columns, `wanted` among them.

    Rows of another width are noted as problems and left out, empty lines passed over. Where a
    column is missing that is noted, and there are no rows. Errors: those of read_text.
    """
    text = read_text(path)
    reader = csv.reader(io.StringIO(text))
    rows = over(reader, f"reading {pathlib.Path(path).name}", "line", text.count("\n"))
    header: Optional[List[str]] = None
    try:
        for cells in rows:
            if header is None:
                header = [name.strip() for name in cells]
                missing = [name for name in wanted if name not in header]
                for name in missing:
                    problems.add(reader.line_num, f"no column {name}")
                if missing:
                    return
            elif cells and len(cells) != len(header):
                problems.add(reader.line_num, f"{len(cells)} columns, expected {len(header)}")
            elif cells:
                yield Row(reader.line_num, dict(zip(header, cells)))
    except csv.Error as error:
        problems.add(reader.line_num, str(error))
    if header is None:
        problems.add(0, f"empty, expected a line with {','.join(wanted)}")
