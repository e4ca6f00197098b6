# SPDX-License-Identifier: Apache-2.0
"""Values of a message, each with where it stands."""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

SECOND = 1_000_000
"""Microseconds."""
SECONDS_MAX = 4_000_000_000
"""No moment is later, no walltime counts as longer."""
_INTERVAL = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


class BadMessage(ValueError):
    """A message that the protocol does not know. str() says where, what, and what was expected."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(where, what)
        self.where = where
        """as `events[2].data.job_id`"""
        self.what = what

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class At:
    """A value, and where it stands. Errors of all that reads it: BadMessage."""

    def __init__(self, value: Any, where: str = "") -> None:
        self.value = value
        self.where = where

    def bad(self, what: str) -> BadMessage:
        """To be raised."""
        return BadMessage(self.where or "message", what)

    def unlike(self, expected: str) -> BadMessage:
        """To be raised: the value is not what was expected."""
        return self.bad(f"{reprlib.repr(self.value)}; expected {expected}")

    def members(self) -> dict[str, At]:
        """Of an object, by name."""
        if not isinstance(self.value, Mapping):
            raise self.unlike("an object")
        return {name: At(value, f"{self.where}.{name}" if self.where else str(name))
                for name, value in self.value.items()}

    def find(self, name: str) -> At | None:
        """A member of an object; None: it is not there, or null."""
        member = self.members().get(name)
        return None if member is None or member.value is None else member

    def get(self, name: str) -> At:
        """A member that has to be there."""
        member = self.members().get(name)
        if member is None:
            raise self.bad(f"no {name}; expected one")
        return member

    def each(self) -> list[At]:
        """Those of a list."""
        if isinstance(self.value, (str, bytes)) or not isinstance(self.value, Sequence):
            raise self.unlike("a list")
        return [At(one, f"{self.where}[{place}]") for place, one in enumerate(self.value)]

    def text(self) -> str:
        """A text that is not empty."""
        if not isinstance(self.value, str) or not self.value:
            raise self.unlike("a text")
        return self.value

    def choice(self, among: Sequence[str]) -> str:
        """One of these texts."""
        if not isinstance(self.value, str) or self.value not in among:
            raise self.unlike(" or ".join(among) if len(among) < 3 else
                              f"one of {', '.join(among)}")
        return self.value

    def flag(self) -> bool:
        """true or false."""
        if not isinstance(self.value, bool):
            raise self.unlike("true or false")
        return self.value

    def count(self, least: int, most: int = 999_999_999) -> int:
        """A whole number."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or (
                not least <= self.value <= most):
            raise self.unlike(f"a whole number from {least} to {most}")
        return self.value

    def seconds(self) -> float:
        """A moment."""
        if not _is_number(self.value) or not 0 <= self.value <= SECONDS_MAX:
            raise self.unlike(f"seconds from 0 to {SECONDS_MAX}")
        moment: float = self.value
        return moment

    def walltime(self) -> float | None:
        """Seconds; None for -1: there is none."""
        if not _is_number(self.value) or not (self.value > 0 or self.value == -1):
            raise self.unlike("seconds above 0, or -1")
        return None if self.value == -1 else min(self.value, SECONDS_MAX)

    def resources(self, known: Mapping[int, object]) -> list[int]:
        """An interval set as `1-3 5`, in any order, all of them known; upwards."""
        found: set[int] = set()
        for word in self.text().split(" "):
            match = _INTERVAL.fullmatch(word)
            if match is None:
                raise self.unlike("resources as 1-3 5 7")
            first, last = int(match[1]), int(match[2] or match[1])
            if first > last:
                raise self.unlike(f"resources upwards, not {word}")
            strange = next((one for one in range(first, last + 1) if one not in known), None)
            if strange is not None:
                raise self.bad(f"resource {strange}; expected one that SIMULATION_BEGINS named")
            found.update(range(first, last + 1))
        return sorted(found)


def ticks(seconds: float) -> int:
    """Microseconds, to the nearest."""
    return seconds * SECOND if isinstance(seconds, int) else round(seconds * SECOND)


def parse(text: str | bytes) -> Any:
    """The JSON of a message. Errors: BadMessage with the offset."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadMessage("message", f"offset {error.pos}: {error.msg}; expected JSON") from error
    except (ValueError, RecursionError) as error:
        raise BadMessage("message", f"{error}; expected JSON in UTF-8") from error


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isinstance(value, int) or math.isfinite(value)
