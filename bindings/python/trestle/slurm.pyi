"""Slurm: options, node and GRES configuration."""

from collections.abc import Iterable
import enum

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
        Runs that the list may have, and names that a bracket stands for which are written out for
        it: where digits or another bracket follow, or digits go before. (int)
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
        number of digits, by the number. Complexity: n log n in the runs.
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
    twice.
    """

def amend_tres(counts: trestle.TresCounts, text: str, ids: TresIds = ...) -> trestle.TresCounts:
    """
    The counts changed by a list of `name=n`, `name+=n`, `name-=n` and `name=-1`, which takes the
    entry away, from the left. What is not there counts as 0; sums stay between 0 and the largest
    count. Errors: as parse_tres, but a name may stand more than once.
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

def exceeds(limit: trestle.TresCounts, used: trestle.TresCounts, asked: trestle.TresCounts) -> TresExcess | None:
    """
    The first TRES, in Slurm's order, of which more would be used than its limit; nothing when there
    is none. A TRES without an entry in `limit` has no limit.
    """

def parse_billing_weights(text: str) -> BillingWeights:
    """
    Weights by name, whatever the case of its type; a unit behind one (K, M, G, T, P) divides it:
    `Mem=0.25G` is a quarter for each GiB. Errors: as parse_tres; a weight that is no number.
    """

def billing_of(weights: BillingWeights, counts: trestle.TresCounts, rule: BillingRule = BillingRule.sum) -> int:
    """
    What the counts are billed, cut to a whole number: nothing is 0, without weights the CPUs. A
    maximum is at least 0, and so is what is billed; `billing` itself is not billed.
    """

class GresDetail:
    """
    A GRES with the tails of a printed one. Both sets are empty when the text has none.
    """

    def __init__(self, gres: trestle.Gres = trestle.Gres(), indexes: trestle.SmallSet = trestle.SmallSet(), sockets: trestle.SmallSet = trestle.SmallSet()) -> None: ...

    @property
    def gres(self) -> trestle.Gres:
        """Gres"""

    @property
    def indexes(self) -> trestle.SmallSet:
        """
        `(IDX:0-1)`: which devices of the name; as many as the count (SmallSet)
        """

    @property
    def sockets(self) -> trestle.SmallSet:
        """`(S:0-1)`: the sockets near them (SmallSet)"""

    def replace(self, *, gres: trestle.Gres = ..., indexes: trestle.SmallSet = ..., sockets: trestle.SmallSet = ...) -> GresDetail:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GresDetail: ...

    def __deepcopy__(self, memo: object) -> GresDetail: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GresLine:
    """One line of gres.conf. Without a name it only carries AutoDetect."""

    def __init__(self, line: int = 0, nodes: Iterable[str] = (), name: str = '', type: str = '', files: Iterable[str] = (), is_one_device: bool = False, count: int = 1, cores: trestle.CoreSet | None = None, links: Iterable[int] = (), flags: Iterable[str] = (), autodetect: str = '') -> None: ...

    @property
    def line(self) -> int:
        """where it stands (int)"""

    @property
    def nodes(self) -> tuple[str, ...]:
        """empty: every node (each: str)"""

    @property
    def name(self) -> str:
        """lower or upper case as written; compared without case (str)"""

    @property
    def type(self) -> str:
        """str"""

    @property
    def files(self) -> tuple[str, ...]:
        """one device each, unless is_one_device (each: str)"""

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
    def flags(self) -> tuple[str, ...]:
        """as Slurm spells them (each: str)"""

    @property
    def autodetect(self) -> str:
        """carried: nothing here detects (str)"""

    def replace(self, *, line: int = ..., nodes: Iterable[str] = ..., name: str = ..., type: str = ..., files: Iterable[str] = ..., is_one_device: bool = ..., count: int = ..., cores: trestle.CoreSet | None = ..., links: Iterable[int] = ..., flags: Iterable[str] = ..., autodetect: str = ...) -> GresLine:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GresLine: ...

    def __deepcopy__(self, memo: object) -> GresLine: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class NodeLine:
    """What one NodeName line says of all the nodes that it names."""

    def __init__(self, line: int = 0, names: Iterable[str] = (), sockets: int = 1, cores_per_socket: int = 1, threads_per_core: int = 1, memory: int = 1048576, tmp_disk: int = 0, weight: int = 1, features: Iterable[str] = (), gres: Iterable[trestle.Gres] = (), state: trestle.NodeState = trestle.NodeState.up) -> None: ...

    @property
    def line(self) -> int:
        """where it stands (int)"""

    @property
    def names(self) -> tuple[str, ...]:
        """brackets expanded (each: str)"""

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
    def tmp_disk(self) -> int:
        """int, bytes"""

    @property
    def weight(self) -> int:
        """int"""

    @property
    def features(self) -> tuple[str, ...]:
        """each: str"""

    @property
    def gres(self) -> tuple[trestle.Gres, ...]:
        """each: Gres"""

    @property
    def state(self) -> trestle.NodeState:
        """DRAIN is drained; DOWN, FAIL and FUTURE are down (NodeState)"""

    def replace(self, *, line: int = ..., names: Iterable[str] = ..., sockets: int = ..., cores_per_socket: int = ..., threads_per_core: int = ..., memory: int = ..., tmp_disk: int = ..., weight: int = ..., features: Iterable[str] = ..., gres: Iterable[trestle.Gres] = ..., state: trestle.NodeState = ...) -> NodeLine:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> NodeLine: ...

    def __deepcopy__(self, memo: object) -> NodeLine: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class ParsedOptions:
    """What the options of srun, sbatch or salloc say."""

    def __init__(self, request: trestle.Request = trestle.Request(), command: Iterable[str] = (), wants_all_memory: bool = False) -> None: ...

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

    def replace(self, *, request: trestle.Request = ..., command: Iterable[str] = ..., wants_all_memory: bool = ...) -> ParsedOptions:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> ParsedOptions: ...

    def __deepcopy__(self, memo: object) -> ParsedOptions: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def parse_options(arguments: Iterable[str]) -> ParsedOptions:
    """
    Reads `--x=v`, `--x v`, `-xv` and `-x v`; the last of a repeated option wins.

    Without -N a job of n tasks accepts 1 to n nodes; with fewer tasks than nodes it takes as many
    nodes as tasks, as srun does. Without -n there is one task a node.

    Errors: InvalidArgument in one line that names the option, the offset in its value and what was
    expected; for an unknown option the nearest known one; for two options that exclude each other
    (--mem and --mem-per-cpu; GPUs by more than one of --gres, --gpus, --gpus-per-node) both.
    """

def parse_gres(text: str) -> tuple[trestle.Gres, ...]: ...

def parse_gres_details(text: str) -> tuple[GresDetail, ...]: ...

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

def parse_node_line(text: str) -> NodeLine:
    """
    One NodeName line. Errors: as above, or when there is none or more than one.
    """

def parse_node_conf(text: str) -> tuple[NodeLine, ...]:
    """
    The same, where one error is enough. Errors: InvalidArgument with the first one,
    `slurm.conf line 3: ... (and 2 more)`.
    """

def parse_gres_conf(text: str) -> tuple[GresLine, ...]:
    """
    The same, where one error is enough. Errors: InvalidArgument with the first one,
    `gres.conf line 3: ... (and 2 more)`.
    """

def parse_nodes(node_conf: str, gres_conf: str = '') -> tuple[trestle.Node, ...]:
    """
    The nodes that the texts describe. Errors: the first of parse_node_conf, parse_gres_conf and
    build_nodes, naming the file.
    """

def job_environment(job_id: int, request: trestle.Request, node: trestle.Node, placement: trestle.NodePlacement) -> tuple[trestle.EnvironmentVariable, ...]:
    """
    SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_JOB_NUM_NODES, SLURM_NTASKS, SLURM_CPUS_PER_TASK,
    SLURM_CPUS_ON_NODE, then SLURM_MEM_PER_NODE or SLURM_MEM_PER_CPU (MiB, when memory was asked
    for) and, when GPUs were given, SLURM_JOB_GPUS and SLURM_GPUS_ON_NODE. In this order.
    Requires: the placement is of this node. For jobs of one node.
    """

def job_detail(node: trestle.Node, placement: trestle.NodePlacement) -> str:
    """
    `Nodes=n1 CPU_IDs=0-7 Mem=32768 GRES=gpu:a100:2(IDX:0-1)`. Mem is MiB, rounded up; counters
    print as `name(CNT:n)`. Requires: cores and devices exist on the node.
    """

def strip_comment(line: str) -> str:
    """
    `line` up to the first `#` that is neither quoted nor escaped by a backslash, without trailing
    blanks: `--gres=gpu:2  # any type` is `--gres=gpu:2`. Give it what follows `#SBATCH`.
    """
