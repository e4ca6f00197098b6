# SPDX-License-Identifier: Apache-2.0
"""R, version 1 (RFC 20 of Flux): which cores and GPUs of which broker ranks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ._ids import hosts_text, ids_in_brackets, ids_text, read_hosts, read_ids


class Part(NamedTuple):
    """What a rank has."""

    host: str
    cores: frozenset[int]
    gpus: frozenset[int]

    def __bool__(self) -> bool:
        return bool(self.cores or self.gpus)

    def less(self, other: Part) -> Part:
        """Without what the other has."""
        return self._replace(cores=self.cores - other.cores, gpus=self.gpus - other.gpus)

    def plus(self, other: Part) -> Part:
        """With what the other has."""
        return self._replace(cores=self.cores | other.cores, gpus=self.gpus | other.gpus)


@dataclass
class Document:
    """Resources. A value: what makes a changed one leaves it as it is."""

    parts: dict[int, Part] = field(default_factory=dict)
    """by rank"""
    properties: dict[str, frozenset[int]] = field(default_factory=dict)
    """the ranks of each"""
    starttime: float = 0
    expiration: float = 0
    """seconds since 1970; 0: none"""
    slots: int = 0
    """0: not counted"""
    has_hosts: bool = False
    """R names its hosts"""
    scheduling: Any = None
    """the key of this name, whatever it holds"""

    def of_ranks(self, ranks: Iterable[int]) -> Document:
        """What these ranks have."""
        kept = set(ranks)
        return self.with_parts({rank: part for rank, part in self.parts.items() if rank in kept})

    def with_parts(self, parts: dict[int, Part]) -> Document:
        """Other parts, with the properties of their ranks."""
        properties = {name: ranks & parts.keys() for name, ranks in self.properties.items()}
        return replace(self, parts=parts,
                       properties={name: frozenset(ranks) for name, ranks in properties.items() if ranks})

    def plus(self, other: Document) -> Document:
        """With what the other has."""
        parts = dict(self.parts)
        for rank, part in other.parts.items():
            parts[rank] = parts[rank].plus(part) if rank in parts else part
        properties = dict(self.properties)
        for name, ranks in other.properties.items():
            properties[name] = properties.get(name, frozenset()) | ranks
        return replace(self, parts=parts, properties=properties, has_hosts=self.has_hosts or other.has_hosts)

    def less(self, other: Document) -> Document:
        """Without what the other has."""
        parts = {rank: part.less(other.parts[rank]) if rank in other.parts else part
                 for rank, part in self.parts.items()}
        return self.with_parts({rank: part for rank, part in parts.items() if part})

    def text(self) -> str:
        """For people: `rank[0-1]/core[0-3],gpu0`."""
        return " ".join(f"rank{ids_in_brackets(ranks)}/core{ids_in_brackets(cores)}"
                        + (f",gpu{ids_in_brackets(gpus)}" if gpus else "")
                        for cores, gpus, ranks in self._groups())

    def to_dict(self) -> dict[str, Any]:
        """R."""
        execution: dict[str, Any] = {"R_lite": [
            {"rank": ids_text(ranks),
             "children": {"core": ids_text(cores), **({"gpu": ids_text(gpus)} if gpus else {})}}
            for cores, gpus, ranks in self._groups()], "starttime": self.starttime,
            "expiration": self.expiration}
        if self.slots:
            execution["nslots"] = self.slots
        if self.has_hosts and self.parts:
            execution["nodelist"] = [hosts_text([part.host for _, part in sorted(self.parts.items())])]
        if self.properties:
            execution["properties"] = {name: ids_text(ranks)
                                       for name, ranks in sorted(self.properties.items()) if ranks}
        found: dict[str, Any] = {"version": 1, "execution": execution}
        if self.scheduling is not None:
            found["scheduling"] = self.scheduling
        return found

    def _groups(self) -> list[tuple[frozenset[int], frozenset[int], list[int]]]:
        """Ranks that have the same, by the first of them."""
        groups: dict[tuple[frozenset[int], frozenset[int]], list[int]] = {}
        for rank, part in sorted(self.parts.items()):
            groups.setdefault((part.cores, part.gpus), []).append(rank)
        return [(cores, gpus, ranks) for (cores, gpus), ranks in groups.items()]


def read(value: Any) -> Document:
    """R as a text, a mapping, or an object with to_dict(). Errors: ValueError with the key, TypeError
    for anything else."""
    if isinstance(value, (str, bytes)):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise ValueError(f"R: {error}; expected JSON") from error
    elif not isinstance(value, Mapping) and hasattr(value, "to_dict"):
        value = value.to_dict()
    if not isinstance(value, Mapping):
        raise TypeError(f"R: {type(value).__name__}; expected a text, a mapping or a resource set")
    if value.get("version") != 1:
        raise ValueError(f"R: version {value.get('version')!r}; expected 1")
    execution = value.get("execution", {})
    if not isinstance(execution, Mapping):
        raise ValueError("R: execution: expected an object")
    return _read(execution, value.get("scheduling"))


def _read(execution: Mapping[str, Any], scheduling: Any) -> Document:
    parts: dict[int, Part] = {}
    entries = execution.get("R_lite", [])
    if not isinstance(entries, list):
        raise ValueError("R: R_lite: expected a list")
    for place, entry in enumerate(entries):
        where = f"R: R_lite[{place}]"
        children = entry.get("children", {}) if isinstance(entry, Mapping) else None
        if not isinstance(children, Mapping) or "rank" not in entry:
            raise ValueError(f"{where}: expected an object with rank and children")
        unknown = sorted(set(children) - {"core", "gpu"})
        if unknown:
            raise ValueError(f"{where}: children: {unknown[0]}; expected core or gpu")
        part = Part("", read_ids(children.get("core", ""), f"{where}: core"),
                    read_ids(children.get("gpu", ""), f"{where}: gpu"))
        for rank in read_ids(entry["rank"], f"{where}: rank"):
            parts[rank] = parts[rank].plus(part) if rank in parts else part
    hosts = read_hosts(execution.get("nodelist", []), "R: nodelist")
    if hosts and len(hosts) != len(parts):
        raise ValueError(f"R: nodelist: {len(hosts)} hosts; expected {len(parts)}, one of each rank")
    for place, rank in enumerate(sorted(parts)):
        parts[rank] = parts[rank]._replace(host=hosts[place] if hosts else f"rank{rank}")
    properties = execution.get("properties", {})
    if not isinstance(properties, Mapping):
        raise ValueError("R: properties: expected an object")
    return Document(parts, {str(name): read_ids(ranks, f"R: properties: {name}")
                            for name, ranks in properties.items()},
                    _seconds(execution, "starttime"), _seconds(execution, "expiration"),
                    int(_seconds(execution, "nslots")), bool(hosts), scheduling)


def _seconds(execution: Mapping[str, Any], name: str) -> float:
    value = execution.get(name) or 0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e18:
        raise ValueError(f"R: {name}: {value!r}; expected 0 or more")
    return value
