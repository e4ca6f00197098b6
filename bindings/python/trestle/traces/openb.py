# SPDX-License-Identifier: Apache-2.0
"""The openb trace of "Beware of Fragmentation" (USENIX ATC 2023) as it stands in its files.

A GPU cluster and its pods, from https://github.com/hkust-adsl/kubernetes-scheduler-simulator. What
they mean to a cluster is in trestle.replay.
"""

from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .._short import short_repr
from .rows import PathLike, Problems, read_table

__all__ = ["NODE_COLUMNS", "NodeRow", "POD_COLUMNS", "Pod", "load_nodes", "load_pods"]

NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS = ("cpu_milli", "memory_mib", "num_gpu", "gpu_milli")

_CPUS_MAX, _MEBIBYTES_MAX, _GPUS_MAX = 1_000_000, 2**30, 64
_TIME_MAX = 2**53


@dataclass(frozen=True, repr=False)
class NodeRow:
    """A machine."""

    name: str
    milli_cpus: int  # thousandths, of whole CPUs
    mebibytes: int
    gpus: int
    model: str  # of all its GPUs; empty without

    __repr__ = short_repr


@dataclass(frozen=True, repr=False)
class Pod:
    """What a pod asks, and when it came and went."""

    name: str
    milli_cpus: int
    mebibytes: int
    gpus: int
    thousandths: int  # of each GPU, 1 to 1000; 0 without GPUs
    models: Tuple[str, ...] = ()  # allowed ones; none: any
    created: Optional[int] = None  # seconds, as the other two; None where the file has none
    scheduled: Optional[int] = None
    deleted: Optional[int] = None

    __repr__ = short_repr

    @property
    def all_thousandths(self) -> int:
        """Of all GPUs that it asks."""
        return self.gpus * self.thousandths


def load_nodes(path: PathLike) -> Tuple[NodeRow, ...]:
    """The nodes of a list, by name. Errors: OSError, BadRows."""
    problems = Problems(path)
    nodes: Dict[str, NodeRow] = {}
    for row in read_table(path, NODE_COLUMNS, problems):
        def number(column: str, least: int, most: int) -> int:
            return problems.number(row.line, column, row.get(column), least, most)

        noted = len(problems.rows)
        node = NodeRow(row.get("sn"), number("cpu_milli", 1, _CPUS_MAX),
                       number("memory_mib", 0, _MEBIBYTES_MAX), number("gpu", 0, _GPUS_MAX),
                       row.get("model"))
        if not node.name:
            problems.add(row.line, "sn: empty, expected a name")
        elif node.name in nodes:
            problems.add(row.line, f"sn: {node.name} stands twice")
        elif len(problems.rows) == noted and node.milli_cpus % 1000:
            problems.add(row.line, f"cpu_milli: {node.milli_cpus}, expected whole CPUs")
        nodes[node.name] = node
    if not nodes and not problems.rows:
        problems.add(0, "no nodes")
    problems.raise_any()
    return tuple(nodes[name] for name in sorted(nodes))


def load_pods(path: PathLike) -> Tuple[Pod, ...]:
    """The pods of a list, in its order. Errors: OSError, BadRows."""
    problems = Problems(path)
    pods: List[Pod] = []
    for row in read_table(path, POD_COLUMNS, problems):
        def number(column: str, least: int, most: int) -> int:
            return problems.number(row.line, column, row.get(column), least, most)

        def time(column: str) -> Optional[int]:
            return number(column, 0, _TIME_MAX) if row.get(column) else None

        milli_cpus = number("cpu_milli", 1, _CPUS_MAX)
        mebibytes = number("memory_mib", 0, _MEBIBYTES_MAX)
        gpus = number("num_gpu", 0, _GPUS_MAX)
        thousandths = min(1000, number("gpu_milli", 1, 1_000_000)) if gpus else 0
        models = tuple(row.get("gpu_spec").split("|")) if row.get("gpu_spec") else ()
        if "" in models:
            problems.add(
                row.line, f'gpu_spec: "{"|".join(models)}", expected models with | between')
        pods.append(Pod(row.get("name"), milli_cpus, mebibytes, gpus, thousandths, models,
                        time("creation_time"), time("scheduled_time"), time("deletion_time")))
    if not pods and not problems.rows:
        problems.add(0, "no pods")
    problems.raise_any()
    return tuple(pods)
