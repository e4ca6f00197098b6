# SPDX-License-Identifier: Apache-2.0
"""The sbatch/salloc options that occur in the recordings as one value, defaults resolved.

`read_job` does what the client and the controller's submit path do before any node is looked
at: lowering of task and node counts, conflicts, and the arithmetic between GRES counts.
"""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import dataclass, field, replace

from .conf import Cluster, Parameters, Partition, count_of, expand


class Refused(Exception):
    """The request is turned down before nodes are looked at."""


@dataclass(frozen=True)
class GresWant:
    """What is asked of one GRES name and type, by each of the ways of asking; 0: not asked."""

    name: str
    type: str = ""
    per_job: int = 0
    per_node: int = 0
    per_socket: int = 0
    per_task: int = 0
    cpus_per: int = 0
    mem_per: int = 0

    @property
    def counted(self) -> bool:
        return bool(self.per_job or self.per_node or self.per_socket or self.per_task)

    def total(self, job: Job) -> int:
        """Lower bound of the job's count, from every way it was asked."""
        return max(
            self.per_job,
            self.per_node * job.min_nodes,
            self.per_socket * job.min_nodes * (job.sockets_per_node or 1),
            self.per_task * job.tasks,
        )


@dataclass(frozen=True)
class Job:
    ntasks: int | None = None  # None: not given, one task a node
    min_nodes: int = 1
    max_nodes: int | None = None
    wanted_nodes: int = 1  # upper end of -N, the count aimed at
    cpus_per_task: int = 1
    cpus_per_task_given: bool = False
    ntasks_per_node: int = 0
    ntasks_per_socket: int = 0
    ntasks_per_core: int = 0
    ntasks_per_gpu: int = 0
    threads_per_core: int = 0
    sockets_per_node: int = 0
    cores_per_socket: int = 0
    min_cpus_per_node: int = 1
    memory: int | None = None  # MB a node; 0: all of it
    mem_per_cpu: int | None = None
    mem_per_gpu: int | None = None
    gres: tuple[GresWant, ...] = ()
    exclusive: bool = False
    contiguous: bool = False
    spread: bool = False
    use_min_nodes: bool = False
    enforce_binding: bool = False
    disable_binding: bool = False
    overcommit: bool = False  # CPUs as for one task a node
    second_level: str = ""  # cores: "block" | "cyclic" | "" for the default
    plane: int = 0
    required: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    features: str = ""
    switches: int = 0
    core_spec: int | None = None
    thread_spec: int = 0
    tmp_disk: int = 0
    partitions: tuple[str, ...] = ()

    @property
    def tasks(self) -> int:
        """Task count that every decision uses."""
        return self.ntasks if self.ntasks is not None else self.min_nodes

    @property
    def min_cpus(self) -> int:
        """CPUs that the chosen nodes must have together."""
        tasks = max(self.tasks, self.ntasks_per_node * self.min_nodes)
        if self.overcommit:
            tasks = self.min_nodes
        return max(tasks * self.cpus_per_task, self.min_cpus_per_node * self.min_nodes, *(
            w.cpus_per * w.total(self) for w in self.gres), 1)

    @property
    def whole_node(self) -> bool:
        return self.exclusive or self.core_spec is not None or self.thread_spec > 0


_FLAGS = {
    "--contiguous": "contiguous",
    "--spread-job": "spread",
    "--use-min-nodes": "use_min_nodes",
    "-O": "overcommit",
}
_COUNTS = {
    "-c": "cpus_per_task",
    "--ntasks-per-node": "ntasks_per_node",
    "--ntasks-per-socket": "ntasks_per_socket",
    "--ntasks-per-core": "ntasks_per_core",
    "--ntasks-per-gpu": "ntasks_per_gpu",
    "--threads-per-core": "threads_per_core",
    "--sockets-per-node": "sockets_per_node",
    "--cores-per-socket": "cores_per_socket",
    "--mincpus": "min_cpus_per_node",
    "--tmp": "tmp_disk",
    "--thread-spec": "thread_spec",
    "-S": "core_spec",
}
_GRES = {
    "-G": "per_job",
    "--gpus": "per_job",
    "--gres": "per_node",
    "--gpus-per-node": "per_node",
    "--gpus-per-socket": "per_socket",
    "--gpus-per-task": "per_task",
    "--cpus-per-gpu": "cpus_per",
    "--mem-per-gpu": "mem_per",
}


def memory_mb(text: str) -> int:
    """Memory as sbatch reads it: MB unless a suffix says otherwise."""
    match = re.fullmatch(r"(\d+)([KMGT]?)B?", text.upper())
    if match is None:
        raise Refused(f"invalid memory {text}")
    value = int(match[1])
    return {"": value, "M": value, "K": -(-value // 1024), "G": value << 10, "T": value << 20}[
        match[2]
    ]


def _gres_items(option: str, text: str) -> list[tuple[str, str, int]]:
    """(name, type, count) of each item of a GRES option; items of count 0 are dropped."""
    items = []
    for item in text.split(","):
        whole = item if option == "--gres" else f"gpu:{item}"
        parts = whole.split(":")
        count = 1
        if len(parts) > 1 and re.fullmatch(r"\d+[kKmMgGtTpP]?", parts[-1]):
            count = count_of(parts.pop())
        if len(parts) > 2:
            raise Refused(f"invalid GRES {item}")
        if count:
            items.append((parts[0], parts[1] if len(parts) == 2 else "", count))
    return items


@dataclass
class _Raw:
    """Options as written, before anything is derived."""

    values: dict[str, object] = field(default_factory=dict)
    gres: dict[tuple[str, str], GresWant] = field(default_factory=dict)
    nodes: tuple[int, int | None] | None = None

    def want(self, name: str, gres_type: str, way: str, count: int) -> None:
        old = self.gres.get((name, gres_type), GresWant(name, gres_type))
        self.gres[name, gres_type] = replace(old, **{way: count})  # type: ignore[arg-type]


def _split(opts: str) -> list[tuple[str, str | None]]:
    """Option words with their values."""
    alone = {*_FLAGS, "-s", "--exclusive"}
    words = shlex.split(opts)
    pairs: list[tuple[str, str | None]] = []
    at = 0
    while at < len(words):
        name, equals, value = words[at].partition("=")
        at += 1
        if equals:
            pairs.append((name, value))
        elif name in alone:
            pairs.append((name, None))
        else:
            pairs.append((name, words[at]))
            at += 1
    return pairs


def _read(opts: str) -> _Raw:
    raw = _Raw()
    values = raw.values
    for name, value in _split(opts):
        if name in _FLAGS:
            values[_FLAGS[name]] = True
        elif name == "--exclusive":
            values["exclusive"] = value is None
        elif value is None:
            continue  # -s: sharing is allowed, which a partition without sharing ignores
        elif name in _COUNTS:
            values[_COUNTS[name]] = int(value)
        elif name in _GRES:
            _read_gres(raw, name, value)
        elif name == "-n":
            values["ntasks"] = int(value)
        elif name == "-N":
            low, _, high = value.partition("-")
            raw.nodes = (int(low), int(high or low))
        else:
            _read_word(values, name, value)
    return raw


def _read_gres(raw: _Raw, name: str, value: str) -> None:
    if name == "--mem-per-gpu":
        raw.want("gpu", "", "mem_per", memory_mb(value))
        raw.values["mem_per_gpu"] = memory_mb(value)
        return
    for gres, gres_type, count in _gres_items(name, value):
        raw.want(gres, gres_type, _GRES[name], count)


def _read_word(values: dict[str, object], name: str, value: str) -> None:
    if name == "--mem":
        values["memory"] = memory_mb(value)
    elif name == "--mem-per-cpu":
        values["mem_per_cpu"] = memory_mb(value)
    elif name == "-B":
        for key, part in zip(
            ("sockets_per_node", "cores_per_socket", "threads_per_core"), value.split(":")
        ):
            values[key] = int(part)
    elif name == "--hint":
        if value in ("nomultithread", "compute_bound", "memory_bound"):
            values["threads_per_core"] = 1
    elif name == "-m":
        _read_distribution(values, value)
    elif name == "-w":
        values["required"] = tuple(expand(value))
    elif name == "-x":
        values["excluded"] = tuple(expand(value))
    elif name == "-C":
        values["features"] = value
    elif name == "-p":
        values["partitions"] = tuple(value.split(","))
    elif name == "--switches":
        values["switches"] = int(value.partition("@")[0])
    elif name == "--gres-flags":
        values["enforce_binding"] = "enforce-binding" in value
        values["disable_binding"] = "disable-binding" in value
    elif name not in ("-t",):
        raise Refused(f"option {name} is not modelled")


def _read_distribution(values: dict[str, object], value: str) -> None:
    first = value.split(",")[0]
    if first.startswith("plane="):
        values["plane"] = int(first[6:])
        values["second_level"] = "block"
        return
    levels = first.split(":")
    if len(levels) > 1:
        values["second_level"] = "block" if levels[1] == "block" else "cyclic"


def read_job(opts: str, cluster: Cluster) -> Job:
    """The request with everything derived that the client and the submit path derive."""
    raw = _read(opts)
    values = raw.values
    _check_names(raw, cluster)
    if "cpus_per_task" in values:
        values["cpus_per_task_given"] = True
    job = Job(**values)  # type: ignore[arg-type]
    job = _node_counts(job, raw.nodes)
    if job.overcommit:
        job = replace(job, ntasks_per_node=0, ntasks_per_socket=0, ntasks_per_core=0)
    job = replace(job, gres=tuple(raw.gres.values()))
    job = _gres_arithmetic(job)
    job = _merge_untyped(job)
    if job.ntasks_per_node and job.ntasks is not None and raw.nodes is None:
        nodes = -(-job.ntasks // job.ntasks_per_node)
        job = replace(job, min_nodes=max(job.min_nodes, nodes))
        job = replace(job, wanted_nodes=max(job.wanted_nodes, job.min_nodes))
    return job


def _check_names(raw: _Raw, cluster: Cluster) -> None:
    values = raw.values
    for name, _ in raw.gres:
        if name not in cluster.parameters.gres_types:
            raise Refused(f"unknown GRES {name}")
    names = [name for name, _ in raw.gres]
    if "gpu" in names and ({"shard", "mps"} & set(names)):
        raise Refused("gpu together with shares of a gpu")
    required = values.get("required", ())
    excluded = values.get("excluded", ())
    assert isinstance(required, tuple) and isinstance(excluded, tuple)
    for node in (*required, *excluded):
        if cluster.node_named(node) is None:
            raise Refused(f"unknown node {node}")
    if set(required) & set(excluded):
        raise Refused("a node both required and excluded")
    partitions = values.get("partitions", ())
    assert isinstance(partitions, tuple)
    for partition in partitions:
        if cluster.partition_named(partition) is None:
            raise Refused(f"unknown partition {partition}")


def _node_counts(job: Job, nodes: tuple[int, int | None] | None) -> Job:
    """-N, -n and -w against each other (the client's part)."""
    low, high = nodes if nodes is not None else (1, None)
    hosts = len(job.required)
    if hosts > low:
        if high is not None and hosts > high:
            raise Refused("more nodes required than -N allows")
        low = hosts
    if job.ntasks is not None and low > job.ntasks:
        low = job.ntasks
        job = replace(job, required=job.required[:low])
        high = min(high, low) if high is not None else None
    ntasks = job.ntasks
    if ntasks is None and nodes is not None and low == high:
        ntasks = low * (job.ntasks_per_node or 1)
        if not job.ntasks_per_node:
            ntasks = _tasks_of_shape(job, low)
    if ntasks is None and job.ntasks_per_node and nodes is None:
        ntasks = job.ntasks_per_node
    wanted = low if high is None or job.use_min_nodes else high
    return replace(job, min_nodes=low, max_nodes=high, wanted_nodes=wanted, ntasks=ntasks)


def _tasks_of_shape(job: Job, nodes: int) -> int | None:
    """-N with sockets, cores or threads per node implies that many tasks."""
    shape = [n for n in (job.sockets_per_node, job.cores_per_socket, job.threads_per_core) if n]
    return nodes * math.prod(shape) if shape else None


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise Refused(text)


def _gres_arithmetic(job: Job) -> Job:
    """Counts of one GRES asked in several ways must agree; what follows is filled in."""
    if job.ntasks_per_gpu:
        job = _tasks_per_gpu(job)
    for want in job.gres:
        job = _one_gres(job, want)
    if job.mem_per_gpu is not None:
        _require(any(w.name == "gpu" and w.counted for w in job.gres), "memory per GPU, no GPU")
    return job


def _tasks_per_gpu(job: Job) -> Job:
    gpus = sum(w.total(job) for w in job.gres if w.name == "gpu" and w.counted)
    if gpus:
        return replace(job, ntasks=gpus * job.ntasks_per_gpu)
    tasks = job.tasks
    _require(tasks % job.ntasks_per_gpu == 0, "tasks are no multiple of tasks per GPU")
    return replace(job, gres=(*job.gres, GresWant("gpu", per_job=tasks // job.ntasks_per_gpu)))


def _one_gres(job: Job, want: GresWant) -> Job:
    new = want
    if want.per_job:
        _require(want.per_job >= max(want.per_node, want.per_task, want.per_socket), "job count")
    if want.per_node:
        _require(want.per_node >= max(want.per_task, want.per_socket), "node count")
    if want.per_socket:
        _require(job.sockets_per_node > 0, "per socket without sockets per node")
    if want.per_job and want.per_node:
        nodes = want.per_job // want.per_node
        _require(want.per_job % want.per_node == 0, "job count is no multiple of node count")
        job = _fix_nodes(job, nodes)
    if want.per_node and want.per_socket:
        _require(want.per_node % want.per_socket == 0, "node count, socket count")
        _require(want.per_node // want.per_socket == job.sockets_per_node, "sockets")
    if want.per_job and want.per_socket and not want.per_node:
        per_node = want.per_socket * job.sockets_per_node
        _require(want.per_job % per_node == 0, "job count is no multiple of socket counts")
        job = _fix_nodes(job, want.per_job // per_node)
    if want.per_task:
        job, new = _per_task(job, want)
    if want.per_job:
        _require(want.per_job >= job.min_nodes, "fewer than nodes")
        high = want.per_job if job.max_nodes is None else min(job.max_nodes, want.per_job)
        job = replace(job, max_nodes=high)
    return replace(job, gres=tuple(new if w is want else w for w in job.gres))


def _fix_nodes(job: Job, nodes: int) -> Job:
    _require(job.min_nodes <= nodes and nodes <= (job.max_nodes or nodes), "node count differs")
    return replace(job, min_nodes=nodes, max_nodes=nodes, wanted_nodes=nodes)


def _per_task(job: Job, want: GresWant) -> tuple[Job, GresWant]:
    if job.ntasks is None and job.min_nodes == job.max_nodes:
        job = replace(job, ntasks=job.tasks)
    if want.per_job:
        tasks = want.per_job // want.per_task
        _require(want.per_job % want.per_task == 0, "job count is no multiple of task count")
        _require(job.ntasks in (None, tasks), "task count differs")
        if job.ntasks is None:
            _require(job.min_nodes <= tasks, "task count differs")
        job = replace(job, ntasks=tasks)
    else:
        fixed = job.ntasks is not None or job.min_nodes == job.max_nodes
        _require(fixed, "per task needs tasks or a job count")
        job = replace(job, ntasks=job.tasks)
        want_job = want.per_task * job.tasks
        want = replace(want, per_job=want_job)
    if want.per_node:
        _require(want.per_node % want.per_task == 0, "node count is no multiple of task count")
        job = replace(job, ntasks_per_node=want.per_node // want.per_task)
    if want.cpus_per:
        cpus = want.cpus_per * want.per_task
        _require(not job.cpus_per_task_given or job.cpus_per_task == cpus, "CPUs per task")
        job = replace(job, cpus_per_task=cpus)
    return job, want


def _merge_untyped(job: Job) -> Job:
    """An untyped record that holds only per-GPU CPUs and memory belongs to the typed ones."""
    typed = [w for w in job.gres if w.type]
    merged: list[GresWant] = []
    for want in sorted(job.gres, key=lambda w: not w.type):
        peers = [t for t in typed if t.name == want.name and not want.type]
        if not peers:
            merged.append(want)
        elif want.counted:
            raise Refused("typed and untyped counts of one name")
        else:
            merged = [
                replace(m, cpus_per=want.cpus_per, mem_per=want.mem_per) if m in peers else m
                for m in merged
            ]
    return replace(job, gres=tuple(merged))


def in_partition(
    job: Job, partition: Partition, parameters: Parameters, smallest_memory: int
) -> Job:
    """The request as the partition's limits and the defaults of memory reshape it."""
    job = replace(job, min_nodes=max(job.min_nodes, partition.min_nodes))
    job = replace(job, wanted_nodes=max(job.wanted_nodes, job.min_nodes))
    if job.memory is None and job.mem_per_cpu is None and job.mem_per_gpu is None:
        default = parameters.default_mem_per_cpu
        job = replace(job, memory=0) if default is None else replace(job, mem_per_cpu=default)
    limit = partition.max_mem_per_cpu
    if limit and job.mem_per_cpu is not None and job.mem_per_cpu > limit:
        factor = -(-job.mem_per_cpu // limit)
        job = replace(
            job,
            cpus_per_task=job.cpus_per_task * factor,
            mem_per_cpu=-(-job.mem_per_cpu // factor),
        )
    elif limit and job.memory is not None:
        cpus = -(-(job.memory or smallest_memory) // limit)
        job = replace(job, min_cpus_per_node=max(job.min_cpus_per_node, cpus))
    per_device_cpus = any(w.cpus_per for w in job.gres)
    one_per_core = parameters.one_task_per_core and not job.overcommit
    if one_per_core and not job.ntasks_per_core and not per_device_cpus:
        job = replace(job, ntasks_per_core=1)
    if parameters.enforce_binding and not job.disable_binding:
        job = replace(job, enforce_binding=True)
    if partition.exclusive:
        job = replace(job, exclusive=True)
    return job
