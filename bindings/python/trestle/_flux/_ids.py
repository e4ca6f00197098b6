# SPDX-License-Identifier: Apache-2.0
"""Sets of ids and lists of hosts as texts (RFC 22 and RFC 29 of Flux)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import trestle

HOSTS_MAX = 1_000_000
"""A list has no more names, so that a text cannot ask for all memory."""


def read_ids(value: Any, where: str) -> frozenset[int]:
    """The members of a set, as `0-3,7` or `[0-3,7]`; of a number or Flux's IDset, its str().
    Errors: ValueError."""
    if value is None or isinstance(value, (bool, float, bytes, list, dict)):
        raise ValueError(f"{where}: {value!r}; expected a set of ids as 0-3,7")
    text = str(value).strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    try:
        return frozenset(trestle.IndexSet(text))
    except (ValueError, trestle.Error) as error:
        raise ValueError(f"{where}: {error}") from error


def ids_text(ids: Iterable[int]) -> str:
    """As `0-3,7`."""
    return str(trestle.IndexSet(ids))


def ids_in_brackets(ids: Iterable[int]) -> str:
    """For people: `[0-3,7]`, one id without brackets."""
    text = ids_text(ids)
    return text if text.isdigit() or not text else f"[{text}]"


def read_hosts(value: Any, where: str) -> list[str]:
    """The names of a list, as `n[0-3],login` or a list of such texts. Errors: ValueError."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, Sequence) or not all(isinstance(one, str) for one in texts):
        raise ValueError(f"{where}: expected a list of hosts as n[0-3],login")
    names: list[str] = []
    for text in texts:
        try:
            hosts = trestle.slurm.Hostlist(text, trestle.slurm.HostlistLimits(max_names=HOSTS_MAX))
        except (ValueError, trestle.Error) as error:
            raise ValueError(f"{where}: {error}") from error
        names += hosts.names()
    return names


def hosts_text(names: Sequence[str]) -> str:
    """As `n[0-3],login`, in this order."""
    return str(trestle.slurm.Hostlist(",".join(names)))
