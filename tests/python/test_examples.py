# SPDX-License-Identifier: Apache-2.0
"""The Python examples print what stands beside them; those with a C++ twin print the same."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("path", sorted([*EXAMPLES.glob("*.py"), *EXAMPLES.glob("python/*.py")]),
                         ids=lambda path: path.stem)
def test_example(path):
    if path.stem == "gym_env":
        pytest.importorskip("gymnasium")
    shown = subprocess.run([sys.executable, path], check=True, capture_output=True, text=True)
    assert shown.stdout == path.with_suffix(".expected").read_text()
