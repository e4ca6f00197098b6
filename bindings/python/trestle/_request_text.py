# SPDX-License-Identifier: Apache-2.0
"""What a request asks, in words."""

from typing import Any, Iterator, List, Tuple

import trestle

_IN_WORDS = ("nodes", "tasks", "cpus_per_task", "memory", "memory_per", "devices")
_DEVICE_IN_WORDS = ("name", "types", "count", "per", "shares", "slice")


def words_of(request: Any) -> str:
    """`2 nodes, 8 tasks of 1 or more CPUs, 64GiB a node, 4 gpu:a100 a node, partition=long`: size,
    then every other field that differs from an empty request's by its name."""
    tasks = "1 task a node" if request.tasks is None else _counted(request.tasks, "task")
    parts = [_counted(request.nodes, "node"), f"{tasks} of {_counted(request.cpus_per_task, 'CPU')}"]
    if not request.memory.is_open():
        parts.append(f"{_range(request.memory, _bytes)} a {request.memory_per}")
    parts += [_device(one) for one in request.devices]
    return ", ".join(parts + _others(request, _IN_WORDS))


def _device(one: Any) -> str:
    kind = one.name + "".join(f":{name}" for name in one.types[:1])
    if len(one.types) > 1:
        kind = f"{one.name}:({'|'.join(one.types)})"
    what = f"{_range(one.count)} {kind}"
    if one.slice:
        what += f" instances {one.slice}"
    if one.shares:
        what = f"{one.shares} shares of {what}"
    others = _others(one, _DEVICE_IN_WORDS)
    return f"{what} a {one.per}" + (f" ({', '.join(others)})" if others else "")


def _others(value: Any, told: "tuple[str, ...]") -> List[str]:
    return [f"{name}={_text(field)}" for name, field in changed_fields(value) if name not in told]


def changed_fields(value: Any) -> Iterator[Tuple[str, Any]]:
    """Names and values of the fields of a struct that differ from those of an empty one."""
    usual = type(value)()
    for name in value.__match_args__:
        field = getattr(value, name)
        if field != getattr(usual, name):
            yield name, field


def _text(field: Any) -> str:
    if isinstance(field, tuple):
        return f"[{', '.join(map(_text, field))}]"
    return _range(field) if hasattr(field, "is_single") else str(field)


def _counted(count: Any, unit: str) -> str:
    text = _range(count) if hasattr(count, "is_single") else str(count)
    return f"{text} {unit}" if text == "1" else f"{text} {unit}s"


def _range(ends: Any, shown: Any = str) -> str:
    if ends.is_open():
        return "any number of"
    if ends.is_single():
        return str(shown(ends.min))
    if ends.max is None:
        return f"{shown(ends.min)} or more"
    return f"at most {shown(ends.max)}" if ends.min is None else f"{shown(ends.min)} to {shown(ends.max)}"


def _bytes(count: int) -> str:
    for unit, size in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count and count % size == 0:
            return f"{count // size}{unit}"
    return f"{count}B"


def install() -> None:
    """str() of a request is its words. Inside of other values it stands as C++ writes it."""
    setattr(trestle.Request, "__str__", words_of)
