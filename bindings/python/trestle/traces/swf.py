# SPDX-License-Identifier: Apache-2.0
"""The Standard Workload Format, version 2.2, of the Parallel Workloads Archive: 18 fields a job.

https://www.cs.huji.ac.il/labs/parallel/workload/swf.html. -1 is "not known" in every field. A job
that was swapped out or restarted from a checkpoint may have a line for each part of its run. One
more line sums it up. All stand under its number. Of these only the first need say when it came.
Logs of simulators and newer archives have up to three more fields a job, which are kept as they
are.
"""

import dataclasses
import pathlib
import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .._progress import Progress, over
from .._short import short_repr
from .rows import BadRow, PathLike, Problems, read_text

__all__ = ["SwfJob", "SwfLog", "load_swf", "parse_swf", "swf_text", "write_swf"]

_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?")
_HEADER = re.compile(r";\s*([A-Za-z][A-Za-z0-9]*)\s*:\s*(.*)")
_COUNTS = ("MaxJobs", "MaxRecords", "MaxNodes", "MaxProcs", "UnixStartTime", "MaxRuntime",
           "MaxMemory")


@dataclass(frozen=True, repr=False)
class SwfJob:
    """A line of a log. Times are seconds, and may have a fraction; memory is KiB a processor."""

    number: int  # from 1, in some logs from 0
    submit_time: float = -1  # since the start of the log
    wait_time: float = -1
    run_time: float = -1
    processors: int = -1  # allocated
    cpu_time: float = -1  # used, mean of the processors
    memory: float = -1  # used, mean of the processors
    requested_processors: int = -1
    requested_time: float = -1
    requested_memory: float = -1
    status: int = -1  # 0 failed, 1 completed, 5 cancelled; of a part: 2 not the last, 3, 4 the last
    user: int = -1
    group: int = -1
    executable: int = -1
    queue: int = -1
    partition: int = -1
    preceding_job: int = -1
    think_time: float = -1  # between the end of the preceding job and this one's submission
    more: Tuple[str, ...] = ()  # fields behind these, which the format does not name

    __repr__ = short_repr

    @property
    def is_part(self) -> bool:
        """True for a part of a run; a job's own line sums its parts up."""
        return 2 <= self.status <= 4

    @property
    def size(self) -> int:
        """Processors that it asks for; where that is not known, those that it got."""
        return self.requested_processors if self.requested_processors > 0 else self.processors


@dataclass(frozen=True, repr=False)
class SwfLog:
    """A log. `header` has its comments `; Key: value` in their order; some, as Queue, repeat."""

    header: Tuple[Tuple[str, str], ...] = ()
    jobs: Tuple[SwfJob, ...] = ()
    skipped: Tuple[BadRow, ...] = ()  # lines that were left out, if that was asked

    __repr__ = short_repr

    def find_header(self, key: str) -> Optional[str]:
        """The first value of a header comment, or None."""
        return next((value for name, value in self.header if name == key), None)

    @property
    def processors(self) -> Optional[int]:
        """Those of the machine: MaxProcs, else MaxNodes; None where the log says neither."""
        for key in ("MaxProcs", "MaxNodes"):
            value = self.find_header(key)
            if value is not None and int(value) > 0:
                return int(value)
        return None


_FIELDS = dataclasses.fields(SwfJob)[:18]
_MORE_MAX = 3


def _number(text: str, is_whole: bool) -> Optional[float]:
    if not _DECIMAL.fullmatch(text):
        return None
    value = float(text)
    if (value < 0 and value != -1) or value > 2**53:
        return None
    if value == int(value):
        return int(value)
    return None if is_whole else value


def _read_job(line: int, words: List[str], problems: Problems) -> Optional[SwfJob]:
    if not len(_FIELDS) <= len(words) <= len(_FIELDS) + _MORE_MAX:
        problems.add(line, f"{len(words)} fields, expected {len(_FIELDS)}")
        return None
    noted = len(problems.rows)
    values: Dict[str, float] = {}
    for at, (field, text) in enumerate(zip(_FIELDS, words), 1):
        is_whole = field.type is int
        value = _number(text, is_whole)
        if value is None:
            kind = "a whole number" if is_whole else "a number"
            problems.add(
                line, f'field {at}, {field.name}: "{text}", expected {kind} of 0 or more, or -1')
        else:
            values[field.name] = value
    if len(problems.rows) > noted:
        return None
    more = tuple(words[len(_FIELDS):])
    job = SwfJob(**values, more=more)  # type: ignore[arg-type]  # whole where it says int
    if job.number < 0:
        problems.add(line, f"field 1, number: {job.number}, expected 0 or more")
    if job.submit_time < 0 and not job.is_part:
        problems.add(line, f"field 2, submit_time: {job.submit_time}, expected 0 or more")
    if job.status > 5:
        problems.add(line, f"field 11, status: {job.status}, expected -1 to 5")
    return job if len(problems.rows) == noted else None


def _read_comment(line: int, content: str, problems: Problems) -> List[Tuple[str, str]]:
    """The key and value of a header comment; nothing of another comment or a bad one."""
    found = _HEADER.match(content)
    if not found:
        return []
    key, value = found.group(1), found.group(2).strip()
    if key in _COUNTS:
        count = _number(value.split(" ")[0], True)
        if count is None:
            problems.add(line, f'{key}: "{value}", expected a whole number')
            return []
        value = str(count)
    return [(key, value)]


def parse_swf(text: str, name: str = "swf", skip_bad_rows: bool = False) -> SwfLog:
    """The log that the text describes, jobs in their order. `name` stands in front of errors.

    With `skip_bad_rows` a bad line is left out and reported in `skipped`.
    Errors: BadRows for lines of fewer than 18 fields or more than 21, fields that are no numbers or
    below -1. The same for job numbers that stand twice but for parts, header comments of which a
    number is expected and that are none.
    """
    problems = Problems(name)
    header: List[Tuple[str, str]] = []
    jobs: List[SwfJob] = []
    line_of: Dict[int, int] = {}
    lines = text.split("\n")
    with Progress(f"reading {name}", "line", len(lines)) as progress:
        for line, content in enumerate(lines, 1):
            progress.reach(line)
            content = content.strip()
            if content.startswith(";"):
                header += _read_comment(line, content, problems)
            elif content:
                job = _read_job(line, content.split(), problems)
                if job is None:
                    continue
                if not job.is_part and line_of.setdefault(job.number, line) != line:
                    problems.add(
                        line, f"job {job.number} stands twice, first in line {line_of[job.number]}")
                    continue
                jobs.append(job)
    if not skip_bad_rows:
        problems.raise_any()
    return SwfLog(tuple(header), tuple(jobs), tuple(problems.rows))


def load_swf(path: PathLike, skip_bad_rows: bool = False) -> SwfLog:
    """The log of a file, which may end in `.gz`. Errors: OSError; those of parse_swf."""
    return parse_swf(read_text(path), pathlib.Path(path).name, skip_bad_rows)


def swf_text(log: SwfLog) -> str:
    """The log as text, which parse_swf reads back: header comments, then a line for each job."""
    lines = [f"; {key}: {value}" for key, value in log.header]
    for job in over(log.jobs, "writing", "job"):
        values = [getattr(job, field.name) for field in _FIELDS]
        lines.append(" ".join([*map(str, values), *job.more]))
    return "".join(line + "\n" for line in lines)


def write_swf(path: PathLike, log: SwfLog) -> None:
    """Writes swf_text(log) to a file."""
    pathlib.Path(path).write_text(swf_text(log), encoding="utf-8")
