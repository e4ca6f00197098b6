# SPDX-License-Identifier: Apache-2.0
"""Shared by all: readable differences, and hypothesis without a clock. `--hypothesis-seed` replays."""

import inspect
import os
from pathlib import Path

import pytest
import trestle
from hypothesis import settings

pytest_plugins = ["trestle.pytest_plugin", "pytester"]

settings.register_profile("trestle", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("trestle")

MODULES = (trestle, trestle.slurm, trestle.dstack, trestle.container, trestle.translate, trestle.os,
           trestle.prometheus, trestle.svg, trestle.testing)


GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def check_golden(name, actual):
    """`actual` is what tests/golden/`name` has; TRESTLE_UPDATE_GOLDEN=1 writes it there instead."""
    if os.environ.get("TRESTLE_UPDATE_GOLDEN", "0") not in ("", "0"):
        (GOLDEN / name).write_text(actual)
        return
    expected = (GOLDEN / name).read_text()
    assert actual.splitlines() == expected.splitlines(), "TRESTLE_UPDATE_GOLDEN=1 rewrites it"


def public_classes():
    """Every class of the package, nested ones too, by its full name."""
    found = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if inspect.isclass(value) and not name.startswith("_"):
                found[f"{value.__module__}.{value.__qualname__}"] = value
                for inner in vars(value).values():
                    if inspect.isclass(inner) and inner.__module__ == value.__module__:
                        found[f"{inner.__module__}.{inner.__qualname__}"] = inner
    return dict(sorted(found.items()))


def public_functions():
    """Every function of the package by its full name."""
    return {
        f"{module.__name__}.{name}": value
        for module in MODULES
        for name, value in vars(module).items()
        if type(value).__name__ == "nb_func" and not name.startswith("_")
    }


STRUCTS = [c for c in public_classes().values() if hasattr(c, "replace") and c is not trestle.Range]


@pytest.fixture(params=STRUCTS, ids=lambda c: c.__qualname__)
def struct(request):
    """Each class that C++ describes by a list of fields."""
    return request.param
