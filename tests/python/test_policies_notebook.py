# SPDX-License-Identifier: Apache-2.0
"""The notebook examples/python/policies.ipynb runs, with few jobs and two seeds."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for needed in "ipykernel", "matplotlib", "pandas":
    pytest.importorskip(needed)

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "examples/python/policies.ipynb"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The outputs of each cell, by the cell's id."""
    folder = tmp_path_factory.mktemp("jupyter")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR",
                     "MPLCONFIGDIR"):
            patch.setenv(name, str(folder / name.lower()))
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        (parameters,) = (cell for cell in notebook.cells if cell.id == "parameters")
        parameters.source = "JOBS, SEEDS, LOAD = 40, 2, 1.1"
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                resources={"metadata": {"path": str(ROOT)}}).execute()
    return {cell.id: cell.get("outputs", []) for cell in notebook.cells}


def test_the_file_is_valid_and_kept_without_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_five_policies_under_three_disciplines_have_intervals(shown):
    lines = "".join(one.get("text", "") for one in shown["show-table"]).splitlines()
    rows = [line for line in lines if "±" in line]
    assert len(rows) == 15
    assert all(line.count("±") == 4 and "nan" not in line for line in rows)
    assert "3695 jobs of the log; 21 machines with 88 GPUs" in shown["read-log"][0]["text"]


def test_pictures_are_shown(shown):
    kinds = {cell: [kind for one in shown[cell] for kind in one.get("data", {})
                    if kind.startswith("image/")] for cell in ("draw-waits", "usage", "gantt")}
    assert kinds == {"draw-waits": ["image/png"], "usage": ["image/svg+xml"], "gantt": ["image/svg+xml"]}
