# SPDX-License-Identifier: Apache-2.0
"""Events as they happen. Event objects are made from them when they are asked for."""

from __future__ import annotations

from typing import Optional, Tuple

from .events import EventKind
from .jobs import Outcome

EventRow = Tuple[int, EventKind, Optional[int], Optional[int], Optional[int], Optional[Outcome],
                 Optional[int], str]
"""The fields of an Event. To make its object takes 20 times as long."""


class EventLog:
    """Rows of events, in the order in which they happen."""

    def __init__(self) -> None:
        self.rows: list[EventRow] = []

    def add(self, at: int, kind: EventKind, job: int | None = None, *, node: int | None = None,
            device: int | None = None, outcome: Outcome | None = None, until: int | None = None,
            note: str = "") -> None:
        """One more happens."""
        self.rows.append((at, kind, job, node, device, outcome, until, note))
