# SPDX-License-Identifier: Apache-2.0
"""Nodes from the descriptions that others keep: hwloc XML, Slurm configuration, dstack catalogs."""

import pathlib
import xml.etree.ElementTree as ElementTree
from typing import Iterable, Tuple

import trestle

from .rows import BadRow, BadRows, PathLike, read_text

__all__ = ["load_dstack", "load_hwloc", "load_slurm", "nodes_of", "plain_shape"]


def load_hwloc(path: PathLike) -> trestle.Node:
    """The machine of an hwloc XML file (`lstopo machine.xml`), called as it says, or as the file.

    Errors: OSError; BadRows for what is no XML, with its line, and for XML that is no topology.
    """
    path = pathlib.Path(path)
    try:
        root = ElementTree.fromstring(path.read_bytes())
    except ElementTree.ParseError as error:
        raise BadRows([BadRow(path.name, error.position[0], f"no XML: {error}")]) from error
    if root.tag != "topology":
        raise BadRows([BadRow(
            path.name, 1, f"<{root.tag}>, expected <topology>, as lstopo writes it")])
    try:
        node = trestle.os.discover(trestle.os.DiscoverOptions(xml_file=str(path)))
    except ValueError as error:
        raise BadRows([BadRow(path.name, 0, str(error).removeprefix(f"{path}: "))]) from error
    return node.replace(name=path.name.split(".")[0]) if node.name in ("", "localhost") else node


def load_slurm(path: PathLike) -> trestle.Cluster:
    """The cluster of a folder with slurm.conf, gres.conf, topology.conf, or of its slurm.conf.

    Errors: LookupError without slurm.conf, ValueError for another file; BadRows with what
    each file has wrong, line by line.
    """
    path = pathlib.Path(path)
    if path.is_file() and path.name != "slurm.conf":
        raise ValueError(f"{path}: expected slurm.conf or its folder")
    reading = trestle.slurm.load_cluster(str(path if path.is_dir() else path.parent))
    if reading.errors:
        raise BadRows(BadRow(error.place.file, error.place.line, str(error.error))
                      for error in reading.errors)
    return reading.built.cluster


def _backend_of(path: pathlib.Path) -> str:
    """The backend that the name of a file tells; empty where it tells no known one."""
    known = {backend.name for backend in trestle.dstack.known_backends()} | {"lambdalabs"}
    stem = path.name.split(".")[0]
    last = stem.rsplit("_", 1)[-1]
    return next((name for name in (stem, last) if name in known), "")


def load_dstack(path: PathLike) -> trestle.Catalog:
    """The offers of a catalog in CSV, as dstack.read_catalog has them.

    A file of gpuhunt's names no backend: its name does (`aws.csv`), or what stands there behind the
    last `_`, where dstack has such a backend. Errors: OSError; BadRows with the first hundred
    mistakes, after which the reader stops.
    """
    path = pathlib.Path(path)
    catalog, errors = trestle.dstack.read_catalog(read_text(path), backend=_backend_of(path))
    if errors:
        raise BadRows(BadRow(path.name, error.row,
                             (f"{error.column}: " if error.column else "") + str(error.error))
                      for error in errors)
    return catalog


def plain_shape(cpus: int, memory: int,
                devices: Iterable[trestle.Device] = ()) -> trestle.NodeShape:
    """A machine of which no more is known: cores of one thread, one domain of `memory` bytes."""
    cores = [trestle.Core(trestle.PuSet([i])) for i in range(cpus)]
    domain = trestle.MemoryDomain(0, trestle.MemoryKind.dram, memory, trestle.CoreSet(range(cpus)))
    return trestle.NodeShape(hardware=trestle.HardwareTree(cores=cores), memory=[domain],
                             devices=devices)


def nodes_of(catalog: trestle.Catalog) -> Tuple[trestle.Node, ...]:
    """A node for each offer, called by its place in the catalog: `3:aws/us-east-1/p4d.24xlarge`."""
    nodes = []
    for at in range(len(catalog)):
        offer = catalog[at]
        devices = [trestle.Device(name="gpu", type=offered.model, vendor=offered.vendor,
                                  model=offered.model, memory=offered.memory)
                   for offered in offer.devices for _ in range(offered.count)]
        shape = plain_shape(offer.cpus, offer.memory,
                            [device.replace(index=i) for i, device in enumerate(devices)])
        name = f"{at}:{offer.backend}/{offer.region}/{offer.instance}"
        nodes.append(trestle.Node(name=name, shape=shape))
    return tuple(nodes)
