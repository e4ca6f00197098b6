# SPDX-License-Identifier: Apache-2.0
"""Jobs of published traces of GPU clusters and of accounting, as one kind of row.

    sacct    `sacct --parsable2` or `--parsable`, and `sacct --json` of Slurm
    philly   cluster_job_log of Microsoft's Philly (JSON)
    helios   cluster_log.csv of SenseTime's Helios
    alibaba  tasks of Alibaba's GPU cluster of 2020 (pai_task_table), instances of that of 2025; that
             of 2023 is traces.openb
    acme     trace_*.csv of Shanghai AI Laboratory's Acme
    batsim   workload files of the simulator Batsim (JSON)

Each reports every row that it cannot read; text that is no JSON or CSV ends the reading. Times are
seconds since the epoch. A time of day without its zone is taken as if it was UTC. So it is in
Philly, Helios and `sacct` itself, which writes the cluster's zone. Acme tells its zone, and `sacct
--json` writes seconds. In Alibaba's traces and in Batsim times count from the start of the trace.
"""

import csv
import datetime
import io
import json
import pathlib
import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .._progress import over
from .._short import short_repr
from .rows import BadRow, BadRows, PathLike, Problems, read_table, read_text

__all__ = [
    "GpuJob", "JobTable", "load_acme", "load_alibaba", "load_alibaba_2025", "load_batsim",
    "load_helios", "load_philly", "load_sacct", "parse_batsim", "parse_philly", "parse_sacct",
    "parse_sacct_json",
]


@dataclass(frozen=True, repr=False)
class GpuJob:
    """A job. None is what the trace does not tell."""

    name: str  # its number, or what the trace calls it
    user: str = ""
    submitted: Optional[float] = None
    started: Optional[float] = None
    ended: Optional[float] = None
    limit: Optional[float] = None  # seconds
    duration: Optional[float] = None  # of its run, where the trace tells no times of it
    nodes: Optional[int] = None
    cpus: Optional[float] = None  # of all nodes
    gpus: Optional[float] = None  # of all nodes; parts of one in Alibaba's trace
    memory: Optional[int] = None  # bytes, of all nodes
    gpu_type: str = ""
    state: str = ""  # as the trace writes it
    group: str = ""  # account, or virtual cluster
    tasks: Optional[int] = None  # instances with an equal part each

    __repr__ = short_repr

    @property
    def run_time(self) -> Optional[float]:
        """The duration that the trace tells; else from start to end, where both are known."""
        if self.duration is not None:
            return self.duration
        return None if self.started is None or self.ended is None else self.ended - self.started


@dataclass(frozen=True, repr=False)
class JobTable:
    """Jobs in the order of their file. `skipped` are rows that were left out, if that was asked."""

    jobs: Tuple[GpuJob, ...] = ()
    skipped: Tuple[BadRow, ...] = ()

    __repr__ = short_repr


def _texts_of(row: Mapping[str, Any]) -> Callable[[str], str]:
    """The text of a column; empty where the row has none."""

    def text(key: str) -> str:
        value = row.get(key)
        return "" if value is None else str(value).strip()

    return text


class _Cells:
    """Reads the cells of one row, each as what it has to be."""

    def __init__(self, problems: Problems, line: int, get: Callable[[str], str]) -> None:
        self.problems, self.line, self.get = problems, line, get

    def number(self, column: str, scale: float = 1) -> Optional[float]:
        text = self.get(column)
        if text in ("", "None", "nan", "Unknown", "null"):
            return None
        is_number = re.fullmatch(r"[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?", text)
        value = float(text) * scale if is_number else -1.0
        if not 0 <= value < 2**63:
            self.problems.add(self.line, f'{column}: "{text}", expected a number of 0 or more')
            return None
        return int(value) if value == int(value) else value

    def whole(self, column: str) -> Optional[int]:
        value = self.number(column)
        if value is not None and value != int(value):
            self.problems.add(self.line, f'{column}: "{self.get(column)}", expected a whole number')
            return None
        return None if value is None else int(value)

    def time(self, column: str) -> Optional[float]:
        text = self.get(column)
        if text in ("", "None", "Unknown", "N/A", "nan"):
            return None
        if re.fullmatch(r"[0-9]{1,15}(\.[0-9]+)?", text):
            return float(text)
        try:
            when = datetime.datetime.fromisoformat(text)
        except ValueError:
            self.problems.add(self.line, f'{column}: "{text}", expected a time')
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=datetime.timezone.utc)
        return when.timestamp()


def _csv_rows(reader: Any, problems: Problems, lines: int) -> Iterator[List[str]]:
    """Its rows, of about so many lines; what is no CSV ends them with a note."""
    try:
        yield from over(reader, f"reading {problems.file}", "line", lines)
    except csv.Error as error:
        problems.add(reader.line_num, str(error))


def _table(problems: Problems, jobs: List[GpuJob], skip_bad_rows: bool) -> JobTable:
    if not jobs and not problems.rows:
        problems.add(0, "no jobs")
    if not skip_bad_rows:
        problems.raise_any()
    return JobTable(tuple(jobs), tuple(problems.rows))


_UNITS = {"": 2**20, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}
_COUNT_MAX = 2**53  # what a float still tells exactly


class _Gpus:
    """GPUs of one list of TRES, which names them with and without their types."""

    def __init__(self) -> None:
        self.total: Optional[int] = None
        self.typed: Dict[str, int] = {}

    def add(self, kind: str, count: int) -> None:
        if kind:
            self.typed[kind] = self.typed.get(kind, 0) + count
        else:
            self.total = count

    def values(self) -> Dict[str, Any]:
        told = {kind: count for kind, count in self.typed.items() if count}
        return {"gpus": sum(told.values()) if self.total is None else self.total,
                "gpu_type": ",".join(told)}


def _tres_job(cells: _Cells, text: str) -> Dict[str, Any]:
    """`cpu=4,mem=8G,gres/gpu:a100=2`: what it says of a job."""
    values: Dict[str, Any] = {}
    gpus = _Gpus()
    for name, _, value in (part.partition("=") for part in text.split(",") if part):
        if name in ("cpu", "node"):
            count = cells.problems.number(cells.line, name, value, 0, _COUNT_MAX)
            values["cpus" if name == "cpu" else "nodes"] = count
        elif name == "mem":
            found = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)([KMGTP]?)", value)
            if found:
                values["memory"] = int(float(found.group(1)) * _UNITS[found.group(2)])
            else:
                cells.problems.add(cells.line, f'mem: "{value}", expected a size')
        elif name == "gres/gpu" or name.startswith("gres/gpu:"):
            count = cells.problems.number(cells.line, name, value, 0, _COUNT_MAX)
            gpus.add(name.partition(":")[2], count)
    values.update(gpus.values())
    return values


_NO_LIMIT = ("", "UNLIMITED", "Partition_Limit", "INVALID", "None", "Unknown")


def _slurm_seconds(cells: _Cells, column: str) -> Optional[float]:
    """`1-02:03:04`, `02:03:04`, `03:04.5`; None where there is no limit."""
    text = cells.get(column)
    if text in _NO_LIMIT:
        return None
    found = re.fullmatch(r"(?:([0-9]{1,6})-)?(?:([0-9]{1,6}):)?([0-9]{1,6}):"
                         r"([0-9]{1,2}(?:\.[0-9]{1,9})?)", text)
    if not found:
        cells.problems.add(cells.line, f'{column}: "{text}", expected a time, as 1-02:03:04')
        return None
    days, hours, minutes = (int(part or 0) for part in found.groups()[:3])
    seconds = float(found.group(4))
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return int(total) if total == int(total) else total


def parse_sacct(text: str, name: str = "sacct", skip_bad_rows: bool = False) -> JobTable:
    """Jobs of `sacct --parsable2` (or --parsable) with its head; steps (`1.batch`) are left out.

    JobID (or JobIDRaw) has to be there; of the others User, Account, Submit, Start, End, Timelimit, NNodes,
    NCPUS, AllocTRES, ReqTRES and State are read. Without a column of TRES GPUs are unknown.
    """
    problems = Problems(name)
    jobs: List[GpuJob] = []
    reader = csv.reader(io.StringIO(text), delimiter="|", quoting=csv.QUOTE_NONE)
    head: Optional[List[str]] = None
    for cells_of in _csv_rows(reader, problems, text.count("\n")):
        if head is None:
            head = cells_of
            if "JobID" not in head and "JobIDRaw" not in head:
                problems.add(1, "no column JobID")
                break
            continue
        if not cells_of:
            continue
        if len(cells_of) != len(head):
            problems.add(reader.line_num, f"{len(cells_of)} columns, expected {len(head)}")
            continue
        row = dict(zip(head, cells_of))
        number = row.get("JobID") or row.get("JobIDRaw") or ""
        if "." in number:
            continue
        cells = _Cells(problems, reader.line_num, _texts_of(row))
        noted = len(problems.rows)
        values: Dict[str, Any] = {
            "name": number, "user": row.get("User", ""), "state": row.get("State", ""),
            "group": row.get("Account", ""),
            "submitted": cells.time("Submit"), "started": cells.time("Start"),
            "ended": cells.time("End"), "limit": _slurm_seconds(cells, "Timelimit"),
            "nodes": cells.whole("NNodes"), "cpus": cells.whole("NCPUS")}
        if "AllocTRES" in row or "ReqTRES" in row:
            values.update(_tres_job(cells, row.get("AllocTRES") or row.get("ReqTRES") or ""))
        if not number:
            problems.add(reader.line_num, "JobID: empty")
        if len(problems.rows) == noted:
            jobs.append(GpuJob(**values))
    return _table(problems, jobs, skip_bad_rows)


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadRows([BadRow(name, error.lineno, f"no JSON: {error.msg}")]) from error
    except (RecursionError, ValueError) as error:  # too deep; a number of thousands of digits
        raise BadRows([BadRow(name, 0, f"no JSON that can be read: {error}")]) from error


def _json_jobs(document: Any, name: str) -> List[Any]:
    jobs = document.get("jobs") if isinstance(document, dict) else None
    if not isinstance(jobs, list):
        raise BadRows([BadRow(name, 0, "no jobs, expected a list of jobs")])
    return jobs


class _Parts:
    """Reads the parts of one job in JSON. null is what is missing; of another kind is a bad row."""

    def __init__(self, problems: Problems, line: int) -> None:
        self.problems, self.line = problems, line

    def mapping(self, value: Any, what: str) -> Dict[str, Any]:
        if value is not None and not isinstance(value, dict):
            self.problems.add(self.line, f"{what}: expected a mapping")
        return value if isinstance(value, dict) else {}

    def mappings(self, value: Any, what: str) -> List[Dict[str, Any]]:
        return [self.mapping(one, what) for one in self.items(value, what)]

    def items(self, value: Any, what: str) -> List[Any]:
        if value is not None and not isinstance(value, list):
            self.problems.add(self.line, f"{what}: expected a list")
        return value if isinstance(value, list) else []

    def word(self, value: Any, what: str) -> str:
        if value is None or isinstance(value, (str, int, float)):
            return "" if value is None else str(value)
        self.problems.add(self.line, f"{what}: expected a word")
        return ""

    def count(self, value: Any, what: str) -> Optional[int]:
        """Slurm's JSON writes a number as it is, or as {set, infinite, number}."""
        if isinstance(value, dict):
            if not value.get("set") or value.get("infinite"):
                return None
            value = value.get("number")
        if value is None:
            return None
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= _COUNT_MAX or value != int(value):
            text = json.dumps(value)[:40]
            self.problems.add(self.line, f"{what}: {text}, expected a number from 0 to {_COUNT_MAX}")
            return None
        return int(value)


def _json_tres(parts: _Parts, tres: Any) -> Dict[str, Any]:
    if tres is None:
        return {}
    lists = parts.mapping(tres, "tres")
    values: Dict[str, Any] = {}
    gpus = _Gpus()
    what = "allocated" if lists.get("allocated") else "requested"
    for entry in parts.mappings(lists.get(what), what):
        kind, name = entry.get("type"), parts.word(entry.get("name"), f"{what}, name")
        count = parts.count(entry.get("count"), f"{what}, count")
        if count is None:
            continue
        if kind == "cpu":
            values["cpus"] = count
        elif kind == "mem":
            values["memory"] = count * 2**20
        elif kind == "gres" and name.split(":")[0] == "gpu":
            gpus.add(name.partition(":")[2], count)
    values.update(gpus.values())
    return values


def _jobs_of(problems: Problems, rows: Sequence[Any], lack: str, is_job: Callable[[Dict[str, Any]], bool],
             job_of: Callable[[_Parts, Dict[str, Any]], GpuJob]) -> List[GpuJob]:
    """The jobs of JSON rows: of mappings that are jobs, whose parts `job_of` finds in order. Another row has
    the problem `lack`."""
    jobs: List[GpuJob] = []
    for line, one in enumerate(over(rows, f"reading {problems.file}", "job"), 1):
        if not isinstance(one, dict) or not is_job(one):
            problems.add(line, lack)
            continue
        noted = len(problems.rows)
        job = job_of(_Parts(problems, line), one)
        if len(problems.rows) == noted:
            jobs.append(job)
    return jobs


def _sacct_json_job(parts: _Parts, one: Dict[str, Any], time: Dict[str, Any]) -> GpuJob:
    state = one.get("state")
    current = state.get("current") if isinstance(state, dict) else state
    states = current if isinstance(current, list) else [current]
    values: Dict[str, Any] = {
        "name": parts.word(one["job_id"], "job_id"), "user": parts.word(one.get("user"), "user"),
        "state": ",".join(parts.word(word, "state") for word in states),
        "group": parts.word(one.get("account"), "account"),
        "nodes": parts.count(one.get("allocation_nodes"), "allocation_nodes")}
    for field, key in (("submitted", "submission"), ("started", "start"), ("ended", "end")):
        values[field] = parts.count(time.get(key), key) or None
    limit = parts.count(time.get("limit"), "limit")
    values["limit"] = None if limit is None else limit * 60
    values.update(_json_tres(parts, one.get("tres")))
    return GpuJob(**values)


def parse_sacct_json(text: str, name: str = "sacct", skip_bad_rows: bool = False) -> JobTable:
    """Jobs of `sacct --json`, whatever the version of its plugin. Row n is the n-th job."""
    problems = Problems(name)
    jobs = _jobs_of(problems, _json_jobs(_json(text, name), name), "no job_id or no time",
                    lambda one: isinstance(one.get("time"), dict) and "job_id" in one,
                    lambda parts, one: _sacct_json_job(parts, one, one["time"]))
    return _table(problems, jobs, skip_bad_rows)


def _philly_job(parts: _Parts, one: Dict[str, Any]) -> GpuJob:
    attempts = parts.mappings(one.get("attempts"), "attempts")
    first, last = (attempts[0], attempts[-1]) if attempts else ({}, {})
    told = {"submitted": one.get("submitted_time"), "started": first.get("start_time"),
            "ended": last.get("end_time")}
    cells = _Cells(parts.problems, parts.line, _texts_of(told))
    detail = parts.mappings(last.get("detail"), "detail")
    return GpuJob(
        name=parts.word(one["jobid"], "jobid"), user=parts.word(one.get("user"), "user"),
        state=parts.word(one.get("status"), "status"), group=parts.word(one.get("vc"), "vc"),
        submitted=cells.time("submitted"),
        started=cells.time("started"), ended=cells.time("ended"), nodes=len(detail) or None,
        gpus=sum(len(parts.items(part.get("gpus"), "gpus")) for part in detail))


def parse_philly(text: str, name: str = "philly", skip_bad_rows: bool = False) -> JobTable:
    """Jobs of cluster_job_log: the first attempt's start, the last one's end, and its GPUs."""
    problems = Problems(name)
    rows = _json(text, name)
    if not isinstance(rows, list):
        raise BadRows([BadRow(name, 0, "no list of jobs")])
    jobs = _jobs_of(problems, rows, "no jobid", lambda one: bool(one.get("jobid")), _philly_job)
    return _table(problems, jobs, skip_bad_rows)


def _load_csv(path: PathLike, wanted: Sequence[str], job_of: Callable[[_Cells], GpuJob],
              skip_bad_rows: bool) -> JobTable:
    problems = Problems(path)
    jobs: List[GpuJob] = []
    for row in read_table(path, wanted, problems):
        noted = len(problems.rows)
        job = job_of(_Cells(problems, row.line, row.get))
        if not job.name:
            problems.add(row.line, f"{wanted[0]}: empty")
        if len(problems.rows) == noted:
            jobs.append(job)
    return _table(problems, jobs, skip_bad_rows)


def load_helios(path: PathLike, skip_bad_rows: bool = False) -> JobTable:
    """Jobs of cluster_log.csv: job_id, user, vc, gpu_num, cpu_num, node_num, state and times."""
    def job_of(cells: _Cells) -> GpuJob:
        return GpuJob(name=cells.get("job_id"), user=cells.get("user"), state=cells.get("state"),
                      group=cells.get("vc"),
                      submitted=cells.time("submit_time"), started=cells.time("start_time"),
                      ended=cells.time("end_time"), nodes=cells.whole("node_num"),
                      cpus=cells.whole("cpu_num"), gpus=cells.whole("gpu_num"))
    return _load_csv(path, ("job_id", "user", "gpu_num", "cpu_num", "submit_time"), job_of,
                     skip_bad_rows)


def load_acme(path: PathLike, skip_bad_rows: bool = False) -> JobTable:
    """Jobs of trace_seren.csv and trace_kalos.csv: those columns of Helios, and mem_per_pod_GB."""
    def job_of(cells: _Cells) -> GpuJob:
        memory = cells.number("mem_per_pod_GB", 2**30)
        nodes = cells.whole("node_num")
        return GpuJob(name=cells.get("job_id"), user=cells.get("user"), state=cells.get("state"),
                      submitted=cells.time("submit_time"), started=cells.time("start_time"),
                      ended=cells.time("end_time"), nodes=nodes, cpus=cells.number("cpu_num"),
                      gpus=cells.number("gpu_num"),
                      memory=None if memory is None else int(memory) * (nodes or 1))
    return _load_csv(path, ("job_id", "user", "node_num", "gpu_num", "cpu_num", "submit_time"),
                     job_of, skip_bad_rows)


_ALIBABA_COLUMNS = ("job_name", "task_name", "inst_num", "status", "start_time", "end_time",
                    "plan_cpu", "plan_mem", "plan_gpu", "gpu_type")


def load_alibaba(path: PathLike, skip_bad_rows: bool = False) -> JobTable:
    """Tasks of pai_task_table.csv (2020), which has no head: plans are hundredths of a CPU or GPU
    and GiB of memory, of each instance. `name` is job and task."""
    problems = Problems(path)
    jobs: List[GpuJob] = []
    text = read_text(path)
    reader = csv.reader(io.StringIO(text))
    for cells_of in _csv_rows(reader, problems, text.count("\n")):
        if not cells_of:
            continue
        if len(cells_of) != len(_ALIBABA_COLUMNS):
            problems.add(reader.line_num,
                         f"{len(cells_of)} columns, expected {len(_ALIBABA_COLUMNS)}")
            continue
        row = dict(zip(_ALIBABA_COLUMNS, cells_of))
        noted = len(problems.rows)
        cells = _Cells(problems, reader.line_num, _texts_of(row))
        instances = cells.whole("inst_num")
        count = 1 if instances is None else instances
        cpus, gpus = cells.number("plan_cpu", count / 100), cells.number("plan_gpu", count / 100)
        memory = cells.number("plan_mem", count * 2**30)
        job = GpuJob(name=f'{row["job_name"]}/{row["task_name"]}', state=row["status"],
                     started=cells.time("start_time"), ended=cells.time("end_time"), cpus=cpus,
                     gpus=gpus or 0, memory=None if memory is None else int(memory),
                     gpu_type=row["gpu_type"], tasks=int(count) or None)
        if len(problems.rows) == noted:
            jobs.append(job)
    return _table(problems, jobs, skip_bad_rows)


def load_alibaba_2025(path: PathLike, skip_bad_rows: bool = False) -> JobTable:
    """Instances of disaggregated_DLRM_trace.csv: requests of one instance, memory in GiB; times are
    seconds since the start of the trace."""
    def job_of(cells: _Cells) -> GpuJob:
        memory = cells.number("memory_request", 2**30)
        return GpuJob(name=cells.get("instance_sn"), user=cells.get("app_name"),
                      state=cells.get("role"), submitted=cells.time("creation_time"),
                      started=cells.time("scheduled_time"), ended=cells.time("deletion_time"),
                      nodes=1, cpus=cells.number("cpu_request"),
                      gpus=cells.number("gpu_request") or 0,
                      memory=None if memory is None else int(memory))
    return _load_csv(path, ("instance_sn", "role", "app_name", "cpu_request", "gpu_request",
                            "memory_request", "creation_time"), job_of, skip_bad_rows)


def _batsim_job(parts: _Parts, one: Dict[str, Any], profiles: Dict[str, Any]) -> GpuJob:
    noted = len(parts.problems.rows)
    cells = _Cells(parts.problems, parts.line, _texts_of(one))
    submitted, nodes = cells.number("subtime"), cells.whole("res")
    for key, value in (("subtime", submitted), ("res", nodes)):
        if value is None and len(parts.problems.rows) == noted:
            parts.problems.add(parts.line, f"no {key}")
    limit = None if one.get("walltime") == -1 else cells.number("walltime")
    named = parts.word(one.get("profile"), "profile")
    profile = parts.mapping(profiles.get(named), f'profile "{named}"')
    if profiles.get(named) is None:
        parts.problems.add(parts.line, f'profile "{named}" is not among the profiles')
    delay = _Cells(parts.problems, parts.line, _texts_of(profile)).number("delay")
    return GpuJob(name=parts.word(one["id"], "id"), submitted=submitted, nodes=nodes, limit=limit,
                  duration=delay)


def parse_batsim(text: str, name: str = "batsim", skip_bad_rows: bool = False) -> JobTable:
    """Jobs of a workload: id, subtime, res (hosts), walltime, and the delay of its profile."""
    document = _json(text, name)
    rows = _json_jobs(document, name)
    problems = Problems(name)
    profiles = _Parts(problems, 0).mapping(document.get("profiles"), "profiles")
    jobs = _jobs_of(problems, rows, "no id", lambda one: "id" in one,
                    lambda parts, one: _batsim_job(parts, one, profiles))
    return _table(problems, jobs, skip_bad_rows)


def load_sacct(path: PathLike, skip_bad_rows: bool = False) -> JobTable:
    """parse_sacct of a file, parse_sacct_json where it begins with a brace."""
    text = read_text(path)
    parse = parse_sacct_json if text.lstrip().startswith("{") else parse_sacct
    return parse(text, pathlib.Path(path).name, skip_bad_rows)


def load_philly(path: PathLike, skip_bad_rows: bool = False) -> JobTable:
    """parse_philly of a file."""
    return parse_philly(read_text(path), pathlib.Path(path).name, skip_bad_rows)


def load_batsim(path: PathLike, skip_bad_rows: bool = False) -> JobTable:
    """parse_batsim of a file."""
    return parse_batsim(read_text(path), pathlib.Path(path).name, skip_bad_rows)
