# SPDX-License-Identifier: Apache-2.0
"""examples/python/sweep.py: two workers of Ray or Dask give the bytes that this process gives."""

import os
import pathlib
import subprocess
import sys

import pytest

SWEEP = pathlib.Path(__file__).parents[2] / "examples/python/sweep.py"


def sweep(path, place):
    """The file and what is printed."""
    pods = [SWEEP.parents[1] / "traces/pods.csv"] * 2  # two traces
    done = subprocess.run([sys.executable, SWEEP, "--on", place, "--out", path, "--pods", *pods],
                          capture_output=True, text=True, timeout=300,
                          env={**os.environ, "RAY_AUTH_MODE": "disabled"})
    assert done.returncode == 0, done.stderr
    return path.read_bytes(), [line for line in done.stdout.splitlines() if line[:4] == "pods"]


@pytest.mark.parametrize("place, package", [("ray", "ray"), ("dask", "distributed")])
def test_where_it_runs_does_not_matter(place, package, tmp_path):
    pytest.importorskip(package)
    assert sweep(tmp_path / "there.json", place) == sweep(tmp_path / "here.json", "here")
