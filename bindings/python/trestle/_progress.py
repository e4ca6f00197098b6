# SPDX-License-Identifier: Apache-2.0
"""A progress bar for what takes longer than a second: that of tqdm, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import Any, TypeVar

from . import _optional

_T = TypeVar("_T")

DELAY = 1.0
"""seconds until the bar appears"""


def over(items: Iterable[_T], title: str, unit: str, total: int | None = None) -> Iterator[_T]:
    """The items, with a bar. `total`: how many there are, for what has no length."""
    if total is None:
        total = len(items) if isinstance(items, Sized) else 0
    with Progress(title, unit, total) as progress:
        for done, item in enumerate(items):
            progress.reach(done)
            yield item


class Progress:
    """Shows how much of a total is done. Silent without a terminal, without tqdm, for a second, and
    while another bar goes on.

    with Progress("simulation", "job", total) as progress:
        progress.reach(done)
    """

    _open = 0
    """bars that go on, one in the other"""

    def __init__(self, title: str, unit: str, total: int) -> None:
        self._title, self._unit, self._total = title, unit, total
        self._begun = time.monotonic()
        self._bar: Any = None
        self._is_off = Progress._open > 0 or sys.stderr is None or not sys.stderr.isatty()

    def __enter__(self) -> Progress:
        Progress._open += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.finish(kind is None)

    def finish(self, is_done: bool) -> None:
        """Ends the bar. With `is_done` it shows all of the total."""
        Progress._open -= 1
        if self._bar is not None:
            if is_done:
                self._bar.update(self._total - self._bar.n)
            self._bar.close()

    def reach(self, done: int) -> None:
        """So much of the total is done."""
        if self._is_off:
            return
        if self._bar is None:
            if time.monotonic() - self._begun < DELAY:
                return
            try:
                tqdm: Any = _optional.load("tqdm", "sim")
            except ImportError:
                self._is_off = True
                return
            self._bar = tqdm.tqdm(total=self._total, desc=self._title, unit=self._unit)
        if done > self._bar.n:
            self._bar.update(done - self._bar.n)
