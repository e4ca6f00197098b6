# SPDX-License-Identifier: Apache-2.0
"""Readable differences in failed assertions: `pytest_plugins = ["trestle.pytest_plugin"]`.

`assert a == b` on placements and plans shows the lines that differ, on other values the fields.
"""

from typing import Any, List, Optional

import trestle

__all__ = ["differences", "pytest_assertrepr_compare"]


def differences(left: Any, right: Any, where: str = "") -> List[str]:
    """One line for each field that differs, nested ones by their path."""
    if isinstance(left, (trestle.Placement, trestle.Plan)) and not where:
        return trestle.testing.diff(left, right).splitlines()
    names = getattr(type(left), "__match_args__", None)
    if not names or type(left) is not type(right):
        if left == right:
            return []
        return [f"- {where} = {left}", f"+ {where} = {right}"]
    lines = []
    for name in names:
        path = f"{where}.{name}" if where else name
        lines += differences(getattr(left, name), getattr(right, name), path)
    return lines


def pytest_assertrepr_compare(op: str, left: Any, right: Any) -> Optional[List[str]]:
    """pytest's hook for the explanation of a failed comparison."""
    kind = type(left)
    if op != "==" or kind is not type(right) or not kind.__module__.startswith("trestle"):
        return None
    if not hasattr(kind, "__match_args__"):
        return None
    return [f"two values of {kind.__qualname__} differ:", *differences(left, right)]
