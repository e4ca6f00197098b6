# SPDX-License-Identifier: Apache-2.0
"""What an experiment is, and what it gives."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Optional

from .._short import short_repr

__all__ = ["Found", "Options", "Paper", "Row", "find_data"]


@dataclass(frozen=True, repr=False)
class Options:
    """How an experiment runs."""

    is_quick: bool = False  # a small instance of the same experiment, for tests: seconds
    data: Optional[pathlib.Path] = None  # a folder with `openb/`; None: find_data()

    __repr__ = short_repr

    def openb(self) -> pathlib.Path:
        """The folder of the openb trace. Errors: LookupError where there is none."""
        folder = (self.data or find_data()) / "openb"
        if not (folder / "openb_node_list_gpu_node.csv").is_file():
            raise LookupError(f"{folder}: no openb trace; --data names the folder with openb/, as"
                              " tests/data of the repository")
        return folder


def find_data() -> pathlib.Path:
    """The folder that TRESTLE_DATA names, else tests/data below the current one."""
    return pathlib.Path(os.environ.get("TRESTLE_DATA") or "tests/data")


@dataclass(frozen=True, repr=False)
class Found:
    """One number of an experiment, as text with its unit."""

    measure: str
    published: Optional[str]  # None: not found
    ours: str

    __repr__ = short_repr


@dataclass(frozen=True, repr=False)
class Paper:
    """A published result and the experiment that repeats it."""

    name: str
    source: str
    data: str  # what the experiment runs on, and where it is from
    seeds: str
    measure: Callable[[Options], Sequence[Found]]
    quick_data: str  # what is_quick runs on

    __repr__ = short_repr


@dataclass(frozen=True, repr=False)
class Row:
    """A line of the table."""

    paper: str
    source: str
    data: str
    seeds: str
    measure: str
    published: Optional[str]
    ours: str
    seconds: float  # CPU time of the whole experiment

    __repr__ = short_repr
