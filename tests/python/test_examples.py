# SPDX-License-Identifier: Apache-2.0
"""The Python examples print what stands beside them; those with a C++ twin print the same."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_example(name):
    shown = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], check=True,
                           capture_output=True, text=True)
    assert shown.stdout == (EXAMPLES / f"{name}.expected").read_text()
