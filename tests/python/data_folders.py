# SPDX-License-Identifier: Apache-2.0
"""Where recorded data lies: in the repository, and the full openb trace outside it."""

import os
import pathlib

import pytest

DATA = pathlib.Path(__file__).parents[1] / "data"
"""Recorded data of the repository. A test that does not find its file here fails."""

OUTSIDE = pathlib.Path(os.environ["TRESTLE_DATA"]) if os.environ.get("TRESTLE_DATA") else None
"""A folder with the full openb trace, laid out as tests/data/README.md describes, or None."""

needs_full_openb = pytest.mark.skipif(
    OUTSIDE is None, reason="the full openb trace is not in the repository; set TRESTLE_DATA")


def recordings(pattern="*.json"):
    """The recorded decisions of Slurm with such names. Fails the test without any."""
    paths = sorted((DATA / "slurm-oracle").glob(pattern))
    assert paths, f"{DATA}/slurm-oracle: no {pattern}"
    return paths
