"""Slurm: options, node and GRES configuration."""

from collections.abc import Callable, Iterable
import enum
from typing import Any, overload

from typing_extensions import Self

import trestle


class HostlistLimits:
    """
    How much a text may ask for, so that `n[0-4294967294]x[0-9]` cannot eat the machine.
    """

    def __init__(self, max_names: int = 4294967296, max_runs: int = 1000000) -> None: ...

    @property
    def max_names(self) -> int:
        """2^62 at most (int)"""

    @property
    def max_runs(self) -> int:
        """
        Runs that the list may have, and names that a bracket stands for where another bracket of
        several numbers follows, or where the number would have more than 18 digits. Ranges with a
        step or with another number behind them, of more than 64 names, count as a thousand runs and
        one for each sixteen names, because sets of them may come apart. (int)
        """

    def replace(self, *, max_names: int = ..., max_runs: int = ...) -> HostlistLimits:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> HostlistLimits: ...

    def __deepcopy__(self, memo: object) -> HostlistLimits: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Hostlist:
    """
    Names as Slurm lists them, `n[01-04],login`, kept as ranges.

    A sequence in the order of the text; &, | and - give sets, sorted, each name once.
    """

    def __init__(self, text: str = '', limits: HostlistLimits = ...) -> None: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Self: ...

    def __deepcopy__(self, memo: object) -> Self: ...

    def __len__(self) -> int: ...

    def __contains__(self, arg: str, /) -> bool: ...

    def __getitem__(self, position: int) -> str: ...

    def find(self, name: str) -> int | None:
        """
        The first position of a name, or nothing. Complexity: linear in the runs.
        """

    def names(self) -> tuple[str, ...]:
        """All of them. Complexity: linear in the names."""

    def sorted(self) -> Hostlist:
        """
        Each name once: by what stands before its last number, by what stands behind it, by the
        number of digits, by the number. More than 64 names that go by steps, or by a number before
        the last one, stay together where the first of them stands, if need be in parts.
        Complexity: n log n in the runs; times the number of such ranges, if there are any.
        """

    def __and__(self, arg: Hostlist, /) -> Hostlist: ...

    def __or__(self, arg: Hostlist, /) -> Hostlist: ...

    def __sub__(self, arg: Hostlist, /) -> Hostlist: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

class TresIds:
    """
    The number of each TRES in a database: cpu 1, mem 2, energy 3, node 4, billing 5, fs/disk 6,
    vmem 7, pages 8, and from 1001 on what the database has given.
    """

    def __init__(self, given: Iterable[tuple[int, trestle.Tres]] = ()) -> None: ...

    @property
    def given(self) -> tuple[tuple[int, trestle.Tres], ...]:
        """each: (int; Tres)"""

    def replace(self, *, given: Iterable[tuple[int, trestle.Tres]] = ...) -> TresIds:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TresIds: ...

    def __deepcopy__(self, memo: object) -> TresIds: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TresExcess:
    """A limit that would be exceeded."""

    def __init__(self, tres: trestle.Tres = trestle.Tres(), limit: int = 0, used: int = 0, asked: int = 0) -> None: ...

    @property
    def tres(self) -> trestle.Tres:
        """Tres"""

    @property
    def limit(self) -> int:
        """int, a count"""

    @property
    def used(self) -> int:
        """int, a count"""

    @property
    def asked(self) -> int:
        """int, a count"""

    def replace(self, *, tres: trestle.Tres = ..., limit: int = ..., used: int = ..., asked: int = ...) -> TresExcess:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TresExcess: ...

    def __deepcopy__(self, memo: object) -> TresExcess: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BillingRule(enum.Enum):
    """How weighted counts become one number (PriorityFlags)."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    sum = 0
    """all added"""

    max_tres = 1
    """the largest of cpu, mem, node and each gres, and the sum of the others"""

    max_tres_gres = 2
    """the largest of cpu, mem and node, and the sum of the others"""

class BillingWeights:
    """`TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2.0`."""

    def __init__(self, weights: Iterable[tuple[trestle.Tres, float]] = ()) -> None: ...

    @property
    def weights(self) -> tuple[tuple[trestle.Tres, float], ...]:
        """
        Of one CPU, device or the like; of one MiB where memory is counted. (each: (Tres; float))
        """

    def replace(self, *, weights: Iterable[tuple[trestle.Tres, float]] = ...) -> BillingWeights:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BillingWeights: ...

    def __deepcopy__(self, memo: object) -> BillingWeights: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def parse_tres(text: str, ids: TresIds = ...) -> trestle.TresCounts:
    """
    Counts by name (`cpu=4`) or by number (`1=4`), memory also with a fraction, as it is printed.
    Nothing but blanks is nothing.
    Errors: InvalidArgument with offset and token for an empty item, an unknown type or number, a
    name too many or missing (`cpu/x`, `gres`), no count, one that is none, a TRES that stands
    twice, more than 1000 TRES.
    """

def amend_tres(counts: trestle.TresCounts, text: str, ids: TresIds = ...) -> trestle.TresCounts:
    """
    The counts changed by a list of `name=n`, `name+=n`, `name-=n` and `name=-1`, which takes the
    entry away, from the left. What is not there counts as 0; sums stay between 0 and the largest
    count. Errors: as parse_tres, but a name may stand more than once; counts that were more
    than 1000 TRES before may become no more.
    """

def tres_text(counts: trestle.TresCounts) -> str:
    """
    `cpu=4,mem=32G,gres/gpu:a100=2` in Slurm's order: memory in the largest unit of which it is a
    multiple of a half (`1.50G`), MiB rounded up. parse_tres reads it back, but for that rounding.
    """

def tres_id_text(counts: trestle.TresCounts, ids: TresIds) -> str:
    """
    `1=4,2=32768,1001=2`, memory in MiB. Errors: NotFound for a TRES without a number.
    """

def sum_of(all: Iterable[trestle.TresCounts]) -> trestle.TresCounts:
    """
    What all of them count together: nodes of a job, steps, jobs. Energy stands in it only where all
    of them know theirs: a sum with an unknown part is unknown. Sums stop at the largest count.
    """

def difference_of(counts: trestle.TresCounts, less: trestle.TresCounts) -> trestle.TresCounts:
    """
    `from` without `less`, TRES by TRES, at least 0. Energy that `less` does not know is unknown
    afterwards; what only `less` has is not in the result.
    """

def max_of(a: trestle.TresCounts, b: trestle.TresCounts) -> trestle.TresCounts:
    """
    The larger count of each TRES of the two. Energy that one of them does not know is unknown.
    """

def energy_of(counts: trestle.TresCounts) -> int | None:
    """Joules, or nothing where they are unknown."""

def exceeds(limit: trestle.TresCounts, used: trestle.TresCounts, asked: trestle.TresCounts) -> TresExcess | None:
    """
    The first TRES, in Slurm's order, of which more would be used than its limit; nothing when there
    is none. A TRES without an entry in `limit` has no limit. Energy in `asked` is not looked at: it
    is what was used that may be above its limit; unknown energy is not.
    """

def parse_billing_weights(text: str) -> BillingWeights: ...

def billing_of(weights: BillingWeights, counts: trestle.TresCounts, rule: BillingRule = BillingRule.sum) -> int:
    """
    What the counts are billed, cut to a whole number: nothing is 0, without weights the CPUs. A
    maximum is at least 0, and so is what is billed; `billing` itself is not billed, unknown energy
    neither.
    """

class GresPart:
    """
    How much is in use of one device that is cut into parts: `3/8`, or `-/8` where somebody has the
    whole device.
    """

    def __init__(self, used: int | None = None, all: int = 0) -> None: ...

    @property
    def used(self) -> int | None:
        """absent: the whole device is in use (int, a count, or None)"""

    @property
    def all(self) -> int:
        """int, a count"""

    def replace(self, *, used: int | None = ..., all: int = ...) -> GresPart:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GresPart: ...

    def __deepcopy__(self, memo: object) -> GresPart: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GresDetail:
    """
    A GRES with the tails of a printed one. What the text does not have is empty.
    """

    def __init__(self, gres: trestle.Gres = trestle.Gres(), indexes: trestle.SmallSet = trestle.SmallSet(), sockets: trestle.SmallSet = trestle.SmallSet(), parts: Iterable[GresPart] = ()) -> None: ...

    @property
    def gres(self) -> trestle.Gres:
        """Gres"""

    @property
    def indexes(self) -> trestle.SmallSet:
        """
        `(IDX:0-1)`: which devices of the name, as many as the count; of parts (shard, mps) the GPUs
        that they are of, not more than the count. (SmallSet)
        """

    @property
    def sockets(self) -> trestle.SmallSet:
        """`(S:0-1)`: the sockets near them (SmallSet)"""

    @property
    def parts(self) -> tuple[GresPart, ...]:
        """
        `(3/8,-/8)`: of parts of devices, what each device gives; as much together as the count. (each: GresPart)
        """

    def replace(self, *, gres: trestle.Gres = ..., indexes: trestle.SmallSet = ..., sockets: trestle.SmallSet = ..., parts: Iterable[GresPart] = ...) -> GresDetail:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GresDetail: ...

    def __deepcopy__(self, memo: object) -> GresDetail: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ConfPlace:
    """A line of a file."""

    def __init__(self, file: str = '', line: int = 0) -> None: ...

    @property
    def file(self) -> str:
        """`slurm.conf`, or as the `Include` that named it writes it (str)"""

    @property
    def line(self) -> int:
        """counts from 1 (int)"""

    def replace(self, *, file: str = ..., line: int = ...) -> ConfPlace:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ConfPlace: ...

    def __deepcopy__(self, memo: object) -> ConfPlace: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ConfError:
    """One mistake in a file."""

    def __init__(self, place: ConfPlace = ConfPlace(), error: trestle.TextError = trestle.TextError()) -> None: ...

    @property
    def place(self) -> ConfPlace:
        """ConfPlace"""

    @property
    def error(self) -> trestle.TextError:
        """its offset counts from the start of that line (TextError)"""

    def replace(self, *, place: ConfPlace = ..., error: trestle.TextError = ...) -> ConfError:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ConfError: ...

    def __deepcopy__(self, memo: object) -> ConfError: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ConfWarning:
    """What was read, but not all of it used."""

    def __init__(self, place: ConfPlace = ConfPlace(), message: str = '') -> None: ...

    @property
    def place(self) -> ConfPlace:
        """ConfPlace"""

    @property
    def message(self) -> str:
        """str"""

    def replace(self, *, place: ConfPlace = ..., message: str = ...) -> ConfWarning:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ConfWarning: ...

    def __deepcopy__(self, memo: object) -> ConfWarning: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CarriedKey:
    """A key that means nothing here, as it was written."""

    def __init__(self, place: ConfPlace = ConfPlace(), key: str = '', value: str = '') -> None: ...

    @property
    def place(self) -> ConfPlace:
        """ConfPlace"""

    @property
    def key(self) -> str:
        """str"""

    @property
    def value(self) -> str:
        """without quotes (str)"""

    def replace(self, *, place: ConfPlace = ..., key: str = ..., value: str = ...) -> CarriedKey:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CarriedKey: ...

    def __deepcopy__(self, memo: object) -> CarriedKey: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NodeGres:
    """
    One item of a node's Gres=: `gpu:a100:4`, `bandwidth:lustre:no_consume:4G`.
    """

    def __init__(self, gres: trestle.Gres = trestle.Gres(), is_consumed: bool = True) -> None: ...

    @property
    def gres(self) -> trestle.Gres:
        """Gres"""

    @property
    def is_consumed(self) -> bool:
        """false: no_consume (bool)"""

    def replace(self, *, gres: trestle.Gres = ..., is_consumed: bool = ...) -> NodeGres:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeGres: ...

    def __deepcopy__(self, memo: object) -> NodeGres: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TopologyUnit:
    """Where a node is in a topology (Topology=): `tree1:root:mid:leaf`."""

    def __init__(self, topology: str = '', unit: str = '') -> None: ...

    @property
    def topology(self) -> str:
        """str"""

    @property
    def unit(self) -> str:
        """a block, a ring, switches from the root on joined by colons (str)"""

    def replace(self, *, topology: str = ..., unit: str = ...) -> TopologyUnit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TopologyUnit: ...

    def __deepcopy__(self, memo: object) -> TopologyUnit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NodeLine:
    """What one NodeName line says of all the nodes that it names."""

    def __init__(self, place: ConfPlace = ConfPlace(), names: Hostlist = Hostlist(''), boards: int = 1, sockets: int = 1, cores_per_socket: int = 1, threads_per_core: int = 1, memory: int = 1048576, memory_reserved: int = 0, system_core_count: int = 0, system_cpus: trestle.PuSet = trestle.PuSet(), restricted_cores_per_gpu: int = 0, tmp_disk: int = 0, weight: int = 1, features: Iterable[str] = (), gres: Iterable[NodeGres] = (), state: trestle.NodeState = trestle.NodeState.up, state_text: str = '', reason: str = '', topology: Iterable[TopologyUnit] = (), weights: BillingWeights = BillingWeights(), parameters: Iterable[str] = (), carried: Iterable[CarriedKey] = ()) -> None: ...

    @property
    def place(self) -> ConfPlace:
        """ConfPlace"""

    @property
    def names(self) -> Hostlist:
        """Hostlist"""

    @property
    def boards(self) -> int:
        """int"""

    @property
    def sockets(self) -> int:
        """of all boards together (int)"""

    @property
    def cores_per_socket(self) -> int:
        """int"""

    @property
    def threads_per_core(self) -> int:
        """int"""

    @property
    def memory(self) -> int:
        """int, bytes"""

    @property
    def memory_reserved(self) -> int:
        """of it, for the system (MemSpecLimit) (int, bytes)"""

    @property
    def system_core_count(self) -> int:
        """
        Cores kept for the system, by number (CoreSpecCount) or by the hardware threads that they
        have (CpuSpecList), which count as in build_nodes. Not both. (int)
        """

    @property
    def system_cpus(self) -> trestle.PuSet:
        """PuSet"""

    @property
    def restricted_cores_per_gpu(self) -> int:
        """RestrictedCoresPerGPU (int)"""

    @property
    def tmp_disk(self) -> int:
        """int, bytes"""

    @property
    def weight(self) -> int:
        """int"""

    @property
    def features(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def gres(self) -> tuple[NodeGres, ...]:
        """each: NodeGres"""

    @property
    def state(self) -> trestle.NodeState:
        """DRAIN is drained; DOWN, ERROR, FAIL and FUTURE are down (NodeState)"""

    @property
    def state_text(self) -> str:
        """State as written, with its flags; empty: none (str)"""

    @property
    def reason(self) -> str:
        """str"""

    @property
    def topology(self) -> tuple[TopologyUnit, ...]:
        """each: TopologyUnit"""

    @property
    def weights(self) -> BillingWeights:
        """TRESWeights (BillingWeights)"""

    @property
    def parameters(self) -> tuple[str, ...]:
        """
        What a socket is, where it is not one (Parameters): `l3cache_as_socket`,
        `numa_node_as_socket`. Sockets counts these then. (each: str)
        """

    @property
    def carried(self) -> tuple[CarriedKey, ...]:
        """NodeAddr, NodeHostname, Port, ... (each: CarriedKey)"""

    def replace(self, *, place: ConfPlace = ..., names: Hostlist = ..., boards: int = ..., sockets: int = ..., cores_per_socket: int = ..., threads_per_core: int = ..., memory: int = ..., memory_reserved: int = ..., system_core_count: int = ..., system_cpus: trestle.PuSet = ..., restricted_cores_per_gpu: int = ..., tmp_disk: int = ..., weight: int = ..., features: Iterable[str] = ..., gres: Iterable[NodeGres] = ..., state: trestle.NodeState = ..., state_text: str = ..., reason: str = ..., topology: Iterable[TopologyUnit] = ..., weights: BillingWeights = ..., parameters: Iterable[str] = ..., carried: Iterable[CarriedKey] = ...) -> NodeLine:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeLine: ...

    def __deepcopy__(self, memo: object) -> NodeLine: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DownLine:
    """
    What DownNodes= says: the state that nodes have from the start, and why.
    """

    def __init__(self, place: ConfPlace = ConfPlace(), names: Hostlist = Hostlist(''), state: trestle.NodeState = trestle.NodeState.down, reason: str = '') -> None: ...

    @property
    def place(self) -> ConfPlace:
        """ConfPlace"""

    @property
    def names(self) -> Hostlist:
        """Hostlist"""

    @property
    def state(self) -> trestle.NodeState:
        """NodeState"""

    @property
    def reason(self) -> str:
        """str"""

    def replace(self, *, place: ConfPlace = ..., names: Hostlist = ..., state: trestle.NodeState = ..., reason: str = ...) -> DownLine:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DownLine: ...

    def __deepcopy__(self, memo: object) -> DownLine: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NodeSetLine:
    """A name for nodes (NodeSet=): those listed and those with a feature."""

    def __init__(self, place: ConfPlace = ConfPlace(), name: str = '', nodes: Hostlist = Hostlist(''), feature: str = '') -> None: ...

    @property
    def place(self) -> ConfPlace:
        """ConfPlace"""

    @property
    def name(self) -> str:
        """str"""

    @property
    def nodes(self) -> Hostlist:
        """Hostlist"""

    @property
    def feature(self) -> str:
        """empty: none (str)"""

    def replace(self, *, place: ConfPlace = ..., name: str = ..., nodes: Hostlist = ..., feature: str = ...) -> NodeSetLine:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeSetLine: ...

    def __deepcopy__(self, memo: object) -> NodeSetLine: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobDefaults:
    """
    What jobs have that do not say, and the most that they may have; of the cluster or of a
    partition. Absent: not said. Amounts of 0 are no limit, as in slurm.conf.
    """

    def __init__(self, memory_per_cpu: int | None = None, memory_per_node: int | None = None, memory_per_gpu: int | None = None, cpus_per_gpu: int | None = None, max_memory_per_cpu: int | None = None, max_memory_per_node: int | None = None) -> None: ...

    @property
    def memory_per_cpu(self) -> int | None:
        """DefMemPerCPU (int, bytes, or None)"""

    @property
    def memory_per_node(self) -> int | None:
        """DefMemPerNode (int, bytes, or None)"""

    @property
    def memory_per_gpu(self) -> int | None:
        """DefMemPerGPU (int, bytes, or None)"""

    @property
    def cpus_per_gpu(self) -> int | None:
        """DefCpuPerGPU (int, a count, or None)"""

    @property
    def max_memory_per_cpu(self) -> int | None:
        """int, bytes, or None"""

    @property
    def max_memory_per_node(self) -> int | None:
        """int, bytes, or None"""

    def replace(self, *, memory_per_cpu: int | None = ..., memory_per_node: int | None = ..., memory_per_gpu: int | None = ..., cpus_per_gpu: int | None = ..., max_memory_per_cpu: int | None = ..., max_memory_per_node: int | None = ...) -> JobDefaults:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobDefaults: ...

    def __deepcopy__(self, memo: object) -> JobDefaults: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class PreemptMode(enum.Enum):
    """
    What happens to a job that has to make room (PreemptMode). within and priority say who may
    preempt whom, beside one of the others.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    off = 0

    cancel = 1

    gang = 2

    requeue = 3

    suspend = 4

    within = 5

    priority = 6

class PartitionLine:
    """One PartitionName line."""

    def __init__(self, place: ConfPlace = ConfPlace(), name: str = '', nodes: Hostlist = Hostlist(''), has_all_nodes: bool = False, is_default: bool = False, state: trestle.PartitionState = trestle.PartitionState.up, min_nodes: int = 0, max_nodes: int | None = None, max_time: int | None = None, default_time: int | None = None, max_cpus_per_node: int | None = None, max_cpus_per_socket: int | None = None, defaults: JobDefaults = JobDefaults(), oversubscribe: trestle.OverSubscribe = trestle.OverSubscribe.no, jobs_per_resource: int = 4, is_user_exclusive: bool = False, is_topology_exclusive: bool = False, takes_least_loaded: bool = False, priority_tier: int = 1, priority_job_factor: int = 1, preempt_modes: Iterable[PreemptMode] = (), grace_time: int = 0, over_time_limit: int | None = None, billing: BillingWeights = BillingWeights(), topology: str = '', qos: str = '', carried: Iterable[CarriedKey] = ()) -> None: ...

    @property
    def place(self) -> ConfPlace:
        """ConfPlace"""

    @property
    def name(self) -> str:
        """str"""

    @property
    def nodes(self) -> Hostlist:
        """names of nodes and of node sets (Hostlist)"""

    @property
    def has_all_nodes(self) -> bool:
        """Nodes=ALL (bool)"""

    @property
    def is_default(self) -> bool:
        """bool"""

    @property
    def state(self) -> trestle.PartitionState:
        """PartitionState"""

    @property
    def min_nodes(self) -> int:
        """int"""

    @property
    def max_nodes(self) -> int | None:
        """int, or None"""

    @property
    def max_time(self) -> int | None:
        """absent: no limit (int, seconds, or None)"""

    @property
    def default_time(self) -> int | None:
        """absent: max_time (int, seconds, or None)"""

    @property
    def max_cpus_per_node(self) -> int | None:
        """int, a count, or None"""

    @property
    def max_cpus_per_socket(self) -> int | None:
        """int, a count, or None"""

    @property
    def defaults(self) -> JobDefaults:
        """JobDefaults"""

    @property
    def oversubscribe(self) -> trestle.OverSubscribe:
        """OverSubscribe, of old Shared (OverSubscribe)"""

    @property
    def jobs_per_resource(self) -> int:
        """the n of YES:n and FORCE:n (int)"""

    @property
    def is_user_exclusive(self) -> bool:
        """ExclusiveUser (bool)"""

    @property
    def is_topology_exclusive(self) -> bool:
        """ExclusiveTopo (bool)"""

    @property
    def takes_least_loaded(self) -> bool:
        """LLN (bool)"""

    @property
    def priority_tier(self) -> int:
        """int"""

    @property
    def priority_job_factor(self) -> int:
        """int"""

    @property
    def preempt_modes(self) -> tuple[PreemptMode, ...]:
        """empty: the cluster's (each: PreemptMode)"""

    @property
    def grace_time(self) -> int:
        """int, seconds"""

    @property
    def over_time_limit(self) -> int | None:
        """absent: the cluster's (int, seconds, or None)"""

    @property
    def billing(self) -> BillingWeights:
        """TRESBillingWeights (BillingWeights)"""

    @property
    def topology(self) -> str:
        """absent: the default one (str)"""

    @property
    def qos(self) -> str:
        """str"""

    @property
    def carried(self) -> tuple[CarriedKey, ...]:
        """AllowGroups, AllocNodes, Hidden, ... (each: CarriedKey)"""

    def replace(self, *, place: ConfPlace = ..., name: str = ..., nodes: Hostlist = ..., has_all_nodes: bool = ..., is_default: bool = ..., state: trestle.PartitionState = ..., min_nodes: int = ..., max_nodes: int | None = ..., max_time: int | None = ..., default_time: int | None = ..., max_cpus_per_node: int | None = ..., max_cpus_per_socket: int | None = ..., defaults: JobDefaults = ..., oversubscribe: trestle.OverSubscribe = ..., jobs_per_resource: int = ..., is_user_exclusive: bool = ..., is_topology_exclusive: bool = ..., takes_least_loaded: bool = ..., priority_tier: int = ..., priority_job_factor: int = ..., preempt_modes: Iterable[PreemptMode] = ..., grace_time: int = ..., over_time_limit: int | None = ..., billing: BillingWeights = ..., topology: str = ..., qos: str = ..., carried: Iterable[CarriedKey] = ...) -> PartitionLine:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> PartitionLine: ...

    def __deepcopy__(self, memo: object) -> PartitionLine: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SelectUnit(enum.Enum):
    """
    What jobs have alone: hardware threads, cores, whole sockets, or memory only, where nobody keeps
    count of processors.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    cpu = 0

    core = 1

    socket = 2

    memory_only = 3

class SelectParameters:
    """SelectType and SelectTypeParameters."""

    def __init__(self, type: str = 'select/cons_tres', unit: SelectUnit = SelectUnit.core, counts_memory: bool = True, has_one_task_per_core: bool = False, fills_socket_by_socket: bool = False, ignores_topology_order: bool = False, takes_least_loaded: bool = False, packs_nodes: bool = False, takes_least_loaded_device: bool = False, shares_several_devices: bool = False, enforces_binding: bool = False, has_one_task_per_sharing_device: bool = False) -> None: ...

    @property
    def type(self) -> str:
        """str"""

    @property
    def unit(self) -> SelectUnit:
        """SelectUnit"""

    @property
    def counts_memory(self) -> bool:
        """CR_..._Memory (bool)"""

    @property
    def has_one_task_per_core(self) -> bool:
        """CR_ONE_TASK_PER_CORE (bool)"""

    @property
    def fills_socket_by_socket(self) -> bool:
        """CR_CORE_DEFAULT_DIST_BLOCK (bool)"""

    @property
    def ignores_topology_order(self) -> bool:
        """CR_NO_DIST_TOPO_BLOCK (bool)"""

    @property
    def takes_least_loaded(self) -> bool:
        """CR_LLN (bool)"""

    @property
    def packs_nodes(self) -> bool:
        """CR_PACK_NODES (bool)"""

    @property
    def takes_least_loaded_device(self) -> bool:
        """LL_SHARED_GRES (bool)"""

    @property
    def shares_several_devices(self) -> bool:
        """MULTIPLE_SHARING_GRES_PJ (bool)"""

    @property
    def enforces_binding(self) -> bool:
        """ENFORCE_BINDING_GRES (bool)"""

    @property
    def has_one_task_per_sharing_device(self) -> bool:
        """ONE_TASK_PER_SHARING_GRES (bool)"""

    def replace(self, *, type: str = ..., unit: SelectUnit = ..., counts_memory: bool = ..., has_one_task_per_core: bool = ..., fills_socket_by_socket: bool = ..., ignores_topology_order: bool = ..., takes_least_loaded: bool = ..., packs_nodes: bool = ..., takes_least_loaded_device: bool = ..., shares_several_devices: bool = ..., enforces_binding: bool = ..., has_one_task_per_sharing_device: bool = ...) -> SelectParameters:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SelectParameters: ...

    def __deepcopy__(self, memo: object) -> SelectParameters: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SchedulerParameters:
    """SchedulerParameters: the text, and what of it bears on where jobs go."""

    def __init__(self, text: str = '', max_switch_wait: int = 300, packs_serial_at_end: bool = False, takes_first_system_cores: bool = False) -> None: ...

    @property
    def text(self) -> str:
        """str"""

    @property
    def max_switch_wait(self) -> int:
        """the longest that --switches may wait (int, seconds)"""

    @property
    def packs_serial_at_end(self) -> bool:
        """pack_serial_at_end: one-CPU jobs from the last node (bool)"""

    @property
    def takes_first_system_cores(self) -> bool:
        """spec_cores_first (bool)"""

    def replace(self, *, text: str = ..., max_switch_wait: int = ..., packs_serial_at_end: bool = ..., takes_first_system_cores: bool = ...) -> SchedulerParameters:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SchedulerParameters: ...

    def __deepcopy__(self, memo: object) -> SchedulerParameters: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TopologyParameters:
    """TopologyPlugin and TopologyParam."""

    def __init__(self, plugin: str = 'topology/flat', is_dragonfly: bool = False, is_optional: bool = False, unrolled_sizes_max: int = 0, text: str = '') -> None: ...

    @property
    def plugin(self) -> str:
        """topology/default and topology/none are flat (str)"""

    @property
    def is_dragonfly(self) -> bool:
        """bool"""

    @property
    def is_optional(self) -> bool:
        """TopoOptional: only for jobs with --switches (bool)"""

    @property
    def unrolled_sizes_max(self) -> int:
        """int"""

    @property
    def text(self) -> str:
        """TopologyParam as written (str)"""

    def replace(self, *, plugin: str = ..., is_dragonfly: bool = ..., is_optional: bool = ..., unrolled_sizes_max: int = ..., text: str = ...) -> TopologyParameters:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TopologyParameters: ...

    def __deepcopy__(self, memo: object) -> TopologyParameters: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class EnforcePartLimits(enum.Enum):
    """
    When a job that its partition would never take is refused (EnforcePartLimits): never, so that it
    waits; when no partition that it names takes it; when one of them does not.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    no = 0

    any = 1

    all = 2

class License:
    """A licence of the cluster: `matlab:4`, `abaqus@flex1:2`."""

    def __init__(self, name: str = '', count: int = 1) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def count(self) -> int:
        """int, a count"""

    def replace(self, *, name: str = ..., count: int = ...) -> License:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> License: ...

    def __deepcopy__(self, memo: object) -> License: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ClusterParameters:
    """Keys of the cluster, those of nodes and partitions left out."""

    def __init__(self, select: SelectParameters = SelectParameters(), scheduler: SchedulerParameters = SchedulerParameters(), topology: TopologyParameters = TopologyParameters(), gres_types: Iterable[str] = (), defaults: JobDefaults = JobDefaults(), enforce_part_limits: EnforcePartLimits = EnforcePartLimits.no, billing_rule: BillingRule = BillingRule.sum, priority_flags: Iterable[str] = (), tracked: Iterable[trestle.Tres] = (), kill_wait: int = 30, over_time_limit: int = 0, licenses: Iterable[License] = (), task_plugins: Iterable[str] = (), preempt_type: str = 'preempt/none', preempt_modes: Iterable[PreemptMode] = (PreemptMode.off,), allows_system_cores: bool = False) -> None: ...

    @property
    def select(self) -> SelectParameters:
        """SelectParameters"""

    @property
    def scheduler(self) -> SchedulerParameters:
        """SchedulerParameters"""

    @property
    def topology(self) -> TopologyParameters:
        """TopologyParameters"""

    @property
    def gres_types(self) -> tuple[str, ...]:
        """GresTypes (each: str)"""

    @property
    def defaults(self) -> JobDefaults:
        """JobDefaults"""

    @property
    def enforce_part_limits(self) -> EnforcePartLimits:
        """EnforcePartLimits"""

    @property
    def billing_rule(self) -> BillingRule:
        """PriorityFlags (BillingRule)"""

    @property
    def priority_flags(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def tracked(self) -> tuple[trestle.Tres, ...]:
        """
        AccountingStorageTRES: what is counted beside cpu, mem, energy, node, billing, fs/disk, vmem
        and pages. (each: Tres)
        """

    @property
    def kill_wait(self) -> int:
        """between SIGTERM and SIGKILL (int, seconds)"""

    @property
    def over_time_limit(self) -> int:
        """
        after which a job is over its time; Seconds::max(): never (int, seconds)
        """

    @property
    def licenses(self) -> tuple[License, ...]:
        """each: License"""

    @property
    def task_plugins(self) -> tuple[str, ...]:
        """TaskPlugin (each: str)"""

    @property
    def preempt_type(self) -> str:
        """str"""

    @property
    def preempt_modes(self) -> tuple[PreemptMode, ...]:
        """each: PreemptMode"""

    @property
    def allows_system_cores(self) -> bool:
        """AllowSpecResourcesUsage: --core-spec says how many (bool)"""

    def replace(self, *, select: SelectParameters = ..., scheduler: SchedulerParameters = ..., topology: TopologyParameters = ..., gres_types: Iterable[str] = ..., defaults: JobDefaults = ..., enforce_part_limits: EnforcePartLimits = ..., billing_rule: BillingRule = ..., priority_flags: Iterable[str] = ..., tracked: Iterable[trestle.Tres] = ..., kill_wait: int = ..., over_time_limit: int = ..., licenses: Iterable[License] = ..., task_plugins: Iterable[str] = ..., preempt_type: str = ..., preempt_modes: Iterable[PreemptMode] = ..., allows_system_cores: bool = ...) -> ClusterParameters:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ClusterParameters: ...

    def __deepcopy__(self, memo: object) -> ClusterParameters: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SlurmConf:
    """All that the file and those that it includes say."""

    def __init__(self, parameters: ClusterParameters = ClusterParameters(), nodes: Iterable[NodeLine] = (), node_sets: Iterable[NodeSetLine] = (), down_nodes: Iterable[DownLine] = (), partitions: Iterable[PartitionLine] = (), carried: Iterable[CarriedKey] = ()) -> None: ...

    @property
    def parameters(self) -> ClusterParameters:
        """ClusterParameters"""

    @property
    def nodes(self) -> tuple[NodeLine, ...]:
        """each: NodeLine"""

    @property
    def node_sets(self) -> tuple[NodeSetLine, ...]:
        """each: NodeSetLine"""

    @property
    def down_nodes(self) -> tuple[DownLine, ...]:
        """each: DownLine"""

    @property
    def partitions(self) -> tuple[PartitionLine, ...]:
        """each: PartitionLine"""

    @property
    def carried(self) -> tuple[CarriedKey, ...]:
        """in the order of the file, all of them (each: CarriedKey)"""

    def replace(self, *, parameters: ClusterParameters = ..., nodes: Iterable[NodeLine] = ..., node_sets: Iterable[NodeSetLine] = ..., down_nodes: Iterable[DownLine] = ..., partitions: Iterable[PartitionLine] = ..., carried: Iterable[CarriedKey] = ...) -> SlurmConf:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SlurmConf: ...

    def __deepcopy__(self, memo: object) -> SlurmConf: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SlurmConfReading:
    """What could be read, and every error, in the order of the lines."""

    def __init__(self, conf: SlurmConf = SlurmConf(), errors: Iterable[ConfError] = ()) -> None: ...

    @property
    def conf(self) -> SlurmConf:
        """SlurmConf"""

    @property
    def errors(self) -> tuple[ConfError, ...]:
        """each: ConfError"""

    def replace(self, *, conf: SlurmConf = ..., errors: Iterable[ConfError] = ...) -> SlurmConfReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SlurmConfReading: ...

    def __deepcopy__(self, memo: object) -> SlurmConfReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GresFlag(enum.Enum):
    """
    What a device is, beside its numbers. The env flags say which vendor's variables a job gets;
    one_sharing and all_sharing how many of a node's GPUs may be shared at once; explicit that
    --exclusive alone does not give it; env_uuid that variables hold UUIDs.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    CountOnly = 0

    nvidia_gpu_env = 1

    amd_gpu_env = 2

    intel_gpu_env = 3

    opencl_env = 4

    no_gpu_env = 5

    one_sharing = 6

    all_sharing = 7

    explicit = 8

    env_uuid = 9

class AutoDetect(enum.Enum):
    """
    Who looks for devices: a vendor's library, all of them (full), nobody (off).
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    off = 0

    nvml = 1

    rsmi = 2

    oneapi = 3

    nrt = 4

    nvidia = 5

    full = 6

class GresLine:
    """One line of gres.conf. Without a name it only carries AutoDetect."""

    def __init__(self, place: ConfPlace = ConfPlace(), nodes: Hostlist = Hostlist(''), name: str = '', type: str = '', files: Hostlist = Hostlist(''), is_one_device: bool = False, count: int = 1, cores: trestle.CoreSet | None = None, links: Iterable[int] = (), flags: Iterable[GresFlag] = (), autodetect: AutoDetect | None = None) -> None: ...

    @property
    def place(self) -> ConfPlace:
        """ConfPlace"""

    @property
    def nodes(self) -> Hostlist:
        """empty: every node (Hostlist)"""

    @property
    def name(self) -> str:
        """lower or upper case as written; compared without case (str)"""

    @property
    def type(self) -> str:
        """str"""

    @property
    def files(self) -> Hostlist:
        """one device each, unless is_one_device (Hostlist)"""

    @property
    def is_one_device(self) -> bool:
        """MultipleFiles=: all files are one device (bool)"""

    @property
    def count(self) -> int:
        """as given, or the number of devices that File= names (int, a count)"""

    @property
    def cores(self) -> trestle.CoreSet | None:
        """absent: near to all alike (CoreSet, or None)"""

    @property
    def links(self) -> tuple[int, ...]:
        """-1 at the device's own place (each: int)"""

    @property
    def flags(self) -> tuple[GresFlag, ...]:
        """rising; those of the line, or of an earlier one (each: GresFlag)"""

    @property
    def autodetect(self) -> AutoDetect | None:
        """AutoDetect, or None"""

    def replace(self, *, place: ConfPlace = ..., nodes: Hostlist = ..., name: str = ..., type: str = ..., files: Hostlist = ..., is_one_device: bool = ..., count: int = ..., cores: trestle.CoreSet | None = ..., links: Iterable[int] = ..., flags: Iterable[GresFlag] = ..., autodetect: AutoDetect | None = ...) -> GresLine:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GresLine: ...

    def __deepcopy__(self, memo: object) -> GresLine: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GresConfReading:
    """
    The lines that could be read, and every error, in the order of the file.
    """

    def __init__(self, lines: Iterable[GresLine] = (), errors: Iterable[ConfError] = ()) -> None: ...

    @property
    def lines(self) -> tuple[GresLine, ...]:
        """each: GresLine"""

    @property
    def errors(self) -> tuple[ConfError, ...]:
        """each: ConfError"""

    def replace(self, *, lines: Iterable[GresLine] = ..., errors: Iterable[ConfError] = ...) -> GresConfReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GresConfReading: ...

    def __deepcopy__(self, memo: object) -> GresConfReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SystemCoresFrom(enum.Enum):
    """
    From which end CoreSpecCount takes cores: first with SchedulerParameters=spec_cores_first.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    last = 0

    first = 1

class NodeConf:
    """What the files say of one node."""

    def __init__(self, name: str = '', node: NodeLine = NodeLine(), gres: Iterable[GresLine] = (), system_cores_from: SystemCoresFrom = SystemCoresFrom.last) -> None: ...

    @property
    def name(self) -> str:
        """str"""

    @property
    def node(self) -> NodeLine:
        """NodeLine"""

    @property
    def gres(self) -> tuple[GresLine, ...]:
        """lines of other nodes are passed over (each: GresLine)"""

    @property
    def system_cores_from(self) -> SystemCoresFrom:
        """SystemCoresFrom"""

    def replace(self, *, name: str = ..., node: NodeLine = ..., gres: Iterable[GresLine] = ..., system_cores_from: SystemCoresFrom = ...) -> NodeConf:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeConf: ...

    def __deepcopy__(self, memo: object) -> NodeConf: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class MergedNode:
    """What they come to, and what of the files was not used."""

    def __init__(self, shape: trestle.NodeShape = trestle.NodeShape(), warnings: Iterable[ConfWarning] = ()) -> None: ...

    @property
    def shape(self) -> trestle.NodeShape:
        """NodeShape"""

    @property
    def warnings(self) -> tuple[ConfWarning, ...]:
        """each: ConfWarning"""

    def replace(self, *, shape: trestle.NodeShape = ..., warnings: Iterable[ConfWarning] = ...) -> MergedNode:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MergedNode: ...

    def __deepcopy__(self, memo: object) -> MergedNode: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TorusPlacement:
    """
    A shape that a job may have on a torus, and the places where it may begin.
    """

    def __init__(self, torus: str = '', dims: trestle.TorusShape = trestle.TorusShape(), anchor_seed: trestle.TorusShape = trestle.TorusShape(x=0, y=0, z=0), anchor_spacing: trestle.TorusShape = trestle.TorusShape()) -> None: ...

    @property
    def torus(self) -> str:
        """str"""

    @property
    def dims(self) -> trestle.TorusShape:
        """TorusShape"""

    @property
    def anchor_seed(self) -> trestle.TorusShape:
        """TorusShape"""

    @property
    def anchor_spacing(self) -> trestle.TorusShape:
        """between two places, on each axis (TorusShape)"""

    def replace(self, *, torus: str = ..., dims: trestle.TorusShape = ..., anchor_seed: trestle.TorusShape = ..., anchor_spacing: trestle.TorusShape = ...) -> TorusPlacement:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TorusPlacement: ...

    def __deepcopy__(self, memo: object) -> TorusPlacement: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TopologyConf:
    """What the file says."""

    def __init__(self, network: trestle.Network = trestle.Network(), flat: Iterable[str] = (), default_name: str = '', placements: Iterable[TorusPlacement] = (), warnings: Iterable[ConfWarning] = ()) -> None: ...

    @property
    def network(self) -> trestle.Network:
        """Network"""

    @property
    def flat(self) -> tuple[str, ...]:
        """topologies in which all nodes are alike (each: str)"""

    @property
    def default_name(self) -> str:
        """
        Of partitions that name none: the one with cluster_default, else the first of the file;
        empty: there is none. (str)
        """

    @property
    def placements(self) -> tuple[TorusPlacement, ...]:
        """each: TorusPlacement"""

    @property
    def warnings(self) -> tuple[ConfWarning, ...]:
        """each: ConfWarning"""

    def replace(self, *, network: trestle.Network = ..., flat: Iterable[str] = ..., default_name: str = ..., placements: Iterable[TorusPlacement] = ..., warnings: Iterable[ConfWarning] = ...) -> TopologyConf:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TopologyConf: ...

    def __deepcopy__(self, memo: object) -> TopologyConf: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TopologyReading:
    """What could be read, and every error."""

    def __init__(self, topology: TopologyConf = TopologyConf(), errors: Iterable[ConfError] = ()) -> None: ...

    @property
    def topology(self) -> TopologyConf:
        """TopologyConf"""

    @property
    def errors(self) -> tuple[ConfError, ...]:
        """each: ConfError"""

    def replace(self, *, topology: TopologyConf = ..., errors: Iterable[ConfError] = ...) -> TopologyReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TopologyReading: ...

    def __deepcopy__(self, memo: object) -> TopologyReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BuiltNodes:
    """Nodes, and what of the files was not used."""

    def __init__(self, nodes: Iterable[trestle.Node] = (), warnings: Iterable[ConfWarning] = ()) -> None: ...

    @property
    def nodes(self) -> tuple[trestle.Node, ...]:
        """each: Node"""

    @property
    def warnings(self) -> tuple[ConfWarning, ...]:
        """each: ConfWarning"""

    def replace(self, *, nodes: Iterable[trestle.Node] = ..., warnings: Iterable[ConfWarning] = ...) -> BuiltNodes:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BuiltNodes: ...

    def __deepcopy__(self, memo: object) -> BuiltNodes: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CgroupConf:
    """
    The values of the file; the defaults are Slurm's. Percentages may have a fraction.
    """

    def __init__(self, constrains_cores: bool = False, constrains_devices: bool = False, constrains_memory: bool = False, constrains_swap: bool = False, allowed_memory_percent: float = 100.0, allowed_swap_percent: float = 0.0, max_memory_percent: float = 100.0, max_swap_percent: float = 100.0, min_memory: int = 31457280, swappiness: int | None = None, signals_children: bool = False, carried: Iterable[CarriedKey] = ()) -> None: ...

    @property
    def constrains_cores(self) -> bool:
        """ConstrainCores (bool)"""

    @property
    def constrains_devices(self) -> bool:
        """ConstrainDevices (bool)"""

    @property
    def constrains_memory(self) -> bool:
        """ConstrainRAMSpace (bool)"""

    @property
    def constrains_swap(self) -> bool:
        """ConstrainSwapSpace (bool)"""

    @property
    def allowed_memory_percent(self) -> float:
        """AllowedRAMSpace, of what is allocated (float)"""

    @property
    def allowed_swap_percent(self) -> float:
        """AllowedSwapSpace, of what is allocated (float)"""

    @property
    def max_memory_percent(self) -> float:
        """MaxRAMPercent, of what the node has (float)"""

    @property
    def max_swap_percent(self) -> float:
        """MaxSwapPercent, of what the node has (float)"""

    @property
    def min_memory(self) -> int:
        """int, bytes"""

    @property
    def swappiness(self) -> int | None:
        """MemorySwappiness, 0 to 100 (int, or None)"""

    @property
    def signals_children(self) -> bool:
        """SignalChildrenProcesses (bool)"""

    @property
    def carried(self) -> tuple[CarriedKey, ...]:
        """CgroupPlugin, CgroupMountpoint, ... (each: CarriedKey)"""

    def replace(self, *, constrains_cores: bool = ..., constrains_devices: bool = ..., constrains_memory: bool = ..., constrains_swap: bool = ..., allowed_memory_percent: float = ..., allowed_swap_percent: float = ..., max_memory_percent: float = ..., max_swap_percent: float = ..., min_memory: int = ..., swappiness: int | None = ..., signals_children: bool = ..., carried: Iterable[CarriedKey] = ...) -> CgroupConf:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CgroupConf: ...

    def __deepcopy__(self, memo: object) -> CgroupConf: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CgroupConfReading:
    """What could be read, and every error."""

    def __init__(self, conf: CgroupConf = CgroupConf(), errors: Iterable[ConfError] = ()) -> None: ...

    @property
    def conf(self) -> CgroupConf:
        """CgroupConf"""

    @property
    def errors(self) -> tuple[ConfError, ...]:
        """each: ConfError"""

    def replace(self, *, conf: CgroupConf = ..., errors: Iterable[ConfError] = ...) -> CgroupConfReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CgroupConfReading: ...

    def __deepcopy__(self, memo: object) -> CgroupConfReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OomKills(enum.Enum):
    """
    What dies when a step has no memory left: the process that the kernel chooses, or the step
    (--oom-kill-step).
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    process = 0

    step = 1

class MemoryLimits:
    """What the kernel is told of memory; absent: nothing."""

    def __init__(self, max: int | None = None, high: int | None = None, swap_max: int | None = None) -> None: ...

    @property
    def max(self) -> int | None:
        """memory.max (int, bytes, or None)"""

    @property
    def high(self) -> int | None:
        """memory.high (int, bytes, or None)"""

    @property
    def swap_max(self) -> int | None:
        """memory.swap.max (int, bytes, or None)"""

    def replace(self, *, max: int | None = ..., high: int | None = ..., swap_max: int | None = ...) -> MemoryLimits:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MemoryLimits: ...

    def __deepcopy__(self, memo: object) -> MemoryLimits: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ClusterReading:
    """
    The cluster of the texts as far as it goes, and every error of all files.
    """

    @property
    def built(self) -> BuiltCluster: ...

    @property
    def conf(self) -> SlurmConf: ...

    @property
    def errors(self) -> tuple[ConfError, ...]: ...

class BuiltCluster:
    """A cluster that is idle, and what of the files was not used."""

    @property
    def cluster(self) -> trestle.Cluster: ...

    @property
    def warnings(self) -> tuple[ConfWarning, ...]: ...

def read_slurm_conf(text: str, files: dict[str, str] = {}) -> SlurmConfReading:
    """
    Reads every line, whatever the others hold. Errors, beside malformed values: an unknown key, a
    key given twice on a line of nodes or of a partition; sockets x cores x threads that are not
    CPUs, more than 65536 CPUs; nothing left beside what is kept for the system; a node, node set or
    partition named twice (the first hundred nodes, behind all other errors); limits of a partition
    that cannot be met; CR_ONE_TASK_PER_CORE with CR_CPU; a file that cannot be included.
    """

def parse_slurm_conf(text: str, files: dict[str, str] = {}) -> SlurmConf:
    """
    The same, where one error is enough. Errors: InvalidArgument with the first one,
    `slurm.conf line 3: ... (and 2 more)`.
    """

def read_gres_conf(text: str, files: dict[str, str] = {}) -> GresConfReading:
    """
    Reads every line, whatever the others hold. A line without Flags= has those of the last line
    before it with the same Name and NodeName. AutoDetect= is the first of full, nvml, rsmi, oneapi,
    nrt and nvidia that stands in the value, or off. Slurm looks for flags inside of words; here a
    word is one of them. Errors: an unknown key, flag or AutoDetect, a key given twice, a line
    without Name and AutoDetect, AutoDetect with Name and without NodeName, File with MultipleFiles,
    fewer than two MultipleFiles, a Count that is not the number of files, Links without exactly one
    -1 or for more than one device, no_gpu_env with another env flag, one_sharing with all_sharing,
    env flags that differ from those of an earlier line of the same Name and NodeName.
    """

def parse_gres_conf(text: str, files: dict[str, str] = {}) -> tuple[GresLine, ...]:
    """
    The same, where one error is enough. Errors: InvalidArgument with the first one,
    `gres.conf line 3: ... (and 2 more)`.
    """

def read_cgroup_conf(text: str, files: dict[str, str] = {}) -> CgroupConfReading:
    """
    Reads every line, whatever the others hold; of a key that stands twice the later one counts.
    Errors: an unknown key, a malformed value.
    """

def parse_cgroup_conf(text: str, files: dict[str, str] = {}) -> CgroupConf:
    """
    The same, where one error is enough. Errors: InvalidArgument with the first one,
    `cgroup.conf line 3: ... (and 2 more)`.
    """

def read_topology_conf(text: str, nodes: Iterable[str], files: dict[str, str] = {}) -> TopologyReading:
    """
    topology.conf, one topology called `default`: lines SwitchName with Nodes or Switches (and
    LinkSpeed, which means nothing), BlockName with Nodes and one BlockSizes line, or RingName with
    Nodes. Without BlockSizes there are the size of the first block and its double three times.
    A node under two switches, blocks or rings stays in the first one, with a warning; so has a
    switch that two others name. Errors: lines of two kinds; an unknown key; a name twice; Nodes
    with Switches; a switch that does not exist or is below itself; a block size that is not the
    first one's 2^k-fold with k of 15 at most, block sizes twice, or without a block; a ring of more
    than 16 nodes; lines that name more switches than 16 times those that there are. What an error
    concerns is left out; a line has one error for all unknown switches that it names.
    """

def parse_topology_conf(text: str, nodes: Iterable[str], files: dict[str, str] = {}) -> TopologyConf:
    """
    The same, where one error is enough. Errors: InvalidArgument with the first one,
    `topology.conf line 3: ... (and 2 more)`.
    """

def read_topology_yaml(text: str, nodes: Iterable[str]) -> TopologyReading:
    """
    topology.yaml: one topology or a list of them, each with `topology` (its name),
    `cluster_default`, and one of `tree`, `block`, `ring`, `torus3d` and `flat`. Errors: as above,
    beside those of YAML, where the first ends the file: a text above 1 MiB or 64 levels; a key that
    is missing, unknown or of another kind; a name twice; two kinds in one topology; two defaults; a
    torus whose nodes are not as many as its places, or with regions beyond it or upon each other;
    more than 200,000 items of lists, or 2^22 places in all tori and regions, aliases counted where
    they stand. After 1000 errors the rest is not read.
    """

def parse_topology_yaml(text: str, nodes: Iterable[str]) -> TopologyConf:
    """
    topology.yaml: one topology or a list of them, each with `topology` (its name),
    `cluster_default`, and one of `tree`, `block`, `ring`, `torus3d` and `flat`. Errors: as above,
    beside those of YAML, where the first ends the file: a text above 1 MiB or 64 levels; a key that
    is missing, unknown or of another kind; a name twice; two kinds in one topology; two defaults; a
    torus whose nodes are not as many as its places, or with regions beyond it or upon each other;
    more than 200,000 items of lists, or 2^22 places in all tori and regions, aliases counted where
    they stand. After 1000 errors the rest is not read.
    """

def merge(conf: NodeConf, detected: trestle.NodeShape | None | None = None) -> MergedNode:
    """
    The shape of the node.

    Sockets are packages, or L3 caches or NUMA nodes where Parameters says so; each is one memory
    domain with an equal part of RealMemory, what does not divide goes to the first ones byte by
    byte, and so does MemSpecLimit. Hardware threads have Slurm's abstract numbers.

    Devices (gres.c, gres_gpu.c, gres_c_s.c): each item of slurm.conf takes lines of its name in the
    order of gres.conf, those of its type without regard to case, an untyped item any, and then its
    devices have no type; the last line taken is cut down to the count, lines left over are warned
    of, and what is missing are devices without files. CountOnly lines give no files. More than 4096
    of a name and type are one device with so many shares, and the attribute `shares` with the name.

    When `detected` is given and AutoDetect is not off (where gres.conf has neither AutoDetect nor
    lines for GPUs: also then) its GPUs, those of the vendor that AutoDetect names, are matched with
    those: by type, which is the configured one that stands inside of the detected or of the one
    that Slurm would make of the model (`nvidia_a100-sxm4-40gb`), and by file where one is
    configured (Slurm also lets a device use up the type of a line that names another file, and then
    misses the right one). A match has the detected device's files, UUID, memory, model, cores and
    links and the configured type; one whose configured Cores or Links differ is left out with a
    warning, as are GPUs in the end without file. They are ordered by their own place in Links, then
    by file.

    mps and shard are parts of GPUs: the GPU's `shares`, with the attribute `shares` that names
    which of the two; a Count without File is spread over the GPUs (of its type), the first ones
    having one more. A GPU has only one kind of parts here; a second one is warned of.
    RestrictedCoresPerGPU reserves the first cores near each GPU that no other has.

    Cores= may be any cores. Slurm makes a node invalid unless they are whole sockets; that rule is
    a limit of its tables and not kept.

    Errors: InvalidArgument that names line and node: a core that does not exist; lines of a name
    some with files and some without, or some with a type and some without, or several with neither;
    one file for two devices (of MultipleFiles all files, for instances of a GPU share its own);
    links that contradict each other or have one place for two; more than 4096 devices; those of
    autodetect_of.
    """

def autodetect_of(conf: NodeConf) -> AutoDetect | None:
    """
    Who looks for devices on the node: a line with NodeName goes before one for all nodes; absent
    where no line says. Errors: InvalidArgument for two such lines that differ.
    """

def configured_gres(shape: trestle.NodeShape) -> tuple[GresDetail, ...]:
    """
    What Slurm prints as the node's Gres=: `gpu:a100:4(S:0-1)`, with the sockets near the devices of
    each name and type, none where no device has cores; parts of GPUs behind the GPUs. Sockets are
    packages, or the L3 or NUMA domains that a configuration calls so. gres_list_text prints it.
    """

def detected_gres(detected: trestle.NodeShape) -> tuple[GresLine, ...]:
    """
    The lines of gres.conf that say of a detected node's GPUs what AutoDetect finds, one for each
    device with a file, in their order: to_text() of them is a file that needs no AutoDetect, and
    merge() of the node with them and with AutoDetect comes to the same. File= is the first file;
    NVIDIA's devices have all of their own files (instances have three), without the render node.
    Types are given when all of the devices have one, env flags when all are of one known vendor, as
    one file may not mix them.
    """

def system_cores_of(line: NodeLine, start: SystemCoresFrom = SystemCoresFrom.last) -> trestle.CoreSet:
    """
    The cores that the line keeps for the system, counted socket by socket: those of CpuSpecList, or
    the last core of the last socket, then of the socket before it, and so on round the sockets;
    from the other end the first core of the first socket, and forward.
    Requires: the line's sockets have so many cores.
    """

def build_nodes(conf: SlurmConf, gres: Iterable[GresLine] = ()) -> BuiltNodes:
    """
    One node for every name, in the order of the file, as merge() makes it where nothing was
    detected; nodes that are described alike share a shape, and are warned of once. Lines of
    gres.conf for names that no node has are passed over. DownNodes say states last.
    Errors: InvalidArgument of merge(), for a node named twice, and above four million nodes.
    """

def build_cluster(conf: SlurmConf, gres: Iterable[GresLine] = (), topology: TopologyConf = ...) -> BuiltCluster:
    """
    The nodes of build_nodes(), partitions, licences and the network. Of a partition a Partition
    says what it can; the rest stays in its PartitionLine. Of several that are Default=YES the last
    one is. Errors: those of build_nodes(), and InvalidArgument for a name in Nodes= that is neither
    a node nor a node set, for topologies and units of Topology= that do not exist, and what
    Cluster::create() refuses. Topology= of a node puts it there, whatever topology.conf says: under
    the last switch of a path, into a block, at the end of a ring; a torus has places, so there it
    is warned of. Topology= of a partition has to exist, and stays in its line.
    """

def parse_nodes(slurm_conf: str, gres_conf: str = '', files: dict[str, str] = {}) -> BuiltNodes:
    """
    The nodes that the texts describe. Errors: the first of each reader and of build_nodes, naming
    the file.
    """

def read_cluster(slurm_conf: str, gres_conf: str = '', topology_conf: str = '', topology_yaml: str = '', files: dict[str, str] = {}) -> ClusterReading:
    """
    The cluster that the texts describe. topology.conf is read where TopologyPlugin is not flat and
    there is no topology.yaml; where it says something and is not read, that is a warning.
    What an error concerns is left out: the line, of a partition the name that is no node, of a node
    the devices that cannot be, or their cores or links. Errors: those of all readers, then those of
    build_cluster(), a thousand at most; each with the place of the token, or of the key where the
    token is part of a list. What many nodes have of one line of gres.conf is one error. A node, set
    or topology is not missed where a line, or a topology file, with errors may have named it.
    An included file is asked for once.
    """

def load_cluster(directory: str) -> ClusterReading:
    """
    The cluster of a folder with slurm.conf and, where they are there, gres.conf, topology.conf or
    topology.yaml; included files are looked for in the folder. What is wrong in the files stands in
    the reading. Errors: NotFound without slurm.conf; those of read_file() for the others.
    """

def parse_cluster(slurm_conf: str, gres_conf: str = '', topology_conf: str = '', topology_yaml: str = '', files: dict[str, str] = {}) -> BuiltCluster:
    """
    The same, where one error is enough. Errors: InvalidArgument with the first, `(and 2 more)`.
    """

def limit_policy(conf: CgroupConf, oom: OomKills = OomKills.process) -> trestle.LimitPolicy:
    """
    How placements are limited: what is constrained is required, all else skipped; percentages and
    bounds are the policy's memory_rule. Two things differ from Slurm: devices are denied unless
    they were given, also those that no gres.conf names; and a placement without memory has no limit
    of it, where Slurm takes all of the node's.
    """

def memory_limits(conf: CgroupConf, allocated: int, real_memory: int) -> MemoryLimits:
    """
    The limits of a job or step with so much memory, 0 for all of the node's, on a node with
    `real_memory` (task_cgroup_memory.c). max: allocated x AllowedRAMSpace, between MinRAMSpace and
    the node's x MaxRAMPercent; high: the same of 100 %, max at most; swap_max: what allocated x
    AllowedSwapSpace adds to max, as far as the node's x (MaxRAMPercent + MaxSwapPercent) lets it.
    With ConstrainSwapSpace alone memory and swap together are one limit, which cgroup v2 can only
    hold as max with a swap_max of 0, as Slurm does.
    """

class TaskSpread(enum.Enum):
    """
    How one level deals out tasks or CPUs. arbitrary: as the host file says.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    block = 0

    cyclic = 1

    fcyclic = 2

    plane = 3

    arbitrary = 4

class Hint(enum.Enum):
    """`--hint`."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    compute_bound = 0

    memory_bound = 1

    multithread = 2

    nomultithread = 3

class BindReport(enum.Enum):
    """What --cpu-bind and --mem-bind report."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    quiet = 0

    verbose = 1

class CpuBindRule(enum.Enum):
    """
    How tasks come to CPUs: to units of the hardware, by their rank, by a list. The ones with ldom
    count NUMA domains.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    none = 0

    threads = 1

    cores = 2

    sockets = 3

    ldoms = 4

    rank = 5

    rank_ldom = 6

    map_cpu = 7

    map_ldom = 8

    mask_cpu = 9

    mask_ldom = 10

class MemBindRule(enum.Enum):
    """How tasks come to memory domains."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    none = 0

    local = 1

    rank = 2

    map_mem = 3

    mask_mem = 4

class FrequencyLevel(enum.Enum):
    """
    A frequency by name, or a number of megahertz. highm1: the one below the highest.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    low = 0

    medium = 1

    high = 2

    highm1 = 3

    megahertz = 4

class NodeCounts:
    """`-N 4`, `-N 2-4`, `-N 1,4,8` or `-N 1-15:4`."""

    def __init__(self, range: int | trestle.Range[int] = trestle.Range(), sizes: Iterable[int] = ()) -> None: ...

    @property
    def range(self) -> trestle.Range[int]:
        """
        from 1 on; that of `sizes` where there are some (a Range of: int, a count)
        """

    @property
    def sizes(self) -> tuple[int, ...]:
        """
        rising, when only these numbers are wanted; else empty (each: int, a count)
        """

    def replace(self, *, range: int | trestle.Range[int] = ..., sizes: Iterable[int] = ...) -> NodeCounts:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeCounts: ...

    def __deepcopy__(self, memo: object) -> NodeCounts: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TaskOrder:
    """`-m L1[:L2[:L3]][,Pack|NoPack]`."""

    def __init__(self, nodes: TaskSpread | None = None, sockets: TaskSpread | None = None, cores: TaskSpread | None = None, plane_size: int | None = None, pack: bool | None = None) -> None: ...

    @property
    def nodes(self) -> TaskSpread | None:
        """block, cyclic, plane or arbitrary (TaskSpread, or None)"""

    @property
    def sockets(self) -> TaskSpread | None:
        """block, cyclic or fcyclic (TaskSpread, or None)"""

    @property
    def cores(self) -> TaskSpread | None:
        """block, cyclic or fcyclic (TaskSpread, or None)"""

    @property
    def plane_size(self) -> int | None:
        """with plane (int, a count, or None)"""

    @property
    def pack(self) -> bool | None:
        """nodes filled as far as they go, or evenly (bool, or None)"""

    def replace(self, *, nodes: TaskSpread | None = ..., sockets: TaskSpread | None = ..., cores: TaskSpread | None = ..., plane_size: int | None = ..., pack: bool | None = ...) -> TaskOrder:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TaskOrder: ...

    def __deepcopy__(self, memo: object) -> TaskOrder: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CpuBind:
    """`--cpu-bind=[quiet,|verbose,]rule`."""

    def __init__(self, rule: CpuBindRule | None = None, map: Iterable[int] = (), masks: Iterable[trestle.SmallSet] = (), report: BindReport | None = None) -> None: ...

    @property
    def rule(self) -> CpuBindRule | None:
        """absent: only the report was given (CpuBindRule, or None)"""

    @property
    def map(self) -> tuple[int, ...]:
        """of map_cpu and map_ldom, by task; `3*2` stands twice (each: int)"""

    @property
    def masks(self) -> tuple[trestle.SmallSet, ...]:
        """of mask_cpu and mask_ldom, likewise (each: SmallSet)"""

    @property
    def report(self) -> BindReport | None:
        """BindReport, or None"""

    def replace(self, *, rule: CpuBindRule | None = ..., map: Iterable[int] = ..., masks: Iterable[trestle.SmallSet] = ..., report: BindReport | None = ...) -> CpuBind:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CpuBind: ...

    def __deepcopy__(self, memo: object) -> CpuBind: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class MemBind:
    """
    `--mem-bind=[quiet,|verbose,][prefer,][sort,|nosort,]rule`, in any order.
    """

    def __init__(self, rule: MemBindRule | None = None, map: Iterable[int] = (), masks: Iterable[trestle.SmallSet] = (), is_preferred: bool = False, is_sorted: bool | None = None, report: BindReport | None = None) -> None: ...

    @property
    def rule(self) -> MemBindRule | None:
        """MemBindRule, or None"""

    @property
    def map(self) -> tuple[int, ...]:
        """each: int"""

    @property
    def masks(self) -> tuple[trestle.SmallSet, ...]:
        """each: SmallSet"""

    @property
    def is_preferred(self) -> bool:
        """other domains when these are full (bool)"""

    @property
    def is_sorted(self) -> bool | None:
        """free pages moved together first (bool, or None)"""

    @property
    def report(self) -> BindReport | None:
        """BindReport, or None"""

    def replace(self, *, rule: MemBindRule | None = ..., map: Iterable[int] = ..., masks: Iterable[trestle.SmallSet] = ..., is_preferred: bool = ..., is_sorted: bool | None = ..., report: BindReport | None = ...) -> MemBind:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> MemBind: ...

    def __deepcopy__(self, memo: object) -> MemBind: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def cpu_bind_of(bind: CpuBind) -> trestle.TaskBind | None:
    """What bind_cpus takes; absent where only a report was asked for."""

def memory_policy_of(bind: MemBind, local: int, granted: trestle.PuSet) -> trestle.MemoryPolicy | None:
    """
    The memory policy of task `local` of a node, of which `granted` are the job's NUMA nodes; absent
    for none and where no rule was given. local: near the CPU that asks. rank: task i has the i-th
    of the job's nodes. map_mem and mask_mem: the tasks of a node take the elements of the list in
    turn. All begin from the start again. With prefer, others serve when these are full.
    Errors: InvalidArgument when a list names a NUMA node that is none of the job's, and for an
    empty one.
    """

class TresBind:
    """
    `--tres-bind=gres/gpu:closest+gres/shard:per_task:2`, `--gpu-bind=single:2`.
    """

    def __init__(self, rules: Iterable[trestle.DeviceBind] = (), is_verbose: bool = False) -> None: ...

    @property
    def rules(self) -> tuple[trestle.DeviceBind, ...]:
        """one for each name, in the order of the text (each: DeviceBind)"""

    @property
    def is_verbose(self) -> bool:
        """bool"""

    def replace(self, *, rules: Iterable[trestle.DeviceBind] = ..., is_verbose: bool = ...) -> TresBind:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TresBind: ...

    def __deepcopy__(self, memo: object) -> TresBind: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TaskTres:
    """`--tres-per-task=cpu=4,gres/gpu:a100:2,license/matlab:1`."""

    def __init__(self, cpus: int | None = None, gres: Iterable[trestle.Gres] = (), licenses: Iterable[trestle.ClusterCount] = ()) -> None: ...

    @property
    def cpus(self) -> int | None:
        """int, a count, or None"""

    @property
    def gres(self) -> tuple[trestle.Gres, ...]:
        """each: Gres"""

    @property
    def licenses(self) -> tuple[trestle.ClusterCount, ...]:
        """sorted by name, each once (each: ClusterCount)"""

    def replace(self, *, cpus: int | None = ..., gres: Iterable[trestle.Gres] = ..., licenses: Iterable[trestle.ClusterCount] = ...) -> TaskTres:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TaskTres: ...

    def __deepcopy__(self, memo: object) -> TaskTres: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Frequency:
    """A level, or a number with FrequencyLevel::megahertz."""

    def __init__(self, level: FrequencyLevel = FrequencyLevel.high, megahertz: int = 0) -> None: ...

    @property
    def level(self) -> FrequencyLevel:
        """FrequencyLevel"""

    @property
    def megahertz(self) -> int:
        """with FrequencyLevel::megahertz; else 0 (int, a count)"""

    def replace(self, *, level: FrequencyLevel = ..., megahertz: int = ...) -> Frequency:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Frequency: ...

    def __deepcopy__(self, memo: object) -> Frequency: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GpuFrequency:
    """`--gpu-freq=[type=]value[,type=value][,verbose]`."""

    def __init__(self, graphics: Frequency | None = None, memory: Frequency | None = None, is_verbose: bool = False) -> None: ...

    @property
    def graphics(self) -> Frequency | None:
        """Frequency, or None"""

    @property
    def memory(self) -> Frequency | None:
        """Frequency, or None"""

    @property
    def is_verbose(self) -> bool:
        """bool"""

    def replace(self, *, graphics: Frequency | None = ..., memory: Frequency | None = ..., is_verbose: bool = ...) -> GpuFrequency:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GpuFrequency: ...

    def __deepcopy__(self, memo: object) -> GpuFrequency: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GresFlags:
    """`--gres-flags`, a list."""

    def __init__(self, disable_binding: bool = False, enforce_binding: bool = False, one_task_per_sharing: bool = False, multiple_tasks_per_sharing: bool = False, allow_task_sharing: bool = False) -> None: ...

    @property
    def disable_binding(self) -> bool:
        """devices without regard to the cores (bool)"""

    @property
    def enforce_binding(self) -> bool:
        """only devices near the cores (bool)"""

    @property
    def one_task_per_sharing(self) -> bool:
        """bool"""

    @property
    def multiple_tasks_per_sharing(self) -> bool:
        """bool"""

    @property
    def allow_task_sharing(self) -> bool:
        """bool"""

    def replace(self, *, disable_binding: bool = ..., enforce_binding: bool = ..., one_task_per_sharing: bool = ..., multiple_tasks_per_sharing: bool = ..., allow_task_sharing: bool = ...) -> GresFlags:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GresFlags: ...

    def __deepcopy__(self, memo: object) -> GresFlags: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ExclusiveKind(enum.Enum):
    """
    `--exclusive[=user|mcs|topo]`: who else may use the nodes, or the block or switch of the nodes.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    whole_node = 0

    user = 1

    mcs = 2

    topo = 3

class DependencyKind(enum.Enum):
    """What has to happen to the other jobs first."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    after = 0
    """have started or been cancelled"""

    afterany = 1
    """have ended"""

    afterburstbuffer = 2
    """have ended and staged out"""

    aftercorr = 3
    """the array task of the same number has ended well"""

    afternotok = 4
    """have failed"""

    afterok = 5
    """have ended well"""

    expand = 6
    """nothing: these resources are added to that job"""

    singleton = 7
    """no other job of this name and user runs"""

class Requeue(enum.Enum):
    """`--requeue[=expedite]`, `--no-requeue`."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    no = 0

    yes = 1

    expedite = 2

class ExportBase(enum.Enum):
    """
    What of the environment a job gets before its listed variables. nil: not even Slurm's own.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    nothing = 0

    all = 1

    none = 2

    nil = 3

class NodeConstraint:
    """
    `-C a&b`, `-C "[rack1|rack2]"`, `-C "[rack1*2&rack2*4]&ib"`. A node's features meet all parts.
    """

    def __init__(self, features: str | Iterable[str] | trestle.FeatureExpression = trestle.FeatureExpression(), counts: Iterable[trestle.FeatureCount] = (), one_of: Iterable[str | Iterable[str] | trestle.FeatureExpression] = ()) -> None: ...

    @property
    def features(self) -> trestle.FeatureExpression:
        """
        every node meets it (FeatureExpression, its text, or names, all wanted)
        """

    @property
    def counts(self) -> tuple[trestle.FeatureCount, ...]:
        """`a*2`: so many of the nodes meet it (each: FeatureCount)"""

    @property
    def one_of(self) -> tuple[trestle.FeatureExpression, ...]:
        """
        `[a|b]`: all nodes meet the same one of these (each: FeatureExpression, its text, or names, all wanted)
        """

    def replace(self, *, features: str | Iterable[str] | trestle.FeatureExpression = ..., counts: Iterable[trestle.FeatureCount] = ..., one_of: Iterable[str | Iterable[str] | trestle.FeatureExpression] = ...) -> NodeConstraint:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeConstraint: ...

    def __deepcopy__(self, memo: object) -> NodeConstraint: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class LicenseList:
    """
    `-L matlab:2,abaqus@flex1` (all of them) or `-L a:2|b:1` (one of them).
    """

    def __init__(self, counts: Iterable[trestle.ClusterCount] = (), is_any_of: bool = False) -> None: ...

    @property
    def counts(self) -> tuple[trestle.ClusterCount, ...]:
        """sorted by name, each once (each: ClusterCount)"""

    @property
    def is_any_of(self) -> bool:
        """bool"""

    def replace(self, *, counts: Iterable[trestle.ClusterCount] = ..., is_any_of: bool = ...) -> LicenseList:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> LicenseList: ...

    def __deepcopy__(self, memo: object) -> LicenseList: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Switches:
    """`--switches=2@1:00:00`."""

    def __init__(self, count: int = 1, max_wait: int | None = None) -> None: ...

    @property
    def count(self) -> int:
        """leaf switches at most (int, a count)"""

    @property
    def max_wait(self) -> int | None:
        """
        how long a job waits for that; absent: the cluster's limit (int, seconds, or None)
        """

    def replace(self, *, count: int = ..., max_wait: int | None = ...) -> Switches:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Switches: ...

    def __deepcopy__(self, memo: object) -> Switches: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TimeLimit:
    """
    `-t`, `--time-min`. 0, UNLIMITED and INFINITE are no limit, which differs from no option.
    """

    def __init__(self, limit: int | None = None) -> None: ...

    @property
    def limit(self) -> int | None:
        """whole minutes, 1 or more; absent: none (int, seconds, or None)"""

    def replace(self, *, limit: int | None = ...) -> TimeLimit:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TimeLimit: ...

    def __deepcopy__(self, memo: object) -> TimeLimit: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobSignal:
    """`--signal=[R][B]:USR1@300`."""

    def __init__(self, number: int = 0, before: int = 60, to_batch_shell: bool = False, for_reservation: bool = False) -> None: ...

    @property
    def number(self) -> int:
        """of the signal, as on Linux; 1 to 64 (int)"""

    @property
    def before(self) -> int:
        """the end of the job; 65535 at most (int, seconds)"""

    @property
    def to_batch_shell(self) -> bool:
        """bool"""

    @property
    def for_reservation(self) -> bool:
        """also before a reservation that overlaps begins (bool)"""

    def replace(self, *, number: int = ..., before: int = ..., to_batch_shell: bool = ..., for_reservation: bool = ...) -> JobSignal:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobSignal: ...

    def __deepcopy__(self, memo: object) -> JobSignal: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class EndRules:
    """What Slurm ends a job by."""

    def __init__(self, time_limit: int | None = None, signal: JobSignal | None = None, kill_wait: int = 30, over_time_limit: int = 0) -> None: ...

    @property
    def time_limit(self) -> int | None:
        """as effective_time_limit gives it (int, seconds, or None)"""

    @property
    def signal(self) -> JobSignal | None:
        """--signal (JobSignal, or None)"""

    @property
    def kill_wait(self) -> int:
        """KillWait of slurm.conf (int, seconds)"""

    @property
    def over_time_limit(self) -> int:
        """
        of the partition, else of slurm.conf; Seconds::max(): any (int, seconds)
        """

    def replace(self, *, time_limit: int | None = ..., signal: JobSignal | None = ..., kill_wait: int = ..., over_time_limit: int = ...) -> EndRules:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> EndRules: ...

    def __deepcopy__(self, memo: object) -> EndRules: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def end_policy(rules: EndRules) -> trestle.EndPolicy:
    """
    SIGTERM to every process, and SIGKILL after KillWait, but not before 5 seconds. The warning goes
    to every process, with `B:` to the command alone. Preemption has a grace of its own (GraceTime):
    it is given when the job is stopped.
    """

class ArrayRange:
    """`first-last:step`, both ends included."""

    def __init__(self, first: int = 0, last: int = 0, step: int = 1) -> None: ...

    @property
    def first(self) -> int:
        """int"""

    @property
    def last(self) -> int:
        """int"""

    @property
    def step(self) -> int:
        """int"""

    def replace(self, *, first: int = ..., last: int = ..., step: int = ...) -> ArrayRange:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ArrayRange: ...

    def __deepcopy__(self, memo: object) -> ArrayRange: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobArray:
    """`--array=1-100%4`, `0-15:4`, `1,5-7`."""

    def __init__(self, ranges: Iterable[ArrayRange] = (), at_once: int | None = None) -> None: ...

    @property
    def ranges(self) -> tuple[ArrayRange, ...]:
        """as written; a number may stand in several (each: ArrayRange)"""

    @property
    def at_once(self) -> int | None:
        """
        tasks that run at the same time; absent: any number (int, a count, or None)
        """

    def replace(self, *, ranges: Iterable[ArrayRange] = ..., at_once: int | None = ...) -> JobArray:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobArray: ...

    def __deepcopy__(self, memo: object) -> JobArray: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DependencyJob:
    """`123`, `123_4`, `123_*`, `123+10`."""

    def __init__(self, job: int = 0, task: int | None = None, all_tasks: bool = False, minutes: int = 0) -> None: ...

    @property
    def job(self) -> int:
        """int"""

    @property
    def task(self) -> int | None:
        """of an array (int, or None)"""

    @property
    def all_tasks(self) -> bool:
        """`_*` (bool)"""

    @property
    def minutes(self) -> int:
        """with after: so long after it has started (int, a count)"""

    def replace(self, *, job: int = ..., task: int | None = ..., all_tasks: bool = ..., minutes: int = ...) -> DependencyJob:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> DependencyJob: ...

    def __deepcopy__(self, memo: object) -> DependencyJob: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Dependency:
    """`afterok:123:124`."""

    def __init__(self, kind: DependencyKind = DependencyKind.afterok, jobs: Iterable[DependencyJob] = ()) -> None: ...

    @property
    def kind(self) -> DependencyKind:
        """DependencyKind"""

    @property
    def jobs(self) -> tuple[DependencyJob, ...]:
        """none for singleton (each: DependencyJob)"""

    def replace(self, *, kind: DependencyKind = ..., jobs: Iterable[DependencyJob] = ...) -> Dependency:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Dependency: ...

    def __deepcopy__(self, memo: object) -> Dependency: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Dependencies:
    """
    `-d afterok:1,afterany:2` (all of them) or `-d afterok:1?afterany:2` (one of them).
    """

    def __init__(self, list: Iterable[Dependency] = (), is_any_of: bool = False) -> None: ...

    @property
    def list(self) -> tuple[Dependency, ...]:
        """each: Dependency"""

    @property
    def is_any_of(self) -> bool:
        """bool"""

    def replace(self, *, list: Iterable[Dependency] = ..., is_any_of: bool = ...) -> Dependencies:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Dependencies: ...

    def __deepcopy__(self, memo: object) -> Dependencies: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BeginTime:
    """
    `--begin`. What is not counted from now needs a calendar, and stays text.
    """

    def __init__(self, text: str = '', after_now: int | None = None) -> None: ...

    @property
    def text(self) -> str:
        """as given (str)"""

    @property
    def after_now(self) -> int | None:
        """of `now` and `now+2hours` (int, seconds, or None)"""

    def replace(self, *, text: str = ..., after_now: int | None = ...) -> BeginTime:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BeginTime: ...

    def __deepcopy__(self, memo: object) -> BeginTime: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ExportedVariables:
    """`--export=ALL,EDITOR=/bin/vi,PATH`."""

    def __init__(self, base: ExportBase = ExportBase.nothing, variables: Iterable[str] = ()) -> None: ...

    @property
    def base(self) -> ExportBase:
        """ExportBase"""

    @property
    def variables(self) -> tuple[str, ...]:
        """`NAME` or `NAME=value` (each: str)"""

    def replace(self, *, base: ExportBase = ..., variables: Iterable[str] = ...) -> ExportedVariables:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ExportedVariables: ...

    def __deepcopy__(self, memo: object) -> ExportedVariables: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CarriedOption:
    """An option of Slurm that says nothing about resources, as it was given."""

    def __init__(self, name: str = '', value: str | None = None, line: int = 0) -> None: ...

    @property
    def name(self) -> str:
        """long, without dashes: `output` (str)"""

    @property
    def value(self) -> str | None:
        """absent: given without one (str, or None)"""

    @property
    def line(self) -> int:
        """of the script, from 1; 0: not in a script (int)"""

    def replace(self, *, name: str = ..., value: str | None = ..., line: int = ...) -> CarriedOption:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CarriedOption: ...

    def __deepcopy__(self, memo: object) -> CarriedOption: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def task_ids(array: JobArray) -> tuple[int, ...]:
    """
    The task ids, rising, each once. Complexity: n log n in the ids, of which there are at most
    4,000,001 (Slurm's limit of MaxArraySize).
    """

class JobOptions:
    """The options of sbatch, srun and salloc. A default one: none was given."""

    def __init__(self, nodes: NodeCounts | None = None, ntasks: int | None = None, cpus_per_task: int | None = None, ntasks_per_node: int | None = None, ntasks_per_socket: int | None = None, ntasks_per_core: int | None = None, ntasks_per_gpu: int | None = None, sockets_per_node: int | trestle.Range[int] | None = None, cores_per_socket: int | trestle.Range[int] | None = None, threads_per_core: int | trestle.Range[int] | None = None, has_extra_node_info: bool = False, hint: Hint | None = None, mincpus: int | None = None, distribution: TaskOrder | None = None, cpu_bind: CpuBind | None = None, mem_bind: MemBind | None = None, core_spec: int | None = None, thread_spec: int | None = None, mem: int | None = None, mem_per_cpu: int | None = None, mem_per_gpu: int | None = None, tmp: int | None = None, gres: Iterable[trestle.Gres] | None = None, gpus: Iterable[trestle.Gres] | None = None, gpus_per_node: Iterable[trestle.Gres] | None = None, gpus_per_socket: Iterable[trestle.Gres] | None = None, gpus_per_task: Iterable[trestle.Gres] | None = None, tres_per_task: TaskTres | None = None, cpus_per_gpu: int | None = None, tres_bind: TresBind | None = None, gpu_freq: GpuFrequency | None = None, gres_flags: GresFlags | None = None, partitions: Iterable[str] = (), constraint: NodeConstraint | None = None, prefer: NodeConstraint | None = None, nodelist: Hostlist | None = None, exclude: Hostlist | None = None, nodefile: str = '', contiguous: bool = False, switches: Switches | None = None, segment: int | None = None, spread_segments: bool = False, consolidate_segments: bool = False, spread_job: bool = False, use_min_nodes: bool = False, exclusive: ExclusiveKind | None = None, oversubscribe: bool = False, overcommit: bool = False, exact: bool = False, whole: bool = False, overlap: str | None = None, time: TimeLimit | None = None, time_min: TimeLimit | None = None, begin: BeginTime | None = None, signal: JobSignal | None = None, dependency: Dependencies | None = None, array: JobArray | None = None, requeue: Requeue | None = None, licenses: LicenseList | None = None, reservations: Iterable[str] = (), propagate: Iterable[trestle.ProcessResource] | None = None, oom_kill_step: bool | None = None, exported: ExportedVariables | None = None, container: str = '', carried: Iterable[CarriedOption] = ()) -> None: ...

    @property
    def nodes(self) -> NodeCounts | None:
        """-N (NodeCounts, or None)"""

    @property
    def ntasks(self) -> int | None:
        """-n, 1 or more, as are the counts below (int, a count, or None)"""

    @property
    def cpus_per_task(self) -> int | None:
        """-c (int, a count, or None)"""

    @property
    def ntasks_per_node(self) -> int | None:
        """int, a count, or None"""

    @property
    def ntasks_per_socket(self) -> int | None:
        """int, a count, or None"""

    @property
    def ntasks_per_core(self) -> int | None:
        """int, a count, or None"""

    @property
    def ntasks_per_gpu(self) -> int | None:
        """int, a count, or None"""

    @property
    def sockets_per_node(self) -> trestle.Range[int] | None:
        """`n` is both ends, `*` none (a Range of: int, a count, or None)"""

    @property
    def cores_per_socket(self) -> trestle.Range[int] | None:
        """a Range of: int, a count, or None"""

    @property
    def threads_per_core(self) -> trestle.Range[int] | None:
        """a Range of: int, a count, or None"""

    @property
    def has_extra_node_info(self) -> bool:
        """-B was given, which sets the three above (bool)"""

    @property
    def hint(self) -> Hint | None:
        """Hint, or None"""

    @property
    def mincpus(self) -> int | None:
        """of each node (int, a count, or None)"""

    @property
    def distribution(self) -> TaskOrder | None:
        """-m (TaskOrder, or None)"""

    @property
    def cpu_bind(self) -> CpuBind | None:
        """CpuBind, or None"""

    @property
    def mem_bind(self) -> MemBind | None:
        """MemBind, or None"""

    @property
    def core_spec(self) -> int | None:
        """-S; 0 or more (int, a count, or None)"""

    @property
    def thread_spec(self) -> int | None:
        """0 or more (int, a count, or None)"""

    @property
    def mem(self) -> int | None:
        """of each node; 0: all that it has (int, bytes, or None)"""

    @property
    def mem_per_cpu(self) -> int | None:
        """int, bytes, or None"""

    @property
    def mem_per_gpu(self) -> int | None:
        """int, bytes, or None"""

    @property
    def tmp(self) -> int | None:
        """disk of each node (int, bytes, or None)"""

    @property
    def gres(self) -> tuple[trestle.Gres, ...] | None:
        """of each node; empty: `none`, or counts of 0 (each: Gres, or None)"""

    @property
    def gpus(self) -> tuple[trestle.Gres, ...] | None:
        """-G, of the job; all named `gpu` (each: Gres, or None)"""

    @property
    def gpus_per_node(self) -> tuple[trestle.Gres, ...] | None:
        """each: Gres, or None"""

    @property
    def gpus_per_socket(self) -> tuple[trestle.Gres, ...] | None:
        """each: Gres, or None"""

    @property
    def gpus_per_task(self) -> tuple[trestle.Gres, ...] | None:
        """each: Gres, or None"""

    @property
    def tres_per_task(self) -> TaskTres | None:
        """TaskTres, or None"""

    @property
    def cpus_per_gpu(self) -> int | None:
        """int, a count, or None"""

    @property
    def tres_bind(self) -> TresBind | None:
        """--tres-bind or --gpu-bind, the last one (TresBind, or None)"""

    @property
    def gpu_freq(self) -> GpuFrequency | None:
        """GpuFrequency, or None"""

    @property
    def gres_flags(self) -> GresFlags | None:
        """GresFlags, or None"""

    @property
    def partitions(self) -> tuple[str, ...]:
        """-p, in order of preference (each: str)"""

    @property
    def constraint(self) -> NodeConstraint | None:
        """-C (NodeConstraint, or None)"""

    @property
    def prefer(self) -> NodeConstraint | None:
        """NodeConstraint, or None"""

    @property
    def nodelist(self) -> Hostlist | None:
        """-w: all of them, and others where more are wanted (Hostlist, or None)"""

    @property
    def exclude(self) -> Hostlist | None:
        """-x (Hostlist, or None)"""

    @property
    def nodefile(self) -> str:
        """-F, or -w with a slash: the path of a file with names (str)"""

    @property
    def contiguous(self) -> bool:
        """bool"""

    @property
    def switches(self) -> Switches | None:
        """Switches, or None"""

    @property
    def segment(self) -> int | None:
        """nodes of one block together (int, a count, or None)"""

    @property
    def spread_segments(self) -> bool:
        """bool"""

    @property
    def consolidate_segments(self) -> bool:
        """bool"""

    @property
    def spread_job(self) -> bool:
        """bool"""

    @property
    def use_min_nodes(self) -> bool:
        """bool"""

    @property
    def exclusive(self) -> ExclusiveKind | None:
        """ExclusiveKind, or None"""

    @property
    def oversubscribe(self) -> bool:
        """-s (bool)"""

    @property
    def overcommit(self) -> bool:
        """-O (bool)"""

    @property
    def exact(self) -> bool:
        """of a step: no more than it asked for (bool)"""

    @property
    def whole(self) -> bool:
        """of a step: all that the job has (bool)"""

    @property
    def overlap(self) -> str | None:
        """of a step; what stood behind `=` (str, or None)"""

    @property
    def time(self) -> TimeLimit | None:
        """-t (TimeLimit, or None)"""

    @property
    def time_min(self) -> TimeLimit | None:
        """TimeLimit, or None"""

    @property
    def begin(self) -> BeginTime | None:
        """-b (BeginTime, or None)"""

    @property
    def signal(self) -> JobSignal | None:
        """JobSignal, or None"""

    @property
    def dependency(self) -> Dependencies | None:
        """-d (Dependencies, or None)"""

    @property
    def array(self) -> JobArray | None:
        """-a (JobArray, or None)"""

    @property
    def requeue(self) -> Requeue | None:
        """Requeue, or None"""

    @property
    def licenses(self) -> LicenseList | None:
        """-L (LicenseList, or None)"""

    @property
    def reservations(self) -> tuple[str, ...]:
        """any of them (each: str)"""

    @property
    def propagate(self) -> tuple[trestle.ProcessResource, ...] | None:
        """
        limits taken from the submitter; empty: none (each: ProcessResource, or None)
        """

    @property
    def oom_kill_step(self) -> bool | None:
        """bool, or None"""

    @property
    def exported(self) -> ExportedVariables | None:
        """--export (ExportedVariables, or None)"""

    @property
    def container(self) -> str:
        """path of an OCI bundle (str)"""

    @property
    def carried(self) -> tuple[CarriedOption, ...]:
        """by line and place, repeated ones too (each: CarriedOption)"""

    def replace(self, *, nodes: NodeCounts | None = ..., ntasks: int | None = ..., cpus_per_task: int | None = ..., ntasks_per_node: int | None = ..., ntasks_per_socket: int | None = ..., ntasks_per_core: int | None = ..., ntasks_per_gpu: int | None = ..., sockets_per_node: int | trestle.Range[int] | None = ..., cores_per_socket: int | trestle.Range[int] | None = ..., threads_per_core: int | trestle.Range[int] | None = ..., has_extra_node_info: bool = ..., hint: Hint | None = ..., mincpus: int | None = ..., distribution: TaskOrder | None = ..., cpu_bind: CpuBind | None = ..., mem_bind: MemBind | None = ..., core_spec: int | None = ..., thread_spec: int | None = ..., mem: int | None = ..., mem_per_cpu: int | None = ..., mem_per_gpu: int | None = ..., tmp: int | None = ..., gres: Iterable[trestle.Gres] | None = ..., gpus: Iterable[trestle.Gres] | None = ..., gpus_per_node: Iterable[trestle.Gres] | None = ..., gpus_per_socket: Iterable[trestle.Gres] | None = ..., gpus_per_task: Iterable[trestle.Gres] | None = ..., tres_per_task: TaskTres | None = ..., cpus_per_gpu: int | None = ..., tres_bind: TresBind | None = ..., gpu_freq: GpuFrequency | None = ..., gres_flags: GresFlags | None = ..., partitions: Iterable[str] = ..., constraint: NodeConstraint | None = ..., prefer: NodeConstraint | None = ..., nodelist: Hostlist | None = ..., exclude: Hostlist | None = ..., nodefile: str = ..., contiguous: bool = ..., switches: Switches | None = ..., segment: int | None = ..., spread_segments: bool = ..., consolidate_segments: bool = ..., spread_job: bool = ..., use_min_nodes: bool = ..., exclusive: ExclusiveKind | None = ..., oversubscribe: bool = ..., overcommit: bool = ..., exact: bool = ..., whole: bool = ..., overlap: str | None = ..., time: TimeLimit | None = ..., time_min: TimeLimit | None = ..., begin: BeginTime | None = ..., signal: JobSignal | None = ..., dependency: Dependencies | None = ..., array: JobArray | None = ..., requeue: Requeue | None = ..., licenses: LicenseList | None = ..., reservations: Iterable[str] = ..., propagate: Iterable[trestle.ProcessResource] | None = ..., oom_kill_step: bool | None = ..., exported: ExportedVariables | None = ..., container: str = ..., carried: Iterable[CarriedOption] = ...) -> JobOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobOptions: ...

    def __deepcopy__(self, memo: object) -> JobOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class QueueEntry:
    """What a job is in the caller's queue."""

    def __init__(self, owner: int = 0, submitted: int = 0, name: str = '', array: int | None = None, task: int | None = None) -> None: ...

    @property
    def owner(self) -> int:
        """int, the caller's number of an owner"""

    @property
    def submitted(self) -> int:
        """
        from when `--begin=now+1hour` counts (int, seconds since a moment of the caller's)
        """

    @property
    def name(self) -> str:
        """for singleton: of user and job (str)"""

    @property
    def array(self) -> int | None:
        """of --array (int, a number, or None)"""

    @property
    def task(self) -> int | None:
        """its number in the array, for aftercorr (int, or None)"""

    def replace(self, *, owner: int = ..., submitted: int = ..., name: str = ..., array: int | None = ..., task: int | None = ...) -> QueueEntry:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> QueueEntry: ...

    def __deepcopy__(self, memo: object) -> QueueEntry: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class FoundJobs:
    """
    Whom a number stands for: nobody who is known any more, owners, or all tasks of an array.
    """

    def __init__(self, owners: Iterable[int] = (), array: int | None = None) -> None: ...

    @property
    def owners(self) -> tuple[int, ...]:
        """
        of a job or a task; also of all tasks, one by one (each: int, the caller's number of an owner)
        """

    @property
    def array(self) -> int | None:
        """whose tasks go by it in their QueueEntry (int, a number, or None)"""

    def replace(self, *, owners: Iterable[int] = ..., array: int | None = ...) -> FoundJobs:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> FoundJobs: ...

    def __deepcopy__(self, memo: object) -> FoundJobs: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def job_terms_of(options: JobOptions, entry: QueueEntry, find_jobs: Callable[[DependencyJob], FoundJobs]) -> trestle.JobTerms:
    """
    The terms. As in Slurm aftercorr is afterok of the task of the same number, or of all tasks
    where there is none; and a job that is not known is no condition, which with `?` is enough.
    Errors: InvalidArgument for afterok and afternotok of a job that is not known, a --begin that
    needs a calendar, and singleton without a name; Unimplemented for expand and afterburstbuffer.
    Complexity: linear in the owners that are found.
    """

def array_terms_of(options: JobOptions, array: int) -> trestle.ArrayTerms | None:
    """The throttle of `--array=1-100%4`; nothing where there is none."""

class Tool(enum.Enum):
    """Whose options they are."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    sbatch = 0

    srun = 1

    salloc = 2

class OptionSource(enum.Enum):
    """Where an option stood."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    arguments = 0

    text = 1

    script = 2

    environment = 3

class OptionError:
    """One mistake."""

    def __init__(self, source: OptionSource = OptionSource.arguments, position: int = 0, column: int = 1, variable: str = '', option: str = '', error: trestle.TextError = trestle.TextError()) -> None: ...

    @property
    def source(self) -> OptionSource:
        """OptionSource"""

    @property
    def position(self) -> int:
        """argument, word of a text or line of a script, from 1; else 0 (int)"""

    @property
    def column(self) -> int:
        """
        Where the token stands, from 1, in bytes: in the line of a script or in the text, quotes and
        backslashes counted; in the argument; in the variable's value. (int)
        """

    @property
    def variable(self) -> str:
        """of the environment (str)"""

    @property
    def option(self) -> str:
        """`--gres`, whatever form was given; empty: no known option (str)"""

    @property
    def error(self) -> trestle.TextError:
        """
        its offset counts in the option's value, or else in the word (TextError)
        """

    def replace(self, *, source: OptionSource = ..., position: int = ..., column: int = ..., variable: str = ..., option: str = ..., error: trestle.TextError = ...) -> OptionError:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OptionError: ...

    def __deepcopy__(self, memo: object) -> OptionError: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobComponent:
    """A job, or one of the components of a heterogeneous job."""

    def __init__(self, options: JobOptions = JobOptions(), command: Iterable[str] = ()) -> None: ...

    @property
    def options(self) -> JobOptions:
        """JobOptions"""

    @property
    def command(self) -> tuple[str, ...]:
        """
        Program and arguments: behind `--`, or from the first word that is no option. Of srun each
        component has its own; else it stands in the first one alone. (each: str)
        """

    def replace(self, *, options: JobOptions = ..., command: Iterable[str] = ...) -> JobComponent:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobComponent: ...

    def __deepcopy__(self, memo: object) -> JobComponent: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Submission:
    """
    What one call of sbatch, srun or salloc says: components between `:`, in a script between
    `#SBATCH hetjob`. At least one, at most 128, as in Slurm.
    """

    def __init__(self, components: Iterable[JobComponent] = (JobComponent(),)) -> None: ...

    @property
    def components(self) -> tuple[JobComponent, ...]:
        """each: JobComponent"""

    def replace(self, *, components: Iterable[JobComponent] = ...) -> Submission:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Submission: ...

    def __deepcopy__(self, memo: object) -> Submission: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class SubmissionReading:
    """What could be read, and every error, in the order of the source."""

    def __init__(self, submission: Submission = Submission(), errors: Iterable[OptionError] = ()) -> None: ...

    @property
    def submission(self) -> Submission:
        """Submission"""

    @property
    def errors(self) -> tuple[OptionError, ...]:
        """each: OptionError"""

    def replace(self, *, submission: Submission = ..., errors: Iterable[OptionError] = ...) -> SubmissionReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SubmissionReading: ...

    def __deepcopy__(self, memo: object) -> SubmissionReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def read_arguments(arguments: Iterable[str], tool: Tool = Tool.sbatch) -> SubmissionReading:
    """
    `--x=v`, `--x v`, `-xv`, `-x v`, letters without value together (`-Os`), and the beginning of a
    long name that fits no other name of the tool's. The last of a repeated option wins.
    Errors: an unknown name, with the nearest known one; a beginning that fits several; a value that
    is missing, not wanted or wrong. An option with an error is as if it were not there.
    """

def read_option_text(text: str, tool: Tool = Tool.sbatch) -> SubmissionReading:
    """
    The same of words as a shell would split them: blanks between, quotes, a backslash before what
    stands for itself. Nothing else of a shell: no variables, no comments.
    """

def read_script(script: str) -> SubmissionReading:
    """
    The `#SBATCH` lines of a script up to the first line that is neither blank nor a comment. A `#`
    that is neither quoted nor behind a backslash ends the line's options, also inside a word:
    `--gres=gpu:2  # any type`. Errors: as above; a word that is no option.
    """

def read_environment(environment: Iterable[trestle.EnvironmentVariable], tool: Tool = Tool.sbatch) -> SubmissionReading:
    """
    What variables of the program say: SBATCH_ ones of sbatch, SALLOC_ ones of salloc, SLURM_ and
    SRUN_ ones of srun, and the few SLURM_ ones that the others read. Of two variables for one
    option that goes before whose name is later (SLURM_NTASKS before SLURM_NPROCS); of one that
    stands twice the last. SBATCH_WAIT4SWITCH and its like are the time that --switches leaves open.
    Variables that are empty, of which only the digest is known or that are no option of the program
    are nothing. Errors: as above, by the names of the variables, with the option that they hold.
    """

def read_submission(arguments: Iterable[str] = (), environment: Iterable[trestle.EnvironmentVariable] = (), script: str = '', tool: Tool = Tool.sbatch) -> SubmissionReading:
    """
    The three together: an argument goes before a variable, a variable before a line of the script.
    The environment is each component's. What it says gives way also where an argument or line
    excludes it (SBATCH_MEM_PER_NODE and --mem-per-cpu); SBATCH_WAIT4SWITCH and its like go with
    whichever --switches there is. Errors: of the arguments, then of the
    environment, then of the script.
    """

def parse_submission(arguments: Iterable[str] = (), environment: Iterable[trestle.EnvironmentVariable] = (), script: str = '', tool: Tool = Tool.sbatch) -> Submission: ...

def parse_option_text(text: str, tool: Tool = Tool.sbatch) -> Submission:
    """The components of read_option_text."""

def parse_script(script: str) -> Submission:
    """The components of read_script."""

class SettledOptions:
    """Options without contradiction."""

    def __init__(self, options: JobOptions = JobOptions(), warnings: Iterable[str] = (), nodes_before: NodeCounts | None = None) -> None: ...

    @property
    def options(self) -> JobOptions:
        """JobOptions"""

    @property
    def warnings(self) -> tuple[str, ...]:
        """what was changed although it was said (each: str)"""

    @property
    def nodes_before(self) -> NodeCounts | None:
        """
        The nodes before fewer tasks lowered them; absent: nothing did. Slurm goes back to them
        where counts of devices need so many. (NodeCounts, or None)
        """

    def replace(self, *, options: JobOptions = ..., warnings: Iterable[str] = ..., nodes_before: NodeCounts | None = ...) -> SettledOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SettledOptions: ...

    def __deepcopy__(self, memo: object) -> SettledOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ParsedOptions:
    """What the options of srun, sbatch or salloc say."""

    def __init__(self, options: JobOptions = JobOptions(), request: trestle.Request = trestle.Request(), command: Iterable[str] = (), wants_all_memory: bool = False) -> None: ...

    @property
    def options(self) -> JobOptions:
        """of the first component, settled (JobOptions)"""

    @property
    def request(self) -> trestle.Request:
        """Request"""

    @property
    def command(self) -> tuple[str, ...]:
        """after `--`, or from the first word that is no option (each: str)"""

    @property
    def wants_all_memory(self) -> bool:
        """
        --mem=0 was given: all memory of each node. The request then accepts `0..` bytes, and it is
        the caller, who knows the node, that grants all of it. (bool)
        """

    def replace(self, *, options: JobOptions = ..., request: trestle.Request = ..., command: Iterable[str] = ..., wants_all_memory: bool = ...) -> ParsedOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ParsedOptions: ...

    def __deepcopy__(self, memo: object) -> ParsedOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def overlaid(first: JobOptions, second: JobOptions) -> JobOptions:
    """
    What is in `first`, and of `second` what `first` does not say: precedence of one source over
    another. Options that exclude each other (--mem, --mem-per-cpu, --mem-per-gpu and the like) are
    not minded here. Carried options of both, those of `second` first.
    """

def settle(options: JobOptions) -> SettledOptions:
    """
    Checks the options and writes into them what follows:
    - nodes: at least those of the node list; from --gpus and --gpus-per-node (or --gres=gpu) as
    many as their quotient; at most the GPUs of the job, where a number of nodes was given; with
    fewer tasks than nodes as many as tasks, with a warning, and the node list cut to that many;
    - ntasks: nodes times --ntasks-per-node; a single number of nodes times the sockets, cores and
    threads of --extra-node-info and its like, where such were asked; GPUs times --ntasks-per-gpu;
    --gpus by --gpus-per-task; one a node with --gpus-per-task and a single number of nodes,
    unless there is --cpus-per-task;
    - gpus: tasks by --ntasks-per-gpu, where no GPUs were asked;
    - sockets_per_node, ntasks_per_node, ntasks_per_socket: quotients of GPUs per node, socket,
    task. Of options already settled nothing changes.

    Errors: InvalidArgument that names the option for a count, a step or a time limit of 0, which
    the option's text could not say (all but --core-spec, --thread-spec, memory, disk and the `%n`
    of
    --array), and for a number of nodes without a lower end; that names the two options for a pair
    that Slurm refuses (--mem and --mem-per-cpu, --hint and --threads-per-core, a node in -w and -x,
    ...); for GPUs whose numbers do not divide, exceed each other or lack what they are counted by,
    a GPU with and without type, GPUs beside mps or shard, memory per GPU without any GPU (CPUs per
    GPU then mean nothing, as for Slurm 22.05), a segment that does not divide the nodes, --time-min
    above --time.
    """

class StepRequest:
    """What place_step() takes."""

    def __init__(self, request: trestle.Request = trestle.Request(), options: trestle.StepOptions = trestle.StepOptions()) -> None: ...

    @property
    def request(self) -> trestle.Request:
        """Request"""

    @property
    def options(self) -> trestle.StepOptions:
        """StepOptions"""

    def replace(self, *, request: trestle.Request = ..., options: trestle.StepOptions = ...) -> StepRequest:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> StepRequest: ...

    def __deepcopy__(self, memo: object) -> StepRequest: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def step_request_of(options: JobOptions, job: trestle.JobState) -> StepRequest:
    """
    What options ask of a job for one of its steps.
    - Without -N, -n and -w: all nodes of the job, a task on each. More nodes than the job has are
    not asked unless -N says so.
    - --overlap: what other steps have may be had too.
    - --whole, or neither --exact nor CPUs of a task (--cpus-per-task or --tres-per-task=cpu, which
    stand for --exact): all cores that the job has on the nodes; else no more than asked.
    - Where no option names a GRES (--gres=none names them all) the step has whole devices of the
    job as if --gres named them, so that --cpus-per-gpu and --mem-per-gpu count by them: of each
    name and type as many a node as the job's node with the fewest, and no parts of GPUs.
    - --mem=0: as much of each node as the job has of the one with the least. Where no option names
    memory none is asked, and the step's placement has none: its limit is the job's.

    Errors: those of request_of(), also for the job's GRES (--cpus-per-gpu where it has others than
    GPUs, types for some GPUs only); InvalidArgument for --exact and --whole together.
    """

def read_node_file(file: str, text: str) -> Hostlist:
    """
    The names of such a file in their order, as often as they stand there: lists between blanks,
    commas and line ends, each with `*3` behind it for three times the list; `#` begins a comment.
    At most a million names. Errors: InvalidArgument with file and line.
    """

def with_node_file(options: JobOptions, files: dict[str, str]) -> JobOptions:
    """
    The options with the file's names as their node list, which takes the place of another; as they
    are where they name no file. With --distribution=arbitrary and no -n there are as many tasks as
    names, and of more names than tasks the first ones are kept; else each name is once in the list.
    Errors: NotFound for a file that `files` does not have; those of read_node_file().
    """

def tasks_in_list_order(options: JobOptions) -> tuple[str, ...]:
    """
    By task: the node that --distribution=arbitrary puts it on, the list's names in their order.
    Errors: InvalidArgument without that option or a node list, and for more tasks than names.
    """

@overload
def request_of(options: JobOptions) -> trestle.Request: ...

@overload
def request_of(submission: Submission) -> trestle.Request:
    """
    What options ask of the core. Requires nothing: options are settled first.

    Errors: those of settle(); InvalidArgument for what a Request cannot say: -m arbitrary, a
    --nodefile (see with_node_file), --mincpus with several tasks a node, --gpus with
    --gpus-per-socket, --cpus-per-gpu or --mem-per-gpu beside devices that are no GPUs,
    --thread-spec, --overcommit, --exclusive=user, mcs or topo, several partitions, `-L a|b`, more
    nodes in -w than names can be held (100,000); and a request that makes no sense, as
    check(request) says.
    """

def parse_options(arguments: Iterable[str]) -> ParsedOptions:
    """
    Reads arguments as sbatch's (read_arguments), settles them and makes the request. The command is
    the first component's; so is wants_all_memory.

    Without -N a job of n tasks accepts 1 to n nodes; with fewer tasks than nodes it takes as many
    nodes as tasks, as srun does. Without -n there is one task a node.

    Errors: InvalidArgument in one line: of an option its position and name, the offset in its value
    and what was expected, for an unknown one the nearest known one; for two options that exclude
    each other both.
    """

class OptionText:
    """One option that was given, by its long name."""

    def __init__(self, name: str = '', value: str | None = None) -> None: ...

    @property
    def name(self) -> str:
        """without dashes: `gres`, `no-requeue` (str)"""

    @property
    def value(self) -> str | None:
        """absent: it stands alone (str, or None)"""

    def replace(self, *, name: str = ..., value: str | None = ...) -> OptionText:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> OptionText: ...

    def __deepcopy__(self, memo: object) -> OptionText: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BatchScript:
    """A file as sbatch takes it."""

    def __init__(self, interpreter: str = '', submission: Submission = Submission(), commands: str = '') -> None: ...

    @property
    def interpreter(self) -> str:
        """what stands behind `#!`; empty: no such line, which sbatch wants (str)"""

    @property
    def submission(self) -> Submission:
        """Submission"""

    @property
    def commands(self) -> str:
        """
        All lines but these, without blank ones around them and without the last line break. (str)
        """

    def replace(self, *, interpreter: str = ..., submission: Submission = ..., commands: str = ...) -> BatchScript:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BatchScript: ...

    def __deepcopy__(self, memo: object) -> BatchScript: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BatchScriptReading:
    """A script, and every mistake in its directives."""

    def __init__(self, script: BatchScript = BatchScript(), errors: Iterable[OptionError] = ()) -> None: ...

    @property
    def script(self) -> BatchScript:
        """BatchScript"""

    @property
    def errors(self) -> tuple[OptionError, ...]:
        """each: OptionError"""

    def replace(self, *, script: BatchScript = ..., errors: Iterable[OptionError] = ...) -> BatchScriptReading:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> BatchScriptReading: ...

    def __deepcopy__(self, memo: object) -> BatchScriptReading: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def option_texts(options: JobOptions) -> tuple[OptionText, ...]:
    """All options that are given, carried ones last."""

@overload
def option_arguments(options: JobOptions) -> tuple[str, ...]: ...

@overload
def option_arguments(submission: Submission) -> tuple[str, ...]:
    """
    A word for each option. Components are parted by `:`; the command of the first one is behind
    `--` at the end.
    """

def directive_lines(submission: Submission) -> str:
    """
    A line `#SBATCH --name=value` for each option, with quotes where blanks, quotes or a `#` need
    them; `#SBATCH hetjob` between components. Commands are not in it.
    Errors: InvalidArgument for a value with a line break, which no line can hold.
    """

def read_batch_script(text: str) -> BatchScriptReading:
    """The directives are read by read_script, with its errors."""

def parse_batch_script(text: str) -> BatchScript:
    """
    The same. Errors: InvalidArgument with the first mistake, `(and 2 more)`.
    """

def script_text(script: BatchScript) -> str:
    """
    The file: interpreter, directives, a blank line, commands. Of a script as read_batch_script
    gives them parse_batch_script gives an equal one, but for the lines of carried options. What no
    file says is lost: commands of components, blanks around an interpreter, and blank lines around
    the commands. Errors: InvalidArgument for an option with a line break in its value, for an
    interpreter that is no single line, and for commands that a reader would take for something
    else: `#!` at the start of a script without interpreter, `#SBATCH` before the first that is no
    comment.
    """

def parse_gres(text: str) -> tuple[trestle.Gres, ...]: ...

def parse_gres_details(text: str) -> tuple[GresDetail, ...]: ...

def parse_gres_used(text: str) -> tuple[GresDetail, ...]:
    """
    The same for what is printed as in use (GresUsed): items of count 0 stay.
    """

def parse_gpus(text: str) -> tuple[trestle.Gres, ...]:
    """
    `[type:]count(,[type:]count)*`, the form of --gpus: GRES of the name `gpu`.
    """

def gres_list_text(details: Iterable[GresDetail]) -> str:
    """Joined by commas, as `gpu:a100:2(IDX:0-1),nic:1`."""

def parse_memory(text: str) -> int:
    """
    A whole number with the unit K, M (default), G or T and an optional `B`, in any case. K rounds
    up to whole MiB, as Slurm accounts memory (proc_args.c, str_to_mbytes): `1K` is 1 MiB.
    Errors: nothing, a sign, a fraction, another unit, 2^63 bytes or more.
    """

def memory_text(memory: int) -> str:
    """
    `16G`, `1536`, `0`: the largest unit that divides; MiB without unit. Bytes below one MiB are
    rounded up. parse_memory reads the same amount back.
    """

def parse_count(text: str) -> int:
    """
    A whole number with an optional suffix: k or kib 2^10, kb 10^3, and likewise m, g, t, p, in any
    case (slurm_protocol_defs.c, suffix_mult). Errors: as above.
    """

def parse_time(text: str) -> int | None:
    """
    `m`, `m:s`, `h:m:s`, `d-h`, `d-h:m`, `d-h:m:s`, rounded up to whole minutes; nothing for
    UNLIMITED and INFINITE. Errors: other forms, 2^31 minutes or more.
    """

class NodeGrant:
    """What a job has of one node."""

    def __init__(self, node: str = '', cpu_ids: trestle.PuSet = trestle.PuSet(), cpus: int = 0, memory: int = 0, gres: Iterable[GresDetail] = ()) -> None: ...

    @property
    def node(self) -> str:
        """its name (str)"""

    @property
    def cpu_ids(self) -> trestle.PuSet:
        """abstract, of whole cores (PuSet)"""

    @property
    def cpus(self) -> int:
        """
        that the job is charged for: fewer than cpu_ids where it uses fewer (int, a count)
        """

    @property
    def memory(self) -> int:
        """int, bytes"""

    @property
    def gres(self) -> tuple[GresDetail, ...]:
        """each: GresDetail"""

    def replace(self, *, node: str = ..., cpu_ids: trestle.PuSet = ..., cpus: int = ..., memory: int = ..., gres: Iterable[GresDetail] = ...) -> NodeGrant:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeGrant: ...

    def __deepcopy__(self, memo: object) -> NodeGrant: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def gres_of(shape: trestle.NodeShape, placement: trestle.NodePlacement) -> tuple[GresDetail, ...]:
    """
    The devices of a placement by name and type, in the order of their ids. Indexes are given for
    devices with files only; others are bare counts. Parts of a GPU that is cut into shards stand
    behind, `shard:3(3/8,0/8)`, by all GPUs that are cut so; who has all parts of a GPU has the GPU.
    An instance of a device counts as the device. Requires: the devices exist.
    """

def cpu_ids(shape: trestle.NodeShape, placement: trestle.NodePlacement) -> trestle.PuSet:
    """
    The abstract numbers of the placement's hardware threads. Requires: the cores exist.
    """

def parse_grants(text: str) -> tuple[NodeGrant, ...]:
    """
    One such line read back, a grant for each node; keys in any order and with blanks in front.
    `cpus` are those of the ids, GRES without any (`gpu:h100:0(IDX:)`) are left out.
    Errors: InvalidArgument for a line without Nodes=, a key unknown or twice, a set or list that
    cannot be read, memory beyond 2^43 MiB, and so many nodes that line and CPUs of each would be
    64 Mi characters and CPUs together.
    """

def grant_lines(grants: Iterable[NodeGrant]) -> tuple[str, ...]:
    """
    The lines of a job: as to_text() of each, but neighbours that give the same stand in one,
    `Nodes=n[1-2] CPU_IDs=0 Mem=100 GRES=`, as scontrol prints them.
    """

def node_list_text(grants: Iterable[NodeGrant]) -> str:
    """
    The names of the nodes: `n[1-2],m`. Where one is no name that a Hostlist can have (empty, with a
    comma or a bracket) all stand as they are, apart by commas.
    """

def used_gres(shape: trestle.NodeShape, free: trestle.FreeState) -> tuple[GresDetail, ...]:
    """
    What is in use of a node, by name and type, parts of GPUs last; also where it is nothing. A GPU
    counts when it is given whole, or with all its parts, which then are `-/8`; parts of another are
    counted and GPUs of which an instance is held are not. What is not consumed counts 0. Slurm
    gives no indexes of devices without type and cores, and counts 0 of names that the node lacks.
    Requires: the state is of a node of that shape.
    """

def used_gres_text(shape: trestle.NodeShape, free: trestle.FreeState) -> str:
    """
    The same as text: `gpu:a100:1(IDX:2),nic:0(IDX:N/A),lic:3,shard:a100:3(3/8,0/8,-/8)`.
    parse_gres_used reads it back.
    """

def grant_of(node: trestle.Node, placement: trestle.NodePlacement) -> NodeGrant:
    """
    The placement in Slurm's words; it is charged for the threads that it uses (threads_of).
    Requires: cores and devices exist on the node.
    """

class ArrayElement:
    """One task of a job array."""

    def __init__(self, array_id: int = 0, task_id: int = 0, array: JobArray = JobArray()) -> None: ...

    @property
    def array_id(self) -> int:
        """the job id of the array (int)"""

    @property
    def task_id(self) -> int:
        """int"""

    @property
    def array(self) -> JobArray:
        """with at least one task (JobArray)"""

    def replace(self, *, array_id: int = ..., task_id: int = ..., array: JobArray = ...) -> ArrayElement:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ArrayElement: ...

    def __deepcopy__(self, memo: object) -> ArrayElement: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class JobContext:
    """A job that has its nodes."""

    def __init__(self, id: int = 0, options: JobOptions = JobOptions(), nodes: Iterable[NodeGrant] = (), array_element: ArrayElement | None = None, packs_nodes: bool = False) -> None: ...

    @property
    def id(self) -> int:
        """int"""

    @property
    def options(self) -> JobOptions:
        """
        Settled, with what the controller has changed. Of a step ntasks is always known. (JobOptions)
        """

    @property
    def nodes(self) -> tuple[NodeGrant, ...]:
        """in the order of the nodes; one or more (each: NodeGrant)"""

    @property
    def array_element(self) -> ArrayElement | None:
        """ArrayElement, or None"""

    @property
    def packs_nodes(self) -> bool:
        """CR_PACK_NODES: a node is filled before the next one (bool)"""

    def replace(self, *, id: int = ..., options: JobOptions = ..., nodes: Iterable[NodeGrant] = ..., array_element: ArrayElement | None = ..., packs_nodes: bool = ...) -> JobContext:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobContext: ...

    def __deepcopy__(self, memo: object) -> JobContext: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class TaskContext:
    """One task of a step."""

    def __init__(self, node: int = 0, task: int = 0, local: int = 0, cpus: Iterable[trestle.PuSet] = (), gpus: trestle.SmallSet = trestle.SmallSet()) -> None: ...

    @property
    def node(self) -> int:
        """a position in JobContext::nodes (int)"""

    @property
    def task(self) -> int:
        """in the step, from 0 (int)"""

    @property
    def local(self) -> int:
        """among those on its node, a position in `cpus` (int)"""

    @property
    def cpus(self) -> tuple[trestle.PuSet, ...]:
        """
        The CPUs, as the kernel numbers them, of each task of the step on this node. (each: PuSet)
        """

    @property
    def gpus(self) -> trestle.SmallSet:
        """the step's on this node, by index (SmallSet)"""

    def replace(self, *, node: int = ..., task: int = ..., local: int = ..., cpus: Iterable[trestle.PuSet] = ..., gpus: trestle.SmallSet = ...) -> TaskContext:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TaskContext: ...

    def __deepcopy__(self, memo: object) -> TaskContext: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def tasks_per_node(job: JobContext) -> tuple[int, ...]:
    """
    How many tasks the clients deal to each node: one a node in turn while it has CPUs for one more,
    then regardless of CPUs; planes where -m plane=n asks for them; with packs_nodes as many to one
    node as it has CPUs for. Without a number of tasks as many as there are CPUs for. A task has one
    CPU at least. Requires: there is a node. Complexity: n log c in the nodes and their CPUs,
    however many tasks there are.
    """

def job_environment(job: JobContext) -> tuple[trestle.EnvironmentVariable, ...]:
    """
    What is the same on all nodes: SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_NODELIST,
    SLURM_JOB_NUM_NODES, SLURM_NNODES, SLURM_TASKS_PER_NODE, SLURM_JOB_CPUS_PER_NODE, then, where
    they were asked for, SLURM_NTASKS, SLURM_NTASKS_PER_NODE, _PER_SOCKET and _PER_CORE,
    SLURM_CPUS_PER_TASK, SLURM_DISTRIBUTION, SLURM_MEM_PER_NODE, _CPU or _GPU (MiB), and of an array
    SLURM_ARRAY_JOB_ID, _TASK_ID, _TASK_COUNT, _TASK_MIN, _TASK_MAX. In this order. Names of nodes
    may be any text (node_list_text). Requires: there is a node; the array has a task.
    Complexity: as tasks_per_node; linear in the ids of an array where ranges with steps overlap.
    """

def node_environment(job: JobContext, node: int) -> tuple[trestle.EnvironmentVariable, ...]:
    """
    What differs between nodes: SLURM_NODEID, SLURM_CPUS_ON_NODE and, where the job has such,
    SLURM_JOB_GPUS, SLURM_GPUS_ON_NODE, SLURM_SHARDS_ON_NODE. Requires: node < job.nodes.size().
    """

def task_environment(task: TaskContext) -> tuple[trestle.EnvironmentVariable, ...]:
    """
    What differs between tasks: SLURM_PROCID, SLURM_LOCALID, SLURM_CPU_BIND
    (`quiet,mask_cpu:0x3,0xc`, a mask for each task of the node) and SLURM_STEP_GPUS.
    """

class TaskUsage:
    """
    What one task used. Where a step's tasks share a group, the step is one task.
    """

    def __init__(self, node: str = '', task: int = 0, usage: trestle.Usage = trestle.Usage()) -> None: ...

    @property
    def node(self) -> str:
        """str"""

    @property
    def task(self) -> int:
        """int"""

    @property
    def usage(self) -> trestle.Usage:
        """Usage"""

    def replace(self, *, node: str = ..., task: int = ..., usage: trestle.Usage = ...) -> TaskUsage:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TaskUsage: ...

    def __deepcopy__(self, memo: object) -> TaskUsage: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class StepUsage:
    """What a step used."""

    def __init__(self, job_id: str = '', cpus: int = 0, elapsed: int | None = None, energy: int | None = None, tasks: Iterable[TaskUsage] = ()) -> None: ...

    @property
    def job_id(self) -> str:
        """as it is printed: `7.0`, `7.batch` (str)"""

    @property
    def cpus(self) -> int:
        """of the step, all nodes together (int, a count)"""

    @property
    def elapsed(self) -> int | None:
        """int, microseconds, or None"""

    @property
    def energy(self) -> int | None:
        """int, microjoules, or None"""

    @property
    def tasks(self) -> tuple[TaskUsage, ...]:
        """each: TaskUsage"""

    def replace(self, *, job_id: str = ..., cpus: int = ..., elapsed: int | None = ..., energy: int | None = ..., tasks: Iterable[TaskUsage] = ...) -> StepUsage:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> StepUsage: ...

    def __deepcopy__(self, memo: object) -> StepUsage: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class UsageField:
    """A field of sstat or sacct."""

    def __init__(self, name: str = '', text: str = '') -> None: ...

    @property
    def name(self) -> str:
        """`AveCPU` (str)"""

    @property
    def text(self) -> str:
        """empty: not known (str)"""

    def replace(self, *, name: str = ..., text: str = ...) -> UsageField:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> UsageField: ...

    def __deepcopy__(self, memo: object) -> UsageField: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def usage_fields(step: StepUsage) -> tuple[UsageField, ...]:
    """
    All fields in the order of their names. Averages and sums need the number of every task, minima
    and maxima are over the tasks that tell; of equals the first task counts. AllocCPUS, CPUTime and
    Elapsed are the step's. AveVMSize, MaxVMSize, AvePages, MaxPages and AveCPUFreq, which no cgroup
    counts, are always empty.
    """

def usage_line(step: StepUsage, format: str) -> str:
    """
    The fields of `format`, as sacct -P prints them: `7.0|00:00:02|256M` for
    `JobID,AveCPU,MaxRSS`. Names in any case. Errors: InvalidArgument that names the nearest field.
    """

def cpu_time_text(time: int) -> str:
    """
    `00:02:10`, `02:05.250` with a rest below a second and less than an hour, `1-02:03:04`.
    """

def amount_text(bytes: int) -> str:
    """
    `0`, `1000`, `10356K`, `256M`, `2.50G`: larger units as long as nothing is lost, where a half is
    nothing.
    """

def disk_text(bytes: int) -> str:
    """`0`, `0.06M`, `16M`, `1.50G`: disk fields of sacct."""

def energy_text(energy: int) -> str:
    """Joules, in thousands from 1000 on: `950`, `1.50K`, `2M`."""

class JobId:
    """A job, or tasks of an array. A list of one task is that task."""

    def __init__(self, job: int = 1, tasks: JobArray | None = None) -> None: ...

    @property
    def job(self) -> int:
        """not 0; of an array the id that it was given as a whole (int)"""

    @property
    def tasks(self) -> JobArray | None:
        """absent: the job, or all of the array (JobArray, or None)"""

    def replace(self, *, job: int = ..., tasks: JobArray | None = ...) -> JobId:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> JobId: ...

    def __deepcopy__(self, memo: object) -> JobId: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def parse_job_id(text: str) -> JobId:
    """The same. Errors: InvalidArgument with offset and token."""

def tasks_in(id: JobId) -> int:
    """
    How many tasks of the array it names, each once; 1 for a job without tasks.
    Complexity: n log n in the tasks.
    """

class State(enum.Enum):
    """The state of a job, by the words of squeue and sacct."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    PENDING = 0

    RUNNING = 1

    SUSPENDED = 2

    COMPLETING = 3

    COMPLETED = 4

    CANCELLED = 5

    FAILED = 6

    TIMEOUT = 7

    NODE_FAIL = 8

    PREEMPTED = 9

    OUT_OF_MEMORY = 10

class EndCause(enum.Enum):
    """Who ended a job, if not the job itself."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    none = 0

    user = 1

    time_limit = 2

    preemption = 3

    node = 4

class Reason(enum.Enum):
    """Why a job waits, by the words of squeue."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    none = 0

    Resources = 1

    PartitionConfig = 2

    PartitionNodeLimit = 3

    PartitionTimeLimit = 4

    PartitionDown = 5

    PartitionInactive = 6

    ReqNodeNotAvail = 7

    Licenses = 8

def short_text(state: State) -> str:
    """`PD`, `R`, `S`, `CG`, `CD`, `CA`, `F`, `TO`, `NF`, `PR`, `OOM`."""

def parse_state(text: str) -> State:
    """
    A state by its word or its short form, in any case; what follows a blank or `+` is passed over,
    as in `CANCELLED by 1000`. Errors: InvalidArgument that names the nearest word.
    """

@overload
def state_of(outcome: trestle.Outcome, cause: EndCause = EndCause.none) -> State:
    """
    The state of a job that ended so. Who was out of memory was, whoever ended the rest of it.
    """

@overload
def state_of(end: trestle.JobEnd) -> State:
    """
    The same for a job that an EndSequence ended. A shutdown is the node's going.
    """

def exit_code_text(outcome: trestle.Outcome) -> str:
    """
    `code:signal`: `0:0`, `3:0`, `0:9`, and `0:125` for a job that was killed for memory.
    """

def parse_exit_code(text: str) -> trestle.Outcome:
    """
    The same read back. Errors: InvalidArgument for another form, a code above 255 or a signal above
    127.
    """

def reason_of(partition: trestle.Partition, request: trestle.Request, refusal: trestle.Refusal) -> Reason:
    """
    The word for a refusal of the allocator to a job of the partition: for one of the partition what
    refuse() found, Licenses for counts of the cluster, ReqNodeNotAvail where nodes are named and do
    not take work, else Resources.
    """

def duration_text(duration: int | None | None) -> str:
    """
    `00:05:00`, `1-00:00:00`: with days from a day on; `UNLIMITED` without a limit. read_time reads
    it back, rounded up to minutes.
    """

class Answer(enum.Enum):
    """
    What becomes of a job: it has its resources, it waits for them, or it is turned down.
    """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    allocated = 0

    pending = 1

    refused = 2

class TypedCounts(enum.Enum):
    """Which devices count under their type."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    by_device = 0
    """all of that type"""

    by_request = 1
    """Slurm's way: those of types that the request names"""

class TresRules:
    """How jobs are counted and billed."""

    def __init__(self, tracked: Iterable[trestle.Tres] = (), typed: TypedCounts = TypedCounts.by_device, weights: BillingWeights = BillingWeights(), billing_rule: BillingRule = BillingRule.sum) -> None: ...

    @property
    def tracked(self) -> tuple[trestle.Tres, ...]:
        """beside cpu, mem, node and billing (each: Tres)"""

    @property
    def typed(self) -> TypedCounts:
        """TypedCounts"""

    @property
    def weights(self) -> BillingWeights:
        """BillingWeights"""

    @property
    def billing_rule(self) -> BillingRule:
        """BillingRule"""

    def replace(self, *, tracked: Iterable[trestle.Tres] = ..., typed: TypedCounts = ..., weights: BillingWeights = ..., billing_rule: BillingRule = ...) -> TresRules:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> TresRules: ...

    def __deepcopy__(self, memo: object) -> TresRules: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def tres_rules_of(parameters: ClusterParameters, partition: PartitionLine, typed: TypedCounts = TypedCounts.by_device) -> TresRules:
    """
    The rules of a cluster and one of its partitions. Weights get the names that are tracked,
    which case does not tell apart: `GRES/gpu=5` weighs what is tracked as `gres/GPU`.
    """

def granted_tres(grants: Iterable[NodeGrant], asked: JobOptions, licenses: Iterable[trestle.ClusterCount], rules: TresRules) -> trestle.TresCounts:
    """
    What the grants count as: cpu, mem, node, tracked devices and licences, none of them with 0, and
    billing. Names and types of devices and licences are compared without case, and the tracked ones
    are in the result; sums stop at the largest count. By request a typed TRES counts where `asked`
    names the type, and where only typed ones of a name are tracked the first of them stands for an
    untyped request.
    """

class JobSharing(enum.Enum):
    """OverSubscribe of a job: who else may be on its nodes."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    OK = 0

    NO = 1

    YES = 2

    USER = 3

    MCS = 4

class ClientView:
    """
    What clients of Slurm are told of a job, where that is not what it is charged for or said.
    """

    def __init__(self, cpus: Iterable[int] = (), cpus_per_task: int = 1, mem_per_cpu: int | None = None, least_per_cpu: int | None = None, least_per_gpu: int | None = None, least_per_node: int | None = None, time: TimeLimit = TimeLimit(), sharing: JobSharing = JobSharing.OK, packs_nodes: bool = False) -> None: ...

    @property
    def cpus(self) -> tuple[int, ...]:
        """
        CPUs of each grant: those of its ids, one of each core where jobs use one thread of a core,
        all of the node but those of --thread-spec; under CR_CPU what is charged. (each: int, a count)
        """

    @property
    def cpus_per_task(self) -> int:
        """as its memory or its devices by task raised them (int, a count)"""

    @property
    def mem_per_cpu(self) -> int | None:
        """
        of a job that asked for it: what MaxMemPerCPU left (int, bytes, or None)
        """

    @property
    def least_per_cpu(self) -> int | None:
        """
        What it has to have in its partition, which may be a default: by CPU, by GPU or by node.
        None of them: all memory of a node. Where memory is not counted it is what the job said. (int, bytes, or None)
        """

    @property
    def least_per_gpu(self) -> int | None:
        """int, bytes, or None"""

    @property
    def least_per_node(self) -> int | None:
        """int, bytes, or None"""

    @property
    def time(self) -> TimeLimit:
        """its own, or that of the partition (TimeLimit)"""

    @property
    def sharing(self) -> JobSharing:
        """JobSharing"""

    @property
    def packs_nodes(self) -> bool:
        """CR_PACK_NODES: a node is filled before the next one (bool)"""

    def replace(self, *, cpus: Iterable[int] = ..., cpus_per_task: int = ..., mem_per_cpu: int | None = ..., least_per_cpu: int | None = ..., least_per_gpu: int | None = ..., least_per_node: int | None = ..., time: TimeLimit = ..., sharing: JobSharing = ..., packs_nodes: bool = ...) -> ClientView:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ClientView: ...

    def __deepcopy__(self, memo: object) -> ClientView: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Decision:
    """The answer to one job."""

    def __init__(self, answer: Answer = Answer.refused, reason: Reason = Reason.none, message: str = '', partition: str = '', placement: trestle.Placement = trestle.Placement(), grants: Iterable[NodeGrant] = (), options: JobOptions = JobOptions(), warnings: Iterable[str] = (), owner: int | None = None, req_tres: trestle.TresCounts = trestle.TresCounts(), tres: trestle.TresCounts = trestle.TresCounts(), client: ClientView = ClientView()) -> None: ...

    @property
    def answer(self) -> Answer:
        """Answer"""

    @property
    def reason(self) -> Reason:
        """of a job that waits (Reason)"""

    @property
    def message(self) -> str:
        """why a job waits or was refused, in words; else empty (str)"""

    @property
    def partition(self) -> str:
        """where the job is allocated or waits; empty: nowhere (str)"""

    @property
    def placement(self) -> trestle.Placement:
        """
        Of an allocated job. Cores of the system that --core-spec gives to a job are in `grants`
        alone, as nobody can have them here. (Placement)
        """

    @property
    def grants(self) -> tuple[NodeGrant, ...]:
        """
        The same in Slurm's words, by node. `cpus` is what the job is charged for. (each: NodeGrant)
        """

    @property
    def options(self) -> JobOptions:
        """as settled; of a refused job nothing (JobOptions)"""

    @property
    def warnings(self) -> tuple[str, ...]:
        """what was changed or not looked at, although it was said (each: str)"""

    @property
    def owner(self) -> int | None:
        """
        who has it, once a controller has committed it (int, the caller's number of an owner, or None)
        """

    @property
    def req_tres(self) -> trestle.TresCounts:
        """what it asks for; of a refused job nothing (TresCounts)"""

    @property
    def tres(self) -> trestle.TresCounts:
        """what an allocated job was given (TresCounts)"""

    @property
    def client(self) -> ClientView:
        """of an allocated job: what its environment is made of (ClientView)"""

    def replace(self, *, answer: Answer = ..., reason: Reason = ..., message: str = ..., partition: str = ..., placement: trestle.Placement = ..., grants: Iterable[NodeGrant] = ..., options: JobOptions = ..., warnings: Iterable[str] = ..., owner: int | None = ..., req_tres: trestle.TresCounts = ..., tres: trestle.TresCounts = ..., client: ClientView = ...) -> Decision:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Decision: ...

    def __deepcopy__(self, memo: object) -> Decision: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """
        The decision in plain Python: status, and for an allocation num_nodes, num_cpus, num_tasks, cpus_per_task, over_subscribe, node_list, tres, nodes (cpu_ids, mem_mb, gres), raw lines of scontrol and env; else reason or error; req_tres unless it was refused. What nobody tracks is not in tres.
        """

def show_job(decision: Decision) -> str:
    """
    Lines of `KEY=VALUE` words, each with its end, in the order and with the words of Slurm 22.05:
    what it was asked, decided and given. Keys that speak of users, clocks, paths and the batch host
    are left out, as are the conditions that nobody looks at (--dependency, --begin). A key whose
    option was not given has what Slurm prints for that: `(null)`, `*`, `N/A`. MinMemoryCPU= or
    MinMemoryNode= is what the job has to have in its partition, also by default; where memory goes
    by GPU, and where a job has all of a node, that is MinMemoryNode=0. JobId is that of the
    owner; 0 before there is one. A refused job is none: the message alone.
    """

def cpu_count_of(decision: Decision) -> int:
    """
    CPUs that the job is charged for, on all nodes; of a job that waits those it asks for.
    """

def task_count_of(decision: Decision) -> int:
    """Tasks on all nodes; of a job that waits those it asks for."""

def job_context(decision: Decision, id: int = 0) -> JobContext:
    """
    What job_environment() makes the variables of an allocated job of. Checked against what clients
    of Slurm 22.05 set. Requires: the decision's `client` is of its grants.
    """

class SlurmVersion(enum.Enum):
    """Whose habits are followed."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    v22_05 = 0

class SelectRules:
    """What the choice depends on beside the cluster."""

    def __init__(self, parameters: ClusterParameters = ClusterParameters(), partitions: Iterable[PartitionLine] = (), node_order: Iterable[int] = (), default_topology: str = '', version: SlurmVersion = SlurmVersion.v22_05, typed: TypedCounts = TypedCounts.by_device) -> None: ...

    @property
    def parameters(self) -> ClusterParameters:
        """ClusterParameters"""

    @property
    def partitions(self) -> tuple[PartitionLine, ...]:
        """by name those of the cluster (each: PartitionLine)"""

    @property
    def node_order(self) -> tuple[int, ...]:
        """
        Nodes in the order of their names, numbers in them by value (n2 before n10), which is
        Slurm's order of nodes. Empty: the cluster's own order is that. (each: int, position of a node)
        """

    @property
    def default_topology(self) -> str:
        """
        The topology of partitions that name none (BuiltCluster::default_topology). Empty: the first
        tree of the cluster. (str)
        """

    @property
    def version(self) -> SlurmVersion:
        """SlurmVersion"""

    @property
    def typed(self) -> TypedCounts:
        """devices that count under their types (TypedCounts)"""

    def replace(self, *, parameters: ClusterParameters = ..., partitions: Iterable[PartitionLine] = ..., node_order: Iterable[int] = ..., default_topology: str = ..., version: SlurmVersion = ..., typed: TypedCounts = ...) -> SelectRules:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> SelectRules: ...

    def __deepcopy__(self, memo: object) -> SelectRules: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def select_rules_of(conf: SlurmConf, cluster: trestle.Cluster) -> SelectRules:
    """
    The rules of a configuration and of the cluster that build_cluster made of it; which topology is
    the default one stands in BuiltCluster.
    Complexity: n log n in the nodes.
    """

def select(cluster: trestle.Cluster, options: JobOptions, rules: SelectRules) -> Decision:
    """
    What Slurm would answer to the job now. Options need not be settled.

    allocated: `placement` can be committed, its cores and devices by Slurm's order.
    pending: with Resources when an emptier cluster could serve it (cores, devices and memory of the
    nodes chosen are not tried, as Slurm does not), ReqNodeNotAvail when it names a node that takes
    no work, PartitionConfig or PartitionTimeLimit when the partition's limits forbid it,
    PartitionDown, Licenses.
    refused: options that settle() refuses, names that are not there, what no nodes can serve.

    Beyond the recorded rules:
    - MinNodes raises the nodes of a job, MaxCPUsPerSocket bounds what the partition's jobs have of
    each socket. A slurmctld 22.05 does not start with that key, which is of 23.02.
    - --overcommit takes CPUs as for one task a node; devices are still one for each that asks.
    - Jobs share cores where OverSubscribe=FORCE, or YES and --oversubscribe: first those that
    nobody has, then row by row of their partition (NodePlacement::row). On one node jobs either
    share or have their cores alone. Rows stay as they are when jobs end, where Slurm packs them
    anew, and partitions of a lower PriorityTier are not looked through.
    - pack_serial_at_end, spec_cores_first, LL_SHARED_GRES and ENFORCE_BINDING_GRES are followed.
    CR_PACK_NODES changes nothing here: it is about tasks that start (JobContext::packs_nodes).
    - RestrictedCoresPerGPU: cores that GPUs keep are busy for jobs that ask for no GPU and no part
    of one; other jobs have no more of them than their GPUs on the node bring, and those GPUs
    first.
    - Of one node some GPUs may have files and others none: those with files are given first.
    - --gres-flags=one-task-per-sharing is refused without MULTIPLE_SHARING_GRES_PJ.
    - --prefer is tried before --constraint, and instead of it.
    - DefCpuPerGPU counts as --cpus-per-gpu where neither that nor CPUs of a task nor
    --ntasks-per-gpu were said, DefMemPerGPU as --mem-per-gpu where no memory was; those of the
    partition go before the cluster's, and DefMemPerGPU before DefMemPerCPU and DefMemPerNode.
    - Whole nodes come with all GRES, bare numbers too, but without those of Flags=explicit that the
    job does not ask for.
    - Of several partitions EnforcePartLimits=ALL wants the limits of each to hold, ANY those of
    one.
    - A partition's jobs are placed in the tree that its Topology= names.
    - select/linear knows GRES by node alone: --gpus, --gpus-per-socket, --gpus-per-task,
    --tres-per-task, --ntasks-per-gpu, --cpus-per-gpu and --mem-per-gpu are refused there.

    Not looked at, and named in `warnings` where it would matter: --nodefile,
    --distribution=arbitrary, lists of numbers of nodes, --segment, --reservation, --exclusive=user,
    mcs and topo, licences of --tres-per-task, one or several tasks on parts of a GPU, --begin,
    --dependency, --hold; ExclusiveUser and ExclusiveTopo of the partition, select/linear (whose
    nodes are whole), CR_Memory alone, topologies other than trees, TopologyParam=Dragonfly,
    preemption.

    Requires: partitions of the rules are the cluster's. Complexity: a choice is n log n in the
    nodes, of which each costs little; nodes alike in description and in what is free of them are
    looked at once. There may be many choices: Slurm's rules begin with the nodes of the least
    weight and add weight after weight, and where such a group gives enough in sum and still no
    choice succeeds, it is tried again without those that have least, size after size. Groups that
    give too little cost nothing but their sum. Required nodes (-w) and leaf switches count once
    more each. Each group of neighbours that is taken is compared with all others of its weight that
    have the CPUs still needed: with all of them, where nodes or devices are missing and no CPUs.
    For one job after another a Selector is faster, which looks at the nodes once.
    """

class Selector:
    """
    select() that remembers the cluster it looked at, for many jobs on one cluster. No answer depends on what was asked before.
    """

    def __init__(self, rules: SelectRules) -> None: ...

    @property
    def rules(self) -> SelectRules: ...

    def select(self, cluster: trestle.Cluster, options: JobOptions) -> Decision:
        """
        What select(cluster, options, rules()) answers.
        Requires: as select(). Complexity: a choice is n log n in the runs of neighbouring nodes in
        one state; how many choices there are, and when runs are compared with each other, is as
        select() says. Beside that it is linear in the nodes
        when the cluster changed, and n log n when its description did.
        """

class Controller:
    """
    A slurmctld as a value: a cluster from configuration files, jobs submitted as text, answered as Slurm answers.

    Changes: submit, submit_all, adopt, release, shrink, grow. A copy is independent of the original.
    """

    def __init__(self, slurm_conf: str, gres_conf: str = '', topology_conf: str = '', topology_yaml: str = '', typed_counts: TypedCounts = TypedCounts.by_device) -> None:
        """
        An idle cluster; `typed`: which devices count under their types. Errors: those of
        parse_cluster().
        """

    @staticmethod
    def load(directory: str, typed_counts: TypedCounts = TypedCounts.by_device) -> Controller:
        """
        The controller of such a folder. Errors: those of load_cluster() and Controller::of().
        """

    @overload
    def submit(self, options: str) -> Decision:
        """
        Answers to a job given by its options, as sbatch's, and gives it what it was allocated; the
        owner is the next number that was never used. Text that cannot be read is refused with the
        reader's message. Errors: InvalidArgument for a job of several components. Nothing changes
        unless the answer is allocated.
        """

    @overload
    def submit(self, options: JobOptions) -> Decision:
        """The same for options that were read, as those of a script."""

    @overload
    def submit_all(self, options: str) -> tuple[Decision, ...]:
        """
        Answers to a heterogeneous job, whose components stand apart by `:`, component by component:
        each is chosen as a job of its own, with an owner of its own, beside those before it. All
        are allocated or none: where one waits the others wait without a reason, where one is
        refused all are; `message` names the component. Nothing is tried in another order. Text that
        cannot be read is one refused component. Nothing changes unless all are allocated.
        """

    @overload
    def submit_all(self, submission: Submission) -> tuple[Decision, ...]:
        """The same for components that were read, as those of a script."""

    def job(self, owner: Decision | int) -> trestle.JobState:
        """
        What the owner has, as a job without steps, to be resized below. Errors: NotFound when the
        owner has nothing.
        """

    def grants(self, owner: Decision | int) -> tuple[NodeGrant, ...]:
        """
        What the owner has of each node, in Slurm's words; it is charged for all threads. Errors:
        NotFound when the owner has nothing.
        """

    def shrink(self, job: trestle.JobState, keep: Hostlist) -> None:
        """
        Takes back all that a running job has on other nodes than these (scontrol update NodeList=);
        what it has on them stays as it is, and so do its licences. Errors: InvalidArgument for no
        nodes, or one that is not the job's; FailedPrecondition while a step runs on a node that
        would go, and for a job that is not what its owner has. Nothing changes then.
        """

    def grow(self, job: trestle.JobState, other: trestle.JobState) -> None:
        """
        Gives all that another job has to this one, which may have part of the same nodes already;
        the other has nothing then (--dependency=expand and scontrol update NumNodes=0). No device
        is chosen anew. Errors: InvalidArgument for a job and itself; FailedPrecondition while a
        step of the other runs, for jobs that are not what their owners have, and for cores that are
        used otherwise (Cluster::extend). Nothing changes then.
        """

    def adopt(self, grants: Iterable[NodeGrant] | dict[str, Any], partition: str = '') -> int:
        """
        Enters an allocation as it was recorded: NodeGrants, or a dict as to_dict() or a recording gives it, and returns its owner. Nothing is asked about it; a partition is that of the job, without a name the default one. Errors: ValueError for what does not exist and for a dict that is none of these, by key; Error for what somebody has. Nothing changes then.
        """

    def release(self, owner: Decision | int) -> None:
        """Takes everything back. Errors: NotFound when the owner has nothing."""

    def cluster(self) -> trestle.Cluster:
        """What is there and who has it."""

    def rules(self) -> SelectRules:
        """What the choice depends on."""

    def warnings(self) -> tuple[ConfWarning, ...]:
        """What of the files was not used."""

    def __copy__(self) -> Controller: ...

    def __deepcopy__(self, memo: object) -> Controller: ...

    def __repr__(self) -> str: ...

def differences() -> list[dict[str, str]]:
    """
    Where this library and Slurm part: topic, what Slurm does, what is done here, what select() does, and the test that holds to it.
    """

def differences_text() -> str:
    """The table in Markdown."""
