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
from typing import Dict, Iterable, List, Mapping, Optional, Tuple

import trestle

from .rows import BadRow, BadRows, PathLike, Problems

_MIB = 2**20
_BUS = re.compile(r"(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")
_LINK = re.compile(r"NV([0-9]+)")
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
    found = re.fullmatch(r"([0-9]+) MiB", text)
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
    """The GPUs of `nvidia-smi -q -x`, in its order. A GPU in MIG mode gives way to its instances.

    Errors: BadRows for what is no such log, with the line; for a GPU without name or bus id, and for
    fewer or more GPUs than the log says are attached.
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
        minor = _told(gpu, "minor_number")
        files = [trestle.DeviceFile(f"/dev/nvidia{minor}", major=_MAJOR, minor=int(minor))
                 ] if minor.isdigit() else []
        device = trestle.Device(
            name="gpu", type=trestle.os.device_type(model), vendor="nvidia", model=model,
            uuid=_told(gpu, "uuid"), memory=_memory(gpu, problems, where), pci_bus_id=bus,
            files=files)
        if _told(gpu, "mig_mode/current_mig") == "Enabled":
            devices.extend(_instances(gpu, device, problems, where))
        else:
            devices.append(device)
    attached = (log.findtext("attached_gpus") or "").strip()
    if attached.isdigit() and int(attached) != len(found):
        problems.add(0, f"attached_gpus {attached}, {len(found)} GPUs follow")
    problems.raise_any()
    return tuple(device.replace(index=index) for index, device in enumerate(devices))


@dataclass(frozen=True)
class Topology:
    """The matrix of `nvidia-smi topo -m`."""

    names: Tuple[str, ...]  # GPU0, GPU1, NIC0 or mlx5_0
    relations: Dict[Tuple[str, str], str]  # NV12, PIX, PXB, PHB, NODE, SYS
    cpus: Dict[str, Tuple[int, ...]]  # near to a GPU, by its name; without those that say nothing
    domains: Dict[str, Tuple[int, ...]]  # its NUMA nodes
    interfaces: Dict[str, str]  # what the legend says of NIC0

    def gpus(self) -> Tuple[str, ...]:
        """GPU0, GPU1 and so on."""
        return tuple(name for name in self.names if name.startswith("GPU"))

    def links(self, a: str, b: str) -> int:
        """NVLinks between two, direct ones or those to switches."""
        found = _LINK.fullmatch(self.relations.get((a, b), ""))
        return int(found.group(1)) if found else 0


def _numbers(text: str) -> Tuple[int, ...]:
    numbers: List[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return tuple(numbers)


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
            known = [re.fullmatch(r"X|SYS|NODE|PHB|PXB|PIX|NV[0-9]+|C2C", cell) for cell in cells]
            if len(cells) < len(head) or not all(known):
                problems.add(line, f"{words[0]}: {len(cells)} cells, expected {len(head)} relations")
                continue
            relations.update({(words[0], other): cell for other, cell in zip(head, cells)})
            if rest and _AFFINITY.fullmatch(rest[0]):
                cpus[words[0]] = _numbers(rest[0])
                if len(rest) > 1 and _AFFINITY.fullmatch(rest[1]):
                    domains[words[0]] = _numbers(rest[1])
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


def node_of(smi: str, topology: str, memory: int, name: str = "localhost") -> trestle.Node:
    """A node of `nvidia-smi -q -x` and `nvidia-smi topo -m`, which tell no memory of the machine.

    CPUs are those that are near to some GPU, each a core of its own; `memory` is shared out evenly
    among the NUMA nodes. Network cards have their interface where the legend tells it. Strength of a
    link is the number of NVLinks.
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
                                      attributes=[trestle.Attribute("rdma", interface)]))
    shape = _shape(cpus_of_domain, memory, devices, (one for one in links if one.strength))
    return trestle.Node(name=name, shape=shape)


def _mask(text: str) -> List[int]:
    bits = int(text.replace(",", "") or "0", 16)
    return [cpu for cpu in range(bits.bit_length()) if bits >> cpu & 1]


def parse_nccl(text: str, memory: int = 0, name: str = "localhost") -> trestle.Node:
    """A node of NCCL's topology: its processors, GPUs with their compute capability, and NVLinks.

    GPUs have neither model nor memory there. Those that meet through NVSwitches are linked by the
    fewer of their links to them. `memory` is shared out evenly among the NUMA nodes.
    Errors: BadRows for what is no such XML, with the line, and for a GPU that has no bus id.
    """
    system = _xml(text, name, "system")
    problems = Problems(name)
    cpus_of_domain: Dict[int, List[int]] = {}
    found: List[Tuple[trestle.Device, ElementTree.Element, List[int]]] = []
    nics: List[trestle.Device] = []
    for number, cpu in enumerate(system.findall("cpu")):
        domain = int(cpu.get("numaid", str(number)))
        affinity = _mask(cpu.get("affinity", ""))
        cpus_of_domain[max(domain, 0)] = affinity
        for pci in cpu.iter("pci"):
            for gpu in pci.findall("gpu"):
                bus = _bus_id(pci.get("busid", ""))
                if not bus:
                    problems.add(0, f"gpu {gpu.get('dev')}: no busid")
                capability = int(gpu.get("sm", "0") or "0")
                found.append((trestle.Device(
                    name="gpu", vendor="nvidia", pci_bus_id=bus,
                    compute_capability=trestle.Version(capability // 10, capability % 10)
                    if capability else None), gpu, affinity))
            for net in pci.findall("nic/net"):
                nics.append(trestle.Device(
                    name="nic", index=len(nics), pci_bus_id=_bus_id(pci.get("busid", "")),
                    attributes=[trestle.Attribute("rdma", net.get("name", ""))]))
    if not found:
        problems.add(0, "no gpu")
    problems.raise_any()
    cpus = sorted({cpu for part in cpus_of_domain.values() for cpu in part})
    found.sort(key=lambda one: int(one[1].get("dev", "0")))
    devices = [device.replace(index=index, cores=_near(near, cpus))
               for index, (device, _, near) in enumerate(found)]
    direct: Dict[Tuple[int, str], int] = {}
    switched = [0] * len(found)
    for index, (_, gpu, _) in enumerate(found):
        for link in gpu.findall("nvlink"):
            count = int(link.get("count", "0"))
            if link.get("tclass", "").startswith("0x0680"):
                switched[index] += count
            else:
                target = _bus_id(link.get("target", ""))
                direct[index, target] = direct.get((index, target), 0) + count
    links = []
    for a, b in itertools.combinations(range(len(devices)), 2):
        strength = max(direct.get((a, devices[b].pci_bus_id), 0),
                       direct.get((b, devices[a].pci_bus_id), 0)) or min(switched[a], switched[b])
        if strength:
            links.append(trestle.DeviceLink(a, b, strength))
    return trestle.Node(name=name, shape=_shape(cpus_of_domain, memory, devices + nics, links))


def load_smi(path: PathLike) -> Tuple[trestle.Device, ...]:
    """parse_smi of a file. Errors: OSError; those of parse_smi."""
    path = pathlib.Path(path)
    return parse_smi(path.read_text(encoding="utf-8"), path.name)


def load_nccl(path: PathLike, memory: int = 0) -> trestle.Node:
    """parse_nccl of a file, the node called as the file. Errors: OSError; those of parse_nccl."""
    path = pathlib.Path(path)
    return parse_nccl(path.read_text(encoding="utf-8"), memory, path.name.split(".")[0])
