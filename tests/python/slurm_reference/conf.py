# SPDX-License-Identifier: Apache-2.0
"""Model lines of slurm.conf, gres.conf and topology.conf as plain values.

Only the keys that occur in the recordings are read. Cores are numbered as Slurm's abstract
ids: core = socket * cores_per_socket + position; cpu id = core * threads + thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SHARED_NAMES = ("shard", "mps")
_SUFFIX = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50}


def expand(text: str) -> list[str]:
    """Hostlist text such as ``n[0-3,7],x`` as names in order."""
    names: list[str] = []
    for item in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        head, bracket, rest = item.partition("[")
        if not bracket:
            names.append(head)
            continue
        for part in rest.rstrip("]").split(","):
            low, _, high = part.partition("-")
            for value in range(int(low), int(high or low) + 1):
                names.append(f"{head}{value:0{len(low)}d}")
    return names


def count_of(text: str) -> int:
    """A count with an optional binary suffix (``4G``)."""
    match = re.fullmatch(r"(\d+)([kKmMgGtTpP]?)", text)
    if match is None:
        raise ValueError(text)
    return int(match[1]) * _SUFFIX[match[2].lower()]


def indexes(text: str) -> list[int]:
    """``0-3,7`` as numbers."""
    out: list[int] = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        out.extend(range(int(low), int(high or low) + 1))
    return out


@dataclass(frozen=True)
class Device:
    """One countable unit with an index of its own, or a pool of units cut from one device."""

    index: int
    type: str
    cores: frozenset[int] | None  # None: no affinity, equally near to every core
    links: tuple[int, ...] = ()
    capacity: int = 1  # more than 1: a shared device (shards of one GPU)


@dataclass(frozen=True)
class Gres:
    """All records of one GRES name on one node."""

    name: str
    devices: tuple[Device, ...] = ()
    counters: tuple[tuple[str, int], ...] = ()  # (type, count): no files, only a number
    no_consume: bool = False

    @property
    def shared(self) -> bool:
        return self.name in SHARED_NAMES

    def total(self, gres_type: str) -> int:
        """Configured count of the type ("" for any)."""
        devices = sum(d.capacity for d in self.devices if gres_type in ("", d.type))
        return devices + sum(n for t, n in self.counters if gres_type in ("", t))


@dataclass(frozen=True)
class Node:
    name: str
    index: int
    sockets: int
    cores_per_socket: int
    threads: int
    memory: int  # MB that jobs may use: RealMemory less MemSpecLimit
    real_memory: int
    weight: int
    features: frozenset[str]
    spec_cores: frozenset[int]  # cores set aside by CoreSpecCount or CpuSpecList
    gres: tuple[Gres, ...]
    leaf: int = -1  # index of the leaf switch, -1 without topology

    @property
    def cores(self) -> int:
        return self.sockets * self.cores_per_socket

    def socket_of(self, core: int) -> int:
        return core // self.cores_per_socket

    def socket_cores(self, socket: int) -> range:
        return range(socket * self.cores_per_socket, (socket + 1) * self.cores_per_socket)

    def gres_named(self, name: str) -> Gres | None:
        return next((g for g in self.gres if g.name == name), None)


@dataclass(frozen=True)
class Partition:
    name: str
    nodes: frozenset[int]
    default: bool = False
    max_cpus_per_node: int | None = None
    max_cpus_per_socket: int | None = None
    min_nodes: int = 0
    max_mem_per_cpu: int | None = None
    max_mem_per_node: int | None = None
    max_nodes: int | None = None
    lln: bool = False
    exclusive: bool = False


@dataclass(frozen=True)
class Switch:
    """A switch; nodes are those below it, at any depth."""

    name: str
    level: int  # 0 for a leaf
    parent: int  # index, -1 for a root
    nodes: frozenset[int]


@dataclass(frozen=True)
class Parameters:
    consumable: str = "core"  # "cpu" | "core" | "socket"
    one_task_per_core: bool = False
    block_cores_by_default: bool = False
    lln: bool = False
    default_mem_per_cpu: int | None = None
    allow_spec_use: bool = False
    spec_first: bool = False
    serial_at_end: bool = False
    least_loaded_device: bool = False
    enforce_binding: bool = False
    gres_types: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cluster:
    nodes: tuple[Node, ...]
    partitions: tuple[Partition, ...]
    switches: tuple[Switch, ...]
    parameters: Parameters

    def node_named(self, name: str) -> Node | None:
        return next((n for n in self.nodes if n.name == name), None)

    def partition_named(self, name: str | None) -> Partition | None:
        if name is None:
            return next((p for p in self.partitions if p.default), None)
        return next((p for p in self.partitions if p.name == name), None)


@dataclass
class _Line:
    key: str
    name: str
    values: dict[str, str] = field(default_factory=dict)


def _lines(text: str) -> list[_Line]:
    lines = []
    for raw in text.splitlines():
        words = raw.split()
        if words:
            pairs = [w.partition("=") for w in words]
            lines.append(
                _Line(pairs[0][0], pairs[0][2], {k.lower(): v for k, _, v in pairs})
            )
    return lines


def _spec_cores(
    values: dict[str, str], sockets: int, per_socket: int, threads: int, first: bool
) -> frozenset[int]:
    if "cpuspeclist" in values:
        return frozenset(cpu // threads for cpu in indexes(values["cpuspeclist"]))
    chosen: set[int] = set()
    left = int(values.get("corespeccount", "0"))
    while left:
        for core in spec_order(sockets, per_socket, first):
            if left and core not in chosen:
                chosen.add(core)
                left -= 1
    return frozenset(chosen)


def spec_order(sockets: int, per_socket: int, first: bool = False) -> list[int]:
    """Cores in the order they are set aside: last core of each socket, last socket first.

    With spec_cores_first: first core of each socket, first socket first.
    """
    order = [
        socket * per_socket + core
        for core in range(per_socket - 1, -1, -1)
        for socket in range(sockets - 1, -1, -1)
    ]
    return order[::-1] if first else order


@dataclass(frozen=True)
class _Wanted:
    name: str
    type: str
    count: int
    no_consume: bool


def _wanted(text: str) -> list[_Wanted]:
    items = []
    for item in text.split(","):
        parts = item.split(":")
        name, rest = parts[0], parts[1:]
        no_consume = "no_consume" in rest
        rest = [p for p in rest if p != "no_consume"]
        count = 1
        if rest and rest[-1][0].isdigit():
            count = count_of(rest.pop())
        items.append(_Wanted(name, rest[0] if rest else "", count, no_consume))
    return items


def _gres_of(text: str, lines: list[_Line], cores: int) -> tuple[Gres, ...]:
    """The node's GRES: slurm.conf names the types and counts, gres.conf the devices."""
    by_name: dict[str, list[_Wanted]] = {}
    for want in _wanted(text):
        by_name.setdefault(want.name, []).append(want)
    result: list[Gres] = []
    for name, wants in by_name.items():
        if name in SHARED_NAMES:
            gpu = next(g for g in result if g.name == "gpu")
            total = sum(w.count for w in wants)
            share, extra = divmod(total, len(gpu.devices))
            shared = tuple(
                Device(d.index, d.type, d.cores, (), share + (1 if i < extra else 0))
                for i, d in enumerate(gpu.devices)
            )
            result.append(Gres(name, shared))
            continue
        records = _records(name, lines, cores)
        devices: list[Device] = []
        counters: list[tuple[str, int]] = []
        for want in wants:
            matching = [r for r in records if want.type in ("", r.type)][: want.count]
            for record in matching:
                records.remove(record)
                devices.append(Device(len(devices), want.type, record.cores, record.links))
            if len(matching) < want.count:
                counters.append((want.type, want.count - len(matching)))
        result.append(
            Gres(name, tuple(devices), tuple(counters), any(w.no_consume for w in wants))
        )
    return tuple(result)


def _records(name: str, lines: list[_Line], cores: int) -> list[Device]:
    records: list[Device] = []
    for line in lines:
        values = line.values
        if values["name"] != name or "file" not in values:
            continue
        affine = frozenset(indexes(values["cores"])) if "cores" in values else None
        if affine is not None and len(affine) == cores:
            affine = None
        links = tuple(int(x) for x in values.get("links", "").split(",") if x)
        for _ in expand(values["file"]):
            records.append(Device(len(records), values.get("type", ""), affine, links))
    return records


def _switches(text: str, position: dict[str, int]) -> tuple[Switch, ...]:
    lines = _lines(text)
    index = {line.name: i for i, line in enumerate(lines)}
    children = [[index[s] for s in expand(ln.values.get("switches", ""))] for ln in lines]

    def level(i: int) -> int:
        return 1 + max((level(c) for c in children[i]), default=-1)

    def below(i: int) -> frozenset[int]:
        own = frozenset(position[n] for n in expand(lines[i].values.get("nodes", "")))
        return own.union(*(below(c) for c in children[i]))

    parent = {c: i for i, kids in enumerate(children) for c in kids}
    return tuple(
        Switch(line.name, level(i), parent.get(i, -1), below(i)) for i, line in enumerate(lines)
    )


def _parameters(lines: list[_Line]) -> Parameters:
    values = {line.key: line.name for line in lines}
    words = [w.lower() for w in values.get("SelectTypeParameters", "").split(",")]
    scheduler = values.get("SchedulerParameters", "").lower().split(",")
    consumable = next(
        (w.split("_")[1] for w in words if re.fullmatch(r"cr_(cpu|core|socket)(_memory)?", w)),
        "core",
    )
    default_mem = values.get("DefMemPerCPU")
    return Parameters(
        consumable=consumable,
        one_task_per_core="cr_one_task_per_core" in words,
        block_cores_by_default="cr_core_default_dist_block" in words,
        lln="cr_lln" in words,
        default_mem_per_cpu=int(default_mem) if default_mem else None,
        allow_spec_use=values.get("AllowSpecResourcesUsage", "").upper() == "YES",
        spec_first="spec_cores_first" in scheduler,
        serial_at_end="pack_serial_at_end" in scheduler,
        least_loaded_device="ll_shared_gres" in words,
        enforce_binding="enforce_binding_gres" in words,
        gres_types=tuple(t for t in values.get("GresTypes", "").split(",") if t),
    )


def _number(values: dict[str, str], key: str) -> int | None:
    return int(values[key]) if key in values else None


def read_cluster(slurm_conf: str, gres_conf: str, topology_conf: str) -> Cluster:
    """The cluster described by the three texts; nodes in order of their names."""
    lines = _lines(slurm_conf)
    gres_lines = _lines(gres_conf)
    named = [(name, ln) for ln in lines if ln.key == "NodeName" for name in expand(ln.name)]
    named.sort(key=lambda pair: _natural(pair[0]))
    position = {name: i for i, (name, _) in enumerate(named)}
    switches = _switches(topology_conf, position)
    parameters = _parameters(lines)
    nodes: list[Node] = []
    for i, (name, line) in enumerate(named):
        values = line.values
        sockets, per_socket = int(values["sockets"]), int(values["corespersocket"])
        threads = int(values["threadspercore"])
        own = [g for g in gres_lines if name in expand(g.values.get("nodename", ""))]
        real = int(values["realmemory"])
        leaf = next((s for s, sw in enumerate(switches) if sw.level == 0 and i in sw.nodes), -1)
        gres = values.get("gres", "")
        nodes.append(
            Node(
                name=name,
                index=i,
                sockets=sockets,
                cores_per_socket=per_socket,
                threads=threads,
                memory=real - int(values.get("memspeclimit", "0")),
                real_memory=real,
                weight=int(values.get("weight", "1")),
                features=frozenset(f for f in values.get("feature", "").split(",") if f),
                spec_cores=_spec_cores(values, sockets, per_socket, threads, parameters.spec_first),
                gres=_gres_of(gres, own, sockets * per_socket) if gres else (),
                leaf=leaf,
            )
        )
    partitions = tuple(
        Partition(
            name=line.name,
            nodes=frozenset(
                range(len(nodes))
                if line.values["nodes"] == "ALL"
                else (position[n] for n in expand(line.values["nodes"]))
            ),
            default=line.values.get("default", "NO") == "YES",
            max_cpus_per_node=_number(line.values, "maxcpuspernode"),
            max_cpus_per_socket=_number(line.values, "maxcpuspersocket"),
            min_nodes=_number(line.values, "minnodes") or 0,
            max_mem_per_cpu=_number(line.values, "maxmempercpu"),
            max_mem_per_node=_number(line.values, "maxmempernode"),
            max_nodes=_number(line.values, "maxnodes"),
            lln=line.values.get("lln", "NO") == "YES",
            exclusive=line.values.get("oversubscribe", "NO") == "EXCLUSIVE",
        )
        for line in lines
        if line.key == "PartitionName"
    )
    return Cluster(tuple(nodes), partitions, switches, parameters)


def _natural(name: str) -> tuple[object, ...]:
    """Names compare text by text and number by number (n2 before n10)."""
    return tuple(int(p) if p.isdigit() else p for p in re.split(r"(\d+)", name))
