# SPDX-License-Identifier: Apache-2.0
"""repr() of values that may be large: one line of at most 200 characters."""

from typing import Any

LENGTH_MAX = 200
FIELD_MAX = 60


def short_repr(value: Any) -> str:
    """Of a dataclass: the fields that differ from their defaults. Long fields are shown by their
    size, and a long line is cut; a short repr evaluates back."""
    from dataclasses import MISSING, fields  # here, since it takes long to import

    parts = []
    for field in fields(value):
        one = getattr(value, field.name)
        usual = field.default_factory() if field.default_factory is not MISSING else field.default
        if field.init and field.repr and (usual is MISSING or one != usual):
            parts.append(f"{field.name}={_shown(one)}")
    return line(type(value).__qualname__, parts)


def struct_repr(name: str, changed: "list[tuple[str, Any]]") -> str:
    """Of a struct of the library: the fields that differ from their defaults. If the line is too
    long, the longest fields are shown by their size; otherwise it evaluates back."""
    texts = [_size(one) if isinstance(one, tuple) and len(one) > LENGTH_MAX // 3 else repr(one)
             for _, one in changed]
    room = LENGTH_MAX - len(name) - 2 - sum(len(field) + 3 for field, _ in changed)
    for at in sorted(range(len(texts)), key=lambda at: -len(texts[at])):
        if sum(map(len, texts)) <= room:
            break
        texts[at] = min(texts[at], _size(changed[at][1]), key=len)
    return line(name, [f"{field}={text}" for (field, _), text in zip(changed, texts)])


def line(name: str, parts: "list[str]") -> str:
    """`Name(part, part)`, cut where it is too long."""
    text = f"{name}({', '.join(parts)})"
    return text if len(text) <= LENGTH_MAX else text[:LENGTH_MAX - 4] + "...)"


def _shown(value: Any) -> str:
    if isinstance(value, (tuple, list, dict, set, frozenset)) and len(value) > 8:
        return _size(value)
    text = repr(value)
    return text if len(text) <= FIELD_MAX else _size(value)


def _size(value: Any) -> str:
    size = f" of {len(value)}" if hasattr(value, "__len__") else ""
    return f"<{type(value).__name__}{size}>"
