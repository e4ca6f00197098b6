# SPDX-License-Identifier: Apache-2.0
"""The Python examples print what their C++ twins print."""

import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def test_a_cluster():
    shown = subprocess.run([sys.executable, EXAMPLES / "a_cluster.py"], check=True,
                           capture_output=True, text=True)
    assert shown.stdout == (EXAMPLES / "a_cluster.expected").read_text()
