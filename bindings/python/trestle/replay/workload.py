# SPDX-License-Identifier: Apache-2.0
"""A cluster and the jobs that arrive at it, whatever files they come from.

GPUs are counted in thousandths, so every GPU of a node is cut into a thousand shares.
"""

import collections
import functools
import pathlib
import re
from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Mapping, Sequence, Tuple

import trestle

from .._short import short_repr
from ..traces import machines, openb, orders, swf
from ..traces.rows import BadRow, BadRows, PathLike, read_text

__all__ = [
    "GPU_SHARES", "Job", "Units", "Workload", "load", "load_jobs", "load_nodes", "openb_jobs",
    "openb_nodes", "swf_jobs", "with_gpu_shares",
]

GPU_SHARES = 1000


@dataclass(frozen=True, repr=False)
class Job:
    """A job of a trace. Equal ones may be one object, whose request is then prepared once."""

    request: trestle.Request
    milli_cpus: int  # thousandths of a hardware thread, of all nodes together
    gpus: int
    thousandths: int  # of each GPU, 1 to 1000; 0 without GPUs
    models: Tuple[str, ...] = ()  # of GPUs, any of these; none: any

    __repr__ = short_repr

    @property
    def all_thousandths(self) -> int:
        """Of all its GPUs."""
        return self.gpus * self.thousandths


@dataclass(frozen=True, repr=False)
class Units:
    """What a node has."""

    cpus: int  # hardware threads
    gpus: Mapping[int, str]  # the type of each by its position among the node's devices

    __repr__ = short_repr


@dataclass(frozen=True, repr=False)
class Workload:
    """Nodes, the jobs of a trace, and what is known of them beforehand."""

    nodes: Tuple[trestle.Node, ...]
    jobs: Tuple[Job, ...]  # in the order of the trace
    measured: str = field(init=False)  # "gpu", or "cpu" where no job asks for GPUs
    sizes: Tuple[int, ...] = field(init=False)  # thousandths that each job asks of it
    capacity: int = field(init=False)  # what all nodes have of it, in thousandths too
    units: Tuple[Units, ...] = field(init=False)  # of each node

    __repr__ = short_repr

    def __post_init__(self) -> None:
        has_gpus = any(job.gpus for job in self.jobs)
        sizes = [job.all_thousandths if has_gpus else job.milli_cpus for job in self.jobs]
        known: Dict[trestle.NodeShape, Units] = {}
        units = [_units(node.shape, known) for node in self.nodes]
        counts = (len(one.gpus) if has_gpus else one.cpus for one in units)
        for name, value in (("measured", "gpu" if has_gpus else "cpu"), ("sizes", tuple(sizes)),
                            ("capacity", 1000 * sum(counts)), ("units", tuple(units))):
            object.__setattr__(self, name, value)
        if self.capacity == 0:
            raise ValueError(f"nodes: {len(self.nodes)} without a {self.measured}, "
                             "of which the jobs ask some")

    def order(self, text: str) -> orders.Order:
        """An order of arrival: `trace`, a seed, or a file of one. Errors: OSError, BadRows."""
        if text == "trace":
            return orders.trace_order(len(self.jobs), len(self.nodes))
        if text.isascii() and text.isdigit():
            return orders.make_order(self.sizes, self.capacity, len(self.nodes), int(text))
        return orders.load_order(text, len(self.jobs), len(self.nodes))

    @functools.cached_property
    def typical_jobs(self) -> Tuple[trestle.TypicalJob, ...]:
        """The most frequent kinds of jobs that together are 95 % of all: what fgd knows."""
        counts = _kinds(self.jobs)
        return _most((count, kind, count) for kind, count in counts.items())

    @functools.cached_property
    def demanding_jobs(self) -> Tuple[trestle.TypicalJob, ...]:
        """The kinds that ask most GPUs, together 98 % of what is asked: what future_fit knows."""
        counts = {kind: count for kind, count in _kinds(self.jobs).items() if kind[2]}
        return _most(
            ((count * kind[1] * kind[2], kind, count) for kind, count in counts.items()), 98)


# CPUs, thousandths of a GPU, GPUs, models with | between: in this order kinds of one count follow
# each other in the study.
_Kind = Tuple[int, int, int, str]


def _kinds(jobs: Iterable[Job]) -> Dict[_Kind, int]:
    return collections.Counter(
        (job.milli_cpus, job.thousandths, job.gpus, "|".join(job.models)) for job in jobs)


def _most(weighed: Iterable[Tuple[int, _Kind, int]], percent: int = 95
          ) -> Tuple[trestle.TypicalJob, ...]:
    """The heaviest kinds until they are so many per cent of all; weight, kind, how often seen."""
    rows = sorted(weighed, reverse=True)
    all_weight, covered = sum(weight for weight, _, _ in rows), 0
    jobs = []
    for weight, (milli_cpus, thousandths, gpus, models), seen in rows:
        if covered * 100 >= all_weight * percent:
            break
        covered += weight
        jobs.append(trestle.TypicalJob(milli_cpus, gpus, thousandths,
                                       models.split("|") if models else (), seen))
    return tuple(jobs)


def _units(shape: trestle.NodeShape, known: Dict[trestle.NodeShape, Units]) -> Units:
    if shape not in known:
        gpus = {at: device.type for at, device in enumerate(shape.devices) if device.name == "gpu"}
        known[shape] = Units(shape.cpu_count(), gpus)
    return known[shape]


def with_gpu_shares(nodes: Iterable[trestle.Node]) -> Tuple[trestle.Node, ...]:
    """The nodes with every GPU cut into a thousand shares; shapes that are alike stay so."""
    known: Dict[trestle.NodeShape, trestle.NodeShape] = {}
    cut = []
    for node in nodes:
        if node.shape not in known:
            known[node.shape] = node.shape.replace(devices=[
                device.replace(shares=GPU_SHARES) if device.name == "gpu" else device
                for device in node.shape.devices])
        cut.append(node.replace(shape=known[node.shape]))
    return tuple(cut)


def openb_nodes(rows: Iterable[openb.NodeRow]) -> Tuple[trestle.Node, ...]:
    """The study's machines: cores of one thread, one memory domain."""
    shapes: Dict[Tuple[int, int, int, str], trestle.NodeShape] = {}
    nodes = []
    for row in rows:
        key = (row.milli_cpus // 1000, row.mebibytes, row.gpus, row.model)
        if key not in shapes:
            gpus = [trestle.Device(name="gpu", type=row.model, index=i) for i in range(row.gpus)]
            shapes[key] = machines.plain_shape(key[0], trestle.mib(row.mebibytes), gpus)
        nodes.append(trestle.Node(name=row.name, shape=shapes[key]))
    return tuple(nodes)


def openb_jobs(pods: Iterable[openb.Pod]) -> Tuple[Job, ...]:
    """What pods ask: thousandths of CPUs, memory, GPUs or parts of them, of any of some models."""
    known: Dict[Tuple[int, int, int, int, Tuple[str, ...]], Job] = {}
    jobs = []
    for pod in pods:
        key = (pod.milli_cpus, pod.mebibytes, pod.gpus, pod.thousandths, pod.models)
        if key not in known:
            gpus = trestle.DeviceRequest(types=pod.models, count=pod.gpus,
                                         shares=pod.thousandths if pod.thousandths < 1000 else 0)
            request = trestle.Request(cpus_per_task=0, milli_cpus=pod.milli_cpus,
                                      memory=trestle.mib(pod.mebibytes),
                                      devices=[gpus] if pod.gpus else ())
            known[key] = Job(request, pod.milli_cpus, pod.gpus, pod.thousandths, pod.models)
        jobs.append(known[key])
    return tuple(jobs)


def swf_jobs(log: swf.SwfLog) -> Tuple[Job, ...]:
    """What the jobs of a log ask: a CPU for each processor, on any number of nodes, and memory.

    Jobs of which no size is known are left out, and lines of parts of a job.
    """
    known: Dict[Tuple[int, int], Job] = {}
    jobs = []
    for one in log.jobs:
        memory = int(one.requested_memory * 1024) if one.requested_memory > 0 else 0
        if one.is_part or one.size <= 0:
            continue
        key = (one.size, memory)
        if key not in known:
            request = trestle.Request(nodes=trestle.Range.at_least(1), tasks=one.size,
                                      cpus_per_task=1)
            if memory:
                request = request.replace(memory=memory, memory_per=trestle.Per.cpu)
            known[key] = Job(request, 1000 * one.size, 0, 0)
        jobs.append(known[key])
    return tuple(jobs)


def _first_line(path: pathlib.Path) -> str:
    lines = (line.strip() for line in read_text(path).splitlines())
    return next((line for line in lines if line and not line.startswith("#")), "")


def load_nodes(text: PathLike) -> Tuple[trestle.Node, ...]:
    """Nodes from a file or folder: which kind of description it is, its content says.

    openb CSV (a column `sn`), a dstack catalog in CSV (a column `price`), hwloc XML (`.xml`), a
    slurm.conf or a folder with one. `16*dgx.xml` is sixteen of them, dgx-0 to dgx-15.
    Errors: OSError, LookupError, BadRows.
    """
    found = re.fullmatch(r"(\d{1,7})\*(.+)", str(text))
    if found:
        one = load_nodes(found.group(2))
        return tuple(node.replace(name=f"{node.name}-{i}")
                     for node in one for i in range(int(found.group(1))))
    path = pathlib.Path(text)
    if path.is_dir() or path.suffix == ".conf":
        cluster = machines.load_slurm(path)
        nodes: Sequence[trestle.Node] = cluster.parts().nodes
    elif path.suffix == ".xml":
        nodes = [machines.load_hwloc(path)]
    else:
        columns = [column.strip() for column in _first_line(path).split(",")]
        if "sn" in columns:
            nodes = openb_nodes(openb.load_nodes(path))
        elif "price" in columns:
            nodes = machines.nodes_of(machines.load_dstack(path))
        else:
            raise BadRows([BadRow(path.name, 1, "expected the columns of openb nodes "
                                  f"({','.join(openb.NODE_COLUMNS)}) or of a dstack catalog, "
                                  "one of them `price`")])
    return with_gpu_shares(nodes)


def load_jobs(text: PathLike) -> Tuple[Job, ...]:
    """Jobs from a file: openb pods in CSV (a column `num_gpu`), or else a log in SWF.

    Errors: OSError, BadRows.
    """
    path = pathlib.Path(text)
    if "num_gpu" in _first_line(path).split(","):
        return openb_jobs(openb.load_pods(path))
    if path.suffix == ".csv":
        raise BadRows([BadRow(path.name, 1, "expected the columns of openb pods: "
                              + ",".join(openb.POD_COLUMNS))])
    return swf_jobs(swf.load_swf(path))


def load(nodes: Iterable[PathLike], jobs: PathLike) -> Workload:
    """The workload of some descriptions of nodes and a trace. Errors: as above, of all files."""
    bad: List[BadRow] = []
    all_nodes: List[trestle.Node] = []
    trace: Tuple[Job, ...] = ()
    for one in nodes:
        try:
            all_nodes.extend(load_nodes(one))
        except BadRows as error:
            bad.extend(error.rows)
    try:
        trace = load_jobs(jobs)
    except BadRows as error:
        bad.extend(error.rows)
    if bad:
        raise BadRows(bad)
    return Workload(tuple(all_nodes), trace)
