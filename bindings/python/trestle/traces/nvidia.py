# SPDX-License-Identifier: Apache-2.0
"""Machines with NVIDIA GPUs, from what their tools print.

    parse_smi       `nvidia-smi -q -x`: the GPUs, and the instances of those in MIG mode
    parse_topology  `nvidia-smi topo -m`: links, network cards, the CPUs near each GPU
    node_of         a node of both
    parse_nccl      NCCL's topology (NCCL_TOPO_DUMP_FILE) as a node
"""

import itertools
import pathlib
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Dict, Iterable, List, Mapping, Optional, Set, Tuple

import trestle

from .._short import short_repr
from .rows import BadRow, BadRows, PathLike, Problems, read_text

__all__ = [
    "Topology", "load_nccl", "load_smi", "node_of", "parse_nccl", "parse_smi", "parse_topology",
]

_MIB = 2**20
_BUS = re.compile(r"(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")
_LINK = re.compile(r"NV([0-9]{1,4})")
_NUMBER_MAX = 2**20 - 1  # of minors, of NVLinks and of NUMA nodes
_CPUS = 2**16  # that a machine may have; Linux is built for 8192 at most
_MAJOR = 195  # of /dev/nvidiaN, in the kernel's list of numbers that are given for good


def _bus_id(text: str) -> str:
    found = _BUS.fullmatch(text.strip())
    if not found:
        return ""
    domain = int(found.group(1) or "0", 16)
    return f"{domain:04x}:{found.group(2)}:{found.group(3)}.{found.group(4)}".lower()


def _xml(text: str, name: str, root: str) -> ElementTree.Element:
    try:
        tree = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise BadRows([BadRow(name, error.position[0], f"no XML: {error}")]) from error
    if tree.tag != root:
        raise BadRows([BadRow(name, 1, f"<{tree.tag}>, expected <{root}>")])
    return tree


def _told(element: ElementTree.Element, path: str) -> str:
    """The text of a part; empty for what the driver does not tell."""
    text = (element.findtext(path) or "").strip()
    return "" if text in ("N/A", "None", "[N/A]", "Unknown Error") else text


def _memory(element: ElementTree.Element, problems: Problems, where: str) -> int:
    text = _told(element, "fb_memory_usage/total")
    found = re.fullmatch(r"([0-9]{1,10}) MiB", text)
    if text and not found:
        problems.add(0, f'{where}: fb_memory_usage total "{text}", expected MiB')
    return int(found.group(1)) * _MIB if found else 0


def _instances(gpu: ElementTree.Element, device: trestle.Device, problems: Problems,
               where: str) -> List[trestle.Device]:
    instances = []
    for one in gpu.findall("mig_devices/mig_device"):
        number = _told(one, "index")
        instances.append(device.replace(
            type=f"{device.type}_mig" if device.type else "mig", uuid=_told(one, "uuid"),
            memory=_memory(one, problems, f"{where}, mig_device {number}")))
    return instances


def parse_smi(text: str, name: str = "nvidia-smi") -> Tuple[trestle.Device, ...]:
    """The GPUs of `nvidia-smi -q -x`, in its order. In place of a GPU in MIG mode stand its
    instances.

    Errors: BadRows for what is no such log, with the line, and for a GPU without name or bus id.
    The same for fewer or more GPUs than the log says are attached.
    """
    log = _xml(text, name, "nvidia_smi_log")
    problems = Problems(name)
    devices: List[trestle.Device] = []
    found = log.findall("gpu")
    for gpu in found:
        where = f"gpu {gpu.get('id')}"
        model = _told(gpu, "product_name")
        bus = _bus_id(_told(gpu, "pci/pci_bus_id") or gpu.get("id", ""))
        if not model:
            problems.add(0, f"{where}: no product_name")
        if not bus:
            problems.add(0, f"{where}: no pci_bus_id")
        files = []
        if _told(gpu, "minor_number"):
            minor = problems.number(0, f"{where}: minor_number", _told(gpu, "minor_number"), 0,
                                    _NUMBER_MAX)
            files.append(trestle.DeviceFile(f"/dev/nvidia{minor}", major=_MAJOR, minor=minor))
        device = trestle.Device(
            name="gpu", type=trestle.os.device_type(model), vendor="nvidia", model=model,
            uuid=_told(gpu, "uuid"), memory=_memory(gpu, problems, where), pci_bus_id=bus,
            files=files)
        if _told(gpu, "mig_mode/current_mig") == "Enabled":
            devices.extend(_instances(gpu, device, problems, where))
        else:
            devices.append(device)
    attached = (log.findtext("attached_gpus") or "").strip()
    noted = len(problems.rows)
    count = problems.number(0, "attached_gpus", attached, 0, _NUMBER_MAX) if attached else None
    if count not in (None, len(found)) and len(problems.rows) == noted:
        problems.add(0, f"attached_gpus {attached}, {len(found)} GPUs follow")
    problems.raise_any()
    return tuple(device.replace(index=index) for index, device in enumerate(devices))


@dataclass(frozen=True, repr=False)
class Topology:
    """The matrix of `nvidia-smi topo -m`."""

    names: Tuple[str, ...]  # GPU0, GPU1, NIC0 or mlx5_0
    relations: Dict[Tuple[str, str], str]  # NV12, PIX, PXB, PHB, NODE, SYS
    cpus: Dict[str, Tuple[int, ...]]  # near to a GPU, by its name; without those that say nothing
    domains: Dict[str, Tuple[int, ...]]  # its NUMA nodes
    interfaces: Dict[str, str]  # what the legend says of NIC0

    __repr__ = short_repr

    def gpus(self) -> Tuple[str, ...]:
        """GPU0, GPU1 and so on."""
        return tuple(name for name in self.names if name.startswith("GPU"))

    def links(self, a: str, b: str) -> int:
        """NVLinks between two, direct ones or those to switches."""
        found = _LINK.fullmatch(self.relations.get((a, b), ""))
        return int(found.group(1)) if found else 0


def _numbers(problems: Problems, line: int, what: str, text: str) -> Tuple[int, ...]:
    """`0-3,8-11`. Ranges that overlap count once, so that a text makes no more than all CPUs."""
    numbers: Set[int] = set()
    noted = len(problems.rows)
    for part in text.split(","):
        first, _, last = part.partition("-")
        begin = problems.number(line, what, first, 0, _CPUS - 1)
        end = problems.number(line, what, last or first, 0, _CPUS - 1)
        if len(problems.rows) > noted:
            return ()
        if end < begin:
            problems.add(line, f'{what}: "{part}", expected the lower number first')
            return ()
        numbers.update(range(begin, end + 1))
    return tuple(sorted(numbers))


_AFFINITY = re.compile(r"[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*")


def parse_topology(text: str, name: str = "topo") -> Topology:
    """The matrix of `nvidia-smi topo -m`, with or without its colours, and its legend of NICs.

    Errors: BadRows for a text without a matrix, and for rows that have other cells than its head.
    """
    problems = Problems(name)
    head: Optional[List[str]] = None
    relations: Dict[Tuple[str, str], str] = {}
    cpus: Dict[str, Tuple[int, ...]] = {}
    domains: Dict[str, Tuple[int, ...]] = {}
    interfaces: Dict[str, str] = {}
    for line, content in enumerate(re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines(), 1):
        words = content.split()
        legend = re.fullmatch(r"\s*(NIC[0-9]+): (\S+)\s*", content)
        if legend:
            interfaces[legend.group(1)] = legend.group(2)
        elif head is None and words[:1] == ["GPU0"]:
            head = list(itertools.takewhile(lambda word: word not in ("CPU", "NUMA"), words))
        elif head is not None and words and words[0] in head:
            cells, rest = words[1:len(head) + 1], words[len(head) + 1:]
            known = [re.fullmatch(r"X|SYS|SOC|NODE|PHB|PXB|PIX|NV[0-9]{1,4}|C2C", cell) for cell in cells]
            if len(cells) < len(head) or not all(known):
                problems.add(line, f"{words[0]}: {len(cells)} cells, expected {len(head)} relations")
                continue
            relations.update({(words[0], other): cell for other, cell in zip(head, cells)})
            if rest and _AFFINITY.fullmatch(rest[0]):
                cpus[words[0]] = _numbers(problems, line, f"{words[0]}: CPU affinity", rest[0])
                if len(rest) > 1 and _AFFINITY.fullmatch(rest[1]):
                    domains[words[0]] = _numbers(problems, line, f"{words[0]}: NUMA affinity",
                                                 rest[1])
    if head is None:
        problems.add(0, "no matrix, expected a line that begins with GPU0")
    missing = [one for one in head or () if (one, one) not in relations]
    for one in missing:
        problems.add(0, f"no row of {one}")
    problems.raise_any()
    return Topology(tuple(head or ()), relations, cpus, domains, interfaces)


def _shape(cpus_of_domain: Mapping[int, Iterable[int]], memory: int,
           devices: Iterable[trestle.Device],
           links: Iterable[trestle.DeviceLink]) -> trestle.NodeShape:
    cpus = sorted({cpu for part in cpus_of_domain.values() for cpu in part})
    core_of = {cpu: core for core, cpu in enumerate(cpus)}
    cores = [trestle.Core(trestle.PuSet([cpu])) for cpu in cpus]
    share = memory // max(1, len(cpus_of_domain))
    domains = [trestle.MemoryDomain(domain, trestle.MemoryKind.dram, share,
                                    trestle.CoreSet(sorted(core_of[cpu] for cpu in part)))
               for domain, part in sorted(cpus_of_domain.items())] if share else []
    return trestle.NodeShape(hardware=trestle.HardwareTree(cores=cores), memory=domains,
                             devices=list(devices), links=list(links))


def _near(cpus: Iterable[int], all_cpus: List[int]) -> trestle.CoreSet:
    near = set(cpus)
    if near == set(all_cpus):
        return trestle.CoreSet()
    return trestle.CoreSet([core for core, cpu in enumerate(all_cpus) if cpu in near])


_NEAR = ("PIX", "PXB", "PHB", "NODE")  # nearest first; what else there is crosses NUMA nodes


def _cpus_near(told: Topology, nic: str) -> Set[int]:
    """Those of the GPUs that the card is nearest to; all of them have its NUMA node."""
    for relation in _NEAR:
        gpus = [gpu for gpu in told.gpus() if relation in (told.relations[nic, gpu],
                                                           told.relations[gpu, nic])]
        if gpus:
            return {cpu for gpu in gpus for cpu in told.cpus[gpu]}
    return set()


def node_of(smi: str, topology: str, memory: int, name: str = "localhost") -> trestle.Node:
    """A node of `nvidia-smi -q -x` and `nvidia-smi topo -m`, which tell no memory of the machine.

    CPUs are those that are near to some GPU, each a core of its own; `memory` is shared out evenly
    among the NUMA nodes. Network cards have their interface where the legend tells it, and the CPUs of
    the GPUs that they are nearest to. Strength of a link is the number of NVLinks.
    Errors: those of parse_smi and parse_topology; BadRows where they tell of other GPUs, and for a
    matrix without the CPUs near to its GPUs.
    """
    devices = list(parse_smi(smi))
    told = parse_topology(topology)
    gpus = told.gpus()
    buses = list(dict.fromkeys(device.pci_bus_id for device in devices))
    problems = Problems("topo")
    if len(buses) != len(gpus):
        problems.add(0, f"{len(gpus)} GPUs, the log of nvidia-smi has {len(buses)}")
    problems_of_cpus = [gpu for gpu in gpus if gpu not in told.cpus]
    for gpu in problems_of_cpus:
        problems.add(0, f"{gpu}: no CPU affinity")
    problems.raise_any()
    cpus = sorted({cpu for near in told.cpus.values() for cpu in near})
    cpus_of_domain: Dict[int, List[int]] = {}
    for gpu in gpus:
        domain = told.domains.get(gpu, (0,))[0]
        known = cpus_of_domain.setdefault(domain, [])
        taken = {cpu for part in cpus_of_domain.values() for cpu in part}
        known.extend(cpu for cpu in told.cpus[gpu] if cpu not in taken)
    gpu_of_bus = dict(zip(buses, gpus))
    devices = [device.replace(cores=_near(told.cpus[gpu_of_bus[device.pci_bus_id]], cpus))
               for device in devices]
    links = [trestle.DeviceLink(a, b, told.links(gpu_of_bus[one.pci_bus_id],
                                                 gpu_of_bus[other.pci_bus_id]))
             for (a, one), (b, other) in itertools.combinations(enumerate(devices), 2)
             if one.pci_bus_id != other.pci_bus_id]
    nics = [one for one in told.names if not one.startswith("GPU")]
    for index, nic in enumerate(nics):
        interface = told.interfaces.get(nic, nic)
        devices.append(trestle.Device(name="nic", index=index,
                                      cores=_near(_cpus_near(told, nic), cpus),
                                      attributes=[trestle.Attribute("rdma", interface)]))
    shape = _shape(cpus_of_domain, memory, devices, (one for one in links if one.strength))
    return trestle.Node(name=name, shape=shape)


def _mask(problems: Problems, where: str, text: str) -> List[int]:
    """The CPUs of `00000000,0000000f`."""
    digits = text.replace(",", "").strip().lstrip("0")
    if not re.fullmatch(r"[0-9a-fA-F]*", digits) or len(digits) > _CPUS // 4:
        problems.add(0, f'{where}: affinity "{text[:80]}", expected a mask of at most {_CPUS} CPUs')
        return []
    bits = int(digits or "0", 16)
    return [cpu for cpu in range(bits.bit_length()) if bits >> cpu & 1]


_NVSWITCH = "0x068000"  # an NVLink's target; 0x068001 is the CPU, as on POWER9 and Grace
_CPU_BRIDGE = "0x068001"


def _nets(parts: Iterable[ElementTree.Element], bus: str, is_rdma: bool,
          near: List[int]) -> List[Tuple[trestle.Device, List[int]]]:
    kind = "rdma" if is_rdma else "interface"
    return [(trestle.Device(name="nic", pci_bus_id=bus,
                            attributes=[trestle.Attribute(kind, net.get("name", ""))]), near)
            for net in parts]


@dataclass(frozen=True)
class _Gpu:
    """A GPU of NCCL's topology."""

    device: trestle.Device
    number: int
    near: List[int]
    links: Dict[str, int]  # by the bus id of their ends
    switched: int  # links to NVSwitches


def _nccl_gpu(problems: Problems, gpu: ElementTree.Element, bus: str, near: List[int]) -> _Gpu:
    where = f"gpu {gpu.get('dev')}"
    if not bus:
        problems.add(0, f"{where}: no busid")
    number = problems.number(0, f"{where}: dev", gpu.get("dev", "0"), 0, _NUMBER_MAX)
    sm = problems.number(0, f"{where}: sm", gpu.get("sm") or "0", 0, 9999)
    links: Dict[str, int] = {}
    switched = 0
    for link in gpu.findall("nvlink"):
        count = problems.number(0, f"{where}: count", link.get("count", "0"), 0, _NUMBER_MAX)
        kind = link.get("tclass", "").lower()
        if kind.startswith(_NVSWITCH):
            switched += count
        elif not kind.startswith(_CPU_BRIDGE):
            target = _bus_id(link.get("target", ""))
            links[target] = links.get(target, 0) + count
    device = trestle.Device(
        name="gpu", vendor="nvidia", pci_bus_id=bus,
        compute_capability=trestle.Version(sm // 10, sm % 10) if sm else None)
    return _Gpu(device, number, near, links, switched)


def _nccl_domains(problems: Problems, system: ElementTree.Element
                  ) -> List[Tuple[int, List[int], ElementTree.Element]]:
    """NUMA node, CPUs and element of each processor. One without a node gets a number that is free."""
    told = []
    for cpu in system.findall("cpu"):
        text = cpu.get("numaid", "-1")
        domain = problems.number(0, f"cpu {text[:20]}: numaid", text, -1, _NUMBER_MAX)
        told.append((domain, _mask(problems, f"cpu {text[:20]}", cpu.get("affinity", "")), cpu))
    taken = {domain for domain, _, _ in told}
    free = (number for number in itertools.count() if number not in taken)
    return [(next(free) if domain < 0 else domain, near, cpu) for domain, near, cpu in told]


def parse_nccl(text: str, memory: int = 0, name: str = "localhost") -> trestle.Node:
    """A node of NCCL's topology: its processors, GPUs with their compute capability, and NVLinks.

    GPUs have neither model nor memory there. Those that meet through NVSwitches are linked by the
    fewer of their links to them. A network card below PCI is `rdma`; one directly below a processor
    is an `interface`, for NCCL reaches it by sockets. `memory` is shared out evenly among the NUMA
    nodes. Errors: BadRows for what is no such XML, with the line, for numbers that are none, and
    for a GPU without bus id. The same for NUMA nodes and (with memory) CPUs that appear twice.
    """
    system = _xml(text, name, "system")
    problems = Problems(name)
    cpus_of_domain: Dict[int, List[int]] = {}
    found: List[_Gpu] = []
    nets: List[Tuple[trestle.Device, List[int]]] = []
    for domain, affinity, cpu in _nccl_domains(problems, system):
        if domain in cpus_of_domain:
            problems.add(0, f"numaid {domain}: two cpus")
        cpus_of_domain[domain] = affinity
        for pci in cpu.iter("pci"):
            bus = _bus_id(pci.get("busid", ""))
            found.extend(_nccl_gpu(problems, gpu, bus, affinity) for gpu in pci.findall("gpu"))
            nets.extend(_nets(pci.findall("nic/net"), bus, True, affinity))
        nets.extend(_nets(cpu.findall("nic/net"), "", False, affinity))
    nets.extend(_nets(system.findall("nic/net"), "", False, []))
    if not found:
        problems.add(0, "no gpu")
    told = [cpu for part in cpus_of_domain.values() for cpu in part]
    if memory and len(set(told)) < len(told):
        problems.add(0, "affinity: a CPU near to two cpus")
    problems.raise_any()
    cpus = sorted(set(told))
    found.sort(key=lambda one: one.number)
    devices = [one.device.replace(index=index, cores=_near(one.near, cpus))
               for index, one in enumerate(found)]
    links = []
    for (a, one), (b, other) in itertools.combinations(enumerate(found), 2):
        strength = max(one.links.get(other.device.pci_bus_id, 0),
                       other.links.get(one.device.pci_bus_id, 0)) or min(one.switched,
                                                                         other.switched)
        if strength:
            links.append(trestle.DeviceLink(a, b, strength))
    devices += [net.replace(index=index, cores=_near(near, cpus) if near else trestle.CoreSet())
                for index, (net, near) in enumerate(nets)]
    return trestle.Node(name=name, shape=_shape(cpus_of_domain, memory, devices, links))


def load_smi(path: PathLike) -> Tuple[trestle.Device, ...]:
    """parse_smi of a file, `.gz` or plain. Errors: OSError; those of parse_smi."""
    path = pathlib.Path(path)
    return parse_smi(read_text(path), path.name)


def load_nccl(path: PathLike, memory: int = 0) -> trestle.Node:
    """parse_nccl of a file, `.gz` or plain, the node called as the file. Errors: OSError; those of
    parse_nccl."""
    path = pathlib.Path(path)
    return parse_nccl(read_text(path), memory, path.name.split(".")[0])
