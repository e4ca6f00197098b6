# SPDX-License-Identifier: Apache-2.0
"""Events as they happen. Event objects are made from them when they are asked for.

A row has names in place of enum members. Python's garbage collector does not look at such rows again,
and would spend a tenth of a simulation on them else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional, Tuple

from .events import Event, EventKind
from .jobs import Outcome

EventRow = Tuple[int, str, Optional[int], Optional[int], Optional[int], Optional[str], Optional[int], str]
"""The fields of an Event. To make its object takes 20 times as long."""

_KINDS = {kind.value: kind for kind in EventKind}
_OUTCOMES: dict[str | None, Outcome | None] = {None: None}
_OUTCOMES.update((outcome.value, outcome) for outcome in Outcome)


def events_of(rows: Iterable[EventRow]) -> tuple[Event, ...]:
    """The objects, in the order of the rows."""
    return tuple(Event(at, _KINDS[kind], job, node, device, _OUTCOMES[outcome], until, note)
                 for at, kind, job, node, device, outcome, until, note in rows)


class EventLog:
    """Rows of events, in the order in which they happen."""

    def __init__(self) -> None:
        self.rows: list[EventRow] = []

    def add(self, at: int, kind: EventKind, job: int | None = None, *, node: int | None = None,
            device: int | None = None, outcome: Outcome | None = None, until: int | None = None,
            note: str = "") -> None:
        """One more happens."""
        self.rows.append((at, kind._value_, job, node, device,
                          None if outcome is None else outcome._value_, until, note))
