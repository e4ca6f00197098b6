# SPDX-License-Identifier: Apache-2.0
"""Packages that only some of the tools need."""

import importlib
from typing import Any


def load(name: str, extra: str) -> Any:
    """The module called `name`. Errors: ImportError that names the extra of trestle it is in."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.split(".")[0]
        raise ImportError(
            f"{package} is not installed: pip install 'trestle[{extra}]'", name=package) from error
