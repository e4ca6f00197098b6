# SPDX-License-Identifier: Apache-2.0
"""The notebook examples/python/policies.ipynb runs, with few jobs and two seeds."""

import pytest

from notebooks import check_file, outputs_of, pictures

for needed in "matplotlib", "pandas":
    pytest.importorskip(needed)

NOTEBOOK = "policies.ipynb"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return outputs_of(NOTEBOOK, tmp_path_factory.mktemp("jupyter"), parameters="JOBS, SEEDS, LOAD = 40, 2, 1.1")


def test_the_file_is_valid_and_kept_without_outputs():
    check_file(NOTEBOOK)


def test_five_policies_under_three_disciplines_have_intervals(shown):
    lines = "".join(one.get("text", "") for one in shown["show-table"]).splitlines()
    rows = [line for line in lines if "±" in line]
    assert len(rows) == 15
    assert all(line.count("±") == 4 and "nan" not in line for line in rows)
    assert "3695 jobs of the log; 21 machines with 88 GPUs" in shown["read-log"][0]["text"]


def test_pictures_are_shown(shown):
    kinds = {cell: pictures(shown[cell]) for cell in ("draw-waits", "usage", "gantt")}
    assert kinds == {"draw-waits": ["image/png"], "usage": ["image/svg+xml"], "gantt": ["image/svg+xml"]}
