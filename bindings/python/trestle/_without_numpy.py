# SPDX-License-Identifier: Apache-2.0
"""What needs NumPy says so where it is not installed, and which extra has it."""

import importlib
import importlib.util
import sys
from typing import Any

from . import _optional

CALLS = ("feasible", "fit_count", "score", "placed_table", "Observer", "observe")
PROPERTIES = (("CatalogMatches", "offers"), ("CatalogMatches", "blocks"))
SETS = ("IndexSet", "BlockSet", "CoreSet", "DeviceSet", "DomainSet", "NodeSet", "PuSet", "SmallSet")
SET_CALLS = ("to_numpy", "__array__")
# Of a policy of the caller's: all that it sees are arrays.
COLUMNS = "PolicyColumns"


def _needs_numpy(name: str) -> Any:
    def refuse(*arguments: object, **named: object) -> Any:
        try:
            _optional.load("numpy", "sim")
        except ImportError as error:
            raise ImportError(f"{name}: {error}", name="numpy") from None
        raise ImportError(f"{name}: numpy came after trestle; expected it to be there at the import")
    return refuse


def _makes_stubs() -> bool:
    """Whether nanobind's stubgen imports the package: stubs are of the functions as they are."""
    return hasattr(sys.modules.get("__main__"), "StubGen")


def install() -> None:
    """Without NumPy, replaces what returns arrays by functions that raise an ImportError."""
    if importlib.util.find_spec("numpy") is not None or _makes_stubs():
        return
    core: Any = importlib.import_module("trestle._core")
    for name in CALLS:
        setattr(core, name, _needs_numpy(name))
    for kind, name in PROPERTIES:
        setattr(getattr(core, kind), name, property(_needs_numpy(f"{kind}.{name}")))
    for kind in SETS:
        for name in SET_CALLS:
            if hasattr(getattr(core, kind), name):
                setattr(getattr(core, kind), name, _needs_numpy(f"{kind}.{name}"))
    columns = getattr(core, COLUMNS)
    for name in dir(columns):
        if not name.startswith("_"):
            setattr(columns, name, property(_needs_numpy(f"{COLUMNS}.{name}")))
